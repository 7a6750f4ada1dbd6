/* Whose barrier a scoreboard number of a leaf kernel is (L1832, L1859).
 *
 * Where several barriers have one number in the input because none was free, a wait for it may be for one of them only. In the output
 * they may have numbers of their own; so for what another block has set, and whose owner is known, it is told from the operands which
 * instruction needs it. */
#include "finalize/leaf_parts.h"

#include <string.h>

/* What an instruction does to whose barrier each number of the input is: its waits come first. */
static void leaf_own(const leaf_instruction *at, uint32_t index, uint32_t own[LEAF_NUMBERS]) {
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    own[number] = at->wait >> number & 1 ? 0 : own[number];
  if (at->read < LEAF_NUMBERS)
    own[at->read] = own[at->read] ? LEAF_SEVERAL : leaf_owner(index, false);
  if (at->write < LEAF_NUMBERS)
    own[at->write] = own[at->write] ? LEAF_SEVERAL : leaf_owner(index, true);
}

/* L1859: by block, the input's numbers that at its start more than one barrier may have, over every way there, loops included. */
void tl_leaf_find_shared(leaf *l, tl_arena *arena) {
  enum { MOST_PASSES = 32 };
  typedef uint32_t owners[LEAF_NUMBERS];
  owners *const at_end = tl_arena_new(arena, owners, l->block_count);
  l->shared = tl_arena_new(arena, uint8_t, l->block_count);
  bool changed = true;
  for (int pass = 0; changed && pass < MOST_PASSES; pass++) {
    changed = false;
    for (uint32_t b = 0; b < l->block_count; b++) {
      owners own = {0};
      for (uint32_t p = l->first_predecessor[b]; p < l->first_predecessor[b + 1]; p++)
        for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
          const uint32_t other = at_end[l->predecessors[p]][number];
          own[number] = !own[number] || own[number] == other ? other : other ? LEAF_SEVERAL : own[number];
        }
      for (unsigned number = 0; number < LEAF_NUMBERS; number++)
        l->shared[b] |= own[number] == LEAF_SEVERAL ? (uint8_t)(1u << number) : 0;
      for (uint32_t i = l->blocks[b].first; i < l->blocks[b].first + l->blocks[b].count; i++)
        leaf_own(&l->instructions[i], i, own);
      changed |= memcmp(own, at_end[b], sizeof own) != 0;
      memcpy(at_end[b], own, sizeof own);
    }
  }
}

void tl_leaf_owe(leaf_state *state, unsigned number, uint32_t owner) {
  uint32_t *const owed = &state->owed[number];
  *owed = !*owed || *owed == owner ? owner : LEAF_SEVERAL;
}

/* L1832, L1859: what of another way stands for the same numbers is whose it is there, where that is one. */
void tl_leaf_join_owners(leaf_state *state, const leaf_state *from) {
  state->several |= from->several;
  state->gone |= from->gone;
  for (unsigned old = 0; old < LEAF_NUMBERS; old++) {
    if (from->owed[old])
      tl_leaf_owe(state, old, from->owed[old]);
    if (state->stands[old] && from->stands[old] && state->stands[old] != from->stands[old])
      state->several |= (uint8_t)(1u << old);
    for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
      uint32_t *const owner = &state->owners[old][number];
      if (!(from->stands[old] >> number & 1))
        continue;
      if (state->stands[old] >> number & 1 && *owner != from->owners[old][number]) {
        state->several |= (uint8_t)(1u << old);
        *owner = 0;
      } else
        *owner = from->owners[old][number];
    }
  }
}

/* L1832, L1859: when what other blocks' instructions still read or load is needed here. */
void tl_leaf_carry(const leaf *l, uint32_t block, leaf_state *state) {
  bool known = true;
  for (unsigned old = 0; old < LEAF_NUMBERS; old++)
    for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
      const uint32_t owner = state->owners[old][number];
      if (!owner || !(state->stands[old] >> number & 1))
        continue;
      const uint32_t due = tl_leaf_find_carried(l, block, owner, &known);
      state->due[old][number] = known ? due : 0;
      state->carried[old] |= (uint8_t)(state->due[old][number] ? 1u << number : 0);
    }
  for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
    if (!state->owed[number])
      continue;
    const uint32_t due = state->owed[number] == LEAF_SEVERAL
                             ? l->blocks[block].first
                             : tl_leaf_find_carried(l, block, state->owed[number], &known);
    state->later[number] = due == LEAF_NEVER ? 0 : due;
  }
}

uint8_t tl_leaf_find_joined(const leaf *l, uint32_t block, const uint32_t first[LEAF_NUMBERS]) {
  uint8_t joined = 0;
  for (uint32_t i = l->blocks[block].first; i < l->blocks[block].first + l->blocks[block].count; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    joined |= at->read < LEAF_NUMBERS && i < first[at->read] ? (uint8_t)(1u << at->read) : 0;
    joined |= at->write < LEAF_NUMBERS && i < first[at->write] ? (uint8_t)(1u << at->write) : 0;
  }
  return joined;
}
