/* What the parts of this test share: the corpus's jobs and the tables of docs/specification, one line a row. */
#ifndef TWINLINK_TESTS_MESSAGES_COVERAGE_H
#define TWINLINK_TESTS_MESSAGES_COVERAGE_H

#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct coverage_job {
  const char *set; /* cuda, synthetic, vendor-defects, messages */
  const harness_job *job;
  harness_words arguments, messages; /* nvlink's, a line each */
} coverage_job;

typedef struct coverage_setup {
  char program[HARNESS_PATH], source[HARNESS_PATH]; /* twinlink, and the checkout */
  coverage_job *jobs;
  size_t job_count;
} coverage_setup;

extern coverage_setup coverage;

/* The job "SET/PROGRAM/ARCHITECTURE/JOB", or NULL. */
const coverage_job *coverage_find_job(const char *name);
/* The lines of docs/specification/FILE that begin with "| `". */
void coverage_read_table(const char *file, harness_words *lines);
/* Copies column `index` of a table's line, from 0, without blanks and backquotes around it; "" when there is none. */
void coverage_column(const char *line, size_t index, char *text, size_t size);
/* The line whose first column is `id`, or NULL; stops the test when there are two. */
const char *coverage_find_line(const harness_words *lines, const char *id);

/* Runs twinlink with `mode` in front of the words, in a scratch directory with the files of `inputs`. */
void coverage_run(const char *inputs, const char *mode, const harness_words *words, harness_outcome *outcome);
/* The same for a line "DIRECTORY WORD ..." of a table, with the files of that directory of the corpus. */
void coverage_run_line(const char *line, const char *mode, harness_outcome *outcome);

int coverage_test_messages(void);
int coverage_test_defects(void);
int coverage_test_options(void);
int coverage_test_seed_texts(void);

#endif
