/* The list sort of base/list_sort.h, S1. The recursion halves the list, so its depth is at most 64. */
#include "base/list_sort.h"

#include <string.h>

typedef struct list_sort {
  tl_deal deal;
  tl_goes_first *first;
  const void *context;
} list_sort;

/* Deals `count` elements to the two ends of `to`: the first half, then the second, each in prepended order. Returns the
 * length of the first half. */
static size_t list_deal(const uint32_t *from, size_t count, tl_deal deal, uint32_t *to) {
  /* Element i goes to the list that holds the even or the odd elements; prepending reverses each. With swapping the
   * list of the last element ends up as the second half. */
  const size_t evens = (count + 1) / 2;
  const bool evens_first = deal == TL_DEAL_ALTERNATE || count % 2 == 0;
  const size_t first = evens_first ? evens : count - evens;
  size_t even_end = evens_first ? evens : count;
  size_t odd_end = evens_first ? count : count - evens;
  for (size_t i = 0; i < count; i++)
    to[i % 2 ? --odd_end : --even_end] = from[i];
  return first;
}

static void list_merge(const uint32_t *halves, size_t middle, size_t count, const list_sort *sort, uint32_t *to) {
  size_t a = 0, b = middle, out = 0;
  while (a < middle && b < count)
    to[out++] = sort->first(sort->context, halves[a], halves[b]) ? halves[a++] : halves[b++];
  while (a < middle)
    to[out++] = halves[a++];
  while (b < count)
    to[out++] = halves[b++];
}

static void list_sort_range(uint32_t *elements, size_t count, uint32_t *spare, const list_sort *sort) {
  if (count < 2)
    return;
  const size_t middle = list_deal(elements, count, sort->deal, spare);
  list_sort_range(spare, middle, elements, sort);
  list_sort_range(spare + middle, count - middle, elements + middle, sort);
  list_merge(spare, middle, count, sort, elements);
}

void tl_list_sort(tl_arena *arena, uint32_t *elements, size_t count, tl_deal deal, tl_goes_first *first,
                  const void *context) {
  const list_sort sort = {deal, first, context};
  list_sort_range(elements, count, tl_arena_new(arena, uint32_t, count + 1), &sort);
}
