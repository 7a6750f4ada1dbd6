/* Reserved shared memory among what is shared: L1370, RF1052. An object of that space in a section of shared memory lies in
 * `.nv.shared.reserved.0`, which it makes, and its own section does not come along. */
#include "link.h"

enum { SPACE_RESERVED = 0xa0 };

static const char section_name[] = ".nv.shared.reserved.0";

/* In links without capsules. */
bool ref_reserved_takes(const ref_link *link, const ref_file *file, const ref_symbol *input) {
  return !link->is_capsule && (input->other & REF_SPACE_MASK) == SPACE_RESERVED && input->section != 0 &&
         input->section < file->cubin.section_count && file->cubin.sections[input->section].type == REF_TYPE_SHARED;
}

size_t ref_reserved_section(ref_link *link) {
  const size_t known = ref_map_find(&link->section_by_name, section_name);
  if (known != REF_NONE && link->sections[known].type == REF_TYPE_SHARED_RESERVED) {
    return known;
  }
  return ref_section_add_with_symbol(link, section_name, REF_TYPE_SHARED_RESERVED, REF_FLAG_WRITE | REF_FLAG_ALLOC, 0,
                                     0);
}

/* The value that the input says is its alignment. */
void ref_reserved_define(ref_link *link, ref_file *file, const ref_symbol *input, size_t number) {
  const size_t section = ref_reserved_section(link);
  if (file->section_of[input->section] == REF_NONE) { /* objects of further spaces lie there, too */
    file->section_of[input->section] = section;
  }
  ref_out_symbol *symbol = &link->symbols[number];
  symbol->section = section;
  symbol->size = input->size;
  symbol->auxiliary = input->value;
  symbol->value = input->value;
  ref_indices_add(link, &link->reserved_objects, number);
}

/* As W9.4 has a kernel's own. */
static int ref_reserved_compare(const ref_link *link, size_t a, size_t b) {
  const ref_out_symbol *first = &link->symbols[a], *second = &link->symbols[b];
  if (first->auxiliary != second->auxiliary) {
    return ref_order(second->auxiliary, first->auxiliary);
  }
  return ref_order(first->size, second->size);
}

/* In a relocatable output values are alignments still, and the section has the sum of the sizes, and its alignment where that is no larger, as
 * W9.11 has it. */
void ref_reserved_layout(ref_link *link) {
  if (link->reserved_objects.count == 0) {
    return;
  }
  ref_out_section *section = &link->sections[ref_reserved_section(link)];
  uint64_t end = 0;
  if (!link->relocatable) {
    ref_sort_alternating(link, &link->reserved_objects, ref_reserved_compare, REF_TIE_FIRST);
  }
  for (size_t i = 0; i < link->reserved_objects.count; i++) {
    ref_out_symbol *symbol = &link->symbols[link->reserved_objects.items[i]];
    section->align = ref_larger(symbol->auxiliary, section->align);
    if (!link->relocatable) {
      symbol->value = ref_align_up(end, ref_shared_own_alignment(symbol));
      end = symbol->value;
    }
    end += symbol->size;
  }
  const bool adds = link->relocatable && end != 0 && end <= section->align;
  section->size = adds ? end + section->align : end;
}
