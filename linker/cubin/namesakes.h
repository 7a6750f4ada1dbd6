/* What nvlink's finalizer makes of a namesake's attributes and entries in a capsule (D113). Private to cubin/. */
#ifndef TL_CUBIN_NAMESAKES_H
#define TL_CUBIN_NAMESAKES_H

#include "cubin/code.h"

/* L763: by entry of a section, whether a later half of a place in code stands at the same instruction. */
const bool *tl_namesakes_find_later(const tl_code *code, const tl_cubin_section *entries, tl_arena *arena);

/* L763: writes the SASS entry of the namesake's entry at `from` to `to`, ELF_RELA_SIZE bytes each. `records` are the bytes of
 * the capsule, `later` is what tl_namesakes_find_later says of the entry. False where nothing is known. */
bool tl_namesakes_entry(const tl_code *code, const uint8_t *records, const tl_cubin_section *sass, const uint8_t *from,
                        bool later, uint8_t *to);

/* L910 to L912: what comes of a namesake's entries in its own text, which is `sass`'s and may be written. True where half a
 * place in code is one at which no instruction begins (L1022). */
bool tl_namesakes_change_text(const tl_code *code, const uint8_t *records, const tl_cubin_section *sass,
                              const tl_cubin_section *entries, uint8_t *text, tl_arena *arena);

#endif
