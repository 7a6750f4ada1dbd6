/* Every line of docs/specification/seed-texts.md, one check a line: the text stands in the catalogue that the line names, its
 * mechanisms (docs/mechanisms.md) have a status that goes with it, and its job shows it. The page says what each form of
 * "held by" means. The other way round, each trace row and each mechanism that nothing reaches has a line. */
#define _DEFAULT_SOURCE
#include "tests/messages/coverage.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_row {
  const char *id;   /* in the catalogue */
  const char *part; /* of --trace, in capitals; NULL for a message */
  const char *mechanism, *text;
} text_row;

static const text_row rows[] = {
#define TL_MESSAGE(id, code, severity, text) {#id, NULL, NULL, text},
#include "catalog/message_rows.h"
#undef TL_MESSAGE
#define TL_TRACE(id, row, part, text) {#id, #part, row, text},
#include "catalog/trace_rows.h"
#undef TL_TRACE
};
enum { ROW_COUNT = sizeof rows / sizeof *rows, COLUMN_MECHANISM = 2, COLUMN_HELD = 3, TEXT_SIZE = 256 };

typedef struct text_line {
  char text[TEXT_SIZE], mechanisms[TEXT_SIZE], held[512];
  const text_row *row;     /* which "held by" names, or NULL */
  const coverage_job *job; /* the same */
} text_line;

typedef struct text_form {
  const char *word;     /* that "held by" begins with */
  const char *statuses; /* that one of its mechanisms must have */
  void (*check)(const text_line *line);
} text_form;

static harness_words table, mechanisms;

/* The length of a conversion such as %s or %lld, 0 where there is none. */
static size_t texts_conversion(const char *text) {
  const size_t size = text[0] == '%' ? 1 + strspn(text + 1, "lz") : 0;
  return size && text[size] && strchr("dusxif", text[size]) ? size + 1 : 0;
}

/* One text, whatever the conversions of each are called. */
static bool texts_equal(const char *one, const char *two) {
  while (*one && *two) {
    const size_t a = texts_conversion(one), b = texts_conversion(two);
    if ((a != 0) != (b != 0) || (!a && *one != *two))
      return false;
    one += a ? a : 1;
    two += b ? b : 1;
  }
  return *one == *two;
}

/* The line has the text's words in their order, with something for each conversion, and begins and ends with them. */
static bool texts_fits(const char *text, const char *line) {
  const char *at = line;
  bool free_begin = false;
  while (*text) {
    const size_t conversion = texts_conversion(text);
    char words[TEXT_SIZE] = "";
    if (conversion) {
      free_begin = true;
      text += conversion;
      continue;
    }
    for (size_t i = 0; *text && !texts_conversion(text); i++)
      words[i] = *text++;
    const char *const found = strstr(free_begin ? at + (*at != 0) : at, words);
    if (!found || (!free_begin && found != at))
      return false;
    at = found + strlen(words);
    free_begin = false;
  }
  return free_begin ? *at != 0 : *at == 0;
}

static const char *texts_behind_prefix(const char *text) {
  static const char prefix[] = "Internal error: ";
  return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : text;
}

static bool texts_job_says(const coverage_job *job, const char *text) {
  for (size_t i = 0; i < job->messages.count; i++) {
    const char *const line = job->messages.items[i], *const colon = strstr(line, ": ");
    if (texts_fits(text, line) || (strncmp(line, "nvlink ", 7) == 0 && colon && texts_fits(text, colon + 2)))
      return true;
  }
  return false;
}

/* A message that nvlink printed in the job. */
static void texts_check_error(const text_line *line) {
  if (!line->row || line->row->part || !line->job)
    fail_msg("'%s': '%s' names no message and job", line->text, line->held);
  else if (!texts_job_says(line->job, line->row->text))
    fail_msg("'%s': nvlink did not print %s in '%s'", line->text, line->row->id, line->held);
}

static void texts_check_message(const text_line *line) {
  texts_check_error(line);
  if (!texts_equal(texts_behind_prefix(line->row->text), line->text))
    fail_msg("'%s': %s is '%s'", line->text, line->row->id, line->row->text);
}

static void texts_check_line(const text_line *line) {
  if (!line->job || !texts_job_says(line->job, line->text))
    fail_msg("'%s': nvlink did not print it in '%s'", line->text, line->held);
}

/* twinlink prints a line of the row in the job, with the row's part of --trace. */
static void texts_check_trace(const text_line *line) {
  if (!line->row || !line->row->part || !line->job) {
    fail_msg("'%s': '%s' names no trace row and job", line->text, line->held);
    return;
  }
  if (!texts_equal(line->row->text, line->text))
    fail_msg("'%s': %s is '%s'", line->text, line->row->id, line->row->text);
  if (!strstr(line->mechanisms, line->row->mechanism))
    fail_msg("'%s': %s is of %s", line->text, line->row->id, line->row->mechanism);
  char word[32] = "--trace=", compatible[] = "--bug-compatible", *items[128] = {compatible};
  for (size_t i = 0; line->row->part[i]; i++)
    word[8 + i] = (char)tolower((unsigned char)line->row->part[i]);
  harness_words words = {items, 1};
  for (size_t i = 0; i < line->job->arguments.count && words.count < 127; i++)
    items[words.count++] = line->job->arguments.items[i];
  harness_outcome outcome;
  bool said = false;
  coverage_run(line->job->job->inputs, word, &words, &outcome);
  for (char *at = strtok((char *)outcome.err.data, "\n"); at; at = strtok(NULL, "\n"))
    said = said || texts_fits(line->row->text, at);
  harness_free_outcome(&outcome);
  if (!said)
    fail_msg("'%s': '%s' does not print it with %s", line->text, line->held, word);
}

/* Nobody has the text: no row, no job. */
static void texts_check_absent(const text_line *line) {
  const char *const reason = strchr(line->held, ':');
  if (!reason || strlen(reason) < 20)
    fail_msg("'%s': '%s' is no reason", line->text, line->held);
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (texts_equal(texts_behind_prefix(rows[i].text), line->text))
      fail_msg("'%s' is called unreachable, but is the row %s", line->text, rows[i].id);
  for (size_t i = 0; i < coverage.job_count; i++)
    if (texts_job_says(&coverage.jobs[i], line->text))
      fail_msg("'%s' is called unreachable, but nvlink printed it in %s/%s", line->text, coverage.jobs[i].set,
               coverage.jobs[i].job->name);
}

static void texts_check_refuted(const text_line *line) {
  texts_check_error(line);
  texts_check_absent(line);
}

static const text_form forms[] = {
    {"message ", "as-nvlink", texts_check_message},     {"line ", "as-nvlink", texts_check_line},
    {"trace ", "as-seed as-nvlink", texts_check_trace}, {"check:", "unobservable-diag", texts_check_absent},
    {"refuted ", "refuted", texts_check_refuted},       {"error ", "as-nvlink", texts_check_error},
    {"compiler:", "internal", texts_check_absent},      {"next:", "next", texts_check_absent},
};

static const char *texts_mechanism(const char *id) {
  for (size_t i = 0; i < mechanisms.count; i++) {
    char column[32];
    coverage_column(mechanisms.items[i], 0, column, sizeof column);
    if (strcmp(column, id) == 0)
      return mechanisms.items[i];
  }
  return NULL;
}

/* One of the line's mechanisms has one of the statuses, and there are all of them. */
static bool texts_status_is(const text_line *line, const char *statuses) {
  char list[TEXT_SIZE];
  bool any = false;
  snprintf(list, sizeof list, "%s", line->mechanisms);
  for (char *id = strtok(list, ", "); id; id = strtok(NULL, ", ")) {
    char status[32];
    const char *const row = texts_mechanism(id);
    if (!row)
      fail_msg("'%s': mechanisms.md has no %s", line->text, id);
    coverage_column(row ? row : "", COLUMN_MECHANISM, status, sizeof status);
    any = any || strstr(statuses, status);
  }
  return any;
}

/* Behind the form's word: the name of a row, unless a job follows at once, and a job. */
static void texts_read_names(text_line *line, const text_form *form) {
  char held[sizeof line->held];
  snprintf(held, sizeof held, "%s", line->held + strlen(form->word));
  held[strcspn(held, ":")] = 0;
  for (char *name = strtok(held, " "); name; name = strtok(NULL, " ")) {
    for (size_t i = 0; i < ROW_COUNT && !line->row; i++)
      if (strcmp(rows[i].id, name) == 0 && (rows[i].part != NULL) == (form->check == texts_check_trace))
        line->row = &rows[i];
    line->job = coverage_find_job(name);
  }
}

static void texts_test_line(void **state) {
  const char *const source = *state;
  text_line line = {.row = NULL};
  coverage_column(source, 0, line.text, sizeof line.text);
  coverage_column(source, COLUMN_MECHANISM, line.mechanisms, sizeof line.mechanisms);
  coverage_column(source, COLUMN_HELD, line.held, sizeof line.held);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (strncmp(line.held, forms[i].word, strlen(forms[i].word)) != 0)
      continue;
    if (!texts_status_is(&line, forms[i].statuses))
      fail_msg("'%s': none of %s is %s", line.text, line.mechanisms, forms[i].statuses);
    texts_read_names(&line, &forms[i]);
    forms[i].check(&line);
    return;
  }
  fail_msg("'%s': '%s' is none of the page's forms", line.text, line.held);
}

/* Whether a line of the page has the word in a column, whole. */
static bool texts_stands(size_t column, const char *word) {
  const size_t length = strlen(word);
  for (size_t i = 0; i < table.count; i++) {
    char text[512];
    coverage_column(table.items[i], column, text, sizeof text);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length)
      if ((at == text || at[-1] == ' ') && (!at[length] || strchr(" ,:", at[length])))
        return true;
  }
  return false;
}

static void texts_test_complete(void **state) {
  (void)state;
  for (size_t i = 0; i < ROW_COUNT; i++)
    if (rows[i].part && !texts_stands(COLUMN_HELD, rows[i].id))
      fail_msg("the trace row %s has no line in seed-texts.md", rows[i].id);
  for (size_t i = 0; i < mechanisms.count; i++) {
    char id[32], status[32];
    coverage_column(mechanisms.items[i], 0, id, sizeof id);
    coverage_column(mechanisms.items[i], COLUMN_MECHANISM, status, sizeof status);
    if (strcmp(status, "unobservable-diag") == 0 && !texts_stands(COLUMN_MECHANISM, id))
      fail_msg("%s is %s and has no line in seed-texts.md", id, status);
  }
}

int coverage_test_seed_texts(void) {
  char path[HARNESS_PATH];
  coverage_read_table("seed-texts.md", &table);
  harness_path(path, "%s/docs/mechanisms.md", coverage.source);
  harness_read_lines(path, &mechanisms);
  struct CMUnitTest *const tests = harness_grow(NULL, (table.count + 1) * sizeof *tests);
  size_t count = 0;
  for (size_t i = 0; i < table.count; i++)
    tests[count++] =
        (struct CMUnitTest){.name = table.items[i], .test_func = texts_test_line, .initial_state = table.items[i]};
  tests[count++] = (struct CMUnitTest){.name = "seed-texts.md", .test_func = texts_test_complete};
  const int failed = _cmocka_run_group_tests("seed texts", tests, count, NULL, NULL);
  free(tests);
  harness_free_words(&table);
  harness_free_words(&mechanisms);
  return failed;
}
