/* The call graph as -dump-callgraph prints it (C57, C82). */
#include "diagnose/diagnose.h"

#include "catalog/message.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "emit/demangle.h"
#include "graph/live.h"

#include <inttypes.h>
#include <stdio.h>

/* L1030: a kernel that is mentioned alone is one where it would be if it were defined. */
static bool diagnose_is_mentioned_kernel(const tl_module *module, const tl_function *f) {
  const bool all = module->options->debug && !module->options->suppress_debug_info; /* W17.11 */
  return f->kernel_somewhere && !f->defined && (f->reached || all);
}

/* A kernel that stays without being named is none (W17.12), nor is one that is only called (L1161); a second name of one is
 * asked by itself (L1082). */
static bool diagnose_is_late(const tl_module *module, const tl_function *f) {
  return !f->rooted && tl_kernel_is_late(module->options, tl_module_text(module, f->name));
}

bool tl_diagnose_is_kernel(const tl_module *module, uint32_t function) {
  const tl_function *const f = &module->resolution->functions.items[function];
  const uint32_t symbol = module->symbol_of_function[function];
  if (diagnose_is_mentioned_kernel(module, f))
    return true;
  if (symbol != TL_NONE && module->symbols.items[symbol].provided)
    return true;
  return f->kernel && f->defined && symbol != TL_NONE && !diagnose_is_late(module, f);
}

void tl_diagnose_find_taken(const tl_module *module, bool *taken) {
  for (size_t i = 0; i < module->taken.count; i++)
    taken[module->taken.items[i].from] = true;
  for (uint32_t f = 0; f < module->resolution->functions.count; f++) {
    const tl_function *const function = &module->resolution->functions.items[f];
    taken[f] |= function->described && function->live && module->symbol_of_function[f] != TL_NONE;
  }
}

typedef struct dump {
  const tl_module *module;
  const tl_graph *graph;
  const tl_resources *resources;
  tl_arena *arena;
  tl_successors calls;  /* function to function, deleted callees included */
  bool *taken;          /* by function: some part -2 record names it */
  uint32_t *candidates; /* graph->takers.to, those of one prototype in creation order */
  size_t mentioned;     /* live kernels that no file defines */
  TL_VECTOR(char) line;
} dump;

static void dump_add(dump *d, const char *text) {
  for (; *text; text++)
    *tl_vector_push(d->arena, &d->line) = *text;
}

/* A line may have very many, so none stays in the arena. */
static void dump_add_number(dump *d, uint32_t function, const char *before, const char *after) {
  char text[16];
  snprintf(text, sizeof text, "%s%" PRIu32 "%s", before, function + 1, after);
  dump_add(d, text);
}

static void dump_end_line(dump *d) {
  tl_diagnostics_add_plain(d->module->diagnostics, tl_arena_text(d->arena, d->line.items, d->line.count));
  d->line.count = 0;
}

/* C82, L42: the indirect callees, first record first, last created candidate first; then the direct ones, last record
 * first. */
static void dump_callees(dump *d, uint32_t function) {
  const tl_graph *const g = d->graph;
  for (uint32_t i = g->indirect.first[function]; i < g->indirect.first[function + 1]; i++) {
    const uint32_t prototype = g->indirect.to[i];
    for (uint32_t j = g->takers.first[prototype + 1]; j-- > g->takers.first[prototype];)
      dump_add_number(d, d->candidates[j], " ", "");
  }
  for (uint32_t i = d->calls.first[function + 1]; i-- > d->calls.first[function];)
    dump_add_number(d, d->calls.to[i], " ", "");
}

/* U11: jump slots are entries unless the program has exactly one kernel, those that no file defines among them (L1625). */
static bool dump_is_stub(const dump *d, uint32_t function) {
  const tl_module *const module = d->module;
  const uint32_t symbol = module->symbol_of_function[function];
  const bool single = d->mentioned ? module->entries.count + d->mentioned == 1 : tl_module_has_single_kernel(module);
  return symbol != TL_NONE && tl_module_is_stub(module, symbol) && !single;
}

static size_t dump_count_mentioned(const tl_module *module, const tl_graph *graph) {
  size_t count = 0;
  for (uint32_t f = 0; f < graph->function_count; f++)
    count += module->resolution->functions.items[f].live &&
             diagnose_is_mentioned_kernel(module, &module->resolution->functions.items[f]);
  return count;
}

static void dump_function(dump *d, uint32_t function) {
  const tl_function *const f = &d->module->resolution->functions.items[function];
  dump_add_number(d, function, "", ": ");
  if (!f->live) {
    dump_end_line(d);
    return;
  }
  if (tl_diagnose_is_kernel(d->module, function) || dump_is_stub(d, function))
    dump_add(d, "^");
  if (d->taken[function])
    dump_add(d, "&");
  dump_add(d, tl_demangle(d->arena, tl_module_text(d->module, f->name)));
  if (d->resources->has_registers[function])
    dump_add(d, tl_arena_format(d->arena, " [%s]", tl_arena_signed(d->arena, d->resources->registers[function])));
  dump_add(d, " ->");
  dump_callees(d, function);
  dump_end_line(d);
}

/* What is no function (L526) nvlink names by its value, as if that were a function's number (L1188). */
static uint32_t dump_callee(const dump *d, uint32_t file, uint32_t symbol) {
  const uint32_t function = d->module->resolution->bodies[file][symbol].function;
  return function == TL_NONE ? (uint32_t)d->module->files[file].symbols[symbol].value - 1 : function;
}

/* One file's calls from live functions. The module has none to deleted functions (D58), which the dump still names. */
static void dump_read_calls(const dump *d, uint32_t file, tl_edges *calls) {
  const tl_cubin *const cubin = &d->module->files[file];
  const tl_resolution *const resolution = d->module->resolution;
  for (uint32_t s = 1; s < cubin->section_count; s++) {
    uint64_t position = 0;
    uint32_t part = 0, words[2];
    if (cubin->sections[s].type != SHT_CUDA_CALLGRAPH)
      continue;
    while (tl_callgraph_next(&cubin->sections[s], &position, &part, words)) {
      if (part != CALLGRAPH_CALL || !tl_bodies_record_counts(resolution, file, words[0], position - 8))
        continue;
      const tl_body *const from = &resolution->bodies[file][words[0]];
      if (!tl_body_loses(from) && resolution->functions.items[from->function].live)
        *tl_vector_push(d->arena, calls) = (tl_edge){from->function, dump_callee(d, file, words[1])};
    }
  }
}

/* Brings the candidates of each prototype into creation order in one pass over all functions. */
static void dump_order_candidates(dump *d) {
  const tl_graph *const g = d->graph;
  tl_edges of_function = {0};
  for (uint32_t p = g->function_count; p < g->node_count; p++)
    for (uint32_t j = g->takers.first[p]; j < g->takers.first[p + 1]; j++)
      *tl_vector_push(d->arena, &of_function) = (tl_edge){g->takers.to[j], p};
  const tl_successors prototypes = tl_successors_make(d->arena, &of_function, g->function_count);
  uint32_t *const next = tl_arena_copy(d->arena, g->takers.first, ((size_t)g->node_count + 1) * sizeof *next);
  d->candidates = tl_arena_new(d->arena, uint32_t, of_function.count);
  for (uint32_t f = 0; f < g->function_count; f++)
    for (uint32_t i = prototypes.first[f]; i < prototypes.first[f + 1]; i++)
      d->candidates[next[prototypes.to[i]]++] = f;
}

void tl_diagnose_callgraph(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                           tl_arena *arena) {
  if (!module->options->dump_callgraph)
    return;
  if (!module->file_count) {
    tl_diagnostics_add_plain(module->diagnostics, "No relocatable objects found. Did not generate callgraph.");
    return;
  }
  dump d = {.module = module,
            .graph = graph,
            .resources = resources,
            .arena = arena,
            .mentioned = dump_count_mentioned(module, graph),
            .taken = tl_arena_new(arena, bool, graph->function_count)};
  tl_diagnose_find_taken(module, d.taken);
  dump_order_candidates(&d);
  tl_edges calls = {0};
  for (uint32_t file = 0; file < module->file_count; file++)
    dump_read_calls(&d, file, &calls);
  d.calls = tl_successors_make(arena, &calls, graph->function_count);
  tl_diagnostics_add_plain(module->diagnostics,
                           tl_arena_format(arena, "callgraph for sm_%u:", (unsigned)module->arch)); /* L250 */
  tl_diagnostics_add_plain(module->diagnostics, "# A: s -> B // s (number A) potentially calls B");
  tl_diagnostics_add_plain(module->diagnostics, "# s [N]     // s uses N registers");
  tl_diagnostics_add_plain(module->diagnostics, "# ^s        // s is entry point");
  tl_diagnostics_add_plain(module->diagnostics, "# &s        // s has address taken");
  for (uint32_t f = 0; f < graph->function_count; f++)
    dump_function(&d, f);
}
