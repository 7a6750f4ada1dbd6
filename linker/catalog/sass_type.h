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

#endif
