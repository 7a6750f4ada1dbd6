/* The sort of singly linked lists that gives nvlink's orders (S1, W9.2). A stable sort gives wrong offsets (S3).
 *
 * Elements are dealt to two lists by prepending, both halves are sorted alike, and the merge decides ties. Two ways of
 * dealing exist: strictly alternating (shared memory, W9.2, W9.4) and swapping the lists after each element (bindless
 * table and constants laid out again, S1, K1a): they differ for odd lengths. */
#ifndef TL_BASE_LIST_SORT_H
#define TL_BASE_LIST_SORT_H

#include "base/arena.h"

typedef enum tl_deal { TL_DEAL_ALTERNATE, TL_DEAL_SWAP } tl_deal;

/* True if `a`, head of the first half, goes before `b`, head of the second half. */
typedef bool tl_goes_first(const void *context, uint32_t a, uint32_t b);

void tl_list_sort(tl_arena *arena, uint32_t *elements, size_t count, tl_deal deal, tl_goes_first *first,
                  const void *context);

#endif
