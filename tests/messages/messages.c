/* Every row of linker/catalog/message_rows.h against docs/specification/messages.md, one check a row. A row is held by
 *   a job (SET/PROGRAM/ARCHITECTURE/JOB) in which nvlink printed the message;
 *   "default JOB": a job in which twinlink prints it under its own identity (codes T1 ...);
 *   "run DIRECTORY WORDS": the same for a command line with the inputs of that directory of the corpus;
 *   "none: REASON": an invariant excludes it. That is wrong as soon as some job of the corpus has the message.
 * The texts that twinlink does not have are lines that begin with "text": "outcome" when a stored answer to a damaged input
 * (corpus/damage/outcomes) has the text, "none: REASON" when none has. */
#define _DEFAULT_SOURCE
#include "tests/messages/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct message_row {
  const char *id, *code, *severity, *text;
} message_row;

static const message_row rows[] = {
#define TL_MESSAGE(id, code, severity, text) {#id, code, #severity, text},
#include "catalog/message_rows.h"
#undef TL_MESSAGE
};
enum { ROW_COUNT = sizeof rows / sizeof *rows, COLUMN_CODE = 1, COLUMN_HELD = 3 };

static harness_words table, texts, outcomes;

/* Does `line` fit the row's text? %s is any text, %u and %x are digits; the target may follow (-report-arch). */
static bool messages_fits(const char *text, const char *line) {
  while (*text && !(*text == '%' && text[1])) {
    if (*text++ != *line++)
      return false;
  }
  if (!*text)
    return !*line || strncmp(line, " (target: ", 10) == 0;
  const char *const digits = text[1] == 'x' ? "0123456789abcdef" : "0123456789";
  const size_t most = text[1] == 's' ? strlen(line) : strspn(line, digits);
  for (size_t length = text[1] == 's' ? 0 : 1; length <= most; length++)
    if (messages_fits(text + 2, line + length))
      return true;
  return false;
}

static bool messages_line_is(const message_row *row, const char *line, const char *name) {
  static const struct {
    const char *word, *printed;
  } severities[] = {
      {"TL_INFO", "info    : "}, {"TL_WARNING", "warning : "}, {"TL_ERROR", "error   : "}, {"TL_FATAL", "fatal   : "}};
  const size_t length = strlen(name);
  if (strncmp(line, name, length) != 0)
    return false;
  const char *const printed = line + length;
  for (size_t i = 0; i < 4; i++) {
    const bool promoted = strcmp(row->severity, "TL_WARNING") == 0 && strcmp(severities[i].word, "TL_ERROR") == 0;
    if ((promoted || strcmp(row->severity, severities[i].word) == 0) &&
        strncmp(printed, severities[i].printed, strlen(severities[i].printed)) == 0)
      return messages_fits(row->text, printed + strlen(severities[i].printed));
  }
  return false;
}

static bool messages_job_has(const message_row *row, const coverage_job *job) {
  for (size_t i = 0; i < job->messages.count; i++)
    if (messages_line_is(row, job->messages.items[i], "nvlink "))
      return true;
  return false;
}

/* What twinlink printed under its own identity; frees it. */
static bool messages_outcome_says(const message_row *row, harness_outcome *outcome) {
  bool said = false;
  for (char *line = strtok((char *)outcome->err.data, "\n"); line; line = strtok(NULL, "\n"))
    said = said || messages_line_is(row, line, "twinlink ");
  harness_free_outcome(outcome);
  return said;
}

static bool messages_program_says(const message_row *row, const char *inputs, const harness_words *words) {
  harness_outcome outcome;
  coverage_run(inputs, "--threads=0", words, &outcome);
  return messages_outcome_says(row, &outcome);
}

/* "DIRECTORY WORD ...", as the table has it behind "run ". */
static bool messages_run_says(const message_row *row, const char *held) {
  harness_outcome outcome;
  coverage_run_line(held, "--threads=0", &outcome);
  return messages_outcome_says(row, &outcome);
}

static void messages_check_none(const message_row *row, const char *reason) {
  if (strlen(reason) < 20)
    fail_msg("%s: '%s' is no reason", row->id, reason);
  for (size_t i = 0; i < coverage.job_count; i++)
    if (messages_job_has(row, &coverage.jobs[i]))
      fail_msg("%s is listed as not reached, but %s/%s has it", row->id, coverage.jobs[i].set,
               coverage.jobs[i].job->name);
}

static void messages_test_row(void **state) {
  static const char none[] = "none: ", own[] = "default ", run[] = "run ";
  const message_row *const row = *state;
  char code[16], held[1024];
  const char *const line = coverage_find_line(&table, row->id);
  if (!line)
    fail_msg("%s (%s, \"%s\") has no line in messages.md: name a job, or the invariant that excludes it", row->id,
             row->code, row->text);
  coverage_column(line, COLUMN_CODE, code, sizeof code);
  coverage_column(line, COLUMN_HELD, held, sizeof held);
  assert_string_equal(code, row->code);
  if (strncmp(held, none, sizeof none - 1) == 0) {
    messages_check_none(row, held + sizeof none - 1);
    return;
  }
  if (strncmp(held, run, sizeof run - 1) == 0) {
    if (!messages_run_says(row, held + sizeof run - 1))
      fail_msg("%s: twinlink does not print \"%s\" for '%s'", row->id, row->text, held);
    return;
  }
  const bool is_own = strncmp(held, own, sizeof own - 1) == 0;
  const coverage_job *const job = coverage_find_job(is_own ? held + sizeof own - 1 : held);
  if (!job)
    fail_msg("%s: there is no job '%s'", row->id, held);
  else if (!(is_own ? messages_program_says(row, job->job->inputs, &job->arguments) : messages_job_has(row, job)))
    fail_msg("%s: '%s' does not print \"%s\"", row->id, held, row->text);
}

/* "| text `TEXT` ... | HELD |": whether a stored answer has it. */
static void messages_test_text(void **state) {
  const char *const line = *state;
  char text[256], held[1024];
  bool stored = false;
  const char *const begin = strchr(line, '`') + 1, *const end = strchr(begin, '`');
  snprintf(text, sizeof text, "%.*s", (int)(end - begin), begin);
  coverage_column(line, 1, held, sizeof held);
  for (size_t i = 0; i < outcomes.count; i++)
    stored = stored || strstr(outcomes.items[i], text);
  for (size_t i = 0; i < coverage.job_count; i++)
    for (size_t m = 0; m < coverage.jobs[i].messages.count; m++)
      if (strstr(coverage.jobs[i].messages.items[m], text) && !strstr(coverage.jobs[i].messages.items[m], "damaged"))
        fail_msg("'%s' is called a text that twinlink does not have, but the job %s/%s has it", text,
                 coverage.jobs[i].set, coverage.jobs[i].job->name);
  const bool none = strncmp(held, "none: ", 6) == 0 && strlen(held) >= 26;
  if (strcmp(held, "outcome") != 0 && !none)
    fail_msg("'%s': '%s' is neither 'outcome' nor a reason", text, held);
  if (stored == none)
    fail_msg("'%s' is called '%s', but corpus/damage/outcomes %s it", text, none ? "none" : "outcome",
             stored ? "has" : "does not have");
}

/* The line begins as the row's text does; names in damaged files hold anything, also the end of a line. */
static bool messages_begins(const message_row *row, const char *line) {
  const char *const text = strstr(line, ": ");
  const size_t fixed = strcspn(row->text, "%");
  return text && fixed >= 4 && strncmp(text + 2, row->text, fixed) == 0;
}

/* What nvlink printed on damaged inputs (corpus/damage/printed: "NUMBER TEXT") is a row's text or one of those above. */
static void messages_test_printed(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  harness_words printed;
  harness_path(path, "%s/corpus/damage/printed", coverage.source);
  harness_read_lines(path, &printed);
  for (size_t i = 1; i < printed.count; i++) {
    const char *const line = strchr(printed.items[i], ' ');
    bool known = !line || strncmp(line + 1, "nvlink ", 7) != 0;
    for (size_t r = 0; r < ROW_COUNT && !known; r++)
      known = messages_line_is(&rows[r], line + 1, "nvlink ") || messages_begins(&rows[r], line + 1);
    for (size_t t = 0; t < texts.count && !known; t++) {
      const char *const begin = strchr(texts.items[t], '`') + 1;
      char text[256];
      snprintf(text, sizeof text, "%.*s", (int)strcspn(begin, "`"), begin);
      known = strstr(line, text) != NULL;
    }
    if (!known)
      fail_msg("nvlink printed '%s', which messages.md does not know", line + 1);
  }
  assert_true(printed.count > 1);
  harness_free_words(&printed);
}

/* The table names rows that exist. */
static void messages_test_table(void **state) {
  (void)state;
  for (size_t i = 0; i < table.count; i++) {
    char id[128];
    bool known = false;
    coverage_column(table.items[i], 0, id, sizeof id);
    for (size_t r = 0; r < ROW_COUNT; r++)
      known = known || strcmp(rows[r].id, id) == 0;
    if (!known)
      fail_msg("messages.md has a line for '%s', which is no row of the catalogue", id);
  }
}

/* The lines of messages.md that begin with "| text `", which is not a row's id. */
static void messages_read_texts(void) {
  char path[HARNESS_PATH];
  size_t kept = 0;
  harness_path(path, "%s/docs/specification/messages.md", coverage.source);
  harness_read_lines(path, &texts);
  for (size_t i = 0; i < texts.count; i++) {
    if (strncmp(texts.items[i], "| text `", 8) == 0)
      texts.items[kept++] = texts.items[i];
    else
      free(texts.items[i]);
  }
  texts.count = kept;
  harness_path(path, "%s/corpus/damage/outcomes", coverage.source);
  harness_read_lines(path, &outcomes);
}

int coverage_test_messages(void) {
  coverage_read_table("messages.md", &table);
  messages_read_texts();
  struct CMUnitTest *const tests = harness_grow(NULL, (ROW_COUNT + 2 + texts.count) * sizeof *tests);
  size_t count = 0;
  for (size_t i = 0; i < ROW_COUNT; i++)
    tests[count++] = (struct CMUnitTest){
        .name = rows[i].id, .test_func = messages_test_row, .initial_state = (void *)(uintptr_t)&rows[i]};
  tests[count++] = (struct CMUnitTest){.name = "messages.md", .test_func = messages_test_table};
  tests[count++] = (struct CMUnitTest){.name = "what nvlink printed", .test_func = messages_test_printed};
  for (size_t i = 0; i < texts.count; i++)
    tests[count++] =
        (struct CMUnitTest){.name = texts.items[i], .test_func = messages_test_text, .initial_state = texts.items[i]};
  const int failed = _cmocka_run_group_tests("messages", tests, count, NULL, NULL);
  free(tests);
  harness_free_words(&table);
  harness_free_words(&texts);
  harness_free_words(&outcomes);
  return failed;
}
