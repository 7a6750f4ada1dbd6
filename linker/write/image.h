/* Carries a plan out: the bytes of the output file, all at once in memory or part by part into a writer. */
#ifndef TL_WRITE_IMAGE_H
#define TL_WRITE_IMAGE_H

#include "plan/plan.h"

/* Consecutive pieces of the plan that are made together. No patch lies in two parts. */
typedef struct tl_image_part {
  size_t first_piece, piece_count;
  uint64_t offset, size;             /* in the output file */
  uint32_t first_patch, patch_count; /* in tl_image.order */
} tl_image_part;

typedef struct tl_image {
  const tl_plan_piece *pieces;
  const tl_patch *patches;
  uint32_t *order; /* indices of the patches, part by part, each part's in their own order (R10) */
  const uint64_t *section_offset;
  TL_VECTOR(tl_image_part) parts;
  uint64_t size;
  uint8_t *buffer; /* of tl_image_take_buffer */
} tl_image;

/* Cuts the plan into parts of about `part_size` bytes (0: 128 KiB). Nothing of `plan` but its arena memory is needed afterwards. */
void tl_image_prepare(tl_image *image, const tl_plan *plan, size_t section_count, uint64_t part_size, tl_arena *arena);
/* The whole output, image->size bytes, in the arena. The bytes do not depend on `threads` (0: as many as the machine has
 * processors). */
uint8_t *tl_image_make(const tl_image *image, unsigned threads, tl_arena *arena);
/* The memory that tl_image_give needs; as large as the largest part that does not stand in an input as it is. */
void tl_image_take_buffer(tl_image *image, tl_arena *arena);
/* Gives the whole output to `sink`, from its start to its end; false as soon as that returns false. */
bool tl_image_give(const tl_image *image, tl_sink *sink, void *context);

#endif
