/* The number of one barrier of a leaf kernel (M45): ptxas's allocator.
 *
 * A number follows from the class of what sets it, from what is pending, and from who needs it first (L1910 to L1913). Where the
 * rules do not give the input its own number (L773), what the input shares is shared again (L770, L772); else the rules' number is as
 * good as any: the waits are made of the new numbers. */
#include "finalize/leaf_parts.h"

/* M45f: what is pending at the end of finished blocks that have a successor in common with this one, in the input's
 * numbers or in the new ones. */
static uint8_t leaf_avoided(const leaf *l, uint32_t block, bool of_input) {
  uint8_t avoided = 0;
  for (int i = 0; i < 2; i++) {
    const uint32_t next = l->blocks[block].next[i];
    for (uint32_t p = next == UINT32_MAX ? 0 : l->first_predecessor[next];
         next != UINT32_MAX && p < l->first_predecessor[next + 1]; p++) {
      const leaf_state *const state = &l->at_end[l->predecessors[p]];
      if (leaf_precedes(l, l->predecessors[p], block))
        avoided |= of_input ? state->old : state->new;
    }
  }
  return avoided;
}

/* Whether the input's number is that of others which the same instruction needs. */
static bool leaf_joins(const leaf *l, uint8_t number, uint32_t need) {
  const leaf_view *const view = &l->views[LEAF_OF_INPUT];
  return view->pending >> number & 1 && view->need[number] == need;
}

/* M45b; M45e for opcodes that the lists do not have, which do not show their class where they join others (L1839). */
static leaf_kind leaf_kind_of(const leaf *l, uint32_t index, bool writes, const leaf_state *state) {
  const leaf_instruction *const at = &l->instructions[index];
  leaf_kind kind = {LEAF_GENERAL_CLASS,
                    tl_leaf_is_local(l, index, writes),
                    writes,
                    at->opcode == LEAF_OP_TRY_WAIT || at->opcode == LEAF_OP_RESULT,
                    writes ? at->write_need : at->read_need,
                    {0, 0},
                    false,
                    writes && tl_leaf_is_uniform(l, index)};
  const uint8_t free = (uint8_t)~(state->old | l->counted);
  if (!writes)
    return kind;
  if (at->read < LEAF_NUMBERS) {
    kind.own[LEAF_OF_INPUT] = (uint8_t)(1u << at->read);
    kind.own[LEAF_OF_OUTPUT] = (uint8_t)(1u << at->new_read);
  }
  const bool shows = kind.local && !leaf_joins(l, at->write, kind.need);
  if (tl_leaf_is_long(at->opcode) || (shows && at->write == 2 && free & 3))
    kind.class = LEAF_LONG_CLASS;
  if (tl_leaf_is_texture(at->opcode) ||
      (kind.class == LEAF_GENERAL_CLASS && shows && at->write == LEAF_TEXTURE && free & LEAF_ALL_GENERAL))
    kind.class = LEAF_TEXTURE_CLASS;
  return kind;
}

/* M45d: the numbers of what the same instruction needs, which share one: all of a number where it needs that first (L1910), and not
 * where it needs another one that shares its number (L1855), nor what nothing in the block needs (L1858). Read barriers that are waited for there because the block ends have not
 * always part in that (L1942). */
static uint8_t leaf_find_mates(leaf_kind kind, unsigned of, const leaf_view *view) {
  uint8_t mates = 0;
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    if (view->need[number] == kind.need)
      mates |= (uint8_t)(1u << number);
  if (kind.apart)
    mates &= (uint8_t)~view->alike[false];
  return (uint8_t)(mates & view->pending & view->wanted & ~view->far & ~kind.own[of]);
}

uint8_t tl_leaf_lowest(uint8_t taken, unsigned base, unsigned last) {
  for (unsigned number = base; number <= last; number++)
    if (!(taken >> number & 1))
      return (uint8_t)number;
  return LEAF_NO_BARRIER;
}

/* L1912, L1920, RF1396: of the numbers that are needed at `need` or behind it the one that was set last the longest ago, else the
 * one that is needed last before it. What does not come late has one in which nothing does, if there is one. */
static uint8_t leaf_share(leaf_kind kind, const leaf_view *view, unsigned base, uint8_t without) {
  const uint8_t range =
      (uint8_t)((view->reserved ? LEAF_ALL_GENERAL : LEAF_EVERY_NUMBER) & ~((1u << base) - 1) & ~without);
  const uint8_t all = view->pending & range & (uint8_t)~view->far;
  const uint8_t early = kind.class == LEAF_GENERAL_CLASS ? all & (uint8_t)~view->late : 0;
  const uint8_t among = early ? early : all;
  uint8_t behind = LEAF_NO_BARRIER, before = LEAF_NO_BARRIER;
  for (unsigned number = 0; number < LEAF_NUMBERS; number++) {
    if (!(among >> number & 1))
      continue;
    if (view->need[number] >= kind.need && (behind == LEAF_NO_BARRIER || view->last[number] < view->last[behind]))
      behind = (uint8_t)number;
    if (view->need[number] < kind.need && (before == LEAF_NO_BARRIER || view->need[number] > view->need[before]))
      before = (uint8_t)number;
  }
  return behind != LEAF_NO_BARRIER ? behind : before;
}

/* L1837: where none is free a barrier for another block shares with the lowest group of which nothing is needed in the block, a
 * wait at the block's end for what is behind it being no need (RF1393); one whose result is one of all lanes also with a group that has
 * a load whose result is not. Where there is none it has the lowest number. */
static uint8_t leaf_share_far(const leaf *l, leaf_kind kind, const leaf_view *view, unsigned last, uint8_t without) {
  const uint8_t kept = without | l->counted | view->far;
  const uint8_t idle = view->pending & (uint8_t)(~view->wanted | (kind.uniform ? view->plain : 0));
  const uint8_t shared = tl_leaf_lowest((uint8_t)~idle | kept, 0, last);
  return shared != LEAF_NO_BARRIER ? shared : tl_leaf_lowest(kept, 0, last);
}

/* The number that the rules give in a numbering, without the numbers `without`; LEAF_NO_BARRIER where they give none. */
static uint8_t leaf_choose(const leaf *l, leaf_kind kind, unsigned of, const leaf_view *view, uint8_t avoided,
                           uint8_t without) {
  if (kind.class == LEAF_TEXTURE_CLASS)
    return LEAF_TEXTURE;
  if (kind.class == LEAF_LONG_CLASS && !kind.local) /* L754 */
    return l->has_textures ? LEAF_LAST_GENERAL : LEAF_TEXTURE;
  if (!kind.apart && !kind.local && !kind.writes && view->alike[kind.need == LEAF_NEVER] & ~without) /* L1917 */
    return tl_leaf_lowest((uint8_t)~view->alike[kind.need == LEAF_NEVER] | without, 0, LEAF_TEXTURE);
  const unsigned base = kind.class == LEAF_LONG_CLASS ? 2 : 0, last = l->has_late ? LEAF_LAST_GENERAL : LEAF_TEXTURE;
  const uint8_t pending = view->pending | l->counted;
  const uint8_t mates = leaf_find_mates(kind, of, view) & (uint8_t)~(without | l->counted);
  uint8_t number = kind.local && !kind.alone ? tl_leaf_lowest((uint8_t)~mates, 0, LEAF_TEXTURE) : LEAF_NO_BARRIER;
  if (number == LEAF_NO_BARRIER && !kind.local && kind.class == LEAF_GENERAL_CLASS)
    number = tl_leaf_lowest(pending | avoided, base, last);
  if (number == LEAF_NO_BARRIER)
    number = tl_leaf_lowest(pending, base, last);
  if (number == LEAF_NO_BARRIER && !kind.local)
    number = leaf_share_far(l, kind, view, last, without);
  if (number == LEAF_NO_BARRIER && !(view->pending >> LEAF_TEXTURE & 1) && !(kind.local && view->reserved))
    number = LEAF_TEXTURE;
  return number == LEAF_NO_BARRIER && kind.local ? leaf_share(kind, view, base, without | l->counted) : number;
}

/* L773: whether what is pending has the numbers of the input. */
static bool leaf_is_as_in_input(const leaf_state *state) {
  bool same = state->old == state->new;
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
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
  return index + 1 == end || (index + 2 == end && l->instructions[index + 1].opcode == LEAF_OP_CALL_PLACE);
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
  held.wanted |= before->wanted & before->pending;
  held.late |= before->late & before->pending;
  held.plain |= before->plain & before->pending;
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    if (before->pending & ~view->pending & 1u << number)
      held.need[number] = before->need[number];
  return held;
}

/* L773: a new number is certain where the rules give the input its own. What an instruction may hold counts as pending where
 * that explains the input's number. */
static uint8_t leaf_renumber(const leaf *l, uint32_t index, leaf_kind kind, uint8_t old, uint8_t pointer) {
  const uint8_t avoided_before = leaf_avoided(l, l->instructions[index].block, true);
  const uint8_t avoided = leaf_avoided(l, l->instructions[index].block, false);
  const leaf_view *const in = &l->views[LEAF_OF_INPUT], *const out = &l->views[LEAF_OF_OUTPUT];
  if (leaf_choose(l, kind, LEAF_OF_INPUT, in, avoided_before, pointer) == old)
    return leaf_choose(l, kind, LEAF_OF_OUTPUT, out, avoided, 0);
  kind.apart = true;
  if (leaf_choose(l, kind, LEAF_OF_INPUT, in, avoided_before, pointer) == old)
    return leaf_choose(l, kind, LEAF_OF_OUTPUT, out, avoided, 0);
  kind.apart = false;
  if (!leaf_may_hold(l, index))
    return LEAF_NO_BARRIER;
  const leaf_view held = leaf_held(in, &l->before[LEAF_OF_INPUT]),
                  held_out = leaf_held(out, &l->before[LEAF_OF_OUTPUT]);
  return leaf_choose(l, kind, LEAF_OF_INPUT, &held, avoided_before, pointer) == old
             ? leaf_choose(l, kind, LEAF_OF_OUTPUT, &held_out, avoided, 0)
             : LEAF_NO_BARRIER;
}

/* What the input has shared because it had to (L770); LEAF_NO_BARRIER where that is not seen. */
static uint8_t leaf_share_again(leaf *l, const leaf_state *state, leaf_kind kind, uint8_t old, uint8_t range) {
  if (!state->stands[old] || !leaf_shares_kind(state, old, kind.writes))
    return LEAF_NO_BARRIER;
  l->sure &= (state->new &range) == range || (range != LEAF_ALL_GENERAL && state->longs >> old & 1);
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    if (state->stands[old] >> number & 1)
      return (uint8_t)number;
  return LEAF_NO_BARRIER;
}

/* L1915: what no rule explains, though the numbers had not run out, has the input's number where that is free. */
static bool leaf_is_free(const leaf *l, uint8_t old, leaf_kind kind, const leaf_state *state) {
  const uint8_t taken = state->old | state->new | l->views[LEAF_OF_OUTPUT].pending | l->counted;
  return kind.class == LEAF_GENERAL_CLASS && old <= LEAF_LAST_GENERAL && !(taken >> old & 1);
}

/* L1859: the number of R1's load where nothing else has it, or has had it. */
static uint8_t leaf_pointer_alone(const leaf_state *state) {
  uint8_t alone = state->pointer & (uint8_t)~state->gone;
  for (unsigned old = 0; old < LEAF_NUMBERS; old++)
    if (state->stands[old])
      alone &= (uint8_t)~(1u << old);
  return alone;
}

/* L770, L772: who shares a number in the input does so in the output, but for R1's load. */
static uint8_t leaf_find_number(leaf *l, uint32_t index, leaf_kind kind, uint8_t old, const leaf_state *state,
                                const leaf_state *before) {
  const uint8_t range = kind.class == LEAF_LONG_CLASS ? LEAF_ALL_GENERAL & ~3 : LEAF_ALL_GENERAL;
  const bool ran_out = ((state->old | l->counted) & range) == range;
  if (leaf_keeps(l, index, state, before))
    return old;
  uint8_t number = leaf_renumber(l, index, kind, old, leaf_pointer_alone(state));
  for (uint8_t other = 0; other < LEAF_NUMBERS && !ran_out && number == LEAF_NO_BARRIER;
       other++) /* M45d: shared then, shared now */
    if (state->stands[old] >> other & 1)
      number = other;
  if (number == LEAF_NO_BARRIER && ran_out && !kind.local)
    number = leaf_share_again(l, state, kind, old, range);
  l->sure &= number != LEAF_NO_BARRIER;
  if (number == LEAF_NO_BARRIER && !ran_out && leaf_is_free(l, old, kind, state)) /* L1915 */
    number = old;
  if (number == LEAF_NO_BARRIER) /* L772, L1913: the rules' all the same */
    number = leaf_choose(l, kind, LEAF_OF_OUTPUT, &l->views[LEAF_OF_OUTPUT],
                         leaf_avoided(l, l->instructions[index].block, false), 0);
  return number == LEAF_NO_BARRIER ? LEAF_TEXTURE : number;
}

void tl_leaf_view_set(leaf *l, unsigned of, uint8_t number, uint32_t index, leaf_kind kind) {
  leaf_view *const view = &l->views[of];
  const uint8_t bit = (uint8_t)(1u << number);
  const bool far = kind.class == LEAF_TEXTURE_CLASS || (kind.class == LEAF_LONG_CLASS && !kind.local);
  view->need[number] = view->pending & bit && view->need[number] < kind.need ? view->need[number] : kind.need;
  view->last[number] = index;
  view->pending |= bit;
  view->far |= far ? bit : 0;
  view->wanted |= kind.local && kind.need != LEAF_NEVER ? bit : 0;
  view->plain |= kind.writes && !kind.uniform ? bit : 0;
  view->writes |= kind.writes ? bit : 0;
  view->late |= kind.class != LEAF_GENERAL_CLASS ? bit : 0;
  if (!kind.writes && !kind.local)
    view->alike[kind.need == LEAF_NEVER] |= bit;
}

/* A number of the output for one barrier of an instruction. */
uint8_t tl_leaf_allocate(leaf *l, uint32_t index, bool writes, const leaf_state *state, const leaf_state *before) {
  leaf_instruction *const at = &l->instructions[index];
  const uint8_t old = writes ? at->write : at->read;
  const leaf_kind kind = leaf_kind_of(l, index, writes, state);
  const uint8_t number = tl_leaf_counts(at->opcode) ? old : leaf_find_number(l, index, kind, old, state, before);
  tl_leaf_view_set(l, LEAF_OF_INPUT, old, index, kind);
  tl_leaf_view_set(l, LEAF_OF_OUTPUT, number, index, kind);
  return number;
}
