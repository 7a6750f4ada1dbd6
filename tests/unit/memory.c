/* Memory that runs out. The job's allocator is the hook that the library offers: it fails at every n-th request, and the
 * job's memory limit is set to values up to the one that suffices. An arena asks for large blocks, so these alone would end
 * a link at a handful of places; therefore --wrap also stands before every call of the arena (CMakeLists.txt) and lets the
 * n-th one find the arena used up, at each place where a stage takes memory.
 *
 * Wherever it happens the result is the one fatal record, nothing else, and all memory comes back. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_STEPS = 64 };

/* The call of the arena that finds no memory, counted down; 0: none does. */
static size_t memory_calls_left;
static size_t memory_calls;

void *__real_tl_arena_take(tl_arena *arena, size_t count, size_t size);
void *__wrap_tl_arena_take(tl_arena *arena, size_t count, size_t size);
void *__real_tl_arena_copy(tl_arena *arena, const void *bytes, size_t size);
void *__wrap_tl_arena_copy(tl_arena *arena, const void *bytes, size_t size);
char *__real_tl_arena_text(tl_arena *arena, const char *text, size_t length);
char *__wrap_tl_arena_text(tl_arena *arena, const char *text, size_t length);
char *__wrap_tl_arena_format(tl_arena *arena, const char *format, ...);
char *__real_tl_arena_format_list(tl_arena *arena, const char *format, va_list list);
char *__wrap_tl_arena_format_list(tl_arena *arena, const char *format, va_list list);

static void memory_count_call(tl_arena *arena) {
  memory_calls++;
  if (!memory_calls_left)
    return;
  memory_calls_left--;
  if (memory_calls_left == 0) {
    arena->next = arena->end;
    arena->limit = 0;
  }
}

void *__wrap_tl_arena_take(tl_arena *arena, size_t count, size_t size) {
  memory_count_call(arena);
  return __real_tl_arena_take(arena, count, size);
}

void *__wrap_tl_arena_copy(tl_arena *arena, const void *bytes, size_t size) {
  memory_count_call(arena);
  return __real_tl_arena_copy(arena, bytes, size);
}

char *__wrap_tl_arena_text(tl_arena *arena, const char *text, size_t length) {
  memory_count_call(arena);
  return __real_tl_arena_text(arena, text, length);
}

char *__wrap_tl_arena_format_list(tl_arena *arena, const char *format, va_list list) {
  memory_count_call(arena);
  return __real_tl_arena_format_list(arena, format, list);
}

char *__wrap_tl_arena_format(tl_arena *arena, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *const text = __wrap_tl_arena_format_list(arena, format, list);
  va_end(list);
  return text;
}

static int memory_link(const unit_job *unit, unit_memory *memory, uint64_t limit, tl_result *result) {
  const tl_allocator allocator = unit_make_allocator(memory);
  tl_job job = {.options = unit->options,
                .inputs = unit->inputs,
                .input_count = unit->count,
                .limits = {.memory = limit},
                .allocator = &allocator};
  job.options.verbose = job.options.dump_callgraph = job.options.extra_warnings = job.options.want_map = true;
  return tl_link(&job, result);
}

static void memory_check_failure(tl_result *result, const unit_memory *memory) {
  char line[64];
  assert_int_equal(result->exit_code, 1);
  assert_null(result->image);
  assert_null(result->map);
  assert_int_equal(result->message_count, 1);
  assert_string_equal(result->messages[0].code, "E53");
  assert_int_equal(result->messages[0].severity, TL_FATAL);
  (void)tl_message_format(&result->messages[0], &(tl_options){.identity_nvlink = true}, line, sizeof line);
  assert_string_equal(line, "nvlink fatal   : Memory allocation failure");
  tl_result_free(result);
  assert_int_equal(memory->held, 0);
}

static void memory_check_same(const tl_result *result, const tl_result *whole) {
  assert_int_equal(result->exit_code, whole->exit_code);
  assert_int_equal(result->message_count, whole->message_count);
  for (size_t i = 0; i < whole->message_count; i++)
    assert_string_equal(result->messages[i].text, whole->messages[i].text);
  assert_int_equal(result->image_size, whole->image_size);
  if (whole->image)
    assert_memory_equal(result->image, whole->image, whole->image_size);
}

static void memory_check_requests(const unit_job *unit, const tl_result *whole, size_t requests) {
  assert_true(requests >= 2);
  for (size_t n = 1; n <= requests; n++) {
    unit_memory memory = {.fail_at = n};
    tl_result result;
    assert_int_equal(memory_link(unit, &memory, 0, &result), 1);
    assert_int_equal(memory.asked, n);
    memory_check_failure(&result, &memory);
  }
  unit_memory memory = {.fail_at = requests + 1};
  tl_result result;
  (void)memory_link(unit, &memory, 0, &result);
  memory_check_same(&result, whole);
  tl_result_free(&result);
}

static void memory_check_limits(const unit_job *unit, const tl_result *whole) {
  const uint64_t peak = whole->memory_peak;
  for (uint64_t step = 0; step < LIMIT_STEPS; step++) {
    unit_memory memory = {0};
    tl_result result;
    assert_int_equal(memory_link(unit, &memory, 1 + (peak - 2) * step / (LIMIT_STEPS - 1), &result), 1);
    memory_check_failure(&result, &memory);
  }
  unit_memory memory = {0};
  tl_result result;
  (void)memory_link(unit, &memory, peak, &result);
  memory_check_same(&result, whole);
  tl_result_free(&result);
}

static void memory_check_calls(const unit_job *unit, const tl_result *whole, size_t calls) {
  assert_true(calls > 100);
  for (size_t n = 1; n <= calls; n++) {
    unit_memory memory = {0};
    tl_result result;
    memory_calls_left = n;
    (void)memory_link(unit, &memory, 0, &result);
    assert_int_equal(memory_calls_left, 0);
    memory_check_failure(&result, &memory);
  }
  unit_memory memory = {0};
  tl_result result;
  memory_calls_left = calls + 1;
  (void)memory_link(unit, &memory, 0, &result);
  assert_int_equal(memory_calls_left, 1);
  memory_calls_left = 0;
  memory_check_same(&result, whole);
  tl_result_free(&result);
}

/* Jobs that link and one that ends in errors: failure while a record is added is a place of its own. */
static void memory_test_job(void **state) {
  unit_job unit;
  unit_memory memory = {0};
  tl_result whole;
  unit_open_job(&unit, *state);
  memory_calls = 0;
  (void)memory_link(&unit, &memory, 0, &whole);
  const size_t calls = memory_calls;
  assert_int_equal(whole.exit_code == 0, strncmp(*state, "err_", 4) != 0);
  print_message("%s: %zu requests, %zu calls of the arena\n", (const char *)*state, memory.asked, calls);
  memory_check_requests(&unit, &whole, memory.asked);
  memory_check_limits(&unit, &whole);
  memory_check_calls(&unit, &whole, calls);
  tl_result_free(&whole);
  assert_int_equal(memory.held, 0);
  unit_close_job(&unit);
}

/* More bytes than can be counted: an error like any other, and not a short block. */
static void memory_test_overflow(void **state) {
  (void)state;
  unit_memory memory = {0};
  const tl_allocator allocator = unit_make_allocator(&memory);
  tl_arena arena;
  jmp_buf failure;
  volatile int failures = 0;
  tl_arena_init(&arena, &allocator, UINT64_MAX, &failure);
  if (setjmp(failure) == 0)
    (void)tl_arena_take(&arena, SIZE_MAX / 4, 8);
  else
    failures++;
  assert_int_equal(failures, 1);
  assert_int_equal(memory.asked, 0);
  tl_arena_release(&arena);
}

int unit_test_memory(void) {
  static char templates[] = "templates/sm_80/bac", textures[] = "texture_references_many/sm_86/ba";
  static char debug[] = "debug/sm_90/plain", refused[] = "err_undefined/sm_90a/plain";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_test_overflow),
      {"memory_test_templates", memory_test_job, NULL, NULL, templates},
      {"memory_test_textures", memory_test_job, NULL, NULL, textures},
      {"memory_test_debug", memory_test_job, NULL, NULL, debug},
      {"memory_test_refused", memory_test_job, NULL, NULL, refused},
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
