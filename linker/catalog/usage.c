/* catalog/usage.c: help from the option table, so that an option without a line in it cannot exist; versions; the script
 * for the host linker, whose blank behind the second brace is nvlink's. */
#include "catalog/usage.h"

#include "base/text.h"
#include "catalog/option.h"

#include <string.h>

enum { HELP_COLUMN = 46 };

/* One line: both spellings, padded, and the text. */
static const char *usage_line(tl_arena *arena, const tl_option_row *row) {
  static const char padding[] = "                                              ";
  _Static_assert(sizeof padding == HELP_COLUMN + 1, "the padding fills the column");
  const char *const value = row->kind == TL_OPTION_FLAG ? "" : row->kind == TL_OPTION_LIST ? " A,..." : " A";
  const char *const names = row->short_name
                                ? tl_arena_format(arena, "  --%s%s (-%s)", row->long_name, value, row->short_name)
                                : tl_arena_format(arena, "  --%s%s", row->long_name, value);
  const size_t length = strlen(names);
  if (length + 2 > HELP_COLUMN)
    return tl_arena_format(arena, "%s\n%s%s\n", names, padding, row->help);
  return tl_arena_format(arena, "%s%s%s\n", names, padding + length, row->help);
}

const char *tl_usage_help(tl_arena *arena, const tl_options *options) {
  const char *const program = options->identity_nvlink ? "nvlink" : "twinlink";
  tl_texts lines = {0};
  *tl_vector_push(arena, &lines) = tl_arena_format(arena, "\nUsage  : %s [options] <cubins>\n\nOptions\n", program);
  for (tl_option_id id = 0; id < TL_OPT_COUNT; id++)
    if (tl_option_row_of(id)->help[0])
      *tl_vector_push(arena, &lines) = usage_line(arena, tl_option_row_of(id));
  return tl_texts_join(arena, &lines, "");
}

const char *tl_usage_version(const tl_options *options) {
  if (!options->identity_nvlink)
    return "twinlink " TWINLINK_VERSION "\nReproduces nvlink of CUDA 13.0, V13.0.88\n";
  return "nvlink: NVIDIA (R) Cuda linker\n"
         "Copyright (c) 2005-2025 NVIDIA Corporation\n"
         "Built on Wed_Aug_20_01:58:59_PM_PDT_2025\n"
         "Cuda compilation tools, release 13.0, V13.0.88\n"
         "Build cuda_13.0.r13.0/compiler.36424714_0\n";
}

const char *tl_usage_host_script(void) {
  return "SECTIONS\n{\n"
         "\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
         "\t__nv_relfatbin : { *(__nv_relfatbin) } \n"
         "\t.nv_fatbin : { *(.nv_fatbin) }\n"
         "}\n";
}
