/* The relocation catalogue against the measured fields, typed a second time from the machine-readable record of the
 * measurements: start+width and what goes there. R26: a type that is never applied has no field. */
#include "catalog/relocation.h"
#include "tests/front/front.h"

#include <stdio.h>
#include <string.h>

static const struct {
  uint32_t type;
  const char *name, *fields;
} measured[] = {
    {1, "32", "0+32 abs"},
    {2, "64", "0+64 abs"},
    {5, "ABS32_26", "26+32 abs"},
    {10, "ABS32_LO_26", "26+32 lo"},
    {11, "ABS32_HI_26", "26+32 hi"},
    {12, "ABS32_23", "23+32 abs"},
    {13, "ABS32_LO_23", "23+32 lo"},
    {14, "ABS32_HI_23", "23+32 hi"},
    {15, "ABS24_26", "26+24 abs"},
    {16, "ABS24_23", "23+24 abs"},
    {17, "ABS16_26", "26+16 abs"},
    {18, "ABS16_23", "23+16 abs"},
    {19, "TEX_SLOT", "32+8 slot"},
    {20, "SAMP_SLOT", "40+5 slot"},
    {21, "SURF_SLOT", "26+6 slot"},
    {22, "TEX_BINDLESSOFF13_32", "32+13 shr2"},
    {23, "TEX_BINDLESSOFF13_47", "47+13 shr2"},
    {24, "CONST_FIELD19_28", "28+14 shr2; 42+4 bank_lo; 26+1 bank_hi"},
    {25, "CONST_FIELD19_23", "23+14 shr2; 37+5 bank_lo"},
    {26, "TEX_SLOT9_49", "49+9 slot"},
    {27, "6_31", "31+6 abs"},
    {28, "2_47", "47+2 abs"},
    {29, "TEX_BINDLESSOFF13_41", "41+13 shr2"},
    {30, "TEX_BINDLESSOFF13_45", "45+13 shr2"},
    {36, "CONST_FIELD21_26", "26+16 abs; 42+5 bank_lo"},
    {37, "QUERY_DESC21_37", "37+16 abs; 53+5 bank_lo"},
    {38, "CONST_FIELD19_26", "26+14 shr2; 40+5 bank_lo"},
    {39, "CONST_FIELD21_23", "23+16 abs; 39+5 bank_lo"},
    {42, "ABS32_20", "20+32 abs"},
    {43, "ABS32_LO_20", "20+32 lo"},
    {44, "ABS32_HI_20", "20+32 hi"},
    {45, "ABS24_20", "20+24 abs"},
    {46, "ABS16_20", "20+16 abs"},
    {50, "CONST_FIELD19_20", "20+14 shr2; 34+5 bank_lo"},
    {51, "BINDLESSOFF13_36", "36+13 shr2"},
    {54, "CONST_FIELD21_20", "20+16 abs; 36+5 bank_lo"},
    {55, "ABS32_32", "32+32 abs"},
    {56, "ABS32_LO_32", "32+32 lo"},
    {57, "ABS32_HI_32", "32+32 hi"},
    {59, "ABS16_32", "32+16 abs"},
    {60, "ABS24_32", "32+24 abs"},
    {64, "CONST_FIELD19_40", "40+14 shr2; 54+5 bank_lo"},
    {65, "BINDLESSOFF14_40", "40+14 shr2"},
    {66, "CONST_FIELD21_38", "38+16 abs; 54+5 bank_lo"},
    {70, "32_LO", "0+32 lo"},
    {71, "32_HI", "0+32 hi"},
    {72, "UNUSED_CLEAR32", "0+32 clear"},
    {73, "UNUSED_CLEAR64", "0+64 clear"},
    {74, "ABS24_40", "40+24 abs"},
    {76, "8_0", "0+8 byte0"},
    {77, "8_8", "0+8 byte1"},
    {78, "8_16", "0+8 byte2"},
    {79, "8_24", "0+8 byte3"},
    {80, "8_32", "0+8 byte4"},
    {81, "8_40", "0+8 byte5"},
    {82, "8_48", "0+8 byte6"},
    {83, "8_56", "0+8 byte7"},
    {100, "ABS20_44", "44+20 abs"},
    {102, "UNIFIED", "0+64 abs"},
    {103, "UNIFIED_32", "0+32 abs"},
    {104, "UNIFIED_8_0", "0+8 byte0"},
    {105, "UNIFIED_8_8", "0+8 byte1"},
    {106, "UNIFIED_8_16", "0+8 byte2"},
    {107, "UNIFIED_8_24", "0+8 byte3"},
    {108, "UNIFIED_8_32", "0+8 byte4"},
    {109, "UNIFIED_8_40", "0+8 byte5"},
    {110, "UNIFIED_8_48", "0+8 byte6"},
    {111, "UNIFIED_8_56", "0+8 byte7"},
    {112, "UNIFIED32_LO_32", "32+32 lo"},
    {113, "UNIFIED32_HI_32", "32+32 hi"},
    {115, "CONST_FIELD22_37", "37+17 abs; 54+5 bank_lo"},
};

static const char *relocation_part_text(const tl_field *field, char text[16]) {
  static const char *const names[] = {
      [TL_PART_ALL] = "abs",      [TL_PART_LOW] = "lo",           [TL_PART_HIGH] = "hi",  [TL_PART_DWORD] = "shr2",
      [TL_PART_BANK] = "bank_lo", [TL_PART_BANK_TOP] = "bank_hi", [TL_PART_AUX] = "slot", [TL_PART_ZERO] = "clear"};
  if (field->part != TL_PART_BYTE)
    return names[field->part];
  snprintf(text, 16, "byte%u", (unsigned)field->shift / 8);
  return text;
}

/* The fields of a row as `measured` spells them. */
static void relocation_spell(const tl_relocation_row *row, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < TL_RELOC_FIELDS && row->fields[i].width; i++) {
    char part[16];
    used += (size_t)snprintf(text + used, size - used, "%s%u+%u %s", i ? "; " : "", row->fields[i].start,
                             row->fields[i].width, relocation_part_text(&row->fields[i], part));
  }
}

static void relocation_test_measured(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
    const tl_relocation_row *row = tl_relocation_find(measured[i].type);
    char text[128];
    assert_non_null(row);
    relocation_spell(row, text, sizeof text);
    if (row->name)
      assert_string_equal(row->name, measured[i].name);
    assert_string_equal(text, measured[i].fields);
  }
}

static void relocation_test_table(void **state) {
  (void)state;
  assert_null(tl_relocation_find(TL_R_CUDA_COUNT));
  assert_null(tl_relocation_find(UINT32_MAX));
  for (uint32_t type = 0; type < TL_R_CUDA_COUNT; type++) {
    const tl_relocation_row *row = tl_relocation_find(type);
    assert_int_equal(row->type, type);
    const tl_field *const first = &row->fields[0]; /* a name where T8 can say it */
    const bool said = first->width && first->width < 64 && (first->part == TL_PART_ALL || first->part == TL_PART_DWORD);
    assert_int_equal(row->name != NULL, said);
    for (size_t i = 0; i < TL_RELOC_FIELDS; i++)
      assert_true(row->fields[i].start + row->fields[i].width <= 64); /* R9 */
    const bool fielded = row->kind == TL_RELOC_APPLY || row->kind == TL_RELOC_UNIFIED ||
                         row->kind == TL_RELOC_UNUSED_CLEAR || row->kind == TL_RELOC_PCREL;
    assert_int_equal(row->fields[0].width != 0, fielded);
    assert_int_equal(row->unified_to != type, row->kind == TL_RELOC_UNIFIED);
  }
}

/* R11: a rewritten type has the fields of the type that it becomes. */
static void relocation_test_unified(void **state) {
  (void)state;
  static const uint32_t becomes[] = {2, 1, 76, 77, 78, 79, 80, 81, 82, 83, 56, 57};
  for (uint32_t i = 0; i < 12; i++) {
    const tl_relocation_row *row = tl_relocation_find(102 + i);
    assert_int_equal(row->unified_to, becomes[i]);
    assert_memory_equal(row->fields, tl_relocation_find(becomes[i])->fields, sizeof row->fields);
  }
}

/* R18, R25-R28a: kinds and effects of texture symbols by their lists in the rules. */
static void relocation_test_lists(void **state) {
  (void)state;
  static const uint32_t bindless[] = {5,  12, 17, 18, 22, 23, 24, 25, 29, 30, 38, 39,
                                      42, 46, 50, 51, 54, 55, 59, 64, 65, 66, 115};
  static const uint32_t zero[] = {15, 16, 19, 20, 21, 26, 27, 28, 36, 37, 45, 60, 74, 100};
  static const uint32_t descriptors[] = {31, 32, 33, 34, 35, 47, 48, 49, 61, 62, 63};
  static const uint32_t runtime[] = {3,  4,  6,  7,  8,  9,  52, 53, 58, 67, 75, 84, 85,  86, 87,
                                     88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 101, 114};
  size_t count[TL_RELOC_SENTINEL + 1] = {0}, effects[TL_TEX_NONE + 1] = {0};
  for (uint32_t type = 0; type < TL_R_CUDA_COUNT; type++) {
    count[tl_relocation_find(type)->kind]++;
    effects[tl_relocation_find(type)->texture]++;
  }
  for (size_t i = 0; i < sizeof bindless / sizeof *bindless; i++)
    assert_int_equal(tl_relocation_find(bindless[i])->texture, TL_TEX_BINDLESS);
  for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
    assert_int_equal(tl_relocation_find(zero[i])->texture, TL_TEX_ZERO);
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
    assert_int_equal(tl_relocation_find(descriptors[i])->kind, TL_RELOC_FUNC_DESC);
  for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++)
    assert_int_equal(tl_relocation_find(runtime[i])->kind, TL_RELOC_RUNTIME);
  assert_int_equal(effects[TL_TEX_BINDLESS], sizeof bindless / sizeof *bindless);
  assert_int_equal(effects[TL_TEX_ZERO], sizeof zero / sizeof *zero);
  assert_int_equal(effects[TL_TEX_CRASH], sizeof descriptors / sizeof *descriptors);
  assert_int_equal(count[TL_RELOC_RUNTIME], sizeof runtime / sizeof *runtime);
  assert_int_equal(count[TL_RELOC_FUNC_DESC], sizeof descriptors / sizeof *descriptors);
  assert_int_equal(count[TL_RELOC_PCREL], 2);
  assert_int_equal(count[TL_RELOC_YIELD], 2);
  assert_int_equal(count[TL_RELOC_UNUSED_CLEAR], 2);
  assert_int_equal(effects[TL_TEX_FATAL], 2);
  assert_int_equal(effects[TL_TEX_DROP], 2);
  assert_int_equal(effects[TL_TEX_NONE], 2);
}

int front_test_relocations(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(relocation_test_measured),
      cmocka_unit_test(relocation_test_table),
      cmocka_unit_test(relocation_test_unified),
      cmocka_unit_test(relocation_test_lists),
  };
  return cmocka_run_group_tests_name("relocation catalogue", tests, NULL, NULL);
}
