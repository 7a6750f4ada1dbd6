/* One difference of two outputs in one or two lines: what oracle/compare says with the rules of docs/specification that
 * decide, then the instruction's fields as oracle/sass decodes them. */
#ifndef TWIN_DIFF_CODE_H
#define TWIN_DIFF_CODE_H

#include "files.h"

#include "ref_compare.h"

/* `a` and `b` are the files' names in the text; every line begins with `indent`. */
void diff_add_difference(text_buffer *text, const ref_difference *difference, const char *a, const char *b,
                         const char *indent);

#endif
