/* The body of a capsule: M9, RF71, and what relocations change in it: M22, RF38. */
#include "link.h"
#include "relocation_table.h"

#include <string.h>

enum {
  COUNT_AT = 8,
  MASK_AT = 12,
  BITS_IN_WORD = 32,
  INSTRUCTION = 16,
  LONG_INSTRUCTION = 32,
  LOAD_FIRST = 0x02, /* the first two bytes of a load's record */
  LOAD_SECOND = 0x22,
  LOAD_BYTES = 32,
  LOAD_KIND = 2, /* places in the record */
  LOAD_SPACE = 12,
  LOAD_FIELD = 28,
  KIND_LDCU = 0x08,
  KIND_LDC_INDEXED = 0x0c,
  KIND_LDC = 0x0e,
  SPACE_OPTIMIZER = 0x41,
  SPACE_USER = 0x42,
  SPACE_TABLE = 0x47, /* RF37 */
  SPACE_TEXTURE = 0x49,
  SASS_LDC = 66, /* R_CUDA_CONST_FIELD21_38 */
  SASS_LDCU = 115,
  MERCURY_ABS32 = 0x10003, /* of LDCU; LDC has ABS16 */
  MERCURY_ABS16 = 0x10004
};

/* M9: the length of a record, from its first byte. */
static size_t ref_mercury_record_size(uint8_t first) {
  return (first & 0x10) != 0 ? 2 : (first & 0x40) != 0 ? 4 : (size_t)(first & 0x0f) * INSTRUCTION;
}

/* RF71: the low digit is the length of the decoded instruction; two bytes that have one are no record of their own but stand
 * before one. */
static size_t ref_mercury_prefix_size(uint8_t first) {
  return (first & 0x10) != 0 && (first & 0x0f) != 0 ? 2 : 0;
}

/* The record of a load from constant memory. Derived instructions have no record that says how long they are decoded, so its
 * place in the decoded text is known between two bounds. */
typedef struct ref_load {
  size_t at; /* in the capsule */
  uint64_t instruction, earliest, latest;
  uint8_t space;
  bool uniform;
} ref_load;

typedef struct ref_loads {
  ref_load *items;
  size_t count, capacity;
} ref_loads;

static void ref_mercury_add_load(ref_link *link, ref_loads *loads, const uint8_t *record, ref_load load) {
  const uint8_t kind = record[LOAD_KIND];
  if (record[0] != LOAD_FIRST || record[1] != LOAD_SECOND ||
      (kind != KIND_LDCU && kind != KIND_LDC && kind != KIND_LDC_INDEXED)) {
    return;
  }
  load.space = record[LOAD_SPACE];
  load.uniform = kind == KIND_LDCU;
  loads->items = ref_memory_grow(link, loads->items, loads->count, &loads->capacity, sizeof *loads->items);
  loads->items[loads->count++] = load;
}

/* In the order of the text. */
static ref_loads ref_mercury_list_loads(ref_link *link, const ref_bytes *text) {
  ref_loads loads = {0};
  if (text->size < MASK_AT) {
    return loads;
  }
  const uint64_t count = ref_u32(text->data + COUNT_AT);
  const uint64_t mask_bytes = (count + BITS_IN_WORD - 1) / BITS_IN_WORD * 4;
  if (mask_bytes > text->size - MASK_AT) {
    return loads;
  }
  ref_load next = {.at = MASK_AT + (size_t)mask_bytes};
  for (uint64_t i = 0; i < count && next.at < text->size; i++) {
    if ((text->data[MASK_AT + i / 8] >> i % 8 & 1) != 0) {
      next.earliest += INSTRUCTION;
      next.latest += LONG_INSTRUCTION;
      continue;
    }
    next.instruction = i;
    next.at += ref_mercury_prefix_size(text->data[next.at]);
    if (next.at >= text->size) {
      return loads;
    }
    const uint8_t first = text->data[next.at];
    if (next.at + LOAD_BYTES <= text->size) {
      ref_mercury_add_load(link, &loads, text->data + next.at, next);
    }
    next.earliest += (uint64_t)(first & 0x0f) * INSTRUCTION;
    next.latest += (uint64_t)(first & 0x0f) * INSTRUCTION;
    next.at += ref_mercury_record_size(first);
  }
  return loads;
}

/* A relocation entry of the Mercury view about a load. */
typedef struct ref_load_entry {
  uint64_t offset, sass_instruction;
  uint32_t type;
  uint8_t space;
} ref_load_entry;

typedef struct ref_load_entries {
  ref_load_entry *items;
  size_t count, capacity;
} ref_load_entries;

/* How many entries of a section stand against a symbol at lower offsets. */
static size_t ref_mercury_rank(const ref_cubin *cubin, uint32_t section, uint32_t symbol, uint64_t offset) {
  size_t rank = 0;
  for (size_t i = 0; i < ref_cubin_relocation_count(cubin, section); i++) {
    const ref_relocation other = ref_cubin_relocation(cubin, section, i);
    rank += other.symbol == symbol && other.offset < offset;
  }
  return rank;
}

/* The SASS entry of the same rank among those against its symbol; false when it is no load. */
static bool ref_mercury_find_sass_entry(const ref_file *file, uint32_t mercury, uint32_t sass,
                                        const ref_relocation *entry, ref_relocation *found) {
  const size_t rank = ref_mercury_rank(&file->cubin, mercury, entry->symbol, entry->offset);
  for (size_t i = 0; i < ref_cubin_relocation_count(&file->whole, sass); i++) {
    *found = ref_cubin_relocation(&file->whole, sass, i);
    if ((found->type == SASS_LDC || found->type == SASS_LDCU) && found->symbol == entry->symbol &&
        ref_mercury_rank(&file->whole, sass, entry->symbol, found->offset) == rank) {
      return true;
    }
  }
  return false;
}

/* RF38: which constants a symbol is one of. */
static uint8_t ref_mercury_space(const ref_file *file, uint32_t number) {
  const ref_symbol *symbol = &file->cubin.symbols[number];
  const uint32_t type = symbol->section < file->cubin.section_count ? file->cubin.sections[symbol->section].type : 0;
  if (ref_bindless_mask_of(symbol->info & 15) != 0) {
    return SPACE_TEXTURE;
  }
  return type == REF_TYPE_CONSTANT_OPTIMIZER ? SPACE_OPTIMIZER
         : type == REF_TYPE_CONSTANT_PIC     ? SPACE_TABLE
                                             : SPACE_USER;
}

/* By offset. */
static ref_load_entries ref_mercury_list_entries(ref_link *link, const ref_file *file, uint32_t mercury,
                                                 uint32_t sass) {
  ref_load_entries list = {0};
  for (size_t i = 0; i < ref_cubin_relocation_count(&file->cubin, mercury); i++) {
    const ref_relocation entry = ref_cubin_relocation(&file->cubin, mercury, i);
    ref_relocation same = {0};
    if ((entry.type != MERCURY_ABS32 && entry.type != MERCURY_ABS16) || entry.symbol >= file->cubin.symbol_count ||
        !ref_mercury_find_sass_entry(file, mercury, sass, &entry, &same)) {
      continue;
    }
    list.items = ref_memory_grow(link, list.items, list.count, &list.capacity, sizeof *list.items);
    size_t at = list.count++;
    for (; at > 0 && list.items[at - 1].offset > entry.offset; at--) {
      list.items[at] = list.items[at - 1];
    }
    list.items[at] =
        (ref_load_entry){entry.offset, same.offset / INSTRUCTION, entry.type, ref_mercury_space(file, entry.symbol)};
  }
  return list;
}

/* The finalizer may have put NOPs into the SASS text: an instruction's number there is at least the one in the capsule, and
 * never falls behind by less than that of the load before. */
static bool ref_mercury_entry_fits(const ref_load_entry *entry, const ref_load *load, uint64_t moved_earliest,
                                   uint64_t moved_latest, uint64_t inserted) {
  return entry->space == load->space && (entry->type == MERCURY_ABS32) == load->uniform &&
         entry->offset >= load->earliest + moved_earliest + LOAD_FIELD &&
         entry->offset <= load->latest + moved_latest + LOAD_FIELD && entry->offset % INSTRUCTION == 12 &&
         entry->sass_instruction >= load->instruction + inserted;
}

/* RF38: every load that has an entry has a record; both are in the same order. A load with an index register may have no entry.
 * Returns the place of the record that the entry at `offset` is about, 0 when there is none. */
static size_t ref_mercury_find_load(const ref_loads *loads, const ref_load_entries *entries, uint64_t offset) {
  uint64_t moved_earliest = 0, moved_latest = 0, inserted = 0; /* modulo 2^64 */
  size_t next = 0;
  for (size_t i = 0; i < loads->count; i++) {
    const ref_load *load = &loads->items[i];
    size_t found = next;
    while (found < entries->count &&
           !ref_mercury_entry_fits(&entries->items[found], load, moved_earliest, moved_latest, inserted)) {
      found++;
    }
    if (found == entries->count) {
      continue;
    }
    const ref_load_entry *entry = &entries->items[found];
    if (entry->offset == offset) {
      return load->at;
    }
    moved_earliest = entry->offset - LOAD_FIELD - load->earliest;
    moved_latest = entry->offset - LOAD_FIELD - load->latest;
    inserted = entry->sass_instruction - load->instruction;
    next = found + 1;
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
  const ref_loads loads = ref_mercury_list_loads(link, &text->data);
  const ref_load_entries entries = ref_mercury_list_entries(link, file, mercury, sass);
  const size_t at = ref_mercury_find_load(&loads, &entries, entry->input_offset);
  const ref_relocation_row *row = ref_relocation_row_of(entry->type);
  if (at != 0 && row != NULL) {
    for (unsigned i = 0; i < row->fields[0].width / 8u && i < 4; i++) {
      text->data.data[at + LOAD_FIELD + i] = (uint8_t)(value >> 8 * i);
    }
  }
}
