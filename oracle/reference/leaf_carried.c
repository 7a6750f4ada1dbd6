/* L1832: a wait of the input for a number that several new ones stand for. What an instruction of the last round of a loop, or of another block,
 * still reads is waited for where it is first written, if the wait has something else to wait for and every instruction between is known. */
#include "bits.h"
#include "leaf.h"

enum {
  NO_REGISTER = 0xff,
  SIZE_BIT = 73,
  RESULT = 16,
  ADDRESS = 24,
  DATA = 32,
  UNIFORM_ADDRESS = 64,
  BASE_MASK = 0x1ff,
  FIRST_UNIFORM = 0x80,
  LAST_UNIFORM = 0xbf,
  MOST_SPANS = 3
};

/* Registers one behind the other; none: count 0. */
typedef struct ref_carried_span {
  bool is_uniform;
  unsigned first, count;
} ref_carried_span;

typedef struct ref_carried_reads {
  size_t count;
  ref_carried_span spans[MOST_SPANS];
} ref_carried_reads;

static bool ref_carried_is_in(const uint16_t *codes, size_t count, unsigned code) {
  bool is_in = false;
  for (size_t i = 0; i < count; i++) {
    is_in = is_in || codes[i] == code;
  }
  return is_in;
}

#define REF_CARRIED_HAS(table, code) ref_carried_is_in(table, sizeof(table) / sizeof(table)[0], code)

static unsigned ref_carried_width(const uint8_t *at) {
  const unsigned size = ref_bits_get(at, SIZE_BIT, 3);
  return size < 5 ? 1 : size == 5 ? 2 : size == 6 ? 4 : 8;
}

/* What a store reads: data, address, and what the address counts from. False where it is not known. */
static bool ref_carried_find_reads(const uint8_t *at, ref_carried_reads *reads) {
  static const uint16_t wide[] = {0x385, 0x386, 0x985, 0x986}, narrow[] = {0x387, 0x388, 0x987, 0x988};
  const unsigned opcode = ref_bits_get(at, 0, 12);
  const bool is_wide = REF_CARRIED_HAS(wide, opcode);
  if (!is_wide && !REF_CARRIED_HAS(narrow, opcode)) {
    return false;
  }
  reads->count = MOST_SPANS;
  reads->spans[0] = (ref_carried_span){.first = ref_bits_get(at, ADDRESS, 8), .count = is_wide ? 2 : 1};
  reads->spans[1] = (ref_carried_span){.first = ref_bits_get(at, DATA, 8), .count = ref_carried_width(at)};
  reads->spans[2] =
      (ref_carried_span){.is_uniform = true, .first = ref_bits_get(at, UNIFORM_ADDRESS, 8), .count = is_wide ? 2 : 1};
  return true;
}

/* What else than a store sets a read barrier for: the operand of a conversion, of a shuffle, addresses and data of loads and atomics. */
static bool ref_carried_find_operands(const uint8_t *at, ref_carried_reads *reads) {
  enum { FIRST_CONVERSION = 0x300, FIRST_WIDE = 0x310, LAST_CONVERSION = 0x312 };
  static const uint16_t shuffles[] = {0x389, 0x589, 0x989, 0xf89}, lanes[] = {0x389, 0x589}, masks[] = {0x389, 0x989};
  static const uint16_t short_loads[] = {0x983, 0x984, 0xb82}, loads[] = {0x980, 0x981, 0x983, 0x984, 0xb82};
  static const uint16_t atomics[] = {0x38c, 0x98c, 0x9a8, 0x9a2, 0x98e}, exchanges[] = {0x38d, 0x58d, 0x3a9};
  const unsigned opcode = ref_bits_get(at, 0, 12);
  const bool is_load = REF_CARRIED_HAS(loads, opcode), is_shuffle = REF_CARRIED_HAS(shuffles, opcode);
  const bool is_exchange = REF_CARRIED_HAS(exchanges, opcode), is_atomic = REF_CARRIED_HAS(atomics, opcode);
  const bool is_conversion = opcode >= FIRST_CONVERSION && opcode <= LAST_CONVERSION;
  const bool has_second = is_conversion || is_exchange || is_atomic || REF_CARRIED_HAS(lanes, opcode);
  const bool has_third = is_exchange || REF_CARRIED_HAS(masks, opcode);
  const unsigned one = is_conversion ? (opcode >= FIRST_WIDE ? 2 : 1) : is_shuffle ? 1 : 2;
  const unsigned address = is_conversion ? 0 : is_shuffle || REF_CARRIED_HAS(short_loads, opcode) ? 1 : 2;
  reads->count = MOST_SPANS;
  reads->spans[0] = (ref_carried_span){.first = ref_bits_get(at, ADDRESS, 8), .count = address};
  reads->spans[1] = (ref_carried_span){.first = ref_bits_get(at, DATA, 8), .count = has_second ? one : 0};
  reads->spans[2] = (ref_carried_span){.first = ref_bits_get(at, UNIFORM_ADDRESS, 8), .count = has_third ? one : 0};
  if (is_load || is_atomic) {
    reads->spans[2] = (ref_carried_span){
        .is_uniform = true, .first = ref_bits_get(at, is_load ? DATA : UNIFORM_ADDRESS, 8), .count = 2};
  }
  return is_conversion || is_shuffle || is_load || is_exchange || is_atomic;
}

/* What an instruction writes. False where it is not known. */
static bool ref_carried_find_result(const uint8_t *at, ref_carried_span *result) {
  static const uint16_t singles[] = {0x002, 0x007, 0x008, 0x009, 0x010, 0x011, 0x012, 0x016, 0x017, 0x019,
                                     0x020, 0x021, 0x023, 0x024, 0x027, 0x030, 0x031, 0x032, 0x108, 0x119,
                                     0x082, 0x086, 0x087, 0x090, 0x091, 0x092, 0x099, 0x0a4};
  static const uint16_t pairs[] = {0x025, 0x028, 0x029, 0x02b};
  static const uint16_t loads[] = {0x980, 0x981, 0x983, 0x984, 0xb82, 0x7ac};
  static const uint16_t nothing[] = {0x00b, 0x00c, 0x02a, 0x08c, 0x185, 0x186, 0x187,
                                     0x188, 0x141, 0x145, 0x147, 0x14d, 0x118};
  const unsigned opcode = ref_bits_get(at, 0, 12), base = opcode & BASE_MASK;
  const bool is_load = REF_CARRIED_HAS(loads, opcode), is_single = REF_CARRIED_HAS(singles, base);
  const bool is_pair = REF_CARRIED_HAS(pairs, base), is_uniform = base >= FIRST_UNIFORM && base <= LAST_UNIFORM;
  const unsigned width = is_load ? ref_carried_width(at) : is_pair ? 2 : is_single ? 1 : 0;
  *result = (ref_carried_span){
      .is_uniform = is_uniform || opcode == 0x7ac, .first = ref_bits_get(at, RESULT, 8), .count = width};
  return width > 0 || REF_CARRIED_HAS(nothing, base);
}

static bool ref_carried_meets(const ref_carried_span *one, const ref_carried_span *other) {
  return one->is_uniform == other->is_uniform && one->first != NO_REGISTER && other->first != NO_REGISTER &&
         one->first < other->first + other->count && other->first < one->first + one->count;
}

/* RF1397: the same, and of more instructions: conversions, shuffles, votes. */
static bool ref_carried_find_any_result(const uint8_t *at, ref_carried_span *result) {
  enum { FIRST_CONVERSION = 0x100, FIRST_WIDE = 0x110, LAST_CONVERSION = 0x112 };
  static const uint16_t singles[] = {0x006, 0x036, 0x03e, 0x045, 0x048, 0x076, 0x189},
                        nothing[] = {0x004, 0x01c, 0x11d};
  const unsigned base = ref_bits_get(at, 0, 9), to_uniform = 0x9c3;
  const bool is_conversion = base >= FIRST_CONVERSION && base <= LAST_CONVERSION;
  if (is_conversion || REF_CARRIED_HAS(singles, base)) {
    *result = (ref_carried_span){.first = ref_bits_get(at, RESULT, 8),
                                 .count = is_conversion && base >= FIRST_WIDE - 1 ? 2 : 1};
    return true;
  }
  if (ref_bits_get(at, 0, 12) == to_uniform) {
    *result = (ref_carried_span){.is_uniform = true, .first = ref_bits_get(at, RESULT, 8), .count = 1};
    return true;
  }
  if (REF_CARRIED_HAS(nothing, base)) {
    *result = (ref_carried_span){.count = 0};
    return true;
  }
  return ref_carried_find_result(at, result);
}

/* RF1397: does an instruction write what the setter of a read barrier reads? True where that is not known. */
bool ref_leaf_overwrites(const ref_leaf *leaf, const ref_token *token, size_t number) {
  const uint8_t *setter = ref_leaf_at(leaf, token->instruction);
  ref_carried_reads reads;
  ref_carried_span result;
  if ((!ref_carried_find_reads(setter, &reads) && !ref_carried_find_operands(setter, &reads)) ||
      !ref_carried_find_any_result(ref_leaf_at(leaf, number), &result)) {
    return true;
  }
  bool meets = false;
  for (size_t i = 0; i < reads.count; i++) {
    meets = meets || (reads.spans[i].count > 0 && result.count > 0 && ref_carried_meets(&reads.spans[i], &result));
  }
  return meets;
}

/* RF1398: who writes each register, and whose result is not known. */
void ref_leaf_note_writers(ref_leaf *leaf) {
  leaf->notes->strange[leaf->count] = REF_NONE;
  for (size_t i = 0; i < leaf->count; i++) {
    ref_carried_span result;
    const bool is_known = ref_carried_find_any_result(ref_leaf_at(leaf, i), &result);
    leaf->notes->strange[i] = is_known ? REF_NONE : i;
    for (unsigned k = 0; is_known && k < result.count && result.first + k <= NO_REGISTER; k++) {
      const size_t number = result.first + k + (result.is_uniform ? NO_REGISTER + 1 : 0);
      if (result.first != NO_REGISTER) {
        ref_leaf_add(leaf, &leaf->notes->writers[number], i);
      }
    }
  }
  for (size_t i = leaf->count; i-- > 0;) {
    leaf->notes->strange[i] = leaf->notes->strange[i] == i ? i : leaf->notes->strange[i + 1];
  }
}

/* The first instruction from one on that writes a register of them. */
static size_t ref_carried_find_next(const ref_leaf *leaf, const ref_carried_span *span, size_t from) {
  size_t first = REF_NONE;
  for (unsigned k = 0; span->first != NO_REGISTER && k < span->count && span->first + k <= NO_REGISTER; k++) {
    const size_t number = span->first + k + (span->is_uniform ? NO_REGISTER + 1 : 0);
    const size_t next = ref_leaf_find_from(&leaf->notes->writers[number], from);
    first = next < first ? next : first;
  }
  return first;
}

/* RF1397: is it known who of the block, from one instruction on, writes that first? */
bool ref_leaf_knows_writer(const ref_leaf *leaf, const ref_token *token, size_t from) {
  const size_t last = leaf->blocks[leaf->instructions[from].block].last;
  const uint8_t *setter = ref_leaf_at(leaf, token->instruction);
  ref_carried_reads reads;
  size_t writer = REF_NONE;
  if (!ref_carried_find_reads(setter, &reads) && !ref_carried_find_operands(setter, &reads)) {
    return leaf->notes->strange[from] != from;
  }
  for (size_t i = 0; i < reads.count; i++) {
    const size_t next = ref_carried_find_next(leaf, &reads.spans[i], from);
    writer = next < writer ? next : writer;
  }
  return writer <= last && writer < leaf->notes->strange[from];
}

/* The first instruction of the block, from one on, that writes what is read; REF_NONE where that is not known. */
static size_t ref_carried_find_writer(const ref_leaf *leaf, size_t from, const ref_carried_reads *reads) {
  const size_t last = leaf->blocks[leaf->instructions[from].block].last;
  ref_carried_span result;
  for (size_t i = from; i <= last && ref_carried_find_result(ref_leaf_at(leaf, i), &result); i++) {
    ref_leaf_spend(leaf, 1);
    for (size_t k = 0; k < reads->count; k++) {
      if (ref_carried_meets(&reads->spans[k], &result)) {
        return i;
      }
    }
  }
  return REF_NONE;
}

/* Set in another block, or in a round before. */
static bool ref_carried_is_old(const ref_leaf *leaf, const ref_token *token, size_t number) {
  return leaf->instructions[token->instruction].block != leaf->instructions[number].block ||
         token->instruction >= number;
}

/* Has the wait something else to wait for, by the same number in the input and by another one now; and is the number its own in its block? */
static bool ref_carried_may_move(const ref_leaf *leaf, size_t number, size_t index) {
  const ref_token *token = &leaf->tokens[index];
  const ref_indices *waits = &leaf->instructions[number].waits;
  ref_leaf_spend(leaf, waits->count);
  bool has_other = false, is_own = true;
  for (size_t i = 0; i < waits->count; i++) {
    const ref_token *other = &leaf->tokens[waits->items[i]];
    if (waits->items[i] == index || other->input != token->input || other->is_dropped) {
      continue;
    }
    const bool same_block =
        leaf->instructions[other->instruction].block == leaf->instructions[token->instruction].block;
    is_own = is_own && !(same_block && ref_carried_is_old(leaf, other, number));
    has_other = has_other || (other->output != token->output && ref_leaf_uses(leaf, other, number));
  }
  return has_other && is_own;
}

static bool ref_carried_move(ref_leaf *leaf, size_t number, size_t index) {
  const ref_token *token = &leaf->tokens[index];
  ref_carried_reads reads;
  if (!token->is_read || token->is_dropped || !ref_carried_is_old(leaf, token, number) ||
      !ref_carried_find_reads(ref_leaf_at(leaf, token->instruction), &reads) || ref_leaf_is_spent(leaf) ||
      !ref_carried_may_move(leaf, number, index)) {
    return false;
  }
  const size_t writer = ref_carried_find_writer(leaf, number, &reads);
  const bool same_block = leaf->instructions[token->instruction].block == leaf->instructions[number].block;
  if (writer == REF_NONE || writer == number || (same_block && writer >= token->instruction)) {
    return false;
  }
  if (!ref_indices_has(&leaf->instructions[writer].waits, index)) {
    ref_leaf_add(leaf, &leaf->instructions[writer].waits, index);
  }
  return true;
}

/* True where a wait has moved; the numbers are then given again. */
bool ref_leaf_move_carried(ref_leaf *leaf) {
  bool any = false;
  for (size_t i = 0; i < leaf->count; i++) {
    ref_indices *waits = &leaf->instructions[i].waits;
    size_t kept = 0;
    const size_t count = leaf->instructions[i].waits_for_all ? 0 : waits->count;
    for (size_t k = 0; k < count; k++) {
      const size_t token = waits->items[k];
      if (ref_carried_move(leaf, i, token)) {
        any = true;
      } else {
        waits->items[kept++] = token;
      }
    }
    waits->count = leaf->instructions[i].waits_for_all ? waits->count : kept;
  }
  return any;
}
