/* System calls of which the n-th fails: for programs that are linked with --wrap of open, read, write, close, rename. */
#ifndef FUZZ_FAILING_CALLS_H
#define FUZZ_FAILING_CALLS_H

#include <stdbool.h>

typedef enum fuzz_failure { FUZZ_FAIL_ERROR, FUZZ_FAIL_SHORT, FUZZ_FAIL_INTERRUPTED, FUZZ_FAIL_KINDS } fuzz_failure;

typedef struct fuzz_calls_state {
  fuzz_failure how; /* what becomes of a read or write that fails */
  unsigned armed, called;
  bool met;     /* there was an n-th call since it was armed */
  bool opening; /* and it was to open something */
} fuzz_calls_state;

extern fuzz_calls_state fuzz_calls;

/* The n-th call from now on fails; 0: none does, and what was met stays to be read. */
void fuzz_calls_arm(unsigned n);

#endif
