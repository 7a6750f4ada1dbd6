/* The archive of --reproduce: ustar, complete, and independent of where the inputs lay. */
#include "write/reproduce.h"
#include "tests/front/front.h"

#include <stdlib.h>
#include <string.h>

static uint64_t reproduce_octal(const char *text) {
  return strtoull(text, NULL, 8);
}

/* The member `name` of the archive, NULL when there is none; checks every header on the way. */
static const char *reproduce_find(const char *archive, size_t size, const char *name, size_t *length) {
  assert_int_equal(size % 512, 0);
  for (size_t at = 0; at + 512 <= size && archive[at];) {
    const char *header = archive + at;
    uint64_t sum = 8 * ' ';
    for (size_t i = 0; i < 512; i++)
      sum += i >= 148 && i < 156 ? 0 : (uint8_t)header[i];
    assert_int_equal(reproduce_octal(header + 148), sum);
    assert_memory_equal(header + 257, "ustar\00000", 8);
    assert_int_equal(reproduce_octal(header + 136), 0);
    *length = (size_t)reproduce_octal(header + 124);
    if (strcmp(header, name) == 0)
      return header + 512;
    at += 512 + (*length + 511) / 512 * 512;
  }
  return NULL;
}

static void reproduce_check(const char *archive, size_t size, const char *name, const char *wanted) {
  size_t length = 0;
  const char *text = reproduce_find(archive, size, name, &length);
  assert_non_null(text);
  assert_int_equal(length, strlen(wanted));
  assert_memory_equal(text, wanted, length);
}

static void reproduce_test_members(void **state) {
  (void)state;
  const tl_input inputs[] = {
      {"dir/it's a.cubin", "first", 5, false}, {"../a.cubin", "second", 6, false}, {"none.cubin", NULL, 0, true}};
  const tl_message messages[] = {
      {.severity = TL_WARNING, .code = "E40", .text = "one", .detail = "", .file = "", .section = "", .symbol = ""},
      {.severity = TL_FATAL, .code = "E53", .text = "two", .detail = "", .file = "", .section = "", .symbol = ""}};
  const tl_result result = {.messages = messages, .message_count = 2, .exit_code = 1};
  front_world world;
  front_open(&world);
  const tl_job job = {.options = world.options, .inputs = inputs, .input_count = 3};
  tl_reproduction reproduction = {.job = &job, .result = &result, .input_count = 3};
  *tl_vector_push(&world.arena, &reproduction.typed) = "nvlink";
  *tl_vector_push(&world.arena, &reproduction.typed) = "-o=a'b";
  *tl_vector_push(&world.arena, &reproduction.arguments) = "--arch=sm_90";
  size_t size = 0, length = 0;
  const char *archive = tl_reproduce_archive(&reproduction, &world.arena, &size);
  reproduce_check(archive, size, "inputs/0/it_s_a.cubin", "first");
  reproduce_check(archive, size, "inputs/1/a.cubin", "second");
  assert_null(reproduce_find(archive, size, "inputs/2/none.cubin", &length));
  assert_null(reproduce_find(archive, size, "result.cubin", &length));
  reproduce_check(archive, size, "command", "'nvlink' '-o=a'\\''b'\n");
  reproduce_check(archive, size, "messages", "nvlink warning : one\nnvlink fatal   : two\n");
  reproduce_check(archive, size, "exit-code", "1\n");
  const char *script = reproduce_find(archive, size, "run.sh", &length);
  assert_non_null(strstr(script, "'--arch=sm_90' 'inputs/0/it_s_a.cubin' 'inputs/1/a.cubin' 'inputs/2/none.cubin'\n"));
  front_close(&world);
}

int front_test_reproduction(void) {
  static const struct CMUnitTest tests[] = {cmocka_unit_test(reproduce_test_members)};
  return cmocka_run_group_tests_name("reproduction", tests, NULL, NULL);
}
