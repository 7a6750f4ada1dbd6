/* What the two halves of this test program share: the scratch directory with its small inputs, and one way to run the
 * linker there. text.xyz is a file that no linker takes for device code (C20), so `-arch=sm_90 -o out.cubin text.xyz` is
 * the smallest link that succeeds: an empty cubin (C63). */
#ifndef TWINLINK_TESTS_COMMAND_LINE_H
#define TWINLINK_TESTS_COMMAND_LINE_H

#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct command_setup {
  char program[HARNESS_PATH]; /* absolute */
  char scratch[HARNESS_PATH]; /* made anew for every test */
  const char *corpus;
  harness_jobs jobs; /* of its set cuda */
} command_setup;

extern command_setup command;

int command_make_scratch(void **state);
int command_remove_scratch(void **state);
/* Runs `program` in the scratch directory with the words of `line`, which are separated by blanks; '' is an empty word. */
void command_run(const char *program, const char *line, harness_outcome *outcome);
/* The same for twinlink as nvlink (--identity=nvlink in front), checked: stops the test unless the exit code is `code`. */
void command_link(const char *line, int code);

int command_test_options(void);
int command_test_output(void);
int command_test_own_options(void);
int command_test_trace(void);

#endif
