/* In a file of its own, so that who links many times in one process can give the blocks of one link to the next (the fuzzers, through
 * ld's --wrap). */
#include "memory_blocks.h"

#include <stdlib.h>

void *ref_memory_block_take(size_t size) {
  return malloc(size);
}

void ref_memory_block_give(void *block, size_t size) {
  (void)size;
  free(block);
}
