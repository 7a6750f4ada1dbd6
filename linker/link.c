/* The pipeline: one link from a job in memory to an image and message records, a stage a line.
 *
 * Each stage takes what the earlier ones made and returns one structure. Whatever ends the link early, a fatal
 * diagnostic or memory that runs out, jumps to the two places that tl_link sets; all memory hangs on one arena. */
#include "base/arena.h"
#include "catalog/message.h"
#include "check/check.h"
#include "explain/map.h"
#include "graph/live.h"
#include "input/admission.h"
#include "plan/plan.h"
#include "write/image.h"

#include <stdlib.h>

typedef struct link_state {
  tl_arena arena;
  tl_diagnostics diagnostics;
  jmp_buf on_failure, on_fatal;
  tl_allocator allocator;
} link_state;

static void *link_allocate(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void link_release(void *context, void *block) {
  (void)context;
  free(block);
}

static uint64_t link_input_bytes(const tl_job *job) {
  uint64_t sum = 0;
  for (size_t i = 0; i < job->input_count; i++)
    sum += job->inputs[i].size;
  return sum;
}

static tl_cubin *link_read(const tl_job *job, const tl_admission *admitted, tl_names *names, link_state *state) {
  tl_cubin *const files = tl_arena_new(&state->arena, tl_cubin, admitted->files.count + 1);
  tl_names_init(names, &state->arena);
  for (uint32_t i = 0; i < admitted->files.count; i++) {
    const tl_accepted *const file = &admitted->files.items[i];
    tl_cubin_read(&files[i], &job->inputs[file->input], (uint32_t)file->input, names, &state->arena,
                  &state->diagnostics);
    files[i].virtual_sm = file->virtual_sm;
  }
  return files;
}

static void link_run(const tl_job *job, tl_result *result, link_state *state) {
  tl_arena *const arena = &state->arena;
  tl_diagnostics *const diagnostics = &state->diagnostics;
  const tl_options *const options = &job->options;
  tl_admission admitted;
  tl_names names;
  tl_resolution resolution;
  tl_graph graph;
  tl_layout layout;
  tl_resources resources;
  tl_relocated relocated;
  tl_emitted emitted;
  tl_plan plan;

  tl_admission_run(&admitted, job, arena, diagnostics);
  if (admitted.target->family == TL_ARCH_COMPUTE || diagnostics->errors)
    return; /* E12: the inputs are looked at, nothing is linked; so too after errors made by -Werror */
  const tl_cubin *const files = link_read(job, &admitted, &names, state);
  const uint32_t file_count = (uint32_t)admitted.files.count;
  tl_resolve(&resolution, files, file_count, &names, arena, diagnostics);
  tl_live_mark(&resolution, files, file_count, &names, arena, diagnostics, options->debug);

  tl_module module = {.arena = arena,
                      .diagnostics = diagnostics,
                      .options = options,
                      .names = &names,
                      .files = files,
                      .file_count = file_count,
                      .arch = admitted.target->number,
                      .accelerated = admitted.target->variant == 'a',
                      .eliminates = !options->debug,
                      .keeps_shared = options->debug && !options->suppress_debug_info,
                      .resolution = &resolution};
  tl_merge(&module);
  tl_merge_finish(&module);
  tl_graph_build(&graph, &module, arena);
  tl_check_calls(&module, &graph);
  tl_shared_plan *const shared = tl_layout_plan_shared(&module, &graph, arena);
  tl_layout_create_late_shared(&module, shared);
  const tl_constant_offsets constants = tl_layout_constants(&module, &graph, arena);
  tl_merge_rel_action(&module);
  tl_layout_init(&layout, &module, &constants, arena);
  tl_layout_pool_constants(&layout, &module, arena);
  tl_layout_user_constants(&layout, &module, arena);
  tl_layout_shared(&layout, shared);
  tl_layout_bindless(&layout, &module, &graph, arena);
  tl_resources_find(&resources, &module, &graph, arena);
  tl_check_sizes(&module, &layout);
  tl_check_undefined(&module, arena);
  tl_relocate_run(&relocated, &module, &layout, arena);
  tl_check_callgraph(&module, &graph, &resources, arena);
  tl_check_resources(&module, &graph, &resources, arena);
  tl_check_verbose(&module, &graph, &resources, &layout, arena);
  if (diagnostics->errors)
    return;
  tl_emit(&emitted, &module, &layout, &resources, &relocated, arena);
  tl_plan_make(&plan, &emitted, arena, job->limits.output);
  result->image = tl_image_make(&plan, module.sections.count, options->threads, arena);
  result->image_size = plan.size;
  if (options->want_map)
    result->map = tl_map_make(&plan, &emitted, arena);
}

/* What a result says when there is not even memory for records. */
static const tl_message out_of_memory = {.severity = TL_FATAL,
                                         .code = "E53",
                                         .text = "Memory allocation failure",
                                         .detail = "",
                                         .file = "",
                                         .section = "",
                                         .symbol = "",
                                         .offset = TL_NO_OFFSET};

static void link_finish(tl_result *result, const link_state *state) {
  const tl_diagnostics *const diagnostics = &state->diagnostics;
  const size_t count = diagnostics->messages.count;
  result->messages = diagnostics->messages.items;
  result->message_count = count;
  if (count && diagnostics->messages.items[count - 1].severity == TL_FATAL)
    result->exit_code = 1;
  else if (diagnostics->errors)
    result->exit_code = 255;
  if (result->exit_code)
    result->image = NULL;
}

int tl_link(const tl_job *job, tl_result *result) {
  static const tl_allocator standard = {link_allocate, link_release, NULL};
  const tl_allocator *const allocator = job->allocator ? job->allocator : &standard;
  *result = (tl_result){0};
  link_state *const state = allocator->allocate(allocator->context, sizeof *state);
  tl_job bounded = *job;
  const uint64_t input = link_input_bytes(job);
  if (!bounded.limits.memory)
    bounded.limits.memory = 8 * input + ((uint64_t)64 << 20);
  if (!bounded.limits.output)
    bounded.limits.output = 4 * input + ((uint64_t)1 << 20);
  if (state) {
    *state = (link_state){.allocator = *allocator};
    result->memory = state;
    tl_arena_init(&state->arena, &state->allocator, bounded.limits.memory, &state->on_failure);
    tl_diagnostics_init(&state->diagnostics, &state->arena, &job->options, &state->on_fatal);
  }
  if (!state || setjmp(state->on_failure)) {
    result->image = NULL;
    result->messages = &out_of_memory;
    result->message_count = 1;
    return result->exit_code = 1;
  }
  if (!setjmp(state->on_fatal))
    link_run(&bounded, result, state);
  link_finish(result, state);
  result->memory_peak = state->arena.used;
  return result->exit_code;
}

void tl_result_free(tl_result *result) {
  link_state *const state = result->memory;
  if (state) {
    const tl_allocator allocator = state->allocator;
    tl_arena_release(&state->arena);
    allocator.release(allocator.context, state);
  }
  *result = (tl_result){0};
}
