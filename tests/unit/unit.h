/* What the files of this test program share: an arena that never fails, a random sequence that is the same in every run,
 * and jobs of the corpus read into memory. */
#ifndef TWINLINK_TESTS_UNIT_H
#define TWINLINK_TESTS_UNIT_H

#include "base/arena.h"
#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { UNIT_INPUTS = 8 };

typedef struct unit_job {
  harness_words words; /* the inputs' paths point into it */
  harness_bytes files[UNIT_INPUTS];
  tl_input inputs[UNIT_INPUTS];
  size_t count;
  tl_options options; /* nvlink's identity, one thread */
} unit_job;

/* An allocator that counts, and refuses from the n-th request on when `fail_at` is n. */
typedef struct unit_memory {
  size_t asked, held, fail_at;
} unit_memory;

void unit_open_arena(tl_arena *arena);
/* xorshift; `state` must not be 0. */
uint64_t unit_random(uint64_t *state);
/* `name`: "program/arch/job". Stops on a job that has other options than -arch, -v and -o. */
void unit_open_job(unit_job *job, const char *name);
void unit_close_job(unit_job *job);
tl_allocator unit_make_allocator(unit_memory *memory);

int unit_test_list_sort(void);
int unit_test_bits(void);
int unit_test_containers(void);
int unit_test_memory(void);
int unit_test_threads(void);
int unit_test_image(void);
int unit_test_capsule(void);
int unit_test_leaf(void);
int unit_test_guard(void);

#endif
