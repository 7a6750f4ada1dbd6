/* A sequence of a Mercury line table written again row by row, as nvlink does for a function whose alias stands before it: the
 * rows keep their decoded places, the sequence ends with its last row (RF131). DWARF 2 line programs; opcodes by number. */
#include "capsule.h"
#include "line_program.h"

typedef struct ref_line_rows {
  ref_link *link;
  const uint8_t *unit;
  uint64_t at, end;
  uint64_t address; /* since the last row, in smallest instructions */
  int64_t line;     /* since the last row */
  ref_bytes *output;
  size_t *address_at;
} ref_line_rows;

static uint64_t ref_line_rows_number(ref_line_rows *rows, bool is_signed) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte = 0x80;
  while (rows->at < rows->end && (byte & 0x80) != 0) {
    byte = rows->unit[rows->at++];
    value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
    shift += 7;
  }
  return is_signed && shift < 64 && (byte & 0x40) != 0 ? value | UINT64_MAX << shift : value;
}

static void ref_line_rows_put(ref_line_rows *rows, uint8_t code, int64_t value) {
  const int64_t sign = value < 0 ? -1 : 0;
  ref_bytes_add(rows->link, rows->output, &code, 1);
  for (bool more = true; more;) {
    uint8_t byte = (uint8_t)((uint64_t)value & 0x7f);
    value = (value - byte) / 0x80; /* rounded down: the low bits are gone */
    more = value != sign || ((byte & 0x40) != 0) != (sign != 0);
    byte |= more ? 0x80 : 0;
    ref_bytes_add(rows->link, rows->output, &byte, 1);
  }
}

/* A special operation where the row fits one. */
static void ref_line_rows_emit(ref_line_rows *rows) {
  const unsigned range = rows->unit[LINE_RANGE_AT], first = rows->unit[FIRST_SPECIAL_AT];
  const int64_t line = rows->line - (int8_t)rows->unit[LINE_BASE_AT];
  const uint8_t copy = COPY;
  if (line >= 0 && line < range && rows->address <= LARGEST_SPECIAL &&
      (uint64_t)line + range * rows->address + first <= LARGEST_SPECIAL) {
    const uint8_t special = (uint8_t)((uint64_t)line + range * rows->address + first);
    ref_bytes_add(rows->link, rows->output, &special, 1);
  } else {
    if (rows->line != 0) {
      ref_line_rows_put(rows, ADVANCE_LINE, rows->line);
    }
    if (rows->address != 0) {
      ref_line_rows_put(rows, ADVANCE_ADDRESS, (int64_t)(rows->address & INT64_MAX));
    }
    ref_bytes_add(rows->link, rows->output, &copy, 1);
  }
  rows->address = 0;
  rows->line = 0;
}

/* Only the address and the end stay of the extended ones. */
static void ref_line_rows_extended(ref_line_rows *rows, uint64_t start) {
  const uint64_t size = ref_line_rows_number(rows, false);
  if (size == 0 || size > rows->end - rows->at) {
    rows->at = rows->end;
    return;
  }
  const uint8_t code = rows->unit[rows->at];
  if (code == SET_ADDRESS) {
    *rows->address_at = rows->output->size + (size_t)(rows->at + 1 - start);
  }
  rows->at += size;
  if (code == SET_ADDRESS || code == END_SEQUENCE) {
    ref_bytes_add(rows->link, rows->output, rows->unit + start, (size_t)(rows->at - start));
  }
}

static void ref_line_rows_standard(ref_line_rows *rows, uint8_t code, uint64_t start) {
  const unsigned constant =
      (LARGEST_SPECIAL - (unsigned)rows->unit[FIRST_SPECIAL_AT]) / (unsigned)rows->unit[LINE_RANGE_AT];
  switch (code) {
  case COPY:
    ref_line_rows_emit(rows);
    return;
  case ADVANCE_ADDRESS:
    rows->address += ref_line_rows_number(rows, false);
    return;
  case ADVANCE_LINE:
    rows->line = (int64_t)((uint64_t)rows->line + ref_line_rows_number(rows, true));
    return;
  case CONSTANT_ADVANCE:
    rows->address += constant;
    return;
  case FIXED_ADVANCE:
    rows->address += rows->end - rows->at < 2 ? 0 : ref_u16(rows->unit + rows->at) / rows->unit[UNIT_AT];
    rows->at += 2;
    return;
  default:
    break;
  }
  for (unsigned i = 0; i < rows->unit[OPERAND_COUNTS_AT + code - 1]; i++) {
    (void)ref_line_rows_number(rows, false);
  }
  ref_bytes_add(rows->link, rows->output, rows->unit + start, (size_t)(rows->at - start));
}

/* `address_at` gets the place of the sequence's address in the output. The unit's header was looked at. */
void ref_line_rows_write(ref_link *link, const uint8_t *unit, uint64_t start, uint64_t end, ref_bytes *output,
                         size_t *address_at) {
  ref_line_rows rows = {link, unit, start, end, 0, 0, output, address_at};
  const unsigned first = unit[FIRST_SPECIAL_AT], range = unit[LINE_RANGE_AT];
  while (rows.at < rows.end && range != 0 && unit[UNIT_AT] != 0) {
    const uint64_t from = rows.at;
    const uint8_t code = unit[rows.at++];
    if (code == EXTENDED) {
      ref_line_rows_extended(&rows, from);
    } else if (code >= first) {
      rows.address += (code - first) / range;
      rows.line += (int8_t)unit[LINE_BASE_AT] + (int)((code - first) % range);
      ref_line_rows_emit(&rows);
    } else {
      ref_line_rows_standard(&rows, code, from);
    }
  }
}
