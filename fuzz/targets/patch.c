/* The patch engine: fields of 1 to 128 bits written and read bit by bit beside it. Each row of the bytes is a start, a width,
 * a value; the rows are written one over the other into one buffer that is exactly as large as the fields need. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"

#include "relocate/patch.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_BYTES = 10, BITS_MOST = 512, WIDTH_MOST = 128, VALUE_BITS = 64 };

static void plain_put(uint8_t *bytes, unsigned start, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++) {
    const unsigned bit = start + i;
    const bool on = i < VALUE_BITS && (value >> i & 1);
    bytes[bit / 8] = (uint8_t)((bytes[bit / 8] & ~(1u << bit % 8)) | (unsigned)on << bit % 8);
  }
}

static uint64_t plain_get(const uint8_t *bytes, unsigned start, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width && i < VALUE_BITS; i++)
    value |= (uint64_t)(bytes[(start + i) / 8] >> (start + i) % 8 & 1) << i;
  return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  for (size_t at = 0; at + ROW_BYTES <= size; at += ROW_BYTES) {
    uint64_t value = 0;
    memcpy(&value, bytes + at + 2, sizeof value);
    const unsigned width = 1 + bytes[at + 1] % WIDTH_MOST, start = 2u * bytes[at] % (BITS_MOST - WIDTH_MOST);
    const size_t needed = (start + width + 7) / 8;
    uint8_t *const ours = malloc(needed), *const plain = malloc(needed); /* a byte too far is seen */
    if (!ours || !plain)
      abort();
    for (size_t i = 0; i < needed; i++)
      ours[i] = plain[i] = bytes[(at + i) % size];
    const bool read = tl_bits_get(ours, start, width) == plain_get(plain, start, width);
    tl_bits_put(ours, start, width, value);
    plain_put(plain, start, width, value);
    if (!read || memcmp(ours, plain, needed) != 0)
      fuzz_found("patch", read ? "other bits were written" : "other bits were read", bytes, size);
    free(ours);
    free(plain);
  }
  return 0;
}
