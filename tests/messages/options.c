/* Every row of linker/catalog/option_rows.h against docs/specification/options.md, one check a row: the note column, and
 * each job that holds the option: it has the option among its words, and nvlink's answer differs from that of the job it is
 * held against, or does not, as the table says. */
#define _DEFAULT_SOURCE
#include "tests/messages/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct option_row {
  const char *long_name, *short_name, *note;
} option_row;

static const option_row rows[] = {
#define TL_OPTION(id, long_name, short_name, kind, choices, note, field, help) {long_name, short_name, #note},
#include "catalog/option_rows.h"
#undef TL_OPTION
};
enum { ROW_COUNT = sizeof rows / sizeof *rows, COLUMN_NOTE = 1, COLUMN_EFFECT, COLUMN_HELD };

static harness_words table;

/* The word spells the option: -NAME, --NAME, either with =VALUE, or a glued value behind -l, -L, -m. */
static bool options_spells(const option_row *row, const char *word) {
  static const char *const glued[] = {"l", "L", "m"};
  const char *const names[] = {row->long_name, row->short_name};
  for (size_t i = 0; i < 2; i++) {
    const char *const dashes = i == 0 ? "--" : "-";
    const size_t length = names[i] ? strlen(names[i]) : 0, lead = strlen(dashes);
    if (!length || strncmp(word, dashes, lead) != 0 || strncmp(word + lead, names[i], length) != 0)
      continue;
    const char next = word[lead + length];
    bool fits = next == 0 || next == '=';
    for (size_t g = 0; i == 1 && g < 3; g++)
      fits = fits || strcmp(names[i], glued[g]) == 0;
    if (fits)
      return true;
  }
  return false;
}

static bool options_given(const option_row *row, const coverage_job *job) {
  for (size_t i = 0; i < job->arguments.count; i++)
    if (options_spells(row, job->arguments.items[i]))
      return true;
  return false;
}

static const coverage_job *options_find_job(const option_row *row, const char *name) {
  const coverage_job *const job = coverage_find_job(name);
  if (!job)
    fail_msg("--%s: there is no job '%s'", row->long_name, name);
  return job;
}

/* "same" or "other". */
static const char *options_compare(const coverage_job *one, const coverage_job *two, const char *file) {
  char path[HARNESS_PATH];
  harness_bytes bytes[2];
  bool there[2];
  for (int i = 0; i < 2; i++) {
    harness_path(path, "%s/%s", (i ? two : one)->job->directory, file);
    there[i] = harness_read_file(path, &bytes[i]);
  }
  const bool same = there[0] == there[1] && bytes[0].size == bytes[1].size &&
                    (!bytes[0].size || memcmp(bytes[0].data, bytes[1].data, bytes[0].size) == 0);
  free(bytes[0].data);
  free(bytes[1].data);
  return same ? "same" : "other";
}

static void options_check_against(const option_row *row, const coverage_job *job, const char *base, const char *output,
                                  const char *messages) {
  char name[HARNESS_PATH];
  harness_path(name, "%s/%s", job->set, job->job->name);
  snprintf(strrchr(name, '/') + 1, 128, "%s", base);
  const coverage_job *const other = options_find_job(row, name);
  if (options_given(row, other))
    fail_msg("--%s: '%s' has the option, too", row->long_name, name);
  if (strcmp(options_compare(job, other, "expect.cubin"), output) != 0)
    fail_msg("--%s: the output of %s against %s is not '%s'", row->long_name, job->job->name, base, output);
  if (strcmp(options_compare(job, other, "expect.stderr"), messages) != 0)
    fail_msg("--%s: the messages of %s against %s are not '%s'", row->long_name, job->job->name, base, messages);
}

/* "JOB" or "JOB against BASE: output same|other, messages same|other". */
static void options_check_item(const option_row *row, const char *item) {
  char name[512], base[128], output[16], messages[16];
  const int found =
      sscanf(item, "%511s against %127[^:]: output %15[a-z], messages %15[a-z]", name, base, output, messages);
  if (found < 1 || (found != 4 && strchr(item, ' ')))
    fail_msg("--%s: '%s' is no job", row->long_name, item);
  const coverage_job *const job = options_find_job(row, name);
  if (!options_given(row, job))
    fail_msg("--%s: the words of '%s' do not have it", row->long_name, name);
  if (found == 4)
    options_check_against(row, job, base, output, messages);
}

static void options_check_test(const option_row *row, const char *file) {
  char path[HARNESS_PATH], spelled[128];
  harness_bytes text;
  harness_path(path, "%s/%s", coverage.source, file);
  snprintf(spelled, sizeof spelled, "--%s", row->long_name);
  if (!harness_read_file(path, &text) || !strstr((const char *)text.data, spelled))
    fail_msg("%s: '%s' does not have it", spelled, file);
  free(text.data);
}

/* Backquotes go; what is left is read in pieces between semicolons. */
static void options_check_held(const option_row *row, char *held) {
  size_t kept = 0;
  for (size_t i = 0; held[i]; i++)
    if (held[i] != '`')
      held[kept++] = held[i];
  held[kept] = 0;
  for (char *item = strtok(held, ";"); item; item = strtok(NULL, ";")) {
    item += strspn(item, " ");
    if (strncmp(item, "test ", 5) == 0)
      options_check_test(row, item + 5);
    else
      options_check_item(row, item);
  }
}

static void options_test_row(void **state) {
  const option_row *const row = *state;
  const char *const line = coverage_find_line(&table, row->long_name);
  char note[16], held[2048];
  if (!line)
    fail_msg("--%s has no line in options.md", row->long_name);
  coverage_column(line, COLUMN_NOTE, note, sizeof note);
  coverage_column(line, COLUMN_HELD, held, sizeof held);
  if (strcmp(note, "own") != 0 && strcasecmp(note, row->note) != 0)
    fail_msg("--%s: the note column says '%s', the catalogue %s", row->long_name, note, row->note);
  if (!*held)
    fail_msg("--%s is held by nothing", row->long_name);
  if (strncmp(held, "none: ", 6) != 0)
    options_check_held(row, held);
}

static void options_test_table(void **state) {
  (void)state;
  assert_int_equal(table.count, ROW_COUNT);
}

/* The page's other table, of the lines of --trace, has two columns. */
static void options_keep_rows(void) {
  size_t kept = 0;
  for (size_t i = 0; i < table.count; i++) {
    char effect[16];
    coverage_column(table.items[i], COLUMN_EFFECT, effect, sizeof effect);
    if (*effect)
      table.items[kept++] = table.items[i];
    else
      free(table.items[i]);
  }
  table.count = kept;
}

int coverage_test_options(void) {
  struct CMUnitTest tests[ROW_COUNT + 1];
  coverage_read_table("options.md", &table);
  options_keep_rows();
  for (size_t i = 0; i < ROW_COUNT; i++)
    tests[i] = (struct CMUnitTest){
        .name = rows[i].long_name, .test_func = options_test_row, .initial_state = (void *)(uintptr_t)&rows[i]};
  tests[ROW_COUNT] = (struct CMUnitTest){.name = "options.md", .test_func = options_test_table};
  const int failed = _cmocka_run_group_tests("options", tests, ROW_COUNT + 1, NULL, NULL);
  harness_free_words(&table);
  return failed;
}
