/* twin corpus verify: relinks every stored job and compares output, messages and exit code with the stored answer.
 *
 * With nvlink that proves the answers; with --linker it judges another linker by them. Each link runs in a scratch
 * directory of links to the job's cubins, so that nothing is written into the corpus. */
#define _DEFAULT_SOURCE /* realpath */
#include "corpus.h"
#include "twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct corpus_verifier {
  const char *linker; /* NULL: only count */
  string_list only;   /* programs to look at; empty: all */
  string_list extra;  /* arguments put before a job's own */
  char scratch[4096];
  size_t jobs, different;
} corpus_verifier;

bool corpus_make_links(const corpus_stored_job *job, const char *scratch) {
  text_buffer directory = {0};
  text_add(&directory, "%s/%s/sm_%s", job->corpus, job->program, job->architecture);
  char *absolute = realpath(directory.bytes, NULL);
  string_list cubins = directory_list(directory.bytes, false);
  bool good = absolute != NULL;
  for (size_t i = 0; good && i < cubins.count; i++) {
    text_buffer from = {0}, to = {0};
    text_add(&from, "%s/%s", absolute, cubins.items[i]);
    text_add(&to, "%s/%s", scratch, cubins.items[i]);
    good = symlink(from.bytes, to.bytes) == 0;
    text_free(&from);
    text_free(&to);
  }
  free(absolute);
  string_list_free(&cubins);
  text_free(&directory);
  return good;
}

const char *corpus_answer_difference(const corpus_answer *stored, const corpus_answer *got) {
  if (stored->exit_code != got->exit_code)
    return "exit code";
  if (stored->message_size != got->message_size || memcmp(stored->messages, got->messages, got->message_size) != 0)
    return "messages";
  if ((stored->output == NULL) != (got->output == NULL))
    return got->output ? "output where none is expected" : "no output";
  if (stored->output_size != got->output_size ||
      (got->output && memcmp(stored->output, got->output, got->output_size) != 0))
    return "output bytes";
  return NULL;
}

static bool corpus_verify_job(const corpus_stored_job *job, void *context) {
  corpus_verifier *verifier = context;
  if (verifier->only.count && !string_list_holds(&verifier->only, job->program))
    return true;
  verifier->jobs++;
  if (!verifier->linker)
    return true;
  if (!directory_make_scratch(verifier->scratch, sizeof verifier->scratch, 0))
    return false;
  string_list arguments = {0};
  for (size_t i = 0; i < verifier->extra.count; i++)
    string_list_add(&arguments, "%s", verifier->extra.items[i]);
  for (size_t i = 0; i < job->arguments.count; i++)
    string_list_add(&arguments, "%s", job->arguments.items[i]);
  corpus_answer answer = {0};
  bool good = corpus_make_links(job, verifier->scratch) &&
              corpus_link(verifier->linker, &arguments, verifier->scratch, &answer);
  const char *difference = good ? corpus_answer_difference(&job->answer, &answer) : NULL;
  if (difference) {
    verifier->different++;
    printf("different: %s/sm_%s/%s: %s\n", job->program, job->architecture, job->name, difference);
  }
  corpus_answer_free(&answer);
  string_list_free(&arguments);
  process_remove_tree(verifier->scratch);
  return good;
}

int corpus_verify(const char *corpus, int argc, char **argv) {
  corpus_verifier verifier = {0};
  char nvlink[4096];
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--linker") == 0 && i + 1 < argc)
      verifier.linker = argv[++i];
    else if (strcmp(argv[i], "--argument") == 0 && i + 1 < argc)
      string_list_add(&verifier.extra, "%s", argv[++i]);
    else
      string_list_add(&verifier.only, "%s", argv[i]);
  }
  char *absolute = verifier.linker && strchr(verifier.linker, '/') ? realpath(verifier.linker, NULL) : NULL;
  if (absolute)
    verifier.linker = absolute;
  else if (!verifier.linker && file_find_tool("nvlink", nvlink, sizeof nvlink))
    verifier.linker = nvlink;
  bool good = corpus_visit_jobs(corpus, corpus_verify_job, &verifier);
  if (!good)
    fprintf(stderr, "twin corpus verify: stopped after %zu jobs\n", verifier.jobs);
  else if (!verifier.linker)
    printf("corpus: %zu jobs skipped: no nvlink on PATH or in $CUDA_HOME/bin\n", verifier.jobs);
  else
    printf("corpus: %zu jobs relinked, %zu identical, %zu different\n", verifier.jobs,
           verifier.jobs - verifier.different, verifier.different);
  free(absolute);
  string_list_free(&verifier.only);
  string_list_free(&verifier.extra);
  if (!good || verifier.jobs == 0)
    return TWIN_TROUBLE;
  return verifier.different ? TWIN_FOUND : TWIN_OK;
}
