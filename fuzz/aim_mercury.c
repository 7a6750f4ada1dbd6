/* Entries of Mercury's types in capsules, for the cells of cells.h: a symbol becomes one of a class that is drawn, in both
 * tables of symbols, and is named by runs of types in one of Mercury's sections of entries. What stands in the plain view
 * stays as it is. */
#include "fuzz/aim_mercury.h"

#include "fuzz/envelope.h"

#include <string.h>

enum {
  TYPE_SYMBOLS = 2,
  RELA_BYTES = 24,
  SYMBOL_BYTES = 24,
  SYMBOL_FUNCTION = 2,
  SYMBOL_SECTION = 3,
  SYMBOL_OBJECT = 13,
  UNDEFINED = 0,
  COMMON = 0xfff2,
  SAME = 1, /* the section stays */
  CODE = 2, /* some code */
  MERCURY = 0x10000,
  TYPES = 65,
  DESCRIBES = 15, /* a function, or the link ends */
  MOST = 24,
  RUNS = 3,
  KINDS = 32,
  AGAIN_ONE_IN = 4,
  ENDS_ONE_IN = 24
};
static const uint32_t mercury_text = 0x70000016u, mercury_rela = 0x70000082u, mercury_symbols = 0x70000085u;

/* What a symbol of data, or of a function, becomes. A function's stays one, or its code has none. */
typedef struct mercury_class {
  uint8_t info, other;
  uint16_t section;
  uint8_t value; /* where the section is another */
} mercury_class;

static const mercury_class data_classes[] = {
    {0x1d, 0x40, UNDEFINED, 0}, {0x1d, 0x20, COMMON, 8}, {0x2d, 0x20, UNDEFINED, 0}, {0x2d, 0x80, UNDEFINED, 0},
    {0x20, 0, UNDEFINED, 0},    {0x10, 0, UNDEFINED, 0}, {0x1a, 0, UNDEFINED, 0},    {0x1b, 0, UNDEFINED, 0},
    {0x1c, 0, UNDEFINED, 0},    {0x22, 0, UNDEFINED, 0}, {0x21, 0, UNDEFINED, 0},    {0x10, 0, CODE, 16},
    {0x20, 0, CODE, 0},         {0x1d, 0x22, SAME, 0},   {0x11, 0, SAME, 0},         {0x0d, 0x20, SAME, 0}};
static const mercury_class function_classes[] = {
    {0x12, 2, SAME, 0}, {0x12, 1, SAME, 0}, {0x12, 3, SAME, 0}, {0x22, 0, SAME, 0}, {0x02, 0, SAME, 0}};

#define CHOOSE(choices, table) (table)[built_choose(choices, (uint32_t)(sizeof(table) / sizeof *(table)))]

static unsigned mercury_symbol_type(const edit_section *table, uint32_t number) {
  return table->bytes[(size_t)SYMBOL_BYTES * number + 4] & 15;
}

/* One symbol of each kind that there is, as its fields tell them apart, and one of those. */
static uint32_t mercury_symbol(const built_choices *choices, const edit_section *table) {
  uint64_t keys[KINDS];
  uint32_t chosen[KINDS] = {0}, counts[KINDS] = {0}, known = 0;
  for (uint32_t i = 0; i < table->size / SYMBOL_BYTES; i++) {
    const uint8_t *const symbol = table->bytes + (size_t)SYMBOL_BYTES * i;
    const uint64_t key = edit_get(symbol + 4, 4) << 1 | (i == 0); /* type, binding, space and section */
    uint32_t at = 0;
    while (at < known && keys[at] != key)
      at++;
    if (at == KINDS)
      continue;
    known += at == known;
    keys[at] = key;
    if (built_choose(choices, ++counts[at]) == 0)
      chosen[at] = i;
  }
  return chosen[built_choose(choices, known)];
}

/* The number of some code, in Mercury's view or in the plain one. */
static size_t mercury_code(const edit_cubin *cubin, bool mercury) {
  enum { TEXT = 1, EXECUTE = 4 };
  for (size_t i = 1; i < cubin->count; i++) {
    const uint64_t type = edit_get(cubin->sections[i].head + 4, 4), flags = edit_get(cubin->sections[i].head + 8, 8);
    if (mercury ? type == mercury_text : type == TEXT && flags & EXECUTE)
      return i;
  }
  return 0;
}

/* The symbol becomes another in both tables, which have the same numbers. */
static void mercury_put_class(const edit_cubin *cubin, uint32_t number, const mercury_class *row) {
  enum { ENTRY = 0x10, EXTERNAL_SHARED = 0x40 };
  for (size_t i = 1; i < cubin->count; i++) {
    const edit_section *const table = &cubin->sections[i];
    const uint64_t type = edit_get(table->head + 4, 4);
    if ((type != TYPE_SYMBOLS && type != mercury_symbols) || (number + (size_t)1) * SYMBOL_BYTES > table->size)
      continue;
    uint8_t *const symbol = table->bytes + (size_t)SYMBOL_BYTES * number;
    const unsigned entry = (row->info & 15) == SYMBOL_FUNCTION && row->section == SAME ? symbol[5] & ENTRY : 0;
    symbol[4] = row->info;
    symbol[5] = (uint8_t)(row->other | entry);
    if (row->section == SAME)
      continue;
    edit_put(symbol + 6, 2, row->section == CODE ? mercury_code(cubin, type == mercury_symbols) : row->section);
    edit_put(symbol + 8, 8, row->value);
    if (row->other == EXTERNAL_SHARED)
      edit_put(symbol + 16, 8, 0); /* its size is the launch's */
  }
}

static void mercury_change_symbol(const built_choices *choices, const edit_cubin *cubin, const edit_section *table,
                                  uint32_t number) {
  const unsigned type = mercury_symbol_type(table, number);
  const mercury_class data = CHOOSE(choices, data_classes), function = CHOOSE(choices, function_classes);
  if (type == SYMBOL_OBJECT)
    mercury_put_class(cubin, number, &data);
  else if (type == SYMBOL_FUNCTION)
    mercury_put_class(cubin, number, &function);
}

/* A section of Mercury's entries; those about frames and jumps, which name little, less than the others. 0: there is none. */
static size_t mercury_entries(const built_choices *choices, const edit_cubin *cubin) {
  uint32_t found = 0;
  size_t chosen = 0;
  for (size_t i = 1; i < cubin->count; i++) {
    const edit_section *const section = &cubin->sections[i];
    if (edit_get(section->head + 4, 4) != mercury_rela || section->size < RELA_BYTES)
      continue;
    const char *const name = edit_section_name(cubin, section);
    const bool few = strstr(name, "debug") || strstr(name, ".constant.optimizer");
    if ((!few || built_choose(choices, 8) == 0) && built_choose(choices, ++found) == 0)
      chosen = i;
  }
  return chosen;
}

/* Where entries may stand: at what holds a value, which the entries that are there tell. */
typedef struct mercury_slots {
  uint64_t places[KINDS];
  uint32_t count;
  bool code;
} mercury_slots;

static mercury_slots mercury_slots_of(const edit_section *entries, bool code) {
  mercury_slots slots = {.code = code};
  for (size_t at = 0; at + RELA_BYTES <= entries->size && slots.count < KINDS; at += RELA_BYTES)
    slots.places[slots.count++] = edit_get(entries->bytes + at, 8);
  return slots;
}

/* In code frequent types have their word of an instruction (L512). */
static uint64_t mercury_place(uint64_t slot, uint32_t type) {
  enum { INSTRUCTION = 16, THIRD_WORD = 8, LAST_WORD = 12, ADDRESS = 2, HALF = 6, BACK = 40, OTHER_BACK = 41 };
  const uint64_t instruction = slot / INSTRUCTION * INSTRUCTION;
  if (type == ADDRESS)
    return instruction + THIRD_WORD;
  return (type > ADDRESS && type <= HALF) || type == BACK || type == OTHER_BACK ? instruction + LAST_WORD : slot;
}

/* The types that an address, or a part of one, is written for (L1133). */
static bool mercury_is_address(uint32_t type) {
  static const struct {
    uint8_t first, last;
  } rows[] = {{1, 1}, {5, 13}, {24, 49}, {60, 63}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (type >= rows[i].first && type <= rows[i].last)
      return true;
  return false;
}

/* Whether the symbol is of nothing that has a place: of no type, or the section of notes or of the call graph. */
static bool mercury_is_nowhere(const edit_cubin *cubin, const edit_section *table, uint32_t number) {
  enum { NOTE = 7 };
  static const uint32_t callgraph = 0x70000001u, prototype = 0x70000002u;
  const unsigned type = mercury_symbol_type(table, number);
  const size_t section = (size_t)edit_get(table->bytes + (size_t)SYMBOL_BYTES * number + 6, 2);
  const uint64_t of = section < cubin->count ? edit_get(cubin->sections[section].head + 4, 4) : 0;
  return !type || (type == SYMBOL_SECTION && (of == NOTE || of == callgraph || of == prototype));
}

/* Whether the link ends where an entry is read: 0x10000 is no type (L584), a descriptor is of a function (D15), and in code
 * the halves of an address and a return address are of what has a place (L608, L614), places in the code seldom begin an
 * instruction, and nvlink crashes over 50 at most of them (L1271, L1276); no address is one of what is nowhere (L1133). */
static bool mercury_ends_link(uint32_t type, unsigned symbol_type, bool nowhere, bool code) {
  enum { LOW = 5, HIGH = 6, FIRST_PLACE = 8, LAST_PLACE = 10, BACK = 40, OTHER_BACK = 41, BANK = 50 };
  if (!type || (type == DESCRIBES && symbol_type != SYMBOL_FUNCTION))
    return true;
  const bool half = type == LOW || type == HIGH || type == BACK || type == OTHER_BACK;
  const bool place = (type >= FIRST_PLACE && type <= LAST_PLACE) || type == BANK;
  return code &&
         (place || (nowhere && mercury_is_address(type)) || (half && (symbol_type == SYMBOL_SECTION || !symbol_type)));
}

/* A run of types against one symbol. How many bytes. */
static size_t mercury_run(const built_choices *choices, uint32_t symbol, unsigned symbol_type, bool nowhere,
                          const mercury_slots *slots, uint8_t *entries) {
  enum { BACK = 40, OTHER_BACK = 41 };
  static const int64_t addends[] = {0, 0, 0, 8, -1, 0x7fffffff};
  const uint32_t count = 1 + built_choose(choices, MOST), first = built_choose(choices, TYPES);
  const uint32_t place = built_choose(choices, slots->count);
  const int64_t addend = CHOOSE(choices, addends);
  const bool any = built_choose(choices, ENDS_ONE_IN) == ENDS_ONE_IN - 1;
  size_t size = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t type = (first + i) % TYPES;
    const uint64_t slot = slots->places[(place + i) % slots->count];
    if (!any && mercury_ends_link(type, symbol_type, nowhere, slots->code))
      continue;
    uint8_t *const entry = entries + size;
    const bool back = slots->code && (type == BACK || type == OTHER_BACK); /* behind a call, or 0 (L512) */
    edit_put(entry, 8, slots->code ? mercury_place(slot, type) : slot);
    edit_put(entry + 8, 4, MERCURY + type);
    edit_put(entry + 12, 4, symbol);
    edit_put(entry + 16, 8, back ? 0 : (uint64_t)addend);
    size += RELA_BYTES;
  }
  return size;
}

/* The type that ptxas writes on the SASS side beside one of Mercury's (R63); NONE where it writes nothing. */
static int mercury_sass_type(uint32_t type) {
  enum { NONE = -1 };
  static const struct {
    uint8_t first, last;
    int sass; /* of `first` */
  } rows[] = {{0, 0, 0},     {1, 1, 4},     {2, 2, 2},     {3, 3, 1},    {7, 10, NONE}, {11, 11, 6},
              {12, 12, 101}, {13, 13, 52},  {14, 14, 73},  {15, 15, 35}, {16, 39, 76},  {42, 49, NONE},
              {50, 50, 102}, {51, 51, 103}, {52, 59, 104}, {60, 60, 1},  {61, 61, 2},   {62, 63, 112}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (type >= rows[i].first && type <= rows[i].last)
      return rows[i].sass == NONE ? NONE : rows[i].sass + (int)(type - rows[i].first);
  return (int)((unsigned)MERCURY + type); /* a type that is no row may be any number */
}

/* Data has on the SASS side what its entries say: a file whose views differ is damaged, and nvlink takes Mercury's. */
static void mercury_mirror(edit_cubin *cubin, const edit_section *entries, size_t target) {
  enum { PREFIX = 8 }; /* ".nv.merc" */
  const char *const name = edit_section_name(cubin, &cubin->sections[target]);
  size_t plain = 0;
  for (size_t i = 1; i < cubin->count; i++)
    if (strlen(name) > PREFIX && strcmp(edit_section_name(cubin, &cubin->sections[i]), name + PREFIX) == 0)
      plain = i;
  if (!plain || strstr(name, "debug"))
    return;
  const size_t old = entries->size; /* the sections may move when one is made */
  const size_t number = (size_t)(entries - cubin->sections);
  edit_section *const mirror = edit_relocations_of(cubin, plain);
  uint8_t *const bytes = fuzz_memory(old);
  size_t size = 0;
  for (size_t at = 0; at + RELA_BYTES <= old; at += RELA_BYTES) {
    const uint8_t *const entry = cubin->sections[number].bytes + at;
    const int type = mercury_sass_type((uint32_t)edit_get(entry + 8, 4) - MERCURY);
    if (type < 0)
      continue;
    memcpy(bytes + size, entry, RELA_BYTES);
    edit_put(bytes + size + 8, 4, (uint64_t)type);
    size += RELA_BYTES;
  }
  edit_section_set(mirror, bytes, size);
}

bool fuzz_aim_mercury(const built_choices *choices, edit_cubin *cubin) {
  const size_t symbols = edit_find_type(cubin, mercury_symbols), number = mercury_entries(choices, cubin);
  if (!symbols || cubin->sections[symbols].size < SYMBOL_BYTES || !number)
    return false;
  edit_section *const entries = &cubin->sections[number];
  const edit_section *const table = &cubin->sections[symbols];
  const size_t target = (size_t)edit_get(entries->head + 44, 4);
  if (target >= cubin->count)
    return false;
  const bool code = edit_get(cubin->sections[target].head + 4, 4) == mercury_text;
  const mercury_slots slots = mercury_slots_of(entries, code);
  if (built_choose(choices, AGAIN_ONE_IN)) /* instead of those that are there, or inputs only grow */
    edit_section_set(entries, fuzz_memory(0), 0);
  uint8_t made[MOST * RELA_BYTES];
  for (uint32_t runs = 1 + built_choose(choices, RUNS); runs-- > 0;) {
    const uint32_t symbol = mercury_symbol(choices, table);
    if (built_choose(choices, 2))
      mercury_change_symbol(choices, cubin, table, symbol);
    const unsigned type = mercury_symbol_type(table, symbol);
    const bool nowhere = mercury_is_nowhere(cubin, table, symbol);
    const size_t more = mercury_run(choices, symbol, type, nowhere, &slots, made), old = entries->size;
    uint8_t *const all = fuzz_memory(old + more);
    if (old)
      memcpy(all, entries->bytes, old);
    if (more)
      memcpy(all + old, made, more);
    edit_section_set(entries, all, old + more);
  }
  if (!code)
    mercury_mirror(cubin, entries, target);
  return true;
}
