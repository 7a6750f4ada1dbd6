/* The pipeline: one link from a job in memory to an image and message records, a stage a line.
 *
 * Each stage takes what the earlier ones made and returns one structure. Whatever ends the link early, a fatal
 * diagnostic or memory that runs out, jumps to the two places that tl_link sets; all memory hangs on one arena. */
#include "job/job.h"

#include "catalog/message.h"
#include "diagnose/diagnose.h"
#include "explain/map.h"
#include "relocate/relocate.h"

#include <string.h>

/* From this many bytes of input on the first block is an eighth of them: the least that a link takes. */
static const uint64_t worth_expecting = (uint64_t)1 << 20;

/* The view whose messages count; false after errors. */
static bool link_first_view(tl_link_common *c, tl_link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  tl_link_build(c, s);
  tl_link_phase(c->state, "merge");
  const bool final = s->module.mode->final; /* C51: a relocatable link asks neither for stacks nor for definitions */
  if (final)
    tl_diagnose_calls(&s->module, &s->graph);
  tl_relocate_check_replaced(&s->module);
  tl_link_lay_out(s, arena);
  if (final)
    tl_diagnose_index(&s->module); /* L1023, L1590 */
  tl_resources_find(&s->resources, &s->module, &s->graph, arena);
  tl_link_phase(c->state, "layout");
  tl_relocate_run(&s->relocated, &s->module, &s->layout, arena);
  tl_diagnose_sizes(&s->module, &s->layout); /* L1431 */
  if (final)
    tl_diagnose_undefined(&s->module, arena);
  tl_diagnose_commons(&s->module);
  tl_relocate_check_functions(&s->module);
  if (final)
    tl_diagnose_parameters(&s->module);
  tl_diagnose_two_stacks(&s->module, &s->resources);
  if (final)
    tl_diagnose_callgraph(&s->module, &s->graph, &s->resources, arena);
  if (final)
    tl_diagnose_resources(&s->module, &s->graph, &s->resources, arena);
  tl_link_phase(c->state, "relocate");
  tl_relocate_check_kept(&s->relocated, &s->module, &s->layout);
  if (final)
    tl_diagnose_deleted(&s->module);
  tl_diagnose_unallocated(&s->module, &s->layout);
  tl_diagnose_text_owners(&s->module);
  tl_diagnose_foreign_bytes(&s->module, &s->resources);
  tl_diagnose_verbose(&s->module, &s->graph, &s->resources, &s->layout, arena);
  if (final && !s->diagnostics->errors)
    tl_diagnose_attributes(&s->module, &s->resources);
  if (!s->diagnostics->errors && c->lacks_runtime) /* else E20 has said what is missing */
    tl_admission_refuse_runtime(&c->admitted, s->diagnostics);
  if (!s->diagnostics->errors)
    tl_diagnostics_release(s->diagnostics); /* L560 */
  return !s->diagnostics->errors;
}

/* The SASS view beside a Mercury view that linked: the same stages. What it has to say the other has said already, so
 * its messages are dropped; only when it contradicts the other view, which ends the link, its last message is returned. */
static const tl_message *link_second_view(tl_link_common *c, tl_link_stages *s) {
  tl_arena *const arena = &c->state->arena;
  jmp_buf on_fatal;
  tl_options options = c->job->options;
  options.disable_infos = true;
  options.trace = 0; /* the documents' lines are of the view that nvlink links */
  tl_diagnostics quiet;
  tl_diagnostics_init(&quiet, arena, &options, &on_fatal);
  s->diagnostics = &quiet;
  volatile bool linked = false;
  if (!setjmp(on_fatal)) {
    tl_link_build(c, s);
    tl_link_lay_out(s, arena);
    tl_resources_find(&s->resources, &s->module, &s->graph, arena);
    tl_relocate_run(&s->relocated, &s->module, &s->layout, arena);
    tl_relocate_check_functions(&s->module);
    tl_relocate_check_kept(&s->relocated, &s->module, &s->layout);
    tl_diagnostics_release(&quiet);
    linked = !quiet.errors;
  }
  s->diagnostics = s->module.diagnostics = &c->state->diagnostics;
  return linked ? NULL : &quiet.messages.items[quiet.messages.count - 1];
}

/* What is damaged, and what the finalizer says of it (L167), is passed on as it is. */
static void link_refuse_second_view(const tl_link_common *c, const tl_link_stages *s, const tl_message *why) {
  static const tl_message_id passed_on[] = {TL_MESSAGE_DAMAGED, TL_MESSAGE_FINALIZER};
  const tl_site nowhere = {NULL, NULL, NULL, TL_NO_OFFSET};
  for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
    const tl_message_row row = {why->code, TL_FATAL, "%s"};
    const tl_site site = {why->file, why->section, why->symbol, why->has_offset ? why->offset : TL_NO_OFFSET};
    if (strcmp(why->code, tl_message_row_of(passed_on[i])->code) == 0)
      tl_diagnostics_add(s->diagnostics, &row, site, why->detail, why->text);
  }
  const char *const text =
      tl_arena_format(&c->state->arena, "its SASS view does not link as its Mercury view does: %s", why->text);
  tl_diagnostics_add(s->diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), nowhere, NULL, s->module.files[0].path,
                     text);
}

/* Under its own name the linker says where a kernel's text is not what nvlink would write. */
static void link_report_kept(const tl_link_stages *s, const tl_finalized *finalized) {
  for (size_t i = 0; i < finalized->remade.count && !s->module.options->identity_nvlink; i++) {
    const tl_remade *const one = &finalized->remade.items[i];
    const char *const name = tl_module_text(&s->module, s->module.symbols.items[one->symbol].name);
    if (one->what != TL_REMAKE_SURE && one->what != TL_REMAKE_SHOWN)
      tl_diagnostics_add(s->diagnostics, tl_message_row_of(TL_MESSAGE_KEPT_TEXT),
                         (tl_site){NULL, NULL, name, TL_NO_OFFSET}, NULL, name, tl_remake_text(one->what));
  }
}

/* A capsule link: both views, joined (M3). */
static bool link_capsules(tl_link_common *c, tl_link_stages *s, tl_finalized *finalized) {
  tl_arena *const arena = &c->state->arena;
  tl_link_stages sass = {.view = TL_VIEW_SASS, .beside = &s->module};
  if (!link_first_view(c, s))
    return false;
  tl_finalize_check_code(&s->relocated, &s->module);
  const tl_message *const why = link_second_view(c, &sass);
  if (why)
    link_refuse_second_view(c, s, why);
  const uint64_t table = tl_mode_of(&c->job->options)->final ? sass.layout.tables_begin : sass.layout.bindless_base;
  tl_finalize_capsules(&s->relocated, &s->module, &sass.relocated, &sass.module, table, arena);
  tl_link_emit(c, s);
  tl_link_emit(c, &sass);
  const tl_linked_view mercury = tl_link_linked(c, s), plain = tl_link_linked(c, &sass);
  tl_finalize(finalized, &mercury, &plain, arena, tl_link_output_limit(c->job, s));
  link_report_kept(s, finalized);
  return true;
}

static void link_give(const tl_link_common *c, const tl_plan *plan, size_t sections, tl_result *result) {
  tl_arena *const arena = &c->state->arena;
  tl_image_prepare(&c->state->image, plan, sections, c->job->limits.part, arena);
  result->image_size = plan->size;
  if (c->job->streamed)
    tl_image_take_buffer(&c->state->image, arena);
  else
    result->image = tl_image_make(&c->state->image, c->job->options.threads, arena);
}

void tl_link_run(const tl_job *job, tl_result *result, tl_link_state *state) {
  tl_arena *const arena = &state->arena;
  tl_link_common c = {.job = job, .state = state};
  tl_link_stages s = {.diagnostics = &state->diagnostics};
  tl_finalized finalized = {0};

  if (tl_link_input_bytes(job) >= worth_expecting)
    tl_arena_expect(arena, tl_link_input_bytes(job) / 16);
  tl_link_phase(state, NULL);
  tl_admission_begin(&c.admitted, job, arena, &state->diagnostics);
  if (job->index) /* L657 */
    tl_index_read(&c.index, job->index, arena, &state->diagnostics);
  tl_admission_check(&c.admitted, job, arena, &state->diagnostics);
  if (c.admitted.target->family == TL_ARCH_COMPUTE || state->diagnostics.errors)
    return; /* E12: the inputs are looked at, nothing is linked; so too after errors made by -Werror */
  uint64_t expected = 0;
  for (uint32_t i = 0; i < c.admitted.files.count; i++)
    expected += tl_cubin_estimate_names(&job->inputs[c.admitted.files.items[i].input]);
  tl_names_init(&c.names, arena, expected);
  tl_link_phase(state, "init");
  s.view = c.admitted.capsule ? TL_VIEW_MERCURY : TL_VIEW_SASS;
  const bool linked = c.admitted.capsule ? link_capsules(&c, &s, &finalized) : link_first_view(&c, &s);
  result->taken = c.taken;
  if (!linked)
    return;
  if (!c.admitted.capsule)
    tl_link_emit(&c, &s);
  tl_link_phase(state, "finalize");
  link_give(&c, c.admitted.capsule ? &finalized.plan : &s.plan, s.module.sections.count, result);
  tl_link_phase(state, "write");
  if (job->options.want_map)
    result->map =
        c.admitted.capsule ? tl_map_capsules(&finalized, &s.emitted, arena) : tl_map_make(&s.plan, &s.emitted, arena);
}
