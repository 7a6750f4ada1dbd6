/* The names of what a cubin's numbers mean, as tables: relocation types with their fields, attributes, .nv.compat codes,
 * section types, symbol types, bindings, memory spaces, header fields. Typed from the facts (relocations.md section 12
 * and 13, cubin-format.md F20-F43, F50-F57, F64, F56-F71, attributes.md I4); shared by compare and dump.
 *
 * A lookup that finds nothing returns NULL; ref_add_* writes the number in that case, so a sentence never lacks it. */
#ifndef REF_NAMES_H
#define REF_NAMES_H

#include "ref_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of one relocation type in the little-endian word that starts at r_offset; width 0 ends the list. */
typedef struct ref_field {
  uint8_t start, width;
} ref_field;

enum { REF_FIELDS_MAX = 3 };

typedef struct ref_relocation_row {
  const char *name;
  ref_field fields[REF_FIELDS_MAX];
} ref_relocation_row;

/* How an attribute's payload reads (I4, F64). */
typedef enum ref_payload {
  REF_PAYLOAD_WORDS,        /* u32 numbers */
  REF_PAYLOAD_OFFSETS,      /* u32 instruction offsets in the owning function */
  REF_PAYLOAD_SYMBOLS,      /* u32 symbol indices */
  REF_PAYLOAD_SYMBOL_FIRST, /* u32 symbol index, then u32 numbers */
  REF_PAYLOAD_PARAM_CBANK,  /* u32 symbol index, u16 offset, u16 size */
  REF_PAYLOAD_KPARAM,       /* u32 index, u16 ordinal, u16 offset, u32 packed */
  REF_PAYLOAD_KPARAM_V2     /* u32 index, u16 ordinal, u16 offset, u32 size */
} ref_payload;

typedef struct ref_attribute_row {
  const char *name;
  ref_payload payload;
} ref_attribute_row;

/* One field of a fixed record: ELF header, section header, program header. `key` is its name in difference keys. */
typedef struct ref_record_field {
  const char *key, *words;
  uint8_t offset, width;
} ref_record_field;

extern const ref_record_field ref_header_fields[];  /* ends with width 0 */
extern const ref_record_field ref_section_fields[]; /* ends with width 0 */
extern const ref_record_field ref_segment_fields[]; /* ends with width 0 */
extern const ref_record_field ref_symbol_fields[];  /* ends with width 0 */

/* R_CUDA 0..116; NULL for others. */
const ref_relocation_row *ref_find_relocation_row(uint32_t type);
/* EIATTR 0x00..0x6d; NULL for others. */
const ref_attribute_row *ref_find_attribute_row(uint8_t code);
const char *ref_find_compat_name(uint8_t code);

void ref_add_relocation_type(ref_text *text, uint32_t type);
void ref_add_attribute_name(ref_text *text, uint8_t code);
void ref_add_compat_name(ref_text *text, uint8_t code);
void ref_add_section_type(ref_text *text, uint32_t type);
void ref_add_section_flags(ref_text *text, uint64_t flags);
void ref_add_symbol_type(ref_text *text, uint8_t info);
void ref_add_binding(ref_text *text, uint8_t info);
void ref_add_symbol_other(ref_text *text, uint8_t other, bool is_function);
void ref_add_segment_type(ref_text *text, uint32_t type);
void ref_add_segment_flags(ref_text *text, uint32_t flags);
void ref_add_file_type(ref_text *text, uint16_t type);
/* A little-endian number of 1, 2, 4 or 8 bytes. */
uint64_t ref_read_field(const uint8_t *at, uint8_t width);

#endif
