/* Where the blocks of a link's memory come from. */
#ifndef REF_MEMORY_BLOCKS_H
#define REF_MEMORY_BLOCKS_H

#include <stddef.h>

enum {
  REF_BLOCK_BYTES = 65536, /* most blocks are as large as that */
  REF_BLOCK_HEAD =
      32 /* all behind that is poisoned in a block of that size, when it is taken and when it is given back */
};

/* NULL where there is none. */
void *ref_memory_block_take(size_t size);
void ref_memory_block_give(void *block, size_t size);

/* Behind the declarations: the hunt for planted faults has a header of this name that stands in for the functions, too. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REF_HAS_SHADOW
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define REF_HAS_SHADOW
#endif
#ifdef REF_HAS_SHADOW
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

#endif
