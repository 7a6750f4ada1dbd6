/* User constants under -kernels-used and -variables-used (G7, G8).
 *
 * nvlink runs its pooling by value over whole .nv.constant3 blocks, one an input file. It leaves the place of the last
 * poolable block in st_value of symbol 0 (D52, matched always). When two blocks are equal, the later ones move forward,
 * but symbols and code keep the plain offsets (D76): by default nothing is pooled. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"
#include "layout/layout.h"

#include <string.h>

/* K3b: sizes that are shared, and words of their own alignment. */
static bool pool_takes(const tl_piece *piece, uint64_t align) {
  static const uint8_t sizes[] = {12, 16, 20, 24, 32, 48, 64};
  if ((piece->size == 4 || piece->size == 8) && piece->size == align)
    return true;
  return memchr(sizes, piece->size < 256 ? (int)piece->size : 0, sizeof sizes) != NULL;
}

static uint64_t pool_align(const tl_module *module, const tl_piece *piece) {
  return module->files[piece->file].sections[piece->section].align;
}

static bool pool_is_zero(const tl_piece *piece) {
  for (uint64_t i = 0; i < piece->size; i++)
    if (piece->data[i])
      return false;
  return true;
}

/* The earlier block in the pool with these bytes and this alignment; blocks of 4 and 8 zeros are never found (G7). */
static const tl_piece *pool_find(const tl_pieces *pooled, const tl_module *module, const tl_piece *piece) {
  if (piece->size <= 8 && pool_is_zero(piece))
    return NULL;
  for (size_t i = 0; i < pooled->count; i++) {
    const tl_piece *const other = &pooled->items[i];
    if (other->size == piece->size && pool_align(module, other) == pool_align(module, piece) &&
        memcmp(other->data, piece->data, piece->size) == 0)
      return other;
  }
  return NULL;
}

bool tl_layout_is_restricted(const tl_options *options) {
  const bool restricted = options->kernels_used.count || options->variables_used.count;
  return restricted && !(options->debug && !options->suppress_debug_info); /* W17.11 */
}

void tl_layout_pool_constants(tl_layout *layout, const tl_module *module, tl_arena *arena) {
  const char *const name_text = tl_module_user_constants(module);
  const uint32_t name = tl_names_find(module->names, name_text, strlen(name_text));
  const uint32_t section = name == TL_NONE ? TL_NONE : tl_module_find_section(module, name);
  if (section == TL_NONE || !tl_layout_is_restricted(module->options))
    return;
  uint64_t end = 0, value = layout->null_value; /* which stays when no block is poolable (L256) */
  bool any = false;
  tl_placement *const placement = &layout->placed[TL_PLACED_CONSTANTS];
  const tl_section *const constants = &module->sections.items[section];
  for (size_t i = 0; i < constants->pieces.count; i++) {
    const tl_piece *const piece = &constants->pieces.items[i];
    const bool poolable = pool_takes(piece, pool_align(module, piece));
    const tl_piece *const equal = poolable ? pool_find(&placement->pieces, module, piece) : NULL;
    if (equal) {
      value = piece->named ? equal->offset : value;
      any = true;
      continue;
    }
    tl_piece *const placed = tl_vector_push(arena, &placement->pieces);
    *placed = *piece;
    placed->offset = tl_align(end, pool_align(module, piece));
    end = placed->offset + placed->size;
    value = poolable ? placed->offset : value;
  }
  layout->null_value = value; /* also when it is 0 (L84) */
  if (tl_defect_matched(module->options, TL_DEFECT_D76)) {
    placement->section = section;
    layout->section_size[section] = end;
  } else if (any) {
    tl_defect_note(module->diagnostics, TL_DEFECT_D76, NULL);
  }
}
