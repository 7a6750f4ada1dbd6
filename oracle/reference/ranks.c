/* Which of a section's entries against a symbol one is, by its place: entries of both views of a capsule belong together by that. Sorted
 * once a section, since a text may have as many entries as instructions; the few sections that are asked about in turn are kept. */
#include "link.h"

#include <stdlib.h>

static int ref_ranks_compare(const void *left, const void *right) {
  const ref_rank *a = left, *b = right;
  if (a->symbol != b->symbol) {
    return ref_order(a->symbol, b->symbol);
  }
  if (a->offset != b->offset) {
    return ref_order(a->offset, b->offset);
  }
  return ref_order(a->number, b->number);
}

const ref_ranks *ref_ranks_of(ref_link *link, const ref_cubin *cubin, uint32_t section) {
  const size_t count = ref_cubin_relocation_count(cubin, section);
  const uint8_t *data = count == 0 ? NULL : cubin->sections[section].data;
  for (size_t i = 0; i < REF_RANKS_KEPT; i++) {
    if (link->ranks[i].data == data && link->ranks[i].count == count) {
      return &link->ranks[i];
    }
  }
  ref_ranks *ranks = &link->ranks[link->next_ranks++ % REF_RANKS_KEPT];
  *ranks = (ref_ranks){.data = data, .count = count, .items = REF_TAKE(link, ref_rank, count)};
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_relocation(cubin, section, i);
    ranks->items[i] = (ref_rank){entry.symbol, entry.offset, i};
  }
  qsort(ranks->items, count, sizeof *ranks->items, ref_ranks_compare);
  return ranks;
}

/* How many items stand before a symbol's entries at an offset. */
static size_t ref_ranks_before(const ref_ranks *ranks, uint32_t symbol, uint64_t offset) {
  const ref_rank wanted = {symbol, offset, 0};
  size_t first = 0, end = ranks->count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (ref_ranks_compare(&ranks->items[middle], &wanted) < 0) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

size_t ref_ranks_rank(const ref_ranks *ranks, uint32_t symbol, uint64_t offset) {
  return ref_ranks_before(ranks, symbol, offset) - ref_ranks_before(ranks, symbol, 0);
}

const ref_rank *ref_ranks_find(const ref_ranks *ranks, uint32_t symbol, size_t rank) {
  const size_t first = ref_ranks_before(ranks, symbol, 0);
  if (rank >= ranks->count - first || ranks->items[first + rank].symbol != symbol) {
    return NULL;
  }
  const ref_rank *found = &ranks->items[first + rank];
  return rank != 0 && found[-1].offset == found->offset ? NULL : found;
}

const ref_rank *ref_ranks_next(const ref_ranks *ranks, const ref_rank *rank) {
  const ref_rank *next = rank + 1;
  const bool same = next < ranks->items + ranks->count && next->symbol == rank->symbol && next->offset == rank->offset;
  return same ? next : NULL;
}
