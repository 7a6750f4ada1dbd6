/* The map of unread bytes: sections named .text.*, .nv.global.init or .debug_*, and in them everything but the words that
 * relocations point to (16 bytes, an instruction, in code; 8 bytes elsewhere). Constants are left out: nvlink compares
 * those of the compiler to share them (K2, K3). */
#include "tests/damage/contents.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEADER_SIZE = 64,
  SECTION_SIZE = 64,
  TYPE_PROGBITS = 1,
  TYPE_RELA = 4,
  TYPE_REL = 9,
  TYPE_GLOBAL_INIT = 0x70000008
};

typedef struct contents_section {
  const char *name;
  uint32_t type, info;
  uint64_t offset, size;
} contents_section;

static uint64_t contents_read(const uint8_t *at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

static contents_section contents_get_section(const uint8_t *bytes, size_t index) {
  const uint8_t *table = bytes + contents_read(bytes + 40, 8);
  const uint8_t *names = table + contents_read(bytes + 62, 2) * SECTION_SIZE;
  const uint8_t *header = table + index * SECTION_SIZE;
  return (contents_section){
      .name = (const char *)bytes + contents_read(names + 24, 8) + contents_read(header, 4),
      .type = (uint32_t)contents_read(header + 4, 4),
      .info = (uint32_t)contents_read(header + 44, 4),
      .offset = contents_read(header + 24, 8),
      .size = contents_read(header + 32, 8),
  };
}

static bool contents_is_unread(const contents_section *section) {
  if (section->type == TYPE_GLOBAL_INIT)
    return true;
  return section->type == TYPE_PROGBITS &&
         (strncmp(section->name, ".text.", 6) == 0 || strncmp(section->name, ".debug_", 7) == 0);
}

static void contents_mark_relocations(uint16_t *map, const uint8_t *bytes, const contents_section *table) {
  contents_section target = contents_get_section(bytes, table->info);
  size_t entry = table->type == TYPE_RELA ? 24 : 16;
  size_t word = strncmp(target.name, ".text.", 6) == 0 ? 16 : 8;
  for (uint64_t at = 0; at + entry <= table->size; at += entry) {
    uint64_t offset = contents_read(bytes + table->offset + at, 8);
    offset -= word == 16 ? offset % 16 : 0;
    for (uint64_t i = offset; i < offset + word && i < target.size; i++)
      map[target.offset + i] = CONTENTS_NONE;
  }
}

uint16_t *contents_map(const uint8_t *bytes, size_t size) {
  uint16_t *map = malloc(size * sizeof *map);
  if (!map || size < HEADER_SIZE)
    abort();
  memset(map, 0xff, size * sizeof *map);
  size_t count = contents_read(bytes + 60, 2);
  for (size_t i = 1; i < count; i++) {
    contents_section section = contents_get_section(bytes, i);
    for (uint64_t at = 0; contents_is_unread(&section) && at < section.size; at++)
      map[section.offset + at] = (uint16_t)i;
  }
  for (size_t i = 1; i < count; i++) {
    contents_section section = contents_get_section(bytes, i);
    if (section.type == TYPE_RELA || section.type == TYPE_REL)
      contents_mark_relocations(map, bytes, &section);
  }
  return map;
}
