/* What of a leaf kernel's control bits ptxas cannot have written: nvlink gives waits and numbers anew (M45) from the Mercury code, whatever the
 * input's SASS text has there. RF1147: a wait for a number that is pending on no way there. It stays where the instruction uses a register
 * of what had the number before (ptxas waits there again, L774), and goes elsewhere, unless it is for an instruction that has lost its number. RF1148: a number of 5 that no rule gives. Nobody who waits
 * for something misses it by what is done here. */
#include "bits.h"
#include "leaf.h"

enum { NO_REGISTER = 0xff, SPAN = 4, UNIFORM_BIT = 91, NEAR = 16, RESULT = 16, FIRST = 24, SECOND = 32, THIRD = 64 };

static bool ref_mend_is_uniform(const uint8_t *at) {
  const unsigned opcode = ref_bits_get(at, 0, 12), to_uniform = 0x9c3;
  return ref_bits_get(at, UNIFORM_BIT, 1) != 0 || opcode == to_uniform;
}

/* Is it among those that the other field, as far as it is one, begins? */
static bool ref_mend_is_near(const uint8_t *setter, unsigned set_field, const uint8_t *user, unsigned field) {
  const unsigned set = ref_bits_get(setter, set_field, 8), used = ref_bits_get(user, field, 8);
  return set != NO_REGISTER && used != NO_REGISTER && used + 1 >= set && used < set + SPAN;
}

/* Does it read a register of the setter's result? What forms have a register in the second source: T3. */
static bool ref_mend_reads_result(const uint8_t *setter, const uint8_t *user) {
  const unsigned opcode = ref_bits_get(user, 0, 12), form = opcode >> 9, base = opcode & 0x1ff;
  const bool is_control = base >= BASE_BSYNC && base <= 0x15b;
  const bool is_register = base == BASE_BRX || base == BASE_RET || opcode == CALL_REGISTER;
  if (is_control) {
    return is_register && ref_mend_is_near(setter, RESULT, user, FIRST);
  }
  if (ref_mend_is_uniform(setter)) {
    return ref_mend_is_near(setter, RESULT, user, SECOND) || ref_bits_get(user, UNIFORM_BIT, 1) != 0;
  }
  const bool second = form == 1 || form == 4;
  return ref_mend_is_near(setter, RESULT, user, FIRST) || ref_mend_is_near(setter, RESULT, user, THIRD) ||
         (second && ref_mend_is_near(setter, RESULT, user, SECOND));
}

/* Has an instruction to wait for another one, by the registers? */
static bool ref_mend_depends(const ref_leaf *leaf, const ref_token *token, const uint8_t *user) {
  const uint8_t *setter = ref_leaf_at(leaf, token->instruction);
  const bool overwrites = ref_mend_is_near(user, RESULT, setter, FIRST) ||
                          ref_mend_is_near(user, RESULT, setter, SECOND) ||
                          ref_mend_is_near(user, RESULT, setter, THIRD);
  return token->is_read ? overwrites : ref_mend_reads_result(setter, user);
}

/* The numbers of what an instruction waits for in the input, on some way. */
static unsigned ref_mend_known_waits(const ref_leaf *leaf, size_t number) {
  const ref_indices *waits = &leaf->instructions[number].waits;
  unsigned known = 0;
  for (size_t i = 0; i < waits->count; i++) {
    known |= 1u << leaf->tokens[waits->items[i]].input;
  }
  return known;
}

/* `last`: what had each number last, on some way. */
static void ref_mend_find_again(ref_leaf *leaf, size_t number, ref_indices *last) {
  ref_leaf_instruction *instruction = &leaf->instructions[number];
  const uint8_t *at = ref_leaf_at(leaf, number);
  const unsigned waits = ref_bits_get(at, WAIT_BIT, BOARDS) & ~ref_mend_known_waits(leaf, number);
  size_t kept = 0;
  instruction->again.count = 0;
  for (size_t i = 0; i < last->count && !instruction->waits_for_all; i++) {
    const ref_token *token = &leaf->tokens[last->items[i]];
    if ((waits >> token->input & 1) != 0 && ref_mend_depends(leaf, token, at)) {
      ref_leaf_add(leaf, &instruction->again, last->items[i]);
    }
  }
  for (size_t k = 0; k < BARRIERS; k++) {
    const size_t set = instruction->tokens[k];
    kept = 0;
    for (size_t i = 0; set != REF_NONE && i < last->count; i++) {
      if (leaf->tokens[last->items[i]].input != leaf->tokens[set].input) {
        last->items[kept++] = last->items[i];
      }
    }
    if (set != REF_NONE) {
      last->count = kept;
      ref_leaf_add(leaf, last, set);
    }
  }
}

/* An instruction in front of this one, in its block, that sets no number though its result is read here, where its kind has one always. */
static size_t ref_mend_find_silent(const ref_leaf *leaf, size_t number, const uint8_t *text) {
  const size_t first = leaf->blocks[leaf->instructions[number].block].first;
  for (size_t i = number, k = 0; i-- > first && k < NEAR; k++) {
    const uint8_t *at = text + i * INSTRUCTION;
    if (i != leaf->stack_load && ref_leaf_is_ordinary(ref_bits_get(at, 0, 12)) &&
        ref_bits_get(at, WRITE_BIT, 3) == NO_BOARD && ref_mend_reads_result(at, text + number * INSTRUCTION)) {
      return i;
    }
  }
  return REF_NONE;
}

/* RF1147; `old` is the text as it was. True where an instruction has got a number. */
bool ref_leaf_mend_waits(ref_leaf *leaf, uint8_t *old) {
  ref_leaf_pass(leaf, true, ref_mend_find_again);
  for (size_t i = 0; i < leaf->count; i++) {
    const ref_leaf_instruction *instruction = &leaf->instructions[i];
    unsigned known = ref_mend_known_waits(leaf, i);
    for (size_t k = 0; k < instruction->again.count; k++) {
      known |= 1u << leaf->tokens[instruction->again.items[k]].input;
    }
    uint8_t *at = old + i * INSTRUCTION;
    const unsigned waits = ref_bits_get(at, WAIT_BIT, BOARDS), strange = waits & ~known;
    if (instruction->waits_for_all || strange == 0) {
      continue;
    }
    const size_t silent = ref_mend_find_silent(leaf, i, old);
    for (unsigned board = 0; silent != REF_NONE && board < BOARDS; board++) {
      if (strange == 1u << board) {
        ref_bits_put(old + silent * INSTRUCTION, WRITE_BIT, 3, board);
        return true;
      }
    }
    ref_bits_put(at, WAIT_BIT, BOARDS, waits & known);
  }
  return false;
}

/* The number of a token becomes another one, where it is set and where it is waited for. */
static void ref_mend_rename(const ref_leaf *leaf, size_t number, uint8_t *text) {
  const ref_token *token = &leaf->tokens[number];
  ref_bits_put(text + token->instruction * INSTRUCTION, token->is_read ? READ_BIT : WRITE_BIT, 3, token->chosen);
  for (size_t i = 0; i < leaf->count; i++) {
    const ref_indices *waits = &leaf->instructions[i].waits;
    unsigned mask = 1u << token->chosen;
    if (!ref_indices_has(waits, number) || leaf->instructions[i].waits_for_all) {
      continue;
    }
    for (size_t k = 0; k < waits->count; k++) {
      mask |= waits->items[k] == number ? 0 : 1u << leaf->tokens[waits->items[k]].input;
    }
    ref_bits_put(text + i * INSTRUCTION, WAIT_BIT, BOARDS, mask);
  }
}

/* RF1148: 5 is for what comes late or is a texture's, and where the others run out. `old` is the input, in which it is mended. */
bool ref_leaf_mend_number(ref_leaf *leaf, uint8_t *old) {
  for (size_t i = 0; i < leaf->token_count; i++) {
    const ref_token *token = &leaf->tokens[i];
    const bool may_not = token->is_read || ref_leaf_is_ordinary(ref_leaf_code(leaf, token));
    const bool was_free = (token->pending & ALL_ORDINARY) != ALL_ORDINARY;
    if (token->input == BOARD_FIVE && !token->is_explained && may_not && was_free && token->chosen <= LAST_ORDINARY) {
      ref_mend_rename(leaf, i, old);
      return true;
    }
  }
  return false;
}
