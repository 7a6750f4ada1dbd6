/* Two sections of one input with the same bytes of the file: M2c, M10. nvlink applies relocations in the input's image, so in a
 * link of SASS kind the Mercury section that shares its bytes with a SASS one shows what was written there. */
#include "link.h"
#include "relocation_table.h"

static bool ref_twin_shares_bytes(const ref_file *file, uint32_t a, uint32_t b) {
  const ref_section *first = &file->cubin.sections[a], *second = &file->cubin.sections[b];
  return a != b && first->data != NULL && second->data != NULL && first->offset == second->offset &&
         first->size == second->size;
}

/* Looked for once a file: there are none but in objects of SASS kind and in damaged files. */
void ref_twins_find(ref_file *file) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    for (uint32_t k = 1; k < i; k++) {
      if (ref_twin_shares_bytes(file, i, k)) {
        file->has_twins = true;
        return;
      }
    }
  }
}

/* The input section in which the entry lies. */
static uint32_t ref_twin_find_source(const ref_file *file, const ref_out_relocation *entry) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    if (file->section_of[i] == entry->target && file->offset_in[i] == entry->offset - entry->input_offset) {
      return i;
    }
  }
  return 0;
}

/* M2c */
void ref_twins_write(ref_link *link, const ref_out_relocation *entry, const ref_field *field, uint64_t value) {
  const ref_file *file = &link->files[entry->file];
  if (!file->has_twins) {
    return;
  }
  const uint32_t source = ref_twin_find_source(file, entry);
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    if (file->section_of[i] != REF_NONE && file->section_of[i] != entry->target &&
        ref_twin_shares_bytes(file, source, i)) {
      const ref_bytes *bytes = &link->sections[file->section_of[i]].data;
      ref_field_write(field, bytes->data, bytes->size, file->offset_in[i] + entry->input_offset, value);
    }
  }
}
