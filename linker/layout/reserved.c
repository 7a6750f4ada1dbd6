/* Reserved shared memory (H9, M28): the objects of .nv.shared.reserved.0, tensor memory's partition and a workaround of
 * sm_110, lie behind 0x40 bytes of the driver's in a SASS executable, and at the start of the section in the Mercury
 * view and before sm_100, where only damaged files have some (L1370). An object's st_value is its alignment until then. */
#include "base/bytes.h"
#include "base/list_sort.h"
#include "cubin/elf.h"
#include "layout/layout.h"

enum { DRIVER_BYTES = 0x40, FIRST_ARCH = 100, LARGEST_STEP = 8 };

/* As a kernel's own objects are (W9.4): the largest alignment first, then the smallest size (L1370). */
static bool reserved_first(const void *context, uint32_t a, uint32_t b) {
  const tl_module *const module = context;
  const tl_symbol *const x = &module->symbols.items[a], *const y = &module->symbols.items[b];
  return x->align != y->align ? x->align > y->align : x->size <= y->size;
}

void tl_layout_reserved_shared(tl_layout *layout, const tl_module *module, tl_arena *arena) {
  uint64_t end = module->view == TL_VIEW_SASS && module->arch >= FIRST_ARCH ? DRIVER_BYTES : 0;
  uint32_t section = TL_NONE;
  tl_u32_vector objects = {0};
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (symbol->section == TL_NONE || (symbol->other & STO_SPACE_MASK) != STO_RESERVED_SHARED ||
        module->sections.items[symbol->section].type != SHT_CUDA_RESERVED_SHARED)
      continue;
    section = symbol->section;
    tl_u32_push(arena, &objects, i);
  }
  tl_list_sort(arena, objects.items, objects.count, TL_DEAL_ALTERNATE, reserved_first, module);
  for (size_t i = 0; i < objects.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[objects.items[i]];
    const uint64_t step = symbol->align ? symbol->align : tl_smaller(symbol->size, LARGEST_STEP); /* L1077 */
    layout->symbol_value[objects.items[i]] = tl_align(end, step);
    end = layout->symbol_value[objects.items[i]] + symbol->size;
  }
  if (section != TL_NONE)
    layout->section_size[section] = end;
}
