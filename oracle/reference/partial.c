/* Files of -ewp ("partially linked"): ptxas has laid out the shared memory of their kernels, so `.nv.shared.K` has a size and no object.
 * It is one object of that size without a symbol of its own, whose place lands in symbol 0 as in W8.9: RF165. A kernel that uses extern shared memory alone
 * has such a section of size 0, which stays: RF231. */
#include "link.h"

enum { TYPE_EXTENDED = 0xff00, RESERVED = 0x400 };

bool ref_partial_has_kernel(const ref_link *link, const ref_function *function) {
  return function->entry && function->defined && link->files[function->definition_file].cubin.type == TYPE_EXTENDED;
}

static size_t ref_partial_object_of(const ref_link *link, const ref_function *kernel) {
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const size_t number = link->shared_objects.items[i];
    if (number != REF_NONE && link->symbols[number].is_partial && link->symbols[number].section == kernel->shared) {
      return number;
    }
  }
  return REF_NONE;
}

/* RF152: in an executable what several bodies brought is one object, one behind the other. */
static void ref_partial_join(ref_out_symbol *symbol, const ref_section *input) {
  symbol->size = ref_align_up(symbol->size, input->align) + input->size;
  symbol->auxiliary = input->align > symbol->auxiliary ? input->align : symbol->auxiliary;
  symbol->further_places++;
}

static void ref_partial_add_object(ref_link *link, const ref_function *kernel, const ref_section *input) {
  const size_t known = link->relocatable ? REF_NONE : ref_partial_object_of(link, kernel);
  if (known != REF_NONE) {
    ref_partial_join(&link->symbols[known], input);
    return;
  }
  const size_t object = ref_symbol_add(link, "", REF_BIND_LOCAL, REF_SYMBOL_CUDA_OBJECT, REF_SPACE_SHARED);
  ref_out_symbol *symbol = &link->symbols[object];
  symbol->dropped = true;
  symbol->is_partial = true;
  symbol->section = kernel->shared;
  symbol->size = input->size;
  symbol->auxiliary = input->align;
  symbol->value = link->relocatable && !kernel->late_partial ? input->align : 0;
  ref_indices_add(link, &link->shared_objects, object);
}

static void ref_partial_add_section(ref_link *link, const ref_file *file, uint32_t number) {
  const ref_section *input = &file->cubin.sections[number];
  const uint32_t owner = ref_merge_owner(file, number);
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  if (input->type != REF_TYPE_SHARED || function == REF_NONE) {
    return;
  }
  if (!link->functions[function].live) {
    ref_names_add_section(link, REF_NONE, input->name);
    return;
  }
  if (link->functions[function].shared == REF_NONE) {
    ref_merge_add_shared_section(link, &link->functions[function]);
    link->functions[function].late_partial = true;
  }
  link->functions[function].has_partial = true;
  ref_partial_add_object(link, &link->functions[function], input);
}

/* Behind the walk over a file's sections (W3.4): a kernel that is not named gets its section there, and a dead one leaves its name
 * (RF20). With -g nvlink forgets these sections; by default (D111) they stay. */
void ref_partial_add_shared(ref_link *link, size_t file_number) {
  const ref_file *file = &link->files[file_number];
  const bool forgotten = ref_options_keep_shared_symbols(link) && link->job->bug_compatible;
  for (uint32_t i = 1; i < file->cubin.section_count && file->cubin.type == TYPE_EXTENDED && !forgotten; i++) {
    ref_partial_add_section(link, file, i);
  }
}

/* With -r the alignment of the last one of the first kernel that has one (RF152); in an executable the reserved bytes, once
 * for each. */
void ref_partial_write_place(ref_link *link) {
  const uint64_t reserved = link->sm >= 90 && !link->is_capsule ? RESERVED : 0;
  size_t first = REF_NONE;
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (!symbol->is_partial || (link->relocatable ? symbol->value : symbol->size) == 0) { /* RF231 */
      continue;
    }
    if (!link->relocatable) {
      link->null_symbol_value += reserved * (1 + symbol->further_places);
    } else if (first == REF_NONE || symbol->section <= first) {
      first = symbol->section;
      link->null_symbol_value = symbol->value;
    }
  }
}
