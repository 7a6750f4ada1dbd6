/* What sections hold between two relocations: the inputs' bytes with the fields that were written so far (L1115). Only what
 * some field touches is kept. */
#ifndef TL_RELOCATE_WRITTEN_H
#define TL_RELOCATE_WRITTEN_H

#include "base/map.h"
#include "base/vector.h"
#include "relocate/relocate.h"

typedef struct tl_written_cell {
  uint8_t bytes[16];
} tl_written_cell;

typedef struct tl_written {
  const tl_module *module;
  tl_arena *arena;
  tl_map cells; /* section << 32 | offset / 16: which of contents */
  TL_VECTOR(tl_written_cell) contents;
} tl_written;

void tl_written_init(tl_written *written, const tl_module *module, tl_arena *arena);
/* A field is written at a place of an output section, before anything moves in it (K1a). */
void tl_written_add(tl_written *written, uint32_t section, uint64_t offset, const tl_patch *patch);
/* What a field there holds now, of which its file has the first `own` bytes (0: all); false where nothing was written near it. */
bool tl_written_get(tl_written *written, uint32_t section, uint64_t offset, const tl_field *field, uint8_t own,
                    uint64_t *value);

#endif
