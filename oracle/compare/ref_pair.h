/* Two lists of labels matched with each other: which entries have no partner, and whether the partners stand in the same
 * order. Labels are unique in their list (ref_number_duplicates), so the match is a merge of two sorted lists. */
#ifndef REF_PAIR_H
#define REF_PAIR_H

#include <stddef.h>

#define REF_UNPAIRED ((size_t)-1)

typedef struct ref_pairing {
  size_t *b_of_a, *a_of_b; /* REF_UNPAIRED where there is no partner */
  size_t a_count, b_count;
  size_t moved;            /* partners that leave the longest common order */
  size_t first_a, first_b; /* with moved > 0: the first entries that stand at the same place but are no partners */
} ref_pairing;

void ref_pair_labels(ref_pairing *pairing, char *const *a, size_t a_count, char *const *b, size_t b_count);
/* A coarser label for entry `index` of list a or b; the caller of ref_pair_rest frees nothing. */
typedef char *ref_label_function(const void *context, int of_b, size_t index);
/* Matches the entries that still have no partner by another, coarser label. */
void ref_pair_rest(ref_pairing *pairing, ref_label_function *label, const void *context);
/* Makes partners of two entries that had none; the order is counted by ref_pair_count_moved, to be called last. */
void ref_pair_join(ref_pairing *pairing, size_t a, size_t b);
void ref_pair_count_moved(ref_pairing *pairing);
void ref_pair_free(ref_pairing *pairing);

#endif
