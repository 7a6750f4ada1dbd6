/* Lines of --trace: one row a text that one of the five documents gives (facts/seed-mechanisms.md), with the id of its row
 * there and the part of --trace that asks for it. nvlink has no option that prints them, so nothing is compared with it;
 * numbers of symbols and sections are this linker's own. */
#ifndef TL_CATALOG_TRACE_H
#define TL_CATALOG_TRACE_H

#include "base/diagnostics.h"

typedef enum tl_trace_part {
  TL_TRACE_MERGE,
  TL_TRACE_LAYOUT,
  TL_TRACE_BINDLESS,
  TL_TRACE_RELOC,
  TL_TRACE_MAPS,
  TL_TRACE_TIME,
  TL_TRACE_PARTS
} tl_trace_part;

typedef enum tl_trace_id {
#define TL_TRACE(id, row, part, text) TL_TRACE_##id,
#include "catalog/trace_rows.h"
#undef TL_TRACE
  TL_TRACE_COUNT
} tl_trace_id;

/* The bit of the part in tl_options.trace that `word` names, of all parts for "all"; 0 for a word that names none. */
unsigned tl_trace_bits(const char *word);
/* True when the lines of a part are wanted. */
bool tl_trace_wants(const tl_diagnostics *diagnostics, tl_trace_part part);
/* Adds the row's line when its part is wanted. Arguments are those of tl_arena_format: texts, and uint64_t for numbers. */
void tl_trace(tl_diagnostics *diagnostics, tl_trace_id id, ...);

#endif
