/* The pipeline: one link from a job in memory to an image and message records, a stage a line.
 *
 * Each stage takes what the earlier ones made and returns one structure. Whatever ends the link early, a fatal
 * diagnostic or memory that runs out, jumps to the two places that tl_link sets; all memory hangs on one arena. */
#include "base/arena.h"
#include "base/memory.h"
#include "catalog/message.h"
#include "cubin/elf.h"
#include "diagnose/diagnose.h"
#include "explain/map.h"
#include "finalize/finalize.h"
#include "graph/live.h"
#include "input/admission.h"
#include "plan/plan.h"
#include "write/image.h"

/* From this many bytes of input on the first block is an eighth of them: the least that a link takes. */
static const uint64_t worth_expecting = (uint64_t)1 << 20;

typedef struct link_state {
  tl_arena arena;
  tl_diagnostics diagnostics;
  jmp_buf on_failure, on_fatal;
  tl_allocator allocator;
  tl_image image;
} link_state;

static uint64_t link_input_bytes(const tl_job *job) {
  uint64_t sum = 0;
  for (size_t i = 0; i < job->input_count; i++)
    sum += job->inputs[i].size;
  return sum;
}

/* Everything that one view of a link makes, stage by stage (M3). */
typedef struct link_stages {
  tl_view view;
  tl_diagnostics *diagnostics;
  tl_resolution resolution;
  tl_module module;
  tl_graph graph;
  tl_layout layout;
  tl_resources resources;
  tl_relocated relocated;
  tl_emitted emitted;
  tl_plan plan;
} link_stages;

/* Which inputs took part, for the registration file (N13c). */
static const bool *link_taken(const tl_job *job, const tl_cubin *files, uint32_t count, tl_arena *arena) {
  bool *const taken = tl_arena_new(arena, bool, job->input_count + 1);
  for (uint32_t i = 0; i < count; i++)
    taken[files[i].input] = true;
  return taken;
}

/* What the views of a link have in common. */
typedef struct link_common {
  const tl_job *job;
  link_state *state;
  tl_admission admitted;
  tl_names names;
  const bool *taken; /* by input */
} link_common;

static tl_cubin *link_read(link_common *c, tl_view view, tl_diagnostics *diagnostics) {
  const tl_admission *const admitted = &c->admitted;
  tl_cubin *const files = tl_arena_new(&c->state->arena, tl_cubin, admitted->files.count + 1);
  static const char cap[] = ".nv.reservedSmem.cap";
  bool sass = admitted->capsule;
  for (uint32_t i = 0; i < admitted->files.count; i++) {
    const tl_accepted *const file = &admitted->files.items[i];
    sass |= !file->capsule;
    tl_cubin_read(&files[i], &c->job->inputs[file->input], (uint32_t)file->input, view, &c->names, &c->state->arena,
                  diagnostics);
    files[i].virtual_sm = file->virtual_sm;
    files[i].old = file->old;
    files[i].system = file->system && !c->job->options.keep_system;
    if (!sass) /* L102: mixed links forget what a capsule before the first SASS-kind file says of it */
      tl_cubin_forget_mention(&files[i], tl_names_intern(&c->names, cap, sizeof cap - 1));
  }
  return files;
}

static tl_module link_module(const link_common *c, const link_stages *s, tl_names *names, const tl_cubin *files,
                             uint32_t file_count) {
  const tl_options *const options = &c->job->options;
  return (tl_module){.arena = &c->state->arena,
                     .diagnostics = s->diagnostics,
                     .options = options,
                     .names = names,
                     .files = files,
                     .view = s->view,
                     .capsule = c->admitted.capsule,
                     .admitted_count = (uint32_t)c->admitted.files.count,
                     .file_count = file_count,
                     .arch = c->admitted.target->number,
                     .accelerated = c->admitted.target->variant == 'a',
                     .eliminates = !options->debug,
                     .keeps_shared = options->debug && !options->suppress_debug_info,
                     .resolution = &s->resolution};
}

static void link_lay_out(link_stages *s, tl_arena *arena) {
  tl_shared_plan *const shared = tl_layout_plan_shared(&s->module, &s->graph, arena);
  tl_layout_create_late_shared(&s->module, shared);
  const tl_bindless_plan bindless = tl_layout_plan_bindless(&s->module, &s->graph, arena);
  const tl_constant_offsets constants = tl_layout_constants(&s->module, &s->graph, arena);
  if (s->module.view == TL_VIEW_SASS)
    tl_merge_rel_action(&s->module);
  tl_layout_init(&s->layout, &s->module, &constants, arena);
  tl_layout_pool_constants(&s->layout, &s->module, arena);
  tl_layout_user_constants(&s->layout, &s->module, arena);
  tl_layout_shared(&s->layout, shared);
  tl_layout_reserved_shared(&s->layout, &s->module);
  tl_layout_bindless(&s->layout, &s->module, &bindless, arena);
}

/* Files to laid out module. */
static void link_build(link_common *c, link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  tl_cubin *const files = link_read(c, s->view, s->diagnostics);
  const uint32_t file_count = tl_merge_choose_files(files, (uint32_t)c->admitted.files.count, &c->names, arena);
  c->taken = link_taken(c->job, files, file_count, arena);
  tl_resolve(&s->resolution, files, file_count, &c->names, arena, s->diagnostics);
  tl_live_mark(&s->resolution, files, file_count, &c->names, arena, s->diagnostics, c->job->options.debug);
  s->module = link_module(c, s, &c->names, files, file_count);
  tl_merge(&s->module);
  tl_merge_finish(&s->module);
  tl_graph_build(&s->graph, &s->module, arena);
}

/* The view whose messages count; false after errors. */
static bool link_first_view(link_common *c, link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  link_build(c, s);
  tl_diagnose_calls(&s->module, &s->graph);
  link_lay_out(s, arena);
  tl_resources_find(&s->resources, &s->module, &s->graph, arena);
  tl_diagnose_sizes(&s->module, &s->layout);
  tl_relocate_check_early(&s->module, &s->layout);
  tl_diagnose_undefined(&s->module, arena);
  tl_relocate_run(&s->relocated, &s->module, &s->layout, arena);
  tl_diagnose_callgraph(&s->module, &s->graph, &s->resources, arena);
  tl_diagnose_resources(&s->module, &s->graph, &s->resources, arena);
  tl_diagnose_verbose(&s->module, &s->graph, &s->resources, &s->layout, arena);
  return !s->diagnostics->errors;
}

/* The SASS view beside a Mercury view that linked: the same stages. What it has to say the other has said already, so
 * its messages are dropped; it ends the link only when it contradicts the other view. */
static bool link_second_view(link_common *c, link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  jmp_buf on_fatal;
  tl_options options = c->job->options;
  options.disable_infos = true;
  tl_diagnostics quiet;
  tl_diagnostics_init(&quiet, arena, &options, &on_fatal);
  s->diagnostics = &quiet;
  if (setjmp(on_fatal))
    return false;
  link_build(c, s);
  link_lay_out(s, arena);
  tl_resources_find(&s->resources, &s->module, &s->graph, arena);
  tl_relocate_run(&s->relocated, &s->module, &s->layout, arena);
  return !quiet.errors;
}

/* Every kernel has its own copy of the compiler constants that it reaches: 64 KB in all can come to 64 KB a kernel, which
 * no multiple of the input's size covers. */
static uint64_t link_output_limit(const tl_job *job, const link_stages *s) {
  if (job->limits.output)
    return job->limits.output;
  uint64_t copies = 0;
  for (size_t i = 1; i < s->module.sections.count; i++)
    if (s->module.sections.items[i].type == SHT_CUDA_CONSTANT0 + 2)
      copies += s->layout.section_size[i];
  return 4 * link_input_bytes(job) + copies + ((uint64_t)1 << 20);
}

static void link_emit(const link_common *c, link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  tl_emit(&s->emitted, &s->module, &s->layout, &s->resources, &s->relocated, arena);
  tl_plan_make(&s->plan, &s->emitted, arena, link_output_limit(c->job, s));
}

static tl_linked_view link_linked(const link_common *c, const link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  tl_image image;
  tl_image_prepare(&image, &s->plan, s->module.sections.count, arena);
  return (tl_linked_view){&s->module, &s->emitted, &s->plan, tl_image_make(&image, c->job->options.threads, arena)};
}

/* Under its own name the linker says where a kernel's text is not what nvlink would write. */
static void link_report_kept(const link_stages *s, const tl_finalized *finalized) {
  for (size_t i = 0; i < finalized->remade.count && !s->module.options->identity_nvlink; i++) {
    const tl_remade *const one = &finalized->remade.items[i];
    const char *const name = tl_module_text(&s->module, s->module.symbols.items[one->symbol].name);
    if (one->what != TL_REMAKE_SURE)
      tl_diagnostics_add(s->diagnostics, tl_message_row_of(TL_MESSAGE_KEPT_TEXT),
                         (tl_site){NULL, NULL, name, TL_NO_OFFSET}, NULL, name, tl_remake_text(one->what));
  }
}

/* A capsule link: both views, joined (M3). */
static bool link_capsules(link_common *c, link_stages *s, tl_finalized *finalized) {
  tl_arena *const arena = &c->state->arena;
  link_stages sass = {.view = TL_VIEW_SASS};
  if (!link_first_view(c, s))
    return false;
  if (!link_second_view(c, &sass)) {
    const char *const path = c->admitted.files.count ? s->module.files[0].path : "";
    tl_diagnostics_add(s->diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), (tl_site){path, NULL, NULL, TL_NO_OFFSET},
                       NULL, path, "its SASS view does not link as its Mercury view does");
  }
  sass.module.diagnostics = s->diagnostics;
  tl_finalize_capsules(&s->relocated, &s->module, &sass.module, arena);
  link_emit(c, s);
  link_emit(c, &sass);
  const tl_linked_view mercury = link_linked(c, s), plain = link_linked(c, &sass);
  tl_finalize(finalized, &mercury, &plain, arena, link_output_limit(c->job, s));
  link_report_kept(s, finalized);
  return true;
}

static void link_give(const link_common *c, const tl_plan *plan, size_t sections, tl_result *result) {
  tl_arena *const arena = &c->state->arena;
  tl_image_prepare(&c->state->image, plan, sections, arena);
  result->image_size = plan->size;
  if (c->job->streamed)
    tl_image_take_buffer(&c->state->image, arena);
  else
    result->image = tl_image_make(&c->state->image, c->job->options.threads, arena);
}

static void link_run(const tl_job *job, tl_result *result, link_state *state) {
  tl_arena *const arena = &state->arena;
  link_common c = {.job = job, .state = state};
  link_stages s = {.diagnostics = &state->diagnostics};
  tl_finalized finalized;

  if (link_input_bytes(job) >= worth_expecting)
    tl_arena_expect(arena, link_input_bytes(job) / 8);
  tl_admission_run(&c.admitted, job, arena, &state->diagnostics);
  if (c.admitted.target->family == TL_ARCH_COMPUTE || state->diagnostics.errors)
    return; /* E12: the inputs are looked at, nothing is linked; so too after errors made by -Werror */
  uint64_t expected = 0;
  for (uint32_t i = 0; i < c.admitted.files.count; i++)
    expected += tl_cubin_estimate_names(&job->inputs[c.admitted.files.items[i].input]);
  tl_names_init(&c.names, arena, expected);
  s.view = c.admitted.capsule ? TL_VIEW_MERCURY : TL_VIEW_SASS;
  const bool linked = c.admitted.capsule ? link_capsules(&c, &s, &finalized) : link_first_view(&c, &s);
  result->taken = c.taken;
  if (!linked)
    return;
  if (!c.admitted.capsule)
    link_emit(&c, &s);
  link_give(&c, c.admitted.capsule ? &finalized.plan : &s.plan, s.module.sections.count, result);
  if (job->options.want_map)
    result->map =
        c.admitted.capsule ? tl_map_capsules(&finalized, &s.emitted, arena) : tl_map_make(&s.plan, &s.emitted, arena);
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
  if (result->exit_code) {
    result->image = NULL;
    result->image_size = 0;
  }
}

int tl_link(const tl_job *job, tl_result *result) {
  const tl_allocator *const allocator = job->allocator ? job->allocator : &tl_system_memory;
  *result = (tl_result){0};
  link_state *const state = allocator->allocate(allocator->context, sizeof *state);
  tl_job bounded = *job;
  if (!bounded.limits.memory)
    bounded.limits.memory = 8 * link_input_bytes(job) + ((uint64_t)64 << 20);
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
  result->memory_peak = tl_arena_held(&state->arena);
  return result->exit_code;
}

bool tl_result_write(const tl_result *result, tl_sink *sink, void *context) {
  const link_state *const state = result->memory;
  return tl_image_give(&state->image, sink, context);
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
