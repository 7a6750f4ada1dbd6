/* What sets the condition that an instruction hangs on (L1973). */
#ifndef TL_CUBIN_GUARD_H
#define TL_CUBIN_GUARD_H

#include <stdint.h>

/* The scoreboard numbers, a bit each, of the last instruction in front of number `index` of `text` that sets the condition
 * of its guard. 0 where it has no guard, where what sets it has no number, or where a branch, or what else goes elsewhere,
 * stands between. */
unsigned tl_guard_numbers(const uint8_t *text, uint32_t index);

#endif
