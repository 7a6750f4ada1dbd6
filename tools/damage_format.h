/* What of the format a mutator has to know: the fields of headers, symbols and entries, and the values at which readers go
 * wrong. Used by twin damage and by the fuzzers. */
#ifndef TWIN_DAMAGE_FORMAT_H
#define TWIN_DAMAGE_FORMAT_H

#include "gen_random.h"

#include <stddef.h>

typedef struct damage_row {
  const char *name;
  unsigned offset, width;
} damage_row;

typedef enum damage_structure {
  DAMAGE_OF_HEADER,
  DAMAGE_OF_SECTION,
  DAMAGE_OF_SYMBOL,
  DAMAGE_OF_RELA,
  DAMAGE_OF_REL,
  DAMAGE_OF_NOTE
} damage_structure;

const damage_row *damage_rows(damage_structure structure, size_t *count);

/* What the values are chosen by: the field, and the numbers that the file has of other things. */
typedef struct damage_scale {
  uint64_t old;
  unsigned width; /* bytes */
  uint64_t sections, symbols, size;
} damage_scale;

/* A value for a field; false where it should be what a field of the same name has elsewhere in the file. */
bool damage_value(const damage_scale *scale, gen_random *random, uint64_t *value);

#endif
