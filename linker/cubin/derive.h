/* The SASS side of a capsule as nvlink's finalizer makes it (L497). Private to cubin/. */
#ifndef TL_CUBIN_DERIVE_H
#define TL_CUBIN_DERIVE_H

#include "cubin/code.h"
#include "cubin/cubin.h"

/* By section the SASS side's name of Mercury's, as a number; TL_NONE where no section is called so, and of the SASS side's. */
const uint32_t *tl_derive_find_names(const tl_cubin *cubin, const tl_names *names, tl_arena *arena);

/* Which sections of both views belong together. */
typedef struct tl_derive_pairs {
  const uint32_t *sass;  /* by Mercury section: the SASS section of the same contents, 0 */
  const uint32_t *banks; /* by table that ptxas laid out and by its entries: the kernel's parameters and theirs, 0 */
} tl_derive_pairs;

/* Behind tl_derive_take_types and tl_derive_take_targets. `sass_names`: of tl_derive_find_names. */
tl_derive_pairs tl_derive_find_pairs(const tl_cubin *cubin, const tl_names *names, const uint32_t *sass_names,
                                     tl_arena *arena);

/* Before the view is selected, for a capsule that nvlink's finalizer reads: the sections of the SASS view get the contents
 * that the Mercury view implies. What is not known to follow from it stays as it is. Where the Mercury view is linked too
 * the frames are made of it there. `before`: by section that has got a namesake's contents what it was; others are of type
 * 0. NULL where there is none. */
void tl_derive_sass(tl_cubin *cubin, const tl_names *names, const tl_derive_pairs *pairs, tl_arena *arena,
                    const tl_cubin_section *before);
/* The SASS side's type of an entry of Mercury's at an instruction of that opcode; `kernel`: it is about one. */
uint32_t tl_derive_type_in_code(uint32_t type, uint16_t opcode, bool kernel);
/* L1508: what half a place in the code adds there; false where its addend stays. */
bool tl_derive_half_addend(const tl_code *code, uint16_t opcode, uint64_t addend, uint64_t *place);

/* Gives Mercury's debug data, which is known by its name, the SASS side's type (L1559). */
void tl_derive_take_types(tl_cubin *cubin, const uint32_t *sass_names, tl_arena *arena);
/* What Mercury's entries are about is what the SASS side's entries of that name are about (L1565). */
void tl_derive_take_targets(tl_cubin *cubin, const uint32_t *sass_names, tl_arena *arena);
/* Gives Mercury's debug data the SASS side's headers (L1546). */
void tl_derive_take_headers(tl_cubin *cubin, const tl_derive_pairs *pairs);

/* What nvlink does not do of such a capsule's sections in its Mercury view, by section. */
typedef struct tl_derive_roles {
  const bool *lone;      /* Mercury's that it does not read, since the SASS side has none like it (L1492) */
  const bool *alone;     /* the SASS side's that it takes for Mercury's, which has none (L1537) */
  const uint32_t *place; /* where those that it reads stand on the SASS side (L1539), 0 */
  const uint32_t *again; /* of the SASS side's debug data: Mercury's section that stands for it, too (L1552), 0 */
} tl_derive_roles;

/* Before the Mercury view is selected. */
tl_derive_roles tl_derive_find_roles(tl_cubin *cubin, const tl_derive_pairs *pairs, tl_arena *arena);
/* The version of Mercury that a file's .nv.compat says, which must have its name; L1538. */
typedef struct tl_derive_version {
  bool said;
  uint16_t number;
} tl_derive_version;

tl_derive_version tl_derive_find_version(const tl_cubin *cubin, const tl_names *names);
/* Gives a section of the SASS side the contents of Mercury's that stands for it again. */
void tl_derive_take_again(tl_cubin_section *section, const tl_cubin_section *mercury);

/* What frames are made of (derive_frames.c). */
typedef struct tl_derive_frames {
  tl_cubin *cubin;
  const uint8_t *symbols; /* Mercury's */
  uint64_t symbol_count;
  const uint32_t *sass; /* by Mercury section: the SASS side's, 0 */
  bool barriers;        /* error barriers are asked for */
  tl_arena *arena;
  void *context; /* of code_of, which says where the instructions of a capsule are: NULL where that is not known */
  const tl_code *(*code_of)(void *context, uint32_t capsule);
} tl_derive_frames;

/* L1724: makes the SASS side's frames and their entries of Mercury's. */
void tl_derive_make_frames(const tl_derive_frames *of, uint32_t frames, uint32_t entries);
/* Attributes of a text get a record of it behind them (L1537, L1538). */
void tl_derive_add_version(tl_cubin_section *attributes, tl_derive_version version, tl_arena *arena);

#endif
