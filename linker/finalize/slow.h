/* Texts of namesakes that nvlink makes anew as code without optimisation (L1050), and the times of such code (L1640). */
#ifndef TL_FINALIZE_SLOW_H
#define TL_FINALIZE_SLOW_H

#include "cubin/cubin.h"

/* What latencies depend on: sm_100 alone has arithmetic of 64 bits whose latency is fixed, sm_103 alone matrices of integers
 * whose latency varies. */
typedef enum tl_slow_arch { TL_SLOW_OTHER, TL_SLOW_100, TL_SLOW_103 } tl_slow_arch;

/* By section of the file: the SASS texts that are made anew, and by instruction which NOPs are left out of them. */
typedef struct tl_slow {
  bool *texts;
  bool *remade; /* by section: the first one's options make it anew, here or not */
  const bool **dropped;
  bool any;
  tl_slow_arch arch;
} tl_slow;

/* L1640: in texts of -O0 code, the times that such code has. */
void tl_slow_mend(tl_cubin *sass, tl_arena *arena);
/* Whether the file may have such texts: two of its capsules have attributes of one name. */
bool tl_slow_may_stand(const tl_cubin *cubin, tl_arena *arena);
/* Both views as read. */
tl_slow tl_slow_choose(const tl_cubin *sass, const tl_cubin *mercury, tl_arena *arena);
void tl_slow_change(tl_cubin *sass, const tl_slow *slow, tl_arena *arena);
/* The same for the capsules; `sass` is as read. */
void tl_slow_change_records(tl_cubin *mercury, const tl_cubin *sass, const tl_slow *slow, tl_arena *arena);

#endif
