/* The control bits of a capsule's SASS text (L1676, L1677), which nvlink does not read. Private to cubin/. */
#ifndef TL_CUBIN_SCHEDULE_H
#define TL_CUBIN_SCHEDULE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for the texts of a file. */
typedef struct tl_schedule tl_schedule;

tl_schedule *tl_schedule_new(uint64_t largest, tl_arena *arena);
/* Mends a text in place of `size` bytes: the result, which the next call writes over, or NULL where nothing changes. `made` says of
 * each instruction whether its opcode or upper word was another in the input. */
const uint8_t *tl_schedule_mend(tl_schedule *schedule, const uint8_t *text, uint64_t size, const bool *made,
                                uint32_t sm);

#endif
