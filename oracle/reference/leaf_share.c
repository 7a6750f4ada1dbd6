/* RF1273 (M45i): what numbers the scoreboards of a leaf kernel get where single ones are not certain, mostly because 0 to 4 are all pending. Who
 * needs a load is told by the registers: where numbers ran out in the input, a wait may be there for another load of the same number. The
 * waits are as many as the new numbers ask for, so that the text is right whatever the numbers are. */
#include "bits.h"
#include "leaf.h"

enum {
  NO_REGISTER = 0xff,
  UNIFORM_BIT = 91,
  SIZE_BIT = 73,
  RESULT = 16,
  FIRST = 24,
  SECOND = 32,
  THIRD = 64,
  WIDE_PRODUCT = 0x25, /* one register in two operands */
  DOUBLE_MATRIX = 0x3f,
  WIDEST = 16,            /* an operand of its */
  PREDICATE_LOAD = 0x31c, /* whose result the branch uses */
  DOT = 0x26,
  TO_UNIFORM = 0xca,
  MOVE_MATRIX = 0x3a, /* RF1399: one register to another one */
  LONG_BASE = 2,
  NUMBERS = 6
};

/* Registers one behind the other. */
typedef struct ref_share_span {
  bool is_uniform;
  unsigned first, count;
} ref_share_span;

static bool ref_share_is_in(const uint16_t *codes, size_t count, unsigned code) {
  bool is_in = false;
  for (size_t i = 0; i < count; i++) {
    is_in = is_in || codes[i] == code;
  }
  return is_in;
}

static bool ref_share_is_memory(unsigned opcode) {
  static const uint16_t codes[] = {0x980, 0x981, 0x983, 0x984, 0x985, 0x986, 0x987, 0x988,
                                   0x385, 0x386, 0x387, 0x388, 0xb82, 0x7ac, 0x9a2, 0x9a8};
  return ref_share_is_in(codes, sizeof codes / sizeof *codes, opcode);
}

/* It has data, too. */
static bool ref_share_is_store(unsigned opcode) {
  static const uint16_t codes[] = {0x985, 0x986, 0x987, 0x988, 0x385, 0x386, 0x387, 0x388, 0x9a2, 0x9a8};
  return ref_share_is_in(codes, sizeof codes / sizeof *codes, opcode);
}

static unsigned ref_share_width(const uint8_t *at) {
  const unsigned size = ref_bits_get(at, SIZE_BIT, 3);
  if (!ref_share_is_memory(ref_bits_get(at, 0, 12))) {
    return 2;
  }
  return size < 5 ? 1 : size == 5 ? 2 : size == 6 ? 4 : 8;
}

static bool ref_share_is_uniform(unsigned opcode) {
  static const uint16_t codes[] = {0x7ac, 0x9c3, 0x2ca, 0x3c4, 0x8cb};
  const unsigned base = opcode & 0x1ff;
  return (base >= 0x80 && base <= 0xbf) || ref_share_is_in(codes, sizeof codes / sizeof *codes, opcode);
}

/* The result of a load, where it is known whole. */
static bool ref_share_result(const uint8_t *at, ref_share_span *span) {
  static const uint16_t singles[] = {0x919, 0x9c3, 0x308, 0x309, 0x3c4, 0x23a};
  static const uint16_t shuffles[] = {0x389, 0x589, 0x989, 0xf89};
  static const uint16_t loads[] = {0xb82, 0x7ac, 0x980, 0x981, 0x983, 0x984};
  static const uint16_t pairs[] = {0x310, 0x311, 0x312, 0x228, 0x229, 0x22b};
  const unsigned opcode = ref_bits_get(at, 0, 12), no_predicate = 7;
  const bool is_single = ref_share_is_in(singles, sizeof singles / sizeof *singles, opcode) ||
                         (ref_share_is_in(shuffles, sizeof shuffles / sizeof *shuffles, opcode) &&
                          ref_bits_get(at, 81, 3) == no_predicate);
  const bool is_load = ref_share_is_in(loads, sizeof loads / sizeof *loads, opcode);
  *span = (ref_share_span){.is_uniform = ref_share_is_uniform(opcode),
                           .first = ref_bits_get(at, RESULT, 8),
                           .count = is_single ? 1 : ref_share_width(at)};
  return span->first != NO_REGISTER &&
         (is_single || is_load || ref_share_is_in(pairs, sizeof pairs / sizeof *pairs, opcode));
}

static bool ref_share_meets(const ref_share_span *span, const uint8_t *at, unsigned bit, bool is_uniform,
                            unsigned count) {
  const unsigned first = ref_bits_get(at, bit, 8);
  return span->is_uniform == is_uniform && first != NO_REGISTER && first < span->first + span->count &&
         span->first < first + count;
}

static bool ref_share_is_matrix(unsigned base) {
  static const uint16_t bases[] = {0x3c, 0x37, DOUBLE_MATRIX, 0x3d, 0x7d, 0x7a};
  return ref_share_is_in(bases, sizeof bases / sizeof *bases, base);
}

/* How many registers an operand of arithmetic may have; of a matrix product the second one has two (RF1400). */
static unsigned ref_share_operands(unsigned base) {
  static const uint16_t singles[] = {
      0x02,  0x05,  0x06,  0x07,  0x08,  0x09,  0x0b, 0x0c,       0x10,  0x11, 0x12, 0x16,       0x17,
      0x19,  0x1c,  0x20,  0x21,  0x23,  0x24,  0x27, 0x30,       0x31,  0x32, 0x36, 0x3e,       0x48,
      0x109, 0x108, 0x100, 0x102, 0x105, 0x106, 0x1a, 0x1b,       0x189, 0xc4, 0x82, 0x86,       0x87,
      0x89,  0x8c,  0x90,  0x91,  0x92,  0x99,  0xa4, TO_UNIFORM, 0x1c4, 0x76, DOT,  MOVE_MATRIX};
  const unsigned quad = 4;
  return base == DOUBLE_MATRIX                                              ? WIDEST
         : ref_share_is_matrix(base)                                        ? quad
         : ref_share_is_in(singles, sizeof singles / sizeof *singles, base) ? 1
                                                                            : 2;
}

/* Conversions and the like have one operand, the second one. */
static bool ref_share_has_first(unsigned base) {
  const unsigned move = 0x02, first_conversion = 0x100, last_conversion = 0x112;
  return base != move && (base < first_conversion || base > last_conversion);
}

static bool ref_share_has_third(unsigned base) {
  static const uint16_t without[] = {0x02, 0x05, 0x06, 0x0b, 0x0c, 0x20, 0x21, 0x28,  0x30,
                                     0x35, 0x36, 0x3e, 0x82, 0x8c, 0xca, 0xc4, 0x1c4, MOVE_MATRIX};
  return ref_share_has_first(base) && !ref_share_is_in(without, sizeof without / sizeof *without, base);
}

/* Does it read uniform registers of a result? */
static bool ref_share_reads_uniform(const uint8_t *at, const ref_share_span *span) {
  const unsigned opcode = ref_bits_get(at, 0, 12), form = opcode >> 9, base = opcode & 0x1ff, wide = 4;
  const bool is_arithmetic = base < 0x180, is_uniform = ref_share_is_uniform(opcode);
  const unsigned count = is_arithmetic ? ref_share_operands(base) : wide;
  if (is_arithmetic && form >= 6) {
    return ref_share_meets(span, at, SECOND, true, count) ||
           (is_uniform && ((ref_share_has_first(base) && ref_share_meets(span, at, FIRST, true, count)) ||
                           (ref_share_has_third(base) && ref_share_meets(span, at, THIRD, true, count))));
  }
  if (opcode == 0x7ac) {
    return ref_share_meets(span, at, FIRST, true, 1);
  }
  const bool reads_ordinary =
      opcode == 0x2ca || opcode == 0x3c4; /* RF1298: R2UR and REDUX, whose result alone is uniform */
  if (reads_ordinary || (ref_bits_get(at, UNIFORM_BIT, 1) == 0 && !is_uniform)) {
    return false;
  }
  if (ref_share_is_memory(opcode)) {
    return ref_share_meets(span, at, ref_share_is_store(opcode) ? THIRD : SECOND, true, 2);
  }
  const bool has_second = form != 4 || !is_arithmetic; /* else it is a constant */
  return ref_share_meets(span, at, FIRST, true, count) ||
         (has_second && ref_share_meets(span, at, SECOND, true, count)) ||
         (ref_share_has_third(base) && ref_share_meets(span, at, THIRD, true, count));
}

/* Constants, shared and local memory have addresses of one register. */
static bool ref_share_has_short_address(unsigned opcode) {
  static const uint16_t codes[] = {0xb82, 0x983, 0x984, 0x387, 0x388, 0x987, 0x988};
  return ref_share_is_in(codes, sizeof codes / sizeof *codes, opcode);
}

/* Does it read registers of a result? Rather too much than too little. */
static bool ref_share_reads(const uint8_t *at, const ref_share_span *span) {
  const unsigned opcode = ref_bits_get(at, 0, 12), form = opcode >> 9, base = opcode & 0x1ff, special = 0x119;
  if (base == special || opcode == 0x9c3) {
    return false;
  }
  if (base == BASE_BRA || base == BASE_EXIT || base == BASE_BSYNC || base == 0x145) {
    return false;
  }
  if (base == BASE_BRX || base == BASE_RET || base == BASE_BRX_UNIFORM || opcode == CALL_REGISTER) {
    return true;
  }
  if (span->is_uniform) {
    return ref_share_reads_uniform(at, span);
  }
  const bool is_uniform = base >= 0x80 && base <= 0xbf;
  if (is_uniform || opcode == 0x7ac) {
    return false;
  }
  const unsigned count = base == WIDE_PRODUCT ? 1 : ref_share_operands(base);
  const bool has_second = (form <= 1 || base >= 0x180) && base != MOVE_MATRIX && base != TO_UNIFORM;
  const bool is_product = ref_share_is_matrix(base) && base != DOUBLE_MATRIX;
  const unsigned data = ref_share_is_memory(opcode) ? ref_share_width(at) : is_product ? 2 : count;
  const bool is_store = ref_share_is_store(opcode) && opcode != 0x9a2 && opcode != 0x9a8; /* those compare with it */
  const bool is_load = opcode == 0x980 || opcode == 0x981 || opcode == 0x983 || opcode == 0x984 || opcode == 0xb82;
  return (ref_share_has_first(base) &&
          ref_share_meets(span, at, FIRST, false, ref_share_has_short_address(opcode) ? 1 : count)) ||
         (has_second && !is_load && ref_share_meets(span, at, SECOND, false, data)) ||
         (!is_load && !is_store && ref_share_has_third(base) &&
          ref_share_meets(span, at, THIRD, false, ref_share_operands(base)));
}

/* Comparisons write predicates alone. */
static bool ref_share_writes_predicate(unsigned base) {
  static const uint16_t bases[] = {0x04, 0x0b, 0x0c, 0x1c, 0x2a, 0x8c};
  return ref_share_is_in(bases, sizeof bases / sizeof *bases, base);
}

/* Does an instruction read or write the result of a load? */
static bool ref_share_uses(const ref_leaf *leaf, const ref_token *token, size_t number) {
  const uint8_t *at = ref_leaf_at(leaf, number);
  const unsigned base = ref_bits_get(at, 0, 9), opcode = ref_bits_get(at, 0, 12);
  const bool is_control = base >= BASE_BSYNC && base <= 0x15b;
  const bool is_store =
      opcode == 0x385 || opcode == 0x386 || opcode == 0x387 || opcode == 0x388 || (opcode >= 0x985 && opcode <= 0x988);
  ref_share_span result, written;
  if (token->is_read) {
    return ref_leaf_overwrites(leaf, token, number); /* RF1397 */
  }
  if (!ref_share_result(ref_leaf_at(leaf, token->instruction), &result)) {
    return true;
  }
  const bool is_known = ref_share_result(at, &written);
  const unsigned operands = ref_share_operands(base);
  const unsigned count = is_known ? written.count : operands == WIDEST ? 4 : operands;
  return ref_share_reads(at, &result) || (!is_control && !is_store && !ref_share_writes_predicate(base) &&
                                          ref_share_meets(&result, at, RESULT, ref_share_is_uniform(opcode), count));
}

bool ref_leaf_uses(const ref_leaf *leaf, const ref_token *token, size_t number) {
  return ref_share_uses(leaf, token, number);
}

/* Were all numbers of its kind pending when the input set it? */
bool ref_leaf_was_crowded(const ref_leaf *leaf, const ref_token *token) {
  const unsigned all = ref_leaf_is_long(leaf, token) ? ref_leaf_ordinary(leaf) & ~3u : ref_leaf_ordinary(leaf);
  return (token->pending & all) == all;
}

/* It or what is pending. */
bool ref_leaf_was_any_crowded(const ref_leaf *leaf, size_t number, const ref_indices *pending) {
  bool any = ref_leaf_was_crowded(leaf, &leaf->tokens[number]);
  for (size_t i = 0; i < pending->count; i++) {
    const ref_token *token = &leaf->tokens[pending->items[i]];
    any = any || token->is_deferred || ref_leaf_was_crowded(leaf, token);
  }
  return any;
}

/* In its own block, or in the next one where nothing lies between that waits for all. */
static bool ref_share_is_direct(const ref_leaf *leaf, const ref_token *token, size_t number) {
  const size_t own = leaf->instructions[token->instruction].block, block = leaf->instructions[number].block;
  return (own == block || own + 1 == block) && leaf->notes->all[number] <= token->instruction;
}

/* Who of a number an instruction needs. */
typedef struct ref_share_needed {
  size_t first, last_crowded; /* where the first of them is set, and behind the last one that found no number free */
} ref_share_needed;

/* RF1397: has a read barrier the number of a pending one by chance, because none was free when the later of the two got it? */
static bool ref_share_is_chance(const ref_leaf *leaf, size_t number, size_t read, const ref_share_needed *others) {
  const ref_token *token = &leaf->tokens[read];
  const ref_share_needed *other = &others[token->input];
  const bool before = other->first <= token->instruction && ref_leaf_was_crowded(leaf, token);
  return (before || other->last_crowded > token->instruction + 1) && ref_leaf_knows_writer(leaf, token, number);
}

/* Marks what only shares its number with what an instruction waits for in the input's text. */
static void ref_share_defer(ref_leaf *leaf, size_t number, const ref_indices *pending, unsigned waits) {
  unsigned explained = 0, crowded = 0;
  ref_share_needed needed[NO_BOARD + 1];
  for (unsigned n = 0; n <= NO_BOARD; n++) {
    needed[n] = (ref_share_needed){.first = REF_NONE};
  }
  for (size_t i = 0; waits != 0 && i < pending->count; i++) {
    const ref_token *token = &leaf->tokens[pending->items[i]];
    if (!ref_share_uses(leaf, token, number)) {
      continue;
    }
    const bool is_crowded = ref_leaf_was_crowded(leaf, token);
    ref_share_needed *one = &needed[token->input];
    explained |= 1u << token->input;
    crowded |= is_crowded ? 1u << token->input : 0;
    one->first = token->instruction < one->first ? token->instruction : one->first;
    one->last_crowded =
        is_crowded && token->instruction >= one->last_crowded ? token->instruction + 1 : one->last_crowded;
  }
  for (size_t i = 0; waits != 0 && i < pending->count; i++) {
    ref_token *token = &leaf->tokens[pending->items[i]];
    const unsigned others = (ref_leaf_was_crowded(leaf, token) ? explained : crowded) & waits;
    if ((others >> token->input & 1) != 0 && !ref_share_uses(leaf, token, number) &&
        ref_share_is_direct(leaf, token, number) &&
        (!token->is_read || ref_share_is_chance(leaf, number, pending->items[i], needed))) {
      token->is_deferred = true;
    }
  }
}

/* What an instruction waits for in the input's text, without what only shares a number with it there; that waits where it is used. */
static void ref_share_find_waits(ref_leaf *leaf, size_t number, ref_indices *pending) {
  ref_leaf_instruction *instruction = &leaf->instructions[number];
  const unsigned waits =
      instruction->waits_for_all ? 0 : ref_bits_get(leaf->input + number * INSTRUCTION, WAIT_BIT, BOARDS);
  const bool keeps = (instruction->opcode & 0xfff) == 0x348;
  size_t kept = 0;
  instruction->waits.count = 0;
  ref_share_defer(leaf, number, pending, waits);
  for (size_t i = 0; i < pending->count; i++) {
    const ref_token *token = &leaf->tokens[pending->items[i]];
    const bool is_waited = (waits >> token->input & 1) != 0;
    const bool needs = token->is_deferred ? ref_share_uses(leaf, token, number) : is_waited;
    if (needs) {
      ref_leaf_add(leaf, &instruction->waits, pending->items[i]);
    }
    if (!needs || keeps) {
      pending->items[kept++] = pending->items[i];
    }
  }
  pending->count = kept;
  ref_leaf_add_tokens(leaf, instruction, pending);
}

/* Where the waits of the input are for. */
void ref_leaf_share_waits(ref_leaf *leaf) {
  ref_leaf_note_waits(leaf);
  ref_leaf_note_writers(leaf);
  ref_leaf_pass(leaf, true, ref_share_find_waits); /* who is deferred anywhere */
  ref_leaf_pass(leaf, true, ref_share_find_waits);
}

/* --- numbers --- */

typedef struct ref_share_group {
  size_t count, least; /* the least need; REF_NONE: never in this block */
  bool is_near;        /* some member is needed in its own block */
  bool has_reads;
  bool has_plain;   /* L1837: loads of this block whose result is not uniform */
  bool is_known;    /* by the input: shares the number with the own barrier there, or numbers ran out */
  bool flows_far;   /* loads from other blocks */
  bool has_late;    /* RF1396 */
  size_t joined_at; /* behind its last member of this block; 0: there is none */
} ref_share_group;

typedef struct ref_share {
  const ref_leaf *leaf;
  const ref_token *token;
  size_t block, need;
  bool is_local, is_long;
  unsigned taken, joined, sharer;
  ref_share_group groups[NO_BOARD]; /* a damaged text may have number 6 */
} ref_share;

/* The first instruction of a block, from one on, that waits for the token. */
static size_t ref_share_need(const ref_leaf *leaf, size_t number, size_t from, size_t block) {
  const size_t need = ref_leaf_find_from(&leaf->tokens[number].users, from);
  return need != REF_NONE && need <= leaf->blocks[block].last ? need : REF_NONE;
}

static bool ref_share_is_local(const ref_leaf *leaf, const ref_token *token, size_t need, size_t block) {
  ref_share_span span;
  if (need == REF_NONE) {
    return false;
  }
  if (need != leaf->blocks[block].last || leaf->instructions[token->instruction].opcode == TRY_WAIT ||
      ref_leaf_code(leaf, token) == PREDICATE_LOAD || ref_leaf_is_branched_on(leaf, token, need)) {
    return true;
  }
  const bool is_known = ref_share_result(ref_leaf_at(leaf, token->instruction), &span);
  return !token->is_read && !leaf->instructions[need].ends_block && (!is_known || ref_share_uses(leaf, token, need));
}

/* RF1402: who of the groups is needed. */
static void ref_share_find_groups(ref_share *share, const ref_indices *pending) {
  const ref_leaf *leaf = share->leaf;
  for (unsigned n = 0; n < NO_BOARD; n++) {
    share->groups[n] = (ref_share_group){.least = REF_NONE};
  }
  for (size_t i = 0; i < pending->count; i++) {
    const ref_token *token = &leaf->tokens[pending->items[i]];
    ref_share_group *group = &share->groups[token->output];
    const size_t need = ref_share_need(leaf, pending->items[i], share->token->instruction + 1, share->block);
    share->taken |= 1u << token->output;
    if (token->is_read && share->token->is_read && token->input == share->token->input && need == share->need) {
      share->sharer = token->output;
    }
    group->count++;
    group->has_reads = group->has_reads || token->is_read;
    const bool is_near = ref_share_is_local(leaf, token, need, share->block);
    const bool is_own = leaf->instructions[token->instruction].block == share->block;
    const bool is_needed = is_near && (is_own || ref_share_uses(leaf, token, need));
    group->is_near = group->is_near || is_near;
    group->least = is_needed && need < group->least ? need : group->least; /* REF_NONE is the greatest */
    group->is_known = group->is_known || token->input == share->token->input || token->is_deferred ||
                      ref_leaf_was_crowded(leaf, share->token) || ref_leaf_was_crowded(leaf, token);
    group->flows_far = group->flows_far || !is_own;
    group->has_plain =
        group->has_plain || (is_own && !token->is_read && !ref_share_is_uniform(ref_leaf_code(leaf, token)));
    group->has_late = group->has_late || ref_leaf_is_long(leaf, token);
    if (is_own && token->instruction >= group->joined_at) {
      group->joined_at = token->instruction + 1;
    }
  }
}

/* Has a block a load for other ones whose result comes late, or a texture? */
static bool ref_share_has_far(const ref_leaf *leaf, size_t block) {
  for (size_t i = leaf->blocks[block].first; i <= leaf->blocks[block].last; i++) {
    const size_t number = leaf->instructions[i].tokens[WRITE];
    if (number == REF_NONE || leaf->tokens[number].is_dropped) {
      continue;
    }
    const ref_token *token = &leaf->tokens[number];
    const size_t need = ref_share_need(leaf, number, i + 1, block);
    if (ref_leaf_is_texture(leaf, token) ||
        (ref_leaf_is_long(leaf, token) && !ref_share_is_local(leaf, token, need, block))) {
      return true;
    }
  }
  return false;
}

/* 5 is for loads of other blocks, where the block has one. */
static bool ref_share_is_reserved(const ref_share *share) {
  const ref_leaf *leaf = share->leaf;
  ref_leaf_block *block = &leaf->blocks[share->block];
  if (!block->is_asked) {
    block->is_asked = true;
    block->is_reserved = ref_share_has_far(leaf, share->block);
  }
  bool reserved = block->is_reserved;
  ref_leaf_spend(leaf, block->predecessors.count);
  for (size_t i = 0; i < block->predecessors.count; i++) {
    const size_t before = block->predecessors.items[i];
    reserved = reserved || (before < share->block && (leaf->blocks[before].numbers >> BOARD_FIVE & 1) != 0);
  }
  return reserved;
}

/* L1855: a group whose first need is the own one; what the branch at the block's end uses the predicate of has none. */
static unsigned ref_share_same(const ref_share *share) {
  if (share->leaf->instructions[share->need].ends_block) {
    return NO_BOARD;
  }
  for (unsigned n = 0; n < NUMBERS; n++) {
    const ref_share_group *group = &share->groups[n];
    const bool equal = group->count > 0 && group->least == share->need;
    const bool is_far = n == BOARD_FIVE && group->flows_far && !group->has_reads;
    if (equal && group->is_known && !is_far) {
      return n;
    }
  }
  return NO_BOARD;
}

/* RF1396: is one of two groups to be shared rather than the other? What is not late shares with nothing late if it can. Then a group that is
 * needed at the own need or behind it, of several the one that nobody has joined for the longest time; else the one that is needed last. */
static bool ref_share_is_better(const ref_share *share, const ref_share_group *group, const ref_share_group *best) {
  const bool behind = group->least >= share->need, best_behind = best->least >= share->need;
  if (!share->is_long && group->has_late != best->has_late) {
    return !group->has_late;
  }
  if (behind != best_behind) {
    return behind;
  }
  return behind ? group->joined_at < best->joined_at : group->least > best->least;
}

static unsigned ref_share_nearest(const ref_share *share, unsigned from, unsigned last) {
  unsigned best = NO_BOARD;
  for (unsigned n = from; n <= last; n++) {
    const ref_share_group *group = &share->groups[n];
    if (group->count > 0 && (best == NO_BOARD || ref_share_is_better(share, group, &share->groups[best]))) {
      best = n;
    }
  }
  return best;
}

/* Waited for in another block; `sharer`: the number of a read barrier that has the own one's number in the input, and its need. */
static unsigned ref_share_choose_far(const ref_share *share, unsigned from) {
  if (share->sharer != NO_BOARD) {
    return share->sharer;
  }
  const unsigned avoided_masks[] = {share->taken | share->joined, share->taken}; /* RF1394 */
  for (size_t k = 0; k < 2; k++) {
    for (unsigned n = from; n <= share->leaf->last; n++) {
      if ((avoided_masks[k] >> n & 1) == 0) {
        return n;
      }
    }
  }
  const bool is_uniform = !share->token->is_read && ref_share_is_uniform(ref_leaf_code(share->leaf, share->token));
  for (unsigned n = from; n <= share->leaf->last; n++) {
    if (!share->groups[n].is_near || (is_uniform && share->groups[n].has_plain)) {
      return n; /* RF1393, RF1395, L1837 */
    }
  }
  return from; /* L1837 */
}

unsigned ref_leaf_share(const ref_leaf *leaf, size_t number, const ref_indices *pending, unsigned joined) {
  const ref_token *token = &leaf->tokens[number];
  const size_t block = leaf->instructions[token->instruction].block;
  ref_share share = {
      .leaf = leaf, .token = token, .block = block, .is_long = ref_leaf_is_long(leaf, token), .sharer = NO_BOARD};
  share.need = ref_share_need(leaf, number, token->instruction + 1, block);
  share.is_local = ref_share_is_local(leaf, token, share.need, block);
  share.joined = share.is_local ? 0 : joined;
  ref_share_find_groups(&share, pending);
  if (ref_leaf_is_texture(leaf, token)) {
    return BOARD_FIVE;
  }
  if (!share.is_local && share.is_long) {
    return leaf->has_texture ? BOARD_FOUR : BOARD_FIVE;
  }
  if (ref_leaf_is_commit(ref_leaf_code(leaf, token))) {
    return 0; /* RF1299 */
  }
  const unsigned from = share.is_long ? LONG_BASE : leaf->least;
  if (!share.is_local) {
    return ref_share_choose_far(&share, from);
  }
  const unsigned same = ref_share_same(&share);
  if (same != NO_BOARD) {
    return same;
  }
  for (unsigned n = from; n <= leaf->last; n++) {
    if ((share.taken >> n & 1) == 0) {
      return n;
    }
  }
  const bool is_reserved = ref_share_is_reserved(&share);
  if (!is_reserved && (share.taken >> BOARD_FIVE & 1) == 0) {
    return BOARD_FIVE;
  }
  const unsigned nearest = ref_share_nearest(&share, from, is_reserved ? LAST_ORDINARY : BOARD_FIVE);
  return nearest == NO_BOARD ? from : nearest;
}
