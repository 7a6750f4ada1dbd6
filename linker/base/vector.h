/* Growing arrays in an arena. A vector is a struct {items, count, capacity}; push returns the new item, which has to be
 * written whole: most are assigned at once, and clearing each before that costs as much.
 * Growing doubles, so an old array stays in the arena as waste of at most the new one's size. */
#ifndef TL_BASE_VECTOR_H
#define TL_BASE_VECTOR_H

#include "base/arena.h"

#include <string.h>

#define TL_VECTOR(type)                                                                                                \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    size_t count, capacity;                                                                                            \
  }

/* The items of a full vector in an array with room for more. */
__attribute__((returns_nonnull)) void *tl_vector_grow(tl_arena *arena, void *items, size_t count, size_t *capacity,
                                                      size_t item_size);

/* The items array with room for one more item than `count`. */
static inline void *tl_vector_room(tl_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
#ifndef __clang_analyzer__ /* which would take a list that is not full for one without a place */
  if (count < *capacity)
    return items;
#endif
  return tl_vector_grow(arena, items, count, capacity, item_size);
}

#define tl_vector_push(arena, vector)                                                                                  \
  ((vector)->items =                                                                                                   \
       tl_vector_room((arena), (vector)->items, (vector)->count, &(vector)->capacity, sizeof *(vector)->items),        \
   &(vector)->items[(vector)->count++])

/* Room for `wanted` items in an empty vector, so that it never grows when that many is what comes. Memory that no item
 * fills is not touched. */
#define tl_vector_reserve(arena, vector, wanted)                                                                       \
  ((vector)->capacity = (wanted),                                                                                      \
   (vector)->items = tl_arena_take_bare((arena), (vector)->capacity, sizeof *(vector)->items))

/* Sorts the items, as qsort does. */
#define tl_vector_sort(vector, compare)                                                                                \
  tl_vector_sort_items((vector)->items, (vector)->count, sizeof *(vector)->items, (compare))
void tl_vector_sort_items(void *items, size_t count, size_t item_size, int (*compare)(const void *, const void *));
/* The item of a sorted list that `compare` finds equal to the key, or NULL. */
const void *tl_sorted_find(const void *key, const void *items, size_t count, size_t item_size,
                           int (*compare)(const void *, const void *));

/* The last item of a sorted list that is not behind the key, or NULL. */
const void *tl_sorted_last(const void *key, const void *items, size_t count, size_t item_size,
                           int (*compare)(const void *, const void *));
#define TL_SORTED_LAST(key, vector, compare)                                                                           \
  ((vector)->count ? tl_sorted_last((key), (vector)->items, (vector)->count, sizeof *(vector)->items, (compare)) : NULL)

/* The order of two numbers; of pairs, the first that differ decide. */
int tl_compare(uint64_t a, uint64_t b);
int tl_compare_pairs(const uint64_t (*pairs)[2], size_t count);

typedef TL_VECTOR(uint8_t) tl_byte_vector;
void tl_bytes_put(tl_arena *arena, tl_byte_vector *vector, const uint8_t *bytes, size_t size);

typedef TL_VECTOR(uint32_t) tl_u32_vector;
static inline void tl_u32_push(tl_arena *arena, tl_u32_vector *vector, uint32_t value) {
  *tl_vector_push(arena, vector) = value;
}

#endif
