/* EXTERNS of jump slots (RF157): nvlink makes the record for none of them. What the first function with one brings to a slot is lost; what
 * further ones bring is appended to another record, the last one that was made before. By default slots have none, and no record changes. */
#include "link.h"

enum { CODE_EXTERNS = 0x0f, CODE_NUM_MBARRIERS = 0x38, WORD = 4 };

/* The list and the place of the last record that was made. */
static void ref_slot_find_last(ref_link *link, ref_function *slot) {
  size_t serial = 0;
  for (size_t i = 0; i <= link->function_count; i++) {
    ref_records *list = i == 0 ? &link->module_output : &link->functions[i - 1].output_records;
    const size_t last = list->count == 0 ? 0 : list->items[list->count - 1].serial;
    if (last > serial) {
      serial = last;
      slot->slot_list = list;
      slot->slot_record = list->count - 1;
    }
  }
}

/* RF463, L533: a number that has come since to a record of symbols. A sum counts the symbols' size, a largest number has to be more. */
static bool ref_slot_has_foreign_size(const ref_record *record) {
  const bool is_sum = record->code == CODE_NUM_MBARRIERS;
  return record->takes_symbols && record->value > (is_sum ? 0 : WORD * record->tail.count);
}

/* A record without a payload has a size in its value all the same, and nvlink reads that many words from nowhere: none of a number below 4. */
static void ref_slot_check_size(ref_link *link, const ref_function *slot, const ref_record *record) {
  const bool is_number = record->format != 4 && record->tail.count == 0;
  if (record->value >= WORD && (is_number || ref_slot_has_foreign_size(record))) {
    ref_message_fatal(link, "RF157", "outside functions of the jump slot '%s' go to a record without contents",
                      slot->name);
  }
}

/* RF463: one that came behind the last symbols is written as the record's size, with what nvlink's memory has there. The words are the
 * linker's, as it prints them. */
void ref_slots_check_numbers(ref_link *link) {
  for (size_t i = 0; i < link->function_count && link->error_count == 0; i++) {
    const ref_records *records = &link->functions[i].output_records;
    for (size_t k = 0; k < records->count; k++) {
      if (!records->items[k].dropped && ref_slot_has_foreign_size(&records->items[k])) {
        ref_message_fatal(link, "RF463",
                          "Input file '%s' cannot be linked: a record of a jump slot is a number that comes behind its "
                          "symbols (D104)",
                          link->job->options.values[REF_OPTION_UIDX]);
      }
    }
  }
}

void ref_slot_spread_externs(ref_link *link, ref_function *slot, const ref_record *record) {
  if (slot->slot_list == NULL) {
    ref_slot_find_last(link, slot);
    return;
  }
  if (!link->job->bug_compatible) {
    return;
  }
  ref_record *taker = &slot->slot_list->items[slot->slot_record];
  ref_slot_check_size(link, slot, taker);
  taker->takes_symbols = taker->format != 4;
  taker->value = 0; /* of a record without contents: the size of what is appended */
  ref_indices *words = taker->code == CODE_EXTERNS ? &taker->symbols : &taker->tail;
  for (size_t i = 0; i < record->symbols.count; i++) {
    const size_t symbol = record->symbols.items[i];
    if (ref_attribute_is_external(link, symbol) && !ref_indices_has(&taker->symbols, symbol) &&
        !ref_indices_has(words, symbol)) {
      ref_indices_add(link, words, symbol);
    }
  }
}
