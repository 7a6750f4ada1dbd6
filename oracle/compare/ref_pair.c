/* Matching by sorted labels, and the longest common order as the longest rising subsequence of partners. */
#include "ref_pair.h"

#include "ref_text.h"
#include "ref_view.h"

#include <stdlib.h>
#include <string.h>

typedef struct ref_entry {
  const char *label;
  size_t index;
} ref_entry;

static int ref_compare_entries(const void *left, const void *right) {
  const ref_entry *a = left, *b = right;
  return strcmp(a->label, b->label);
}

static ref_entry *ref_sort_entries(char *const *labels, size_t count) {
  ref_entry *sorted = ref_allocate(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = (ref_entry){labels[i], i};
  qsort(sorted, count, sizeof *sorted, ref_compare_entries);
  return sorted;
}

void ref_pair_labels(ref_pairing *pairing, char *const *a, size_t a_count, char *const *b, size_t b_count) {
  *pairing = (ref_pairing){.a_count = a_count, .b_count = b_count};
  pairing->b_of_a = ref_allocate(a_count, sizeof *pairing->b_of_a);
  pairing->a_of_b = ref_allocate(b_count, sizeof *pairing->a_of_b);
  memset(pairing->b_of_a, 0xff, a_count * sizeof *pairing->b_of_a);
  memset(pairing->a_of_b, 0xff, b_count * sizeof *pairing->a_of_b);
  ref_entry *left = ref_sort_entries(a, a_count), *right = ref_sort_entries(b, b_count);
  for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
    const int order = strcmp(left[i].label, right[j].label);
    if (order == 0)
      ref_pair_join(pairing, left[i].index, right[j].index);
    i += order <= 0;
    j += order >= 0;
  }
  free(left);
  free(right);
}

void ref_pair_join(ref_pairing *pairing, size_t a, size_t b) {
  pairing->b_of_a[a] = b;
  pairing->a_of_b[b] = a;
}

typedef struct ref_rest {
  char **labels;
  size_t *indices, count;
} ref_rest;

static ref_rest ref_collect_rest(const size_t *partners, size_t count, ref_label_function *label, const void *context,
                                 int of_b) {
  ref_rest rest = {.labels = ref_allocate(count, sizeof *rest.labels),
                   .indices = ref_allocate(count, sizeof *rest.indices)};
  for (size_t i = 0; i < count; i++)
    if (partners[i] == REF_UNPAIRED) {
      rest.indices[rest.count] = i;
      rest.labels[rest.count++] = label(context, of_b, i);
    }
  ref_number_duplicates(rest.labels, rest.count);
  return rest;
}

static void ref_free_rest(ref_rest *rest) {
  for (size_t i = 0; i < rest->count; i++)
    free(rest->labels[i]);
  free(rest->labels);
  free(rest->indices);
}

void ref_pair_rest(ref_pairing *pairing, ref_label_function *label, const void *context) {
  ref_rest a = ref_collect_rest(pairing->b_of_a, pairing->a_count, label, context, 0);
  ref_rest b = ref_collect_rest(pairing->a_of_b, pairing->b_count, label, context, 1);
  ref_pairing inner;
  ref_pair_labels(&inner, a.labels, a.count, b.labels, b.count);
  for (size_t i = 0; i < a.count; i++)
    if (inner.b_of_a[i] != REF_UNPAIRED)
      ref_pair_join(pairing, a.indices[i], b.indices[inner.b_of_a[i]]);
  ref_pair_free(&inner);
  ref_free_rest(&a);
  ref_free_rest(&b);
}

/* Length of the longest rising subsequence of `values`; `tails` has room for as many. */
static size_t ref_longest_rising(const size_t *values, size_t count, size_t *tails) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    size_t low = 0, high = length;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (tails[middle] < values[i])
        low = middle + 1;
      else
        high = middle;
    }
    tails[low] = values[i];
    length += low == length;
  }
  return length;
}

void ref_pair_count_moved(ref_pairing *pairing) {
  size_t *partners = ref_allocate(pairing->a_count, sizeof *partners);
  size_t *tails = ref_allocate(pairing->a_count, sizeof *tails);
  size_t count = 0;
  for (size_t i = 0; i < pairing->a_count; i++)
    if (pairing->b_of_a[i] != REF_UNPAIRED)
      partners[count++] = pairing->b_of_a[i];
  pairing->moved = count - ref_longest_rising(partners, count, tails);
  size_t a = 0, b = 0;
  while (pairing->moved > 0) {
    while (a < pairing->a_count && pairing->b_of_a[a] == REF_UNPAIRED)
      a++;
    while (b < pairing->b_count && pairing->a_of_b[b] == REF_UNPAIRED)
      b++;
    if (a >= pairing->a_count || b >= pairing->b_count || pairing->b_of_a[a] != b)
      break;
    a++;
    b++;
  }
  pairing->first_a = a;
  pairing->first_b = b;
  free(partners);
  free(tails);
}

void ref_pair_free(ref_pairing *pairing) {
  free(pairing->b_of_a);
  free(pairing->a_of_b);
  *pairing = (ref_pairing){0};
}
