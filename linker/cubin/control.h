/* The control bits of a SASS instruction, in the upper of its two words: how many cycles it waits, whether it yields, the barrier that
 * it sets and those that it waits for (L911, L912). `text` has an instruction at `index`. Private to cubin/. */
#ifndef TL_CUBIN_CONTROL_H
#define TL_CUBIN_CONTROL_H

#include "base/bytes.h"
#include "cubin/code.h"

enum {
  TL_CONTROL_STALL = 41,
  TL_CONTROL_STALL_MAX = 15,
  TL_CONTROL_YIELD = 45, /* the bit says that it stays */
  TL_CONTROL_BARRIER = 46,
  TL_CONTROL_WAIT = 52,
  TL_CONTROL_NO_BARRIER = 7,
  TL_CONTROL_KIND = 0x1ff /* of an opcode: what it does, whatever its operands are */
};

static inline uint8_t *tl_control_at(uint8_t *text, uint32_t index) {
  return text + (uint64_t)index * TL_CODE_INSTRUCTION;
}

static inline uint32_t tl_control_kind(uint8_t *text, uint32_t index) {
  return tl_get16(tl_control_at(text, index)) & TL_CONTROL_KIND;
}

static inline uint64_t tl_control_high(uint8_t *text, uint32_t index) {
  return tl_get64(tl_control_at(text, index) + 8);
}

static inline uint32_t tl_control_stall(uint8_t *text, uint32_t index) {
  return (uint32_t)(tl_control_high(text, index) >> TL_CONTROL_STALL) & TL_CONTROL_STALL_MAX;
}

#endif
