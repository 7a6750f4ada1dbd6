/* Little-endian numbers in byte arrays, rounding, the larger of two, and short lists of numbers. The callers have checked
 * the bounds. */
#ifndef TL_BASE_BYTES_H
#define TL_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Compilers make one load or store of each; a loop over the bytes they do not always see through. */
static inline uint16_t tl_get16(const uint8_t *at) {
  return (uint16_t)(at[0] | at[1] << 8);
}
static inline uint32_t tl_get32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline uint64_t tl_get64(const uint8_t *at) {
  return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
         (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

static inline void tl_put16(uint8_t *at, uint16_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
}
static inline void tl_put32(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
  at[2] = (uint8_t)(value >> 16);
  at[3] = (uint8_t)(value >> 24);
}
static inline void tl_put64(uint8_t *at, uint64_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
  at[2] = (uint8_t)(value >> 16);
  at[3] = (uint8_t)(value >> 24);
  at[4] = (uint8_t)(value >> 32);
  at[5] = (uint8_t)(value >> 40);
  at[6] = (uint8_t)(value >> 48);
  at[7] = (uint8_t)(value >> 56);
}

/* The low `bytes` bytes of `value`. */
static inline void tl_put(uint8_t *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

/* The next multiple of `align`, which need not be a power of two (C79); 0 and 1 leave the value. The caller has made
 * sure that the sum does not wrap. */
static inline uint64_t tl_align(uint64_t value, uint64_t align) {
  if (align <= 1)
    return value;
  const uint64_t rest = value % align;
  return rest ? value + (align - rest) : value;
}

static inline uint64_t tl_larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}
static inline uint64_t tl_smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Whether one of `count` numbers is `value`. */
static inline bool tl_is_among16(const uint16_t *list, size_t count, unsigned value) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == value)
      return true;
  return false;
}
#define TL_AMONG16(list, value) tl_is_among16(list, sizeof(list) / sizeof *(list), value)
static inline bool tl_is_among32(const uint32_t *list, size_t count, uint32_t value) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == value)
      return true;
  return false;
}
#define TL_AMONG32(list, value) tl_is_among32(list, sizeof(list) / sizeof *(list), value)

/* The second number of the first pair that begins with `key`; `otherwise` without one. */
static inline uint32_t tl_paired32(const uint32_t (*pairs)[2], size_t count, uint32_t key, uint32_t otherwise) {
  for (size_t i = 0; i < count; i++)
    if (pairs[i][0] == key)
      return pairs[i][1];
  return otherwise;
}
#define TL_PAIRED32(pairs, key, otherwise) tl_paired32(pairs, sizeof(pairs) / sizeof *(pairs), key, otherwise)

#endif
