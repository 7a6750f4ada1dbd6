/* What nvlink does with one relocation type against one class of symbol, and the file that keeps it (OUTCOMES), so that
 * the cubins of corpus/synthetic can be built again without nvlink. */
#ifndef TEST_SYNTHETIC_OUTCOMES_H
#define TEST_SYNTHETIC_OUTCOMES_H

#include "relocation_matrix.h"

typedef enum matrix_outcome { OUTCOME_LINKED, OUTCOME_REFUSED, OUTCOME_CRASHED } matrix_outcome;

typedef struct matrix_outcomes {
  matrix_outcome of[MATRIX_CLASSES][MATRIX_TYPES][2]; /* [..][..][0] RELA, [1] REL */
} matrix_outcomes;

/* The file has one line a class, form and outcome: "constant RELA linked 0-39 42-115"; stops the program when it cannot be
 * read. */
void outcomes_read(matrix_outcomes *outcomes, const char *path);
void outcomes_write(const matrix_outcomes *outcomes, const char *path);

#endif
