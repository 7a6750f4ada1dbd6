/* The linker's merge sort on lists. S1: elements go to the front of the first half, and the halves change places after
 * each element. W9.2: even elements go to the front of one half, odd ones to the front of the other. */
#include "link.h"

static void ref_sort_merge(const ref_link *link, ref_indices *list, const ref_indices *first, const ref_indices *second,
                           ref_compare compare, ref_tie tie) {
  size_t a = 0, b = 0;
  for (size_t i = 0; i < list->count; i++) {
    bool take_first = b == second->count;
    if (a < first->count && b < second->count) {
      const int order = compare == NULL ? 0 : compare(link, first->items[a], second->items[b]);
      take_first = order < 0 || (order == 0 && tie == REF_TIE_FIRST);
    }
    list->items[i] = take_first ? first->items[a++] : second->items[b++];
  }
}

/* A list with its elements in reverse order, as prepending leaves them. */
static void ref_sort_reverse(ref_indices *list) {
  for (size_t i = 0; i < list->count / 2; i++) {
    const size_t other = list->items[list->count - 1 - i];
    list->items[list->count - 1 - i] = list->items[i];
    list->items[i] = other;
  }
}

void ref_sort_alternating(ref_link *link, ref_indices *list, ref_compare compare, ref_tie tie) {
  ref_indices first = {0}, second = {0};
  if (list->count < 2) {
    return;
  }
  for (size_t i = 0; i < list->count; i++) {
    ref_indices_add(link, i % 2 == 0 ? &first : &second, list->items[i]);
  }
  ref_sort_reverse(&first);
  ref_sort_reverse(&second);
  ref_sort_alternating(link, &first, compare, tie);
  ref_sort_alternating(link, &second, compare, tie);
  ref_sort_merge(link, list, &first, &second, compare, tie);
}

void ref_sort_swapping(ref_link *link, ref_indices *list, ref_compare compare, ref_tie tie) {
  ref_indices first = {0}, second = {0};
  if (list->count < 2) {
    return;
  }
  for (size_t i = 0; i < list->count; i++) {
    ref_indices_add(link, &first, list->items[i]);
    const ref_indices other = first;
    first = second;
    second = other;
  }
  ref_sort_reverse(&first);
  ref_sort_reverse(&second);
  ref_sort_swapping(link, &first, compare, tie);
  ref_sort_swapping(link, &second, compare, tie);
  ref_sort_merge(link, list, &first, &second, compare, tie);
}
