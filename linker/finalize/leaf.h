/* Leaf kernels whose SASS text nvlink makes anew in an executable (M42-M45). */
#ifndef TL_FINALIZE_LEAF_H
#define TL_FINALIZE_LEAF_H

#include "base/arena.h"
#include "finalize/finalize.h"

/* What happens to the text of a kernel, from its bytes alone. For TL_REMAKE_SURE `text` was changed as nvlink changes it,
 * as far as the rules go (L1913); for the others it was left alone: TL_REMAKE_UNSURE where loops do not settle or something is pending
 * behind an indirect branch (L908). `size` is a multiple of 16, as every text's is. */
tl_remake tl_leaf_remake(uint8_t *text, uint64_t size, tl_arena *arena);
/* Whether a text calls anything, be it a function of its own, but by a register alone (L1045). */
bool tl_leaf_has_call(const uint8_t *text, uint64_t size);
/* L723: whether nvlink makes the text of a kernel of an -ewp object anew with -r. There it no longer counts that what the
 * kernel calls, `calls` functions of its own text, is known. */
bool tl_leaf_is_opened(const uint8_t *text, uint64_t size, bool calls, tl_arena *arena);
/* L1641: gives the load of R1 a number where it has none and the first block of such a text ends by a call; false where the
 * text was left as it is. */
bool tl_leaf_open(uint8_t *text, uint64_t size, tl_arena *arena);
/* The other way round: such a text, to which a relocatable output gave the number, as it is in an executable without -g
 * (L1641). */
bool tl_leaf_close(uint8_t *text, uint64_t size, tl_arena *arena);

#endif
