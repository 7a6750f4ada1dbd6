/* Relocatable links (-r): what stands in place of the layouts of an executable. Nothing is laid out; shared memory gets sizes
 * (W9.11), and every kernel with extern shared memory an instance symbol (W12). */
#include "link.h"
#include "relocation_table.h"

#include <string.h>

enum { EXTERN_ALIGN = 16, INSTANCE_OTHER = REF_SPACE_SHARED | 1 };

static bool ref_relocatable_is_shared(const ref_out_symbol *symbol) {
  return symbol->type == REF_SYMBOL_CUDA_OBJECT && (symbol->other & REF_SPACE_MASK) == REF_SPACE_SHARED;
}

/* The kernel in whose text the entry lies, or REF_NONE. */
static size_t ref_relocatable_kernel_of(const ref_link *link, const ref_out_relocation *entry) {
  const size_t function = link->sections[entry->target].info_function;
  const bool marked =
      function != REF_NONE && link->functions[function].entry && !link->functions[function].is_provided; /* RF1117 */
  return marked ? function : REF_NONE;
}

static bool ref_relocatable_names_extern(const ref_link *link, const ref_out_relocation *entry) {
  return entry->symbol != REF_NONE && link->symbols[entry->symbol].is_extern_shared;
}

/* W12, W17.5: the kernel's instance; with -g it has none. D59: by default the extern symbol stays, undefined. */
static void ref_relocatable_add_instance(ref_link *link, ref_function *kernel) {
  if (ref_options_keep_shared_symbols(link) || !link->job->bug_compatible) {
    return;
  }
  kernel->extern_instance =
      ref_symbol_add(link, "externsharedinstance", REF_BIND_WEAK, REF_SYMBOL_CUDA_OBJECT, INSTANCE_OTHER);
  ref_names_add(link, kernel->extern_instance, link->symbols[kernel->extern_instance].name);
}

/* L875: without -g an internal kernel is dead code for nvlink (RF161); its entries have the name's value. */
static bool ref_relocatable_forgets_kernel(const ref_link *link, const ref_function *kernel) {
  return link->job->bug_compatible && !ref_options_keep_shared_symbols(link) && ref_function_is_internal(link, kernel);
}

/* In the order of the kernels' first entries against an extern shared symbol. */
void ref_relocatable_prepare(ref_link *link) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    const size_t kernel = ref_relocatable_kernel_of(link, entry);
    if (entry->dropped || kernel == REF_NONE || !ref_relocatable_names_extern(link, entry) ||
        link->functions[kernel].uses_extern_shared || ref_relocatable_forgets_kernel(link, &link->functions[kernel])) {
      continue;
    }
    link->functions[kernel].uses_extern_shared = true;
    ref_relocatable_add_instance(link, &link->functions[kernel]);
    if (link->functions[kernel].shared == REF_NONE) {
      ref_merge_add_shared_section(link, &link->functions[kernel]); /* W17.12 */
      link->functions[kernel].late_shared = true;
    }
  }
}

/* R54b: a kernel's entry goes to its instance. That of a device function, and all with -g (W17.5), are applied. */
bool ref_relocatable_move_to_instance(const ref_link *link, ref_out_relocation *entry) {
  const size_t kernel = ref_relocatable_kernel_of(link, entry);
  if (kernel == REF_NONE || link->functions[kernel].extern_instance == 0) {
    return false;
  }
  entry->symbol = link->functions[kernel].extern_instance;
  return true;
}

/* RF610: where nvlink keeps a kernel's entry, about its instance; by default (D59) there is none. */
bool ref_relocatable_has_instance(const ref_link *link, const ref_out_relocation *entry) {
  const size_t kernel = ref_relocatable_kernel_of(link, entry);
  return kernel != REF_NONE && ref_relocatable_names_extern(link, entry) && !ref_options_keep_shared_symbols(link) &&
         !ref_function_is_internal(link, &link->functions[kernel]);
}

bool ref_relocatable_is_default(const ref_link *link) {
  return link->relocatable && !link->job->bug_compatible;
}

/* RF893: what is within the section is the same wherever that goes (D61). */
static bool ref_relocatable_is_inside(const ref_link *link, const ref_out_relocation *entry) {
  const ref_relocation_row *row = link->is_capsule ? NULL : ref_relocation_row_of(entry->type);
  return row != NULL && row->kind == REF_KIND_PC_RELATIVE && link->symbols[entry->symbol].section == entry->target;
}

/* D1, D2, D4-D6: what nvlink applies although nothing has its place yet. By default the entry stays for the link that gives
 * places: of constants, shared memory, textures, defined or not. D91, D92: so do entries against section symbols, and those that clear
 * what belongs to a function. */
bool ref_relocatable_keeps(const ref_link *link, const ref_out_relocation *entry) {
  if (!ref_relocatable_is_default(link) || entry->symbol == REF_NONE || ref_relocatable_is_inside(link, entry)) {
    return false;
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  const uint8_t space = symbol->other & REF_SPACE_MASK;
  const bool size = entry->names_constant_size;
  const bool other = symbol->type == REF_SYMBOL_SECTION || symbol->type == REF_SYMBOL_FUNC;
  const bool object =
      symbol->type == REF_SYMBOL_CUDA_OBJECT && (space == REF_SPACE_SHARED || space == REF_SPACE_CONSTANT);
  const bool lies = symbol->section != REF_NONE && link->sections[symbol->section].type == REF_TYPE_SHARED; /* RF925 */
  return object || lies || size || other || ref_bindless_mask_of(symbol->type) != 0;
}

/* The shared object of a place in the list, if it lies in the section; NULL: elsewhere, or its definition has another place. */
static const ref_out_symbol *ref_relocatable_object_in(const ref_link *link, size_t place, size_t section) {
  const size_t number = link->shared_objects.items[place];
  return number != REF_NONE && link->symbols[number].section == section ? &link->symbols[number] : NULL;
}

/* W9.11: the plain sum of the objects' sizes, and their largest alignment; of -ewp files L1011. */
static void ref_relocatable_measure_objects(ref_link *link, size_t section, uint64_t *size, uint64_t *align) {
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const ref_out_symbol *symbol = ref_relocatable_object_in(link, i, section);
    if (symbol != NULL) {
      *size = ref_partial_end_behind(symbol, *size);
      *align = ref_larger(symbol->auxiliary, *align);
    }
  }
}

/* L746, RF303: the pool's objects in their order. */
static void ref_relocatable_measure_pool(ref_link *link, size_t pool, uint64_t *size, uint64_t *align) {
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const ref_out_symbol *symbol = ref_relocatable_object_in(link, i, pool);
    if (symbol == NULL) {
      continue;
    }
    *size = ref_partial_end_behind(symbol, *size);
    *size = ref_larger(symbol->array_place, *size); /* L1062 */
    *align = ref_larger(symbol->auxiliary, *align);
  }
}

/* RF248: an object of size 0 keeps its section as one that ptxas laid out does. */
static bool ref_relocatable_has_empty_object(const ref_link *link, size_t section) {
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const ref_out_symbol *symbol = ref_relocatable_object_in(link, i, section);
    if (symbol != NULL && symbol->size == 0) {
      return true;
    }
  }
  return false;
}

static bool ref_relocatable_has_extern(const ref_link *link) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (ref_relocatable_is_shared(symbol) && (symbol->is_extern_shared || symbol->has_no_place)) {
      return true;
    }
  }
  return false;
}

/* W9.11: what the kernel's own objects take, without the formula. */
static void ref_relocatable_measure_kernel(ref_link *link, ref_function *kernel) {
  ref_out_section *section = &link->sections[kernel->shared];
  if (section->has_block &&
      !kernel->has_partial) { /* RF855: -r says an object's alignment in its value, and this one's symbol is 0 */
    link->null_symbol_value = section->align;
  }
  section->align =
      ref_larger(kernel->late_shared ? 0 : link->debug_shared_align, section->has_block ? section->align : 1);
  ref_relocatable_measure_objects(link, kernel->shared, &kernel->shared_end, &section->align);
  kernel->has_empty_object = ref_relocatable_has_empty_object(link, kernel->shared);
  if (kernel->uses_extern_shared) {
    section->align = ref_larger(section->align, EXTERN_ALIGN);
    kernel->shared_end = ref_align_up(kernel->shared_end, EXTERN_ALIGN);
  }
}

/* RF102: a section that has its size from the formula alone loses its symbol. */
static void ref_relocatable_set_size(ref_link *link, ref_out_section *section, uint64_t raw, uint64_t empty_size) {
  section->size = raw == 0 ? empty_size : raw <= section->align ? raw + section->align : raw;
  section->dropped = section->size == 0;
  if (raw == 0 && section->symbol != REF_NONE) {
    link->symbols[section->symbol].dropped = true;
  }
}

/* W9.11 */
static void ref_relocatable_size_kernel(ref_link *link, const ref_function *kernel, bool has_extern) {
  ref_out_section *section = &link->sections[kernel->shared];
  if (kernel->extern_instance != 0) {
    link->symbols[kernel->extern_instance].value = kernel->shared_end;
  }
  const bool reserves = has_extern && section->align == EXTERN_ALIGN;
  const bool aligned = kernel->has_partial || kernel->has_empty_object || section->has_block; /* RF231, RF248, RF855 */
  const uint64_t empty = aligned ? section->align : reserves ? EXTERN_ALIGN : 0;
  ref_relocatable_set_size(link, section, kernel->shared_end + ref_shared_placed_size(section, kernel), empty);
}

/* RF606: the section of a file that holds no shared object, but one of another space, stays as it is. */
static bool ref_relocatable_pool_stays(const ref_link *link, size_t pool) {
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    if (ref_relocatable_object_in(link, i, pool) != NULL) {
      return false;
    }
  }
  return link->sections[pool].size != 0;
}

/* W9.11. L241, RF451: nvlink divides by the largest alignment, which what an earlier -r wrote may lack (D82). */
static void ref_relocatable_size_pool(ref_link *link, size_t pool, bool has_extern) {
  ref_out_section *section = &link->sections[pool];
  const uint64_t placed = section->align;
  uint64_t raw = 0;
  if (ref_relocatable_pool_stays(link, pool)) {
    return;
  }
  section->align = link->debug_shared_align;
  ref_relocatable_measure_pool(link, pool, &raw, &section->align);
  section->align = ref_larger(section->align, has_extern ? EXTERN_ALIGN : 0);
  if (section->align == 0 && raw == 0 && section->size != 0) {
    section->align = placed; /* RF581: what lies there is of another space, and the section as others */
    return;
  }
  if (section->align == 0) {
    ref_message_fatal(link, "L241", "No object of '%s' has an alignment", section->name);
  }
  ref_relocatable_set_size(link, section, raw, has_extern ? section->align : 0);
}

/* RF248: a kernel's own has a section. */
static bool ref_relocatable_is_own(const ref_out_symbol *symbol, size_t pool) {
  return symbol->section != REF_NONE && symbol->section != pool;
}

/* W4.3: extern symbols are defined in `.nv_debug.shared`; by default (D59, D87) they stay undefined. */
static void ref_relocatable_define_extern(ref_link *link, size_t pool) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].is_extern_shared && !ref_relocatable_is_own(&link->symbols[i], pool)) {
      link->symbols[i].section = link->job->bug_compatible ? pool : REF_NONE;
    }
  }
}

/* W17.5, RF104: with -g an extern symbol's value is the largest end of the kernels that use it, and the end of each of them
 * becomes that value. True when something changed. */
static bool ref_relocatable_raise_extern(ref_link *link) {
  bool raised = false;
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    const size_t kernel = ref_relocatable_kernel_of(link, entry);
    if (entry->dropped || kernel == REF_NONE || !ref_relocatable_names_extern(link, entry)) {
      continue;
    }
    ref_out_symbol *symbol = &link->symbols[entry->symbol];
    uint64_t *end = &link->functions[kernel].shared_end;
    raised = raised || *end != symbol->value;
    symbol->value = ref_larger(*end, symbol->value);
    *end = symbol->value;
  }
  return raised;
}

/* RF208: what an input's symbol has for a value, from an earlier -r, is its alignment alone. */
static void ref_relocatable_clear_extern(ref_link *link) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].is_extern_shared) {
      link->symbols[i].value = 0;
    }
  }
}

/* As W17.4, until nothing changes (RF14). L1062: by default these names have the value that they have without -g: for the next link it is an
 * alignment (D59), of those that a file defines, too (RF922). */
static void ref_relocatable_value_extern(ref_link *link) {
  uint64_t *values = REF_TAKE(link, uint64_t, link->symbol_count);
  if (!ref_options_keep_shared_symbols(link)) {
    return;
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    values[i] = link->symbols[i].value;
  }
  ref_relocatable_clear_extern(link);
  while (ref_relocatable_raise_extern(link)) {
  }
  for (size_t i = 0; i < link->symbol_count && !link->job->bug_compatible; i++) {
    ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->is_extern_shared) {
      symbol->value = values[i];
    }
  }
}

/* RF1130: does an object lie in each section? Those of a body that lost are in none. */
static bool *ref_relocatable_find_held(ref_link *link) {
  bool *held = REF_TAKE(link, bool, link->section_count);
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->section != REF_NONE && symbol->type != REF_SYMBOL_SECTION) {
      held[symbol->section] = true;
    }
  }
  return held;
}

/* D60: a body with compiler constants was replaced by one without. By default the empty section goes, and so does one without objects. */
static void ref_relocatable_check_constants(ref_link *link) {
  const bool *held = ref_relocatable_find_held(link);
  for (size_t i = 0; i < link->function_count; i++) {
    const size_t number = link->functions[i].constant2;
    if (number == REF_NONE || link->sections[number].size != 0) {
      continue;
    }
    const bool holds = link->is_capsule || held[number];
    if (link->job->bug_compatible && link->functions[i].second_image == 0 && holds) {
      ref_message_fatal(link, "E68", "Internal error: reference to deleted section");
    }
    link->sections[number].dropped = true;
    link->sections[number].deleted = true;
  }
}

/* RF1034: what objects of another space brought before there was a pool (RF655) has a size by the formula, too. */
static void ref_relocatable_size_beside(ref_link *link, size_t pool) {
  const size_t number = ref_map_find(&link->section_by_name, ".nv_debug.shared");
  if (number == REF_NONE || number == pool || link->sections[number].type != REF_TYPE_SHARED || link->is_capsule) {
    return;
  }
  ref_out_section *section = &link->sections[number];
  ref_relocatable_set_size(link, section, section->size, section->align);
}

void ref_relocatable_layout(ref_link *link) {
  ref_relocatable_check_constants(link);
  if (link->constant_size_symbol != 0) {
    link->symbols[link->constant_size_symbol].value = ref_relocate_constant_size(link);
  }
  const size_t pool = ref_section_find_pool(link);
  const bool has_extern = ref_relocatable_has_extern(link);
  for (size_t i = 0; i < link->function_count; i++) {
    if (link->functions[i].shared != REF_NONE) {
      ref_relocatable_measure_kernel(link, &link->functions[i]);
    }
  }
  ref_relocatable_value_extern(link);
  for (size_t i = 0; i < link->function_count; i++) {
    if (link->functions[i].shared != REF_NONE) {
      ref_relocatable_size_kernel(link, &link->functions[i], has_extern);
    }
  }
  if (pool != REF_NONE) {
    ref_relocatable_size_pool(link, pool, has_extern);
    ref_relocatable_define_extern(link, pool);
  }
  ref_relocatable_size_beside(link, pool);
  const size_t lone = ref_partial_lone_pool(link);
  for (size_t i = 0; i < link->section_count; i++) {
    ref_out_section *section = &link->sections[i];
    if (i != lone && !section->is_lone) {
      continue;
    }
    ref_relocatable_set_size(link, section, section->size, section->align);
  }
}
