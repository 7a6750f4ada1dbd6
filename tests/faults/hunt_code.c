/* Other code in a cubin: instructions that stand elsewhere in it, and fields of them in other instructions, so that what
 * the linker reads of code (registers, barriers, branches, line tables of what is moved) meets what no compiler writes.
 * Relocation entries, too: another type, another symbol, another addend, of both views. */
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

/* Instructions of all cubins, by operation; SASS differs between the generations before and after sm_100. */
enum { CODE_OPERATIONS = 4096, CODE_GENERATIONS = 2, CODE_NEWER = 100 };
static uint8_t code_known[CODE_GENERATIONS][CODE_OPERATIONS][CODE_BYTES];
static uint16_t code_operations[CODE_GENERATIONS][CODE_OPERATIONS];
static uint32_t code_counts[CODE_GENERATIONS];

static size_t code_generation(const ref_cubin *cubin) {
  return (cubin->flags >> 8 & 0xff) >= CODE_NEWER;
}

static void code_learn_one(size_t generation, const uint8_t *at) {
  const uint16_t operation = (uint16_t)((at[0] | at[1] << 8) & (CODE_OPERATIONS - 1));
  for (uint32_t i = 0; i < code_counts[generation]; i++)
    if (code_operations[generation][i] == operation)
      return;
  memcpy(code_known[generation][code_counts[generation]], at, CODE_BYTES);
  code_operations[generation][code_counts[generation]++] = operation;
}

static void code_learn_cubin(const ref_cubin *cubin, harness_bytes bytes, void *context) {
  (void)bytes, (void)context;
  for (size_t i = 1; i < cubin->section_count; i++)
    for (uint64_t at = 0; cubin->sections[i].flags & CODE_EXECUTED && cubin->sections[i].data &&
                          at + CODE_BYTES <= cubin->sections[i].size;
         at += CODE_BYTES)
      code_learn_one(code_generation(cubin), cubin->sections[i].data + at);
}

void hunt_code_learn(const char *path) {
  free(hunt_cubin_visit(path, code_learn_cubin, NULL).data);
}

enum { TYPE_RELA = 4, TYPE_REL = 9, FIRST_MERCURY = 0x10000 };
enum { CUDA_TYPES = 119, MERCURY_TYPES = 67, ADDENDS = 8, BORDERS = 12, FOREIGN = 10 /* percent: the other table's */ };

static bool code_has_entries(const ref_section *section) {
  return (section->type == TYPE_RELA || section->type == TYPE_REL ||
          strncmp(section->name, ".nv.merc.rela", 13) == 0) &&
         section->data && section->entry_size >= CODE_BYTES && section->size >= section->entry_size;
}

/* A relocation entry gets another type, symbol or addend. */
static void code_change_entry(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  static const int32_t addends[ADDENDS] = {0, 1, 4, 16, -16, 0x7fffffff, -0x7fffffff, 0x1000};
  static const uint32_t borders[BORDERS] = {0xff,    0x100,   0x1ff,   0xfffe,  0xffff,     0x10000,
                                            0x10100, 0x11ffe, 0x11fff, 0x12000, 0x7fffffff, 0xffffffff};
  uint32_t count = 0;
  const ref_section *chosen = NULL;
  for (size_t i = 1; i < cubin->section_count; i++)
    if (code_has_entries(&cubin->sections[i]) && gen_random_below(random, ++count) == 0)
      chosen = &cubin->sections[i];
  if (!chosen)
    return;
  const uint32_t number = gen_random_below(random, (uint32_t)(chosen->size / chosen->entry_size));
  uint8_t *const entry = bytes + chosen->offset + chosen->entry_size * number;
  const bool mercury = (ref_u32(entry + 8) >= FIRST_MERCURY) != gen_random_percent(random, FOREIGN);
  const uint32_t usual = gen_random_below(random, mercury ? MERCURY_TYPES : CUDA_TYPES) + (mercury ? FIRST_MERCURY : 0);
  const uint32_t type = gen_random_percent(random, 80) ? usual : borders[gen_random_below(random, BORDERS)];
  const uint32_t symbol = gen_random_below(random, (uint32_t)cubin->symbol_count);
  const uint32_t what = gen_random_below(random, chosen->entry_size > CODE_BYTES ? 4 : 3);
  const int64_t addend = addends[gen_random_below(random, ADDENDS)];
  for (unsigned i = 0; i < (what == 3 ? 8 : 4); i++)
    entry[(what == 3   ? 16
           : what == 2 ? 12
                       : 8) +
          i] = (uint8_t)((what == 3   ? (uint64_t)addend
                          : what == 2 ? symbol
                                      : type) >>
                         8 * i);
}

/* An operation of one instruction in the form of another: with an immediate, with a uniform register. */
static void code_change_form(gen_random *random, size_t generation, uint8_t *to) {
  const uint32_t form = code_operations[generation][gen_random_below(random, code_counts[generation])];
  const uint32_t operation = code_operations[generation][gen_random_below(random, code_counts[generation])];
  memcpy(to, code_known[generation][gen_random_below(random, code_counts[generation])], CODE_BYTES);
  to[0] = (uint8_t)operation;
  to[1] = (uint8_t)((to[1] & 0xf0) | (form >> 8 & 0xf));
}

static void code_change_one(gen_random *random, size_t generation, uint8_t *to, const uint8_t *from) {
  const uint32_t fields = sizeof code_fields / sizeof *code_fields;
  const unsigned *const field = code_fields[gen_random_below(random, fields)];
  uint8_t other[CODE_BYTES];
  switch (gen_random_below(random, code_counts[generation] ? 5 : 3)) {
  case 0:
    memcpy(other, from, CODE_BYTES);
    memcpy(to, other, CODE_BYTES);
    break;
  case 3:
    memcpy(to, code_known[generation][gen_random_below(random, code_counts[generation])], CODE_BYTES);
    break;
  case 4:
    code_change_form(random, generation, to);
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

static void code_change_some(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  const uint32_t changes = 1 + gen_random_below(random, CODE_CHANGES);
  for (uint32_t i = 0; i < changes; i++) {
    if (gen_random_percent(random, 35)) {
      code_change_entry(cubin, random, bytes);
      continue;
    }
    uint8_t *const at = code_choose(cubin, random, bytes), *const other = code_choose(cubin, random, bytes);
    if (at)
      code_change_one(random, code_generation(cubin), at, other);
  }
}

void hunt_code_change(gen_random *random, const char *from, const char *to) {
  hunt_input_change(random, from, to, code_change_some);
}
