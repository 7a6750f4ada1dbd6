/* Every job of the corpus, linked by the program and compared with what nvlink wrote: output bytes, messages and exit
 * code. Each job is one reported check.
 *
 *   conformance PROGRAM CORPUS compatible LISTS [SET]  --identity=nvlink --bug-compatible
 *   conformance PROGRAM CORPUS default LISTS [SET]     --identity=nvlink
 *
 * All jobs are identical but for those in LISTS: no file, one, or several with commas between. Each line, "JOB ROW
 * bytes|messages reason", names a row of class R (default mode only, at most 2 % of the set cuda with other bytes) or, for
 * the reference, which leaves the option grammar to the linker, a rule of that grammar. `bytes`: output or exit code really
 * differ; `messages`: only what is said differs. A job that stops differing so fails the test. "JOB ROW refused reason"
 * names a row of class E: nvlink ends by a signal there, or writes where it must not. In both modes such a job ends with
 * exit code 1, a fatal message and no output.
 *
 * SET is a directory of the corpus: cuda, or vendor-defects, whose jobs exist to differ in default mode.
 * Outputs that differ are kept under KEEP (environment TWINLINK_KEEP), so that `twin diff` can explain them. */
#define _DEFAULT_SOURCE
#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Rows of class R in the catalogue of nvlink's defects: the only reasons for a difference in default mode. */
static const char *const class_r[] = {
    "D1",   "D2",   "D3",   "D4",   "D5",   "D6",   "D7",   "D9",   "D10",  "D11",  "D12",  "D13",
    "D24",  "D27",  "D29",  "D31",  "D35",  "D38",  "D40",  "D58",  "D59",  "D60",  "D61",  "D63",
    "D64",  "D69",  "D70",  "D76",  "D77",  "D78",  "D79",  "D82",  "D83",  "D84",  "D85",  "D86",
    "D87",  "D88",  "D89",  "D90",  "D91",  "D92",  "D93",  "D94",  "D95",  "D96",  "D100", "D102",
    "D103", "D104", "D105", "D111", "D112", "D113", "D114", "D115", "D120", "D121", "D135", "D136",
    "D137", "D138", "D139", "D140", "D141", "D142", "D143", "D145", "D146", "D147", "D149", NULL};

/* Rows of class E: nvlink has no answer to match. */
static const char *const class_e[] = {"D14", "D15", "D16", "D17", "D18", "D19", "D20", "D32",  "D42",
                                      "D43", "D44", "D46", "D62", "D66", "D67", "D68", "D101", NULL};

/* What only the linker has to know: the option grammar (C48, C49), link-time optimisation (C52), what the program prints of
 * itself (C54, C54a), libraries (E46), host objects (E53), and E77 (D93); and rules that one of the two does not have yet. */
static const char *const grammar[] = {"E1",   "E2",    "E3",    "E4",    "E5",    "E6",    "E10",    "C49",
                                      "C52",  "C54",   "C54a",  "E46",   "E48",   "E53",   "E77",    "L490",
                                      "L559", "L660",  "L474",  "L740",  "L116",  "L117",  "L118",   "L119",
                                      "L990", "L1034", "L1050", "L1726", "L1837", "RF475", "RF1394", NULL};

typedef struct conformance_setup {
  char program[HARNESS_PATH];
  const char *keep;
  const char *set; /* of the corpus: cuda, vendor-defects */
  bool compatible;
  harness_jobs jobs;
  harness_words differences; /* lines "JOB ROW bytes|messages reason" */
} conformance_setup;

static conformance_setup setup;

/* What of a job differs. */
enum { DIFFERS_MESSAGES = 1, DIFFERS_BYTES = 2 };

/* Word `index` of a line of the list and its length; empty when there is none. */
static const char *conformance_word(const char *line, size_t index, size_t *length) {
  while (index-- > 0) {
    line += strcspn(line, " ");
    line += strspn(line, " ");
  }
  *length = strcspn(line, " ");
  return line;
}

static bool conformance_word_is(const char *line, size_t index, const char *text) {
  size_t length = 0;
  const char *word = conformance_word(line, index, &length);
  return length == strlen(text) && strncmp(word, text, length) == 0;
}

/* The line that lists a job, or NULL. */
static const char *conformance_find_line(const char *job) {
  for (size_t i = 0; i < setup.differences.count; i++)
    if (conformance_word_is(setup.differences.items[i], 0, job))
      return setup.differences.items[i];
  return NULL;
}

/* A line that says that a job has nvlink's answer all the same: it stands before the list of those that differ. */
static bool conformance_is_alike(const char *line) {
  return conformance_word_is(line, 2, "nvlink");
}

/* Describes the first difference of two byte strings in `text`; "" when they are equal. */
static void conformance_compare(char *text, size_t size, const char *what, const harness_bytes *got,
                                const harness_bytes *want) {
  size_t at = 0, both = got->size < want->size ? got->size : want->size;
  *text = 0;
  while (at < both && got->data[at] == want->data[at])
    at++;
  if (at < both || got->size != want->size)
    snprintf(text, size, "%s differs first at byte %zu (%zu bytes here, %zu nvlink's); ", what, at, got->size,
             want->size);
}

static void conformance_keep(const harness_job *job, const harness_bytes *image) {
  char path[HARNESS_PATH];
  if (!setup.keep || !*setup.keep)
    return;
  harness_path(path, "%s/%s/%s", setup.keep, setup.compatible ? "compatible" : "default", job->name);
  harness_make_directories(path);
  harness_path(path, "%s/%s/%s/out.cubin", setup.keep, setup.compatible ? "compatible" : "default", job->name);
  harness_write_file(path, image->data, image->size);
}

static void conformance_run_program(const harness_job *job, const char *scratch, harness_outcome *outcome) {
  char path[HARNESS_PATH];
  harness_words arguments;
  const char *argv[4096] = {setup.program, "--identity=nvlink"};
  size_t count = 2;
  if (setup.compatible)
    argv[count++] = "--bug-compatible";
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &arguments);
  if (arguments.count + count >= sizeof argv / sizeof *argv)
    harness_stop("%s has too many arguments", job->name);
  for (size_t i = 0; i < arguments.count; i++)
    argv[count++] = arguments.items[i];
  harness_link_inputs(job->inputs, scratch);
  harness_run(&(harness_command){.argv = argv, .directory = scratch}, outcome);
  harness_free_words(&arguments);
}

/* Runs one job; `text` gets what differs, or "", and the result says which kind of thing. */
static int conformance_link(const harness_job *job, char *text, size_t size) {
  char scratch[HARNESS_PATH], path[HARNESS_PATH];
  harness_outcome outcome;
  harness_bytes image, want_image, want_messages;
  harness_make_scratch(scratch);
  conformance_run_program(job, scratch, &outcome);
  harness_path(path, "%s/out.cubin", scratch);
  bool made = harness_read_file(path, &image);
  harness_path(path, "%s/expect.cubin", job->directory);
  bool wanted = harness_read_file(path, &want_image);
  harness_path(path, "%s/expect.stderr", job->directory);
  if (!harness_read_file(path, &want_messages))
    harness_stop("no %s", path);
  harness_path(path, "%s/expect.rc", job->directory);
  int want_code = harness_read_number(path);

  char bytes[256] = "", messages[256] = "", code[256] = "";
  if (made && wanted)
    conformance_compare(bytes, sizeof bytes, "output", &image, &want_image);
  else if (made != wanted)
    snprintf(bytes, sizeof bytes, made ? "an output that nvlink refuses to make; " : "no output; ");
  conformance_compare(messages, sizeof messages, "stderr", &outcome.err, &want_messages);
  if (outcome.signal || outcome.timed_out)
    snprintf(code, sizeof code, outcome.timed_out ? "time limit" : "signal %d", outcome.signal);
  else if (outcome.code != want_code)
    snprintf(code, sizeof code, "exit code %d instead of %d", outcome.code, want_code);
  snprintf(text, size, "%s%s%s", bytes, messages, code);
  if (*messages)
    print_message("%s", (const char *)outcome.err.data);
  if (*bytes && made)
    conformance_keep(job, &image);

  free(image.data);
  free(want_image.data);
  free(want_messages.data);
  harness_free_outcome(&outcome);
  harness_remove_tree(scratch);
  return (*messages ? DIFFERS_MESSAGES : 0) | (*bytes || *code ? DIFFERS_BYTES : 0);
}

/* True if the messages hold what a line's reason has in double quotes: words of the linker's, which the reference need not
 * use. A reason need not have such words. */
static bool conformance_says(const char *messages, const char *line) {
  static const char linker[] = "/twinlink";
  char words[HARNESS_PATH];
  const size_t length = strlen(setup.program);
  const bool own = length >= sizeof linker && strcmp(setup.program + length - (sizeof linker - 1), linker) == 0;
  const char *const quoted = strchr(line, '"');
  return !quoted || !own || (sscanf(quoted, "\"%4095[^\"]\"", words) == 1 && strstr(messages, words));
}

static void conformance_test_refused(const harness_job *job, const char *line) {
  char scratch[HARNESS_PATH], path[HARNESS_PATH];
  harness_outcome outcome;
  harness_make_scratch(scratch);
  conformance_run_program(job, scratch, &outcome);
  harness_path(path, "%s/out.cubin", scratch);
  const bool fatal = strstr((const char *)outcome.err.data, "nvlink fatal   : ") != NULL;
  const bool said = conformance_says((const char *)outcome.err.data, line);
  const bool good = outcome.code == 1 && !harness_exists(path) && fatal && said;
  if (!good)
    fail_msg("%s is to be refused: exit code %d, signal %d\n%s", job->name, outcome.code, outcome.signal,
             (const char *)outcome.err.data);
  harness_free_outcome(&outcome);
  harness_remove_tree(scratch);
}

static void conformance_test_job(void **state) {
  const harness_job *job = *state;
  char text[1024];
  const char *line = conformance_find_line(job->name);
  if (line && conformance_word_is(line, 2, "refused")) {
    conformance_test_refused(job, line);
    return;
  }
  int differs = conformance_link(job, text, sizeof text);
  if ((!line || conformance_is_alike(line)) && differs)
    fail_msg("%s: %s", job->name, text);
  if (line && conformance_word_is(line, 2, "bytes") && !(differs & DIFFERS_BYTES))
    fail_msg("%s is listed as different, and its output and exit code are nvlink's", job->name);
  if (line && conformance_word_is(line, 2, "messages") && differs != DIFFERS_MESSAGES)
    fail_msg("%s is listed with other messages: %s", job->name, *text ? text : "identical");
}

static bool conformance_row_is_one_of(const char *line, const char *const *rows) {
  for (size_t i = 0; rows[i]; i++)
    if (conformance_word_is(line, 1, rows[i]))
      return true;
  return false;
}

/* The list itself: real jobs, rows of the right class, at most 2 % with other bytes by class R. */
static void conformance_test_list(void **state) {
  (void)state;
  size_t other_bytes = 0;
  for (size_t i = 0; i < setup.differences.count; i++) {
    const char *line = setup.differences.items[i];
    const bool defect = !setup.compatible && conformance_row_is_one_of(line, class_r);
    const bool refused = conformance_word_is(line, 2, "refused"), bytes = conformance_word_is(line, 2, "bytes");
    const bool row =
        refused ? conformance_row_is_one_of(line, class_e) : defect || conformance_row_is_one_of(line, grammar);
    bool job = false;
    for (size_t j = 0; j < setup.jobs.count; j++)
      job |= conformance_word_is(line, 0, setup.jobs.items[j].name);
    const bool known = bytes || refused || conformance_word_is(line, 2, "messages") || conformance_is_alike(line);
    if (!row || !job || !known)
      fail_msg("'%s' is not 'JOB ROW bytes|messages|refused|nvlink reason' with a job and a row that may differ", line);
    other_bytes += bytes && defect;
  }
  print_message("%zu of %zu jobs are listed, %zu of them differ in bytes by class R\n", setup.differences.count,
                setup.jobs.count, other_bytes);
  if (strcmp(setup.set, "cuda") == 0 && other_bytes * 50 > setup.jobs.count)
    fail_msg("%zu of %zu jobs are listed as different: more than 2 %%", other_bytes, setup.jobs.count);
}

static void conformance_test_corpus(void **state) {
  (void)state;
  assert_true(setup.jobs.count > 0);
}

/* Lines that start with '#' are comments. */
static void conformance_read_differences(const char *path) {
  harness_words *all = &setup.differences, words;
  harness_read_lines(path, &words);
  all->items = harness_grow(all->items, (all->count + words.count + 1) * sizeof *all->items);
  for (size_t i = 0; i < words.count; i++) {
    if (*words.items[i] && *words.items[i] != '#')
      all->items[all->count++] = words.items[i];
    else
      free(words.items[i]);
  }
  all->items[all->count] = NULL;
  free(words.items);
}

static void conformance_read_lists(const char *lists) {
  char path[HARNESS_PATH];
  for (size_t length; *lists; lists += length + (lists[length] == ',')) {
    length = strcspn(lists, ",");
    harness_path(path, "%.*s", (int)length, lists);
    if (length > 0)
      conformance_read_differences(path);
  }
}

int main(int argc, char **argv) {
  if (argc < 4 || !realpath(argv[1], setup.program))
    harness_stop("usage: conformance PROGRAM CORPUS compatible|default [LISTS [SET]]");
  setup.compatible = strcmp(argv[3], "compatible") == 0;
  setup.keep = getenv("TWINLINK_KEEP");
  setup.set = argc > 5 ? argv[5] : "cuda";
  harness_list_jobs(argv[2], setup.set, &setup.jobs);
  if (argc > 4)
    conformance_read_lists(argv[4]);
  struct CMUnitTest *tests = calloc(setup.jobs.count + 2, sizeof *tests);
  if (!tests)
    harness_stop("no memory");
  size_t count = 0;
  tests[count++] = (struct CMUnitTest){.name = "the corpus has jobs", .test_func = conformance_test_corpus};
  if (!setup.compatible || setup.differences.count > 0)
    tests[count++] = (struct CMUnitTest){.name = "list of differences", .test_func = conformance_test_list};
  for (size_t i = 0; i < setup.jobs.count; i++)
    tests[count++] = (struct CMUnitTest){
        .name = setup.jobs.items[i].name, .test_func = conformance_test_job, .initial_state = &setup.jobs.items[i]};
  int failed = _cmocka_run_group_tests(argv[3], tests, count, NULL, NULL);
  free(tests);
  harness_free_words(&setup.differences);
  harness_free_jobs(&setup.jobs);
  return failed != 0;
}
