/* base/memory.c: every block begins with a header that says how to give it back. */
#define _DEFAULT_SOURCE /* madvise, MAP_ANONYMOUS */
#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, HEADER_SIZE = 16 };

/* In front of each block. */
typedef struct memory_header {
  void *start;   /* of the mapping or of calloc's block */
  size_t mapped; /* bytes of the mapping; 0: from calloc */
} memory_header;
_Static_assert(sizeof(memory_header) <= HEADER_SIZE, "the header has room before the block");

static void *memory_keep_header(void *at, void *start, size_t mapped) {
  memory_header *const header = at;
  *header = (memory_header){start, mapped};
  return (char *)at + HEADER_SIZE;
}

/* Only whole huge pages are asked for, and two at least: the rest of the block stays on small ones, and so does a block of
 * an arena that may leave most of it unused, so that hardly more is resident than used. */
static void *memory_map(size_t size) {
  const size_t mapped = size + HUGE_PAGE;
  char *const start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  char *const block = start + (HUGE_PAGE - (size_t)start % HUGE_PAGE) % HUGE_PAGE;
  if (size >= 2 * (size_t)HUGE_PAGE)
    (void)madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* a kernel without them serves small pages */
  return memory_keep_header(block, start, mapped);
}

static void *memory_allocate(void *context, size_t size) {
  (void)context;
  if (size > SIZE_MAX - 2 * (size_t)HUGE_PAGE)
    return NULL;
  size += HEADER_SIZE;
  if (size >= HUGE_PAGE)
    return memory_map(size);
  void *const start = calloc(1, size);
  return start ? memory_keep_header(start, start, 0) : NULL;
}

static void memory_release(void *context, void *block) {
  (void)context;
  const memory_header header = *(const memory_header *)((const char *)block - HEADER_SIZE);
  if (header.mapped)
    munmap(header.start, header.mapped);
  else
    free(header.start);
}

const tl_allocator tl_system_memory = {memory_allocate, memory_release, NULL, true};
