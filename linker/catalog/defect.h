/* One row a vendor defect of class R or E that the linker meets (vendor-defects.md section 6): right by default, nvlink's
 * way with --bug-compatible. Code asks for a defect by name. */
#ifndef TL_CATALOG_DEFECT_H
#define TL_CATALOG_DEFECT_H

#include "base/diagnostics.h"

typedef enum tl_defect {
#define TL_DEFECT(id, class, stage, when, right, vendor) TL_DEFECT_##id,
#include "catalog/defect_rows.h"
#undef TL_DEFECT
  TL_DEFECT_COUNT
} tl_defect;

typedef struct tl_defect_row {
  const char *id;     /* "D58" */
  char class;         /* 'R' or 'E' */
  const char *stage;  /* room of the linker */
  const char *when;   /* the input that meets it */
  const char *right;  /* what twinlink does by default */
  const char *vendor; /* what nvlink does */
} tl_defect_row;

const tl_defect_row *tl_defect_row_of(tl_defect defect);
/* True when nvlink's behaviour is to be reproduced: class R under --bug-compatible. */
bool tl_defect_matched(const tl_options *options, tl_defect defect);
/* Says once in a link, under twinlink's own identity, that a row of class R decided something that nvlink does otherwise.
 * `name` (may be NULL): the function or variable that met it. */
void tl_defect_note(tl_diagnostics *diagnostics, tl_defect defect, const char *name);

#endif
