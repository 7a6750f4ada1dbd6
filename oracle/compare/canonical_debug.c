/* Debug sections, cut into units: the pieces that the files brought, in whatever order they stand.
 *
 * A section of DWARF is a chain of units that begin with their length; others (abbreviations, strings, NVIDIA's own) are
 * cut where another section refers to, and where an input's part begins. A unit is known by its bytes without fields; a
 * field that leads into a debug section is said as (unit, place in it). */
#include "canonical_parts.h"

#include "ref_compare_parts.h"
#include "ref_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sections whose units begin with a length of 4 bytes that does not count itself. */
static const char *const chained[] = {".debug_info",     ".debug_line",     ".debug_frame",       ".debug_aranges",
                                      ".debug_pubnames", ".debug_pubtypes", ".nv_debug_line_sass"};
enum { LENGTH_BYTES = 4, WIDE_LENGTH_BYTES = 12 };

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

uint64_t canonical_unit_size(const ref_section *section, uint64_t at) {
  const uint64_t left = section->size - at;
  if (left < LENGTH_BYTES) {
    return 0;
  }
  const bool wide = ref_u32(section->data + at) == UINT32_MAX;
  const uint64_t head = wide ? WIDE_LENGTH_BYTES : LENGTH_BYTES;
  if (left < head) {
    return 0;
  }
  const uint64_t length = wide ? ref_u64(section->data + at + LENGTH_BYTES) : ref_u32(section->data + at);
  return length > left - head ? 0 : head + length;
}

/* Adds a cut for every unit of a chain; false, with none added, when the lengths do not cover the section. */
static bool cut_chain(unit_cuts *cuts, const ref_section *section) {
  const size_t before = cuts->count;
  uint64_t at = 0, size = 0;
  for (; at < section->size && (size = canonical_unit_size(section, at)) != 0; at += size) {
    cut_add(cuts, at);
  }
  if (at != section->size) {
    cuts->count = before;
  }
  return at == section->size;
}

/* A number of seven bits a byte: how many bytes it takes, 0 where it does not end. */
static uint64_t leb_size(const ref_section *section, uint64_t at, uint64_t end) {
  for (uint64_t i = at; i < end; i++) {
    if ((section->data[i] & 0x80) == 0) {
      return i + 1 - at;
    }
  }
  return 0;
}

/* The size of a line program's operation at `at`, 0 where it is none; *ends: it ends a sequence. */
static uint64_t line_operation(const ref_section *section, const uint8_t *head, uint64_t at, uint64_t end, bool *ends) {
  enum { LINE_BASE = 15, EXTENDED = 0, FIXED_ADVANCE = 9, END_SEQUENCE = 1 };
  const uint8_t code = section->data[at], base = head[LINE_BASE - 1];
  uint64_t size = 1;
  *ends = false;
  if (code == EXTENDED) {
    const uint64_t length = at + 1 < end ? section->data[at + 1] : 0;
    *ends = length == 1 && at + 2 < end && section->data[at + 2] == END_SEQUENCE;
    size = length == 0 || length > INT8_MAX ? 0 : 2 + length;
  } else if (code == FIXED_ADVANCE) {
    size = 3;
  } else if (code < base) {
    for (uint8_t i = 0; i < head[LINE_BASE - 1 + code]; i++) {
      const uint64_t leb = leb_size(section, at + size, end);
      if (leb == 0) {
        return 0;
      }
      size += leb;
    }
  }
  return size > end - at ? 0 : size;
}

/* Cuts a line table's unit into its head and its sequences, which stand in the order of the output's symbols (M25). One that
 * is not understood stays whole. */
static void cut_sequences(unit_cuts *cuts, const ref_section *section, uint64_t at, uint64_t size) {
  enum { HEAD_LENGTH = 6, HEAD = 10, OPCODE_BASE = 14, HEAD_LEAST = 15 };
  const uint8_t *head = section->data + at;
  const size_t before = cuts->count;
  if (size < HEAD_LEAST || ref_u32(head) == UINT32_MAX || ref_u32(head + HEAD_LENGTH) > size - HEAD ||
      head[OPCODE_BASE] == 0 || size - HEAD_LEAST < (uint64_t)head[OPCODE_BASE] - 1) {
    return;
  }
  const uint64_t end = at + size;
  uint64_t place = at + HEAD + ref_u32(head + HEAD_LENGTH);
  cut_add(cuts, place);
  while (place < end) {
    bool ends;
    const uint64_t operation = line_operation(section, head, place, end, &ends);
    if (operation == 0) {
      cuts->count = before;
      return;
    }
    place += operation;
    if (ends && place < end) {
      cut_add(cuts, place);
    }
  }
}

static bool unit_has_sequences(const canonical_context *context, const ref_section *section) {
  return context->capsule != NULL &&
         (strcmp(section->name, ".debug_line") == 0 || strcmp(section->name, ".nv_debug_line_sass") == 0);
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
      (canonical_unit){section, from, end - from, canonical_hash(context, section, from, end - from), false, 0};
}

static void units_of(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  unit_cuts cuts = {0};
  if (!unit_is_chained(section->name) || !cut_chain(&cuts, section)) {
    cut_references(context, &cuts, index);
    cut_pieces(context, &cuts, index);
  } else if (unit_has_sequences(context, section)) {
    const size_t whole = cuts.count;
    for (size_t i = 0; i < whole; i++) {
      cut_sequences(&cuts, section, cuts.at[i], canonical_unit_size(section, cuts.at[i]));
    }
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
      const size_t from = context->unit_count;
      units_of(context, i);
      canonical_frames_mark(context, i, from);
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
    if (unit->function != 0) {
      canonical_frame_say(context, unit);
      continue;
    }
    char *label = unit_label(context, unit);
    const size_t from = context->form->count;
    canonical_say_bytes(context, label, unit->section, unit->offset, unit->size);
    for (size_t k = from; k < context->form->count; k++) {
      context->form->lines[k].may_go = context->form->lines[k].may_come = unit->left;
    }
    free(label);
  }
}
