/* Statements with the toolkit's headers, for programs of the kind "headers". */
#ifndef TWIN_GEN_HEADERS_H
#define TWIN_GEN_HEADERS_H

#include "gen_program.h"

typedef struct gen_header_row {
  unsigned sm;           /* the first that has it */
  const char *includes;  /* whole lines, without the last line's end */
  const char *statement; /* uses p, x and acc */
} gen_header_row;

const gen_header_row *gen_header_of(const gen_operation *operation, unsigned sm);

#endif
