/* What the bytes of an input file are, told from the file alone (C20): nothing is copied and nothing is trusted. */
#ifndef TL_INPUT_CONTENT_H
#define TL_INPUT_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tl_content {
  TL_CONTENT_EMPTY,
  TL_CONTENT_SHORT, /* 1 to 55 bytes: nvlink cannot open those */
  TL_CONTENT_DEVICE_ELF,
  TL_CONTENT_HOST_ELF, /* ELF for any other machine */
  TL_CONTENT_FATBIN,
  TL_CONTENT_PTX,
  TL_CONTENT_ARCHIVE,
  TL_CONTENT_THIN_ARCHIVE,
  TL_CONTENT_OTHER,
  TL_CONTENT_COUNT
} tl_content;

/* Whether a host object or archive carries relocatable device code (F88, F92). */
typedef enum tl_host_code { TL_HOST_CODE_NONE, TL_HOST_CODE_FOUND, TL_HOST_CODE_DAMAGED } tl_host_code;

tl_content tl_content_of(const uint8_t *bytes, size_t size);
/* NULL if header, section table, segment table and the bytes of every section lie in the file, else what is not so; nvlink
 * takes nothing else for an ELF file. `any_order`: whatever EI_DATA says (L221). Needs at least 20 bytes, as what follows
 * does: those that tl_content_of takes for ELF. */
const char *tl_content_elf_fault(const uint8_t *bytes, size_t size, bool any_order);
/* True if that finds nothing. */
bool tl_content_elf_is_whole(const uint8_t *bytes, size_t size, bool any_order);
/* Number of sections of a whole ELF file, also where e_shnum is 0 and section 0 holds it (X1). */
uint64_t tl_content_elf_section_count(const uint8_t *bytes);
/* The header of the first section from `first` on that has that name in the table that e_shstrndx names, in a whole ELF file;
 * NULL: none. */
const uint8_t *tl_content_elf_find_section(const uint8_t *bytes, size_t size, uint64_t first, const char *name);
/* Whether that many bytes at an offset lie in a file. */
bool tl_content_holds(size_t size, uint64_t offset, uint64_t length);
tl_host_code tl_content_host_object_code(const uint8_t *bytes, size_t size);
/* Of the members that nvlink comes to (input/archive.h). */
tl_host_code tl_content_archive_code(const uint8_t *bytes, size_t size);
/* True if the first member's header can be read. */
bool tl_content_thin_archive_is_whole(const uint8_t *bytes, size_t size);

#endif
