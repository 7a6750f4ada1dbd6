/* Which input files take part in the link: extension and content (C20-C23), then the checks of one cubin in nvlink's
 * order (C25-C28, C34-C36, steps 1-8 of C76), file by file in command order, the first bad file ending the link (C77). */
#ifndef TL_INPUT_ADMISSION_H
#define TL_INPUT_ADMISSION_H

#include "base/diagnostics.h"
#include "catalog/architecture.h"

/* An input that takes part. The header is checked, section and segment tables and all section bytes lie in the file;
 * everything else is for tl_cubin_read. */
typedef struct tl_accepted {
  size_t input;        /* index in the job */
  uint16_t virtual_sm; /* of .note.nv.cuinfo (F78) */
  bool old;            /* no such note, or one of a toolkit before 10.0 (L191) */
  bool few_parameters; /* likewise of one before 12.1 (L460) */
  bool keeps_groups;   /* likewise of one before 13.0 (L1135) */
  bool accelerated;    /* made for an "a" variant (F56) */
  bool ewp;            /* e_type 0xff00: E45 names every other file (C28) */
  bool capsule;        /* SASS and Mercury, e_flags says so (F11, M1) */
  bool system;         /* the path contains "cudadevrt": taken only where a function is missing (C46) */
} tl_accepted;

typedef struct tl_admission {
  const tl_architecture *target;
  TL_VECTOR(tl_accepted) files; /* in command order */
  bool some_ewp;                /* of those admitted so far some are -ewp objects, */
  bool some_capsule, some_sass; /* capsules, and files of SASS kind */
  bool capsule;                 /* sm_100 and later, and all of them capsules: a capsule link (M3, M4) */
  const char *runtime;          /* the first archive of the runtime with device code, which is not read; NULL: none */
  size_t before_runtime;        /* how many of the files stand in front of it */
} tl_admission;

/* Adds a fatal record, and does not return, for an unknown or unsupported target; then for the first bad file. An index is
 * read in between (L657). `result` lives in `arena`. */
void tl_admission_begin(tl_admission *result, const tl_job *job, tl_arena *arena, tl_diagnostics *diagnostics);
void tl_admission_check(tl_admission *result, const tl_job *job, tl_arena *arena, tl_diagnostics *diagnostics);
/* Both. */
void tl_admission_run(tl_admission *result, const tl_job *job, tl_arena *arena, tl_diagnostics *diagnostics);
/* Fatal T4, and does not return: result->runtime would be taken, and is not read. */
void tl_admission_refuse_runtime(const tl_admission *result, tl_diagnostics *diagnostics);

#endif
