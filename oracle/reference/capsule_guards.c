/* RF1350, RF1351: what EXIT's guard waits for. Of every place in a text, for each predicate, the scoreboard numbers of what may have
 * set it last, on any way there. */
#include "bits.h"
#include "capsule.h"

enum {
  UNIT = 16,
  OPCODE_WIDTH = 12,
  BASE = 0x01ff,      /* without the form of an instruction's sources */
  PREDICATE_BIT = 81, /* of what an instruction sets */
  SECOND_BIT = 84,
  PREDICATE_WIDTH = 3,
  GUARD_BIT = 12,
  GUARD_WIDTH = 4,
  WRITE_BIT = 110,
  READ_BIT = 113,
  NUMBER_WIDTH = 3,
  WAIT_BIT = 116,
  NUMBERS = 6,
  NUMBER_SET = 0x3f,
  ALWAYS = 7,
  SET_WIDTH = 8, /* bits of a state for each predicate */
  BRANCH = 0x147,
  LABEL = 0x145,
  MEETING = 0x941, /* BSYNC */
  EXIT = 0x94d
};

typedef struct ref_guards {
  ref_bytes text;
  size_t count;
  uint64_t *states; /* before each instruction; the last of all that go on where a BSSY says */
  size_t *pending;  /* those whose state has grown */
  size_t depth;
  bool *is_pending;
} ref_guards;

static bool ref_guards_has(const uint16_t *codes, size_t size, unsigned code) {
  for (size_t i = 0; i < size / sizeof codes[0]; i++) {
    if (codes[i] == code) {
      return true;
    }
  }
  return false;
}

/* Of those that set a predicate after a while, for which others wait by a number. */
static bool ref_guards_is_late(unsigned base) {
  static const uint16_t late[] = {0x02a, 0x102, 0x11c, 0x160, 0x161, 0x163, 0x164, 0x166, 0x167,
                                  0x16c, 0x16d, 0x189, 0x18a, 0x1a1, 0x1a2, 0x1a7, 0x1a8, 0x1aa};
  return ref_guards_has(late, sizeof late, base);
}

static bool ref_guards_is_comparison(unsigned base) {
  static const uint16_t comparisons[] = {0x00b, 0x00c, 0x01c, 0x02a, 0x034};
  return ref_guards_has(comparisons, sizeof comparisons, base);
}

/* By which its predicate is waited for: the number of what it writes, and where it has none that of what it reads (RED). */
static uint64_t ref_guards_number(const uint8_t *at) {
  const unsigned written = ref_bits_get(at, WRITE_BIT, NUMBER_WIDTH), read = ref_bits_get(at, READ_BIT, NUMBER_WIDTH);
  return (uint64_t)1 << (written < NUMBERS ? written : read) & NUMBER_SET;
}

static uint64_t ref_guards_put(uint64_t state, unsigned predicate, uint64_t numbers, bool always) {
  if (predicate == ALWAYS) {
    return state;
  }
  const unsigned shift = predicate * SET_WIDTH;
  return (always ? state & ~((uint64_t)NUMBER_SET << shift) : state) | numbers << shift;
}

/* RF1351: a branch's wait changes nothing. */
static uint64_t ref_guards_behind(const uint8_t *at, uint64_t state) {
  const unsigned base = ref_bits_get(at, 0, OPCODE_WIDTH) & BASE;
  const uint64_t waits = base == BRANCH ? 0 : ref_bits_get(at, WAIT_BIT, NUMBERS);
  for (unsigned predicate = 0; predicate < ALWAYS; predicate++) {
    state &= ~(waits << predicate * SET_WIDTH);
  }
  const bool late = ref_guards_is_late(base), compares = ref_guards_is_comparison(base);
  const bool always = ref_bits_get(at, GUARD_BIT, GUARD_WIDTH) == ALWAYS;
  const uint64_t numbers = late ? ref_guards_number(at) : 0;
  if (late || compares) {
    state = ref_guards_put(state, ref_bits_get(at, PREDICATE_BIT, PREDICATE_WIDTH), numbers, always);
  }
  if (compares) {
    state = ref_guards_put(state, ref_bits_get(at, SECOND_BIT, PREDICATE_WIDTH), numbers, always);
  }
  return state;
}

static void ref_guards_flow(ref_guards *guards, size_t number, uint64_t state) {
  if (number > guards->count || (guards->states[number] | state) == guards->states[number]) {
    return;
  }
  guards->states[number] |= state;
  if (!guards->is_pending[number]) {
    guards->is_pending[number] = true;
    guards->pending[guards->depth++] = number;
  }
}

static unsigned ref_guards_base(const ref_guards *guards, size_t number) {
  return ref_bits_get(guards->text.data + number * UNIT, 0, OPCODE_WIDTH) & BASE;
}

static void ref_guards_flow_met(ref_guards *guards) {
  for (size_t i = 0; i < guards->count; i++) {
    if (ref_guards_base(guards, i) == LABEL) {
      ref_guards_flow(guards, ref_known_target(&guards->text, i), guards->states[guards->count]);
    }
  }
}

static void ref_guards_step(ref_guards *guards, size_t number) {
  if (number == guards->count) {
    ref_guards_flow_met(guards);
    return;
  }
  const uint8_t *at = guards->text.data + number * UNIT;
  const unsigned opcode = ref_bits_get(at, 0, OPCODE_WIDTH), base = opcode & BASE;
  const uint64_t state = ref_guards_behind(at, guards->states[number]);
  const bool ends = (base == BRANCH && ref_bits_get(at, 87, 4) == ALWAYS) || opcode == EXIT;
  if (base == BRANCH) {
    ref_guards_flow(guards, ref_known_target(&guards->text, number), state);
  } else if (opcode == MEETING) {
    ref_guards_flow(guards, guards->count, state);
  }
  if (number + 1 < guards->count && !(ends && ref_bits_get(at, GUARD_BIT, GUARD_WIDTH) == ALWAYS)) {
    ref_guards_flow(guards, number + 1, state);
  }
}

/* A state is one set of SET_WIDTH bits for each predicate, and one more behind the last instruction's. */
uint64_t *ref_guards_of(ref_link *link, const ref_bytes *text) {
  const size_t count = text->size / UNIT;
  ref_guards guards = {.text = *text, .count = count};
  guards.states = REF_TAKE(link, uint64_t, count + 1);
  guards.pending = REF_TAKE(link, size_t, count + 1);
  guards.is_pending = REF_TAKE(link, bool, count + 1);
  for (size_t i = 0; i < count; i++) { /* what sets predicates by a number begins it */
    const uint8_t *at = text->data + i * UNIT;
    if (ref_guards_behind(at, 0) != 0 && !guards.is_pending[i]) {
      guards.is_pending[i] = true;
      guards.pending[guards.depth++] = i;
    }
    while (guards.depth > 0) {
      const size_t number = guards.pending[--guards.depth];
      guards.is_pending[number] = false;
      ref_guards_step(&guards, number);
    }
  }
  return guards.states;
}

/* Of the numbers that this instruction waits for those that its guard needs. */
uint64_t ref_guards_waits(const uint8_t *at, uint64_t state) {
  const unsigned predicate = ref_bits_get(at, GUARD_BIT, PREDICATE_WIDTH);
  return predicate == ALWAYS ? 0 : ref_bits_get(at, WAIT_BIT, NUMBERS) & state >> predicate * SET_WIDTH;
}
