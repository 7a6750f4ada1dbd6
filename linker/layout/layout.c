/* The layout before anything is laid out: a copy of what the merge decided. */
#include "layout/layout.h"

#include <string.h>

void tl_layout_init(tl_layout *layout, const tl_module *module, const tl_constant_offsets *constants, tl_arena *arena) {
  const size_t symbols = module->symbols.count, sections = module->sections.count;
  const size_t functions = module->resolution->functions.count;
  *layout = (tl_layout){.symbol_value = tl_arena_new(arena, uint64_t, symbols),
                        .symbol_section = tl_arena_new(arena, uint32_t, symbols),
                        .symbol_gone = tl_arena_new(arena, bool, symbols),
                        .section_size = tl_arena_new(arena, uint64_t, sections),
                        .section_align = tl_arena_new(arena, uint64_t, sections),
                        .section_dropped = tl_arena_new(arena, bool, sections),
                        .section_hollow = tl_arena_new(arena, bool, sections),
                        .instance = tl_arena_new(arena, uint32_t, functions + 1),
                        .external_offset = tl_arena_new(arena, uint64_t, functions + 1),
                        .block_offset = constants->blocks,
                        .null_value = constants->null_value,
                        .slot = tl_arena_new(arena, uint64_t, symbols),
                        .pooled_section = TL_NONE,
                        .reserved = module->arch >= 90 && module->view == TL_VIEW_SASS ? 0x400 : 0};
  for (size_t i = 0; i < symbols; i++) {
    layout->symbol_value[i] = module->symbols.items[i].value;
    layout->symbol_section[i] = module->symbols.items[i].section;
    layout->slot[i] = TL_NO_OFFSET;
  }
  for (size_t i = 0; i < sections; i++) {
    layout->section_size[i] = module->sections.items[i].size;
    layout->section_align[i] = module->sections.items[i].align;
  }
  for (size_t i = 0; i < functions; i++) {
    layout->external_offset[i] = TL_NO_OFFSET;
    layout->instance[i] = TL_NONE;
  }
}
