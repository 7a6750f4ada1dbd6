/* Little-endian numbers in byte arrays, rounding, the larger of two, and short lists of numbers. The callers have checked
 * the bounds. */
#ifndef TL_BASE_BYTES_H
#define TL_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One load or store of each, which sanitizers look at once; of the bytes one by one compilers make that only without them. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TL_LITTLE(bits, value) (value)
#else
#define TL_LITTLE(bits, value) __builtin_bswap##bits(value)
#endif
static inline uint16_t tl_get16(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return TL_LITTLE(16, value);
}
static inline uint32_t tl_get32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return TL_LITTLE(32, value);
}
static inline uint64_t tl_get64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return TL_LITTLE(64, value);
}

static inline void tl_put16(uint8_t *at, uint16_t value) {
  const uint16_t little = TL_LITTLE(16, value);
  memcpy(at, &little, sizeof little);
}
static inline void tl_put32(uint8_t *at, uint32_t value) {
  const uint32_t little = TL_LITTLE(32, value);
  memcpy(at, &little, sizeof little);
}
static inline void tl_put64(uint8_t *at, uint64_t value) {
  const uint64_t little = TL_LITTLE(64, value);
  memcpy(at, &little, sizeof little);
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
