/* Joins the two views of a capsule link (M3, M7-M28), step by step. */
#include "finalize/parts.h"

#include "base/bytes.h"

#include <string.h>

const uint8_t *final_view_bytes(const tl_linked_view *view, uint32_t section) {
  return view->image + view->plan->section_offset[section];
}

uint64_t final_view_size(const tl_linked_view *view, uint32_t section) {
  return tl_plan_section_size(view->emitted, section);
}

uint8_t *final_new(const finalizer *f, uint64_t size) {
  return tl_arena_new(f->arena, uint8_t, size + 1);
}

const tl_piece *final_piece_of(const tl_section *section, uint32_t file) {
  for (size_t i = 0; i < section->pieces.count; i++)
    if (section->pieces.items[i].file == file)
      return &section->pieces.items[i];
  return NULL;
}

/* M28: it takes its size in the file although nothing was written there: what follows the section in the Mercury view's
 * own output shows, the start of that file's section headers. */
void final_reserved_bytes(const finalizer *f, uint8_t *bytes, uint64_t size) {
  const uint64_t headers = tl_get64(f->mercury->image + 40);
  const uint64_t left = f->mercury->plan->size - headers;
  memcpy(bytes, f->mercury->image + headers, size < left ? size : left);
}

void tl_finalize(tl_finalized *finalized, const tl_linked_view *mercury, const tl_linked_view *sass, tl_arena *arena,
                 uint64_t limit) {
  *finalized = (tl_finalized){0};
  finalizer f = {.mercury = mercury, .sass = sass, .result = finalized, .arena = arena};
  final_pair(&f);
  final_strings(&f);
  final_add_sections(&f);
  final_mirror_sections(&f);
  final_symbols(&f);
  final_finish_strings(&f);
  final_plan(&f, limit);
}
