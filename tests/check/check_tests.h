/* The parts of the invariants' test program. */
#ifndef TWINLINK_TESTS_CHECK_TESTS_H
#define TWINLINK_TESTS_CHECK_TESTS_H

#include "ref_check.h"
#include "tests/harness/harness.h"

enum { CHECK_INPUTS_MAX = 64 };

/* One job of the corpus with its output, read. */
typedef struct check_job {
  harness_bytes output, bytes[CHECK_INPUTS_MAX];
  ref_cubin cubins[CHECK_INPUTS_MAX];
  ref_check_file inputs[CHECK_INPUTS_MAX];
  size_t count;
  bool partial; /* some inputs are not cubins: the output is checked alone */
} check_job;

/* A program that links, and the directory it does that in. */
typedef struct check_linker {
  const char *program;
  char inputs[HARNESS_PATH], scratch[HARNESS_PATH];
} check_linker;

/* The output is nvlink's stored one, or with a linker the one that it makes by default. False when there is none. Inputs that are no cubins are left out, as the link left them out. */
bool check_job_read(check_job *job, const char *directory, const char *inputs, check_linker *linker);
/* Removes what the last link left. */
void check_linker_leave(check_linker *linker);
void check_job_free(check_job *job);
/* Runs the invariants on the job with `output` in place of its own; false when that is no cubin. */
bool check_job_run(const check_job *job, const harness_bytes *output, ref_check_report *report);
/* The findings of a row that the link made (not its inputs). */
size_t check_count_row(const ref_check_report *report, const char *row);

extern const char *check_corpus, *check_expected;

void check_test_planted(void **state);
void check_test_borders(void **state);
void check_test_damaged(void **state);

#endif
