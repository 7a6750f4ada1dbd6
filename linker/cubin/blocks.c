/* The place that the last half of a namesake's place in code names (L763) begins a block in a text that was not made for it,
 * and nvlink's finalizer gives the cycles around it anew: how long the instruction before it waits, and the last one of the
 * block that now begins there (L911, RF371), and which instructions yield (L912, RF372). Halves take what their own
 * instruction has in their field (L910, RF370). Barriers stay (open.md). */
#include "cubin/blocks.h"

#include "base/bytes.h"
#include "cubin/code.h"
#include "cubin/control.h"

enum { INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE = 0xfff, VARIABLE = 0x100 };
enum { KIND_BSSY = 0x145, KIND_BRANCH = 0x147 };

typedef struct blocks {
  uint8_t *text;
  uint32_t count;
  bool *own;            /* by instruction: the text's own block begins there; one more, which begins one, too */
  const bool *places;   /* by instruction: a block is to begin there */
  const uint8_t *waits; /* by instruction: the cycles that it waited */
} blocks;

/* --- instructions --- */

static void blocks_put_wait(const blocks *b, uint32_t index, uint64_t cycles) {
  const uint64_t others = tl_control_high(b->text, index) & ~((uint64_t)TL_CONTROL_STALL_MAX << TL_CONTROL_STALL);
  tl_put64(tl_control_at(b->text, index) + 8, others | cycles << TL_CONTROL_STALL);
}

/* The bit says that it stays. */
static bool blocks_yields(const blocks *b, uint32_t index) {
  return !(tl_control_high(b->text, index) >> TL_CONTROL_YIELD & 1);
}

static void blocks_put_yield(const blocks *b, uint32_t index, bool yields) {
  const uint64_t bit = UINT64_C(1) << TL_CONTROL_YIELD, high = tl_control_high(b->text, index);
  tl_put64(tl_control_at(b->text, index) + 8, yields ? high & ~bit : high | bit);
}

bool tl_blocks_ends(uint32_t kind) {
  static const uint16_t kinds[] = {0x141, 0x142, 0x143, 0x144, 0x147, 0x148, 0x149, 0x14a, 0x14c, 0x14d, 0x150};
  return TL_AMONG16(kinds, kind);
}

uint32_t tl_blocks_need(const uint8_t *at) {
  enum { COMPARES = 13, CONDITION_SHIFT = 17, CONDITION = 7, CONDITIONS = 0x3f, PLAIN = 7, AT_LEAST = 2, BRANCH = 5 };
  static const uint32_t rows[][2] = {
      {0x00c, COMPARES}, {0x01c, COMPARES}, {0x028, 11}, {0x029, 11}, {0x02b, 11}, {0x08c, 11}, {0x035, 8},
      {0x05a, 12},       {0x090, 12},       {0x091, 12}, {0x099, 12}, {0x082, 5},  {0x086, 5},  {0x0ca, 15},
  };
  const uint32_t kind = tl_get16(at) & TL_CONTROL_KIND;
  if (tl_blocks_ends(kind))
    return BRANCH;
  if (kind >= VARIABLE)
    return AT_LEAST;
  const uint32_t mask = kind == 0x010   ? CONDITIONS
                        : kind == 0x012 ? CONDITION
                                        : 0; /* sums have two conditions, logic one */
  if ((tl_get64(at + 8) >> CONDITION_SHIFT & mask) != mask)
    return COMPARES;
  return TL_PAIRED32(rows, kind, PLAIN);
}

static uint32_t blocks_need(const blocks *b, uint32_t index) {
  return tl_blocks_need(tl_control_at(b->text, index));
}

/* --- blocks --- */

/* The distance of a branch lies in two fields, in words of 4 bytes from the next instruction on. */
static int64_t blocks_distance(const uint8_t *at, uint32_t kind) {
  const uint64_t low = tl_get64(at), high = tl_get64(at + 8);
  if (kind == KIND_BSSY)
    return (int32_t)(low >> 32 & ~UINT64_C(3));
  const uint64_t words = (low >> 16 & 0xff) | low >> 34 << 8 | (high & 0x3ffff) << 38;
  return (int64_t)(words << 8) >> 6 & ~INT64_C(3);
}

static void blocks_find_own(const blocks *b) {
  b->own[0] = b->own[b->count] = true;
  for (uint32_t i = 0; i < b->count; i++) {
    const uint32_t kind = tl_control_kind(b->text, i);
    if (tl_blocks_ends(kind))
      b->own[i + 1] = true;
    if (kind != KIND_BRANCH && kind != KIND_BSSY)
      continue;
    const int64_t target = (int64_t)i + 1 + blocks_distance(tl_control_at(b->text, i), kind) / INSTRUCTION;
    if (target >= 0 && target < b->count)
      b->own[target] = true;
  }
}

/* How long the instruction before `end` waits for those from `first` on and before `last`, by the cycles that they waited. */
static uint32_t blocks_need_of(const blocks *b, uint32_t first, uint32_t last, uint32_t end) {
  uint32_t most = 1, passed = 0;
  for (uint32_t i = end; i-- > first && passed < TL_CONTROL_STALL_MAX;) {
    passed += i + 1 < end ? b->waits[i] : 0;
    if (i < last && blocks_need(b, i) > passed)
      most = (uint32_t)tl_larger(most, blocks_need(b, i) - passed);
  }
  return most;
}

/* --- units --- */

typedef enum blocks_unit { UNIT_NONE, UNIT_CONVERSIONS, UNIT_MEMORY } blocks_unit;

static blocks_unit blocks_unit_of(uint32_t kind) {
  static const uint16_t conversions[] = {0x105, 0x106, 0x108, 0x109, 0x111, 0x112};
  static const uint16_t memory[] = {0x180, 0x181, 0x183, 0x184, 0x185, 0x186, 0x187, 0x188};
  return TL_AMONG16(conversions, kind) ? UNIT_CONVERSIONS : TL_AMONG16(memory, kind) ? UNIT_MEMORY : UNIT_NONE;
}

/* Whether an instruction reads a register that one of the block before it sets; a wait may be for that. */
static bool blocks_reads(const blocks *b, uint32_t first, uint32_t index) {
  enum { RESULT = 2, FIRST = 3, SECOND = 4, ZERO = 0xff };
  const uint8_t *const at = tl_control_at(b->text, index);
  const bool memory = blocks_unit_of(tl_control_kind(b->text, index)) == UNIT_MEMORY;
  uint32_t passed = 0;
  for (uint32_t i = index; i-- > first && passed < TL_CONTROL_STALL_MAX;) {
    const uint8_t set = tl_control_at(b->text, i)[RESULT];
    if (set != ZERO && tl_control_kind(b->text, i) < VARIABLE && (set == at[SECOND] || (memory && set == at[FIRST])))
      return true;
    passed += b->waits[i];
  }
  return false;
}

/* The cycles from the unit's last instruction before `index`, which stands at `first` or behind it and before `place`; 0 where
 * that is no such one, or far. */
static uint32_t blocks_since_unit(const blocks *b, uint32_t first, uint32_t place, uint32_t index, blocks_unit unit) {
  uint32_t passed = 0;
  for (uint32_t i = index; i-- > first && passed < TL_CONTROL_STALL_MAX;) {
    passed += b->waits[i];
    if (blocks_unit_of(tl_control_kind(b->text, i)) == unit)
      return i < place ? passed : 0;
  }
  return 0;
}

/* The first instruction of a unit in the new block may have waited for the unit's last one before it. */
static void blocks_free_unit(const blocks *b, uint32_t first, uint32_t place, uint32_t end, blocks_unit unit) {
  const uint32_t busy = unit == UNIT_CONVERSIONS ? 8 : 4;
  uint32_t user = place;
  while (user < end && blocks_unit_of(tl_control_kind(b->text, user)) != unit)
    user++;
  if (user == place || user == end || blocks_since_unit(b, first, place, user, unit) != busy ||
      blocks_reads(b, place, user))
    return;
  const uint64_t barrier = tl_control_high(b->text, user - 1) >> TL_CONTROL_BARRIER & TL_CONTROL_NO_BARRIER;
  const bool awaited =
      barrier != TL_CONTROL_NO_BARRIER && tl_control_high(b->text, user) >> (TL_CONTROL_WAIT + barrier) & 1;
  blocks_put_wait(b, user - 1, awaited ? 2 : 1);
}

/* --- the new block --- */

/* Whether an instruction's wait ends when that of one of long latency does, which stands from `first` on and before `last`. */
static bool blocks_is_awaited(const blocks *b, uint32_t first, uint32_t last, uint32_t index) {
  enum { SHORT = 8 };
  uint32_t passed = 0;
  for (uint32_t i = index + 1; i-- > first && passed < TL_CONTROL_STALL_MAX;) {
    passed += b->waits[i];
    if (i < last && passed > SHORT && passed == blocks_need(b, i))
      return true;
  }
  return false;
}

/* What waited for a condition, say, from before the place finds it there. */
static void blocks_free_waits(const blocks *b, uint32_t first, uint32_t place, uint32_t end) {
  enum { LONG = 8 };
  for (uint32_t i = place; i + 1 < end; i++)
    if (b->waits[i] >= LONG && blocks_is_awaited(b, first, place, i) && !blocks_is_awaited(b, place, i + 1, i))
      blocks_put_wait(b, i, 1);
}

/* L912: what went by since the last that yielded is counted from the block's beginning. */
static void blocks_put_yields(const blocks *b, uint32_t first, uint32_t from, uint32_t end) {
  enum { LONG = 12, SHORT = 3, LEAST = 2, OFTEN = 10 };
  uint32_t passed = 0;
  for (uint32_t i = first; i < end; i++) {
    const uint32_t wait = tl_control_stall(b->text, i);
    if (i >= from && (wait != b->waits[i] || wait == LEAST)) {
      const bool fixed = tl_control_kind(b->text, i) < VARIABLE;
      blocks_put_yield(b, i, wait >= LONG || (fixed && wait >= SHORT) || (wait == LEAST && passed >= OFTEN));
    }
    passed = blocks_yields(b, i) ? 0 : passed + wait;
  }
}

/* L911. `own`: where the text's own block began; `first`: where the block before the place does, now. */
static void blocks_split(const blocks *b, uint32_t own, uint32_t first, uint32_t place) {
  uint32_t end = place + 1;
  while (!b->own[end] && !b->places[end])
    end++;
  if (b->waits[place - 1] != TL_CONTROL_STALL_MAX)
    blocks_put_wait(b, place - 1, blocks_need_of(b, first, place, place));
  blocks_put_yields(b, first, place - 1, place);
  const uint32_t before = blocks_need_of(b, own, place, end), behind = blocks_need_of(b, place, end, end);
  if (b->own[end] && b->waits[end - 1] == before && before > behind)
    blocks_put_wait(b, end - 1, behind);
  blocks_free_waits(b, own, place, end);
  blocks_free_unit(b, own, place, end, UNIT_CONVERSIONS);
  blocks_free_unit(b, own, place, end, UNIT_MEMORY);
  blocks_put_yields(b, place, place, end);
}

void tl_blocks_begin(uint8_t *text, uint64_t size, const bool *places, tl_arena *arena) {
  const uint32_t count = (uint32_t)(size / INSTRUCTION);
  uint8_t *const waits = tl_arena_new(arena, uint8_t, count);
  const blocks b = {text, count, tl_arena_new(arena, bool, (uint64_t)count + 1), places, waits};
  if (!count)
    return;
  blocks_find_own(&b);
  for (uint32_t i = 0; i < count; i++)
    waits[i] = (uint8_t)tl_control_stall(b.text, i);
  for (uint32_t i = 0, own = 0, first = 0; i < count; i++) {
    if (b.own[i])
      own = i;
    else if (places[i])
      blocks_split(&b, own, first, i);
    if (b.own[i] || places[i])
      first = i;
  }
}

/* --- fields (L910) --- */

static void blocks_clear(uint8_t *at, uint64_t low, uint64_t high) {
  tl_put64(at, tl_get64(at) & ~low);
  tl_put64(at + 8, tl_get64(at + 8) & ~high);
}

void tl_blocks_clear_field(uint8_t *at, bool branch) {
  enum { MOVE = 0x802, MOVE_UNIFORM = 0x882, CONVERT = 0x906 };
  const uint64_t behind = ~((UINT64_C(1) << 34) - 1);
  const uint16_t opcode = tl_get16(at) & OPCODE;
  if (opcode == MOVE || opcode == MOVE_UNIFORM || opcode == CONVERT)
    tl_put32(at + 4, 0);
  else if (branch && (opcode & TL_CONTROL_KIND) == KIND_BSSY)
    blocks_clear(at, behind, 0);
  else if (branch)
    blocks_clear(at, behind | 0xff0000, 0x3ffff);
}
