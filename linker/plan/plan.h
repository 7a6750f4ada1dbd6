/* The plan of the output: sorted pieces that cover it, and the patches to apply (design: "The plan"). write/ only carries
 * it out; map and certificate print it. */
#ifndef TL_PLAN_PLAN_H
#define TL_PLAN_PLAN_H

#include "emit/emit.h"

typedef enum tl_plan_kind {
  TL_PLAN_COPY,  /* bytes of an input file */
  TL_PLAN_TABLE, /* bytes that emission or the plan made */
  TL_PLAN_ZERO   /* gap, padding, or a table's part that no entry fills */
} tl_plan_kind;

typedef struct tl_plan_piece {
  uint64_t offset, size; /* in the output file */
  const uint8_t *bytes;  /* NULL for zeros */
  tl_plan_kind kind;
  uint32_t section;             /* module section, TL_NONE for headers and padding */
  uint32_t file, input_section; /* of a copy */
} tl_plan_piece;

typedef struct tl_plan {
  TL_VECTOR(tl_plan_piece) pieces; /* each where the one before it ends */
  uint64_t size;
  uint64_t *section_offset; /* by module section: sh_offset */
  const tl_relocated *relocated;
} tl_plan;

/* Bytes of a section in the output, sh_link and sh_info (W1.6). */
uint64_t tl_plan_section_size(const tl_emitted *emitted, uint32_t section);
uint32_t tl_plan_section_link(const tl_emitted *emitted, uint32_t section);
uint32_t tl_plan_section_info(const tl_emitted *emitted, uint32_t section);
/* An output of more than `limit` bytes is fatal (T2). */
void tl_plan_make(tl_plan *plan, const tl_emitted *emitted, tl_arena *arena, uint64_t limit);
/* Writes one program header, ELF_SEGMENT_SIZE bytes with addresses 0 and alignment 8 (W1.7); returns the place behind. */
uint8_t *tl_plan_put_segment(uint8_t *at, uint32_t type, uint32_t flags, uint64_t offset, uint64_t file_size,
                             uint64_t memory_size);

#endif
