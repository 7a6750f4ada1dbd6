/* L1806, L1944: what a kernel begins with by loading R1, the stack pointer. nvlink reads none of its times, and they are the same in all undamaged
 * texts: it waits for nothing, what follows says its stall, and its number is 0, or 1, or it has none. */
#include "bits.h"
#include "capsule.h"

enum {
  INSTRUCTION = 16,
  OPCODE_WIDTH = 12,
  BOARDS = 6,
  NO_BOARD = 7,
  EVERY_WAIT = 0x3f,
  TIMES_BIT = 105,
  YIELD_BIT = 109,
  WRITE_BIT = 110,
  READ_BIT = 113,
  WAIT_BIT = 116,
  LAST_OWN = 1 /* 0 and 1 can be its number */
};

/* LDC R1, c[0x0][0x37c], of all lanes. */
static bool ref_stack_is_load(const uint8_t *at) {
  static const uint8_t lower[INSTRUCTION / 2] = {0x82, 0x7b, 0x01, 0xff, 0x00, 0xdf, 0x00, 0x00};
  return memcmp(at, lower, sizeof lower) == 0;
}

static bool ref_stack_sets(const uint8_t *at, unsigned board) {
  return ref_bits_get(at, WRITE_BIT, 3) == board || ref_bits_get(at, READ_BIT, 3) == board;
}

static bool ref_stack_waits(const uint8_t *at, unsigned board) {
  return (ref_bits_get(at, WAIT_BIT, BOARDS) >> board & 1) != 0;
}

/* The first instruction behind the load that sets a number, or the end. */
static size_t ref_stack_find_setter(const uint8_t *text, size_t count, unsigned board) {
  size_t i = 1;
  while (i < count && !ref_stack_sets(text + i * INSTRUCTION, board)) {
    i++;
  }
  return i;
}

/* Who waits for a number, in the order of the text, before or where somebody behind the load sets it, or REF_NONE. */
static size_t ref_stack_find_wait(const uint8_t *text, size_t count, unsigned board) {
  const size_t setter = ref_stack_find_setter(text, count, board);
  for (size_t i = 1; i < count && i <= setter; i++) {
    if (ref_stack_waits(text + i * INSTRUCTION, board)) {
      return i;
    }
  }
  return REF_NONE;
}

/* Does the first number that is set behind it leave 0 to the load? */
static bool ref_stack_leaves_first(const uint8_t *text, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const uint8_t *at = text + i * INSTRUCTION;
    const unsigned write = ref_bits_get(at, WRITE_BIT, 3), read = ref_bits_get(at, READ_BIT, 3);
    if (write < BOARDS || read < BOARDS) {
      return (write < BOARDS ? write : read) != 0;
    }
  }
  return true;
}

/* Who waits for the load by another number than it can have waits for 0, where nobody sets that before. False: somebody does. */
static bool ref_stack_rename(uint8_t *text, size_t count, unsigned board) {
  const size_t setter = ref_stack_find_setter(text, count, board), first = ref_stack_find_setter(text, count, 0);
  const size_t wait = ref_stack_find_wait(text, count, board);
  if (wait > first) {
    return false;
  }
  for (size_t i = wait; i < count && i <= setter && i <= first; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    if (ref_stack_waits(at, board) && ref_bits_get(at, WAIT_BIT, BOARDS) != EVERY_WAIT) {
      ref_bits_put(at, WAIT_BIT + board, 1, 0);
      ref_bits_put(at, WAIT_BIT, 1, 1);
    }
  }
  return true;
}

static unsigned ref_stack_find_number(uint8_t *text, size_t count) {
  const unsigned old = ref_bits_get(text, WRITE_BIT, 3);
  for (unsigned number = 0; number <= LAST_OWN; number++) {
    const size_t wait = ref_stack_find_wait(text, count, number);
    const bool all = wait != REF_NONE && ref_bits_get(text + wait * INSTRUCTION, WAIT_BIT, BOARDS) == EVERY_WAIT;
    if (wait != REF_NONE && !all && (number == 0 || old < BOARDS)) { /* a histogram waits for 1 that nobody has set */
      return number;
    }
  }
  if (old >= BOARDS || old <= LAST_OWN) {
    return old == BOARDS ? NO_BOARD : old;
  }
  if (ref_stack_find_wait(text, count, old) == REF_NONE) {
    return ref_stack_leaves_first(text, count) ? 0 : NO_BOARD;
  }
  return ref_stack_rename(text, count, old) ? 0 : old;
}

/* RF1157; a barrier and what waits for the grids before (0x82d) may come 8 cycles later, or 1. */
static unsigned ref_stack_find_stall(const uint8_t *text) {
  enum { LDC = 0xb82, S2UR = 0x9c3, BAR = 0xb1d, AWAIT_GRIDS = 0x82d, LONG_LOAD = 8, AT_ONCE = 2 };
  const uint8_t *next = text + INSTRUCTION;
  const unsigned opcode = ref_bits_get(next, 0, OPCODE_WIDTH), number = ref_bits_get(text, WRITE_BIT, 3);
  const unsigned old = ref_bits_get(text, TIMES_BIT, 4);
  if ((opcode == BAR || opcode == AWAIT_GRIDS) && old == LONG_LOAD) {
    return old;
  }
  if (number < BOARDS && ref_stack_waits(next, number)) {
    return AT_ONCE;
  }
  return opcode == LDC || opcode == S2UR ? LONG_LOAD : 1;
}

/* Has it R1 among its operands? */
static bool ref_stack_reads(const uint8_t *at) {
  enum { NUMBER = 0x402, LDCU = 0x7ac, S2UR = 0x9c3, FIRST_UNIFORM = 0x080, LAST_UNIFORM = 0x0bf, STACK = 1 };
  const unsigned opcode = ref_bits_get(at, 0, OPCODE_WIDTH), form = opcode >> 9, base = opcode & 0x1ff;
  if (opcode == NUMBER || opcode == LDCU || opcode == S2UR || (base >= FIRST_UNIFORM && base <= LAST_UNIFORM)) {
    return false;
  }
  return ref_bits_get(at, 24, 8) == STACK || (form != 3 && ref_bits_get(at, 64, 8) == STACK) ||
         (form == 1 && ref_bits_get(at, 32, 8) == STACK);
}

static bool ref_stack_is_call(const uint8_t *at) {
  const unsigned base = ref_bits_get(at, 0, 9);
  return base == 0x143 || base == 0x144;
}

/* Does it set a number that makes the wait for R1 stand in front of a call? Those of uniform loads and moves do not. */
static bool ref_stack_counts(const uint8_t *at) {
  enum { LDCU = 0x7ac, TO_UNIFORM = 0xd12, S2UR = 0x9c3 };
  const unsigned opcode = ref_bits_get(at, 0, OPCODE_WIDTH);
  const bool sets = ref_bits_get(at, WRITE_BIT, 3) < BOARDS || ref_bits_get(at, READ_BIT, 3) < BOARDS;
  return sets && opcode != LDCU && opcode != TO_UNIFORM && opcode != S2UR;
}

/* Who is the first to need R1, of those that nobody comes to but from the load: who reads it, or a call; or REF_NONE. `wait`: who waits then. */
static size_t ref_stack_find_user(const uint8_t *text, size_t count, unsigned board, size_t *wait) {
  enum { FIRST_CONTROL = 0x141, LAST_CONTROL = 0x15b };
  const size_t first = ref_times_count_first(text, count);
  bool is_in_front = false;
  for (size_t i = 1; i < first; i++) {
    const uint8_t *at = text + i * INSTRUCTION;
    const unsigned base = ref_bits_get(at, 0, 9);
    const bool is_control = base >= FIRST_CONTROL && base <= LAST_CONTROL;
    *wait = ref_stack_is_call(at) && is_in_front && i > 1 ? i - 1 : i;
    if (ref_stack_is_call(at) || (!is_control && ref_stack_reads(at))) {
      return i;
    }
    if (is_control || ref_stack_sets(at, board)) {
      break;
    }
    is_in_front = is_in_front || ref_stack_counts(at);
  }
  return REF_NONE;
}

/* RF1228: who is the first to need R1 waits for the load, and nobody in front of him. */
static void ref_stack_settle_wait(uint8_t *text, size_t count, unsigned board) {
  size_t wait = REF_NONE;
  const size_t user = board < BOARDS ? ref_stack_find_user(text, count, board, &wait) : REF_NONE;
  if (user == REF_NONE) {
    return;
  }
  const bool stands =
      ref_stack_waits(text + wait * INSTRUCTION, board) || ref_stack_waits(text + user * INSTRUCTION, board);
  for (size_t i = 1; i < user; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    if (ref_bits_get(at, WAIT_BIT, BOARDS) == EVERY_WAIT) {
      return;
    }
    if (i != wait) {
      ref_bits_put(at, WAIT_BIT + board, 1, 0);
    }
  }
  if (!stands) {
    ref_bits_put(text + wait * INSTRUCTION, WAIT_BIT + board, 1, 1);
  }
}

void ref_stack_settle_number(uint8_t *text, size_t count) {
  if (count >= 2 && ref_stack_is_load(text)) {
    ref_bits_put(text, WRITE_BIT, 3, ref_stack_find_number(text, count));
    ref_bits_put(text, READ_BIT, 3, NO_BOARD);
    ref_bits_put(text, WAIT_BIT, BOARDS, 0);
    ref_stack_settle_wait(text, count, ref_bits_get(text, WRITE_BIT, 3));
  }
}

void ref_stack_settle_stall(uint8_t *text, size_t count) {
  if (count >= 2 && ref_stack_is_load(text)) {
    ref_bits_put(text, TIMES_BIT, 4, ref_stack_find_stall(text));
    ref_bits_put(text, YIELD_BIT, 1, 1);
  }
}
