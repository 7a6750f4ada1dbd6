/* What nvlink's finalizer says of a capsule when it is admitted (L1080). It reads each as it comes, so that a type of file
 * that is not linked (L234), code of a newer Mercury than its own (L234), entries without an addend, whatever their section
 * is called (L610), and a symbol of a binding that there is not (L167) end the link before anything is known of the files
 * behind. The rest of what it looks at is seen where the file is read: nothing that nvlink would say comes in between. */
#include "input/capsule.h"

#include "base/bytes.h"
#include "cubin/elf.h"
#include "cubin/line_program.h"
#include "input/content.h"

#include <string.h>

enum { COMPAT_VERSION = 7, COMPAT_VARIANT = 9, NEWEST_VERSION = 0x0101 };

static const uint8_t *capsule_section(const uint8_t *bytes, uint64_t index) {
  return bytes + tl_get64(bytes + 40) + index * ELF_SECTION_SIZE;
}

static uint64_t capsule_index_of(const uint8_t *bytes, const uint8_t *section) {
  return (uint64_t)(section - capsule_section(bytes, 0)) / ELF_SECTION_SIZE;
}

/* NULL if its name does not end in the file. */
static const char *capsule_name(const uint8_t *bytes, size_t size, uint64_t index) {
  const uint64_t names = tl_get16(bytes + 62);
  if (names >= tl_content_elf_section_count(bytes))
    return NULL;
  const uint64_t at = tl_get64(capsule_section(bytes, names) + 24) + tl_get32(capsule_section(bytes, index));
  return at < size && memchr(bytes + at, 0, size - at) ? (const char *)bytes + at : NULL;
}

/* The first section that has type and name of .nv.compat. */
static const uint8_t *capsule_compat(const uint8_t *bytes, size_t size) {
  const uint8_t *section = tl_content_elf_find_section(bytes, size, 1, ".nv.compat");
  while (section && tl_get32(section + 4) != SHT_CUDA_COMPAT)
    section = tl_content_elf_find_section(bytes, size, capsule_index_of(bytes, section) + 1, ".nv.compat");
  return section;
}

bool tl_capsule_has_compat(const uint8_t *bytes, size_t size) {
  return capsule_compat(bytes, size) != NULL;
}

/* The last record of an attribute, whatever its format; the others are merged, and looked at there. NULL without one; `offset`
 * is the record's in the section. */
static const uint8_t *capsule_record(const uint8_t *bytes, size_t size, uint8_t code, uint64_t *offset) {
  enum { HEADER = 4, SIZED = 4 };
  const uint8_t *const compat = capsule_compat(bytes, size);
  const uint8_t *const records = compat ? bytes + tl_get64(compat + 24) : NULL;
  const uint64_t end = compat ? tl_get64(compat + 32) : 0;
  const uint8_t *last = NULL;
  for (uint64_t at = 0; end - at >= HEADER;) {
    const uint8_t *const record = records + at;
    const uint64_t length = HEADER + (record[0] == SIZED ? (uint64_t)tl_get16(record + 2) : 0);
    if (record[1] == code) {
      last = record;
      *offset = at;
    }
    if (length > end - at)
      break;
    at += length;
  }
  return last;
}

bool tl_capsule_is_newer(const uint8_t *bytes, size_t size, uint64_t *offset) {
  const uint8_t *const record = capsule_record(bytes, size, COMPAT_VERSION, offset);
  return record && tl_get16(record + 2) > NEWEST_VERSION;
}

bool tl_capsule_is_variant(const uint8_t *bytes, size_t size) {
  uint64_t offset;
  const uint8_t *const record = capsule_record(bytes, size, COMPAT_VARIANT, &offset);
  return record && record[2] != 0;
}

/* The offset in the table of the first symbol of a binding that there is not; 0: none. */
static uint64_t capsule_strange_binding(const uint8_t *bytes, const uint8_t *symbols) {
  const uint8_t *const table = bytes + tl_get64(symbols + 24);
  const uint64_t count = tl_get64(symbols + 32) / ELF_SYMBOL_SIZE;
  for (uint64_t i = 1; i < count; i++)
    if (table[i * ELF_SYMBOL_SIZE + 4] >> 4 > STB_WEAK)
      return i * ELF_SYMBOL_SIZE;
  return 0;
}

static uint64_t capsule_first_of_type(const uint8_t *bytes, uint32_t type) {
  const uint64_t count = tl_content_elf_section_count(bytes);
  for (uint64_t i = 1; i < count; i++)
    if (tl_get32(capsule_section(bytes, i) + 4) == type)
      return i;
  return 0;
}

bool tl_capsule_needs_memory(const uint8_t *bytes, size_t size, const char **section) {
  const uint64_t most = 0x80000000, count = tl_content_elf_section_count(bytes);
  for (uint64_t i = 1; i < count; i++)
    if (tl_get64(capsule_section(bytes, i) + 48) > most) {
      *section = capsule_name(bytes, size, i);
      return true;
    }
  return false;
}

bool tl_capsule_is_refused(const uint8_t *bytes, size_t size, const char **section, uint64_t *offset) {
  enum { TYPE_AT = 16 };
  const uint16_t type = tl_get16(bytes + TYPE_AT);
  *section = NULL;
  *offset = TYPE_AT;
  if (type != ET_REL && type != ET_EWP)
    return true;
  const uint64_t entries = capsule_first_of_type(bytes, SHT_REL), symbols = capsule_first_of_type(bytes, SHT_SYMTAB);
  if (tl_capsule_is_newer(bytes, size, offset)) {
    *section = ".nv.compat";
    return true;
  }
  *offset = entries || !symbols ? 0 : capsule_strange_binding(bytes, capsule_section(bytes, symbols));
  *section = capsule_name(bytes, size, entries ? entries : symbols);
  return entries || *offset;
}

/* The bytes of the first section of a name; NULL where it has none in the file. */
static const uint8_t *capsule_bytes_of(const uint8_t *bytes, size_t size, const char *name, uint64_t *length) {
  const uint8_t *const section = tl_content_elf_find_section(bytes, size, 1, name);
  *length = section ? tl_get64(section + 32) : 0;
  return section && tl_content_holds(size, tl_get64(section + 24), *length) ? bytes + tl_get64(section + 24) : NULL;
}

/* A line table's entries, by place. */
static tl_line_entries capsule_line_entries(const uint8_t *bytes, size_t size, const char *name, tl_arena *arena) {
  tl_line_entries list = {0};
  uint64_t length;
  const uint8_t *const entries = capsule_bytes_of(bytes, size, name, &length);
  for (uint64_t i = 0; entries && i < length / ELF_RELA_SIZE; i++) {
    const uint8_t *const entry = entries + i * ELF_RELA_SIZE;
    *tl_vector_push(arena, &list) = (tl_line_entry){tl_get64(entry), i, tl_get32(entry + 12)};
  }
  tl_line_sort_entries(&list);
  return list;
}

bool tl_capsule_repeats_lines(const uint8_t *bytes, size_t size, tl_arena *arena) {
  static const char *const tables[][2] = {{".nv.merc.debug_line", ".nv.merc.rela.debug_line"},
                                          {".nv.merc.nv_debug_line_sass", ".nv.merc.rela.nv_debug_line_sass"}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    uint64_t length;
    const uint8_t *const table = capsule_bytes_of(bytes, size, tables[i][0], &length);
    const tl_line_entries entries = capsule_line_entries(bytes, size, tables[i][1], arena);
    if (table && tl_line_repeats(table, length, &entries, arena))
      return true;
  }
  return false;
}
