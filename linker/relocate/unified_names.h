/* What an entry of a unified table names once entries about it were carried out (L1710, L1659). */
#ifndef TL_RELOCATE_UNIFIED_NAMES_H
#define TL_RELOCATE_UNIFIED_NAMES_H

#include "relocate/relocate.h"

/* By symbol: nvlink's own number, globals down from -1, sections and local symbols up from 1. In the arena. */
uint32_t *tl_unified_numbers(const tl_module *module, tl_arena *arena);
bool tl_unified_names_deleted(const tl_relocated *relocated, const tl_module *module, const tl_layout *layout);

/* An entry of a unified table whose first word entries of relocations reach, by its position in module->unified_entries, and the
 * symbol that it names then, TL_NONE where there is none (L1659). */
typedef struct tl_unified_rename {
  uint32_t entry, symbol;
} tl_unified_rename;
typedef TL_VECTOR(tl_unified_rename) tl_unified_renames;
tl_unified_renames tl_unified_find_renamed(const tl_relocated *relocated, const tl_module *module);

#endif
