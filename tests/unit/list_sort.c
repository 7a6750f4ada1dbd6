/* The list sort of base/list_sort.h. Its orders of equal elements are nvlink's and reach the output, so they are held to
 * two things: a table that was worked out on paper from S1 (its all-equal rows are S2's own), and the rule itself played
 * through with linked lists, where the linker uses an array and computes where each element must land. */
#include "base/list_sort.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { SORT_PERMUTED = 7, SORT_MOST = 200 };

typedef struct sort_case {
  const uint32_t *keys; /* by element */
  bool strict;          /* true: a tie takes the second half's head */
} sort_case;

typedef struct sort_node {
  uint32_t element;
  struct sort_node *next;
} sort_node;

static bool sort_goes_first(const void *context, uint32_t a, uint32_t b) {
  const sort_case *const given = context;
  return given->strict ? given->keys[a] < given->keys[b] : given->keys[a] <= given->keys[b];
}

static sort_node *sort_merge_nodes(sort_node *a, sort_node *b, const sort_case *given) {
  sort_node *head = NULL, **end = &head;
  while (a && b) {
    sort_node **const taken = sort_goes_first(given, a->element, b->element) ? &a : &b;
    *end = *taken;
    end = &(*taken)->next;
    *taken = *end;
  }
  *end = a ? a : b;
  return head;
}

static sort_node *sort_model_nodes(sort_node *list, tl_deal deal, const sort_case *given) {
  sort_node *halves[2] = {NULL, NULL};
  if (!list || !list->next)
    return list;
  for (unsigned turn = 0; list; turn++) {
    sort_node *const node = list;
    sort_node **const to = &halves[deal == TL_DEAL_ALTERNATE ? turn % 2 : 0];
    list = node->next;
    node->next = *to;
    *to = node;
    if (deal == TL_DEAL_SWAP) {
      sort_node *const first = halves[0];
      halves[0] = halves[1];
      halves[1] = first;
    }
  }
  sort_node *const a = sort_model_nodes(halves[0], deal, given);
  sort_node *const b = sort_model_nodes(halves[1], deal, given);
  return sort_merge_nodes(a, b, given);
}

static void sort_model(const uint32_t *elements, size_t count, tl_deal deal, const sort_case *given, uint32_t *sorted) {
  sort_node nodes[SORT_MOST];
  for (size_t i = 0; i < count; i++)
    nodes[i] = (sort_node){elements[i], i + 1 < count ? &nodes[i + 1] : NULL};
  for (const sort_node *at = sort_model_nodes(count ? nodes : NULL, deal, given); at; at = at->next)
    *sorted++ = at->element;
}

/* Elements are below SORT_MOST and distinct. */
static void sort_check(const uint32_t *elements, size_t count, tl_deal deal, const sort_case *given) {
  tl_arena arena;
  uint32_t sorted[SORT_MOST + 1], expected[SORT_MOST];
  bool seen[SORT_MOST] = {false};
  unit_open_arena(&arena);
  memcpy(sorted, elements, count * sizeof *sorted);
  sorted[count] = TL_DEAL_SWAP + 77;
  tl_list_sort(&arena, sorted, count, deal, sort_goes_first, given);
  tl_arena_release(&arena);
  assert_int_equal(sorted[count], TL_DEAL_SWAP + 77);
  for (size_t i = 0; i < count; i++) {
    assert_true(sorted[i] < SORT_MOST && !seen[sorted[i]]);
    seen[sorted[i]] = true;
    if (i)
      assert_true(given->keys[sorted[i - 1]] <= given->keys[sorted[i]]);
  }
  for (size_t i = 0; i < count; i++)
    assert_true(seen[elements[i]]);
  sort_model(elements, count, deal, given, expected);
  if (count)
    assert_memory_equal(sorted, expected, count * sizeof *sorted);
}

static bool sort_next_permutation(uint32_t *elements, size_t count) {
  size_t pivot = count, swap = count;
  while (pivot > 1 && elements[pivot - 2] > elements[pivot - 1])
    pivot--;
  if (pivot <= 1)
    return false;
  while (elements[swap - 1] < elements[pivot - 2])
    swap--;
  const uint32_t kept = elements[pivot - 2];
  elements[pivot - 2] = elements[swap - 1];
  elements[swap - 1] = kept;
  for (size_t a = pivot - 1, b = count - 1; a < b; a++, b--) {
    const uint32_t left = elements[a];
    elements[a] = elements[b];
    elements[b] = left;
  }
  return true;
}

/* All orders of 0 to 7 elements; a shift of 3 makes all keys equal, one of 0 none. */
static void sort_test_permutations(void **state) {
  (void)state;
  size_t orders = 0;
  for (size_t count = 0; count <= SORT_PERMUTED; count++) {
    for (unsigned variant = 0; variant < 16; variant++) {
      uint32_t keys[SORT_PERMUTED], elements[SORT_PERMUTED];
      const sort_case given = {keys, variant % 2 == 0};
      for (uint32_t i = 0; i < SORT_PERMUTED; i++) {
        elements[i] = i;
        keys[i] = i >> (variant / 4);
      }
      do {
        sort_check(elements, count, variant & 2 ? TL_DEAL_SWAP : TL_DEAL_ALTERNATE, &given);
        orders++;
      } while (sort_next_permutation(elements, count));
    }
  }
  assert_int_equal(orders, 16 * (1 + 1 + 2 + 6 + 24 + 120 + 720 + 5040));
}

static void sort_test_long_lists(void **state) {
  (void)state;
  uint64_t random = 0x5371;
  for (size_t count = SORT_PERMUTED + 1; count <= SORT_MOST; count++) {
    for (unsigned variant = 0; variant < 4; variant++) {
      uint32_t keys[SORT_MOST], elements[SORT_MOST];
      const sort_case given = {keys, variant % 2 == 0};
      for (uint32_t i = 0; i < count; i++) {
        elements[i] = i;
        keys[i] = (uint32_t)(unit_random(&random) % (1 + count / 4));
      }
      sort_check(elements, count, variant & 2 ? TL_DEAL_SWAP : TL_DEAL_ALTERNATE, &given);
    }
  }
}

typedef struct sort_row {
  tl_deal deal;
  bool strict;
  size_t count;
  uint32_t keys[8], sorted[8];
} sort_row;

static const sort_row sort_rows[] = {
    /* S2 */
    {TL_DEAL_SWAP, true, 2, {0}, {1, 0}},
    {TL_DEAL_SWAP, true, 3, {0}, {0, 2, 1}},
    {TL_DEAL_SWAP, true, 4, {0}, {1, 3, 0, 2}},
    {TL_DEAL_SWAP, true, 5, {0}, {4, 0, 2, 1, 3}},
    {TL_DEAL_SWAP, true, 6, {0}, {5, 1, 3, 4, 0, 2}},
    {TL_DEAL_SWAP, true, 7, {0}, {4, 0, 6, 2, 5, 1, 3}},
    {TL_DEAL_SWAP, true, 8, {0}, {5, 1, 7, 3, 4, 0, 6, 2}},
    /* S1, the first half's head on a tie */
    {TL_DEAL_SWAP, false, 2, {0}, {0, 1}},
    {TL_DEAL_SWAP, false, 3, {0}, {1, 2, 0}},
    {TL_DEAL_SWAP, false, 4, {0}, {2, 0, 3, 1}},
    {TL_DEAL_SWAP, false, 5, {0}, {3, 1, 2, 0, 4}},
    /* W9.2: even and odd elements; the same for even lengths as long as no half is odd */
    {TL_DEAL_ALTERNATE, true, 2, {0}, {1, 0}},
    {TL_DEAL_ALTERNATE, true, 3, {0}, {1, 0, 2}},
    {TL_DEAL_ALTERNATE, true, 4, {0}, {1, 3, 0, 2}},
    {TL_DEAL_ALTERNATE, true, 5, {0}, {1, 3, 2, 4, 0}},
    {TL_DEAL_ALTERNATE, true, 6, {0}, {3, 5, 1, 2, 4, 0}},
    {TL_DEAL_ALTERNATE, true, 7, {0}, {3, 5, 1, 4, 0, 6, 2}},
    {TL_DEAL_ALTERNATE, false, 3, {0}, {2, 0, 1}},
    {TL_DEAL_ALTERNATE, false, 5, {0}, {0, 4, 2, 3, 1}},
    /* some keys equal */
    {TL_DEAL_SWAP, true, 3, {1, 0, 1}, {1, 0, 2}},
    {TL_DEAL_SWAP, true, 3, {0, 1, 0}, {0, 2, 1}},
    {TL_DEAL_SWAP, true, 3, {0, 0, 1}, {0, 1, 2}},
    {TL_DEAL_ALTERNATE, true, 3, {0, 0, 1}, {1, 0, 2}},
    {TL_DEAL_ALTERNATE, true, 3, {1, 0, 1}, {1, 0, 2}},
};

static void sort_test_table(void **state) {
  (void)state;
  for (size_t r = 0; r < sizeof sort_rows / sizeof *sort_rows; r++) {
    const sort_row *const row = &sort_rows[r];
    const sort_case given = {row->keys, row->strict};
    uint32_t elements[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    tl_arena arena;
    unit_open_arena(&arena);
    tl_list_sort(&arena, elements, row->count, row->deal, sort_goes_first, &given);
    tl_arena_release(&arena);
    if (memcmp(elements, row->sorted, row->count * sizeof *elements) != 0)
      fail_msg("row %zu of the table: another order", r);
  }
}

int unit_test_list_sort(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sort_test_table),
      cmocka_unit_test(sort_test_permutations),
      cmocka_unit_test(sort_test_long_lists),
  };
  return cmocka_run_group_tests_name("list_sort", tests, NULL, NULL);
}
