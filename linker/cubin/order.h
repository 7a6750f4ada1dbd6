/* The order of a capsule's sections in its Mercury view (L1539). Private to cubin/. */
#ifndef TL_CUBIN_ORDER_H
#define TL_CUBIN_ORDER_H

#include "cubin/cubin.h"

/* Puts the sections that have a place (by section, 0: none) in its order, in the slots that they have together. False where
 * they stand so already. */
bool tl_order_sections(tl_cubin *cubin, const uint32_t *place, tl_arena *arena);

#endif
