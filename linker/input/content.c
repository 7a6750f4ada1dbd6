/* input/content.c: tells cubins, host objects, fat binaries, PTX and archives apart.
 *
 * nvlink decides by extension and content together (C20); this file answers for the content. Files of kinds that are
 * read by a later issue are looked into only far enough to know whether they carry device code, because nvcc gives the
 * linker every host object of a program and those without device code are to be ignored (N2, F88).
 *
 * Measured on a damaged cubin: nvlink takes a file for ELF only if section and segment tables and every section's bytes
 * lie inside it (tl_content_elf_is_whole); any file whose 17th and 18th byte say ET_REL is taken for a host object. */
#include "input/content.h"

#include "base/bytes.h"
#include "cubin/cubin.h"
#include "cubin/elf.h"
#include "input/archive.h"

enum {
  SHORTEST_FILE = 56,
  FATBIN_MAGIC = 0xba55ed50,
  PTX_LOOK = 4096, /* comments may stand before .version */
  AR_SIZE_AT = 48,
  AR_SIZE_DIGITS = 10,
  AR_END_AT = 58
};

static bool content_starts_with(const uint8_t *bytes, size_t size, const char *magic, size_t length) {
  return size >= length && memcmp(bytes, magic, length) == 0;
}

/* PTX is text with a .version directive near its start. */
static bool content_is_ptx(const uint8_t *bytes, size_t size) {
  static const char directive[] = ".version";
  const size_t length = sizeof directive - 1;
  const size_t look = tl_smaller(size, PTX_LOOK);
  for (size_t i = 0; i < look && bytes[i]; i++)
    if (look - i >= length && memcmp(bytes + i, directive, length) == 0)
      return true;
  return false;
}

tl_content tl_content_of(const uint8_t *bytes, size_t size) {
  if (size == 0)
    return TL_CONTENT_EMPTY;
  if (content_starts_with(bytes, size, "!<arch>\n", TL_ARCHIVE_MAGIC_SIZE))
    return TL_CONTENT_ARCHIVE; /* an empty one has 8 bytes */
  if (size < SHORTEST_FILE)
    return TL_CONTENT_SHORT;
  if (content_starts_with(bytes, size, "\177ELF", 4))
    return tl_get16(bytes + 18) == EM_CUDA ? TL_CONTENT_DEVICE_ELF : TL_CONTENT_HOST_ELF;
  if (tl_get32(bytes) == (uint32_t)FATBIN_MAGIC)
    return TL_CONTENT_FATBIN;
  if (content_starts_with(bytes, size, "!<thin>\n", TL_ARCHIVE_MAGIC_SIZE))
    return TL_CONTENT_THIN_ARCHIVE;
  return content_is_ptx(bytes, size) ? TL_CONTENT_PTX : TL_CONTENT_OTHER;
}

bool tl_content_holds(size_t size, uint64_t offset, uint64_t length) {
  return offset <= size && length <= size - offset;
}

uint64_t tl_content_elf_section_count(const uint8_t *bytes) {
  const uint16_t count = tl_get16(bytes + 60);
  return count ? count : tl_get64(bytes + tl_get64(bytes + 40) + 32);
}

/* What is wrong with the section table, or NULL. */
static const char *content_elf_sections_fault(const uint8_t *bytes, size_t size) {
  const uint64_t offset = tl_get64(bytes + 40);
  if (offset == 0)
    return "without sections: e_shoff is 0";
  if (tl_get16(bytes + 58) != ELF_SECTION_SIZE)
    return "no cubin: e_shentsize is not 64";
  if (!tl_content_holds(size, offset, ELF_SECTION_SIZE))
    return "truncated, or e_shoff lies outside the file";
  const uint64_t count = tl_content_elf_section_count(bytes);
  const bool fits = count <= size / ELF_SECTION_SIZE && tl_content_holds(size, offset, count * ELF_SECTION_SIZE);
  return fits ? NULL : "truncated, or e_shnum counts sections outside the file";
}

static const char *content_elf_segments_fault(const uint8_t *bytes, size_t size) {
  const uint64_t count = tl_get16(bytes + 56);
  if (count && tl_get16(bytes + 54) != ELF_SEGMENT_SIZE)
    return "no cubin: e_phentsize is not 56";
  const uint64_t offset = tl_get64(bytes + 32);
  if (offset > size)
    return "truncated, or e_phoff lies outside the file";
  const bool fits = count * ELF_SEGMENT_SIZE <= size - offset;
  return fits ? NULL : "truncated, or e_phnum counts segments outside the file";
}

static const char *content_elf_contents_fault(const uint8_t *bytes, size_t size) {
  const uint64_t count = tl_content_elf_section_count(bytes);
  const uint8_t *section = bytes + tl_get64(bytes + 40);
  for (uint64_t i = 0; i < count; i++, section += ELF_SECTION_SIZE) {
    const uint32_t type = tl_get32(section + 4);
    if (type != SHT_NULL && tl_section_type_is_empty(type))
      continue;
    const uint64_t offset = tl_get64(section + 24);
    if (offset > size)
      return "truncated, or the sh_offset of a section lies outside the file";
    if (tl_get64(section + 32) > size - offset)
      return "truncated, or the sh_size of a section reaches outside the file";
  }
  return NULL;
}

const char *tl_content_elf_fault(const uint8_t *bytes, size_t size, bool any_order) {
  if (size < ELF_HEADER_SIZE)
    return "truncated: shorter than its header";
  if (bytes[4] != 2)
    return "no 64-bit cubin: EI_CLASS";
  if (bytes[5] != 1 && !any_order)
    return "no 64-bit cubin: EI_DATA";
  if (!content_starts_with(bytes, size, "\177ELF", 4))
    return "no cubin";
  const char *fault = content_elf_sections_fault(bytes, size);
  fault = fault ? fault : content_elf_segments_fault(bytes, size);
  return fault ? fault : content_elf_contents_fault(bytes, size);
}

bool tl_content_elf_is_whole(const uint8_t *bytes, size_t size, bool any_order) {
  return !tl_content_elf_fault(bytes, size, any_order);
}

const uint8_t *tl_content_elf_find_section(const uint8_t *bytes, size_t size, uint64_t first, const char *name) {
  const uint8_t *const sections = bytes + tl_get64(bytes + 40);
  const uint64_t count = tl_content_elf_section_count(bytes), names = tl_get16(bytes + 62);
  const uint64_t table = names < count ? tl_get64(sections + names * ELF_SECTION_SIZE + 24) : size;
  const size_t length = strlen(name) + 1;
  if (table > size) /* of a table without bytes in the file */
    return NULL;
  for (uint64_t i = first; i < count; i++) {
    const uint8_t *const section = sections + i * ELF_SECTION_SIZE;
    const uint64_t at = table + tl_get32(section);
    if (tl_content_holds(size, at, length) && bytes[at + length / 2] == (uint8_t)name[length / 2] && /* seldom */
        memcmp(bytes + at, name, length) == 0)
      return section;
  }
  return NULL;
}

tl_host_code tl_content_host_object_code(const uint8_t *bytes, size_t size) {
  if (tl_get16(bytes + 16) != ET_REL)
    return TL_HOST_CODE_NONE;
  if (!tl_content_elf_is_whole(bytes, size, false))
    return TL_HOST_CODE_DAMAGED;
  const bool found = tl_content_elf_find_section(bytes, size, 0, "__nv_relfatbin") &&
                     tl_content_elf_find_section(bytes, size, 0, ".nvFatBinSegment");
  return found ? TL_HOST_CODE_FOUND : TL_HOST_CODE_NONE;
}

/* Whether the size of a thin archive's member is a decimal number, and the header ends as headers do. */
static bool content_header_is_whole(const uint8_t *header) {
  unsigned i = 0;
  while (i < AR_SIZE_DIGITS && header[AR_SIZE_AT + i] >= '0' && header[AR_SIZE_AT + i] <= '9')
    i++;
  bool clean = i > 0;
  for (; i < AR_SIZE_DIGITS; i++)
    clean = clean && header[AR_SIZE_AT + i] == ' ';
  return clean && header[AR_END_AT] == '`' && header[AR_END_AT + 1] == '\n';
}

bool tl_content_thin_archive_is_whole(const uint8_t *bytes, size_t size) {
  return tl_content_holds(size, TL_ARCHIVE_MAGIC_SIZE, TL_ARCHIVE_HEADER_SIZE) &&
         content_header_is_whole(bytes + TL_ARCHIVE_MAGIC_SIZE);
}

/* What it takes at most to look through an object's sections, in bytes. */
static uint64_t content_cost(const uint8_t *bytes, size_t size) {
  const uint64_t count = size >= ELF_HEADER_SIZE ? tl_get16(bytes + 60) : 0;
  return count ? tl_smaller(count * ELF_SECTION_SIZE, size) : size;
}

/* Members may share what lies behind them, as each goes up to the file's end: together they are looked through for FILES times
 * the file's size. Where that is not enough there is device code as far as anybody knows. */
tl_host_code tl_content_archive_code(const uint8_t *bytes, size_t size) {
  enum { FILES = 64 };
  tl_archive archive = tl_archive_begin(bytes, size);
  tl_archive_member member;
  uint64_t cost = 0;
  while (tl_archive_next(&archive, &member)) {
    if (tl_content_of(member.bytes, member.size) != TL_CONTENT_HOST_ELF)
      continue;
    cost += content_cost(member.bytes, member.size);
    if (cost / FILES > size || tl_content_host_object_code(member.bytes, member.size) == TL_HOST_CODE_FOUND)
      return TL_HOST_CODE_FOUND;
  }
  return TL_HOST_CODE_NONE;
}
