/* Changes that both views of a capsule get alike (change.h). What is changed on one side alone is mostly refused, since the two no
 * longer describe one program; how they are joined is seen where they still do: a field of both headers, a symbol, an entry, a
 * record's word, a byte at one place of both contents, the name of a debug section, or an instruction that says what is
 * executed next, which Mercury's view has a record of. */
#include "fuzz/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  PAIRS_MOST = 512,
  PAIR_CHANGES = 2,
  SYMBOL_BYTES = 24,
  RELA_BYTES = 24,
  TYPE_SYMBOLS = 2,
  PREFIX_ROOM = 32,
  NAME_ROOM = 256,
  TRIES = 8
};
static const uint32_t mercury_symbols = 0x70000085u;

typedef struct pair {
  edit_section *sass, *mercury;
} pair;

typedef struct pair_list {
  pair items[PAIRS_MOST];
  uint32_t count;
} pair_list;

typedef struct pair_file {
  const built_choices *choices;
  edit_cubin *cubin;
  pair_list list;
} pair_file;

#define CHOOSE(file, table) (table)[built_choose((file)->choices, (uint32_t)(sizeof(table) / sizeof *(table)))]

/* The name without Mercury's part of it; NULL where it has none. */
static const char *pairs_plain_name(const char *name) {
  static const char *const prefixes[] = {".nv.merc.", ".nv.capmerc."};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return name + strlen(prefixes[i]) - 1;
  return NULL;
}

static edit_section *pairs_section(const edit_cubin *cubin, const char *name) {
  for (size_t i = 1; i < cubin->count; i++)
    if (strcmp(edit_section_name(cubin, &cubin->sections[i]), name) == 0)
      return &cubin->sections[i];
  return NULL;
}

/* The sections of Mercury's that have one of the same name on the SASS side. */
static void pairs_find(pair_file *file) {
  file->list.count = 0;
  for (size_t i = 1; i < file->cubin->count && file->list.count < PAIRS_MOST; i++) {
    edit_section *const mercury = &file->cubin->sections[i];
    const char *const plain = pairs_plain_name(edit_section_name(file->cubin, mercury));
    edit_section *const sass = plain ? pairs_section(file->cubin, plain) : NULL;
    if (sass)
      file->list.items[file->list.count++] = (pair){sass, mercury};
  }
}

/* One of them whose name begins so; NULL. */
static const pair *pairs_choose(const pair_file *file, const char *prefix) {
  const pair *chosen = NULL;
  uint32_t fitting = 0;
  for (uint32_t i = 0; i < file->list.count; i++)
    if (strncmp(edit_section_name(file->cubin, file->list.items[i].sass), prefix, strlen(prefix)) == 0 &&
        built_choose(file->choices, ++fitting) == 0)
      chosen = &file->list.items[i];
  return chosen;
}

/* The same flag, alignment, size of entries. */
static bool pairs_change_headers(const pair_file *file) {
  enum { FLAGS = 8 };
  static const uint8_t fields[] = {FLAGS, FLAGS, 48, 48, 56};
  static const uint64_t values[] = {1, 2, 4, 8, 16, 32, 64, 128};
  const pair *const one = pairs_choose(file, "");
  const uint8_t field = CHOOSE(file, fields);
  const uint64_t value = CHOOSE(file, values);
  if (!one)
    return false;
  edit_section *const sides[] = {one->sass, one->mercury};
  for (size_t i = 0; i < 2; i++)
    edit_put(sides[i]->head + field, 8, field == FLAGS ? edit_get(sides[i]->head + field, 8) ^ value : value);
  return true;
}

/* A symbol's st_info, st_other, value or size, in both tables, which have the same numbers. */
static bool pairs_change_symbols(const pair_file *file) {
  static const uint8_t fields[][2] = {{4, 1}, {4, 1}, {5, 1}, {5, 1}, {8, 8}, {16, 8}};
  const size_t sass = edit_find_type(file->cubin, TYPE_SYMBOLS), mercury = edit_find_type(file->cubin, mercury_symbols);
  const size_t least =
      sass && mercury && file->cubin->sections[sass].size < file->cubin->sections[mercury].size ? sass : mercury;
  const size_t count = sass && mercury ? file->cubin->sections[least].size / SYMBOL_BYTES : 0;
  if (count < 2)
    return false;
  const size_t at = SYMBOL_BYTES * (1 + (size_t)built_choose(file->choices, (uint32_t)count - 1));
  const uint8_t *const field = CHOOSE(file, fields);
  const uint64_t bit = UINT64_C(1) << built_choose(file->choices, field[1] > 1 ? 12 : 8);
  const size_t tables[] = {sass, mercury};
  for (size_t i = 0; i < 2; i++) {
    uint8_t *const word = file->cubin->sections[tables[i]].bytes + at + field[0];
    edit_put(word, field[1], edit_get(word, field[1]) ^ bit);
  }
  return true;
}

/* An entry, and the one of the other side about the same symbol and addend: another symbol, addend, or place. */
static bool pairs_change_entries(const pair_file *file) {
  const pair *const one = pairs_choose(file, ".rela");
  const size_t count = one ? one->sass->size / RELA_BYTES : 0, others = one ? one->mercury->size / RELA_BYTES : 0;
  if (!count)
    return false;
  uint8_t *const own = one->sass->bytes + RELA_BYTES * built_choose(file->choices, (uint32_t)count), *other = NULL;
  for (size_t i = 0; i < others && !other; i++) {
    uint8_t *const entry = one->mercury->bytes + RELA_BYTES * i;
    if (memcmp(entry + 12, own + 12, 12) == 0)
      other = entry;
  }
  const size_t table = edit_find_type(file->cubin, TYPE_SYMBOLS);
  const uint32_t what = built_choose(file->choices, 3);
  const uint32_t symbol =
      built_choose(file->choices, table ? (uint32_t)(file->cubin->sections[table].size / SYMBOL_BYTES) : 1);
  const uint64_t by = UINT64_C(1) << built_choose(file->choices, 10);
  if (!other)
    return false;
  uint8_t *const sides[] = {own, other};
  for (size_t i = 0; i < 2; i++) {
    uint8_t *const word = sides[i] + (what == 1 ? 16 : 0);
    if (what == 0)
      edit_put(sides[i] + 12, 4, symbol);
    else
      edit_put(word, 8, edit_get(word, 8) + by);
  }
  return true;
}

/* The records of one code on both sides: a byte of what they say. */
static bool pairs_change_records(const pair_file *file) {
  enum { SIZED = 4, BYTES = 8 };
  const pair *const one = pairs_choose(file, ".nv.info");
  if (!one)
    return false;
  static edit_list list;
  edit_list_make(&list, one->sass);
  if (!list.count)
    return false;
  const uint8_t code = one->sass->bytes[list.at[built_choose(file->choices, (uint32_t)list.count)] + 1];
  const uint32_t byte = built_choose(file->choices, BYTES);
  const uint8_t by = (uint8_t)(1u << built_choose(file->choices, 8));
  edit_section *const sides[] = {one->sass, one->mercury};
  for (size_t i = 0; i < 2; i++) {
    edit_list_make(&list, sides[i]);
    for (size_t j = 0; j < list.count; j++) {
      uint8_t *const record = sides[i]->bytes + list.at[j];
      const size_t size = record[0] == SIZED ? list.at[j + 1] - list.at[j] - 4 : 0;
      if (record[1] == code && byte < size)
        record[4 + byte] ^= by;
    }
  }
  return true;
}

/* A byte of debug data, or of constants, at one place of both. */
static bool pairs_change_contents(const pair_file *file) {
  static const char *const prefixes[] = {".debug_line", ".debug_frame", ".nv_debug_", ".debug_", ".nv."};
  const pair *one = NULL;
  for (int tries = 0; !one && tries < TRIES; tries++)
    one = pairs_choose(file, CHOOSE(file, prefixes));
  const size_t least = !one ? 0 : one->sass->size < one->mercury->size ? one->sass->size : one->mercury->size;
  if (!least)
    return false;
  const size_t at = built_choose(file->choices, (uint32_t)least);
  const bool bit = built_choose(file->choices, 5) < 3;
  const uint8_t by = (uint8_t)(bit ? 1u << built_choose(file->choices, 8) : 1 + built_choose(file->choices, 255));
  one->sass->bytes[at] ^= by;
  one->mercury->bytes[at] ^= by;
  return true;
}

/* A bit of an instruction that decides what is executed next. */
static bool pairs_change_flow(const pair_file *file) {
  enum { INSTRUCTION = 16, FLOW = 0x140, FLOW_MASK = 0x1e0 };
  const pair *const one = pairs_choose(file, ".text.");
  uint8_t *chosen = NULL;
  uint32_t fitting = 0;
  for (size_t at = 0; one && at + INSTRUCTION <= one->sass->size; at += INSTRUCTION)
    if ((edit_get(one->sass->bytes + at, 2) & FLOW_MASK) == FLOW && built_choose(file->choices, ++fitting) == 0)
      chosen = one->sass->bytes + at;
  if (!chosen)
    return false;
  const uint32_t bit = built_choose(file->choices, 8 * INSTRUCTION);
  chosen[bit / 8] ^= (uint8_t)(1u << bit % 8);
  return true;
}

/* `prefix` and `name` behind the names of sections, and the section's name from now on. */
static void pairs_name(edit_cubin *cubin, edit_section *section, const char *prefix, const char *name) {
  char whole[NAME_ROOM];
  (void)snprintf(whole, sizeof whole, "%s%s", prefix, name);
  fuzz_change_section_name(cubin, section, whole);
}

/* A debug section becomes another one, with its relocations. */
static bool pairs_rename(const pair_file *file) {
  static const char *const names[] = {".debug_line",
                                      ".debug_info",
                                      ".debug_abbrev",
                                      ".debug_loc",
                                      ".debug_pubnames",
                                      ".debug_pubtypes",
                                      ".debug_str",
                                      ".debug_macinfo",
                                      ".debug_ranges",
                                      ".debug_aranges",
                                      ".nv_debug_info_reg_sass",
                                      ".debug_frame",
                                      ".nv_debug_line_sass",
                                      ".nv_debug_info_reg_type",
                                      ".nv_debug_ptx_txt"};
  const pair *const one = pairs_choose(file, built_choose(file->choices, 3) ? ".debug_" : ".nv_debug_");
  const char *const name = CHOOSE(file, names);
  if (!one)
    return false;
  char old[NAME_ROOM];
  (void)snprintf(old, sizeof old, ".rela%s", edit_section_name(file->cubin, one->sass));
  pairs_name(file->cubin, one->sass, "", name);
  pairs_name(file->cubin, one->mercury, ".nv.merc", name);
  for (uint32_t i = 0; i < file->list.count; i++) {
    const pair *const entries = &file->list.items[i];
    if (strcmp(edit_section_name(file->cubin, entries->sass), old) != 0)
      continue;
    pairs_name(file->cubin, entries->sass, ".rela", name);
    pairs_name(file->cubin, entries->mercury, ".nv.merc.rela", name);
  }
  return true;
}

bool fuzz_change_pair(const built_choices *choices, edit_cubin *cubin) {
  static bool (*const kinds[])(const pair_file *file) = {
      pairs_rename,         pairs_change_headers, pairs_change_headers,  pairs_change_symbols,  pairs_change_entries,
      pairs_change_records, pairs_change_flow,    pairs_change_contents, pairs_change_contents, pairs_change_contents};
  pair_file *const file = calloc(1, sizeof *file);
  bool changed = false;
  if (!file)
    abort();
  file->choices = choices;
  file->cubin = cubin;
  pairs_find(file);
  for (uint32_t i = 1 + built_choose(choices, PAIR_CHANGES); i > 0 && file->list.count; i--) {
    bool done = false;
    for (int tries = 0; !done && tries < TRIES; tries++)
      done = kinds[built_choose(choices, sizeof kinds / sizeof *kinds)](file);
    changed = changed || done;
  }
  free(file);
  return changed;
}
