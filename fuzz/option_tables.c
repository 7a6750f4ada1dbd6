/* What the tables of options, trace parts and the host script say of themselves. */
#include "fuzz/option_tables.h"

#include "catalog/option.h"
#include "catalog/trace.h"
#include "catalog/usage.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 128 };

/* Every line that names a section takes the sections of that name: "NAME : { *(NAME) }". */
static bool tables_check_script(void) {
  size_t lines = 0;
  for (const char *at = tl_usage_host_script(); (at = strstr(at, " : { *(")); at++) {
    const char *const taken = at + strlen(" : { *(");
    const size_t length = strcspn(taken, ")");
    if (strncmp(at - length, taken, length) != 0 || at[-(long)length - 1] != '\t')
      return false;
    lines++;
  }
  return lines > 0;
}

const char *fuzz_option_tables_check(tl_arena *arena) {
  static const char *const parts[] = {"merge", "layout", "bindless", "reloc", "maps", "time"};
  const tl_options nobody = {0};
  const char *const help = tl_usage_help(arena, &nobody);
  unsigned all = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    all |= tl_trace_bits(parts[i]);
  if (tl_trace_bits("all") != all || tl_trace_bits("none"))
    return "all trace parts are not all";
  for (tl_option_id id = 0; id < TL_OPT_COUNT; id++) {
    const tl_option_row *const row = tl_option_row_of(id);
    char name[NAME_ROOM];
    (void)snprintf(name, sizeof name, "\n  --%s", row->long_name);
    const char *const line = row->help[0] ? strstr(help, name) : NULL;
    (void)snprintf(name, sizeof name, " (-%s)", row->short_name ? row->short_name : "");
    const char *const shorter = line && row->short_name ? strstr(line, name) : line ? line + 1 : NULL;
    if (row->help[0] &&
        (!line || !shorter || !strstr(line, row->help) || strcspn(line + 1, "\n") < (size_t)(shorter - line - 1)))
      return "the help does not name an option as it is spelled";
  }
  return tables_check_script() ? NULL : "the script names another section than it takes";
}
