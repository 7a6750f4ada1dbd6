/* Places of ranges of registers in a SASS text, by their places in decoded code. */
#ifndef TL_FINALIZE_REGISTER_PLACES_H
#define TL_FINALIZE_REGISTER_PLACES_H

#include "finalize/parts.h"

typedef struct final_register_places {
  const tl_code *map; /* NULL: not known, and nothing else is */
  const uint8_t *text;
  bool *begins; /* by SASS instruction: a basic block */
} final_register_places;

final_register_places final_register_places_of(finalizer *f, uint32_t text);
/* 0 where no instruction has that place. */
uint32_t final_register_start(const final_register_places *places, uint64_t mercury);
uint32_t final_register_end(const final_register_places *places, uint64_t mercury);

#endif
