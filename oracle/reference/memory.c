/* The memory of a link: blocks, given back all at once. Small things lie in one block behind each other, each with bytes behind it that
 * nobody may touch, which the address sanitizer is told; a link takes hundreds of them, and a block of its own for each was a third of
 * what a link costs under that sanitizer. */
#include "link.h"

#include "memory_blocks.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, GAP = 16, SMALL = 16384, SEVERAL = 64 };

/* The first block of a link is the one that small things are taken from. */
struct ref_arena_block {
  ref_arena_block *next;
  size_t size, used; /* of what follows */
  size_t padding;    /* keeps it aligned to 16 */
};
static_assert(sizeof(ref_arena_block) == REF_BLOCK_HEAD, "what of a block may be written from the beginning");

/* The bytes of a file say how often something is done and how far something is filled up, so that a small one could ask for all memory
 * there is. */
static void ref_memory_count(ref_link *link, size_t size) {
  const size_t room_for_a_message = (size_t)16 << 20;
  ref_link *owner = link->memory_owner == NULL ? link : link->memory_owner;
  const bool is_over = owner->memory_limit != 0 &&
                       (owner->memory_taken > owner->memory_limit || size > owner->memory_limit - owner->memory_taken);
  owner->memory_taken += size;
  if (is_over && owner->is_over_memory_limit) {
    ref_message_stop(link);
  }
  if (is_over) {
    const size_t limit = owner->memory_limit;
    owner->is_over_memory_limit = true;
    owner->memory_limit = owner->memory_taken + room_for_a_message;
    ref_message_fatal(link, "D44", "more than %zu bytes of memory for these files", limit);
  }
}

static ref_arena_block *ref_memory_block(ref_link *link, size_t size) {
  ref_memory_count(link, size);
  ref_arena_block *block = ref_memory_block_take(sizeof *block + size);
  if (block == NULL) {
    ref_message_stop(link); /* no memory for a record either: the exit code alone tells */
  }
  *block = (ref_arena_block){.size = size};
  return block;
}

/* A block of its own, behind the first. */
static void *ref_memory_take_large(ref_link *link, ref_link *owner, size_t size) {
  ref_arena_block *block = ref_memory_block(link, size);
  ASAN_UNPOISON_MEMORY_REGION(block + 1, size); /* one that is as large as the others came poisoned */
  block->used = size;
  ref_arena_block **place = owner->blocks == NULL ? &owner->blocks : &owner->blocks->next;
  block->next = *place;
  *place = block;
  return block + 1;
}

/* So many bytes, which hold anything, of a block that has room for them. */
static void *ref_memory_take_from(ref_arena_block *block, size_t bytes, size_t room) {
  uint8_t *taken = (uint8_t *)(block + 1) + block->used;
  block->used += room;
  ASAN_UNPOISON_MEMORY_REGION(taken, bytes);
  return taken;
}

static size_t ref_memory_room(size_t bytes) {
  const size_t gap = GAP + bytes / 8; /* wider than what an array holds */
  return (bytes + gap + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

ref_link *ref_memory_begin(void) {
  ref_arena_block *block = ref_memory_block_take(REF_BLOCK_BYTES);
  if (block == NULL) {
    return NULL;
  }
  *block = (ref_arena_block){.size = REF_BLOCK_BYTES - sizeof *block};
  ref_link *link = ref_memory_take_from(block, sizeof *link, ref_memory_room(sizeof *link));
  memset(link, 0, sizeof *link);
  link->blocks = block;
  link->memory_taken = block->size;
  return link;
}

/* Of a new block: out of line, so that who finds room keeps nothing on the stack. */
__attribute__((noinline)) static void *ref_memory_take_new(ref_link *link, ref_link *owner, size_t bytes) {
  if (bytes > SMALL) {
    return ref_memory_take_large(link, owner, bytes);
  }
  ref_arena_block *block = ref_memory_block(link, REF_BLOCK_BYTES - sizeof *block);
  block->next = owner->blocks;
  owner->blocks = block;
  return ref_memory_take_from(block, bytes, ref_memory_room(bytes));
}

/* What it holds is for the caller to say. */
static void *ref_memory_take_bare(ref_link *link, size_t bytes) {
  ref_link *owner = link->memory_owner == NULL ? link : link->memory_owner;
  ref_arena_block *block = owner->blocks;
  const size_t room = ref_memory_room(bytes);
  if (bytes > SMALL || block == NULL || block->size - block->used < room) {
    return ref_memory_take_new(link, owner, bytes); /* seldom */
  }
  return ref_memory_take_from(block, bytes, room);
}

void *ref_memory_take_room(ref_link *link, size_t count, size_t size) {
  if (count > (SIZE_MAX - sizeof(ref_arena_block)) / size) {
    ref_message_stop(link); /* no memory for a record either: the exit code alone tells */
  }
  return ref_memory_take_bare(link, count * size);
}

static void *ref_memory_take_filled(ref_link *link, size_t count, size_t size, int byte) {
  return memset(ref_memory_take_room(link, count, size), byte, count * size);
}

void *ref_memory_take(ref_link *link, size_t count, size_t size) {
  return ref_memory_take_filled(link, count, size, 0);
}

void *ref_memory_copy(ref_link *link, const void *bytes, size_t size) {
  void *copy = ref_memory_take_bare(link, size);
  if (size != 0) {
    memcpy(copy, bytes, size);
  }
  return copy;
}

size_t *ref_memory_take_numbers(ref_link *link, size_t count) {
  return ref_memory_take_filled(link, count, sizeof(size_t), 0xff); /* all bits of REF_NONE are set */
}

void ref_memory_free(ref_arena_block *blocks) {
  while (blocks != NULL) {
    ref_arena_block *next = blocks->next;
    ASAN_POISON_MEMORY_REGION(blocks + 1, blocks->used);
    ref_memory_block_give(blocks, sizeof *blocks + blocks->size);
    blocks = next;
  }
}

char *ref_memory_join(ref_link *link, const char *first, const char *second) {
  const size_t length = strlen(first), size = strlen(second) + 1;
  char *text = ref_memory_take_bare(link, length + size);
  text[length] = 0;
  memcpy(text, first, length);
  memcpy(text + length, second, size);
  return text;
}

const char *ref_memory_key(ref_link *link, const uint64_t *numbers, size_t count) {
  enum { NUMBERS = 4, DIGITS = 16 };
  char text[NUMBERS * (DIGITS + 1)], *at = text + sizeof text;
  for (size_t i = 0; i < count && i < NUMBERS; i++) {
    uint64_t rest = numbers[i];
    *--at = (char)(i == 0 ? 0 : ' ');
    do {
      *--at = "0123456789abcdef"[rest & 15];
      rest >>= 4;
    } while (rest != 0);
  }
  return ref_memory_copy(link, at, (size_t)(text + sizeof text - at));
}

char *ref_memory_print_list(ref_link *link, const char *format, va_list arguments) {
  char short_text[128]; /* nearly all of them are, and are written once */
  va_list again;
  va_copy(again, arguments);
  const size_t size = (size_t)vsnprintf(short_text, sizeof short_text, format, arguments) + 1;
  char *text = ref_memory_take_bare(link, size);
  if (size <= sizeof short_text) {
    memcpy(text, short_text, size);
  } else {
    (void)vsnprintf(text, size, format, again);
  }
  va_end(again);
  return text;
}

char *ref_memory_print(ref_link *link, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = ref_memory_print_list(link, format, arguments);
  va_end(arguments);
  return text;
}

void *ref_memory_enlarge(ref_link *link, void *items, size_t count, size_t *capacity, size_t item_size) {
  const size_t larger = *capacity == 0 ? 8 : *capacity * 2;
  if (larger > SIZE_MAX / 2 / item_size) {
    ref_message_stop(link); /* as ref_memory_take */
  }
  uint8_t *moved = ref_memory_take_bare(link, larger * item_size);
  if (count != 0) {
    memcpy(moved, items, count * item_size);
  }
  *capacity = larger;
  return moved;
}

bool ref_indices_has(const ref_indices *list, size_t item) {
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i] == item) {
      return true;
    }
  }
  return false;
}

/* No sane link is larger; alignments such as 2^40 in a damaged input would be. */
static const size_t ref_bytes_limit = (size_t)1 << 30;

void ref_bytes_check(ref_link *link, size_t size) {
  if (size > ref_bytes_limit) {
    ref_message_fatal(link, "D44", "section of more than %zu bytes", ref_bytes_limit);
  }
}

/* What is filled up: once in a section, and once in the file. */
static void ref_bytes_count_filled(ref_link *link, size_t size) {
  const size_t limit = (size_t)5 << 28;
  ref_link *owner = link->memory_owner == NULL ? link : link->memory_owner;
  owner->filled += size;
  if (owner->filled > limit) {
    ref_message_fatal(link, "D44", "more than %zu bytes between what the files have", limit);
  }
}

void ref_bytes_reserve(ref_link *link, ref_bytes *bytes, size_t size) {
  if (size > bytes->capacity) { /* which is no more than the limit */
    ref_bytes_check(link, size);
    /* nearly half of them are filled once; twice the room of large blocks would be memory that is never used */
    const size_t wanted = bytes->capacity == 0 ? size : size < SEVERAL ? SEVERAL + size : size + size / 2;
    const size_t capacity = wanted < ref_bytes_limit ? wanted : ref_bytes_limit;
    uint8_t *data = ref_memory_take_bare(link, capacity);
    if (bytes->size != 0) {
      memcpy(data, bytes->data, bytes->size);
    }
    bytes->data = data;
    bytes->capacity = capacity;
  }
}

void ref_bytes_add(ref_link *link, ref_bytes *bytes, const void *data, size_t size) {
  if (size > bytes->capacity - bytes->size) {
    ref_bytes_check(link, size); /* a size that went below 0 is a large one */
    ref_bytes_reserve(link, bytes, bytes->size + size);
  }
  if (size != 0) {
    memcpy(bytes->data + bytes->size, data, size);
  }
  bytes->size += size;
}

void ref_bytes_fill(ref_link *link, ref_bytes *bytes, size_t size) {
  if (size > bytes->size) {
    ref_bytes_check(link, size);
    ref_bytes_count_filled(link, size - bytes->size);
    ref_bytes_reserve(link, bytes, size);
    memset(bytes->data + bytes->size, 0, size - bytes->size);
    bytes->size = size;
  }
}

void ref_bytes_add_u32(ref_link *link, ref_bytes *bytes, uint32_t value) {
  if (sizeof value > bytes->capacity - bytes->size) {
    ref_bytes_reserve(link, bytes, bytes->size + sizeof value);
  }
  ref_put_u32(bytes->data + bytes->size, value);
  bytes->size += sizeof value;
}

void ref_bytes_add_u64(ref_link *link, ref_bytes *bytes, uint64_t value) {
  ref_bytes_reserve(link, bytes, bytes->size + sizeof value);
  ref_put_u64(bytes->data + bytes->size, value);
  bytes->size += sizeof value;
}

/* Alignments need not be powers of two (C79). */
uint64_t ref_align_up(uint64_t value, uint64_t align) {
  if (align == 0 || value % align == 0) {
    return value;
  }
  return value + (align - value % align);
}

int ref_order(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}
