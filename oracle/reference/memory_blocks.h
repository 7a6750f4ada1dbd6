/* Where the blocks of a link's memory come from. */
#ifndef REF_MEMORY_BLOCKS_H
#define REF_MEMORY_BLOCKS_H

#include <stddef.h>

enum { REF_BLOCK_BYTES = 65536 }; /* most blocks are as large as that */

/* NULL where there is none. */
void *ref_memory_block_take(size_t size);
void ref_memory_block_give(void *block, size_t size);

#endif
