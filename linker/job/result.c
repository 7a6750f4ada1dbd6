/* The library's entry: memory, limits and the two ways in which a link ends early, around the pipeline of link.c. */
#include "job/job.h"

#include "base/memory.h"
#include "catalog/message.h"

/* What a result says when there is not even memory for records. */
static const tl_message out_of_memory = {.severity = TL_FATAL,
                                         .code = "E53",
                                         .text = "Memory allocation failure",
                                         .detail = "",
                                         .file = "",
                                         .section = "",
                                         .symbol = "",
                                         .offset = TL_NO_OFFSET};

/* An image is given by the last stage, behind everything that can be wrong. */
static void link_finish(tl_result *result, const tl_link_state *state) {
  const tl_diagnostics *const diagnostics = &state->diagnostics;
  const size_t count = diagnostics->messages.count;
  result->messages = diagnostics->messages.items;
  result->message_count = count;
  if (count && diagnostics->messages.items[count - 1].severity == TL_FATAL)
    result->exit_code = 1;
  else if (diagnostics->errors)
    result->exit_code = 255;
}

int tl_link(const tl_job *job, tl_result *result) {
  const tl_allocator *const allocator = job->allocator ? job->allocator : &tl_system_memory;
  *result = (tl_result){0};
  tl_link_state *const state = allocator->allocate(allocator->context, sizeof *state);
  tl_job bounded = *job;
  if (!bounded.limits.memory)
    bounded.limits.memory = (job->options.trace ? 64 : 8) * tl_link_input_bytes(job) + ((uint64_t)64 << 20);
  if (state) {
    *state = (tl_link_state){.allocator = *allocator};
    result->memory = state;
    tl_arena_init(&state->arena, &state->allocator, bounded.limits.memory, &state->on_failure);
    tl_diagnostics_init(&state->diagnostics, &state->arena, &job->options, &state->on_fatal);
  }
  if (!state || setjmp(state->on_failure)) {
    result->image = NULL;
    result->image_size = 0;
    result->messages = &out_of_memory;
    result->message_count = 1;
    return result->exit_code = 1;
  }
  if (!setjmp(state->on_fatal))
    tl_link_run(&bounded, result, state);
  link_finish(result, state);
  result->memory_peak = tl_arena_held(&state->arena);
  return result->exit_code;
}

bool tl_result_write(const tl_result *result, tl_sink *sink, void *context) {
  const tl_link_state *const state = result->memory;
  return tl_image_give(&state->image, sink, context);
}

void tl_result_free(tl_result *result) {
  tl_link_state *const state = result->memory;
  if (state) {
    const tl_allocator allocator = state->allocator;
    tl_arena_release(&state->arena);
    allocator.release(allocator.context, state);
  }
  *result = (tl_result){0};
}
