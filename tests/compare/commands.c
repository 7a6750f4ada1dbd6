/* `twin diff` and `twin dump` as commands: exit codes, what they print, JSON that can be read back. */
#include "tests/harness/harness.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *twin, *corpus;
static char scratch[HARNESS_PATH], equal_path[HARNESS_PATH], changed_path[HARNESS_PATH], text_path[HARNESS_PATH];

enum { ARGUMENTS = 16 };

/* Runs twin with up to ARGUMENTS arguments and expects the exit code; the caller frees the outcome. */
static void run_twin(harness_outcome *outcome, int code, const char *const arguments[ARGUMENTS]) {
  const char *argv[ARGUMENTS + 2] = {twin};
  for (size_t i = 0; i < ARGUMENTS && arguments[i]; i++)
    argv[i + 1] = arguments[i];
  harness_run(&(harness_command){.argv = argv, .directory = scratch}, outcome);
  if (outcome->code != code)
    fail_msg("twin %s: exit code %d instead of %d: %s", arguments[0], outcome->code, code,
             (const char *)outcome->err.data);
}

static void prints(const char *part, int code, const char *const arguments[ARGUMENTS]) {
  harness_outcome outcome;
  run_twin(&outcome, code, arguments);
  const char *const printed = outcome.out.data ? (const char *)outcome.out.data : "";
  if (!strstr(printed, part))
    fail_msg("twin %s does not print '%s' but: %s", arguments[0], part, printed);
  harness_free_outcome(&outcome);
}

static void equal_files(void **state) {
  (void)state;
  prints("equal: ", 0, (const char *const[ARGUMENTS]){"diff", equal_path, equal_path});
  prints("", 0, (const char *const[ARGUMENTS]){"diff", "--quiet", equal_path, equal_path});
  prints("\"equal\":\ttrue", 0, (const char *const[ARGUMENTS]){"diff", "--json", equal_path, equal_path});
}

static void different_files(void **state) {
  (void)state;
  prints("header.osabi", 1, (const char *const[ARGUMENTS]){"diff", equal_path, changed_path});
  prints("1 differences, 0 of them only follow", 1, (const char *const[ARGUMENTS]){"diff", equal_path, changed_path});
  prints("% at the same place of the file", 1, (const char *const[ARGUMENTS]){"diff", equal_path, changed_path});
  harness_outcome outcome;
  run_twin(&outcome, 1, (const char *const[ARGUMENTS]){"diff", "--quiet", equal_path, changed_path});
  assert_int_equal(outcome.out.size, 0);
  harness_free_outcome(&outcome);
}

static void json_can_be_read(void **state) {
  (void)state;
  harness_outcome outcome;
  run_twin(&outcome, 1, (const char *const[ARGUMENTS]){"diff", "--json", equal_path, changed_path});
  cJSON *root = cJSON_Parse((const char *)outcome.out.data);
  assert_non_null(root);
  assert_true(cJSON_IsFalse(cJSON_GetObjectItem(root, "equal")));
  const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "differences"), 0);
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(first, "key")), "header.osabi");
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(first, "b")), "0x33");
  cJSON_Delete(root);
  harness_free_outcome(&outcome);
}

/* Two of nvlink's answers for the same files, the second one in reversed order. */
static void canonical_forms(void **state) {
  (void)state;
  char a[HARNESS_PATH], b[HARNESS_PATH], inputs[3][HARNESS_PATH];
  harness_path(a, "%s/cuda/calls/sm_90/plain/expect.cubin", corpus);
  harness_path(b, "%s/cuda/calls/sm_90/reversed/expect.cubin", corpus);
  for (size_t i = 0; i < 3; i++)
    harness_path(inputs[i], "%s/cuda/calls/sm_90/%c.cubin", corpus, "abc"[i]);
  prints("the same program: ", 0,
         (const char *const[ARGUMENTS]){"diff", "--canonical", a, b, "--input", inputs[0], "--input", inputs[1],
                                        "--input", inputs[2], "--input-b", inputs[2], "--input-b", inputs[1],
                                        "--input-b", inputs[0]});
  prints("\"equal\":\ttrue", 0,
         (const char *const[ARGUMENTS]){"diff", "--canonical", "--json", a, a, "--input", inputs[0], "--input",
                                        inputs[1], "--input", inputs[2]});
  prints("not the same: ", 1,
         (const char *const[ARGUMENTS]){"diff", "--canonical", a, equal_path, "--input", inputs[0], "--input",
                                        inputs[1], "--input", inputs[2]});
  prints("R_CUDA", 0,
         (const char *const[ARGUMENTS]){"diff", "--canonical", "--print", a, "--input", inputs[0], "--input", inputs[1],
                                        "--input", inputs[2]});
  prints("", 2, (const char *const[ARGUMENTS]){"diff", "--canonical", a, b});
  prints("", 2, (const char *const[ARGUMENTS]){"diff", "--canonical", a, text_path, "--input", inputs[0]});
}

/* Its frames are made anew, and no input has their bytes (L932). */
static void canonical_capsule(void **state) {
  (void)state;
  char output[HARNESS_PATH], input[HARNESS_PATH];
  harness_path(output, "%s/cuda/capsule_cases/sm_100/dead_loser_again/expect.cubin", corpus);
  harness_path(input, "%s/cuda/capsule_cases/sm_100/relocatable_loser.cubin", corpus);
  prints("the same program: ", 0,
         (const char *const[ARGUMENTS]){"diff", "--canonical", output, output, "--input", input});
}

static void unreadable_files(void **state) {
  (void)state;
  prints("", 2, (const char *const[ARGUMENTS]){"diff", equal_path, text_path});
  prints("", 2, (const char *const[ARGUMENTS]){"diff", equal_path, "not-there"});
  prints("", 2, (const char *const[ARGUMENTS]){"diff", equal_path});
  prints("", 2, (const char *const[ARGUMENTS]){"dump", text_path});
  prints("", 2, (const char *const[ARGUMENTS]){"dump"});
}

static void dump_shows_every_part(void **state) {
  (void)state;
  static const char *const parts[] = {
      "ELF header: executable file", ".nv.callgraph:", "EIATTR_REGCOUNT (0x2f)", "V13.0.88",
      "section symbol .text.",       "R_CUDA_",        "CUDA_ACCELERATOR_TARGET"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    prints(parts[i], 0, (const char *const[ARGUMENTS]){"dump", equal_path});
}

static void prepare(void) {
  harness_bytes bytes;
  char path[HARNESS_PATH];
  harness_make_scratch(scratch);
  harness_path(path, "%s/cuda/function_pointers/sm_90/plain/expect.cubin", corpus);
  harness_path(equal_path, "%s/equal.cubin", scratch);
  harness_path(changed_path, "%s/changed.cubin", scratch);
  harness_path(text_path, "%s/text", scratch);
  if (!harness_read_file(path, &bytes))
    harness_stop("cannot read %s", path);
  harness_write_file(equal_path, bytes.data, bytes.size);
  bytes.data[7] = 0x33;
  harness_write_file(changed_path, bytes.data, bytes.size);
  harness_write_file(text_path, "no cubin", 8);
  free(bytes.data);
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_files),       cmocka_unit_test(different_files),       cmocka_unit_test(json_can_be_read),
      cmocka_unit_test(unreadable_files),  cmocka_unit_test(dump_shows_every_part), cmocka_unit_test(canonical_forms),
      cmocka_unit_test(canonical_capsule),
  };
  if (argc != 3)
    return 2;
  twin = argv[1];
  corpus = argv[2];
  prepare();
  const int failed = cmocka_run_group_tests_name("compare_commands", tests, NULL, NULL);
  harness_remove_tree(scratch);
  return failed;
}
