/* In the place of the sanitizer's header, for oracle/reference/memory.c in the hunt: what it may not touch is no zeros, and who
 * writes there ends the program when the block is given back. */
#ifndef TESTS_FAULTS_SANITIZER_ASAN_INTERFACE_H
#define TESTS_FAULTS_SANITIZER_ASAN_INTERFACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SHADOW_BYTE = 0xa5, SHADOW_BLOCKS = 256 };

/* A block whose bytes are guarded until they are taken. */
typedef struct shadow_block {
  uint8_t *bytes, *taken;
  size_t size;
} shadow_block;

static shadow_block shadow_blocks[SHADOW_BLOCKS];

static inline shadow_block *shadow_find(const void *at) {
  for (size_t i = 0; i < SHADOW_BLOCKS; i++) {
    shadow_block *const block = &shadow_blocks[i];
    if (block->bytes && (uintptr_t)at - (uintptr_t)block->bytes < block->size)
      return block;
  }
  return NULL;
}

static inline void shadow_poison(void *at, size_t size) {
  for (size_t i = 0; i < SHADOW_BLOCKS; i++)
    if (!shadow_blocks[i].bytes) {
      shadow_blocks[i] = (shadow_block){at, calloc(size, 1), size};
      memset(at, SHADOW_BYTE, size);
      return;
    }
}

static inline void shadow_unpoison(const void *at, size_t size) {
  const shadow_block *const block = shadow_find(at);
  if (block && block->taken)
    memset(block->taken + ((const uint8_t *)at - block->bytes), 1, size);
}

/* `first`: where what the block holds begins. */
static inline void shadow_give(void *first) {
  shadow_block *const block = shadow_find(first);
  for (size_t i = 0; block && block->taken && i < block->size; i++)
    if (!block->taken[i] && block->bytes[i] != SHADOW_BYTE)
      abort();
  if (!block)
    return;
  free(block->taken);
  *block = (shadow_block){0};
}

/* As memory_blocks.c poisons a block that it gives; what is poisoned at a block's end is given back at once. */
static inline void *shadow_take(void *block, size_t size) {
  if (block && size == REF_BLOCK_BYTES)
    shadow_poison((uint8_t *)block + REF_BLOCK_HEAD, size - REF_BLOCK_HEAD);
  return block;
}

#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) shadow_unpoison(at, size)
#define ref_memory_block_take(size) shadow_take((ref_memory_block_take)(size), size)
#define ref_memory_block_give(block, size) (shadow_give((block) + 1), (ref_memory_block_give)(block, size))

#endif
