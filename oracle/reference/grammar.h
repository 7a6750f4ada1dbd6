/* The words of a command line: C48, C49, E1 to E6. */
#ifndef REF_GRAMMAR_H
#define REF_GRAMMAR_H

#include "reference.h"

typedef struct ref_grammar {
  ref_options options;
  ref_job_words other;
  const char **inputs; /* names */
  size_t input_count;
  ref_message *said;
  size_t said_count;
  char **owned; /* texts that the options, names and messages are in */
  size_t owned_count;
  unsigned files_open;
  bool identity_nvlink, bug_compatible;
  unsigned traced;    /* --trace */
  bool ended, failed; /* by a word; for want of memory */
} ref_grammar;

void ref_grammar_take(ref_grammar *grammar, int count, const char *const *words);
void ref_grammar_free(ref_grammar *grammar);
/* arguments.c: all bytes of a file, to be freed. */
bool ref_grammar_read_file(const char *path, ref_input *input);

#endif
