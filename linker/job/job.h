/* What a link is while it runs: the memory and messages of the job, and what the stages of each view have made so far.
 * Private to link.c and job/. */
#ifndef TL_JOB_JOB_H
#define TL_JOB_JOB_H

#include "base/arena.h"
#include "base/diagnostics.h"
#include "finalize/finalize.h"
#include "input/admission.h"
#include "plan/plan.h"
#include "write/image.h"

#include <setjmp.h>
#include <time.h>

typedef struct tl_link_state {
  tl_arena arena;
  tl_diagnostics diagnostics;
  jmp_buf on_failure, on_fatal;
  tl_allocator allocator;
  tl_image image;
  struct timespec phase; /* when the last phase ended; only with --trace=time */
} tl_link_state;

/* Everything that one view of a link makes, stage by stage (M3). */
typedef struct tl_link_stages {
  tl_view view;
  const tl_module *beside; /* of a capsule link's second view: the first */
  tl_diagnostics *diagnostics;
  tl_resolution resolution;
  tl_module module;
  tl_graph graph;
  tl_layout layout;
  tl_resources resources;
  tl_relocated relocated;
  tl_emitted emitted;
  tl_plan plan;
} tl_link_stages;

/* What the views of a link have in common. */
typedef struct tl_link_common {
  const tl_job *job;
  tl_link_state *state;
  tl_admission admitted;
  tl_index index; /* read when the job has one */
  tl_names names;
  const bool *taken;  /* by input */
  bool lacks_runtime; /* the runtime's archive would be taken, and is not read (L220) */
} tl_link_common;

/* Bytes of all inputs. */
uint64_t tl_link_input_bytes(const tl_job *job);
/* Bytes that the output may have (twinlink.h, limits.output; 0 there: a multiple of the inputs). */
uint64_t tl_link_output_limit(const tl_job *job, const tl_link_stages *s);
/* Files to merged module and call graph. */
void tl_link_build(tl_link_common *c, tl_link_stages *s);
/* An offset for everything. */
void tl_link_lay_out(tl_link_stages *s, tl_arena *arena);
/* Tables and plan of the output. */
void tl_link_emit(const tl_link_common *c, tl_link_stages *s);
/* A view's bytes, for the writer that joins two. */
tl_linked_view tl_link_linked(const tl_link_common *c, const tl_link_stages *s);
/* Z004.123: the trace line of the time since the last call; NULL only starts the clock. */
void tl_link_phase(tl_link_state *state, const char *name);
/* The pipeline (link.c). Fatal diagnostics and memory that runs out leave it through the two jumps of `state`. */
void tl_link_run(const tl_job *job, tl_result *result, tl_link_state *state);

#endif
