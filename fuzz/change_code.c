/* Changes of code (change.h). A finalizer reads code by rules of the compiler's and gives up a text of random bits: so an
 * instruction is one that stands elsewhere, a field is another instruction's, and a scoreboard's number changes together with its wait. */
#include "fuzz/change.h"

#include <string.h>

enum {
  CODE_BYTES = 16,
  CODE_EXECUTED = 4,
  CODE_CHANGES = 3,
  BOARDS = 6,
  BOARD_NONE = 7,
  BOARD_STALL = 105,
  BOARD_WRITE = 110,
  BOARD_READ = 113,
  BOARD_WAIT = 116,
  BOARD_CHANGES = 3
};
static const uint32_t type_text = 1;

/* Fields of an instruction of 128 bits: opcode, predicate, registers, immediate, stall, barriers, waits, reuse. */
static const uint8_t code_fields[][2] = {{0, 12},  {12, 4},  {16, 8},  {24, 8},  {32, 8},  {32, 32}, {64, 8},
                                         {72, 16}, {105, 4}, {109, 1}, {110, 3}, {113, 3}, {116, 6}, {122, 4}};

/* The code from an instruction on. */
typedef struct code_place {
  uint8_t *at;
  size_t left; /* instructions */
} code_place;

static uint32_t code_get(const uint8_t *at, unsigned first, unsigned width) {
  uint32_t value = 0;
  for (unsigned i = 0; i < width; i++)
    value |= (uint32_t)(at[(first + i) / 8] >> (first + i) % 8 & 1) << i;
  return value;
}

static void code_put(uint8_t *at, unsigned first, unsigned width, uint32_t value) {
  for (unsigned i = 0; i < width; i++) {
    const unsigned bit = first + i;
    at[bit / 8] = (uint8_t)((at[bit / 8] & ~(1u << bit % 8)) | (value >> i & 1) << bit % 8);
  }
}

static bool code_is_text(const edit_section *section) {
  return edit_get(section->head + 4, 4) == type_text && edit_get(section->head + 8, 8) & CODE_EXECUTED &&
         section->size >= CODE_BYTES;
}

/* Any instruction; `at` is NULL where the file has none. */
static code_place code_choose(const built_choices *choices, const edit_cubin *cubin) {
  const edit_section *text = NULL;
  uint32_t found = 0;
  for (size_t i = 1; i < cubin->count; i++)
    if (code_is_text(&cubin->sections[i]) && built_choose(choices, ++found) == 0)
      text = &cubin->sections[i];
  if (!text)
    return (code_place){NULL, 0};
  const size_t count = text->size / CODE_BYTES, number = built_choose(choices, (uint32_t)count);
  return (code_place){text->bytes + number * CODE_BYTES, count - number};
}

static void code_change_one(const built_choices *choices, uint8_t *to, const uint8_t *from) {
  const uint8_t *const field = code_fields[built_choose(choices, sizeof code_fields / sizeof *code_fields)];
  switch (built_choose(choices, 4)) {
  case 0:
    memmove(to, from, CODE_BYTES);
    return;
  case 1:
  case 2:
    code_put(to, field[0], field[1], code_get(from, field[0], field[1]));
    return;
  default: {
    const unsigned bit = field[0] + built_choose(choices, field[1]);
    to[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  }
}

bool fuzz_change_code(const built_choices *choices, edit_cubin *cubin) {
  for (uint32_t i = 1 + built_choose(choices, CODE_CHANGES); i > 0; i--) {
    const code_place to = code_choose(choices, cubin), from = code_choose(choices, cubin);
    if (!to.at || !from.at)
      return false;
    code_change_one(choices, to.at, from.at);
  }
  return true;
}

/* ---- scoreboards ---- */

/* The load of the stack's pointer at a kernel's beginning counts for more: the numbers of a kernel without a stack are given
 * anew behind it. */
static uint32_t boards_weight(const uint8_t *at) {
  enum { LOAD = 0xb82, POINTER = 1, STACK = 8 };
  if (code_get(at, 0, 12) == LOAD && code_get(at, 16, 8) == POINTER)
    return STACK;
  return code_get(at, BOARD_WRITE, 3) < BOARDS || code_get(at, BOARD_READ, 3) < BOARDS;
}

static code_place boards_choose(const built_choices *choices, const edit_cubin *cubin) {
  code_place chosen = {NULL, 0};
  uint32_t weight = 0;
  for (size_t i = 1; i < cubin->count; i++) {
    const edit_section *const text = &cubin->sections[i];
    const size_t count = code_is_text(text) ? text->size / CODE_BYTES : 0;
    for (size_t j = 0; j < count; j++) {
      uint8_t *const at = text->bytes + j * CODE_BYTES;
      const uint32_t own = boards_weight(at);
      weight += own;
      if (own && built_choose(choices, weight) < own)
        chosen = (code_place){at, count - j};
    }
  }
  return chosen;
}

/* The first instruction behind this one that waits for the number; `left` where there is none. */
static size_t boards_find_wait(const code_place *code, uint32_t board) {
  size_t i = 1;
  while (i < code->left && !(code_get(code->at + i * CODE_BYTES, BOARD_WAIT, BOARDS) >> board & 1))
    i++;
  return i;
}

/* Another number, here and where it is first waited for. */
static void boards_rename(const built_choices *choices, const code_place *code, unsigned field) {
  const uint32_t board = code_get(code->at, field, 3), other = built_choose(choices, BOARDS);
  const size_t place = boards_find_wait(code, board);
  if (place == code->left)
    return;
  uint8_t *const wait = code->at + place * CODE_BYTES;
  code_put(code->at, field, 3, other);
  code_put(wait, BOARD_WAIT, BOARDS, (code_get(wait, BOARD_WAIT, BOARDS) & ~(1u << board)) | 1u << other);
}

/* The wait moves to a neighbour, or to the next instruction. */
static void boards_move_wait(const built_choices *choices, const code_place *code, unsigned field) {
  const uint32_t board = code_get(code->at, field, 3);
  const size_t place = boards_find_wait(code, board);
  if (place == code->left || place == 1)
    return;
  const size_t to = built_choose(choices, 2) ? 1 : place - 1;
  uint8_t *const from = code->at + place * CODE_BYTES, *const wait = code->at + to * CODE_BYTES;
  if (built_choose(choices, 3))
    code_put(from, BOARD_WAIT, BOARDS, code_get(from, BOARD_WAIT, BOARDS) & ~(1u << board));
  code_put(wait, BOARD_WAIT, BOARDS, code_get(wait, BOARD_WAIT, BOARDS) | 1u << board);
}

static void boards_change_one(const built_choices *choices, const code_place *code) {
  const bool writes = code_get(code->at, BOARD_WRITE, 3) < BOARDS, reads = code_get(code->at, BOARD_READ, 3) < BOARDS;
  const unsigned field = !writes || (reads && built_choose(choices, 2)) ? BOARD_READ : BOARD_WRITE;
  const uint32_t what = built_choose(choices, 100);
  if (what < 35)
    boards_rename(choices, code, field);
  else if (what < 65)
    boards_move_wait(choices, code, field);
  else if (what < 90)
    code_put(code->at, BOARD_STALL, 4, 1 + built_choose(choices, 2));
  else if (what < 95)
    code_put(code->at, field, 3, BOARD_NONE);
  else
    code_put(code->at, BOARD_WAIT, BOARDS, built_choose(choices, 1u << BOARDS));
}

bool fuzz_change_boards(const built_choices *choices, edit_cubin *cubin) {
  for (uint32_t i = 1 + built_choose(choices, BOARD_CHANGES); i > 0; i--) {
    const code_place code = boards_choose(choices, cubin);
    if (!code.at)
      return false;
    boards_change_one(choices, &code);
  }
  return true;
}
