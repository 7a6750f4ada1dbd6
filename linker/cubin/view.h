/* One view of a file that carries two (M1). Private to cubin/. */
#ifndef TL_CUBIN_VIEW_H
#define TL_CUBIN_VIEW_H

#include "cubin/cubin.h"

/* After the sections are read and before the symbols are: hides what does not belong to cubin->view. */
void tl_view_select(tl_cubin *cubin);
/* While a symbol is read: of a capsule in a mixed link .nv.reservedSmem.cap does not count (L102). */
void tl_view_select_symbol(const tl_cubin *cubin, tl_cubin_symbol *symbol, const char *name);

#endif
