/* Functions inside a kernel's text, as `ptxas -ewp` writes them: L720, L721, L750, L893, L1064, L1065. They have no text, attributes or entries of their own; on
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

/* Is it of a body that lost or was replaced, in this link or in the one that wrote the file (L1065)? */
bool ref_inner_is_lost(const ref_link *mercury, size_t function) {
  if (!ref_inner_is_function(mercury, function)) {
    return false;
  }
  const ref_function *inner = &mercury->functions[function];
  return inner->definition_file != mercury->functions[inner->alias_of].definition_file ||
         ref_bodies_is_lost(&mercury->files[inner->definition_file], (uint32_t)inner->definition_symbol);
}

/* L1064: one that a losing body brought may lie behind the code that stands. */
static bool ref_inner_is_behind(const ref_link *mercury, size_t function, const ref_places *places) {
  return mercury->symbols[mercury->functions[function].symbol].value >= places->end;
}

/* Does the text end and begin there? RF512: for nvlink what a losing body brought divides it, too, where an instruction of the body that stands
 * begins at its place. By default it does not (D146). */
static bool ref_inner_divides(const ref_link *mercury, size_t function, const ref_places *places) {
  return ref_inner_is_function(mercury, function) &&
         ref_places_begin(places, mercury->symbols[mercury->functions[function].symbol].value) &&
         (mercury->job->bug_compatible || !ref_inner_is_lost(mercury, function));
}

/* RF512: of several at one place one has the length of the code, one of the body that stands before all others, the first of several. */
static bool ref_inner_is_leader(const ref_link *mercury, size_t function, const ref_places *places) {
  const ref_function *inner = &mercury->functions[function];
  const ref_out_symbol *symbol = &mercury->symbols[inner->symbol];
  bool leads = symbol->size != 0 && ref_inner_divides(mercury, function, places);
  for (size_t i = 0; i < mercury->function_count && leads; i++) {
    const bool is_other =
        i != function && mercury->functions[i].alias_of == inner->alias_of && ref_inner_divides(mercury, i, places);
    const ref_out_symbol *other = is_other ? &mercury->symbols[mercury->functions[i].symbol] : NULL;
    if (other != NULL && other->size != 0 && other->value == symbol->value) {
      const bool lost = ref_inner_is_lost(mercury, i), own = ref_inner_is_lost(mercury, function);
      leads = lost == own ? mercury->functions[i].symbol > inner->symbol : lost;
    }
  }
  return leads;
}

/* Where the function that begins at `start` of the text ends: at the next one, or with the text. */
uint64_t ref_inner_end(const ref_capsule *capsule, size_t owner, const ref_places *places, uint64_t start) {
  const ref_link *mercury = capsule->mercury;
  const uint64_t decoded = places->at[start / INSTRUCTION];
  uint64_t next = REF_PLACE_UNKNOWN;
  for (size_t i = 0; i < mercury->function_count; i++) {
    if (mercury->functions[i].alias_of == owner && ref_inner_divides(mercury, i, places)) {
      const uint64_t place = mercury->symbols[mercury->functions[i].symbol].value;
      next = place > decoded && place < next ? place : next;
    }
  }
  return ref_places_from(places, next);
}

/* Value and size of its symbol on the SASS side: RF511, the place of the instruction that holds its decoded place; a second name of a function inside, which has no size, has none there either (L750). */
void ref_inner_place_symbol(const ref_capsule *capsule, size_t function, uint64_t *value, uint64_t *size) {
  const ref_link *mercury = capsule->mercury;
  const ref_function *inner = &mercury->functions[function];
  const ref_out_symbol *symbol = &mercury->symbols[inner->symbol];
  const ref_places places = ref_places_of_function(capsule, inner->alias_of);
  *value = ref_inner_is_behind(mercury, function, &places) ? 0 : ref_places_around(&places, symbol->value);
  *size = ref_inner_is_leader(mercury, function, &places)
              ? ref_inner_end(capsule, inner->alias_of, &places, *value) - *value
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

/* The records of one text: places in the module's records, as a list that can be read from both ends. */
typedef struct ref_inner_list {
  size_t first, last; /* and 1 */
  size_t symbol;
  bool has_several;
} ref_inner_list;

static ref_inner_list *ref_inner_list_texts(ref_link *mercury, size_t *next, size_t *before) {
  ref_inner_list *lists = REF_TAKE(mercury, ref_inner_list, mercury->section_count);
  for (size_t i = 0; i < mercury->module_output.count; i++) {
    const ref_record *record = &mercury->module_output.items[i];
    if (!ref_inner_is_stack(mercury, record)) {
      continue;
    }
    const size_t symbol = record->symbols.items[0];
    ref_inner_list *list = &lists[mercury->symbols[symbol].section];
    if (list->last == 0) {
      *list = (ref_inner_list){.first = i + 1, .symbol = symbol};
    } else {
      next[list->last - 1] = i + 1;
      before[i] = list->last;
    }
    list->last = i + 1;
    list->has_several = list->has_several || list->symbol != symbol;
  }
  return lists;
}

/* L893: by default the records about the functions of a text with several have in a relocatable capsule the order of the input, each at the
 * places that they have together, where all others are turned round. */
void ref_inner_keep_stack_order(ref_link *mercury) {
  if (!ref_relocatable_is_default(mercury)) {
    return;
  }
  size_t *next = REF_TAKE(mercury, size_t, mercury->module_output.count);
  size_t *before = REF_TAKE(mercury, size_t, mercury->module_output.count);
  const ref_inner_list *lists = ref_inner_list_texts(mercury, next, before);
  for (size_t i = 0; i < mercury->section_count; i++) {
    size_t first = lists[i].first, last = lists[i].last;
    while (lists[i].has_several && first < last) {
      const ref_record kept = mercury->module_output.items[first - 1];
      mercury->module_output.items[first - 1] = mercury->module_output.items[last - 1];
      mercury->module_output.items[last - 1] = kept;
      first = next[first - 1];
      last = before[last - 1];
    }
  }
}

/* RF879: an object within a text is on the SASS side at the instruction that holds its place. */
uint64_t ref_inner_object_place(ref_capsule *capsule, const ref_out_symbol *symbol) {
  const ref_link *mercury = capsule->mercury;
  const ref_out_section *text = &mercury->sections[symbol->section];
  const size_t function = text->info_function;
  if ((text->flags & REF_FLAG_EXEC) == 0 || function == REF_NONE ||
      mercury->functions[function].text != symbol->section) {
    return symbol->value;
  }
  const ref_places places = ref_places_of_function(capsule, function);
  return ref_places_around(&places, symbol->value);
}
