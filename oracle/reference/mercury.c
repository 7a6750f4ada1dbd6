/* The body of a capsule: M9, and what relocations change in it: M22. */
#include "link.h"
#include "relocation_table.h"

#include <string.h>

enum {
  COUNT_AT = 8,
  MASK_AT = 12,
  BITS_IN_WORD = 32,
  LOAD_FIRST = 0x02,
  LOAD_SECOND = 0x22,
  LOAD_BYTES = 32,
  LOAD_FIELD = 28,
  INSTRUCTION = 16
};

/* M9: the length of a record, from its first byte. */
static size_t ref_mercury_record_size(uint8_t first) {
  return (first & 0x10) != 0 ? 2 : (first & 0x40) != 0 ? 4 : (size_t)(first & 0x0f) * INSTRUCTION;
}

/* Where the record of instruction `wanted` lies, if it has one and it is a load from constant memory (M22); else 0. */
static size_t ref_mercury_find_load(const ref_bytes *text, uint64_t wanted) {
  if (text->size < MASK_AT) {
    return 0;
  }
  const uint64_t count = ref_u32(text->data + COUNT_AT);
  size_t at = MASK_AT + (size_t)((count + BITS_IN_WORD - 1) / BITS_IN_WORD * 4);
  for (uint64_t i = 0; i < count && at < text->size; i++) {
    const bool derived = (text->data[MASK_AT + i / 8] >> i % 8 & 1) != 0;
    if (i == wanted) {
      const bool load = !derived && at + LOAD_BYTES <= text->size && text->data[at] == LOAD_FIRST &&
                        text->data[at + 1] == LOAD_SECOND;
      return load ? at : 0;
    }
    at += derived ? 0 : ref_mercury_record_size(text->data[at]);
  }
  return 0;
}

/* How many entries of a section stand against a symbol at lower offsets. */
static size_t ref_mercury_rank(const ref_cubin *cubin, uint32_t section, uint32_t symbol, uint64_t offset) {
  size_t rank = 0;
  for (size_t i = 0; i < ref_cubin_relocation_count(cubin, section); i++) {
    const ref_relocation other = ref_cubin_relocation(cubin, section, i);
    rank += other.symbol == symbol && other.offset < offset;
  }
  return rank;
}

/* The instruction that a Mercury entry is about, from the SASS entry of the same rank among those against its symbol. */
static uint64_t ref_mercury_instruction(const ref_file *file, uint32_t mercury, uint32_t sass,
                                        const ref_out_relocation *entry) {
  const uint32_t symbol = (uint32_t)entry->input_symbol;
  const size_t rank = ref_mercury_rank(&file->cubin, mercury, symbol, entry->input_offset);
  for (size_t i = 0; i < ref_cubin_relocation_count(&file->whole, sass); i++) {
    const ref_relocation other = ref_cubin_relocation(&file->whole, sass, i);
    if (other.symbol == symbol && ref_mercury_rank(&file->whole, sass, symbol, other.offset) == rank) {
      return other.offset / INSTRUCTION;
    }
  }
  return UINT64_MAX;
}

/* Relocation sections of the function's text: the Mercury view's in the view, the SASS one in the whole file. */
static uint32_t ref_mercury_find_relocations(const ref_cubin *cubin, const char *target_name, bool mercury) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->type == REF_TYPE_RELA && section->info < cubin->section_count &&
        strcmp(cubin->sections[section->info].name, target_name) == 0 &&
        (mercury || (section->flags & REF_FLAG_MERCURY) == 0)) {
      return i;
    }
  }
  return 0;
}

/* M22: 2 bytes for type 4, 4 bytes for type 3. */
void ref_mercury_patch(ref_link *link, const ref_out_relocation *entry, uint64_t value) {
  const ref_file *file = &link->files[entry->file];
  ref_out_section *text = &link->sections[entry->target];
  const uint32_t mercury = ref_mercury_find_relocations(&file->cubin, text->name, true);
  const uint32_t sass = ref_mercury_find_relocations(&file->whole, text->name, false);
  if (mercury == 0 || sass == 0) {
    return;
  }
  const size_t at = ref_mercury_find_load(&text->data, ref_mercury_instruction(file, mercury, sass, entry));
  const ref_relocation_row *row = ref_relocation_row_of(entry->type);
  if (at != 0 && row != NULL) {
    for (unsigned i = 0; i < row->fields[0].width / 8u && i < 4; i++) {
      text->data.data[at + LOAD_FIELD + i] = (uint8_t)(value >> 8 * i);
    }
  }
}
