/* The code of a unified function's jump slot, which is alike in every program (L636). */
#ifndef TL_CUBIN_STUB_H
#define TL_CUBIN_STUB_H

#include "cubin/cubin.h"

enum { TL_STUB_SIZE = 128, TL_STUB_ITEMS = 7 }; /* bytes; Mercury instructions, its end among them */

/* The control bits that nvlink's finalizer gives a stub of TL_STUB_SIZE bytes, however it was compiled: one instruction
 * after the other with `debug` (L660, L811). */
void tl_stub_schedule(uint8_t *code, bool debug);
/* Those of a capsule that is finalized before it is linked; the SASS texts get copies (L1847). */
void tl_stub_schedule_all(tl_cubin *cubin, bool debug, tl_arena *arena);

#endif
