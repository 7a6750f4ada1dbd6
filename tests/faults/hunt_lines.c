/* Other line programs in a cubin, as the fuzzers change them (fuzz/change_lines.c), in the bytes of a file that the reader takes
 * as it is. What is drawn byte by byte (hunt_records.c) seldom leaves a program that can still be read. */
#include "tests/faults/hunt.h"

#include "fuzz/change.h"

#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

enum {
  LINES_CHANGES = 3,
  LINES_PROGRAM = 10, /* the header's length counts from here */
  LINES_LENGTH_AT = 6,
  LINES_HEADER = 28
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

static void lines_change_some(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  const uint32_t changes = 1 + gen_random_below(random, LINES_CHANGES);
  const built_choices choices = built_choices_random(random);
  lines_unit unit = {0};
  for (uint32_t i = 0; i < changes; i++)
    if (lines_choose(cubin, random, bytes, &unit))
      fuzz_change_line_unit(&choices, unit.bytes, (size_t)unit.size, (size_t)unit.program);
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
