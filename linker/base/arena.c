/* The arena of base/arena.h: a list of blocks, each twice the size of the one before up to a bound. Under the address sanitizer
 * some bytes behind everything that is taken may not be touched: it sees blocks alone otherwise, and whoever goes too far
 * reads or writes what lies behind in the same block. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define ARENA_GUARDED
#endif
#endif
#ifdef ARENA_GUARDED
#include <sanitizer/asan_interface.h>
enum { ARENA_GUARD = 16 };
#else
enum { ARENA_GUARD = 0 };
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#endif

struct tl_arena_block {
  tl_arena_block *older;
  size_t size; /* with this header */
};

enum { BLOCK_FIRST = 64 << 10, BLOCK_MIDDLE = 4 << 20, BLOCK_LARGEST = 32 << 20, ALIGNMENT = 16 };

void tl_arena_init(tl_arena *arena, const tl_allocator *allocator, uint64_t limit, jmp_buf *on_failure) {
  *arena = (tl_arena){.allocator = allocator, .limit = limit, .on_failure = on_failure};
}

void tl_arena_release(tl_arena *arena) {
  while (arena->blocks) {
    tl_arena_block *const block = arena->blocks;
    arena->blocks = block->older;
    ASAN_UNPOISON_MEMORY_REGION(block, block->size);
    arena->allocator->release(arena->allocator->context, block);
  }
}

uint64_t tl_arena_held(const tl_arena *arena) {
  return arena->used - (uint64_t)(arena->end - arena->next);
}

static void *arena_block_add(tl_arena *arena, size_t payload) {
  const size_t size = payload + ALIGNMENT;
  tl_arena_block *block = NULL;
  if (arena->used + size <= arena->limit)
    block = arena->allocator->allocate(arena->allocator->context, size);
  if (!block)
    longjmp(*arena->on_failure, 1);
  arena->used += size;
  *block = (tl_arena_block){arena->blocks, size};
  arena->blocks = block;
  ASAN_POISON_MEMORY_REGION((uint8_t *)block + ALIGNMENT, payload); /* until it is taken */
  return (uint8_t *)block + ALIGNMENT;
}

/* As much as was taken so far, of a large arena an eighth of it: what is a little more than tl_arena_expect was told is not to
 * take a huge page. Within the bounds and what the limit leaves. */
static size_t arena_next_block_size(const tl_arena *arena) {
  const uint64_t grown = arena->used < BLOCK_MIDDLE ? arena->used : arena->used / 8;
  const uint64_t wanted = grown < BLOCK_FIRST ? BLOCK_FIRST : grown;
  const uint64_t bounded = wanted < BLOCK_LARGEST ? wanted : BLOCK_LARGEST;
  const uint64_t left = arena->limit > arena->used + ALIGNMENT ? arena->limit - arena->used - ALIGNMENT : 0;
  return (size_t)(bounded < left ? bounded : left);
}

void tl_arena_expect(tl_arena *arena, size_t bytes) {
  if (bytes <= (size_t)(arena->end - arena->next))
    return;
  arena->next = arena_block_add(arena, bytes);
  arena->end = arena->next + bytes;
}

/* A new block for what comes next, `bytes` of it at once. Rare, so that it is not made part of what is not. */
__attribute__((noinline)) static void arena_begin_block(tl_arena *arena, size_t bytes) {
  const size_t block = arena_next_block_size(arena);
  const size_t payload = block > bytes ? block : bytes;
  arena->next = arena_block_add(arena, payload);
  arena->end = arena->next + payload;
}

/* What `bytes` take of a block. */
static size_t arena_round(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ARENA_GUARD;
}

/* Of what was taken the first `size` bytes may be touched from now on; nothing behind them. */
static void *arena_open(const void *taken, size_t size) {
  ASAN_UNPOISON_MEMORY_REGION(taken, size);
  return (uint8_t *)(uintptr_t)taken;
}

/* A block of its own for what is large, or nothing for more than there can be. Rare. */
__attribute__((noinline)) static void *arena_take_large(tl_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 2) / size)
    longjmp(*arena->on_failure, 1);
  return arena_open(arena_block_add(arena, arena_round(count * size)), count * size);
}

void *tl_arena_take_bare(tl_arena *arena, size_t count, size_t size) {
  const size_t wanted = count * size; /* where both have 32 bits it does not wrap */
  if (((uint64_t)count | size) >> 32 || wanted > BLOCK_LARGEST / 4)
    return arena_take_large(arena, count, size);
  const size_t bytes = arena_round(wanted);
  if (!arena->next || bytes > (size_t)(arena->end - arena->next)) /* nothing may be added to a null pointer */
    arena_begin_block(arena, bytes);
  void *const taken = arena_open(arena->next, wanted);
  arena->next += bytes;
  return taken;
}

void *tl_arena_take(tl_arena *arena, size_t count, size_t size) {
  void *const taken = tl_arena_take_bare(arena, count, size);
  if (!arena->allocator->zeroed)
    memset(taken, 0, count * size);
  return taken;
}

bool tl_arena_extend(tl_arena *arena, const void *taken, size_t bytes, size_t wanted) {
  const size_t held = arena_round(bytes), more = arena_round(wanted) - held;
  if (bytes > BLOCK_LARGEST / 4 || (const uint8_t *)taken + held != arena->next ||
      more > (size_t)(arena->end - arena->next))
    return false;
  arena_open(taken, wanted);
  arena->next += more;
  return true;
}

void *tl_arena_copy(tl_arena *arena, const void *bytes, size_t size) {
  void *const copy = tl_arena_take_bare(arena, 1, size ? size : 1);
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

char *tl_arena_text(tl_arena *arena, const char *text, size_t length) {
  char *const copy = tl_arena_take_bare(arena, 1, length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
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

/* One pass over the format: writes what fits in `room`, and returns the length. */
static size_t format_pass(char *out, size_t room, const char *format, va_list list) {
  size_t length = 0;
  char number[24];
  for (const char *at = format; *at;) {
    const char *piece = at;
    const char kind = *at == '%' ? at[1] : '\0';
    if (!kind) { /* what stands there up to the next value */
      do
        at++;
      while (*at && *at != '%');
    } else if (kind == 's') {
      piece = va_arg(list, const char *);
    } else if (kind == 'u' || kind == 'x') {
      piece = format_number(number, va_arg(list, uint64_t), kind == 'u' ? 10 : 16);
    } else {
      piece = "%";
    }
    size_t size = (size_t)(at - piece);
    if (kind) {
      size = strlen(piece);
      at += 2;
    }
    if (size == 1 && length < room)
      out[length] = *piece;
    else if (size < room && length < room - size)
      memcpy(out + length, piece, size);
    length += size;
  }
  return length;
}

/* Nearly all texts are short, and are gone over once. */
char *tl_arena_format_list(tl_arena *arena, const char *format, va_list list) {
  enum { SHORT = 256 };
  char short_text[SHORT];
  va_list again;
  va_copy(again, list);
  const size_t length = format_pass(short_text, sizeof short_text, format, again);
  va_end(again);
  char *const text = tl_arena_take_bare(arena, 1, length + 1);
  if (length < sizeof short_text)
    memcpy(text, short_text, length);
  else
    format_pass(text, length + 1, format, list);
  text[length] = '\0';
  return text;
}

char *tl_arena_format(tl_arena *arena, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *const text = tl_arena_format_list(arena, format, list);
  va_end(list);
  return text;
}

const char *tl_arena_signed(tl_arena *arena, uint32_t value) {
  return value < 0x80000000u ? tl_arena_format(arena, "%u", (uint64_t)value)
                             : tl_arena_format(arena, "-%u", (uint64_t)(0u - value));
}
