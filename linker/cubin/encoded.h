/* What nvlink writes of an instruction that it decodes from the SASS text, whatever stands there (L1670). Private to cubin/. */
#ifndef TL_CUBIN_ENCODED_H
#define TL_CUBIN_ENCODED_H

#include <stdint.h>

/* `record`: the record of four bytes that it has in the capsule, NULL where it has none. */
void tl_encoded_mend(uint8_t *instruction, const uint8_t *record);

#endif
