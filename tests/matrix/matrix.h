/* What the subcommands of `matrix` share. */
#ifndef TEST_MATRIX_MATRIX_H
#define TEST_MATRIX_MATRIX_H

#include "answer.h"

#include <stdio.h>

/* Rows that a subcommand is about: a class, a machine, a mode; every row of which `share` divides the number. */
typedef struct matrix_choice {
  const char *class_name, *mode_name, *form_name; /* NULL: all */
  unsigned type;                                  /* of `cell` */
  unsigned sm;                                    /* 0: all */
  size_t share;                                   /* 0, 1: all */
  unsigned workers;                               /* of the recorder */
} matrix_choice;

bool matrix_chosen(const matrix_choice *choice, size_t index);

/* Asks nvlink about the chosen rows and puts its answers into the table. */
void matrix_record(matrix_table *table, const matrix_choice *choice, const char *nvlink);
/* Lets linker and reference answer the chosen rows; false when one differs without a row of `differences`, or agrees in
 * spite of one. */
bool matrix_check(matrix_table *table, const matrix_choice *choice, const char *differences);
/* The outcomes as a picture: a line a row, a letter a type. */
void matrix_print(const matrix_table *table, const matrix_choice *choice, FILE *to);

#endif
