/* Hash maps in an arena: names to numbers (interning) and 64-bit keys to 32-bit values. Open addressing, xxhash; the
 * iteration order is never used, so no output can depend on the hash. */
#ifndef TL_BASE_MAP_H
#define TL_BASE_MAP_H

#include "base/vector.h"

#define TL_NONE UINT32_MAX

typedef struct tl_name {
  const char *text; /* NUL-terminated */
  uint32_t length;  /* bytes */
  uint32_t hash;
} tl_name;

/* Every distinct text gets a number from 0 on, in order of first appearance. */
typedef struct tl_names {
  tl_arena *arena;
  uint64_t seed;
  TL_VECTOR(tl_name) list;
  uint32_t *slots; /* number + 1, or 0 */
  size_t slot_count;
} tl_names;

/* `expected`: about how many texts will come; more and fewer are as good, only slower or larger. */
void tl_names_init(tl_names *names, tl_arena *arena, size_t expected);
/* `text` must live as long as the arena. */
uint32_t tl_names_intern(tl_names *names, const char *text, size_t length);
/* TL_NONE when the text was never interned. */
uint32_t tl_names_find(const tl_names *names, const char *text, size_t length);
static inline const char *tl_names_text(const tl_names *names, uint32_t name) {
  return names->list.items[name].text;
}

/* A number for each of some names, found without a search: as many places as there were names when it grew. */
typedef struct tl_name_table {
  uint32_t *values; /* value + 1, or 0 for none */
  size_t count;
} tl_name_table;

/* TL_NONE when absent. */
static inline uint32_t tl_name_table_get(const tl_name_table *table, uint32_t name) {
  return name < table->count ? table->values[name] - 1 : TL_NONE;
}
/* TL_NONE takes the name out. */
void tl_name_table_set(tl_name_table *table, const tl_names *names, uint32_t name, uint32_t value);

typedef struct tl_map {
  tl_arena *arena;
  uint64_t seed;
  uint64_t *keys;
  uint32_t *values; /* value + 1, or 0 where the slot is free */
  size_t slot_count, count;
} tl_map;

void tl_map_init(tl_map *map, tl_arena *arena);
/* Room for `count` keys in an empty map. */
void tl_map_expect(tl_map *map, size_t count);
/* TL_NONE when absent. Many maps are empty. */
uint32_t tl_map_find(const tl_map *map, uint64_t key); /* of a map that has had a key */
static inline uint32_t tl_map_get(const tl_map *map, uint64_t key) {
  return map->slot_count ? tl_map_find(map, key) : TL_NONE;
}
/* TL_NONE takes the key out. */
void tl_map_set(tl_map *map, uint64_t key, uint32_t value);

/* Two numbers as one key, which orders them as the first does, then as the second. */
static inline uint64_t tl_pair_key(uint32_t first, uint32_t second) {
  return (uint64_t)first << 32 | second;
}

/* A map that is a set of keys. */
static inline bool tl_set_has(const tl_map *set, uint64_t key) {
  return tl_map_get(set, key) != TL_NONE;
}
/* False when it was there already. */
bool tl_set_add(tl_map *set, uint64_t key);

#endif
