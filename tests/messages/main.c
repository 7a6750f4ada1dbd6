/* coverage PROGRAM SOURCE: goes over the rows of the linker's catalogues and over the tables of docs/specification that
 * say where each row is held. A row that nobody holds fails, and so does a table that is not true any more. */
#define _DEFAULT_SOURCE
#include "tests/messages/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

coverage_setup coverage;

static const char *const sets[] = {"cuda", "messages", "steps", "synthetic", "vendor-defects"};
enum { SET_COUNT = sizeof sets / sizeof *sets };

const coverage_job *coverage_find_job(const char *name) {
  for (size_t i = 0; i < coverage.job_count; i++) {
    const coverage_job *const job = &coverage.jobs[i];
    const size_t length = strlen(job->set);
    if (strncmp(name, job->set, length) == 0 && name[length] == '/' && strcmp(name + length + 1, job->job->name) == 0)
      return job;
  }
  return NULL;
}

void coverage_read_table(const char *file, harness_words *lines) {
  char path[HARNESS_PATH];
  size_t kept = 0;
  harness_path(path, "%s/docs/specification/%s", coverage.source, file);
  harness_read_lines(path, lines);
  for (size_t i = 0; i < lines->count; i++) {
    if (strncmp(lines->items[i], "| `", 3) == 0)
      lines->items[kept++] = lines->items[i];
    else
      free(lines->items[i]);
  }
  lines->count = kept;
}

void coverage_column(const char *line, size_t index, char *text, size_t size) {
  const char *at = line;
  for (size_t i = 0; i <= index && at; i++) {
    at = strchr(at, '|');
    at = at ? at + 1 : NULL;
  }
  const size_t whole = at ? strcspn(at, "|") : 0;
  const char *end = at + whole;
  while (at < end && (*at == ' ' || *at == '`'))
    at++;
  while (at < end && (end[-1] == ' ' || end[-1] == '`'))
    end--;
  const size_t length = at ? (size_t)(end - at) : 0;
  snprintf(text, size, "%.*s", (int)length, at ? at : "");
}

const char *coverage_find_line(const harness_words *lines, const char *id) {
  const char *found = NULL;
  for (size_t i = 0; i < lines->count; i++) {
    char column[128];
    coverage_column(lines->items[i], 0, column, sizeof column);
    if (strcmp(column, id) != 0)
      continue;
    if (found)
      fail_msg("'%s' has two lines", id);
    found = lines->items[i];
  }
  return found;
}

void coverage_run(const char *inputs, const char *mode, const harness_words *words, harness_outcome *outcome) {
  char scratch[HARNESS_PATH];
  const char *argv[128] = {coverage.program, mode};
  size_t count = 2;
  for (size_t i = 0; i < words->count && count + 1 < sizeof argv / sizeof *argv; i++)
    argv[count++] = words->items[i];
  harness_make_scratch(scratch);
  harness_link_inputs(inputs, scratch);
  harness_run(&(harness_command){.argv = argv, .directory = scratch}, outcome);
  harness_remove_tree(scratch);
}

void coverage_run_line(const char *line, const char *mode, harness_outcome *outcome) {
  char text[1024], inputs[HARNESS_PATH], *items[32];
  harness_words words = {items, 0};
  snprintf(text, sizeof text, "%s", line);
  const char *const directory = strtok(text, " ");
  for (char *word = strtok(NULL, " "); word && words.count < 32; word = strtok(NULL, " "))
    items[words.count++] = word;
  harness_path(inputs, "%s/corpus/%s", coverage.source, directory);
  coverage_run(inputs, mode, &words, outcome);
}

static void coverage_add_job(const char *set, const harness_job *job) {
  char path[HARNESS_PATH];
  coverage.jobs = harness_grow(coverage.jobs, (coverage.job_count + 1) * sizeof *coverage.jobs);
  coverage_job *const added = &coverage.jobs[coverage.job_count++];
  *added = (coverage_job){.set = set, .job = job};
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &added->arguments);
  harness_path(path, "%s/expect.stderr", job->directory);
  harness_read_lines(path, &added->messages);
}

int main(int argc, char **argv) {
  static harness_jobs lists[SET_COUNT];
  char corpus[HARNESS_PATH];
  if (argc != 3 || !realpath(argv[1], coverage.program) || !realpath(argv[2], coverage.source))
    harness_stop("usage: coverage PROGRAM SOURCE");
  harness_path(corpus, "%s/corpus", coverage.source);
  for (size_t i = 0; i < SET_COUNT; i++) {
    harness_list_jobs(corpus, sets[i], &lists[i]);
    for (size_t j = 0; j < lists[i].count; j++)
      coverage_add_job(sets[i], &lists[i].items[j]);
  }
  const int failed =
      coverage_test_messages() + coverage_test_defects() + coverage_test_options() + coverage_test_seed_texts();
  for (size_t i = 0; i < coverage.job_count; i++) {
    harness_free_words(&coverage.jobs[i].arguments);
    harness_free_words(&coverage.jobs[i].messages);
  }
  free(coverage.jobs);
  for (size_t i = 0; i < SET_COUNT; i++)
    harness_free_jobs(&lists[i]);
  return failed != 0;
}
