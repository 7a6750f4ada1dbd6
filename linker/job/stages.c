/* The stages of one view, each from what the earlier ones made: reading and merging, layout, emission. link.c calls them
 * in order; a capsule link calls them for two views (M3). */
#include "job/job.h"

#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "finalize/barriers.h"
#include "finalize/fences.h"
#include "finalize/moved_lines.h"
#include "finalize/moved_text.h"
#include "finalize/slow.h"
#include "graph/live.h"
#include "relocate/relocate.h"

uint64_t tl_link_input_bytes(const tl_job *job) {
  uint64_t sum = 0;
  for (size_t i = 0; i < job->input_count; i++)
    sum += job->inputs[i].size;
  return sum;
}

void tl_link_phase(tl_link_state *state, const char *name) {
  struct timespec now = state->phase;
  (void)timespec_get(&now, TIME_UTC);
  const int64_t passed =
      ((int64_t)now.tv_sec - state->phase.tv_sec) * 1000000 + (now.tv_nsec - state->phase.tv_nsec) / 1000;
  const uint64_t million = 1000000, time = passed > 0 ? (uint64_t)passed : 0;
  state->phase = now;
  if (!name || !tl_trace_wants(&state->diagnostics, TL_TRACE_TIME))
    return;
  const char *const digits = tl_arena_format(&state->arena, "%u", million + time % million) + 1; /* six, with zeros */
  tl_trace(&state->diagnostics, TL_TRACE_PHASE_TIME, name,
           tl_arena_format(&state->arena, "%u.%s", time / million, digits));
}

/* Which inputs took part, for the registration file (N13c). */
static const bool *link_taken(const tl_job *job, const tl_cubin *files, uint32_t count, tl_arena *arena) {
  bool *const taken = tl_arena_new(arena, bool, job->input_count);
  for (uint32_t i = 0; i < count; i++)
    taken[files[i].input] = true;
  return taken;
}

/* The other view of a capsule: what is changed in a text is decided from both. */
static tl_cubin link_read_other(tl_link_common *c, const tl_accepted *accepted, tl_view view,
                                tl_diagnostics *diagnostics) {
  tl_cubin other = {0};
  const tl_role role = {.view = view == TL_VIEW_MERCURY ? TL_VIEW_SASS : TL_VIEW_MERCURY,
                        .finalized = true,
                        .joined = c->admitted.capsule,
                        .barriers = tl_barriers_asked(&c->job->options)};
  tl_cubin_read(&other, &c->job->inputs[accepted->input], (uint32_t)accepted->input, role, &c->names, &c->state->arena,
                diagnostics);
  return other;
}

/* M43, L134: kernels of capsules get error barriers before EXIT. */
static void link_add_barriers(tl_link_common *c, const tl_accepted *accepted, tl_cubin *file,
                              tl_diagnostics *diagnostics) {
  tl_arena *const arena = &c->state->arena;
  const bool joined = c->admitted.capsule;
  const bool leaves = tl_mode_of(&c->job->options)->final && !tl_barriers_asked(&c->job->options); /* L764 */
  const bool reads = joined || (!file->unreadable && tl_barriers_want_entries(file));              /* L1886 */
  const tl_cubin other = reads ? link_read_other(c, accepted, file->view, diagnostics) : (tl_cubin){0};
  if (file->unreadable || other.unreadable) /* of one view there is no symbol, while the other has its texts */
    return;
  const bool mercury = file->view == TL_VIEW_MERCURY;
  const tl_cubin *const sass = mercury ? &other : file, *const beside = mercury ? file : reads ? &other : NULL;
  const tl_barriers barriers = tl_barriers_choose(sass, beside, joined, leaves, arena);
  if (mercury)
    tl_barriers_add_records(file, &other, barriers, arena);
  else
    tl_barriers_add(file, beside, barriers, arena);
  if (!mercury && !joined) /* joined views make theirs of Mercury's */
    tl_lines_moved(file, &c->names, arena);
  if (mercury || joined || !tl_jumps_move(file, arena))
    return;
  const tl_cubin entries = link_read_other(c, accepted, file->view, diagnostics);
  if (!entries.unreadable)
    tl_jumps_moved(file, &entries, arena);
}

/* L1050: namesakes of code without optimisation become such code, and it has the times of such code (L1640). */
static void link_slow_down(tl_link_common *c, const tl_accepted *accepted, tl_cubin *file,
                           tl_diagnostics *diagnostics) {
  tl_arena *const arena = &c->state->arena;
  const bool mercury = file->view == TL_VIEW_MERCURY;
  if (!mercury && !file->unreadable)
    tl_slow_mend(file, arena);
  if (!tl_defect_matched(&c->job->options, TL_DEFECT_D113) || !tl_slow_may_stand(file, arena))
    return;
  tl_cubin other = link_read_other(c, accepted, file->view, diagnostics);
  if (file->unreadable || other.unreadable)
    return;
  if (mercury)
    tl_slow_mend(&other, arena);
  const tl_slow slow = tl_slow_choose(mercury ? &other : file, mercury ? file : &other, arena);
  if (mercury)
    tl_slow_change_records(file, &other, &slow, arena);
  else
    tl_slow_change(file, &slow, arena);
}

/* M44, L691: leaf kernels of capsules lose the loads before fences. */
static void link_drop_fences(tl_link_common *c, const tl_accepted *accepted, tl_cubin *file,
                             tl_diagnostics *diagnostics) {
  tl_arena *const arena = &c->state->arena;
  const tl_input *const input = &c->job->inputs[accepted->input];
  if (!tl_fences_may_stand(input->data, input->size))
    return;
  const tl_cubin other = link_read_other(c, accepted, file->view, diagnostics);
  if (file->unreadable || other.unreadable)
    return;
  if (file->view == TL_VIEW_MERCURY)
    tl_fences_drop_records(file, &other, tl_fences_choose(&other, file, arena), arena);
  else
    tl_fences_drop(file, tl_fences_choose(file, &other, arena), arena);
}

static tl_cubin *link_read(tl_link_common *c, tl_view view, tl_diagnostics *diagnostics) {
  const tl_admission *const admitted = &c->admitted;
  tl_cubin *const files = tl_arena_new(&c->state->arena, tl_cubin, admitted->files.count);
  static const char cap[] = ".nv.reservedSmem.cap";
  bool *const alone = tl_arena_new(&c->state->arena, bool, admitted->files.count);
  const bool final = tl_mode_of(&c->job->options)->final;
  bool sass = admitted->capsule, shown = tl_barriers_asked(&c->job->options);
  const bool fences = final && admitted->capsule && !tl_barriers_asked(&c->job->options);
  for (uint32_t i = 0; i < admitted->files.count; i++) {
    const tl_accepted *const file = &admitted->files.items[i];
    sass |= !file->capsule;
    alone[i] = admitted->capsule || !sass; /* mixed: those before the first file of SASS kind (L134) */
    const tl_role role = {.view = view,
                          .finalized = alone[i],
                          .joined = admitted->capsule,
                          .barriers = tl_barriers_asked(&c->job->options)};
    tl_cubin_read(&files[i], &c->job->inputs[file->input], (uint32_t)file->input, role, &c->names, &c->state->arena,
                  diagnostics);
    shown |= admitted->capsule && tl_barriers_file_asks(&files[i]); /* L143, L764 */
    if (alone[i] && (!final || tl_mode_of(&c->job->options)->records_applied))
      tl_cubin_number_constants(&files[i], &c->names, &c->state->arena);
    files[i].virtual_sm = file->virtual_sm;
    files[i].old = file->old;
    files[i].few_parameters = file->few_parameters;
    files[i].keeps_groups = file->keeps_groups;
    files[i].system = file->system && !c->job->options.keep_system;
    if (!sass &&
        files[i]
            .writes_reserved) /* L102: mixed links forget what a capsule before the first SASS-kind file says of it */
      tl_cubin_forget_mention(&files[i], tl_names_intern(&c->names, cap, sizeof cap - 1));
  }
  for (uint32_t i = 0; i < admitted->files.count; i++)
    if (alone[i] && admitted->files.items[i].capsule)
      link_slow_down(c, &admitted->files.items[i], &files[i], diagnostics);
  for (uint32_t i = 0; shown && i < admitted->files.count; i++)
    if (alone[i])
      link_add_barriers(c, &admitted->files.items[i], &files[i], diagnostics);
  for (uint32_t i = 0; fences && i < admitted->files.count; i++)
    if (!shown || tl_barriers_file_asks(&files[i])) /* L764 */
      link_drop_fences(c, &admitted->files.items[i], &files[i], diagnostics);
  return files;
}

static tl_module link_module(const tl_link_common *c, const tl_link_stages *s, tl_names *names, const tl_cubin *files,
                             uint32_t file_count) {
  const tl_options *const options = &c->job->options;
  const tl_mode *const mode = tl_mode_of(options);
  const bool by_name = options->debug && !options->suppress_debug_info;
  return (tl_module){.arena = &c->state->arena,
                     .diagnostics = s->diagnostics,
                     .options = options,
                     .names = names,
                     .files = files,
                     .view = s->view,
                     .capsule = c->admitted.capsule,
                     .beside = s->beside,
                     .admitted_count = (uint32_t)c->admitted.files.count,
                     .file_count = file_count,
                     .arch = c->admitted.target->number,
                     .accelerated = c->admitted.target->accelerated,
                     .mode = mode,
                     .index = c->job->index ? &c->index : NULL,
                     .eliminates = mode->eliminates && !options->debug,
                     .keeps_shared = !mode->final || mode->records_applied || by_name,
                     .extern_by_name = by_name,
                     .resolution = &s->resolution};
}

/* Files to laid out module. */
void tl_link_build(tl_link_common *c, tl_link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  tl_cubin *const files = link_read(c, s->view, s->diagnostics);
  if (s->diagnostics == &c->state->diagnostics) /* not for the second view, which says nothing */
    tl_link_phase(c->state, "read");
  c->lacks_runtime =
      c->admitted.runtime &&
      (c->job->options.keep_system || tl_merge_misses_function(files, c->admitted.before_runtime, &c->names, arena));
  const uint32_t file_count = tl_merge_choose_files(files, (uint32_t)c->admitted.files.count, &c->names, arena);
  c->taken = link_taken(c->job, files, file_count, arena);
  s->module = link_module(c, s, &c->names, files, file_count);
  tl_resolve(&s->resolution, files, file_count, s->module.options, &c->names, arena, s->diagnostics);
  tl_live_mark(&s->resolution, files, file_count, &c->names, arena, s->diagnostics, !s->module.eliminates);
  tl_merge(&s->module);
  tl_merge_check_statics(&s->module);
  tl_merge_finish(&s->module);
  tl_graph_build(&s->graph, &s->module, arena);
}

/* Nothing is laid out for a relocatable output but the sizes of shared memory (W9.11). */
static void link_lay_out_relocatable(tl_link_stages *s, tl_arena *arena) {
  tl_instances *const instances = tl_layout_create_instances(&s->module, arena);
  tl_merge_move_aliased(&s->module);
  const tl_constant_offsets none = {tl_arena_new(arena, uint64_t, 1), 0};
  tl_layout_init(&s->layout, &s->module, &none, arena);
  tl_layout_relocatable(&s->layout, instances);
}

void tl_link_lay_out(tl_link_stages *s, tl_arena *arena) {
  if (!s->module.mode->final) {
    link_lay_out_relocatable(s, arena);
    return;
  }
  const tl_unified_plan unified = tl_layout_plan_unified(&s->module, arena);
  tl_shared_plan *const shared = tl_layout_plan_shared(&s->module, &s->graph, arena);
  const tl_bindless_plan bindless = tl_layout_plan_bindless(&s->module, &s->graph, arena);
  tl_layout_create_late_shared(&s->module, shared); /* behind the tables that the Mercury view has (L664) */
  const tl_constant_offsets constants = tl_layout_constants(&s->module, &s->graph, arena);
  tl_merge_move_aliased(&s->module);
  if (s->module.view == TL_VIEW_SASS)
    tl_merge_rel_action(&s->module);
  tl_layout_init(&s->layout, &s->module, &constants, arena);
  tl_layout_pool_constants(&s->layout, &s->module, arena);
  tl_layout_user_constants(&s->layout, &s->module, arena);
  tl_layout_unified(&s->layout, &s->module, &unified, arena);
  tl_layout_shared(&s->layout, shared);
  tl_layout_reserved_shared(&s->layout, &s->module, arena);
  tl_layout_bindless(&s->layout, &s->module, &bindless, arena);
}

/* Every kernel has its own copy of the compiler constants that it reaches: 64 KB in all can come to 64 KB a kernel, which
 * no multiple of the input's size covers. */
uint64_t tl_link_output_limit(const tl_job *job, const tl_link_stages *s) {
  if (job->limits.output)
    return job->limits.output;
  uint64_t copies = 0;
  for (size_t i = 1; i < s->module.sections.count; i++)
    if (s->module.sections.items[i].type == SHT_CUDA_CONSTANT0 + 2)
      copies += s->layout.section_size[i];
  return 4 * tl_link_input_bytes(job) + copies + ((uint64_t)1 << 20);
}

/* nvlink finds out while it writes the section; here nothing has been written (L230). */
static void link_check_sizes(tl_link_stages *s, tl_arena *arena) {
  if (s->module.overlapping == TL_NONE)
    return;
  if (tl_trace_wants(s->diagnostics, TL_TRACE_LAYOUT)) /* symbols are counted before */
    tl_emit_begin(&s->emitted, &s->module, &s->layout, &s->resources, &s->relocated, arena);
  const char *const name = tl_module_text(&s->module, s->module.sections.items[s->module.overlapping].name);
  tl_diagnostics_add(s->diagnostics, tl_message_row_of(TL_MESSAGE_SECTION_SIZE),
                     (tl_site){NULL, name, NULL, TL_NO_OFFSET}, NULL, name);
}

void tl_link_emit(const tl_link_common *c, tl_link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  link_check_sizes(s, arena);
  tl_emit(&s->emitted, &s->module, &s->layout, &s->resources, &s->relocated, arena);
  tl_emit_renumber_unified(&s->emitted, &s->relocated);
  tl_plan_make(&s->plan, &s->emitted, arena, tl_link_output_limit(c->job, s));
}

tl_linked_view tl_link_linked(const tl_link_common *c, const tl_link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  tl_image image;
  tl_image_prepare(&image, &s->plan, s->module.sections.count, c->job->limits.part, arena);
  return (tl_linked_view){&s->module, &s->emitted, &s->plan, tl_image_make(&image, c->job->options.threads, arena)};
}
