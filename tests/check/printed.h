/* The parts of the program that looks at what the doubters print. */
#ifndef TWINLINK_TESTS_CHECK_PRINTED_H
#define TWINLINK_TESTS_CHECK_PRINTED_H

#include "tests/check/check_tests.h"

#include <stdio.h>

/* A sweep over the numbers of a cubin: of its header, sections, segments, symbols, relocations, records and call graph.
 * Each is in turn one more, one less, zero, all ones, the number of sections, of symbols, and that of the record behind;
 * then the record is that behind it, and the first of its table is this. Starts as {.bytes = ..., .cubin = ...}; `bytes` are changed, and as they were when the
 * sweep has ended. */
typedef struct printed_sweep {
  harness_bytes *bytes;
  const ref_cubin *cubin;
  uint32_t part;             /* a table of the file, then one for each section */
  uint64_t record;           /* of the table */
  size_t field, change;      /* of the record; what the field is changed to */
  uint64_t at;               /* the place that is changed now */
  uint8_t width, before[64]; /* width 0: nothing is changed */
  bool is_plain;             /* one more, or the record behind */
  bool is_wild;              /* all ones */
} printed_sweep;
/* Puts back the last change and makes the next one; false when there is none left. */
bool printed_sweep_next(printed_sweep *sweep);

/* What the reader of link maps says of the map of a link, and of the map with one place changed. */
void printed_map(FILE *to, const ref_check_link *link, const char *map);

#endif
