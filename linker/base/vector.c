/* Growth of the vectors of base/vector.h. */
#include "base/vector.h"

#include <string.h>

void *tl_vector_room(tl_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity)
    return items;
  *capacity = *capacity ? *capacity * 2 : 8;
  void *const grown = tl_arena_take(arena, *capacity, item_size);
  if (count)
    memcpy(grown, items, count * item_size);
  return grown;
}

void tl_u32_push(tl_arena *arena, tl_u32_vector *vector, uint32_t value) {
  *tl_vector_push(arena, vector) = value;
}
