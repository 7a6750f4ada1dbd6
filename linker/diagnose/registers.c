/* The walk that carries register counts to kernels (C82, E34).
 *
 * nvlink takes the functions in the order of their text sections and, for each, the kernels last first; a kernel that
 * reaches the function and has fewer registers so far takes its count (L40, L41). So what one kernel is told are the
 * strict maxima, in text order, of the counts of all that it reaches, as far as they are above its own. These stairs are
 * handed up from callees to callers, one for each component of the call graph, and shared where a caller adds nothing. A
 * count of registers has eight bits, so stairs are short; in damaged files they can be long, and then are not kept but
 * found for each kernel anew. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "diagnose/diagnose.h"
#include "emit/demangle.h"
#include "graph/live.h"

#include <string.h>

/* A kernel takes the count of a function. Ascending keys are nvlink's order: text position of the function, then the
 * kernels as functions, last created first: a second name stands at its own place among them (L1183). */
typedef struct raise {
  uint64_t key;
  uint32_t kernel, entry, function; /* function; position in module->entries; function */
  uint32_t limit;                   /* of the kernel */
} raise;
typedef TL_VECTOR(raise) raise_vector;

static int raise_compare(const void *a, const void *b) {
  const uint64_t first = ((const raise *)a)->key, second = ((const raise *)b)->key;
  return tl_compare(first, second);
}

/* L440: the kernel's last MAXREG_COUNT; UINT32_MAX when it has none, or one of 0, or no attributes at all. A second name
 * has none: its kernel's does not count for it (L1181). */
static uint32_t registers_limit(const tl_module *module, uint32_t kernel) {
  const uint32_t text = module->symbols.items[kernel].section;
  const uint32_t info = module->sections.items[text].info;
  if (info == TL_NONE || module->sections.items[text].owner != kernel) /* a second name has none (L1167) */
    return UINT32_MAX;
  const tl_attributes *const list = &module->sections.items[info].attributes;
  for (size_t i = list->count; i-- > 0;)
    if (list->items[i].code == EIATTR_MAXREG_COUNT) {
      const uint32_t limit = tl_attribute_byte(&list->items[i]);
      return limit ? limit : UINT32_MAX;
    }
  return UINT32_MAX;
}

/* Position of every function's text among the sections; 0 for a function without one. */
static uint32_t *registers_text_positions(const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  uint32_t *const position = tl_arena_new(arena, uint32_t, graph->function_count);
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const uint32_t owner = module->sections.items[i].owner;
    if (owner != TL_NONE) /* a function */
      position[module->symbols.items[owner].function] = i;
  }
  return position;
}

/* --- stairs --- */

/* Positions and counts both ascend. */
typedef struct stair {
  uint32_t position, function;
  uint32_t count; /* of registers */
} stair;

typedef struct stairs {
  const stair *steps;
  uint32_t count;
  bool long_; /* more than are kept */
} stairs;

enum { STAIRS_MOST = 256 };

typedef struct stairs_of_all {
  const tl_graph *graph;
  const tl_resources *resources;
  const uint32_t *position; /* by function */
  stairs *of_component;
  stair *rooms[2]; /* for a component's stairs while they grow */
  tl_arena *arena;
} stairs_of_all;

/* Joins two stairs into the room that `a` does not stand in; the result is one of them where the other adds nothing. */
static stairs stairs_join(stairs_of_all *all, const stairs *a, const stairs *b) {
  stair *const room = all->rooms[a->steps == all->rooms[0]];
  uint32_t count = 0, most = 0, i = 0, j = 0;
  bool of_a = false, of_b = false;
  while ((i < a->count || j < b->count) && count < STAIRS_MOST) {
    const bool first = j == b->count || (i < a->count && a->steps[i].position <= b->steps[j].position);
    const stair *const step = first ? &a->steps[i++] : &b->steps[j++];
    if (step->count <= most)
      continue;
    most = step->count;
    room[count++] = *step;
    of_a |= first;
    of_b |= !first;
  }
  if (!of_b) /* counts ascend, so that all of the other's are here */
    return *a;
  if (!of_a)
    return *b;
  return (stairs){room, count, count == STAIRS_MOST};
}

static void stairs_add(stairs_of_all *all, stairs *to, const stairs *from) {
  if (to->long_ || from->long_)
    to->long_ = true;
  else if (to->steps != from->steps)
    *to = stairs_join(all, to, from);
}

/* What a node and its callees add to its component. */
static void stairs_add_node(stairs_of_all *all, uint32_t node, stairs *to) {
  const tl_graph *const g = all->graph;
  if (node < g->function_count && all->position[node] && all->resources->registers[node]) { /* L1074 */
    const stair own = {all->position[node], node, all->resources->registers[node]};
    stairs_add(all, to, &(stairs){tl_arena_copy(all->arena, &own, sizeof own), 1, false});
  }
  for (uint32_t e = g->callees.first[node]; e < g->callees.first[node + 1]; e++)
    if (g->component[g->callees.to[e]] != g->component[node])
      stairs_add(all, to, &all->of_component[g->component[g->callees.to[e]]]);
}

static void stairs_find(stairs_of_all *all) {
  const tl_graph *const g = all->graph;
  all->of_component = tl_arena_new(all->arena, stairs, g->component_count);
  for (int i = 0; i < 2; i++)
    all->rooms[i] = tl_arena_new(all->arena, stair, STAIRS_MOST);
  for (uint32_t i = 0; i < g->node_count;) {
    const uint32_t component = g->component[g->order[i]];
    stairs found = {NULL, 0, false};
    for (; i < g->node_count && g->component[g->order[i]] == component; i++)
      stairs_add_node(all, g->order[i], &found);
    if (!found.long_ && (found.steps == all->rooms[0] || found.steps == all->rooms[1]))
      found.steps = tl_arena_copy(all->arena, found.steps, found.count * sizeof *found.steps);
    all->of_component[component] = found;
  }
}

/* --- what kernels are told --- */

/* Sorts what a kernel could be told, from `start` on, and cuts it down to the strict maxima. */
static void registers_keep_maxima(raise_vector *list, size_t start, uint32_t own, const tl_resources *resources) {
  uint32_t most = own;
  size_t kept = start;
  tl_vector_sort_items(list->items + start, list->count - start, sizeof *list->items, raise_compare);
  for (size_t i = start; i < list->count; i++) {
    if (resources->registers[list->items[i].function] <= most)
      continue;
    most = resources->registers[list->items[i].function];
    list->items[kept++] = list->items[i];
  }
  list->count = kept;
}

/* Appends what kernel number `k` is told: of stairs the steps above its own count. */
static void registers_climb(const stairs *of_kernel, raise told, uint32_t own, raise_vector *raises, tl_arena *arena) {
  for (uint32_t i = 0; i < of_kernel->count; i++) {
    told.key = tl_pair_key(of_kernel->steps[i].position, UINT32_MAX - told.kernel);
    told.function = of_kernel->steps[i].function;
    if (of_kernel->steps[i].count > own)
      *tl_vector_push(arena, raises) = told;
  }
}

/* The same where stairs are too long to be kept. */
static void registers_walk(const stairs_of_all *all, raise told, uint32_t own, tl_reach *reach, raise_vector *raises) {
  const size_t start = raises->count;
  for (uint32_t i = 0; i < reach->count; i++) {
    told.function = reach->list[i];
    told.key = tl_pair_key(all->position[told.function], UINT32_MAX - told.kernel);
    if (all->position[told.function] && all->resources->registers[told.function] > own)
      *tl_vector_push(all->arena, raises) = told;
  }
  registers_keep_maxima(raises, start, own, all->resources);
}

/* A second name has the count of its text's sh_info as others without a record have (L43, L966). */
static uint32_t registers_own(const tl_module *module, const tl_resources *resources, uint32_t kernel) {
  const tl_symbol *const symbol = &module->symbols.items[kernel];
  const tl_section *const text = &module->sections.items[symbol->section];
  return text->owner == kernel || resources->has_registers[symbol->function] ? resources->registers[symbol->function]
                                                                             : text->registers;
}

static raise_vector registers_find(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                                   tl_arena *arena) {
  stairs_of_all all = {.graph = graph, .resources = resources, .arena = arena};
  raise_vector raises = {0};
  tl_reach reach;
  for (uint32_t k = 0; k < module->entries.count; k++) {
    const uint32_t kernel = module->entries.items[k];
    const uint32_t f = module->symbols.items[kernel].function;
    const uint32_t own = registers_own(module, resources, kernel), most = resources->max_registers[f];
    const raise told = {.kernel = f, .entry = k, .limit = registers_limit(module, kernel)};
    if (most <= own || (own && !module->options->dump_callgraph && most <= told.limit))
      continue;
    if (!all.position) {
      all.position = registers_text_positions(module, graph, arena);
      stairs_find(&all);
      tl_reach_init(&reach, graph, arena);
    }
    const stairs *const of_kernel = &all.of_component[graph->component[f]];
    if (!of_kernel->long_) {
      registers_climb(of_kernel, told, own, &raises, arena);
      continue;
    }
    tl_graph_reach(graph, f, &reach);
    registers_walk(&all, told, own, &reach, &raises);
  }
  tl_vector_sort(&raises, raise_compare);
  return raises;
}

static void registers_report(const tl_module *module, const tl_resources *resources, const raise *r, tl_arena *arena) {
  const uint32_t kernel = module->entries.items[r->entry];
  const char *const name = tl_module_text(module, module->symbols.items[kernel].name);
  const char *const callee = tl_module_text(module, module->resolution->functions.items[r->function].name);
  const char *const registers = tl_arena_signed(arena, resources->registers[r->function]);
  if (resources->registers[r->function] > r->limit)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_REGISTERS),
                       (tl_site){NULL, NULL, name, TL_NO_OFFSET}, NULL, name, (uint64_t)r->limit, callee, registers);
  if (module->options->dump_callgraph)
    tl_diagnostics_add_plain(module->diagnostics,
                             tl_arena_format(arena, "regcount %s for %s propagated to entry %s", registers,
                                             tl_demangle(arena, callee), tl_demangle(arena, name)));
}

static void registers_report_missing(const tl_module *module, const char *section, const char *symbol) {
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_NO_REGCOUNT),
                     (tl_site){NULL, section, symbol, TL_NO_OFFSET}, NULL);
}

/* The walk itself. A function without a count when its turn comes ends the link (E60, L43), and so does code of no
 * function (L198); a kernel may have got a count by then. */
void tl_diagnose_registers(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                           tl_arena *arena) {
  const raise_vector raises = registers_find(module, graph, resources, arena);
  bool *const counted = tl_arena_new(arena, bool, graph->function_count);
  size_t next = 0;
  for (uint32_t f = 0; f < graph->function_count; f++)
    counted[f] = resources->registers[f] != 0;
  for (size_t i = 0; i < module->stubs.count; i++)
    counted[module->symbols.items[module->stubs.items[i]].function] = true; /* U11 */
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const tl_section *const section = &module->sections.items[i];
    const uint32_t owner = section->owner;
    if (owner == TL_NONE && section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR)
      registers_report_missing(module, tl_module_text(module, section->name), NULL);
    if (owner == TL_NONE || (section->deserted && tl_defect_matched(module->options, TL_DEFECT_D63))) /* L1255 */
      continue;
    if (!counted[module->symbols.items[owner].function] && !section->bodyless) /* E76 in the end (L464) */
      registers_report_missing(module, NULL, tl_module_text(module, module->symbols.items[owner].name));
    for (; next < raises.count && raises.items[next].key >> 32 == i; next++) {
      counted[raises.items[next].kernel] = true;
      registers_report(module, resources, &raises.items[next], arena);
    }
  }
}
