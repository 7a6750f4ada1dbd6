#include "link.h"

#include <string.h>

#define NO_NUMBER UINT32_MAX

enum { FEW = 16 }; /* entries of a small map */

/* The last eight bytes, or all of them. */
static inline uint64_t ref_map_tail(const char *key, size_t length) {
  uint64_t word = 0;
  uint32_t first, last;
  if (length >= sizeof word) {
    memcpy(&word, key + length - sizeof word, sizeof word);
    return word;
  }
  if (length >= sizeof first) {
    memcpy(&first, key, sizeof first);
    memcpy(&last, key + length - sizeof last, sizeof last);
    return (uint64_t)first << 32 | last;
  }
  for (size_t i = 0; i < length; i++) {
    word = word << 8 | (uint8_t)key[i];
  }
  return word;
}

/* All of a text, eight bytes at a time: every byte is one of those that choose the slot, however small the map is. */
static inline uint32_t ref_map_hash(const char *key, size_t length) {
  const uint64_t odd = 0x9e3779b97f4a7c15u;
  uint64_t hash = length, word = 0;
  for (size_t i = 0; i + sizeof word <= length; i += sizeof word) {
    memcpy(&word, key + i, sizeof word);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  }
  hash = (hash ^ ref_map_tail(key, length)) * odd;
  hash = (hash ^ hash >> 32) * odd;
  return (uint32_t)(hash >> 32);
}

/* From a slot on the first one that is empty or has a key of that hash. */
static inline size_t ref_map_probe(const ref_map *map, uint32_t hash, size_t slot) {
  const size_t mask = map->capacity - 1; /* a power of two */
  slot &= mask;
  while (map->entries[slot].key != NULL && map->entries[slot].hash != hash) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

/* The entry of a key, or the empty one for it. */
static inline ref_map_entry *ref_map_place(const ref_map *map, const char *key, uint32_t hash) {
  size_t slot = ref_map_probe(map, hash, hash);
  while (map->entries[slot].key != NULL && map->entries[slot].key != key && strcmp(map->entries[slot].key, key) != 0) {
    slot = ref_map_probe(map, hash, slot + 1);
  }
  return &map->entries[slot];
}

size_t ref_map_find(const ref_map *map, const char *key) {
  if (map->capacity == 0) {
    return REF_NONE;
  }
  const ref_map_entry *entry = ref_map_place(map, key, ref_map_hash(key, strlen(key)));
  return entry->key == NULL || entry->number == NO_NUMBER ? REF_NONE : entry->number;
}

ref_map ref_map_copy(ref_link *link, const ref_map *map) {
  return (ref_map){ref_memory_copy(link, map->entries, map->capacity * sizeof *map->entries), map->count,
                   map->capacity};
}

static void ref_map_enlarge(ref_link *link, ref_map *map, size_t capacity) {
  const ref_map old = *map;
  map->capacity = capacity;
  map->entries = REF_TAKE(link, ref_map_entry, map->capacity);
  for (size_t i = 0; i < old.capacity; i++) {
    if (old.entries[i].key != NULL) {
      *ref_map_place(map, old.entries[i].key, old.entries[i].hash) = old.entries[i];
    }
  }
}

void ref_map_reserve(ref_link *link, ref_map *map, size_t count) {
  size_t capacity = FEW;
  while (capacity / 2 <= count) {
    capacity *= 2;
  }
  ref_map_enlarge(link, map, capacity);
}

/* The entry of a key, which has one from now on. */
static inline ref_map_entry *ref_map_add(ref_link *link, ref_map *map, const char *key, uint32_t hash) {
  if (map->count * 2 >= map->capacity) {
    ref_map_enlarge(link, map, map->capacity == 0 ? FEW : map->capacity * 4);
  }
  ref_map_entry *entry = ref_map_place(map, key, hash);
  if (entry->key == NULL) {
    map->count++;
    *entry = (ref_map_entry){key, NO_NUMBER, hash};
  }
  return entry;
}

void ref_map_set(ref_link *link, ref_map *map, const char *key, size_t number) {
  ref_map_add(link, map, key, ref_map_hash(key, strlen(key)))->number = (uint32_t)number;
}

static inline bool ref_map_put_hashed(ref_link *link, ref_map *map, const char *key, uint32_t hash, size_t number) {
  ref_map_entry *entry = ref_map_add(link, map, key, hash);
  if (entry->number != NO_NUMBER) {
    return false;
  }
  entry->number = (uint32_t)number; /* counts of what has bytes in memory, and places in a table of 1 GiB */
  return true;
}

bool ref_map_put(ref_link *link, ref_map *map, const char *key, size_t number) {
  return ref_map_put_hashed(link, map, key, ref_map_hash(key, strlen(key)), number);
}

/* W2.1. The table starts with the empty string at offset 0; RF41: an empty prototype text is a string of its own. */
static void ref_strings_add_hashed(ref_link *link, ref_strings *strings, const char *text, size_t length,
                                   uint32_t hash) {
  if (strings->bytes.size == 0) {
    ref_bytes_add(link, &strings->bytes, "", 1);
  }
  if (ref_map_put_hashed(link, &strings->offsets, text, hash, strings->bytes.size)) {
    ref_bytes_add(link, &strings->bytes, text, length + 1);
  }
}

void ref_strings_add(ref_link *link, ref_strings *strings, const char *text) {
  const size_t length = strlen(text);
  ref_strings_add_hashed(link, strings, text, length, ref_map_hash(text, length));
}

/* Room for so many strings of some length, in a table that has none so far. */
static void ref_strings_reserve(ref_link *link, ref_strings *strings, size_t count) {
  enum { USUAL_LENGTH = 24 };
  ref_map_reserve(link, &strings->offsets, count);
  ref_bytes_reserve(link, &strings->bytes, ref_smaller(count, (size_t)1 << 20) * USUAL_LENGTH + 1);
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
  link->section_name_count++;
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
  if (link->names.offsets.count == 0 && link->section_names.offsets.count == 0) {
    ref_strings_reserve(link, &link->names, link->name_count);
    ref_strings_reserve(link, &link->section_names, link->section_name_count);
  }
  for (size_t i = 0; i < link->name_count; i++) {
    const ref_name *name = &link->name_log[i];
    if (ref_name_is_gone(link, name)) {
      continue;
    }
    const size_t length = strlen(name->text);
    const uint32_t hash = ref_map_hash(name->text, length);
    ref_strings_add_hashed(link, &link->names, name->text, length, hash);
    if (name->in_section_names) {
      ref_strings_add_hashed(link, &link->section_names, name->text, length, hash);
    }
  }
}
