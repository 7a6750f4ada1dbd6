/* The cells of sm_100: a capsule that ptxas made, whose one relocation of a variable becomes an R_MERCURY type against a
 * class of symbol, in both views of the program. */
#ifndef TEST_MATRIX_CAPSULE_H
#define TEST_MATRIX_CAPSULE_H

#include "cells.h"

enum { MATRIX_MERCURY_TYPES = 65 };

/* Reads the capsule; must come first. */
void matrix_capsule_load(const char *path);
/* Whether a capsule can have a symbol of that class. */
bool matrix_capsule_has(matrix_class kind);
/* Whether ptxas writes a type in code; such types stand in instructions of their own, so there is no place for others. */
bool matrix_capsule_has_code(unsigned type);
/* The edited bytes, which the caller frees. */
uint8_t *matrix_capsule_build(matrix_class kind, unsigned type, matrix_entry_form form, size_t *size);

#endif
