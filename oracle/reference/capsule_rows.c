/* The rows of a frame: what changes at which place of the function; RF73, RF995. */
#include "capsule.h"

#include <string.h>

enum {
  NOP = 0,
  SET_PLACE = 1, /* to an address of 8 bytes */
  ADVANCE_1 = 2,
  ADVANCE_2 = 3,
  ADVANCE_4 = 4,
  OFFSET_EXTENDED = 5,
  RESTORE_EXTENDED = 6,
  UNDEFINED = 7,
  SAME_VALUE = 8,
  REGISTER = 9,
  DEFINE_CFA = 0x0c,
  DEFINE_CFA_REGISTER = 0x0d,
  DEFINE_CFA_OFFSET = 0x0e,
  EXPRESSION = 0x10,
  VALUE_EXPRESSION = 0x16,
  CLASS_ADVANCE = 1, /* the two upper bits */
  CLASS_OFFSET = 2,
  LOW_BITS = 0x3f,
  PLACE = 8
};

uint64_t ref_rows_read_number(const uint8_t *data, uint64_t size, uint64_t at, uint32_t *value) {
  *value = 0;
  for (unsigned shift = 0; at < size; shift += 7) {
    *value |= shift < 32 ? (uint32_t)(data[at] & 0x7f) << shift : 0;
    if ((data[at] & 0x80) == 0) {
      break;
    }
    at++;
  }
  return at + 1;
}

/* How many numbers of the variable form an operation has. */
static unsigned ref_rows_numbers(uint8_t operation) {
  switch (operation) {
  case OFFSET_EXTENDED:
  case REGISTER:
  case DEFINE_CFA:
    return 2;
  case RESTORE_EXTENDED:
  case UNDEFINED:
  case SAME_VALUE:
  case DEFINE_CFA_REGISTER:
  case DEFINE_CFA_OFFSET:
    return 1;
  default:
    return operation >> 6 == CLASS_OFFSET;
  }
}

/* Behind `size` where that is inside the operation. */
static size_t ref_rows_whole_end(const uint8_t *data, size_t size, size_t at) {
  const uint8_t operation = data[at++];
  uint32_t number, length;
  for (unsigned i = ref_rows_numbers(operation); i > 0; i--) {
    at = (size_t)ref_rows_read_number(data, size, at, &number);
  }
  if (operation == EXPRESSION || operation == VALUE_EXPRESSION) {
    at = (size_t)ref_rows_read_number(data, size, at, &number);
    at = (size_t)ref_rows_read_number(data, size, at, &length) + length;
  }
  return at;
}

size_t ref_rows_end_of(const uint8_t *data, size_t size, size_t at) {
  return (size_t)ref_smaller(ref_rows_whole_end(data, size, at), size);
}

/* True for an advance, whose distance is added to the place: modulo 2^32, so that Mercury's last row may go back (RF491). */
static bool ref_rows_read_advance(const uint8_t *data, size_t size, size_t *at, uint64_t *place, uint64_t unit) {
  const uint8_t operation = data[*at];
  const size_t bytes = operation == ADVANCE_1 ? 1 : operation == ADVANCE_2 ? 2 : operation == ADVANCE_4 ? 4 : 0;
  uint64_t distance = operation & LOW_BITS;
  if ((bytes == 0 && operation >> 6 != CLASS_ADVANCE) || size - *at <= bytes) {
    return false;
  }
  for (size_t i = bytes; i > 0; i--) {
    distance = (i == bytes ? 0 : distance << 8) | data[*at + i];
  }
  *place = (uint32_t)(*place + distance * unit);
  *at += 1 + bytes;
  return true;
}

/* A row at a place that has one takes its place. */
static ref_row *ref_rows_at(ref_link *link, ref_rows *rows, uint64_t place) {
  size_t i = rows->count; /* most come in their order */
  while (i > 0 && rows->items[i - 1].place >= place) {
    i--;
  }
  if (i < rows->count && rows->items[i].place == place) {
    rows->items[i].operations.size = 0;
    return &rows->items[i];
  }
  rows->items = ref_memory_grow(link, rows->items, rows->count, &rows->capacity, sizeof *rows->items);
  memmove(rows->items + i + 1, rows->items + i, (rows->count - i) * sizeof *rows->items);
  rows->count++;
  rows->items[i] = (ref_row){.place = place};
  return &rows->items[i];
}

void ref_rows_put(ref_link *link, ref_rows *rows, uint64_t place, const ref_bytes *operations) {
  ref_row *row = ref_rows_at(link, rows, place);
  ref_bytes_add(link, &row->operations, operations->data, operations->size);
}

/* RF491: one where operations follow the advance, or where the frame ends. */
static ref_row *ref_rows_begin(ref_link *link, ref_rows *rows, uint64_t place) {
  ref_row *row = ref_rows_at(link, rows, place);
  row->is_given = true;
  return row;
}

/* L1120: of a common entry what follows the last advance; false where that ends inside an operation. */
bool ref_rows_read_common(ref_link *link, const uint8_t *data, size_t size, size_t limit, ref_bytes *operations) {
  uint64_t place = 0;
  for (size_t at = 0; at < size;) {
    const bool sets = data[at] == SET_PLACE && limit - at > PLACE;
    if (sets || ref_rows_read_advance(data, limit, &at, &place, 1)) {
      operations->size = 0;
      at += sets ? 1 + PLACE : 0;
      continue;
    }
    const size_t end = ref_rows_whole_end(data, limit, at);
    if (end > limit || (data[at] >= SET_PLACE && data[at] <= ADVANCE_4)) {
      return false;
    }
    if (data[at] != NOP) {
      ref_bytes_add(link, operations, data + at, end - at);
    }
    at = end;
  }
  return true;
}

ref_rows ref_rows_read(ref_link *link, const uint8_t *data, size_t size, size_t limit, uint64_t unit) {
  ref_rows rows = {0};
  uint64_t place = 0;
  ref_row *row = ref_rows_at(link, &rows, 0);
  bool advanced = false;
  for (size_t at = 0; at < size;) {
    if (data[at] == SET_PLACE && limit - at > PLACE) { /* RF995 */
      place = ref_u64(data + at + 1);
      at += 1 + PLACE;
      advanced = true;
      continue;
    }
    if (ref_rows_read_advance(data, limit, &at, &place, unit)) {
      advanced = true;
      continue;
    }
    const size_t end = ref_rows_end_of(data, limit, at);
    if (data[at] >= SET_PLACE && data[at] <= ADVANCE_4) { /* RF1014: an advance that the frame cuts short is none */
      break;
    }
    row = advanced ? ref_rows_begin(link, &rows, place) : row; /* RF1013: of a NOP, too */
    advanced = false;
    if (data[at] != NOP) {
      ref_bytes_add(link, &row->operations, data + at, end - at);
    }
    at = end;
  }
  if (advanced) {
    (void)ref_rows_begin(link, &rows, place);
  }
  return rows;
}

void ref_rows_write(ref_link *link, const ref_rows *rows, uint64_t unit, ref_bytes *output) {
  uint64_t place = 0;
  for (size_t i = 0; i < rows->count; i++) {
    const ref_row *row = &rows->items[i];
    if (row->place != place) {
      const uint8_t advance = ADVANCE_4;
      ref_bytes_add(link, output, &advance, 1);
      ref_bytes_add_u32(link, output, (uint32_t)((row->place - place) / unit));
      place = row->place;
    }
    ref_bytes_add(link, output, row->operations.data, row->operations.size);
  }
}
