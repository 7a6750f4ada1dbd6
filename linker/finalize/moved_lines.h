/* Rows of line tables of texts that were changed before files are merged (L1884). */
#ifndef TL_FINALIZE_MOVED_LINES_H
#define TL_FINALIZE_MOVED_LINES_H

#include "cubin/cubin.h"

/* Moves the rows of a SASS side's line tables to where the places in its changed texts went. */
void tl_lines_moved(tl_cubin *sass, const tl_names *names, tl_arena *arena);

#endif
