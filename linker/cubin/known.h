/* Which instructions of a SASS text nvlink knows by their places in the decoded code. */
#ifndef TL_CUBIN_KNOWN_H
#define TL_CUBIN_KNOWN_H

#include "cubin/code.h"

/* Of the SASS instructions that a Mercury instruction makes, by number: the one that is known from the place before, the one
 * that has the place, and the next one that is known, or their count. */
typedef struct tl_code_known {
  uint32_t entry, own, next;
} tl_code_known;

tl_code_known tl_code_known_of(const uint8_t *text, const tl_code_place *place);

#endif
