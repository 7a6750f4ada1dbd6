/* What is said after merging, in nvlink's order (C78): stack warnings, sizes, undefined references, registers, -v. */
#ifndef TL_DIAGNOSE_DIAGNOSE_H
#define TL_DIAGNOSE_DIAGNOSE_H

#include "graph/resources.h"
#include "layout/layout.h"

/* C78 1-2: E40, E41. */
void tl_diagnose_calls(const tl_module *module, const tl_graph *graph);
/* C78 3: E55, a missing index file (L431, L1023). */
void tl_diagnose_index(const tl_module *module);
/* C78 5: E30-E33, one a section in the order of their creation. */
void tl_diagnose_sizes(const tl_module *module, const tl_layout *layout);
/* C78 6: E20, file by file, functions before variables; E69 of internal functions and dead global aliases (L551, D63). */
void tl_diagnose_undefined(const tl_module *module, tl_arena *arena);
/* A common name that only a weak definition with an initialiser follows (L436); fatal. */
void tl_diagnose_commons(const tl_module *module);
/* What nvlink looks for in vain when it writes the symbols: E68 of what lies in dead code (L162, L225) and of dead local
 * aliases (D63); behind the entries that stay (L597, L630). */
void tl_diagnose_deleted(const tl_module *module);
/* L460: large kernel parameters beside a file of an old toolkit, one line a parameter. */
void tl_diagnose_parameters(const tl_module *module);
/* E76 where a function has no attributes to put a record into: found when the file is written (L464). */
void tl_diagnose_attributes(const tl_module *module, const tl_resources *resources);
/* A record that nvlink would fill with what lies behind it in memory. */
void tl_diagnose_two_stacks(const tl_module *module, const tl_resources *resources);
void tl_diagnose_foreign_bytes(const tl_module *module, const tl_resources *resources);
/* The lines of -dump-callgraph, before those of C78 8-10 (C57, C82, L42). */
void tl_diagnose_callgraph(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                           tl_arena *arena);
/* C78 8-10: E35, E36, E34; and E60 for a function without a register count. */
void tl_diagnose_resources(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                           tl_arena *arena);
/* E70: a placed symbol whose value is -1; found when symbols are written, behind everything but -v (L188). */
void tl_diagnose_unallocated(const tl_module *module, const tl_layout *layout);
/* Fatal T1 when the function that a text's sh_info names lies in another text (L541); behind all that nvlink says. */
void tl_diagnose_text_owners(const tl_module *module);
/* C78 10: E34 and, with -dump-callgraph, what each kernel takes from its callees (L40, L41). */
void tl_diagnose_registers(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                           tl_arena *arena);
/* The private part of diagnose/. Whether the linked program has the function as a kernel (L45). */
bool tl_diagnose_is_kernel(const tl_module *module, uint32_t function);
/* By function: its address is taken. What stands in a kernel's text, and is no node of the call graph (L552), can be that by
 * a descriptor alone (L1191). */
void tl_diagnose_find_taken(const tl_module *module, bool *taken);
/* C78 11: the lines of -v (C56, C81). */
void tl_diagnose_verbose(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                         const tl_layout *layout, tl_arena *arena);

#endif
