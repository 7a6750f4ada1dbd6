/* oracle/reference/main.c for the hunt: the ids of the messages that it prints, a line each, in the file `codes`, as
 * guarded_main.c has the linker's. */
#include "arguments.h"

#include <stdio.h>

static int guarded_finish(const ref_job *job, const ref_result *result, FILE *errors) {
  FILE *codes = NULL;
  for (size_t i = 0; i < result->message_count; i++) {
    const ref_message *const message = &result->messages[i];
    if (message->severity == REF_LINE || (!codes && !(codes = fopen("codes", "a"))))
      continue;
    (void)fprintf(codes, "%s\n", message->id[0] == 'E' ? message->id : "own");
  }
  if (codes)
    (void)fclose(codes);
  return ref_arguments_finish(job, result, errors);
}

#define ref_arguments_finish guarded_finish
#include "oracle/reference/main.c"
