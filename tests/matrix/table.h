/* The stored table, corpus/matrix/TABLE: what nvlink answered to every cell, as text. docs/specification/matrix.md says how to
 * read it. */
#ifndef TEST_MATRIX_TABLE_H
#define TEST_MATRIX_TABLE_H

#include "cells.h"

typedef enum matrix_outcome {
  OUTCOME_NONE, /* not recorded */
  OUTCOME_LINKED,
  OUTCOME_REFUSED,
  OUTCOME_CRASHED, /* a signal ended it */
  OUTCOME_HUNG     /* its time, memory or disk was used up */
} matrix_outcome;

/* What became of the entry, as far as the output shows it. */
typedef enum matrix_fate {
  FATE_APPLIED = 'a',  /* bits of the section changed, or a record says that they were written; no entry */
  FATE_KEPT = 'k',     /* an entry, the bits as they were */
  FATE_BOTH = 'c',     /* an entry, and bits changed */
  FATE_BINDLESS = 'b', /* a slot of a bindless table: an entry of the bank, bits changed */
  FATE_DROPPED = 'd'   /* neither */
} matrix_fate;

typedef struct matrix_cell {
  matrix_outcome outcome;
  unsigned number;  /* refused, and linked with a warning: of the message; crashed: the signal */
  matrix_fate fate; /* linked */
  uint8_t changed;  /* linked: a bit a byte of the entry's eight */
  uint32_t hash;    /* linked: 24 bits of the output's */
} matrix_cell;

/* What is said, and the exit code that comes with it. Number 0 is silence. */
typedef struct matrix_message {
  int code;
  char *text;
} matrix_message;

typedef struct matrix_table {
  matrix_cell (*rows)[MATRIX_TYPES]; /* by the numbers of cells.h */
  matrix_message *messages;
  size_t message_count;
} matrix_table;

/* An empty table; a table from a file, which stops the program when a line cannot be read. */
void matrix_table_start(matrix_table *table);
void matrix_table_read(matrix_table *table, const char *path);
void matrix_table_write(matrix_table *table, const char *path);
void matrix_table_free(matrix_table *table);
/* The number of a message, which is added when it is new. */
unsigned matrix_table_message(matrix_table *table, int code, const char *text, size_t size);

#endif
