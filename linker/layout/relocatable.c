/* Shared memory of a relocatable output (W9.11, W12, W17.5, W17.12, D59). Objects keep their alignment as their value, and
 * a section says how much memory they can need: the plain sum of their sizes, and where that is no more than the
 * section's alignment, the alignment again. Each kernel whose text refers to extern shared memory has a symbol
 * `externsharedinstance` in place of the names, with the size of the kernel's other objects as its value. */
#include "base/bytes.h"
#include "cubin/elf.h"
#include "layout/layout.h"

#include <string.h>

enum { EXTERNAL_ALIGN = 16, SYMBOL_LOCAL_MARK = 1 };

struct tl_instances {
  tl_module *module;
  tl_arena *arena;
  uint64_t *raw, *align; /* by section: sum of the sizes, largest alignment of the objects */
  bool *late;            /* by section: made at the end, D does not count (W17.12) */
  tl_u32_vector kernels; /* functions of the kernels that refer to extern shared memory, in the order of the entries */
  tl_u32_vector symbols; /* their instances; none with -g */
  uint64_t external_align; /* largest alignment of extern shared memory, at least 16 */
  uint64_t pool_align;     /* D of W9.8 */
};

static bool instances_is_object(const tl_symbol *symbol) {
  return symbol->shared && symbol->section != TL_NONE && !symbol->external_shared;
}

static void instances_sum(tl_instances *n) {
  n->pool_align = n->module->debug_shared_align ? n->module->debug_shared_align : 1;
  n->external_align = EXTERNAL_ALIGN;
  for (uint32_t i = 1; i < n->module->symbols.count; i++) {
    const tl_symbol *const symbol = &n->module->symbols.items[i];
    if (symbol->external_shared) {
      n->external_align = symbol->align > n->external_align ? symbol->align : n->external_align;
      n->pool_align = symbol->value > n->pool_align ? symbol->value : n->pool_align;
    }
    if (!instances_is_object(symbol))
      continue;
    n->raw[symbol->section] += symbol->size;
    n->align[symbol->section] = symbol->align > n->align[symbol->section] ? symbol->align : n->align[symbol->section];
  }
}

/* W17.12: a kernel that is not named has no section until it needs one. */
static uint32_t instances_section(tl_instances *n, uint32_t text, uint32_t kernel) {
  tl_module *const module = n->module;
  if (module->sections.items[text].shared != TL_NONE)
    return module->sections.items[text].shared;
  const uint32_t name = tl_module_name(module, ".nv.shared.", module->symbols.items[kernel].name);
  const uint32_t section =
      tl_module_add_section(module, name, SHT_CUDA_SHARED, SHF_INFO_LINK | SHF_ALLOC | SHF_WRITE, 1, 0);
  tl_module_add_section_symbol(module, section);
  module->sections.items[section].about = text;
  module->sections.items[text].shared = section;
  return section;
}

static uint64_t instances_raw(const tl_instances *n, uint32_t text) {
  const uint32_t section = n->module->sections.items[text].shared;
  return section == TL_NONE ? 0 : tl_align(n->raw[section], EXTERNAL_ALIGN);
}

static void instances_create(tl_instances *n, uint32_t function) {
  static const char text[] = "externsharedinstance";
  tl_module *const module = n->module;
  const uint32_t kernel = module->symbol_of_function[function];
  const uint32_t owner = module->symbols.items[kernel].section;
  const tl_symbol instance = {.name = tl_names_intern(module->names, text, sizeof text - 1),
                              .info = STB_WEAK << 4 | STT_CUDA_OBJECT,
                              .other = STO_SHARED | SYMBOL_LOCAL_MARK,
                              .section = TL_NONE,
                              .value = instances_raw(n, owner),
                              .function = TL_NONE,
                              .block = TL_NONE,
                              .mention = TL_NONE};
  const bool named = !module->options->debug || module->options->suppress_debug_info;
  const uint32_t created = named ? tl_module_new_symbol(module, &instance) : TL_NONE;
  tl_u32_push(n->arena, &n->kernels, function);
  tl_u32_push(n->arena, &n->symbols, created);
  if (named)
    tl_module_list_symbol(module, created, true);
  instances_section(n, owner, kernel);
}

tl_instances *tl_layout_create_instances(tl_module *module, tl_arena *arena) {
  tl_instances *const n = tl_arena_new(arena, tl_instances, 1);
  const size_t kernels = module->all_kernels.count;
  *n = (tl_instances){.module = module,
                      .arena = arena,
                      .raw = tl_arena_new(arena, uint64_t, module->sections.count + kernels),
                      .align = tl_arena_new(arena, uint64_t, module->sections.count + kernels),
                      .late = tl_arena_new(arena, bool, module->sections.count + kernels)};
  bool *const done = tl_arena_new(arena, bool, module->resolution->functions.count + 1);
  instances_sum(n);
  const size_t first_late = module->sections.count;
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    const tl_symbol *const symbol = &module->symbols.items[entry->symbol];
    const uint32_t function = tl_layout_function_of(module, entry->target);
    if (entry->state != TL_ENTRY_NORMAL || !symbol->external_shared || function == TL_NONE || done[function] ||
        !tl_module_relocation_stands(module, i))
      continue;
    done[function] = true;
    const uint32_t owner = module->symbol_of_function[function];
    if (module->symbols.items[owner].other & STO_ENTRY)
      instances_create(n, function);
  }
  for (size_t i = first_late; i < module->sections.count; i++)
    n->late[i] = true;
  return n;
}

static void relocatable_set_size(tl_layout *layout, uint32_t section, uint64_t raw, uint64_t align, bool stays) {
  layout->section_align[section] = align;
  layout->section_size[section] = raw ? (raw <= align ? raw + align : raw) : (stays ? align : 0);
  layout->section_dropped[section] = layout->section_size[section] == 0;
}

static void relocatable_place_kernels(tl_layout *layout, const tl_instances *n) {
  const tl_module *const module = n->module;
  const bool external = module->has_external_shared;
  bool *const refers = tl_arena_new(n->arena, bool, module->sections.count);
  for (size_t i = 0; i < n->kernels.count; i++) {
    const uint32_t kernel = module->symbol_of_function[n->kernels.items[i]];
    refers[module->sections.items[module->symbols.items[kernel].section].shared] = true;
    layout->instance[n->kernels.items[i]] = n->symbols.items[i];
  }
  for (uint32_t section = 1; section < module->sections.count; section++) {
    if (module->sections.items[section].type != SHT_CUDA_SHARED || section == module->debug_shared)
      continue;
    uint64_t align = n->align[section] ? n->align[section] : 1;
    if (!n->late[section] && n->pool_align > align)
      align = n->pool_align;
    if (refers[section] && n->external_align > align)
      align = n->external_align;
    const uint64_t raw = refers[section] ? tl_align(n->raw[section], EXTERNAL_ALIGN) : n->raw[section];
    layout->section_hollow[section] = n->raw[section] == 0;
    relocatable_set_size(layout, section, raw, align, external && align == EXTERNAL_ALIGN);
  }
}

void tl_layout_relocatable(tl_layout *layout, const tl_instances *n) {
  const tl_module *const module = n->module;
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (instances_is_object(symbol))
      layout->symbol_value[i] = symbol->align;
    else if (symbol->external_shared)
      layout->symbol_section[i] = module->debug_shared;
    else if (symbol->shared)
      layout->symbol_value[i] = UINT64_MAX; /* D57 */
  }
  relocatable_place_kernels(layout, n);
  const uint32_t pool = module->debug_shared;
  if (pool == TL_NONE)
    return;
  const bool external = module->has_external_shared;
  const uint64_t align = external && n->external_align > n->pool_align ? n->external_align : n->pool_align;
  layout->section_hollow[pool] = n->raw[pool] == 0;
  relocatable_set_size(layout, pool, n->raw[pool], align, external);
}
