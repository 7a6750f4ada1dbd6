/* One view of a file that carries two (M1). Private to cubin/. */
#ifndef TL_CUBIN_VIEW_H
#define TL_CUBIN_VIEW_H

#include "cubin/cubin.h"

/* After the sections are read and before the symbols are: hides what does not belong to cubin->view and gives the rest its
 * plain names and types. Fatal T1 when a capsule names no SASS text. */
void tl_view_select(tl_cubin *cubin, tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics);

/* True for a file that holds code for nvlink's finalizer (M1), also for one that is linked as SASS because another file is of
 * SASS kind (M4). */
static inline bool tl_view_is_capsule(const tl_cubin *cubin) {
  enum { FLAG_CAPSULE = 2 };
  return cubin->flags & FLAG_CAPSULE;
}

#endif
