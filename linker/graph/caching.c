/* Two kinds of records of the module's .nv.info that no compiler of today writes: LOAD_CACHE_REQUEST {function, value}, of
 * which kernels get EXPLICIT_CACHING (I27, L260), and SAM_REGION_STACK_SIZE {function, value}, whose largest value below a
 * kernel becomes a record of the kernel (I26a, L261). */
#include "base/bytes.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "graph/resources.h"

/* What a request says, as a bit; 0 where there is none. */
enum { CACHING_OFF = 1, CACHING_ON = 2 };

typedef struct caching_request {
  uint32_t function, says, next; /* the function's next one, + 1 */
} caching_request;

typedef struct caching {
  tl_resources *resources;
  const tl_module *module;
  const tl_graph *graph;
  tl_arena *arena;
  uint32_t *request;                /* by function: the last one */
  uint32_t *kinds;                  /* by function: what any of them says */
  uint32_t *times;                  /* by function: requests whose value is not 0 */
  TL_VECTOR(caching_request) asking; /* in the order in which they were read */
  const uint32_t *below;            /* by node: the kinds of everything that can be reached */
  uint32_t *own;                    /* by function: its first in `asking`, + 1 */
  uint32_t *last;                   /* ... its last */
  tl_leads leads[2];                /* to the functions that say off, and to those that say on */
  uint32_t *first[2];               /* by node: the first of them that can be reached, as its distance from the last possible one */
} caching;

/* The output function that a record of one of these kinds has a value of; TL_NONE. All of both kinds have a symbol. */
static uint32_t caching_function(const tl_module *module, const tl_attribute *record, uint8_t code) {
  return record->code == code && record->size >= 8 ? module->symbols.items[record->symbol].function : TL_NONE;
}

static void caching_add(caching *c, uint32_t function, bool on) {
  const uint32_t says = on ? CACHING_ON : CACHING_OFF;
  *tl_vector_push(c->arena, &c->asking) = (caching_request){.function = function, .says = says};
  const uint32_t number = (uint32_t)c->asking.count;
  if (c->last[function])
    c->asking.items[c->last[function] - 1].next = number;
  else
    c->own[function] = number;
  c->last[function] = number;
  c->request[function] = says;
  c->kinds[function] |= says;
  c->times[function] += on;
}

static void caching_read_list(caching *c, const tl_attributes *list) {
  for (size_t i = 0; i < list->count; i++) {
    const tl_attribute *const record = &list->items[i];
    const uint32_t function = caching_function(c->module, record, EIATTR_LOAD_CACHE_REQUEST);
    if (function != TL_NONE)
      caching_add(c, function, tl_get32(record->data + 4) != 0);
  }
}

/* Those that stand in a function's list count, too (L546). */
static void caching_read(caching *c) {
  caching_read_list(c, &c->module->attributes);
  for (uint32_t i = 1; i < c->module->sections.count; i++)
    if (c->module->sections.items[i].type == SHT_CUDA_INFO && i != c->module->info)
      caching_read_list(c, &c->module->sections.items[i].attributes);
}

static void caching_conflict(caching *c, uint32_t kernel, uint32_t first, uint32_t place) {
  *tl_vector_push(c->arena, &c->resources->cache_conflicts) = (tl_cache_conflict){
      .place = place, .kernel = kernel, .first = first, .second = c->asking.items[place].function};
}

/* With one kernel all requests count, in order, its own where it calls itself: with a request of its own each that says
 * otherwise is a conflict, without one only the first that says other than those before it. */
static void caching_compare_all(caching *c, uint32_t kernel, uint32_t own) {
  uint32_t first = TL_NONE;
  for (uint32_t i = 0; i < c->asking.count; i++) {
    const caching_request *const asked = &c->asking.items[i];
    if (c->request[own]) {
      if (asked->says != c->request[own] && (asked->function != own || tl_graph_calls_itself(c->graph, own)))
        caching_conflict(c, kernel, own, i);
      continue;
    }
    first = first == TL_NONE ? i : first;
    if (asked->says == c->asking.items[first].says)
      continue;
    caching_conflict(c, kernel, c->asking.items[first].function, i);
    return;
  }
}

/* With several kernels the same of what the kernel reaches; without a request of its own the first of each kind says it
 * all. */
static void caching_compare_requests(caching *c, uint32_t kernel, uint32_t own, tl_reach *reach) {
  if (!c->request[own]) {
    const uint32_t off = UINT32_MAX - c->first[0][own], on = UINT32_MAX - c->first[1][own];
    caching_conflict(c, kernel, c->asking.items[off < on ? off : on].function, off < on ? on : off);
    return;
  }
  const uint32_t other = c->request[own] == CACHING_ON ? CACHING_OFF : CACHING_ON;
  tl_graph_reach_along(c->graph, own, &c->leads[other == CACHING_ON], reach);
  for (uint32_t i = 0; i < reach->count; i++) {
    const uint32_t function = reach->list[i];
    if (function == own && !tl_graph_calls_itself(c->graph, own))
      continue;
    for (uint32_t place = c->own[function]; place; place = c->asking.items[place - 1].next)
      if (c->asking.items[place - 1].says == other)
        caching_conflict(c, kernel, own, place - 1);
  }
}

/* Of each kind, off and on: the leads to its functions, and by node the first of its requests as its distance from the
 * last. */
static void caching_find_kinds(caching *c) {
  const size_t functions = c->graph->function_count;
  for (int kind = 0; kind < 2; kind++) {
    uint32_t *const own = tl_arena_new(c->arena, uint32_t, functions);
    for (uint32_t i = (uint32_t)c->asking.count; i-- > 0;)
      if (c->asking.items[i].says == (kind ? CACHING_ON : CACHING_OFF))
        own[c->asking.items[i].function] = UINT32_MAX - i;
    c->leads[kind] = tl_graph_leads(c->graph, own, c->arena);
    c->first[kind] = tl_graph_most(c->graph, own, c->arena);
  }
}

static uint32_t caching_all(const caching *c) {
  uint32_t all = 0;
  for (uint32_t i = 0; i < c->asking.count; i++)
    all |= c->asking.items[i].says;
  return all;
}

static void caching_store(caching *c, uint32_t kernel, tl_reach *reach) {
  static const uint8_t nothing[2] = {0};
  const tl_module *const module = c->module;
  const tl_symbol *const symbol = &module->symbols.items[module->entries.items[kernel]];
  const uint32_t own = c->request[symbol->function];
  const uint32_t below = tl_module_has_single_kernel(module) ? caching_all(c) : c->below[symbol->function];
  if (below == (CACHING_OFF | CACHING_ON) && tl_module_has_single_kernel(module))
    caching_compare_all(c, kernel, symbol->function);
  else if (below == (CACHING_OFF | CACHING_ON))
    caching_compare_requests(c, kernel, symbol->function, reach);
  uint32_t times = below == CACHING_ON;
  if (own)
    times = own == CACHING_ON ? c->times[symbol->function] : 0;
  const uint32_t info = module->sections.items[symbol->section].info;
  if (info == TL_NONE) /* a second name of a kernel that is not named (W17.12) */
    return;
  for (uint32_t i = 0; i < times; i++)
    *tl_vector_push(c->arena, &c->resources->sections[info]) = (tl_attribute){
        .format = 1, .code = EIATTR_EXPLICIT_CACHING, .size = sizeof nothing, .data = nothing, .symbol = TL_NONE};
}

/* Request by request, the kernels last created first (L260, L1374). */
static int caching_compare_conflicts(const void *a, const void *b) {
  const tl_cache_conflict *const first = a, *const second = b;
  const uint64_t pairs[][2] = {{first->place, second->place}, {second->kernel, first->kernel}};
  return tl_compare_pairs(pairs, 2);
}

void tl_spread_caching(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  const size_t nodes = graph->node_count;
  caching c = {.resources = resources, .module = module, .graph = graph, .arena = arena};
  c.request = tl_arena_new(arena, uint32_t, nodes);
  c.times = tl_arena_new(arena, uint32_t, nodes);
  c.kinds = tl_arena_new(arena, uint32_t, nodes);
  c.own = tl_arena_new(arena, uint32_t, nodes);
  c.last = tl_arena_new(arena, uint32_t, nodes);
  caching_read(&c);
  if (!c.asking.count)
    return;
  c.below = tl_graph_collect(graph, c.kinds, arena);
  caching_find_kinds(&c);
  tl_reach reach;
  tl_reach_init(&reach, graph, arena);
  for (uint32_t k = 0; k < module->entries.count; k++)
    caching_store(&c, k, &reach);
  tl_vector_sort(&resources->cache_conflicts, caching_compare_conflicts);
}

/* What the records of a list say of functions; true where one does. */
static bool caching_read_sam(const tl_module *module, const tl_attributes *list, uint32_t *own) {
  bool any = false;
  for (size_t i = 0; i < list->count; i++) {
    const tl_attribute *const record = &list->items[i];
    const uint32_t function = caching_function(module, record, EIATTR_SAM_REGION_STACK_SIZE);
    if (function == TL_NONE || (list == &module->attributes && !tl_attribute_stands(module, list, i)))
      continue;
    own[function] = (uint32_t)tl_larger(tl_get32(record->data + 4), own[function]);
    any = true;
  }
  return any;
}

/* The largest value of the functions that each node calls and of those that they reach, which a node is, too, that lies on a
 * cycle (L1365). Records among a function's attributes count, too (L1254). */
uint32_t *tl_find_sam_stacks(const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  uint32_t *const own = tl_arena_new(arena, uint32_t, graph->node_count);
  bool any = caching_read_sam(module, &module->attributes, own);
  for (uint32_t i = 1; i < module->sections.count; i++)
    any |= caching_read_sam(module, &module->sections.items[i].attributes, own);
  if (!any)
    return NULL;
  const uint32_t *const reached = tl_graph_most(graph, own, arena);
  uint32_t *const below = tl_arena_new(arena, uint32_t, graph->node_count);
  for (uint32_t node = 0; node < graph->node_count; node++)
    for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++)
      below[node] = (uint32_t)tl_larger(reached[graph->callees.to[e]], below[node]);
  return below;
}
