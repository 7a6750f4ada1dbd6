/* From what a linker answered to the cell that the table holds. */
#ifndef TEST_MATRIX_ANSWER_H
#define TEST_MATRIX_ANSWER_H

#include "table.h"

typedef struct matrix_answer {
  int code;
  int signal; /* that ended it, or 0 */
  bool hung;  /* it ran into a limit */
  const char *text;
  size_t text_size;
  const uint8_t *image; /* NULL: none */
  size_t size;
} matrix_answer;

/* `envelope`: what was linked. A message that the table does not know is added to it. */
matrix_cell matrix_answer_cell(const matrix_answer *answer, const matrix_place *place, const fuzz_envelope *envelope,
                               matrix_table *table);

#endif
