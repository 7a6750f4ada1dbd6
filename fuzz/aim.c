/* Entries where no entry was: the kind of section is drawn first, so that a debug section is as likely as all code, then
 * types and symbols without regard to what compilers write. */
#include "fuzz/aim.h"

#include "fuzz/envelope.h"
#include "fuzz/generate_cells.h"

#include <string.h>

enum {
  TYPE_CODE = 1,
  TYPE_SYMBOLS = 2,
  FLAG_EXECUTE = 4,
  RELA_BYTES = 24,
  SYMBOL_BYTES = 24,
  SYMBOL_FUNCTION = 2,
  SYMBOL_SECTION = 3,
  AIM_SYMBOLS = 40,
  ADD_ONE_IN = 3,
  MOST = 48,
  RUNS = 3,
  AGAIN_ONE_IN = 4,
  CUDA_TYPES = 117,
  MERCURY = 0x10000,
  MERCURY_TYPES = 65
};
static const uint32_t aim_first_type = 0x70000004u, aim_global_init = 0x70000008u, aim_constant = 0x70000064u,
                      aim_constant_last = 0x70000075u, aim_last_type = 0x70000063u;

typedef enum aim_kind { AIM_CODE, AIM_DATA, AIM_CONSTANTS, AIM_DEBUG, AIM_OTHER, AIM_KINDS } aim_kind;

/* The kind, AIM_KINDS for what takes no entries. */
static aim_kind aim_kind_of(const edit_section *section) {
  const uint32_t type = (uint32_t)edit_get(section->head + 4, 4);
  if (section->empty || !section->size)
    return AIM_KINDS;
  if (type == TYPE_CODE)
    return edit_get(section->head + 8, 8) & FLAG_EXECUTE ? AIM_CODE : AIM_DEBUG;
  if (type == aim_global_init)
    return AIM_DATA;
  if (type >= aim_constant && type <= aim_constant_last)
    return AIM_CONSTANTS;
  return type >= aim_first_type && type <= aim_last_type ? AIM_OTHER : AIM_KINDS;
}

/* One of a kind that is drawn among those that the file has; 0: none. */
static size_t aim_target(const built_choices *choices, const edit_cubin *cubin) {
  size_t counts[AIM_KINDS + 1] = {0}, chosen[AIM_KINDS + 1] = {0}, kinds = 0, target = 0;
  for (size_t i = 1; i < cubin->count; i++) {
    const aim_kind kind = aim_kind_of(&cubin->sections[i]);
    if (built_choose(choices, (uint32_t)++counts[kind]) == 0)
      chosen[kind] = i;
  }
  for (size_t kind = 0; kind < AIM_KINDS; kind++)
    if (counts[kind] && built_choose(choices, (uint32_t)++kinds) == 0)
      target = chosen[kind];
  return target;
}

/* Whether an entry of the file has one of Mercury's types: it is a capsule. */
static bool aim_is_capsule(const edit_cubin *cubin) {
  for (size_t i = 1; i < cubin->count; i++) {
    const edit_section *const section = &cubin->sections[i];
    if (edit_section_kind(section) == EDIT_RELOCATIONS && section->size >= RELA_BYTES &&
        edit_get(section->bytes + 8, 4) >= MERCURY)
      return true;
  }
  return false;
}

/* ---- what the file has not ---- */

/* Where the text stands in a table of strings: at its end, as often as it is wanted. */
static uint32_t aim_add_text(edit_section *strings, const char *text) {
  const size_t length = strlen(text) + 1, before = strings->size;
  uint8_t *const bytes = fuzz_memory(before + length);
  if (before)
    memcpy(bytes, strings->bytes, before);
  memcpy(bytes + before, text, length);
  edit_section_set(strings, bytes, before + length);
  return (uint32_t)before;
}

/* A symbol of a class that few files have; they stand behind all others, so none is local. */
static void aim_add_symbol(const built_choices *choices, edit_cubin *cubin, edit_section *table) {
  static const struct {
    const char *name;
    uint8_t binding, type, other;
    uint16_t section; /* 1: some code */
  } rows[] = {{"aim_label", 1, 0, 0, 1},           {"aim_nowhere", 2, 0, 0, 0},        {"aim_function", 2, 2, 0, 0},
              {"aim_global", 2, 13, 0x20, 0},      {"aim_constant", 2, 13, 0x80, 0},   {"aim_dynamic", 1, 13, 0x40, 0},
              {"aim_common", 1, 13, 0x20, 0xfff2}, {"aim_texture", 1, 10, 0, 0},       {"aim_sampler", 1, 11, 0, 0},
              {"aim_surface", 1, 12, 0, 0},        {"aim_global_too", 1, 13, 0x20, 0}, {"aim_object", 2, 1, 0, 0}};
  const uint32_t row = built_choose(choices, sizeof rows / sizeof *rows);
  const size_t strings = (size_t)edit_get(table->head + 40, 4);
  if (strings >= cubin->count || &cubin->sections[strings] == table)
    return;
  size_t code = 0;
  for (size_t i = 1; i < cubin->count && rows[row].section == 1; i++)
    code = aim_kind_of(&cubin->sections[i]) == AIM_CODE ? i : code;
  uint8_t symbol[SYMBOL_BYTES] = {0};
  edit_put(symbol, 4, aim_add_text(&cubin->sections[strings], rows[row].name));
  symbol[4] = (uint8_t)(rows[row].binding << 4 | rows[row].type);
  symbol[5] = rows[row].other;
  edit_put(symbol + 6, 2, code ? code : rows[row].section);
  edit_put(symbol + 8, 8, rows[row].section ? 16 : 0);
  edit_put(symbol + 16, 8, code || rows[row].type < 13 ? 0 : 16);
  edit_list list;
  edit_list_make(&list, table);
  edit_list_insert(&list, list.count, symbol, sizeof symbol);
}

/* A section of a kind that few files have. */
static void aim_add_section(const built_choices *choices, edit_cubin *cubin) {
  static const struct {
    const char *name;
    uint32_t type, flags;
  } rows[] = {{".debug_frame", TYPE_CODE, 0}, {".debug_loc", TYPE_CODE, 0},         {".nv.other", 0x70000020u, 0},
              {".nv.host", 0x70000006u, 0},   {".nv.global.init", 0x70000008u, 3u}, {".nv.constant3", 0x70000067u, 2u}};
  enum { SECTION_SIZE = 64 };
  const uint32_t row = built_choose(choices, sizeof rows / sizeof *rows);
  edit_section *const made = edit_section_new(cubin, rows[row].name, rows[row].type);
  uint8_t *const bytes = fuzz_memory(SECTION_SIZE);
  memset(bytes, 0x11, SECTION_SIZE);
  edit_section_set(made, bytes, SECTION_SIZE);
  edit_put(made->head + 8, 8, rows[row].flags);
  edit_put(made->head + 48, 8, 8);
}

/* ---- entries ---- */

/* Where entries may stand in a section. */
typedef struct aim_slots {
  uint32_t step, count;
} aim_slots;

/* One symbol of each kind that the file has, as its header tells them apart; how many. */
static uint32_t aim_symbols(const built_choices *choices, const edit_section *table, uint32_t chosen[AIM_SYMBOLS]) {
  uint64_t keys[AIM_SYMBOLS];
  uint32_t counts[AIM_SYMBOLS] = {0}, known = 0;
  for (uint32_t i = 0; i < table->size / SYMBOL_BYTES; i++) {
    const uint8_t *const symbol = table->bytes + (size_t)SYMBOL_BYTES * i;
    const uint64_t section = edit_get(symbol + 6, 2), where = section < 0xff00 ? section != 0 : section;
    const uint64_t own = (symbol[4] & 15) == SYMBOL_SECTION ? section << 32 : 0;
    const uint64_t key = edit_get(symbol + 4, 2) | where << 16 | own;
    uint32_t at = 0;
    while (at < known && keys[at] != key)
      at++;
    if (at == AIM_SYMBOLS)
      continue;
    known += at == known;
    keys[at] = key;
    if (built_choose(choices, ++counts[at]) == 0)
      chosen[at] = i;
  }
  return known;
}

static bool aim_names_function(const edit_section *table, uint32_t symbol) {
  return (table->bytes[(size_t)SYMBOL_BYTES * symbol + 4] & 15) == SYMBOL_FUNCTION;
}

static void aim_put_entry(uint8_t entry[RELA_BYTES], uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend) {
  edit_put(entry, 8, offset);
  edit_put(entry + 8, 4, type);
  edit_put(entry + 12, 4, symbol);
  edit_put(entry + 16, 8, (uint64_t)addend);
}

/* A run of types against one symbol. Entries are worked off from the last one to the first: a type that ends the link
 * stands in front, and there is one at most. How many bytes. */
static size_t aim_run(const built_choices *choices, const edit_section *table, uint32_t symbol, aim_slots slots,
                      bool mercury, uint8_t *entries) {
  static const int64_t addends[] = {0, 0, 0, 8, -1, 0x7fffffff};
  const uint32_t types = mercury ? MERCURY_TYPES : CUDA_TYPES, base = mercury ? MERCURY : 0;
  const uint32_t count = 1 + built_choose(choices, MOST), first = built_choose(choices, types);
  const uint32_t place = built_choose(choices, slots.count);
  const int64_t addend = addends[built_choose(choices, sizeof addends / sizeof *addends)];
  const bool function = aim_names_function(table, symbol), ends = built_choose(choices, 4) == 0;
  size_t size = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t type = base + (first + i) % types;
    const uint64_t offset = (uint64_t)slots.step * ((place + i) % slots.count);
    const bool last =
        ends && i == 0 && !built_type_describes_function(type); /* those end it before anything is merged */
    if (last || !fuzz_type_ends_link(type, function)) {
      aim_put_entry(entries + size, offset, type, symbol, addend);
      size += RELA_BYTES;
    }
  }
  return size;
}

bool fuzz_aim(const built_choices *choices, edit_cubin *cubin) {
  const size_t table = edit_find_type(cubin, TYPE_SYMBOLS);
  if (!table || cubin->sections[table].size < SYMBOL_BYTES)
    return false;
  if (built_choose(choices, ADD_ONE_IN) == 0)
    aim_add_symbol(choices, cubin, &cubin->sections[table]);
  if (built_choose(choices, ADD_ONE_IN) == 0)
    aim_add_section(choices, cubin);
  const size_t target = aim_target(choices, cubin);
  if (!target)
    return false;
  edit_section *const entries = edit_relocations_of(cubin, target);
  if (built_choose(choices, AGAIN_ONE_IN)) /* instead of those that are there, or inputs only grow */
    edit_section_set(entries, fuzz_memory(0), 0);
  uint32_t symbols[AIM_SYMBOLS];
  const uint32_t known = aim_symbols(choices, &cubin->sections[table], symbols);
  const bool capsule = aim_is_capsule(cubin);
  aim_slots slots = {.step = aim_kind_of(&cubin->sections[target]) == AIM_CODE ? 16 : 8};
  slots.count = 1 + (uint32_t)(cubin->sections[target].size / (slots.step + 1));
  edit_list list;
  edit_list_make(&list, entries);
  uint8_t made[MOST * RELA_BYTES];
  for (uint32_t runs = 1 + built_choose(choices, RUNS); runs-- > 0;) {
    const uint32_t symbol = symbols[built_choose(choices, known)];
    const bool mercury = capsule && built_choose(choices, 2);
    const size_t size = aim_run(choices, &cubin->sections[table], symbol, slots, mercury, made);
    edit_list_insert(&list, list.count, made, size);
  }
  return true;
}
