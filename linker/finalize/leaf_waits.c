/* What is pending in a leaf kernel's text, instruction by instruction and over its blocks, in the input's scoreboard numbers
 * and in the new ones (M45).
 *
 * Two passes. The first gives the numbers in the order of the text, with what the blocks before have left pending (M45a); the
 * second, with all numbers given, goes round the loops until nothing changes and decides which waits stay and for which numbers
 * (M45g, L774). */
#include "finalize/leaf_parts.h"

#include <string.h>

enum { OP_COLLECTIVE = 0x348 };

static void leaf_view_waits(leaf *l, uint32_t index) {
  const uint8_t waits[LEAF_VIEWS] = {l->instructions[index].wait, l->instructions[index].new_wait};
  memcpy(l->before, l->views, sizeof l->before);
  if (l->instructions[index].opcode == OP_COLLECTIVE) /* L1849 */
    return;
  for (unsigned of = 0; of < LEAF_VIEWS; of++) {
    leaf_view *const view = &l->views[of];
    view->pending &= (uint8_t)~waits[of];
    view->writes &= (uint8_t)~waits[of];
    view->far &= (uint8_t)~waits[of];
    view->wanted &= (uint8_t)~waits[of];
    view->plain &= (uint8_t)~waits[of];
    view->late &= (uint8_t)~waits[of];
    view->alike[0] &= (uint8_t)~waits[of];
    view->alike[1] &= (uint8_t)~waits[of];
    for (unsigned number = 0; number < LEAF_NUMBERS; number++)
      view->need[number] = waits[of] >> number & 1 ? LEAF_NEVER : view->need[number];
  }
}

/* `need`: who of the block needs it first, 0 where every wait for it is. */
static void leaf_set(leaf_state *state, bool writes, uint8_t old, uint8_t number, uint32_t need, uint32_t index) {
  const bool shared = state->stands[old] >> number & 1;
  state->owners[old][number] = shared ? 0 : leaf_owner(index, writes);
  state->several |= state->old & (uint8_t)(1u << old);
  state->carried[old] &= (uint8_t)~(1u << number);
  *(writes ? &state->writes : &state->reads) |= (uint8_t)(1u << old);
  state->old |= (uint8_t)(1u << old);
  state->new |= (uint8_t)(1u << number);
  state->stands[old] |= (uint8_t)(1u << number);
  state->due[old][number] = shared && state->due[old][number] < need ? state->due[old][number] : need;
}

/* L1832, L1859: of what other blocks have set and nothing else is waited for here, what a wait is for: all of it, where the number
 * was one barrier's alone, and where the wait is for what is behind the block. */
static uint8_t leaf_find_alone(const leaf *l, const leaf_state *state, unsigned old, uint32_t index) {
  const leaf_block *const block = &l->blocks[l->instructions[index].block];
  const bool ends = index + 1 == block->first + block->count;
  if (!ends && state->several >> old & 1)
    return 0;
  uint8_t alone = state->carried[old];
  const bool shared = l->shared[l->instructions[index].block] >> old & 1;
  for (unsigned number = 0; number < LEAF_NUMBERS && shared && !ends; number++)
    alone &= state->due[old][number] == LEAF_NEVER ? LEAF_EVERY_NUMBER : (uint8_t)~(1u << number);
  return alone;
}

/* L1922: of the numbers that stand for one that is waited for, those of which something is needed here; for the others
 * is waited where they are. */
static uint8_t leaf_find_due(const leaf *l, leaf_state *state, unsigned old, uint32_t index) {
  const uint8_t standing = state->stands[old] & state->new;
  uint8_t due = 0;
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    if (standing >> number & 1 && state->due[old][number] <= index)
      due |= (uint8_t)(1u << number);
  due |= due ? 0 : standing & leaf_find_alone(l, state, old, index);
  for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
    const uint32_t need = state->due[old][number];
    if (!((standing & ~due) >> number & 1))
      continue;
    if (need == LEAF_NEVER)
      tl_leaf_owe(state, number, state->owners[old][number]);
    else if (!state->later[number] || need < state->later[number])
      state->later[number] = need;
  }
  return due;
}

/* The waits come first and free their numbers (M45a, M45g). */
static void leaf_wait(const leaf *l, uint32_t index, leaf_state *state) {
  leaf_instruction *const at = &l->instructions[index];
  for (unsigned old = 0; old < LEAF_NUMBERS; old++)
    if (at->wait >> old & 1)
      at->new_wait |= leaf_find_due(l, state, old, index);
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    if (state->later[number] == index && state->new >> number & 1 && index)
      at->new_wait |= (uint8_t)(1u << number);
  if (at->opcode == OP_COLLECTIVE) /* L1849 */
    return;
  state->old &= (uint8_t)~at->wait;
  state->reads &= (uint8_t)~at->wait;
  state->writes &= (uint8_t)~at->wait;
  state->longs &= (uint8_t)~at->wait;
  state->pointer &= (uint8_t)~at->wait;
  state->new &= (uint8_t)~at->new_wait;
  state->several &= (uint8_t)~at->wait;
  for (unsigned old = 0; old < LEAF_NUMBERS; old++) {
    state->gone |= (uint8_t)((state->stands[old] & at->new_wait ? 1u : 0) << old);
    state->stands[old] &= (uint8_t)~at->new_wait;
    state->later[old] = at->new_wait >> old & 1 ? 0 : state->later[old];
    state->owed[old] = at->new_wait >> old & 1 ? 0 : state->owed[old];
    if (at->wait >> old & 1)
      state->stands[old] = 0;
  }
  state->gone &= (uint8_t)~at->wait;
}

/* L774: a wait of the input for a number that is pending on no way there stays, with what stood for the number
 * when it was waited for. */
static void leaf_wait_again(leaf_instruction *at, const leaf_state *before, leaf_state *state) {
  for (unsigned old = 0; old < LEAF_NUMBERS; old++) {
    if (!(at->wait >> old & 1))
      continue;
    const uint8_t rest = before->stands[old] & (uint8_t)~at->new_wait; /* L1860: for them is waited later */
    if (before->old >> old & 1)
      state->stood[old] = rest ? rest : before->stands[old];
    else
      at->new_wait |= state->stood[old];
  }
}

void tl_leaf_step(leaf *l, uint32_t index, uint32_t pointer_load, leaf_state *state) {
  leaf_instruction *const at = &l->instructions[index];
  const leaf_state before = *state;
  at->new_wait |= tl_leaf_find_loop_waits(l, index, state);
  leaf_wait(l, index, state);
  leaf_view_waits(l, index);
  l->sure &= at->opcode != OP_COLLECTIVE || (!before.old && !before.new); /* L1849 */
  if (at->read < LEAF_NUMBERS) {
    at->new_read = tl_leaf_allocate(l, index, false, state, &before);
    leaf_set(state, false, at->read, at->new_read, at->read_due, index);
  }
  if (at->write < LEAF_NUMBERS && index == pointer_load) {
    state->old |= (uint8_t)(1u << at->write);
    state->pointer = (uint8_t)(1u << at->write);
    at->new_write = LEAF_NO_BARRIER;
    tl_leaf_view_set(l, LEAF_OF_INPUT, at->write, index,
                     (leaf_kind){LEAF_GENERAL_CLASS, false, true, false, LEAF_NEVER, {0, 0}, false, false});
  } else if (at->write < LEAF_NUMBERS) {
    at->meets_stack = state->pointer >> at->write & 1;
    at->new_write = tl_leaf_allocate(l, index, true, state, &before);
    leaf_set(state, true, at->write, at->new_write, at->write_due, index);
    if (tl_leaf_is_long(at->opcode))
      state->longs |= (uint8_t)(1u << at->write);
  }
}

/* Over the predecessors already done: the numbers are given in one pass (M45a). */
leaf_state tl_leaf_entry_state(const leaf *l, uint32_t block) {
  leaf_state state = {0};
  for (uint32_t p = l->first_predecessor[block]; p < l->first_predecessor[block + 1]; p++) {
    const leaf_state *const from = &l->at_end[l->predecessors[p]];
    if (!leaf_precedes(l, l->predecessors[p], block))
      continue;
    state.old |= from->old;
    state.new |= from->new;
    state.reads |= from->reads;
    state.writes |= from->writes;
    state.longs |= from->longs;
    state.pointer |= from->pointer;
    tl_leaf_join_owners(&state, from);
    for (int i = 0; i < LEAF_NUMBERS; i++)
      state.stands[i] |= from->stands[i];
  }
  tl_leaf_carry(l, block, &state);
  return state;
}

/* L1837: what the end of a block waits for is needed behind it. */
static bool leaf_is_needed(const leaf *l, uint32_t first) {
  return first != LEAF_NEVER && !tl_leaf_is_exit(l->instructions[first].opcode);
}

/* What stands for an old number at the block's start, in one view: who needs it, whose it is (L1859) or, where that is not known,
 * who waits for it. */
static void leaf_view_enter(const leaf *l, leaf_view *view, unsigned number, uint32_t first, uint32_t due) {
  const uint32_t need = due > first ? due : first;
  view->need[number] = need < view->need[number] ? need : view->need[number];
  view->wanted |= leaf_is_needed(l, need) ? (uint8_t)(1u << number) : 0;
}

void tl_leaf_enter(leaf *l, uint32_t block, const leaf_state *state) {
  uint32_t first[LEAF_NUMBERS];
  tl_leaf_find_needs(l, block, state->old, first);
  const bool reserves = tl_leaf_reserves(l, block);
  const uint8_t several = state->several | l->shared[block] | tl_leaf_find_joined(l, block, first);
  for (unsigned of = 0; of < LEAF_VIEWS; of++) {
    leaf_view *const view = &l->views[of];
    *view = (leaf_view){.pending = of == LEAF_OF_INPUT ? state->old : state->new};
    view->reserved = reserves || l->has_textures || (view->pending >> LEAF_TEXTURE & 1);
    view->far = view->pending & (1u << LEAF_TEXTURE);
    view->late = view->far;
    for (unsigned number = 0; number < LEAF_NUMBERS; number++)
      view->need[number] = LEAF_NEVER;
    for (unsigned old = 0; old < LEAF_NUMBERS; old++)
      for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
        if (!(state->stands[old] >> number & 1))
          continue;
        const unsigned own = of == LEAF_OF_INPUT ? old : number;
        const bool others = (of == LEAF_OF_INPUT ? several & ~state->gone : several) >> old & 1;
        leaf_view_enter(l, view, own, first[old], others ? state->due[old][number] : 0);
        view->writes |= (state->writes >> old & 1) ? (uint8_t)(1u << own) : 0;
        view->late |= (state->longs >> old & 1) ? (uint8_t)(1u << own) : 0;
      }
  }
}

/* What is pending at a block's start over every way there, loops included. */
static leaf_state leaf_full_entry(const leaf *l, uint32_t block, const leaf_state *at_end) {
  leaf_state state = {0};
  for (uint32_t p = l->first_predecessor[block]; p < l->first_predecessor[block + 1]; p++) {
    const leaf_state *const from = &at_end[l->predecessors[p]];
    state.old |= from->old;
    state.new |= from->new;
    tl_leaf_join_owners(&state, from);
    for (int i = 0; i < LEAF_NUMBERS; i++) {
      state.stands[i] |= from->stands[i];
      state.stood[i] |= from->stood[i];
    }
  }
  tl_leaf_carry(l, block, &state);
  return state;
}

/* With all numbers given: what each wait of the input waits for now. A number that is no longer pending, because another
 * barrier with the same number was waited for, needs no wait (M45g). False when loops do not settle, or something is pending
 * behind an indirect branch (L908). */
bool tl_leaf_find_waits(leaf *l, tl_arena *arena) {
  enum { MOST_PASSES = 32 };
  leaf_state *const at_end = tl_arena_new(arena, leaf_state, l->block_count);
  bool changed = true;
  for (uint32_t i = 0; i < l->count; i++)
    l->instructions[i].straight_wait = l->instructions[i].new_wait;
  for (int pass = 0; changed; pass++) {
    if (pass == MOST_PASSES)
      return false;
    changed = false;
    for (uint32_t b = 0; b < l->block_count; b++) {
      leaf_state state = leaf_full_entry(l, b, at_end);
      for (uint32_t i = l->blocks[b].first; i < l->blocks[b].first + l->blocks[b].count; i++) {
        leaf_instruction *const at = &l->instructions[i];
        const leaf_state before = state;
        at->new_wait = at->straight_wait; /* RF1389 */
        leaf_wait(l, i, &state);
        leaf_wait_again(at, &before, &state);
        if (at->new_read < LEAF_NUMBERS)
          leaf_set(&state, false, at->read, at->new_read, at->read_due, i);
        if (at->new_write < LEAF_NUMBERS)
          leaf_set(&state, true, at->write, at->new_write, at->write_due, i);
        else if (at->write < LEAF_NUMBERS)
          state.old |= (uint8_t)(1u << at->write);
      }
      state.reads = state.writes = 0;
      memset(state.due, 0, sizeof state.due);
      memset(state.later, 0, sizeof state.later);
      memset(state.carried, 0, sizeof state.carried);
      changed |= memcmp(&state, &at_end[b], sizeof state) != 0;
      at_end[b] = state;
    }
  }
  bool clean = true;
  for (uint32_t b = 0; b < l->block_count; b++)
    clean &= tl_leaf_branches_clean(l, b, &at_end[b]);
  return clean;
}
