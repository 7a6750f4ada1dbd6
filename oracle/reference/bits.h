/* Fields of an instruction by their first bit and width, at most 32 bits; the instruction has 16 bytes. */
#ifndef REF_BITS_H
#define REF_BITS_H

#include <stdint.h>

static inline unsigned ref_bits_get(const uint8_t *at, unsigned start, unsigned width) {
  unsigned value = 0;
  for (unsigned i = 0; i < width; i++) {
    value |= (unsigned)(at[(start + i) / 8] >> (start + i) % 8 & 1) << i;
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
