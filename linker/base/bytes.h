/* Little-endian numbers in byte arrays, and rounding. The callers have checked the bounds. */
#ifndef TL_BASE_BYTES_H
#define TL_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t tl_get(const uint8_t *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << (8 * i);
  return value;
}
static inline uint16_t tl_get16(const uint8_t *at) {
  return (uint16_t)tl_get(at, 2);
}
static inline uint32_t tl_get32(const uint8_t *at) {
  return (uint32_t)tl_get(at, 4);
}
static inline uint64_t tl_get64(const uint8_t *at) {
  return tl_get(at, 8);
}

static inline void tl_put(uint8_t *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}
static inline void tl_put16(uint8_t *at, uint16_t value) {
  tl_put(at, value, 2);
}
static inline void tl_put32(uint8_t *at, uint32_t value) {
  tl_put(at, value, 4);
}
static inline void tl_put64(uint8_t *at, uint64_t value) {
  tl_put(at, value, 8);
}

/* The next multiple of `align`, which need not be a power of two (C79); 0 and 1 leave the value. The caller has made
 * sure that the sum does not wrap. */
static inline uint64_t tl_align(uint64_t value, uint64_t align) {
  if (align <= 1)
    return value;
  const uint64_t rest = value % align;
  return rest ? value + (align - rest) : value;
}

#endif
