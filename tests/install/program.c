/* The smallest user of the installed library: a job without inputs gives no image, an exit code and a message. */
#include <twinlink.h>

int main(void) {
  tl_result result;
  tl_job job = {.options = {.arch = "sm_90"}};
  const tl_input input = {.path = "none.cubin", .unreadable = true};
  job.inputs = &input;
  job.input_count = 1;
  int code = tl_link(&job, &result);
  int good = code == 1 && result.exit_code == 1 && !result.image && result.message_count == 1;
  tl_result_free(&result);
  return good ? 0 : 1;
}
