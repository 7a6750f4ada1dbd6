/* What nvlink's finalizer takes for granted of a capsule's section headers and symbol tables. Private to cubin/. */
#ifndef TL_CUBIN_SHAPE_H
#define TL_CUBIN_SHAPE_H

#include "cubin/cubin.h"

/* Before the view is selected: the sections still have their own names and types. Fatal where one is not what its name
 * says. */
void tl_shape_check(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics);

#endif
