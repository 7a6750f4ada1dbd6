/* linker/base/arena.c for the hunt: behind everything that is taken lie bytes that are no zeros, as a reader that goes one
 * too far otherwise mostly finds nothing there, and answers as if it were right. */
#include "base/arena.h"

#define tl_arena_take arena_take_plain
#define tl_arena_extend arena_extend_plain
#include "linker/base/arena.c"
#undef tl_arena_take
#undef tl_arena_extend

enum { GUARD = 256, GUARD_BYTE = 0xa5 };

void *tl_arena_take(tl_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 2 - GUARD) / size)
    longjmp(*arena->on_failure, 1);
  uint8_t *const taken = arena_take_plain(arena, 1, count * size + GUARD);
  memset(taken + count * size, GUARD_BYTE, GUARD);
  return taken;
}

/* What is taken does not grow: it has a guard behind it. */
bool tl_arena_extend(tl_arena *arena, const void *taken, size_t bytes, size_t wanted) {
  (void)arena, (void)taken, (void)bytes, (void)wanted;
  return false;
}
