/* SASS `.debug_line` and `.nv_debug_line_sass` of a capsule link: M25, M21. Of each unit the header comes from the Mercury
 * view, the sequences from the SASS view: those of live functions, in the order of the output's symbols. */
#include "capsule.h"
#include "line_program.h"

#include <string.h>

enum { LENGTH_BYTES = 4, HEADER_LENGTH_AT = 6, PROGRAM_AT = 10, SMALLEST_UNIT = OPERAND_COUNTS_AT + 1 };

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
} ref_lines;

/* One operation of the line program; notes where an address stands. Returns false at the end or when it is damaged. */
static bool ref_lines_step(const uint8_t *unit, uint64_t size, uint64_t *at, uint64_t *address_at, bool *ends) {
  const uint8_t first_special = unit[FIRST_SPECIAL_AT];
  uint64_t number;
  *ends = false;
  if (*at >= size) {
    return false;
  }
  const uint8_t code = unit[(*at)++];
  if (code == EXTENDED) {
    if (!ref_line_program_number(unit, size, at, &number) || number == 0 || number > size - *at) {
      return false;
    }
    if (unit[*at] == SET_ADDRESS) {
      *address_at = *at + 1;
    }
    *ends = unit[*at] == END_SEQUENCE;
    *at += number;
    return true;
  }
  if (code >= first_special) {
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
  for (uint8_t i = 0; i < unit[counts_at]; i++) {
    if (!ref_line_program_number(unit, size, at, &number)) {
      return false;
    }
  }
  return true;
}

/* The entry that the SASS module keeps at this place. */
static const ref_out_relocation *ref_lines_find_entry(const ref_lines *lines, uint64_t offset) {
  const ref_link *sass = lines->capsule->sass;
  for (size_t i = 0; i < sass->relocation_count; i++) {
    const ref_out_relocation *entry = &sass->relocations[i];
    if (!entry->dropped && entry->target == lines->section && entry->offset == offset) {
      return entry;
    }
  }
  return NULL;
}

/* The function of a sequence of the Mercury unit, by the entry of its address; REF_NONE when there is none. */
static size_t ref_lines_mercury_function(const ref_lines *lines, uint64_t offset) {
  const ref_link *mercury = lines->capsule->mercury;
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (!entry->dropped && entry->target == lines->mercury_section && entry->offset == offset) {
      return entry->function;
    }
  }
  return REF_NONE;
}

/* RF131, RF142: the function's sequence of the Mercury unit, row by row. False when the unit has none. */
static bool ref_lines_add_mercury_sequence(ref_lines *lines, const ref_mercury_unit *other, size_t function,
                                           const ref_places *places, size_t *place) {
  uint64_t at = PROGRAM_AT + (uint64_t)ref_u32(other->bytes + HEADER_LENGTH_AT), start = at, address_at = 0;
  bool ends;
  while (ref_lines_step(other->bytes, other->size, &at, &address_at, &ends)) {
    if (ends && ref_lines_mercury_function(lines, other->offset + address_at) == function) {
      ref_line_rows_write(lines->capsule->mercury, other->bytes, start, at, places, &lines->output, place);
      return true;
    }
    start = ends ? at : start;
    address_at = ends ? 0 : address_at;
  }
  return false;
}

/* L868: a second name stands before the function in its file, where an earlier link has left the rows as they are in the Mercury view. */
static bool ref_lines_were_left(const ref_link *sass, const ref_function *function) {
  const ref_file *file = &sass->files[function->definition_file];
  const ref_symbol *symbols = file->cubin.symbols, *own = &symbols[function->definition_symbol];
  for (size_t i = 1; i < function->definition_symbol; i++) {
    if ((symbols[i].info & 15) == REF_SYMBOL_FUNC && symbols[i].section == own->section &&
        symbols[i].value == own->value) {
      return true;
    }
  }
  return false;
}

/* A body that lost or was replaced has its rows in the code of the one that stands (RF142), and so has one that an alias leads (L807); those
 * of a function whose alias stands before it stay where they are (RF131), and so do those of a jump slot that is not the first (RF226). */
static bool ref_lines_add_other_rows(ref_lines *lines, const ref_out_relocation *entry, const ref_mercury_unit *other,
                                     size_t *place) {
  const size_t function = entry->function;
  if (function == REF_NONE) {
    return false;
  }
  if (ref_capsule_alias_comes_first(lines->capsule->mercury, function) ||
      ref_slots_keeps_frame(lines->capsule, function)) {
    return ref_lines_add_mercury_sequence(lines, other, function, NULL, place);
  }
  const ref_function *standing = &lines->capsule->sass->functions[function];
  if (standing->definition_file == entry->file && standing->leads == REF_NONE &&
      !ref_lines_were_left(lines->capsule->sass, standing)) {
    return false;
  }
  const ref_places places = ref_places_of_function(lines->capsule, function);
  return ref_lines_add_mercury_sequence(lines, other, function, &places, place);
}

/* RF226: the sequence with a longer advance in front of its end. */
static void ref_lines_add_longer(ref_lines *lines, const uint8_t *unit, const ref_sequence *sequence, uint64_t more) {
  ref_link *link = lines->capsule->mercury;
  uint64_t at = sequence->start, before = at, last = at, address_at = 0, advance;
  bool ends = false;
  while (!ends && ref_lines_step(unit, sequence->end, &at, &address_at, &ends)) {
    last = ends ? last : before;
    before = ends ? before : at;
  }
  uint64_t operand = last + 1;
  if (unit[last] != ADVANCE_ADDRESS || !ref_line_program_number(unit, before, &operand, &advance)) {
    ref_message_fatal(link, "RF226", "the line rows of a jump slot end without an advance");
  }
  ref_bytes_add(link, &lines->output, unit + sequence->start, (size_t)(last + 1 - sequence->start));
  for (advance += more; advance >= 0x80; advance >>= 7) {
    const uint8_t byte = (uint8_t)(advance | 0x80);
    ref_bytes_add(link, &lines->output, &byte, 1);
  }
  const uint8_t byte = (uint8_t)advance;
  ref_bytes_add(link, &lines->output, &byte, 1);
  ref_bytes_add(link, &lines->output, unit + before, (size_t)(sequence->end - before));
}

static void ref_lines_add_sequence(ref_lines *lines, const uint8_t *unit, const ref_sequence *sequence,
                                   const ref_mercury_unit *other) {
  ref_link *link = lines->capsule->mercury;
  size_t place = lines->output.size + (size_t)(sequence->address_at - sequence->start);
  const uint64_t more = ref_slots_rows_behind(lines->capsule, sequence->entry->function);
  if (ref_lines_add_other_rows(lines, sequence->entry, other, &place)) {
    /* of the Mercury view */
  } else if (more != 0) {
    ref_lines_add_longer(lines, unit, sequence, more);
  } else {
    ref_bytes_add(link, &lines->output, unit + sequence->start, (size_t)(sequence->end - sequence->start));
  }
  ref_bytes_add_u64(link, &lines->entries, place);
  ref_bytes_add_u32(link, &lines->entries, sequence->entry->type);
  ref_bytes_add_u32(link, &lines->entries, sequence->symbol);
  ref_bytes_add_u64(link, &lines->entries, (uint64_t)sequence->entry->addend);
}

/* The sequences of a unit, sorted by symbol; equal ones stay in their order. */
static ref_sequences ref_lines_list_sequences(const ref_lines *lines, const uint8_t *unit, uint64_t program,
                                              uint64_t size, uint64_t offset) {
  ref_sequence next = {.start = program};
  ref_sequences list = {0};
  uint64_t at = program;
  bool ends;
  while (ref_lines_step(unit, size, &at, &next.address_at, &ends)) {
    if (!ends) {
      continue;
    }
    next.end = at;
    next.entry = ref_lines_find_entry(lines, offset + next.address_at);
    if (next.entry != NULL) {
      next.symbol = ref_capsule_symbol_index(lines->capsule, next.entry->symbol);
      list.items = ref_memory_grow(lines->capsule->mercury, list.items, list.count, &list.capacity, sizeof *list.items);
      size_t place = list.count++;
      while (place > 0 && list.items[place - 1].symbol > next.symbol) {
        list.items[place] = list.items[place - 1];
        place--;
      }
      list.items[place] = next;
    }
    next = (ref_sequence){.start = at};
  }
  return list;
}

/* `offset` is the unit's place in the SASS section, `other` the same unit of the Mercury section. */
static void ref_lines_add_unit(ref_lines *lines, const uint8_t *unit, uint64_t size, uint64_t offset,
                               const ref_mercury_unit *other) {
  ref_link *link = lines->capsule->mercury;
  const uint64_t program = PROGRAM_AT + (uint64_t)ref_u32(unit + HEADER_LENGTH_AT);
  if (program > size || unit[FIRST_SPECIAL_AT] + (uint64_t)OPERAND_COUNTS_AT > program) {
    ref_message_fatal(link, "D40", "a unit of '%s' has a header of %llu bytes",
                      lines->capsule->sass->sections[lines->section].name, (unsigned long long)program);
  }
  const ref_sequences sequences = ref_lines_list_sequences(lines, unit, program, size, offset);
  const size_t start = lines->output.size;
  ref_bytes_add(link, &lines->output, other->bytes, (size_t)program);
  for (size_t i = 0; i < sequences.count; i++) {
    ref_lines_add_sequence(lines, unit, &sequences.items[i], other);
  }
  ref_put_u32(lines->output.data + start, (uint32_t)(lines->output.size - start - LENGTH_BYTES));
}

/* Both views of one input section have the same units with the same headers. */
static void ref_lines_add_units(ref_lines *lines, const ref_out_section *sass, uint64_t at, uint64_t end,
                                const ref_out_section *mercury, uint64_t other, uint64_t other_end) {
  if (end > sass->data.size || other_end > mercury->data.size) { /* a table of a type without bytes */
    ref_message_fatal(lines->capsule->mercury, "D40", "section '%s' has no bytes", sass->name);
  }
  while (end - at >= SMALLEST_UNIT && other_end - other >= SMALLEST_UNIT) {
    const uint8_t *unit = sass->data.data + at, *header = mercury->data.data + other;
    const uint64_t size = LENGTH_BYTES + (uint64_t)ref_u32(unit), other_size = LENGTH_BYTES + (uint64_t)ref_u32(header);
    const uint64_t program = PROGRAM_AT + (uint64_t)ref_u32(unit + HEADER_LENGTH_AT);
    if (size > end - at || other_size > other_end - other || program > other_size || size < SMALLEST_UNIT) {
      ref_message_fatal(lines->capsule->mercury, "D40", "section '%s' is damaged at 0x%llx", sass->name,
                        (unsigned long long)at);
    }
    if (lines->units != NULL) {
      ref_indices_add(lines->capsule->mercury, lines->units, (size_t)at);
      ref_indices_add(lines->capsule->mercury, lines->units, lines->output.size);
    }
    ref_lines_add_unit(lines, unit, size, at, &(ref_mercury_unit){header, other_size, other});
    at += size;
    other += other_size;
  }
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
  for (size_t i = 0; i < sass->file_count; i++) {
    for (uint32_t k = 1; k < sass->files[i].cubin.section_count; k++) {
      if (sass->files[i].section_of[k] != lines.section) {
        continue;
      }
      for (uint32_t m = 1; m < mercury->files[i].cubin.section_count; m++) {
        if (mercury->files[i].section_of[m] == section) {
          const uint64_t at = sass->files[i].offset_in[k], other = mercury->files[i].offset_in[m];
          ref_lines_add_units(&lines, &sass->sections[lines.section], at, at + sass->files[i].cubin.sections[k].size,
                              &mercury->sections[section], other, other + mercury->files[i].cubin.sections[m].size);
        }
      }
    }
  }
  *entries = lines.entries;
  return lines.output;
}

static bool ref_lines_are_named(const ref_link *sass, const ref_out_relocation *entry, size_t target, size_t lines) {
  return entry->target == target && entry->symbol != REF_NONE &&
         sass->symbols[entry->symbol].type == REF_SYMBOL_SECTION && sass->symbols[entry->symbol].section == lines;
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
 * it, and the field stays. */
ref_bytes ref_capsule_debug_info(ref_capsule *capsule, size_t number) {
  ref_link *sass = capsule->sass;
  const size_t lines = ref_map_find(&capsule->mercury->section_by_name, ".debug_line");
  ref_bytes output = {0}, entries = {0};
  ref_indices units = {0};
  ref_bytes_add(capsule->mercury, &output, sass->sections[number].data.data, sass->sections[number].data.size);
  if (lines == REF_NONE) {
    return output;
  }
  (void)ref_capsule_lines(capsule, lines, &entries, &units);
  for (size_t i = 0; i < sass->relocation_count; i++) {
    ref_out_relocation *entry = &sass->relocations[i];
    if (!ref_lines_are_named(sass, entry, number, ref_capsule_sass_section(capsule, lines)) || output.size < 4 ||
        entry->offset > output.size - 4) {
      continue;
    }
    if (entry->dropped) {
      uint8_t *at = output.data + entry->offset;
      ref_put_u32(at, (uint32_t)ref_lines_place(&units, ref_u32(at)));
    } else {
      entry->addend = (int64_t)ref_lines_place(&units, (uint64_t)entry->addend);
    }
  }
  return output;
}
