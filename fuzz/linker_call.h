/* An envelope as a job of the linker: words read, inputs in place, memory under the caller's conditions. Only for what
 * sees the linker's headers: its voter, and the targets that run a part of a link (stages.h). */
#ifndef FUZZ_LINKER_CALL_H
#define FUZZ_LINKER_CALL_H

#include "fuzz/voter.h"

#include "base/diagnostics.h"
#include "command.h"

typedef struct fuzz_linker_call {
  tl_arena arena; /* of the words */
  tl_diagnostics diagnostics;
  tl_command command;
  jmp_buf out;
  tl_allocator allocator;
  fuzz_conditions own; /* where the caller has none */
  tl_input inputs[FUZZ_FILES], index;
  tl_job job;
  tl_result result;
  uint8_t *given; /* an output that came in parts, put together */
  bool refused;   /* the grammar refuses the words, or warns of them */
  bool linked;
} fuzz_linker_call;

/* The envelope and the conditions (NULL: none) must outlive the call. */
fuzz_linker_call *fuzz_linker_call_new(const fuzz_envelope *envelope, fuzz_conditions *conditions);
void fuzz_linker_call_free(void *call);

#endif
