/* The frames in the SASS view of a capsule, which a link writes anew from Mercury's (M24), so that no input has their bytes.
 *
 * A frame's pointer to its common part is said as the place of another unit. Where several inputs have a body of a function,
 * what a replaced one leaves depends on what was read before (D8): further frames without instructions and their common parts
 * (L963), and steps of its own among those of the body that stands (L128, L1056). Of such a function its first frame is said
 * step by step. */
#include "canonical_parts.h"

#include "ref_compare_parts.h"
#include "ref_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  FRAME_POINTER = 12,
  FRAME_POINTER_BYTES = 8,
  FRAME_ADDRESS = 20,
  FRAME_CODE = 28,
  FRAME_STEPS = 36,
  FRAME_BARE = 40
};

/* A frame's pointer to its common part is the place of another unit. The SASS view's frames are written anew (M24), so that
 * nothing in the inputs says it; the Mercury view's are asked in the same way. */
void canonical_frames_point(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  if (context->capsule == NULL || section->data == NULL || strcmp(section->name, ".debug_frame") != 0) {
    return;
  }
  uint64_t size = 0;
  for (uint64_t at = 0; at < section->size && (size = canonical_unit_size(section, at)) != 0; at += size) {
    const bool wide = ref_u32(section->data + at) == UINT32_MAX;
    if (!wide || size < FRAME_POINTER + FRAME_POINTER_BYTES ||
        ref_u64(section->data + at + FRAME_POINTER) == UINT64_MAX) {
      continue;
    }
    canonical_site_add(context, (canonical_site){.section = index,
                                                 .offset = at + FRAME_POINTER,
                                                 .text = ref_format("common part"),
                                                 .into = index,
                                                 .target = ref_u64(section->data + at + FRAME_POINTER)});
    memset(context->masked[index] + at + FRAME_POINTER, 0, FRAME_POINTER_BYTES);
  }
}

/* --- steps of frames --- */

/* What a frame has for one place in the code. */
typedef struct frame_step {
  uint64_t at;
  const uint8_t *bytes;
  uint64_t size;
} frame_step;

typedef struct frame_steps {
  frame_step *items;
  size_t count;
} frame_steps;

/* The size of a call frame instruction of those that compilers write, 0 for others. */
static uint64_t frame_instruction(const uint8_t *bytes, uint64_t left) {
  static const struct {
    uint8_t code, numbers; /* LEB128 numbers behind it */
    bool block;            /* the last one counts the bytes that follow */
  } rows[] = {{0x05, 2, false}, {0x06, 1, false}, {0x08, 1, false}, {0x09, 2, false},
              {0x0c, 2, false}, {0x0d, 1, false}, {0x0e, 1, false}, {0x10, 2, true}};
  size_t row = 0;
  while (row < sizeof rows / sizeof *rows && rows[row].code != bytes[0]) {
    row++;
  }
  uint64_t size = 1;
  for (uint8_t i = 0; row < sizeof rows / sizeof *rows && i < rows[row].numbers; i++) {
    while (size < left && (bytes[size] & 0x80) != 0) {
      size++;
    }
    size++;
  }
  if (size > 1 && size <= left && rows[row].block) {
    size += bytes[size - 1];
  }
  return size > 1 && size <= left ? size : 0;
}

/* False, with no steps, at something else than advances of 32 bits, instructions and what fills a frame up. */
static bool frame_read_steps(const ref_section *section, uint64_t from, uint64_t size, frame_steps *steps) {
  enum { NOP = 0, ADVANCE = 4, ADVANCE_SIZE = 5 };
  const uint8_t *bytes = section->data + from;
  *steps = (frame_steps){.items = ref_allocate(size + 1, sizeof *steps->items)};
  frame_step step = {.at = 0, .bytes = bytes + FRAME_STEPS};
  bool known = true;
  for (uint64_t i = FRAME_STEPS, length = 1; known && i < size; i += length) {
    length = 1;
    if (bytes[i] == ADVANCE && size - i >= ADVANCE_SIZE) {
      length = ADVANCE_SIZE;
      steps->items[steps->count++] = step;
      step = (frame_step){.at = step.at + ref_u32(bytes + i + 1), .bytes = bytes + i + length};
    } else if (bytes[i] != NOP) {
      length = frame_instruction(bytes + i, size - i);
      known = length != 0 && step.bytes + step.size == bytes + i;
      step.size += length;
    }
  }
  steps->items[steps->count++] = step;
  if (!known) {
    free(steps->items);
    *steps = (frame_steps){0};
  }
  return known;
}

static bool frame_has_step(const frame_steps *steps, const frame_step *step) {
  for (size_t i = 0; i < steps->count; i++) {
    const frame_step *other = &steps->items[i];
    if (other->at == step->at && other->size == step->size && memcmp(other->bytes, step->bytes, step->size) == 0) {
      return true;
    }
  }
  return false;
}

/* Whether several inputs have a body of the function that a frame is about, and its steps are understood. */
static bool frame_is_contested(const canonical_context *context, const canonical_unit *unit, uint32_t symbol) {
  const ref_check_context *check = &context->check;
  const ref_symbol *function = &check->output->symbols[symbol];
  const ref_section *text = check_symbol_section(check->output, function);
  frame_steps steps = {0};
  const bool contested = text != NULL && function->info >> 4 != BINDING_LOCAL && unit->size >= FRAME_STEPS &&
                         check_names_find(&check->sections, text->name).count > 1 &&
                         frame_read_steps(&check->output->sections[unit->section], unit->offset, unit->size, &steps);
  free(steps.items);
  return contested;
}

/* The steps of the frame that the body which stands has in its input: none where that is not known, or where the link has made
 * its text anew. */
static frame_steps frame_standing_steps(const canonical_context *context, const check_contest *contest,
                                        uint32_t symbol) {
  const ref_check_context *check = &context->check;
  const ref_symbol *function = &check->output->symbols[symbol];
  check_piece text = {.section = function->section};
  frame_steps steps = {0};
  if (!canonical_remade_source(context, contest, &text)) {
    return steps;
  }
  const ref_cubin *input = check->link->inputs[text.input].cubin;
  const bool same = input->sections[text.source].size == check_symbol_section(check->output, function)->size;
  for (uint32_t i = 1; same && i < input->section_count; i++) {
    const ref_section *section = &input->sections[i];
    const check_entries *entries = check_entries_of(&check->entries[text.input], i);
    for (size_t k = 0; section->data != NULL && strcmp(section->name, ".debug_frame") == 0 && k < entries->count; k++) {
      const ref_relocation *entry = &entries->items[k].relocation;
      const bool about = entry->symbol < input->symbol_count && entry->offset >= FRAME_ADDRESS &&
                         entry->offset - FRAME_ADDRESS < section->size &&
                         input->symbols[entry->symbol].section == text.source;
      const uint64_t size = about ? canonical_unit_size(section, entry->offset - FRAME_ADDRESS) : 0;
      if (size >= FRAME_STEPS && steps.items == NULL) {
        frame_read_steps(section, entry->offset - FRAME_ADDRESS, size, &steps);
      }
    }
  }
  return steps;
}

/* L1056: how much code the frame is about and the steps of the body that stands must be there; steps of others may. */
void canonical_frame_say(canonical_context *context, const canonical_unit *unit) {
  const ref_section *section = &context->check.output->sections[unit->section];
  const char *label = context->view.symbols[unit->function];
  check_contest *contest = check_contest_make(context->check.link);
  frame_steps own = frame_standing_steps(context, contest, unit->function), steps = {0};
  canonical_say(context, "frame of %s: 0x%" PRIx64 " bytes of code", label,
                ref_u64(section->data + unit->offset + FRAME_CODE));
  frame_read_steps(section, unit->offset, unit->size, &steps);
  for (size_t i = 0; i < steps.count; i++) {
    if (steps.items[i].size == 0 && i + 1 < steps.count) {
      continue; /* it says nothing, and at its place there may be another one's */
    }
    ref_text hex = {0};
    for (uint64_t k = 0; k < steps.items[i].size; k++) {
      ref_text_add(&hex, "%02x", steps.items[i].bytes[k]);
    }
    canonical_say(context, "frame of %s at 0x%" PRIx64 ": %s", label, steps.items[i].at,
                  hex.data == NULL ? "" : hex.data);
    ref_text_free(&hex);
    ref_canonical_line *line = &context->form->lines[context->form->count - 1];
    line->may_go = line->may_come = !frame_has_step(&own, &steps.items[i]);
  }
  free(steps.items);
  free(own.items);
  check_contest_free(contest);
}

/* --- frames of bodies that were replaced --- */

/* The symbol that the entry for a frame's address names, 0: none, or a function in another one's text (L720). */
static uint32_t frame_symbol(const canonical_context *context, const canonical_unit *unit) {
  const check_entries *kept = check_entries_of(&context->check.kept, unit->section);
  const size_t i = check_entries_from(kept, unit->offset + FRAME_ADDRESS);
  const bool there = i < kept->count && kept->items[i].relocation.offset == unit->offset + FRAME_ADDRESS &&
                     kept->items[i].relocation.addend == 0;
  return there ? kept->items[i].relocation.symbol : 0;
}

static uint64_t frame_pointer(const canonical_context *context, const canonical_unit *unit) {
  const ref_section *section = &context->check.output->sections[unit->section];
  return unit->size < FRAME_POINTER + FRAME_POINTER_BYTES ? UINT64_MAX
                                                          : ref_u64(section->data + unit->offset + FRAME_POINTER);
}

/* The frames of a function behind its first one that have no instructions (L104), the first ones of functions with several
 * bodies (L1056), and the common parts that are theirs alone (L963): what a replaced body left. */
static void frames_find_left(canonical_context *context, size_t from, size_t end) {
  bool *described = ref_allocate(context->check.output->symbol_count + 1, sizeof *described);
  for (size_t i = from; i < end; i++) {
    canonical_unit *unit = &context->units[i];
    const uint32_t symbol = frame_pointer(context, unit) == UINT64_MAX ? 0 : frame_symbol(context, unit);
    if (symbol == 0 || symbol >= context->check.output->symbol_count) {
      continue;
    }
    unit->left = described[symbol] && unit->size == FRAME_BARE;
    unit->function = !described[symbol] && frame_is_contested(context, unit, symbol) ? symbol : 0;
    described[symbol] = true;
  }
  free(described);
  for (size_t i = from, of_last = 0, others = 0; i < end; i++) { /* frames stand behind their common part */
    const bool common = frame_pointer(context, &context->units[i]) == UINT64_MAX;
    const bool free = context->units[i].left || context->units[i].function != 0;
    of_last = common ? 0 : of_last + free;
    others = common ? 0 : others + !free;
    const bool last = i + 1 == end || frame_pointer(context, &context->units[i + 1]) == UINT64_MAX;
    const size_t count = of_last + others;
    if (last && of_last > 0 && others == 0 && i - from >= count) {
      context->units[i - count].left = true;
    }
  }
}

void canonical_frames_mark(canonical_context *context, uint32_t section, size_t from) {
  const ref_section *frames = &context->check.output->sections[section];
  if (context->capsule != NULL && !context->mercury && strcmp(frames->name, ".debug_frame") == 0) {
    frames_find_left(context, from, context->unit_count);
  }
}
