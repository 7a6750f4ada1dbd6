/* One row a relocation type: its name, how it is treated, where its bits lie and which part of the value each takes
 * (relocations.md sections 1, 2, 12). The rows are in relocation.c; nothing else in the linker knows a type by number. */
#ifndef TL_CATALOG_RELOCATION_H
#define TL_CATALOG_RELOCATION_H

#include <stdbool.h>
#include <stdint.h>

/* Behind this type, the last of Mercury's, nvlink's look into its table can crash; before it, it finds what lies there, which
 * is of no use (D42). */
#define TL_RELOC_LARGEST_LOOKED_UP 0x10040u

/* How a type is treated when no rule for its symbol decides first (R25-R29). */
typedef enum tl_relocation_kind {
  TL_RELOC_NONE,         /* 0: no field */
  TL_RELOC_APPLY,        /* fields are written, the entry is discarded (R29) */
  TL_RELOC_RUNTIME,      /* never applied, always kept (R26) */
  TL_RELOC_PCREL,        /* 40, 41 (R25) */
  TL_RELOC_YIELD,        /* 68, 69: dropped (R27) */
  TL_RELOC_UNUSED_CLEAR, /* 72, 73 (R28) */
  TL_RELOC_FUNC_DESC,    /* 31-35, 47-49, 61-63 (R15, R28a) */
  TL_RELOC_UNIFIED,      /* 102-113: rewritten in executables (R11), else as APPLY */
  TL_RELOC_SENTINEL      /* 116: no usable descriptor (R72) */
} tl_relocation_kind;

/* What of S + A goes into a field. Adding the old field content (REL) happens before or after, as R3 says. */
typedef enum tl_value_part {
  TL_PART_ALL,      /* v */
  TL_PART_LOW,      /* v & 0xffffffff */
  TL_PART_HIGH,     /* v >> 32 */
  TL_PART_DWORD,    /* v >> 2 */
  TL_PART_BYTE,     /* (v >> shift) & 0xff */
  TL_PART_BANK,     /* constant bank of the symbol's section (R6) */
  TL_PART_BANK_TOP, /* bank >> 4 (type 24) */
  TL_PART_AUX,      /* the symbol's auxiliary word + A (R7) */
  TL_PART_ZERO      /* 0 (72, 73) */
} tl_value_part;

typedef struct tl_field {
  uint8_t start, width; /* bits from the entry's offset; width 0 ends the list */
  uint8_t part;         /* tl_value_part */
  uint8_t shift;        /* of TL_PART_BYTE */
} tl_field;

/* Effect with a texture, sampler or surface symbol (R18, column "tex"). */
typedef enum tl_texture_effect {
  TL_TEX_BINDLESS,
  TL_TEX_ZERO, /* applied with S = 0 */
  TL_TEX_KEEP,
  TL_TEX_DROP,
  TL_TEX_FATAL, /* R25 */
  TL_TEX_CRASH, /* nvlink crashes: class E, D15 */
  TL_TEX_NONE   /* kept as type 0 against symbol 0 */
} tl_texture_effect;

#define TL_RELOC_FIELDS 3

typedef struct tl_relocation_row {
  uint32_t type;
  const char *name; /* without "R_CUDA_"; NULL where no message says it */
  tl_relocation_kind kind;
  tl_field fields[TL_RELOC_FIELDS];
  tl_texture_effect texture;
  uint32_t unified_to; /* type after R11; the type itself where nothing is rewritten */
} tl_relocation_row;

#define TL_R_CUDA_COUNT 117
#define TL_R_MERCURY 0x10000u
#define TL_R_MERCURY_COUNT 65

/* Mercury's types that say a place in the code: the loader's in the Mercury view, while the SASS view has the place itself,
 * in the fields (R63, L585). */
bool tl_relocation_is_code_place(const tl_relocation_row *row);

/* The field that the addend of a REL entry stands in, also where the loader alone writes it (G32, G64); width 0: none. */
const tl_field *tl_relocation_content(const tl_relocation_row *row);

/* The type that .nv.rel.action describes, on every architecture (R55). */
enum { TL_ACTION_TYPE = 115, TL_ACTION_SIZE = 8 };
/* Writes a type's record of .nv.rel.action (R56); returns its size, 0 for a type without a field. */
uint32_t tl_relocation_action(const tl_relocation_row *row, uint8_t record[TL_ACTION_SIZE]);

/* The row of an R_CUDA type; NULL for a number outside the table. */
const tl_relocation_row *tl_relocation_find(uint32_t type);
/* The same, or the row of an R_MERCURY type in the Mercury view. */
/* That of the view; outside Mercury's, Mercury's numbers have rows without fields as far as nvlink compares with them before
 * it looks into its table (L611). */
const tl_relocation_row *tl_relocation_in_view(uint32_t type, bool mercury);

#endif
