/* Every defect of nvlink against docs/specification/defects.md, one check a row: the number, the class of
 * linker/catalog/defect_rows.h, and the job that holds it. Of class R, twinlink names the row in its messages by default and
 * does not with --bug-compatible; of class E, the job stands in the list of what is refused in both modes, or the line's
 * command is refused in both; every row of the catalogue is held by a job or a test, not by a reason. */
#define _DEFAULT_SOURCE
#include "tests/messages/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct defect_row {
  const char *id;
  char class;
} defect_row;

static const defect_row catalogue[] = {
#define TL_DEFECT(id, class, stage, when, right, vendor) {#id, class},
#include "catalog/defect_rows.h"
#undef TL_DEFECT
};
enum { CATALOGUE_COUNT = sizeof catalogue / sizeof *catalogue, UNBROKEN = 96, COLUMN_CLASS = 1, COLUMN_HELD = 4 };

static harness_words table, refused;

static const defect_row *defects_find(const char *id) {
  for (size_t i = 0; i < CATALOGUE_COUNT; i++)
    if (strcmp(catalogue[i].id, id) == 0)
      return &catalogue[i];
  return NULL;
}

/* True if the id stands in the text and no digit follows it. */
static bool defects_names(const char *text, const char *id) {
  const size_t length = strlen(id);
  for (const char *at = text; (at = strstr(at, id)) != NULL; at++)
    if (at[length] < '0' || at[length] > '9')
      return true;
  return false;
}

static bool defects_said(const coverage_job *job, const char *mode, const char *id) {
  harness_outcome outcome;
  coverage_run(job->job->inputs, mode, &job->arguments, &outcome);
  const bool said = defects_names((const char *)outcome.err.data, id);
  harness_free_outcome(&outcome);
  return said;
}

static void defects_check_right(const char *id, const coverage_job *job) {
  if (!defects_said(job, "--threads=0", id))
    fail_msg("%s: twinlink does not name the row when it links %s/%s", id, job->set, job->job->name);
  if (defects_said(job, "--bug-compatible", id))
    fail_msg("%s: the row is named with --bug-compatible, too", id);
}

static void defects_check_refused(const char *id, const coverage_job *job) {
  for (size_t i = 0; i < refused.count; i++) {
    char name[HARNESS_PATH], row[16];
    if (sscanf(refused.items[i], "%4095s %15s", name, row) == 2 && strcmp(name, job->job->name) == 0 &&
        strcmp(row, id) == 0 && strcmp(job->set, "vendor-defects") == 0)
      return;
  }
  fail_msg("%s: %s/%s is not listed as refused", id, job->set, job->job->name);
}

/* Of what nvlink has no one answer to, there is no job: the command is refused here in both modes. */
static void defects_check_command(const char *id, const char *line) {
  static const char *const modes[] = {"--threads=0", "--bug-compatible"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    harness_outcome outcome;
    coverage_run_line(line, modes[i], &outcome);
    if (outcome.code != 1 || outcome.signal || !strstr((const char *)outcome.err.data, "fatal   : Input file"))
      fail_msg("%s: '%s' is not refused with %s: exit code %d\n%s", id, line, modes[i], outcome.code,
               (const char *)outcome.err.data);
    harness_free_outcome(&outcome);
  }
}

static void defects_check_test(const char *id, const char *file) {
  char path[HARNESS_PATH];
  harness_bytes text;
  harness_path(path, "%s/%s", coverage.source, file);
  if (!harness_read_file(path, &text))
    fail_msg("%s: there is no %s", id, file);
  if (!defects_names((const char *)text.data, id))
    fail_msg("%s: %s does not name it", id, file);
  free(text.data);
}

static void defects_test_row(void **state) {
  const char *const id = *state;
  const defect_row *const row = defects_find(id);
  const char *const line = coverage_find_line(&table, id);
  char class[8], held[1024];
  if (!line)
    fail_msg("%s has no line in defects.md", id);
  coverage_column(line, COLUMN_CLASS, class, sizeof class);
  coverage_column(line, COLUMN_HELD, held, sizeof held);
  if (row && *class != row->class)
    fail_msg("%s has class %s in defects.md and %c in the catalogue", id, class, row->class);
  if (strncmp(held, "none: ", 6) == 0) {
    if (row || strlen(held) < 30)
      fail_msg("%s: '%s' does not do", id, held);
    return;
  }
  if (strncmp(held, "refused ", 8) == 0) {
    defects_check_command(id, held + 8);
    return;
  }
  if (strncmp(held, "test ", 5) == 0) {
    defects_check_test(id, held + 5);
    return;
  }
  const coverage_job *const job = coverage_find_job(held);
  if (!job)
    fail_msg("%s: there is no job '%s'", id, held);
  else if (*class == 'R')
    defects_check_right(id, job);
  else if (*class == 'E')
    defects_check_refused(id, job);
}

int coverage_test_defects(void) {
  static char ids[UNBROKEN][8];
  struct CMUnitTest tests[UNBROKEN + CATALOGUE_COUNT];
  size_t count = UNBROKEN;
  char path[HARNESS_PATH];
  coverage_read_table("defects.md", &table);
  harness_path(path, "%s/tests/conformance/vendor-defects-refused", coverage.source);
  harness_read_lines(path, &refused);
  for (int i = 0; i < UNBROKEN; i++) {
    snprintf(ids[i], sizeof ids[i], "D%d", i + 1);
    tests[i] = (struct CMUnitTest){.name = ids[i], .test_func = defects_test_row, .initial_state = ids[i]};
  }
  for (size_t i = 0; i < CATALOGUE_COUNT; i++) { /* behind these numbers there are gaps */
    union {
      const char *id;
      void *state;
    } row = {catalogue[i].id};
    if (atoi(row.id + 1) > UNBROKEN)
      tests[count++] = (struct CMUnitTest){.name = row.id, .test_func = defects_test_row, .initial_state = row.state};
  }
  const int failed = _cmocka_run_group_tests("defects", tests, count, NULL, NULL);
  harness_free_words(&table);
  harness_free_words(&refused);
  return failed;
}
