/* catalog/relocation.c: the 117 R_CUDA types, one row a type, in the order of their numbers (relocations.md section 12).
 *
 * A field stands as PART(start, width): what part of the value, and which bits of the little-endian data at the entry's
 * offset. Fields were measured with one-bit probes and 8,400 random links. Types that nvlink never applies (R26, R15,
 * R27) have no field here: their bits cannot be observed, so nothing may depend on them; 40 and 41 have one because of
 * D61. UNIFIED rows name the type that R11 makes of them. A type has its name where a message can say it (T8: a first field
 * that a value may not fit), the others' stand beside them. "seen": ptxas 13.0.88 emitted the type in the test inputs. */
#include "catalog/relocation.h"

#include <stddef.h>

#define FIELD(start, width, part, shift) {start, width, part, shift}
#define V(start, width) FIELD(start, width, TL_PART_ALL, 0)
#define LOW(start, width) FIELD(start, width, TL_PART_LOW, 0)
#define HIGH(start, width) FIELD(start, width, TL_PART_HIGH, 0)
#define DWORD(start, width) FIELD(start, width, TL_PART_DWORD, 0)
#define BYTE(start, width, shift) FIELD(start, width, TL_PART_BYTE, shift)
#define BANK(start, width) FIELD(start, width, TL_PART_BANK, 0)
#define BANK_TOP(start, width) FIELD(start, width, TL_PART_BANK_TOP, 0)
#define AUX(start, width) FIELD(start, width, TL_PART_AUX, 0)
#define ZERO(start, width) FIELD(start, width, TL_PART_ZERO, 0)
#define NO_FIELD FIELD(0, 0, TL_PART_ALL, 0)

#define ROW(type, name, kind, texture, ...)                                                                            \
  [type] = {type, name, TL_RELOC_##kind, {__VA_ARGS__}, TL_TEX_##texture, type}
#define UNIFIED(type, name, to, ...) [type] = {type, name, TL_RELOC_UNIFIED, {__VA_ARGS__}, TL_TEX_KEEP, to}

/* clang-format off */
static const tl_relocation_row rows[TL_R_CUDA_COUNT] = {
  ROW(0, NULL, NONE, KEEP, NO_FIELD), /* NONE */
  ROW(1, "32", APPLY, KEEP, V(0, 32)), /* seen */
  ROW(2, NULL, APPLY, KEEP, V(0, 64)), /* 64, seen */
  ROW(3, NULL, RUNTIME, KEEP, NO_FIELD), /* G32 */
  ROW(4, NULL, RUNTIME, KEEP, NO_FIELD), /* G64, seen */
  ROW(5, "ABS32_26", APPLY, BINDLESS, V(26, 32)),
  ROW(6, NULL, RUNTIME, KEEP, NO_FIELD), /* TEX_HEADER_INDEX, seen */
  ROW(7, NULL, RUNTIME, KEEP, NO_FIELD), /* SAMP_HEADER_INDEX, seen */
  ROW(8, NULL, RUNTIME, KEEP, NO_FIELD), /* SURF_HW_DESC */
  ROW(9, NULL, RUNTIME, KEEP, NO_FIELD), /* SURF_HW_SW_DESC */
  ROW(10, NULL, APPLY, KEEP, LOW(26, 32)), /* ABS32_LO_26 */
  ROW(11, NULL, APPLY, KEEP, HIGH(26, 32)), /* ABS32_HI_26 */
  ROW(12, "ABS32_23", APPLY, BINDLESS, V(23, 32)),
  ROW(13, NULL, APPLY, KEEP, LOW(23, 32)), /* ABS32_LO_23 */
  ROW(14, NULL, APPLY, KEEP, HIGH(23, 32)), /* ABS32_HI_23 */
  ROW(15, "ABS24_26", APPLY, ZERO, V(26, 24)),
  ROW(16, "ABS24_23", APPLY, ZERO, V(23, 24)),
  ROW(17, "ABS16_26", APPLY, BINDLESS, V(26, 16)),
  ROW(18, "ABS16_23", APPLY, BINDLESS, V(23, 16)),
  ROW(19, NULL, APPLY, ZERO, AUX(32, 8)), /* TEX_SLOT */
  ROW(20, NULL, APPLY, ZERO, AUX(40, 5)), /* SAMP_SLOT */
  ROW(21, NULL, APPLY, ZERO, AUX(26, 6)), /* SURF_SLOT */
  ROW(22, "TEX_BINDLESSOFF13_32", APPLY, BINDLESS, DWORD(32, 13)),
  ROW(23, "TEX_BINDLESSOFF13_47", APPLY, BINDLESS, DWORD(47, 13)),
  ROW(24, "CONST_FIELD19_28", APPLY, BINDLESS, DWORD(28, 14), BANK(42, 4), BANK_TOP(26, 1)),
  ROW(25, "CONST_FIELD19_23", APPLY, BINDLESS, DWORD(23, 14), BANK(37, 5)),
  ROW(26, NULL, APPLY, ZERO, AUX(49, 9)), /* TEX_SLOT9_49 */
  ROW(27, "6_31", APPLY, ZERO, V(31, 6)),
  ROW(28, "2_47", APPLY, ZERO, V(47, 2)),
  ROW(29, "TEX_BINDLESSOFF13_41", APPLY, BINDLESS, DWORD(41, 13)),
  ROW(30, "TEX_BINDLESSOFF13_45", APPLY, BINDLESS, DWORD(45, 13)),
  ROW(31, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_23 */
  ROW(32, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_LO_23 */
  ROW(33, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_HI_23 */
  ROW(34, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC_32 */
  ROW(35, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC_64 */
  ROW(36, "CONST_FIELD21_26", APPLY, ZERO, V(26, 16), BANK(42, 5)),
  ROW(37, "QUERY_DESC21_37", APPLY, ZERO, V(37, 16), BANK(53, 5)),
  ROW(38, "CONST_FIELD19_26", APPLY, BINDLESS, DWORD(26, 14), BANK(40, 5)),
  ROW(39, "CONST_FIELD21_23", APPLY, BINDLESS, V(23, 16), BANK(39, 5)),
  ROW(40, "PCREL_IMM24_26", PCREL, FATAL, V(26, 24)),
  ROW(41, "PCREL_IMM24_23", PCREL, FATAL, V(23, 24)),
  ROW(42, "ABS32_20", APPLY, BINDLESS, V(20, 32)),
  ROW(43, NULL, APPLY, KEEP, LOW(20, 32)), /* ABS32_LO_20 */
  ROW(44, NULL, APPLY, KEEP, HIGH(20, 32)), /* ABS32_HI_20 */
  ROW(45, "ABS24_20", APPLY, ZERO, V(20, 24)),
  ROW(46, "ABS16_20", APPLY, BINDLESS, V(20, 16)),
  ROW(47, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_20 */
  ROW(48, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_LO_20 */
  ROW(49, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_HI_20 */
  ROW(50, "CONST_FIELD19_20", APPLY, BINDLESS, DWORD(20, 14), BANK(34, 5)),
  ROW(51, "BINDLESSOFF13_36", APPLY, BINDLESS, DWORD(36, 13)),
  ROW(52, NULL, RUNTIME, KEEP, NO_FIELD), /* SURF_HEADER_INDEX, seen */
  ROW(53, NULL, RUNTIME, KEEP, NO_FIELD), /* INSTRUCTION64 */
  ROW(54, "CONST_FIELD21_20", APPLY, BINDLESS, V(20, 16), BANK(36, 5)),
  ROW(55, "ABS32_32", APPLY, BINDLESS, V(32, 32)), /* seen */
  ROW(56, NULL, APPLY, KEEP, LOW(32, 32)), /* ABS32_LO_32, seen */
  ROW(57, NULL, APPLY, KEEP, HIGH(32, 32)), /* ABS32_HI_32, seen */
  ROW(58, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS47_34, seen */
  ROW(59, "ABS16_32", APPLY, BINDLESS, V(32, 16)), /* seen */
  ROW(60, "ABS24_32", APPLY, ZERO, V(32, 24)),
  ROW(61, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_32 */
  ROW(62, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_LO_32 */
  ROW(63, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC32_HI_32 */
  ROW(64, "CONST_FIELD19_40", APPLY, BINDLESS, DWORD(40, 14), BANK(54, 5)), /* seen */
  ROW(65, "BINDLESSOFF14_40", APPLY, BINDLESS, DWORD(40, 14)), /* seen */
  ROW(66, "CONST_FIELD21_38", APPLY, BINDLESS, V(38, 16), BANK(54, 5)), /* seen */
  ROW(67, NULL, RUNTIME, KEEP, NO_FIELD), /* INSTRUCTION128 */
  ROW(68, NULL, YIELD, DROP, NO_FIELD), /* YIELD_OPCODE9_0 */
  ROW(69, NULL, YIELD, DROP, NO_FIELD), /* YIELD_CLEAR_PRED4_87 */
  ROW(70, NULL, APPLY, KEEP, LOW(0, 32)), /* 32_LO */
  ROW(71, NULL, APPLY, KEEP, HIGH(0, 32)), /* 32_HI */
  ROW(72, NULL, UNUSED_CLEAR, NONE, ZERO(0, 32)), /* UNUSED_CLEAR32 */
  ROW(73, NULL, UNUSED_CLEAR, NONE, ZERO(0, 64)), /* UNUSED_CLEAR64, seen */
  ROW(74, "ABS24_40", APPLY, ZERO, V(40, 24)), /* seen */
  ROW(75, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS55_16_34, seen */
  ROW(76, NULL, APPLY, KEEP, BYTE(0, 8, 0)), /* 8_0 */
  ROW(77, NULL, APPLY, KEEP, BYTE(0, 8, 8)), /* 8_8 */
  ROW(78, NULL, APPLY, KEEP, BYTE(0, 8, 16)), /* 8_16 */
  ROW(79, NULL, APPLY, KEEP, BYTE(0, 8, 24)), /* 8_24 */
  ROW(80, NULL, APPLY, KEEP, BYTE(0, 8, 32)), /* 8_32 */
  ROW(81, NULL, APPLY, KEEP, BYTE(0, 8, 40)), /* 8_40 */
  ROW(82, NULL, APPLY, KEEP, BYTE(0, 8, 48)), /* 8_48 */
  ROW(83, NULL, APPLY, KEEP, BYTE(0, 8, 56)), /* 8_56 */
  ROW(84, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_0, seen */
  ROW(85, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_8, seen */
  ROW(86, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_16, seen */
  ROW(87, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_24, seen */
  ROW(88, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_32, seen */
  ROW(89, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_40, seen */
  ROW(90, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_48, seen */
  ROW(91, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_56, seen */
  ROW(92, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_0 */
  ROW(93, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_8 */
  ROW(94, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_16 */
  ROW(95, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_24 */
  ROW(96, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_32 */
  ROW(97, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_40 */
  ROW(98, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_48 */
  ROW(99, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_56 */
  ROW(100, "ABS20_44", APPLY, ZERO, V(44, 20)),
  ROW(101, NULL, RUNTIME, KEEP, NO_FIELD), /* SAMP_HEADER_INDEX_0, seen */
  UNIFIED(102, NULL, 2, V(0, 64)), /* UNIFIED, seen */
  UNIFIED(103, "UNIFIED_32", 1, V(0, 32)),
  UNIFIED(104, NULL, 76, BYTE(0, 8, 0)), /* UNIFIED_8_0, seen */
  UNIFIED(105, NULL, 77, BYTE(0, 8, 8)), /* UNIFIED_8_8, seen */
  UNIFIED(106, NULL, 78, BYTE(0, 8, 16)), /* UNIFIED_8_16, seen */
  UNIFIED(107, NULL, 79, BYTE(0, 8, 24)), /* UNIFIED_8_24, seen */
  UNIFIED(108, NULL, 80, BYTE(0, 8, 32)), /* UNIFIED_8_32, seen */
  UNIFIED(109, NULL, 81, BYTE(0, 8, 40)), /* UNIFIED_8_40, seen */
  UNIFIED(110, NULL, 82, BYTE(0, 8, 48)), /* UNIFIED_8_48, seen */
  UNIFIED(111, NULL, 83, BYTE(0, 8, 56)), /* UNIFIED_8_56, seen */
  UNIFIED(112, NULL, 56, LOW(32, 32)), /* UNIFIED32_LO_32, seen */
  UNIFIED(113, NULL, 57, HIGH(32, 32)), /* UNIFIED32_HI_32, seen */
  ROW(114, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS56_16_34, seen */
  ROW(115, "CONST_FIELD22_37", APPLY, BINDLESS, V(37, 17), BANK(54, 5)), /* seen */
  ROW(116, NULL, SENTINEL, KEEP, NO_FIELD), /* NONE_LAST */
};
/* clang-format on */

/* The types of the Mercury view, numbered from 0x10000 (R62, relocations.md section 13). Only absolute values and bytes are
 * applied; the rest reaches the output and is the finalizer's or the driver's. */
#define MERCURY(type, name, kind, texture, ...)                                                                        \
  [type] = {TL_R_MERCURY + type, name, TL_RELOC_##kind, {__VA_ARGS__}, TL_TEX_##texture, TL_R_MERCURY + type}
#define MERCURY_UNIFIED(type, name, to, ...)                                                                           \
  [type] = {TL_R_MERCURY + type, name, TL_RELOC_UNIFIED, {__VA_ARGS__}, TL_TEX_KEEP, TL_R_MERCURY + to}

/* clang-format off */
static const tl_relocation_row mercury_rows[TL_R_MERCURY_COUNT] = {
  MERCURY(0, NULL, NONE, KEEP, NO_FIELD), /* NONE */
  MERCURY(1, NULL, RUNTIME, KEEP, NO_FIELD), /* G64 */
  MERCURY(2, NULL, APPLY, KEEP, V(0, 64)), /* ABS64 */
  MERCURY(3, "ABS32", APPLY, BINDLESS, V(0, 32)),
  MERCURY(4, "ABS16", APPLY, BINDLESS, V(0, 16)),
  MERCURY(5, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS32_LO */
  MERCURY(6, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS32_HI */
  MERCURY(7, NULL, RUNTIME, KEEP, V(0, 64)), /* PROG_REL64 */
  MERCURY(8, "PROG_REL32", RUNTIME, KEEP, V(0, 32)),
  MERCURY(9, "PROG_REL32_LO", RUNTIME, KEEP, V(0, 32)),
  MERCURY(10, "PROG_REL32_HI", RUNTIME, KEEP, V(0, 32)),
  MERCURY(11, NULL, RUNTIME, KEEP, NO_FIELD), /* TEX_HEADER_INDEX */
  MERCURY(12, NULL, RUNTIME, KEEP, NO_FIELD), /* SAMP_HEADER_INDEX */
  MERCURY(13, NULL, RUNTIME, KEEP, NO_FIELD), /* SURF_HEADER_INDEX */
  MERCURY(14, NULL, UNUSED_CLEAR, NONE, ZERO(0, 64)), /* UNUSED_CLEAR64 */
  MERCURY(15, NULL, FUNC_DESC, CRASH, NO_FIELD), /* FUNC_DESC_64 */
  MERCURY(16, NULL, APPLY, KEEP, BYTE(0, 8, 0)), /* 8_0 */
  MERCURY(17, NULL, APPLY, KEEP, BYTE(0, 8, 8)), /* 8_8 */
  MERCURY(18, NULL, APPLY, KEEP, BYTE(0, 8, 16)), /* 8_16 */
  MERCURY(19, NULL, APPLY, KEEP, BYTE(0, 8, 24)), /* 8_24 */
  MERCURY(20, NULL, APPLY, KEEP, BYTE(0, 8, 32)), /* 8_32 */
  MERCURY(21, NULL, APPLY, KEEP, BYTE(0, 8, 40)), /* 8_40 */
  MERCURY(22, NULL, APPLY, KEEP, BYTE(0, 8, 48)), /* 8_48 */
  MERCURY(23, NULL, APPLY, KEEP, BYTE(0, 8, 56)), /* 8_56 */
  MERCURY(24, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_0 */
  MERCURY(25, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_8 */
  MERCURY(26, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_16 */
  MERCURY(27, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_24 */
  MERCURY(28, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_32 */
  MERCURY(29, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_40 */
  MERCURY(30, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_48 */
  MERCURY(31, NULL, RUNTIME, KEEP, NO_FIELD), /* G8_56 */
  MERCURY(32, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_0 */
  MERCURY(33, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_8 */
  MERCURY(34, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_16 */
  MERCURY(35, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_24 */
  MERCURY(36, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_32 */
  MERCURY(37, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_40 */
  MERCURY(38, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_48 */
  MERCURY(39, NULL, RUNTIME, KEEP, NO_FIELD), /* FUNC_DESC_8_56 */
  MERCURY(40, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS_PROG_REL32_LO */
  MERCURY(41, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS_PROG_REL32_HI */
  MERCURY(42, NULL, RUNTIME, KEEP, BYTE(0, 8, 0)), /* PROG_REL8_0 */
  MERCURY(43, NULL, RUNTIME, KEEP, BYTE(0, 8, 8)), /* PROG_REL8_8 */
  MERCURY(44, NULL, RUNTIME, KEEP, BYTE(0, 8, 16)), /* PROG_REL8_16 */
  MERCURY(45, NULL, RUNTIME, KEEP, BYTE(0, 8, 24)), /* PROG_REL8_24 */
  MERCURY(46, NULL, RUNTIME, KEEP, BYTE(0, 8, 32)), /* PROG_REL8_32 */
  MERCURY(47, NULL, RUNTIME, KEEP, BYTE(0, 8, 40)), /* PROG_REL8_40 */
  MERCURY(48, NULL, RUNTIME, KEEP, BYTE(0, 8, 48)), /* PROG_REL8_48 */
  MERCURY(49, NULL, RUNTIME, KEEP, BYTE(0, 8, 56)), /* PROG_REL8_56 */
  MERCURY_UNIFIED(50, NULL, 2, V(0, 64)), /* UNIFIED */
  MERCURY_UNIFIED(51, "UNIFIED_32", 3, V(0, 32)),
  MERCURY_UNIFIED(52, NULL, 16, BYTE(0, 8, 0)), /* UNIFIED_8_0 */
  MERCURY_UNIFIED(53, NULL, 17, BYTE(0, 8, 8)), /* UNIFIED_8_8 */
  MERCURY_UNIFIED(54, NULL, 18, BYTE(0, 8, 16)), /* UNIFIED_8_16 */
  MERCURY_UNIFIED(55, NULL, 19, BYTE(0, 8, 24)), /* UNIFIED_8_24 */
  MERCURY_UNIFIED(56, NULL, 20, BYTE(0, 8, 32)), /* UNIFIED_8_32 */
  MERCURY_UNIFIED(57, NULL, 21, BYTE(0, 8, 40)), /* UNIFIED_8_40 */
  MERCURY_UNIFIED(58, NULL, 22, BYTE(0, 8, 48)), /* UNIFIED_8_48 */
  MERCURY_UNIFIED(59, NULL, 23, BYTE(0, 8, 56)), /* UNIFIED_8_56 */
  MERCURY(60, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS_PROG_REL32 */
  MERCURY(61, NULL, RUNTIME, KEEP, NO_FIELD), /* ABS_PROG_REL64 */
  MERCURY_UNIFIED(62, NULL, 5, NO_FIELD), /* UNIFIED32_LO */
  MERCURY_UNIFIED(63, NULL, 6, NO_FIELD), /* UNIFIED32_HI */
  MERCURY(64, NULL, NONE, KEEP, NO_FIELD), /* NONE_LAST */
};

/* L611: Mercury's numbers that mean something before a table is looked into, which finds no fields for them. */
static const tl_relocation_row compared_rows[TL_R_MERCURY_COUNT] = {
  MERCURY(3, NULL, SENTINEL, BINDLESS, NO_FIELD), /* ABS32 */
  MERCURY(4, NULL, SENTINEL, BINDLESS, NO_FIELD), /* ABS16 */
  MERCURY(14, NULL, UNUSED_CLEAR, NONE, NO_FIELD), /* UNUSED_CLEAR64 */
  MERCURY_UNIFIED(50, NULL, 2, NO_FIELD), /* UNIFIED */
  MERCURY_UNIFIED(51, NULL, 3, NO_FIELD), /* UNIFIED_32 */
  MERCURY_UNIFIED(52, NULL, 16, NO_FIELD), /* UNIFIED_8_0 */
  MERCURY_UNIFIED(53, NULL, 17, NO_FIELD), /* UNIFIED_8_8 */
  MERCURY_UNIFIED(54, NULL, 18, NO_FIELD), /* UNIFIED_8_16 */
  MERCURY_UNIFIED(55, NULL, 19, NO_FIELD), /* UNIFIED_8_24 */
  MERCURY_UNIFIED(56, NULL, 20, NO_FIELD), /* UNIFIED_8_32 */
  MERCURY_UNIFIED(57, NULL, 21, NO_FIELD), /* UNIFIED_8_40 */
  MERCURY_UNIFIED(58, NULL, 22, NO_FIELD), /* UNIFIED_8_48 */
  MERCURY_UNIFIED(59, NULL, 23, NO_FIELD), /* UNIFIED_8_56 */
  MERCURY_UNIFIED(62, NULL, 5, NO_FIELD), /* UNIFIED32_LO */
  MERCURY_UNIFIED(63, NULL, 6, NO_FIELD), /* UNIFIED32_HI */
};
/* clang-format on */

bool tl_relocation_is_code_place(const tl_relocation_row *row) {
  return row && row->kind == TL_RELOC_RUNTIME && row->fields[0].width;
}

const tl_field *tl_relocation_content(const tl_relocation_row *row) {
  enum { G32 = 3, G64 = 4 };
  static const tl_field loaders[] = {FIELD(0, 32, TL_PART_ALL, 0), FIELD(0, 64, TL_PART_ALL, 0)};
  if (row->type == G32 || row->type == G64)
    return &loaders[row->type - G32];
  return &row->fields[0];
}

/* {group, shift, 0, width and start of the first field, 0, width and start of the second one}: a field's group is the number
 * of the byte that it takes, and its shift 2 where it counts in words. */
uint32_t tl_relocation_action(const tl_relocation_row *row, uint8_t record[TL_ACTION_SIZE]) {
  const tl_field *const first = &row->fields[0], *const second = &row->fields[1];
  if (first->width == 0)
    return 0;
  record[0] = first->part == TL_PART_BYTE ? first->shift / 8 : 0;
  record[1] = first->part == TL_PART_DWORD ? 2 : 0;
  record[2] = record[5] = 0;
  record[3] = first->width;
  record[4] = first->start;
  record[6] = second->width;
  record[7] = second->start;
  return TL_ACTION_SIZE;
}

const tl_relocation_row *tl_relocation_find(uint32_t type) {
  return type < TL_R_CUDA_COUNT ? &rows[type] : NULL;
}

static const tl_relocation_row *relocation_compared(uint32_t type) {
  const bool mercury = type >= TL_R_MERCURY && type < TL_R_MERCURY + TL_R_MERCURY_COUNT;
  const tl_relocation_row *const row = mercury ? &compared_rows[type - TL_R_MERCURY] : NULL;
  return row && row->unified_to ? row : NULL;
}

const tl_relocation_row *tl_relocation_in_view(uint32_t type, bool mercury) {
  const tl_relocation_row *const row = tl_relocation_find(type);
  if (!mercury)
    return row ? row : relocation_compared(type);
  if (type == 0)
    return &mercury_rows[0];
  return type > TL_R_MERCURY && type < TL_R_MERCURY + TL_R_MERCURY_COUNT ? &mercury_rows[type - TL_R_MERCURY] : NULL;
}
