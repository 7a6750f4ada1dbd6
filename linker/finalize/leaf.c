/* Scoreboard numbers of leaf kernels (M45). In an executable nvlink knows that a kernel that calls nothing needs no stack
 * pointer: the load of R1 loses its barrier, waits for it disappear, and every later barrier gets its number anew from
 * ptxas's own allocator. Text changes in nothing but barrier numbers, wait masks and some stall counts.
 *
 * One pass over the basic blocks in their order. What is pending is known in both numberings: which numbers of the input
 * are, and which new numbers stand for each of them. A number follows from the class of what sets it, from what is pending, and
 * from who needs it first (L1910 to L1913). Where the rules do not give the input its own number (L773), what the input shares is
 * shared again; else the rules' number is as good as any: the waits are made of the new numbers.
 *
 * A call of a register alone makes a kernel no less a leaf; it ends its block (L1045). The other way round, a kernel that
 * calls and whose load of R1 has no barrier gets one (L1641). */
#include "finalize/leaf.h"

#include "base/bytes.h"
#include "cubin/operands.h"

#include <string.h>

static const uint32_t leaf_never = UINT32_MAX; /* no instruction */

enum {
  INSTRUCTION = 16,
  NO_BARRIER = 7,
  NUMBERS = 6,
  LAST_GENERAL = 4,
  TEXTURE = 5, /* and of loads that are waited for in another block */
  ALL_GENERAL = 0x1f,
  EVERY_NUMBER = 0x3f,
  STACK_POINTER = 1,
  NO_REGISTER = 0xff
};

/* 13 bits: bit 91 and bits 0 to 11 (T1-T3). */
enum {
  OP_LDC = 0xb82,
  OP_LDS = 0x984,
  OP_MEMBAR = 0x992,
  OP_BSSY = 0x945,
  OP_BSYNC = 0x941,
  OP_EXIT = 0x94d,
  OP_BRANCH = 0x947,
  OP_COLLECTIVE = 0x348,
  OP_TRY_WAIT = 0x15a7,
  OP_CALL_PLACE = 0x344
};

typedef struct leaf_instruction {
  uint16_t opcode;
  uint8_t write, read, wait, stall;      /* of the input */
  uint8_t new_write, new_read, new_wait; /* of the output */
  uint8_t explained;                     /* numbers of which something is needed here, not only behind (L1910) */
  bool
      waits_anyway; /* for every number, pending or not, which frees none: a discard of the cache, a NOP at a fence (L691) */
  bool ends;        /* its block */
  uint32_t block;
  uint32_t write_wait, read_wait; /* who in the block waits for it first; leaf_never */
  uint32_t write_need, read_need; /* and who needs it first (L1910) */
  uint32_t mate;                  /* the last load that is needed here */
} leaf_instruction;

/* The successors of a block, UINT32_MAX where there is none. */
typedef struct leaf_block {
  uint32_t first, count;
  uint32_t next[2];
} leaf_block;

/* What is pending at one place. `stands` are the new numbers of the loads that have an old number; `reads` and `writes`
 * are the old numbers that barriers of either kind have, `longs` those of loads of class LONG, `pointer` that of R1's. */
typedef struct leaf_state {
  uint8_t old, new;
  uint8_t reads, writes, longs, pointer;
  uint8_t stands[NUMBERS];
  uint8_t stood[NUMBERS]; /* for what was waited for already */
} leaf_state;

/* What is pending in one numbering at a place of a block, and which instruction of the block needs it first (L1910). */
typedef struct leaf_view {
  uint8_t pending, writes;
  uint8_t far;             /* loads for other blocks, which have a number for themselves (M45c, L754) */
  bool reserved;           /* the highest number is theirs in this block (L1911) */
  uint32_t need[NUMBERS];  /* leaf_never: none in this block */
  uint32_t since[NUMBERS]; /* what was set before this instruction is no longer pending */
} leaf_view;
enum { OF_INPUT, OF_OUTPUT, VIEWS };

typedef struct leaf {
  uint8_t *text;
  uint32_t count;
  leaf_instruction *instructions;
  leaf_block *blocks;
  uint32_t block_count;
  leaf_state *at_end; /* by block */
  uint32_t *first_predecessor, *predecessors;
  leaf_view views[VIEWS], before[VIEWS]; /* where the pass stands, and in front of the instruction's waits */
  bool has_textures;
  bool sure;
} leaf;

static uint64_t leaf_high(const leaf *l, uint32_t index) {
  return tl_get64(l->text + (uint64_t)index * INSTRUCTION + 8);
}

static uint64_t leaf_low(const leaf *l, uint32_t index) {
  return tl_get64(l->text + (uint64_t)index * INSTRUCTION);
}

static bool leaf_is_branch(unsigned opcode) {
  static const uint16_t list[] = {OP_BRANCH, 0x1547, 0x1947, 0x547, 0xb47};
  return TL_AMONG16(list, opcode);
}

/* Nothing follows these but by a jump that the instruction does not show. */
static bool leaf_is_indirect(unsigned opcode) {
  static const uint16_t list[] = {0x949, 0x1949, 0x1958, 0x94a, 0x94c, 0x1959};
  return TL_AMONG16(list, opcode);
}

static bool leaf_is_last(unsigned opcode) {
  static const uint16_t list[] = {OP_EXIT, 0x950, 0x1950, 0x95b};
  return TL_AMONG16(list, opcode);
}

/* Loads of long latency: their numbers begin at 2 (M45b). */
static bool leaf_is_long(unsigned opcode) {
  static const uint16_t list[] = {0x980, 0x981,  0x983,  0x1980, 0x1981, 0x1983, 0x98a, 0x198a, 0x9a8, 0x9a9,
                                  0x9a2, 0x19a2, 0x19a3, 0x19a8, 0x19a9, 0x381,  0x38a, 0x38b,  0x3a8, 0x3a9};
  return TL_AMONG16(list, opcode);
}

static bool leaf_is_texture(unsigned opcode) {
  static const uint16_t list[] = {0x1f60, 0x1f61, 0x1f63, 0x1f64, 0x1f66, 0x1f69, 0x1f99};
  return TL_AMONG16(list, opcode);
}

/* --- reading --- */

static void leaf_read(leaf *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    const uint64_t low = leaf_low(l, i), high = leaf_high(l, i);
    leaf_instruction *const at = &l->instructions[i];
    at->opcode = (uint16_t)((low & 0xfff) | (high >> 27 & 1) << 12);
    at->stall = (uint8_t)(high >> 41 & 15);
    at->write = (uint8_t)(high >> 46 & 7);
    at->read = (uint8_t)(high >> 49 & 7);
    at->wait = (uint8_t)(high >> 52 & EVERY_NUMBER);
    at->waits_anyway = at->wait == EVERY_NUMBER;
    if (at->waits_anyway)
      at->wait = 0;
    at->new_write = at->write;
    at->new_read = at->read;
    l->has_textures |= leaf_is_texture(at->opcode);
  }
}

/* Calls: such a kernel is no leaf. One of a register (OP_CALL_PLACE) nvlink does not take for one (L1045). */
bool tl_leaf_has_call(const uint8_t *text, uint64_t size) {
  for (uint64_t at = 0; at + INSTRUCTION <= size; at += INSTRUCTION) {
    const unsigned form = tl_get16(text + at) & 0xfff;
    if (form == 0x943 || form == 0x944 || form == 0x343)
      return true;
  }
  return false;
}

/* M44: four loads of nothing before a fence. */
static bool leaf_has_fence(const leaf *l) {
  uint32_t loads = 0;
  for (uint32_t i = 0; i < l->count; i++)
    loads += (leaf_low(l, i) & 0xfff) == OP_LDS && (leaf_low(l, i) >> 16 & 0xffff) == 0xffff;
  return loads >= 4;
}

/* Whether anything uses R1: stack accesses, and arithmetic on general registers that names it as a source. */
static bool leaf_uses_stack(const leaf *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    const unsigned opcode = l->instructions[i].opcode, base = opcode & 0x1ff, form = opcode >> 9 & 7;
    const uint64_t low = leaf_low(l, i);
    const bool arithmetic = base < 0x80 && base != 0 && (opcode & 0x1000) == 0;
    if (opcode == 0x983 || opcode == 0x387)
      return true;
    if (arithmetic && base != 0x02 && (low >> 24 & 0xff) == STACK_POINTER)
      return true;
    if (arithmetic && form == 1 && (low >> 32 & 0xff) == STACK_POINTER)
      return true;
  }
  return false;
}

/* The load of R1, or the number of instructions. -O0 code, which waits after every instruction, does not count. */
static uint32_t leaf_find_pointer_load(const leaf *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    if ((leaf_low(l, i) & 0xfff) != OP_LDC)
      continue;
    const bool pointer = (leaf_low(l, i) >> 16 & 0xff) == STACK_POINTER && l->instructions[i].write != NO_BARRIER;
    return pointer && leaf_high(l, i) >> 40 != 0x00321e ? i : l->count;
  }
  return l->count;
}

/* --- blocks --- */

/* A target in instructions, or l->count when it lies outside. */
static uint32_t leaf_target(const leaf *l, uint32_t index, int64_t offset) {
  const int64_t at = ((int64_t)index + 1) * INSTRUCTION + offset;
  if (at < 0 || at % INSTRUCTION || at / INSTRUCTION >= (int64_t)l->count)
    return l->count;
  return (uint32_t)(at / INSTRUCTION);
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
  const bool own = leaf_is_branch(opcode) && (opcode != OP_BRANCH || (leaf_high(l, index) >> 23 & 0xf) != 7);
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
  if (leaf_is_branch(opcode))
    return leaf_branch_target(l, index);
  return opcode == OP_BSYNC ? leaf_sync_target(l, index) : l->count;
}

static void leaf_find_blocks(leaf *l, tl_arena *arena) {
  bool *const starts = tl_arena_new(arena, bool, (size_t)l->count + 1);
  starts[0] = true;
  for (uint32_t i = 0; i < l->count; i++) {
    const unsigned opcode = l->instructions[i].opcode;
    l->instructions[i].ends = leaf_is_branch(opcode) || leaf_is_last(opcode) || leaf_is_indirect(opcode) ||
                              opcode == OP_BSYNC || opcode == 0x91b || opcode == OP_CALL_PLACE;
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
    const bool leaves = leaf_is_branch(opcode) || leaf_is_last(opcode) || leaf_is_indirect(opcode) ||
                        (opcode == OP_BSYNC && target < l->count);
    if (b + 1 < l->block_count && (!leaves || leaf_is_conditional(l, last)))
      l->blocks[b].next[0] = b + 1;
    if (target < l->count)
      l->blocks[b].next[1] = l->instructions[target].block;
  }
}

/* L908: where an indirect branch goes is not known here, so all that is pending must have been waited for there. */
static bool leaf_branches_clean(const leaf *l, uint32_t block, const leaf_state *state) {
  const uint32_t last = l->blocks[block].first + l->blocks[block].count - 1;
  return !leaf_is_indirect(l->instructions[last].opcode) || (!state->old && !state->new);
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

/* --- the allocator --- */

/* Matrix products, whose operands are several registers each. */
static bool leaf_is_product(unsigned opcode) {
  static const uint16_t list[] = {0x37, 0x3b, 0x3c, 0x3d, 0x3f, 0x76, 0x7a, 0x7c};
  const uint16_t kind = opcode & 0x1ff;
  return TL_AMONG16(list, kind);
}

/* What an instruction of which nothing else is known to be needed does: it reads or writes what the other one writes. */
static bool leaf_needs(const tl_operands *writer, const tl_operands *other) {
  return tl_operands_meet(writer->writes, writer->write_count, other->reads, other->read_count, false) ||
         tl_operands_meet(writer->writes, writer->write_count, other->writes, other->write_count, false);
}

static tl_operands leaf_operands(const leaf *l, uint32_t index) {
  tl_operands operands;
  tl_operands_read(&operands, l->text + (uint64_t)index * INSTRUCTION);
  return operands;
}

/* L1910: whether the instruction surely does not use what another one loads. */
static bool leaf_does_without(const leaf *l, uint32_t load, uint32_t index) {
  const tl_operands own = leaf_operands(l, load), there = leaf_operands(l, index);
  return own.known && there.known && !leaf_is_product(l->instructions[index].opcode) && !leaf_needs(&own, &there);
}

/* M45b, M45c, L771, L1910: the first wait for a number after `index` stands in the same block, and not in what ends it. The
 * last instruction of a block, be it no branch, waits for read barriers, and for loads that it does not use, on behalf of the next
 * block; a fence's is its own matter. */
static bool leaf_is_local(const leaf *l, uint32_t index, bool writes) {
  const leaf_instruction *const at = &l->instructions[index];
  const leaf_block *const block = &l->blocks[at->block];
  const uint32_t wait = writes ? at->write_wait : at->read_wait;
  if (wait == leaf_never)
    return false;
  const uint16_t opcode = l->instructions[wait].opcode;
  const bool branches =
      leaf_is_branch(opcode) || leaf_is_last(opcode) || leaf_is_indirect(opcode) || opcode == OP_CALL_PLACE;
  const bool fence = (at->opcode & 0xfff) == OP_MEMBAR;
  const bool own = wait + 1 < block->first + block->count || (writes ? !leaf_does_without(l, index, wait) : fence);
  return (!branches && own) || at->opcode == OP_TRY_WAIT;
}

/* M45f: what is pending at the end of finished blocks that have a successor in common with this one, in the input's
 * numbers or in the new ones. */
static uint8_t leaf_avoided(const leaf *l, uint32_t block, bool of_input) {
  uint8_t avoided = 0;
  for (int i = 0; i < 2; i++) {
    const uint32_t next = l->blocks[block].next[i];
    for (uint32_t p = next == UINT32_MAX ? 0 : l->first_predecessor[next];
         next != UINT32_MAX && p < l->first_predecessor[next + 1] && l->predecessors[p] < block; p++) {
      const leaf_state *const state = &l->at_end[l->predecessors[p]];
      avoided |= of_input ? state->old : state->new;
    }
  }
  return avoided;
}

typedef enum leaf_class { CLASS_GENERAL, CLASS_LONG, CLASS_TEXTURE } leaf_class;

/* What a number is chosen by, beside what is pending. */
typedef struct leaf_kind {
  leaf_class class;
  bool local, writes;
  bool
      alone; /* a try-wait, which has no mates: the branch behind it waits for others, too, on behalf of the next block */
  uint32_t need;
} leaf_kind;

/* M45b; M45e for opcodes that the lists do not have. */
static leaf_kind leaf_kind_of(const leaf *l, uint32_t index, bool writes, const leaf_state *state) {
  const leaf_instruction *const at = &l->instructions[index];
  leaf_kind kind = {CLASS_GENERAL, leaf_is_local(l, index, writes), writes, at->opcode == OP_TRY_WAIT,
                    writes ? at->write_need : at->read_need};
  const uint8_t free = (uint8_t)~state->old;
  if (!writes)
    return kind;
  if (leaf_is_long(at->opcode) || (kind.local && at->write == 2 && free & 3))
    kind.class = CLASS_LONG;
  if (leaf_is_texture(at->opcode) ||
      (kind.class == CLASS_GENERAL && kind.local && at->write == TEXTURE && free & ALL_GENERAL))
    kind.class = CLASS_TEXTURE;
  return kind;
}

/* M45d: the numbers of what the same instruction needs, which share one: all of a number where it needs that first, and a load where it
 * needs another one that shares its number (L1910). */
static uint8_t leaf_find_mates(const leaf *l, leaf_kind kind, unsigned of, const leaf_view *view) {
  const uint32_t need = kind.need, mate = need == leaf_never ? leaf_never : l->instructions[need].mate;
  uint8_t mates = 0;
  for (unsigned number = 0; number < NUMBERS; number++)
    if (view->need[number] == need)
      mates |= (uint8_t)(1u << number);
  if (mate != leaf_never) {
    const leaf_instruction *const set = &l->instructions[mate];
    const uint8_t number = of == OF_INPUT ? set->write : set->new_write;
    if (kind.writes && number < NUMBERS && mate >= view->since[number])
      mates |= (uint8_t)(1u << number);
  }
  return (uint8_t)(mates & view->pending & ~view->far);
}

static uint8_t leaf_lowest(uint8_t taken, unsigned base, unsigned last) {
  for (unsigned number = base; number <= last; number++)
    if (!(taken >> number & 1))
      return (uint8_t)number;
  return NO_BARRIER;
}

/* L1912: of the numbers that are pending the one that is needed next behind `need`, else the one that is needed last before it;
 * one of the same kind where there is one. NO_BARRIER where none is needed in the block. */
static uint8_t leaf_share(leaf_kind kind, const leaf_view *view, unsigned base, uint8_t without) {
  const uint8_t range = (uint8_t)((view->reserved ? ALL_GENERAL : EVERY_NUMBER) & ~((1u << base) - 1) & ~without);
  const uint8_t all = view->pending & range & (uint8_t)~view->far;
  const uint8_t alike = all & (kind.writes ? view->writes : (uint8_t)~view->writes);
  uint8_t behind = NO_BARRIER, before = NO_BARRIER;
  for (unsigned number = 0; number < NUMBERS; number++) {
    if (!((alike ? alike : all) >> number & 1) || view->need[number] == leaf_never)
      continue;
    if (view->need[number] >= kind.need && (behind == NO_BARRIER || view->need[number] < view->need[behind]))
      behind = (uint8_t)number;
    if (view->need[number] < kind.need && (before == NO_BARRIER || view->need[number] > view->need[before]))
      before = (uint8_t)number;
  }
  return behind != NO_BARRIER ? behind : before;
}

/* The number that the rules give in a numbering, without the numbers `without`; NO_BARRIER where they give none. */
static uint8_t leaf_choose(const leaf *l, leaf_kind kind, unsigned of, const leaf_view *view, uint8_t avoided,
                           uint8_t without) {
  if (kind.class == CLASS_TEXTURE)
    return TEXTURE;
  if (kind.class == CLASS_LONG && !kind.local) /* L754 */
    return l->has_textures ? LAST_GENERAL : TEXTURE;
  const unsigned base = kind.class == CLASS_LONG ? 2 : 0;
  const uint8_t mates = leaf_find_mates(l, kind, of, view) & (uint8_t)~without;
  uint8_t number = kind.local && !kind.alone ? leaf_lowest((uint8_t)~mates, 0, TEXTURE) : NO_BARRIER;
  if (number == NO_BARRIER && !kind.local && kind.class == CLASS_GENERAL)
    number = leaf_lowest(view->pending | avoided, base, LAST_GENERAL);
  if (number == NO_BARRIER)
    number = leaf_lowest(view->pending, base, LAST_GENERAL);
  if (number == NO_BARRIER && !kind.local)
    number = leaf_lowest((uint8_t)~mates | avoided, 0, LAST_GENERAL);
  if (number == NO_BARRIER && !kind.local)
    number = leaf_lowest((uint8_t)~mates, 0, TEXTURE);
  if (number == NO_BARRIER && !(view->pending >> TEXTURE & 1) && !(kind.local && view->reserved))
    number = TEXTURE;
  return number == NO_BARRIER && kind.local ? leaf_share(kind, view, base, without) : number;
}

/* L773: whether what is pending has the numbers of the input. */
static bool leaf_is_as_in_input(const leaf_state *state) {
  bool same = state->old == state->new;
  for (unsigned number = 0; number < NUMBERS; number++)
    same &= !(state->old >> number & 1) || state->stands[number] == 1u << number;
  return same;
}

/* Where no number was free, a barrier of the other kind or R1's load may have its number by chance (L770). */
static bool leaf_shares_kind(const leaf_state *state, uint8_t old, bool writes) {
  const unsigned others = (writes ? state->reads : state->writes) | state->pointer;
  return !(others >> old & 1);
}

/* L773, L1045: the last instruction of a block, or the one in front of a call that ends it, may have what it waits for still
 * pending: ptxas has put waits there for what follows. */
static bool leaf_may_hold(const leaf *l, uint32_t index) {
  const leaf_block *const block = &l->blocks[l->instructions[index].block];
  const uint32_t end = block->first + block->count;
  return index + 1 == end || (index + 2 == end && l->instructions[index + 1].opcode == OP_CALL_PLACE);
}

/* L773: the input's number stays where what decides it is as it was, what may be held too (L1045). */
static bool leaf_keeps(const leaf *l, uint32_t index, const leaf_state *state, const leaf_state *before) {
  const uint32_t block = l->instructions[index].block;
  return leaf_is_as_in_input(state) && (!leaf_may_hold(l, index) || leaf_is_as_in_input(before)) &&
         leaf_avoided(l, block, true) == leaf_avoided(l, block, false);
}

/* The view with what the instruction's waits have freed, too. */
static leaf_view leaf_held(const leaf_view *view, const leaf_view *before) {
  leaf_view held = *view;
  held.pending |= before->pending;
  held.writes |= before->writes & before->pending;
  for (unsigned number = 0; number < NUMBERS; number++)
    if (before->pending & ~view->pending & 1u << number)
      held.need[number] = before->need[number];
  return held;
}

/* L773: a new number is certain where the rules give the input its own. What an instruction may hold counts as pending where
 * that explains the input's number. */
static uint8_t leaf_renumber(const leaf *l, uint32_t index, leaf_kind kind, uint8_t old, uint8_t pointer) {
  const uint8_t avoided_before = leaf_avoided(l, l->instructions[index].block, true);
  const uint8_t avoided = leaf_avoided(l, l->instructions[index].block, false);
  const leaf_view *const in = &l->views[OF_INPUT], *const out = &l->views[OF_OUTPUT];
  if (leaf_choose(l, kind, OF_INPUT, in, avoided_before, pointer) == old)
    return leaf_choose(l, kind, OF_OUTPUT, out, avoided, 0);
  if (!leaf_may_hold(l, index))
    return NO_BARRIER;
  const leaf_view held = leaf_held(in, &l->before[OF_INPUT]), held_out = leaf_held(out, &l->before[OF_OUTPUT]);
  return leaf_choose(l, kind, OF_INPUT, &held, avoided_before, pointer) == old
             ? leaf_choose(l, kind, OF_OUTPUT, &held_out, avoided, 0)
             : NO_BARRIER;
}

/* What the input has shared because it had to (L770); NO_BARRIER where that is not seen. */
static uint8_t leaf_share_again(leaf *l, const leaf_state *state, leaf_kind kind, uint8_t old, uint8_t range) {
  if (!state->stands[old] || !leaf_shares_kind(state, old, kind.writes))
    return NO_BARRIER;
  l->sure &= (state->new &range) == range || (range != ALL_GENERAL && state->longs >> old & 1);
  for (unsigned number = 0; number < NUMBERS; number++)
    if (state->stands[old] >> number & 1)
      return (uint8_t)number;
  return NO_BARRIER;
}

/* L770, L772: who shares a number in the input does so in the output, but for R1's load. */
static uint8_t leaf_find_number(leaf *l, uint32_t index, leaf_kind kind, uint8_t old, const leaf_state *state,
                                const leaf_state *before) {
  const uint8_t range = kind.class == CLASS_LONG ? ALL_GENERAL & ~3 : ALL_GENERAL;
  const bool ran_out = (state->old & range) == range;
  if (leaf_keeps(l, index, state, before))
    return old;
  uint8_t number = leaf_renumber(l, index, kind, old, state->pointer);
  for (uint8_t other = 0; other < NUMBERS && !ran_out && number == NO_BARRIER;
       other++) /* M45d: shared then, shared now */
    if (state->stands[old] >> other & 1)
      number = other;
  if (number == NO_BARRIER && ran_out)
    number = leaf_share_again(l, state, kind, old, range);
  l->sure &= number != NO_BARRIER;
  if (number == NO_BARRIER) /* L772, L1913: the rules' all the same */
    number =
        leaf_choose(l, kind, OF_OUTPUT, &l->views[OF_OUTPUT], leaf_avoided(l, l->instructions[index].block, false), 0);
  return number == NO_BARRIER ? TEXTURE : number;
}

static void leaf_view_set(leaf *l, unsigned of, uint8_t number, leaf_kind kind) {
  leaf_view *const view = &l->views[of];
  const uint8_t bit = (uint8_t)(1u << number);
  const bool far = kind.class == CLASS_TEXTURE || (kind.class == CLASS_LONG && !kind.local);
  view->need[number] = view->pending & bit && view->need[number] < kind.need ? view->need[number] : kind.need;
  view->pending |= bit;
  view->far |= far ? bit : 0;
  view->writes |= kind.writes ? bit : 0;
}

/* A number of the output for one barrier of an instruction. */
static uint8_t leaf_allocate(leaf *l, uint32_t index, bool writes, const leaf_state *state, const leaf_state *before) {
  leaf_instruction *const at = &l->instructions[index];
  const uint8_t old = writes ? at->write : at->read;
  const leaf_kind kind = leaf_kind_of(l, index, writes, state);
  const uint8_t number = leaf_find_number(l, index, kind, old, state, before);
  leaf_view_set(l, OF_INPUT, old, kind);
  leaf_view_set(l, OF_OUTPUT, number, kind);
  if (writes && kind.local && kind.need != leaf_never)
    l->instructions[kind.need].mate = index;
  return number;
}

static void leaf_view_waits(leaf *l, uint32_t index) {
  const uint8_t waits[VIEWS] = {l->instructions[index].wait, l->instructions[index].new_wait};
  memcpy(l->before, l->views, sizeof l->before);
  for (unsigned of = 0; of < VIEWS; of++) {
    leaf_view *const view = &l->views[of];
    view->pending &= (uint8_t)~waits[of];
    view->writes &= (uint8_t)~waits[of];
    view->far &= (uint8_t)~waits[of];
    for (unsigned number = 0; number < NUMBERS; number++) {
      view->need[number] = waits[of] >> number & 1 ? leaf_never : view->need[number];
      view->since[number] = waits[of] >> number & 1 ? index : view->since[number];
    }
  }
}

static void leaf_set(leaf_state *state, bool writes, uint8_t old, uint8_t number) {
  *(writes ? &state->writes : &state->reads) |= (uint8_t)(1u << old);
  state->old |= (uint8_t)(1u << old);
  state->new |= (uint8_t)(1u << number);
  state->stands[old] |= (uint8_t)(1u << number);
}

/* The waits come first and free their numbers (M45a, M45g). */
static void leaf_wait(leaf_instruction *at, leaf_state *state) {
  for (unsigned old = 0; old < NUMBERS; old++)
    if (at->wait >> old & 1)
      at->new_wait |= state->stands[old] & state->new;
  state->old &= (uint8_t)~at->wait;
  state->reads &= (uint8_t)~at->wait;
  state->writes &= (uint8_t)~at->wait;
  state->longs &= (uint8_t)~at->wait;
  state->pointer &= (uint8_t)~at->wait;
  state->new &= (uint8_t)~at->new_wait;
  for (unsigned old = 0; old < NUMBERS; old++) {
    state->stands[old] &= (uint8_t)~at->new_wait;
    if (at->wait >> old & 1)
      state->stands[old] = 0;
  }
}

/* L774: a wait of the input for a number that is pending on no way there stays, with what stood for the number
 * when it was waited for. */
static void leaf_wait_again(leaf_instruction *at, const leaf_state *before, leaf_state *state) {
  for (unsigned old = 0; old < NUMBERS; old++) {
    if (!(at->wait >> old & 1))
      continue;
    if (before->old >> old & 1)
      state->stood[old] = before->stands[old];
    else
      at->new_wait |= state->stood[old];
  }
}

static void leaf_step(leaf *l, uint32_t index, uint32_t pointer_load, leaf_state *state) {
  leaf_instruction *const at = &l->instructions[index];
  const leaf_state before = *state;
  leaf_wait(at, state);
  leaf_view_waits(l, index);
  l->sure &= at->opcode != OP_COLLECTIVE || (!before.old && !before.new); /* L1849 */
  if (at->read < NUMBERS) {
    at->new_read = leaf_allocate(l, index, false, state, &before);
    leaf_set(state, false, at->read, at->new_read);
  }
  if (at->write < NUMBERS && index == pointer_load) {
    state->old |= (uint8_t)(1u << at->write);
    state->pointer = (uint8_t)(1u << at->write);
    at->new_write = NO_BARRIER;
    leaf_view_set(l, OF_INPUT, at->write, (leaf_kind){CLASS_GENERAL, false, true, false, leaf_never});
  } else if (at->write < NUMBERS) {
    at->new_write = leaf_allocate(l, index, true, state, &before);
    leaf_set(state, true, at->write, at->new_write);
    if (leaf_is_long(at->opcode))
      state->longs |= (uint8_t)(1u << at->write);
  }
}

/* Over the predecessors already done: the numbers are given in one pass (M45a). */
static leaf_state leaf_entry_state(const leaf *l, uint32_t block) {
  leaf_state state = {0};
  for (uint32_t p = l->first_predecessor[block]; p < l->first_predecessor[block + 1] && l->predecessors[p] < block;
       p++) {
    const leaf_state *const from = &l->at_end[l->predecessors[p]];
    state.old |= from->old;
    state.new |= from->new;
    state.reads |= from->reads;
    state.writes |= from->writes;
    state.longs |= from->longs;
    state.pointer |= from->pointer;
    for (int i = 0; i < NUMBERS; i++)
      state.stands[i] |= from->stands[i];
  }
  return state;
}

/* --- who needs a barrier --- */

/* Per number, the first instruction of the block that waits for it; of the block's barriers, who waits for them. */
static void leaf_find_first_waits(leaf *l, uint32_t block, uint32_t first[NUMBERS]) {
  const uint32_t begin = l->blocks[block].first;
  for (unsigned number = 0; number < NUMBERS; number++)
    first[number] = leaf_never;
  for (uint32_t i = begin + l->blocks[block].count; i-- > begin;) {
    leaf_instruction *const at = &l->instructions[i];
    at->write_need = at->write_wait = at->write < NUMBERS ? first[at->write] : leaf_never;
    at->read_need = at->read_wait = at->read < NUMBERS ? first[at->read] : leaf_never;
    at->mate = leaf_never;
    at->explained = 0;
    for (unsigned number = 0; number < NUMBERS; number++)
      if (at->wait >> number & 1)
        first[number] = i;
  }
}

/* L1910: where somebody waits for a number because of another barrier that has it, too, what else has it is needed by the
 * instruction behind that uses its result. */
static void leaf_find_later_need(leaf *l, uint32_t index, uint32_t end) {
  enum { FARTHEST = 512 };
  leaf_instruction *const at = &l->instructions[index];
  const uint32_t waits = at->write_need;
  const tl_operands own = leaf_operands(l, index);
  const tl_operands there = leaf_operands(l, waits);
  if (!there.known || leaf_is_product(l->instructions[waits].opcode) || leaf_needs(&own, &there))
    return;
  bool known = own.known;
  uint32_t i = waits + 1;
  for (; i < end && i < waits + FARTHEST; i++) {
    const tl_operands other = leaf_operands(l, i);
    if (leaf_needs(&own, &other)) {
      at->write_need = i;
      return;
    }
    known &= other.known && !leaf_is_product(l->instructions[i].opcode);
  }
  if (known && i == end)
    at->write_need = leaf_never;
}

/* Who needs the block's barriers, given what is pending in the input at its start (`old`). */
static void leaf_find_needs(leaf *l, uint32_t block, uint8_t old, uint32_t first[NUMBERS]) {
  const uint32_t begin = l->blocks[block].first, end = begin + l->blocks[block].count;
  leaf_find_first_waits(l, block, first);
  for (unsigned number = 0; number < NUMBERS; number++)
    if (old >> number & 1 && first[number] != leaf_never)
      l->instructions[first[number]].explained |= (uint8_t)(1u << number);
  for (uint32_t i = begin; i < end; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    if (at->read_need != leaf_never)
      l->instructions[at->read_need].explained |= (uint8_t)(1u << at->read);
    if (at->write_need == leaf_never)
      continue;
    const tl_operands own = leaf_operands(l, i), there = leaf_operands(l, at->write_need);
    if (leaf_needs(&own, &there))
      l->instructions[at->write_need].explained |= (uint8_t)(1u << at->write);
  }
  for (uint32_t i = begin; i < end; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    if (at->write_need != leaf_never && l->instructions[at->write_need].explained >> at->write & 1)
      leaf_find_later_need(l, i, end);
  }
}

/* L1911: TEXTURE belongs to loads for other blocks where one is in the block, or pending at its start. */
static bool leaf_reserves(const leaf *l, uint32_t block) {
  const uint32_t begin = l->blocks[block].first;
  for (uint32_t i = begin; i < begin + l->blocks[block].count; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    if (at->write < NUMBERS &&
        (leaf_is_texture(at->opcode) || (leaf_is_long(at->opcode) && !leaf_is_local(l, i, true))))
      return true;
  }
  return false;
}

static void leaf_enter(leaf *l, uint32_t block, const leaf_state *state) {
  uint32_t first[NUMBERS];
  leaf_find_needs(l, block, state->old, first);
  const bool reserves = leaf_reserves(l, block);
  for (unsigned of = 0; of < VIEWS; of++) {
    leaf_view *const view = &l->views[of];
    *view = (leaf_view){.pending = of == OF_INPUT ? state->old : state->new};
    view->reserved = reserves || (view->pending >> TEXTURE & 1);
    view->far = view->pending & (1u << TEXTURE);
    for (unsigned number = 0; number < NUMBERS; number++)
      view->need[number] = leaf_never;
    for (unsigned old = 0; old < NUMBERS; old++)
      for (unsigned number = 0; number < NUMBERS; number++)
        if (of == OF_INPUT ? number == old && state->old >> old & 1 : state->stands[old] >> number & 1) {
          view->need[number] = first[old] < view->need[number] ? first[old] : view->need[number];
          view->writes |= (state->writes >> old & 1) ? (uint8_t)(1u << number) : 0;
        }
  }
}

/* --- waits --- */

/* What is pending at a block's start over every way there, loops included. */
static leaf_state leaf_full_entry(const leaf *l, uint32_t block, const leaf_state *at_end) {
  leaf_state state = {0};
  for (uint32_t p = l->first_predecessor[block]; p < l->first_predecessor[block + 1]; p++) {
    const leaf_state *const from = &at_end[l->predecessors[p]];
    state.old |= from->old;
    state.new |= from->new;
    for (int i = 0; i < NUMBERS; i++) {
      state.stands[i] |= from->stands[i];
      state.stood[i] |= from->stood[i];
    }
  }
  return state;
}

/* With all numbers given: what each wait of the input waits for now. A number that is no longer pending, because another
 * barrier with the same number was waited for, needs no wait (M45g). False when loops do not settle, or something is pending
 * behind an indirect branch (L908). */
static bool leaf_find_waits(leaf *l, tl_arena *arena) {
  enum { MOST_PASSES = 32 };
  leaf_state *const at_end = tl_arena_new(arena, leaf_state, l->block_count);
  bool changed = true;
  for (int pass = 0; changed; pass++) {
    if (pass == MOST_PASSES)
      return false;
    changed = false;
    for (uint32_t b = 0; b < l->block_count; b++) {
      leaf_state state = leaf_full_entry(l, b, at_end);
      for (uint32_t i = l->blocks[b].first; i < l->blocks[b].first + l->blocks[b].count; i++) {
        leaf_instruction *const at = &l->instructions[i];
        const leaf_state before = state;
        at->new_wait = 0;
        leaf_wait(at, &state);
        leaf_wait_again(at, &before, &state);
        if (at->new_read < NUMBERS)
          leaf_set(&state, false, at->read, at->new_read);
        if (at->new_write < NUMBERS)
          leaf_set(&state, true, at->write, at->new_write);
        else if (at->write < NUMBERS)
          state.old |= (uint8_t)(1u << at->write);
      }
      state.reads = state.writes = 0;
      changed |= memcmp(&state, &at_end[b], sizeof state) != 0;
      at_end[b] = state;
    }
  }
  bool clean = true;
  for (uint32_t b = 0; b < l->block_count; b++)
    clean &= leaf_branches_clean(l, b, &at_end[b]);
  return clean;
}

/* --- writing --- */

/* M45h: an instruction that sets a number for which the next one waits has a stall of 2 at least. */
static uint8_t leaf_stall(const leaf *l, uint32_t index) {
  const leaf_instruction *const at = &l->instructions[index], *const next = at + 1;
  if (index + 1 == l->count)
    return at->stall;
  const unsigned sets = (1u << at->write | 1u << at->read) & 0x3f;
  const unsigned new_sets = (1u << at->new_write | 1u << at->new_read) & 0x3f;
  const bool before = (sets & next->wait) != 0, after = (new_sets & next->new_wait) != 0;
  if (before && !after && at->stall == 2)
    return 1;
  return !before && after && at->stall == 1 ? 2 : at->stall;
}

static void leaf_write(const leaf *l) {
  for (uint32_t i = 0; i < l->count; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    const uint64_t cleared = leaf_high(l, i) & ~((uint64_t)0xf << 41 | (uint64_t)0x3f << 46 | (uint64_t)0x3f << 52);
    const uint64_t set = (uint64_t)leaf_stall(l, i) << 41 | (uint64_t)at->new_write << 46 |
                         (uint64_t)at->new_read << 49 |
                         (uint64_t)(at->waits_anyway ? EVERY_NUMBER : at->new_wait) << 52;
    tl_put64(l->text + (uint64_t)i * INSTRUCTION + 8, cleared | set);
  }
}

static leaf leaf_begin(uint8_t *text, uint64_t size, tl_arena *arena) {
  leaf l = {.text = text, .count = (uint32_t)(size / INSTRUCTION), .sure = true};
  l.instructions = tl_arena_new(arena, leaf_instruction, l.count);
  leaf_read(&l);
  return l;
}

static void leaf_divide(leaf *l, tl_arena *arena) {
  leaf_find_blocks(l, arena);
  leaf_find_predecessors(l, arena);
  l->at_end = tl_arena_new(arena, leaf_state, l->block_count);
}

tl_remake tl_leaf_remake(uint8_t *text, uint64_t size, tl_arena *arena) {
  leaf l = leaf_begin(text, size, arena);
  if (!l.count)
    return TL_REMAKE_NONE;
  if (tl_leaf_has_call(text, size))
    return TL_REMAKE_NONE;
  if (leaf_has_fence(&l))
    return TL_REMAKE_FENCE;
  const uint32_t pointer_load = leaf_find_pointer_load(&l);
  if (pointer_load == l.count || leaf_uses_stack(&l))
    return TL_REMAKE_NONE;
  leaf_divide(&l, arena);
  for (uint32_t b = 0; b < l.block_count; b++) {
    leaf_state state = leaf_entry_state(&l, b);
    leaf_enter(&l, b, &state);
    for (uint32_t i = l.blocks[b].first; i < l.blocks[b].first + l.blocks[b].count; i++)
      leaf_step(&l, i, pointer_load, &state);
    l.at_end[b] = state;
  }
  if (!leaf_find_waits(&l, arena))
    return TL_REMAKE_UNSURE;
  leaf_write(&l);
  return TL_REMAKE_SURE;
}

/* --- kernels that call, whose load of R1 has no barrier (L1641) --- */

/* The instructions up to the first call in the text, which is the last of them; 0 where there is none. */
static uint32_t leaf_count_to_call(const uint8_t *text, uint64_t size) {
  enum { OP_CALL = 0x944 };
  for (uint64_t at = 0; at + INSTRUCTION <= size && at / INSTRUCTION < UINT32_MAX; at += INSTRUCTION) {
    const uint16_t opcode = tl_get16(text + at) & 0xfff;
    if (opcode == OP_CALL || opcode == OP_CALL_PLACE)
      return (uint32_t)(at / INSTRUCTION) + 1;
  }
  return 0;
}

/* One of them. The load of R1 takes the lowest number that is free, for which nobody waits before the call. False where the
 * input waits for what is not pending. */
static bool leaf_step_open(leaf *l, uint32_t index, leaf_state *state) {
  leaf_instruction *const at = &l->instructions[index];
  const bool pointer = (leaf_low(l, index) & 0xfff) == OP_LDC && (leaf_low(l, index) >> 16 & 0xff) == STACK_POINTER;
  if (at->waits_anyway || at->wait & ~state->old)
    return false;
  leaf_step(l, index, l->count, state);
  if (!pointer || at->write != NO_BARRIER)
    return l->sure;
  at->new_write = leaf_lowest(state->new, 0, LAST_GENERAL);
  state->pointer = at->new_write == NO_BARRIER ? 0 : (uint8_t)(1u << at->new_write);
  state->new |= state->pointer;
  if (state->pointer)
    leaf_view_set(l, OF_OUTPUT, at->new_write, (leaf_kind){CLASS_GENERAL, false, true, false, leaf_never});
  return state->pointer != 0;
}

/* Whether that is all that nvlink does to the text: it has no use for R1, and no fence but that of error barriers. */
static bool leaf_may_open(const leaf *l) {
  enum { OF_ERRORS = 0x5000 };
  for (uint32_t i = 0; i < l->count; i++)
    if ((leaf_low(l, i) & 0xfff) == OP_MEMBAR && (leaf_high(l, i) & 0xffff) != OF_ERRORS)
      return false;
  return !leaf_uses_stack(l);
}

bool tl_leaf_open(uint8_t *text, uint64_t size, tl_arena *arena) {
  leaf l = leaf_begin(text, size, arena);
  const bool may = leaf_may_open(&l);
  l.count = leaf_count_to_call(text, size);
  if (!may || !l.count)
    return false;
  leaf_divide(&l, arena);
  if (l.block_count != 1)
    return false;
  leaf_state state = {0};
  leaf_enter(&l, 0, &state);
  uint8_t pointer = 0;
  for (uint32_t i = 0; i < l.count; i++) {
    if (!leaf_step_open(&l, i, &state))
      return false;
    pointer |= state.pointer;
    state.pointer = 0;
  }
  const bool place = l.instructions[l.count - 1].opcode == OP_CALL_PLACE; /* in front of which the block waits */
  if (!pointer || state.old || state.new != pointer || l.count <= place)
    return false;
  l.instructions[l.count - 1 - place].new_wait |= pointer;
  leaf_write(&l);
  return true;
}

bool tl_leaf_is_opened(const uint8_t *text, uint64_t size, bool calls, tl_arena *arena) {
  const leaf l = leaf_begin(tl_arena_copy(arena, text, size), size, arena);
  uint32_t first = l.count;
  bool fence = false;
  if (!l.count)
    return false;
  for (uint32_t i = l.count; i-- > 0;) {
    first = (leaf_low(&l, i) & 0xfff) == OP_LDC ? i : first;
    fence |= (leaf_low(&l, i) & 0xfff) == OP_MEMBAR;
  }
  const bool pointer = first < l.count && (leaf_low(&l, first) >> 16 & 0xff) == STACK_POINTER &&
                       l.instructions[first].write == NO_BARRIER;
  return (fence && !leaf_has_fence(&l)) || (calls && pointer && !leaf_uses_stack(&l));
}
