/* What nvlink writes of an instruction that it decodes from the SASS text, whatever stands there (L1670). Private to cubin/. */
#ifndef TL_CUBIN_ENCODED_H
#define TL_CUBIN_ENCODED_H

#include <stdbool.h>
#include <stdint.h>

/* `recorded`: it has a record of four bytes in the capsule, and none otherwise. */
void tl_encoded_mend(uint8_t *instruction, bool recorded);

#endif
