/* catalog/defect.c: the rows of catalog/defect_rows.h as an array, and the one question that the linker asks of them. */
#include "catalog/defect.h"

static const tl_defect_row rows[TL_DEFECT_COUNT] = {
#define TL_DEFECT(id, class, stage, when, right, vendor) [TL_DEFECT_##id] = {#id, class, stage, when, right, vendor},
#include "catalog/defect_rows.h"
#undef TL_DEFECT
};

const tl_defect_row *tl_defect_row_of(tl_defect defect) {
  return &rows[defect];
}

bool tl_defect_matched(const tl_options *options, tl_defect defect) {
  return options->bug_compatible && rows[defect].class == 'R';
}
