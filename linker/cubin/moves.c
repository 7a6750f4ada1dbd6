/* The operand behind a decoded move's opcode says what it is in its low six bits, and its register above. Odd numbers up to 23 are
 * results, even ones up to 22 are read, as many registers as half of that and one, 16 from 16 on and 32 from 18 on; the others are
 * neither. nvlink's finalizer gives times by that, though the SASS instruction has the register as its result whatever it is
 * (L1422): a move that has no result holds up no call, and one that is about what another instruction writes waits for that. Where
 * it waits for another barrier, their numbers are given anew (L1642); which instructions yield follows their times (L1749). */
#include "cubin/moves.h"

#include "base/bytes.h"
#include "cubin/blocks.h"
#include "cubin/code.h"
#include "cubin/control.h"

enum { INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE = 0xfff, VARIABLE = 0x100, MOVE = 0x802, UNIFORM = 0x882 };
enum { REACH = 256 }; /* instructions that are looked at around a move */

typedef struct moves {
  uint8_t *text;
  const uint8_t *before; /* the input's */
  const uint16_t *operands;
  uint32_t count, arch;
} moves;

/* L912, L1749: what waits as long as before yields as before, too; an instruction of other length yields for long waits alone. */
static void moves_put_stall(const moves *m, uint32_t index, uint64_t cycles) {
  enum { SHORT = 3, LONG = 12 };
  if (cycles == tl_control_stall(m->text, index))
    return;
  const uint64_t fields = (uint64_t)TL_CONTROL_STALL_MAX << TL_CONTROL_STALL | UINT64_C(1) << TL_CONTROL_YIELD;
  const bool yields = cycles >= LONG || (tl_control_kind(m->text, index) < VARIABLE && cycles >= SHORT);
  tl_put64(tl_control_at(m->text, index) + 8, (tl_control_high(m->text, index) & ~fields) | cycles << TL_CONTROL_STALL |
                                                  (uint64_t)!yields << TL_CONTROL_YIELD);
}

/* --- operands --- */

static bool moves_has_no_result(uint16_t operand) {
  enum { KINDS = 31, LAST = 23 };
  const uint32_t kind = operand & KINDS;
  return operand != TL_MOVE_STAYS && (!(kind & 1) || kind > LAST);
}

/* Whether a register is among those that an operand is about, read or written (L1642). */
static bool moves_touches(uint16_t operand, uint8_t number) {
  enum { KINDS = 31, LAST = 23, SHIFT = 6, WIDE = 16, WIDEST = 18, WIDE_COUNT = 16, WIDEST_COUNT = 32 };
  const uint32_t kind = operand & KINDS, first = operand >> SHIFT; /* none from 256 on */
  const uint32_t count = kind < WIDE ? kind / 2 + 1 : kind < WIDEST ? WIDE_COUNT : WIDEST_COUNT;
  return kind <= LAST && number >= first && number - first < count;
}

/* Loads whose result is a uniform register. */
static bool moves_loads_uniform(const uint8_t *at) {
  enum { S2UR = 0x9c3, LDCU = 0x7ac };
  const uint16_t opcode = tl_get16(at) & OPCODE;
  return opcode == S2UR || opcode == LDCU;
}

/* --- what reads --- */

/* How many cycles behind an instruction of fixed length its result is there for a move; of pairs of halves one more (L1749). */
static uint32_t moves_length(const moves *m, uint32_t index) {
  enum { PAIRS_OF_HALVES = 0x031, OLD = 4, NEW = 5, SHORT = 2, SM_120 = 120 };
  if ((tl_get16(tl_control_at(m->text, index)) & OPCODE) == UNIFORM)
    return SHORT;
  return m->arch < SM_120 && tl_control_kind(m->text, index) != PAIRS_OF_HALVES ? OLD : NEW;
}

/* A move that reads what an instruction of fixed length writes waits until that is there; odd kinds write. */
static void moves_wait_for_fixed(const moves *m, uint32_t index) {
  enum { RESULT = 2, LONGEST = 5 };
  const bool uniform = (tl_get16(tl_control_at(m->text, index)) & OPCODE) == UNIFORM;
  uint32_t passed = 0;
  for (uint32_t i = index; i-- > 0;) {
    if (tl_blocks_ends(tl_control_kind(m->text, i)))
      return;
    passed += tl_control_stall(m->text, i);
    if (passed >= LONGEST)
      return;
    const bool same = ((tl_get16(tl_control_at(m->text, i)) & OPCODE) == UNIFORM) == uniform;
    if (!same || tl_control_kind(m->text, i) >= VARIABLE || moves_has_no_result(m->operands[i]) ||
        m->operands[index] & 1 || !moves_touches(m->operands[index], tl_control_at(m->text, i)[RESULT]))
      continue;
    if (passed < moves_length(m, i))
      moves_put_stall(m, index - 1, tl_control_stall(m->text, index - 1) + moves_length(m, i) - passed);
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

/* One that reads or writes what is still on its way waits for its barrier. */
static void moves_wait_for_variable(const moves *m, uint32_t index) {
  enum { RESULT = 2 };
  const bool uniform = (tl_get16(tl_control_at(m->text, index)) & OPCODE) == UNIFORM;
  uint64_t waited = tl_control_high(m->text, index) >> TL_CONTROL_WAIT;
  for (uint32_t i = index; i-- > 0;) {
    if (index - i >= REACH || tl_blocks_ends(tl_control_kind(m->text, i)))
      return;
    const uint64_t barrier = tl_control_high(m->text, i) >> TL_CONTROL_BARRIER & TL_CONTROL_NO_BARRIER;
    if (tl_control_kind(m->text, i) >= VARIABLE && barrier != TL_CONTROL_NO_BARRIER && !(waited >> barrier & 1) &&
        moves_loads_uniform(tl_control_at(m->text, i)) == uniform &&
        moves_touches(m->operands[index], tl_control_at(m->text, i)[RESULT])) {
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

/* --- numbers (L1642) --- */

enum { NUMBERS = 6, LAST_GENERAL = 4, READS = TL_CONTROL_BARRIER + 3, EVERY_NUMBER = 0x3f };

/* What is pending: the input's numbers, the new ones, and by number of the input the new one. */
typedef struct moves_state {
  uint32_t old, new;
  uint8_t stands[NUMBERS];
} moves_state;

static uint64_t moves_high_before(const moves *m, uint32_t index) {
  return tl_get64(m->before + (uint64_t)index * INSTRUCTION + 8);
}

static uint32_t moves_lowest(uint32_t taken) {
  uint32_t number = 0;
  while (taken >> number & 1)
    number++;
  return number;
}

/* A number of the input's at an instruction's `shift`: what shares with something pending does so again, others get the lowest
 * that is free. False where the input's is not so. */
static bool moves_number(uint64_t *high, uint32_t shift, moves_state *state) {
  const uint32_t number = (uint32_t)(*high >> shift) & TL_CONTROL_NO_BARRIER;
  if (number == TL_CONTROL_NO_BARRIER)
    return true;
  if (number >= NUMBERS)
    return false;
  const bool shares = state->old >> number & 1;
  const uint32_t given = shares ? state->stands[number] : moves_lowest(state->new);
  if (given > LAST_GENERAL || (shares ? !(state->new >> given & 1) : moves_lowest(state->old) != number))
    return false;
  state->old |= 1u << number;
  state->new |= 1u << given;
  state->stands[number] = (uint8_t)given;
  *high = (*high & ~((uint64_t)TL_CONTROL_NO_BARRIER << shift)) | (uint64_t)given << shift;
  return true;
}

/* One instruction. The numbers of loads from memory begin elsewhere. */
static bool moves_step(const moves *m, uint32_t index, moves_state *state, uint64_t *high) {
  static const uint16_t other[] = {0x180, 0x181, 0x183, 0x18a, 0x1a2, 0x1a3, 0x1a8, 0x1a9};
  const uint32_t kind = tl_control_kind(m->text, index);
  const uint32_t before = (uint32_t)(moves_high_before(m, index) >> TL_CONTROL_WAIT) & EVERY_NUMBER;
  const uint32_t waits = (uint32_t)(*high >> TL_CONTROL_WAIT) & EVERY_NUMBER;
  uint64_t now = 0;
  if (before & ~state->old || TL_AMONG16(other, kind))
    return false;
  for (uint32_t number = 0; number < NUMBERS; number++)
    if (waits >> number & 1)
      now |= UINT64_C(1) << state->stands[number];
  now &= state->new;
  state->old &= ~before;
  state->new &= ~(uint32_t)now;
  *high = (*high & ~((uint64_t)EVERY_NUMBER << TL_CONTROL_WAIT)) | now << TL_CONTROL_WAIT;
  return moves_number(high, READS, state) && moves_number(high, TL_CONTROL_BARRIER, state);
}

/* Gives the numbers of the first block anew, which ends by a call and lies within reach, where the input has those of the rules
 * and what is pending at the end keeps its own. */
static void moves_give_again(const moves *m) {
  static const uint16_t lasts[] = {0x943, 0x944, 0x94d}; /* calls, EXIT */
  uint64_t high[REACH];
  moves_state state = {0};
  uint32_t count = 0;
  bool ends = false;
  while (!ends && count < m->count && count < REACH) {
    high[count] = tl_control_high(m->text, count);
    if (!moves_step(m, count, &state, &high[count]))
      return;
    ends = tl_blocks_ends(tl_control_kind(m->text, count++));
  }
  const uint32_t last = count ? tl_get16(tl_control_at(m->text, count - 1)) & OPCODE : 0;
  bool same = ends && TL_AMONG16(lasts, last) && state.old == state.new;
  for (uint32_t number = 0; number < NUMBERS; number++)
    same &= !(state.old >> number & 1) || state.stands[number] == number;
  for (uint32_t i = 0; same && i < count; i++)
    tl_put64(tl_control_at(m->text, i) + 8, high[i]);
}

/* Whether an instruction sets what the next one waits for, of two upper words. */
static bool moves_is_awaited(uint64_t high, uint64_t next) {
  const uint32_t sets =
      1u << (high >> TL_CONTROL_BARRIER & TL_CONTROL_NO_BARRIER) | 1u << (high >> READS & TL_CONTROL_NO_BARRIER);
  return sets & EVERY_NUMBER & (uint32_t)(next >> TL_CONTROL_WAIT);
}

/* M45h: what sets a number for which the next instruction waits takes two cycles. */
static void moves_put_awaited(const moves *m) {
  for (uint32_t i = 0; i + 1 < m->count; i++) {
    const bool before = moves_is_awaited(moves_high_before(m, i), moves_high_before(m, i + 1));
    const bool after = moves_is_awaited(tl_control_high(m->text, i), tl_control_high(m->text, i + 1));
    const uint32_t stall = tl_control_stall(m->text, i);
    if (before != after && stall == 1 + (uint32_t)before)
      moves_put_stall(m, i, 1 + (uint32_t)after);
  }
}

/* L912: behind a changed time in a block, what waits two cycles yields where ten went by since the last that did. */
static void moves_put_yields(const moves *m) {
  enum { LEAST = 2, OFTEN = 10 };
  bool changed = false;
  uint32_t passed = 0;
  for (uint32_t i = 0; i < m->count; i++) {
    const uint32_t stall = tl_control_stall(m->text, i);
    const uint64_t bit = UINT64_C(1) << TL_CONTROL_YIELD, high = tl_control_high(m->text, i);
    changed |= stall != (moves_high_before(m, i) >> TL_CONTROL_STALL & TL_CONTROL_STALL_MAX);
    if (changed && stall == LEAST)
      tl_put64(tl_control_at(m->text, i) + 8, passed >= OFTEN ? high & ~bit : high | bit);
    passed = tl_control_high(m->text, i) & bit ? passed + stall : 0;
    if (!tl_blocks_ends(tl_control_kind(m->text, i)))
      continue;
    changed = false;
    passed = 0;
  }
}

/* Whether anything waits for something else than before. */
static bool moves_waits_otherwise(const moves *m) {
  for (uint32_t i = 0; i < m->count; i++)
    if (tl_control_high(m->text, i) >> TL_CONTROL_WAIT != moves_high_before(m, i) >> TL_CONTROL_WAIT)
      return true;
  return false;
}

void tl_moves_change(uint8_t *text, const uint8_t *before, uint64_t size, const uint16_t *operands, uint32_t arch) {
  const moves m = {text, before, operands, (uint32_t)(size / INSTRUCTION), arch};
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
      moves_wait_for_variable(&m, k);
    }
    if (known) {
      moves_put_stall(&m, call - 1, moves_need(&m, call, true));
      i = call;
    }
  }
  if (moves_waits_otherwise(&m)) {
    moves_give_again(&m);
    moves_put_awaited(&m);
  }
  moves_put_yields(&m);
}
