/* catalog/relocation.c: the 117 R_CUDA types, one row a type, in the order of their numbers (relocations.md section 12).
 *
 * A field stands as PART(start, width): what part of the value, and which bits of the little-endian data at the entry's
 * offset. Fields were measured with one-bit probes and 8,400 random links. Types that nvlink never applies (R26, R15,
 * R27) have no field here: their bits cannot be observed, so nothing may depend on them; 40 and 41 have one because of
 * D61. UNIFIED rows name the type that R11 makes of them. "seen": ptxas 13.0.88 emitted the type in the test inputs. */
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
  ROW(0, "NONE", NONE, KEEP, NO_FIELD),
  ROW(1, "32", APPLY, KEEP, V(0, 32)), /* seen */
  ROW(2, "64", APPLY, KEEP, V(0, 64)), /* seen */
  ROW(3, "G32", RUNTIME, KEEP, NO_FIELD),
  ROW(4, "G64", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(5, "ABS32_26", APPLY, BINDLESS, V(26, 32)),
  ROW(6, "TEX_HEADER_INDEX", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(7, "SAMP_HEADER_INDEX", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(8, "SURF_HW_DESC", RUNTIME, KEEP, NO_FIELD),
  ROW(9, "SURF_HW_SW_DESC", RUNTIME, KEEP, NO_FIELD),
  ROW(10, "ABS32_LO_26", APPLY, KEEP, LOW(26, 32)),
  ROW(11, "ABS32_HI_26", APPLY, KEEP, HIGH(26, 32)),
  ROW(12, "ABS32_23", APPLY, BINDLESS, V(23, 32)),
  ROW(13, "ABS32_LO_23", APPLY, KEEP, LOW(23, 32)),
  ROW(14, "ABS32_HI_23", APPLY, KEEP, HIGH(23, 32)),
  ROW(15, "ABS24_26", APPLY, ZERO, V(26, 24)),
  ROW(16, "ABS24_23", APPLY, ZERO, V(23, 24)),
  ROW(17, "ABS16_26", APPLY, BINDLESS, V(26, 16)),
  ROW(18, "ABS16_23", APPLY, BINDLESS, V(23, 16)),
  ROW(19, "TEX_SLOT", APPLY, ZERO, AUX(32, 8)),
  ROW(20, "SAMP_SLOT", APPLY, ZERO, AUX(40, 5)),
  ROW(21, "SURF_SLOT", APPLY, ZERO, AUX(26, 6)),
  ROW(22, "TEX_BINDLESSOFF13_32", APPLY, BINDLESS, DWORD(32, 13)),
  ROW(23, "TEX_BINDLESSOFF13_47", APPLY, BINDLESS, DWORD(47, 13)),
  ROW(24, "CONST_FIELD19_28", APPLY, BINDLESS, DWORD(28, 14), BANK(42, 4), BANK_TOP(26, 1)),
  ROW(25, "CONST_FIELD19_23", APPLY, BINDLESS, DWORD(23, 14), BANK(37, 5)),
  ROW(26, "TEX_SLOT9_49", APPLY, ZERO, AUX(49, 9)),
  ROW(27, "6_31", APPLY, ZERO, V(31, 6)),
  ROW(28, "2_47", APPLY, ZERO, V(47, 2)),
  ROW(29, "TEX_BINDLESSOFF13_41", APPLY, BINDLESS, DWORD(41, 13)),
  ROW(30, "TEX_BINDLESSOFF13_45", APPLY, BINDLESS, DWORD(45, 13)),
  ROW(31, "FUNC_DESC32_23", FUNC_DESC, CRASH, NO_FIELD),
  ROW(32, "FUNC_DESC32_LO_23", FUNC_DESC, CRASH, NO_FIELD),
  ROW(33, "FUNC_DESC32_HI_23", FUNC_DESC, CRASH, NO_FIELD),
  ROW(34, "FUNC_DESC_32", FUNC_DESC, CRASH, NO_FIELD),
  ROW(35, "FUNC_DESC_64", FUNC_DESC, CRASH, NO_FIELD),
  ROW(36, "CONST_FIELD21_26", APPLY, ZERO, V(26, 16), BANK(42, 5)),
  ROW(37, "QUERY_DESC21_37", APPLY, ZERO, V(37, 16), BANK(53, 5)),
  ROW(38, "CONST_FIELD19_26", APPLY, BINDLESS, DWORD(26, 14), BANK(40, 5)),
  ROW(39, "CONST_FIELD21_23", APPLY, BINDLESS, V(23, 16), BANK(39, 5)),
  ROW(40, "PCREL_IMM24_26", PCREL, FATAL, V(26, 24)),
  ROW(41, "PCREL_IMM24_23", PCREL, FATAL, V(23, 24)),
  ROW(42, "ABS32_20", APPLY, BINDLESS, V(20, 32)),
  ROW(43, "ABS32_LO_20", APPLY, KEEP, LOW(20, 32)),
  ROW(44, "ABS32_HI_20", APPLY, KEEP, HIGH(20, 32)),
  ROW(45, "ABS24_20", APPLY, ZERO, V(20, 24)),
  ROW(46, "ABS16_20", APPLY, BINDLESS, V(20, 16)),
  ROW(47, "FUNC_DESC32_20", FUNC_DESC, CRASH, NO_FIELD),
  ROW(48, "FUNC_DESC32_LO_20", FUNC_DESC, CRASH, NO_FIELD),
  ROW(49, "FUNC_DESC32_HI_20", FUNC_DESC, CRASH, NO_FIELD),
  ROW(50, "CONST_FIELD19_20", APPLY, BINDLESS, DWORD(20, 14), BANK(34, 5)),
  ROW(51, "BINDLESSOFF13_36", APPLY, BINDLESS, DWORD(36, 13)),
  ROW(52, "SURF_HEADER_INDEX", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(53, "INSTRUCTION64", RUNTIME, KEEP, NO_FIELD),
  ROW(54, "CONST_FIELD21_20", APPLY, BINDLESS, V(20, 16), BANK(36, 5)),
  ROW(55, "ABS32_32", APPLY, BINDLESS, V(32, 32)), /* seen */
  ROW(56, "ABS32_LO_32", APPLY, KEEP, LOW(32, 32)), /* seen */
  ROW(57, "ABS32_HI_32", APPLY, KEEP, HIGH(32, 32)), /* seen */
  ROW(58, "ABS47_34", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(59, "ABS16_32", APPLY, BINDLESS, V(32, 16)), /* seen */
  ROW(60, "ABS24_32", APPLY, ZERO, V(32, 24)),
  ROW(61, "FUNC_DESC32_32", FUNC_DESC, CRASH, NO_FIELD),
  ROW(62, "FUNC_DESC32_LO_32", FUNC_DESC, CRASH, NO_FIELD),
  ROW(63, "FUNC_DESC32_HI_32", FUNC_DESC, CRASH, NO_FIELD),
  ROW(64, "CONST_FIELD19_40", APPLY, BINDLESS, DWORD(40, 14), BANK(54, 5)), /* seen */
  ROW(65, "BINDLESSOFF14_40", APPLY, BINDLESS, DWORD(40, 14)), /* seen */
  ROW(66, "CONST_FIELD21_38", APPLY, BINDLESS, V(38, 16), BANK(54, 5)), /* seen */
  ROW(67, "INSTRUCTION128", RUNTIME, KEEP, NO_FIELD),
  ROW(68, "YIELD_OPCODE9_0", YIELD, DROP, NO_FIELD),
  ROW(69, "YIELD_CLEAR_PRED4_87", YIELD, DROP, NO_FIELD),
  ROW(70, "32_LO", APPLY, KEEP, LOW(0, 32)),
  ROW(71, "32_HI", APPLY, KEEP, HIGH(0, 32)),
  ROW(72, "UNUSED_CLEAR32", UNUSED_CLEAR, NONE, ZERO(0, 32)),
  ROW(73, "UNUSED_CLEAR64", UNUSED_CLEAR, NONE, ZERO(0, 64)), /* seen */
  ROW(74, "ABS24_40", APPLY, ZERO, V(40, 24)), /* seen */
  ROW(75, "ABS55_16_34", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(76, "8_0", APPLY, KEEP, BYTE(0, 8, 0)),
  ROW(77, "8_8", APPLY, KEEP, BYTE(0, 8, 8)),
  ROW(78, "8_16", APPLY, KEEP, BYTE(0, 8, 16)),
  ROW(79, "8_24", APPLY, KEEP, BYTE(0, 8, 24)),
  ROW(80, "8_32", APPLY, KEEP, BYTE(0, 8, 32)),
  ROW(81, "8_40", APPLY, KEEP, BYTE(0, 8, 40)),
  ROW(82, "8_48", APPLY, KEEP, BYTE(0, 8, 48)),
  ROW(83, "8_56", APPLY, KEEP, BYTE(0, 8, 56)),
  ROW(84, "G8_0", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(85, "G8_8", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(86, "G8_16", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(87, "G8_24", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(88, "G8_32", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(89, "G8_40", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(90, "G8_48", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(91, "G8_56", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(92, "FUNC_DESC_8_0", RUNTIME, KEEP, NO_FIELD),
  ROW(93, "FUNC_DESC_8_8", RUNTIME, KEEP, NO_FIELD),
  ROW(94, "FUNC_DESC_8_16", RUNTIME, KEEP, NO_FIELD),
  ROW(95, "FUNC_DESC_8_24", RUNTIME, KEEP, NO_FIELD),
  ROW(96, "FUNC_DESC_8_32", RUNTIME, KEEP, NO_FIELD),
  ROW(97, "FUNC_DESC_8_40", RUNTIME, KEEP, NO_FIELD),
  ROW(98, "FUNC_DESC_8_48", RUNTIME, KEEP, NO_FIELD),
  ROW(99, "FUNC_DESC_8_56", RUNTIME, KEEP, NO_FIELD),
  ROW(100, "ABS20_44", APPLY, ZERO, V(44, 20)),
  ROW(101, "SAMP_HEADER_INDEX_0", RUNTIME, KEEP, NO_FIELD), /* seen */
  UNIFIED(102, "UNIFIED", 2, V(0, 64)), /* seen */
  UNIFIED(103, "UNIFIED_32", 1, V(0, 32)),
  UNIFIED(104, "UNIFIED_8_0", 76, BYTE(0, 8, 0)), /* seen */
  UNIFIED(105, "UNIFIED_8_8", 77, BYTE(0, 8, 8)), /* seen */
  UNIFIED(106, "UNIFIED_8_16", 78, BYTE(0, 8, 16)), /* seen */
  UNIFIED(107, "UNIFIED_8_24", 79, BYTE(0, 8, 24)), /* seen */
  UNIFIED(108, "UNIFIED_8_32", 80, BYTE(0, 8, 32)), /* seen */
  UNIFIED(109, "UNIFIED_8_40", 81, BYTE(0, 8, 40)), /* seen */
  UNIFIED(110, "UNIFIED_8_48", 82, BYTE(0, 8, 48)), /* seen */
  UNIFIED(111, "UNIFIED_8_56", 83, BYTE(0, 8, 56)), /* seen */
  UNIFIED(112, "UNIFIED32_LO_32", 56, LOW(32, 32)), /* seen */
  UNIFIED(113, "UNIFIED32_HI_32", 57, HIGH(32, 32)), /* seen */
  ROW(114, "ABS56_16_34", RUNTIME, KEEP, NO_FIELD), /* seen */
  ROW(115, "CONST_FIELD22_37", APPLY, BINDLESS, V(37, 17), BANK(54, 5)), /* seen */
  ROW(116, "NONE_LAST", SENTINEL, KEEP, NO_FIELD),
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
  MERCURY(0, "NONE", NONE, KEEP, NO_FIELD),
  MERCURY(1, "G64", RUNTIME, KEEP, NO_FIELD),
  MERCURY(2, "ABS64", APPLY, KEEP, V(0, 64)),
  MERCURY(3, "ABS32", APPLY, BINDLESS, V(0, 32)),
  MERCURY(4, "ABS16", APPLY, BINDLESS, V(0, 16)),
  MERCURY(5, "ABS32_LO", RUNTIME, KEEP, NO_FIELD),
  MERCURY(6, "ABS32_HI", RUNTIME, KEEP, NO_FIELD),
  MERCURY(7, "PROG_REL64", RUNTIME, KEEP, V(0, 64)),
  MERCURY(8, "PROG_REL32", RUNTIME, KEEP, V(0, 32)),
  MERCURY(9, "PROG_REL32_LO", RUNTIME, KEEP, V(0, 32)),
  MERCURY(10, "PROG_REL32_HI", RUNTIME, KEEP, V(0, 32)),
  MERCURY(11, "TEX_HEADER_INDEX", RUNTIME, KEEP, NO_FIELD),
  MERCURY(12, "SAMP_HEADER_INDEX", RUNTIME, KEEP, NO_FIELD),
  MERCURY(13, "SURF_HEADER_INDEX", RUNTIME, KEEP, NO_FIELD),
  MERCURY(14, "UNUSED_CLEAR64", UNUSED_CLEAR, NONE, ZERO(0, 64)),
  MERCURY(15, "FUNC_DESC_64", FUNC_DESC, CRASH, NO_FIELD),
  MERCURY(16, "8_0", APPLY, KEEP, BYTE(0, 8, 0)),
  MERCURY(17, "8_8", APPLY, KEEP, BYTE(0, 8, 8)),
  MERCURY(18, "8_16", APPLY, KEEP, BYTE(0, 8, 16)),
  MERCURY(19, "8_24", APPLY, KEEP, BYTE(0, 8, 24)),
  MERCURY(20, "8_32", APPLY, KEEP, BYTE(0, 8, 32)),
  MERCURY(21, "8_40", APPLY, KEEP, BYTE(0, 8, 40)),
  MERCURY(22, "8_48", APPLY, KEEP, BYTE(0, 8, 48)),
  MERCURY(23, "8_56", APPLY, KEEP, BYTE(0, 8, 56)),
  MERCURY(24, "G8_0", RUNTIME, KEEP, NO_FIELD),
  MERCURY(25, "G8_8", RUNTIME, KEEP, NO_FIELD),
  MERCURY(26, "G8_16", RUNTIME, KEEP, NO_FIELD),
  MERCURY(27, "G8_24", RUNTIME, KEEP, NO_FIELD),
  MERCURY(28, "G8_32", RUNTIME, KEEP, NO_FIELD),
  MERCURY(29, "G8_40", RUNTIME, KEEP, NO_FIELD),
  MERCURY(30, "G8_48", RUNTIME, KEEP, NO_FIELD),
  MERCURY(31, "G8_56", RUNTIME, KEEP, NO_FIELD),
  MERCURY(32, "FUNC_DESC_8_0", RUNTIME, KEEP, NO_FIELD),
  MERCURY(33, "FUNC_DESC_8_8", RUNTIME, KEEP, NO_FIELD),
  MERCURY(34, "FUNC_DESC_8_16", RUNTIME, KEEP, NO_FIELD),
  MERCURY(35, "FUNC_DESC_8_24", RUNTIME, KEEP, NO_FIELD),
  MERCURY(36, "FUNC_DESC_8_32", RUNTIME, KEEP, NO_FIELD),
  MERCURY(37, "FUNC_DESC_8_40", RUNTIME, KEEP, NO_FIELD),
  MERCURY(38, "FUNC_DESC_8_48", RUNTIME, KEEP, NO_FIELD),
  MERCURY(39, "FUNC_DESC_8_56", RUNTIME, KEEP, NO_FIELD),
  MERCURY(40, "ABS_PROG_REL32_LO", RUNTIME, KEEP, NO_FIELD),
  MERCURY(41, "ABS_PROG_REL32_HI", RUNTIME, KEEP, NO_FIELD),
  MERCURY(42, "PROG_REL8_0", RUNTIME, KEEP, BYTE(0, 8, 0)),
  MERCURY(43, "PROG_REL8_8", RUNTIME, KEEP, BYTE(0, 8, 8)),
  MERCURY(44, "PROG_REL8_16", RUNTIME, KEEP, BYTE(0, 8, 16)),
  MERCURY(45, "PROG_REL8_24", RUNTIME, KEEP, BYTE(0, 8, 24)),
  MERCURY(46, "PROG_REL8_32", RUNTIME, KEEP, BYTE(0, 8, 32)),
  MERCURY(47, "PROG_REL8_40", RUNTIME, KEEP, BYTE(0, 8, 40)),
  MERCURY(48, "PROG_REL8_48", RUNTIME, KEEP, BYTE(0, 8, 48)),
  MERCURY(49, "PROG_REL8_56", RUNTIME, KEEP, BYTE(0, 8, 56)),
  MERCURY_UNIFIED(50, "UNIFIED", 2, V(0, 64)),
  MERCURY_UNIFIED(51, "UNIFIED_32", 3, V(0, 32)),
  MERCURY_UNIFIED(52, "UNIFIED_8_0", 16, BYTE(0, 8, 0)),
  MERCURY_UNIFIED(53, "UNIFIED_8_8", 17, BYTE(0, 8, 8)),
  MERCURY_UNIFIED(54, "UNIFIED_8_16", 18, BYTE(0, 8, 16)),
  MERCURY_UNIFIED(55, "UNIFIED_8_24", 19, BYTE(0, 8, 24)),
  MERCURY_UNIFIED(56, "UNIFIED_8_32", 20, BYTE(0, 8, 32)),
  MERCURY_UNIFIED(57, "UNIFIED_8_40", 21, BYTE(0, 8, 40)),
  MERCURY_UNIFIED(58, "UNIFIED_8_48", 22, BYTE(0, 8, 48)),
  MERCURY_UNIFIED(59, "UNIFIED_8_56", 23, BYTE(0, 8, 56)),
  MERCURY(60, "ABS_PROG_REL32", RUNTIME, KEEP, NO_FIELD),
  MERCURY(61, "ABS_PROG_REL64", RUNTIME, KEEP, NO_FIELD),
  MERCURY_UNIFIED(62, "UNIFIED32_LO", 5, NO_FIELD),
  MERCURY_UNIFIED(63, "UNIFIED32_HI", 6, NO_FIELD),
  MERCURY(64, "NONE_LAST", NONE, KEEP, NO_FIELD),
};

/* L611: Mercury's numbers that mean something before a table is looked into, which finds no fields for them. */
static const tl_relocation_row compared_rows[TL_R_MERCURY_COUNT] = {
  MERCURY(3, "ABS32", SENTINEL, BINDLESS, NO_FIELD),
  MERCURY(4, "ABS16", SENTINEL, BINDLESS, NO_FIELD),
  MERCURY(14, "UNUSED_CLEAR64", UNUSED_CLEAR, NONE, NO_FIELD),
  MERCURY_UNIFIED(50, "UNIFIED", 2, NO_FIELD),
  MERCURY_UNIFIED(51, "UNIFIED_32", 3, NO_FIELD),
  MERCURY_UNIFIED(52, "UNIFIED_8_0", 16, NO_FIELD),
  MERCURY_UNIFIED(53, "UNIFIED_8_8", 17, NO_FIELD),
  MERCURY_UNIFIED(54, "UNIFIED_8_16", 18, NO_FIELD),
  MERCURY_UNIFIED(55, "UNIFIED_8_24", 19, NO_FIELD),
  MERCURY_UNIFIED(56, "UNIFIED_8_32", 20, NO_FIELD),
  MERCURY_UNIFIED(57, "UNIFIED_8_40", 21, NO_FIELD),
  MERCURY_UNIFIED(58, "UNIFIED_8_48", 22, NO_FIELD),
  MERCURY_UNIFIED(59, "UNIFIED_8_56", 23, NO_FIELD),
  MERCURY_UNIFIED(62, "UNIFIED32_LO", 5, NO_FIELD),
  MERCURY_UNIFIED(63, "UNIFIED32_HI", 6, NO_FIELD),
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
  return row && row->name ? row : NULL;
}

const tl_relocation_row *tl_relocation_in_view(uint32_t type, bool mercury) {
  if (!mercury)
    return type < TL_R_CUDA_COUNT ? tl_relocation_find(type) : relocation_compared(type);
  if (type == 0)
    return &mercury_rows[0];
  return type > TL_R_MERCURY && type < TL_R_MERCURY + TL_R_MERCURY_COUNT ? &mercury_rows[type - TL_R_MERCURY] : NULL;
}
