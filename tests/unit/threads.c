/* The same bytes whatever the number of threads. Threads are used from one megabyte of output on, which no job of the
 * corpus reaches; so beside the corpus's jobs a program of two megabytes is built here, with relocated fields in every
 * kernel, and --wrap counts the threads asked for: a comparison in which no thread ran would show nothing. A thread that
 * does not start is the caller's work, so the same bytes are expected when none starts. */
#include "base/parallel.h"
#include "tests/support/cubin_builder.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE_KERNELS = 128, LARGE_CODE = 16384, LARGE_FIELDS = 32, TASKS_MOST = 1000, R_ABS32_32 = 55 };

static size_t threads_asked;
static bool threads_refused;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  threads_asked++;
  return threads_refused ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

typedef struct threads_output {
  uint8_t *bytes;
  size_t size;
} threads_output;

static bool threads_sink(void *context, const void *bytes, size_t size) {
  threads_output *const output = context;
  output->bytes = harness_grow(output->bytes, output->size + size);
  memcpy(output->bytes + output->size, bytes, size);
  output->size += size;
  return true;
}

/* The same job streamed: no image in memory, and the same bytes. */
static void threads_compare_streamed(const unit_job *unit, const tl_result *one) {
  tl_job job = {.options = unit->options, .inputs = unit->inputs, .input_count = unit->count, .streamed = true};
  tl_result result;
  threads_output output = {0};
  assert_int_equal(tl_link(&job, &result), 0);
  assert_null(result.image);
  assert_int_equal(result.image_size, one->image_size);
  assert_true(tl_result_write(&result, threads_sink, &output));
  assert_int_equal(output.size, one->image_size);
  assert_memory_equal(output.bytes, one->image, one->image_size);
  free(output.bytes);
  tl_result_free(&result);
}

static void threads_link(const unit_job *unit, unsigned threads, tl_result *result) {
  tl_job job = {.options = unit->options, .inputs = unit->inputs, .input_count = unit->count};
  job.options.threads = threads;
  job.options.want_map = true;
  threads_asked = 0;
  assert_int_equal(tl_link(&job, result), 0);
}

/* Links with `threads` and compares with `one`, which was linked by the caller alone. */
static void threads_compare(const unit_job *unit, const tl_result *one, unsigned threads, size_t asked) {
  tl_result several;
  threads_link(unit, threads, &several);
  assert_int_equal(threads_asked, asked);
  assert_int_equal(several.image_size, one->image_size);
  assert_memory_equal(several.image, one->image, one->image_size);
  assert_string_equal(several.map, one->map);
  tl_result_free(&several);
}

static void threads_test_corpus(void **state) {
  static const char *const names[] = {"many_kernels/sm_90/plain", "doubles/sm_75/plain", "templates/sm_80/bac"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    unit_job unit;
    tl_result one;
    unit_open_job(&unit, names[i]);
    threads_link(&unit, 1, &one);
    threads_compare(&unit, &one, 8, 0);
    threads_compare_streamed(&unit, &one);
    tl_result_free(&one);
    unit_close_job(&unit);
  }
}

/* Every kernel has code of its own and fields that hold the addresses of its two shared variables. */
static uint8_t *threads_build_large(size_t *size) {
  static uint8_t code[LARGE_CODE];
  uint64_t random = 0x1a49e;
  tb_cubin *const cubin = tb_new(90);
  for (unsigned k = 0; k < LARGE_KERNELS; k++) {
    char name[32];
    for (size_t i = 0; i < sizeof code; i++)
      code[i] = (uint8_t)(unit_random(&random) >> 16);
    (void)snprintf(name, sizeof name, "kernel%u", k);
    const tb_symbol kernel = tb_kernel(cubin, name, code, sizeof code, 8);
    (void)snprintf(name, sizeof name, "first%u", k);
    const tb_symbol first = tb_shared(cubin, kernel, name, 4 * (k + 1), 4);
    (void)snprintf(name, sizeof name, "second%u", k);
    const tb_symbol second = tb_shared(cubin, kernel, name, 64, 16);
    for (uint64_t f = 0; f < LARGE_FIELDS; f++)
      tb_rela(cubin, tb_section_of(cubin, kernel), f * 0x200, R_ABS32_32, f % 2 ? first : second, (int64_t)f);
  }
  uint8_t *const image = tb_finish(cubin, size);
  tb_free(cubin);
  return image;
}

static void threads_test_large(void **state) {
  (void)state;
  size_t size = 0;
  uint8_t *const file = threads_build_large(&size);
  unit_job unit = {.inputs = {{.path = "large.cubin", .data = file, .size = size}},
                   .count = 1,
                   .options = {.arch = "sm_90", .identity_nvlink = true, .bug_compatible = true}};
  tl_result one;
  threads_link(&unit, 1, &one);
  assert_int_equal(threads_asked, 0);
  assert_true(one.image_size > 2u << 20);
  for (unsigned round = 0; round < 4; round++) {
    threads_compare(&unit, &one, 2, 1);
    threads_compare(&unit, &one, 8, 7);
  }
  threads_compare_streamed(&unit, &one);
  threads_refused = true;
  threads_compare(&unit, &one, 8, 1);
  threads_refused = false;
  tl_result_free(&one);
  free(file);
}

static void threads_count_task(void *context, size_t index) {
  atomic_uint *const runs = context;
  atomic_fetch_add(&runs[index], 1);
}

static void threads_test_every_index_once(void **state) {
  static const unsigned threads[] = {0, 1, 2, 8, 64, 1000};
  static const size_t counts[] = {0, 1, 2, 7, 63, 64, 65, TASKS_MOST};
  (void)state;
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
      static atomic_uint runs[TASKS_MOST + 1];
      for (size_t i = 0; i <= TASKS_MOST; i++)
        atomic_init(&runs[i], 0);
      tl_parallel_for(threads[t], counts[c], threads_count_task, runs);
      for (size_t i = 0; i <= TASKS_MOST; i++)
        assert_int_equal(atomic_load(&runs[i]), i < counts[c]);
    }
  }
}

int unit_test_threads(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_test_every_index_once),
      cmocka_unit_test(threads_test_corpus),
      cmocka_unit_test(threads_test_large),
  };
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
