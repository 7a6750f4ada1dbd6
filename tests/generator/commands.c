/* `twin conformance` and `twin reduce` with a toolkit of shell scripts: how each kind of difference is told, and that the
 * reducer leaves exactly what a difference needs. No CUDA toolkit takes part. */
#include "tests/harness/harness.h"
#include "tests/support/cubin_builder.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static const char *twin;
static char scratch[HARNESS_PATH], linker[HARNESS_PATH], reference[HARNESS_PATH], json_path[HARNESS_PATH];
static char environment[2 * HARNESS_PATH];

static const char compiler_script[] = "#!/bin/sh\nfor word; do out=$word; done\necho made > \"$out\"\n";
static const char nvlink_script[] = "#!/bin/sh\ncp \"$(dirname \"$0\")/answer.cubin\" out.cubin\necho said >&2\n";

static void write_program(const char *name, const char *text) {
  char path[HARNESS_PATH];
  harness_path(path, "%s/bin/%s", scratch, name);
  harness_write_file(path, text, strlen(text));
  assert_int_equal(chmod(path, 0755), 0);
}

/* Runs twin with the given words, then the two linkers; the caller frees the outcome. */
static void run_twin(harness_outcome *outcome, const char *const words[12]) {
  const char *argv[20] = {twin};
  int count = 1;
  for (int i = 0; i < 12 && words[i]; i++)
    argv[count++] = words[i];
  const char *const both[] = {"--linker", linker, "--reference", reference};
  for (int i = 0; i < 4; i++)
    argv[count++] = both[i];
  harness_run(&(harness_command){.argv = argv, .directory = scratch, .environment = environment, .seconds = 120},
              outcome);
}

static cJSON *read_json(const char *path) {
  harness_bytes bytes;
  assert_true(harness_read_file(path, &bytes));
  cJSON *root = cJSON_Parse((const char *)bytes.data);
  assert_non_null(root);
  free(bytes.data);
  return root;
}

/* One program of a kind with the given twinlink; its outcome and class must be these, its details begin so. */
static void expect_of_kind(const char *kind, const char *twinlink_script, const char *outcome_word,
                           const char *class_word, const char *details) {
  write_program("twinlink", twinlink_script);
  harness_outcome outcome;
  run_twin(&outcome, (const char *const[12]){"conformance", "--seeds", "5", "--arch", "sm_80", "--json", json_path,
                                             "--kind", kind});
  assert_int_equal(outcome.code, 0);
  harness_free_outcome(&outcome);
  cJSON *root = read_json(json_path);
  const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), 0);
  assert_string_equal(cJSON_GetObjectItem(first, "outcome")->valuestring, outcome_word);
  assert_string_equal(cJSON_GetObjectItem(first, "class")->valuestring, class_word);
  assert_int_equal(strncmp(cJSON_GetObjectItem(first, "details")->valuestring, details, strlen(details)), 0);
  cJSON_Delete(root);
}

static void expect(const char *twinlink_script, const char *outcome_word, const char *class_word) {
  expect_of_kind("plain", twinlink_script, outcome_word, class_word, "");
}

static void identical(void **state) {
  (void)state;
  expect(nvlink_script, "identical", "");
}

static void differences_have_names(void **state) {
  (void)state;
  expect("#!/bin/sh\ncp \"$(dirname \"$0\")/first.cubin\" out.cubin\necho said >&2\n", "different", ".shstrtab");
  expect("#!/bin/sh\ncp \"$(dirname \"$0\")/last.cubin\" out.cubin\necho said >&2\n", "different", "program headers");
  expect("#!/bin/sh\ncp \"$(dirname \"$0\")/longer.cubin\" out.cubin\necho said >&2\n", "different", "file size");
  expect("#!/bin/sh\ncp \"$(dirname \"$0\")/answer.cubin\" out.cubin\necho other >&2\n", "different", "text");
  expect("#!/bin/sh\necho said >&2\n", "different", "exit code");
  expect("#!/bin/sh\necho said >&2\nexit 1\n", "different", "exit code");
  expect("#!/bin/sh\nkill -SEGV $$\n", "different", "crash");
}

/* A linker that writes where -o says. */
#define WRITE_LAST "for word; do out=$word; done\ncp \"$(dirname \"$0\")/answer.cubin\" \"$out\"\necho said >&2\n"

static void every_step_is_compared(void **state) {
  (void)state;
  write_program("nvlink", "#!/bin/sh\n" WRITE_LAST);
  expect_of_kind("relocatable", "#!/bin/sh\n" WRITE_LAST, "identical", "", "");
  expect_of_kind("relocatable", "#!/bin/sh\ncase \"$*\" in *' -r '*) echo no >&2; exit 1;; esac\n" WRITE_LAST,
                 "different", "exit code", "r0.cubin: 0, ours 1: no");
  expect_of_kind("relocatable", "#!/bin/sh\ncase \"$*\" in *' -r '*) ;; *) exit 1;; esac\n" WRITE_LAST, "different",
                 "exit code", "0, ours 1");
  write_program("nvlink", nvlink_script);
}

static void groupings_are_judged(void **state) {
  (void)state;
  write_program("nvlink", "#!/bin/sh\n" WRITE_LAST);
  expect_of_kind("grouping", "#!/bin/sh\ncase \"$*\" in *' -r '*) echo no >&2; exit 1;; esac\n" WRITE_LAST, "different",
                 "grouped link refused", "no");
  expect_of_kind("grouping",
                 "#!/bin/sh\ncase \"$*\" in *r[0-9].cubin*) " WRITE_LAST "exit 0;; esac\necho no >&2\nexit 1\n",
                 "different", "only the direct link refused", "no");
  expect_of_kind("grouping", "#!/bin/sh\nkill -SEGV $$\n", "different", "crash", "");
  expect_of_kind("grouping", "#!/bin/sh\necho no >&2\nexit 1\n", "refused", "", "no");
  /* what the compiler wrote here is no cubin */
  expect_of_kind("grouping", "#!/bin/sh\n" WRITE_LAST, "different", "canonical form of our link", "no canonical form");
  write_program("nvlink", nvlink_script);
}

/* Two tables of registers with a record each: name, number of records; word, name, word, two places. */
static const uint8_t register_tables[] = {
    'a', 0, 1, 0, 0, 0, 9, 0, 0, 0, 'x', 0, 7, 0, 0, 0, 0x10, 0, 0, 0, 0x20, 0, 0, 0,
    'b', 0, 1, 0, 0, 0, 9, 0, 0, 0, 'y', 0, 7, 0, 0, 0, 0x30, 0, 0, 0, 0x40, 0, 0, 0,
};
enum { FIRST_COUNT = 2, FIRST_NAME = 10, FIRST_PLACE = 16, FIRST_END = 20, SECOND_PLACE = 40 };

/* A cubin with the two tables, of which one byte is changed. */
static void write_tables(const char *name, size_t at, uint8_t change) {
  uint8_t bytes[sizeof register_tables];
  char path[HARNESS_PATH];
  size_t size;
  memcpy(bytes, register_tables, sizeof bytes);
  bytes[at] ^= change;
  tb_cubin *const cubin = tb_new(80);
  tb_section_add(cubin, TB_KIND_DEBUG, ".nv_debug_info_reg_sass", bytes, sizeof bytes);
  uint8_t *const file = tb_finish(cubin, &size);
  harness_path(path, "%s/bin/%s.cubin", scratch, name);
  harness_write_file(path, file, size);
  free(file);
  tb_free(cubin);
}

#define WRITE(name) "#!/bin/sh\ncp \"$(dirname \"$0\")/" name ".cubin\" out.cubin\necho said >&2\n"

#define REFUSE(row) "#!/bin/sh\necho 'nvlink fatal   : no (" row ")' >&2\nexit 1\n"

/* nvlink writes `tables`, and `again` in an environment that was made longer. */
static void write_unstable_nvlink(const char *again) {
  char script[256];
  snprintf(script, sizeof script,
           "#!/bin/sh\nfile=tables; test -n \"$TWIN_PADDING\" && file=%s\n"
           "cp \"$(dirname \"$0\")/$file.cubin\" out.cubin\necho said >&2\n",
           again);
  write_program("nvlink", script);
}

/* What nvlink writes differently each time is told from what it writes each time. Beside such a place another one of its
 * table may be 0 in ours, and nothing else; a run that differs in more than places tells nothing,
 * but that a refusal by a row has no answer. */
static void unset_places_are_told(void **state) {
  (void)state;
  write_tables("tables", 0, 0);
  write_tables("count", FIRST_COUNT, 2);
  write_tables("first", FIRST_PLACE, 0x55);
  write_tables("again", FIRST_PLACE, 0x66);
  write_tables("second", SECOND_PLACE, 0x55);
  write_tables("zero", FIRST_END, 0x20);
  write_tables("end", FIRST_END, 0x30);
  write_tables("name", FIRST_NAME, 1);
  write_program("nvlink", WRITE("tables"));
  expect(WRITE("first"), "different", ".nv_debug_info_reg_sass");
  write_unstable_nvlink("again");
  expect(WRITE("tables"), "identical", "");
  expect(WRITE("first"), "unstable", ".nv_debug_info_reg_sass");
  expect(WRITE("second"), "different", ".nv_debug_info_reg_sass");
  expect(WRITE("count"), "different", ".nv_debug_info_reg_sass");
  expect(WRITE("zero"), "unstable", ".nv_debug_info_reg_sass");
  expect(WRITE("end"), "different", ".nv_debug_info_reg_sass");
  expect(REFUSE("D20"), "different", "exit code");
  write_unstable_nvlink("name");
  expect(WRITE("first"), "different", ".nv_debug_info_reg_sass");
  expect(REFUSE("D20"), "unstable", "exit code");
  expect(REFUSE("L1"), "different", "exit code");
  write_program("nvlink", nvlink_script);
}

static void refused_is_not_counted(void **state) {
  (void)state;
  write_program("nvlink", "#!/bin/sh\necho refused >&2\nexit 255\n");
  expect("#!/bin/sh\necho refused >&2\nexit 255\n", "refused", "");
  write_program("nvlink", nvlink_script);
}

static void requirement(void **state) {
  (void)state;
  write_program("twinlink", nvlink_script);
  harness_outcome outcome;
  run_twin(&outcome,
           (const char *const[12]){"conformance", "--seeds", "1..4", "--arch", "sm_80,sm_90", "--require", "100"});
  assert_int_equal(outcome.code, 0);
  assert_non_null(strstr((const char *)outcome.out.data, "identical 8 of 8 (100.00 %)"));
  harness_free_outcome(&outcome);
  write_program("twinlink", "#!/bin/sh\nexit 1\n");
  run_twin(&outcome, (const char *const[12]){"conformance", "--seeds", "1..4", "--arch", "sm_80", "--require", "1"});
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr((const char *)outcome.out.data, "identical 0 of 4"));
  harness_free_outcome(&outcome);
}

static void wrong_words(void **state) {
  (void)state;
  static const char *const lines[][12] = {{"conformance", "--seeds", "9..3"},
                                          {"conformance", "--arch", "sm_1"},
                                          {"conformance", "--jobs", "0"},
                                          {"conformance", "--unknown", "1"},
                                          {"reduce", "--arch", "sm_80"}};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    harness_outcome outcome;
    run_twin(&outcome, lines[i]);
    assert_int_equal(outcome.code, 2);
    harness_free_outcome(&outcome);
  }
}

/* The difference needs the file u1 and nothing else. */
static void reduces_to_the_cause(void **state) {
  (void)state;
  write_program("twinlink", "#!/bin/sh\ncase \"$*\" in *u1.cubin*) echo no >&2; exit 1;; esac\n"
                            "cp \"$(dirname \"$0\")/answer.cubin\" out.cubin\necho said >&2\n");
  harness_outcome outcome;
  run_twin(&outcome, (const char *const[12]){"reduce", "3", "--arch", "sm_80", "--out", "reduced"});
  assert_int_equal(outcome.code, 0);
  harness_free_outcome(&outcome);
  char path[HARNESS_PATH];
  harness_path(path, "%s/reduced/program.json", scratch);
  cJSON *root = read_json(path);
  const cJSON *files = cJSON_GetObjectItem(root, "files");
  assert_int_equal(cJSON_GetArraySize(files), 1);
  const char *source = cJSON_GetObjectItem(cJSON_GetArrayItem(files, 0), "source")->valuestring;
  assert_int_equal(strncmp(source, "u1.", 3), 0);
  cJSON_Delete(root);
}

static void write_answers(const char *corpus) {
  harness_jobs jobs;
  harness_bytes answer = {0};
  char path[HARNESS_PATH];
  harness_list_jobs(corpus, "cuda", &jobs);
  for (size_t i = 0; i < jobs.count && !answer.size; i++) {
    harness_path(path, "%s/expect.cubin", jobs.items[i].directory);
    if (harness_exists(path))
      assert_true(harness_read_file(path, &answer));
  }
  harness_free_jobs(&jobs);
  assert_true(answer.size > 128);
  assert(answer.data);
  harness_path(path, "%s/bin/answer.cubin", scratch);
  harness_write_file(path, answer.data, answer.size);
  harness_path(path, "%s/bin/longer.cubin", scratch);
  harness_write_file(path, answer.data, answer.size + 1);
  answer.data[65] ^= 1;
  harness_path(path, "%s/bin/first.cubin", scratch);
  harness_write_file(path, answer.data, answer.size);
  answer.data[65] ^= 1;
  answer.data[answer.size - 1] ^= 1;
  harness_path(path, "%s/bin/last.cubin", scratch);
  harness_write_file(path, answer.data, answer.size);
  free(answer.data);
}

int main(int argc, char **argv) {
  if (argc != 3)
    harness_stop("usage: generator_commands TWIN CORPUS");
  twin = argv[1];
  harness_make_scratch(scratch);
  char path[HARNESS_PATH];
  harness_path(path, "%s/bin", scratch);
  harness_make_directories(path);
  harness_path(linker, "%s/bin/twinlink", scratch);
  harness_path(reference, "%s/bin/nvlink", scratch);
  harness_path(json_path, "%s/results.json", scratch);
  snprintf(environment, sizeof environment, "PATH=%s/bin:/usr/bin:/bin", scratch);
  write_answers(argv[2]);
  write_program("ptxas", compiler_script);
  write_program("nvcc", compiler_script);
  write_program("nvlink", nvlink_script);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(identical),
      cmocka_unit_test(differences_have_names),
      cmocka_unit_test(every_step_is_compared),
      cmocka_unit_test(groupings_are_judged),
      cmocka_unit_test(unset_places_are_told),
      cmocka_unit_test(refused_is_not_counted),
      cmocka_unit_test(requirement),
      cmocka_unit_test(wrong_words),
      cmocka_unit_test(reduces_to_the_cause),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  harness_remove_tree(scratch);
  return failed;
}
