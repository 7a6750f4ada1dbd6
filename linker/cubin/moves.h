/* The times around a move whose result an entry of Mercury's made another operand (L1422, L1642). */
#ifndef TL_CUBIN_MOVES_H
#define TL_CUBIN_MOVES_H

#include <stdint.h>

#define TL_MOVE_STAYS UINT16_MAX

/* Changes the control fields of a SASS text, which is as `before`; `operands` are the low 16 bits of what was written, by instruction, TL_MOVE_STAYS
 * where nothing was. */
void tl_moves_change(uint8_t *text, const uint8_t *before, uint64_t size, const uint16_t *operands, uint32_t arch);

#endif
