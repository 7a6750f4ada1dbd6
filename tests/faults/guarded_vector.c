/* linker/base/vector.c for the hunt: room behind a vector's last item is no zeros (guarded_arena.c); the item that a push
 * gives is. */
#include "base/vector.h"

#define tl_vector_grow vector_grow_plain
#include "linker/base/vector.c"
#undef tl_vector_grow

#include <string.h>

enum { GUARD_BYTE = 0xa5 };

void *tl_vector_grow(tl_arena *arena, void *items, size_t count, size_t *capacity, size_t item_size) {
  uint8_t *const room = vector_grow_plain(arena, items, count, capacity, item_size);
  memset(room + count * item_size, GUARD_BYTE, (*capacity - count) * item_size);
  return room;
}
