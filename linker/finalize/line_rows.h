/* Rows of line tables: a sequence of the Mercury view, made anew for the SASS text (L129). */
#ifndef TL_FINALIZE_LINE_ROWS_H
#define TL_FINALIZE_LINE_ROWS_H

#include "finalize/parts.h"

/* From the header of a unit. */
typedef struct line_shape {
  uint8_t least_step, line_range, opcode_base;
  int8_t line_base;
  bool callers;           /* rows say what they are inlined at (L1501) */
  const uint8_t *lengths; /* of standard opcodes, from 1 on */
  uint64_t length_count;
} line_shape;

typedef tl_byte_vector final_line_bytes;

typedef enum final_rows {
  FINAL_ROWS_MADE,
  FINAL_ROWS_KEPT,  /* something in the sequence is not understood */
  FINAL_ROWS_RING,  /* a row is inlined at itself: nvlink crashes */
  FINAL_ROWS_BROKEN /* there are no rows, or what nvlink crashes over */
} final_rows;

/* The text that rows are about. */
typedef struct line_text {
  uint32_t section;   /* of the Mercury module */
  const tl_code *map; /* NULL: its rows stay where they are */
  uint64_t size;      /* of the SASS text */
} line_text;

/* Where the next DW_LNE_set_address of a unit begins, from one place on; the unit's end behind the last. */
uint64_t final_next_sequence(const line_shape *shape, const uint8_t *bytes, uint64_t at, uint64_t end);

/* `sequence` begins with DW_LNE_set_address. With a map its rows go to the places that they have in the SASS text; without one
 * they stay where they are. *out only where they are made. */
final_rows final_rewrite_rows(const finalizer *f, const line_text *text, const line_shape *shape,
                              const uint8_t *sequence, uint64_t size, final_line_bytes *out);

#endif
