/* What met in a relocatable output: L646. It is one file with one virtual architecture, and nvlink's next link forgets what decided
 * a contest of weak bodies in it, and that a file took an address whose function another defined (D120). By default a section
 * says so that every other linker ignores: a relocation section about nothing, an entry a body. */
#include "link.h"

#include <string.h>

enum { ENTRY_BYTES = 24, TAKEN = 0x10000, VIRTUAL = 0xffff };

static const char *const BODIES = ".nv.resolvedrela.bodies";

static bool ref_bodies_matter(const ref_link *link) {
  return !link->job->bug_compatible && !link->is_capsule;
}

/* Its number in the file that is read, 0 when there is none. */
void ref_bodies_find(const ref_link *link, ref_file *file) {
  file->bodies = 0;
  for (uint32_t i = 1; i < file->cubin.section_count && ref_bodies_matter(link) && file->bodies == 0; i++) {
    const ref_section *section = &file->cubin.sections[i];
    const bool known = section->type == REF_TYPE_RESOLVED_RELA && section->data != NULL;
    file->bodies = known && strcmp(section->name, BODIES) == 0 ? i : 0;
  }
}

/* What a file is known to say of its body of a function. */
ref_body_origin ref_bodies_origin(const ref_file *file, uint32_t symbol) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  for (uint64_t at = 0; file->bodies != 0 && at + ENTRY_BYTES <= section->size; at += ENTRY_BYTES) {
    const uint8_t *entry = section->data + at;
    if (ref_u32(entry + 12) == symbol) {
      return (ref_body_origin){(uint16_t)(ref_u32(entry) & VIRTUAL), ref_u16(entry + 16),
                               (ref_u32(entry) & TAKEN) != 0};
    }
  }
  return (ref_body_origin){file->virtual_sm, file->virtual_sm, false};
}

/* A body whose contest the next link would decide otherwise. */
static bool ref_bodies_are_noted(const ref_link *link, const ref_function *function, uint16_t output_sm) {
  const bool stands = function->defined && function->weak && function->alias_of == REF_NONE &&
                      function->symbol != REF_NONE && !link->symbols[function->symbol].dropped;
  return stands &&
         (function->taken_elsewhere || function->virtual_sm != output_sm || function->first_virtual_sm != output_sm);
}

/* The section has its size before anything is placed. */
void ref_bodies_add_section(ref_link *link) {
  const uint16_t output_sm = ref_notes_virtual_sm(link);
  uint64_t size = 0;
  for (size_t i = 0; i < link->function_count && link->relocatable && ref_bodies_matter(link); i++) {
    size += ref_bodies_are_noted(link, &link->functions[i], output_sm) ? ENTRY_BYTES : 0;
  }
  if (size == 0) {
    return;
  }
  link->bodies_section = ref_section_add(link, BODIES, REF_TYPE_RESOLVED_RELA, 0, 8, ENTRY_BYTES);
  link->sections[link->bodies_section].links_symtab = true;
  link->sections[link->bodies_section].size = size;
}

/* In the order of the symbols, whose numbers are known now. */
void ref_bodies_write(ref_link *link) {
  const uint16_t output_sm = ref_notes_virtual_sm(link);
  ref_bytes *data = &link->sections[link->bodies_section].data;
  for (size_t i = 0; i < link->symbol_count && link->bodies_section != 0; i++) {
    const size_t number = link->symbols[i].function;
    const ref_function *function = number == REF_NONE ? NULL : &link->functions[number];
    if (function != NULL && ref_bodies_are_noted(link, function, output_sm)) {
      ref_bytes_add_u64(link, data, function->virtual_sm | (function->taken_elsewhere ? (uint64_t)TAKEN : 0));
      ref_bytes_add_u32(link, data, 0);
      ref_bytes_add_u32(link, data, link->symbols[i].index);
      ref_bytes_add_u64(link, data, function->first_virtual_sm);
    }
  }
}
