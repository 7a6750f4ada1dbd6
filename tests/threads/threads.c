/* threads PROGRAM CORPUS STEP: every STEP-th job of the corpus, linked with --threads=1 and with --threads=8. Output,
 * messages and exit code must be the same. Each set of the corpus is one reported check; with --threads the program
 * uses as many threads as it is told, however small the job. */
#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct threads_setup {
  const char *program, *corpus;
  size_t step;
} threads_setup;

static threads_setup setup;

typedef struct threads_link {
  harness_outcome outcome;
  harness_bytes image; /* data NULL: no output */
} threads_link;

static void threads_run(const harness_job *job, const char *threads, threads_link *link) {
  char path[HARNESS_PATH], scratch[HARNESS_PATH];
  const char *argv[4096] = {setup.program, "--identity=nvlink", "--bug-compatible", threads};
  const char *output = "a.out";
  size_t count = 4;
  harness_words arguments;
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &arguments);
  if (arguments.count + count >= sizeof argv / sizeof *argv)
    harness_stop("%s has too many arguments", job->name);
  for (size_t i = 0; i < arguments.count; i++) {
    argv[count++] = arguments.items[i];
    if (i && strcmp(arguments.items[i - 1], "-o") == 0)
      output = arguments.items[i];
  }
  harness_make_scratch(scratch);
  harness_link_inputs(job->inputs, scratch);
  harness_run(&(harness_command){.argv = argv, .directory = scratch, .seconds = 120}, &link->outcome);
  harness_path(path, "%s/%s", scratch, output);
  link->image = (harness_bytes){0};
  (void)harness_read_file(path, &link->image);
  harness_remove_tree(scratch);
  harness_free_words(&arguments);
}

static void threads_free(threads_link *link) {
  harness_free_outcome(&link->outcome);
  free(link->image.data);
}

static bool threads_same_bytes(const harness_bytes *a, const harness_bytes *b) {
  return a->size == b->size && (a->data == NULL) == (b->data == NULL) &&
         (!a->data || memcmp(a->data, b->data, a->size) == 0);
}

static void threads_test_set(void **state) {
  const char *const set = *state;
  harness_jobs jobs;
  size_t linked = 0, different = 0;
  harness_list_jobs(setup.corpus, set, &jobs);
  for (size_t i = 0; i < jobs.count; i += setup.step) {
    threads_link one, eight;
    threads_run(&jobs.items[i], "--threads=1", &one);
    threads_run(&jobs.items[i], "--threads=8", &eight);
    linked += one.image.data != NULL;
    if (!threads_same_bytes(&one.image, &eight.image) || !threads_same_bytes(&one.outcome.err, &eight.outcome.err) ||
        one.outcome.code != eight.outcome.code || one.outcome.code < 0) {
      print_message("%s differs: exit code %d on one thread, %d on eight\n%.*s", jobs.items[i].name, one.outcome.code,
                    eight.outcome.code, (int)eight.outcome.err.size, (const char *)eight.outcome.err.data);
      different++;
    }
    threads_free(&one);
    threads_free(&eight);
  }
  print_message("%s: %zu jobs, %zu with an output\n", set, (jobs.count + setup.step - 1) / setup.step, linked);
  harness_free_jobs(&jobs);
  assert_true(linked > 0);
  assert_int_equal(different, 0);
}

int main(int argc, char **argv) {
  static char cuda[] = "cuda", defects[] = "vendor-defects", synthetic[] = "synthetic", messages[] = "messages";
  if (argc != 4)
    harness_stop("usage: threads PROGRAM CORPUS STEP");
  setup = (threads_setup){argv[1], argv[2], strtoul(argv[3], NULL, 10)};
  if (!setup.step)
    harness_stop("STEP is at least 1");
  const struct CMUnitTest tests[] = {
      {"threads_test_cuda", threads_test_set, NULL, NULL, cuda},
      {"threads_test_vendor_defects", threads_test_set, NULL, NULL, defects},
      {"threads_test_synthetic", threads_test_set, NULL, NULL, synthetic},
      {"threads_test_messages", threads_test_set, NULL, NULL, messages},
  };
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
