/* The call graph of the output: direct calls, and indirect calls by prototype (G2, W6.5).
 *
 * A prototype is a node of its own between the functions that call through it and those whose address is taken with
 * it, so the graph is linear in its records. Strongly connected components give what spreads as a maximum or a sum
 * along paths in one pass over the condensed graph; no recursion on the depth of the calls. */
#ifndef TL_GRAPH_GRAPH_H
#define TL_GRAPH_GRAPH_H

#include "merge/module.h"

/* Successors grouped by node: those of node n are to[first[n]] .. to[first[n + 1]]. */
typedef struct tl_successors {
  uint32_t *first, *to;
} tl_successors;

typedef struct tl_graph {
  const tl_module *module;
  uint32_t function_count;                /* nodes 0 .. function_count - 1: the resolution's functions */
  uint32_t node_count;                    /* then one node a prototype */
  tl_successors callees;                  /* of every node, direct calls in record order */
  tl_successors direct, indirect, takers; /* function to function, function to prototype, prototype to function */
  uint32_t *order;                        /* nodes, callees before callers (members of one component together) */
  uint32_t *component;                    /* by node */
  uint32_t component_count;
  bool *cyclic; /* by node: a cycle can be reached from it */
} tl_graph;

/* The condensed graph cut down to what leads to some functions, so that a walk sees only these and the places where ways
 * part: a long chain of calls to one of them is one step. */
typedef struct tl_leads {
  uint32_t *next; /* by component: where a walk goes on from there; TL_NONE when nothing is to be found; or NULL */
  tl_successors members; /* by component: its functions that are looked for */
  tl_successors ways;    /* by component: the components to go on to, each once */
} tl_leads;

/* What tl_graph_reach needs between calls. */
typedef struct tl_reach {
  uint32_t *stamp; /* by node */
  uint32_t round;
  uint32_t *list; /* reached functions, in no particular order */
  uint32_t *stack;
  uint32_t count;
} tl_reach;

void tl_graph_build(tl_graph *graph, const tl_module *module, tl_arena *arena);
void tl_reach_init(tl_reach *reach, const tl_graph *graph, tl_arena *arena);
/* Fills reach->list with `function` and everything it can call. */
void tl_graph_reach(const tl_graph *graph, uint32_t function, tl_reach *reach);
/* The leads to the functions whose `wanted` is not 0. */
tl_leads tl_graph_leads(const tl_graph *graph, const uint32_t *wanted, tl_arena *arena);
/* Fills reach->list with those of them that `function` can reach, itself included. */
void tl_graph_reach_along(const tl_graph *graph, uint32_t function, const tl_leads *leads, tl_reach *reach);
/* True for a node that a call leads back to. */
bool tl_graph_is_recursive(const tl_graph *graph, uint32_t node);
/* By node: the bits of everything that can be reached from it, itself included, in one pass over the condensed graph.
 * `own` has an entry for every function. */
uint32_t *tl_graph_collect(const tl_graph *graph, const uint32_t *own, tl_arena *arena);
/* The same for the largest value. */
uint32_t *tl_graph_most(const tl_graph *graph, const uint32_t *own, tl_arena *arena);
/* Of what tl_graph_most found, the largest of what a node calls: its own counts only where a call leads back to it. */
uint32_t tl_graph_most_called(const tl_graph *graph, const uint32_t *most, uint32_t node);
tl_successors tl_successors_make(tl_arena *arena, const tl_edges *edges, uint32_t sources);

#endif
