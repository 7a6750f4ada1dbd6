/* Error barriers before EXIT, put into files before they are merged (M43, L134). */
#ifndef TL_FINALIZE_BARRIERS_H
#define TL_FINALIZE_BARRIERS_H

#include "cubin/cubin.h"

/* Whether the options ask for them: -g, without -suppress-debug-info (L143). */
bool tl_barriers_asked(const tl_options *options);
/* Whether a file asks for them, as with -G or -make-errors-visible-at-exit (L120). */
bool tl_barriers_file_asks(const tl_cubin *cubin);
/* By section of the file: the SASS texts that get barriers, and those of them that get no MEMBAR (L764). */
typedef struct tl_barriers {
  const bool *texts, *narrow;
} tl_barriers;

/* Whether a text that may get some calls functions of its own, so that Mercury's entries must be read (L725, L1886). */
bool tl_barriers_want_entries(const tl_cubin *sass);
/* `mercury`, the same file's other view, may be NULL in a mixed link where no text wants its entries. Both are as read.
 * `joined`: both are linked. `leaves`: kernels that call nothing get no MEMBAR. */
tl_barriers tl_barriers_choose(const tl_cubin *sass, const tl_cubin *mercury, bool joined, bool leaves,
                               tl_arena *arena);
void tl_barriers_add(tl_cubin *sass, const tl_cubin *mercury, tl_barriers barriers, tl_arena *arena);
/* The same for the capsules; `sass` is as read. */
void tl_barriers_add_records(tl_cubin *mercury, const tl_cubin *sass, tl_barriers barriers, tl_arena *arena);
/* Whether some EXIT of a text lacks them. */
bool tl_barriers_lack(const uint8_t *text, uint64_t size);
/* Whether every EXIT of a text has them, and there is one. */
bool tl_barriers_stand(const uint8_t *text, uint64_t size);

#endif
