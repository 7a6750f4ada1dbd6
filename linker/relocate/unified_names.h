/* Whether an entry of a unified table names what is not in the output, once entries about it were carried out (L1710). */
#ifndef TL_RELOCATE_UNIFIED_NAMES_H
#define TL_RELOCATE_UNIFIED_NAMES_H

#include "relocate/relocate.h"

bool tl_unified_names_deleted(const tl_relocated *relocated, const tl_module *module, const tl_layout *layout);

#endif
