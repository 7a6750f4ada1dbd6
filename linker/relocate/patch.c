/* Bit fields byte by byte: each step takes the part of the field that lies in one byte. */
#include "relocate/patch.h"

enum { VALUE_BITS = 64 };

/* Number of field bits in the byte that bit `at` lies in. */
static unsigned patch_step(unsigned at, unsigned left) {
  const unsigned room = 8 - at % 8;
  return left < room ? left : room;
}

uint64_t tl_bits_get(const uint8_t *bytes, unsigned start, unsigned width) {
  uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned at = start + done;
    const unsigned step = patch_step(at, width - done);
    const unsigned mask = (1u << step) - 1;
    if (done < VALUE_BITS)
      value |= (uint64_t)(bytes[at / 8] >> (at % 8) & mask) << done;
    done += step;
  }
  return value;
}

void tl_bits_put(uint8_t *bytes, unsigned start, unsigned width, uint64_t value) {
  for (unsigned done = 0; done < width;) {
    const unsigned at = start + done;
    const unsigned step = patch_step(at, width - done);
    const unsigned mask = ((1u << step) - 1) << (at % 8);
    uint64_t rest = 0;
    if (done < VALUE_BITS)
      rest = value >> done;
    const unsigned bits = (unsigned)rest << (at % 8) & mask;
    bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~mask) | bits);
    done += step;
  }
}
