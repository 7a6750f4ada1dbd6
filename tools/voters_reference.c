/* The reference's vote in process: the same words, the same functions as its program. */
#include "voters_calls.h"

#include "process.h"

#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>

static void reference_write_ids(const ref_result *result, const char *path) {
  FILE *const file = fopen(path, "wbe");
  for (size_t i = 0; file && i < result->message_count; i++)
    fprintf(file, "%s\n", result->messages[i].id);
  if (file)
    fclose(file);
}

static int reference_finish(const ref_job *job, const ref_result *result, const char *output) {
  ref_result_print(job, result, stderr);
  ref_arguments_write_times(job, result);
  return result->bytes && !process_write_file(output, result->bytes, result->size) ? 1 : result->exit_code;
}

int voters_call_reference(int argc, char *const *argv, const char *output, const char *ids) {
  ref_arguments arguments;
  int code = 1;
  if (ref_arguments_read(&arguments, argc, argv, NULL)) {
    const ref_job job = ref_arguments_job(&arguments);
    ref_result result = ref_reference_link(&job);
    code = output ? reference_finish(&job, &result, output) : ref_arguments_finish(&job, &result, stderr);
    if (code == 0)
      ref_arguments_print(&job);
    reference_write_ids(&result, ids);
    ref_result_free(&result);
  } else {
    fprintf(stderr, "twinlink-ref: no memory\n");
  }
  ref_arguments_free(&arguments);
  return code;
}
