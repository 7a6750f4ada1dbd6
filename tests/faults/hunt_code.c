/* Other code in a cubin: instructions that stand elsewhere in it, and fields of them in other instructions, so that what
 * the linker reads of code (registers, barriers, branches, line tables of what is moved) meets what no compiler writes. */
#include "tests/faults/hunt.h"

#include "oracle/cubin/ref_cubin.h"
#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_BYTES = 16, CODE_SECTIONS = 64, CODE_CHANGES = 6, CODE_EXECUTED = 4 };

/* Fields of an instruction of 128 bits: opcode, predicate, registers, immediate, stall, barriers, waits, reuse. */
static const unsigned code_fields[][2] = {{0, 12},  {12, 4},  {16, 8},  {24, 8},  {32, 8},  {32, 32}, {64, 8},
                                          {72, 16}, {105, 4}, {109, 1}, {110, 3}, {113, 3}, {116, 6}, {122, 4}};

static bool code_bit(const uint8_t *at, unsigned bit) {
  return at[bit / 8] >> bit % 8 & 1;
}

static void code_copy_field(uint8_t *to, const uint8_t *from, unsigned first, unsigned width) {
  for (unsigned bit = first; bit < first + width; bit++)
    to[bit / 8] = (uint8_t)((to[bit / 8] & ~(1u << bit % 8)) | (unsigned)code_bit(from, bit) << bit % 8);
}

/* An instruction of the file, or NULL when it has no code. */
static uint8_t *code_choose(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  const ref_section *texts[CODE_SECTIONS];
  uint32_t count = 0;
  for (size_t i = 1; i < cubin->section_count && count < CODE_SECTIONS; i++)
    if (cubin->sections[i].flags & CODE_EXECUTED && cubin->sections[i].data && cubin->sections[i].size >= CODE_BYTES)
      texts[count++] = &cubin->sections[i];
  if (count == 0)
    return NULL;
  const ref_section *const text = texts[gen_random_below(random, count)];
  return bytes + text->offset + (uint64_t)CODE_BYTES * gen_random_below(random, (uint32_t)(text->size / CODE_BYTES));
}

static void code_change_one(gen_random *random, uint8_t *to, const uint8_t *from) {
  const uint32_t fields = sizeof code_fields / sizeof *code_fields;
  const unsigned *const field = code_fields[gen_random_below(random, fields)];
  uint8_t other[CODE_BYTES];
  switch (gen_random_below(random, 3)) {
  case 0:
    memcpy(other, from, CODE_BYTES);
    memcpy(to, other, CODE_BYTES);
    break;
  case 1:
    code_copy_field(to, from, field[0], field[1]);
    break;
  default: {
    const unsigned bit = field[0] + gen_random_below(random, field[1]);
    to[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  }
}

void hunt_code_change(gen_random *random, const char *from, const char *to) {
  harness_bytes bytes;
  ref_cubin cubin;
  char error[256];
  if (!harness_read_file(from, &bytes))
    harness_stop("cannot read %s", from);
  if (ref_cubin_read(&cubin, bytes.data, bytes.size, error, sizeof error)) {
    const uint32_t changes = 1 + gen_random_below(random, CODE_CHANGES);
    for (uint32_t i = 0; i < changes; i++) {
      uint8_t *const at = code_choose(&cubin, random, bytes.data), *const other = code_choose(&cubin, random, bytes.data);
      if (at)
        code_change_one(random, at, other);
    }
    ref_cubin_free(&cubin);
  }
  hunt_input_write(to, bytes.data, bytes.size);
  free(bytes.data);
}
