/* linker/base/arena.c for the hunt: behind everything that is taken lie bytes that are no zeros, as a reader that goes one
 * too far otherwise mostly finds nothing there, and answers as if it were right. Who writes there ends the program when the
 * memory is given back, as it would under a sanitizer. */
#include "base/arena.h"

#define tl_arena_take arena_take_plain
#define tl_arena_take_bare arena_take_bare_plain
#define tl_arena_extend arena_extend_plain
#define tl_arena_release arena_release_plain
#include "linker/base/arena.c"
#undef tl_arena_take
#undef tl_arena_take_bare
#undef tl_arena_extend
#undef tl_arena_release

enum { GUARD = 256, GUARD_BYTE = 0xa5, MOST_GUARDS = 1 << 18 };

/* Which bytes are whose guard. What is taken when the list is full has one that nobody looks at. */
static struct {
  const tl_arena *arena;
  const uint8_t *bytes;
} guards[MOST_GUARDS];
static size_t guard_count;

void *tl_arena_take(tl_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 2 - GUARD) / size)
    longjmp(*arena->on_failure, 1);
  uint8_t *const taken = arena_take_plain(arena, 1, count * size + GUARD);
  memset(taken + count * size, GUARD_BYTE, GUARD);
  if (guard_count < MOST_GUARDS) {
    guards[guard_count].arena = arena;
    guards[guard_count++].bytes = taken + count * size;
  }
  return taken;
}

void *tl_arena_take_bare(tl_arena *arena, size_t count, size_t size) {
  return tl_arena_take(arena, count, size);
}

/* What is taken does not grow: it has a guard behind it. */
bool tl_arena_extend(tl_arena *arena, const void *taken, size_t bytes, size_t wanted) {
  (void)arena, (void)taken, (void)bytes, (void)wanted;
  return false;
}

void tl_arena_release(tl_arena *arena) {
  size_t kept = 0;
  for (size_t i = 0; i < guard_count; i++) {
    for (size_t j = 0; guards[i].arena == arena && j < GUARD; j++)
      if (guards[i].bytes[j] != GUARD_BYTE)
        abort();
    if (guards[i].arena != arena)
      guards[kept++] = guards[i];
  }
  guard_count = kept;
  arena_release_plain(arena);
}
