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

const tl_relocation_row *tl_relocation_find(uint32_t type) {
  return type < TL_R_CUDA_COUNT ? &rows[type] : NULL;
}
