/* catalog/mode.c: the rows of catalog/mode.h. */
#include "catalog/mode.h"

enum { TYPE_RELOCATABLE = 1, TYPE_EXECUTABLE = 2 };

/* By [-r][-preserve-relocs]. */
static const tl_mode rows[2][2] = {
    {{.file_type = TYPE_EXECUTABLE,
      .eliminates = true,
      .final = true,
      .plain_types = true,
      .rewrites_unified = true,
      .takes_notes = true},
     {.file_type = TYPE_EXECUTABLE,
      .final = true,
      .plain_types = true,
      .rewrites_unified = true,
      .takes_notes = true,
      .records_applied = true}},
    {{.file_type = TYPE_RELOCATABLE, .keeps_internal = true},
     {.file_type = TYPE_RELOCATABLE, .keeps_internal = true, .records_applied = true}},
};

const tl_mode *tl_mode_of(const tl_options *options) {
  return &rows[options->relocatable][options->preserve_relocs];
}
