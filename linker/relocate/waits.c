/* What nvlink's finalizer makes of an instruction that an entry of 64 bits has changed: nothing waits for it any more (L1313). The
 * last one of a block waits as long as each of its block needs (L911), and then for the others alone. */
#include "relocate/relocate.h"

#include "base/bytes.h"
#include "catalog/sass_type.h"
#include "cubin/blocks.h"
#include "cubin/code.h"
#include "cubin/elf.h"

/* The code of a file in the output section, from a place on that lies in it. */
static const uint8_t *waits_text(const tl_module *module, const tl_patch *patch, uint64_t *before, uint64_t *behind) {
  const tl_piece *const piece = tl_layout_piece(&module->sections.items[patch->section], patch->offset);
  if (!piece || !piece->data || patch->offset < piece->offset || patch->offset - piece->offset >= piece->size)
    return NULL;
  *before = patch->offset - piece->offset;
  *behind = piece->size - *before;
  return piece->data + *before;
}

/* How long the instruction at a place waits when it and those in `changed` need nothing; what it waits now where that has another
 * cause. */
static uint32_t waits_left(const uint8_t *at, uint64_t before, uint64_t key, const tl_map *changed) {
  const uint32_t now = tl_blocks_wait_of(at), own = tl_blocks_need_of(at);
  uint32_t all = own, left = 1, passed = 0;
  for (uint64_t back = TL_CODE_INSTRUCTION; back <= before && passed < own && !tl_blocks_ends_at(at - back);
       back += TL_CODE_INSTRUCTION) {
    passed += tl_blocks_wait_of(at - back);
    const uint32_t need = tl_blocks_need_of(at - back), rest = need > passed ? need - passed : 0;
    all = (uint32_t)tl_larger(all, rest);
    if (!tl_set_has(changed, key - back))
      left = (uint32_t)tl_larger(left, rest);
  }
  return now == all ? left : now;
}

void tl_relocate_put_waits(tl_relocated *relocated, const tl_module *module, tl_arena *arena) {
  const size_t count = relocated->patches.count;
  tl_map changed;
  tl_map_init(&changed, arena);
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const tl_patch *const patch = &relocated->patches.items[i];
    if (!tl_sass_row_is_address_of_move(patch->row) || patch->offset > UINT32_MAX ||
        patch->offset % TL_CODE_INSTRUCTION)
      continue;
    tl_set_add(&changed, tl_pair_key(patch->section, (uint32_t)patch->offset));
    any = true;
  }
  for (size_t i = 0; any && i < count; i++) {
    const tl_patch patch = relocated->patches.items[i];
    const uint64_t key = tl_pair_key(patch.section, (uint32_t)patch.offset);
    uint64_t before, behind;
    if (!tl_sass_row_is_address_of_move(patch.row) || !tl_set_has(&changed, key))
      continue;
    const uint8_t *const at = waits_text(module, &patch, &before, &behind);
    if (!at || behind < 2 * TL_CODE_INSTRUCTION || !tl_blocks_ends_at(at + TL_CODE_INSTRUCTION))
      continue;
    *tl_vector_push(arena, &relocated->patches) = (tl_patch){.section = patch.section,
                                                             .offset = patch.offset,
                                                             .row = tl_sass_row_of_wait(),
                                                             .value = waits_left(at, before, key, &changed),
                                                             .entry = patch.entry};
  }
}
