/* The fields of a cubin, one after the other as the format has them (F1-F11, F20-F79). The reader is the doubters' own
 * (oracle/cubin); what is no field of a known structure is taken in words, so that every byte of a section has a name. */
#include "damage.h"
#include "damage_format.h"

#include "oracle/cubin/ref_cubin.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A section's name without what it is about: ".text.kernel" is ".text". */
static void fields_kind(const char *name, char *kind, size_t size) {
  static const char *const prefixes[] = {".rela.text",    ".rel.text",     ".rela.nv.constant", ".rel.nv.constant",
                                         ".text",         ".nv.info",      ".nv.constant0",     ".nv.constant2",
                                         ".nv.constant4", ".nv.constant3", ".nv.shared",        ".nv.local",
                                         ".nv.capmerc"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0 && name[strlen(prefixes[i])] == '.') {
      snprintf(kind, size, "%s.*", prefixes[i]);
      return;
    }
  snprintf(kind, size, "%s", name[0] ? name : "null");
}

static void fields_add(damage_map *map, damage_group group, uint64_t offset, unsigned width, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void fields_add(damage_map *map, damage_group group, uint64_t offset, unsigned width, const char *format, ...) {
  if (map->count == map->room) {
    map->room = map->room ? 2 * map->room : 1024;
    damage_field *const larger = realloc(map->fields, map->room * sizeof *map->fields);
    if (!larger)
      abort();
    map->fields = larger;
  }
  damage_field *const field = &map->fields[map->count++];
  *field = (damage_field){.offset = offset, .width = width, .group = group};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(field->name, sizeof field->name, format, arguments);
  va_end(arguments);
}

static void fields_add_rows(damage_map *map, damage_group group, uint64_t offset, const char *what,
                            damage_structure structure) {
  size_t count = 0;
  const damage_row *const rows = damage_rows(structure, &count);
  for (size_t i = 0; i < count; i++)
    fields_add(map, group, offset + rows[i].offset, rows[i].width, "%s %s", what, rows[i].name);
}

/* The bytes [offset, offset + size) in words, the last one perhaps shorter. */
static void fields_add_words(damage_map *map, damage_group group, uint64_t offset, uint64_t size, unsigned width,
                             const char *what) {
  for (uint64_t at = 0; at < size; at += width)
    fields_add(map, group, offset + at, size - at < width ? 1 : width, "%s", what);
}

static void fields_symbols(damage_map *map, const ref_cubin *cubin, const ref_section *section) {
  static const char *const types[16] = {"NOTYPE",  "OBJECT",      "FUNC", "SECTION", "FILE",    "COMMON",
                                        "TLS",     "7",           "8",    "9",       "TEXTURE", "SAMPLER",
                                        "SURFACE", "CUDA_OBJECT", "14",   "15"};
  for (size_t i = 0; i < cubin->symbol_count; i++) {
    const ref_symbol *const symbol = &cubin->symbols[i];
    char what[DAMAGE_NAME];
    snprintf(what, sizeof what, "symbol %s%s", i ? types[symbol->info & 15] : "null",
             i && !symbol->raw_section ? " undefined" : "");
    fields_add_rows(map, DAMAGE_SYMBOL, section->offset + i * 24, what, DAMAGE_OF_SYMBOL);
  }
}

static void fields_relocations(damage_map *map, const ref_section *section, const char *kind) {
  const uint64_t size = section->type == 4 ? 24 : 16;
  char what[DAMAGE_NAME];
  snprintf(what, sizeof what, "entry of %s", kind);
  for (uint64_t at = 0; at + size <= section->size; at += size)
    fields_add_rows(map, DAMAGE_RELOCATION, section->offset + at, what, size == 24 ? DAMAGE_OF_RELA : DAMAGE_OF_REL);
}

static void fields_attributes(damage_map *map, const ref_section *section, const char *kind) {
  uint64_t position = 0;
  ref_attribute record;
  while (ref_cubin_next_attribute(section, &position, &record)) {
    const uint64_t at = section->offset + record.offset;
    fields_add(map, DAMAGE_ATTRIBUTE, at, 1, "%s format", kind);
    fields_add(map, DAMAGE_ATTRIBUTE, at + 1, 1, "%s code", kind);
    if (record.format != 4) {
      fields_add(map, DAMAGE_ATTRIBUTE, at + 2, 2, "%s value of 0x%02x", kind, record.code);
      continue;
    }
    fields_add(map, DAMAGE_ATTRIBUTE, at + 2, 2, "%s size", kind);
    for (uint64_t i = 0; i < record.size; i += 4)
      fields_add(map, DAMAGE_ATTRIBUTE, at + 4 + i, record.size - i < 4 ? 1 : 4, "%s word %u of 0x%02x", kind,
                 (unsigned)(i / 4 > 2 ? 2 : i / 4), record.code);
  }
}

static void fields_note(damage_map *map, const ref_section *section, const char *kind) {
  if (section->size < 12)
    return;
  fields_add_rows(map, DAMAGE_NOTE, section->offset, kind, DAMAGE_OF_NOTE);
  fields_add_words(map, DAMAGE_NOTE, section->offset + 12, section->size - 12, 2, kind);
}

static void fields_contents(damage_map *map, const ref_cubin *cubin, const ref_section *section) {
  char kind[40];
  fields_kind(section->name, kind, sizeof kind);
  if (!section->data)
    return;
  switch (section->type) {
  case 2:
    fields_symbols(map, cubin, section);
    return;
  case 3:
    fields_add_words(map, DAMAGE_STRING, section->offset, section->size, 1, kind);
    return;
  case 4:
  case 9:
    fields_relocations(map, section, kind);
    return;
  case 7:
    fields_note(map, section, kind);
    return;
  case 0x70000000u:
  case 0x70000086u:
    fields_attributes(map, section, kind);
    return;
  case 0x70000001u:
  case 0x70000002u:
    fields_add_words(map, DAMAGE_CALLGRAPH, section->offset, section->size, 4, kind);
    return;
  default:
    break;
  }
  const bool debug = strncmp(section->name, ".debug", 6) == 0 || strncmp(section->name, ".nv_debug", 9) == 0;
  fields_add_words(map, debug ? DAMAGE_DEBUG : DAMAGE_CONTENTS, section->offset, section->size, 4, kind);
}

static int fields_compare(const void *left, const void *right) {
  const damage_field *const a = left, *const b = right;
  if (a->group != b->group)
    return a->group < b->group ? -1 : 1;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

bool damage_map_make(damage_map *map, const uint8_t *bytes, size_t size) {
  *map = (damage_map){0};
  ref_cubin cubin;
  char error[160];
  if (!ref_cubin_read(&cubin, bytes, size, error, sizeof error))
    return false;
  fields_add_rows(map, DAMAGE_HEADER, 0, "header", DAMAGE_OF_HEADER);
  for (size_t i = 0; i < cubin.section_count; i++) {
    char kind[40], what[56];
    fields_kind(cubin.sections[i].name, kind, sizeof kind);
    snprintf(what, sizeof what, "section %s", kind);
    fields_add_rows(map, DAMAGE_SECTION, cubin.section_offset + i * 64, what, DAMAGE_OF_SECTION);
    fields_contents(map, &cubin, &cubin.sections[i]);
  }
  ref_cubin_free(&cubin);
  if (map->count)
    qsort(map->fields, map->count, sizeof *map->fields, fields_compare);
  size_t at = 0;
  for (int group = 0; group <= DAMAGE_GROUPS; group++) {
    while (at < map->count && (int)map->fields[at].group < group)
      at++;
    map->first[group] = at;
  }
  return true;
}

void damage_map_free(damage_map *map) {
  free(map->fields);
  *map = (damage_map){0};
}

const damage_field *damage_map_find(const damage_map *map, uint64_t offset) {
  for (int group = 0; group < DAMAGE_GROUPS; group++) {
    size_t low = map->first[group], high = map->first[group + 1];
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (map->fields[middle].offset <= offset)
        low = middle + 1;
      else
        high = middle;
    }
    if (low > map->first[group] && offset - map->fields[low - 1].offset < map->fields[low - 1].width)
      return &map->fields[low - 1];
  }
  return NULL;
}
