/* Fields in the records of Mercury's texts (M9, M22), said by target and addend as those of the SASS view are (L892, L992).
 *
 * A capsule describes in records what it does not derive from the SASS text. A load of a constant, the program's or the
 * compiler's, is one of 32 bytes, whose field has the constant's place. Where the decoded instruction lies is not read here:
 * of the program's constants loads without an index register have an entry each, in the order of their records, and
 * between these stand entries of moves, whose field the view loses. So each load takes the next entry whose constant lies
 * where its field says; a field that fits none is said as it is. So does one of the compiler's constants. */
#include "canonical_parts.h"

#include "ref_compare_parts.h"
#include "ref_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  RECORD_UNITS = 0xf,
  RECORD_COUNTS = 0x10,
  RECORD_SHORT = 0x40,
  CAPSULE_COUNT = 8,   /* where the number of instructions stands */
  CAPSULE_HEADER = 12, /* in front of the mask */
  LOAD_SIZE = 32,
  LOAD_WHAT = 12,  /* the byte that says what a load reads, in its low six bits */
  LOAD_INDEX = 17, /* and the one that is not 0 with an index register */
  LOAD_FIELD = 28,
  LOADS_TABLES = 1, /* the compiler's constants */
  LOADS_CONSTANTS = 2,
  R_MERCURY_ABS32 = 0x10003,
  R_MERCURY_ABS16 = 0x10004
};

typedef struct record_entries {
  const ref_relocation **items;
  size_t count, next;
} record_entries;

static uint64_t record_size(uint8_t first) {
  return first & RECORD_COUNTS ? 2 : first & RECORD_SHORT ? 4 : 16 * (uint64_t)(first & RECORD_UNITS);
}

static bool record_is_load(const uint8_t *at, uint64_t size) {
  return size == LOAD_SIZE && at[1] == 0x22 && at[3] == 0x06;
}

static bool record_loads_constant(const uint8_t *at) {
  return (at[LOAD_WHAT] & 0x3f) == LOADS_CONSTANTS && at[LOAD_INDEX] == 0;
}

static bool record_loads_table(const uint8_t *at) {
  return (at[LOAD_WHAT] & 0x3f) == LOADS_TABLES;
}

static bool record_is_user_constant(const ref_section *section) {
  return section != NULL && strcmp(section->name, ".nv.constant.user") == 0;
}

/* The entries of a text against constants that `belongs` says yes to, in the order of the instructions. */
static record_entries record_find_entries(const canonical_context *context, const check_piece *piece,
                                          bool (*belongs)(const ref_section *section)) {
  const check_entries *all = check_entries_of(&context->check.entries[piece->input], piece->source);
  record_entries entries = {ref_allocate(all->count + 1, sizeof *entries.items), 0, 0};
  for (size_t i = 0; i < all->count; i++) {
    const ref_relocation *given = &all->items[i].relocation;
    check_target target;
    if ((given->type == R_MERCURY_ABS32 || given->type == R_MERCURY_ABS16) &&
        check_target_of(&context->check, piece->input, given->symbol, &target) && belongs(target.section)) {
      entries.items[entries.count++] = given;
    }
  }
  return entries;
}

static uint64_t record_mask(const ref_relocation *given) {
  return given->type == R_MERCURY_ABS32 ? UINT32_MAX : UINT16_MAX;
}

/* Whether the target, less the addend, lies where the field says: a function's compiler constants. */
static bool record_holds_table(canonical_context *context, const ref_relocation *given, const check_target *target,
                               const uint8_t *field) {
  const uint64_t place = (ref_u32(field) - (uint64_t)given->addend - target->symbol->value) & record_mask(given);
  return canonical_block_add(context, target->input, target->symbol->section, place);
}

/* The same of one of the program's constants. */
static bool record_holds(canonical_context *context, const ref_relocation *given, const check_target *target,
                         const uint8_t *field) {
  if (canonical_block_is_of(target->section)) {
    return record_holds_table(context, given, target, field);
  }
  const ref_cubin *output = context->check.output;
  const uint64_t mask = record_mask(given);
  const check_names names = check_names_find(&context->check.symbols, target->symbol->name);
  for (size_t i = 0; i < names.count; i++) {
    const ref_symbol *symbol = &output->symbols[names.items[i].index];
    if (symbol->section < output->section_count && record_is_user_constant(&output->sections[symbol->section]) &&
        ((symbol->value + (uint64_t)given->addend) & mask) == (ref_u32(field) & mask)) {
      return true;
    }
  }
  return false;
}

static void record_say(canonical_context *context, const check_piece *piece, uint64_t at, record_entries *entries) {
  const uint64_t place = piece->offset + at + LOAD_FIELD;
  for (; entries->next < entries->count; entries->next++) {
    const ref_relocation *given = entries->items[entries->next];
    check_target target;
    if (!check_target_of(&context->check, piece->input, given->symbol, &target) ||
        !record_holds(context, given, &target, check_piece_made(&context->check, piece) + at + LOAD_FIELD)) {
      continue;
    }
    ref_text text = {0};
    ref_add_relocation_type(&text, given->type);
    ref_text_add(&text, " -> ");
    const bool table = canonical_block_is_of(target.section);
    ref_text_add_name(&text, table ? target.section->name : target.symbol->name);
    ref_text_add(&text, " of 0x%" PRIx64 " bytes + 0x%" PRIx64, table ? target.section->size : target.symbol->size,
                 (uint64_t)given->addend);
    canonical_site_add(context,
                       (canonical_site){.section = piece->section, .offset = place, .text = ref_text_take(&text)});
    memset(context->masked[piece->section] + place, 0, given->type == R_MERCURY_ABS32 ? 4 : 2);
    entries->next++;
    return;
  }
}

void canonical_records_make(canonical_context *context, const check_piece *piece) {
  const ref_section *section = &context->check.output->sections[piece->section];
  if (!context->mercury || !check_is_code(section) || piece->size < CAPSULE_HEADER) {
    return;
  }
  const uint8_t *made = check_piece_made(&context->check, piece);
  const uint64_t words = ((uint64_t)ref_u32(made + CAPSULE_COUNT) + 31) / 32;
  record_entries entries = record_find_entries(context, piece, record_is_user_constant);
  record_entries tables = record_find_entries(context, piece, canonical_block_is_of);
  uint64_t at = CAPSULE_HEADER + 4 * words;
  while (at < piece->size) {
    const uint64_t size = record_size(made[at]);
    if (size == 0 || size > piece->size - at) {
      break;
    }
    if (record_is_load(made + at, size) && record_loads_constant(made + at)) {
      record_say(context, piece, at, &entries);
    } else if (record_is_load(made + at, size) && record_loads_table(made + at)) {
      record_say(context, piece, at, &tables);
    }
    at += size;
  }
  free(entries.items);
  free(tables.items);
}
