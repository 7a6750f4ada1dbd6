/* Blocks of compiler constants by the name of their section (W10.2, L73, D7): which is the first of a name, and which the
 * first that stands. A block can be emptied, filled again and renamed, so each name has two heaps of block numbers; a
 * number that no longer belongs on top is taken away when somebody asks. Each change adds one number, and each number is
 * taken away once: a file of many blocks of one name costs no more than one of many names. */
#include "merge/merging.h"

static void blocks_swap(uint32_t *a, uint32_t *b) {
  const uint32_t kept = *a;
  *a = *b;
  *b = kept;
}

static void blocks_push(tl_arena *arena, tl_u32_vector *heap, uint32_t block) {
  tl_u32_push(arena, heap, block);
  for (size_t at = heap->count - 1; at && heap->items[(at - 1) / 2] > heap->items[at]; at = (at - 1) / 2)
    blocks_swap(&heap->items[(at - 1) / 2], &heap->items[at]);
}

static void blocks_pop(tl_u32_vector *heap) {
  heap->items[0] = heap->items[--heap->count];
  for (size_t at = 0, least = 0;; at = least) {
    for (size_t child = 2 * at + 1; child < heap->count && child < 2 * at + 3; child++)
      least = heap->items[child] < heap->items[least] ? child : least;
    if (least == at)
      return;
    blocks_swap(&heap->items[least], &heap->items[at]);
  }
}

static uint32_t blocks_first(tl_module *module, uint32_t name, bool standing) {
  const uint32_t number = tl_map_get(&module->named_blocks, name);
  if (number == TL_NONE)
    return TL_NONE;
  tl_block_heaps *const heaps = &module->block_heaps.items[number];
  tl_u32_vector *const heap = standing ? &heaps->standing : &heaps->all;
  while (heap->count) {
    const tl_constant_block *const block = &module->constant_blocks.items[heap->items[0]];
    if (block->name == name && !(standing && block->deleted))
      return heap->items[0];
    blocks_pop(heap);
  }
  return TL_NONE;
}

uint32_t tl_merge_first_block(tl_module *module, uint32_t name) {
  return blocks_first(module, name, false);
}

uint32_t tl_merge_first_standing_block(tl_module *module, uint32_t name) {
  return blocks_first(module, name, true);
}

void tl_merge_enlist_block(tl_module *module, uint32_t block) {
  const uint32_t name = module->constant_blocks.items[block].name;
  uint32_t number = tl_map_get(&module->named_blocks, name);
  if (number == TL_NONE) {
    number = (uint32_t)module->block_heaps.count;
    *tl_vector_push(module->arena, &module->block_heaps) = (tl_block_heaps){0};
    tl_map_set(&module->named_blocks, name, number);
  }
  blocks_push(module->arena, &module->block_heaps.items[number].all, block);
  blocks_push(module->arena, &module->block_heaps.items[number].standing, block);
}
