/* R_CUDA, a row a type: relocations.md section 12. */
#ifndef REF_RELOCATION_TABLE_H
#define REF_RELOCATION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ref_kind {
  REF_KIND_NONE,
  REF_KIND_APPLY,
  REF_KIND_RUNTIME,     /* R26 */
  REF_KIND_FUNC_DESC,   /* R28a */
  REF_KIND_PC_RELATIVE, /* R25 */
  REF_KIND_YIELD,       /* R27 */
  REF_KIND_CLEAR,       /* R28 */
  REF_KIND_UNIFIED,     /* R11 */
  REF_KIND_SENTINEL     /* R29 */
} ref_kind;

/* R18: what happens with a texture, sampler or surface symbol. */
typedef enum ref_texture {
  REF_TEXTURE_KEEP,
  REF_TEXTURE_SLOT,
  REF_TEXTURE_ZERO,
  REF_TEXTURE_REFUSE,
  REF_TEXTURE_CRASH,
  REF_TEXTURE_DROP,
  REF_TEXTURE_NONE
} ref_texture;

typedef enum ref_source {
  REF_FROM_NOTHING,
  REF_FROM_ABS,
  REF_FROM_LO,
  REF_FROM_HI,
  REF_FROM_SHR2,
  REF_FROM_BANK_LO,
  REF_FROM_BANK_HI,
  REF_FROM_SLOT,
  REF_FROM_CLEAR,
  REF_FROM_BYTE0,
  REF_FROM_BYTE1,
  REF_FROM_BYTE2,
  REF_FROM_BYTE3,
  REF_FROM_BYTE4,
  REF_FROM_BYTE5,
  REF_FROM_BYTE6,
  REF_FROM_BYTE7
} ref_source;

enum { REF_RELOCATION_TYPES = 117, REF_RELOCATION_FIELDS = 3 };

typedef struct ref_field {
  uint8_t start, width;
  ref_source source;
} ref_field;

typedef struct ref_relocation_row {
  const char *name; /* of those whose values may not fit (D38) */
  ref_kind kind;
  ref_texture texture;
  ref_field fields[REF_RELOCATION_FIELDS]; /* a width of 0 ends them */
} ref_relocation_row;

extern const ref_relocation_row ref_relocation_rows[REF_RELOCATION_TYPES];
/* R_MERCURY, relocations.md section 13. */
enum { REF_MERCURY_TYPES = 65, REF_MERCURY_FIRST = 0x10000 };
/* Mercury's types that have rules of their own on the SASS side: addresses and their parts, and places in the code. */
enum {
  REF_MERCURY_32 = REF_MERCURY_FIRST + 3,
  REF_MERCURY_16 = REF_MERCURY_FIRST + 4,
  REF_MERCURY_LOW = REF_MERCURY_FIRST + 5,
  REF_MERCURY_HIGH = REF_MERCURY_FIRST + 6,
  REF_MERCURY_PLACE_64 = REF_MERCURY_FIRST + 7,
  REF_MERCURY_PLACE_32 = REF_MERCURY_FIRST + 8,
  REF_MERCURY_PLACE_32_LAST = REF_MERCURY_FIRST + 10,
  REF_MERCURY_BYTE_0 = REF_MERCURY_FIRST + 16,
  REF_MERCURY_RETURN_LOW = REF_MERCURY_FIRST + 40,
  REF_MERCURY_RETURN_HIGH = REF_MERCURY_FIRST + 41,
  REF_MERCURY_PLACE_BYTE_0 = REF_MERCURY_FIRST + 42, /* whole places are what an instruction has */
  REF_MERCURY_PLACE_BYTE_7 = REF_MERCURY_FIRST + 49,
  REF_MERCURY_UNIFIED_32 = REF_MERCURY_FIRST + 51,
  REF_MERCURY_UNIFIED_LOW = REF_MERCURY_FIRST + 62,
  REF_MERCURY_UNIFIED_HIGH = REF_MERCURY_FIRST + 63
};
extern const ref_relocation_row ref_mercury_rows[REF_MERCURY_TYPES];
/* The row of a type of either table; NULL for others. */
static inline const ref_relocation_row *ref_relocation_row_of(uint32_t type) {
  if (type < REF_RELOCATION_TYPES) {
    return &ref_relocation_rows[type];
  }
  const bool mercury = type >= REF_MERCURY_FIRST && type < REF_MERCURY_FIRST + REF_MERCURY_TYPES;
  return mercury ? &ref_mercury_rows[type - REF_MERCURY_FIRST] : NULL;
}
/* R11, U2: what a unified type becomes in an executable. */
uint32_t ref_relocation_rewrite(uint32_t type);

/* R3-R6: one field's new value. `old` is its content before, counted only for REL entries. */
uint64_t ref_field_value(const ref_field *field, uint64_t value, uint64_t old, uint32_t bank, uint64_t slot);
/* R4, R9a: bit by bit; what lies past the section's end is not touched. */
uint64_t ref_field_read(const ref_field *field, const uint8_t *bytes, size_t size, uint64_t offset);
void ref_field_write(const ref_field *field, uint8_t *bytes, size_t size, uint64_t offset, uint64_t value);

#endif
