/* Carries a plan out: the image of the output file in memory. */
#ifndef TL_WRITE_IMAGE_H
#define TL_WRITE_IMAGE_H

#include "plan/plan.h"

/* The bytes of the output, plan->size of them, in the arena. */
uint8_t *tl_image_make(const tl_plan *plan, tl_arena *arena);

#endif
