/* Fields of an instruction by their first bit and width, at most 32 bits; the instruction has 16 bytes. */
#ifndef REF_BITS_H
#define REF_BITS_H

#include <stdint.h>

/* A byte's part at a time. */
static inline unsigned ref_bits_get(const uint8_t *at, unsigned start, unsigned width) {
  unsigned value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned bit = (start + done) % 8, left = width - done, here = left < 8 - bit ? left : 8 - bit;
    value |= (at[(start + done) / 8] >> bit & ((1u << here) - 1)) << done;
    done += here;
  }
  return value;
}

static inline void ref_bits_put(uint8_t *at, unsigned start, unsigned width, unsigned value) {
  for (unsigned i = 0; i < width; i++) {
    const uint8_t mask = (uint8_t)(1u << (start + i) % 8);
    uint8_t *byte = &at[(start + i) / 8];
    *byte = (uint8_t)((value >> i & 1) != 0 ? *byte | mask : *byte & ~mask);
  }
}

#endif
