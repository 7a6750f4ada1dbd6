/* The bindless table (B3-B7, W10.5, W6.12): one slot for every texture, sampler and surface of the module, behind the
 * parameters of the largest kernel; run-time entries in the kernels that reach a reference. */
#include "base/bytes.h"
#include "base/list_sort.h"
#include "catalog/message.h"
#include "catalog/relocation.h"
#include "catalog/trace.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "layout/layout.h"

/* One row a kind of symbol: the bit in a kernel's mask, which masks give it entries (B6), entry type (B7, M27), limit (B9). */
typedef struct bindless_row {
  unsigned symbol_type;
  uint8_t bit, masks;
  uint32_t entry_type, mercury_type;
  uint32_t limit;
  const char *plural;
} bindless_row;

/* In slot order before the sort (B4). A surface sets and answers to both bits. */
static const bindless_row bindless_rows[] = {
    {STT_CUDA_SURFACE, 3, 3, 52, TL_R_MERCURY + 13, 32, "surfaces"},
    {STT_CUDA_SAMPLER, 2, 2, 7, TL_R_MERCURY + 12, 32, "samplers"},
    {STT_CUDA_TEXTURE, 1, 1, 6, TL_R_MERCURY + 11, 256, "textures"},
};
enum { BINDLESS_ROWS = 3 };

static const bindless_row *bindless_find(unsigned symbol_type) {
  for (int i = 0; i < BINDLESS_ROWS; i++)
    if (bindless_rows[i].symbol_type == symbol_type)
      return &bindless_rows[i];
  return NULL;
}

/* All elements tie, and the second half goes first (S1). */
static bool bindless_goes_first(const void *context, uint32_t a, uint32_t b) {
  (void)context, (void)a, (void)b;
  return false;
}

/* Surfaces, samplers, textures, each in the order of their creation, parameters among them (B4, L80). */
static tl_u32_vector bindless_order(const tl_module *module, tl_arena *arena) {
  tl_u32_vector list = {0};
  for (int row = 0; row < BINDLESS_ROWS; row++)
    for (uint32_t i = 1; i < module->symbols.count; i++)
      if (tl_type_of(&module->symbols.items[i]) == bindless_rows[row].symbol_type)
        tl_u32_push(arena, &list, i);
  tl_list_sort(arena, list.items, list.count, TL_DEAL_SWAP, bindless_goes_first, NULL);
  return list;
}

static bool bindless_rewrites(const tl_module *module, uint32_t type) {
  const tl_relocation_row *const row = tl_relocation_in_view(type, module->view == TL_VIEW_MERCURY);
  return row && row->texture == TL_TEX_BINDLESS;
}

/* Which kinds each function's text refers to. */
static uint32_t *bindless_function_masks(const tl_module *module, tl_arena *arena) {
  uint32_t *const masks = tl_arena_new(arena, uint32_t, module->resolution->functions.count);
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    const bindless_row *const row = bindless_find(tl_type_of(&module->symbols.items[entry->symbol]));
    if (!row || !bindless_rewrites(module, entry->type) || !tl_module_relocation_stands(module, i))
      continue;
    const uint32_t function = tl_layout_function_of(module, entry->target);
    if (function != TL_NONE)
      masks[function] |= row->bit;
  }
  return masks;
}

/* With exactly one kernel every reference of the inputs counts, that of dead functions too (W6.12), but
 * not that of bodies that lose (L77). */
static uint8_t bindless_input_mask(const tl_module *module) {
  uint8_t mask = 0;
  for (uint32_t f = 0; f < module->file_count; f++) {
    const tl_cubin *const cubin = &module->files[f];
    for (uint32_t s = 1; s < cubin->section_count; s++) {
      const tl_cubin_section *const section = &cubin->sections[s];
      const bool relocations =
          tl_section_type_is_relocations(section->type) && tl_module_text_counts(module, f, section->info);
      for (uint64_t i = 0; relocations && i < tl_cubin_relocation_count(section); i++) {
        const tl_cubin_relocation entry = tl_cubin_relocation_at(section, i);
        if (!bindless_rewrites(module, entry.type))
          continue;
        const bindless_row *const row = bindless_find(tl_symbol_type(tl_cubin_symbol_at(cubin, entry.symbol)));
        mask |= row ? row->bit : 0;
      }
    }
  }
  return mask;
}

/* Behind a kernel's slots nothing is left of its constants, unless the two views of a file disagree on how large a table ptxas
 * laid out (L1084); nvlink ends by a signal then. */
static void bindless_check_size(const tl_module *module, uint32_t section, uint64_t size) {
  const tl_section *const bank = &module->sections.items[section];
  if (bank->size > size && bank->pieces.count)
    tl_cubin_damaged(&module->files[bank->pieces.items[0].file], module->names, module->diagnostics,
                     bank->pieces.items[0].section, TL_NO_OFFSET,
                     "a kernel's constants are larger than its parameters and tables (L1084)");
}

static void bindless_fill_kernel(tl_layout *layout, const tl_module *module, uint32_t kernel, uint8_t mask,
                                 const tl_u32_vector *order, uint64_t base, tl_arena *arena) {
  const tl_symbol *const symbol = &module->symbols.items[kernel];
  const uint32_t section = module->sections.items[symbol->section].constant0;
  const bool mercury = module->view == TL_VIEW_MERCURY;
  if (section == TL_NONE || module->sections.items[section].about != symbol->section) /* another kernel's (L1375) */
    return;
  if (!mask) {
    tl_trace(module->diagnostics, TL_TRACE_NO_BINDLESS, tl_module_text(module, module->sections.items[section].name));
    return;
  }
  layout->section_size[section] = base + 4 * (uint64_t)order->count;
  bindless_check_size(module, section, layout->section_size[section]);
  uint32_t counts[BINDLESS_ROWS] = {0};
  for (size_t i = order->count; i-- > 0;) {
    const bindless_row *const row = bindless_find(tl_type_of(&module->symbols.items[order->items[i]]));
    const uint32_t parameter_of = module->symbols.items[order->items[i]].section;
    if (!(mask & row->masks) || (parameter_of != TL_NONE && parameter_of != symbol->section) ||
        (!module->capsule && tl_module_names_unified(module, &module->symbols.items[order->items[i]])))
      continue; /* the parameter of another kernel has a slot but no entry here (B6), nor has one that L1602 is about */
    counts[row - bindless_rows]++;
    *tl_vector_push(arena, &layout->slot_entries) =
        (tl_slot_entry){section, module->sections.items[section].relocations[mercury], layout->slot[order->items[i]],
                        order->items[i], mercury ? row->mercury_type : row->entry_type};
  }
  static const int report_order[BINDLESS_ROWS] = {2, 1, 0}; /* L434 */
  for (int i = 0; i < BINDLESS_ROWS; i++) {
    const bindless_row *const row = &bindless_rows[report_order[i]];
    const char *const name = tl_module_text(module, symbol->name);
    const tl_site site = {NULL, NULL, name, TL_NO_OFFSET};
    if (counts[report_order[i]] > row->limit)
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_TOO_MANY_TEXTURES), site, NULL,
                         (uint64_t)row->limit, row->plural, name);
  }
}

/* L1604: a second name with a kernel's mark is a kernel, whose table its function has, also where it is
 * the only one (W6.12). */
static void bindless_add_second_names(const tl_module *module, const uint32_t *reached, uint8_t *masks,
                                      tl_arena *arena) {
  uint32_t *const of_text = tl_arena_new(arena, uint32_t, module->sections.count);
  for (size_t k = 0; k < module->all_kernels.count; k++)
    of_text[module->symbols.items[module->all_kernels.items[k]].section] = (uint32_t)k + 1;
  for (size_t k = module->kernels.count; k < module->entries.count; k++) {
    const tl_symbol *const name = &module->symbols.items[module->entries.items[k]];
    const bool alone = tl_module_single_alias(module) == module->entries.items[k];
    if (name->section != TL_NONE && of_text[name->section])
      masks[of_text[name->section] - 1] |=
          (uint8_t)(reached[name->function] | (alone ? bindless_input_mask(module) : 0));
  }
}

/* By position in all_kernels: which kinds each kernel reaches; one that is not named counts its own text alone (L111). */
static uint8_t *bindless_kernel_masks(const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  uint8_t *const result = tl_arena_new(arena, uint8_t, module->all_kernels.count);
  const uint32_t *const own = bindless_function_masks(module, arena);
  const uint32_t *const reached = tl_graph_collect(graph, own, arena);
  const bool single = tl_module_has_single_kernel(module);
  for (size_t k = 0; k < module->all_kernels.count; k++) {
    const bool alone = single && module->kernels.items[0] == module->all_kernels.items[k];
    const tl_symbol *const kernel = &module->symbols.items[module->all_kernels.items[k]];
    const uint32_t mask = (kernel->late ? own : reached)[kernel->function];
    if (module->capsule && kernel->late) /* L769: none at all */
      continue;
    result[k] = (uint8_t)(mask | (alone ? bindless_input_mask(module) : 0));
  }
  if (!module->capsule)
    bindless_add_second_names(module, reached, result, arena);
  return result;
}

bool tl_layout_is_laid_table(const tl_module *mercury, uint32_t section) {
  return section != TL_NONE && mercury->sections.items[section].type == SHT_CUDA_IMAGE_HEADERS &&
         mercury->sections.items[section].pieces.count;
}

/* M27: the table of the Mercury view is a section of its own, its relocation section's name around its own. One that ptxas
 * laid out has both (L808). */
static void bindless_create_table(tl_module *module, uint32_t kernel) {
  const uint32_t text = module->symbols.items[kernel].section;
  if (tl_layout_is_laid_table(module, module->sections.items[text].constant0))
    return;
  const uint32_t name =
      tl_module_name(module, ".nv.constant.entry_image_header_indices.", module->symbols.items[kernel].name);
  const uint32_t table =
      tl_module_add_section_unlisted(module, name, SHT_CUDA_IMAGE_HEADERS, SHF_ALLOC | SHF_INFO_LINK, 4, 0);
  const uint32_t entries =
      tl_module_add_section(module, tl_module_name(module, ".rela", name), SHT_RELA, SHF_INFO_LINK, 8, ELF_RELA_SIZE);
  module->sections.items[entries].about = table;
  module->sections.items[table].relocations[1] = entries;
  *tl_vector_push(module->arena, &module->strings) = (tl_string_event){name, TL_NONE};
  tl_module_add_section_symbol(module, table);
  module->sections.items[table].about = text;
  module->sections.items[text].constant0 = table;
}

tl_bindless_plan tl_layout_plan_bindless(tl_module *module, const tl_graph *graph, tl_arena *arena) {
  tl_bindless_plan plan = {.order = bindless_order(module, arena)};
  if (!plan.order.count)
    return plan;
  plan.masks = bindless_kernel_masks(module, graph, arena);
  for (size_t k = 0; module->view == TL_VIEW_MERCURY && k < module->all_kernels.count; k++)
    if (plan.masks[k])
      bindless_create_table(module, module->all_kernels.items[k]);
  return plan;
}

/* Where a kernel's last PARAM_CBANK says that its parameters end, 0 where none does. */
static uint64_t bindless_told_end(const tl_module *module, uint32_t text) {
  enum { BANK = 4, SIZED = 4, WORDS = 8 }; /* the place and the size are behind the bank's symbol */
  const uint32_t info = module->sections.items[text].info;
  const tl_attributes *const list = info == TL_NONE ? NULL : &module->sections.items[info].attributes;
  for (size_t i = list ? list->count : 0; i-- > 0;) {
    const tl_attribute *const record = &list->items[i];
    if (record->code == EIATTR_PARAM_CBANK && record->format == SIZED && record->size >= WORDS)
      return (uint64_t)tl_get16(record->data + BANK) + tl_get16(record->data + BANK + 2);
  }
  return 0;
}

/* Where a kernel's parameters end: before the table that ptxas laid out in the bank of the body that stands (L767), and not
 * where that file's kernel with most of them has its own (L1053), in a capsule link; by its records (L1751). */
static uint64_t bindless_parameters_end(const tl_module *module, size_t kernel) {
  const tl_module *const mercury = module->beside;
  const uint32_t text = module->symbols.items[module->all_kernels.items[kernel]].section;
  const uint32_t bank = module->sections.items[text].constant0;
  if (bank == TL_NONE)
    return 0;
  const tl_section *const own = &module->sections.items[bank];
  if (!mercury || kernel >= mercury->all_kernels.count)
    return own->size;
  const tl_section *const code =
      &mercury->sections.items[mercury->symbols.items[mercury->all_kernels.items[kernel]].section];
  if (!tl_layout_is_laid_table(mercury, code->constant0) || !code->pieces.count)
    return own->size;
  const uint32_t file = code->pieces.items[0].file;
  const tl_piece *const part = tl_section_piece_of(own, file);
  const tl_piece *const table = tl_section_piece_of(&mercury->sections.items[code->constant0], file);
  if (!table) /* it came with a body that lost */
    return own->size;
  const uint64_t before = part && part->size >= table->size ? part->size - table->size : 0;
  const uint64_t told = bindless_told_end(module, text);
  return told ? told : before;
}

/* L1658: a device function can have a bank that is called as a kernel's parameters. */
static void bindless_count_functions(const tl_module *module, uint64_t *base, uint64_t *align) {
  for (size_t i = 1; i < module->sections.count; i++) {
    const uint32_t section = module->sections.items[i].constant0;
    if (section == TL_NONE)
      continue;
    const tl_section *const bank = &module->sections.items[section];
    *base = tl_larger(bank->size, *base);
    *align = tl_larger(bank->align, *align);
  }
}

uint64_t tl_layout_tables_begin(const tl_module *module) {
  enum { CAPSULE_PARAMETERS = 0x380 };
  uint64_t base = module->capsule && !module->all_kernels.count ? CAPSULE_PARAMETERS : 0,
           align = module->capsule ? 16 : 4;
  if (module->view == TL_VIEW_MERCURY)
    return 0;
  for (size_t k = 0; k < module->all_kernels.count; k++) {
    const uint32_t text = module->symbols.items[module->all_kernels.items[k]].section;
    const uint32_t section = module->sections.items[text].constant0;
    base = tl_larger(bindless_parameters_end(module, k), base);
    if (section != TL_NONE)
      align = tl_larger(module->sections.items[section].align, align);
  }
  if (!module->capsule)
    bindless_count_functions(module, &base, &align);
  return tl_align(base, align);
}

/* L808: in an executable behind the largest table that ptxas laid out in a kernel. */
static uint64_t bindless_laid_size(const tl_module *mercury) {
  uint64_t size = 0;
  for (size_t k = 0; mercury->mode->final && k < mercury->all_kernels.count; k++) {
    const uint32_t text = mercury->symbols.items[mercury->all_kernels.items[k]].section;
    const uint32_t table = mercury->sections.items[text].constant0;
    if (tl_layout_is_laid_table(mercury, table))
      size = tl_larger(mercury->sections.items[table].size, size);
  }
  return size;
}

uint64_t tl_layout_bindless_base(const tl_module *module) {
  const tl_module *const mercury = module->view == TL_VIEW_MERCURY ? module : module->beside;
  return tl_layout_tables_begin(module) + (mercury ? bindless_laid_size(mercury) : 0);
}

/* The documents' lines in their order: every slot is made before one of them has a place, and both name the slot's symbol. */
static void bindless_trace(const tl_layout *layout, const tl_module *module, const tl_u32_vector *order,
                           tl_arena *arena) {
  if (!tl_trace_wants(module->diagnostics, TL_TRACE_BINDLESS))
    return;
  for (size_t i = 0; i < 2 * order->count; i++) {
    const uint32_t symbol = order->items[i % order->count];
    const char *const name =
        tl_arena_format(arena, "$NVLINKBINDLESSOFF_%s", tl_module_text(module, module->symbols.items[symbol].name));
    if (i < order->count)
      tl_trace(module->diagnostics, TL_TRACE_CREATE_SLOT, name);
    else
      tl_trace(module->diagnostics, TL_TRACE_SLOT_PLACE, name, layout->slot[symbol]);
  }
}

void tl_layout_bindless(tl_layout *layout, const tl_module *module, const tl_bindless_plan *plan, tl_arena *arena) {
  if (!plan->order.count) /* without kernels, too: what is kept for its jump slot or its address has slots (L561) */
    return;
  const uint64_t base = tl_layout_bindless_base(module);
  layout->bindless_base = base;
  layout->tables_begin = tl_layout_tables_begin(module);
  for (size_t i = 0; i < plan->order.count; i++)
    layout->slot[plan->order.items[i]] = base + 4 * (uint64_t)i;
  bindless_trace(layout, module, &plan->order, arena);
  for (size_t k = module->all_kernels.count; k-- > 0;) /* which the limits are checked in (L434) */
    bindless_fill_kernel(layout, module, module->all_kernels.items[k], plan->masks[k], &plan->order, base, arena);
}
