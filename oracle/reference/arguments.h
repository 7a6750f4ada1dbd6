/* The words of a command line as a job of the reference: `-name value` options and the names of cubins. */
#ifndef REF_ARGUMENTS_H
#define REF_ARGUMENTS_H

#include "grammar.h"

typedef struct ref_arguments {
  ref_grammar grammar;
  ref_input *inputs; /* with their bytes; NULL bytes where a file cannot be read */
  size_t input_count;
  ref_input index;
  ref_library *libraries;
  size_t library_count;
} ref_arguments;

/* argv[0] is not looked at; `bug_compatible` is the environment's TWINLINK_BUG_COMPATIBLE, or NULL. Reads the files. False
 * for want of memory. To be freed in any case; the words must stay. */
bool ref_arguments_read(ref_arguments *arguments, int argc, char *const *argv, const char *bug_compatible);
/* The job, which points into `arguments`. */
ref_job ref_arguments_job(const ref_arguments *arguments);
/* Prints the messages on `errors`, writes the output where the options say; returns the exit code. */
int ref_arguments_finish(const ref_job *job, const ref_result *result, FILE *errors);
/* What -h and -V print, where one was given. */
void ref_arguments_print(const ref_job *job);
/* Part of it: the table of -time. */
void ref_arguments_write_times(const ref_job *job, const ref_result *result);
void ref_arguments_free(ref_arguments *arguments);

#endif
