/* The cells of sm_100: a capsule that ptxas made, whose one relocation of a variable becomes an R_MERCURY type against a
 * class of symbol, in both views of the program. */
#ifndef TEST_MATRIX_CAPSULE_H
#define TEST_MATRIX_CAPSULE_H

#include "relocation_matrix.h"

enum { MATRIX_MERCURY_TYPES = 65 };

/* Reads the capsule; must come first. */
void matrix_capsule_load(const char *path);
/* Whether a capsule can have a symbol of that class. */
bool matrix_capsule_has(matrix_class kind);
/* The edited bytes, which the caller frees. */
uint8_t *matrix_capsule_build(matrix_class kind, unsigned type, size_t *size);

#endif
