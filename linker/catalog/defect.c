/* catalog/defect.c: the rows of catalog/defect_rows.h as an array, and the one question that the linker asks of them. */
#include "catalog/defect.h"

#include "catalog/message.h"

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

void tl_defect_note(tl_diagnostics *diagnostics, tl_defect defect, const char *name) {
  const tl_defect_row *const row = &rows[defect];
  enum { WORD_BITS = 64 };
  const uint64_t bit = (uint64_t)1 << defect % WORD_BITS;
  uint64_t *const said = &diagnostics->said[defect / WORD_BITS];
  _Static_assert(TL_DEFECT_COUNT <= sizeof diagnostics->said * 8, "a bit a row");
  if (diagnostics->options->identity_nvlink || *said & bit)
    return;
  *said |= bit;
  tl_diagnostics_add(diagnostics, tl_message_row_of(TL_MESSAGE_DEFECT), (tl_site){NULL, NULL, name, TL_NO_OFFSET}, NULL,
                     row->id, row->stage, row->when, row->right, row->vendor);
}
