/* Inputs of hostile shape, linked as nvlink would.
 *
 *   shapes test PROGRAM ANSWERS    the short forms: nvlink's recorded exit code and output, memory for twice the input
 *   shapes record NVLINK ANSWERS   writes ANSWERS: what nvlink makes of the short forms
 *   shapes measure [NAME [COUNT]]  the long forms in process, or COUNT of the thing in question: time and memory for an
 *                                  input and for one of twice the size
 *   shapes count PROGRAM [NAME]    a fifth of the long forms under valgrind: instructions for an input and for twice it
 *   shapes list                    the names
 *
 * Time is the processor's, the least of three links; it depends on the machine and on what else runs there, so it is
 * printed and judged by nobody. Instructions and memory do not: twice the input costs at most 2.3 times as many
 * instructions, and no link needs more memory than 8 times its input and 64 MB. */
#include "tests/shapes/shapes.h"

#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { LINKS = 3 };
static const double most_growth = 2.3;

/* FNV-1a: short to write, and this is no secret. */
static uint64_t shapes_hash(const uint8_t *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

static double shapes_link(const shape *s, const shape_inputs *inputs, tl_result *result) {
  const tl_job job = {
      .options =
          {.arch = "sm_90", .identity_nvlink = true, .bug_compatible = true, .verbose = s->verbose, .threads = 1},
      .inputs = inputs->items,
      .input_count = inputs->count,
  };
  const clock_t start = clock();
  (void)tl_link(&job, result);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* What a linker that is run as a program makes of a shape. */
typedef struct shapes_output {
  harness_outcome outcome;
  harness_bytes image;
  size_t bytes; /* of the inputs */
} shapes_output;

/* `before`: words in front of the program, NULL at their end, or NULL. Our own program is told to be nvlink by its name. */
static void shapes_run(const shape *s, unsigned units, const char *program, const char *const *before,
                       shapes_output *output) {
  char scratch[HARNESS_PATH], path[HARNESS_PATH];
  shape_inputs inputs = {0};
  s->build(&inputs, units);
  const char **const argv = harness_grow(NULL, (inputs.count + 16) * sizeof *argv);
  size_t count = 0;
  while (before && *before)
    argv[count++] = *before++;
  argv[count++] = program;
  argv[count++] = "-arch=sm_90";
  argv[count++] = "-o";
  argv[count++] = "out.cubin";
  if (s->verbose)
    argv[count++] = "-v";
  harness_make_scratch(scratch);
  for (size_t i = 0; i < inputs.count; i++) {
    harness_path(path, "%s/%s", scratch, inputs.items[i].path);
    harness_write_file(path, inputs.items[i].data, inputs.items[i].size);
    argv[count++] = inputs.items[i].path;
  }
  const char *const slash = strrchr(program, '/');
  if (strcmp(slash ? slash + 1 : program, "twinlink") == 0) {
    argv[count++] = "--identity=nvlink";
    argv[count++] = "--bug-compatible";
    argv[count++] = "--threads=1";
  }
  argv[count] = NULL;
  *output = (shapes_output){.bytes = inputs.bytes};
  harness_run(&(harness_command){.argv = argv, .directory = scratch, .seconds = 600}, &output->outcome);
  harness_path(path, "%s/out.cubin", scratch);
  (void)harness_read_file(path, &output->image);
  harness_remove_tree(scratch);
  free((void *)argv);
  shape_free(&inputs);
}

static void shapes_free_output(shapes_output *output) {
  harness_free_outcome(&output->outcome);
  free(output->image.data);
}

/* --- test --- */

typedef struct shapes_answer {
  char name[32];
  int code;
  size_t size;
  uint64_t hash;
} shapes_answer;

static harness_words answers;

static shapes_answer shapes_find_answer(const char *name) {
  for (size_t i = 0; i < answers.count; i++) {
    shapes_answer answer;
    unsigned long long hash = 0;
    if (sscanf(answers.items[i], "%31s %d %zu %llx", answer.name, &answer.code, &answer.size, &hash) != 4)
      continue;
    answer.hash = hash;
    if (strcmp(answer.name, name) == 0)
      return answer;
  }
  harness_stop("no answer for %s", name);
}

static const char *shapes_program;

static void shapes_test_one(void **state) {
  const shape *const s = *state;
  const shapes_answer answer = shapes_find_answer(s->name);
  uint64_t memory[2];
  shapes_output output;
  shapes_run(s, s->small, shapes_program, NULL, &output);
  assert_int_equal(output.outcome.code, answer.code);
  assert_int_equal(output.image.size, answer.size);
  assert_true(shapes_hash(output.image.data, output.image.size) == answer.hash);
  shapes_free_output(&output);
  for (unsigned twice = 0; twice < 2; twice++) {
    shape_inputs inputs = {0};
    tl_result result;
    s->build(&inputs, s->small << twice);
    (void)shapes_link(s, &inputs, &result);
    memory[twice] = result.memory_peak;
    assert_int_equal(result.exit_code, answer.code);
    tl_result_free(&result);
    shape_free(&inputs);
  }
  assert_true((double)memory[1] <= most_growth * (double)memory[0]);
}

static int shapes_test(const char *program, const char *path) {
  struct CMUnitTest *const tests = harness_grow(NULL, shape_count * sizeof *tests);
  shapes_program = program;
  harness_read_lines(path, &answers);
  for (size_t i = 0; i < shape_count; i++)
    tests[i] = (struct CMUnitTest){shapes[i].name, shapes_test_one, NULL, NULL, (void *)&shapes[i]};
  const int failed = _cmocka_run_group_tests("shapes", tests, shape_count, NULL, NULL);
  free(tests);
  harness_free_words(&answers);
  return failed;
}

/* --- record --- */

static void shapes_record_one(const shape *s, const char *nvlink, FILE *to) {
  shapes_output output;
  shapes_run(s, s->small, nvlink, NULL, &output);
  (void)fprintf(to, "%s %d %zu %llx\n", s->name, output.outcome.code, output.image.size,
                (unsigned long long)shapes_hash(output.image.data, output.image.size));
  shapes_free_output(&output);
}

static int shapes_record(const char *nvlink, const char *path) {
  FILE *const to = fopen(path, "w");
  if (!to)
    harness_stop("cannot write %s", path);
  for (size_t i = 0; i < shape_count; i++)
    shapes_record_one(&shapes[i], nvlink, to);
  return fclose(to);
}

/* --- measure --- */

static double shapes_measure_once(const shape *s, unsigned count, size_t *bytes, uint64_t *memory) {
  shape_inputs inputs = {0};
  double least = 0;
  s->build(&inputs, count);
  *bytes = inputs.bytes;
  for (unsigned i = 0; i < LINKS; i++) {
    tl_result result;
    const double seconds = shapes_link(s, &inputs, &result);
    least = i == 0 || seconds < least ? seconds : least;
    *memory = result.memory_peak;
    if (result.exit_code)
      printf("  %s: exit code %d: %s\n", s->name, result.exit_code,
             result.message_count ? result.messages[0].text : "");
    tl_result_free(&result);
  }
  shape_free(&inputs);
  return least;
}

static bool shapes_is_large(size_t bytes, uint64_t memory) {
  enum { TIMES = 8, AND_MEGABYTES = 64 };
  return memory > TIMES * (uint64_t)bytes + ((uint64_t)AND_MEGABYTES << 20);
}

/* `count`: 0 for each shape's own. */
static int shapes_measure(const char *name, unsigned count) {
  int large = 0;
  printf("%-11s %9s %9s %9s %9s %6s  %9s %9s %6s\n", "shape", "count", "MB", "seconds", "twice", "ratio", "memory MB",
         "twice", "ratio");
  for (size_t i = 0; i < shape_count; i++) {
    const shape *const s = &shapes[i];
    size_t bytes[2];
    uint64_t memory[2];
    if (name && strcmp(name, s->name) != 0)
      continue;
    const unsigned units = count ? count : s->large;
    const double one = shapes_measure_once(s, units, &bytes[0], &memory[0]);
    const double two = shapes_measure_once(s, 2 * units, &bytes[1], &memory[1]);
    const double grown = (double)bytes[1] / (double)bytes[0] / 2; /* 1 when the input has doubled */
    const bool too_large = shapes_is_large(bytes[0], memory[0]) || shapes_is_large(bytes[1], memory[1]);
    large += too_large;
    printf("%-11s %9u %9.1f %9.4f %9.4f %6.2f  %9.1f %9.1f %6.2f  %s%s\n", s->name, units, (double)bytes[0] / 1e6, one,
           two, two / one / grown, (double)memory[0] / 1e6, (double)memory[1] / 1e6,
           (double)memory[1] / (double)memory[0] / grown, s->purpose, too_large ? "  TOO LARGE" : "");
    (void)fflush(stdout);
  }
  return large != 0;
}

/* --- count --- */

/* Instructions that the program needs; 0 when valgrind does not say. */
static double shapes_instructions(const shape *s, unsigned units, const char *program, size_t *bytes) {
  static const char *const valgrind[] = {"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", NULL};
  shapes_output output;
  shapes_run(s, units, program, valgrind, &output);
  const char *const text = strstr((const char *)output.outcome.err.data, "Collected : ");
  const double count = text ? strtod(text + strlen("Collected : "), NULL) : 0;
  *bytes = output.bytes;
  shapes_free_output(&output);
  return count;
}

static int shapes_count(const char *program, const char *name) {
  enum { SHORTER = 5 };
  int slow = 0;
  printf("%-11s %9s %9s %14s %14s %6s\n", "shape", "count", "MB", "instructions", "twice", "ratio");
  for (size_t i = 0; i < shape_count; i++) {
    const shape *const s = &shapes[i];
    size_t bytes[2];
    if (name && strcmp(name, s->name) != 0)
      continue;
    const double one = shapes_instructions(s, s->large / SHORTER, program, &bytes[0]);
    const double two = shapes_instructions(s, 2 * (s->large / SHORTER), program, &bytes[1]);
    if (one <= 0 || two <= 0)
      harness_stop("valgrind counts nothing");
    const double ratio = two / one / ((double)bytes[1] / (double)bytes[0] / 2);
    slow += ratio > most_growth;
    printf("%-11s %9u %9.1f %14.0f %14.0f %6.2f  %s%s\n", s->name, s->large / SHORTER, (double)bytes[0] / 1e6, one, two,
           ratio, s->purpose, ratio > most_growth ? "  TOO SLOW" : "");
    (void)fflush(stdout);
  }
  return slow != 0;
}

static int shapes_list(void) {
  for (size_t i = 0; i < shape_count; i++)
    puts(shapes[i].name);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "list") == 0)
    return shapes_list();
  if (argc == 4 && strcmp(argv[1], "test") == 0)
    return shapes_test(argv[2], argv[3]);
  if ((argc == 3 || argc == 4) && strcmp(argv[1], "count") == 0)
    return shapes_count(argv[2], argc == 4 ? argv[3] : NULL);
  if (argc == 4 && strcmp(argv[1], "record") == 0)
    return shapes_record(argv[2], argv[3]);
  if (argc >= 2 && argc <= 4 && strcmp(argv[1], "measure") == 0)
    return shapes_measure(argc >= 3 ? argv[2] : NULL, argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0);
  harness_stop("usage: shapes test PROGRAM ANSWERS | record NVLINK ANSWERS | measure [NAME [COUNT]] | count PROGRAM "
               "[NAME] | list");
}
