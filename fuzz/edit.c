/* Cubins taken apart and put together (edit.h); ELF's layout is F1-F11, the lists F60-F64 and F75-F77 of the facts. */
#include "fuzz/edit.h"

#include "fuzz/envelope.h"

#include <stdlib.h>
#include <string.h>

enum {
  HEADER_SECTIONS = 40, /* places in the file header */
  HEADER_FLAGS = 48,
  HEADER_COUNT = 60,
  HEADER_NAMES = 62,
  SECTION_NAME = 0, /* and in a section header */
  SECTION_TYPE = 4,
  SECTION_FLAGS = 8,
  SECTION_OFFSET = 24,
  SECTION_SIZE = 32,
  SECTION_LINK = 40,
  SECTION_INFO = 44,
  SECTION_ALIGN = 48,
  SECTION_ENTRY_SIZE = 56,
  SYMBOL = 24,
  SYMBOL_INDEX = 6,
  RELA = 24,
  REL = 16,
  ENTRY_SYMBOL = 12,
  EDGE = 8,
  LARGEST_ALIGN = 256,
  INFO_LINK = 0x40 /* sh_flags: sh_info is a section's number */
};
enum { TYPE_TEXT = 1, TYPE_SYMBOLS = 2, TYPE_STRINGS = 3, TYPE_RELA = 4, TYPE_NOTE = 7, TYPE_NOBITS = 8, TYPE_REL = 9 };
static const uint32_t type_info = 0x70000000u, type_callgraph = 0x70000001u, type_prototype = 0x70000002u,
                      type_compat = 0x70000086u, type_mercury_text = 0x70000016u, type_mercury_rela = 0x70000082u,
                      type_mercury_info = 0x70000083u, type_mercury_symbols = 0x70000085u;

uint64_t edit_get(const uint8_t *at, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = width; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

void edit_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t section_type(const edit_section *section) {
  return (uint32_t)edit_get(section->head + SECTION_TYPE, 4);
}

static bool type_is_empty(uint32_t type) {
  return type == TYPE_NOBITS || type == 0x70000007u || type == 0x70000009u || type == 0x7000000au ||
         type == 0x70000015u;
}

/* ---- reading and writing ---- */

static bool edit_read_section(edit_section *section, const uint8_t *bytes, size_t size, uint64_t at, size_t *room) {
  memcpy(section->head, bytes + at, EDIT_HEAD);
  const uint64_t offset = edit_get(section->head + SECTION_OFFSET, 8),
                 length = edit_get(section->head + SECTION_SIZE, 8);
  section->empty = type_is_empty(section_type(section)) || section_type(section) == 0;
  if (section->empty)
    return true;
  if (offset > size || length > size - offset || length > *room)
    return false;
  *room -= (size_t)length;
  section->size = (size_t)length;
  section->bytes = fuzz_memory(section->size);
  if (length)
    memcpy(section->bytes, bytes + offset, section->size);
  return true;
}

bool edit_cubin_read(edit_cubin *cubin, const uint8_t *bytes, size_t size) {
  *cubin = (edit_cubin){0};
  if (size < EDIT_HEAD || memcmp(bytes, "\177ELF\2\1", 6) != 0)
    return false;
  memcpy(cubin->head, bytes, EDIT_HEAD);
  const uint64_t headers = edit_get(bytes + HEADER_SECTIONS, 8), count = edit_get(bytes + HEADER_COUNT, 2);
  if (count == 0 || count > EDIT_SECTIONS || headers > size || count * EDIT_HEAD > size - headers)
    return false;
  cubin->sections = calloc((size_t)count + 1, sizeof *cubin->sections);
  if (!cubin->sections)
    abort();
  size_t room = 2 * size; /* sections may lie over each other, and become copies */
  for (; cubin->count < count; cubin->count++)
    if (!edit_read_section(&cubin->sections[cubin->count], bytes, size, headers + cubin->count * EDIT_HEAD, &room)) {
      edit_cubin_free(cubin);
      return false;
    }
  return true;
}

static size_t edit_align(size_t at, uint64_t align) {
  if (align <= 1 || align > LARGEST_ALIGN)
    return at;
  return (at + (size_t)align - 1) / (size_t)align * (size_t)align;
}

uint8_t *edit_cubin_write(const edit_cubin *cubin, size_t *size) {
  size_t end = EDIT_HEAD;
  for (size_t i = 0; i < cubin->count; i++)
    end = edit_align(end, edit_get(cubin->sections[i].head + SECTION_ALIGN, 8)) + cubin->sections[i].size;
  const size_t headers = edit_align(end, 8);
  *size = headers + cubin->count * EDIT_HEAD;
  uint8_t *const bytes = calloc(1, *size);
  if (!bytes)
    abort();
  memcpy(bytes, cubin->head, EDIT_HEAD);
  edit_put(bytes + HEADER_SECTIONS, 8, headers);
  edit_put(bytes + HEADER_COUNT, 2, cubin->count);
  end = EDIT_HEAD;
  for (size_t i = 0; i < cubin->count; i++) {
    const edit_section *const section = &cubin->sections[i];
    uint8_t *const head = bytes + headers + i * EDIT_HEAD;
    end = edit_align(end, edit_get(section->head + SECTION_ALIGN, 8));
    memcpy(head, section->head, EDIT_HEAD);
    if (i)
      edit_put(head + SECTION_OFFSET, 8, end);
    if (section->size)
      memcpy(bytes + end, section->bytes, section->size);
    end += section->size;
  }
  return bytes;
}

void edit_cubin_free(edit_cubin *cubin) {
  for (size_t i = 0; i < cubin->count; i++)
    free(cubin->sections[i].bytes);
  free(cubin->sections);
  *cubin = (edit_cubin){0};
}

/* ---- lists ---- */

edit_kind edit_section_kind(const edit_section *section) {
  const uint32_t type = section_type(section);
  if (type == TYPE_RELA || type == TYPE_REL || type == type_mercury_rela)
    return EDIT_RELOCATIONS;
  if (type == TYPE_SYMBOLS)
    return EDIT_SYMBOLS;
  if (type == type_info || type == type_compat || type == type_mercury_info)
    return EDIT_ATTRIBUTES;
  return type == type_callgraph || type == type_prototype ? EDIT_EDGES : EDIT_CONTENTS;
}

static size_t list_step(const edit_list *list, size_t at) {
  const edit_section *const section = list->section;
  const uint32_t type = section_type(section);
  switch (list->kind) {
  case EDIT_RELOCATIONS:
    return type == TYPE_REL ? REL : RELA;
  case EDIT_SYMBOLS:
    return SYMBOL;
  case EDIT_ATTRIBUTES:
    return section->size - at < 4 ? 4 : 4 + (section->bytes[at] == 4 ? edit_get(section->bytes + at + 2, 2) : 0);
  case EDIT_EDGES:
    return EDGE;
  default:
    if (type == type_mercury_symbols)
      return SYMBOL;
    return edit_get(section->head + SECTION_FLAGS, 8) & 4 ? 16 : 4;
  }
}

void edit_list_make(edit_list *list, edit_section *section) {
  list->section = section;
  list->kind = edit_section_kind(section);
  list->count = 0;
  list->at[0] = 0;
  for (size_t at = 0; at < section->size && list->count < EDIT_ENTRIES;) {
    const size_t step = list_step(list, at);
    if (step > section->size - at)
      return;
    at += step;
    list->at[++list->count] = (uint32_t)at;
  }
}

void edit_section_set(edit_section *section, uint8_t *bytes, size_t size) {
  free(section->bytes);
  section->bytes = bytes;
  section->size = size;
  section->empty = false;
  edit_put(section->head + SECTION_SIZE, 8, size);
}

/* `size` bytes of `from` in the place of [at, end) of the section. */
static void section_replace(edit_section *section, size_t at, size_t end, const void *from, size_t size) {
  const size_t whole = section->size - (end - at) + size;
  uint8_t *const bytes = fuzz_memory(whole);
  if (at)
    memcpy(bytes, section->bytes, at);
  if (size)
    memcpy(bytes + at, from, size);
  if (section->size > end)
    memcpy(bytes + at + size, section->bytes + end, section->size - end);
  edit_section_set(section, bytes, whole);
}

void edit_list_drop(edit_list *list, size_t number) {
  section_replace(list->section, list->at[number], list->at[number + 1], NULL, 0);
  edit_list_make(list, list->section);
}

void edit_list_insert(edit_list *list, size_t number, const void *bytes, size_t size) {
  section_replace(list->section, list->at[number], list->at[number], bytes, size);
  edit_list_make(list, list->section);
}

void edit_list_swap(edit_list *list, size_t a, size_t b) {
  if (a == b)
    return;
  const size_t low = a < b ? a : b, high = a < b ? b : a;
  uint8_t *const bytes = list->section->bytes;
  const size_t from = list->at[low], low_size = list->at[low + 1] - from, high_at = list->at[high],
               high_size = list->at[high + 1] - high_at, end = high_at + high_size;
  uint8_t *const turned = fuzz_memory(end - from);
  memcpy(turned, bytes + high_at, high_size);
  memcpy(turned + high_size, bytes + from + low_size, high_at - from - low_size);
  memcpy(turned + high_size + high_at - from - low_size, bytes + from, low_size);
  memcpy(bytes + from, turned, end - from);
  free(turned);
  edit_list_make(list, list->section);
}

size_t edit_section_about(const edit_section *section) {
  const edit_kind kind = edit_section_kind(section);
  const bool about =
      kind == EDIT_RELOCATIONS || kind == EDIT_ATTRIBUTES || edit_get(section->head + SECTION_FLAGS, 8) & INFO_LINK;
  return about ? (size_t)edit_get(section->head + SECTION_INFO, 4) : 0;
}

size_t edit_find_type(const edit_cubin *cubin, uint32_t type) {
  for (size_t i = 1; i < cubin->count; i++)
    if (section_type(&cubin->sections[i]) == type)
      return i;
  return 0;
}

static edit_section *edit_names(const edit_cubin *cubin) {
  const size_t number = (size_t)edit_get(cubin->head + HEADER_NAMES, 2);
  return number < cubin->count ? &cubin->sections[number] : NULL;
}

const char *edit_section_name(const edit_cubin *cubin, const edit_section *section) {
  const edit_section *const names = edit_names(cubin);
  const uint64_t at = edit_get(section->head + SECTION_NAME, 4);
  if (!names || at >= names->size || !memchr(names->bytes + at, 0, names->size - (size_t)at))
    return "";
  return (const char *)names->bytes + at;
}

/* ---- numbers ---- */

static uint32_t map_number(const int32_t *map, size_t count, uint64_t number) {
  if (number >= count)
    return (uint32_t)number;
  return map[number] < 0 ? 0 : (uint32_t)map[number];
}

static void renumber_word(uint8_t *at, const int32_t *map, size_t count) {
  edit_put(at, 4, map_number(map, count, edit_get(at, 4)));
}

/* Symbols in the first word of a record's payload, and in all of them (F62; EIATTR_EXTERNS). */
static void renumber_attribute(uint8_t *record, size_t size, const int32_t *map, size_t count) {
  static const uint8_t first[] = {0x09, 0x0a, 0x11, 0x12, 0x23, 0x26, 0x2f, 0x3b};
  enum { EXTERNS = 0x0f };
  if (record[0] != 4)
    return;
  for (size_t at = 4; record[1] == EXTERNS && at + 4 <= size; at += 4)
    renumber_word(record + at, map, count);
  if (size >= 8 && memchr(first, record[1], sizeof first))
    renumber_word(record + 4, map, count);
}

/* An edge's first word is a symbol, its second one in parts 0 and 3; a part begins with 0 and its number below 2^32. */
static void renumber_edge(uint8_t *edge, uint32_t type, unsigned *part, const int32_t *map, size_t count) {
  const uint32_t second = (uint32_t)edit_get(edge + 4, 4);
  if (type == type_callgraph && edit_get(edge, 4) == 0 && second > UINT32_MAX - 8) {
    *part = UINT32_MAX - second;
    return;
  }
  renumber_word(edge, map, count);
  if (type == type_callgraph && (*part == 0 || *part == 3))
    renumber_word(edge + 4, map, count);
}

void edit_renumber_symbols(edit_cubin *cubin, const int32_t *map, size_t count) {
  edit_list list;
  for (size_t i = 1; i < cubin->count; i++) {
    edit_section *const section = &cubin->sections[i];
    const uint32_t type = section_type(section);
    unsigned part = 0;
    if (type == TYPE_TEXT && edit_get(section->head + SECTION_FLAGS, 8) & 4) {
      const uint64_t info = edit_get(section->head + SECTION_INFO, 4);
      edit_put(section->head + SECTION_INFO, 3, map_number(map, count, info & 0xffffff));
    }
    if (type == type_mercury_text)
      renumber_word(section->head + SECTION_INFO, map, count);
    const edit_kind kind = edit_section_kind(section);
    if (kind == EDIT_SYMBOLS || kind == EDIT_CONTENTS)
      continue;
    edit_list_make(&list, section);
    for (size_t entry = 0; entry < list.count; entry++) {
      uint8_t *const bytes = section->bytes + list.at[entry];
      if (kind == EDIT_RELOCATIONS)
        renumber_word(bytes + ENTRY_SYMBOL, map, count);
      else if (kind == EDIT_EDGES)
        renumber_edge(bytes, type, &part, map, count);
      else
        renumber_attribute(bytes, list.at[entry + 1] - list.at[entry], map, count);
    }
  }
}

void edit_renumber_sections(edit_cubin *cubin, const int32_t *map, size_t count) {
  edit_put(cubin->head + HEADER_NAMES, 2, map_number(map, count, edit_get(cubin->head + HEADER_NAMES, 2)));
  edit_put(cubin->head + HEADER_FLAGS + 3, 1, map_number(map, count, edit_get(cubin->head + HEADER_FLAGS + 3, 1)));
  for (size_t i = 1; i < cubin->count; i++) {
    edit_section *const section = &cubin->sections[i];
    const uint32_t type = section_type(section);
    renumber_word(section->head + SECTION_LINK, map, count);
    if (type == type_mercury_text && section->size >= 4)
      renumber_word(section->bytes, map, count); /* the text of the SASS view */
    if (type == TYPE_RELA || type == TYPE_REL || edit_get(section->head + SECTION_FLAGS, 8) & INFO_LINK)
      renumber_word(section->head + SECTION_INFO, map, count);
    const bool symbols = type == TYPE_SYMBOLS || type == type_mercury_symbols;
    for (size_t at = 0; symbols && at + SYMBOL <= section->size; at += SYMBOL)
      edit_put(section->bytes + at + SYMBOL_INDEX, 2,
               map_number(map, count, edit_get(section->bytes + at + SYMBOL_INDEX, 2)));
  }
}

/* A map in which nothing moves; the caller frees it. */
static int32_t *map_make(size_t count) {
  int32_t *const map = fuzz_memory(count * sizeof *map);
  for (size_t i = 0; i < count; i++)
    map[i] = (int32_t)i;
  return map;
}

static void map_drop(int32_t *map, size_t count, size_t number) {
  map[number] = EDIT_GONE;
  for (size_t i = number + 1; i < count; i++)
    map[i]--;
}

/* Whether an entry of a list is about the symbol that the map has as gone. */
static bool entry_names_gone(const uint8_t *entry, size_t size, edit_kind kind, uint32_t type, unsigned *part,
                             const int32_t *map, size_t count) {
  enum { MOST = 256 };
  uint8_t copy[MOST];
  if (size > MOST)
    return false;
  memcpy(copy, entry, size);
  if (kind == EDIT_RELOCATIONS)
    renumber_word(copy + ENTRY_SYMBOL, map, count);
  else if (kind == EDIT_EDGES)
    renumber_edge(copy, type, part, map, count);
  else
    renumber_attribute(copy, size, map, count);
  return memcmp(copy, entry, size) != 0;
}

void edit_symbol_forget(edit_cubin *cubin, size_t number) {
  const size_t table = edit_find_type(cubin, TYPE_SYMBOLS), count = cubin->sections[table].size / SYMBOL;
  if (!table || !number || number >= count)
    return;
  int32_t *const map = map_make(count);
  map[number] = EDIT_GONE;
  edit_list list;
  for (size_t i = 1; i < cubin->count; i++) {
    edit_section *const section = &cubin->sections[i];
    const edit_kind kind = edit_section_kind(section);
    unsigned part = 0;
    if (kind == EDIT_SYMBOLS || kind == EDIT_CONTENTS)
      continue;
    edit_list_make(&list, section);
    size_t kept = 0;
    for (size_t entry = 0; entry < list.count; entry++) {
      const size_t at = list.at[entry], size = list.at[entry + 1] - at;
      if (entry_names_gone(section->bytes + at, size, kind, section_type(section), &part, map, count))
        continue;
      memmove(section->bytes + kept, section->bytes + at, size);
      kept += size;
    }
    if (kept < list.at[list.count])
      section_replace(section, kept, list.at[list.count], NULL, 0);
  }
  free(map);
}

/* A capsule has two tables of symbols, with the same numbers. */
static void table_drop(edit_section *table, size_t number) {
  edit_list list;
  edit_list_make(&list, table);
  if (number >= list.count)
    return;
  const uint64_t globals = edit_get(table->head + SECTION_INFO, 4);
  if (number < globals)
    edit_put(table->head + SECTION_INFO, 4, globals - 1);
  edit_list_drop(&list, number);
}

void edit_symbol_drop(edit_cubin *cubin, size_t number) {
  const size_t table = edit_find_type(cubin, TYPE_SYMBOLS), other = edit_find_type(cubin, type_mercury_symbols);
  const size_t count = cubin->sections[table].size / SYMBOL;
  if (!table || number >= count)
    return;
  int32_t *const map = map_make(count);
  map_drop(map, count, number);
  edit_renumber_symbols(cubin, map, count);
  free(map);
  table_drop(&cubin->sections[table], number);
  if (other)
    table_drop(&cubin->sections[other], number);
}

void edit_symbol_swap(edit_cubin *cubin, size_t a, size_t b) {
  const size_t table = edit_find_type(cubin, TYPE_SYMBOLS), other = edit_find_type(cubin, type_mercury_symbols);
  const size_t count = cubin->sections[table].size / SYMBOL,
               others = other ? cubin->sections[other].size / SYMBOL : count;
  if (!table || a >= count || b >= count || a >= others || b >= others)
    return;
  int32_t *const map = map_make(count);
  map[a] = (int32_t)b;
  map[b] = (int32_t)a;
  edit_renumber_symbols(cubin, map, count);
  free(map);
  edit_list list;
  edit_list_make(&list, &cubin->sections[table]);
  edit_list_swap(&list, a, b);
  if (!other)
    return;
  edit_list_make(&list, &cubin->sections[other]);
  edit_list_swap(&list, a, b);
}

/* Every string of the table that is the name, or ends with it behind a point. */
static void strings_rename(const edit_section *strings, const char *name, size_t length, uint8_t change) {
  for (size_t at = 1; at + length < strings->size; at++) {
    uint8_t *const here = strings->bytes + at;
    if ((here[-1] == 0 || here[-1] == '.') && here[length] == 0 && memcmp(here, name, length) == 0)
      here[0] ^= change;
  }
}

void edit_symbol_rename(edit_cubin *cubin, size_t number, uint8_t change) {
  enum { LONGEST = 200 };
  const size_t table = edit_find_type(cubin, TYPE_SYMBOLS);
  const size_t strings = table ? (size_t)edit_get(cubin->sections[table].head + SECTION_LINK, 4) : 0;
  if (!table || strings >= cubin->count || (number + 1) * SYMBOL > cubin->sections[table].size)
    return;
  const uint64_t at = edit_get(cubin->sections[table].bytes + number * SYMBOL, 4);
  const edit_section *const texts = &cubin->sections[strings];
  const void *const end = at < texts->size ? memchr(texts->bytes + at, 0, texts->size - (size_t)at) : NULL;
  const size_t length = end ? (size_t)((const uint8_t *)end - (texts->bytes + at)) : 0;
  if (length < 1 || length > LONGEST)
    return;
  char name[LONGEST + 1] = {0};
  memcpy(name, texts->bytes + at, length);
  for (size_t i = 1; i < cubin->count; i++)
    if (section_type(&cubin->sections[i]) == TYPE_STRINGS)
      strings_rename(&cubin->sections[i], name, length, change);
}

void edit_section_drop(edit_cubin *cubin, size_t number) {
  int32_t *const map = map_make(cubin->count);
  map_drop(map, cubin->count, number);
  edit_renumber_sections(cubin, map, cubin->count);
  free(map);
  free(cubin->sections[number].bytes);
  memmove(&cubin->sections[number], &cubin->sections[number + 1],
          (cubin->count - number - 1) * sizeof *cubin->sections);
  cubin->count--;
}

void edit_section_swap(edit_cubin *cubin, size_t a, size_t b) {
  int32_t *const map = map_make(cubin->count);
  map[a] = (int32_t)b;
  map[b] = (int32_t)a;
  edit_renumber_sections(cubin, map, cubin->count);
  free(map);
  const edit_section moved = cubin->sections[a];
  cubin->sections[a] = cubin->sections[b];
  cubin->sections[b] = moved;
}

/* Where the name stands in this cubin's table of names; it is added where it does not. */
static uint32_t edit_name_offset(const edit_cubin *cubin, const char *name) {
  edit_section *const names = edit_names(cubin);
  if (!names || !*name)
    return 0;
  const size_t length = strlen(name) + 1;
  for (size_t at = 0; at + length <= names->size; at++)
    if (memcmp(names->bytes + at, name, length) == 0)
      return (uint32_t)at;
  section_replace(names, names->size, names->size, name, length);
  return (uint32_t)(names->size - length);
}

void edit_section_add(edit_cubin *cubin, const edit_cubin *from, size_t number) {
  if (cubin->count >= EDIT_SECTIONS)
    return;
  const edit_section original = from->sections[number];
  const uint32_t name = edit_name_offset(cubin, edit_section_name(from, &original));
  edit_section *const sections = realloc(cubin->sections, (cubin->count + 1) * sizeof *sections);
  if (!sections)
    abort();
  cubin->sections = sections;
  edit_section *const section = &sections[cubin->count++];
  *section = (edit_section){.size = from->sections[number].size, .empty = original.empty};
  memcpy(section->head, original.head, EDIT_HEAD);
  edit_put(section->head + SECTION_NAME, 4, name);
  if (!section->empty) {
    section->bytes = fuzz_memory(section->size);
    if (section->size)
      memcpy(section->bytes, from->sections[number].bytes, section->size);
  }
}

edit_section *edit_section_new(edit_cubin *cubin, const char *name, uint32_t type) {
  edit_section *const sections = realloc(cubin->sections, (cubin->count + 1) * sizeof *sections);
  if (!sections)
    abort();
  cubin->sections = sections;
  edit_section *const section = &sections[cubin->count++];
  *section = (edit_section){.bytes = fuzz_memory(0)};
  edit_put(section->head + SECTION_NAME, 4, edit_name_offset(cubin, name));
  edit_put(section->head + SECTION_TYPE, 4, type);
  return section;
}

edit_section *edit_relocations_of(edit_cubin *cubin, size_t target) {
  enum { PREFIX = 5, LONGEST = 200 };
  for (size_t i = 1; i < cubin->count; i++)
    if (section_type(&cubin->sections[i]) == TYPE_RELA && edit_get(cubin->sections[i].head + SECTION_INFO, 4) == target)
      return &cubin->sections[i];
  char name[PREFIX + LONGEST + 1] = ".rela";
  strncat(name, edit_section_name(cubin, &cubin->sections[target]), LONGEST);
  edit_section *const section = edit_section_new(cubin, name, TYPE_RELA);
  edit_put(section->head + SECTION_FLAGS, 8, INFO_LINK);
  edit_put(section->head + SECTION_LINK, 4, edit_find_type(cubin, TYPE_SYMBOLS));
  edit_put(section->head + SECTION_INFO, 4, target);
  edit_put(section->head + SECTION_ALIGN, 8, sizeof(uint64_t));
  edit_put(section->head + SECTION_ENTRY_SIZE, 8, RELA);
  return section;
}
