/* Which bytes of a cubin no rule of linking reads: the contents of code, data and debug sections, less what a relocation
 * touches. Written for the damage test alone, from the ELF format; it knows nothing of linker/ or oracle/. */
#ifndef TWINLINK_TESTS_DAMAGE_CONTENTS_H
#define TWINLINK_TESTS_DAMAGE_CONTENTS_H

#include <stddef.h>
#include <stdint.h>

#define CONTENTS_NONE 0xffff

/* For every byte of a well-formed cubin the index of the section whose unread contents it belongs to, or CONTENTS_NONE.
 * The caller frees it. */
uint16_t *contents_map(const uint8_t *bytes, size_t size);

#endif
