/* Control fields of SASS moves whose register an entry of Mercury's wrote over (L1422). Private to relocate/. */
#ifndef TL_RELOCATE_MOVE_TIMES_H
#define TL_RELOCATE_MOVE_TIMES_H

#include "relocate/relocate.h"

/* Adds what changes to the patches, of a capsule's SASS view. */
void tl_relocate_time_moves(tl_relocated *relocated, const tl_module *module, tl_arena *arena);

#endif
