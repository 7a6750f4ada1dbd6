/* Functions inside a kernel's text, as `ptxas -ewp` writes them: L720, L721, L750. They have no text, attributes or entries of their own; on
 * the SASS side their symbols and frames are where the output's code has the instruction of the symbol's decoded place. */
#include "capsule.h"

#include <string.h>

enum { INSTRUCTION = 16, CODE_FRAME_SIZE = 0x11, STACK_AT = 8, STACK_END = 12 };

/* A symbol inside another function's text; a second name of the whole text is at 0. */
bool ref_inner_is_function(const ref_link *mercury, size_t function) {
  const ref_function *inner = function == REF_NONE ? NULL : &mercury->functions[function];
  return inner != NULL && inner->alias_of != REF_NONE && inner->symbol != REF_NONE &&
         mercury->symbols[inner->symbol].value != 0;
}

/* Is it part of the body that stands? One that a losing or a replaced body brought is not. */
static bool ref_inner_divides(const ref_link *mercury, size_t function) {
  const ref_function *inner = &mercury->functions[function];
  return ref_inner_is_function(mercury, function) &&
         inner->definition_file == mercury->functions[inner->alias_of].definition_file;
}

/* Where the function that begins at `start` of the text ends: at the next one, or with the text. */
uint64_t ref_inner_end(const ref_capsule *capsule, size_t owner, const ref_places *places, uint64_t start) {
  const ref_link *mercury = capsule->mercury;
  const uint64_t decoded = places->at[start / INSTRUCTION];
  uint64_t next = REF_PLACE_UNKNOWN;
  for (size_t i = 0; i < mercury->function_count; i++) {
    if (mercury->functions[i].alias_of == owner && ref_inner_divides(mercury, i)) {
      const uint64_t place = mercury->symbols[mercury->functions[i].symbol].value;
      next = place > decoded && place < next ? place : next;
    }
  }
  return ref_places_from(places, next);
}

/* Value and size of its symbol on the SASS side; a second name of a function inside, which has no size, has none there either (L750). */
void ref_inner_place_symbol(ref_capsule *capsule, size_t function, uint64_t *value, uint64_t *size) {
  const ref_link *mercury = capsule->mercury;
  const ref_function *inner = &mercury->functions[function];
  const ref_out_symbol *symbol = &mercury->symbols[inner->symbol];
  if (capsule->inner_owner != inner->alias_of) {
    capsule->inner_owner = inner->alias_of;
    capsule->inner_places = ref_places_of_function(capsule, inner->alias_of);
  }
  *value = ref_places_from(&capsule->inner_places, symbol->value);
  *size = ref_inner_divides(mercury, function) && symbol->size != 0
              ? ref_inner_end(capsule, inner->alias_of, &capsule->inner_places, *value) - *value
              : symbol->size;
}

static bool ref_inner_is_stack(const ref_link *mercury, const ref_record *record) {
  return !record->dropped && record->code == CODE_FRAME_SIZE && record->payload.size >= STACK_END - 4 &&
         record->symbols.items[0] != REF_NONE && mercury->symbols[record->symbols.items[0]].type == REF_SYMBOL_FUNC &&
         mercury->symbols[record->symbols.items[0]].section != REF_NONE;
}

const ref_record **ref_inner_list_stacks(ref_link *mercury) {
  const ref_record **stacks = REF_TAKE(mercury, const ref_record *, mercury->section_count);
  for (size_t i = 0; i < mercury->module_output.count; i++) {
    const ref_record *record = &mercury->module_output.items[i];
    if (ref_inner_is_stack(mercury, record)) {
      stacks[mercury->symbols[record->symbols.items[0]].section] = record;
    }
  }
  return stacks;
}

/* L721, D136: on the SASS side a text has one stack, that of the last record about one of its functions. */
void ref_inner_share_stack(const ref_link *mercury, const ref_record *const *stacks, const ref_record *record,
                           uint8_t *written) {
  if (ref_inner_is_stack(mercury, record)) {
    const ref_record *last = stacks[mercury->symbols[record->symbols.items[0]].section];
    memcpy(written + STACK_AT, last->payload.data + STACK_AT - 4, 4);
  }
}
