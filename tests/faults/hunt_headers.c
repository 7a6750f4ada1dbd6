/* Other headers of a cubin: what the linker decides by before it reads on. The fields of the ELF header with values on both
 * sides of every border, single flags, the words of the cuda note, and single fields of a section's header or a symbol. */
#include "tests/faults/hunt.h"

#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

enum { ELF_SECTION = 64, ELF_SYMBOL = 24, SYMBOL_KIND = 4, TYPE_SYMBOLS = 2, HEADER_CHANGES = 2, HEADER_VALUES = 16 };
enum { NOTE_WORDS = 24, NOTE_BYTES = 32, MOST_FLAGS = 32, FLAGS_AT = 48 };

static void headers_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t headers_get(const uint8_t *at, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t)at[i] << 8 * i;
  return value;
}

/* A field gets a neighbour of its value, a border or another value that the format has. */
static void headers_change(gen_random *random, uint8_t *at, unsigned width) {
  const uint64_t old = headers_get(at, width);
  const uint64_t values[HEADER_VALUES] = {old + 1, old - 1, 0,    1,   2,   3,          4,          8,
                                          0x10,    0x33,    0x41, 130, 131, UINT64_MAX, old + 0x80, 0x80000000};
  headers_put(at, width, values[gen_random_below(random, HEADER_VALUES)]);
}

/* The header: the bytes of e_ident, e_type, e_machine, e_version, a flag or a byte of e_flags, counts. */
static void headers_change_file(gen_random *random, uint8_t *bytes) {
  static const struct {
    unsigned at, width;
  } fields[] = {{4, 1},  {7, 1},  {7, 1},  {8, 1},  {8, 1},  {16, 2}, {16, 2}, {18, 2},
                {20, 4}, {20, 4}, {40, 8}, {40, 8}, {52, 2}, {58, 2}, {60, 2}, {62, 2}};
  const uint32_t count = sizeof fields / sizeof *fields;
  if (gen_random_percent(random, 45)) {
    const uint32_t flag = gen_random_below(random, MOST_FLAGS);
    bytes[FLAGS_AT + flag / 8] ^= (uint8_t)(1u << flag % 8);
    return;
  }
  if (gen_random_percent(random, 20)) {
    headers_change(random, bytes + FLAGS_AT + gen_random_below(random, 4), 1);
    return;
  }
  const uint32_t field = gen_random_below(random, count);
  headers_change(random, bytes + fields[field].at, fields[field].width);
}

static void headers_change_note(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  static const uint16_t versions[] = {0, 1, 2, 3, 50, 75, 80, 90, 100, 111, 112, 120, 121, 129, 130, 131, 132, 0xffff};
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *const note = &cubin->sections[i];
    if (strcmp(note->name, ".note.nv.cuinfo") != 0 || !note->data || note->size < NOTE_BYTES)
      continue;
    uint8_t *const at = bytes + note->offset + NOTE_WORDS + 2 * gen_random_below(random, 4);
    headers_put(at, 2, versions[gen_random_below(random, sizeof versions / sizeof *versions)]);
    return;
  }
}

/* The section is about another one, by sh_link or sh_info: one of any kind, or none that there is. */
static void headers_point_elsewhere(const ref_cubin *cubin, gen_random *random, uint8_t *header) {
  const ref_section *const other = hunt_section_choose(cubin, random);
  const uint64_t index = other ? (uint64_t)(other - cubin->sections) : cubin->section_count;
  headers_put(header + (gen_random_percent(random, 75) ? 44 : 40), 4, index);
}

/* Two fields of its header change places, sh_offset and sh_size more often than others. */
static void headers_exchange(gen_random *random, uint8_t *header) {
  static const unsigned fields[] = {24, 32, 24, 32, 8, 16, 48, 56};
  const unsigned first = fields[gen_random_below(random, 8)], second = fields[gen_random_below(random, 8)];
  const uint64_t value = headers_get(header + first, 8);
  headers_put(header + first, 8, headers_get(header + second, 8));
  headers_put(header + second, 8, value);
}

static void headers_change_section(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  static const unsigned wide[] = {8, 16, 32, 48, 56}, narrow[] = {0, 4, 4, 40, 44};
  const ref_section *const section = hunt_section_choose(cubin, random);
  const uint32_t any =
      gen_random_below(random, (uint32_t)cubin->section_count); /* string tables, too, and the null one */
  const uint64_t index = section && gen_random_percent(random, 75) ? (uint64_t)(section - cubin->sections) : any;
  const uint64_t table = headers_get(bytes + 40, 8) + ELF_SECTION * index;
  if (gen_random_percent(random, 20))
    headers_point_elsewhere(cubin, random, bytes + table);
  else if (gen_random_percent(random, 10))
    headers_exchange(random, bytes + table);
  else if (gen_random_percent(random, 50))
    headers_change(random, bytes + table + wide[gen_random_below(random, 5)], 8);
  else
    headers_change(random, bytes + table + narrow[gen_random_below(random, 5)], 4);
}

/* First what a symbol is (st_info, st_other), then one of those. */
static uint8_t *headers_choose_symbol(gen_random *random, uint8_t *symbols, uint64_t count) {
  enum { KINDS = 32 };
  uint64_t kinds[KINDS] = {0};
  uint32_t kind_count = 0, of_kind = 0;
  uint8_t *chosen = symbols;
  for (uint64_t i = 0; i < count && kind_count < KINDS; i++) {
    uint32_t known = 0;
    kinds[kind_count] = headers_get(symbols + i * ELF_SYMBOL + SYMBOL_KIND, 2);
    while (kinds[known] != kinds[kind_count])
      known++;
    kind_count += known == kind_count;
  }
  const uint64_t kind = kinds[gen_random_below(random, kind_count)];
  for (uint64_t i = 0; i < count; i++)
    if (headers_get(symbols + i * ELF_SYMBOL + SYMBOL_KIND, 2) == kind && gen_random_below(random, ++of_kind) == 0)
      chosen = symbols + i * ELF_SYMBOL;
  return chosen;
}

/* A symbol's place or size: that of another one, or what just ends with its section. */
static void headers_change_extent(const ref_cubin *cubin, gen_random *random, uint8_t *symbol) {
  const ref_symbol *const other = &cubin->symbols[gen_random_below(random, (uint32_t)cubin->symbol_count)];
  const uint64_t section = headers_get(symbol + 6, 2), value = headers_get(symbol + 8, 8);
  const uint64_t room = section < cubin->section_count ? cubin->sections[section].size : 0;
  const uint64_t values[] = {other->value,    other->value + other->size, other->size, room, room - value,
                             room - value + 1};
  const uint32_t count = sizeof values / sizeof *values;
  uint8_t *const field = symbol + (gen_random_percent(random, 50) ? 8 : 16);
  headers_put(field, 8, values[gen_random_below(random, count)]);
}

static void headers_change_symbol(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  static const struct {
    unsigned at, width;
  } fields[] = {{0, 4}, {4, 1}, {4, 1}, {5, 1}, {5, 1}, {6, 2}, {6, 2}, {8, 8}, {16, 8}};
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *const table = &cubin->sections[i];
    if (table->type != TYPE_SYMBOLS || !table->data || table->size < ELF_SYMBOL)
      continue;
    uint8_t *const at = headers_choose_symbol(random, bytes + table->offset, table->size / ELF_SYMBOL);
    if (gen_random_percent(random, 20)) {
      headers_change_extent(cubin, random, at);
      return;
    }
    const uint32_t field = gen_random_below(random, sizeof fields / sizeof *fields);
    headers_change(random, at + fields[field].at, fields[field].width);
    return;
  }
}

static void headers_change_some(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  const uint32_t changes = 1 + gen_random_below(random, HEADER_CHANGES), what = gen_random_below(random, 4);
  for (uint32_t i = 0; i < changes; i++) {
    if (what == 0)
      headers_change_file(random, bytes);
    else if (what == 1)
      headers_change_note(cubin, random, bytes);
    else if (what == 2)
      headers_change_section(cubin, random, bytes);
    else
      headers_change_symbol(cubin, random, bytes);
  }
}

void hunt_headers_change(gen_random *random, const char *from, const char *to) {
  hunt_input_change(random, from, to, headers_change_some);
}
