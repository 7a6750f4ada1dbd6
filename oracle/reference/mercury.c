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
  LOAD_BANK = 12,
  LOAD_PARAMETERS = 0x40,
  LOAD_BYTE_OFFSET = 66, /* LDC */
  LOAD_UNIFORM = 115,    /* LDCU */
  INSTRUCTION = 16
};

/* M9: the length of a record, from its first byte. */
static size_t ref_mercury_record_size(uint8_t first) {
  return (first & 0x10) != 0 ? 2 : (first & 0x40) != 0 ? 4 : (size_t)(first & 0x0f) * INSTRUCTION;
}

typedef struct ref_load {
  uint64_t instruction;
  size_t at;       /* of its record in the capsule */
  bool parameters; /* reads bank 0 */
} ref_load;

/* The records of loads from constant memory, in order. */
static size_t ref_mercury_list_loads(ref_link *link, const ref_bytes *text, ref_load **loads) {
  size_t found = 0, capacity = 0;
  *loads = NULL;
  if (text->size < MASK_AT) {
    return 0;
  }
  const uint64_t count = ref_u32(text->data + COUNT_AT);
  const uint64_t mask_bytes = (count + BITS_IN_WORD - 1) / BITS_IN_WORD * 4;
  if (mask_bytes > text->size - MASK_AT) {
    return 0;
  }
  size_t at = MASK_AT + (size_t)mask_bytes;
  for (uint64_t i = 0; i < count && at < text->size; i++) {
    if ((text->data[MASK_AT + i / 8] >> i % 8 & 1) != 0) {
      continue;
    }
    if (at + LOAD_BYTES <= text->size && text->data[at] == LOAD_FIRST && text->data[at + 1] == LOAD_SECOND) {
      *loads = ref_memory_grow(link, *loads, found, &capacity, sizeof **loads);
      (*loads)[found++] = (ref_load){i, at, text->data[at + LOAD_BANK] == LOAD_PARAMETERS};
    }
    at += ref_mercury_record_size(text->data[at]);
  }
  return found;
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

static bool ref_mercury_is_load(const ref_relocation *entry) {
  return entry->type == LOAD_BYTE_OFFSET || entry->type == LOAD_UNIFORM;
}

static bool ref_mercury_is_texture(const ref_file *file, uint32_t symbol) {
  return symbol < file->whole.symbol_count && ref_bindless_mask_of(file->whole.symbols[symbol].info & 15) != 0;
}

/* The SASS entry of the same rank among those against its symbol; false when it is no load. */
static bool ref_mercury_find_entry(const ref_file *file, uint32_t mercury, uint32_t sass,
                                   const ref_out_relocation *entry, ref_relocation *found) {
  const uint32_t symbol = (uint32_t)entry->input_symbol;
  const size_t rank = ref_mercury_rank(&file->cubin, mercury, symbol, entry->input_offset);
  for (size_t i = 0; i < ref_cubin_relocation_count(&file->whole, sass); i++) {
    *found = ref_cubin_relocation(&file->whole, sass, i);
    if (ref_mercury_is_load(found) && found->symbol == symbol &&
        ref_mercury_rank(&file->whole, sass, symbol, found->offset) == rank) {
      return true;
    }
  }
  return false;
}

/* RF38: the load of that number, or else: loads that a relocation is about are in the same order in both views, among those
 * that do not read parameters. A
 * texture's slot lies behind the parameters: its load is the next one at that instruction. */
static size_t ref_mercury_find_load(ref_link *link, const ref_bytes *text, const ref_file *file, uint32_t sass,
                                    const ref_relocation *entry) {
  ref_load *loads = NULL;
  const size_t count = ref_mercury_list_loads(link, text, &loads);
  size_t rank = 0;
  if (ref_mercury_is_texture(file, entry->symbol)) {
    for (size_t i = 0; i < count; i++) {
      if (loads[i].instruction >= entry->offset / INSTRUCTION) {
        return loads[i].at;
      }
    }
    return 0;
  }
  for (size_t i = 0; i < ref_cubin_relocation_count(&file->whole, sass); i++) {
    const ref_relocation other = ref_cubin_relocation(&file->whole, sass, i);
    rank += ref_mercury_is_load(&other) && !ref_mercury_is_texture(file, other.symbol) && other.offset < entry->offset;
  }
  for (size_t i = 0; i < count; i++) {
    if (!loads[i].parameters && loads[i].instruction == entry->offset / INSTRUCTION) {
      return loads[i].at;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (!loads[i].parameters && rank-- == 0) {
      return loads[i].at;
    }
  }
  return 0;
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

/* M22: 2 bytes for type 4, 4 bytes for type 3. Only loads: the SASS entry tells. */
void ref_mercury_patch(ref_link *link, const ref_out_relocation *entry, uint64_t value) {
  const ref_file *file = &link->files[entry->file];
  ref_out_section *text = &link->sections[entry->target];
  const uint32_t mercury = ref_mercury_find_relocations(&file->cubin, text->name, true);
  const uint32_t sass = ref_mercury_find_relocations(&file->whole, text->name, false);
  if (mercury == 0 || sass == 0) {
    return;
  }
  ref_relocation load = {0};
  if (!ref_mercury_find_entry(file, mercury, sass, entry, &load)) {
    return;
  }
  const size_t at = ref_mercury_find_load(link, &text->data, file, sass, &load);
  const ref_relocation_row *row = ref_relocation_row_of(entry->type);
  if (at != 0 && row != NULL) {
    for (unsigned i = 0; i < row->fields[0].width / 8u && i < 4; i++) {
      text->data.data[at + LOAD_FIELD + i] = (uint8_t)(value >> 8 * i);
    }
  }
}
