/* Carries a plan out: the image of the output file in memory. */
#ifndef TL_WRITE_IMAGE_H
#define TL_WRITE_IMAGE_H

#include "plan/plan.h"

/* The bytes of the output, plan->size of them, in the arena. `section_count` is the module's. The bytes do not depend on
 * `threads` (0: as many as the machine has processors). */
uint8_t *tl_image_make(const tl_plan *plan, size_t section_count, unsigned threads, tl_arena *arena);

#endif
