/* Other scoreboards in the code of a cubin: what an instruction sets and who waits for it, stalls beside them. A number is given
 * anew together with its wait, so that the code stays one that a compiler could write; who reads code by rules of the
 * compiler's, as the finalizer of capsules does, goes on in it where he would give up a text of random bits. */
#include "tests/faults/hunt.h"

#include "tools/gen_random.h"

#include <string.h>

enum {
  BOARDS_BYTES = 16,
  BOARDS_EXECUTED = 4,
  BOARDS = 6,
  BOARDS_NONE = 7,
  BOARDS_STALL = 105,
  BOARDS_WRITE = 110,
  BOARDS_READ = 113,
  BOARDS_WAIT = 116,
  BOARDS_CHANGES = 3,
  BOARDS_STACK_LOAD = 0xb82, /* of a constant; into R1 at a kernel's beginning */
  BOARDS_STACK = 1
};

/* The code from an instruction on. */
typedef struct boards_code {
  uint8_t *at;
  uint64_t left; /* instructions */
} boards_code;

static unsigned boards_get(const uint8_t *at, unsigned first, unsigned width) {
  unsigned value = 0;
  for (unsigned i = 0; i < width; i++)
    value |= (unsigned)(at[(first + i) / 8] >> (first + i) % 8 & 1) << i;
  return value;
}

static void boards_put(uint8_t *at, unsigned first, unsigned width, unsigned value) {
  for (unsigned i = 0; i < width; i++) {
    const unsigned bit = first + i;
    at[bit / 8] = (uint8_t)((at[bit / 8] & ~(1u << bit % 8)) | (value >> i & 1) << bit % 8);
  }
}

/* R1's load counts for more, since the numbers of a kernel without a stack are given anew behind it. */
static uint32_t boards_weight(const uint8_t *at) {
  enum { STACK = 8 };
  const bool load = boards_get(at, 0, 12) == BOARDS_STACK_LOAD && boards_get(at, 16, 8) == BOARDS_STACK;
  const bool sets = boards_get(at, BOARDS_WRITE, 3) < BOARDS || boards_get(at, BOARDS_READ, 3) < BOARDS;
  return load ? STACK : sets;
}

static boards_code boards_choose(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  boards_code chosen = {0};
  uint32_t weight = 0;
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *const text = &cubin->sections[i];
    const uint64_t count = text->flags & BOARDS_EXECUTED && text->data ? text->size / BOARDS_BYTES : 0;
    for (uint64_t j = 0; j < count; j++) {
      uint8_t *const at = bytes + text->offset + j * BOARDS_BYTES;
      const uint32_t own = boards_weight(at);
      weight += own;
      if (own && gen_random_below(random, weight) < own)
        chosen = (boards_code){at, count - j};
    }
  }
  return chosen;
}

/* The first instruction behind this one that waits for the number; `left` where there is none. */
static uint64_t boards_find_wait(const boards_code *code, unsigned board) {
  uint64_t i = 1;
  while (i < code->left && !(boards_get(code->at + i * BOARDS_BYTES, BOARDS_WAIT, BOARDS) >> board & 1))
    i++;
  return i;
}

/* Another number, here and where it is first waited for. */
static void boards_rename(const boards_code *code, gen_random *random, unsigned field) {
  const unsigned board = boards_get(code->at, field, 3), other = gen_random_below(random, BOARDS);
  const uint64_t place = boards_find_wait(code, board);
  if (place == code->left)
    return;
  uint8_t *const wait = code->at + place * BOARDS_BYTES;
  const unsigned waits = boards_get(wait, BOARDS_WAIT, BOARDS) & ~(1u << board);
  boards_put(code->at, field, 3, other);
  boards_put(wait, BOARDS_WAIT, BOARDS, waits | 1u << other);
}

/* The wait moves to a neighbour, or to the next instruction. */
static void boards_move_wait(const boards_code *code, gen_random *random, unsigned field) {
  const unsigned board = boards_get(code->at, field, 3);
  const uint64_t place = boards_find_wait(code, board);
  if (place == code->left || place == 1)
    return;
  const uint64_t to = gen_random_percent(random, 50) ? 1 : place - 1;
  uint8_t *const from = code->at + place * BOARDS_BYTES, *const wait = code->at + to * BOARDS_BYTES;
  if (gen_random_percent(random, 60))
    boards_put(from, BOARDS_WAIT, BOARDS, boards_get(from, BOARDS_WAIT, BOARDS) & ~(1u << board));
  boards_put(wait, BOARDS_WAIT, BOARDS, boards_get(wait, BOARDS_WAIT, BOARDS) | 1u << board);
}

static void boards_change_one(const boards_code *code, gen_random *random) {
  const bool reads = boards_get(code->at, BOARDS_WRITE, 3) >= BOARDS ||
                     (boards_get(code->at, BOARDS_READ, 3) < BOARDS && gen_random_percent(random, 50));
  const unsigned field = reads ? BOARDS_READ : BOARDS_WRITE;
  const uint32_t what = gen_random_below(random, 100);
  if (boards_get(code->at, field, 3) >= BOARDS)
    return;
  if (what < 35)
    boards_rename(code, random, field);
  else if (what < 65)
    boards_move_wait(code, random, field);
  else if (what < 90)
    boards_put(code->at, BOARDS_STALL, 4, 1 + gen_random_below(random, 2));
  else if (what < 95)
    boards_put(code->at, field, 3, BOARDS_NONE);
  else
    boards_put(code->at, BOARDS_WAIT, BOARDS, gen_random_below(random, 1u << BOARDS));
}

static void boards_change_some(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  const uint32_t changes = 1 + gen_random_below(random, BOARDS_CHANGES);
  for (uint32_t i = 0; i < changes; i++) {
    const boards_code code = boards_choose(cubin, random, bytes);
    if (code.at)
      boards_change_one(&code, random);
  }
}

void hunt_boards_change(gen_random *random, const char *from, const char *to) {
  hunt_input_change(random, from, to, boards_change_some);
}
