/* Other links of the same program: what they make must have the canonical form of the plain link. */
#ifndef FUZZ_AGAIN_H
#define FUZZ_AGAIN_H

#include "fuzz/voter.h"

typedef void fuzz_link(const fuzz_envelope *envelope, fuzz_answer *answer);

typedef struct fuzz_again_row {
  const char *name;
  /* Fills `to`, which has the first word of `from` and no files; `link` makes what has to be linked before. False where
   * the change is none. */
  bool (*make)(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link);
  bool other_inputs; /* the fields of the form are read from the changed files */
  bool twice;        /* a part is linked twice, which turns the order of its entries twice */
  /* Takes back in an output what was changed in the files; NULL where nothing is to be taken back. */
  void (*restore)(const fuzz_envelope *from, uint8_t *image, size_t size);
} fuzz_again_row;

extern const fuzz_again_row fuzz_again_rows[];
extern const size_t fuzz_again_count;

#endif
