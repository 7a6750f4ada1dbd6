/* `twin check` and `twin sass` as commands: exit codes, what they print, JSON that can be read back. */
#include "tests/harness/harness.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *twin;
static char inputs[HARNESS_PATH], scratch[HARNESS_PATH], broken_path[HARNESS_PATH];

/* Runs twin in the directory of a job's inputs and expects the exit code; the caller frees the outcome. */
static void run_twin(harness_outcome *outcome, int code, const char *const *arguments) {
  const char *argv[10] = {twin};
  for (size_t i = 0; arguments[i] && i < 8; i++)
    argv[i + 1] = arguments[i];
  harness_run(&(harness_command){.argv = argv, .directory = inputs}, outcome);
  if (outcome->code != code)
    fail_msg("twin %s: exit code %d instead of %d: %s%s", arguments[0], outcome->code, code,
             (const char *)outcome->out.data, (const char *)outcome->err.data);
}

static void prints(const char *part, int code, const char *const *arguments) {
  harness_outcome outcome;
  run_twin(&outcome, code, arguments);
  const char *const printed = outcome.out.data ? (const char *)outcome.out.data : "";
  if (!strstr(printed, part))
    fail_msg("twin %s does not print '%s' but: %s", arguments[0], part, printed);
  harness_free_outcome(&outcome);
}

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_good_link(void **state) {
  (void)state;
  prints("0 broken", 0, ARGUMENTS("check", "plain/expect.cubin", "a.cubin", "b.cubin"));
  prints("0 broken", 0, ARGUMENTS("check", "plain/expect.cubin"));
  prints("below the first that does not fit", 0,
         ARGUMENTS("check", "--near", "2", "plain/expect.cubin", "a.cubin", "b.cubin"));
}

static void a_broken_link(void **state) {
  (void)state;
  prints("applied (unconditional): .text.", 1, ARGUMENTS("check", broken_path, "a.cubin", "b.cubin"));
  prints("0 broken", 0, ARGUMENTS("check", broken_path)); /* alone it does not show */
}

static void an_input_is_missing(void **state) {
  (void)state;
  prints("", 1, ARGUMENTS("check", "plain/expect.cubin", "a.cubin"));
}

static void trouble(void **state) {
  (void)state;
  prints("", 2, ARGUMENTS("check"));
  prints("", 2, ARGUMENTS("check", "--unknown", "plain/expect.cubin"));
  prints("", 2, ARGUMENTS("check", "plain/expect.cubin", "no-such-file"));
  prints("", 2, ARGUMENTS("check", "plain/args"));
  prints("", 2, ARGUMENTS("sass"));
  prints("", 2, ARGUMENTS("sass", "plain/args"));
}

static void json_can_be_read(void **state) {
  (void)state;
  harness_outcome outcome;
  run_twin(&outcome, 1, ARGUMENTS("check", "--json", "--near", "3", broken_path, "a.cubin", "b.cubin"));
  cJSON *root = cJSON_Parse((const char *)outcome.out.data);
  assert_non_null(root);
  const cJSON *findings = cJSON_GetObjectItem(root, "findings");
  assert_int_equal(cJSON_GetArraySize(findings), cJSON_GetNumberValue(cJSON_GetObjectItem(root, "broken")));
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(findings, 0), "invariant")), "applied");
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "near")), 3);
  cJSON_Delete(root);
  harness_free_outcome(&outcome);
}

static void instructions(void **state) {
  (void)state;
  prints("EXIT", 0, ARGUMENTS("sass", "plain/expect.cubin"));
  prints("a field of the instruction (target)", 0, ARGUMENTS("sass", "plain/expect.cubin"));
  prints("0 unknown (0.000 %)", 0, ARGUMENTS("sass", "--summary", "a.cubin", "b.cubin"));
  harness_outcome outcome;
  run_twin(&outcome, 0, ARGUMENTS("sass", "--json", "a.cubin"));
  cJSON *root = cJSON_Parse((const char *)outcome.out.data);
  assert_non_null(root);
  assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(root, "instructions")) > 10);
  cJSON_Delete(root);
  harness_free_outcome(&outcome);
}

/* The output with one bit changed in a text: of the padding behind its end, which no other check looks at. */
static void make_broken(const char *corpus) {
  char path[HARNESS_PATH];
  harness_bytes bytes;
  harness_path(path, "%s/plain/expect.cubin", inputs);
  if (!harness_read_file(path, &bytes))
    harness_stop("cannot read %s below %s", path, corpus);
  /* the padding's branch to itself, sm_75: bits of its scheduling */
  static const uint8_t branch[] = {0x47, 0x79, 0x00, 0x00, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x83, 0x03};
  for (size_t i = 0; i + 16 < bytes.size; i += 16)
    if (memcmp(bytes.data + i, branch, sizeof branch) == 0) {
      bytes.data[i + 14] ^= 1;
      break;
    }
  harness_make_scratch(scratch);
  harness_path(broken_path, "%s/broken.cubin", scratch);
  harness_write_file(broken_path, bytes.data, bytes.size);
  free(bytes.data);
}

int main(int argc, char **argv) {
  if (argc != 3)
    harness_stop("usage: check_commands TWIN CORPUS");
  twin = argv[1];
  harness_path(inputs, "%s/cuda/doubles/sm_75", argv[2]);
  make_broken(argv[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_good_link),      cmocka_unit_test(a_broken_link), cmocka_unit_test(an_input_is_missing),
      cmocka_unit_test(json_can_be_read), cmocka_unit_test(trouble),       cmocka_unit_test(instructions),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  harness_remove_tree(scratch);
  return failed;
}
