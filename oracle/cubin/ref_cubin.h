/* The doubters' own reader of cubins: one file's bytes to arrays of sections, symbols, relocations and attribute records.
 *
 * Shared by oracle/reference, oracle/check, oracle/compare and tools/; it includes nothing of linker/. It is plain on
 * purpose: everything is copied into arrays, every number is widened, and nothing refers to the caller's bytes but
 * section contents. Every offset and size of the file is checked against the file's size before it is used; what does
 * not fit gives an error text that names the field. Facts: F1-F11, F20-F46, F50-F64, F75-F79. */
#ifndef REF_CUBIN_H
#define REF_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ref_section {
  const char *name; /* "" when the name's offset lies outside the name table */
  uint32_t name_offset, type, link, info;
  uint64_t flags, address, offset, size, align, entry_size;
  const uint8_t *data; /* NULL for types without file bytes (8, and 0x70000007, 9, a, 15) or size 0 */
  uint32_t
      turn; /* the section of entries that is read in this one's turn; 0: it is read itself; behind all: it has another's turn */
} ref_section;

typedef struct ref_symbol {
  const char *name;
  uint32_t name_offset;
  uint8_t info, other;
  uint32_t section; /* st_shndx, with .symtab_shndx already applied for 0xffff */
  uint16_t raw_section;
  uint64_t value, size;
} ref_symbol;

typedef struct ref_relocation {
  uint64_t offset;
  uint32_t symbol, type;
  int64_t addend; /* 0 for SHT_REL */
} ref_relocation;

typedef struct ref_attribute { /* one .nv.info or .nv.compat record, F61 */
  uint8_t format, code;
  uint16_t size;       /* of the payload: 2 for formats other than 4 */
  const uint8_t *data; /* payload */
  uint64_t offset;     /* of the record in its section */
} ref_attribute;

typedef struct ref_segment {
  uint32_t type, flags;
  uint64_t offset, address, physical, file_size, memory_size, align;
} ref_segment;

typedef struct ref_cubin {
  const uint8_t *bytes;
  size_t size;
  uint8_t ident[16];
  uint16_t type, machine, header_size, segment_entry_size, section_entry_size, section_name_index;
  uint32_t version, flags;
  uint64_t entry, segment_offset, section_offset;
  ref_section *sections;
  size_t section_count;
  ref_symbol *symbols;
  size_t symbol_count;
  uint32_t symbol_section, string_section; /* 0 when there is none */
  ref_segment *segments;
  size_t segment_count;
} ref_cubin;

/* Reads `size` bytes at `bytes` (which must outlive the cubin). On failure returns false and writes a one-line reason to
 * `error`; the cubin is then empty and need not be freed. */
bool ref_cubin_read(ref_cubin *cubin, const void *bytes, size_t size, char *error, size_t error_size);
void ref_cubin_free(ref_cubin *cubin);
/* Where arrays come from whose owner gives them back himself: zeros; NULL: no memory. */
typedef struct ref_cubin_memory {
  void *(*take)(void *owner, size_t count, size_t size);
  void *owner;
} ref_cubin_memory;

/* The same with such arrays: nothing is to be freed. */
bool ref_cubin_read_in(ref_cubin *cubin, const void *bytes, size_t size, const ref_cubin_memory *memory, char *error,
                       size_t error_size);
/* The symbols alone, by the first symbol table among the sections; the cubin has none yet. As ref_cubin_read. */
bool ref_cubin_read_symbols(ref_cubin *cubin, char *error, size_t error_size);

/* The first section of that name; 0 when there is none. */
uint32_t ref_cubin_find_section(const ref_cubin *cubin, const char *name);
/* Entries of a REL, RELA or resolvedrela section; a partial last entry is left out (R31). */
size_t ref_cubin_relocation_count(const ref_cubin *cubin, uint32_t section);
ref_relocation ref_cubin_relocation(const ref_cubin *cubin, uint32_t section, size_t index);
/* A string of string table section `table`; "" outside it. */
const char *ref_cubin_string(const ref_cubin *cubin, uint32_t table, uint64_t offset);
/* Words as they lie where the machine has the file's order: at once, which under a sanitizer is one check instead of eight. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint16_t ref_u16(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static inline uint32_t ref_u32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static inline uint64_t ref_u64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}
#else
static inline uint16_t ref_u16(const uint8_t *at) {
  return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t ref_u32(const uint8_t *at) {
  return (uint32_t)ref_u16(at) | (uint32_t)ref_u16(at + 2) << 16;
}

static inline uint64_t ref_u64(const uint8_t *at) {
  return (uint64_t)ref_u32(at) | (uint64_t)ref_u32(at + 4) << 32;
}
#endif

/* One of those that ref_cubin_relocation_count counts. */
static inline ref_relocation ref_cubin_entry(const ref_section *table, size_t index) {
  enum { WITHOUT_ADDEND = 9, SIZE = 16, WITH_ADDEND_SIZE = 24 };
  const bool has_addend = table->type != WITHOUT_ADDEND;
  const uint8_t *at = table->data + index * (has_addend ? WITH_ADDEND_SIZE : SIZE);
  return (ref_relocation){.offset = ref_u64(at),
                          .symbol = ref_u32(at + 12),
                          .type = ref_u32(at + 8),
                          .addend = has_addend ? (int64_t)ref_u64(at + SIZE) : 0};
}

/* Steps through a section of attribute records; start with *position = 0. False at the end or when the rest is not a record. */
static inline bool ref_cubin_next_attribute(const ref_section *section, uint64_t *position, ref_attribute *attribute) {
  const uint64_t left = *position < section->size ? section->size - *position : 0;
  if (section->data == NULL || left < 4) {
    return false;
  }
  const uint8_t *at = section->data + *position;
  const uint16_t value = ref_u16(at + 2);
  const bool sized = at[0] == 4;
  if (sized && value > left - 4) {
    return false;
  }
  attribute->format = at[0];
  attribute->code = at[1];
  attribute->size = sized ? value : 2;
  attribute->data = sized ? at + 4 : at + 2;
  attribute->offset = *position;
  *position += sized ? (uint64_t)value + 4 : 4;
  return true;
}

#endif
