/* Other line programs in a cubin: steps that compilers do not write (fixed advances, the constant one, operations that nobody
 * knows, numbers of two bytes), each in the room of the step that stood there, and other numbers in a unit's header. What is
 * drawn byte by byte (hunt_records.c) seldom leaves a program that can still be read. */
#include "tests/faults/hunt.h"

#include "tools/gen_random.h"

#include <stdlib.h>
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

/* A unit of a table in the file's bytes. */
typedef struct lines_unit {
  uint8_t *bytes;
  uint64_t size, program;
} lines_unit;

static bool lines_is_table(const ref_section *section) {
  return section->data && strstr(section->name, "debug_line") && !strstr(section->name, "rela");
}

static uint32_t lines_word(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* One unit of one table; false where the cubin has none that can be read. */
static bool lines_choose(const ref_cubin *cubin, gen_random *random, uint8_t *bytes, lines_unit *unit) {
  uint32_t count = 0;
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *const table = &cubin->sections[i];
    for (uint64_t at = 0; lines_is_table(table) && table->size - at >= LINES_HEADER;) {
      uint8_t *const start = bytes + table->offset + at;
      const uint64_t size = (uint64_t)lines_word(start) + 4;
      const uint64_t program = (uint64_t)lines_word(start + LINES_LENGTH_AT) + LINES_PROGRAM;
      if (size > table->size - at || program >= size)
        break;
      if (gen_random_below(random, ++count) == 0)
        *unit = (lines_unit){start, size, program};
      at += size;
    }
  }
  return count > 0;
}

static uint64_t lines_number_size(const lines_unit *unit, uint64_t at) {
  uint64_t size = 1;
  while (at + size < unit->size && unit->bytes[at + size - 1] & 0x80)
    size++;
  return size;
}

/* The bytes of the step at a place; at the end as many as there are. */
static uint64_t lines_step_size(const lines_unit *unit, uint64_t at) {
  static const uint8_t operands[] = {0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1};
  const uint8_t code = unit->bytes[at];
  uint64_t size = 1;
  if (code == 0 && at + 1 < unit->size)
    size += lines_number_size(unit, at + 1) + unit->bytes[at + 1];
  else if (code == LINES_FIXED)
    size += 2;
  else if (code < sizeof operands && operands[code] && at + 1 < unit->size)
    size += lines_number_size(unit, at + 1);
  return size < unit->size - at ? size : unit->size - at;
}

static uint64_t lines_choose_step(const lines_unit *unit, gen_random *random) {
  uint64_t chosen = unit->program;
  uint32_t count = 0;
  for (uint64_t at = unit->program; at < unit->size && count < LINES_STEPS; at += lines_step_size(unit, at))
    if (gen_random_below(random, ++count) == 0)
      chosen = at;
  return chosen;
}

static void lines_change_short(gen_random *random, uint8_t *step) {
  static const uint8_t plain[] = {1, 6, 7, 8, 8, 8, 10, 11, 13, 14, 255};
  const uint32_t number = gen_random_below(random, 2 * sizeof plain);
  *step = number < sizeof plain ? plain[number] : (uint8_t)gen_random_below(random, 256);
}

/* An operation and its number, of one byte or two. */
static void lines_change_number(gen_random *random, uint8_t *step, uint64_t size) {
  static const uint8_t codes[] = {2, 2, 3, 3, 4, 5, 12};
  static const uint8_t numbers[] = {0, 1, 2, 4, 16, 32, 0x3f, 0x40, 0x7f};
  if (gen_random_percent(random, 50))
    step[0] = codes[gen_random_below(random, sizeof codes)];
  if (gen_random_percent(random, 70))
    step[size - 1] = numbers[gen_random_below(random, sizeof numbers)];
}

static void lines_change_extended(gen_random *random, uint8_t *step, uint64_t size) {
  static const uint8_t codes[] = {1, 2, 3, 4, 0x80, 0x90, 0x91, 0x92};
  if (size > 2 && gen_random_percent(random, 40))
    step[2] = codes[gen_random_below(random, sizeof codes)];
  else if (size > 2)
    step[2 + gen_random_below(random, (uint32_t)(size - 2))] += (uint8_t)(1 + gen_random_below(random, 3));
  else
    step[size - 1] = (uint8_t)gen_random_below(random, 16);
}

/* Fixed advances have three bytes: those of a longer number, or of a shorter step and the next one. */
static void lines_put_fixed(const lines_unit *unit, gen_random *random, uint64_t at) {
  static const uint8_t advances[] = {0, 1, 4, 15, 16, 32, 0x80, 0xff};
  if (unit->size - at < 3)
    return;
  unit->bytes[at] = LINES_FIXED;
  unit->bytes[at + 1] = advances[gen_random_below(random, sizeof advances)];
  unit->bytes[at + 2] = (uint8_t)(gen_random_below(random, 8) == 0);
}

static void lines_change_step(const lines_unit *unit, gen_random *random) {
  const uint64_t at = lines_choose_step(unit, random), size = lines_step_size(unit, at);
  uint8_t *const step = unit->bytes + at;
  if (size <= 3 && step[0] != 0 && gen_random_percent(random, size == 3 ? 60 : 15))
    lines_put_fixed(unit, random, at);
  else if (size == 1)
    lines_change_short(random, step);
  else if (step[0] == 0)
    lines_change_extended(random, step, size);
  else
    lines_change_number(random, step, size);
}

static void lines_change_header(const lines_unit *unit, gen_random *random) {
  static const uint8_t numbers[] = {0, 1, 2, 4, 9, 10, 13, 14, 16, 0x80, 0xf6, 0xff};
  const uint64_t at = LINES_FIRST_AT + gen_random_below(random, LINES_HEADER - LINES_FIRST_AT);
  if (gen_random_percent(random, 40))
    unit->bytes[at] = (uint8_t)(unit->bytes[at] + 1 - 2 * gen_random_below(random, 2));
  else
    unit->bytes[at] = numbers[gen_random_below(random, sizeof numbers)];
}

static void lines_change_some(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  const uint32_t changes = 1 + gen_random_below(random, LINES_CHANGES);
  lines_unit unit = {0};
  for (uint32_t i = 0; i < changes; i++)
    if (lines_choose(cubin, random, bytes, &unit)) {
      if (gen_random_percent(random, 15))
        lines_change_header(&unit, random);
      else
        lines_change_step(&unit, random);
    }
}

void hunt_lines_change(gen_random *random, const char *from, const char *to) {
  hunt_input_change(random, from, to, lines_change_some);
}

static void lines_visit(const ref_cubin *cubin, harness_bytes bytes, void *context) {
  (void)bytes;
  for (size_t i = 1; i < cubin->section_count; i++)
    *(bool *)context = *(bool *)context || lines_is_table(&cubin->sections[i]);
}

bool hunt_lines_has(const char *path) {
  bool has = false;
  free(hunt_cubin_visit(path, lines_visit, &has).data);
  return has;
}
