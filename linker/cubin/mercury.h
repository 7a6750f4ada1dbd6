/* What nvlink's finalizer takes for granted of a capsule's Mercury sections. Private to cubin/. */
#ifndef TL_CUBIN_MERCURY_H
#define TL_CUBIN_MERCURY_H

#include "cubin/cubin.h"

/* Before the view is selected: the sections still have their own names and types, and every capsule names its SASS text.
 * Fatal where nvlink ends with a message, crashes or goes on with what lies behind a table. */
void tl_mercury_check(const tl_cubin *cubin, const tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics);
/* The same of the SASS side of a file whose Mercury view, which is read first, has passed it: what that view has made anew. */
void tl_mercury_check_words(const tl_cubin *cubin, const tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics);

#endif
