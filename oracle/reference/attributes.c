/* What spreads over the call graph into the kernels' records: W6, I5, I6, I20-I31, RF711, RF950, RF953. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

#define ENDLESS UINT32_C(0xffffffff)

enum {
  CODE_CTAIDZ_USED = 0x04,
  CODE_SYNC_STACK = 0x0d,
  CODE_EXTERNS = 0x0f,
  CODE_MIN_STACK_SIZE = 0x12,
  CODE_KPARAM_INFO = 0x17,
  CODE_CRS_STACK_SIZE = 0x1e,
  CODE_MAX_STACK_SIZE = 0x23,
  CODE_SURFACE_QUERY = 0x24,
  CODE_CACHE_REQUEST = 0x26,
  CODE_HAS_OLD_OBJECT = 0x2c,
  CODE_REGCOUNT = 0x2f,
  CODE_NUM_MBARRIERS = 0x38,
  CODE_RESERVED_SMEM = 0x41,
  CODE_KPARAM_INFO_LARGE = 0x45,
  CODE_VRC_CTA_INIT = 0x4a,
  CODE_NUM_BARRIERS = 0x4c,
  CODE_ENTRY_FRAGMENTS = 0x4f,
  CODE_SPARSE_MMA = 0x50,
  CODE_TCGEN05_1CTA = 0x51,
  CODE_TCGEN05_2CTA = 0x52,
  CODE_REG_RECONFIG = 0x54,
  MASK_MISSING = 0x8000
};

ref_record *ref_attribute_find(const ref_records *records, uint8_t code) {
  for (size_t i = 0; i < records->count; i++) {
    if (records->items[i].code == code && !records->items[i].dropped) {
      return &records->items[i];
    }
  }
  return NULL;
}

static ref_record *ref_attribute_append(ref_link *link, ref_records *records, uint8_t format, uint8_t code,
                                        uint16_t value) {
  return ref_records_add(link, records, &(ref_record){.format = format, .code = code, .value = value});
}

/* An empty word, which the symbol's number takes when it is written, and another one. */
static ref_bytes ref_attribute_words(ref_link *link, uint32_t value) {
  ref_bytes words = {0};
  ref_bytes_fill(link, &words, 4);
  ref_bytes_add_u32(link, &words, value);
  return words;
}

void ref_attribute_add_symbol_word(ref_link *link, uint8_t code, size_t symbol, uint32_t value) {
  ref_record record = {
      .format = 4, .code = code, .first_word_is_symbol = true, .payload = ref_attribute_words(link, value)};
  ref_indices_add(link, &record.symbols, symbol);
  (void)ref_records_add(link, &link->module_output, &record);
}

static void ref_attribute_append_word(ref_link *link, ref_records *records, uint8_t code, uint32_t value) {
  ref_record record = {.format = 4, .code = code};
  ref_bytes_add_u32(link, &record.payload, value);
  (void)ref_records_add(link, records, &record);
}

/* I2, I3, W6.6: every list comes out in reverse; empty sized records and code 0 disappear. */
static void ref_attributes_reverse(ref_link *link, const ref_records *input, ref_records *output) {
  if (output->capacity == 0) {
    output->capacity = input->count + 4; /* with what is handed on to it */
    output->items = REF_TAKE_ROOM(link, ref_record, output->capacity);
  }
  for (size_t i = input->count; i-- > 0;) {
    const ref_record *record = &input->items[i];
    if (!record->dropped && record->code != 0 && !(record->format == 4 && record->payload.size == 0)) {
      (void)ref_records_add(link, output, record);
    }
  }
}

/* I68 for records: the third byte whatever the format. */
uint8_t ref_attribute_byte(const ref_record *record) {
  return (uint8_t)(record->format == 4 ? record->payload.size : record->value);
}

static uint16_t ref_attribute_u16(const ref_record *record) {
  return (uint16_t)(record->format == 4 ? record->payload.size : record->value);
}

/* RF632: the format stays. Of format 4 the number is the size; behind what was there nvlink has whatever its memory holds. */
static void ref_attribute_set_u16(ref_link *link, ref_record *record, uint16_t value) {
  if (record->format != 4) {
    record->value = value;
    return;
  }
  ref_bytes_fill(link, &record->payload, value);
  record->payload.size = value;
}

/* W6.15, I5: undefined, or a kernel. L1171: extern shared memory lies in the pool. RF892: by default what stays common with -r (D3) has no place
 * either. */
bool ref_attribute_is_external(const ref_link *link, size_t symbol) {
  if (symbol == REF_NONE) {
    return false;
  }
  const ref_out_symbol *output = &link->symbols[symbol];
  const ref_function *function = output->function == REF_NONE ? NULL : &link->functions[output->function];
  if (function != NULL && function->entry &&
      !function->is_provided) { /* RF847: not what is one by its name alone (RF966) */
    return true;
  }
  const bool stays_common = output->common && link->relocatable && !link->job->bug_compatible;
  return output->section == REF_NONE && (!output->common || stays_common) && !output->is_extern_shared;
}

static void ref_attribute_filter_externs(ref_link *link, ref_record *record) {
  ref_indices kept = {0};
  if (record->format != 4) { /* RF678: it names none */
    return;
  }
  for (size_t i = 0; i < record->symbols.count; i++) {
    if (ref_attribute_is_external(link, record->symbols.items[i])) {
      ref_indices_add(link, &kept, record->symbols.items[i]);
    }
  }
  record->symbols = kept;
  record->payload = (ref_bytes){0};
  ref_bytes_fill(link, &record->payload, kept.count * 4);
  record->dropped = kept.count == 0;
}

/* H9, E36: one kernel, CTAs and pairs of them. RF54: with one kernel in the program only its own record counts. */
static void ref_attribute_check_groups(ref_link *link, const ref_function *kernel, const ref_record *record) {
  const uint8_t other = record->code == CODE_TCGEN05_1CTA ? CODE_TCGEN05_2CTA : CODE_TCGEN05_1CTA;
  const bool own = ref_attribute_find(&kernel->records, other) != NULL;
  const bool any = ref_attribute_find(&kernel->output_records, other) != NULL;
  if (record->code != CODE_TCGEN05_1CTA && record->code != CODE_TCGEN05_2CTA) {
    return;
  }
  if (ref_callgraph_has_one_kernel(link) ? own : any) {
    ref_indices_add(link, &link->group_conflicts, (size_t)(kernel - link->functions));
  }
}

/* RF615: beside other kernels the low byte of REG_RECONFIG, unless it is 0, takes the place of what the kernel has. RF644: of a record of
 * format 4 it is that of its size. */
static void ref_attribute_spread_reconfiguration(ref_link *link, ref_record *own, const ref_record *record) {
  const uint8_t byte = ref_attribute_byte(record);
  if (record->code == CODE_REG_RECONFIG && !ref_callgraph_has_one_kernel(link) && byte != 0) {
    ref_attribute_set_u16(link, own, (uint16_t)((ref_attribute_u16(own) & 0xff00) | byte));
  }
}

/* RF1384: a kernel's own record without bytes is not written, but it is there. */
static bool ref_attribute_has_empty(const ref_function *function, uint8_t code) {
  for (size_t i = 0; i < function->records.count; i++) {
    const ref_record *record = &function->records.items[i];
    if (record->code == code && record->format == 4 && record->payload.size == 0 && !record->dropped) {
      return true;
    }
  }
  return false;
}

/* I20 */
static void ref_attribute_spread_flag(ref_link *link, ref_function *function, const ref_record *record) {
  ref_records *kernel = &function->output_records;
  if (ref_attribute_has_empty(function, record->code)) {
    return;
  }
  if (ref_attribute_find(kernel, record->code) == NULL) {
    ref_attribute_check_groups(link, function, record);
    const bool keeps = record->code == CODE_REG_RECONFIG && !ref_callgraph_has_one_kernel(link); /* RF190 */
    (void)ref_attribute_append(link, kernel, 1, record->code, keeps ? ref_attribute_byte(record) : 0);
  } else {
    ref_attribute_spread_reconfiguration(link, ref_attribute_find(kernel, record->code), record);
  }
}

/* I21, RF632: the high byte of the kernel's own record stays. */
void ref_attribute_spread_maximum(ref_link *link, ref_records *kernel, const ref_record *record) {
  ref_record *own = ref_attribute_find(kernel, record->code);
  const uint8_t value = ref_attribute_byte(record);
  if (own == NULL) {
    (void)ref_attribute_append(link, kernel, 2, record->code, value);
  } else if (value > ref_attribute_byte(own)) {
    ref_attribute_set_u16(link, own, (uint16_t)((ref_attribute_u16(own) & 0xff00) | value));
  }
}

/* I22. RF961: with 0xffff the sum is 0xffff; the only kernel's record stays where the sum is 0. */
static void ref_attribute_spread_sum(ref_link *link, ref_records *kernel, const ref_record *record) {
  ref_record *own = ref_attribute_find(kernel, record->code);
  const uint16_t value = ref_attribute_u16(record);
  if (own == NULL) {
    (void)ref_attribute_append(link, kernel, 3, record->code, value);
  } else {
    const bool most = value == UINT16_MAX || ref_attribute_u16(own) == UINT16_MAX;
    ref_attribute_set_u16(link, own, most ? UINT16_MAX : (uint16_t)(ref_attribute_u16(own) + value));
  }
}

/* W6.13: the record is made by the first function that has one, and stays only if something undefined is in it. */
static void ref_attribute_spread_externs(ref_link *link, ref_records *kernel, const ref_record *record) {
  ref_record *own = ref_attribute_find(kernel, CODE_EXTERNS);
  if (own == NULL) {
    own = ref_attribute_append(link, kernel, 4, CODE_EXTERNS, 0);
  }
  for (size_t i = 0; i < record->symbols.count; i++) {
    if (!ref_indices_has(&own->symbols, record->symbols.items[i])) {
      ref_indices_add(link, &own->symbols, record->symbols.items[i]);
    }
  }
}

/* Among the first bytes. */
static bool ref_attribute_has_word(const ref_bytes *words, size_t size, uint32_t word) {
  for (size_t i = 0; i + 4 <= size; i += 4) {
    if (ref_u32(words->data + i) == word) {
      return true;
    }
  }
  return false;
}

/* I24 */
static void ref_attribute_spread_fragments(ref_link *link, ref_records *kernel, const ref_record *record) {
  ref_record *own = ref_attribute_find(kernel, CODE_ENTRY_FRAGMENTS);
  const size_t before = own == NULL ? 0 : own->payload.size;
  if (own == NULL) {
    own = ref_attribute_append(link, kernel, 4, CODE_ENTRY_FRAGMENTS, 0);
  }
  for (size_t i = 0; i + 4 <= record->payload.size; i += 4) {
    if (!ref_attribute_has_word(&own->payload, before, ref_u32(record->payload.data + i))) {
      ref_bytes_add(link, &own->payload, record->payload.data + i, 4);
    }
  }
}

static bool ref_attribute_is_flag(uint8_t code) {
  return code == CODE_CTAIDZ_USED || code == CODE_RESERVED_SMEM || code == CODE_TCGEN05_1CTA ||
         code == CODE_TCGEN05_2CTA || code == CODE_REG_RECONFIG;
}

/* RF215: a kernel that is a second name hands on what comes to it. RF528: that of a kernel keeps its own behind the kernel's. */
static ref_function *ref_attribute_holder(ref_link *link, size_t number) {
  ref_function *function = &link->functions[number];
  const bool hands_on = function->alias_of != REF_NONE && !link->functions[function->alias_of].entry;
  return hands_on ? &link->functions[function->alias_of] : function;
}

/* RF613: of groups of CTAs nothing spreads, and E36 is not said, where a file is of a toolkit before 13.0. */
static bool ref_attribute_stays(const ref_link *link, uint8_t code) {
  return link->has_ungrouped_object && (code == CODE_TCGEN05_1CTA || code == CODE_TCGEN05_2CTA);
}

static void ref_attribute_spread(ref_link *link, ref_function *function, const ref_record *record) {
  ref_records *kernel = &function->output_records;
  if (ref_attribute_stays(link, record->code)) {
    return;
  }
  if (ref_attribute_is_flag(record->code)) {
    ref_attribute_spread_flag(link, function, record);
  } else if (record->code == CODE_VRC_CTA_INIT || record->code == CODE_NUM_BARRIERS) {
    ref_attribute_spread_maximum(link, kernel, record);
  } else if (record->code == CODE_NUM_MBARRIERS) {
    ref_attribute_spread_sum(link, kernel, record);
  } else if (record->code == CODE_EXTERNS && function->is_stub) {
    ref_slot_spread_externs(link, function, record);
  } else if (record->code == CODE_EXTERNS) {
    ref_attribute_spread_externs(link, kernel, record);
  } else if (record->code == CODE_ENTRY_FRAGMENTS) {
    ref_attribute_spread_fragments(link, kernel, record);
  }
}

static int ref_attribute_compare_reading(const ref_link *link, size_t a, size_t b) {
  const size_t first = link->functions[a].info_order, second = link->functions[b].info_order;
  return ref_order(first, second);
}

/* RF8: functions in the order in which their `.nv.info.F` were read, a replaced body's place being the winner's. */
static void ref_attribute_list_functions(ref_link *link, ref_indices *list) {
  for (size_t i = 0; i < link->function_count; i++) {
    if (link->functions[i].info != REF_NONE && link->functions[i].live) {
      ref_indices_add(link, list, i);
    }
  }
  ref_sort_swapping(link, list, ref_attribute_compare_reading, REF_TIE_FIRST);
}

/* By function that has records the entries that reach it, the last created first; RF954: itself where a call leads back to it. */
static ref_indices *ref_attributes_find_reachers(ref_link *link) {
  ref_indices *reachers = REF_TAKE(link, ref_indices, link->function_count);
  for (size_t j = link->entries.count; j-- > 0;) {
    const size_t number = link->entries.items[j];
    const ref_indices *reach = &link->functions[number].reach;
    for (size_t i = 0; i < reach->count; i++) {
      const bool counts = reach->items[i] != number ||
                          (link->functions[number].records.count != 0 && ref_callgraph_reaches_itself(link, number));
      if (counts && link->functions[reach->items[i]].records.count != 0) {
        ref_indices_add(link, &reachers[reach->items[i]], number);
      }
    }
  }
  return reachers;
}

enum { CODES = 256 };

/* By code the function's record that something spreads into. */
static void ref_attributes_find_last(const ref_function *function, size_t *last) {
  for (size_t i = 0; i < CODES; i++) {
    last[i] = REF_NONE;
  }
  for (size_t i = 0; i < function->records.count; i++) {
    const ref_record *record = &function->records.items[i];
    last[record->code] = record->dropped ? last[record->code] : i;
  }
}

/* RF954, RF762: a kernel's record that something has spread into counts as it is by then. */
static ref_record ref_attribute_source(const ref_function *from, size_t number, const size_t *last) {
  const ref_record *source = &from->records.items[number];
  const ref_record *now = last[source->code] == number ? ref_attribute_find(&from->output_records, source->code) : NULL;
  return now != NULL ? *now : *source;
}

/* I30: program with two or more kernels. RF54: record by record, for each the kernels that reach it, the last created first
 * (which only the order of E36 shows). */
static void ref_attributes_spread_to_all(ref_link *link, const ref_indices *functions) {
  const ref_indices *reachers = ref_attributes_find_reachers(link);
  size_t last[CODES];
  for (size_t i = 0; i < functions->count; i++) {
    const ref_function *function = &link->functions[functions->items[i]];
    const ref_indices *kernels = &reachers[functions->items[i]];
    ref_attributes_find_last(function, last);
    for (size_t k = 0; k < function->records.count; k++) {
      for (size_t j = 0; j < kernels->count; j++) {
        const ref_record record = ref_attribute_source(function, k, last);
        ref_attribute_spread(link, ref_attribute_holder(link, kernels->items[j]), &record);
      }
    }
  }
}

/* W6.14, RF8: the kernel in its own place; each undefined symbol not
 * yet in the list goes to the front. */
static void ref_attributes_spread_externs_to_one(ref_link *link, const ref_indices *functions, ref_function *kernel) {
  ref_indices front = {0}; /* last first */
  for (size_t i = 0; i < functions->count; i++) {
    const ref_records *records = &link->functions[functions->items[i]].records;
    for (size_t k = 0; k < records->count; k++) {
      const ref_record *record = &records->items[k];
      if (record->code != CODE_EXTERNS) {
        continue;
      }
      for (size_t j = 0; j < record->symbols.count; j++) {
        const size_t symbol = record->symbols.items[j];
        if (ref_attribute_is_external(link, symbol) && !ref_indices_has(&front, symbol)) {
          ref_indices_add(link, &front, symbol);
        }
      }
    }
  }
  ref_record *own = ref_attribute_find(&kernel->output_records, CODE_EXTERNS);
  size_t own_count = 0;
  for (size_t i = 0; own != NULL && i < own->symbols.count; i++) {
    own_count += ref_attribute_is_external(link, own->symbols.items[i]);
  }
  if (front.count == own_count) {
    return;
  }
  if (own != NULL) {
    own->dropped = true;
  }
  ref_record *fresh = ref_attribute_append(link, &kernel->output_records, 4, CODE_EXTERNS, 0);
  for (size_t i = front.count; i-- > 0;) {
    ref_indices_add(link, &fresh->symbols, front.items[i]);
  }
}

static size_t ref_attribute_count_own(const ref_function *function, uint8_t code) {
  size_t count = 0;
  for (size_t i = 0; i < function->records.count; i++) {
    count += function->records.items[i].code == code && !function->records.items[i].dropped;
  }
  return count;
}

/* I31: a maximum or sum of 0 is not appended, but for 0x4a. RF633: of that the kernel's own stays. RF954: of the kernel's own records
 * all count. */
static void ref_attributes_spread_code_to_one(ref_link *link, const ref_indices *functions, size_t number,
                                              uint8_t code) {
  ref_records *output = &link->functions[number].output_records;
  const ref_record *known = ref_attribute_find(output, code);
  const bool had = known != NULL;
  const uint16_t before = had ? ref_attribute_u16(known) : 0;
  if (had && code == CODE_VRC_CTA_INIT) {
    return;
  }
  for (size_t i = 0; i < functions->count; i++) {
    const ref_function *function = &link->functions[functions->items[i]];
    const size_t own = functions->items[i] == number ? ref_attribute_count_own(function, code) : 0;
    for (size_t k = 0, met = 0; k < function->records.count; k++) {
      const bool counts = function->records.items[k].code == code && !function->records.items[k].dropped;
      met += counts;
      if (counts && (own == 0 || met < own)) { /* RF765 */
        ref_attribute_spread(link, &link->functions[number], &function->records.items[k]);
      }
    }
  }
  ref_record *record = ref_attribute_find(output, code);
  if (had && code == CODE_NUM_MBARRIERS && ref_attribute_u16(record) == 0) {
    ref_attribute_set_u16(link, record, before);
  }
  if (!had && record != NULL && (code == CODE_NUM_BARRIERS || code == CODE_NUM_MBARRIERS) && record->value == 0) {
    record->dropped = true;
  }
}

/* I31, RF955: each word once, function by function, the kernel in its place; where these are not as many words as the kernel's record
 * has, it goes, and they are its record. */
static void ref_attributes_spread_fragments_to_one(ref_link *link, const ref_indices *functions, size_t number) {
  ref_records *output = &link->functions[number].output_records;
  ref_record words = {.format = 4, .code = CODE_ENTRY_FRAGMENTS};
  for (size_t i = 0; i < functions->count; i++) {
    const ref_function *function = &link->functions[functions->items[i]];
    for (size_t k = 0; k < function->records.count; k++) {
      const ref_record *record = &function->records.items[k];
      for (size_t at = 0; record->code == CODE_ENTRY_FRAGMENTS && at + 4 <= record->payload.size; at += 4) {
        if (!ref_attribute_has_word(&words.payload, words.payload.size, ref_u32(record->payload.data + at))) {
          ref_bytes_add(link, &words.payload, record->payload.data + at, 4);
        }
      }
    }
  }
  ref_record *own = ref_attribute_find(output, CODE_ENTRY_FRAGMENTS);
  if (words.payload.size == (own == NULL ? 0 : own->payload.size / 4 * 4)) {
    return;
  }
  if (own != NULL) {
    own->dropped = true;
  }
  (void)ref_records_add(link, output, &words);
}

/* I31, D54: with exactly one kernel everything alive goes to it, in a fixed order of codes. */
static void ref_attributes_spread_to_one(ref_link *link, const ref_indices *functions, size_t number) {
  static const uint8_t before[] = {CODE_CTAIDZ_USED,  CODE_RESERVED_SMEM, CODE_VRC_CTA_INIT, CODE_TCGEN05_1CTA,
                                   CODE_TCGEN05_2CTA, CODE_NUM_BARRIERS,  CODE_REG_RECONFIG, CODE_NUM_MBARRIERS};
  for (size_t i = 0; i < sizeof before; i++) {
    ref_attributes_spread_code_to_one(link, functions, number, before[i]);
  }
  ref_attributes_spread_externs_to_one(link, functions, &link->functions[number]);
  ref_attributes_spread_fragments_to_one(link, functions, number);
}

/* I23, W6.9: who counts as a function without the record. An alias is one. */
static bool ref_attribute_mask_counts(const ref_link *link, const ref_function *function) {
  return function->live && function->symbol != REF_NONE && !function->is_stub &&
         !ref_function_lies_in_kernel(link, function) && /* RF162 */
         (function->text != REF_NONE || function->alias_of != REF_NONE);
}

/* By function: has it a live second name of its own text? RF711: a kernel where that name counts itself (RF527). */
static bool *ref_attributes_find_aliased(ref_link *link) {
  bool *aliased = REF_TAKE(link, bool, link->function_count);
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *alias = &link->functions[i];
    if (alias->alias_of < link->function_count && alias->live &&
        (!link->functions[alias->alias_of].entry || ref_attribute_mask_counts(link, alias))) {
      aliased[alias->alias_of] = true;
    }
  }
  return aliased;
}

/* RF701: of all records of the function. RF975: of a kernel that is not called back its last one alone, RF765: with one kernel of each function; a function without one has 0x8000
 * (W6.9) where such records are made. */
static uint32_t ref_attribute_mask_of(const ref_link *link, size_t number, bool last, bool misses) {
  const ref_records *records = &link->functions[number].records;
  uint32_t mask = 0;
  bool has = false;
  for (size_t i = records->count; i-- > 0 && !(has && last);) {
    if (records->items[i].code == CODE_SPARSE_MMA && !records->items[i].dropped) {
      mask = (last ? 0 : mask) | ref_attribute_u16(&records->items[i]);
      has = true;
    }
  }
  return misses || !has ? MASK_MISSING | mask : mask;
}

/* RF975: records of 0x8000 are made where those that live have fewer records than there are functions, dead and undefined ones, too. */
typedef struct ref_masks {
  const bool *aliased;
  bool any, makes;
} ref_masks;

/* I23: over what the kernel reaches; RF58: over all live functions when it is the only kernel. RF711: a kernel that is called by what it
 * reaches, itself too, is handed its second name's mask as any function that is called. */
static uint32_t ref_attribute_join_masks(const ref_link *link, size_t own, const ref_masks *masks) {
  const ref_function *kernel = &link->functions[own];
  const bool all = ref_callgraph_has_one_kernel(link), back = ref_callgraph_reaches_itself(link, own);
  const size_t count = all ? link->function_count : kernel->reach.count;
  uint32_t mask = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t number = all ? i : kernel->reach.items[i];
    const ref_function *function = &link->functions[number];
    const bool has = ref_attribute_find(&function->records, CODE_SPARSE_MMA) != NULL;
    if (ref_attribute_mask_counts(link, function) && (has || masks->makes)) {
      const bool handed = masks->makes && masks->aliased[number] && (number != own || back); /* RF1037 */
      mask |= ref_attribute_mask_of(link, number, all || (number == own && !back), handed);
    }
  }
  return mask;
}

/* RF975: what is to be joined into a kernel without a record ends the link where none is made. */
/* RF778: said behind the call graph and E35. */
static void ref_attribute_check_mask(ref_link *link, const ref_function *kernel, size_t own) {
  for (size_t i = 0; i < kernel->reach.count; i++) {
    const size_t number = kernel->reach.items[i];
    if (number != own && link->functions[number].live &&
        ref_attribute_find(&link->functions[number].records, CODE_SPARSE_MMA) != NULL) {
      link->has_null_entry = true;
    }
  }
}

/* RF1036: a second name with a kernel's mark has what it reaches in its own record. */
static void ref_attribute_make_masks(ref_link *link, const ref_masks *masks) {
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    if (!ref_attribute_mask_counts(link, function)) {
      continue;
    }
    const size_t holder = function->alias_of != REF_NONE ? function->alias_of : i;
    const bool has = ref_attribute_find(&function->records, CODE_SPARSE_MMA) != NULL;
    if (!has && link->functions[holder].info != REF_NONE) {
      const bool joins = holder != i && function->is_kernel;
      const uint32_t mask = MASK_MISSING | (joins ? ref_attribute_join_masks(link, i, masks) : 0);
      (void)ref_attribute_append(link, &link->functions[holder].output_records, 3, CODE_SPARSE_MMA, (uint16_t)mask);
    }
  }
}

static ref_masks ref_attribute_count_masks(ref_link *link) {
  size_t records = 0;
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    records += ref_attribute_mask_counts(link, function) ? ref_attribute_count_own(function, CODE_SPARSE_MMA) : 0;
  }
  return (ref_masks){.aliased = ref_attributes_find_aliased(link),
                     .any = records != 0,
                     .makes = link->slot_section != 0 || records < link->function_count};
}

/* True when there are masks at all. */
static bool ref_attributes_set_masks(ref_link *link) {
  const ref_masks masks = ref_attribute_count_masks(link);
  if (!masks.any || (!masks.makes && ref_callgraph_has_one_kernel(link))) {
    return masks.any;
  }
  if (masks.makes) {
    ref_attribute_make_masks(link, &masks);
  }
  for (size_t i = 0; i < link->kernels.count; i++) {
    ref_function *kernel = &link->functions[link->kernels.items[i]];
    ref_record *own = ref_attribute_find(&kernel->output_records, CODE_SPARSE_MMA);
    if (own != NULL) {
      ref_attribute_set_u16(link, own, (uint16_t)ref_attribute_join_masks(link, link->kernels.items[i], &masks));
    } else if (!masks.makes) {
      ref_attribute_check_mask(link, kernel, link->kernels.items[i]);
    }
  }
  return true;
}

/* I6, I24, ZM7: what the output of a function leaves out. */
static bool ref_attribute_is_left_out(const ref_link *link, uint8_t code, bool kernel) {
  const bool fragments = code == CODE_ENTRY_FRAGMENTS && !kernel;
  const bool query = code == CODE_SURFACE_QUERY && link->has_surface;
  return code == CODE_CACHE_REQUEST || ((code == CODE_MAX_STACK_SIZE || fragments || query) && !link->relocatable);
}

static void ref_attributes_drop(ref_link *link, ref_records *records, bool kernel) {
  for (size_t i = 0; i < records->count; i++) {
    ref_record *record = &records->items[i];
    if (record->code == CODE_EXTERNS && !record->dropped) {
      ref_attribute_filter_externs(link, record);
    }
    record->dropped = record->dropped || ref_attribute_is_left_out(link, record->code, kernel);
  }
}

/* RF482, RF520: the text of the function carries its count; what no file defines and a second name of a text have none. */
static uint32_t ref_attribute_registers_of(const ref_link *link, const ref_function *function) {
  const bool undefined = function->symbol != REF_NONE && link->symbols[function->symbol].section == REF_NONE;
  return undefined || function->alias_of != REF_NONE ? 0 : function->register_count;
}

/* RF614: a kernel that has REG_RECONFIG, or gets it from a function, keeps its own count; RF656: one of its text's header, too. */
bool ref_attribute_keeps_registers(const ref_link *link, const ref_function *kernel) {
  const bool all = ref_callgraph_has_one_kernel(link); /* I31 */
  const size_t count = all ? link->function_count : kernel->reach.count;
  for (size_t i = 0; i < count; i++) {
    const ref_function *function = &link->functions[all ? i : kernel->reach.items[i]];
    if (function->live && ref_attribute_find(&function->records, CODE_REG_RECONFIG) != NULL) {
      return true;
    }
  }
  return ref_attribute_find(&kernel->records, CODE_REG_RECONFIG) != NULL;
}

/* W6.4, G4, I28: the maximum over what the kernel reaches. */
static void ref_attributes_raise_registers(ref_link *link) {
  for (size_t i = 0; i < link->kernels.count; i++) {
    ref_function *kernel = &link->functions[link->kernels.items[i]];
    const bool keeps = ref_attribute_keeps_registers(link, kernel);
    kernel->raised_registers = kernel->register_count;
    for (size_t k = 0; !keeps && k < kernel->reach.count; k++) {
      const uint32_t other = ref_attribute_registers_of(link, &link->functions[kernel->reach.items[k]]);
      kernel->raised_registers = (uint32_t)ref_larger(kernel->raised_registers, other);
    }
  }
}

/* RF280: in executables a recursion that ptxas has seen is a kernel's own stack, and not a record of the input any more. RF1032: be it among
 * the module's attributes or a function's own. */
static void ref_attributes_take_endless(ref_link *link, ref_record *record) {
  const size_t symbol = record->first_word_is_symbol ? record->symbols.items[0] : REF_NONE;
  const size_t function = symbol == REF_NONE ? REF_NONE : link->symbols[symbol].function;
  if (link->relocatable || record->code != CODE_MIN_STACK_SIZE || record->payload.size < 8 ||
      ref_u32(record->payload.data + 4) != ENDLESS) {
    return;
  }
  record->dropped = true;
  if (function != REF_NONE) {
    link->functions[function].has_endless_stack = true;
  }
}

/* L1168: of several counts of a kernel the one that was read last, which is written first, is what it needs; the others stay as they are, and
 * -v says the first that was read. */
static void ref_attributes_finish_registers(ref_link *link, ref_record *record, ref_function *kernel, bool *seen) {
  if (*seen) {
    const uint32_t own = ref_u32(record->payload.data + 4);
    kernel->told_registers = own != 0 || kernel->text == REF_NONE ? own : link->sections[kernel->text].info_high >> 24;
    kernel->tells_registers = true;
    return;
  }
  *seen = true;
  if (kernel->is_kernel) {
    record->payload = ref_attribute_words(link, kernel->raised_registers);
  }
}

static void ref_attributes_finish_record(ref_link *link, ref_record *record, bool *seen) {
  const size_t symbol = record->first_word_is_symbol ? record->symbols.items[0] : REF_NONE;
  const size_t number = symbol == REF_NONE ? REF_NONE : link->symbols[symbol].function;
  if (record->code == CODE_REGCOUNT && number != REF_NONE && record->payload.size >= 8 &&
      (link->functions[number].is_kernel || link->functions[number].is_unnamed)) {
    ref_attributes_finish_registers(link, record, &link->functions[number], &seen[number]);
  }
}

/* RF965: what stands among functions' own attributes was read behind the module's. */
static void ref_attributes_finish_module(ref_link *link, const ref_indices *functions) {
  bool *seen = REF_TAKE(link, bool, link->function_count);
  for (size_t i = functions->count; i-- > 0;) {
    const ref_records *records = &link->functions[functions->items[i]].output_records;
    for (size_t k = 0; k < records->count; k++) {
      ref_attributes_take_endless(link, &records->items[k]);
      ref_attributes_finish_record(link, &records->items[k], seen);
    }
  }
  ref_attributes_reverse(link, &link->module_records, &link->module_output);
  for (size_t i = 0; i < link->module_output.count; i++) {
    ref_record *record = &link->module_output.items[i];
    ref_attributes_take_endless(link, record);
    ref_attributes_finish_record(link, record, seen);
  }
  ref_attributes_drop(link, &link->module_output, true);
  if (link->has_oldest_object && !link->relocatable) {
    (void)ref_attribute_append(link, &link->module_output, 1, CODE_HAS_OLD_OBJECT, 0); /* RF138 */
  }
}

static bool ref_attributes_is_endless(const ref_function *kernel) {
  return kernel->reaches_cycle || kernel->has_endless_stack;
}

static void ref_attributes_add_min_stack(ref_link *link, size_t symbol) {
  const ref_function *kernel = &link->functions[link->symbols[symbol].function];
  const uint32_t stack = ref_attributes_is_endless(kernel) ? ENDLESS : (uint32_t)kernel->stack;
  ref_attribute_add_symbol_word(link, CODE_MIN_STACK_SIZE, symbol, stack);
}

/* I26, G3, W6.10; L1169: that of a second name stands with its function's at once, before the masks of those that lack one. RF950: the
 * value of SYNC_STACK is its first 16 bits; what is behind them stays. */
static void ref_attributes_set_crs(ref_link *link, ref_function *kernel) {
  ref_record *own = ref_attribute_find(&kernel->output_records, CODE_CRS_STACK_SIZE);
  if (own == NULL) {
    own = ref_attribute_find(&kernel->output_records, CODE_SYNC_STACK);
  }
  own = own != NULL && own->is_of_name ? NULL : own; /* RF1132 */
  const uint32_t value = ref_attributes_is_endless(kernel) ? ENDLESS : (uint32_t)kernel->crs;
  const size_t size = own != NULL && own->code == CODE_SYNC_STACK ? 2 : 4;
  if (own != NULL && own->payload.size < size) {
    return; /* of a capsule's SASS side, which nobody reads; any other is refused (D67) */
  }
  if (own != NULL) {
    ref_bytes payload = {0};
    ref_bytes_add_u32(link, &payload, value);
    payload.size = size;
    ref_bytes_add(link, &payload, own->payload.data + size, own->payload.size - size);
    own->payload = payload;
  } else if (value != 0) {
    ref_function *holder = kernel->alias_of == REF_NONE ? kernel : &link->functions[kernel->alias_of];
    ref_attribute_append_word(link, &holder->output_records, CODE_CRS_STACK_SIZE, value);
    holder->output_records.items[holder->output_records.count - 1].is_of_name = holder != kernel;
  }
}

/* W6.1: after the input's records, in .symtab order: the locals' and weak ones' list first. RF225: so are the records of CRS stacks made,
 * each behind its kernel's MIN_STACK_SIZE. */
static void ref_attributes_add_stacks(ref_link *link) {
  const uint32_t *stacks = ref_caching_read_stacks(link);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < link->symbol_count; i++) {
      const size_t number = link->symbols[i].function;
      if (number == REF_NONE || link->symbols[i].local_list != (pass == 0)) {
        continue;
      }
      ref_function *function = &link->functions[number];
      if (ref_callgraph_is_entry(link, function)) {
        ref_attributes_add_min_stack(link, i);
      }
      if (function->is_kernel) {
        ref_caching_add_stack(link, number, stacks);
        ref_attributes_set_crs(link, function);
      }
    }
  }
}

/* RF116: an alias that a section belongs to has none of its own. The count in the section's header is enough for nvlink; from
 * sm_90 on there is none, and it stops. */
bool ref_attribute_alias_has_registers(const ref_link *link, size_t number) {
  const size_t text = link->functions[number].text;
  if (text == REF_NONE || link->sections[text].info_high == 0) {
    return false;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    if (link->functions[i].alias_of == number && link->functions[i].has_register_count) {
      return true;
    }
  }
  return false;
}

/* RF197: a function of the output without attributes of its own, where others have masks (I23). */
static bool ref_attributes_lack_mask(const ref_link *link, const ref_function *function) {
  return function->alias_of == REF_NONE && function->info == REF_NONE && ref_attribute_mask_counts(link, function);
}

static bool ref_attributes_have_masks(const ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    if (ref_attribute_mask_counts(link, &link->functions[i]) &&
        ref_attribute_find(&link->functions[i].records, CODE_SPARSE_MMA) != NULL) {
      return true;
    }
  }
  return false;
}

/* RF197, RF209, RF276, RF602: found when the file is written, behind the lines of -v; not in a link that has an error. */
void ref_attributes_check_masks(ref_link *link) {
  if (link->relocatable || !ref_attributes_have_masks(link)) {
    return;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    if (ref_attributes_lack_mask(link, &link->functions[i])) {
      ref_message_fatal(link, "E76", "Internal error: Negative size encountered");
    }
  }
}

/* RF754, RF953: a record about what has no symbol in the output goes, of capsules on both sides (RF1182), but a kernel's parameters stay (RF191). */
bool ref_attribute_is_about_nothing(const ref_link *link, const ref_record *record) {
  const size_t symbol = record->first_word_is_symbol ? record->symbols.items[0] : REF_NONE;
  const bool parameter = record->code == CODE_KPARAM_INFO || record->code == CODE_KPARAM_INFO_LARGE;
  return symbol != REF_NONE && !parameter && link->symbols[symbol].function == REF_NONE &&
         !ref_symbol_stays(link, &link->symbols[symbol]);
}

/* A section's records, or zeros in their place. */
static void ref_attributes_write_section(ref_link *link, size_t number, const ref_records *records, bool measures) {
  enum { USUAL = 20 }; /* bytes of a record, with its head */
  ref_bytes output = {0};
  size_t size = 0;
  ref_bytes_reserve(link, &output, measures ? 0 : records->count * USUAL);
  for (size_t i = 0; i < records->count; i++) {
    const ref_record *record = &records->items[i];
    if (!record->dropped && !ref_attribute_is_about_nothing(link, record)) {
      size += ref_record_size(record);
      if (!measures) {
        ref_record_write(link, record, &output);
      }
    }
  }
  if (measures && size != 0) {
    ref_bytes_reserve(link, &output, size);
    memset(output.data, 0, size);
    output.size = size;
  }
  ref_section_set_own(link, number, output);
}

static void ref_attributes_write_all(ref_link *link, bool measures) {
  ref_attributes_write_section(link, link->info_section, &link->module_output, measures);
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    if (function->info != REF_NONE && function->live) {
      ref_attributes_write_section(link, function->info, &function->output_records, measures);
    }
  }
}

/* With the symbols' numbers. */
void ref_attributes_write(ref_link *link) {
  ref_attributes_write_all(link, false);
}

/* RF194: a kernel without a count gets one, with that of the first function that it reaches. */
void ref_attributes_add_registers(ref_link *link, const ref_function *kernel) {
  ref_attribute_add_symbol_word(link, CODE_REGCOUNT, kernel->symbol, kernel->raised_registers);
  ref_attributes_write_section(link, link->info_section, &link->module_output, false);
}

static int ref_attribute_compare_serials(const void *a, const void *b) {
  const size_t first = ((const ref_record *)a)->serial, second = ((const ref_record *)b)->serial;
  return ref_order(first, second);
}

/* RF126: what each stub got of its own stands with all stubs' attributes, in the order in which it came; U11: a mask ends
 * them. */
static void ref_attributes_join_stubs(ref_link *link, bool masks) {
  ref_records joined = {0};
  if (link->slot_section == 0) {
    return;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_records *records = &link->functions[i].output_records;
    if (!link->functions[i].is_stub) {
      continue;
    }
    for (size_t k = 0; k < records->count; k++) {
      const size_t serial = records->items[k].serial;
      ref_records_add(link, &joined, &records->items[k])->serial = serial;
    }
  }
  if (joined.count != 0) {
    qsort(joined.items, joined.count, sizeof *joined.items, ref_attribute_compare_serials);
  }
  if (masks) {
    (void)ref_attribute_append(link, &joined, 3, CODE_SPARSE_MMA, 0);
  }
  link->functions[link->first_stub].output_records = joined;
}

/* RF528. A name hands on what is its own, not what it was handed by another: what holds what is for the file to say. */
static void ref_attributes_join_names(ref_link *link) {
  size_t *own = REF_TAKE(link, size_t, link->function_count);
  bool *joined = REF_TAKE(link, bool, link->function_count);
  for (size_t i = 0; i < link->function_count; i++) {
    own[i] = link->functions[i].output_records.count;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const size_t holder = link->functions[i].alias_of;
    ref_records *records = holder == REF_NONE ? NULL : &link->functions[holder].output_records;
    for (size_t k = 0; records != NULL && k < own[i]; k++) {
      const size_t serial = link->functions[i].output_records.items[k].serial;
      ref_records_add(link, records, &link->functions[i].output_records.items[k])->serial = serial;
    }
    joined[records == NULL ? i : holder] |= records != NULL && own[i] != 0;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_records *records = &link->functions[i].output_records;
    if (joined[i]) { /* RF979: in the order in which they were made */
      qsort(records->items, records->count, sizeof *records->items, ref_attribute_compare_serials);
    }
  }
}

/* What an executable's kernels get; I7: nothing with -r. */
static void ref_attributes_spread_all(ref_link *link, const ref_indices *functions) {
  ref_attributes_add_stacks(link);
  const bool masks = ref_attributes_set_masks(link);
  if (ref_callgraph_has_one_kernel(link)) {
    ref_attributes_spread_to_one(link, functions, link->kernels.items[0]);
  } else {
    ref_attributes_spread_to_all(link, functions);
  }
  ref_attributes_join_names(link);
  ref_caching_spread(link);
  ref_barriers_spread(link, functions);
  ref_attributes_join_stubs(link, masks);
}

/* RF182 */
static bool ref_attributes_find_surface(const ref_link *link) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].type == REF_SYMBOL_SURFACE) {
      return true;
    }
  }
  return false;
}

void ref_attributes_finish(ref_link *link) {
  ref_indices functions = {0};
  link->has_surface = ref_attributes_find_surface(link);
  ref_attributes_raise_registers(link);
  ref_attribute_list_functions(link, &functions);
  for (size_t i = 0; i < functions.count; i++) {
    ref_function *function = &link->functions[functions.items[i]];
    ref_attributes_reverse(link, &function->records, &function->output_records);
  }
  ref_attributes_finish_module(link, &functions);
  if (!link->relocatable) {
    ref_attributes_spread_all(link, &functions);
  }
  for (size_t i = 0; i < functions.count; i++) {
    ref_function *function = &link->functions[functions.items[i]];
    ref_attributes_drop(link, &function->output_records, function->is_kernel);
  }
  ref_slots_check_numbers(link);
  ref_attributes_write_all(link, !ref_view_is_derived(link)); /* so far it is known which sections have how much */
}
