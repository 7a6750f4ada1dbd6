/* twin defects: every row of docs/specification/defects.md is shown once more: the stored job that holds it is linked in both
 * modes, and what comes is compared with nvlink's stored answer.
 *
 * Class R: nvlink's answer with --bug-compatible, another one without. Class M: nvlink's answer in both modes. Class E: an
 * error in both modes. A row without an input must say why there can be none. */
#define _DEFAULT_SOURCE /* realpath */
#include "corpus.h"
#include "twin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_ID, COLUMN_CLASS, COLUMN_HELD = 4, COLUMNS = 5, FEWEST_ROWS = 96, REASON_LENGTH = 20, PATH_SIZE = 4096 };

int twin_defects(int argc, char **argv);

typedef struct defect_line {
  char *columns[COLUMNS];
  bool shown, failed;
} defect_line;

typedef struct defect_table {
  defect_line *lines;
  size_t count;
  string_list only; /* ids; empty: all */
  const char *set;  /* of the job that is visited */
  char linker[PATH_SIZE];
} defect_table;

/* Column `index` of "| a | b |", without blanks and backquotes around it. */
static char *defects_column(const char *line, int index) {
  for (int i = 0; i <= index && line; i++) {
    line = strchr(line, '|');
    line += line != NULL;
  }
  if (!line)
    return NULL;
  line += strspn(line, " `");
  size_t length = strcspn(line, "|\n");
  while (length && strchr(" `", line[length - 1]))
    length--;
  text_buffer copy = {0};
  text_add(&copy, "%.*s", (int)length, line);
  return copy.bytes;
}

static bool defects_read(defect_table *table, const char *path) {
  size_t size = 0;
  char *const text = file_read(path, &size);
  for (const char *line = text; line && *line; line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    if (strncmp(line, "| `D", 4) == 0) {
      defect_line *const lines = realloc(table->lines, (table->count + 1) * sizeof *lines);
      if (!lines)
        abort();
      table->lines = lines;
      lines[table->count] = (defect_line){0};
      for (int i = 0; i < COLUMNS; i++)
        lines[table->count].columns[i] = defects_column(line, i);
      table->count++;
    }
    line += length;
  }
  if (!text)
    fprintf(stderr, "twin defects: cannot read %s\n", path);
  free(text);
  return table->count != 0;
}

static bool defects_link(const defect_table *table, const corpus_stored_job *job, const char *mode,
                         corpus_answer *answer) {
  char scratch[PATH_SIZE];
  string_list arguments = {0};
  string_list_add(&arguments, "--identity=nvlink");
  if (mode)
    string_list_add(&arguments, "%s", mode);
  for (size_t i = 0; i < job->arguments.count; i++)
    string_list_add(&arguments, "%s", job->arguments.items[i]);
  const bool good = directory_make_scratch(scratch, sizeof scratch, 0) && corpus_make_links(job, scratch) &&
                    corpus_link(table->linker, &arguments, scratch, answer);
  string_list_free(&arguments);
  process_remove_tree(scratch);
  return good;
}

static bool defects_is_refusal(const corpus_answer *answer) {
  return answer->exit_code == 1 && !answer->output && strstr(answer->messages, "fatal   : ");
}

static void defects_describe(text_buffer *text, const corpus_answer *answer) {
  if (answer->exit_code == CORPUS_SIGNAL)
    text_add(text, "ends by a signal");
  else if (answer->output)
    text_add(text, "exit code %d, %zu bytes", answer->exit_code, answer->output_size);
  else
    text_add(text, "exit code %d, no output", answer->exit_code);
}

/* What a mode gives, beside nvlink's answer where there is one. */
static void defects_print(const char *mode, const corpus_answer *stored, const corpus_answer *got) {
  const char *const difference = stored ? corpus_answer_difference(stored, got) : NULL;
  text_buffer text = {0};
  defects_describe(&text, got);
  printf("      %-16s %s%s%s\n", mode, text.bytes,
         !stored      ? ""
         : difference ? ": not nvlink's "
                      : ": nvlink's answer",
         difference ? difference : "");
  text_free(&text);
}

static bool defects_judge(char class, const corpus_answer *stored, const corpus_answer *by_default,
                          const corpus_answer *compatible) {
  if (class == 'E')
    return defects_is_refusal(by_default) && defects_is_refusal(compatible);
  const bool same = !corpus_answer_difference(stored, compatible);
  return same && (class == 'M') == !corpus_answer_difference(stored, by_default);
}

/* `stored` is NULL where nvlink has no one answer. */
static bool defects_show_links(const defect_table *table, defect_line *line, const corpus_stored_job *job,
                               const corpus_answer *stored) {
  corpus_answer by_default = {0}, compatible = {0};
  text_buffer text = {0};
  if (!defects_link(table, job, NULL, &by_default) || !defects_link(table, job, "--bug-compatible", &compatible))
    return false;
  if (stored)
    defects_describe(&text, stored);
  else
    text_add(&text, "not the same twice");
  const bool good = defects_judge(*line->columns[COLUMN_CLASS], stored, &by_default, &compatible);
  printf("%-5s %s  %-10s %s\n      %-16s %s\n", line->columns[COLUMN_ID], line->columns[COLUMN_CLASS],
         good ? "reproduced" : "NOT SO", line->columns[COLUMN_HELD], "nvlink, stored", text.bytes);
  defects_print("default", stored, &by_default);
  defects_print("--bug-compatible", stored, &compatible);
  line->shown = true;
  line->failed = !good;
  text_free(&text);
  corpus_answer_free(&by_default);
  corpus_answer_free(&compatible);
  return true;
}

static bool defects_wanted(const defect_table *table, const defect_line *line) {
  return !line->shown && (!table->only.count || string_list_holds(&table->only, line->columns[COLUMN_ID]));
}

static bool defects_visit(const corpus_stored_job *job, void *context) {
  defect_table *const table = context;
  text_buffer name = {0};
  text_add(&name, "%s/%s/sm_%s/%s", table->set, job->program, job->architecture, job->name);
  bool good = true;
  for (size_t i = 0; i < table->count && good; i++)
    if (strcmp(table->lines[i].columns[COLUMN_HELD], name.bytes) == 0 && defects_wanted(table, &table->lines[i]))
      good = defects_show_links(table, &table->lines[i], job, &job->answer);
  text_free(&name);
  return good;
}

/* "refused SET/PROGRAM/sm_XX WORD...". */
static bool defects_show_command(const defect_table *table, defect_line *line, const char *root) {
  char *const words = strdup(line->columns[COLUMN_HELD] + strlen("refused "));
  if (!words)
    abort();
  char *state = NULL;
  const char *const set = strtok_r(words, "/", &state), *const program = strtok_r(NULL, "/", &state);
  const char *const architecture = strtok_r(NULL, " ", &state);
  text_buffer corpus = {0};
  text_add(&corpus, "%s/%s", root, set ? set : "");
  corpus_stored_job job = {.corpus = corpus.bytes, .program = program};
  bool good = program && architecture && strncmp(architecture, "sm_", 3) == 0;
  if (good) {
    job.architecture = architecture + 3;
    for (const char *word; (word = strtok_r(NULL, " ", &state)) != NULL;)
      string_list_add(&job.arguments, "%s", word);
    good = defects_show_links(table, line, &job, NULL);
  }
  string_list_free(&job.arguments);
  text_free(&corpus);
  free(words);
  return good;
}

/* A row without a job: a test that names it, or why no link of cubins reaches it. */
static void defects_show_reason(defect_line *line, const char *root) {
  static const char none[] = "none: ", test[] = "test ";
  const char *const held = line->columns[COLUMN_HELD];
  bool good = strncmp(held, none, sizeof none - 1) == 0 && strlen(held) >= sizeof none + REASON_LENGTH;
  if (strncmp(held, test, sizeof test - 1) == 0) {
    text_buffer path = {0};
    size_t size = 0;
    text_add(&path, "%s/../%s", root, held + sizeof test - 1);
    char *const text = file_read(path.bytes, &size);
    good = text && strstr(text, line->columns[COLUMN_ID]);
    free(text);
    text_free(&path);
  }
  printf("%-5s %s  %-10s %s\n", line->columns[COLUMN_ID], line->columns[COLUMN_CLASS], good ? "no input" : "MISSING",
         held);
  line->shown = true;
  line->failed = !good;
}

static bool defects_show(defect_table *table, const char *root) {
  static const char *const sets[] = {"cuda", "vendor-defects", "messages", "synthetic"};
  bool good = true;
  for (size_t i = 0; i < sizeof sets / sizeof *sets && good; i++) {
    text_buffer corpus = {0};
    text_add(&corpus, "%s/%s", root, sets[i]);
    table->set = sets[i];
    good = corpus_visit_jobs(corpus.bytes, defects_visit, table);
    text_free(&corpus);
  }
  for (size_t i = 0; i < table->count && good; i++)
    if (defects_wanted(table, &table->lines[i]) &&
        strncmp(table->lines[i].columns[COLUMN_HELD], "refused ", strlen("refused ")) == 0)
      good = defects_show_command(table, &table->lines[i], root);
    else if (defects_wanted(table, &table->lines[i]))
      defects_show_reason(&table->lines[i], root);
  return good;
}

/* Numbers up to FEWEST_ROWS have no gaps. */
static size_t defects_count_gaps(const defect_table *table) {
  size_t gaps = 0;
  for (int number = 1; number <= FEWEST_ROWS; number++) {
    bool found = false;
    for (size_t i = 0; i < table->count && !found; i++)
      found = atoi(table->lines[i].columns[COLUMN_ID] + 1) == number;
    gaps += !found;
    if (!found)
      printf("D%d has no row\n", number);
  }
  return gaps;
}

static int defects_sum_up(const defect_table *table) {
  size_t shown = 0, reproduced = 0, failed = defects_count_gaps(table);
  for (size_t i = 0; i < table->count; i++) {
    const defect_line *const line = &table->lines[i];
    const bool input =
        strncmp(line->columns[COLUMN_HELD], "none: ", 6) != 0 && strncmp(line->columns[COLUMN_HELD], "test ", 5) != 0;
    shown += line->shown;
    failed += line->failed;
    reproduced += line->shown && !line->failed && input;
  }
  printf("%zu rows: %zu reproduced in both modes, %zu without an input, for the reasons above, %zu failed\n", shown,
         reproduced, shown - reproduced - (failed < shown ? failed : shown), failed);
  return failed || !shown ? TWIN_FOUND : TWIN_OK;
}

int twin_defects(int argc, char **argv) {
  defect_table table = {0};
  const char *root = "corpus", *linker = "build/release/bin/twinlink";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--corpus") == 0 && i + 1 < argc)
      root = argv[++i];
    else if (strcmp(argv[i], "--linker") == 0 && i + 1 < argc)
      linker = argv[++i];
    else if (argv[i][0] == 'D')
      string_list_add(&table.only, "%s", argv[i]);
    else {
      fprintf(stderr, "usage: twin defects [--corpus DIRECTORY] [--linker PATH] [ROW...]\n");
      return TWIN_TROUBLE;
    }
  }
  text_buffer path = {0};
  text_add(&path, "%s/../docs/specification/defects.md", root);
  char *const absolute = realpath(linker, NULL);
  int code = TWIN_TROUBLE;
  if (!absolute || strlen(absolute) >= sizeof table.linker)
    fprintf(stderr, "twin defects: there is no linker %s\n", linker);
  else if (defects_read(&table, path.bytes)) {
    memcpy(table.linker, absolute, strlen(absolute) + 1);
    code = defects_show(&table, root) ? defects_sum_up(&table) : TWIN_TROUBLE;
  }
  for (size_t i = 0; i < table.count; i++)
    for (int c = 0; c < COLUMNS; c++)
      free(table.lines[i].columns[c]);
  free(table.lines);
  free(absolute);
  text_free(&path);
  string_list_free(&table.only);
  return code;
}
