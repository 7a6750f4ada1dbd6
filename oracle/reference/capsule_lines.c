/* SASS `.debug_line` and `.nv_debug_line_sass` of a capsule link: M25, M21, RF866, RF814, RF815. Headers and sequences are Mercury's: those of live functions, in
 * the order of the output's symbols. */
#include "capsule.h"
#include "line_program.h"

#include <stdlib.h>
#include <string.h>

enum {
  LENGTH_BYTES = 4,
  INSTRUCTION = 16,
  HEADER_LENGTH_AT = 6,
  PROGRAM_AT = 10,
  SMALLEST_UNIT = OPERAND_COUNTS_AT + 1
};

typedef struct ref_sequence {
  uint64_t start, end, address_at; /* in the unit */
  const ref_out_relocation *entry;
  uint32_t symbol;
} ref_sequence;

typedef struct ref_sequences {
  ref_sequence *items;
  size_t count, capacity;
} ref_sequences;

typedef struct ref_mercury_unit {
  const uint8_t *bytes;
  uint64_t size, offset; /* in the section */
} ref_mercury_unit;

typedef struct ref_lines {
  ref_capsule *capsule;
  size_t section; /* of the SASS module */
  size_t mercury_section;
  ref_bytes output, entries;
  ref_indices *units; /* places of units: in the SASS section and in the output, by turns; or NULL */
  ref_map known;      /* the Mercury module's entries, by place */
  ref_indices *inner; /* by function */
} ref_lines;

/* One operation of the line program; notes where an address stands. Returns false at the end or when it is damaged. */
bool ref_lines_step(const uint8_t *unit, uint64_t size, uint64_t *at, uint64_t *address_at) {
  const uint8_t first_special = unit[FIRST_SPECIAL_AT];
  uint64_t number;
  if (*at >= size) {
    return false;
  }
  const uint8_t code = unit[(*at)++];
  if (code == EXTENDED) { /* RF1006: the size has one byte */
    if (*at >= size || unit[*at] >= size - *at) {
      return false;
    }
    number = unit[(*at)++];
    if (*at < size && unit[*at] == SET_ADDRESS) { /* RF1193: of no length, too, which is nothing else (RF814) */
      *address_at = *at + 1;
    }
    *at += number;
    return true;
  }
  if (code > FIXED_ADVANCE && code >= first_special) {
    return true;
  }
  if (code == FIXED_ADVANCE) {
    *at += 2;
    return *at <= size;
  }
  const uint64_t counts_at =
      (uint64_t)OPERAND_COUNTS_AT + code - 1; /* behind a damaged header's end there is no count */
  if (counts_at >= size) {
    return false;
  }
  const uint8_t count = code < FIXED_ADVANCE ? ref_line_program_operands(code) : unit[counts_at];
  for (uint8_t i = 0; i < count; i++) {
    if (!ref_line_program_number(unit, size, at, &number)) {
      return false;
    }
  }
  return true;
}

static const char *ref_lines_key(ref_link *link, uint64_t offset) {
  return REF_KEY(link, offset);
}

/* The entries that Mercury's side keeps about the table, of each place the one read last (RF815). */
static void ref_lines_list_entries(ref_lines *lines) {
  ref_link *mercury = lines->capsule->mercury;
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (!entry->dropped && entry->target == lines->mercury_section) {
      ref_map_set(mercury, &lines->known, ref_lines_key(mercury, entry->offset), i);
    }
  }
}

static int ref_lines_compare_numbers(const void *left, const void *right) {
  const size_t a = *(const size_t *)left, b = *(const size_t *)right;
  return (a > b) - (a < b);
}

/* L1010: the instructions at which the functions within each function's text begin. */
static void ref_lines_list_inner(ref_lines *lines) {
  ref_link *mercury = lines->capsule->mercury;
  lines->inner = REF_TAKE(mercury, ref_indices, mercury->function_count + 1);
  for (size_t i = 0; i < mercury->function_count; i++) {
    const ref_function *inner = &mercury->functions[i];
    if (ref_inner_is_function(mercury, i) && inner->alias_of < mercury->function_count) {
      const size_t place = ref_units_find(ref_places_units_of_function(lines->capsule, inner->alias_of),
                                          mercury->symbols[inner->symbol].value, false);
      ref_indices_add(mercury, &lines->inner[inner->alias_of], place == REF_NONE ? REF_NONE : place / INSTRUCTION);
    }
  }
  for (size_t i = 0; i < mercury->function_count; i++) {
    if (lines->inner[i].count > 1) {
      qsort(lines->inner[i].items, lines->inner[i].count, sizeof *lines->inner[i].items, ref_lines_compare_numbers);
    }
  }
}

/* RF866: a sequence is Mercury's with its rows in the code of the body that stands (RF142), whatever the SASS side has. Those of a function whose
 * alias stands before it stay where they are (RF131), and so do those of a jump slot that is not the first (RF226). */
static void ref_lines_add_sequence(ref_lines *lines, const uint8_t *unit, const ref_sequence *sequence) {
  ref_link *link = lines->capsule->mercury;
  const ref_indices nothing = {0};
  const size_t function = sequence->entry->function;
  const bool stays = function == REF_NONE || ref_capsule_alias_comes_first(link, function) ||
                     ref_slots_keeps_frame(lines->capsule, function);
  size_t place = 0;
  if (stays) {
    ref_line_rows_write(link, unit, sequence->start, sequence->end, NULL, &nothing, &lines->output, &place);
  } else {
    const ref_places places = ref_places_of_function(lines->capsule, function);
    ref_line_rows_write(link, unit, sequence->start, sequence->end, &places, &lines->inner[function], &lines->output,
                        &place);
  }
  const uint32_t type = ref_data_sass_type(sequence->entry->type, false);
  if (type != 0) {
    ref_capsule_write_entry(lines->capsule, &lines->entries, place, type, sequence->symbol, sequence->entry->addend);
  }
}

static int ref_lines_compare_sequences(const void *left, const void *right) {
  const ref_sequence *a = left, *b = right;
  return a->symbol != b->symbol ? (a->symbol > b->symbol) - (a->symbol < b->symbol)
                                : (a->start > b->start) - (a->start < b->start);
}

/* A sequence without an entry about its address is none. */
static void ref_lines_close(const ref_lines *lines, const ref_mercury_unit *unit, const ref_sequence *sequence,
                            uint64_t end, ref_sequences *list) {
  ref_link *link = lines->capsule->mercury;
  const size_t known = ref_map_find(&lines->known, ref_lines_key(link, unit->offset + sequence->address_at));
  if (sequence->address_at == 0 || known == REF_NONE) {
    return;
  }
  list->items = ref_memory_grow(link, list->items, list->count, &list->capacity, sizeof *list->items);
  ref_sequence *added = &list->items[list->count++];
  *added = *sequence;
  added->end = end;
  added->entry = &link->relocations[known];
  added->symbol = ref_symbol_index(link, added->entry->symbol);
}

/* RF1006, RF1057: nvlink ends so over two sequences of a function in a unit of its output. */
static void ref_lines_check_sequences(const ref_lines *lines, const ref_sequences *list) {
  for (size_t i = 1; i < list->count; i++) {
    if (list->items[i].symbol == list->items[i - 1].symbol) {
      ref_link *link = lines->capsule->mercury;
      ref_message_add(link, REF_FATAL, "RF1006", "Duplicate debug line sequence for a section found");
      ref_message_fatal(link, "E91", "Internal FNLZR error '%s'", link->job->options.values[REF_OPTION_OUTPUT]);
    }
  }
}

/* The sequences of a unit, sorted by symbol; equal ones stay in their order. RF814: an address begins a sequence; RF1006: nothing else ends one. */
static ref_sequences ref_lines_list_sequences(const ref_lines *lines, const ref_mercury_unit *unit, uint64_t program) {
  ref_sequence next = {.start = program};
  ref_sequences list = {0};
  uint64_t at = program, before = program, address_at = 0;
  while (ref_lines_step(unit->bytes, unit->size, &at, &address_at)) {
    const uint8_t code = unit->bytes[before];
    if (next.address_at == 0 && (code == COPY || (code > FIXED_ADVANCE && code >= unit->bytes[FIRST_SPECIAL_AT]))) {
      ref_message_fatal(lines->capsule->mercury, "RF1006",
                        "a row of a line table belongs to no sequence, over which nvlink ends by a signal");
    }
    if (address_at != 0) {
      ref_lines_close(lines, unit, &next, before, &list);
      next = (ref_sequence){.start = before, .address_at = address_at};
    }
    address_at = 0;
    before = at;
  }
  ref_lines_close(lines, unit, &next, before, &list);
  if (list.count > 1) {
    qsort(list.items, list.count, sizeof *list.items, ref_lines_compare_sequences);
  }
  ref_lines_check_sequences(lines, &list);
  return list;
}

static void ref_lines_add_unit(ref_lines *lines, const ref_mercury_unit *unit) {
  ref_link *link = lines->capsule->mercury;
  const uint64_t program = PROGRAM_AT + (uint64_t)ref_u32(unit->bytes + HEADER_LENGTH_AT);
  if (program > unit->size || unit->bytes[FIRST_SPECIAL_AT] + (uint64_t)OPERAND_COUNTS_AT > program) {
    ref_message_fatal(link, "D40", "a unit of '%s' has a header of %llu bytes",
                      link->sections[lines->mercury_section].name, (unsigned long long)program);
  }
  const ref_sequences sequences = ref_lines_list_sequences(lines, unit, program);
  const size_t start = lines->output.size;
  ref_bytes_add(link, &lines->output, unit->bytes, (size_t)program);
  for (size_t i = 0; i < sequences.count; i++) {
    ref_lines_add_sequence(lines, unit->bytes, &sequences.items[i]);
  }
  ref_put_u32(lines->output.data + start, (uint32_t)(lines->output.size - start - LENGTH_BYTES));
}

/* Where the unit at `place` of Mercury's section begins in the output. */
static void ref_lines_note_unit(ref_lines *lines, uint64_t place) {
  if (lines->units != NULL) {
    ref_indices_add(lines->capsule->mercury, lines->units, (size_t)place);
    ref_indices_add(lines->capsule->mercury, lines->units, lines->output.size);
  }
}

/* Of one input section of each side. */
static void ref_lines_add_units(ref_lines *lines, const ref_out_section *mercury, uint64_t other, uint64_t other_end) {
  if (other_end > mercury->data.size) { /* a table of a type without bytes */
    ref_message_fatal(lines->capsule->mercury, "D40", "section '%s' has no bytes", mercury->name);
  }
  while (other_end - other >= SMALLEST_UNIT) {
    const uint8_t *header = mercury->data.data + other;
    const uint64_t size = LENGTH_BYTES + (uint64_t)ref_u32(header);
    if (size > other_end - other || size < SMALLEST_UNIT) {
      ref_message_fatal(lines->capsule->mercury, "D40", "section '%s' is damaged at 0x%llx", mercury->name,
                        (unsigned long long)other);
    }
    ref_lines_note_unit(lines, other);
    ref_lines_add_unit(lines, &(ref_mercury_unit){header, size, other});
    other += size;
  }
}

static bool ref_lines_has_section(const ref_file *file, size_t section) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    if (file->section_of[i] == section) {
      return true;
    }
  }
  return false;
}

/* The section's bytes; its relocations are left in *entries, the places of its units in *units. */
ref_bytes ref_capsule_lines(ref_capsule *capsule, size_t section, ref_bytes *entries, ref_indices *units) {
  const ref_link *sass = capsule->sass, *mercury = capsule->mercury;
  ref_lines lines = {.capsule = capsule,
                     .section = ref_capsule_sass_section(capsule, section),
                     .units = units,
                     .mercury_section = section};
  if (lines.section == REF_NONE) {
    return lines.output;
  }
  ref_lines_list_entries(&lines);
  ref_lines_list_inner(&lines);
  for (size_t i = 0; i < sass->file_count; i++) {
    if (!ref_lines_has_section(&sass->files[i], lines.section)) {
      continue;
    }
    for (uint32_t m = 1; m < mercury->files[i].cubin.section_count; m++) {
      if (mercury->files[i].section_of[m] == section) {
        const uint64_t other = mercury->files[i].offset_in[m];
        ref_lines_add_units(&lines, &mercury->sections[section], other,
                            other + mercury->files[i].cubin.sections[m].size);
      }
    }
  }
  *entries = lines.entries;
  return lines.output;
}

/* RF829: of type 8 about the line table itself: the place of a unit (L768). */
static bool ref_lines_are_named(const ref_link *mercury, const ref_out_relocation *entry, size_t lines) {
  return entry->type == REF_MERCURY_PLACE_32 && entry->symbol != REF_NONE && lines != REF_NONE &&
         mercury->symbols[entry->symbol].type == REF_SYMBOL_SECTION && mercury->symbols[entry->symbol].section == lines;
}

bool ref_lines_are_named_by(const ref_link *mercury, const ref_out_relocation *entry) {
  return ref_lines_are_named(mercury, entry, ref_map_find(&mercury->section_by_name, ".debug_line"));
}

/* Where a unit of the joined inputs is in the output. */
static uint64_t ref_lines_place(const ref_indices *units, uint64_t place) {
  for (size_t k = 0; k + 1 < units->count; k += 2) {
    if (units->items[k] == place) {
      return units->items[k + 1];
    }
  }
  return place;
}

/* RF130: `.debug_info` says where in `.debug_line` a unit's lines are, which are fewer on the SASS side. RF224: with -r its entry says
 * it, and the field stays. RF829: all else is Mercury's. */
ref_bytes ref_capsule_debug_info(ref_capsule *capsule, size_t section) {
  ref_link *mercury = capsule->mercury;
  const size_t lines = ref_map_find(&mercury->section_by_name, ".debug_line");
  ref_bytes output = {0}, entries = {0};
  ref_indices units = {0};
  ref_bytes_add(mercury, &output, mercury->sections[section].data.data, mercury->sections[section].data.size);
  if (lines == REF_NONE || mercury->relocatable) {
    return output;
  }
  (void)ref_capsule_lines(capsule, lines, &entries, &units);
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (entry->target == section && !entry->dropped && ref_lines_are_named(mercury, entry, lines) && output.size >= 4 &&
        entry->offset <= output.size - 4) {
      ref_put_u32(output.data + entry->offset, (uint32_t)ref_lines_place(&units, (uint64_t)entry->addend));
    }
  }
  return output;
}

/* RF224, RF829: with -r the entries of Mercury's that say places of units, as one of the SASS side each. */
ref_bytes ref_capsule_debug_info_entries(ref_capsule *capsule, size_t section) {
  ref_link *mercury = capsule->mercury;
  const size_t lines = ref_map_find(&mercury->section_by_name, ".debug_line");
  ref_bytes output = {0}, entries = {0};
  ref_indices units = {0};
  ref_known_places known = {.function = REF_NONE};
  if (lines != REF_NONE && mercury->relocatable) {
    (void)ref_capsule_lines(capsule, lines, &entries, &units);
  }
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (entry->target != section || entry->dropped) {
      continue;
    }
    if (mercury->relocatable && ref_lines_are_named(mercury, entry, lines)) {
      ref_capsule_write_entry(capsule, &output, entry->offset, 1, ref_symbol_index(mercury, entry->symbol),
                              (int64_t)ref_lines_place(&units, (uint64_t)entry->addend));
    } else {
      ref_capsule_shared_entry(capsule, entry, &known, &output);
    }
  }
  return output;
}
