/* Memory of one link: blocks taken from the caller's allocator, given back all at once.
 *
 * Nothing is freed on its own, so no stage has clean-up paths. When the allocator fails or the job's limit is reached,
 * the arena jumps to the one place that tl_link has set; a test that lets the n-th allocation fail therefore sees an
 * ordinary error for every n. */
#ifndef TL_BASE_ARENA_H
#define TL_BASE_ARENA_H

#include "twinlink.h"

#include <setjmp.h>
#include <stdarg.h>

typedef struct tl_arena_block tl_arena_block;

typedef struct tl_arena {
  const tl_allocator *allocator;
  tl_arena_block *blocks; /* newest first */
  uint8_t *next, *end;    /* free part of the newest block */
  uint64_t used, limit;   /* bytes taken from the allocator, and how many may be */
  jmp_buf *on_failure;    /* where to go when there is no memory */
  uint64_t hash_seed;     /* of the maps in it; 0 before the first */
} tl_arena;

void tl_arena_init(tl_arena *arena, const tl_allocator *allocator, uint64_t limit, jmp_buf *on_failure);
void tl_arena_release(tl_arena *arena);
/* Bytes taken so far, without what is left of the newest block. */
uint64_t tl_arena_held(const tl_arena *arena);
/* Zeroed memory for `count` items of `size` bytes, aligned for any type. Never NULL. */
__attribute__((returns_nonnull)) void *tl_arena_take(tl_arena *arena, size_t count, size_t size);
/* The same, with whatever bytes the memory has: for what is written before it is read. */
__attribute__((returns_nonnull)) void *tl_arena_take_bare(tl_arena *arena, size_t count, size_t size);
/* One block for all of what comes next, `bytes` in sum; what is larger than a few megabytes still gets a block of its own. */
void tl_arena_expect(tl_arena *arena, size_t bytes);
/* Makes `bytes` bytes that were taken last grow to `wanted`, the new ones with whatever they have; false where there is no room behind them
 * or something else was taken since. */
bool tl_arena_extend(tl_arena *arena, const void *taken, size_t bytes, size_t wanted);
#define tl_arena_new(arena, type, count) ((type *)tl_arena_take((arena), (count), sizeof(type)))
#define tl_arena_new_bare(arena, type, count) ((type *)tl_arena_take_bare((arena), (count), sizeof(type)))
/* Copies of bytes and of text; the copy of text ends with a NUL. */
__attribute__((returns_nonnull)) void *tl_arena_copy(tl_arena *arena, const void *bytes, size_t size);
char *tl_arena_text(tl_arena *arena, const char *text, size_t length);
/* A text made from `format`: %s (const char *), %u (uint64_t), %x (uint64_t, "0x" not added), %%. */
char *tl_arena_format(tl_arena *arena, const char *format, ...);
char *tl_arena_format_list(tl_arena *arena, const char *format, va_list list);
/* 32 bits as a signed number, as nvlink prints counts and versions (L43, L444). */
const char *tl_arena_signed(tl_arena *arena, uint32_t value);

#endif
