/* Files of -ewp ("partially linked"): ptxas has laid out the shared memory of their kernels, so `.nv.shared.K` has a size and no object.
 * It is one object of that size without a symbol of its own, whose place lands in symbol 0 as in W8.9: RF165. */
#include "link.h"

enum { TYPE_EXTENDED = 0xff00, RESERVED = 0x400 };

static void ref_partial_add_section(ref_link *link, ref_file *file, uint32_t number) {
  const ref_section *input = &file->cubin.sections[number];
  const uint32_t owner = ref_merge_owner(file, number);
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  if (input->type != REF_TYPE_SHARED || input->size == 0 || function == REF_NONE || !link->functions[function].live) {
    return;
  }
  if (link->functions[function].shared == REF_NONE) {
    ref_merge_add_shared_section(link, &link->functions[function]);
  }
  const size_t object = ref_symbol_add(link, "", REF_BIND_LOCAL, REF_SYMBOL_CUDA_OBJECT, REF_SPACE_SHARED);
  ref_out_symbol *symbol = &link->symbols[object];
  symbol->dropped = true;
  symbol->is_partial = true;
  symbol->section = link->functions[function].shared;
  symbol->size = input->size;
  symbol->auxiliary = input->align;
  symbol->value = link->relocatable ? input->align : 0;
  ref_indices_add(link, &link->shared_objects, object);
}

/* With -g nvlink forgets these sections; by default (D111) they stay. */
void ref_partial_add_shared(ref_link *link, size_t file_number) {
  ref_file *file = &link->files[file_number];
  const bool forgotten = ref_options_keep_shared_symbols(link) && link->job->bug_compatible;
  for (uint32_t i = 1; i < file->cubin.section_count && file->cubin.type == TYPE_EXTENDED && !forgotten; i++) {
    ref_partial_add_section(link, file, i);
  }
}

/* With -r the alignment of the first one; in an executable the reserved bytes, once for each. By default symbol 0 stays empty. */
void ref_partial_write_place(ref_link *link) {
  const uint64_t reserved = link->sm >= 90 ? RESERVED : 0;
  for (size_t i = 0; i < link->symbol_count && link->job->bug_compatible; i++) {
    if (!link->symbols[i].is_partial) {
      continue;
    }
    if (link->relocatable) {
      link->null_symbol_value = link->symbols[i].value;
      return;
    }
    link->null_symbol_value += reserved;
  }
}
