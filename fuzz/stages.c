/* The stages of linker/link.c without the messages between them, as its second view runs them (link_second_view). */
#include "fuzz/stages.h"

#include "fuzz/answer.h"
#include "fuzz/generate.h"
#include "fuzz/linker_call.h"

#include "relocate/relocate.h"

#include <stdlib.h>

static const char *stages_go(tl_link_common *c, tl_link_stages *s, fuzz_until until, fuzz_look *look) {
  tl_arena *const arena = &c->state->arena;
  tl_admission_run(&c->admitted, c->job, arena, s->diagnostics);
  if (c->job->index)
    tl_index_read(&c->index, c->job->index, arena, s->diagnostics);
  if (c->admitted.target->family == TL_ARCH_COMPUTE || s->diagnostics->errors)
    return NULL;
  tl_names_init(&c->names, arena, 0);
  s->view = c->admitted.capsule ? TL_VIEW_MERCURY : TL_VIEW_SASS;
  if (until >= FUZZ_MERGED)
    tl_link_build(c, s);
  if (until >= FUZZ_LAID_OUT)
    tl_link_lay_out(s, arena);
  if (until >= FUZZ_RELOCATED) {
    tl_resources_find(&s->resources, &s->module, &s->graph, arena);
    tl_relocate_run(&s->relocated, &s->module, &s->layout, arena);
  }
  return look(c, s);
}

const char *fuzz_stages_run(const fuzz_envelope *envelope, fuzz_until until, fuzz_look *look) {
  fuzz_linker_call *const call = fuzz_linker_call_new(envelope, NULL);
  tl_link_state *const state = fuzz_memory(sizeof *state);
  const char *volatile wrong = NULL;
  *state = (tl_link_state){.allocator = call->allocator};
  tl_arena_init(&state->arena, &state->allocator, (uint64_t)1 << 28, &state->on_failure);
  tl_diagnostics_init(&state->diagnostics, &state->arena, &call->job.options, &state->on_fatal);
  if (!call->refused && !setjmp(state->on_failure) && !setjmp(state->on_fatal)) {
    tl_link_common common = {.job = &call->job, .state = state};
    tl_link_stages stages = {.diagnostics = &state->diagnostics};
    wrong = stages_go(&common, &stages, until, look);
  }
  tl_arena_release(&state->arena);
  free(state);
  fuzz_linker_call_free(call);
  return wrong;
}

void fuzz_stages_target(const char *target, fuzz_until until, fuzz_look *look, const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  fuzz_envelope_of_input(&envelope, bytes, size);
  const char *const wrong = fuzz_stages_run(&envelope, until, look);
  if (wrong)
    fuzz_found(target, wrong, bytes, size);
  fuzz_envelope_free(&envelope);
}
