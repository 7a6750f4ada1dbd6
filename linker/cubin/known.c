/* Of the SASS instructions that one Mercury instruction makes nvlink knows one or two by its place: fences stand before the
 * access that they are for, -O0 code wraps instructions of a whole warp (L871). */
#include "cubin/known.h"

#include "base/bytes.h"

enum { OPCODE = 0xfff };
enum {
  OP_ARRIVE = 0x9c7,
  OP_CACHE = 0x98f,
  OP_COLLECTIVE = 0x348,
  OP_COLLECTIVE_END = 0x91b,
  OP_ERRBAR = 0x9ab,
  OP_EXIT = 0x94d,
  OP_FENCE = 0x3c6, /* before SYNCS */
  OP_GROUP_ERRBAR = 0x5ab,
  OP_LANES = 0x31d,
  OP_LDS = 0x984,
  OP_MEMBAR = 0x992,
  OP_NOP = 0x918,
  OP_WARPSYNC = 0x948
};

static uint16_t known_opcode(const uint8_t *text, const tl_code_place *place, uint32_t index) {
  return tl_get16(text + place->sass + (uint64_t)index * TL_CODE_INSTRUCTION) & OPCODE;
}

/* Loads of nothing alone stand before an asynchronous copy (L1974). */
static bool known_loads_nothing(const uint8_t *text, const tl_code_place *place, uint32_t index) {
  const uint8_t *const at = text + place->sass + (uint64_t)index * TL_CODE_INSTRUCTION;
  return known_opcode(text, place, index) == OP_LDS && tl_get16(at + 2) == 0xffff;
}

/* The instruction that is known of a fence and what it is for: the access, or the last MEMBAR where none follows. */
static uint32_t known_behind_fence(const uint8_t *text, const tl_code_place *place, uint32_t from) {
  static const uint16_t fences[] = {OP_LDS, OP_MEMBAR, OP_ERRBAR, OP_GROUP_ERRBAR};
  static const uint16_t no_access[] = {OP_ARRIVE, OP_CACHE, OP_FENCE, OP_NOP, OP_COLLECTIVE_END};
  uint32_t at = from, last = from;
  for (; at < place->count && TL_AMONG16(fences, known_opcode(text, place, at)); at++)
    if (known_opcode(text, place, at) == OP_MEMBAR)
      last = at;
  const bool fenced = known_opcode(text, place, last) == OP_MEMBAR || known_loads_nothing(text, place, last);
  return fenced && at < place->count && !TL_AMONG16(no_access, known_opcode(text, place, at)) ? at : last;
}

/* What -O0 code wraps around an instruction of a whole warp. */
static tl_code_known known_in_collective(const uint8_t *text, const tl_code_place *place) {
  if (known_opcode(text, place, 0) == OP_COLLECTIVE)
    return (tl_code_known){0, 1, place->count};
  for (uint32_t i = 1; i < place->count; i++)
    if (known_opcode(text, place, i) == OP_LANES)
      return (tl_code_known){0, i, place->count};
  return (tl_code_known){0, 0, known_behind_fence(text, place, 1)};
}

tl_code_known tl_code_known_of(const uint8_t *text, const tl_code_place *place) {
  if (place->count < 2)
    return (tl_code_known){0, 0, place->count};
  const uint32_t last = place->count - 1;
  const uint16_t begins = known_opcode(text, place, 0), ends = known_opcode(text, place, last);
  if ((begins == OP_COLLECTIVE || begins == OP_WARPSYNC) && ends == OP_COLLECTIVE_END)
    return known_in_collective(text, place);
  if (ends == OP_EXIT || ends == OP_LANES)
    return (tl_code_known){last, last, place->count};
  if (begins == OP_FENCE)
    return (tl_code_known){0, 1, place->count};
  const uint32_t known = known_behind_fence(text, place, 0);
  return (tl_code_known){known, known, place->count};
}
