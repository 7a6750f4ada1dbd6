/* Reserved shared memory (H9, M28): the objects of .nv.shared.reserved.0, tensor memory's partition and a workaround of
 * sm_110, lie behind 0x40 bytes of the driver's in a SASS executable, and at the start of the section in the Mercury
 * view. An object's st_value is its alignment until then. */
#include "base/bytes.h"
#include "cubin/elf.h"
#include "layout/layout.h"

enum { DRIVER_BYTES = 0x40 };

void tl_layout_reserved_shared(tl_layout *layout, const tl_module *module) {
  uint64_t end = module->view == TL_VIEW_SASS ? DRIVER_BYTES : 0;
  uint32_t section = TL_NONE;
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (symbol->section == TL_NONE || (symbol->other & STO_SPACE_MASK) != STO_RESERVED_SHARED ||
        module->sections.items[symbol->section].type != SHT_CUDA_RESERVED_SHARED)
      continue;
    section = symbol->section;
    layout->symbol_value[i] = tl_align(end, symbol->align);
    end = layout->symbol_value[i] + symbol->size;
  }
  if (section != TL_NONE)
    layout->section_size[section] = end;
}
