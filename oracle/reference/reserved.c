/* Reserved shared memory among what is shared: L1370, RF1052, RF1404. An object of that space in a section of shared memory lies in
 * `.nv.shared.reserved.N`, which it makes, and its own section does not come along. N is the digit at the end of that one's name, or 0. */
#include "link.h"

#include <string.h>

enum { SPACE_RESERVED = 0xa0 };

#define REF_RESERVED(number) ".nv.shared.reserved." #number
static const char *const section_names[] = {REF_RESERVED(0), REF_RESERVED(1), REF_RESERVED(2), REF_RESERVED(3),
                                            REF_RESERVED(4), REF_RESERVED(5), REF_RESERVED(6), REF_RESERVED(7),
                                            REF_RESERVED(8), REF_RESERVED(9)};

/* In links without capsules. */
bool ref_reserved_takes(const ref_link *link, const ref_file *file, const ref_symbol *input) {
  return !link->is_capsule && (input->other & REF_SPACE_MASK) == SPACE_RESERVED && input->section != 0 &&
         input->section < file->cubin.section_count && file->cubin.sections[input->section].type == REF_TYPE_SHARED;
}

size_t ref_reserved_section(ref_link *link, const char *own) {
  const char last = *own == '\0' ? '0' : own[strlen(own) - 1];
  const char *section_name = section_names[last >= '0' && last <= '9' ? last - '0' : 0];
  const size_t known = ref_map_find(&link->section_by_name, section_name);
  if (known != REF_NONE && link->sections[known].type == REF_TYPE_SHARED_RESERVED) {
    return known;
  }
  return ref_section_add_with_symbol(link, section_name, REF_TYPE_SHARED_RESERVED, REF_FLAG_WRITE | REF_FLAG_ALLOC, 0,
                                     0);
}

/* The value that the input says is its alignment. */
void ref_reserved_define(ref_link *link, ref_file *file, const ref_symbol *input, size_t number) {
  const size_t section = ref_reserved_section(link, file->cubin.sections[input->section].name);
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
static void ref_reserved_layout_section(ref_link *link, size_t number) {
  ref_out_section *section = &link->sections[number];
  uint64_t end = 0;
  bool has_objects = false;
  for (size_t i = 0; i < link->reserved_objects.count; i++) {
    ref_out_symbol *symbol = &link->symbols[link->reserved_objects.items[i]];
    if (symbol->section != number) {
      continue;
    }
    has_objects = true;
    section->align = ref_larger(symbol->auxiliary, section->align);
    if (!link->relocatable) {
      symbol->value = ref_align_up(end, ref_shared_own_alignment(symbol));
      end = symbol->value;
    }
    end += symbol->size;
  }
  const bool adds = link->relocatable && end != 0 && end <= section->align;
  section->size = adds ? end + section->align : has_objects ? end : section->size;
}

void ref_reserved_layout(ref_link *link) {
  if (link->reserved_objects.count == 0) {
    return;
  }
  if (!link->relocatable) {
    ref_sort_alternating(link, &link->reserved_objects, ref_reserved_compare, REF_TIE_FIRST);
  }
  for (size_t i = 0; i < sizeof section_names / sizeof *section_names; i++) {
    const size_t number = ref_map_find(&link->section_by_name, section_names[i]);
    if (number != REF_NONE && link->sections[number].type == REF_TYPE_SHARED_RESERVED) {
      ref_reserved_layout_section(link, number);
    }
  }
}
