/* Scoreboard numbers of leaf kernels (M45). In an executable nvlink knows that a kernel that calls nothing needs no stack
 * pointer: the load of R1 loses its barrier, waits for it disappear, and every later barrier gets its number anew from
 * ptxas's own allocator. Text changes in nothing but barrier numbers, wait masks and some stall counts (M45h).
 *
 * Here the text is read and written, and what is a leaf is decided; leaf_blocks.c divides it, leaf_waits.c goes over it,
 * leaf_needs.c knows who needs a barrier and leaf_numbers.c gives the number.
 *
 * A call of a register alone makes a kernel no less a leaf; it ends its block (L1045). The other way round, a kernel that
 * calls and whose load of R1 has no barrier gets one (L1641). */
#include "finalize/leaf.h"

#include "base/bytes.h"
#include "finalize/leaf_parts.h"

/* 12 bits (T1-T3). */
enum { OP_LDC = 0xb82, OP_LDS = 0x984, OP_MEMBAR = 0x992 };
enum { STACK_POINTER = 1, DECODED = 1024 };

/* Loads of long latency: their numbers begin at 2 (M45b). */
bool tl_leaf_is_long(unsigned opcode) {
  static const uint16_t list[] = {0x980, 0x981,  0x983,  0x1980, 0x1981, 0x1983, 0x98a, 0x198a, 0x9a8, 0x9a9,
                                  0x9a2, 0x19a2, 0x19a3, 0x19a8, 0x19a9, 0x381,  0x38a, 0x38b,  0x3a8, 0x3a9};
  return TL_AMONG16(list, opcode);
}

bool tl_leaf_is_texture(unsigned opcode) {
  static const uint16_t list[] = {0x1f60, 0x1f61, 0x1f63, 0x1f64, 0x1f66, 0x1f69, 0x1f6c, 0x1f6f, 0x1f99};
  return TL_AMONG16(list, opcode);
}

bool tl_leaf_counts(unsigned opcode) {
  static const uint16_t list[] = {0x9af, 0x9b7};
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
    at->wait = (uint8_t)(high >> 52 & LEAF_EVERY_NUMBER);
    at->waits_anyway = at->wait == LEAF_EVERY_NUMBER;
    if (at->waits_anyway)
      at->wait = 0;
    at->new_write = at->write;
    at->new_read = at->read;
    l->has_textures |= tl_leaf_is_texture(at->opcode);
    l->has_late |= tl_leaf_is_texture(at->opcode) || tl_leaf_is_long(at->opcode);
    l->counted |= tl_leaf_counts(at->opcode) ? 1 : 0;
  }
}

/* Calls: such a kernel is no leaf. One of a register (LEAF_OP_CALL_PLACE) nvlink does not take for one (L1045). */
bool tl_leaf_has_call(const uint8_t *text, uint64_t size) {
  for (uint64_t at = 0; at + LEAF_INSTRUCTION <= size; at += LEAF_INSTRUCTION) {
    const unsigned form = tl_get16(text + at) & 0xfff;
    if (form == 0x943 || form == 0x944 || form == 0x343)
      return true;
  }
  return false;
}

/* M44: four loads of nothing before a fence. Where the kernel copies to shared memory, three stand before each copy, and all
 * of them stay (fences.c). */
static bool leaf_has_fence(const leaf *l) {
  enum { OP_LDGSTS = 0xfae };
  uint32_t loads = 0;
  bool copies = false;
  for (uint32_t i = 0; i < l->count; i++) {
    copies |= (leaf_low(l, i) & 0xfff) == OP_LDGSTS;
    loads += (leaf_low(l, i) & 0xfff) == OP_LDS && (leaf_low(l, i) >> 16 & 0xffff) == 0xffff;
  }
  return !copies && loads >= 4;
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
    const bool pointer = (leaf_low(l, i) >> 16 & 0xff) == STACK_POINTER && l->instructions[i].write != LEAF_NO_BARRIER;
    return pointer && leaf_high(l, i) >> 40 != 0x00321e ? i : l->count;
  }
  return l->count;
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
                         (uint64_t)(at->waits_anyway ? LEAF_EVERY_NUMBER : at->new_wait) << 52;
    tl_put64(l->text + (uint64_t)i * LEAF_INSTRUCTION + 8, cleared | set);
  }
}

static leaf leaf_begin(uint8_t *text, uint64_t size, tl_arena *arena) {
  leaf l = {.text = text, .count = (uint32_t)(size / LEAF_INSTRUCTION), .sure = true};
  l.instructions = tl_arena_new(arena, leaf_instruction, l.count);
  l.decoded_count = l.count < DECODED ? l.count + 1 : DECODED;
  l.decoded = tl_arena_new(arena, leaf_decoded, l.decoded_count);
  leaf_read(&l);
  return l;
}

/* --- the first pass --- */

/* Gives the numbers. The rank at which the first one was not explained; the number of blocks where all were. */
static uint32_t leaf_number(leaf *l, uint32_t pointer_load, const uint32_t *order) {
  uint32_t explained = l->block_count;
  l->sure = true;
  for (uint32_t i = 0; i < l->count; i++)
    l->instructions[i].new_wait = 0;
  for (uint32_t rank = 0; rank < l->block_count; rank++) {
    const uint32_t b = order[rank];
    leaf_state state = tl_leaf_entry_state(l, b);
    tl_leaf_enter(l, b, &state);
    for (uint32_t i = l->blocks[b].first; i < l->blocks[b].first + l->blocks[b].count; i++)
      tl_leaf_step(l, i, pointer_load, &state);
    l->at_end[b] = state;
    explained = l->sure || explained < rank ? explained : rank;
  }
  return explained;
}

static void leaf_swap(leaf *l, uint32_t *order, uint32_t a, uint32_t b) {
  const uint32_t rank = l->ranks[a];
  l->ranks[a] = l->ranks[b];
  l->ranks[b] = rank;
  order[l->ranks[a]] = a;
  order[l->ranks[b]] = b;
}

/* L1943: the order of the text, and where that does not explain the input's numbers, one in which of two ways of a branch that
 * meet again the second is the first. Where that does not explain all of them, the order of the text it is. */
static void leaf_number_all(leaf *l, uint32_t pointer_load, tl_arena *arena) {
  enum { MOST_SWAPS = 8 };
  uint32_t *const order = tl_arena_new(arena, uint32_t, l->block_count);
  for (uint32_t b = 0; b < l->block_count; b++)
    order[b] = b;
  uint32_t explained = leaf_number(l, pointer_load, order);
  for (int i = 0; i < MOST_SWAPS && explained < l->block_count; i++) {
    const uint32_t block = order[explained], sibling = tl_leaf_find_sibling(l, block), before = explained;
    if (sibling == LEAF_NEVER || l->ranks[sibling] < explained)
      break;
    leaf_swap(l, order, block, sibling);
    explained = leaf_number(l, pointer_load, order);
    if (explained <= before)
      break;
  }
  if (explained == l->block_count)
    return;
  for (uint32_t b = 0; b < l->block_count; b++)
    order[b] = l->ranks[b] = b;
  leaf_number(l, pointer_load, order);
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
  tl_leaf_divide(&l, arena);
  tl_leaf_find_shared(&l, arena);
  leaf_number_all(&l, pointer_load, arena);
  if (!tl_leaf_find_waits(&l, arena))
    return TL_REMAKE_UNSURE;
  leaf_write(&l);
  return TL_REMAKE_SURE;
}

/* --- kernels that call, whose load of R1 has no barrier (L1641) --- */

/* The instructions up to the first call in the text, which is the last of them; 0 where there is none. */
static uint32_t leaf_count_to_call(const uint8_t *text, uint64_t size) {
  enum { OP_CALL = 0x944 };
  for (uint64_t at = 0; at + LEAF_INSTRUCTION <= size && at / LEAF_INSTRUCTION < UINT32_MAX; at += LEAF_INSTRUCTION) {
    const uint16_t opcode = tl_get16(text + at) & 0xfff;
    if (opcode == OP_CALL || opcode == LEAF_OP_CALL_PLACE)
      return (uint32_t)(at / LEAF_INSTRUCTION) + 1;
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
  tl_leaf_step(l, index, l->count, state);
  if (!pointer || at->write != LEAF_NO_BARRIER)
    return l->sure;
  at->new_write = tl_leaf_lowest(state->new, 0, LEAF_LAST_GENERAL);
  state->pointer = at->new_write == LEAF_NO_BARRIER ? 0 : (uint8_t)(1u << at->new_write);
  state->new |= state->pointer;
  if (state->pointer)
    tl_leaf_view_set(l, LEAF_OF_OUTPUT, at->new_write, index,
                     (leaf_kind){LEAF_GENERAL_CLASS, false, true, false, LEAF_NEVER, {0, 0}, false, false});
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

/* The code up to the first call of a text that may be opened or closed, and its state at the beginning. False where that is not
 * one block. */
static bool leaf_begin_to_call(leaf *l, leaf_state *state, uint8_t *text, uint64_t size, tl_arena *arena) {
  *l = leaf_begin(text, size, arena);
  const bool may = leaf_may_open(l);
  l->count = leaf_count_to_call(text, size);
  if (!may || !l->count)
    return false;
  tl_leaf_divide(l, arena);
  tl_leaf_find_shared(l, arena);
  if (l->block_count != 1)
    return false;
  *state = (leaf_state){0};
  tl_leaf_enter(l, 0, state);
  return true;
}

bool tl_leaf_open(uint8_t *text, uint64_t size, tl_arena *arena) {
  leaf l;
  leaf_state state;
  if (!leaf_begin_to_call(&l, &state, text, size, arena))
    return false;
  uint8_t pointer = 0;
  for (uint32_t i = 0; i < l.count; i++) {
    if (!leaf_step_open(&l, i, &state))
      return false;
    pointer |= state.pointer;
    state.pointer = 0;
  }
  const bool place = l.instructions[l.count - 1].opcode == LEAF_OP_CALL_PLACE; /* in front of which the block waits */
  if (!pointer || state.old || state.new != pointer || l.count <= place)
    return false;
  l.instructions[l.count - 1 - place].new_wait |= pointer;
  leaf_write(&l);
  return true;
}

bool tl_leaf_close(uint8_t *text, uint64_t size, tl_arena *arena) {
  leaf l;
  leaf_state state;
  if (!leaf_begin_to_call(&l, &state, text, size, arena))
    return false;
  const uint32_t pointer = leaf_find_pointer_load(&l);
  if (pointer == l.count)
    return false;
  for (uint32_t i = 0; i < l.count; i++)
    tl_leaf_step(&l, i, pointer, &state);
  if (!l.sure || state.new)
    return false;
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
                       l.instructions[first].write == LEAF_NO_BARRIER;
  return (fence && !leaf_has_fence(&l)) || (calls && pointer && !leaf_uses_stack(&l));
}
