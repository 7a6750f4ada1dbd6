/* Whether an entry of a unified table names what is not in the output, once entries about it were carried out (L1710). */
#ifndef TL_RELOCATE_UNIFIED_NAMES_H
#define TL_RELOCATE_UNIFIED_NAMES_H

#include "relocate/relocate.h"

/* By symbol: nvlink's own number, globals down from -1, sections and local symbols up from 1. In the arena. */
uint32_t *tl_unified_numbers(const tl_module *module, tl_arena *arena);
bool tl_unified_names_deleted(const tl_relocated *relocated, const tl_module *module, const tl_layout *layout);

#endif
