/* The table and the picture of docs/specification/relocation.md against the catalogue: each line is made from its row and
 * must stand in the page to the letter, in order. `relocation_page --print` prints what the page must hold. */
#include "linker/catalog/relocation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 400, PICTURE_BITS = 64 };

static const char *page_path;

/* Of the types that the linker has no reason to name. */
static const char *const page_names[TL_R_CUDA_COUNT] = {
    [0] = "NONE",
    [2] = "64",
    [3] = "G32",
    [4] = "G64",
    [6] = "TEX_HEADER_INDEX",
    [7] = "SAMP_HEADER_INDEX",
    [8] = "SURF_HW_DESC",
    [9] = "SURF_HW_SW_DESC",
    [10] = "ABS32_LO_26",
    [11] = "ABS32_HI_26",
    [13] = "ABS32_LO_23",
    [14] = "ABS32_HI_23",
    [19] = "TEX_SLOT",
    [20] = "SAMP_SLOT",
    [21] = "SURF_SLOT",
    [26] = "TEX_SLOT9_49",
    [31] = "FUNC_DESC32_23",
    [32] = "FUNC_DESC32_LO_23",
    [33] = "FUNC_DESC32_HI_23",
    [34] = "FUNC_DESC_32",
    [35] = "FUNC_DESC_64",
    [43] = "ABS32_LO_20",
    [44] = "ABS32_HI_20",
    [47] = "FUNC_DESC32_20",
    [48] = "FUNC_DESC32_LO_20",
    [49] = "FUNC_DESC32_HI_20",
    [52] = "SURF_HEADER_INDEX",
    [53] = "INSTRUCTION64",
    [56] = "ABS32_LO_32",
    [57] = "ABS32_HI_32",
    [58] = "ABS47_34",
    [61] = "FUNC_DESC32_32",
    [62] = "FUNC_DESC32_LO_32",
    [63] = "FUNC_DESC32_HI_32",
    [67] = "INSTRUCTION128",
    [68] = "YIELD_OPCODE9_0",
    [69] = "YIELD_CLEAR_PRED4_87",
    [70] = "32_LO",
    [71] = "32_HI",
    [72] = "UNUSED_CLEAR32",
    [73] = "UNUSED_CLEAR64",
    [75] = "ABS55_16_34",
    [76] = "8_0",
    [77] = "8_8",
    [78] = "8_16",
    [79] = "8_24",
    [80] = "8_32",
    [81] = "8_40",
    [82] = "8_48",
    [83] = "8_56",
    [84] = "G8_0",
    [85] = "G8_8",
    [86] = "G8_16",
    [87] = "G8_24",
    [88] = "G8_32",
    [89] = "G8_40",
    [90] = "G8_48",
    [91] = "G8_56",
    [92] = "FUNC_DESC_8_0",
    [93] = "FUNC_DESC_8_8",
    [94] = "FUNC_DESC_8_16",
    [95] = "FUNC_DESC_8_24",
    [96] = "FUNC_DESC_8_32",
    [97] = "FUNC_DESC_8_40",
    [98] = "FUNC_DESC_8_48",
    [99] = "FUNC_DESC_8_56",
    [101] = "SAMP_HEADER_INDEX_0",
    [102] = "UNIFIED",
    [104] = "UNIFIED_8_0",
    [105] = "UNIFIED_8_8",
    [106] = "UNIFIED_8_16",
    [107] = "UNIFIED_8_24",
    [108] = "UNIFIED_8_32",
    [109] = "UNIFIED_8_40",
    [110] = "UNIFIED_8_48",
    [111] = "UNIFIED_8_56",
    [112] = "UNIFIED32_LO_32",
    [113] = "UNIFIED32_HI_32",
    [114] = "ABS56_16_34",
    [116] = "NONE_LAST",
};

static const char *const treatments[] = {
    [TL_RELOC_NONE] = "no field",
    [TL_RELOC_APPLY] = "applied",
    [TL_RELOC_RUNTIME] = "kept",
    [TL_RELOC_PCREL] = "refused (R25)",
    [TL_RELOC_YIELD] = "dropped",
    [TL_RELOC_UNUSED_CLEAR] = "dropped or cleared (R28)",
    [TL_RELOC_FUNC_DESC] = "functions only (R15, R28a)",
    [TL_RELOC_UNIFIED] = "rewritten (R11), then applied",
    [TL_RELOC_SENTINEL] = "refused (R29)",
};

static const char *const textures[] = {
    [TL_TEX_BINDLESS] = "bindless slot", [TL_TEX_ZERO] = "applied with S = 0", [TL_TEX_KEEP] = "kept",
    [TL_TEX_DROP] = "dropped",           [TL_TEX_FATAL] = "refused",           [TL_TEX_CRASH] = "refused (D15)",
    [TL_TEX_NONE] = "kept as type 0",
};

/* What of the value a field takes, in words and as a letter of the picture. */
static const struct {
  const char *words;
  char letter;
} parts[] = {
    [TL_PART_ALL] = {"v", 'v'},
    [TL_PART_LOW] = {"v & 0xffffffff", 'l'},
    [TL_PART_HIGH] = {"v >> 32", 'h'},
    [TL_PART_DWORD] = {"v >> 2", 'd'},
    [TL_PART_BYTE] = {"v >> %u & 0xff", 'b'},
    [TL_PART_BANK] = {"bank", 'k'},
    [TL_PART_BANK_TOP] = {"bank >> 4", 'K'},
    [TL_PART_AUX] = {"auxiliary word + A", 'a'},
    [TL_PART_ZERO] = {"0", '0'},
};

static size_t page_count_fields(const tl_relocation_row *row) {
  size_t count = 0;
  while (count < TL_RELOC_FIELDS && row->fields[count].width)
    count++;
  return count;
}

static void page_add_field(char *line, const tl_field *field, bool first) {
  const size_t used = strlen(line);
  char part[32];
  snprintf(part, sizeof part, parts[field->part].words, field->shift);
  snprintf(line + used, LINE - used, "%s`[%u+%u] = %s`", first ? "" : ", ", field->start, field->width, part);
}

static void page_write_row(char line[LINE], const tl_relocation_row *row) {
  const size_t fields = page_count_fields(row);
  snprintf(line, LINE, "| %u | R_CUDA_%s | %s", row->type, row->name ? row->name : page_names[row->type],
           treatments[row->kind]);
  if (row->unified_to != row->type)
    snprintf(line + strlen(line), LINE - strlen(line), ", as %u", row->unified_to);
  snprintf(line + strlen(line), LINE - strlen(line), " | ");
  for (size_t i = 0; i < fields; i++)
    page_add_field(line, &row->fields[i], i == 0);
  snprintf(line + strlen(line), LINE - strlen(line), " | %s |", textures[row->texture]);
}

/* One character a bit, the lowest first; NULL's row: nothing to draw. */
static bool page_draw_row(char line[LINE], const tl_relocation_row *row) {
  const size_t fields = page_count_fields(row);
  const int used = snprintf(line, LINE, "%3u  ", row->type);
  memset(line + used, '.', PICTURE_BITS);
  line[used + PICTURE_BITS] = '\0';
  for (size_t i = 0; i < fields; i++) {
    const tl_field *const field = &row->fields[i];
    assert_true(field->start + field->width <= PICTURE_BITS);
    memset(line + used + field->start, parts[field->part].letter, field->width);
  }
  return fields > 0;
}

/* Calls `line` for each line of the table, then of the picture. */
static void page_each_line(void (*take)(void *context, const char *line), void *context) {
  char line[LINE];
  for (uint32_t type = 0; type < TL_R_CUDA_COUNT; type++) {
    page_write_row(line, tl_relocation_find(type));
    take(context, line);
  }
  for (uint32_t type = 0; type < TL_R_CUDA_COUNT; type++)
    if (page_draw_row(line, tl_relocation_find(type)))
      take(context, line);
}

static void page_print_line(void *context, const char *line) {
  (void)context;
  puts(line);
}

typedef struct page_search {
  const char *rest; /* of the page, behind what was found */
  size_t found;
} page_search;

static void page_find_line(void *context, const char *line) {
  page_search *const search = context;
  const char *const at = strstr(search->rest, line);
  if (!at || at[-1] != '\n' || at[strlen(line)] != '\n')
    fail_msg("%s does not have this line, or has it out of order: %s", page_path, line);
  search->rest = at + strlen(line);
  search->found++;
}

static char *page_read(void) {
  FILE *const file = fopen(page_path, "rb");
  assert_non_null(file);
  char *const text = calloc(1, 1 << 20);
  assert_non_null(text);
  const size_t size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  assert_in_range(size, 1, (1 << 20) - 2);
  return text;
}

static void page_holds_every_row(void **state) {
  (void)state;
  char *const text = page_read();
  page_search search = {text, 0};
  page_each_line(page_find_line, &search);
  assert_true(search.found > TL_R_CUDA_COUNT);
  assert_null(strstr(search.rest, "\n117  "));
  free(text);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--print") == 0) {
    page_each_line(page_print_line, NULL);
    return 0;
  }
  page_path = argc > 1 ? argv[1] : "docs/specification/relocation.md";
  const struct CMUnitTest tests[] = {cmocka_unit_test(page_holds_every_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
