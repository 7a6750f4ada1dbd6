/* L871, RF144: one Mercury instruction may make several SASS instructions, of which nvlink knows one by the decoded place, sometimes two:
 * the access that fences are for, what -O0 code wraps in a WARPSYNC. A range that begins behind a place begins directly in front of what
 * nvlink knows next in the same basic block. */
#include "capsule.h"
#include "relocation_table.h"

enum {
  UNIT = 16,
  OPCODE = 0xfff,
  BASE = 0x1ff,
  ZERO_REGISTER = 0xff,
  RESULT_AT = 2, /* the byte of an instruction that names its result */
  LDS = 0x984,
  MEMBAR = 0x992,
  ERRBAR = 0x9ab,
  CGAERRBAR = 0x5ab,
  CCTL = 0x98f,
  CLUSTER_ARRIVE = 0x9c7,
  SYNCS_FENCE = 0x3c6,
  NOP = 0x918,
  CONVERGE_REGISTER = 0x348,
  CONVERGE = 0x948,
  WARP_MATCH = 0x31d,
  BASE_BRANCH = 0x147,
  BASE_LABEL = 0x145,
  TARGET_UNIT = 4
};

static unsigned ref_known_opcode(const ref_bytes *text, size_t number) {
  return number < text->size / UNIT ? ref_u16(text->data + number * UNIT) & OPCODE : 0;
}

static bool ref_known_is_one_of(unsigned opcode, const uint16_t *opcodes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (opcodes[i] == opcode) {
      return true;
    }
  }
  return false;
}

/* --- one Mercury instruction --- */

static bool ref_known_is_fence(const ref_bytes *text, size_t number) {
  static const uint16_t fences[] = {MEMBAR, ERRBAR, CGAERRBAR};
  const unsigned opcode = ref_known_opcode(text, number);
  return ref_known_is_one_of(opcode, fences, sizeof fences / sizeof fences[0]) ||
         (opcode == LDS && text->data[number * UNIT + RESULT_AT] == ZERO_REGISTER);
}

/* The access behind fences; where none follows the last MEMBAR of them; without one the first instruction. */
static size_t ref_known_behind_fences(const ref_bytes *text, size_t first, size_t end) {
  static const uint16_t no_access[] = {CCTL, CLUSTER_ARRIVE, SYNCS_FENCE, NOP};
  size_t at = first, barrier = first;
  for (; at < end && ref_known_is_fence(text, at); at++) {
    barrier = ref_known_opcode(text, at) == MEMBAR ? at : barrier;
  }
  const bool has_access =
      at < end && !ref_known_is_one_of(ref_known_opcode(text, at), no_access, sizeof no_access / sizeof no_access[0]);
  return has_access ? at : barrier;
}

/* What stands within a WARPSYNC: 0x31d, or nothing. */
static size_t ref_known_match(const ref_bytes *text, size_t first, size_t count) {
  for (size_t i = first; i < first + count; i++) {
    if (ref_known_opcode(text, i) == WARP_MATCH) {
      return i;
    }
  }
  return REF_NONE;
}

size_t ref_known_of(const ref_bytes *text, size_t first, size_t count) {
  const unsigned opcode = ref_known_opcode(text, first);
  const size_t match = opcode == CONVERGE ? ref_known_match(text, first, count) : REF_NONE;
  if (count < 2) {
    return first;
  }
  if (match != REF_NONE) {
    return match;
  }
  if (opcode == CONVERGE_REGISTER || opcode == SYNCS_FENCE) {
    return first + 1;
  }
  return ref_known_is_fence(text, first) ? ref_known_behind_fences(text, first, first + count) : first;
}

/* The second one of the same place, or REF_NONE. */
static size_t ref_known_second(const ref_bytes *text, size_t first, size_t count) {
  const bool has_second =
      count > 1 && ref_known_opcode(text, first) == CONVERGE && ref_known_match(text, first, count) == REF_NONE;
  return has_second ? ref_known_behind_fences(text, first + 1, first + count) : REF_NONE;
}

/* By what a block goes on with a place: what is known behind fences, else the first. */
static size_t ref_known_entered(const ref_bytes *text, size_t first, size_t count) {
  return count > 1 && ref_known_is_fence(text, first) ? ref_known_of(text, first, count) : first;
}

/* --- basic blocks --- */

static bool ref_known_ends_block(const ref_bytes *text, size_t number) {
  static const uint16_t ends[] = {0x941, 0x95c, 0x801, 0x91b, 0x94d}; /* BSYNC, BPT, PMTRIG, EXIT */
  static const uint16_t branches[] = {0x143, 0x144, 0x147, 0x149,
                                      0x14a, 0x14d, 0x150, 0x158}; /* calls and returns, too */
  const unsigned opcode = ref_known_opcode(text, number), base = opcode & BASE;
  return ref_known_is_one_of(opcode, ends, sizeof ends / sizeof ends[0]) ||
         (base >= branches[0] && ref_known_is_one_of(base, branches, sizeof branches / sizeof branches[0]));
}

/* Where a branch or a BSSY goes: the number of an instruction, or REF_NONE. */
size_t ref_known_target(const ref_bytes *text, size_t number) {
  static const ref_field low = {16, 8, REF_FROM_ABS}, high = {34, 48, REF_FROM_ABS}, label = {34, 30, REF_FROM_ABS};
  const uint8_t *instruction = text->data + number * UNIT;
  const unsigned base = ref_known_opcode(text, number) & BASE;
  if (base != BASE_BRANCH && base != BASE_LABEL) {
    return REF_NONE;
  }
  const unsigned width = base == BASE_LABEL ? label.width : low.width + high.width;
  uint64_t distance = base == BASE_LABEL ? ref_field_read(&label, instruction, UNIT, 0)
                                         : ref_field_read(&low, instruction, UNIT, 0) |
                                               ref_field_read(&high, instruction, UNIT, 0) << low.width;
  distance |= (distance >> (width - 1) & 1) != 0 ? UINT64_MAX << width : 0;
  const uint64_t target = (number + 1) * UNIT + distance * TARGET_UNIT;
  return target < text->size ? (size_t)(target / UNIT) : REF_NONE;
}

/* By instruction: whether control comes there from elsewhere. */
bool *ref_known_block_begins(ref_link *link, const ref_bytes *text) {
  const size_t count = text->size / UNIT;
  bool *begins = REF_TAKE(link, bool, count + 1);
  for (size_t i = 0; i < count; i++) {
    const size_t target = ref_known_target(text, i);
    if (target != REF_NONE) {
      begins[target] = true;
    }
  }
  return begins;
}

size_t ref_known_behind(const ref_bytes *text, const bool *begins, const ref_known_place *place,
                        const ref_known_place *next) {
  const size_t second = ref_known_second(text, place->first, place->count);
  if (second != REF_NONE) {
    return second - 1;
  }
  const bool ends =
      next->count == 0 || ref_known_ends_block(text, place->first + place->count - 1) || begins[next->first];
  return (ends ? next->first : ref_known_entered(text, next->first, next->count)) - 1;
}
