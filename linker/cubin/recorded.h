/* What nvlink makes a SASS instruction of that has a record in its capsule (L1824). Private to cubin/. */
#ifndef TL_CUBIN_RECORDED_H
#define TL_CUBIN_RECORDED_H

#include "cubin/cubin.h"

/* Before a capsule is looked at: its SASS texts get the opcodes and operands that its records say. */
void tl_recorded_mend(tl_cubin *cubin, tl_arena *arena);

#endif
