/* Cells in which linker or reference differ from nvlink for a reason that has a row: tests/matrix/differences, a line a
 * rule, never a cell:
 *
 *   WHO SM CLASS[,CLASS] MODE[,MODE] FORM[,FORM] TYPE[-TYPE][,...] ROW reason
 *
 * WHO: linker, reference or both, with --bug-compatible; reference-default, where the two disagree without, or default, where
 * both answer otherwise than nvlink and no row of its defects is named; `*` in the place of a list: all. */
#ifndef TEST_MATRIX_DIFFERENCES_H
#define TEST_MATRIX_DIFFERENCES_H

#include "cells.h"

#include "tests/harness/harness.h"

typedef struct matrix_difference {
  char *line; /* cut into words */
  const char *who, *sm, *classes, *modes, *forms, *types, *row;
  size_t covered; /* cells of it that were met; counted by the caller */
} matrix_difference;

typedef struct matrix_differences {
  matrix_difference *items;
  size_t count;
} matrix_differences;

void matrix_differences_read(matrix_differences *list, const char *path);
void matrix_differences_free(matrix_differences *list);
/* The first rule that names the cell, or NULL. */
matrix_difference *matrix_differences_find(const matrix_differences *list, const char *who, const matrix_place *place,
                                           unsigned type);

#endif
