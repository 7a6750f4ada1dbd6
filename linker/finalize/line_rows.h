/* Rows of line tables: a sequence of the Mercury view, made anew for the SASS text (L129). */
#ifndef TL_FINALIZE_LINE_ROWS_H
#define TL_FINALIZE_LINE_ROWS_H

#include "finalize/parts.h"

/* From the header of a unit. */
typedef struct line_shape {
  int8_t line_base;
  uint8_t least_step, line_range, opcode_base;
} line_shape;

typedef tl_byte_vector final_line_bytes;

typedef enum final_rows {
  FINAL_ROWS_MADE,
  FINAL_ROWS_KEPT, /* something in the sequence is not understood */
  FINAL_ROWS_RING, /* a row is inlined at itself: nvlink crashes */
  FINAL_ROWS_NONE, /* a sequence without rows: so it does (L1820) */
  FINAL_ROWS_FIXED /* an advance by a fixed number, or a least step of 0: so it does (L1702, L1788) */
} final_rows;

/* The text that rows are about. */
typedef struct line_text {
  uint32_t section;    /* of the Mercury module */
  const tl_code *map;  /* NULL: its rows stay where they are */
  uint64_t size;       /* of the SASS text */
  const uint8_t *sass; /* the text's, size bytes; NULL without a map */
} line_text;

/* `sequence` begins with DW_LNE_set_address. With a map its rows go to the places that
 * they have in the SASS text; without one they stay where they are. *out only where they are made. */
final_rows final_rewrite_rows(const finalizer *f, const line_text *text, const line_shape *shape,
                              const uint8_t *sequence, uint64_t size, final_line_bytes *out);

#endif
