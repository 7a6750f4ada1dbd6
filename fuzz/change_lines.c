/* Changes of line programs (change.h): steps that compilers do not write (fixed advances, the constant one, operations that nobody
 * knows, numbers of two bytes). What is drawn byte by byte seldom leaves a program that can still be read. */
#include "fuzz/change.h"

#include <string.h>

enum {
  LINES_STEPS = 4096,
  LINES_CHANGES = 3,
  LINES_PROGRAM = 10, /* the header's length counts from here */
  LINES_LENGTH_AT = 6,
  LINES_FIRST_AT = 10, /* smallest instruction, default, line base, line range, first special */
  LINES_HEADER = 28,
  LINES_FIXED = 9
};

/* A unit of a table. */
typedef struct lines_unit {
  uint8_t *bytes;
  size_t size, program;
} lines_unit;

#define CHOOSE(choices, table) (table)[built_choose(choices, (uint32_t)(sizeof(table) / sizeof *(table)))]

static bool lines_is_table(const edit_cubin *cubin, const edit_section *section) {
  const char *const name = edit_section_name(cubin, section);
  return section->size && strstr(name, "debug_line") && !strstr(name, "rela");
}

/* One unit of one table; false where the file has none that can be read. */
static bool lines_choose(const built_choices *choices, const edit_cubin *cubin, lines_unit *unit) {
  uint32_t count = 0;
  for (size_t i = 1; i < cubin->count; i++) {
    const edit_section *const table = &cubin->sections[i];
    for (size_t at = 0; lines_is_table(cubin, table) && table->size - at >= LINES_HEADER;) {
      uint8_t *const start = table->bytes + at;
      const uint64_t size = edit_get(start, 4) + 4, program = edit_get(start + LINES_LENGTH_AT, 4) + LINES_PROGRAM;
      if (size > table->size - at || program >= size)
        break;
      if (built_choose(choices, ++count) == 0)
        *unit = (lines_unit){start, (size_t)size, (size_t)program};
      at += (size_t)size;
    }
  }
  return unit->bytes != NULL;
}

static size_t lines_number_size(const lines_unit *unit, size_t at) {
  size_t size = 1;
  while (at + size < unit->size && unit->bytes[at + size - 1] & 0x80)
    size++;
  return size;
}

/* The bytes of the step at a place; at the end as many as there are. */
static size_t lines_step_size(const lines_unit *unit, size_t at) {
  static const uint8_t operands[] = {0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1};
  const uint8_t code = unit->bytes[at];
  size_t size = 1;
  if (code == 0 && at + 1 < unit->size)
    size += lines_number_size(unit, at + 1) + unit->bytes[at + 1];
  else if (code == LINES_FIXED)
    size += 2;
  else if (code < sizeof operands && operands[code] && at + 1 < unit->size)
    size += lines_number_size(unit, at + 1);
  return size < unit->size - at ? size : unit->size - at;
}

static size_t lines_choose_step(const built_choices *choices, const lines_unit *unit) {
  size_t chosen = unit->program;
  uint32_t count = 0;
  for (size_t at = unit->program; at < unit->size && count < LINES_STEPS; at += lines_step_size(unit, at))
    if (built_choose(choices, ++count) == 0)
      chosen = at;
  return chosen;
}

static void lines_change_short(const built_choices *choices, uint8_t *step) {
  static const uint8_t plain[] = {1, 6, 7, 8, 8, 8, 10, 11, 13, 14, 255};
  const uint32_t number = built_choose(choices, 2 * sizeof plain);
  *step = number < sizeof plain ? plain[number] : (uint8_t)built_choose(choices, 256);
}

/* An operation and its number, of one byte or two. */
static void lines_change_number(const built_choices *choices, uint8_t *step, size_t size) {
  static const uint8_t codes[] = {2, 2, 3, 3, 4, 5, 12};
  static const uint8_t numbers[] = {0, 1, 2, 4, 16, 32, 0x3f, 0x40, 0x7f};
  if (built_choose(choices, 2))
    step[0] = CHOOSE(choices, codes);
  if (built_choose(choices, 3))
    step[size - 1] = CHOOSE(choices, numbers);
}

static void lines_change_extended(const built_choices *choices, uint8_t *step, size_t size) {
  static const uint8_t codes[] = {1, 2, 3, 4, 0x80, 0x90, 0x91, 0x92};
  if (size > 2 && built_choose(choices, 5) < 2) {
    step[2] = CHOOSE(choices, codes);
  } else if (size > 2) {
    const uint32_t at = built_choose(choices, (uint32_t)(size - 2));
    step[2 + at] = (uint8_t)(step[2 + at] + 1 + built_choose(choices, 3));
  } else {
    step[size - 1] = (uint8_t)built_choose(choices, 16);
  }
}

/* Fixed advances have three bytes: those of a longer number, or of a shorter step and the next one. */
static void lines_put_fixed(const built_choices *choices, const lines_unit *unit, size_t at) {
  static const uint8_t advances[] = {0, 1, 4, 15, 16, 32, 0x80, 0xff};
  if (unit->size - at < 3)
    return;
  unit->bytes[at] = LINES_FIXED;
  unit->bytes[at + 1] = CHOOSE(choices, advances);
  unit->bytes[at + 2] = built_choose(choices, 8) == 0;
}

static void lines_change_step(const built_choices *choices, const lines_unit *unit) {
  const size_t at = lines_choose_step(choices, unit), size = lines_step_size(unit, at);
  uint8_t *const step = unit->bytes + at;
  if (size <= 3 && step[0] != 0 && built_choose(choices, 100) < (size == 3 ? 60u : 15u))
    lines_put_fixed(choices, unit, at);
  else if (size == 1)
    lines_change_short(choices, step);
  else if (step[0] == 0)
    lines_change_extended(choices, step, size);
  else
    lines_change_number(choices, step, size);
}

static void lines_change_header(const built_choices *choices, const lines_unit *unit) {
  static const uint8_t numbers[] = {0, 1, 2, 4, 9, 10, 13, 14, 16, 0x80, 0xf6, 0xff};
  uint8_t *const at = unit->bytes + LINES_FIRST_AT + built_choose(choices, LINES_HEADER - LINES_FIRST_AT);
  if (built_choose(choices, 5) < 2)
    *at = (uint8_t)(*at + 1 - 2 * (int)built_choose(choices, 2));
  else
    *at = CHOOSE(choices, numbers);
}

void fuzz_change_line_unit(const built_choices *choices, uint8_t *bytes, size_t size, size_t program) {
  const lines_unit unit = {bytes, size, program};
  if (built_choose(choices, 100) < 15)
    lines_change_header(choices, &unit);
  else
    lines_change_step(choices, &unit);
}

bool fuzz_change_lines(const built_choices *choices, edit_cubin *cubin) {
  for (uint32_t i = 1 + built_choose(choices, LINES_CHANGES); i > 0; i--) {
    lines_unit unit = {NULL, 0, 0};
    if (!lines_choose(choices, cubin, &unit))
      return false;
    fuzz_change_line_unit(choices, unit.bytes, unit.size, unit.program);
  }
  return true;
}
