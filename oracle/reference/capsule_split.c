/* Blocks that begin at the places of a namesake's entries: RF371. nvlink makes the waits of the whole text anew; here are those in
 * cycles: that the last instruction of a block waits until all that the block computes is there, and which instructions let others go first
 * (the yield bit, RF372). Numbers of scoreboards stay. RF906, RF985: the same waits where a move writes another register than the input's. */
#include "bits.h"
#include "capsule.h"

#include <string.h>

enum {
  UNIT = 16,
  BASE_BITS = 0x1ff,   /* what an instruction does, whatever its operands are */
  FIXED_BELOW = 0x100, /* instructions that take as many cycles each time */
  STALL_BIT = 105,
  STALL_WIDTH = 4,
  YIELD_BIT = 109,
  MOST_STALL = 15, /* -O0 */
  NO_PREDICATE = 7,
  FIRST_PREDICATE_BIT = 81,
  SECOND_PREDICATE_BIT = 84,
  PREDICATE_CYCLES = 13,
  YIELD_CYCLES = 10,
  LONG_STALL = 12,
  MOST_BACK = 32, /* instructions, of which hardly one takes no cycle */
  FIXED_STALL = 3
};

static unsigned ref_split_base(const uint8_t *at) {
  return ref_bits_get(at, 0, 12) & BASE_BITS;
}

static unsigned ref_split_stall(const uint8_t *at) {
  return ref_bits_get(at, STALL_BIT, STALL_WIDTH);
}

/* --- blocks --- */

static bool ref_split_ends_block(const uint8_t *at) {
  static const uint16_t ends[] = {0x11b, 0x141, 0x143, 0x144, 0x147, 0x148, 0x149, 0x14d, 0x150, 0x158, 0x15a, 0x15c};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    if (ref_split_base(at) == ends[i]) {
      return true;
    }
  }
  return false;
}

/* T13: 8 bits at 16, 48 bits at 34, times 4, of BRA and BSSY. */
static size_t ref_split_target(const uint8_t *text, size_t instruction) {
  const uint8_t *at = text + instruction * UNIT;
  const unsigned base = ref_split_base(at);
  uint64_t offset = ref_bits_get(at, 16, 8);
  if (base != 0x145 && base != 0x147) {
    return REF_NONE;
  }
  offset |= (uint64_t)ref_bits_get(at, 34, 24) << 8 | (uint64_t)ref_bits_get(at, 58, 24) << 32;
  const int64_t distance = (int64_t)(offset << 8) >> 8;
  const int64_t target = (int64_t)instruction + 1 + distance / (UNIT / 4);
  return target < 0 ? REF_NONE : (size_t)target;
}

static bool *ref_split_find_blocks(ref_link *link, const uint8_t *text, size_t count) {
  bool *begins = REF_TAKE(link, bool, count + 1);
  for (size_t i = 0; i < count; i++) {
    const size_t target = ref_split_target(text, i);
    begins[i + 1] = begins[i + 1] || ref_split_ends_block(text + i * UNIT);
    if (target < count) {
      begins[target] = true;
    }
  }
  begins[0] = true;
  return begins;
}

/* --- cycles --- */

/* After how many cycles the next block may have what an instruction computes; of those that take as long as they take, how many it waits
 * itself at the end of a block. */
static unsigned ref_split_cycles(const uint8_t *at) {
  static const struct {
    uint16_t base;
    uint8_t cycles;
  } rows[] = {{0x00c, 13}, {0x01c, 13}, {0x028, 11}, {0x029, 11}, {0x02b, 11}, {0x035, 8},  {0x05a, 12},
              {0x082, 5},  {0x086, 5},  {0x08c, 11}, {0x090, 12}, {0x091, 12}, {0x099, 12}, {0x0ca, 15},
              {0x100, 3},  {0x118, 1},  {0x11b, 5},  {0x11d, 6},  {0x141, 5},  {0x143, 5},  {0x145, 1},
              {0x146, 6},  {0x147, 5},  {0x148, 5},  {0x149, 5},  {0x14d, 5},  {0x155, 5},  {0x156, 5},
              {0x15c, 5},  {0x160, 3},  {0x18f, 1},  {0x1a7, 6},  {0x1c7, 6}};
  enum { ADD = 0x010, LOGIC = 0x012, FIXED = 7, OTHER = 2 };
  const unsigned base = ref_split_base(at);
  const bool first = ref_bits_get(at, FIRST_PREDICATE_BIT, 3) != NO_PREDICATE;
  const bool second = ref_bits_get(at, SECOND_PREDICATE_BIT, 3) != NO_PREDICATE;
  if ((base == ADD && (first || second)) || (base == LOGIC && first)) {
    return PREDICATE_CYCLES;
  }
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].base == base) {
      return rows[i].cycles;
    }
  }
  return base < FIXED_BELOW ? FIXED : OTHER;
}

/* The wait of the last instruction of a block that begins at `first`, or before. `left_out`: those that nobody waits for; NULL: none. */
static unsigned ref_split_last_stall_but(const uint8_t *text, size_t first, size_t last, const bool *left_out) {
  unsigned most = left_out != NULL && left_out[last] ? 1 : ref_split_cycles(text + last * UNIT), distance = 0;
  for (size_t i = last; i > first && distance < MOST_STALL && last - i + 1 < MOST_BACK; i--) {
    const uint8_t *before = text + (i - 1) * UNIT;
    const unsigned cycles = left_out != NULL && left_out[i - 1] ? 0 : ref_split_cycles(before);
    distance += ref_split_stall(before);
    most = cycles > distance && cycles - distance > most ? cycles - distance : most;
  }
  return most;
}

static unsigned ref_split_last_stall(const uint8_t *text, size_t first, size_t last) {
  return ref_split_last_stall_but(text, first, last, NULL);
}

/* RF372: what waits for long yields; what computes for two cycles does where ten went by without. */
static bool ref_split_yields(const uint8_t *at, unsigned cycles) {
  const unsigned stall = ref_split_stall(at);
  const bool fixed = ref_split_base(at) < FIXED_BELOW;
  return stall >= LONG_STALL || (fixed && (stall >= FIXED_STALL || (stall > 1 && cycles >= YIELD_CYCLES)));
}

static size_t ref_split_block_end(const bool *begins, size_t first, size_t count) {
  size_t end = first + 1;
  while (end < count && !begins[end]) {
    end++;
  }
  return end;
}

/* The yield bits of one block; only those are new that were what the rule says before. */
static void ref_split_yield(uint8_t *text, const uint8_t *before, size_t first, size_t end, size_t old_first) {
  unsigned cycles = 0, old_cycles = 0;
  for (size_t i = old_first; i < end; i++) {
    uint8_t *at = text + i * UNIT;
    const uint8_t *old = before + i * UNIT;
    const bool had = ref_split_yields(old, old_cycles);
    cycles = i == first ? 0 : cycles;
    const bool yields = ref_split_yields(at, cycles);
    if (i >= first && ref_bits_get(old, YIELD_BIT, 1) == !had) {
      ref_bits_put(at, YIELD_BIT, 1, !yields);
    }
    cycles = yields ? 0 : cycles + ref_split_stall(at);
    old_cycles = had ? 0 : old_cycles + ref_split_stall(old);
  }
}

/* --- units that take an instruction only every few cycles --- */

typedef struct ref_split_unit {
  unsigned cycles;
  size_t count;
  uint16_t bases[12];
} ref_split_unit;

static bool ref_split_is_in_unit(const ref_split_unit *unit, const uint8_t *at) {
  for (size_t i = 0; i < unit->count; i++) {
    if (unit->bases[i] == ref_split_base(at)) {
      return true;
    }
  }
  return false;
}

static bool ref_split_waits_for_last(const uint8_t *at) {
  enum { WRITE = 110, READ = 113, WAIT = 116, BOARDS = 6 };
  const unsigned write = ref_bits_get(at, WRITE, 3), read = ref_bits_get(at, READ, 3);
  const unsigned waits = ref_bits_get(at + UNIT, WAIT, BOARDS);
  return (write < BOARDS && (waits >> write & 1) != 0) || (read < BOARDS && (waits >> read & 1) != 0);
}

/* What waited for the unit alone, which an instruction before the new block kept busy, waits no longer. */
static void ref_split_loosen(uint8_t *text, const uint8_t *before, size_t old_first, size_t place, size_t end,
                             const ref_split_unit *unit) {
  size_t next = place, last = place;
  unsigned distance = 0;
  while (next < end && !ref_split_is_in_unit(unit, before + next * UNIT)) {
    next++;
  }
  while (last > old_first && !ref_split_is_in_unit(unit, before + (last - 1) * UNIT)) {
    last--;
  }
  if (next == end || next == place || last == old_first) {
    return;
  }
  for (size_t i = last - 1; i < next; i++) {
    distance += ref_split_stall(before + i * UNIT);
  }
  uint8_t *at = text + (next - 1) * UNIT;
  if (distance == unit->cycles && ref_split_stall(at) > 1) {
    ref_bits_put(at, STALL_BIT, STALL_WIDTH, ref_split_waits_for_last(at) ? 2 : 1);
  }
}

static void ref_split_loosen_units(uint8_t *text, const uint8_t *before, size_t old_first, size_t place, size_t end) {
  static const ref_split_unit units[] = {
      {8, 6, {0x105, 0x106, 0x108, 0x109, 0x111, 0x112}},
      {4, 11, {0x180, 0x181, 0x183, 0x185, 0x186, 0x187, 0x188, 0x1a7, 0x1a8, 0x1a9, 0x1aa}}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    ref_split_loosen(text, before, old_first, place, end, &units[i]);
  }
}

/* One more block, of those that `begins` says. */
static void ref_split_at(uint8_t *text, const uint8_t *before, bool *begins, size_t count, size_t place) {
  size_t old_first = place;
  const size_t end = ref_split_block_end(begins, place, count);
  const unsigned last = ref_split_stall(before + (end - 1) * UNIT);
  while (!begins[old_first]) {
    old_first--;
  }
  begins[place] = true;
  const unsigned stall = ref_split_last_stall(text, 0, place - 1);
  ref_bits_put(text + (place - 1) * UNIT, STALL_BIT, STALL_WIDTH, stall);
  ref_split_loosen_units(text, before, old_first, place, end);
  const unsigned shorter = ref_split_last_stall(text, place, end - 1);
  if (shorter < last && last == ref_split_last_stall(before, 0, end - 1)) {
    ref_bits_put(text + (end - 1) * UNIT, STALL_BIT, STALL_WIDTH, shorter);
  }
  ref_split_yield(text, before, old_first, place, old_first);
  ref_split_yield(text, before, place, end, old_first);
}

void ref_split_text(ref_link *link, ref_bytes *text, const ref_indices *places) {
  const size_t count = text->size / UNIT;
  bool *begins = ref_split_find_blocks(link, text->data, count);
  uint8_t *before = REF_TAKE(link, uint8_t, text->size);
  for (size_t i = 0; i < places->count; i++) {
    const size_t place = places->items[i];
    if (place == 0 || place >= count || begins[place] ||
        ref_split_stall(text->data + (place - 1) * UNIT) == MOST_STALL) {
      continue;
    }
    memcpy(before, text->data, text->size);
    ref_split_at(text->data, before, begins, count, place);
  }
}

/* --- moves to other registers --- */

static void ref_split_set_stall(uint8_t *at, unsigned stall) {
  ref_bits_put(at, STALL_BIT, STALL_WIDTH, stall);
  ref_bits_put(at, YIELD_BIT, 1, stall < (ref_split_base(at) < FIXED_BELOW ? FIXED_STALL : LONG_STALL));
}

/* What computes a register of the kind that the move writes, in a time that is the same. */
static bool ref_split_writes(const uint8_t *at, const ref_split_move *move) {
  enum { MOVE = 0x002, ADD = 0x010, LOGIC = 0x012, MOVE_UNIFORM = 0x082, REGISTER_BIT = 16 };
  const unsigned base = ref_split_base(at), number = ref_bits_get(at, REGISTER_BIT, 8);
  const bool same_kind = move->is_uniform ? base == MOVE_UNIFORM : base == MOVE || base == ADD || base == LOGIC;
  return same_kind && number >= move->first && number - move->first < move->count;
}

/* `other`: the instruction is a move that was changed, too; NULL. */
static bool ref_split_computes(const uint8_t *at, const ref_split_move *other, const ref_split_move *move) {
  if (other == NULL) {
    return ref_split_writes(at, move);
  }
  return other->writes && other->is_uniform == move->is_uniform && other->first < move->first + move->count &&
         move->first < other->first + other->count;
}

/* What is computed in the same block can be read some cycles later at the earliest: what stands in front of the move waits. `numbers`: by
 * instruction its place among the moves, and 1. */
static void ref_split_keep_order(uint8_t *text, const bool *begins, const ref_split_move *moves, const size_t *numbers,
                                 const ref_split_move *move, unsigned cycles) {
  unsigned distance = 0;
  for (size_t i = move->instruction; i > 0 && !begins[i] && distance < cycles && move->instruction - i < MOST_BACK;
       i--) {
    distance += ref_split_stall(text + (i - 1) * UNIT);
    const ref_split_move *other = numbers[i - 1] == 0 ? NULL : &moves[numbers[i - 1] - 1];
    if (distance < cycles && ref_split_computes(text + (i - 1) * UNIT, other, move)) {
      uint8_t *before = text + (move->instruction - 1) * UNIT;
      ref_split_set_stall(before, ref_split_stall(before) + cycles - distance);
      return;
    }
  }
}

/* Does a load or the like, whose time is not known, write one of the move's registers? */
static bool ref_split_sets(const uint8_t *at, const ref_split_move *move) {
  enum { REGISTER_BIT = 16, SIZE_BIT = 73, WIDE = 5, WIDEST = 6, WRITE_BIT = 110, BOARDS = 6 };
  static const uint16_t sized[] = {0x180, 0x181, 0x182, 0x183, 0x184, 0x1ac}, uniform[] = {0x1ac, 0x1c3};
  const unsigned base = ref_split_base(at), first = ref_bits_get(at, REGISTER_BIT, 8);
  bool has_size = false, is_uniform = false;
  for (size_t i = 0; i < sizeof sized / sizeof sized[0]; i++) {
    has_size = has_size || base == sized[i];
  }
  for (size_t i = 0; i < sizeof uniform / sizeof uniform[0]; i++) {
    is_uniform = is_uniform || base == uniform[i];
  }
  const unsigned size = has_size ? ref_bits_get(at, SIZE_BIT, 3) : 0;
  const unsigned count = size == WIDE ? 2 : size == WIDEST ? 4 : 1;
  return ref_bits_get(at, WRITE_BIT, 3) < BOARDS && is_uniform == move->is_uniform &&
         first < move->first + move->count && move->first < first + count;
}

/* What sets a number that the next instruction waits for takes two cycles; where it waited for it alone, one (L623). */
static void ref_split_settle_stall(uint8_t *at, unsigned boards) {
  enum { WRITE_BIT = 110, READ_BIT = 113, WAIT_BIT = 116, BOARDS = 6 };
  uint8_t *before = at - UNIT;
  const unsigned sets = 1u << ref_bits_get(before, WRITE_BIT, 3) | 1u << ref_bits_get(before, READ_BIT, 3);
  const bool waits = (sets & ref_bits_get(at, WAIT_BIT, BOARDS)) != 0;
  if ((sets & boards) != 0 && ref_split_stall(before) == (waits ? 1 : 2)) {
    ref_bits_put(before, STALL_BIT, STALL_WIDTH, waits ? 2 : 1);
  }
}

/* RF985: the move waits for what sets its registers, and nobody behind it in the block. */
static void ref_split_wait(uint8_t *text, const bool *begins, size_t count, const ref_split_move *move) {
  enum { WRITE_BIT = 110, WAIT_BIT = 116, BOARDS = 6 };
  uint8_t *own = text + move->instruction * UNIT;
  unsigned waits = ref_bits_get(own, WAIT_BIT, BOARDS), passed = waits, wanted = 0;
  for (size_t i = move->instruction; i > 0 && !begins[i] && move->instruction - i < MOST_BACK; i--) {
    const uint8_t *before = text + (i - 1) * UNIT;
    const unsigned board = ref_bits_get(before, WRITE_BIT, 3);
    if (ref_split_sets(before, move) && (passed >> board & 1) == 0) {
      wanted |= 1u << board;
    }
    passed |= ref_bits_get(before, WAIT_BIT, BOARDS) | (board < BOARDS ? 1u << board : 0);
  }
  if (wanted == 0) {
    return;
  }
  ref_bits_put(own, WAIT_BIT, BOARDS, waits | wanted);
  ref_split_settle_stall(own, wanted);
  for (size_t i = move->instruction + 1; i < count && !begins[i] && wanted != 0; i++) {
    uint8_t *behind = text + i * UNIT;
    const unsigned board = ref_bits_get(behind, WRITE_BIT, 3);
    ref_bits_put(behind, WAIT_BIT, BOARDS, ref_bits_get(behind, WAIT_BIT, BOARDS) & ~wanted);
    ref_split_settle_stall(behind, wanted);
    wanted &= ~(board < BOARDS ? 1u << board : 0);
  }
}

/* The instruction in front of the call that ends a move's block, which waits for what the block computes; REF_NONE. RF1226: the move or one behind it. */
static size_t ref_split_before_call(const ref_bytes *text, const bool *begins, size_t place) {
  enum { CALL = 0x143, CALL_RELATIVE = 0x144 };
  const size_t count = text->size / UNIT;
  for (size_t i = place; i + 1 < count && !begins[i + 1] && i - place < MOST_BACK; i++) {
    const unsigned next = ref_split_base(text->data + (i + 1) * UNIT);
    if (next == CALL || next == CALL_RELATIVE) {
      return i;
    }
  }
  return REF_NONE;
}

/* What it waits for, where it waited by the rule `before`; one whose number the call waits for waits for two cycles at least. */
static void ref_split_wait_before_call(uint8_t *text, const uint8_t *before, size_t first, size_t last,
                                       const bool *changed) {
  enum { WAIT_BIT = 116, WRITE_BIT = 110, BOARDS = 6 };
  uint8_t *at = text + last * UNIT;
  const unsigned own = ref_split_stall(before + last * UNIT), sets = 1u << ref_bits_get(at, WRITE_BIT, 3);
  if (own != MOST_STALL && own == ref_split_last_stall(before, first, last)) {
    const unsigned stall = ref_split_last_stall_but(text, first, last, changed);
    const bool waits = (sets & ref_bits_get(at + UNIT, WAIT_BIT, BOARDS)) != 0;
    ref_split_set_stall(at, waits && stall < 2 ? 2 : stall);
  }
}

static size_t ref_split_block_of(const bool *begins, size_t place) {
  size_t first = place;
  while (!begins[first] && place - first < MOST_BACK) {
    first--;
  }
  return first;
}

void ref_split_change_moves(ref_link *link, ref_bytes *text, const ref_split_move *moves, size_t move_count) {
  enum { SECOND_FAMILY = 120, UNIFORM = 2, FIRST = 4, SECOND = 5 };
  const size_t count = text->size / UNIT;
  const bool *begins = ref_split_find_blocks(link, text->data, count);
  uint8_t *before = REF_TAKE(link, uint8_t, text->size + 1);
  memcpy(before, text->data, text->size);
  bool *changed = REF_TAKE(link, bool, count);
  size_t *numbers = REF_TAKE(link, size_t, count + 1);
  for (size_t i = 0; i < move_count; i++) {
    numbers[moves[i].instruction] = i + 1;
    changed[moves[i].instruction] = !moves[i].writes;
  }
  for (size_t i = 0; i < move_count; i++) {
    const unsigned own = ref_split_stall(text->data + moves[i].instruction * UNIT);
    const unsigned twice = moves[i].is_uniform ? UNIFORM : link->sm >= SECOND_FAMILY ? SECOND : FIRST;
    if (own != MOST_STALL && !moves[i].writes && moves[i].count != 0) {
      ref_split_keep_order(text->data, begins, moves, numbers, &moves[i], twice);
    }
    if (own != MOST_STALL && moves[i].count != 0) {
      ref_split_wait(text->data, begins, count, &moves[i]);
    }
  }
  for (size_t i = 0; i < move_count; i++) {
    const size_t last = ref_split_before_call(text, begins, moves[i].instruction);
    if (last != REF_NONE) {
      ref_split_wait_before_call(text->data, before, ref_split_block_of(begins, moves[i].instruction), last, changed);
    }
  }
  if (count != 0) {
    ref_numbers_give_again(link, text, before, ref_split_block_end(begins, 0, count));
  }
}
