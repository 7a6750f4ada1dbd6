/* The basic blocks of a leaf kernel's text (M45): where they begin and end, and which follow and precede each.
 *
 * Scoreboard numbers are given block by block in the order of the text (M45a), and whether something is waited for in its own
 * block decides its class (M45c), so blocks must be those of ptxas: a BSSY's place begins one, a BSYNC ends one and goes
 * where the nearest BSSY says, and so does a call of a register (L1045). Where an indirect branch goes is not known; nothing may be
 * pending there (L908). */
#include "finalize/leaf_parts.h"

/* 13 bits: bit 91 and bits 0 to 11 (T1-T3). */
enum { OP_BSSY = 0x945, OP_BSYNC = 0x941, OP_EXIT = 0x94d, OP_BRANCH = 0x947 };

bool tl_leaf_is_branch(unsigned opcode) {
  static const uint16_t list[] = {OP_BRANCH, 0x1547, 0x1947, 0x547, 0xb47};
  return TL_AMONG16(list, opcode);
}

/* Nothing follows these but by a jump that the instruction does not show. */
bool tl_leaf_is_indirect(unsigned opcode) {
  static const uint16_t list[] = {0x949, 0x1949, 0x1958, 0x94a, 0x94c, 0x1959};
  return TL_AMONG16(list, opcode);
}

bool tl_leaf_is_last(unsigned opcode) {
  static const uint16_t list[] = {OP_EXIT, 0x950, 0x1950, 0x95b};
  return TL_AMONG16(list, opcode);
}

bool tl_leaf_is_exit(unsigned opcode) {
  return tl_leaf_is_branch(opcode) || tl_leaf_is_last(opcode) || tl_leaf_is_indirect(opcode) ||
         opcode == LEAF_OP_CALL_PLACE;
}

/* A target in instructions, or l->count when it lies outside. */
static uint32_t leaf_target(const leaf *l, uint32_t index, int64_t offset) {
  const int64_t at = ((int64_t)index + 1) * LEAF_INSTRUCTION + offset;
  if (at < 0 || at % LEAF_INSTRUCTION || at / LEAF_INSTRUCTION >= (int64_t)l->count)
    return l->count;
  return (uint32_t)(at / LEAF_INSTRUCTION);
}

/* 56 bits in words: the low 8 at 16, the high 48 at 34 (T13). */
static uint32_t leaf_branch_target(const leaf *l, uint32_t index) {
  const uint64_t low = leaf_low(l, index), high = leaf_high(l, index);
  const uint64_t words = (low >> 16 & 0xff) | (low >> 34) << 8 | (high & 0x3ffff) << 38;
  return leaf_target(l, index, (int64_t)(words << 8) >> 6);
}

/* 30 bits in words at 34 (T20). */
static uint32_t leaf_convergence_target(const leaf *l, uint32_t index) {
  return leaf_target(l, index, (int64_t)(leaf_low(l, index) & ~(uint64_t)0x3ffffffff) >> 32);
}

/* Guarded, or a branch with a condition of its own; the forms other than 0x947 are there for theirs. */
static bool leaf_is_conditional(const leaf *l, uint32_t index) {
  const bool guarded = (leaf_low(l, index) >> 12 & 0xf) != 7;
  const unsigned opcode = l->instructions[index].opcode;
  const bool own = tl_leaf_is_branch(opcode) && (opcode != OP_BRANCH || (leaf_high(l, index) >> 23 & 0xf) != 7);
  return guarded || own;
}

/* Where a BSYNC goes: to what the nearest BSSY of the same barrier before it says. */
static uint32_t leaf_sync_target(const leaf *l, uint32_t index) {
  const uint64_t barrier = leaf_low(l, index) >> 16 & 0xf;
  for (uint32_t i = index; i-- > 0;)
    if (l->instructions[i].opcode == OP_BSSY && (leaf_low(l, i) >> 16 & 0xf) == barrier)
      return leaf_convergence_target(l, i);
  return l->count;
}

static uint32_t leaf_jump_target(const leaf *l, uint32_t index) {
  const unsigned opcode = l->instructions[index].opcode;
  if (tl_leaf_is_branch(opcode))
    return leaf_branch_target(l, index);
  return opcode == OP_BSYNC ? leaf_sync_target(l, index) : l->count;
}

static void leaf_find_blocks(leaf *l, tl_arena *arena) {
  bool *const starts = tl_arena_new(arena, bool, (size_t)l->count + 1);
  starts[0] = true;
  for (uint32_t i = 0; i < l->count; i++) {
    const unsigned opcode = l->instructions[i].opcode;
    l->instructions[i].ends = tl_leaf_is_exit(opcode) || opcode == OP_BSYNC || opcode == 0x91b;
    if (opcode == OP_BSSY)
      starts[leaf_convergence_target(l, i)] = true;
    if (!l->instructions[i].ends)
      continue;
    starts[i + 1] = true;
    starts[leaf_jump_target(l, i)] = true;
  }
  l->blocks = tl_arena_new(arena, leaf_block, l->count);
  for (uint32_t i = 0; i < l->count; i++) {
    if (starts[i])
      l->blocks[l->block_count++] = (leaf_block){i, 0, {UINT32_MAX, UINT32_MAX}};
    l->blocks[l->block_count - 1].count++;
    l->instructions[i].block = l->block_count - 1;
  }
  for (uint32_t b = 0; b < l->block_count; b++) {
    const uint32_t last = l->blocks[b].first + l->blocks[b].count - 1, target = leaf_jump_target(l, last);
    const unsigned opcode = l->instructions[last].opcode;
    const bool leaves = tl_leaf_is_branch(opcode) || tl_leaf_is_last(opcode) || tl_leaf_is_indirect(opcode) ||
                        (opcode == OP_BSYNC && target < l->count);
    if (b + 1 < l->block_count && (!leaves || leaf_is_conditional(l, last)))
      l->blocks[b].next[0] = b + 1;
    if (target < l->count)
      l->blocks[b].next[1] = l->instructions[target].block;
  }
}

/* L908: where an indirect branch goes is not known here, so all that is pending must have been waited for there. */
bool tl_leaf_branches_clean(const leaf *l, uint32_t block, const leaf_state *state) {
  const uint32_t last = l->blocks[block].first + l->blocks[block].count - 1;
  return !tl_leaf_is_indirect(l->instructions[last].opcode) || (!state->old && !state->new);
}

/* By block, its predecessors in their order. */
static void leaf_find_predecessors(leaf *l, tl_arena *arena) {
  l->first_predecessor = tl_arena_new(arena, uint32_t, (size_t)l->block_count + 1);
  l->predecessors = tl_arena_new(arena, uint32_t, 2 * (size_t)l->block_count);
  for (uint32_t b = 0; b < l->block_count; b++)
    for (int i = 0; i < 2; i++)
      if (l->blocks[b].next[i] != UINT32_MAX && (i == 0 || l->blocks[b].next[1] != l->blocks[b].next[0]))
        l->first_predecessor[l->blocks[b].next[i] + 1]++;
  for (uint32_t b = 0; b < l->block_count; b++)
    l->first_predecessor[b + 1] += l->first_predecessor[b];
  uint32_t *const next = tl_arena_copy(arena, l->first_predecessor, ((size_t)l->block_count + 1) * sizeof *next);
  for (uint32_t b = 0; b < l->block_count; b++)
    for (int i = 0; i < 2; i++)
      if (l->blocks[b].next[i] != UINT32_MAX && (i == 0 || l->blocks[b].next[1] != l->blocks[b].next[0]))
        l->predecessors[next[l->blocks[b].next[i]]++] = b;
}

void tl_leaf_divide(leaf *l, tl_arena *arena) {
  leaf_find_blocks(l, arena);
  leaf_find_predecessors(l, arena);
  l->at_end = tl_arena_new(arena, leaf_state, l->block_count);
  l->ranks = tl_arena_new(arena, uint32_t, l->block_count);
  for (uint32_t b = 0; b < l->block_count; b++)
    l->ranks[b] = b;
}

static uint32_t leaf_find_only_next(const leaf *l, uint32_t block) {
  const uint32_t *const next = l->blocks[block].next;
  return next[0] == UINT32_MAX || next[0] == next[1] ? next[1] : next[1] == UINT32_MAX ? next[0] : UINT32_MAX;
}

static bool leaf_has_one_predecessor(const leaf *l, uint32_t block) {
  return l->first_predecessor[block + 1] - l->first_predecessor[block] == 1;
}

uint32_t tl_leaf_find_sibling(const leaf *l, uint32_t block) {
  if (!leaf_has_one_predecessor(l, block))
    return LEAF_NEVER;
  const uint32_t *const ways = l->blocks[l->predecessors[l->first_predecessor[block]]].next;
  const uint32_t other = ways[0] == block ? ways[1] : ways[0], next = leaf_find_only_next(l, block);
  if (other == UINT32_MAX || other == block || !leaf_has_one_predecessor(l, other) || next == UINT32_MAX)
    return LEAF_NEVER;
  return leaf_find_only_next(l, other) == next && block != next && other != next ? other : LEAF_NEVER;
}
