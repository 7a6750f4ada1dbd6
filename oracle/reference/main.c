/* twinlink-ref: the reference linker as a program. */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  ref_arguments arguments;
  if (!ref_arguments_read(&arguments, argc, argv, getenv("TWINLINK_BUG_COMPATIBLE"))) {
    (void)fprintf(stderr, "twinlink-ref: no memory\n");
    ref_arguments_free(&arguments);
    return 1;
  }
  const ref_job job = ref_arguments_job(&arguments);
  ref_result result = ref_reference_link(&job);
  const int exit_code = ref_arguments_finish(&job, &result, stderr);
  if (exit_code == 0) {
    ref_arguments_print(&job);
  }
  ref_result_free(&result);
  ref_arguments_free(&arguments);
  return exit_code;
}
