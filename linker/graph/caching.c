/* Two kinds of records of the module's .nv.info that no compiler of today writes: LOAD_CACHE_REQUEST {function, value}, of
 * which kernels get EXPLICIT_CACHING (I27, L260), and SAM_REGION_STACK_SIZE {function, value}, whose largest value below a
 * kernel becomes a record of the kernel (I26a, L261). */
#include "base/bytes.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "graph/resources.h"

/* What a request says, as a bit. */
enum { CACHING_OFF = 1, CACHING_ON = 2 };

/* A request of a function that can be called. */
typedef struct caching_request {
  uint32_t function, kind;
  uint32_t next; /* the function's next of this kind; TL_NONE */
} caching_request;

typedef struct caching {
  tl_resources *resources;
  const tl_module *module;
  const tl_graph *graph;
  tl_arena *arena;
  TL_VECTOR(caching_request) requests; /* in the order in which they were read */
  uint32_t *request;                   /* by function: the last one's kind; 0 when it has none */
  uint32_t *bits;                      /* by function: what all of them say */
  uint32_t *times;                     /* by function: those that ask for it */
  uint32_t said, of_objects; /* what all requests of the program say together, and those about objects (L1411) */
  const uint32_t *below;     /* by node: the bits of everything that can be reached */
  uint32_t *
      head[2]; /* by function: its first request of each kind, off and on, as its distance from the last possible one */
  tl_leads leads[2];  /* to the functions that have one */
  uint32_t *first[2]; /* by node: the first of them that can be reached, the same way */
} caching;

/* The output function that a record of one of these kinds has a value of; TL_NONE. All of both kinds have a symbol. */
static uint32_t caching_function(const tl_module *module, const tl_attribute *record, uint8_t code) {
  return record->code == code && record->size >= 8 ? module->symbols.items[record->symbol].function : TL_NONE;
}

/* One that the output has for its own sake (L1411, L1586): of shared memory with -g, or a hidden one, but for what nothing refers
 * to in the pool (L1636, L1666); parameters and sections are none. */
static bool caching_is_about_object(const caching *c, uint32_t symbol) {
  const tl_symbol *const s = &c->module->symbols.items[symbol];
  const bool shared = (s->other & STO_SPACE_MASK) == STO_SHARED;
  const bool laid = s->referenced || s->section == TL_NONE || s->section != c->module->debug_shared;
  const bool stays = !shared || (laid && (c->module->extern_by_name || tl_other_is_marked(s->other)));
  return stays && !s->unlisted && tl_type_of(s) != STT_SECTION && (s->other & STO_VISIBILITY_MASK) != STV_INTERNAL;
}

static void caching_read_list(caching *c, const tl_attributes *list) {
  for (size_t i = 0; i < list->count; i++) {
    const tl_attribute *const record = &list->items[i];
    if (record->code != EIATTR_LOAD_CACHE_REQUEST || record->size < 8)
      continue;
    const uint32_t kind = tl_get32(record->data + 4) ? CACHING_ON : CACHING_OFF;
    const uint32_t function = c->module->symbols.items[record->symbol].function;
    if (function == TL_NONE) {
      c->of_objects |= caching_is_about_object(c, record->symbol) ? kind : 0;
      continue;
    }
    c->said |= kind;
    *tl_vector_push(c->arena, &c->requests) = (caching_request){function, kind, TL_NONE};
    c->request[function] = kind;
    c->bits[function] |= kind;
    c->times[function] += kind == CACHING_ON;
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
  *tl_vector_push(c->arena, &c->resources->cache_conflicts) =
      (tl_cache_conflict){.place = place,
                          .kernel = kernel,
                          .order = c->module->symbols.items[c->module->entries.items[kernel]].function,
                          .first = first,
                          .second = c->requests.items[place].function};
}

/* True where requests of a function are set against what the kernel asks for: its own where it reaches itself (L1412). */
static bool caching_counts(const caching *c, uint32_t own, uint32_t function) {
  return function != own || tl_graph_is_recursive(c->graph, own);
}

/* Of what a kernel reaches: with a request of its own each that says otherwise is a conflict, without one the first that says other
 * than those before it, so that the first of each kind says it all. */
static void caching_compare_requests(caching *c, uint32_t kernel, uint32_t own, tl_reach *reach) {
  if (c->request[own]) {
    const int other = c->request[own] == CACHING_ON ? 0 : 1;
    tl_graph_reach_along(c->graph, own, &c->leads[other], reach);
    for (uint32_t i = 0; i < reach->count; i++)
      for (uint32_t at = UINT32_MAX - c->head[other][reach->list[i]];
           at != TL_NONE && caching_counts(c, own, reach->list[i]); at = c->requests.items[at].next)
        caching_conflict(c, kernel, own, at);
    return;
  }
  const uint32_t off = UINT32_MAX - c->first[0][own], on = UINT32_MAX - c->first[1][own];
  caching_conflict(c, kernel, c->requests.items[off < on ? off : on].function, off < on ? on : off);
}

/* Of each kind, off and on: every function's requests, the leads to them, and by node the first. */
static void caching_find_kinds(caching *c) {
  for (int kind = 0; kind < 2; kind++) {
    c->head[kind] = tl_arena_new(c->arena, uint32_t, c->graph->function_count);
    for (uint32_t i = (uint32_t)c->requests.count; i-- > 0;) {
      caching_request *const request = &c->requests.items[i];
      uint32_t *const head = &c->head[kind][request->function];
      if (request->kind != (kind ? CACHING_ON : CACHING_OFF))
        continue;
      request->next = *head ? UINT32_MAX - *head : TL_NONE;
      *head = UINT32_MAX - i;
    }
    c->leads[kind] = tl_graph_leads(c->graph, c->head[kind], c->arena);
    c->first[kind] = tl_graph_most(c->graph, c->head[kind], c->arena);
  }
}

/* How often a kernel gets the record: as often as its own requests ask for it, or once where it has none and all do that it reaches.
 * The only kernel gets it once where all of the program ask, about objects too (L1410, L1411, L1586). */
static uint32_t caching_times(const caching *c, uint32_t function, bool single) {
  if (single && (c->said | c->of_objects) == CACHING_ON)
    return 1;
  if (c->request[function])
    return c->request[function] == CACHING_ON ? c->times[function] : 0;
  return c->below[function] == CACHING_ON;
}

static void caching_store(caching *c, uint32_t kernel, tl_reach *reach) {
  static const uint8_t nothing[2] = {0};
  const tl_module *const module = c->module;
  const tl_symbol *const symbol = &module->symbols.items[module->entries.items[kernel]];
  const bool single = tl_module_has_single_kernel(module);
  if (c->below[symbol->function] == (CACHING_OFF | CACHING_ON))
    caching_compare_requests(c, kernel, symbol->function, reach);
  const uint32_t times = caching_times(c, symbol->function, single);
  const uint32_t info = module->sections.items[symbol->section].info;
  if (info == TL_NONE) /* a second name of a kernel that is not named (W17.12) */
    return;
  for (uint32_t i = 0; i < times; i++)
    *tl_vector_push(c->arena, &c->resources->sections[info]) = (tl_attribute){
        .format = 1, .code = EIATTR_EXPLICIT_CACHING, .size = sizeof nothing, .data = nothing, .symbol = TL_NONE};
}

/* Function by function, the kernels last created first (L260). */
static int caching_compare_conflicts(const void *a, const void *b) {
  const tl_cache_conflict *const first = a, *const second = b;
  const uint64_t pairs[][2] = {{first->place, second->place}, {second->order, first->order}};
  return tl_compare_pairs(pairs, 2);
}

void tl_spread_caching(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  const size_t nodes = graph->node_count;
  caching c = {.resources = resources, .module = module, .graph = graph, .arena = arena};
  c.request = tl_arena_new(arena, uint32_t, nodes);
  c.bits = tl_arena_new(arena, uint32_t, nodes);
  c.times = tl_arena_new(arena, uint32_t, nodes);
  caching_read(&c);
  if (!(c.said | c.of_objects))
    return;
  c.below = tl_graph_collect(graph, c.bits, arena);
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

/* The largest value of the functions that each node can reach, its own only where it can reach itself (L1402). Records among a
 * function's attributes count, too (L1254). */
uint32_t *tl_find_sam_stacks(const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  uint32_t *const own = tl_arena_new(arena, uint32_t, graph->node_count);
  bool any = caching_read_sam(module, &module->attributes, own);
  for (uint32_t i = 1; i < module->sections.count; i++)
    any |= caching_read_sam(module, &module->sections.items[i].attributes, own);
  if (!any)
    return NULL;
  const uint32_t *const most = tl_graph_most(graph, own, arena);
  uint32_t *const called = tl_arena_new(arena, uint32_t, graph->node_count);
  for (uint32_t node = 0; node < graph->node_count; node++)
    called[node] = tl_graph_most_called(graph, most, node);
  return called;
}
