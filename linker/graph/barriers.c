/* Barriers that older tools counted in a text's sh_flags (bits 20 to 26) instead of in a record NUM_BARRIERS (L1413). A
 * relocatable output keeps the bits. In an executable they spread like records, behind all of these: a kernel's record is raised to
 * what it reaches, and a function without a record gets one at the end of its list and loses the bits; beside a record they stay
 * and say nothing. One pass over the condensed graph, since any file may have many kernels. */
#include "base/bytes.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "graph/resources.h"

#include <string.h>

typedef struct barriers {
  tl_resources *resources;
  const tl_module *module;
  const tl_graph *graph;
  tl_arena *arena;
  uint32_t *own;        /* by function */
  const uint32_t *most; /* by node: of everything that can be reached, itself included */
} barriers;

static bool barriers_read(barriers *b) {
  bool any = false;
  for (size_t f = 0; f < b->module->functions.count; f++) {
    const uint32_t function = b->module->functions.items[f], text = tl_module_text_of(b->module, function);
    if (text == TL_NONE || b->module->sections.items[text].owner != b->module->symbol_of_function[function])
      continue;
    b->own[function] = b->module->sections.items[text].barriers;
    any |= b->own[function] != 0;
  }
  return any;
}

static tl_attribute barriers_record(const barriers *b, const tl_attribute *old, uint32_t count) {
  tl_attribute record = {.format = 2, .code = EIATTR_NUM_BARRIERS, .size = 2, .symbol = TL_NONE};
  if (old)
    record = *old;
  uint8_t *const payload = tl_arena_new(b->arena, uint8_t, tl_larger(record.size, 2));
  if (old)
    memcpy(payload, old->data, old->size);
  if (record.format == 4)
    record.size = (uint16_t)((record.size & 0xff00u) | count);
  else
    payload[0] = (uint8_t)count;
  record.data = payload;
  return record;
}

static void barriers_store(barriers *b, uint32_t function) {
  const tl_module *const module = b->module;
  const uint32_t symbol = module->symbol_of_function[function], text = tl_module_text_of(module, function);
  if (text == TL_NONE || module->sections.items[text].owner != symbol || module->sections.items[text].info == TL_NONE)
    return;
  const bool kernel = tl_symbol_is_entry(&module->symbols.items[symbol]);
  const uint32_t below = kernel ? tl_graph_most_called(b->graph, b->most, function) : 0;
  tl_attributes *const list = &b->resources->sections[module->sections.items[text].info];
  const uint32_t known = tl_attributes_find(list, EIATTR_NUM_BARRIERS);
  const uint32_t count = (uint32_t)tl_larger(b->own[function], below);
  if (known == TL_NONE && count)
    *tl_vector_push(b->arena, list) = barriers_record(b, NULL, count);
  else if (known != TL_NONE && below > tl_attribute_byte(&list->items[known]))
    list->items[known] = barriers_record(b, &list->items[known], below);
  b->resources->kept_barriers[text] = known != TL_NONE;
}

/* L1708: a second name that is a kernel gets a record of its own of what it reaches, behind its function's. */
static void barriers_store_alias(barriers *b, uint32_t alias) {
  const tl_module *const module = b->module;
  const tl_symbol *const symbol = &module->symbols.items[alias];
  const uint32_t info = symbol->section == TL_NONE ? TL_NONE : module->sections.items[symbol->section].info;
  if (info == TL_NONE || module->sections.items[symbol->section].owner == alias)
    return;
  const uint32_t below = tl_graph_most_called(b->graph, b->most, symbol->function);
  if (below)
    *tl_vector_push(b->arena, &b->resources->sections[info]) = barriers_record(b, NULL, below);
}

void tl_spread_barriers(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  barriers b = {.resources = resources, .module = module, .graph = graph, .arena = arena};
  b.own = tl_arena_new(arena, uint32_t, graph->node_count);
  if (!barriers_read(&b))
    return;
  resources->kept_barriers = tl_arena_new(arena, bool, module->sections.count);
  b.most = tl_graph_most(graph, b.own, arena);
  for (size_t f = 0; f < module->functions.count; f++)
    barriers_store(&b, module->functions.items[f]);
  for (size_t k = 0; k < module->entries.count; k++)
    barriers_store_alias(&b, module->entries.items[k]);
}
