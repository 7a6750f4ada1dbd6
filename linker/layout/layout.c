/* The layout before anything is laid out: a copy of what the merge decided; and what was placed anew since. */
#include "layout/layout.h"

#include "base/bytes.h"

#include <string.h>

void tl_layout_init(tl_layout *layout, const tl_module *module, const tl_constant_offsets *constants, tl_arena *arena) {
  const size_t symbols = module->symbols.count, sections = module->sections.count;
  const size_t functions = module->resolution->functions.count;
  *layout = (tl_layout){.symbol_value = tl_arena_new_bare(arena, uint64_t, symbols),
                        .symbol_section = tl_arena_new_bare(arena, uint32_t, symbols),
                        .symbol_gone = tl_arena_new(arena, bool, symbols),
                        .symbol_unallocated = tl_arena_new(arena, bool, symbols),
                        .section_size = tl_arena_new_bare(arena, uint64_t, sections),
                        .section_align = tl_arena_new_bare(arena, uint64_t, sections),
                        .section_dropped = tl_arena_new(arena, bool, sections),
                        .section_hollow = tl_arena_new(arena, bool, sections),
                        .instance = tl_arena_new_bare(arena, uint32_t, functions),
                        .external_offset = tl_arena_new_bare(arena, uint64_t, functions),
                        .block_offset = constants->blocks,
                        .null_value = constants->null_value,
                        .slot = tl_arena_new_bare(arena, uint64_t, symbols),
                        .reserved = module->arch >= 90 && module->view == TL_VIEW_SASS ? TL_RESERVED_SHARED : 0};
  layout->gone_name = TL_NONE;
  for (int i = 0; i < TL_PLACED_COUNT; i++)
    layout->placed[i].section = TL_NONE;
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

const tl_placement *tl_layout_placement(const tl_layout *layout, uint32_t section) {
  for (int i = 0; i < TL_PLACED_COUNT; i++)
    if (layout->placed[i].section == section)
      return &layout->placed[i];
  return NULL;
}

int tl_layout_compare_pieces(const void *a, const void *b) {
  const tl_piece *const x = a, *const y = b;
  return tl_compare(x->offset, y->offset);
}

const tl_piece *tl_layout_piece(const tl_section *section, uint64_t offset) {
  const tl_piece key = {.offset = offset}, *const first = section->pieces.items;
  const tl_piece *const piece = section->pieces.count != 1
                                    ? TL_SORTED_LAST(&key, &section->pieces, tl_layout_compare_pieces)
                                : first->offset <= offset ? first
                                                          : NULL; /* most sections have one */
  return piece && offset - piece->offset < piece->size ? piece : NULL;
}

/* L1614: of what lies behind the end of its file's section there is what comes next. */
void tl_layout_put(tl_placement *placement, const tl_module *module, tl_move move, tl_arena *arena) {
  const tl_pieces *const pieces = &module->sections.items[placement->section].pieces;
  const tl_piece *const first = tl_layout_piece(&module->sections.items[placement->section], move.from);
  const uint64_t size = move.size > UINT64_MAX - move.from ? 0 : move.size;
  for (const tl_piece *piece = first; piece && size && piece < pieces->items + pieces->count; piece++) {
    const uint64_t from = tl_larger(piece->offset, move.from);
    if (from >= move.from + size || (placement->overflows && piece > first))
      return;
    if (!piece->size) /* or many of them cost many symbols much memory */
      continue;
    tl_piece *const moved = tl_vector_push(arena, &placement->pieces);
    *moved = *piece;
    moved->offset = move.to + (from - move.from);
    moved->size = tl_smaller(piece->offset + piece->size, move.from + size) - from;
    moved->data = piece->data + (from - piece->offset);
  }
}

void tl_layout_move(tl_placement *placement, const tl_module *module, tl_move move, tl_arena *arena) {
  *tl_vector_push(arena, &placement->moves) = move;
  tl_layout_put(placement, module, move, arena);
}

static int layout_compare_moves(const void *a, const void *b) {
  const tl_move *const x = a, *const y = b;
  return tl_compare(x->from, y->from);
}

void tl_layout_end_moves(tl_placement *placement) {
  tl_vector_sort(&placement->moves, layout_compare_moves);
}

/* The move that covers an offset, NULL. */
static const tl_move *layout_move_of(const tl_placement *placement, uint64_t offset) {
  const tl_move key = {.from = offset};
  const tl_move *const move = TL_SORTED_LAST(&key, &placement->moves, layout_compare_moves);
  return move && offset - move->from < move->size ? move : NULL;
}

bool tl_layout_offset_is_gone(const tl_layout *layout, uint32_t section, uint64_t offset) {
  const tl_placement *const placement = tl_layout_placement(layout, section);
  return placement && placement->drops && !layout_move_of(placement, offset);
}

uint64_t tl_layout_moved_offset(const tl_layout *layout, uint32_t section, uint64_t offset) {
  const tl_placement *const placement = tl_layout_placement(layout, section);
  const tl_move *const move = placement ? layout_move_of(placement, offset) : NULL;
  return move ? move->to + (offset - move->from) : offset;
}
