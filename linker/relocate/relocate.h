/* What becomes of every relocation entry: applied, kept or dropped (R10-R38, W11). */
#ifndef TL_RELOCATE_RELOCATE_H
#define TL_RELOCATE_RELOCATE_H

#include "catalog/relocation.h"
#include "layout/layout.h"

/* A write into a section's bytes, in the order of tl_relocated.patches: a later one may overwrite an earlier (R10). */
typedef struct tl_patch {
  uint64_t offset;
  const tl_relocation_row *row;
  uint64_t value;     /* S + A */
  uint64_t auxiliary; /* R7, A included */
  uint32_t section;
  uint32_t entry; /* index in module->relocations */
  uint8_t bank;   /* R6 */
  uint8_t bytes;  /* of the field that are its file's where that ends inside it (L1690); 0: all */
  bool rel;       /* the old field content is added (R3) */
} tl_patch;

typedef struct tl_kept {
  uint64_t offset;
  int64_t addend;
  uint32_t container; /* output relocation section */
  uint32_t symbol, type;
  bool foreign; /* a record of another text than the one that its section is about (L906) */
  bool deleted; /* what it names went with a body (L527) */
} tl_kept;

typedef struct tl_relocated {
  TL_VECTOR(tl_patch) patches;
  TL_VECTOR(tl_kept) kept; /* in output order within each container */
  bool *container_used;    /* by section: an entry stays in it */
  TL_VECTOR(tl_kept)
  unrecorded; /* applied entries whose record nvlink counts to section 0 (L831); each in the section that is theirs */
} tl_relocated;

/* What ends the link here comes before undefined references, which are not said then (L612). */
void tl_relocate_run(tl_relocated *relocated, const tl_module *module, const tl_layout *layout, tl_arena *arena);

/* What nvlink finds when it writes the entries that stay: behind the call graph and the registers (R71, R76, L597). */
void tl_relocate_check_kept(tl_relocated *relocated, const tl_module *module, const tl_layout *layout);
/* Live functions that are not in the output, also where no entry names them: behind undefined references (L551). */
void tl_relocate_check_functions(const tl_module *module);
/* E62 of entries of replaced bodies' texts, under -kernels-used and -variables-used (L131, D89). */
void tl_relocate_check_replaced(const tl_module *module);
/* Adds control fields around moves whose register is written over to the patches, of a capsule's SASS view (L1422). */
void tl_relocate_time_moves(tl_relocated *relocated, const tl_module *module, tl_arena *arena);
/* Carries a patch out on the bytes at its offset (R2-R5). */
void tl_patch_apply(const tl_patch *patch, uint8_t *at);
/* Bytes from the patch's offset that its fields touch. */
uint64_t tl_relocation_row_bytes(const tl_relocation_row *row);
/* False for symbols that do not reach .symtab: entries against them cannot be kept (R76). */
bool tl_symbol_is_listed(const tl_module *module, const tl_layout *layout, uint32_t symbol);
/* Section symbols of empty sections go, the section may stay (W4.4, L518). Those of the call graph and of an executable's
 * unified tables are the linker's own. */
bool tl_symbol_names_nothing(const tl_module *module, const tl_layout *layout, const tl_symbol *symbol);

#endif
