#include "link.h"
#include "relocation_table.h"

uint64_t ref_field_value(const ref_field *field, uint64_t value, uint64_t old, uint32_t bank, uint64_t slot) {
  switch (field->source) {
  case REF_FROM_ABS:
    return value + old;
  case REF_FROM_LO:
    return (value + old) & 0xffffffff;
  case REF_FROM_HI:
    return (value >> 32) + old;
  case REF_FROM_SHR2:
    return (value >> 2) + old;
  case REF_FROM_BANK_LO:
    return bank + old;
  case REF_FROM_BANK_HI:
    return (bank >> 4) + old;
  case REF_FROM_SLOT:
    return slot + old; /* R7 */
  case REF_FROM_NOTHING:
  case REF_FROM_CLEAR:
    return 0;
  default:
    return (value + old) >> (8 * (field->source - REF_FROM_BYTE0)) & 0xff;
  }
}

/* How many of a field's bits, from one on, lie in the same byte. */
static unsigned ref_field_piece(const ref_field *field, unsigned bit) {
  const unsigned rest = field->width - bit, here = 8 - (field->start + bit) % 8;
  return rest < here ? rest : here;
}

/* Is all of a field in eight bytes, from the first of its bytes on, that are there? Else it is read and written a byte at a time, as far as there
 * are bytes. */
static bool ref_field_is_in_word(const ref_field *field, size_t size, uint64_t first) {
  enum { WORD = 8 };
  return size >= WORD && first <= size - WORD && field->start % 8 + field->width < WORD * 8;
}

uint64_t ref_field_read(const ref_field *field, const uint8_t *bytes, size_t size, uint64_t offset) {
  const uint64_t first = offset + field->start / 8;
  if (offset < size && ref_field_is_in_word(field, size, first)) {
    return ref_u64(bytes + first) >> field->start % 8 & (((uint64_t)1 << field->width) - 1);
  }
  uint64_t value = 0;
  for (unsigned bit = 0; bit < field->width;) {
    const unsigned at = field->start + bit, count = ref_field_piece(field, bit);
    const uint64_t byte = offset + at / 8;
    if (byte < size) {
      value |= (uint64_t)(bytes[byte] >> at % 8 & ((1u << count) - 1)) << bit;
    }
    bit += count;
  }
  return value;
}

void ref_field_write(const ref_field *field, uint8_t *bytes, size_t size, uint64_t offset, uint64_t value) {
  const uint64_t first = offset + field->start / 8;
  if (offset < size && ref_field_is_in_word(field, size, first)) {
    const uint64_t mask = (((uint64_t)1 << field->width) - 1) << field->start % 8;
    ref_put_u64(bytes + first, (ref_u64(bytes + first) & ~mask) | (value << field->start % 8 & mask));
    return;
  }
  for (unsigned bit = 0; bit < field->width;) {
    const unsigned at = field->start + bit, count = ref_field_piece(field, bit);
    const uint64_t byte = offset + at / 8;
    if (byte >= size) {
      return;
    }
    const unsigned mask = ((1u << count) - 1) << at % 8, piece = (unsigned)(value >> bit) << at % 8;
    bytes[byte] = (uint8_t)((bytes[byte] & ~mask) | (piece & mask));
    bit += count;
  }
}
