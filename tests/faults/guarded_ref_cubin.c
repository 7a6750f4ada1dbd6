/* oracle/cubin/ref_cubin.c for the hunt: its arrays end where a page ends that nobody may read, so that who reads one section or
 * symbol too far ends the program. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* In front of an array; its size keeps the array aligned. */
typedef struct guarded_room {
  void *start;
  size_t size;
} guarded_room;

enum { GUARD_PAGE = 4096 };

static void *guarded_take(size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX / 2) / size)
    return NULL;
  const size_t bytes = count * size + sizeof(guarded_room);
  const size_t pages = (bytes + GUARD_PAGE - 1) / GUARD_PAGE * GUARD_PAGE;
  uint8_t *const start = mmap(NULL, pages + GUARD_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  (void)mprotect(start + pages, GUARD_PAGE, PROT_NONE);
  uint8_t *const array = start + pages - count * size;
  memcpy(array - sizeof(guarded_room), &(guarded_room){start, pages + GUARD_PAGE}, sizeof(guarded_room));
  return array;
}

static void guarded_give(void *array) {
  guarded_room room;
  if (!array)
    return;
  memcpy(&room, (const uint8_t *)array - sizeof room, sizeof room);
  (void)munmap(room.start, room.size);
}

#define calloc guarded_take
#define free guarded_give
#include "oracle/cubin/ref_cubin.c" /* NOLINT(bugprone-suspicious-include) */
