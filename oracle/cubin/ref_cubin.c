#include "ref_cubin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEADER_BYTES = 64,
  SECTION_BYTES = 64,
  SEGMENT_BYTES = 56,
  SYMBOL_BYTES = 24,
  TYPE_SYMTAB = 2,
  TYPE_RELA = 4,
  TYPE_NOBITS = 8,
  TYPE_REL = 9,
  TYPE_SYMTAB_SHNDX = 18,
  INDEX_EXTENDED = 0xffff
};

static bool ref_cubin_fail(char *error, size_t error_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool ref_cubin_fail(char *error, size_t error_size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (error_size > 0) {
    (void)vsnprintf(error, error_size, format, arguments);
  }
  va_end(arguments);
  return false;
}

static void *ref_cubin_take(const ref_cubin_memory *memory, size_t count, size_t size) {
  return memory == NULL ? calloc(count, size) : memory->take(memory->owner, count, size);
}

static bool ref_cubin_range_fits(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

/* F25, F27, F34: section types whose header states a size that no file bytes stand for. 0x70000009 is `.nv.local`. */
static bool ref_cubin_type_has_bytes(uint32_t type) {
  return type != 0 && type != TYPE_NOBITS && type != 0x70000007 && type != 0x70000009 && type != 0x7000000a &&
         type != 0x70000015;
}

/* A table of strings, or NULL. */
static const ref_section *ref_cubin_texts(const ref_cubin *cubin, uint32_t table) {
  const bool is_one = table != 0 && table < cubin->section_count && cubin->sections[table].data != NULL;
  return is_one ? &cubin->sections[table] : NULL;
}

/* A string of it. */
static const char *ref_cubin_text(const ref_section *texts, uint64_t offset) {
  if (texts == NULL || offset >= texts->size) {
    return "";
  }
  const uint8_t *text = texts->data + offset;
  if (texts->data[texts->size - 1] == 0) {
    return (const char *)text; /* as nearly all tables end */
  }
  return memchr(text, 0, (size_t)(texts->size - offset)) == NULL ? "" : (const char *)text;
}

/* F1-F7; the numbers of F1 are the only ones without which nothing else can be read. */
static bool ref_cubin_read_header(ref_cubin *cubin, char *error, size_t error_size) {
  const uint8_t *at = cubin->bytes;
  if (cubin->size < HEADER_BYTES) {
    return ref_cubin_fail(error, error_size, "file of %zu bytes is too small for an ELF header", cubin->size);
  }
  if (memcmp(at, "\177ELF", 4) != 0) {
    return ref_cubin_fail(error, error_size, "not an ELF file (magic number)");
  }
  if (at[4] != 2 || at[5] != 1) {
    return ref_cubin_fail(error, error_size, "not a 64-bit little-endian ELF file (EI_CLASS %u, EI_DATA %u)", at[4],
                          at[5]);
  }
  memcpy(cubin->ident, at, sizeof cubin->ident);
  cubin->type = ref_u16(at + 16);
  cubin->machine = ref_u16(at + 18);
  cubin->version = ref_u32(at + 20);
  cubin->entry = ref_u64(at + 24);
  cubin->segment_offset = ref_u64(at + 32);
  cubin->section_offset = ref_u64(at + 40);
  cubin->flags = ref_u32(at + 48);
  cubin->header_size = ref_u16(at + 52);
  cubin->segment_entry_size = ref_u16(at + 54);
  cubin->section_entry_size = ref_u16(at + 58);
  return true;
}

static void ref_cubin_decode_section(const uint8_t *at, ref_section *section) {
  *section = (ref_section){.type = ref_u32(at + 4),
                           .flags = ref_u64(at + 8),
                           .address = ref_u64(at + 16),
                           .offset = ref_u64(at + 24),
                           .name = "",
                           .name_offset = ref_u32(at),
                           .size = ref_u64(at + 32),
                           .link = ref_u32(at + 40),
                           .info = ref_u32(at + 44),
                           .align = ref_u64(at + 48),
                           .entry_size = ref_u64(at + 56)};
}

/* X1: from 65280 sections on, e_shnum is 0 and section 0 holds the count (size) and the name table's index (link). */
static bool ref_cubin_read_sections(ref_cubin *cubin, const ref_cubin_memory *memory, char *error, size_t error_size) {
  uint64_t count = ref_u16(cubin->bytes + 60);
  uint32_t names = ref_u16(cubin->bytes + 62);
  if (cubin->section_offset == 0) {
    return true;
  }
  if (cubin->section_entry_size != SECTION_BYTES) {
    return ref_cubin_fail(error, error_size, "e_shentsize is %u instead of %d", cubin->section_entry_size,
                          SECTION_BYTES);
  }
  if (!ref_cubin_range_fits(cubin->section_offset, SECTION_BYTES, cubin->size)) {
    return ref_cubin_fail(error, error_size, "e_shoff 0x%llx lies outside the file",
                          (unsigned long long)cubin->section_offset);
  }
  ref_section first;
  ref_cubin_decode_section(cubin->bytes + cubin->section_offset, &first);
  count = count == 0 ? first.size : count;
  names = names == INDEX_EXTENDED ? first.link : names;
  if (count > (cubin->size - cubin->section_offset) / SECTION_BYTES) {
    return ref_cubin_fail(error, error_size, "e_shnum: %llu section headers do not fit in the file",
                          (unsigned long long)count);
  }
  cubin->sections = ref_cubin_take(memory, count == 0 ? 1 : (size_t)count, sizeof *cubin->sections);
  if (cubin->sections == NULL) {
    return ref_cubin_fail(error, error_size, "out of memory");
  }
  cubin->section_count = (size_t)count;
  cubin->section_name_index = (uint16_t)(names > 0xffff ? 0xffff : names);
  for (size_t i = 0; i < cubin->section_count; i++) {
    ref_section *section = &cubin->sections[i];
    ref_cubin_decode_section(cubin->bytes + cubin->section_offset + i * SECTION_BYTES, section);
    if (i == 0 || !ref_cubin_type_has_bytes(section->type) || section->size == 0) {
      continue;
    }
    if (!ref_cubin_range_fits(section->offset, section->size, cubin->size)) {
      return ref_cubin_fail(error, error_size, "section %zu: sh_offset 0x%llx + sh_size 0x%llx lies outside the file",
                            i, (unsigned long long)section->offset, (unsigned long long)section->size);
    }
    section->data = cubin->bytes + section->offset;
  }
  const ref_section *texts = ref_cubin_texts(cubin, names);
  for (size_t i = 0; i < cubin->section_count; i++) {
    cubin->sections[i].name = ref_cubin_text(texts, cubin->sections[i].name_offset);
  }
  return true;
}

static bool ref_cubin_read_segments(ref_cubin *cubin, const ref_cubin_memory *memory, char *error, size_t error_size) {
  const size_t count = ref_u16(cubin->bytes + 56);
  if (count == 0) {
    return true;
  }
  if (cubin->segment_entry_size != SEGMENT_BYTES) {
    return ref_cubin_fail(error, error_size, "e_phentsize is %u instead of %d", cubin->segment_entry_size,
                          SEGMENT_BYTES);
  }
  if (!ref_cubin_range_fits(cubin->segment_offset, count * SEGMENT_BYTES, cubin->size)) {
    return ref_cubin_fail(error, error_size, "e_phoff, e_phnum: %zu program headers at 0x%llx do not fit in the file",
                          count, (unsigned long long)cubin->segment_offset);
  }
  cubin->segments = ref_cubin_take(memory, count, sizeof *cubin->segments);
  if (cubin->segments == NULL) {
    return ref_cubin_fail(error, error_size, "out of memory");
  }
  cubin->segment_count = count;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *at = cubin->bytes + cubin->segment_offset + i * SEGMENT_BYTES;
    cubin->segments[i] = (ref_segment){.type = ref_u32(at),
                                       .flags = ref_u32(at + 4),
                                       .offset = ref_u64(at + 8),
                                       .address = ref_u64(at + 16),
                                       .physical = ref_u64(at + 24),
                                       .file_size = ref_u64(at + 32),
                                       .memory_size = ref_u64(at + 40),
                                       .align = ref_u64(at + 48)};
  }
  return true;
}

/* X2: the section that widens st_shndx 0xffff belongs to the symbol table that its link names. */
static const ref_section *ref_cubin_find_wide_indices(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->type == TYPE_SYMTAB_SHNDX && section->link == cubin->symbol_section) {
      return section;
    }
  }
  return NULL;
}

static void ref_cubin_decode_symbols(ref_cubin *cubin) {
  const ref_section *table = &cubin->sections[cubin->symbol_section];
  const ref_section *wide = ref_cubin_find_wide_indices(cubin), *texts = ref_cubin_texts(cubin, cubin->string_section);
  for (size_t i = 0; i < cubin->symbol_count; i++) {
    const uint8_t *at = table->data + i * SYMBOL_BYTES;
    ref_symbol *symbol = &cubin->symbols[i];
    symbol->name_offset = ref_u32(at);
    symbol->name = ref_cubin_text(texts, symbol->name_offset);
    symbol->info = at[4];
    symbol->other = at[5];
    symbol->raw_section = ref_u16(at + 6);
    symbol->section = symbol->raw_section;
    if (symbol->raw_section == INDEX_EXTENDED && wide != NULL && wide->data != NULL && wide->size / 4 > i) {
      symbol->section = ref_u32(wide->data + i * 4);
    }
    symbol->value = ref_u64(at + 8);
    symbol->size = ref_u64(at + 16);
  }
}

static bool ref_cubin_read_symbols_in(ref_cubin *cubin, const ref_cubin_memory *memory, char *error,
                                      size_t error_size) {
  cubin->symbol_section = 0;
  for (uint32_t i = 1; i < cubin->section_count && cubin->symbol_section == 0; i++) {
    if (cubin->sections[i].type == TYPE_SYMTAB) {
      cubin->symbol_section = i;
    }
  }
  if (cubin->symbol_section == 0) {
    return true;
  }
  const ref_section *table = &cubin->sections[cubin->symbol_section];
  cubin->string_section = table->link;
  if (table->link >= cubin->section_count) {
    return ref_cubin_fail(error, error_size, "the symbol table's sh_link %u is no section", table->link);
  }
  const size_t count = (size_t)(table->size / SYMBOL_BYTES);
  if (count == 0) {
    return true;
  }
  cubin->symbols = ref_cubin_take(memory, count, sizeof *cubin->symbols);
  if (cubin->symbols == NULL) {
    return ref_cubin_fail(error, error_size, "out of memory");
  }
  cubin->symbol_count = count;
  ref_cubin_decode_symbols(cubin);
  return true;
}

bool ref_cubin_read_symbols(ref_cubin *cubin, char *error, size_t error_size) {
  return ref_cubin_read_symbols_in(cubin, NULL, error, error_size);
}

bool ref_cubin_read_in(ref_cubin *cubin, const void *bytes, size_t size, const ref_cubin_memory *memory, char *error,
                       size_t error_size) {
  *cubin = (ref_cubin){.bytes = bytes, .size = size};
  return ref_cubin_read_header(cubin, error, error_size) && ref_cubin_read_sections(cubin, memory, error, error_size) &&
         ref_cubin_read_segments(cubin, memory, error, error_size) &&
         ref_cubin_read_symbols_in(cubin, memory, error, error_size);
}

bool ref_cubin_read(ref_cubin *cubin, const void *bytes, size_t size, char *error, size_t error_size) {
  const bool good = ref_cubin_read_in(cubin, bytes, size, NULL, error, error_size);
  if (!good) {
    ref_cubin_free(cubin);
  }
  return good;
}

void ref_cubin_free(ref_cubin *cubin) {
  free(cubin->sections);
  free(cubin->symbols);
  free(cubin->segments);
  *cubin = (ref_cubin){0};
}

uint32_t ref_cubin_find_section(const ref_cubin *cubin, const char *name) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    if (strcmp(cubin->sections[i].name, name) == 0) {
      return i;
    }
  }
  return 0;
}

/* F46. Types 0x70000003 (F23), 0x70000082 (F38) and 0x70000088 (F42) have RELA entries. */
static uint64_t ref_cubin_relocation_bytes(uint32_t type) {
  switch (type) {
  case TYPE_REL:
    return 16;
  case TYPE_RELA:
  case 0x70000003:
  case 0x70000082:
  case 0x70000088:
    return 24;
  default:
    return 0;
  }
}

size_t ref_cubin_relocation_count(const ref_cubin *cubin, uint32_t section) {
  if (section >= cubin->section_count || cubin->sections[section].data == NULL) {
    return 0;
  }
  const uint64_t entry = ref_cubin_relocation_bytes(cubin->sections[section].type);
  return entry == 0 ? 0 : (size_t)(cubin->sections[section].size / entry);
}

ref_relocation ref_cubin_relocation(const ref_cubin *cubin, uint32_t section, size_t index) {
  const ref_section *table = section < cubin->section_count ? &cubin->sections[section] : NULL;
  const uint64_t entry = table == NULL || table->data == NULL ? 0 : ref_cubin_relocation_bytes(table->type);
  if (entry == 0 || index >= table->size / entry) {
    return (ref_relocation){0};
  }
  return ref_cubin_entry(table, index);
}

const char *ref_cubin_string(const ref_cubin *cubin, uint32_t table, uint64_t offset) {
  return ref_cubin_text(ref_cubin_texts(cubin, table), offset);
}
