/* Tables of textures, samplers and surfaces behind the kernels' parameters: B3-B9, W6.12, W10.5, L1375, RF784. */
#include "link.h"
#include "relocation_table.h"

#include <inttypes.h>
#include <string.h>

enum {
  SLOT = 4,
  CAPSULE_ALIGN = 16,
  CAPSULE_PARAMETERS = 0x380, /* where parameters begin */
  TEXTURES = 256,
  OTHERS = 32,
  CONSTANT_LIMIT = 0x10000,
  LOAD_CONSTANT = 66, /* LDC */
  LOAD_UNIFORM = 115  /* LDCU */
};

static const char SLOT_NAME[] = "$NVLINKBINDLESSOFF_"; /* how nvlink calls a slot */

/* RF33: in order of creation, local ones too. */
static void ref_bindless_list_type(ref_link *link, ref_indices *list, uint8_t type) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].type == type) {
      ref_indices_add(link, list, i);
    }
  }
}

/* L575: other types have nothing from the table. */
bool ref_bindless_takes(uint32_t type) {
  const ref_relocation_row *row = ref_relocation_row_of(type);
  return row != NULL && row->texture == REF_TEXTURE_SLOT;
}

/* RF784: what a second name of a kernel reaches has its entry in the kernel's bank. */
static void ref_bindless_join_names(ref_link *link, uint8_t all) {
  for (size_t i = 0; i < link->kernels.count && !link->is_capsule; i++) {
    const ref_function *name = &link->functions[link->kernels.items[i]];
    if (name->alias_of != REF_NONE && ref_callgraph_has_one_kernel(link)) {
      link->functions[name->alias_of].kernel_bindless_mask |= all;
    }
    for (size_t k = 0; name->alias_of != REF_NONE && k < name->reach.count; k++) {
      link->functions[name->alias_of].kernel_bindless_mask |= link->functions[name->reach.items[k]].bindless_mask;
    }
  }
}

/* B6: what each function's text refers to; W6.12: with one kernel everything counts. */
static void ref_bindless_find_masks(ref_link *link) {
  uint8_t all = 0;
  for (size_t i = 0; i < link->function_count; i++) {
    all |= link->functions[i].dead_bindless_mask;
  }
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    const size_t function = link->sections[entry->target].info_function;
    if (!entry->dropped && function != REF_NONE && entry->symbol != REF_NONE && ref_bindless_takes(entry->type)) {
      const uint8_t mask = ref_bindless_mask_of(link->symbols[entry->symbol].type);
      link->functions[function].bindless_mask |= mask;
      all |= mask;
    }
  }
  for (size_t i = 0; i < link->all_kernels.count; i++) {
    ref_function *kernel = &link->functions[link->all_kernels.items[i]];
    if (kernel->is_unnamed && link->is_capsule && !link->relocatable) {
      continue; /* RF146 */
    }
    uint8_t mask = ref_callgraph_has_one_kernel(link) && !kernel->is_unnamed ? all : 0;
    for (size_t k = 0; k < kernel->reach.count; k++) {
      mask |= link->functions[kernel->reach.items[k]].bindless_mask;
    }
    kernel->kernel_bindless_mask = mask;
  }
  ref_bindless_join_names(link, all);
}

/* B3, M27, before the tables are filled; the sections' own alignment is SLOT unless a file was changed. RF270: what stays without a
 * kernel has slots from the start on, in a capsule's SASS view from where parameters would begin. */
uint64_t ref_bindless_find_base(const ref_link *link) {
  uint64_t base = 0, align = link->is_capsule ? CAPSULE_ALIGN : SLOT;
  for (size_t i = 0; i < link->function_count; i++) {
    const size_t section = link->functions[i].constant0;
    if (section != REF_NONE) {
      base = ref_larger(link->sections[section].size, base);
      align = ref_larger(link->sections[section].align, align);
    }
  }
  if (link->view->is_mercury) {
    return 0; /* M27 */
  }
  if (ref_laid_is_anywhere(link)) {
    return ref_laid_find_base(link); /* L808 */
  }
  return base == 0 && link->is_capsule ? CAPSULE_PARAMETERS : ref_align_up(base, align);
}

/* B7 */
uint32_t ref_bindless_type(const ref_link *link, uint8_t symbol_type) {
  if (link->view->is_mercury) {
    return symbol_type == REF_SYMBOL_TEXTURE ? 0x1000b : symbol_type == REF_SYMBOL_SAMPLER ? 0x1000c : 0x1000d;
  }
  if (link->is_capsule) {
    return symbol_type == REF_SYMBOL_TEXTURE ? 6 : symbol_type == REF_SYMBOL_SAMPLER ? 101 : 52;
  }
  return symbol_type == REF_SYMBOL_TEXTURE ? 6 : symbol_type == REF_SYMBOL_SAMPLER ? 7 : 52;
}

/* B9, E37 */
static void ref_bindless_check(ref_link *link, const ref_function *kernel) {
  if (kernel->textures > TEXTURES) {
    ref_message_fatal(link, "E37", "More than %d textures used in entry function '%s'", TEXTURES, kernel->name);
  }
  if (kernel->samplers > OTHERS) {
    ref_message_fatal(link, "E37", "More than %d samplers used in entry function '%s'", OTHERS, kernel->name);
  }
  if (kernel->surfaces > OTHERS) {
    ref_message_fatal(link, "E37", "More than %d surfaces used in entry function '%s'", OTHERS, kernel->name);
  }
}

/* B6: every symbol of a type that the mask holds gets an entry, but a kernel's own parameter (B1) only its own. */
static bool ref_bindless_has_entry(const ref_function *kernel, const ref_out_symbol *symbol) {
  const bool own = symbol->section == REF_NONE || symbol->section == kernel->text;
  return own && (kernel->kernel_bindless_mask & ref_bindless_mask_of(symbol->type)) != 0;
}

/* RF1047: nvlink leaves out what has the name of a unified table. */
static bool ref_bindless_is_told(const ref_link *link, const ref_out_symbol *symbol) {
  return link->is_capsule || symbol->section != REF_NONE || !ref_symbol_names_unified_table(symbol->name);
}

static void ref_bindless_fill_kernel(ref_link *link, ref_function *kernel, const ref_indices *slots, uint64_t base) {
  ref_out_section *constants = &link->sections[kernel->constant0];
  ref_out_section *table = &link->sections[kernel->bindless];
  for (size_t i = 0; i < slots->count; i++) {
    const ref_out_symbol *symbol = &link->symbols[slots->items[i]];
    if (!ref_bindless_has_entry(kernel, symbol) || !ref_bindless_is_told(link, symbol)) {
      continue;
    }
    kernel->textures += symbol->type == REF_SYMBOL_TEXTURE;
    kernel->samplers += symbol->type == REF_SYMBOL_SAMPLER;
    kernel->surfaces += symbol->type == REF_SYMBOL_SURFACE;
    table->size += table->entry_size;
  }
  ref_bindless_check(link, kernel);
  constants->size = base + slots->count * SLOT;
  if (constants->type != REF_TYPE_CONSTANT || constants->size <= CONSTANT_LIMIT) { /* else E31 */
    ref_bytes_fill(link, &constants->data, (size_t)constants->size);
  }
}

/* L1375: of two kernels with one bank that which it is about. */
static bool ref_bindless_has_bank(const ref_link *link, const ref_function *kernel) {
  if (kernel->constant0 == REF_NONE) {
    return false;
  }
  const size_t about = link->sections[kernel->constant0].info_section;
  const size_t owner = about == REF_NONE || link->is_capsule ? REF_NONE : link->sections[about].info_function;
  return owner == REF_NONE || &link->functions[owner] == kernel || link->functions[owner].text != about;
}

/* --trace: a kernel without slots; of a capsule where ptxas has made its table. */
static void ref_bindless_trace_unused(ref_link *link, const ref_function *kernel) {
  const size_t bank = ref_bindless_has_bank(link, kernel) ? kernel->constant0
                      : link->view->is_mercury            ? kernel->laid_table
                                                          : REF_NONE;
  if (bank != REF_NONE && kernel->kernel_bindless_mask == 0) {
    ref_trace_tell(link, REF_TRACE_BINDLESS, "no bindless ref in section %s", link->sections[bank].name);
  }
}

void ref_bindless_layout(ref_link *link) {
  ref_indices *slots = &link->slots;
  ref_bindless_list_type(link, slots, REF_SYMBOL_SURFACE);
  ref_bindless_list_type(link, slots, REF_SYMBOL_SAMPLER);
  ref_bindless_list_type(link, slots, REF_SYMBOL_TEXTURE);
  if (slots->count == 0) {
    return;
  }
  ref_sort_swapping(link, slots, NULL, REF_TIE_SECOND);
  link->laid_size = ref_laid_find_largest(link);
  const uint64_t base = ref_bindless_find_base(link) + link->laid_size;
  for (size_t i = 0; i < slots->count; i++) {
    ref_out_symbol *symbol = &link->symbols[slots->items[i]];
    symbol->slot = base + i * SLOT;
    ref_trace_tell(link, REF_TRACE_BINDLESS, "create %s%s", SLOT_NAME, symbol->name);
    ref_trace_tell(link, REF_TRACE_BINDLESS, "variable %s%s at offset %" PRIu64, SLOT_NAME, symbol->name, symbol->slot);
  }
  ref_bindless_find_masks(link);
  for (size_t i = link->all_kernels.count; i-- > 0;) { /* RF120: E37 names the last created first */
    ref_function *kernel = &link->functions[link->all_kernels.items[i]];
    if (kernel->kernel_bindless_mask != 0 && ref_bindless_has_bank(link, kernel)) {
      ref_bindless_fill_kernel(link, kernel, slots, base);
    } else {
      ref_bindless_trace_unused(link, kernel);
    }
  }
}

/* Where the tables begin: with the slots, or with what ptxas laid out. */
uint64_t ref_bindless_base(const ref_link *link) {
  return link->slots.count == 0 ? 0 : link->symbols[link->slots.items[0]].slot - link->laid_size;
}

/* RF77: in a link of capsules what is no load itself gets the place in the table; the load with an index has the table's. */
uint64_t ref_bindless_value(const ref_link *link, const ref_out_symbol *symbol, uint32_t type) {
  const bool load = type == LOAD_CONSTANT || type == LOAD_UNIFORM;
  return link->is_capsule && !load ? symbol->slot - ref_bindless_base(link) : symbol->slot;
}

/* W10.5: highest offset first. */
ref_bytes ref_bindless_entries(ref_link *link, const ref_function *kernel, ref_index_of index_of, const void *context) {
  ref_bytes entries = {0};
  for (size_t k = link->slots.count; k-- > 0;) {
    const ref_out_symbol *symbol = &link->symbols[link->slots.items[k]];
    if (ref_bindless_has_entry(kernel, symbol) && ref_bindless_is_told(link, symbol)) {
      ref_bytes_add_u64(link, &entries, symbol->slot);
      ref_bytes_add_u32(link, &entries, ref_bindless_type(link, symbol->type));
      ref_bytes_add_u32(link, &entries, index_of(context, link->slots.items[k]));
      if (link->is_capsule) {
        ref_bytes_add_u64(link, &entries, 0);
      }
    }
  }
  return entries;
}

static uint32_t ref_bindless_own_index(const void *context, size_t symbol) {
  return ((const ref_link *)context)->symbols[symbol].index;
}

void ref_bindless_write(ref_link *link) {
  for (size_t i = 0; i < link->all_kernels.count; i++) {
    const ref_function *kernel = &link->functions[link->all_kernels.items[i]];
    if (kernel->bindless != 0 && ref_bindless_has_bank(link, kernel)) {
      link->sections[kernel->bindless].data = ref_bindless_entries(link, kernel, ref_bindless_own_index, link);
    }
  }
}

static void ref_bindless_create_table(ref_link *link, ref_function *kernel) {
  if (kernel->laid_table != REF_NONE) {
    kernel->constant0 = kernel->laid_table; /* L808 */
    return;
  }
  char *name = ref_memory_join(link, ref_view_mercury.table_prefix, kernel->name);
  char *table_name = ref_memory_join(link, ".rela", name);
  ref_names_add(link, REF_NONE, table_name);
  const size_t section =
      ref_section_add_with_symbol(link, name, REF_TYPE_CONSTANT_TABLE, REF_FLAG_ALLOC | REF_FLAG_INFO, SLOT, 0);
  link->sections[section].info_section = kernel->text;
  const size_t table = ref_section_add(link, table_name, REF_TYPE_RELA, REF_FLAG_INFO, 8, 24);
  link->sections[table].links_symtab = true;
  link->sections[table].info_section = section;
  link->sections[table].target = section;
  kernel->constant0 = section;
  kernel->bindless = table;
}

/* M27: the tables of the Mercury view, made for each kernel that reaches a reference; RF75: in the order of the texts. */
void ref_bindless_create_tables(ref_link *link) {
  const size_t count = link->section_count;
  if (!link->view->is_mercury) {
    return;
  }
  ref_bindless_find_masks(link);
  for (size_t i = 0; i < count; i++) {
    const size_t number = link->sections[i].info_function;
    if (number != REF_NONE && link->functions[number].kernel_bindless_mask != 0) {
      ref_bindless_create_table(link, &link->functions[number]);
    }
  }
}
