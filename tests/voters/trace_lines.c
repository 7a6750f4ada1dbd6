/* The lines of --trace of both linkers: trace_lines LINKER REFERENCE CORPUS KNOWN runs every job of the corpus with both, and compares,
 * row by row, how often each line comes; their order does not matter. The rows are those without a number of a section or a symbol of the
 * linker's own. KNOWN has the jobs in which a row still differs, each with its reason; one that no longer does is a fault, too. */
#define _DEFAULT_SOURCE
#include "tests/harness/harness.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* %s: any text, %u: digits, %x: hexadecimal ones. Of two that fit the first counts. */
static const char *const line_rows[] = {
    "replace weak function %s with weak that uses fewer registers",
    "replace weak function %s with weak from newer PTX",
    "replace weak function %s",
    "no new register count found for %s, checking .nv.info",
    "no original register count found for %s, checking .nv.info",
    "remove weak reloc from debug",
    "remove weak reloc",
    "remove weak nvinfo",
    "remove weak frame_size",
    "remove weak ocg constants",
    "weak %s already processed",
    "duplicate param bank on weak entry %s",
    "global.init replaces common for %s",
    "increase size of common %s",
    "unknown .nv.compat attribute (%x) encoutered.",
    "extern shared variable %s at offset %u",
    "Re-ordering UFT entries",
    "Re-ordering UDT entries",
    "optimize ocg constant reloc offset from %u to %u",
    "ignore symbol %s in unused section",
    "create %s",
    "variable %s at offset %u",
    "no bindless ref in section %s",
    "replace unified reloc %u with %u",
    "change alias reloc %s to %s",
    "ignore reloc on dead func %s",
    "ignore reloc on UFT_OFFSET",
    "Ignoring the reloc to convert YIELD to NOP due to forward progress requirement.",
};
enum {
  LINE_ROWS = sizeof line_rows / sizeof *line_rows,
  LEAST_JOBS = 2000, /* of the corpus */
  LEAST_LINES = 12000,
  SHOWN = 40
};

static const char *const line_sets[] = {"cuda", "messages", "steps", "synthetic", "vendor-defects"};

typedef struct known_line {
  const char *job, *row; /* of the file's own text */
  bool seen;
} known_line;

typedef struct traced_lines {
  const char **items; /* in the outcome's text; sorted */
  size_t *rows;
  size_t count;
} traced_lines;

static struct {
  char linker[HARNESS_PATH], reference[HARNESS_PATH], scratch[HARNESS_PATH];
  const char *corpus, *inputs; /* that the scratch directory has */
  harness_bytes known_text;
  known_line *known;
  size_t known_count, jobs, lines, faults;
} lines;

static bool line_fits(const char *line, const char *row) {
  for (; *row && *row != '%'; row++, line++)
    if (*line != *row)
      return false;
  if (!*row)
    return !*line;
  for (size_t length = 1; line[length - 1]; length++) {
    const unsigned char last = (unsigned char)line[length - 1];
    if ((row[1] == 'u' && !isdigit(last)) || (row[1] == 'x' && !isxdigit(last)))
      return false;
    if (line_fits(line + length, row + 2))
      return true;
  }
  return false;
}

static size_t line_find_row(const char *line) {
  size_t row = 0;
  while (row < LINE_ROWS && !line_fits(line, line_rows[row]))
    row++;
  return row;
}

static int line_compare(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The lines of the rows, sorted; ends the text's lines. */
static void lines_take(traced_lines *taken, harness_bytes *text) {
  *taken = (traced_lines){0};
  char *at = (char *)text->data, *const end = at + text->size;
  while (at && at < end) {
    char *const stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop)
      break; /* the last line has an end, too */
    *stop = '\0';
    if (line_find_row(at) < LINE_ROWS) {
      taken->items = harness_grow(taken->items, (taken->count + 1) * sizeof *taken->items);
      taken->items[taken->count++] = at;
    }
    at = stop + 1;
  }
  if (taken->count)
    qsort(taken->items, taken->count, sizeof *taken->items, line_compare);
}

/* Is that row known to differ in that job? */
static bool line_is_known(const char *job, size_t row) {
  bool known = false;
  for (size_t i = 0; i < lines.known_count; i++)
    if (strcmp(lines.known[i].job, job) == 0 && strcmp(lines.known[i].row, line_rows[row]) == 0)
      known = lines.known[i].seen = true;
  return known;
}

static void line_tell(const char *job, const char *whose, const char *line) {
  const size_t row = line_find_row(line);
  if (line_is_known(job, row))
    return;
  if (lines.faults++ < SHOWN)
    printf("%s: the %s alone says: %s\n", job, whose, line);
}

static void lines_compare(const char *job, const traced_lines *ours, const traced_lines *theirs) {
  size_t i = 0, k = 0;
  while (i < ours->count || k < theirs->count) {
    const int order = i == ours->count ? 1 : k == theirs->count ? -1 : strcmp(ours->items[i], theirs->items[k]);
    if (order < 0)
      line_tell(job, "linker", ours->items[i]);
    else if (order > 0)
      line_tell(job, "reference", theirs->items[k]);
    else
      lines.lines++;
    i += order <= 0;
    k += order >= 0;
  }
}

static void line_run(const char *program, const char *word, const harness_words *words, harness_outcome *outcome) {
  const char **argv = harness_grow(NULL, (words->count + 5) * sizeof *argv);
  size_t count = 0;
  argv[count++] = program;
  argv[count++] = "--identity=nvlink";
  argv[count++] = "--bug-compatible";
  argv[count++] = word;
  for (size_t i = 0; i < words->count; i++)
    argv[count++] = words->items[i];
  argv[count] = NULL;
  harness_run(&(harness_command){.argv = argv, .directory = lines.scratch}, outcome);
  free(argv);
}

static void line_test_job(const char *set, const harness_job *job) {
  char path[HARNESS_PATH], name[HARNESS_PATH];
  harness_words words;
  harness_outcome ours, theirs;
  traced_lines our_lines, their_lines;
  if (!lines.inputs || strcmp(lines.inputs, job->inputs) != 0) {
    harness_remove_tree(lines.scratch);
    harness_make_scratch(lines.scratch);
    harness_link_inputs(job->inputs, lines.scratch);
    lines.inputs = job->inputs;
  }
  harness_path(name, "%s/%s", set, job->name);
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &words);
  line_run(lines.linker, "--trace=merge,layout,bindless,reloc", &words, &ours);
  line_run(lines.reference, "--trace=all", &words, &theirs);
  lines_take(&our_lines, &ours.err);
  lines_take(&their_lines, &theirs.err);
  if (ours.code == theirs.code) {
    lines.jobs++;
    lines_compare(name, &our_lines, &their_lines);
  }
  free(our_lines.items);
  free(their_lines.items);
  harness_free_outcome(&ours);
  harness_free_outcome(&theirs);
  harness_free_words(&words);
}

static void line_test_set(void **state) {
  const char *const set = *state;
  const size_t faults = lines.faults;
  harness_jobs jobs;
  harness_list_jobs(lines.corpus, set, &jobs);
  for (size_t i = 0; i < jobs.count; i++)
    line_test_job(set, &jobs.items[i]);
  lines.inputs = NULL;
  harness_free_jobs(&jobs);
  if (lines.faults != faults)
    fail_msg("%s: %zu lines differ", set, lines.faults - faults);
}

static void line_test_counts(void **state) {
  (void)state;
  printf("%zu jobs, %zu lines are the same\n", lines.jobs, lines.lines);
  assert_true(lines.jobs >= LEAST_JOBS);
  assert_true(lines.lines >= LEAST_LINES);
}

/* What was mended since is taken out of the list. */
static void line_test_known(void **state) {
  (void)state;
  size_t stale = 0;
  for (size_t i = 0; i < lines.known_count; i++)
    if (!lines.known[i].seen && ++stale)
      printf("no longer differs: %s: %s\n", lines.known[i].job, lines.known[i].row);
  assert_int_equal(stale, 0);
}

/* KNOWN: behind a line "= ROW" the jobs in which that row differs; a line that begins with '#' says why. */
static void line_read_known(const char *path) {
  const char *row = "";
  if (!harness_read_file(path, &lines.known_text))
    harness_stop("no file %s", path);
  char *text = harness_grow(NULL, lines.known_text.size + 1), *rest = text;
  memcpy(text, lines.known_text.data, lines.known_text.size);
  text[lines.known_text.size] = '\0';
  for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
    if (strncmp(line, "= ", 2) == 0) {
      row = line + 2;
    } else if (*line && *line != '#') {
      lines.known = harness_grow(lines.known, (lines.known_count + 1) * sizeof *lines.known);
      lines.known[lines.known_count++] = (known_line){.job = line, .row = row};
    }
  }
}

int main(int argc, char **argv) {
  enum { SETS = sizeof line_sets / sizeof *line_sets };
  struct CMUnitTest tests[SETS + 2];
  if (argc != 5 || !realpath(argv[1], lines.linker) || !realpath(argv[2], lines.reference))
    harness_stop("usage: trace_lines LINKER REFERENCE CORPUS KNOWN");
  lines.corpus = argv[3];
  line_read_known(argv[4]);
  harness_make_scratch(lines.scratch);
  for (size_t i = 0; i < SETS; i++)
    tests[i] = (struct CMUnitTest){
        .name = line_sets[i], .test_func = line_test_set, .initial_state = (void *)(uintptr_t)line_sets[i]};
  tests[SETS] = (struct CMUnitTest){.name = "counts", .test_func = line_test_counts};
  tests[SETS + 1] = (struct CMUnitTest){.name = "known", .test_func = line_test_known};
  const int failed = cmocka_run_group_tests_name("trace_lines", tests, NULL, NULL);
  harness_remove_tree(lines.scratch);
  return failed != 0;
}
