/* The archive of --reproduce: everything that a bug report needs. A ustar file with the inputs under safe names, the
 * arguments, versions, messages, exit code, the result if there is one, and run.sh, which links again. Nothing in it
 * depends on time, user or machine. */
#ifndef TL_WRITE_REPRODUCE_H
#define TL_WRITE_REPRODUCE_H

#include "base/text.h"

typedef struct tl_reproduction {
  const tl_job *job;
  const tl_result *result;
  tl_texts typed;     /* the words of the command line as they were */
  tl_texts arguments; /* the words of run.sh before the inputs */
  size_t input_count; /* of the job's inputs, those that stand on the command line */
} tl_reproduction;

/* The archive, in the arena, `*size` bytes. NULL when an input is too large for the format (8 GiB). */
const void *tl_reproduce_archive(const tl_reproduction *reproduction, tl_arena *arena, size_t *size);

#endif
