/* SASS text that nvlink makes anew in a capsule link: M42, M44, M45, L1036, RF475. A leaf kernel needs no stack pointer: the load of R1
 * loses its scoreboard, waits for it disappear, and all later scoreboards are numbered anew. Numbers are given in one pass that
 * sees no loops; which waits stay is then decided over all ways (RF88). Where the rules are not sure the
 * text stays as it is in the input, which is right code for this SM. */
#include "leaf.h"
#include "bits.h"

#include <string.h>

uint8_t *ref_leaf_at(const ref_leaf *leaf, size_t instruction) {
  return leaf->text + instruction * INSTRUCTION;
}

static unsigned ref_leaf_opcode(const uint8_t *at) {
  return ref_bits_get(at, 0, 12) | ref_bits_get(at, 91, 1) << 12;
}

/* T13: 8 bits at 16, 48 bits at 34, times 4. */
static size_t ref_leaf_branch_target(const ref_leaf *leaf, size_t instruction) {
  const uint8_t *at = ref_leaf_at(leaf, instruction);
  uint64_t offset = ref_bits_get(at, 16, 8);
  offset |= (uint64_t)ref_bits_get(at, 34, 24) << 8 | (uint64_t)ref_bits_get(at, 58, 24) << 32;
  const int64_t distance = (int64_t)(offset << 8) >> 8;
  const int64_t target = (int64_t)instruction + 1 + distance * 4 / INSTRUCTION;
  return target >= 0 && (uint64_t)target < leaf->count ? (size_t)target : REF_NONE;
}

/* The 9 low bits say what an instruction does. */
static bool ref_leaf_is(const ref_leaf_instruction *instruction, unsigned base) {
  return (instruction->opcode & 0x1ff) == base;
}

/* M42. L1036, RF475: what a register counts from the text's beginning is no call to nvlink. */
bool ref_leaf_is_call(unsigned opcode) {
  const unsigned base = opcode & 0x1ff;
  return base == BASE_CALL_ABSOLUTE || (base == BASE_CALL_RELATIVE && (opcode & 0xfff) != CALL_REGISTER);
}

/* A branch or EXIT without a condition: predicate PT, not negated, and no uniform predicate. RF1388: nor is bit 91 set, with which a branch is
 * for lanes that have diverged (0x1947) and goes on where there are none. */
static bool ref_leaf_is_unconditional(const uint8_t *at, unsigned opcode) {
  const unsigned always = 7, has_uniform = 0x1000;
  return ref_bits_get(at, 12, 4) == always && (opcode & 0xe00) != 0x400 && (opcode & has_uniform) == 0;
}

static void ref_leaf_read(ref_leaf *leaf) {
  for (size_t i = 0; i < leaf->count; i++) {
    ref_leaf_instruction *instruction = &leaf->instructions[i];
    const uint8_t *at = ref_leaf_at(leaf, i);
    *instruction = (ref_leaf_instruction){
        .opcode = ref_leaf_opcode(at), .target = REF_NONE, .tokens = {REF_NONE, REF_NONE}, .may_fall_through = true};
    instruction->waits_for_all = ref_bits_get(at, WAIT_BIT, BOARDS) == EVERY_WAIT;
    const bool branch = ref_leaf_is(instruction, BASE_BRA), exit = ref_leaf_is(instruction, BASE_EXIT);
    const bool indexed = ref_leaf_is(instruction, BASE_BRX) || ref_leaf_is(instruction, BASE_BRX_UNIFORM);
    const bool call = ref_leaf_is(instruction, BASE_CALL_RELATIVE); /* RF475, RF1317 */
    const bool other = indexed || call || ref_leaf_is(instruction, BASE_RET) || ref_leaf_is(instruction, BASE_BSYNC);
    if (branch) {
      instruction->target = ref_leaf_branch_target(leaf, i);
    }
    instruction->ends_block = branch || exit || other;
    if (branch || exit || indexed || ref_leaf_is(instruction, BASE_RET)) {
      instruction->may_fall_through = !ref_leaf_is_unconditional(at, instruction->opcode);
    }
  }
  for (size_t i = 0; i < leaf->count; i++) {
    const size_t target = leaf->instructions[i].target;
    if (target != REF_NONE) {
      leaf->instructions[target].starts_block = true;
    }
    if (i + 1 < leaf->count && leaf->instructions[i].ends_block) {
      leaf->instructions[i + 1].starts_block = true;
    }
  }
}

static void ref_leaf_make_blocks(ref_leaf *leaf) {
  leaf->order = REF_TAKE(leaf->link, size_t, leaf->count);
  for (size_t i = 0; i < leaf->count; i++) {
    if (i == 0 || leaf->instructions[i].starts_block) {
      leaf->blocks[leaf->block_count++] = (ref_leaf_block){.first = i};
    }
    leaf->blocks[leaf->block_count - 1].last = i;
    leaf->blocks[leaf->block_count - 1].rank = leaf->block_count - 1;
    leaf->order[leaf->block_count - 1] = leaf->block_count - 1;
    leaf->instructions[i].block = leaf->block_count - 1;
  }
  for (size_t i = 0; i < leaf->block_count; i++) {
    const ref_leaf_instruction *last = &leaf->instructions[leaf->blocks[i].last];
    if (last->target != REF_NONE) {
      ref_indices_add(leaf->link, &leaf->blocks[i].successors, leaf->instructions[last->target].block);
    }
    if (last->may_fall_through && i + 1 < leaf->block_count) {
      ref_indices_add(leaf->link, &leaf->blocks[i].successors, i + 1);
    }
  }
  for (size_t i = 0; i < leaf->block_count; i++) {
    for (size_t k = 0; k < leaf->blocks[i].successors.count; k++) {
      ref_indices_add(leaf->link, &leaf->blocks[leaf->blocks[i].successors.items[k]].predecessors, i);
    }
  }
}

/* M45a: what flows into a block from the blocks before it; with loops from all that lead to it. */
static void ref_leaf_enter_block(ref_leaf *leaf, size_t block, bool loops, ref_indices *pending) {
  const ref_indices *before = &leaf->blocks[block].predecessors;
  pending->count = 0;
  ref_leaf_mark(leaf, pending);
  for (size_t i = 0; i < before->count; i++) {
    const ref_indices *flow = &leaf->blocks[before->items[i]].pending;
    if (!loops && leaf->blocks[before->items[i]].rank >= leaf->blocks[block].rank) {
      continue;
    }
    ref_leaf_spend(leaf, flow->count);
    for (size_t k = 0; k < flow->count; k++) {
      ref_leaf_add_marked(leaf, pending, flow->items[k]);
    }
  }
}

/* True when something else than before flows out of the block. */
static bool ref_leaf_leave_block(ref_leaf *leaf, size_t block, const ref_indices *pending) {
  ref_indices *end = &leaf->blocks[block].pending;
  bool changed = end->count != pending->count;
  ref_leaf_mark(leaf, end);
  for (size_t i = 0; i < pending->count && !changed; i++) {
    changed =
        !ref_leaf_is_marked(leaf, pending->items[i]); /* RF1295: whatever the order, which need not come to rest */
  }
  end->count = 0;
  leaf->blocks[block].numbers = 0;
  for (size_t i = 0; i < pending->count; i++) {
    ref_leaf_add(leaf, end, pending->items[i]);
    leaf->blocks[block].numbers |= 1u << leaf->tokens[pending->items[i]].output;
  }
  return changed;
}

void ref_leaf_pass(ref_leaf *leaf, bool loops, void (*visit)(ref_leaf *, size_t, ref_indices *)) {
  ref_indices pending = {0};
  bool changed = true;
  for (size_t b = 0; b < leaf->block_count; b++) {
    leaf->blocks[b].pending.count = 0;
  }
  for (int round = 0; changed && round < (loops ? MOST_ROUNDS : 1); round++) {
    changed = false;
    for (size_t k = 0; k < leaf->block_count; k++) {
      const size_t b = leaf->order[k];
      ref_leaf_enter_block(leaf, b, loops, &pending);
      for (size_t i = leaf->blocks[b].first; i <= leaf->blocks[b].last && !ref_leaf_is_spent(leaf); i++) {
        ref_leaf_spend(leaf, 1 + pending.count);
        visit(leaf, i, &pending);
      }
      changed = ref_leaf_leave_block(leaf, b, &pending) || changed;
    }
  }
  leaf->sure = leaf->sure && !(loops && changed);
}

/* The numbers of the output that are taken; those of groups of copies always are. */
static unsigned ref_leaf_numbers(const ref_leaf *leaf, const ref_indices *pending) {
  unsigned mask = (1u << leaf->least) - 1;
  for (size_t i = 0; i < pending->count; i++) {
    mask |= 1u << leaf->tokens[pending->items[i]].output;
  }
  return mask;
}

/* Takes the tokens of the numbers that an instruction waits for out of the list. M45g: the convergence instruction waits, but what it waits
 * for stays pending. */
static void ref_leaf_free(const ref_leaf *leaf, const ref_leaf_instruction *instruction, ref_indices *pending,
                          unsigned waits, bool output) {
  size_t kept = 0;
  if ((instruction->opcode & 0xfff) == 0x348) {
    return;
  }
  for (size_t i = 0; i < pending->count; i++) {
    const ref_token *token = &leaf->tokens[pending->items[i]];
    if ((waits >> (output ? token->output : token->input) & 1) == 0) {
      pending->items[kept++] = pending->items[i];
    }
  }
  pending->count = kept;
}

/* The numbers that an instruction waits for in the input. */
static unsigned ref_leaf_input_waits(const ref_leaf *leaf, size_t number) {
  return leaf->instructions[number].waits_for_all ? 0 : ref_bits_get(ref_leaf_at(leaf, number), WAIT_BIT, BOARDS);
}

/* L1941: an exchange in shared memory on whose predicate the branch at the block's end goes. */
bool ref_leaf_is_branched_on(const ref_leaf *leaf, const ref_token *token, size_t consumer) {
  enum { EXCHANGE = 0x58d, RESULT_BIT = 81, CONDITION_BIT = 12 };
  const uint8_t *setter = ref_leaf_at(leaf, token->instruction), *at = ref_leaf_at(leaf, consumer);
  return !token->is_read && ref_leaf_code(leaf, token) == EXCHANGE &&
         ref_leaf_is(&leaf->instructions[consumer], BASE_BRA) &&
         ref_bits_get(setter, RESULT_BIT, 3) == ref_bits_get(at, CONDITION_BIT, 3);
}

/* M45c: waited for only at the end of its own block counts as waited for elsewhere. RF312: for a read barrier that is so where
 * the block goes on without a branch, too. */
static bool ref_leaf_is_local(const ref_leaf *leaf, const ref_token *token, size_t consumer) {
  const ref_leaf_instruction *instruction = &leaf->instructions[consumer];
  const bool at_end = consumer == leaf->blocks[instruction->block].last && (instruction->ends_block || token->is_read);
  return !at_end || leaf->instructions[token->instruction].opcode == TRY_WAIT ||
         ref_leaf_is_branched_on(leaf, token, consumer);
}

static void ref_leaf_find_consumers(ref_leaf *leaf, size_t number, ref_indices *pending) {
  const ref_leaf_instruction *instruction = &leaf->instructions[number];
  const unsigned waits = ref_leaf_input_waits(leaf, number);
  for (size_t i = 0; i < pending->count; i++) {
    ref_token *token = &leaf->tokens[pending->items[i]];
    if ((waits >> token->input & 1) == 0) {
      continue;
    }
    const bool same_block = leaf->instructions[token->instruction].block == instruction->block;
    token->first_wait = token->first_wait == REF_NONE ? number : token->first_wait;
    if (same_block && token->consumer == REF_NONE) {
      token->consumer = number;
      token->is_local = ref_leaf_is_local(leaf, token, number);
    }
  }
  ref_leaf_free(leaf, instruction, pending, waits, false);
}

static void ref_leaf_set_token(ref_leaf *leaf, size_t number, unsigned which, unsigned board, ref_indices *pending) {
  if (board == NO_BOARD) {
    return;
  }
  leaf->tokens =
      ref_memory_grow(leaf->link, leaf->tokens, leaf->token_count, &leaf->token_capacity, sizeof *leaf->tokens);
  leaf->tokens[leaf->token_count] = (ref_token){.instruction = number,
                                                .is_read = which == READ,
                                                .input = board,
                                                .output = board,
                                                .consumer = REF_NONE,
                                                .first_wait = REF_NONE,
                                                .pending = ref_leaf_numbers(leaf, pending)};
  leaf->instructions[number].tokens[which] = leaf->token_count;
  ref_leaf_add(leaf, pending, leaf->token_count++);
}

/* The input's own use of scoreboards: what sets one, and what waits for it first. */
static void ref_leaf_find_tokens(ref_leaf *leaf, size_t number, ref_indices *pending) {
  const uint8_t *at = ref_leaf_at(leaf, number);
  ref_leaf_find_consumers(leaf, number, pending);
  ref_leaf_set_token(leaf, number, READ, ref_bits_get(at, READ_BIT, 3), pending);
  ref_leaf_set_token(leaf, number, WRITE, ref_bits_get(at, WRITE_BIT, 3), pending);
}

void ref_leaf_add_tokens(ref_leaf *leaf, const ref_leaf_instruction *instruction, ref_indices *pending) {
  for (size_t i = 0; i < BARRIERS; i++) {
    const size_t token = instruction->tokens[i];
    if (token != REF_NONE && !leaf->tokens[token].is_dropped && !ref_indices_has(pending, token)) {
      ref_leaf_add(leaf, pending, token);
    }
  }
}

/* RF88: what every instruction waits for in the input, over all ways. */
static void ref_leaf_find_waits(ref_leaf *leaf, size_t number, ref_indices *pending) {
  ref_leaf_instruction *instruction = &leaf->instructions[number];
  const unsigned waits = ref_leaf_input_waits(leaf, number);
  instruction->waits.count = 0;
  for (size_t i = 0; i < pending->count; i++) {
    if ((waits >> leaf->tokens[pending->items[i]].input & 1) != 0) {
      ref_leaf_add(leaf, &instruction->waits, pending->items[i]);
    }
  }
  ref_leaf_free(leaf, instruction, pending, waits, false);
  ref_leaf_add_tokens(leaf, instruction, pending);
}

unsigned ref_leaf_code(const ref_leaf *leaf, const ref_token *token) {
  return leaf->instructions[token->instruction].opcode & 0xfff;
}

static bool ref_leaf_is_in(const unsigned *codes, size_t count, unsigned code) {
  for (size_t i = 0; i < count; i++) {
    if (codes[i] == code) {
      return true;
    }
  }
  return false;
}

/* M45e: the class of other codes shows in the input: a local load with this number while a lower one was free. */
static bool ref_leaf_shows(const ref_leaf *leaf, unsigned code, unsigned number) {
  for (size_t i = 0; i < leaf->token_count; i++) {
    const ref_token *token = &leaf->tokens[i];
    const unsigned lower = (1u << number) - 1;
    if (!token->is_read && token->is_local && token->input == number && (token->pending >> number & 1) == 0 &&
        (token->pending & lower) != lower && ref_leaf_code(leaf, token) == code) {
      return true;
    }
  }
  return false;
}

/* The same of 2, looked up once. */
static bool ref_leaf_shows_late(const ref_leaf *leaf, unsigned code) {
  uint8_t *known = &leaf->notes->late[code];
  if (*known == 0) {
    ref_leaf_spend(leaf, leaf->token_count);
    *known = ref_leaf_shows(leaf, code, 2) ? 3 : 1;
  }
  return *known == 3;
}

bool ref_leaf_is_ordinary(unsigned code) {
  static const unsigned codes[] = {0xb82, 0x7ac, 0x919, 0x9c3, 0x984, 0x308, 0x310, 0x311, 0x312, 0x229, 0x22b, 0x228};
  return ref_leaf_is_in(codes, sizeof codes / sizeof codes[0], code);
}

/* M45b, RF1321, RF1324, RF1358: loads and atomics whose result comes late; textures. */
bool ref_leaf_is_long(const ref_leaf *leaf, const ref_token *token) {
  static const unsigned bases[] = {0x180, 0x181, 0x183, 0x18a, 0x18b, 0x1a2, 0x1a3, 0x1a8, 0x1a9};
  const unsigned code = ref_leaf_code(leaf, token);
  const bool is_conversion = (code & 0x1ff) >= 0x100 && (code & 0x1ff) <= 0x112;
  if (token->is_read || ref_leaf_is_ordinary(code) || (leaf->is_sharing && is_conversion)) {
    return false;
  }
  return ref_leaf_is_in(bases, sizeof bases / sizeof bases[0], code & 0x1ff) || ref_leaf_shows_late(leaf, code);
}

bool ref_leaf_is_texture(const ref_leaf *leaf, const ref_token *token) {
  static const unsigned codes[] = {0xf60, 0xf61, 0xf63, 0xf64, 0xf66, 0xf69, 0xf6c, 0xf6f, 0xf99};
  const unsigned code = ref_leaf_code(leaf, token);
  return !token->is_read && ref_leaf_is_in(codes, sizeof codes / sizeof codes[0], code);
}

/* RF1357 (L1914): the end of a group of asynchronous copies, whichever they are. */
bool ref_leaf_is_commit(unsigned code) {
  return code == BULK_COMMIT || code == COPY_COMMIT;
}

/* RF1299: DEPBAR waits for the number that the commit of a copy by TMA has, 0; nothing else has it in such a kernel. */
static unsigned ref_leaf_find_least(const ref_leaf *leaf) {
  unsigned least = 0;
  for (size_t i = 0; i < leaf->count; i++) {
    least = ref_leaf_is_commit(leaf->instructions[i].opcode & 0xfff) ? 1 : least;
  }
  return least;
}

/* RF1391: 5 is for what comes late and for textures; in a kernel that has neither it is a number as others. */
static unsigned ref_leaf_find_last(const ref_leaf *leaf) {
  for (size_t i = 0; i < leaf->token_count; i++) {
    if (ref_leaf_is_long(leaf, &leaf->tokens[i]) || ref_leaf_is_texture(leaf, &leaf->tokens[i])) {
      return LAST_ORDINARY;
    }
  }
  return BOARD_FIVE;
}

unsigned ref_leaf_ordinary(const ref_leaf *leaf) {
  return (1u << (leaf->last + 1)) - 1;
}

/* L754: does the kernel read a texture or surface? */
static bool ref_leaf_has_texture(const ref_leaf *leaf) {
  static const unsigned codes[] = {0x1f60, 0x1f61, 0x1f63, 0x1f64, 0x1f66, 0x1f69, 0x1f99};
  for (size_t i = 0; i < leaf->count; i++) {
    if (ref_leaf_is_in(codes, sizeof codes / sizeof codes[0], leaf->instructions[i].opcode)) {
      return true;
    }
  }
  return false;
}

/* RF234, RF311: a read and a write share where both have the same consumer; where the numbers ran out that may be chance. */
static bool ref_leaf_may_mix(const ref_leaf *leaf, const ref_token *token, const ref_token *other) {
  const bool same_wait = token->first_wait != REF_NONE && other->first_wait == token->first_wait;
  return ref_leaf_code(leaf, token) == FENCE ||
         (same_wait && (token->pending & ref_leaf_ordinary(leaf)) != ref_leaf_ordinary(leaf));
}

/* M45d: a pending token that this one shares its number with, in the input or because both have the same consumer. */
static size_t ref_leaf_find_sharer(const ref_leaf *leaf, size_t number, const ref_indices *pending) {
  const ref_token *token = &leaf->tokens[number];
  for (size_t i = 0; i < pending->count; i++) {
    const ref_token *other = &leaf->tokens[pending->items[i]];
    const bool same_block =
        leaf->instructions[other->instruction].block == leaf->instructions[token->instruction].block;
    const bool same_wait = token->first_wait != REF_NONE && other->first_wait == token->first_wait;
    const bool same_kind = other->is_read == token->is_read || ref_leaf_may_mix(leaf, token, other);
    if (other->input == token->input && same_kind &&
        (same_wait || (same_block && other->is_local == token->is_local))) {
      return pending->items[i];
    }
  }
  return REF_NONE;
}

/* M45f: numbers pending at the end of a block that is done and has a successor in common with this one. */
static unsigned ref_leaf_joined_numbers(const ref_leaf *leaf, size_t block) {
  unsigned mask = 0;
  for (size_t k = 0; k < leaf->blocks[block].successors.count; k++) {
    const ref_indices *others = &leaf->blocks[leaf->blocks[block].successors.items[k]].predecessors;
    ref_leaf_spend(leaf, others->count);
    for (size_t i = 0; i < others->count; i++) {
      const ref_leaf_block *other = &leaf->blocks[others->items[i]];
      mask |= other->rank < leaf->blocks[block].rank ? other->numbers : 0;
    }
  }
  return mask;
}

/* M45b-M45f, M45i. `sure` is cleared where the numbers run out. */
static unsigned ref_leaf_choose(const ref_leaf *leaf, size_t number, const ref_indices *pending, unsigned joined,
                                bool *sure) {
  const ref_token *token = &leaf->tokens[number];
  const bool is_long = ref_leaf_is_long(leaf, token);
  if (ref_leaf_is_commit(ref_leaf_code(leaf, token))) {
    return 0; /* RF1299 */
  }
  const size_t sharer = ref_leaf_find_sharer(leaf, number, pending);
  if (sharer != REF_NONE) {
    return leaf->tokens[sharer].output;
  }
  if (ref_leaf_is_texture(leaf, token)) {
    return BOARD_FIVE; /* M45b */
  }
  if (!token->is_local && is_long) {
    return leaf->has_texture ? BOARD_FOUR : BOARD_FIVE; /* M45c, L754 */
  }
  const unsigned taken = ref_leaf_numbers(leaf, pending);
  for (unsigned n = is_long ? 2 : leaf->least; n <= leaf->last; n++) {
    if (((taken | joined) >> n & 1) == 0) {
      return n;
    }
  }
  if (token->is_read && leaf->least > 0 && ((taken | joined) >> BOARD_FIVE & 1) == 0) {
    return BOARD_FIVE; /* RF1357: as many numbers as without groups */
  }
  if (token->is_read) {
    for (unsigned n = leaf->least; n <= leaf->last; n++) {
      if ((taken >> n & 1) == 0) {
        return n;
      }
    }
  }
  *sure = *sure && is_long && leaf->last < BOARD_FIVE && (taken >> BOARD_FIVE & 1) == 0;
  return BOARD_FIVE;
}

/* M45f is for what is waited for in another block. */
static unsigned ref_leaf_joined_for(const ref_leaf *leaf, size_t number) {
  const ref_token *token = &leaf->tokens[number];
  return token->is_local ? 0 : ref_leaf_joined_numbers(leaf, leaf->instructions[token->instruction].block);
}

/* RF274: what the token's own instruction waits for counts as pending still. */
static void ref_leaf_hold_waits(const ref_leaf *leaf, size_t number, const ref_indices *pending, ref_indices *held) {
  const ref_indices *waits = &leaf->instructions[leaf->tokens[number].instruction].waits;
  ref_leaf_spend(leaf, waits->count);
  for (size_t i = 0; i < pending->count; i++) {
    ref_leaf_add(leaf, held, pending->items[i]);
  }
  ref_leaf_mark(leaf, held);
  for (size_t i = 0; i < waits->count; i++) {
    if (!leaf->tokens[waits->items[i]].is_dropped) {
      ref_leaf_add_marked(leaf, held, waits->items[i]);
    }
  }
}

/* RF274, RF475: is it the last of its block, or directly in front of a call of a register? */
static bool ref_leaf_may_hold(const ref_leaf *leaf, size_t number) {
  const size_t last = leaf->blocks[leaf->instructions[number].block].last;
  return number == last || (number + 1 == last && (leaf->instructions[last].opcode & 0xfff) == CALL_REGISTER);
}

/* RF274: in front of a loop ptxas gives the number before it puts there the waits of what the loop uses. */
static void ref_leaf_explain_by_waits(ref_leaf *leaf, size_t number, const ref_indices *pending) {
  ref_token *token = &leaf->tokens[number];
  ref_indices held = {0};
  ref_leaf_hold_waits(leaf, number, pending, &held);
  bool sure = (ref_leaf_numbers(leaf, &held) & ref_leaf_ordinary(leaf)) != ref_leaf_ordinary(leaf);
  token->holds_waits = held.count > pending->count && ref_leaf_may_hold(leaf, token->instruction) &&
                       ref_leaf_choose(leaf, number, &held, token->joined, &sure) == token->input && sure;
  token->is_explained = token->holds_waits;
}

/* RF313: where the numbers ran out in the input and this token got that of R1's load, the rules give it one of its own. */
static bool ref_leaf_shares_with_stack(const ref_leaf *leaf, const ref_token *token, const ref_indices *pending) {
  const size_t load = leaf->instructions[leaf->stack_load].tokens[WRITE];
  return ref_indices_has(pending, load) && leaf->tokens[load].input == token->input &&
         (ref_leaf_numbers(leaf, pending) & ref_leaf_ordinary(leaf)) == ref_leaf_ordinary(leaf);
}

static bool ref_leaf_is_crowded(const ref_leaf *leaf, const ref_indices *pending) {
  return (ref_leaf_numbers(leaf, pending) & ref_leaf_ordinary(leaf)) == ref_leaf_ordinary(leaf);
}

/* RF1149, L770: where the numbers ran out a sharing goes on between barriers of one kind; surely where none is free in the output either, or
 * where both come late. */
static bool ref_leaf_shares_in_crowd(const ref_leaf *leaf, size_t number, const ref_indices *pending, bool is_output) {
  const size_t sharer = ref_leaf_find_sharer(leaf, number, pending);
  if (sharer == REF_NONE || leaf->tokens[sharer].is_read != leaf->tokens[number].is_read ||
      sharer == leaf->instructions[leaf->stack_load].tokens[WRITE]) { /* RF313 */
    return false;
  }
  const bool late = ref_leaf_is_long(leaf, &leaf->tokens[number]) && ref_leaf_is_long(leaf, &leaf->tokens[sharer]);
  return !is_output || late || ref_leaf_is_crowded(leaf, pending);
}

/* RF89: the rules tried on the input, where every token has its number already. */
static void ref_leaf_explain(ref_leaf *leaf, size_t number, const ref_indices *pending) {
  ref_token *token = &leaf->tokens[number];
  ref_indices held = {0};
  token->in_crowd = ref_leaf_is_crowded(leaf, pending) && ref_leaf_shares_in_crowd(leaf, number, pending, false);
  bool sure = token->in_crowd || !ref_leaf_is_crowded(leaf, pending);
  token->joined = ref_leaf_joined_for(leaf, number);
  token->holds_waits = false;
  token->chosen = ref_leaf_choose(leaf, number, pending, token->joined, &sure);
  token->is_explained = token->chosen == token->input && sure;
  if (!token->is_explained) {
    ref_leaf_explain_by_waits(leaf, number, pending);
  }
  token->is_explained = token->is_explained || ref_leaf_shares_with_stack(leaf, token, pending);
  if (token->holds_waits) {
    ref_leaf_hold_waits(leaf, number, pending, &held);
    pending = &held;
  }
  token->before = ref_leaf_digest(pending);
  token->before_count = pending->count;
  token->before_stack = ref_indices_has(pending, leaf->instructions[leaf->stack_load].tokens[WRITE]);
}

/* RF89: is everything as it was in the input when this token got its number? */
static bool ref_leaf_is_as_before(const ref_leaf *leaf, size_t number, const ref_indices *pending, unsigned joined) {
  const ref_token *token = &leaf->tokens[number];
  bool same = pending->count == token->before_count && joined == token->joined;
  for (size_t i = 0; i < pending->count && same; i++) {
    const ref_token *other = &leaf->tokens[pending->items[i]];
    same = other->output == other->input;
  }
  return same && ref_leaf_digest(pending) == token->before;
}

/* RF89: the input's number while nothing has changed; else that of the rules, which is sure only where they give the input its
 * own. */
static void ref_leaf_give_number(ref_leaf *leaf, size_t number, const ref_indices *pending) {
  ref_token *token = &leaf->tokens[number];
  const unsigned joined = ref_leaf_joined_for(leaf, number);
  ref_indices held = {0};
  if (token->holds_waits) {
    ref_leaf_hold_waits(leaf, number, pending, &held);
    pending = &held;
  }
  if (ref_leaf_is_as_before(leaf, number, pending, joined)) {
    token->output = token->input;
    return;
  }
  const bool crowded = token->in_crowd || ref_leaf_is_crowded(leaf, pending) || ref_leaf_was_crowded(leaf, token);
  bool sure = token->is_explained && !token->is_deferred && !crowded; /* RF1401 */
  token->output = ref_leaf_choose(leaf, number, pending, joined, &sure);
  if (leaf->is_sharing && (!sure || ref_leaf_was_any_crowded(leaf, number, pending))) {
    const size_t block = leaf->instructions[token->instruction].block;
    token->output = ref_leaf_share(leaf, number, pending, ref_leaf_joined_numbers(leaf, block));
  }
  leaf->sure = leaf->sure && sure;
}

/* M45g: waits for what is pending in the new numbering, which frees it. Returns the numbers. */
static unsigned ref_leaf_wait(const ref_leaf *leaf, size_t number, ref_indices *pending) {
  const ref_leaf_instruction *instruction = &leaf->instructions[number];
  unsigned waits = 0;
  if (instruction->waits.count > 0) {
    ref_leaf_spend(leaf, instruction->waits.count);
    ref_leaf_mark(leaf, pending);
  }
  for (size_t i = 0; i < instruction->waits.count; i++) {
    const size_t token = instruction->waits.items[i];
    if (ref_leaf_is_marked(leaf, token)) {
      waits |= 1u << leaf->tokens[token].output;
    }
  }
  ref_leaf_free(leaf, instruction, pending, waits, true);
  return waits;
}

/* RF1147: for the numbers that they got. */
static unsigned ref_leaf_wait_again(const ref_leaf *leaf, size_t number) {
  const ref_indices *again = &leaf->instructions[number].again;
  unsigned waits = 0;
  for (size_t i = 0; i < again->count; i++) {
    const ref_token *token = &leaf->tokens[again->items[i]];
    waits |= token->is_dropped ? 0 : 1u << token->output;
  }
  return waits;
}

/* RF88: which waits stay is decided over all ways, when all numbers are given. */
static void ref_leaf_put_waits(ref_leaf *leaf, size_t number, ref_indices *pending) {
  const unsigned waits =
      ref_leaf_wait(leaf, number, pending) | ref_leaf_wait_again(leaf, number) | leaf->instructions[number].straight;
  ref_bits_put(ref_leaf_at(leaf, number), WAIT_BIT, BOARDS,
               leaf->instructions[number].waits_for_all ? EVERY_WAIT : waits);
  ref_leaf_add_tokens(leaf, &leaf->instructions[number], pending);
}

/* M45a: waits first, then the read barrier, then the write barrier. */
static void ref_leaf_number_instruction(ref_leaf *leaf, size_t number, ref_indices *pending) {
  static const unsigned bits[BARRIERS] = {WRITE_BIT, READ_BIT};
  static const unsigned order[BARRIERS] = {READ, WRITE};
  ref_leaf_instruction *const instruction = &leaf->instructions[number];
  uint8_t *at = ref_leaf_at(leaf, number);
  leaf->instructions[number].straight = ref_leaf_wait(leaf, number, pending);
  for (size_t i = 0; i < BARRIERS; i++) {
    const size_t token = instruction->tokens[order[i]];
    if (token == REF_NONE) {
      continue;
    }
    if (leaf->tokens[token].is_dropped) {
      ref_bits_put(at, bits[order[i]], 3, NO_BOARD);
      continue;
    }
    if (leaf->is_tried) {
      ref_leaf_give_number(leaf, token, pending);
    } else {
      ref_leaf_explain(leaf, token, pending);
    }
    ref_bits_put(at, bits[order[i]], 3, leaf->tokens[token].output);
    ref_leaf_add(leaf, pending, token);
  }
}

/* M45h: two cycles at least between setting a number and the next instruction's wait for it. */
static void ref_leaf_fix_stalls(ref_leaf *leaf, const uint8_t *old) {
  for (size_t i = 0; i + 1 < leaf->count; i++) {
    const uint8_t *before = old + i * INSTRUCTION;
    uint8_t *now = ref_leaf_at(leaf, i);
    bool paired[2] = {false, false};
    for (int side = 0; side < 2; side++) {
      const uint8_t *at = side == 0 ? before : now;
      const unsigned waits = ref_bits_get(at + INSTRUCTION, WAIT_BIT, BOARDS);
      const unsigned write = ref_bits_get(at, WRITE_BIT, 3), read = ref_bits_get(at, READ_BIT, 3);
      paired[side] = (waits >> write & 1) != 0 || (waits >> read & 1) != 0; /* nobody waits for NO_BOARD */
    }
    const unsigned stall = ref_bits_get(now, STALL_BIT, 4);
    if (paired[0] && !paired[1] && stall == 2) {
      ref_bits_put(now, STALL_BIT, 4, 1);
    } else if (!paired[0] && paired[1] && stall == 1) {
      ref_bits_put(now, STALL_BIT, 4, 2);
    }
  }
}

/* Reads R1: a source register field of an ordinary instruction. Control flow has none there; uniform arithmetic (bit 91 with
 * one of the arithmetic codes) names uniform registers. */
static bool ref_leaf_reads_stack(const uint8_t *at, unsigned opcode) {
  const unsigned form = opcode >> 9 & 7, base = opcode & 0x1ff, stack = 1;
  const bool control = base >= 0x141 && base <= 0x15b;
  const bool uniform = (opcode & 0x1000) != 0 && base < 0x100;
  const bool number = (opcode & 0xfff) == 0x402; /* RF1295: 40 bits of a number, from bit 24 on */
  if (control || uniform || number) {
    return false;
  }
  return ref_bits_get(at, 24, 8) == stack || ref_bits_get(at, 64, 8) == stack ||
         (form == 1 && ref_bits_get(at, 32, 8) == stack);
}

/* M42, M45: the load of R1 that loses its scoreboard, or REF_NONE. Code without optimisation keeps all: it waits at once for 0 and 1 (RF466), but
 * for NOPs. */
static size_t ref_leaf_find_stack_load(const ref_leaf *leaf) {
  size_t load = REF_NONE, at_once = 0, others = 0;
  for (size_t i = 0; i < leaf->count; i++) {
    const ref_leaf_instruction *instruction = &leaf->instructions[i];
    const uint8_t *at = ref_leaf_at(leaf, i);
    at_once += ref_bits_get(at, STALL_BIT, 4) == LONGEST_STALL && (ref_bits_get(at, WAIT_BIT, BOARDS) & 3) == 3;
    others += (instruction->opcode & 0xfff) != NO_OPERATION;
    if (ref_leaf_is_call(instruction->opcode) && !ref_leaf_is(instruction, BASE_CALL_RELATIVE)) { /* RF1317 */
      return REF_NONE;
    }
    if (load == REF_NONE && (instruction->opcode & 0xfff) == 0xb82) {
      if (ref_bits_get(at, 16, 8) != 1 || ref_bits_get(at, WRITE_BIT, 3) == NO_BOARD) {
        return REF_NONE;
      }
      load = i;
      continue;
    }
    if (load != REF_NONE && ref_leaf_reads_stack(at, instruction->opcode)) {
      return REF_NONE;
    }
  }
  return at_once > others / 4 ? REF_NONE : load;
}

static void ref_leaf_number(ref_leaf *leaf) {
  if (leaf->is_sharing) {
    ref_leaf_note_users(leaf);
  }
  ref_leaf_pass(leaf, false, ref_leaf_number_instruction);
  ref_leaf_pass(leaf, true, ref_leaf_put_waits);
}

static void ref_leaf_set_order(ref_leaf *leaf) {
  for (size_t k = 0; k < leaf->block_count; k++) {
    leaf->blocks[leaf->order[k]].rank = k;
  }
}

/* The blocks from one place of the order on go behind those up to another one. */
static void ref_leaf_turn_order(ref_leaf *leaf, size_t first, size_t second, size_t end) {
  size_t *held = REF_TAKE(leaf->link, size_t, end - first);
  memcpy(held, leaf->order + first, (end - first) * sizeof *held);
  memcpy(leaf->order + first, held + (second - first), (end - second) * sizeof *held);
  memcpy(leaf->order + first + (end - second), held, (second - first) * sizeof *held);
  ref_leaf_set_order(leaf);
}

/* How many numbers of the input the rules do not give. */
static size_t ref_leaf_count_unexplained(const ref_leaf *leaf) {
  size_t count = 0;
  for (size_t i = 0; i < leaf->token_count; i++) {
    count += !leaf->tokens[i].is_explained;
  }
  return count;
}

/* Two ways of a branch that meet: of the block behind it, up to its target, and of the target, up to where the first way goes. */
static bool ref_leaf_find_ways(const ref_leaf *leaf, size_t block, size_t *second, size_t *end) {
  const ref_leaf_instruction *last = &leaf->instructions[leaf->blocks[block].last];
  if (last->target == REF_NONE || !last->may_fall_through) {
    return false;
  }
  *second = leaf->instructions[last->target].block;
  if (*second <= block + 1) {
    return false;
  }
  const ref_leaf_instruction *way = &leaf->instructions[leaf->blocks[*second - 1].last];
  *end = way->target == REF_NONE || way->may_fall_through ? 0 : leaf->instructions[way->target].block;
  return *end > *second;
}

/* L1943: where the order of the text does not give the input's numbers, and that in which the second way of a branch goes first gives more of
 * them, nvlink's follow in this order. The innermost ways first. */
static void ref_leaf_find_order(ref_leaf *leaf) {
  enum { MOST_TRIES = 64 };
  size_t best = ref_leaf_count_unexplained(leaf), tries = 0;
  for (size_t b = leaf->block_count; b-- > 0 && best > 0 && tries < MOST_TRIES;) {
    size_t second = 0, end = 0;
    if (!ref_leaf_find_ways(leaf, b, &second, &end)) {
      continue;
    }
    const size_t behind = end - second;
    ref_leaf_turn_order(leaf, b + 1, second, end);
    ref_leaf_pass(leaf, false, ref_leaf_number_instruction);
    const size_t now = ref_leaf_count_unexplained(leaf);
    if (now >= best) {
      ref_leaf_turn_order(leaf, b + 1, b + 1 + behind, end);
    }
    best = now < best ? now : best;
    tries++;
  }
  if (tries > 0) {
    ref_leaf_number(leaf);
  }
}

/* RF1157: nothing waits for the load of R1, so that what is behind it says its cycles. */
static void ref_leaf_set_stack_stall(const ref_leaf *leaf) {
  enum { LOAD_CONSTANT = 0xb82, LOAD_SPECIAL = 0x9c3, PLAIN_STALL = 1, LOAD_STALL = 8 };
  const size_t next = leaf->stack_load + 1;
  const unsigned opcode = next < leaf->count ? leaf->instructions[next].opcode & 0xfff : 0;
  const bool loads = opcode == LOAD_CONSTANT || opcode == LOAD_SPECIAL;
  ref_bits_put(ref_leaf_at(leaf, leaf->stack_load), STALL_BIT, 4, loads ? LOAD_STALL : PLAIN_STALL);
}

static bool ref_leaf_begin(ref_leaf *leaf, ref_link *link, ref_bytes *text, ref_leaf_notes *notes) {
  *leaf = (ref_leaf){.link = link, .text = text->data, .count = text->size / INSTRUCTION, .sure = true, .notes = notes};
  memset(notes->late, 0, sizeof notes->late);
  leaf->instructions = REF_TAKE(link, ref_leaf_instruction, leaf->count);
  leaf->blocks = REF_TAKE(link, ref_leaf_block, leaf->count);
  leaf->tokens = ref_memory_grow(link, NULL, 0, &leaf->token_capacity, sizeof *leaf->tokens);
  ref_leaf_read(leaf);
  leaf->stack_load = ref_leaf_find_stack_load(leaf);
  if (leaf->stack_load == REF_NONE) {
    return false;
  }
  leaf->has_texture = ref_leaf_has_texture(leaf);
  leaf->least = ref_leaf_find_least(leaf);
  ref_leaf_make_blocks(leaf);
  ref_leaf_pass(leaf, false, ref_leaf_find_tokens);
  leaf->last = ref_leaf_find_last(leaf);
  ref_leaf_pass(leaf, true, ref_leaf_find_waits);
  return !ref_leaf_is_spent(leaf);
}

/* Is the block in front of a loop, into which it goes without a branch? */
static bool ref_leaf_enters_loop(const ref_leaf *leaf, size_t block) {
  const size_t next = block + 1;
  bool loops = false;
  if (leaf->instructions[leaf->blocks[block].last].ends_block || next >= leaf->block_count) {
    return false;
  }
  ref_leaf_spend(leaf, leaf->blocks[next].predecessors.count);
  for (size_t i = 0; i < leaf->blocks[next].predecessors.count && !ref_leaf_is_spent(leaf); i++) {
    loops = loops || leaf->blocks[next].predecessors.items[i] >= next;
  }
  return loops;
}

/* Do so many lie between two instructions? */
static bool ref_leaf_takes_cycles(const ref_leaf *leaf, size_t first, size_t last, unsigned most) {
  unsigned cycles = 0;
  for (size_t i = first; i < last && cycles < most && !ref_leaf_is_spent(leaf); i++) {
    cycles += ref_bits_get(ref_leaf_at(leaf, i), STALL_BIT, 4);
    ref_leaf_spend(leaf, 1);
  }
  return cycles >= most;
}

/* RF1392: what a block loads for a loop behind it ptxas waits for at the block's end; not where the number is that of R1's load, too, for which
 * nobody waits. nvlink, which has given that one none, waits there. */
static void ref_leaf_wait_before_loops(ref_leaf *leaf) {
  enum { UNIFORM_LOAD = 0x7ac, NEAR = 3 };
  const size_t stack = leaf->instructions[leaf->stack_load].tokens[WRITE];
  for (size_t i = 0; i < leaf->token_count; i++) {
    const ref_token *token = &leaf->tokens[i];
    const size_t block = leaf->instructions[token->instruction].block, last = leaf->blocks[block].last;
    if (i != stack && !token->is_read && token->input == leaf->tokens[stack].input && token->consumer == REF_NONE &&
        ref_leaf_code(leaf, token) == UNIFORM_LOAD && ref_leaf_enters_loop(leaf, block) && token->before_stack &&
        ref_leaf_takes_cycles(leaf, token->instruction, last, NEAR)) {
      ref_leaf_add(leaf, &leaf->instructions[last].waits, i);
    }
  }
}

/* The text is made anew where that is sure: the numbers do not run out, and the same rules give the input its own numbers while R1's load
 * still has one (RF40). RF1148: a number that cannot be is mended before. */
void ref_leaf_finalize(ref_link *link, ref_bytes *text) {
  if (text->size == 0) {
    return;
  }
  uint8_t *old = REF_TAKE(link, uint8_t, text->size), *input = REF_TAKE(link, uint8_t, text->size);
  ref_leaf_notes *notes = ref_leaf_notes_make(link, text->size / INSTRUCTION);
  ref_leaf leaf;
  memcpy(input, text->data, text->size);
  for (int round = 0;; round++) {
    if (!ref_leaf_begin(&leaf, link, text, notes)) {
      if (ref_leaf_is_spent(&leaf)) {
        memcpy(text->data, input, text->size);
      }
      return;
    }
    memcpy(old, text->data, text->size);
    bool mended = ref_leaf_mend_waits(&leaf, old);
    if (!mended || round > MOST_MENDS) {
      ref_leaf_number(&leaf);
      ref_leaf_find_order(&leaf);
      mended = ref_leaf_mend_number(&leaf, old);
    }
    if (round > MOST_MENDS) {
      memcpy(old, input, text->size);
      break;
    }
    if (!mended) {
      break;
    }
    memcpy(text->data, round == MOST_MENDS ? input : old, text->size); /* so many are ptxas's own */
  }
  const bool is_same = leaf.sure && memcmp(old, text->data, text->size) == 0;
  leaf.sure = is_same;
  leaf.is_tried = true;
  leaf.tokens[leaf.instructions[leaf.stack_load].tokens[WRITE]].is_dropped = true;
  ref_leaf_wait_before_loops(&leaf);
  ref_leaf_number(&leaf);
  if (is_same && !leaf.sure) {
    leaf.is_sharing = true;
    leaf.input = old;
    ref_leaf_share_waits(&leaf);
    ref_leaf_wait_before_loops(&leaf);
    ref_leaf_number(&leaf);
    leaf.sure = true;
  }
  if (leaf.sure && ref_leaf_move_carried(&leaf)) {
    ref_leaf_number(&leaf);
    leaf.sure = true;
  }
  ref_leaf_fix_stalls(&leaf, old);
  ref_leaf_set_stack_stall(&leaf);
  if (!leaf.sure || ref_leaf_is_spent(&leaf)) {
    memcpy(text->data, input, text->size);
  }
}

/* A fence that the code itself has: those that -g puts in front of EXIT (RF76) are followed by two barriers of errors. */
static bool ref_leaf_is_own_fence(const ref_leaf *leaf, size_t number) {
  enum { BEHIND = 3 };
  return (leaf->instructions[number].opcode & 0xfff) == FENCE &&
         (number + BEHIND >= leaf->count || !ref_leaf_is(&leaf->instructions[number + BEHIND], BASE_EXIT));
}

/* RF1317: the load of R1 without a number in a kernel that calls functions of its own text alone and does not read R1, or REF_NONE; `call`:
 * the first call. Texts with fences are others. */
static size_t ref_leaf_find_bare_load(const ref_leaf *leaf, size_t *call) {
  enum { LOAD = 0xb82, STACK = 1 };
  *call = REF_NONE;
  if (leaf->count == 0 || (leaf->instructions[0].opcode & 0xfff) != LOAD ||
      ref_bits_get(ref_leaf_at(leaf, 0), 16, 8) != STACK ||
      ref_bits_get(ref_leaf_at(leaf, 0), WRITE_BIT, 3) != NO_BOARD) {
    return REF_NONE;
  }
  for (size_t i = 1; i < leaf->count; i++) {
    const unsigned opcode = leaf->instructions[i].opcode;
    const bool relative = ref_leaf_is(&leaf->instructions[i], BASE_CALL_RELATIVE);
    if (ref_leaf_is_own_fence(leaf, i) || (ref_leaf_is_call(opcode) && !relative) ||
        ref_leaf_reads_stack(ref_leaf_at(leaf, i), opcode)) {
      return REF_NONE;
    }
    *call = relative && *call == REF_NONE ? i : *call;
  }
  return *call == REF_NONE ? REF_NONE : 0;
}

/* Who waits for the load at a call: the call, or what is in front of it, if that waits for something in the load's block or the call is
 * of a register. */
static size_t ref_leaf_find_call_wait(const ref_leaf *leaf, size_t call) {
  const size_t front = call - 1;
  const bool waits = leaf->instructions[call].block == leaf->instructions[leaf->stack_load].block &&
                     ref_bits_get(ref_leaf_at(leaf, front), WAIT_BIT, BOARDS) != 0;
  const bool in_front = waits || (leaf->instructions[call].opcode & 0xfff) == CALL_REGISTER;
  const bool same_block = leaf->instructions[front].block == leaf->instructions[call].block;
  return in_front && same_block && front != leaf->stack_load ? front : call;
}

static void ref_leaf_wait_for_stack(ref_leaf *leaf, size_t wait, size_t stack) {
  ref_leaf_add(leaf, &leaf->instructions[wait].waits, stack);
  for (size_t i = 0; i < stack; i++) { /* RF274 */
    leaf->tokens[i].holds_waits =
        leaf->tokens[i].holds_waits || (leaf->tokens[i].instruction == wait && ref_leaf_may_hold(leaf, wait));
  }
}

/* The token of the load. Its block waits for it at its first call, or at its end; or all calls do, where the end leads those away that have
 * diverged. */
static void ref_leaf_add_stack_token(ref_leaf *leaf, size_t call) {
  enum { BRA_DIVERGENT = 0x547 };
  const size_t last = leaf->blocks[leaf->instructions[leaf->stack_load].block].last;
  const bool all = call > last && (leaf->instructions[last].opcode & 0xfff) == BRA_DIVERGENT;
  const size_t first = call > last && !all ? last : ref_leaf_find_call_wait(leaf, call);
  ref_indices none = {0};
  ref_leaf_set_token(leaf, leaf->stack_load, WRITE, NO_BOARD - 1, &none);
  const size_t number = leaf->token_count - 1;
  ref_token *token = &leaf->tokens[number];
  token->input = token->output = NO_BOARD;
  token->consumer = token->first_wait = first;
  token->is_local = token->is_explained = true;
  token->joined = ~0u; /* nothing is as it was */
  ref_leaf_wait_for_stack(leaf, first, number);
  for (size_t i = call + 1; all && i < leaf->count; i++) {
    if (ref_leaf_is(&leaf->instructions[i], BASE_CALL_RELATIVE)) {
      ref_leaf_wait_for_stack(leaf, ref_leaf_find_call_wait(leaf, i), number);
    }
  }
}

/* RF1317, L723: in what goes on (-r, and -g) nvlink gives that load a number and all others anew, as ptxas does without -ewp; where the rules give
 * the input its own numbers. */
void ref_leaf_open(ref_link *link, ref_bytes *text) {
  ref_leaf leaf = {.link = link, .text = text->data, .count = text->size / INSTRUCTION, .sure = true};
  size_t call = REF_NONE;
  leaf.instructions = REF_TAKE_ROOM(link, ref_leaf_instruction, leaf.count);
  ref_leaf_read(&leaf);
  leaf.stack_load = ref_leaf_find_bare_load(&leaf, &call);
  if (leaf.stack_load == REF_NONE) {
    return;
  }
  const uint8_t *old = ref_memory_copy(link, text->data, text->size);
  leaf.notes = ref_leaf_notes_make(link, leaf.count);
  leaf.blocks = REF_TAKE(link, ref_leaf_block, leaf.count);
  leaf.tokens = ref_memory_grow(link, NULL, 0, &leaf.token_capacity, sizeof *leaf.tokens);
  leaf.has_texture = ref_leaf_has_texture(&leaf);
  leaf.least = ref_leaf_find_least(&leaf);
  ref_leaf_make_blocks(&leaf);
  ref_leaf_pass(&leaf, false, ref_leaf_find_tokens);
  leaf.last = ref_leaf_find_last(&leaf);
  ref_leaf_pass(&leaf, true, ref_leaf_find_waits);
  ref_leaf_number(&leaf);
  const bool is_same = leaf.sure && memcmp(old, text->data, text->size) == 0;
  if (is_same) {
    leaf.is_tried = true;
    ref_leaf_add_stack_token(&leaf, call);
    ref_leaf_number(&leaf);
    ref_leaf_fix_stalls(&leaf, old);
  }
  if (!is_same || !leaf.sure || ref_leaf_is_spent(&leaf)) {
    memcpy(text->data, old, text->size);
  }
}
