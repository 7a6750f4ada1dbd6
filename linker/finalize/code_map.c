/* The places of the instructions of a text, which cubin/code.h reads. Debug data of the Mercury view names places in decoded
 * Mercury code; nvlink's finalizer carries them over to the SASS text with the standing body's instructions, which shows
 * where the data describe another body (L128, L129). Where the sum is not the function's size in the Mercury view nothing
 * is said. */
#include "finalize/parts.h"

#include "cubin/elf.h"

static bool code_read(const finalizer *f, uint32_t text, final_code_map *map) {
  const uint32_t other = f->sass_section[text];
  if (text == f->mercury->module->jump_slots && f->slots.count)
    return tl_code_read(&map->code, f->slots.capsule, f->slots.capsule_size, f->slots.sass, f->slots.sass_size,
                        f->arena);
  return tl_code_read(&map->code, final_view_bytes(f->mercury, text), final_view_size(f->mercury, text),
                      final_view_bytes(f->sass, other), final_view_size(f->sass, other), f->arena) &&
         map->code.mercury_size == tl_module_decoded_size(f->mercury->module, text, 0);
}

const tl_code *final_code_map_of(finalizer *f, uint32_t text) {
  if (text == TL_NONE || f->sass_section[text] == TL_NONE)
    return NULL;
  if (!f->code_maps)
    f->code_maps = tl_arena_new(f->arena, final_code_map, f->mercury->module->sections.count);
  final_code_map *const map = &f->code_maps[text];
  if (!map->read)
    map->known = code_read(f, text, map);
  map->read = true;
  return map->known ? &map->code : NULL;
}

uint32_t final_standing_file(const finalizer *f, uint32_t text) {
  return text == TL_NONE || !final_mercury(f, text)->pieces.count ? TL_NONE
                                                                  : final_mercury(f, text)->pieces.items[0].file;
}

/* Which texts have a second name that stands before their function. */
void final_find_aliases(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  f->aliased = tl_arena_new(f->arena, bool, m->sections.count);
  for (size_t i = 0; i < m->functions.count; i++) {
    const uint32_t symbol = m->symbol_of_function[m->functions.items[i]];
    if (symbol != TL_NONE && final_names_first(f, symbol))
      f->aliased[m->symbols.items[symbol].section] = true;
  }
}
