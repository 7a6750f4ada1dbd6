/* The canonical form of a link: what two links of one program have in common, whatever order their files came in.
 *
 * The form is a list of sentences, sorted: one for every symbol, attribute, call graph pair, for every 16 bytes of a
 * function or variable, and for every relocated field (its type, target and addend instead of its bits). Everything is
 * said by name; what has one name several times (local functions) is told apart by its contents. Two links are the same
 * program when their sentences are the same and the second one's sizes are no larger. What the form leaves out, the list
 * of freedoms, stands in docs/specification/canonical-form.md; that the layouts are free of conflict and that the applied
 * fields hold what they should is `ref_check`'s part, which belongs to a canonical comparison. */
#ifndef REF_CANONICAL_H
#define REF_CANONICAL_H

#include "ref_check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A sentence; `is_size` ones are followed by a number of bytes that must not grow, or, where it is an alignment, shrink. */
typedef struct ref_canonical_line {
  char *text;
  uint64_t size;
  uint64_t limit; /* of an image of compiler constants, the largest one's size: it may grow up to that (L994) */
  bool is_size, is_alignment;
  bool may_go;   /* of compiler constants that nobody reads: the second link need not have them (L792) */
  bool may_come; /* the same, and they are no kernel's: it may also be the first that has none */
} ref_canonical_line;

typedef struct ref_canonical {
  ref_canonical_line *lines; /* sorted by text, then size */
  size_t count, capacity;
  size_t fields; /* relocated fields that are said by target and addend */
} ref_canonical;

/* The form of `link`, whose inputs must be given. Returns false with a reason in `error` when there is none: a relocatable
 * output, or one with preserved relocations. A capsule's form is that of its two views. */
bool ref_canonical_make(ref_canonical *form, const ref_check_link *link, char *error, size_t error_size);
void ref_canonical_free(ref_canonical *form);

/* Calls `found` for every sentence that only one side has (the other is NULL) and for every size of `b` that is larger
 * than `a`'s, or alignment that is smaller. Returns how many there were. */
typedef void ref_canonical_found(void *extra, const ref_canonical_line *a, const ref_canonical_line *b);
size_t ref_canonical_compare(const ref_canonical *a, const ref_canonical *b, ref_canonical_found *found, void *extra);

#endif
