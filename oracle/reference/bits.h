/* Fields of an instruction by their first bit and width, at most 32 bits; the instruction has 16 bytes. */
#ifndef REF_BITS_H
#define REF_BITS_H

#include <stdint.h>

/* No byte is read that the field has no part of: a record can be shorter than an instruction. */
static inline unsigned ref_bits_get(const uint8_t *at, unsigned start, unsigned width) {
  uint64_t value = 0;
  for (unsigned byte = (start + width + 7) / 8; byte > start / 8; byte--) {
    value = value << 8 | at[byte - 1];
  }
  return (unsigned)(value >> start % 8 & (((uint64_t)1 << width) - 1));
}

static inline void ref_bits_put(uint8_t *at, unsigned start, unsigned width, unsigned value) {
  for (unsigned done = 0; done < width;) { /* a byte's part at a time */
    const unsigned bit = (start + done) % 8, left = width - done, here = left < 8 - bit ? left : 8 - bit;
    const unsigned mask = ((1u << here) - 1) << bit;
    uint8_t *byte = &at[(start + done) / 8];
    *byte = (uint8_t)((*byte & ~mask) | (value >> done << bit & mask));
    done += here;
  }
}

#endif
