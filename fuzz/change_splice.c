/* Sections of other files (change.h). Numbers say something else in another file, so what a section names becomes what is most like it
 * here, more often than not; and a section that is nothing without another one is drawn seldom where that is not. */
#include "fuzz/change.h"

#include "fuzz/envelope.h"

#include <stdlib.h>
#include <string.h>

enum {
  TYPE_SYMBOLS = 2,
  TYPE_STRINGS = 3,
  SECTION_LINK = 40,
  SYMBOL_BYTES = 24,
  MOST_SYMBOLS = 512, /* of a file whose names are looked for in another one */
  ADAPT_PERCENT = 85,
  ANY_ONE_IN = 8,
  TRIES = 12
};
static const uint32_t type_mercury_symbols = 0x70000085u;

/* The section of that name; 0: there is none. */
static size_t splice_named(const edit_cubin *cubin, const char *name) {
  size_t found = 0;
  for (size_t i = 1; i < cubin->count; i++)
    if (strcmp(name, edit_section_name(cubin, &cubin->sections[i])) == 0)
      found = i;
  return found;
}

/* The table of symbols; NULL: there is none, or none in which one looks. */
static const edit_section *splice_symbols(const edit_cubin *cubin, size_t *count) {
  const size_t table = edit_find_type(cubin, TYPE_SYMBOLS);
  *count = table ? cubin->sections[table].size / SYMBOL_BYTES : 0;
  return *count && *count <= MOST_SYMBOLS ? &cubin->sections[table] : NULL;
}

/* A symbol's name in its file's table; "" where it has none. */
static const char *splice_symbol_name(const edit_cubin *cubin, const edit_section *table, size_t number) {
  const size_t strings = (size_t)edit_get(table->head + SECTION_LINK, 4);
  const uint64_t at = edit_get(table->bytes + SYMBOL_BYTES * number, 4);
  const edit_section *const names = strings < cubin->count ? &cubin->sections[strings] : NULL;
  return names && at < names->size && memchr(names->bytes + at, 0, names->size - (size_t)at)
             ? (const char *)names->bytes + at
             : "";
}

static unsigned splice_symbol_type(const edit_section *table, size_t number) {
  return table->bytes[SYMBOL_BYTES * number + 4] & 15u;
}

/* This file's symbol that comes closest to the other's: of the name, of the type. */
static int32_t splice_symbol(const edit_cubin *cubin, const edit_section *own, size_t count, unsigned type,
                             const char *name) {
  int32_t alike = EDIT_GONE;
  for (size_t i = 1; i < count; i++) {
    if (splice_symbol_type(own, i) != type)
      continue;
    alike = (int32_t)i;
    if (*name && strcmp(name, splice_symbol_name(cubin, own, i)) == 0)
      break;
  }
  return alike;
}

/* What the other file's sections name is made this one's: symbols of the same names or types, sections of the same names. */
static void splice_adapt(const edit_cubin *cubin, edit_cubin *from) {
  size_t count = 0, others = 0;
  const edit_section *const own = splice_symbols(cubin, &count), *const other = splice_symbols(from, &others);
  int32_t *const map = fuzz_memory((MOST_SYMBOLS + from->count) * sizeof *map);
  if (own && other) {
    map[0] = 0;
    for (size_t i = 1; i < others; i++)
      map[i] = splice_symbol(cubin, own, count, splice_symbol_type(other, i), splice_symbol_name(from, other, i));
    edit_renumber_symbols(from, map, others);
  }
  for (size_t i = 0; i < from->count; i++) {
    const size_t same = i ? splice_named(cubin, edit_section_name(from, &from->sections[i])) : 0;
    map[i] = same ? (int32_t)same : EDIT_GONE;
  }
  uint8_t head[EDIT_HEAD]; /* says where the names of sections are */
  memcpy(head, from->head, EDIT_HEAD);
  edit_renumber_sections(from, map, from->count);
  memcpy(from->head, head, EDIT_HEAD);
  free(map);
}

/* Whether a section of another file is nothing without what this one has not: a table, what is about a section, code of
 * another name's function, what would stand behind Mercury's view. */
static bool splice_is_alone(const edit_cubin *cubin, const edit_cubin *from, const edit_section *section) {
  enum { EXECUTE = 4, MERCURY = 8 };
  const uint64_t type = edit_get(section->head + 4, 4);
  const size_t about = edit_section_about(section);
  const char *const name = edit_section_name(from, section);
  if (type == TYPE_SYMBOLS || type == TYPE_STRINGS || type == type_mercury_symbols)
    return true;
  if (about && about < from->count && !splice_named(cubin, edit_section_name(from, &from->sections[about])))
    return true;
  const bool plain = edit_find_type(cubin, type_mercury_symbols) && strncmp(name, ".nv.merc", MERCURY) != 0;
  return (plain || edit_get(section->head + 8, 8) & EXECUTE) && !splice_named(cubin, name);
}

static size_t splice_choose(const built_choices *choices, const edit_cubin *cubin, const edit_cubin *from) {
  size_t number = 0;
  for (int tries = 0; tries < TRIES && from->count > 1; tries++) {
    number = 1 + built_choose(choices, (uint32_t)from->count - 1);
    if (!splice_is_alone(cubin, from, &from->sections[number]) || built_choose(choices, ANY_ONE_IN) == 0)
      break;
  }
  return number;
}

static bool splice_is_there(const edit_section *own, const edit_section *other) {
  return !own->empty && own->size == other->size && (!own->size || memcmp(own->bytes, other->bytes, own->size) == 0);
}

bool fuzz_change_splice(const built_choices *choices, edit_cubin *cubin, edit_cubin *from) {
  const size_t number = splice_choose(choices, cubin, from);
  if (!number)
    return false;
  const edit_section *const section = &from->sections[number];
  const size_t same = splice_named(cubin, edit_section_name(from, section));
  if (built_choose(choices, 100) < ADAPT_PERCENT)
    splice_adapt(cubin, from);
  if (!same || section->empty) {
    edit_section_add(cubin, from, number);
    return true;
  }
  if (splice_is_there(&cubin->sections[same], section))
    return false;
  uint8_t *const bytes = fuzz_memory(section->size);
  if (section->size)
    memcpy(bytes, section->bytes, section->size);
  edit_section_set(&cubin->sections[same], bytes, section->size);
  return true;
}
