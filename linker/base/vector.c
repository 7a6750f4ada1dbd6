/* Growth and order of the vectors of base/vector.h. */
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

/* Lists of larger items start with one: most sections have one piece. */
enum { LARGE_ITEM = 32 };

void *tl_vector_grow(tl_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
  const size_t held = *capacity;
  *capacity = held ? held * 2 : item_size < LARGE_ITEM ? 8 : 1;
  if (held && held < SIZE_MAX / 2 / item_size / 2 &&
      tl_arena_extend(arena, items, held * item_size, *capacity * item_size))
    return items;
  void *const grown = tl_arena_take_bare(arena, *capacity, item_size);
  if (count)
    memcpy(grown, items, count * item_size);
  return grown;
}

/* An empty vector has no items at all, which qsort does not take. */
void tl_vector_sort_items(void *items, size_t count, size_t item_size, int (*compare)(const void *, const void *)) {
  if (count)
    qsort(items, count, item_size, compare);
}

const void *tl_sorted_find(const void *key, const void *items, size_t count, size_t item_size,
                           int (*compare)(const void *, const void *)) {
  return count ? bsearch(key, items, count, item_size, compare) : NULL;
}

const void *tl_sorted_last(const void *key, const void *items, size_t count, size_t item_size,
                           int (*compare)(const void *, const void *)) {
  const char *const first = items;
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare(first + middle * item_size, key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? first + (low - 1) * item_size : NULL;
}

int tl_compare(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

int tl_compare_pairs(const uint64_t (*pairs)[2], size_t count) {
  int order = 0;
  for (size_t i = 0; i < count && !order; i++)
    order = tl_compare(pairs[i][0], pairs[i][1]);
  return order;
}

void tl_bytes_put(tl_arena *arena, tl_byte_vector *vector, const uint8_t *bytes, size_t size) {
  if (!size)
    return;
  if (vector->capacity - vector->count < size) {
    tl_byte_vector grown;
    tl_vector_reserve(arena, &grown, 2 * vector->capacity + size);
    grown.count = vector->count;
    if (grown.count)
      memcpy(grown.items, vector->items, grown.count);
    *vector = grown;
  }
  memcpy(vector->items + vector->count, bytes, size);
  vector->count += size;
}
