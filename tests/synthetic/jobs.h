/* The jobs of corpus/synthetic: which there are, their input files as bytes, their names.
 *
 * Groups: `relocations` (the matrix, from what its table says links), `programs` (the builder test's programs),
 * `address_taken`, `constants`, `names`. A job's inputs stand beside its directory, as everywhere in the corpus. */
#ifndef TEST_SYNTHETIC_JOBS_H
#define TEST_SYNTHETIC_JOBS_H

#include "tests/matrix/table.h"

enum { SYNTHETIC_FILES_MAX = 3, SYNTHETIC_NAME_MAX = 96 };

typedef struct synthetic_file {
  char name[SYNTHETIC_NAME_MAX];
  uint8_t *bytes;
  size_t size;
} synthetic_file;

typedef struct synthetic_job {
  const char *group;
  const char *option; /* between -arch and the files; NULL: none */
  unsigned sm;
  char name[SYNTHETIC_NAME_MAX];
  synthetic_file files[SYNTHETIC_FILES_MAX];
  size_t file_count;
} synthetic_job;

typedef void synthetic_visit(const synthetic_job *job);

/* Calls `visit` for every job of one architecture, relocation jobs first. */
void synthetic_visit_jobs(unsigned sm, const matrix_table *table, synthetic_visit *visit);
void synthetic_free_job(synthetic_job *job);

#endif
