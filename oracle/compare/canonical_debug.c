/* Debug sections, cut into units: the pieces that the files brought, in whatever order they stand.
 *
 * A section of DWARF is a chain of units that begin with their length; others (abbreviations, strings, NVIDIA's own) are
 * cut where another section refers to, and where an input's part begins. A unit is known by its bytes without fields; a
 * field that leads into a debug section is said as (unit, place in it). */
#include "canonical_parts.h"

#include "ref_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sections whose units begin with a length of 4 bytes that does not count itself. */
static const char *const chained[] = {".debug_info",     ".debug_line",     ".debug_frame",       ".debug_aranges",
                                      ".debug_pubnames", ".debug_pubtypes", ".nv_debug_line_sass"};
enum { LENGTH_BYTES = 4 };

typedef struct unit_cuts {
  uint64_t *at;
  size_t count, capacity;
} unit_cuts;

static void cut_add(unit_cuts *cuts, uint64_t at) {
  if (cuts->count == cuts->capacity) {
    cuts->capacity = cuts->capacity == 0 ? 64 : 2 * cuts->capacity;
    cuts->at = ref_reallocate(cuts->at, cuts->capacity, sizeof *cuts->at);
  }
  cuts->at[cuts->count++] = at;
}

static int cut_order(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static bool unit_is_chained(const char *name) {
  for (size_t i = 0; i < sizeof chained / sizeof *chained; i++) {
    if (strcmp(name, chained[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* Adds a cut for every unit of a chain; false, with none added, when the lengths do not cover the section. */
static bool cut_chain(unit_cuts *cuts, const ref_section *section) {
  const size_t before = cuts->count;
  uint64_t at = 0;
  while (at < section->size && section->size - at >= LENGTH_BYTES) {
    const uint64_t length = LENGTH_BYTES + (uint64_t)ref_u32(section->data + at);
    if (length > section->size - at) {
      break;
    }
    cut_add(cuts, at);
    at += length;
  }
  if (at != section->size) {
    cuts->count = before;
  }
  return at == section->size;
}

static void cut_references(const canonical_context *context, unit_cuts *cuts, uint32_t section) {
  for (size_t i = 0; i < context->site_count; i++) {
    if (context->sites[i].into == section) {
      cut_add(cuts, context->sites[i].target);
    }
  }
}

static void cut_pieces(const canonical_context *context, unit_cuts *cuts, uint32_t section) {
  for (size_t i = 0; i < context->check.piece_count; i++) {
    if (context->check.pieces[i].section == section) {
      cut_add(cuts, context->check.pieces[i].offset);
    }
  }
}

static void unit_add(canonical_context *context, uint32_t section, uint64_t from, uint64_t end) {
  if (context->unit_count == context->unit_capacity) {
    context->unit_capacity = context->unit_capacity == 0 ? 64 : 2 * context->unit_capacity;
    context->units = ref_reallocate(context->units, context->unit_capacity, sizeof *context->units);
  }
  context->units[context->unit_count++] =
      (canonical_unit){section, from, end - from, canonical_hash(context, section, from, end - from)};
}

static void units_of(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  unit_cuts cuts = {0};
  if (!unit_is_chained(section->name) || !cut_chain(&cuts, section)) {
    cut_references(context, &cuts, index);
    cut_pieces(context, &cuts, index);
  }
  cut_add(&cuts, 0);
  qsort(cuts.at, cuts.count, sizeof *cuts.at, cut_order);
  for (size_t i = 0; i < cuts.count && cuts.at[i] < section->size; i++) {
    const uint64_t next = i + 1 < cuts.count && cuts.at[i + 1] < section->size ? cuts.at[i + 1] : section->size;
    if (next > cuts.at[i]) {
      unit_add(context, index, cuts.at[i], next);
    }
  }
  free(cuts.at);
}

void canonical_units_make(canonical_context *context) {
  for (uint32_t i = 1; i < context->check.output->section_count; i++) {
    if (check_is_debug(&context->check.output->sections[i])) {
      units_of(context, i);
    }
  }
}

static char *unit_label(const canonical_context *context, const canonical_unit *unit) {
  ref_text text = {0};
  ref_text_add(&text, "%s unit %016" PRIx64, context->check.output->sections[unit->section].name, unit->hash);
  return ref_text_take(&text);
}

char *canonical_unit_place(const canonical_context *context, uint32_t section, uint64_t offset) {
  size_t low = 0, high = context->unit_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const canonical_unit *unit = &context->units[middle];
    if (unit->section < section || (unit->section == section && unit->offset <= offset)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  ref_text text = {0};
  const canonical_unit *unit = low > 0 && context->units[low - 1].section == section ? &context->units[low - 1] : NULL;
  if (unit == NULL || offset - unit->offset >= unit->size) {
    ref_text_add(&text, "outside of %s", context->check.output->sections[section].name);
  } else {
    char *label = unit_label(context, unit);
    ref_text_add(&text, "%s+0x%" PRIx64, label, offset - unit->offset);
    free(label);
  }
  return ref_text_take(&text);
}

void canonical_say_debug(canonical_context *context) {
  for (size_t i = 0; i < context->unit_count; i++) {
    const canonical_unit *unit = &context->units[i];
    char *label = unit_label(context, unit);
    canonical_say_bytes(context, label, unit->section, unit->offset, unit->size);
    free(label);
  }
}
