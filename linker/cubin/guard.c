/* What sets the condition that an instruction hangs on (L1973): the last instruction in front of it that writes that
 * condition. Arithmetic is known by its operands (operands.c); instructions whose results come late, which have scoreboard
 * numbers, are rows here, each with the place of the condition that it writes. */
#include "cubin/guard.h"

#include "base/bytes.h"
#include "cubin/operands.h"

#include <stdbool.h>
#include <stddef.h>

enum { INSTRUCTION = 16, OPCODE_MASK = 0xfff, GUARD_SHIFT = 12, CONDITION_MASK = 7, ALWAYS = 7, HALF_BITS = 64 };
enum { WRITES_SHIFT = 46, READS_SHIFT = 49, WAITS_SHIFT = 52, NUMBER_MASK = 7, NONE = 7, NUMBERS = 0x3f };

typedef struct guard_row {
  uint16_t mask, opcode; /* of the form's bits only those in the mask count */
  uint8_t at;            /* the condition's first bit, in the second half */
} guard_row;

static const guard_row guard_rows[] = {
    {0xfff, 0x3aa, 81}, /* QSPC: in which space an address lies */
    {0xfff, 0x5a7, 81}, /* SYNCS: whether a barrier's phase is over */
    {0xfff, 0x98a, 81}, /* ATOM and RED of generic memory: whether it was the shared one */
    {0xfff, 0x9a2, 81}, /* the same of floats */
    {0xfff, 0x3a1, 81}, /* MATCH.ALL */
    {0x1ff, 0x189, 81}, /* SHFL: whether the lane was in range */
    {0xfff, 0x31c, 81}, /* B2R.RESULT */
    {0x1ff, 0x02a, 81}, /* DSETP, which has a number on sm_120 */
    {0x1ff, 0x02a, 84}, /* its second */
    {0x1ff, 0x102, 81}, /* FCHK */
};

static unsigned guard_condition(const uint8_t *at, unsigned bit) {
  return (unsigned)(tl_get64(at + 8) >> (bit - HALF_BITS)) & CONDITION_MASK;
}

/* Control goes on behind it with other registers than it found, or somewhere else. */
static bool guard_leaves(uint16_t opcode) {
  static const uint16_t rows[] = {0x941, 0x942, 0x943, 0x944, 0x946, 0x947, 0x948, 0x949, 0x94d, 0x950, 0x547};
  return TL_AMONG16(rows, opcode);
}

static bool guard_is_late(const uint8_t *at, uint16_t opcode, unsigned condition) {
  for (size_t i = 0; i < sizeof guard_rows / sizeof *guard_rows; i++)
    if ((opcode & guard_rows[i].mask) == guard_rows[i].opcode && guard_condition(at, guard_rows[i].at) == condition)
      return true;
  return false;
}

static bool guard_is_arithmetic(const uint8_t *at, unsigned condition) {
  tl_operands operands;
  tl_operands_read(&operands, at);
  for (unsigned i = 0; i < operands.write_count; i++)
    if (operands.writes[i].file == TL_FILE_CONDITION && operands.writes[i].first == condition)
      return true;
  return false;
}

static unsigned guard_number(const uint8_t *at, unsigned shift) {
  const unsigned number = (unsigned)(tl_get64(at + 8) >> shift) & NUMBER_MASK;
  return number == NONE ? 0 : 1u << number;
}

unsigned tl_guard_numbers(const uint8_t *text, uint32_t index) {
  const unsigned condition = tl_get16(text + (uint64_t)index * INSTRUCTION) >> GUARD_SHIFT & CONDITION_MASK;
  if (condition == ALWAYS)
    return 0;
  unsigned waited = 0; /* by what stands between, which is through with it (RF1351) */
  for (uint32_t i = index; i-- > 0;) {
    const uint8_t *const at = text + (uint64_t)i * INSTRUCTION;
    const uint16_t opcode = tl_get16(at) & OPCODE_MASK;
    if (guard_is_late(at, opcode, condition)) {
      /* what has no number of its result, as RED, has that of its operands (RF1350) */
      const unsigned written = guard_number(at, WRITES_SHIFT);
      return (written ? written : guard_number(at, READS_SHIFT)) & ~waited;
    }
    if (guard_leaves(opcode) || guard_is_arithmetic(at, condition))
      return 0;
    waited |= (unsigned)(tl_get64(at + 8) >> WAITS_SHIFT) & NUMBERS;
  }
  return 0;
}
