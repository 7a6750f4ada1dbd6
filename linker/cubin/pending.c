/* The barriers that are pending, over all ways through a text (L1676): branches, and BSYNC to where its BSSY says. What waits for
 * every number at a fence frees some of them, and it is not known which. */
#include "cubin/pending.h"

#include "base/bytes.h"
#include "cubin/code.h"
#include "cubin/control.h"

enum { OPCODE = 0xfff, INSTRUCTION = TL_CODE_INSTRUCTION, EVERY_NUMBER = 0x3f, SYNCS = 16 };
enum {
  BRANCH = 0x947,
  BRANCH_UNIFORM = 0x547,
  BRANCH_CONSTANT = 0xb47,
  BSSY = 0x945,
  BSYNC = 0x941,
  EXIT = 0x94d,
  RET = 0x950
};

typedef struct flow {
  const uint8_t *text;
  uint32_t count;
  tl_pending_room *room;
  uint32_t work_count;
} flow;

bool tl_pending_ends(uint16_t opcode) {
  static const uint16_t ends[] = {0x941, 0x942, 0x943, 0x944, 0x947, 0x948, 0x949, 0x94a, 0x94c, 0x94d, 0x950,
                                  0x958, 0x959, 0x95b, 0x95c, 0x91b, 0x343, 0x344, 0x348, 0x547, 0x540, 0xb47};
  return TL_AMONG16(ends, opcode);
}

static uint64_t flow_low(const flow *f, uint32_t index) {
  return tl_get64(f->text + (uint64_t)index * INSTRUCTION);
}

static uint64_t flow_high(const flow *f, uint32_t index) {
  return tl_get64(f->text + (uint64_t)index * INSTRUCTION + 8);
}

static uint32_t flow_target(const flow *f, uint32_t index, int64_t distance) {
  const int64_t at = (int64_t)index + 1 + distance / INSTRUCTION;
  return distance % INSTRUCTION == 0 && at >= 0 && at < (int64_t)f->count ? (uint32_t)at : UINT32_MAX;
}

/* As leaf.c reads them. */
static uint32_t flow_branch_target(const flow *f, uint32_t index) {
  const uint64_t low = flow_low(f, index), high = flow_high(f, index);
  const uint64_t words = (low >> 16 & 0xff) | (low >> 34) << 8 | (high & 0x3ffff) << 38;
  return flow_target(f, index, (int64_t)(words << 8) >> 6);
}

static bool flow_is_conditional(const flow *f, uint32_t index, uint16_t opcode) {
  enum { ALWAYS = 7, GUARD = 12, CONDITION = 23, UNIFORM = 27 };
  const bool guarded = (flow_low(f, index) >> GUARD & 0xf) != ALWAYS;
  const bool branch = opcode == BRANCH || opcode == BRANCH_UNIFORM || opcode == BRANCH_CONSTANT;
  const bool own = (flow_high(f, index) >> CONDITION & 0xf) != ALWAYS || flow_high(f, index) >> UNIFORM & 1;
  return guarded || (opcode == EXIT || opcode == RET ? (flow_high(f, index) >> CONDITION & 7) != ALWAYS
                                                     : branch && (opcode != BRANCH || own));
}

bool tl_pending_is_indirect(uint16_t opcode) {
  static const uint16_t indirect[] = {0x949, 0x94a, 0x94c, 0x958, 0x959};
  return TL_AMONG16(indirect, opcode);
}

static void flow_find_next(flow *f) {
  enum { BARRIER = 16, DISTANCE = 32 };
  uint32_t syncs[SYNCS];
  for (size_t i = 0; i < SYNCS; i++)
    syncs[i] = UINT32_MAX;
  for (uint32_t i = 0; i < f->count; i++) {
    const uint16_t opcode = flow_low(f, i) & OPCODE;
    const bool branch = opcode == BRANCH || opcode == BRANCH_UNIFORM || opcode == BRANCH_CONSTANT;
    const bool leaves = branch || opcode == EXIT || opcode == RET || tl_pending_is_indirect(opcode);
    const bool goes_on = !leaves || flow_is_conditional(f, i, opcode);
    uint32_t *const sync = &syncs[flow_low(f, i) >> BARRIER & (SYNCS - 1)];
    if (opcode == BSSY)
      *sync = flow_target(f, i, (int64_t)(flow_low(f, i) & ~(uint64_t)0x3ffffffff) >> DISTANCE);
    f->room->next[i][0] = goes_on && i + 1 < f->count ? i + 1 : UINT32_MAX;
    f->room->next[i][1] = branch ? flow_branch_target(f, i) : opcode == BSYNC ? *sync : UINT32_MAX;
    const uint32_t target = opcode == BSSY ? *sync : f->room->next[i][1];
    if (target != UINT32_MAX)
      f->room->starts[target] = true;
  }
}

static bool flow_add_setter(tl_pending_number *number, uint16_t setter) {
  for (unsigned i = 0; i < number->count; i++)
    if (number->setters[i] == setter)
      return false;
  if (number->count < TL_PENDING_SETTERS) {
    number->setters[number->count++] = setter;
    return true;
  }
  const bool changed = !number->more;
  number->more = true;
  return changed;
}

static bool flow_join(tl_pending *to, const tl_pending *from) {
  bool changed = !to->reached;
  to->reached = true;
  for (unsigned b = 0; b < TL_PENDING_NUMBERS; b++) {
    const tl_pending_number *const number = &from->numbers[b];
    for (unsigned i = 0; i < number->count; i++)
      changed |= flow_add_setter(&to->numbers[b], number->setters[i]);
    changed |= number->more && !to->numbers[b].more;
    to->numbers[b].more |= number->more;
  }
  return changed;
}

/* What is pending behind an instruction. */
static tl_pending flow_behind(const flow *f, uint32_t index) {
  enum { NOP = 0x918, DISCARD = 0x98f, COLLECTIVE = 0x348 };
  const uint64_t high = flow_high(f, index);
  const uint64_t wait = high >> TL_CONTROL_WAIT & EVERY_NUMBER;
  tl_pending pending = f->room->pending[index];
  const uint16_t opcode = flow_low(f, index) & OPCODE;
  const bool fence = wait == EVERY_NUMBER && (opcode == NOP || opcode == DISCARD);
  const bool keeps = fence || opcode == COLLECTIVE; /* M45g, L1849 */
  for (unsigned b = 0; b < TL_PENDING_NUMBERS; b++)
    if (keeps)
      pending.numbers[b].more |= pending.numbers[b].count != 0;
    else if (wait >> b & 1)
      pending.numbers[b] = (tl_pending_number){.count = 0};
  for (unsigned shift = TL_CONTROL_BARRIER; shift <= TL_CONTROL_BARRIER + 3; shift += 3) {
    const uint64_t number = high >> shift & TL_CONTROL_NO_BARRIER;
    if (number < TL_PENDING_NUMBERS)
      flow_add_setter(&pending.numbers[number], (uint16_t)index);
  }
  return pending;
}

static void flow_reach(flow *f, uint32_t index, const tl_pending *pending) {
  if (!flow_join(&f->room->pending[index], pending) || f->room->waits[index])
    return;
  f->room->waits[index] = true;
  f->room->work[f->work_count++] = index;
}

static bool flow_is_any(const tl_pending *pending) {
  bool any = false;
  for (unsigned b = 0; b < TL_PENDING_NUMBERS; b++)
    any |= pending->numbers[b].count || pending->numbers[b].more;
  return any;
}

tl_pending_room tl_pending_make_room(uint32_t count, tl_arena *arena) {
  return (tl_pending_room){.pending = tl_arena_take_bare(arena, count, sizeof(tl_pending)), /* filled for each text */
                           .next = tl_arena_take_bare(arena, count, sizeof(uint32_t[2])),
                           .work = tl_arena_take_bare(arena, count, sizeof(uint32_t)),
                           .waits = tl_arena_take_bare(arena, count, sizeof(bool)),
                           .starts = tl_arena_take_bare(arena, count, sizeof(bool))};
}

/* On from what was reached. False at a jump through a register where something is pending. */
static bool flow_follow(flow *f) {
  while (f->work_count) {
    const uint32_t index = f->room->work[--f->work_count];
    f->room->waits[index] = false;
    const tl_pending behind = flow_behind(f, index);
    if (tl_pending_is_indirect(flow_low(f, index) & OPCODE) && flow_is_any(&behind))
      return false;
    for (unsigned i = 0; i < 2; i++)
      if (f->room->next[index][i] != UINT32_MAX)
        flow_reach(f, f->room->next[index][i], &behind);
  }
  return true;
}

void tl_pending_find_starts(tl_pending_room *room, const uint8_t *text, uint32_t count) {
  flow f = {.text = text, .count = count, .room = room};
  memset(room->starts, 0, count * sizeof *room->starts);
  flow_find_next(&f);
}

bool tl_pending_find(tl_pending_room *room, const uint8_t *text, uint32_t count) {
  flow f = {.text = text, .count = count, .room = room};
  memset(room->pending, 0, count * sizeof *room->pending);
  memset(room->waits, 0, count * sizeof *room->waits);
  tl_pending_find_starts(room, text, count);
  for (uint32_t i = 0; i < count; i++) {
    if (room->pending[i].reached)
      continue;
    flow_reach(&f, i, &(tl_pending){.reached = true}); /* what no way leads to counts, too */
    if (!flow_follow(&f))
      return false;
  }
  return true;
}
