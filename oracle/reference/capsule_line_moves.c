/* Line tables of a SASS text whose instructions moved (M43): the address of every row is given anew. Operations whose advance
 * stays are copied as they are; one that became short is written as nvlink writes such rows (RF466). DWARF 2 line programs;
 * opcodes by number. Where a file has several tables, those behind one that became longer move, and with them what `.debug_info`
 * names (L894). */
#include "capsule.h"
#include "line_program.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 4, HEADER_LENGTH_AT = 6, PROGRAM_AT = 10, ENTRY_BYTES = 24 };

typedef struct ref_line_moves {
  ref_link *link;
  const ref_cubin *cubin;
  const ref_moves *moves;
  uint32_t text;
  const ref_section *section;
  ref_section *relocations;
  uint8_t *entries; /* a copy of the relocations, with new offsets */
  ref_bytes output;
  const uint8_t *unit; /* header of the unit */
  uint64_t old, now;   /* addresses in the sequence */
  bool is_moved;       /* the sequence is of this text */
  size_t last, before; /* where the output of this operation begins, and that of the one in front of it */
  ref_indices units;   /* for each its old place and its new one */
} ref_line_moves;

static void ref_line_moves_byte(ref_line_moves *lines, unsigned value) {
  const uint8_t byte = (uint8_t)value;
  ref_bytes_add(lines->link, &lines->output, &byte, 1);
}

/* RF129: as a signed number, so that 0x40 to 0x7f take two bytes. */
static void ref_line_moves_number(ref_line_moves *lines, uint64_t value) {
  while (value > 0x3f) {
    ref_line_moves_byte(lines, (unsigned)(value & 0x7f) | 0x80);
    value >>= 7;
  }
  ref_line_moves_byte(lines, (unsigned)value);
}

/* The line advance of a special operation: a small number. */
static void ref_line_moves_signed(ref_line_moves *lines, int value) {
  ref_line_moves_byte(lines, ADVANCE_LINE);
  ref_line_moves_byte(lines, (unsigned)value & 0x7f);
}

/* The new advance of an operation that advanced the address by so much. */
static uint64_t ref_line_moves_advance(ref_line_moves *lines, uint64_t advance) {
  const uint64_t instruction = 16;
  lines->old += advance;
  const uint64_t number = lines->old / instruction;
  uint64_t place = lines->old;
  if (lines->is_moved && number <= lines->moves->count) {
    place = lines->moves->start[number] * instruction + lines->old % instruction;
  }
  const uint64_t changed = place - lines->now;
  lines->now = place;
  return changed;
}

/* True when the operation was written anew. */
static bool ref_line_moves_special(ref_line_moves *lines, unsigned code) {
  const unsigned first = lines->unit[FIRST_SPECIAL_AT], range = lines->unit[LINE_RANGE_AT];
  const uint64_t advance = (uint64_t)((code - first) / range) * lines->unit[UNIT_AT];
  const uint64_t changed = ref_line_moves_advance(lines, advance);
  if (changed == advance) {
    return false;
  }
  const int line = (int)(int8_t)lines->unit[LINE_BASE_AT] + (int)((code - first) % range);
  if (line != 0) {
    ref_line_moves_signed(lines, line);
  }
  ref_line_moves_byte(lines, ADVANCE_ADDRESS);
  ref_line_moves_number(lines, changed / lines->unit[UNIT_AT]);
  ref_line_moves_byte(lines, COPY);
  return true;
}

/* `at` is where the address stands: its entry moves there and says whose sequence it is. */
static void ref_line_moves_begin(ref_line_moves *lines, uint64_t at, uint64_t now) {
  lines->old = 0;
  lines->now = 0;
  lines->is_moved = false;
  for (uint64_t i = 0; i + ENTRY_BYTES <= lines->relocations->size; i += ENTRY_BYTES) {
    const uint32_t symbol = ref_u32(lines->relocations->data + i + 12);
    if (ref_u64(lines->relocations->data + i) == at && symbol < lines->cubin->symbol_count) {
      ref_put_u64(lines->entries + i, now);
      lines->is_moved = lines->is_moved || lines->cubin->symbols[symbol].section == lines->text;
    }
  }
}

static bool ref_line_moves_extended(ref_line_moves *lines, uint64_t start, uint64_t *at) {
  uint64_t size;
  if (!ref_line_program_number(lines->section->data, lines->section->size, at, &size) || size == 0 ||
      size > lines->section->size - *at) {
    return false;
  }
  const uint64_t body = *at;
  if (lines->section->data[body] == SET_ADDRESS) {
    ref_line_moves_begin(lines, body + 1, lines->output.size + (body + 1 - start));
  }
  *at += size;
  ref_bytes_add(lines->link, &lines->output, lines->section->data + start, (size_t)(*at - start));
  return true;
}

/* RF466: an advance that became so small that one byte holds it, and the line with it, has that byte for the whole row. True when
 * it was written; `at` is behind the row then. */
static bool ref_line_moves_short(ref_line_moves *lines, uint64_t changed, uint64_t *at) {
  const unsigned first = lines->unit[FIRST_SPECIAL_AT], range = lines->unit[LINE_RANGE_AT];
  const uint8_t *before = lines->output.data + lines->before;
  const bool is_row = lines->last == lines->before + 2 && before[0] == ADVANCE_LINE && *at < lines->section->size &&
                      lines->section->data[*at] == COPY;
  const int line = is_row ? (before[1] ^ 0x40) - 0x40 : 0;
  const int above = line - (int)(int8_t)lines->unit[LINE_BASE_AT];
  const uint64_t code = first + changed / lines->unit[UNIT_AT] * range + (unsigned)above;
  if (line == 0 || changed == 0 || above < 0 || above >= (int)range || code > LARGEST_SPECIAL) {
    return false;
  }
  lines->output.size = lines->before;
  ref_line_moves_byte(lines, (unsigned)code);
  *at += 1;
  return true;
}

/* Operations with operands: LEB128 numbers, as many as the header says. */
static bool ref_line_moves_standard(ref_line_moves *lines, unsigned code, uint64_t start, uint64_t *at) {
  uint64_t number = 0;
  for (unsigned i = 0; i < lines->unit[OPERAND_COUNTS_AT + code - 1]; i++) {
    if (!ref_line_program_number(lines->section->data, lines->section->size, at, &number)) {
      return false;
    }
  }
  const unsigned unit = lines->unit[UNIT_AT];
  if (code == CONSTANT_ADVANCE) {
    number = ((unsigned)LARGEST_SPECIAL - lines->unit[FIRST_SPECIAL_AT]) / lines->unit[LINE_RANGE_AT];
  }
  if (code == ADVANCE_ADDRESS || code == CONSTANT_ADVANCE) {
    const uint64_t changed = ref_line_moves_advance(lines, number * unit);
    if (changed != number * unit && ref_line_moves_short(lines, changed, at)) {
      return true;
    }
    if (changed != number * unit) {
      ref_line_moves_byte(lines, ADVANCE_ADDRESS);
      ref_line_moves_number(lines, changed / unit);
      return true;
    }
  }
  ref_bytes_add(lines->link, &lines->output, lines->section->data + start, (size_t)(*at - start));
  return true;
}

static bool ref_line_moves_step(ref_line_moves *lines, uint64_t *at) {
  const uint64_t start = *at;
  const unsigned code = lines->section->data[(*at)++];
  lines->before = lines->last;
  lines->last = lines->output.size;
  if (code == EXTENDED) {
    return ref_line_moves_extended(lines, start, at);
  }
  if (code >= lines->unit[FIRST_SPECIAL_AT]) {
    if (!ref_line_moves_special(lines, code)) {
      ref_line_moves_byte(lines, code);
    }
    return true;
  }
  if (code == FIXED_ADVANCE) {
    if (lines->section->size - *at < 2) {
      return false;
    }
    const uint64_t changed = ref_line_moves_advance(lines, ref_u16(lines->section->data + *at));
    ref_line_moves_byte(lines, code);
    ref_line_moves_byte(lines, (unsigned)changed & 0xff);
    ref_line_moves_byte(lines, (unsigned)(changed >> 8) & 0xff);
    *at += 2;
    return true;
  }
  return ref_line_moves_standard(lines, code, start, at);
}

static bool ref_line_moves_unit(ref_line_moves *lines, uint64_t *at) {
  const ref_section *section = lines->section;
  const size_t start = lines->output.size;
  if (section->size - *at <= OPERAND_COUNTS_AT) {
    return false;
  }
  lines->unit = section->data + *at;
  const uint64_t end = *at + LENGTH_BYTES + ref_u32(lines->unit);
  const uint64_t program = *at + PROGRAM_AT + ref_u32(lines->unit + HEADER_LENGTH_AT);
  if (end > section->size || program > end || lines->unit[LINE_RANGE_AT] == 0 || lines->unit[UNIT_AT] == 0 ||
      *at + OPERAND_COUNTS_AT + lines->unit[FIRST_SPECIAL_AT] > program) {
    return false;
  }
  ref_indices_add(lines->link, &lines->units, (size_t)*at);
  ref_indices_add(lines->link, &lines->units, start);
  ref_bytes_add(lines->link, &lines->output, lines->unit, (size_t)(program - *at));
  *at = program;
  while (*at < end) {
    if (!ref_line_moves_step(lines, at)) {
      return false;
    }
  }
  ref_put_u32(lines->output.data + start, (uint32_t)(lines->output.size - start - LENGTH_BYTES));
  return *at == end;
}

static int ref_line_moves_compare(const void *a, const void *b) {
  return ref_order(*(const size_t *)a, *(const size_t *)b);
}

/* Entries of `.debug_info` against this table: their addends are places of units. */
static void ref_line_moves_entries(const ref_line_moves *lines, ref_section *section, uint32_t table) {
  ref_bytes copy = {0};
  ref_bytes_add(lines->link, &copy, section->data, (size_t)section->size);
  for (uint64_t i = 0; i + ENTRY_BYTES <= section->size; i += ENTRY_BYTES) {
    const uint32_t number = ref_u32(copy.data + i + 12);
    const ref_symbol *symbol = number < lines->cubin->symbol_count ? &lines->cubin->symbols[number] : NULL;
    const size_t place = (size_t)ref_u64(copy.data + i + 16);
    if (symbol == NULL || (symbol->info & 15) != REF_SYMBOL_SECTION || symbol->section != table) {
      continue;
    }
    const size_t *unit = bsearch(&place, lines->units.items, lines->units.count / 2, 2 * sizeof *lines->units.items,
                                 ref_line_moves_compare);
    if (unit != NULL) {
      ref_put_u64(copy.data + i + 16, unit[1]);
    }
  }
  section->data = copy.data;
}

static void ref_line_moves_info(const ref_line_moves *lines, ref_cubin *cubin, uint32_t table) {
  for (uint32_t i = 1; i < cubin->section_count && lines->units.count > 2; i++) {
    ref_section *section = &cubin->sections[i];
    const bool is_info = section->type == REF_TYPE_RELA && section->data != NULL &&
                         section->info < cubin->section_count &&
                         REF_IS(cubin->sections[section->info].name, ".debug_info");
    if (is_info) {
      ref_line_moves_entries(lines, section, table);
    }
  }
}

/* A damaged table stays as it is. */
void ref_line_moves_apply(ref_link *link, ref_cubin *cubin, uint32_t text, const ref_moves *moves,
                          ref_section *relocations) {
  ref_section *section = &cubin->sections[relocations->info];
  ref_bytes entries = {0};
  if (section->data == NULL) {
    return;
  }
  ref_bytes_add(link, &entries, relocations->data, (size_t)relocations->size);
  ref_line_moves lines = {.link = link,
                          .cubin = cubin,
                          .moves = moves,
                          .text = text,
                          .section = section,
                          .relocations = relocations,
                          .entries = entries.data};
  uint64_t at = 0;
  while (at < section->size) {
    if (!ref_line_moves_unit(&lines, &at)) {
      return;
    }
  }
  ref_line_moves_info(&lines, cubin, relocations->info);
  relocations->data = entries.data;
  section->data = lines.output.data;
  section->size = lines.output.size;
}
