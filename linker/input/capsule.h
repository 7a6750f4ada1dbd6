/* What nvlink's finalizer says of a capsule when it is admitted, before a word about the next file (L1080). */
#ifndef TL_INPUT_CAPSULE_H
#define TL_INPUT_CAPSULE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All take a whole ELF file (tl_content_elf_is_whole). */

/* Whether a section has type and name of .nv.compat (L532, L1080). */
bool tl_capsule_has_compat(const uint8_t *bytes, size_t size);
/* Whether the last record of attribute 7 in the first one says a newer Mercury than nvlink's (L234); `offset` is the
 * record's in the section. */
bool tl_capsule_is_newer(const uint8_t *bytes, size_t size, uint64_t *offset);
/* Whether attribute 9 there is not 0 (L1085). */
bool tl_capsule_is_variant(const uint8_t *bytes, size_t size);
/* Whether the finalizer refuses it; then `section` is the name of the section that it is about, in `bytes`, or NULL (the
 * file's header, or no name), and `offset` a place in it, or in the header. */
bool tl_capsule_is_refused(const uint8_t *bytes, size_t size, const char **section, uint64_t *offset);
/* Whether it has an alignment that the finalizer has no memory for (L244, L1801), and of which section. */
bool tl_capsule_needs_memory(const uint8_t *bytes, size_t size, const char **section);
/* Whether two sequences of a unit of Mercury's line tables are about one symbol (L1780). */
bool tl_capsule_repeats_lines(const uint8_t *bytes, size_t size, tl_arena *arena);

#endif
