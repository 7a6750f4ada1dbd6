/* The words of a command line as a job of the reference: `-name value` options and the names of cubins. */
#ifndef REF_ARGUMENTS_H
#define REF_ARGUMENTS_H

#include "reference.h"

typedef struct ref_arguments {
  ref_options options;
  ref_input *inputs; /* with their bytes; NULL bytes where a file cannot be read */
  size_t input_count;
  ref_input index;
  char *joined[REF_OPTION_COUNT]; /* lists that were given more than once */
  const char *refused;            /* the word that is no option that is known; NULL: no memory */
  bool identity_nvlink, bug_compatible;
} ref_arguments;

/* argv[0] is not looked at; `bug_compatible` is the environment's TWINLINK_BUG_COMPATIBLE, or NULL. Reads the files. False
 * when a word cannot be used. To be freed in any case; the words must stay. */
bool ref_arguments_read(ref_arguments *arguments, int argc, char *const *argv, const char *bug_compatible);
/* The job, which points into `arguments`. */
ref_job ref_arguments_job(const ref_arguments *arguments);
/* Prints the messages on `errors`, writes the output where the options say; returns the exit code. */
int ref_arguments_finish(const ref_job *job, const ref_result *result, FILE *errors);
void ref_arguments_free(ref_arguments *arguments);

#endif
