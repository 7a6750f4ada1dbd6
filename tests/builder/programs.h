/* Programs made with the cubin builder, one function each, for the test that nvlink links what the builder builds. */
#ifndef TEST_BUILDER_PROGRAMS_H
#define TEST_BUILDER_PROGRAMS_H

#include "tests/support/cubin_builder.h"

enum { PROGRAM_FILES_MAX = 3 };

typedef struct built_program {
  tb_cubin *files[PROGRAM_FILES_MAX];
  size_t file_count;
} built_program;

typedef struct program_row {
  const char *name;
  void (*build)(built_program *program, unsigned sm);
  const char *symbol;  /* must stand in the linked cubin */
  const char *message; /* part of what nvlink says, "" for nothing */
} program_row;

extern const program_row program_rows[];
extern const size_t program_count;

#endif
