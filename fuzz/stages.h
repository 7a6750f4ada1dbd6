/* A link of the linker as far as a target wants it, stage by stage, and a look at what the stages made. */
#ifndef FUZZ_STAGES_H
#define FUZZ_STAGES_H

#include "fuzz/envelope.h"

#include "job/job.h"

typedef enum fuzz_until { FUZZ_ADMITTED, FUZZ_MERGED, FUZZ_LAID_OUT, FUZZ_RELOCATED } fuzz_until;

/* What is wrong with what was made, NULL when nothing is. A fatal record ends it, as it ends a link. */
typedef const char *fuzz_look(tl_link_common *common, tl_link_stages *stages);

/* NULL also where a fatal record, or the words, ended the link before. */
const char *fuzz_stages_run(const fuzz_envelope *envelope, fuzz_until until, fuzz_look *look);
/* The body of a target: the envelope that the input stands for, looked at, and what is wrong kept as a finding. */
void fuzz_stages_target(const char *target, fuzz_until until, fuzz_look *look, const uint8_t *bytes, size_t size);

#endif
