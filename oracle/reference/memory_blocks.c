/* In a file of its own, so that who links many times in one process can give the blocks of one link to the next (the fuzzers, through
 * ld's --wrap). */
#include "memory_blocks.h"

#include <stdint.h>
#include <stdlib.h>

void *ref_memory_block_take(size_t size) {
  uint8_t *block = malloc(size);
  if (block != NULL && size == REF_BLOCK_BYTES) {
    ASAN_POISON_MEMORY_REGION(block + REF_BLOCK_HEAD, size - REF_BLOCK_HEAD);
  }
  return block;
}

void ref_memory_block_give(void *block, size_t size) {
  (void)size;
  free(block);
}
