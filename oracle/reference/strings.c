#include "link.h"

#include <string.h>

static size_t ref_map_slot(const ref_map *map, const char *key) {
  uint64_t hash = 1469598103934665603u;
  for (const char *at = key; *at != 0; at++) {
    hash = (hash ^ (uint8_t)*at) * 1099511628211u;
  }
  size_t slot = (size_t)((hash ^ hash >> 32) & (map->capacity - 1)); /* a power of two */
  while (map->numbers[slot] != REF_NONE && strcmp(map->keys[slot], key) != 0) {
    slot = (slot + 1) & (map->capacity - 1);
  }
  return slot;
}

size_t ref_map_find(const ref_map *map, const char *key) {
  return map->capacity == 0 ? REF_NONE : map->numbers[ref_map_slot(map, key)];
}

static void ref_map_enlarge(ref_link *link, ref_map *map) {
  const ref_map old = *map;
  map->capacity = old.capacity == 0 ? 64 : old.capacity * 4;
  map->keys = REF_TAKE(link, const char *, map->capacity);
  map->numbers = ref_memory_take_numbers(link, map->capacity);
  for (size_t i = 0; i < old.capacity; i++) {
    if (old.numbers[i] != REF_NONE) {
      const size_t slot = ref_map_slot(map, old.keys[i]);
      map->keys[slot] = old.keys[i];
      map->numbers[slot] = old.numbers[i];
    }
  }
}

/* The slot of a key, which has one from now on. */
static size_t ref_map_add(ref_link *link, ref_map *map, const char *key) {
  if (map->count * 2 >= map->capacity) {
    ref_map_enlarge(link, map);
  }
  const size_t slot = ref_map_slot(map, key);
  if (map->numbers[slot] == REF_NONE) {
    map->count++;
    map->keys[slot] = key;
  }
  return slot;
}

void ref_map_set(ref_link *link, ref_map *map, const char *key, size_t number) {
  const size_t slot = ref_map_add(link, map, key); /* which may make other lists of numbers */
  map->numbers[slot] = number;
}

/* False where the key has a number already, which stays. */
static bool ref_map_put(ref_link *link, ref_map *map, const char *key, size_t number) {
  const size_t slot = ref_map_add(link, map, key);
  if (map->numbers[slot] != REF_NONE) {
    return false;
  }
  map->numbers[slot] = number;
  return true;
}

/* W2.1. The table starts with the empty string at offset 0; RF41: an empty prototype text is a string of its own. */
void ref_strings_add(ref_link *link, ref_strings *strings, const char *text) {
  if (strings->bytes.size == 0) {
    ref_bytes_add(link, &strings->bytes, "", 1);
  }
  if (ref_map_put(link, &strings->offsets, text, strings->bytes.size)) {
    ref_bytes_add(link, &strings->bytes, text, strlen(text) + 1);
  }
}

uint32_t ref_strings_offset(const ref_strings *strings, const char *text) {
  const size_t offset = ref_map_find(&strings->offsets, text);
  return offset == REF_NONE ? 0 : (uint32_t)offset;
}

static void ref_names_log(ref_link *link, ref_name name) {
  link->name_log =
      ref_memory_grow(link, link->name_log, link->name_count, &link->name_capacity, sizeof *link->name_log);
  link->name_log[link->name_count++] = name;
}

void ref_names_add(ref_link *link, size_t symbol, const char *text) {
  ref_names_log(link, (ref_name){.symbol = symbol, .section = REF_NONE, .text = text});
}

void ref_names_add_section(ref_link *link, size_t section, const char *text) {
  ref_names_log(link, (ref_name){.symbol = REF_NONE, .section = section, .in_section_names = true, .text = text});
}

/* W17.2: a shared object that nothing refers to has no name. RF4: nor has a section of a replaced body's constants, with what
 * is in it; with -r (RF110) the section's name stays, and in what D60 refuses the symbols' names go. Known only after all files
 * are read. */
static bool ref_name_is_gone(const ref_link *link, const ref_name *name) {
  if (name->symbol == REF_NONE) {
    return name->section != REF_NONE && link->sections[name->section].deleted && !link->relocatable;
  }
  const ref_out_symbol *symbol = &link->symbols[name->symbol];
  const bool deleted = symbol->section != REF_NONE && link->sections[symbol->section].deleted;
  return symbol->has_no_name || (deleted && !(link->relocatable && link->job->bug_compatible));
}

void ref_names_build(ref_link *link) {
  for (size_t i = 0; i < link->name_count; i++) {
    const ref_name *name = &link->name_log[i];
    if (ref_name_is_gone(link, name)) {
      continue;
    }
    ref_strings_add(link, &link->names, name->text);
    if (name->in_section_names) {
      ref_strings_add(link, &link->section_names, name->text);
    }
  }
}
