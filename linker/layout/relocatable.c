/* Shared memory of a relocatable output (W9.11, W12, W17.5, W17.12, D59). Objects keep their alignment as their value, and
 * a section says how much memory they can need: the plain sum of their sizes, and where that is no more than the
 * section's alignment, the alignment again. Each kernel whose text refers to extern shared memory has a symbol
 * `externsharedinstance` in place of the names, with the size of the kernel's other objects as its value. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/trace.h"
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
  tl_u32_vector symbols; /* their instances; TL_NONE with -g */
  bool by_name;          /* -g: extern shared memory has one offset a name (W17.5) */
  uint64_t *name_value;  /* with -g, by symbol: the largest end of the kernels that refer to the name */
  uint64_t external_align; /* largest alignment of extern shared memory, at least 16 */
  uint64_t pool_align;     /* D of W9.8 */
  uint64_t *null_align; /* by section: of the last object without a symbol before which no ordinary one came (L1034) */
  uint64_t *null_place; /* by section: the place of that object (L1069) */
  bool *null_closed;    /* by section: an ordinary one came */
  uint64_t null_value;  /* of symbol 0: that of the first kernel that has some (L556) */
};

static bool instances_is_object(const tl_symbol *symbol) {
  return symbol->shared && symbol->section != TL_NONE; /* extern shared memory lies nowhere */
}

/* What symbol 0 says of a section: the alignment of the last object without a symbol before which no ordinary one came
 * (L1034), of those at one place that of the first (L1069); so in the pool, too (L1662). */
static void instances_note_null(tl_instances *n, uint32_t section, uint64_t place, uint64_t align) {
  const bool first = !n->null_align[section] || n->null_place[section] != place;
  if (!first || n->null_closed[section])
    return;
  n->null_align[section] = align;
  n->null_place[section] = place;
}

/* L746: the objects begin at 0, where others lie already, and behind all comes their section as one more object. */
static void instances_add_bare(tl_instances *n, const tl_bare_pool *bare) {
  const uint32_t pool = n->module->debug_shared;
  if (!n->module->null_is_shared)
    return;
  const uint64_t place = tl_align(n->raw[pool], bare->align);
  instances_note_null(n, pool, place, bare->align);
  n->raw[pool] = place + bare->size;
}

/* L556, L1011: objects with a symbol begin at 0, where others lie already; the one without lies behind all that came. */
static void instances_add_partial(tl_instances *n, const tl_partial_object *object) {
  const uint32_t section = n->module->sections.items[object->text].shared;
  if (section == TL_NONE) /* L1963 */
    return;
  n->raw[section] = tl_larger(object->laid, n->raw[section]);
  if (!object->counts)
    return;
  const uint64_t place = tl_align(n->raw[section], object->align);
  n->raw[section] = place + object->size;
  n->align[section] = tl_larger(object->align, n->align[section]);
  const bool late = n->module->symbols.items[n->module->sections.items[object->text].owner].late;
  if (!late || object->laid) /* L1598: made late where nothing in it has a name */
    instances_note_null(n, section, place, object->align);
}

static void instances_sum(tl_instances *n) {
  if (!n->module->has_external_shared) /* L1650 */
    tl_layout_check_flat(n->module);
  n->pool_align = n->module->debug_shared_align ? n->module->debug_shared_align : 1;
  n->external_align = EXTERNAL_ALIGN;
  size_t bare = 0, partial = 0;
  for (uint32_t i = 1; i < n->module->symbols.count; i++) {
    const tl_symbol *const symbol = &n->module->symbols.items[i];
    for (; bare < n->module->bare_pools.count && n->module->bare_pools.items[bare].symbols <= i; bare++)
      instances_add_bare(n, &n->module->bare_pools.items[bare]);
    for (; partial < n->module->partial_objects.count && n->module->partial_objects.items[partial].symbols <= i;
         partial++)
      instances_add_partial(n, &n->module->partial_objects.items[partial]);
    if (symbol->external_shared && symbol->extern_section != n->module->debug_shared) { /* L950 */
      n->align[symbol->extern_section] = tl_larger(symbol->align, n->align[symbol->extern_section]);
    } else if (symbol->external_shared && tl_defect_matched(n->module->options, TL_DEFECT_D59)) {
      n->external_align = tl_larger(symbol->align, n->external_align);
      n->pool_align = tl_larger(symbol->value, n->pool_align);
      if (symbol->bare_shared) /* L1062: its place */
        n->raw[symbol->extern_section] = tl_larger(symbol->first_align, n->raw[symbol->extern_section]);
    }
    if (!instances_is_object(symbol) || symbol->laid_shared)
      continue;
    if (symbol->bare_shared) { /* L766: its place is in what is there already */
      n->raw[symbol->section] = tl_larger(n->raw[symbol->section], symbol->input_value + symbol->size); /* L1300 */
      continue;
    }
    n->raw[symbol->section] += symbol->size * symbol->shared_places; /* L87 */
    n->align[symbol->section] = tl_larger(symbol->align, n->align[symbol->section]);
    n->null_closed[symbol->section] |= n->null_align[symbol->section] != 0;
  }
  for (; partial < n->module->partial_objects.count; partial++)
    instances_add_partial(n, &n->module->partial_objects.items[partial]);
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

/* L556: what symbol 0 says of objects without a symbol: what the first function says that has some, a kernel or not
 * (L1368). */
static void instances_find_null_value(tl_instances *n) {
  const tl_module *const module = n->module;
  for (uint32_t i = 1; i < module->symbols.count && !n->null_value; i++) {
    const uint32_t text = module->symbols.items[i].function == TL_NONE ? TL_NONE : module->symbols.items[i].section;
    const bool owner = text != TL_NONE && module->sections.items[text].owner == i;
    const uint32_t section = owner ? module->sections.items[text].shared : TL_NONE;
    if (section != TL_NONE)
      n->null_value = n->null_align[section];
  }
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
  const bool matched = tl_defect_matched(module->options, TL_DEFECT_D59);
  const uint32_t created = n->by_name || !matched ? TL_NONE : tl_module_new_symbol(module, &instance);
  if (!n->by_name && !matched)
    tl_defect_note(module->diagnostics, TL_DEFECT_D59, tl_module_text(module, module->symbols.items[kernel].name));
  tl_u32_push(n->arena, &n->kernels, function);
  tl_u32_push(n->arena, &n->symbols, created);
  if (created != TL_NONE) {
    tl_module_list_symbol(module, created, true);
    tl_trace(module->diagnostics, TL_TRACE_NEW_INSTANCE, (uint64_t)created);
  }
  instances_section(n, owner, kernel);
}

/* The function whose text has a standing entry against extern shared memory, TL_NONE. */
static uint32_t instances_referrer(const tl_instances *n, size_t index) {
  const tl_relocation *const entry = &n->module->relocations.items[index];
  const bool external = n->module->symbols.items[entry->symbol].external_shared;
  return entry->state == TL_ENTRY_NORMAL && external && tl_module_relocation_stands(n->module, index)
             ? tl_layout_function_of(n->module, entry->target)
             : TL_NONE;
}

static bool instances_is_kernel(const tl_instances *n, uint32_t function) {
  const tl_symbol *const symbol = &n->module->symbols.items[n->module->symbol_of_function[function]];
  return (symbol->other & STO_ENTRY) && (n->by_name || !tl_layout_forgets_kernel(n->module, symbol));
}

static uint32_t instances_text(const tl_instances *n, uint32_t function) {
  return n->module->symbols.items[n->module->symbol_of_function[function]].section;
}

/* Brings every kernel's end up to its names' offsets and these up to its end; false when nothing changed. */
static bool instances_raise(tl_instances *n, uint64_t *end) {
  const tl_module *const module = n->module;
  bool changed = false;
  for (size_t i = 0; i < module->relocations.count; i++) {
    const uint32_t function = instances_referrer(n, i);
    if (function == TL_NONE || !instances_is_kernel(n, function))
      continue;
    uint64_t *const value = &n->name_value[module->relocations.items[i].symbol];
    uint64_t *const kernel_end = &end[module->sections.items[instances_text(n, function)].shared];
    const uint64_t larger = tl_larger(*value, *kernel_end);
    changed |= *value != larger || *kernel_end != larger;
    *value = *kernel_end = larger;
  }
  return changed;
}

/* W17.5: one offset a name, behind the other objects of every kernel that refers to it, and so of every kernel that is
 * joined to it through other names (L489). */
static void instances_place_names(tl_instances *n) {
  const tl_module *const module = n->module;
  n->name_value = tl_arena_new(n->arena, uint64_t, module->symbols.count);
  uint64_t *const end = tl_arena_new(n->arena, uint64_t, module->sections.count);
  for (size_t i = 0; i < n->kernels.count; i++) {
    const uint32_t text = instances_text(n, n->kernels.items[i]);
    end[module->sections.items[text].shared] = instances_raw(n, text);
  }
  while (instances_raise(n, end))
    ;
  for (size_t i = 0; i < module->sections.count; i++)
    n->raw[i] = tl_larger(end[i], n->raw[i]);
}

/* The pool of an -ewp object that stays apart (L746), and what has a name of its own there (L1930). */
static bool instances_is_apart(const tl_module *module, uint32_t section) {
  const tl_section *const s = &module->sections.items[section];
  return s->type == SHT_CUDA_SHARED && s->about == TL_NONE && section != module->debug_shared &&
         section != module->foreign_shared;
}

static void instances_take_apart(tl_instances *n) {
  for (uint32_t section = 1; section < n->module->sections.count; section++)
    if (instances_is_apart(n->module, section))
      n->raw[section] = n->module->sections.items[section].size;
}

tl_instances *tl_layout_create_instances(tl_module *module, tl_arena *arena) {
  tl_instances *const n = tl_arena_new(arena, tl_instances, 1);
  const size_t kernels = module->all_kernels.count;
  *n = (tl_instances){.module = module,
                      .arena = arena,
                      .by_name = module->extern_by_name,
                      .raw = tl_arena_new(arena, uint64_t, module->sections.count + kernels),
                      .align = tl_arena_new(arena, uint64_t, module->sections.count + kernels),
                      .null_align = tl_arena_new(arena, uint64_t, module->sections.count + kernels),
                      .null_place = tl_arena_new(arena, uint64_t, module->sections.count + kernels),
                      .null_closed = tl_arena_new(arena, bool, module->sections.count + kernels),
                      .late = tl_arena_new(arena, bool, module->sections.count + kernels)};
  bool *const done = tl_arena_new(arena, bool, module->resolution->functions.count);
  instances_sum(n);
  instances_take_apart(n);
  instances_find_null_value(n);
  const size_t first_late = module->sections.count;
  for (size_t i = 0; i < module->relocations.count; i++) {
    const uint32_t function = instances_referrer(n, i);
    if (function == TL_NONE || done[function])
      continue;
    done[function] = true;
    if (instances_is_kernel(n, function))
      instances_create(n, function);
  }
  for (size_t i = first_late; i < module->sections.count; i++)
    n->late[i] = true;
  if (n->by_name)
    instances_place_names(n);
  return n;
}

static void relocatable_set_size(tl_layout *layout, uint32_t section, uint64_t raw, uint64_t align, bool stays) {
  layout->section_align[section] = align;
  layout->section_size[section] = raw ? (raw <= align ? raw + align : raw) : (stays ? align : 0);
  layout->section_dropped[section] = layout->section_size[section] == 0;
}

/* L1141: a section of the pool's name that is none; L1649: without bytes. */
static void relocatable_size_foreign(tl_layout *layout, const tl_module *module) {
  const uint32_t section = module->foreign_shared;
  if (section == TL_NONE)
    return;
  layout->section_hollow[section] = layout->section_size[section] == 0;
  relocatable_set_size(layout, section, layout->section_size[section], layout->section_align[section], true);
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
    if (module->sections.items[section].type != SHT_CUDA_SHARED || section == module->debug_shared ||
        section == module->foreign_shared)
      continue;
    const bool apart = instances_is_apart(module, section);
    const uint64_t least = apart ? module->sections.items[section].align : 1;
    uint64_t align = n->align[section] ? n->align[section] : least;
    if (!n->late[section] && (!apart || section == module->bare_shared))
      align = tl_larger(n->pool_align, align);
    if (refers[section])
      align = tl_larger(n->late[section] ? EXTERNAL_ALIGN : n->external_align, align); /* L1663 */
    const uint64_t raw = refers[section] ? tl_align(n->raw[section], EXTERNAL_ALIGN) : n->raw[section];
    layout->section_hollow[section] = n->raw[section] == 0;
    const bool stays =
        apart || (external && align == EXTERNAL_ALIGN) || tl_section_keeps_external(&module->sections.items[section]);
    relocatable_set_size(layout, section, raw, align, stays);
  }
}

/* By default no symbol of a replaced body's compiler constants is left, which nvlink would believe in the next link (D88). */
static bool relocatable_is_of_replaced(const tl_module *module, uint32_t index) {
  const tl_symbol *const symbol = &module->symbols.items[index];
  return symbol->section != TL_NONE && tl_type_of(symbol) != STT_SECTION &&
         index < module->sections.items[symbol->section].symbol_cutoff &&
         module->sections.items[symbol->section].size && !tl_defect_matched(module->options, TL_DEFECT_D88);
}

/* L648: a kernel's compiler constants that a losing body brought and a replacement emptied go with the entries in them where
 * the new body's stand in another section of the name (D85). */
static bool relocatable_is_lost_image(const tl_module *module, uint32_t index) {
  const tl_section *const section = &module->sections.items[index];
  const uint32_t text = section->about;
  const bool entries = section->relocations[0] != TL_NONE || section->relocations[1] != TL_NONE;
  if (section->type != SHT_CUDA_CONSTANT0 + 2 || section->size || !entries || text == TL_NONE)
    return false;
  for (uint32_t i = index + 1; i < module->sections.count; i++)
    if (module->sections.items[i].type == section->type && module->sections.items[i].about == text &&
        module->sections.items[i].size)
      return true;
  return false;
}

/* D60: compiler constants that a replaced body left are gone, and where symbols of theirs are left nvlink stops. By
 * default those symbols go too. */
static void relocatable_drop_constants(tl_layout *layout, const tl_instances *n) {
  const tl_module *const module = n->module;
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const tl_section *const section = &module->sections.items[i];
    const bool constants = section->type == SHT_CUDA_CONSTANT0 + 2 && section->flags & SHF_INFO_LINK;
    layout->section_dropped[i] |= (constants || section->symbol_cutoff) && section->size == 0; /* L542 */
    if (relocatable_is_lost_image(module, i))
      n->module->sections.items[i].forgotten = true;
  }
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    const tl_site site = {NULL, NULL, tl_module_text(module, symbol->name), TL_NO_OFFSET};
    if (relocatable_is_of_replaced(module, i)) {
      layout->symbol_gone[i] = true;
      continue;
    }
    if (symbol->section == TL_NONE || !layout->section_dropped[symbol->section] || tl_type_of(symbol) == STT_SECTION)
      continue;
    layout->symbol_gone[i] = true;
    if (tl_defect_matched(module->options, TL_DEFECT_D60))
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SECTION), site, NULL);
    else
      tl_defect_note(module->diagnostics, TL_DEFECT_D60, site.symbol);
  }
}

/* .nv.ptx.const0.size (L251): its value is the size so far, -1 without user constants. */
static void relocatable_set_constants_size(tl_layout *layout, const tl_module *module) {
  const uint32_t section = tl_module_section_named(module, tl_module_user_constants(module));
  if (module->constants_size != TL_NONE && section != TL_NONE)
    layout->symbol_value[module->constants_size] = layout->section_size[section];
}

/* L298: nvlink shows the alignment of a weak definition that was replaced, and of a mention without a size (L136). */
static uint64_t relocatable_object_value(const tl_module *module, const tl_symbol *symbol) {
  const tl_defect row = symbol->unsized ? TL_DEFECT_D82 : TL_DEFECT_D1;
  const bool first = symbol->unsized || symbol->first_align;
  return first && tl_defect_matched(module->options, row) ? symbol->first_align : symbol->align;
}

void tl_layout_relocatable(tl_layout *layout, const tl_instances *n) {
  const tl_module *const module = n->module;
  layout->external_by_name = n->by_name;
  layout->bindless_base = module->capsule ? tl_layout_bindless_base(module) : 0; /* M27 */
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (instances_is_object(symbol))
      layout->symbol_value[i] = relocatable_object_value(module, symbol);
    if (symbol->external_shared) {
      const bool matched = tl_defect_matched(module->options, TL_DEFECT_D59);
      const bool own = symbol->extern_section != module->debug_shared; /* L950 */
      layout->symbol_section[i] = matched || own ? symbol->extern_section : TL_NONE;
      if (!matched && !own)
        tl_defect_note(module->diagnostics, TL_DEFECT_D59, tl_module_text(module, symbol->name));
      layout->symbol_value[i] = n->by_name && matched ? n->name_value[i] : symbol->value;
    }
    if (symbol->shared && symbol->section == TL_NONE && !symbol->external_shared &&
        tl_defect_matched(module->options, TL_DEFECT_D1))
      layout->symbol_value[i] = UINT64_MAX; /* D57; else its alignment */
  }
  relocatable_set_constants_size(layout, module);
  relocatable_drop_constants(layout, n);
  relocatable_place_kernels(layout, n);
  relocatable_size_foreign(layout, module);
  if (n->null_value)
    layout->null_value = n->null_value;
  const uint32_t pool = module->debug_shared;
  if (pool == TL_NONE)
    return;
  if (module->null_is_shared && !n->null_value) /* L746; a kernel's comes before the pool's (L766) */
    layout->null_value = n->null_align[pool];
  const bool external = module->has_external_shared;
  const uint64_t own =
      tl_larger(n->align[pool], n->pool_align); /* objects of sections that are no function's, too (L190) */
  const uint64_t align = external ? tl_larger(n->external_align, own) : own;
  layout->section_hollow[pool] = n->raw[pool] == 0;
  relocatable_set_size(layout, pool, n->raw[pool], align, external);
}
