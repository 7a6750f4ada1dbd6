/* Jump tables among the compiler constants of a capsule link: M20, RF74, RF984. The Mercury view has zeros and an entry (PROG_REL) for
 * each target; the finalizer writes the target's place in the SASS text. */
#include "capsule.h"

enum { WORD = 4, UNIT = 16, BRANCH_TARGETS = 0x34 };

/* RF811: each branch, a word, the number of targets, the targets; cut off at the end of the record. */
static void ref_leads_add_record(const uint8_t *data, uint64_t size, ref_leads *leads) {
  for (uint64_t at = 0; size - at >= 3 * WORD;) {
    uint64_t left = ref_u32(data + at + 2 * WORD);
    for (at += 3 * WORD; left > 0 && size - at >= WORD; left--, at += WORD) {
      const uint32_t place = ref_u32(data + at);
      if (place % UNIT == 0 && place / UNIT < leads->units->count) {
        leads->is_target[place / UNIT] = true;
      }
    }
  }
}

ref_leads ref_leads_of_section(ref_link *link, const ref_section *attributes, const ref_units *units) {
  const ref_leads leads = {units, REF_TAKE(link, bool, units->count + 1)};
  ref_leads found = leads;
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(attributes, &position, &attribute)) {
    if (attribute.code == BRANCH_TARGETS && attribute.format == WORD) {
      ref_leads_add_record(attribute.data, attribute.size, &found);
    }
  }
  return found;
}

static ref_leads ref_leads_of_function(ref_capsule *capsule, size_t function) {
  const ref_units *units = ref_places_units_of_function(capsule, function);
  const ref_records *records = &capsule->mercury->functions[function].output_records;
  ref_leads leads = {units, REF_TAKE(capsule->mercury, bool, units->count + 1)};
  for (size_t i = 0; i < records->count; i++) {
    if (records->items[i].code == BRANCH_TARGETS && !records->items[i].dropped) {
      ref_leads_add_record(records->items[i].payload.data, records->items[i].payload.size, &leads);
    }
  }
  return leads;
}

uint64_t ref_leads_place(const ref_leads *leads, int64_t place) {
  const uint64_t unit = (uint64_t)place / UNIT;
  if (place % UNIT != 0 || unit >= leads->units->count || !leads->is_target[unit]) {
    return 0;
  }
  const size_t found = ref_units_find(leads->units, (uint64_t)place, false);
  return found == REF_NONE ? 0 : found;
}

/* RF811, RF828: the word at `offset` of a table, for an entry of that type alone; what others say is written as in data. */
void ref_leads_write(const ref_leads *leads, uint32_t type, uint64_t offset, int64_t addend, size_t times,
                     ref_bytes *bytes) {
  if (type != REF_MERCURY_PLACE_32 || offset > bytes->size || WORD > bytes->size - offset) {
    return;
  }
  uint64_t target = (uint64_t)addend;
  for (size_t i = 0; i < times; i++) {
    target = ref_leads_place(leads, (int64_t)target);
  }
  ref_put_u32(bytes->data + offset, (uint32_t)target);
}

/* The function that an entry is about, or whose text the section is that it is about (RF828). */
static size_t ref_tables_function(const ref_link *mercury, const ref_out_relocation *entry) {
  const size_t section = entry->symbol == REF_NONE ? REF_NONE : mercury->symbols[entry->symbol].section;
  if (entry->function != REF_NONE || section == REF_NONE || section >= mercury->section_count) {
    return entry->function;
  }
  const size_t function = mercury->sections[section].info_function;
  return function != REF_NONE && mercury->functions[function].text == section ? function : REF_NONE;
}

/* `times`: how often it is translated (L740). `known` is of `function`, whose entry the last one was. */
static void ref_tables_write(ref_capsule *capsule, const ref_out_relocation *entry, size_t times, size_t *function,
                             ref_leads *known, ref_bytes *bytes) {
  const size_t about = ref_tables_function(capsule->mercury, entry);
  if (entry->type != REF_MERCURY_PLACE_32 || about == REF_NONE) {
    return;
  }
  if (*function != about) {
    *function = about;
    *known = ref_leads_of_function(capsule, about);
  }
  ref_leads_write(known, entry->type, entry->offset, entry->addend, times, bytes);
}

static bool ref_tables_are_of_slot(const ref_capsule *capsule, size_t section) {
  const ref_link *mercury = capsule->mercury;
  for (size_t i = 0; i < mercury->function_count; i++) {
    if (mercury->functions[i].is_stub && mercury->functions[i].constant2 == section) {
      return true;
    }
  }
  return false;
}

/* L740, D121: all jump slots are one text, and nvlink takes the last of its images for every one of them. So that one is translated as
 * often as there are images, and the others not at all. */
static size_t ref_tables_times(const ref_capsule *capsule, size_t section) {
  size_t count = 0, last = REF_NONE;
  if (!capsule->mercury->job->bug_compatible || !ref_tables_are_of_slot(capsule, section)) {
    return 1;
  }
  for (size_t i = 0; i < capsule->order.count; i++) {
    if (ref_tables_are_of_slot(capsule, capsule->order.items[i])) {
      count++;
      last = capsule->order.items[i];
    }
  }
  return section == last ? count : 0;
}

/* RF74: entries in the order of the file. Those of a body that lost or was replaced count too: where an indirect branch of the output's body leads
 * to that decoded offset (RF811) the instruction's place is written, else 0, over what an earlier entry wrote there. */
ref_bytes ref_capsule_jump_tables(ref_capsule *capsule, size_t section, ref_bytes bytes) {
  const ref_link *mercury = capsule->mercury;
  const size_t times = ref_tables_times(capsule, section);
  ref_bytes output = {0};
  size_t function = REF_NONE;
  ref_leads known = {0};
  if (times == 0) {
    return mercury->sections[section].data;
  }
  ref_bytes_add(capsule->mercury, &output, bytes.data, bytes.size);
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    if (!mercury->relocations[i].dropped && mercury->relocations[i].target == section) {
      ref_tables_write(capsule, &mercury->relocations[i], times, &function, &known, &output);
    }
  }
  for (size_t i = 0; i < mercury->copy_count; i++) {
    if (mercury->copies[i].target == section) {
      ref_tables_write(capsule, &mercury->copies[i], times, &function, &known, &output);
    }
  }
  return output;
}

static void ref_tables_write_value(const ref_link *mercury, const ref_out_relocation *entry, const ref_bytes *symbols,
                                   ref_bytes *bytes) {
  ref_field field;
  if (entry->type != REF_MERCURY_PLACE_32 && ref_data_place_field(entry->type, &field)) {
    const uint64_t value = ref_data_place_value(mercury, entry, symbols);
    ref_field_write(&field, bytes->data, bytes->size, entry->offset, ref_field_value(&field, value, 0, 0, 0));
  }
}

/* RF828: other types that say a place have no entry on the SASS side; their values stand in its bytes, the symbol's and the addend. RF984: both are
 * written in one order, over what others wrote. */
void ref_capsule_write_table_places(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *bytes) {
  const ref_link *mercury = capsule->mercury;
  const size_t times =
      mercury->sections[section].type == REF_TYPE_CONSTANT_OPTIMIZER ? ref_tables_times(capsule, section) : 0;
  size_t function = REF_NONE;
  ref_leads known = {0};
  for (size_t i = times == 0 ? 0 : mercury->relocation_count; i-- > 0;) {
    if (!mercury->relocations[i].dropped && mercury->relocations[i].target == section) {
      ref_tables_write(capsule, &mercury->relocations[i], times, &function, &known, bytes);
      ref_tables_write_value(mercury, &mercury->relocations[i], symbols, bytes);
    }
  }
  for (size_t i = 0; times != 0 && i < mercury->copy_count; i++) {
    if (mercury->copies[i].target == section) {
      ref_tables_write(capsule, &mercury->copies[i], times, &function, &known, bytes);
      ref_tables_write_value(mercury, &mercury->copies[i], symbols, bytes);
    }
  }
}
