/* Other records in a cubin: a word of any section that the linker reads, entries that change places or are missing. Fields
 * by name are what `twin damage` changes; here a section's kind is drawn first, so that line tables, call frames, capsules
 * and the rare tables, which have many bytes and no names, are changed as often as symbols. */
#include "tests/faults/hunt.h"

#include "fuzz/change.h"

#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_KINDS = 64, RECORD_CHANGES = 3, RECORD_VALUES = 16 };

static bool records_can_change(const ref_section *section) {
  return section->data && section->size >= 4 && strcmp(section->name, ".shstrtab") != 0 &&
         strcmp(section->name, ".strtab") != 0;
}

const ref_section *hunt_section_choose(const ref_cubin *cubin, gen_random *random) {
  char kinds[RECORD_KINDS][FUZZ_KIND_ROOM], kind[FUZZ_KIND_ROOM];
  uint32_t count = 0, of_kind = 0;
  const ref_section *chosen = NULL;
  for (size_t i = 1; i < cubin->section_count && count < RECORD_KINDS; i++) {
    if (!records_can_change(&cubin->sections[i]))
      continue;
    fuzz_section_kind(cubin->sections[i].name, kinds[count]);
    uint32_t known = 0;
    while (strcmp(kinds[known], kinds[count]) != 0)
      known++;
    count += known == count;
  }
  if (count == 0)
    return NULL;
  const char *const wanted = kinds[gen_random_below(random, count)];
  for (size_t i = 1; i < cubin->section_count; i++) {
    fuzz_section_kind(cubin->sections[i].name, kind);
    if (records_can_change(&cubin->sections[i]) && strcmp(kind, wanted) == 0 &&
        gen_random_below(random, ++of_kind) == 0)
      chosen = &cubin->sections[i];
  }
  return chosen;
}

/* Bytes of an entry, 0 where they differ in length. Those of .nv.compat do not differ but for one. */
static size_t records_entry(const ref_section *section) {
  enum { COMPAT_RECORD = 4 };
  return strcmp(section->name, ".nv.compat") == 0 ? COMPAT_RECORD : (size_t)section->entry_size;
}

/* Two entries change places, or one stands twice. */
static void records_move_entry(const ref_section *section, gen_random *random, uint8_t *bytes, size_t entry) {
  const uint32_t count = (uint32_t)(section->size / entry);
  uint8_t *const a = bytes + section->offset + entry * gen_random_below(random, count);
  uint8_t *const b = bytes + section->offset + entry * gen_random_below(random, count);
  const bool twice = gen_random_percent(random, 40);
  for (size_t i = 0; i < entry; i++) {
    const uint8_t byte = a[i];
    a[i] = b[i];
    b[i] = twice ? b[i] : byte;
  }
}

static void records_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static bool records_has_units(const ref_section *section) {
  return strstr(section->name, "debug") || strstr(section->name, "capmerc");
}

/* A number: its neighbours, a border, what stands elsewhere in the section, a small number, as those of call frame instructions
 * are, an index of a symbol, or a size or place that just fits or does not. */
static void records_change_word(const ref_cubin *cubin, const ref_section *section, gen_random *random,
                                uint8_t *bytes) {
  enum { SMALL = 17 };
  const bool narrow = records_has_units(section) || gen_random_percent(random, 30);
  const unsigned width = narrow ? 1 : 4;
  const uint32_t count = (uint32_t)(section->size / width);
  uint8_t *const at = bytes + section->offset + (uint64_t)width * gen_random_below(random, count);
  const uint8_t *const other = bytes + section->offset + (uint64_t)width * gen_random_below(random, count);
  uint64_t old = 0, copy = 0;
  for (unsigned i = 0; i < width; i++) {
    old |= (uint64_t)at[i] << 8 * i;
    copy |= (uint64_t)other[i] << 8 * i;
  }
  const uint32_t bit = gen_random_below(random, 8 * width), small = gen_random_below(random, SMALL);
  const uint32_t symbol = gen_random_below(random, (uint32_t)cubin->symbol_count + 1);
  const uint64_t left = section->size + section->offset - (uint64_t)(at - bytes);
  const uint64_t values[RECORD_VALUES] = {
      old + 1, old - 1,    old + 4,    old + 16,          old - 16, 2 * old, copy,          copy,
      0,       UINT64_MAX, 0x7fffffff, old ^ (1u << bit), small,    symbol,  section->size, left};
  records_put(at, width, values[gen_random_below(random, RECORD_VALUES)]);
}

/* The head of a unit of a line table, of call frames, of a capsule: sizes, counts and the numbers by which the rest is read. */
static void records_change_head(const ref_section *section, gen_random *random, uint8_t *bytes) {
  enum { HEAD = 48, VALUES = 12 };
  const uint64_t size = section->size < HEAD ? section->size : HEAD;
  const unsigned width = gen_random_percent(random, 40) ? 4 : 1;
  uint8_t *const at = bytes + section->offset + (uint64_t)width * gen_random_below(random, (uint32_t)(size / width));
  const uint64_t old = at[0], small = gen_random_below(random, HEAD);
  const uint64_t values[VALUES] = {
      0, 1, old + 1, old - 1, 0x7f, 0x80, 0xff, small, section->size, section->size - 4, section->size / 2, UINT64_MAX};
  records_put(at, width, values[gen_random_below(random, VALUES)]);
}

/* --- the records of an attribute section --- */

enum { ATTRIBUTE_HEAD = 4, ATTRIBUTE_SIZED = 4 };

/* The bytes of a record, what is left of the section at most. */
static uint64_t records_attribute_size(const ref_section *section, uint64_t at) {
  const uint8_t *const record = section->data + at;
  const uint64_t payload = record[0] == ATTRIBUTE_SIZED ? (uint64_t)record[2] | (uint64_t)record[3] << 8 : 0;
  const uint64_t size = ATTRIBUTE_HEAD + payload, left = section->size - at;
  return size < left ? size : left;
}

/* Where one begins that has as many bytes as `size` says, 0: any. Each is as likely as the others. */
static uint64_t records_choose_attribute(const ref_section *section, gen_random *random, uint64_t size) {
  uint64_t chosen = 0;
  uint32_t count = 0;
  for (uint64_t at = 0; section->size - at >= ATTRIBUTE_HEAD; at += records_attribute_size(section, at))
    if ((size == 0 || records_attribute_size(section, at) == size) && gen_random_below(random, ++count) == 0)
      chosen = at;
  return chosen;
}

/* The last words of a record become records of their own that say nothing, so that all behind it stay what they are. */
static void records_shorten_attribute(uint8_t *record, uint64_t size, gen_random *random) {
  static const uint8_t nothing[ATTRIBUTE_HEAD] = {1, 1, 0, 0};
  const uint64_t words = (size - ATTRIBUTE_HEAD) / ATTRIBUTE_HEAD;
  const uint64_t kept = words == 0 ? 0 : gen_random_below(random, (uint32_t)words);
  if (record[0] != ATTRIBUTE_SIZED || words == 0)
    return;
  records_put(record + 2, 2, kept * ATTRIBUTE_HEAD);
  for (uint64_t i = kept; i < words; i++)
    memcpy(record + ATTRIBUTE_HEAD + i * ATTRIBUTE_HEAD, nothing, sizeof nothing);
}

/* One gets another code, mostly a neighbour's, another format or another size, or stands in another's place. */
static void records_change_attribute(const ref_section *section, gen_random *random, uint8_t *bytes) {
  enum { ATTRIBUTE_CODES = 0x60, ATTRIBUTE_FORMATS = 4 };
  const uint64_t chosen = records_choose_attribute(section, random, 0);
  const uint64_t size = records_attribute_size(section, chosen);
  uint8_t *const record = bytes + section->offset + chosen;
  if (record[0] == ATTRIBUTE_SIZED && gen_random_percent(random, 10))
    record[2] = (uint8_t)(record[2] + 4 - 8 * gen_random_below(random, 2)); /* longer or shorter by a word */
  else if (gen_random_percent(random, 25))
    records_shorten_attribute(record, size, random);
  else if (gen_random_percent(random, 20))
    memmove(record, section->data + records_choose_attribute(section, random, size), size);
  else if (gen_random_percent(random, 15))
    record[0] = (uint8_t)(1 + gen_random_below(random, ATTRIBUTE_FORMATS));
  else if (gen_random_percent(random, 50))
    record[1] = (uint8_t)(record[1] + 1 - 2 * gen_random_below(random, 2));
  else
    record[1] = (uint8_t)gen_random_below(random, ATTRIBUTE_CODES);
}

static bool records_are_attributes(const ref_section *section) {
  return strncmp(section->name, ".nv.info", 8) == 0 || strncmp(section->name, ".nv.merc.nv.info", 16) == 0;
}

static void records_change_some(const ref_cubin *cubin, gen_random *random, uint8_t *bytes) {
  const uint32_t changes = 1 + gen_random_below(random, RECORD_CHANGES);
  for (uint32_t i = 0; i < changes; i++) {
    const ref_section *const section = hunt_section_choose(cubin, random);
    const size_t entry = section ? records_entry(section) : 0;
    if (section && records_are_attributes(section) && gen_random_percent(random, 60))
      records_change_attribute(section, random, bytes);
    else if (entry && entry <= section->size && gen_random_percent(random, 35))
      records_move_entry(section, random, bytes, entry);
    else if (section && records_has_units(section) && gen_random_percent(random, 30))
      records_change_head(section, random, bytes);
    else if (section)
      records_change_word(cubin, section, random, bytes);
  }
}

void hunt_records_change(gen_random *random, const char *from, const char *to) {
  hunt_input_change(random, from, to, records_change_some);
}
