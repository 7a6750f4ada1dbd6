/* What the files of this test program share: an arena for one test, and a diagnostics object whose fatal records come
 * back as a value instead of a jump. */
#ifndef TWINLINK_TESTS_FRONT_H
#define TWINLINK_TESTS_FRONT_H

#include "base/diagnostics.h"
#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct front_world {
  tl_arena arena;
  tl_options options;
  tl_diagnostics diagnostics;
  jmp_buf fatal;
  char *lines; /* front_lines, malloc'ed */
} front_world;

/* The directory of the corpus, from the command line. */
extern const char *front_corpus;

void front_open(front_world *world);
void front_close(front_world *world);
/* Runs `step`; true unless it ended in a fatal record. */
bool front_try(front_world *world, void (*step)(front_world *world, void *context), void *context);
/* All records so far as they are printed, a line each. */
const char *front_lines(front_world *world);

int front_test_relocations(void);
int front_test_architectures(void);
int front_test_commands(void);
int front_test_diagnostics(void);
int front_test_admission(void);
int front_test_demangling(void);
int front_test_reproduction(void);

#endif
