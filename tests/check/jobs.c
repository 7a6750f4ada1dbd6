/* Jobs of the corpus read whole. */
#include "tests/check/check_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An archive, a fat binary, a host object: more cubins than this program reads. */
static bool check_is_container(const harness_bytes *bytes) {
  static const uint8_t fatbin[] = {0x50, 0xed, 0x55, 0xba};
  enum { MACHINE_OFFSET = 18, MACHINE_CUDA = 190 };
  return bytes->size >= 64 &&
         (memcmp(bytes->data, "!<arch>", 7) == 0 || memcmp(bytes->data, fatbin, sizeof fatbin) == 0 ||
          (memcmp(bytes->data, "\177ELF", 4) == 0 && bytes->data[MACHINE_OFFSET] != MACHINE_CUDA));
}

static void check_job_add(check_job *job, const char *inputs, const char *word) {
  char path[HARNESS_PATH], error[256];
  job->partial |= strncmp(word, "-l", 2) == 0;
  harness_path(path, "%s/%s", inputs, word);
  if (job->count == CHECK_INPUTS_MAX || word[0] == '-' || word[0] == 0 ||
      !harness_read_file(path, &job->bytes[job->count]))
    return;
  if (ref_cubin_read(&job->cubins[job->count], job->bytes[job->count].data, job->bytes[job->count].size, error,
                     sizeof error)) {
    job->partial |= check_is_container(&job->bytes[job->count]);
    job->inputs[job->count] = (ref_check_file){strdup(word), &job->cubins[job->count]};
    job->count++;
  } else {
    job->partial |= check_is_container(&job->bytes[job->count]);
    free(job->bytes[job->count].data);
  }
}

/* Words of `-optf FILE` stand in that file. */
static void check_job_add_words(check_job *job, const char *inputs, const harness_words *words) {
  for (size_t i = 0; i < words->count; i++) {
    const bool is_list = strcmp(words->items[i], "-optf") == 0 || strcmp(words->items[i], "--options-file") == 0;
    if (!is_list || i + 1 == words->count) {
      check_job_add(job, inputs, words->items[i]);
      continue;
    }
    char path[HARNESS_PATH];
    harness_bytes list;
    harness_path(path, "%s/%s", inputs, words->items[++i]);
    if (!harness_read_file(path, &list)) { /* a list of files, or none */
      job->partial = true;
      continue;
    }
    for (char *word = strtok((char *)list.data, " \t\r\n"); word; word = strtok(NULL, " \t\r\n"))
      check_job_add(job, inputs, word);
    free(list.data);
  }
}

/* One directory serves all jobs of one set of inputs: making it anew for each would take most of the time. */
static void check_linker_enter(check_linker *linker, const char *inputs) {
  if (strcmp(linker->inputs, inputs) == 0)
    return;
  check_linker_leave(linker);
  harness_make_scratch(linker->scratch);
  harness_link_inputs(inputs, linker->scratch);
  harness_path(linker->inputs, "%s", inputs);
}

void check_linker_leave(check_linker *linker) {
  if (linker->inputs[0])
    harness_remove_tree(linker->scratch);
  linker->inputs[0] = 0;
}

/* The program's output for the job, in default mode; false when it makes none. */
static bool check_job_link(check_job *job, check_linker *linker, const harness_words *words, const char *inputs) {
  char path[HARNESS_PATH];
  harness_outcome outcome;
  const char **argv = harness_grow(NULL, (words->count + 2) * sizeof *argv);
  check_linker_enter(linker, inputs);
  argv[0] = linker->program;
  argv[words->count + 1] = NULL;
  for (size_t i = 0; i < words->count; i++)
    argv[i + 1] = words->items[i];
  harness_run(&(harness_command){.argv = argv, .directory = linker->scratch}, &outcome);
  harness_free_outcome(&outcome);
  harness_path(path, "%s/out.cubin", linker->scratch);
  const bool made = harness_read_file(path, &job->output);
  remove(path);
  free(argv);
  return made;
}

bool check_job_read(check_job *job, const char *directory, const char *inputs, check_linker *linker) {
  char path[HARNESS_PATH];
  harness_words words;
  *job = (check_job){.count = 0};
  harness_path(path, "%s/args", directory);
  harness_read_lines(path, &words);
  harness_path(path, "%s/expect.cubin", directory);
  if (!(linker ? check_job_link(job, linker, &words, inputs) : harness_read_file(path, &job->output))) {
    harness_free_words(&words);
    return false;
  }
  check_job_add_words(job, inputs, &words);
  harness_free_words(&words);
  return true;
}

void check_job_free(check_job *job) {
  for (size_t i = 0; i < job->count; i++) {
    ref_cubin_free(&job->cubins[i]);
    free(job->bytes[i].data);
    free((void *)(uintptr_t)job->inputs[i].name);
  }
  free(job->output.data);
}

bool check_job_run(const check_job *job, const harness_bytes *output, ref_check_report *report) {
  char error[256];
  ref_cubin cubin;
  if (!ref_cubin_read(&cubin, output->data, output->size, error, sizeof error))
    return false;
  const ref_check_link link = {{"expect.cubin", &cubin}, job->inputs, job->partial ? 0 : job->count};
  ref_check(report, &link);
  ref_cubin_free(&cubin);
  return true;
}

size_t check_count_row(const ref_check_report *report, const char *row) {
  size_t count = 0;
  for (size_t i = 0; i < report->count; i++)
    count += !report->findings[i].in_input && strcmp(report->findings[i].row->name, row) == 0;
  return count;
}
