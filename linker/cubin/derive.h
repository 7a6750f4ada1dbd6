/* The SASS side of a capsule as nvlink's finalizer makes it (L497). Private to cubin/. */
#ifndef TL_CUBIN_DERIVE_H
#define TL_CUBIN_DERIVE_H

#include "cubin/cubin.h"

/* Before the view is selected, for a capsule that nvlink's finalizer reads: the sections of the SASS view get the contents
 * that the Mercury view implies. What is not known to follow from it stays as it is. Where the Mercury view is linked too
 * the frames are made of it there. `before`: by section that has got a namesake's contents what it was; others are of type
 * 0. */
void tl_derive_sass(tl_cubin *cubin, const tl_names *names, tl_arena *arena, const tl_cubin_section *before);
/* Before the Mercury view of such a capsule is selected: by section, whether nvlink does not read it, since the SASS side has
 * none like it (L1492). */
const bool *tl_derive_lone(tl_cubin *cubin, const tl_names *names, tl_arena *arena);

#endif
