/* One link of the corpus, and the walk over the stored jobs. */
#include "corpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool corpus_link(const char *linker, const string_list *arguments, const char *scratch, corpus_answer *answer) {
  string_list command = {0};
  string_list_add(&command, "%s", linker);
  for (size_t i = 0; i < arguments->count; i++)
    string_list_add(&command, "%s", arguments->items[i]);
  process_job job = {.arguments = (const char *const *)command.items,
                     .directory = scratch,
                     .error_path = "messages",
                     .seconds = 60,
                     .file_size = UINT64_C(64) << 20};
  process_result result;
  *answer = (corpus_answer){0};
  bool good = process_run(&job, &result);
  if (!good)
    fprintf(stderr, "%s: cannot be started\n", linker);
  string_list_free(&command);
  text_buffer messages = {0};
  text_add(&messages, "%s/messages", scratch);
  answer->messages = file_read(messages.bytes, &answer->message_size);
  unlink(messages.bytes);
  text_free(&messages);
  text_buffer output = {0};
  text_add(&output, "%s/out.cubin", scratch);
  answer->output = file_read(output.bytes, &answer->output_size);
  unlink(output.bytes);
  text_free(&output);
  answer->exit_code = result.exit_code;
  if (result.signal) { /* which signal, and what was said before, depends on what lies in memory */
    corpus_answer_free(answer);
    *answer = (corpus_answer){.messages = calloc(1, 1), .exit_code = CORPUS_SIGNAL};
  }
  return good && answer->messages;
}

void corpus_answer_free(corpus_answer *answer) {
  free(answer->output);
  free(answer->messages);
  *answer = (corpus_answer){0};
}

static string_list corpus_lines(const char *text) {
  string_list lines = {0};
  while (text && *text) {
    size_t length = strcspn(text, "\n");
    string_list_add(&lines, "%.*s", (int)length, text);
    text += length + (text[length] == '\n');
  }
  return lines;
}

static char *corpus_read_part(const char *directory, const char *name, size_t *size, bool needed, bool *good) {
  text_buffer path = {0};
  text_add(&path, "%s/%s", directory, name);
  char *bytes = file_read(path.bytes, size);
  if (!bytes && (needed || errno != ENOENT)) {
    fprintf(stderr, "%s: %s\n", path.bytes, strerror(errno));
    *good = false;
  }
  text_free(&path);
  return bytes;
}

static bool corpus_stored_job_load(corpus_stored_job *job) {
  text_buffer directory = {0};
  text_add(&directory, "%s/%s/sm_%s/%s", job->corpus, job->program, job->architecture, job->name);
  bool good = true;
  size_t size = 0;
  char *arguments = corpus_read_part(directory.bytes, "args", &size, true, &good);
  char *code = corpus_read_part(directory.bytes, "expect.rc", &size, true, &good);
  job->answer.messages = corpus_read_part(directory.bytes, "expect.stderr", &job->answer.message_size, true, &good);
  job->answer.output = corpus_read_part(directory.bytes, "expect.cubin", &job->answer.output_size, false, &good);
  job->answer.exit_code = code ? atoi(code) : 0;
  job->arguments = corpus_lines(arguments);
  free(arguments);
  free(code);
  text_free(&directory);
  return good;
}

static bool corpus_visit_architecture(corpus_stored_job *job, bool (*visit)(const corpus_stored_job *, void *),
                                      void *context) {
  text_buffer directory = {0};
  text_add(&directory, "%s/%s/sm_%s", job->corpus, job->program, job->architecture);
  string_list names = directory_list(directory.bytes, true);
  bool good = true;
  for (size_t i = 0; good && i < names.count; i++) {
    job->name = names.items[i];
    good = corpus_stored_job_load(job) && visit(job, context);
    string_list_free(&job->arguments);
    corpus_answer_free(&job->answer);
  }
  string_list_free(&names);
  text_free(&directory);
  return good;
}

bool corpus_visit_jobs(const char *corpus, bool (*visit)(const corpus_stored_job *job, void *context), void *context) {
  string_list programs = directory_list(corpus, true);
  bool good = true;
  for (size_t i = 0; good && i < programs.count; i++) {
    text_buffer directory = {0};
    text_add(&directory, "%s/%s", corpus, programs.items[i]);
    string_list architectures = directory_list(directory.bytes, true);
    for (size_t j = 0; good && j < architectures.count; j++) {
      corpus_stored_job job = {.corpus = corpus, .program = programs.items[i]};
      if (strncmp(architectures.items[j], "sm_", 3) == 0) {
        job.architecture = architectures.items[j] + 3;
        good = corpus_visit_architecture(&job, visit, context);
      }
    }
    string_list_free(&architectures);
    text_free(&directory);
  }
  string_list_free(&programs);
  return good;
}

string_list corpus_job_inputs(const corpus_stored_job *job) {
  string_list inputs = {0};
  text_buffer path = {0};
  for (size_t i = 0; i < job->arguments.count; i++) {
    const char *argument = job->arguments.items[i];
    text_free(&path);
    text_add(&path, "%s/%s/sm_%s/%s", job->corpus, job->program, job->architecture, argument);
    size_t length = strlen(argument);
    if (argument[0] != '-' && length > 6 && strcmp(argument + length - 6, ".cubin") == 0 && file_exists(path.bytes))
      string_list_add(&inputs, "%s", path.bytes);
  }
  text_free(&path);
  return inputs;
}
