/* Attribute records: reading (I1-I4, I10-I16) and writing; `.nv.compat` (I60-I69). */
#include "link.h"

#include <string.h>

enum {
  CODE_EXTERNS = 0x0f,
  CODE_CACHE_REQUEST = 0x26,
  CODE_PARAM_CBANK = 0x0a,
  CODE_KPARAM_INFO = 0x17,
  CODE_KPARAM_INFO_LARGE = 0x45
};

/* I4 */
bool ref_record_first_word_is_symbol(uint8_t code) {
  switch (code) {
  case 0x02:
  case 0x06:
  case 0x07:
  case 0x08:
  case 0x09:
  case 0x0a:
  case 0x11:
  case 0x12:
  case 0x13:
  case 0x14:
  case 0x17:
  case 0x23:
  case 0x26:
  case 0x2f:
  case 0x3b:
  case 0x45:
    return true;
  default:
    return false;
  }
}

/* The one behind the last becomes the last. */
static ref_record *ref_record_count(ref_link *link, ref_records *records) {
  ref_record *record = &records->items[records->count++];
  record->serial = link->record_serial++;
  return record;
}

ref_record *ref_records_add(ref_link *link, ref_records *records, const ref_record *record) {
  records->items = ref_memory_grow(link, records->items, records->count, &records->capacity, sizeof *records->items);
  records->items[records->count] = *record;
  return ref_record_count(link, records);
}

/* The module symbol behind an input's symbol index; REF_NONE for none. Sets `gone` for what is not in the output. */
static size_t ref_record_symbol(ref_link *link, const ref_file *file, uint32_t index, bool *gone) {
  if (index >= file->cubin.symbol_count) {
    return REF_NONE;
  }
  const ref_symbol *input = &file->cubin.symbols[index];
  const size_t function = file->function_of[index];
  if (function != REF_NONE) {
    *gone = !link->functions[function].live || link->functions[function].is_stub || /* U11 */
            file->body_of[index] == REF_BODY_LOSES;
    return link->functions[function].symbol;
  }
  if (ref_named_is_another(file, input) || ref_named_is_of_no_section(file, input)) { /* RF881 */
    return ref_named_find_symbol(link, file, input);
  }
  if ((input->info & 15) == REF_SYMBOL_SECTION) {
    return ref_relocation_section_symbol(link, file, input->section);
  }
  return file->symbol_of[index];
}

/* I10-I12: where nvlink crashes; EXTERNS of another format than 4 has as many bytes of symbols as its value says, so none up to 3 (RF678). What
 * a capsule's SASS side has nvlink does not read: false, the record is as if it were not there. */
static bool ref_record_check(ref_link *link, const ref_file *file, const ref_attribute *attribute) {
  const bool sized = attribute->format == 4, unread = ref_view_is_derived(link);
  if (ref_record_first_word_is_symbol(attribute->code) && (!sized || attribute->size < 4)) {
    if (unread) {
      return false;
    }
    ref_message_fatal(link, "D67", "Input file '%s': attribute 0x%02x without a symbol index", file->name,
                      attribute->code);
  }
  if (attribute->code == CODE_EXTERNS && !sized && ref_u16(attribute->data) >= 4 && !unread) {
    ref_message_fatal(link, "D67", "Input file '%s': attribute 0x0f in format %u", file->name, attribute->format);
  }
  return true;
}

/* RF699: what goes with a body that loses; records of the other codes stay, about the body that stands. */
static bool ref_record_goes_with_body(uint8_t code) {
  return code == 0x11 || code == 0x23 || code == 0x26 || code == 0x2f || code == 0x3b;
}

/* RF191: a record is about a function or an object of the output, or goes; a parameter's word becomes 0 then, but not where
 * the body loses (RF547). Only PARAM_CBANK knows the
 * symbols of sections, and what has a symbol's name alone (RF1118). */
static size_t ref_record_first_symbol(ref_link *link, const ref_file *file, const ref_attribute *attribute,
                                      bool *gone) {
  const uint32_t index = ref_u32(attribute->data);
  const size_t symbol = ref_record_symbol(link, file, index, gone);
  if (index >= file->cubin.symbol_count) {
    return symbol;
  }
  const bool section = (file->cubin.symbols[index].info & 15) == REF_SYMBOL_SECTION;
  const bool named = !link->is_capsule && attribute->code != CODE_CACHE_REQUEST &&
                     ref_named_is_another(file, &file->cubin.symbols[index]); /* RF1118 */
  const bool unknown = (section || named) && attribute->code != CODE_PARAM_CBANK;
  const size_t function = file->function_of[index];
  const bool loses = function != REF_NONE && file->body_of[index] == REF_BODY_LOSES && link->functions[function].live &&
                     !link->functions[function].is_stub;
  const bool dropped = symbol != REF_NONE && link->symbols[symbol].dropped &&
                       !link->symbols[symbol].is_extern_shared; /* RF848: which may have a symbol in the end */
  const bool nothing = (*gone && !loses) || symbol == REF_NONE || dropped || unknown;
  const bool parameter = attribute->code == CODE_KPARAM_INFO || attribute->code == CODE_KPARAM_INFO_LARGE;
  const bool lost = *gone || (function == REF_NONE && ref_record_goes_with_body(attribute->code) &&
                              (ref_indices_has(&file->lost_variables, index) || /* RF973 */
                               ref_indices_has(&file->ignored_variables, index)));
  *gone = !parameter && (nothing || (lost && ref_record_goes_with_body(attribute->code)));
  return parameter && nothing ? REF_NONE : symbol;
}

static void ref_record_read(ref_link *link, ref_file *file, const ref_attribute *attribute, ref_records *records) {
  bool gone = false;
  if (!ref_record_check(link, file, attribute)) {
    return;
  }
  records->items = ref_memory_grow(link, records->items, records->count, &records->capacity, sizeof *records->items);
  ref_record *record = &records->items[records->count]; /* nobody adds another one here */
  memset(record, 0, sizeof *record);
  record->format = attribute->format;
  record->code = attribute->code;
  if (attribute->format != 4) {
    record->value = ref_u16(attribute->data);
    ref_record_count(link, records);
    return;
  }
  record->payload =
      (ref_bytes){ref_memory_copy(link, attribute->data, attribute->size), attribute->size, attribute->size};
  if (ref_record_first_word_is_symbol(attribute->code)) {
    const size_t symbol = ref_record_first_symbol(link, file, attribute, &gone);
    record->first_word_is_symbol = true;
    record->symbols = (ref_indices){ref_memory_copy(link, &symbol, sizeof symbol), 1, 1};
    gone = gone && attribute->code != CODE_CACHE_REQUEST; /* RF93 */
  }
  if (attribute->code == CODE_EXTERNS) {
    for (uint16_t i = 0; i + 4 <= attribute->size; i = (uint16_t)(i + 4)) {
      bool other;
      ref_indices_add(link, &record->symbols, ref_record_symbol(link, file, ref_u32(attribute->data + i), &other));
    }
  }
  if (!gone) {
    ref_record_count(link, records);
  }
}

/* I24a, E29: one file's tcgen05 of 12.x and of 13.0, in whatever function, dead ones too. A record that is refused does not
 * count for the next ones. RF137: how many records there are of the parameters of kernels that have more than 4 KB of them. */
size_t ref_records_check_fragments(ref_link *link, const ref_file *file, const ref_section *input) {
  const uint8_t code_fragments = 0x4f;
  ref_attribute attribute;
  uint64_t position = 0;
  size_t large_parameters = 0;
  if (!file->has_rare_records) {
    return 0; /* as nearly all */
  }
  while (ref_cubin_next_attribute(input, &position, &attribute)) {
    bool old = false, fresh = false;
    large_parameters += attribute.code == CODE_KPARAM_INFO_LARGE;
    if (attribute.code != code_fragments || attribute.format != 4) {
      continue;
    }
    for (uint16_t i = 0; i + 4 <= attribute.size; i = (uint16_t)(i + 4)) {
      const uint32_t word = ref_u32(attribute.data + i);
      if (word >= 4 && word <= 7) { /* L1405: the last one */
        old = word < 6;
        fresh = !old;
      }
    }
    if ((old && link->has_new_fragments) || (fresh && link->has_old_fragments)) {
      ref_message_add(
          link, REF_ERROR, "E29",
          "Object '%s' cannot be linked due to version mismatch. Objects using tcgen05 in 12.x cannot be linked "
          "with 13.0 or later, they must be rebuilt with latest compiler",
          file->name);
      continue;
    }
    link->has_old_fragments = link->has_old_fragments || old;
    link->has_new_fragments = link->has_new_fragments || fresh;
  }
  return large_parameters;
}

/* I9: by code, not by place; `function` is NULL for the module's section. */
void ref_records_read(ref_link *link, size_t file_number, uint32_t section, ref_function *function) {
  ref_file *file = &link->files[file_number];
  const ref_section *input = &file->cubin.sections[section];
  ref_records *records = function == NULL ? &link->module_records : &function->records;
  ref_attribute attribute;
  uint64_t position = 0;
  while (ref_cubin_next_attribute(input, &position, &attribute)) {
    ref_record_read(link, file, &attribute, records);
  }
  const bool counts = function != NULL || !ref_view_is_derived(link); /* RF826 */
  if (counts && input->data != NULL && input->size - position >= 2 && input->size > position) {
    /* D66, D67: a record that runs past the end, or stray bytes. */
    ref_message_fatal(link, "D66", "Input file '%s': section '%s' ends inside an attribute record", file->name,
                      input->name);
  }
}

/* RF157 */
static void ref_record_write_tail(ref_link *link, const ref_record *record, ref_bytes *output) {
  for (size_t i = 0; i < record->tail.count; i++) {
    ref_bytes_add_u32(link, output, ref_symbol_index(link, record->tail.items[i]));
  }
}

/* What stands in the second half of a record's head that has no contents. */
uint16_t ref_record_value(const ref_record *record) {
  return record->tail.count != 0 ? (uint16_t)(4 * record->tail.count) : record->value;
}

/* Of what is written. */
size_t ref_record_size(const ref_record *record) {
  enum { HEAD = 4, WORD = 4 };
  return HEAD + (record->format == 4 ? record->payload.size : 0) + WORD * record->tail.count;
}

/* F61 */
void ref_record_write(ref_link *link, const ref_record *record, ref_bytes *output) {
  const bool sized = record->format == 4;
  const uint16_t value = sized ? (uint16_t)(record->payload.size + 4 * record->tail.count) : ref_record_value(record);
  const uint32_t format = record->format, code = record->code;
  ref_bytes_add_u32(link, output, format | code << 8 | (uint32_t)value << 16);
  if (sized) {
    const size_t start = output->size;
    ref_bytes_add(link, output, record->payload.data, record->payload.size);
    for (size_t i = 0; i < record->symbols.count && (i + 1) * 4 <= record->payload.size; i++) {
      ref_put_u32(output->data + start + i * 4, ref_symbol_index(link, record->symbols.items[i]));
    }
  }
  ref_record_write_tail(link, record, output);
}
