/* Blocks that begin where a namesake's entries say so, and the fields of its halves (L910 to L912). Private to cubin/. */
#ifndef TL_CUBIN_BLOCKS_H
#define TL_CUBIN_BLOCKS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Gives the cycles in a SASS text anew around the places, by instruction and one more, where a block is to begin. */
void tl_blocks_begin(uint8_t *text, uint64_t size, const bool *places, tl_arena *arena);
/* L910: takes from the instruction what half a place in code would be written over; `branch`: its distance. */
void tl_blocks_clear_field(uint8_t *at, bool branch);
/* Whether a block ends behind instructions of that kind, the low nine bits of an opcode. */
bool tl_blocks_ends(uint32_t kind);
/* L911: the cycles that the end of a block leaves an instruction. */
uint32_t tl_blocks_need(const uint8_t *at);

#endif
