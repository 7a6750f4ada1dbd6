/* Fields in texts that a link made anew, so that they have another size than any input's: error barriers left out or put in
 * (M43, M44). The input whose body stands is the one that the contest says (check_contest.c); where several static functions
 * have the name nothing is said.
 *
 * What is left out or put in is no instruction with a field. So the n-th instruction of an operation in the output is the
 * input's n-th where both have as many of it, and the input's entries say what its fields mean (L962). That is only a guess,
 * which the value must bear out: a field about one of the program's constants is said by target and addend if the constant
 * lies where it says, all others stay bytes. */
#include "canonical_parts.h"

#include "ref_compare_parts.h"
#include "ref_names.h"
#include "ref_sass.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 0x1000 };

static uint16_t remade_operation(const ref_section *section, uint64_t at) {
  return (uint16_t)(ref_u16(section->data + at) % OPERATIONS);
}

static void remade_count(const ref_section *section, uint32_t *counts) {
  for (uint64_t at = 0; REF_SASS_BYTES <= section->size - at; at += REF_SASS_BYTES) {
    counts[remade_operation(section, at)]++;
  }
}

/* By instruction of the source: where it lies in the output, UINT64_MAX where that is not known. */
static uint64_t *remade_places(const ref_section *source, const ref_section *made) {
  uint64_t *places = ref_allocate(source->size / REF_SASS_BYTES + 1, sizeof *places);
  uint32_t *had = ref_allocate(OPERATIONS, sizeof *had), *has = ref_allocate(OPERATIONS, sizeof *has);
  uint64_t *next = ref_allocate(OPERATIONS, sizeof *next); /* behind the operation's last one in the output */
  remade_count(source, had);
  remade_count(made, has);
  for (uint64_t at = 0; REF_SASS_BYTES <= source->size - at; at += REF_SASS_BYTES) {
    const uint16_t operation = remade_operation(source, at);
    places[at / REF_SASS_BYTES] = UINT64_MAX;
    if (had[operation] != has[operation]) {
      continue;
    }
    uint64_t to = next[operation];
    while (remade_operation(made, to) != operation) {
      to += REF_SASS_BYTES;
    }
    places[at / REF_SASS_BYTES] = to;
    next[operation] = to + REF_SASS_BYTES;
  }
  free(had);
  free(has);
  free(next);
  return places;
}

/* Whether the instruction at the place has in its field, bank and all, where a constant of the target's name lies. */
static bool remade_holds(const canonical_context *context, const check_target *target, const ref_relocation *given,
                         const uint8_t *instruction) {
  enum { BANK = 3 };
  const ref_cubin *output = context->check.output;
  const check_names names = check_names_find(&context->check.symbols, target->symbol->name);
  for (size_t i = 0; i < names.count; i++) {
    const ref_symbol *symbol = &output->symbols[names.items[i].index];
    const ref_section *section = check_symbol_section(output, symbol);
    uint8_t bytes[REF_SASS_BYTES];
    const check_formula formula = {.S = symbol->value, .A = (uint64_t)given->addend, .bank = BANK};
    memcpy(bytes, instruction, sizeof bytes);
    check_write_field(bytes, sizeof bytes, given->offset % REF_SASS_BYTES, given->type, &formula);
    if (section != NULL && strcmp(section->name, ".nv.constant3") == 0 && (symbol->info & 15) != SYMBOL_SECTION &&
        memcmp(bytes, instruction, sizeof bytes) == 0) {
      return true;
    }
  }
  return false;
}

static void remade_say(canonical_context *context, const check_piece *piece, const check_entry *entry,
                       const uint64_t *places) {
  const ref_relocation *given = &entry->relocation;
  const ref_section *section = &context->check.output->sections[piece->section];
  const ref_section *source = &context->check.link->inputs[piece->input].cubin->sections[piece->source];
  const uint64_t place = given->offset < source->size / REF_SASS_BYTES * REF_SASS_BYTES
                             ? places[given->offset / REF_SASS_BYTES]
                             : UINT64_MAX;
  check_target target;
  if (place == UINT64_MAX || !entry->has_addend || !check_type_is_applied(given->type) ||
      !check_target_of(&context->check, piece->input, given->symbol, &target) || target.section == NULL ||
      target.section->type != TYPE_CONSTANT + 3 || !remade_holds(context, &target, given, section->data + place)) {
    return;
  }
  const uint64_t at = place + given->offset % REF_SASS_BYTES;
  ref_text text = {0};
  ref_add_relocation_type(&text, given->type);
  ref_text_add(&text, " -> ");
  ref_text_add_name(&text, target.symbol->name);
  ref_text_add(&text, " of 0x%" PRIx64 " bytes + 0x%" PRIx64, target.symbol->size, (uint64_t)given->addend);
  canonical_site_add(context, (canonical_site){.section = piece->section, .offset = at, .text = ref_text_take(&text)});
  const check_formula nothing = {.adds_old = false};
  check_write_field(context->masked[piece->section], section->size, at, given->type, &nothing);
}

bool canonical_remade_source(const canonical_context *context, const check_contest *contest, check_piece *piece) {
  const ref_check_context *check = &context->check;
  const check_names names = check_names_find(&check->sections, check->output->sections[piece->section].name);
  check_piece *texts = ref_allocate(names.count + 1, sizeof *texts);
  size_t count = 0;
  for (size_t i = 0; i < names.count; i++) {
    const check_name *name = &names.items[i];
    const ref_section *section = &check->link->inputs[name->input].cubin->sections[name->index];
    if (check_is_code(section) && section->data != NULL) {
      texts[count++] = (check_piece){.section = piece->section, .input = name->input, .source = name->index};
    }
  }
  const size_t winner = count == 1 ? 0 : check_contest_winner(contest, texts, count);
  const bool known = winner < count;
  if (known) {
    texts[winner].size = piece->size;
    *piece = texts[winner];
  }
  free(texts);
  return known;
}

void canonical_remade_make(canonical_context *context, const check_contest *contest, const check_piece *text) {
  const ref_section *made = &context->check.output->sections[text->section];
  check_piece piece = *text;
  if (context->capsule == NULL || !check_is_code(made) || made->data == NULL || text->offset != 0 ||
      !canonical_remade_source(context, contest, &piece)) {
    return;
  }
  if (context->mercury) {
    canonical_records_make(context, &piece);
    return;
  }
  const ref_section *source = &context->check.link->inputs[piece.input].cubin->sections[piece.source];
  const check_entries *entries = check_entries_of(&context->check.entries[piece.input], piece.source);
  uint64_t *places = remade_places(source, made);
  for (size_t i = 0; i < entries->count; i++) {
    remade_say(context, &piece, &entries->items[i], places);
  }
  free(places);
}
