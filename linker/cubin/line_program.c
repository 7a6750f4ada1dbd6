/* The programs of line tables: units and opcodes as nvlink's finalizer reads them (L1491), and what it says of two sequences
 * of a unit whose addresses have entries about one symbol (L1780): it takes the entry's type and addend for nothing, and a
 * sequence without an entry for none. */
#include "cubin/line_program.h"

#include "base/bytes.h"

/* DWARF line number opcodes. */
enum {
  LINE_EXTENDED = 0,
  LINE_COPY = 1,
  LINE_ADVANCE = 2,
  LINE_COLUMN = 5,
  LINE_FIXED = 9,
  LINE_SET_ADDRESS = 2 /* an extended one */
};

/* In a unit: unit_length, version, header_length. */
enum { UNIT_LENGTH = 4, UNIT_HEADER_LENGTH = 6, UNIT_OPCODE_BASE = 14 };

tl_line_found tl_line_next_unit(const uint8_t *bytes, uint64_t size, uint64_t *position, tl_line_unit *unit) {
  const uint64_t at = *position;
  if (at == size)
    return TL_LINE_END;
  if (size - at < TL_LINE_UNIT_LEAST)
    return TL_LINE_SHORT;
  const uint64_t length = UNIT_LENGTH + (uint64_t)tl_get32(bytes + at);
  const uint64_t header = TL_LINE_UNIT_LEAST + (uint64_t)tl_get32(bytes + at + UNIT_HEADER_LENGTH);
  if (length > size - at || header > length)
    return TL_LINE_PAST;
  *unit = (tl_line_unit){at, at + header, at + length};
  *position = unit->end;
  return TL_LINE_UNIT;
}

bool tl_line_has_shape(const tl_line_unit *unit) {
  return unit->program - unit->start > UNIT_OPCODE_BASE;
}

uint8_t tl_line_opcode_base(const uint8_t *bytes, const tl_line_unit *unit) {
  return bytes[unit->start + UNIT_OPCODE_BASE];
}

/* The bytes of a number at a place of `left` bytes; all where it does not end. */
static uint64_t line_number_size(const uint8_t *bytes, uint64_t left) {
  uint64_t size = 0;
  while (size < left && bytes[size] & 0x80)
    size++;
  return size < left ? size + 1 : left;
}

bool tl_line_next_opcode(const uint8_t *bytes, uint64_t end, uint8_t base, uint64_t *at, tl_line_opcode *opcode) {
  enum { FIXED_SIZE = 2, MOST = 63 };
  *opcode = (tl_line_opcode){.start = *at};
  if (*at >= end)
    return false;
  const uint8_t code = bytes[(*at)++];
  opcode->adds_row = code >= base || code == LINE_COPY;
  if (code >= base)
    return true;
  if (code != LINE_EXTENDED) {
    const uint64_t number = code >= LINE_ADVANCE && code <= LINE_COLUMN ? line_number_size(bytes + *at, end - *at) : 0;
    *at += tl_smaller(code == LINE_FIXED ? FIXED_SIZE : number, end - *at);
    return true;
  }
  uint64_t size = 0;
  for (unsigned shift = 0; *at < end; shift += 7) {
    const uint8_t byte = bytes[(*at)++];
    if (shift < MOST)
      size |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      break;
  }
  if (*at == end || size > end - *at)
    return false;
  opcode->operand = *at + 1;
  opcode->sets_address = bytes[*at] == LINE_SET_ADDRESS;
  *at += size;
  return true;
}

static int line_compare_entries(const void *a, const void *b) {
  const tl_line_entry *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->offset, y->offset}, {x->order, y->order}};
  return tl_compare_pairs(pairs, 2);
}

static int line_compare_places(const void *a, const void *b) {
  return tl_compare(((const tl_line_entry *)a)->offset, ((const tl_line_entry *)b)->offset);
}

static int line_compare_symbols(const void *a, const void *b) {
  return tl_compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

void tl_line_sort_entries(tl_line_entries *entries) {
  tl_vector_sort(entries, line_compare_entries);
  size_t kept = 0;
  for (size_t i = 0; i < entries->count; i++)
    if (!kept || entries->items[kept - 1].offset != entries->items[i].offset)
      entries->items[kept++] = entries->items[i];
  entries->count = kept;
}

const tl_line_entry *tl_line_find_entry(const tl_line_entries *entries, uint64_t offset) {
  const tl_line_entry key = {.offset = offset};
  return tl_sorted_find(&key, entries->items, entries->count, sizeof key, line_compare_places);
}

/* The symbols of a unit's sequences, sorted. */
static void line_find_symbols(const uint8_t *bytes, const tl_line_unit *unit, const tl_line_entries *entries,
                              tl_u32_vector *symbols, tl_arena *arena) {
  const uint8_t base = tl_line_opcode_base(bytes, unit);
  uint64_t at = unit->program;
  tl_line_opcode opcode;
  symbols->count = 0;
  while (tl_line_next_opcode(bytes, unit->end, base, &at, &opcode)) {
    const tl_line_entry *const entry = opcode.sets_address ? tl_line_find_entry(entries, opcode.operand) : NULL;
    if (entry)
      *tl_vector_push(arena, symbols) = entry->symbol;
  }
  tl_vector_sort(symbols, line_compare_symbols);
}

bool tl_line_repeats(const uint8_t *bytes, uint64_t size, const tl_line_entries *entries, tl_arena *arena) {
  tl_u32_vector symbols = {0};
  uint64_t position = 0;
  tl_line_unit unit;
  while (tl_line_next_unit(bytes, size, &position, &unit) == TL_LINE_UNIT) {
    if (!tl_line_has_shape(&unit))
      continue;
    line_find_symbols(bytes, &unit, entries, &symbols, arena);
    for (size_t i = 1; i < symbols.count; i++)
      if (symbols.items[i - 1] == symbols.items[i])
        return true;
  }
  return false;
}
