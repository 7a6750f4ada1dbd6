/* User constants under -kernels-used and -variables-used (G7, G8).
 *
 * nvlink runs its pooling by value over whole .nv.constant3 blocks, one an input file. It leaves the place of the last
 * poolable block in st_value of symbol 0 (D52, matched always). When two blocks are equal, the later ones move forward,
 * but symbols and code keep the plain offsets (D76): by default nothing is pooled. Blocks that do not fit as they
 * are are laid out again and not pooled, though they might fit then (L1013). */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"
#include "layout/layout.h"

#include <string.h>

/* Whole units only, of these sizes; words of their own alignment too. */
bool tl_layout_pool_takes(const tl_piece *unit, uint64_t align) {
  static const uint8_t sizes[] = {12, 16, 20, 24, 32, 48, 64};
  if ((unit->size == 4 || unit->size == 8) && unit->size == align)
    return true;
  return unit->size <= 64 && memchr(sizes, (int)unit->size, sizeof sizes) != NULL;
}

/* Words that are 0 are placed like others of their size, but no other unit is equal to them (G7). */
bool tl_layout_pool_finds(const tl_piece *unit, uint64_t align) {
  static const uint8_t zeros[8] = {0};
  return tl_layout_pool_takes(unit, align) && (unit->size > sizeof zeros || memcmp(unit->data, zeros, unit->size) != 0);
}

uint32_t tl_layout_pool_number(tl_names *seen, const tl_piece *unit, uint64_t align, tl_arena *arena) {
  char *const key = tl_arena_new(arena, char, unit->size + sizeof align);
  memcpy(key, unit->data, unit->size);
  memcpy(key + unit->size, &align, sizeof align);
  return tl_names_intern(seen, key, unit->size + sizeof align);
}

static uint64_t pool_align(const tl_module *module, const tl_piece *piece) {
  return module->files[piece->file].sections[piece->section].align;
}

bool tl_layout_is_restricted(const tl_options *options) {
  const bool restricted = options->kernels_used.count || options->variables_used.count;
  return restricted && !(options->debug && !options->suppress_debug_info); /* W17.11 */
}

void tl_layout_pool_constants(tl_layout *layout, const tl_module *module, tl_arena *arena) {
  const uint32_t section = tl_module_section_named(module, tl_module_user_constants(module));
  if (section == TL_NONE || !tl_layout_is_restricted(module->options) || !tl_layout_user_constants_fit(layout, section))
    return;
  uint64_t end = 0, value = layout->null_value; /* which stays when no block is poolable (L256) */
  bool any = false;
  tl_placement *const placement = &layout->placed[TL_PLACED_CONSTANTS];
  const tl_section *const constants = &module->sections.items[section];
  uint64_t *const first = tl_arena_new(arena, uint64_t, constants->pieces.count); /* by number in `seen` */
  uint32_t known = 0;
  tl_names seen;
  tl_names_init(&seen, arena, constants->pieces.count);
  for (size_t i = 0; i < constants->pieces.count; i++) {
    const tl_piece *const piece = &constants->pieces.items[i];
    const uint64_t align = pool_align(module, piece);
    const bool finds = tl_layout_pool_finds(piece, align);
    const uint32_t number = finds ? tl_layout_pool_number(&seen, piece, align, arena) : 0;
    if (finds && number < known) {
      value = piece->named ? first[number] : value;
      any = true;
      continue;
    }
    tl_piece *const placed = tl_vector_push(arena, &placement->pieces);
    *placed = *piece;
    placed->offset = tl_align(end, align);
    end = placed->offset + placed->size;
    if (finds)
      first[known++] = placed->offset;
    value = tl_layout_pool_takes(piece, align) ? placed->offset : value;
  }
  layout->null_value = value; /* also when it is 0 (L84) */
  if (tl_defect_matched(module->options, TL_DEFECT_D76)) {
    placement->section = section;
    layout->section_size[section] = end;
  } else if (any) {
    tl_defect_note(module->diagnostics, TL_DEFECT_D76, NULL);
  }
}
