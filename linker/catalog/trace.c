/* catalog/trace.c: the rows of catalog/trace_rows.h as an array, and lines made of them. A line has no program name and no
 * severity, as the documents give it, and stands among the messages where it came up. */
#include "catalog/trace.h"

#include <stdarg.h>
#include <string.h>

typedef struct trace_row {
  tl_trace_part part;
  const char *text;
} trace_row;

static const trace_row rows[TL_TRACE_COUNT] = {
#define TL_TRACE(id, row, part, text) [TL_TRACE_##id] = {TL_TRACE_##part, text},
#include "catalog/trace_rows.h"
#undef TL_TRACE
};

static const char *const parts[TL_TRACE_PARTS] = {
    [TL_TRACE_MERGE] = "merge", [TL_TRACE_LAYOUT] = "layout", [TL_TRACE_BINDLESS] = "bindless",
    [TL_TRACE_RELOC] = "reloc", [TL_TRACE_MAPS] = "maps",     [TL_TRACE_TIME] = "time",
};

unsigned tl_trace_bits(const char *word) {
  if (strcmp(word, "all") == 0)
    return (1u << TL_TRACE_PARTS) - 1;
  for (unsigned i = 0; i < TL_TRACE_PARTS; i++)
    if (strcmp(word, parts[i]) == 0)
      return 1u << i;
  return 0;
}

bool tl_trace_wants(const tl_diagnostics *diagnostics, tl_trace_part part) {
  return diagnostics->options->trace >> part & 1;
}

void tl_trace(tl_diagnostics *diagnostics, tl_trace_id id, ...) {
  if (!tl_trace_wants(diagnostics, rows[id].part))
    return;
  va_list list;
  va_start(list, id);
  tl_diagnostics_add_plain(diagnostics, tl_arena_format_list(diagnostics->arena, rows[id].text, list));
  va_end(list);
}
