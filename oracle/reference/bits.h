/* Fields of an instruction by their first bit and width, at most 32 bits; the instruction has 16 bytes. */
#ifndef REF_BITS_H
#define REF_BITS_H

#include "link.h"

/* No byte is read that the field has no part of: a record can be shorter than an instruction. */
static inline unsigned ref_bits_get(const uint8_t *at, unsigned start, unsigned width) {
  uint64_t value = 0;
  for (unsigned byte = (start + width + 7) / 8; byte > start / 8; byte--) {
    value = value << 8 | at[byte - 1];
  }
  return (unsigned)(value >> start % 8 & (((uint64_t)1 << width) - 1));
}

static inline void ref_bits_put(uint8_t *at, unsigned start, unsigned width, unsigned value) {
  enum { WORD = 32 };
  for (unsigned done = 0; done < width;) { /* a word's part at a time */
    const unsigned bit = (start + done) % WORD, left = width - done, here = left < WORD - bit ? left : WORD - bit;
    const uint32_t mask = (uint32_t)((((uint64_t)1 << here) - 1) << bit);
    uint8_t *word = &at[(start + done) / WORD * (WORD / 8)];
    ref_put_u32(word, (ref_u32(word) & ~mask) | (value >> done << bit & mask));
    done += here;
  }
}

#endif
