/* Copies the pieces of a plan, then applies its patches in their order (R10). */
#include "write/image.h"

#include <string.h>

uint8_t *tl_image_make(const tl_plan *plan, tl_arena *arena) {
  uint8_t *const image = tl_arena_new(arena, uint8_t, plan->size);
  for (size_t i = 0; i < plan->pieces.count; i++) {
    const tl_plan_piece *const piece = &plan->pieces.items[i];
    if (piece->bytes)
      memcpy(image + piece->offset, piece->bytes, piece->size);
  }
  for (size_t i = 0; i < plan->relocated->patches.count; i++) {
    const tl_patch *const patch = &plan->relocated->patches.items[i];
    tl_patch_apply(patch, image + plan->section_offset[patch->section]);
  }
  return image;
}
