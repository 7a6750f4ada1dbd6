/* The arena of base/arena.h: a list of blocks, each twice the size of the one before up to a bound. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct tl_arena_block {
  tl_arena_block *older;
};

enum { BLOCK_FIRST = 64 << 10, BLOCK_LARGEST = 4 << 20, ALIGNMENT = 16 };

void tl_arena_init(tl_arena *arena, const tl_allocator *allocator, uint64_t limit, jmp_buf *on_failure) {
  *arena = (tl_arena){.allocator = allocator, .limit = limit, .on_failure = on_failure};
}

void tl_arena_release(tl_arena *arena) {
  while (arena->blocks) {
    tl_arena_block *const block = arena->blocks;
    arena->blocks = block->older;
    arena->allocator->release(arena->allocator->context, block);
  }
}

static void *arena_block_add(tl_arena *arena, size_t payload) {
  const size_t size = payload + ALIGNMENT;
  tl_arena_block *block = NULL;
  if (arena->used + size <= arena->limit)
    block = arena->allocator->allocate(arena->allocator->context, size);
  if (!block)
    longjmp(*arena->on_failure, 1);
  arena->used += size;
  block->older = arena->blocks;
  arena->blocks = block;
  return (uint8_t *)block + ALIGNMENT;
}

static size_t arena_next_block_size(const tl_arena *arena) {
  const uint64_t wanted = arena->used < BLOCK_FIRST ? BLOCK_FIRST : arena->used;
  return wanted < BLOCK_LARGEST ? (size_t)wanted : BLOCK_LARGEST;
}

void *tl_arena_take(tl_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 2) / size)
    longjmp(*arena->on_failure, 1);
  const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes > BLOCK_LARGEST / 4)
    return memset(arena_block_add(arena, bytes), 0, bytes);
  if (bytes > (size_t)(arena->end - arena->next)) {
    const size_t block = arena_next_block_size(arena);
    const size_t payload = block > bytes ? block : bytes;
    arena->next = arena_block_add(arena, payload);
    arena->end = arena->next + payload;
  }
  void *const taken = arena->next;
  arena->next += bytes;
  return memset(taken, 0, bytes);
}

void *tl_arena_copy(tl_arena *arena, const void *bytes, size_t size) {
  void *const copy = tl_arena_take(arena, 1, size ? size : 1);
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

char *tl_arena_text(tl_arena *arena, const char *text, size_t length) {
  char *const copy = tl_arena_take(arena, 1, length + 1);
  memcpy(copy, text, length);
  return copy;
}

/* Text of `value` in `base`, right-aligned in a buffer of 24; returns its start. */
static const char *format_number(char buffer[24], uint64_t value, unsigned base) {
  char *at = buffer + 23;
  *at = '\0';
  do
    *--at = "0123456789abcdef"[value % base];
  while (value /= base);
  return at;
}

/* One pass over the format: writes when `out` is not NULL, and returns the length. */
static size_t format_pass(char *out, const char *format, va_list list) {
  size_t length = 0;
  char number[24];
  for (const char *at = format; *at; at++) {
    const char *piece = at;
    size_t size = 1;
    if (*at == '%' && at[1]) {
      at++;
      if (*at == 's')
        piece = va_arg(list, const char *);
      else if (*at == 'u' || *at == 'x')
        piece = format_number(number, va_arg(list, uint64_t), *at == 'u' ? 10 : 16);
      else
        piece = "%";
      size = strlen(piece);
    }
    if (out)
      memcpy(out + length, piece, size);
    length += size;
  }
  return length;
}

char *tl_arena_format_list(tl_arena *arena, const char *format, va_list list) {
  va_list again;
  va_copy(again, list);
  const size_t length = format_pass(NULL, format, again);
  va_end(again);
  char *const text = tl_arena_take(arena, 1, length + 1);
  format_pass(text, format, list);
  return text;
}

char *tl_arena_format(tl_arena *arena, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *const text = tl_arena_format_list(arena, format, list);
  va_end(list);
  return text;
}
