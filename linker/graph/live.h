/* Which functions stay in the output (W7.3, W7.4, W7.7, G6, C55b). */
#ifndef TL_GRAPH_LIVE_H
#define TL_GRAPH_LIVE_H

#include "merge/module.h"

/* True when -kernels-used and -variables-used let this kernel stay (C55b, D26, D49). */
bool tl_kernel_is_used(const tl_options *options, const char *name);
/* Whether a kernel that is not named is one that only stays (W17.12); with -g all are named (W17.11). */
bool tl_kernel_is_late(const tl_options *options, const char *name);

/* Sets `live` and `reached` of every function. With `keep_all` (no dead-code elimination, W17.1) everything lives. What is
 * wrong with the call graphs is noted in the resolution, for the merge to say. */
void tl_live_mark(tl_resolution *resolution, const tl_cubin *files, uint32_t file_count, const tl_names *names,
                  tl_arena *arena, tl_diagnostics *diagnostics, bool keep_all);

/* Ends the link by what was noted. */
_Noreturn void tl_live_report(const tl_live_fault *fault, const tl_cubin *files, const tl_names *names,
                              tl_diagnostics *diagnostics);

/* One record of a call-graph section: its part (F75) and its two words. `position` and `part` start at
 * 0; part headers are stepped over, and so are records of no known part and before the first one (L179). False at the
 * end. */
bool tl_callgraph_next(const tl_cubin_section *section, uint64_t *position, uint32_t *part, uint32_t words[2]);

#endif
