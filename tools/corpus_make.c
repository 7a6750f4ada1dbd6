/* twin corpus make: compiles programs and writes cubins and answers. The answers come from nvlink alone. */
#include "corpus.h"
#include "twin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct corpus_maker {
  corpus_tools tools;
  bool check; /* write nothing: only say what would change */
  size_t jobs, changes;
} corpus_maker;

static bool corpus_store(corpus_maker *maker, const char *directory, const char *name, const char *bytes, size_t size) {
  text_buffer path = {0};
  text_add(&path, "%s/%s", directory, name);
  bool changed = false;
  bool fresh = !file_exists(path.bytes);
  bool good = true;
  if (maker->check) {
    size_t old_size;
    char *old = file_read(path.bytes, &old_size);
    changed = !old || old_size != size || (size && memcmp(old, bytes, size) != 0);
    free(old);
  } else {
    good = process_ensure_directory(directory) && file_update(path.bytes, bytes, size, &changed);
  }
  if (!good)
    fprintf(stderr, "%s: %s\n", path.bytes, strerror(errno));
  if (changed) {
    maker->changes++;
    if (!fresh || maker->check)
      printf("changed: %s\n", path.bytes);
  }
  text_free(&path);
  return good;
}

static bool corpus_store_job(corpus_maker *maker, const char *directory, const string_list *arguments,
                             const corpus_answer *answer) {
  text_buffer lines = {0}, code = {0}, output = {0};
  for (size_t i = 0; i < arguments->count; i++)
    text_add(&lines, "%s\n", arguments->items[i]);
  text_add(&code, "%d\n", answer->exit_code);
  text_add(&output, "%s/expect.cubin", directory);
  bool good = corpus_store(maker, directory, "args", lines.bytes ? lines.bytes : "", lines.size) &&
              corpus_store(maker, directory, "expect.stderr", answer->messages, answer->message_size) &&
              corpus_store(maker, directory, "expect.rc", code.bytes, code.size);
  if (good && answer->output)
    good = corpus_store(maker, directory, "expect.cubin", answer->output, answer->output_size);
  else if (good && file_exists(output.bytes)) {
    printf("changed: %s: nvlink writes no output any more\n", output.bytes);
    maker->changes++;
  }
  maker->jobs++;
  text_free(&lines);
  text_free(&code);
  text_free(&output);
  return good;
}

static bool corpus_make_jobs(corpus_maker *maker, const corpus_program *program, const char *architecture,
                             const char *made, const char *stored) {
  bool good = true;
  for (size_t i = 0; good && i < program->job_count; i++) {
    const corpus_job *job = &program->jobs[i];
    if (!corpus_job_applies(job, architecture))
      continue;
    string_list arguments = corpus_job_arguments(program, job, architecture);
    text_buffer directory = {0};
    text_add(&directory, "%s/%s", stored, job->name);
    corpus_answer answer;
    good = corpus_link(maker->tools.nvlink, &arguments, made, &answer) &&
           corpus_store_job(maker, directory.bytes, &arguments, &answer);
    corpus_answer_free(&answer);
    string_list_free(&arguments);
    text_free(&directory);
  }
  return good;
}

static bool corpus_make_architecture(corpus_maker *maker, const corpus_program *program, const char *architecture) {
  char scratch[CORPUS_SCRATCH_LENGTH + 1];
  if (!directory_make_scratch(scratch, sizeof scratch, CORPUS_SCRATCH_LENGTH)) {
    fprintf(stderr, "no scratch directory: %s (the path of TMPDIR may have 20 characters)\n", strerror(errno));
    return false;
  }
  text_buffer made = {0}, stored = {0};
  text_add(&made, "%s/made", scratch);
  text_add(&stored, "%s/sm_%s", program->directory, architecture);
  bool good = corpus_compile(program, architecture, scratch, &maker->tools);
  for (size_t i = 0; good && i < program->file_count; i++) {
    text_buffer path = {0};
    text_add(&path, "%s/%s", made.bytes, program->files[i].cubin);
    size_t size = 0;
    char *bytes = file_read(path.bytes, &size);
    good = bytes && corpus_store(maker, stored.bytes, program->files[i].cubin, bytes, size);
    free(bytes);
    text_free(&path);
  }
  good = good && corpus_make_jobs(maker, program, architecture, made.bytes, stored.bytes);
  process_remove_tree(scratch);
  text_free(&made);
  text_free(&stored);
  return good;
}

static bool corpus_make_program(corpus_maker *maker, const char *corpus, const char *name) {
  corpus_program program;
  if (!corpus_program_load(&program, corpus, name))
    return false;
  bool good = true;
  for (size_t i = 0; good && i < program.architectures.count; i++)
    good = corpus_make_architecture(maker, &program, program.architectures.items[i]);
  if (!good)
    fprintf(stderr, "%s: not made\n", name);
  corpus_program_free(&program);
  return good;
}

int corpus_make(const char *corpus, int argc, char **argv) {
  corpus_maker maker = {0};
  if (!file_find_tool("nvcc", maker.tools.nvcc, sizeof maker.tools.nvcc) ||
      !file_find_tool("ptxas", maker.tools.ptxas, sizeof maker.tools.ptxas) ||
      !file_find_tool("nvlink", maker.tools.nvlink, sizeof maker.tools.nvlink)) {
    fprintf(stderr, "twin corpus make: needs nvcc, ptxas and nvlink, on PATH or in $CUDA_HOME/bin\n");
    return TWIN_TROUBLE;
  }
  string_list programs = {0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--check") == 0)
      maker.check = true;
    else
      string_list_add(&programs, "%s", argv[i]);
  }
  if (programs.count == 0)
    programs = directory_list(corpus, true);
  bool good = true;
  for (size_t i = 0; i < programs.count; i++)
    good = corpus_make_program(&maker, corpus, programs.items[i]) && good;
  printf("programs: %zu, jobs: %zu, files %s: %zu\n", programs.count, maker.jobs,
         maker.check ? "that would change" : "written", maker.changes);
  string_list_free(&programs);
  if (!good)
    return TWIN_TROUBLE;
  return maker.check && maker.changes ? TWIN_FOUND : TWIN_OK;
}
