/* The types that entries of Mercury's have on the SASS side (L1200). */
#ifndef TL_CATALOG_SASS_TYPE_H
#define TL_CATALOG_SASS_TYPE_H

#include "catalog/relocation.h"

/* Of an entry at an instruction of that opcode. A number that has no other stays. */
uint32_t tl_sass_type_in_code(uint32_t mercury, uint16_t opcode);
/* And of one in data. */
uint32_t tl_sass_type_in_data(uint32_t mercury);

/* What is written in a SASS instruction where an entry of Mercury's is carried out that has no number on the SASS side: NULL
 * for nothing. */
const tl_relocation_row *tl_sass_row_in_code(uint32_t mercury, uint16_t opcode);

/* Whether it is an address of 64 bits in a move, which has the register, too (L1306). */
bool tl_sass_row_has_register(const tl_relocation_row *row);

/* The row of a load from constants that leaves the bank alone; NULL for other types (L1212). */
const tl_relocation_row *tl_sass_row_without_bank(uint32_t type);

/* What half a place in the code does to an instruction that holds a value: the row of a patch that adds a place; NULL for other
 * instructions (L1307). */
const tl_relocation_row *tl_sass_row_of_label(uint16_t opcode);
bool tl_sass_row_is_label(const tl_relocation_row *row);
/* That of the address of reserved shared memory (L1309). */
const tl_relocation_row *tl_sass_row_of_reserved(void);

#endif
