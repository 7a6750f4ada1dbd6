/* The output's call graph, what each kernel reaches, and the two rows about it. */
#include "check_parts.h"

#include "ref_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  PAIR_BYTES = 8,
  PART_DIRECT = 1,
  PART_TAKEN = 2,
  PART_INDIRECT = 3,
  PART_REFERENCED = 4,
  PARTS = 4,
  REGCOUNT = 0x2f,
  FRAME_SIZE = 0x11,
  MIN_STACK_SIZE = 0x12,
  NUM_BARRIERS = 0x4c,
  SYMBOL_MASK = 0xffffff, /* of sh_info of a text; the rest is the register count (F45) */
  STACK_UNKNOWN = 0xffffffffU
};

typedef struct check_pair {
  unsigned part; /* 1 to 4 */
  uint32_t first, second;
} check_pair;

/* F75: a part's header is {0, -part}. False at the end. */
static bool check_next_pair(const ref_section *section, uint64_t *at, check_pair *pair) {
  while (section->data != NULL && *at + PAIR_BYTES <= section->size) {
    pair->first = ref_u32(section->data + *at);
    pair->second = ref_u32(section->data + *at + 4);
    *at += PAIR_BYTES;
    if (pair->first == 0 && pair->second >= 0U - PARTS) {
      pair->part = 0U - pair->second;
    } else if (pair->part != 0) {
      return true;
    }
  }
  return false;
}

static int check_order_numbers(const void *a, const void *b) {
  const uint32_t *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

typedef struct check_edges {
  uint32_t *from, *to;
  size_t count, capacity;
  uint32_t *prototypes; /* sorted, once each */
  size_t prototype_count;
} check_edges;

static void check_edges_add(check_edges *edges, uint32_t from, uint32_t to) {
  if (edges->count == edges->capacity) {
    edges->capacity = edges->capacity == 0 ? 64 : 2 * edges->capacity;
    edges->from = ref_reallocate(edges->from, edges->capacity, sizeof *edges->from);
    edges->to = ref_reallocate(edges->to, edges->capacity, sizeof *edges->to);
  }
  edges->from[edges->count] = from;
  edges->to[edges->count++] = to;
}

static const ref_section *check_callgraph_section(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->section_count; i++) {
    if (cubin->sections[i].type == TYPE_CALLGRAPH) {
      return &cubin->sections[i];
    }
  }
  return NULL;
}

static void check_collect_prototypes(check_edges *edges, const ref_section *section) {
  check_pair pair = {0};
  size_t all = 0;
  edges->prototypes = ref_allocate(section->size / PAIR_BYTES, sizeof *edges->prototypes);
  for (uint64_t at = 0; check_next_pair(section, &at, &pair);) {
    if (pair.part == PART_TAKEN || pair.part == PART_INDIRECT) {
      edges->prototypes[all++] = pair.second;
    }
  }
  qsort(edges->prototypes, all, sizeof *edges->prototypes, check_order_numbers);
  for (size_t i = 0; i < all; i++) {
    if (i == 0 || edges->prototypes[i] != edges->prototypes[i - 1]) {
      edges->prototypes[edges->prototype_count++] = edges->prototypes[i];
    }
  }
}

static void check_collect_edges(check_edges *edges, const ref_section *section, uint32_t symbols) {
  check_pair pair = {0};
  for (uint64_t at = 0; check_next_pair(section, &at, &pair);) {
    if (pair.part == PART_DIRECT && pair.first < symbols && pair.second < symbols) {
      check_edges_add(edges, pair.first, pair.second);
    }
    if ((pair.part != PART_TAKEN && pair.part != PART_INDIRECT) || pair.first >= symbols) {
      continue;
    }
    const uint32_t *found = bsearch(&pair.second, edges->prototypes, edges->prototype_count, sizeof *edges->prototypes,
                                    check_order_numbers);
    const uint32_t node = symbols + (uint32_t)(found - edges->prototypes);
    check_edges_add(edges, pair.part == PART_TAKEN ? node : pair.first, pair.part == PART_TAKEN ? pair.first : node);
  }
}

void check_graph_make(ref_check_context *context) {
  const ref_section *section = check_callgraph_section(context->output);
  check_edges edges = {0};
  if (section != NULL && section->data != NULL) {
    check_collect_prototypes(&edges, section);
    check_collect_edges(&edges, section, (uint32_t)context->output->symbol_count);
  }
  check_graph *graph = &context->graph;
  graph->count = context->output->symbol_count + edges.prototype_count;
  graph->starts = ref_allocate(graph->count + 2, sizeof *graph->starts);
  graph->edges = ref_allocate(edges.count, sizeof *graph->edges);
  for (size_t i = 0; i < edges.count; i++) {
    graph->starts[edges.from[i] + 2]++;
  }
  for (size_t i = 2; i < graph->count + 2; i++) {
    graph->starts[i] += graph->starts[i - 1];
  }
  for (size_t i = 0; i < edges.count; i++) { /* starts[n + 1] moves from the begin of n's edges to their end */
    graph->edges[graph->starts[edges.from[i] + 1]++] = edges.to[i];
  }
  free(edges.from);
  free(edges.to);
  free(edges.prototypes);
}

void check_graph_free(ref_check_context *context) {
  free(context->graph.starts);
  free(context->graph.edges);
}

void check_reach_make(check_reach *reach, const check_graph *graph) {
  reach->reached = ref_allocate(graph->count, 1);
  reach->nodes = ref_allocate(graph->count, sizeof *reach->nodes);
  reach->count = 0;
}

void check_reach_free(check_reach *reach) {
  free(reach->reached);
  free(reach->nodes);
}

void check_reach_from(check_reach *reach, const check_graph *graph, uint32_t from) {
  for (size_t i = 0; i < reach->count; i++) {
    reach->reached[reach->nodes[i]] = 0;
  }
  reach->count = 0;
  reach->reached[from] = 1;
  reach->nodes[reach->count++] = from;
  for (size_t i = 0; i < reach->count; i++) {
    const uint32_t node = reach->nodes[i];
    for (size_t k = graph->starts[node]; k < graph->starts[node + 1]; k++) {
      if (!reach->reached[graph->edges[k]]) {
        reach->reached[graph->edges[k]] = 1;
        reach->nodes[reach->count++] = graph->edges[k];
      }
    }
  }
}

bool check_is_kernel(const ref_symbol *symbol) {
  return (symbol->info & 15) == SYMBOL_FUNC && (symbol->other & OTHER_ENTRY) != 0 && symbol->section != 0;
}

uint32_t check_function_of(const ref_check_context *context, uint32_t section) {
  const uint32_t symbol = context->output->sections[section].info & SYMBOL_MASK;
  return symbol < context->output->symbol_count && (context->output->symbols[symbol].info & 15) == SYMBOL_FUNC &&
                 context->output->symbols[symbol].section == section
             ? symbol
             : 0;
}

uint32_t check_section_of_kernel(const ref_check_context *context, uint32_t kernel, check_owned kind) {
  const uint32_t text = context->output->symbols[kernel].section;
  return text < context->output->section_count ? context->owned[kind][text] : 0;
}

void check_each_kernel(ref_check_context *context, check_visit_kernel *visit, void *extra) {
  check_reach reach;
  check_reach_make(&reach, &context->graph);
  for (uint32_t i = 1; i < context->output->symbol_count; i++) {
    const ref_section *text = check_symbol_section(context->output, &context->output->symbols[i]);
    if (check_is_kernel(&context->output->symbols[i]) && text != NULL && check_is_code(text)) {
      check_reach_from(&reach, &context->graph, i);
      visit(context, i, &reach, extra);
    }
  }
  check_reach_free(&reach);
}

/* --- callgraph ---------------------------------------------------------------------------------------------------- */

void check_callgraph(ref_check_context *context) {
  const ref_section *section = check_callgraph_section(context->output);
  check_pair pair = {0};
  if (section == NULL) {
    return;
  }
  const uint32_t index = (uint32_t)(section - context->output->sections);
  const size_t symbols = context->output->symbol_count;
  for (uint64_t at = 0; check_next_pair(section, &at, &pair);) {
    const bool second_is_function = pair.part == PART_DIRECT || pair.part == PART_REFERENCED;
    if (pair.first >= symbols || (context->output->symbols[pair.first].info & 15) != SYMBOL_FUNC) {
      check_found(context, index, at - PAIR_BYTES, "symbol %u of a pair is no function", pair.first);
    }
    if (second_is_function &&
        (pair.second >= symbols || (context->output->symbols[pair.second].info & 15) != SYMBOL_FUNC)) {
      check_found(context, index, at - PAIR_BYTES, "symbol %u of a pair is no function", pair.second);
    }
  }
}

/* --- spread ------------------------------------------------------------------------------------------------------- */

/* By symbol: registers, frame, stack (with 1 added, so that 0 means "no record"), barriers. */
typedef struct check_resources {
  uint64_t *registers, *frame, *stack, *barriers;
} check_resources;

static check_resources check_resources_of(const ref_cubin *cubin) {
  check_resources resources = {
      ref_allocate(cubin->symbol_count, sizeof(uint64_t)), ref_allocate(cubin->symbol_count, sizeof(uint64_t)),
      ref_allocate(cubin->symbol_count, sizeof(uint64_t)), ref_allocate(cubin->symbol_count, sizeof(uint64_t))};
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    ref_attribute attribute;
    if (section->type != TYPE_INFO) {
      continue;
    }
    const uint32_t owner = section->info < cubin->section_count ? cubin->sections[section->info].info & SYMBOL_MASK : 0;
    for (uint64_t at = 0; ref_cubin_next_attribute(section, &at, &attribute);) {
      uint64_t *table = attribute.code == REGCOUNT         ? resources.registers
                        : attribute.code == FRAME_SIZE     ? resources.frame
                        : attribute.code == MIN_STACK_SIZE ? resources.stack
                                                           : NULL;
      if (table != NULL && attribute.format == 4 && attribute.size == 8 &&
          ref_u32(attribute.data) < cubin->symbol_count) {
        table[ref_u32(attribute.data)] = UINT64_C(1) + ref_u32(attribute.data + 4);
      } else if (attribute.code == NUM_BARRIERS && attribute.format == 2 && owner < cubin->symbol_count) {
        resources.barriers[owner] = UINT64_C(1) + attribute.data[0];
      }
    }
  }
  return resources;
}

static void check_spread_kernel(ref_check_context *context, uint32_t kernel, const check_reach *reach, void *extra) {
  const check_resources *have = extra;
  const char *name = context->output->symbols[kernel].name;
  const uint32_t section = context->output->symbols[kernel].section;
  for (size_t i = 0; i < reach->count; i++) {
    const uint32_t node = reach->nodes[i];
    if (node >= context->output->symbol_count) {
      continue;
    }
    const char *callee = context->output->symbols[node].name;
    if (have->registers[node] > have->registers[kernel]) {
      check_found(context, section, 0, "'%s' has %" PRIu64 " registers, '%s', which it reaches, %" PRIu64, name,
                  have->registers[kernel] - 1, callee, have->registers[node] - 1);
    }
    if (have->barriers[node] > have->barriers[kernel]) {
      check_found(context, section, 0, "'%s' has %" PRIu64 " barriers, '%s', which it reaches, %" PRIu64, name,
                  have->barriers[kernel] - (have->barriers[kernel] > 0), callee, have->barriers[node] - 1);
    }
    const uint64_t own = node == kernel || have->frame[kernel] == 0 ? 0 : have->frame[kernel] - 1;
    if (have->stack[kernel] > 0 && have->frame[node] > 0 && have->stack[kernel] - 1 < own + have->frame[node] - 1) {
      check_found(context, section, 0,
                  "'%s' has %" PRIu64 " bytes of stack, its own frame and that of '%s' need %" PRIu64, name,
                  have->stack[kernel] - 1, callee, own + have->frame[node] - 1);
    }
  }
}

void check_spread(ref_check_context *context) {
  check_resources resources = check_resources_of(context->output);
  if (context->executable) {
    check_each_kernel(context, check_spread_kernel, &resources);
  }
  free(resources.registers);
  free(resources.frame);
  free(resources.stack);
  free(resources.barriers);
}
