/* The invariants over every output that nvlink made for the corpus: silent, but for the jobs that `expected` names with
 * the invariant and the row of the defect.
 *
 *   check CORPUS EXPECTED           nvlink's stored outputs, planted violations, damage
 *   check CORPUS EXPECTED PROGRAM   what the program makes of the same jobs by default */
#include "tests/check/check_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char *check_corpus, *check_expected;
static check_linker *linker; /* NULL: the stored outputs */

typedef struct check_tally {
  size_t outputs, alone, loud, wrong, bytes, fields, kept;
} check_tally;

/* The line "JOB ROW[,ROW] REASON" of a job, or NULL. */
static const char *check_find_expected(const harness_words *lines, const char *set, const char *job) {
  char name[HARNESS_PATH];
  harness_path(name, "%s/%s ", set, job);
  for (size_t i = 0; i < lines->count; i++)
    if (strncmp(lines->items[i], name, strlen(name)) == 0)
      return lines->items[i] + strlen(name);
  return NULL;
}

/* "row,row" of what a report finds, in the order of the rows. */
static void check_name_rows(char *names, size_t size, const ref_check_report *report) {
  names[0] = 0;
  for (size_t i = 0; i < ref_check_row_count; i++)
    if (check_count_row(report, ref_check_rows[i].name))
      snprintf(names + strlen(names), size - strlen(names), "%s%s", names[0] ? "," : "", ref_check_rows[i].name);
}

static void check_one(check_tally *tally, const harness_words *lines, const char *set, const harness_job *at) {
  check_job *job = malloc(sizeof *job);
  ref_check_report report;
  char found[256];
  assert_non_null(job);
  if (!check_job_read(job, at->directory, at->inputs, linker)) {
    free(job);
    return;
  }
  assert_true(check_job_run(job, &job->output, &report));
  check_name_rows(found, sizeof found, &report);
  const char *expected = check_find_expected(lines, set, at->name);
  const size_t length = expected ? strcspn(expected, " ") : 0;
  if (strlen(found) != length || (expected && strncmp(found, expected, length) != 0)) {
    tally->wrong++;
    print_error("%s/%s: finds '%s', expected '%.*s'%s%s\n", set, at->name, found, (int)length, expected ? expected : "",
                report.count ? ": " : "", report.count ? report.findings[0].text : "");
  }
  tally->outputs++;
  tally->alone += job->partial;
  tally->loud += found[0] != 0;
  tally->bytes += report.bytes_explained;
  tally->fields += report.fields_checked;
  tally->kept += report.entries_kept;
  ref_check_free(&report);
  check_job_free(job);
  free(job);
}

static void check_test_outputs(void **state) {
  (void)state;
  static const char *const sets[] = {"cuda", "vendor-defects", "synthetic"};
  check_tally tally = {0};
  harness_words lines;
  size_t listed = 0;
  harness_read_lines(check_expected, &lines);
  for (size_t i = 0; i < lines.count; i++)
    listed += lines.items[i][0] != '#' && lines.items[i][0] != 0;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    harness_jobs jobs;
    harness_list_jobs(check_corpus, sets[i], &jobs);
    for (size_t k = 0; k < jobs.count; k++)
      check_one(&tally, &lines, sets[i], &jobs.items[k]);
    harness_free_jobs(&jobs);
  }
  harness_free_words(&lines);
  print_message(
      "%zu outputs, %zu of them without all inputs, %zu with findings; %zu bytes explained, %zu fields, %zu kept "
      "relocations\n",
      tally.outputs, tally.alone, tally.loud, tally.bytes, tally.fields, tally.kept);
  assert_true(tally.outputs > 600);
  assert_true(tally.bytes > 1000000);
  assert_true(tally.fields > 2000);
  assert_int_equal(tally.wrong, 0);
  assert_int_equal(tally.loud, listed);
}

/* The closest field of a job is where a plain search over its report says it is, and the list ascends. */
static void check_test_near(void **state) {
  (void)state;
  check_job job;
  ref_check_report report;
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  harness_path(directory, "%s/cuda/doubles/sm_75/plain", check_corpus);
  harness_path(inputs, "%s/cuda/doubles/sm_75", check_corpus);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(check_job_run(&job, &job.output, &report));
  assert_true(report.near_count > 4);
  for (size_t i = 0; i < report.near_count; i++) {
    assert_true(i == 0 || report.near[i - 1].slack <= report.near[i].slack);
    assert_int_equal(report.near[i].type, 64); /* CONST_FIELD19_40: 14 bits of words, 64 KB */
    assert_int_equal(report.near[i].value + report.near[i].slack, 0x10000);
  }
  ref_check_free(&report);
  check_job_free(&job);
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    harness_stop("usage: check CORPUS EXPECTED [PROGRAM]");
  check_corpus = argv[1];
  check_expected = argv[2];
  check_linker given = {.program = argv[3]};
  linker = argv[3] ? &given : NULL;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check_test_outputs), cmocka_unit_test(check_test_near),    cmocka_unit_test(check_test_planted),
      cmocka_unit_test(check_test_borders), cmocka_unit_test(check_test_damaged),
  };
  const struct CMUnitTest linked[] = {cmocka_unit_test(check_test_outputs)};
  const int failed = linker ? cmocka_run_group_tests(linked, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
  check_linker_leave(&given);
  return failed;
}
