/* Loads of nothing before fences, left out of leaf kernels before files are merged (M44, L691). */
#ifndef TL_FINALIZE_FENCES_H
#define TL_FINALIZE_FENCES_H

#include "cubin/cubin.h"

/* Whether a file may have a text with such loads, or with error barriers (L1799): what the others cost is spent only then. Texts begin at multiples of 16. */
bool tl_fences_may_stand(const uint8_t *bytes, uint64_t size);
/* L1833: whether a text stores to surfaces; then the MEMBAR of its error barriers stands, a leaf's too. */
bool tl_fences_for_surfaces(const uint8_t *bytes, uint64_t size);
/* By section of the file: the SASS texts that lose them, and what each needs of them. */
typedef struct tl_fences {
  const bool *texts;
  const struct fences_needs *needs;

} tl_fences;

/* Both views as read. */
tl_fences tl_fences_choose(const tl_cubin *sass, const tl_cubin *mercury, tl_arena *arena);
void tl_fences_drop(tl_cubin *sass, tl_fences fences, tl_arena *arena);
/* The same for the capsules; `sass` is as read. */
void tl_fences_drop_records(tl_cubin *mercury, const tl_cubin *sass, tl_fences fences, tl_arena *arena);

#endif
