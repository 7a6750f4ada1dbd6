/* RF981: the one place in a common entry that nvlink's finalizer knows of, at which an entry stays: the address (DW_OP_addr) in its expression. Of
 * several addresses and expressions it adds up where they are, so that the place is none of theirs. */
#include "capsule.h"

enum {
  EXPRESSION = 0x10,
  VALUE_EXPRESSION = 0x16,
  ADDRESS = 0x03, /* from here on of an expression */
  ADDRESS_BYTES = 8,
  CONSTANT_4 = 0x0c,
  CONSTANT = 0x10,
  PLUS_CONSTANT = 0x23,
  BASE_FIRST = 0x70,
  BASE_LAST = 0x8f,
  FRAME_BASE = 0x91,
  BASE_OF = 0x92,
  OF_SIZE = 0x94
};

static uint64_t ref_expression_end(const uint8_t *data, uint64_t size, uint64_t at) {
  const uint8_t operation = data[at++];
  if (operation == ADDRESS || operation == CONSTANT_4) {
    return at + (operation == ADDRESS ? ADDRESS_BYTES : 4);
  }
  const bool has_number = operation == CONSTANT || operation == PLUS_CONSTANT || operation == FRAME_BASE ||
                          operation == OF_SIZE || (operation >= BASE_FIRST && operation <= BASE_LAST);
  for (unsigned i = operation == BASE_OF ? 2 : has_number; i > 0; i--) {
    uint32_t value;
    at = ref_rows_read_number(data, size, at, &value);
  }
  return at;
}

/* How far behind the beginning of each expression's bytes its addresses stand, together. One of no bytes has an operation all the same. */
static uint64_t ref_expression_addresses(const uint8_t *data, uint64_t size, uint64_t at, uint64_t length) {
  uint64_t sum = 0, next = at;
  do {
    if (next >= size) {
      break;
    }
    sum += data[next] == ADDRESS ? next - at + 1 : 0;
    next = ref_expression_end(data, size, next);
  } while (next - at < length);
  return sum;
}

uint64_t ref_expression_place(const uint8_t *data, uint64_t size, uint64_t at) {
  uint64_t begin = 0, last = 0, lengths = 0, sum = 0;
  while (at < size) {
    const uint64_t end = ref_rows_end_of(data, (size_t)size, (size_t)at);
    if (data[at] == EXPRESSION || data[at] == VALUE_EXPRESSION) {
      uint32_t value, length = 0;
      const uint64_t behind = ref_rows_read_number(data, size, at + 1, &value);
      lengths += last;
      begin = ref_rows_read_number(data, size, behind, &length);
      last = end > begin ? end - begin : 0;
      sum += ref_expression_addresses(data, size, begin, length);
    }
    at = end;
  }
  return begin == 0 ? 0 : begin + sum - lengths;
}
