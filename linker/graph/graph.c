/* Building and condensing the call graph of graph/graph.h (Tarjan's algorithm with a stack of its own). */
#include "graph/graph.h"

#include "base/bytes.h"

#include <assert.h>

tl_successors tl_successors_make(tl_arena *arena, const tl_edges *edges, uint32_t sources) {
  tl_successors s = {tl_arena_new(arena, uint32_t, (size_t)sources + 2), NULL};
  if (!edges->count) /* as many lists are */
    return s;
  s.to = tl_arena_take_bare(arena, edges->count, sizeof *s.to);
  uint32_t *const next = s.first + 1; /* where a source's begin while they are placed, and end behind that */
  for (size_t i = 0; i < edges->count; i++)
    next[edges->items[i].from + 1]++;
  for (uint32_t i = 0; i < sources; i++)
    next[i + 1] += next[i];
  for (size_t i = 0; i < edges->count; i++)
    s.to[next[edges->items[i].from]++] = edges->items[i].to;
  return s;
}

/* Gives every prototype that the call graph uses a node, and returns the edges with those numbers. */
static tl_edges graph_number_prototypes(tl_graph *graph, tl_map *numbers, const tl_edges *records, tl_arena *arena) {
  tl_edges edges = {.items = tl_arena_new(arena, tl_edge, records->count)};
  for (size_t i = 0; i < records->count; i++) {
    uint32_t node = tl_map_get(numbers, records->items[i].to);
    if (node == TL_NONE) {
      node = graph->node_count++;
      tl_map_set(numbers, records->items[i].to, node);
    }
    edges.items[edges.count++] = (tl_edge){records->items[i].from, node};
  }
  return edges;
}

typedef struct condenser {
  tl_graph *graph;
  uint32_t *index, *low;  /* 0: not visited */
  uint32_t *path;         /* Tarjan's stack of nodes without a component */
  uint32_t *calls, *next; /* the walk's own stack: node, and the position among its successors */
  uint32_t visited, path_count, call_count, done;
} condenser;

static void condense_enter(condenser *c, uint32_t node) {
  assert(c->graph->callees.first);
  c->index[node] = c->low[node] = ++c->visited;
  c->path[c->path_count++] = node;
  c->calls[c->call_count] = node;
  c->next[c->call_count++] = c->graph->callees.first[node];
}

static void condense_close(condenser *c, uint32_t node) {
  tl_graph *const g = c->graph;
  const uint32_t component = g->component_count++;
  const uint32_t start = c->done;
  uint32_t member;
  do {
    member = c->path[--c->path_count];
    g->component[member] = component;
    g->order[c->done++] = member;
  } while (member != node);
  bool cyclic = c->done - start > 1;
  for (uint32_t i = start; i < c->done; i++)
    for (uint32_t e = g->callees.first[g->order[i]]; e < g->callees.first[g->order[i] + 1]; e++)
      cyclic |= g->callees.to[e] == g->order[i] || g->cyclic[g->callees.to[e]];
  for (uint32_t i = start; i < c->done; i++)
    g->cyclic[g->order[i]] = cyclic;
}

static void condense_from(condenser *c, uint32_t root) {
  condense_enter(c, root);
  while (c->call_count) {
    const uint32_t node = c->calls[c->call_count - 1];
    if (c->next[c->call_count - 1] < c->graph->callees.first[node + 1]) {
      const uint32_t callee = c->graph->callees.to[c->next[c->call_count - 1]++];
      if (!c->index[callee])
        condense_enter(c, callee);
      else if (c->graph->component[callee] == TL_NONE)
        c->low[node] = (uint32_t)tl_smaller(c->index[callee], c->low[node]);
      continue;
    }
    c->call_count--;
    if (c->low[node] == c->index[node])
      condense_close(c, node);
    if (c->call_count) {
      const uint32_t caller = c->calls[c->call_count - 1];
      c->low[caller] = (uint32_t)tl_smaller(c->low[node], c->low[caller]);
    }
  }
}

static void graph_condense(tl_graph *graph, tl_arena *arena) {
  const size_t count = graph->node_count;
  graph->order = tl_arena_new(arena, uint32_t, count);
  graph->component = tl_arena_new_bare(arena, uint32_t, count);
  graph->cyclic = tl_arena_new(arena, bool, count);
  for (size_t i = 0; i < count; i++)
    graph->component[i] = TL_NONE;
  enum { LISTS = 5 };
  uint32_t *const lists = tl_arena_new(arena, uint32_t, LISTS *count);
  condenser c = {.graph = graph,
                 .index = lists,
                 .low = lists + count,
                 .path = lists + 2 * count,
                 .calls = lists + 3 * count,
                 .next = lists + 4 * count};
  for (uint32_t node = 0; node < graph->node_count; node++)
    if (!c.index[node])
      condense_from(&c, node);
}

/* From prototypes to those who have them: nobody calls by a prototype a function that has no record with one (L618). */
static void graph_turn_takers(tl_edges *takers, const bool *untyped) {
  size_t count = 0;
  for (size_t i = 0; i < takers->count; i++)
    if (!untyped[takers->items[i].from])
      takers->items[count++] = (tl_edge){takers->items[i].to, takers->items[i].from};
  takers->count = count;
}

void tl_graph_build(tl_graph *graph, const tl_module *module, tl_arena *arena) {
  *graph = (tl_graph){.module = module, .function_count = (uint32_t)module->resolution->functions.count};
  graph->node_count = graph->function_count;
  tl_map numbers;
  tl_map_init(&numbers, arena);
  const tl_edges indirect = graph_number_prototypes(graph, &numbers, &module->indirect_calls, arena);
  tl_edges takers = graph_number_prototypes(graph, &numbers, &module->taken, arena);
  graph_turn_takers(&takers, module->untyped);
  const tl_edges *const calls = module->walked_calls.count ? &module->walked_calls : &module->calls;
  const tl_edges *const parts[] = {calls, &indirect, &takers};
  tl_edges all = {.items = tl_arena_new(arena, tl_edge, calls->count + indirect.count + takers.count)};
  for (int part = 0; part < 3; part++)
    for (size_t i = 0; i < parts[part]->count; i++)
      all.items[all.count++] = parts[part]->items[i];
  graph->callees = tl_successors_make(arena, &all, graph->node_count);
  graph->direct = tl_successors_make(arena, calls, graph->node_count);
  graph->indirect = tl_successors_make(arena, &indirect, graph->node_count);
  graph->takers = tl_successors_make(arena, &takers, graph->node_count);
  graph_condense(graph, arena);
}

void tl_reach_init(tl_reach *reach, const tl_graph *graph, tl_arena *arena) {
  const size_t count = graph->node_count;
  *reach = (tl_reach){.stamp = tl_arena_new(arena, uint32_t, count),
                      .list = tl_arena_new(arena, uint32_t, count),
                      .stack = tl_arena_new(arena, uint32_t, count)};
}

void tl_graph_reach(const tl_graph *graph, uint32_t function, tl_reach *reach) {
  uint32_t depth = 0;
  reach->round++;
  reach->count = 0;
  reach->stamp[function] = reach->round;
  reach->stack[depth++] = function;
  while (depth) {
    const uint32_t node = reach->stack[--depth];
    if (node < graph->function_count)
      reach->list[reach->count++] = node;
    for (uint32_t i = graph->callees.first[node]; i < graph->callees.first[node + 1]; i++) {
      const uint32_t callee = graph->callees.to[i];
      if (reach->stamp[callee] == reach->round)
        continue;
      reach->stamp[callee] = reach->round;
      reach->stack[depth++] = callee;
    }
  }
}

/* --- leads --- */

typedef struct leader {
  const tl_graph *graph;
  tl_leads leads;
  tl_edges members, ways;
  uint32_t *stamp; /* by component: the one that has it among its ways, + 1 */
  tl_arena *arena;
} leader;

/* The ways out of one node of a component. */
static void leads_add_ways(leader *l, uint32_t node) {
  const tl_graph *const g = l->graph;
  const uint32_t component = g->component[node];
  for (uint32_t e = g->callees.first[node]; e < g->callees.first[node + 1]; e++) {
    const uint32_t to = l->leads.next[g->component[g->callees.to[e]]];
    if (g->component[g->callees.to[e]] == component || to == TL_NONE || l->stamp[to] == component + 1)
      continue;
    l->stamp[to] = component + 1;
    *tl_vector_push(l->arena, &l->ways) = (tl_edge){component, to};
  }
}

/* Where a walk goes on from a component: right behind it when there is nothing in it and only one way. */
static void leads_close(leader *l, uint32_t component, size_t members, size_t ways) {
  const bool empty = l->members.count == members;
  l->leads.next[component] = component;
  if (empty && l->ways.count == ways)
    l->leads.next[component] = TL_NONE;
  else if (empty && l->ways.count == ways + 1)
    l->leads.next[component] = l->ways.items[--l->ways.count].to;
}

static bool leads_are_wanted(const tl_graph *graph, const uint32_t *wanted) {
  for (uint32_t f = 0; f < graph->function_count; f++)
    if (wanted[f])
      return true;
  return false;
}

tl_leads tl_graph_leads(const tl_graph *graph, const uint32_t *wanted, tl_arena *arena) {
  leader l = {.graph = graph, .arena = arena};
  if (!leads_are_wanted(graph, wanted)) /* as in most links: no memory for it */
    return l.leads;
  l.leads.next = tl_arena_new(arena, uint32_t, graph->component_count);
  l.stamp = tl_arena_new(arena, uint32_t, graph->component_count);
  for (uint32_t i = 0; i < graph->node_count;) {
    const uint32_t component = graph->component[graph->order[i]];
    const size_t members = l.members.count, ways = l.ways.count;
    for (; i < graph->node_count && graph->component[graph->order[i]] == component; i++) {
      const uint32_t node = graph->order[i];
      if (node < graph->function_count && wanted[node])
        *tl_vector_push(arena, &l.members) = (tl_edge){component, node};
      leads_add_ways(&l, node);
    }
    leads_close(&l, component, members, ways);
  }
  l.leads.members = tl_successors_make(arena, &l.members, graph->component_count);
  l.leads.ways = tl_successors_make(arena, &l.ways, graph->component_count);
  return l.leads;
}

bool tl_graph_is_recursive(const tl_graph *graph, uint32_t node) {
  for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++)
    if (graph->component[graph->callees.to[e]] == graph->component[node])
      return true;
  return false;
}

void tl_graph_reach_along(const tl_graph *graph, uint32_t function, const tl_leads *leads, tl_reach *reach) {
  const uint32_t start = leads->next ? leads->next[graph->component[function]] : TL_NONE;
  uint32_t depth = 0;
  reach->round++;
  reach->count = 0;
  if (start == TL_NONE)
    return;
  reach->stamp[start] = reach->round;
  reach->stack[depth++] = start;
  while (depth) {
    const uint32_t component = reach->stack[--depth];
    for (uint32_t i = leads->members.first[component]; i < leads->members.first[component + 1]; i++)
      reach->list[reach->count++] = leads->members.to[i];
    for (uint32_t i = leads->ways.first[component]; i < leads->ways.first[component + 1]; i++) {
      const uint32_t to = leads->ways.to[i];
      if (reach->stamp[to] == reach->round)
        continue;
      reach->stamp[to] = reach->round;
      reach->stack[depth++] = to;
    }
  }
}

/* --- gathering --- */

static uint32_t graph_or(uint32_t a, uint32_t b) {
  return a | b;
}

static uint32_t graph_larger(uint32_t a, uint32_t b) {
  return (uint32_t)tl_larger(a, b);
}

static uint32_t *graph_gather(const tl_graph *graph, const uint32_t *own, uint32_t (*join)(uint32_t, uint32_t),
                              tl_arena *arena) {
  uint32_t *const of_component = tl_arena_new(arena, uint32_t, graph->component_count);
  uint32_t *const result = tl_arena_new(arena, uint32_t, graph->node_count);
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const uint32_t node = graph->order[i];
    uint32_t *const gathered = &of_component[graph->component[node]];
    *gathered = join(*gathered, node < graph->function_count ? own[node] : 0);
    for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++)
      *gathered = join(*gathered, of_component[graph->component[graph->callees.to[e]]]);
  }
  for (uint32_t node = 0; node < graph->node_count; node++)
    result[node] = of_component[graph->component[node]];
  return result;
}

uint32_t *tl_graph_collect(const tl_graph *graph, const uint32_t *own, tl_arena *arena) {
  return graph_gather(graph, own, graph_or, arena);
}

uint32_t *tl_graph_most(const tl_graph *graph, const uint32_t *own, tl_arena *arena) {
  return graph_gather(graph, own, graph_larger, arena);
}

uint32_t tl_graph_most_called(const tl_graph *graph, const uint32_t *most, uint32_t node) {
  uint32_t called = 0;
  for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++)
    called = (uint32_t)tl_larger(most[graph->callees.to[e]], called);
  return called;
}
