/* Programs whose compiler constants do not fit into 64 KB as one block a function (K3, L150). */
#ifndef TEST_SYNTHETIC_CONSTANTS_H
#define TEST_SYNTHETIC_CONSTANTS_H

#include "tests/builder/programs.h"

/* An instruction of a row's program and the constant that it must read, in the image of every kernel. */
typedef struct constants_read {
  size_t row;
  const char *function;
  uint64_t offset;
  const void *bytes;
  size_t size;
} constants_read;

extern const constants_read constants_reads[];
extern const size_t constants_read_count;
extern const program_row constants_rows[];
extern const size_t constants_count;

#endif
