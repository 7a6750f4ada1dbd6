/* The link map (--map): every output section and what it was made of, every symbol's origin, what was dropped and why. */
#ifndef TL_EXPLAIN_MAP_H
#define TL_EXPLAIN_MAP_H

#include "finalize/finalize.h"
#include "plan/plan.h"

/* Text in the arena. */
const char *tl_map_make(const tl_plan *plan, const tl_emitted *emitted, tl_arena *arena);

/* Of a capsule link: both views' sections, and the kernels whose text is not the input's or should not be (M42-M45). */
const char *tl_map_capsules(const tl_finalized *finalized, const tl_emitted *mercury, tl_arena *arena);

#endif
