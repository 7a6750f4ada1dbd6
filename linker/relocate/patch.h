/* Bit fields of 1 to 128 bits at any position of a byte string: the one place that writes relocated fields (R4, R9).
 * Bit 0 is the least significant bit of the first byte. */
#ifndef TL_RELOCATE_PATCH_H
#define TL_RELOCATE_PATCH_H

#include <stdint.h>

/* The low 64 bits of a field. `width` is 1 to 128; the bytes that hold the bits [start, start + width) must exist. */
uint64_t tl_bits_get(const uint8_t *bytes, unsigned start, unsigned width);
/* Writes the low `width` bits of `value`, zeros above its 64th bit; no other bit changes. */
void tl_bits_put(uint8_t *bytes, unsigned start, unsigned width, uint64_t value);

#endif
