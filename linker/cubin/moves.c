/* The operand behind a decoded move's opcode says what it is in its low six bits, and its register above. Odd numbers up to 23 are
 * results, even ones up to 22 are read, as many registers as half of that and one; the others are neither. nvlink's finalizer
 * gives times by that, though the SASS instruction has the register as its result whatever it is (L1422): a move that has no
 * result holds up no call, and one that reads waits for what writes there. */
#include "cubin/moves.h"

#include "base/bytes.h"
#include "cubin/blocks.h"
#include "cubin/code.h"
#include "cubin/control.h"

enum { INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE = 0xfff, VARIABLE = 0x100, MOVE = 0x802, UNIFORM = 0x882 };
enum { REACH = 256 }; /* instructions that are looked at around a move */

typedef struct moves {
  uint8_t *text;
  const uint16_t *operands;
  uint32_t count, arch;
} moves;

static void moves_put_stall(const moves *m, uint32_t index, uint64_t cycles) {
  enum { SHORT = 3 };
  const uint64_t fields = (uint64_t)TL_CONTROL_STALL_MAX << TL_CONTROL_STALL | UINT64_C(1) << TL_CONTROL_YIELD;
  const uint64_t stays = cycles < SHORT ? UINT64_C(1) << TL_CONTROL_YIELD : 0; /* L912 */
  tl_put64(tl_control_at(m->text, index) + 8,
           (tl_control_high(m->text, index) & ~fields) | cycles << TL_CONTROL_STALL | stays);
}

/* --- operands --- */

static bool moves_has_no_result(uint16_t operand) {
  enum { KINDS = 31, LAST = 23 };
  const uint32_t kind = operand & KINDS;
  return operand != TL_MOVE_STAYS && (!(kind & 1) || kind > LAST);
}

/* Whether a register is among those that an operand reads. */
static bool moves_reads(uint16_t operand, uint8_t number) {
  enum { KINDS = 31, LAST = 22, SHIFT = 6 };
  const uint32_t kind = operand & KINDS, first = operand >> SHIFT & UINT8_MAX;
  return !(kind & 1) && kind <= LAST && number >= first && number - first <= kind / 2;
}

/* --- what reads --- */

/* A move that reads what an instruction of fixed length writes waits until that is there. */
static void moves_wait_for_fixed(const moves *m, uint32_t index) {
  enum { RESULT = 2, OLD = 4, NEW = 5, SHORT = 2, SM_120 = 120 };
  const bool uniform = (tl_get16(tl_control_at(m->text, index)) & OPCODE) == UNIFORM;
  const uint32_t length = uniform ? SHORT : m->arch < SM_120 ? OLD : NEW;
  uint32_t passed = 0;
  for (uint32_t i = index; i-- > 0;) {
    if (tl_blocks_ends(tl_control_kind(m->text, i)))
      return;
    passed += tl_control_stall(m->text, i);
    if (passed >= length)
      return;
    const bool same = ((tl_get16(tl_control_at(m->text, i)) & OPCODE) == UNIFORM) == uniform;
    if (!same || tl_control_kind(m->text, i) >= VARIABLE || moves_has_no_result(m->operands[i]) ||
        !moves_reads(m->operands[index], tl_control_at(m->text, i)[RESULT]))
      continue;
    moves_put_stall(m, index - 1, tl_control_stall(m->text, index - 1) + length - passed);
    return;
  }
}

/* What waited for a barrier behind the move does so no longer. */
static void moves_drop_wait(const moves *m, uint32_t index, uint64_t barrier) {
  const uint64_t bit = UINT64_C(1) << (TL_CONTROL_WAIT + barrier);
  for (uint32_t i = index + 1; i < m->count && i - index < REACH; i++) {
    const uint64_t high = tl_control_high(m->text, i);
    if (high & bit)
      tl_put64(tl_control_at(m->text, i) + 8, high & ~bit);
    if (high & bit || (high >> TL_CONTROL_BARRIER & TL_CONTROL_NO_BARRIER) == barrier ||
        tl_blocks_ends(tl_control_kind(m->text, i)))
      return;
  }
}

/* One that reads what is still on its way waits for its barrier. */
static void moves_wait_for_variable(const moves *m, uint32_t index) {
  enum { RESULT = 2 };
  uint64_t waited = tl_control_high(m->text, index) >> TL_CONTROL_WAIT;
  for (uint32_t i = index; i-- > 0;) {
    if (index - i >= REACH || tl_blocks_ends(tl_control_kind(m->text, i)))
      return;
    const uint64_t barrier = tl_control_high(m->text, i) >> TL_CONTROL_BARRIER & TL_CONTROL_NO_BARRIER;
    if (tl_control_kind(m->text, i) >= VARIABLE && barrier != TL_CONTROL_NO_BARRIER && !(waited >> barrier & 1) &&
        moves_reads(m->operands[index], tl_control_at(m->text, i)[RESULT])) {
      moves_drop_wait(m, index, barrier);
      tl_put64(tl_control_at(m->text, index) + 8, tl_control_high(m->text, index) | UINT64_C(1)
                                                                                        << (TL_CONTROL_WAIT + barrier));
      waited |= UINT64_C(1) << barrier;
    }
    waited |= tl_control_high(m->text, i) >> TL_CONTROL_WAIT;
  }
}

/* --- calls --- */

/* How long the instruction in front of a call waits for the results before it, those of changed moves among them or not. */
static uint32_t moves_need(const moves *m, uint32_t call, bool changed) {
  uint32_t most = 1, passed = 0;
  for (uint32_t i = call; i-- > 0 && passed < TL_CONTROL_STALL_MAX;) {
    if (tl_blocks_ends(tl_control_kind(m->text, i)))
      break;
    passed += i + 1 < call ? tl_control_stall(m->text, i) : 0;
    const uint32_t need = tl_blocks_need(tl_control_at(m->text, i));
    if (!(changed && moves_has_no_result(m->operands[i])) && need > passed)
      most = (uint32_t)tl_larger(most, need - passed);
  }
  return most;
}

/* The call that the block of an instruction ends with; 0. */
static uint32_t moves_call_behind(const moves *m, uint32_t index) {
  enum { CALL = 0x143, CALL_NEAR = 0x144 };
  uint32_t i = index + 1;
  while (i < m->count && i - index < REACH && !tl_blocks_ends(tl_control_kind(m->text, i)))
    i++;
  const uint32_t kind = i < m->count && i - index < REACH ? tl_control_kind(m->text, i) : 0;
  return kind == CALL || kind == CALL_NEAR ? i : 0;
}

void tl_moves_change(uint8_t *text, uint64_t size, const uint16_t *operands, uint32_t arch) {
  const moves m = {text, operands, (uint32_t)(size / INSTRUCTION), arch};
  for (uint32_t i = 0, asked = 0; i < m.count; i++) {
    const uint16_t opcode = tl_get16(tl_control_at(m.text, i)) & OPCODE;
    if (operands[i] == TL_MOVE_STAYS || (opcode != MOVE && opcode != UNIFORM))
      continue;
    const uint32_t call = moves_call_behind(&m, i);
    const bool known = call > asked && tl_control_stall(m.text, call - 1) == moves_need(&m, call, false);
    asked = call > asked ? call : asked;
    for (uint32_t k = i; k < (known ? call : i + 1); k++) {
      if (operands[k] == TL_MOVE_STAYS)
        continue;
      moves_wait_for_fixed(&m, k);
      if ((tl_get16(tl_control_at(m.text, k)) & OPCODE) == MOVE)
        moves_wait_for_variable(&m, k);
    }
    if (known) {
      moves_put_stall(&m, call - 1, moves_need(&m, call, true));
      i = call;
    }
  }
}
