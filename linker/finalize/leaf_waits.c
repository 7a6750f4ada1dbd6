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
    view->alike[0] &= (uint8_t)~waits[of];
    view->alike[1] &= (uint8_t)~waits[of];
    for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
      view->need[number] = waits[of] >> number & 1 ? LEAF_NEVER : view->need[number];
      view->since[number] = waits[of] >> number & 1 ? index : view->since[number];
    }
  }
}

/* `need`: who of the block needs it first, 0 where every wait for it is. */
static void leaf_set(leaf_state *state, bool writes, uint8_t old, uint8_t number, uint32_t need, uint32_t index) {
  const bool shared = state->stands[old] >> number & 1;
  state->readers[old][number] = writes || shared ? 0 : index + 1;
  state->carried[old] &= (uint8_t)~(1u << number);
  *(writes ? &state->writes : &state->reads) |= (uint8_t)(1u << old);
  state->old |= (uint8_t)(1u << old);
  state->new |= (uint8_t)(1u << number);
  state->stands[old] |= (uint8_t)(1u << number);
  state->due[old][number] = shared && state->due[old][number] < need ? state->due[old][number] : need;
}

/* L1922: of the numbers that stand for one that is waited for, those of which something is needed here; for the others
 * is waited where they are. */
static uint8_t leaf_find_due(leaf_state *state, unsigned old, uint32_t index) {
  const uint8_t standing = state->stands[old] & state->new;
  uint8_t due = 0;
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    if (standing >> number & 1 && state->due[old][number] <= index)
      due |= (uint8_t)(1u << number);
  due |= due ? 0 : standing & state->carried[old]; /* L1832: nothing else is there to wait for */
  for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
    const uint32_t need = state->due[old][number];
    if ((standing & ~due) >> number & 1 && (!state->later[number] || need < state->later[number]))
      state->later[number] = need;
  }
  return due;
}

/* The waits come first and free their numbers (M45a, M45g). */
static void leaf_wait(leaf_instruction *at, uint32_t index, leaf_state *state) {
  for (unsigned old = 0; old < LEAF_NUMBERS; old++)
    if (at->wait >> old & 1)
      at->new_wait |= leaf_find_due(state, old, index);
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
  for (unsigned old = 0; old < LEAF_NUMBERS; old++) {
    state->stands[old] &= (uint8_t)~at->new_wait;
    state->later[old] = at->new_wait >> old & 1 ? 0 : state->later[old];
    if (at->wait >> old & 1)
      state->stands[old] = 0;
  }
}

/* L774: a wait of the input for a number that is pending on no way there stays, with what stood for the number
 * when it was waited for. */
static void leaf_wait_again(leaf_instruction *at, const leaf_state *before, leaf_state *state) {
  for (unsigned old = 0; old < LEAF_NUMBERS; old++) {
    if (!(at->wait >> old & 1))
      continue;
    if (before->old >> old & 1)
      state->stood[old] = before->stands[old];
    else
      at->new_wait |= state->stood[old];
  }
}

void tl_leaf_step(leaf *l, uint32_t index, uint32_t pointer_load, leaf_state *state) {
  leaf_instruction *const at = &l->instructions[index];
  const leaf_state before = *state;
  at->new_wait |= tl_leaf_find_loop_waits(l, index, state);
  leaf_wait(at, index, state);
  leaf_view_waits(l, index);
  l->sure &= at->opcode != OP_COLLECTIVE || (!before.old && !before.new); /* L1849 */
  if (at->read < LEAF_NUMBERS) {
    at->new_read = tl_leaf_allocate(l, index, false, state, &before);
    leaf_set(state, false, at->read, at->new_read, 0, index);
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

/* L1832: what of another way stands for the same numbers is whose it is there, where that is one. */
static void leaf_join_readers(leaf_state *state, const leaf_state *from) {
  for (unsigned old = 0; old < LEAF_NUMBERS; old++)
    for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
      uint32_t *const reader = &state->readers[old][number];
      if (from->stands[old] >> number & 1)
        *reader = !(state->stands[old] >> number & 1) || *reader == from->readers[old][number]
                      ? from->readers[old][number]
                      : 0;
    }
}

/* L1832: when what other blocks' instructions still read is written here. */
static void leaf_find_carried(const leaf *l, uint32_t block, leaf_state *state) {
  for (unsigned old = 0; old < LEAF_NUMBERS; old++)
    for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
      const uint32_t reader = state->readers[old][number];
      if (!reader || !(state->stands[old] >> number & 1))
        continue;
      state->due[old][number] = tl_leaf_find_carried(l, block, reader - 1);
      state->carried[old] |= (uint8_t)(state->due[old][number] ? 1u << number : 0);
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
    leaf_join_readers(&state, from);
    for (int i = 0; i < LEAF_NUMBERS; i++)
      state.stands[i] |= from->stands[i];
  }
  leaf_find_carried(l, block, &state);
  return state;
}

/* L1837: what the end of a block waits for is needed behind it. */
static bool leaf_is_needed(const leaf *l, uint32_t first) {
  return first != LEAF_NEVER && !tl_leaf_is_exit(l->instructions[first].opcode);
}

void tl_leaf_enter(leaf *l, uint32_t block, const leaf_state *state) {
  uint32_t first[LEAF_NUMBERS];
  tl_leaf_find_needs(l, block, state->old, first);
  const bool reserves = tl_leaf_reserves(l, block);
  for (unsigned of = 0; of < LEAF_VIEWS; of++) {
    leaf_view *const view = &l->views[of];
    *view = (leaf_view){.pending = of == LEAF_OF_INPUT ? state->old : state->new};
    view->reserved = reserves || l->has_textures || (view->pending >> LEAF_TEXTURE & 1);
    view->far = view->pending & (1u << LEAF_TEXTURE);
    for (unsigned number = 0; number < LEAF_NUMBERS; number++)
      view->need[number] = LEAF_NEVER;
    for (unsigned old = 0; old < LEAF_NUMBERS; old++)
      for (unsigned number = 0; number < LEAF_NUMBERS; number++)
        if (of == LEAF_OF_INPUT ? number == old && state->old >> old & 1 : state->stands[old] >> number & 1) {
          view->need[number] = first[old] < view->need[number] ? first[old] : view->need[number];
          view->writes |= (state->writes >> old & 1) ? (uint8_t)(1u << number) : 0;
          view->wanted |= leaf_is_needed(l, first[old]) ? (uint8_t)(1u << number) : 0;
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
    leaf_join_readers(&state, from);
    for (int i = 0; i < LEAF_NUMBERS; i++) {
      state.stands[i] |= from->stands[i];
      state.stood[i] |= from->stood[i];
    }
  }
  leaf_find_carried(l, block, &state);
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
        leaf_wait(at, i, &state);
        leaf_wait_again(at, &before, &state);
        if (at->new_read < LEAF_NUMBERS)
          leaf_set(&state, false, at->read, at->new_read, 0, i);
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
