/* The maps of base/map.h: linear probing, at most half full. The hash has a seed that no input can know, so names that
 * were made to collide do not; nothing but time depends on it. */
#define _DEFAULT_SOURCE /* getentropy */
#include "base/map.h"

#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* All maps of an arena have one, which is asked for with the first. */
static uint64_t map_seed(tl_arena *arena) {
  if (!arena->hash_seed)
    (void)!getentropy(&arena->hash_seed, sizeof arena->hash_seed); /* without it the hash is still a hash */
  return arena->hash_seed;
}

static size_t map_slots_for(size_t count, size_t least) {
  size_t slots = least;
  while (slots / 2 < count && slots < SIZE_MAX / 2)
    slots *= 2;
  return slots;
}

void tl_names_init(tl_names *names, tl_arena *arena, size_t expected) {
  *names = (tl_names){.arena = arena, .seed = map_seed(arena), .slot_count = map_slots_for(expected, 64)};
  tl_vector_reserve(arena, &names->list, expected + expected / 4);
  names->slots = tl_arena_new(arena, uint32_t, names->slot_count);
}

static size_t names_slot(const tl_names *names, const char *text, size_t length, uint32_t hash) {
  size_t slot = hash & (names->slot_count - 1);
  while (names->slots[slot]) {
    const tl_name *const name = &names->list.items[names->slots[slot] - 1];
    if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
      break;
    slot = (slot + 1) & (names->slot_count - 1);
  }
  return slot;
}

static void names_grow(tl_names *names) {
  names->slot_count *= 2;
  names->slots = tl_arena_new(names->arena, uint32_t, names->slot_count);
  for (size_t i = 0; i < names->list.count; i++) {
    size_t slot = names->list.items[i].hash & (names->slot_count - 1);
    while (names->slots[slot])
      slot = (slot + 1) & (names->slot_count - 1);
    names->slots[slot] = (uint32_t)i + 1;
  }
}

uint32_t tl_names_intern(tl_names *names, const char *text, size_t length) {
  const uint32_t hash = (uint32_t)XXH3_64bits_withSeed(text, length, names->seed);
  if (length > UINT32_MAX)
    longjmp(*names->arena->on_failure, 1);
  size_t slot = names_slot(names, text, length, hash);
  if (names->slots[slot])
    return names->slots[slot] - 1;
  if ((names->list.count + 1) * 2 > names->slot_count) {
    names_grow(names);
    slot = names_slot(names, text, length, hash);
  }
  *tl_vector_push(names->arena, &names->list) = (tl_name){text, (uint32_t)length, hash};
  names->slots[slot] = (uint32_t)names->list.count;
  return (uint32_t)names->list.count - 1;
}

uint32_t tl_names_find(const tl_names *names, const char *text, size_t length) {
  const size_t slot = names_slot(names, text, length, (uint32_t)XXH3_64bits_withSeed(text, length, names->seed));
  return names->slots[slot] ? names->slots[slot] - 1 : TL_NONE;
}

void tl_name_table_set(tl_name_table *table, const tl_names *names, uint32_t name, uint32_t value) {
  if (name >= table->count) {
    uint32_t *const values = tl_arena_new(names->arena, uint32_t, 2 * names->list.count);
    if (table->count)
      memcpy(values, table->values, table->count * sizeof *values);
    *table = (tl_name_table){values, 2 * names->list.count};
  }
  table->values[name] = value + 1;
}

void tl_map_init(tl_map *map, tl_arena *arena) {
  *map = (tl_map){.arena = arena};
}

static size_t map_slot(const tl_map *map, uint64_t key) {
  uint64_t hash = (key ^ map->seed) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93u;
  size_t slot = (hash ^ hash >> 32) & (map->slot_count - 1);
  while (map->values[slot] && map->keys[slot] != key)
    slot = (slot + 1) & (map->slot_count - 1);
  return slot;
}

uint32_t tl_map_find(const tl_map *map, uint64_t key) {
  const uint32_t value = map->values[map_slot(map, key)];
  return value - 1; /* a free slot holds 0, so this is TL_NONE */
}

/* Keys and values are one piece of memory; only the values are cleared, as a key is read where there is a value. */
static void map_resize(tl_map *map, size_t slot_count) {
  const tl_map old = *map;
  if (!old.slot_count) /* most maps stay empty */
    map->seed = map_seed(map->arena);
  map->slot_count = slot_count;
  map->keys = tl_arena_take_bare(map->arena, slot_count, sizeof *map->keys + sizeof *map->values);
  map->values = (uint32_t *)(map->keys + slot_count);
  memset(map->values, 0, slot_count * sizeof *map->values);
  for (size_t i = 0; i < old.slot_count; i++)
    if (old.values[i]) {
      const size_t slot = map_slot(map, old.keys[i]);
      map->keys[slot] = old.keys[i];
      map->values[slot] = old.values[i];
    }
}

void tl_map_expect(tl_map *map, size_t count) {
  map_resize(map, map_slots_for(count, 16));
}

/* Takes out what lies in a slot; those behind it that were pushed on by it move up, so that no search ends too early. */
static void map_remove(tl_map *map, size_t slot) {
  if (!map->values[slot])
    return;
  map->count--;
  map->values[slot] = 0;
  const size_t mask = map->slot_count - 1;
  for (size_t i = (slot + 1) & mask; map->values[i]; i = (i + 1) & mask) {
    const uint32_t value = map->values[i];
    map->values[i] = 0;
    const size_t place = map_slot(map, map->keys[i]);
    map->keys[place] = map->keys[i];
    map->values[place] = value;
  }
}

void tl_map_set(tl_map *map, uint64_t key, uint32_t value) {
  if (value == TL_NONE) {
    if (map->slot_count)
      map_remove(map, map_slot(map, key));
    return;
  }
  if ((map->count + 1) * 2 > map->slot_count)
    map_resize(map, map->slot_count ? map->slot_count * 2 : 16);
  const size_t slot = map_slot(map, key);
  map->count += map->values[slot] == 0;
  map->keys[slot] = key;
  map->values[slot] = value + 1;
}

bool tl_set_add(tl_map *set, uint64_t key) {
  const size_t before = set->count;
  tl_map_set(set, key, 0);
  return set->count != before;
}
