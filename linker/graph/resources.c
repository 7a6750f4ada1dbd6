/* Registers and stack over the condensed call graph, and the module's .nv.info (W6.1-W6.4, I6, I26a, I26b, G3, G4). */
#include "graph/resources.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"

#include <assert.h>

bool tl_attribute_stands(const tl_module *module, const tl_attributes *list, size_t index) {
  const tl_attribute *const record = &list->items[index];
  const bool stays = record->code == EIATTR_SAM_REGION_STACK_SIZE; /* L1401 */
  return stays || !tl_attribute_is_of_body(record->code) || index >= module->symbols.items[record->symbol].info_cutoff;
}

/* Records of a body that the merge has taken have room for a value (I10). */
static void resources_read_own(tl_resources *r, const tl_module *module) {
  for (size_t i = 0; i < module->attributes.count; i++) {
    const tl_attribute *const record = &module->attributes.items[i];
    const bool registers = record->code == EIATTR_REGCOUNT;
    if (tl_attribute_is_endless(record) && module->symbols.items[record->symbol].function != TL_NONE)
      r->endless[module->symbols.items[record->symbol].function] = true;
    if ((!registers && record->code != EIATTR_FRAME_SIZE) || !tl_attribute_stands(module, &module->attributes, i))
      continue;
    const uint32_t function = module->symbols.items[record->symbol].function;
    const uint32_t value = tl_get32(record->data + 4);
    if (function == TL_NONE || tl_module_is_stub(module, record->symbol)) /* L1092 */
      continue;
    if (!registers) {
      r->frame[function] = value;
    } else {
      r->registers[function] = value;
      r->has_registers[function] = true;
    }
  }
}

/* L1254, L1434: frame sizes and counts of registers among the attributes of functions, whichever they name, count behind the
 * module's. So does what says that a stack has no end (L1706). */
static void resources_read_further(tl_resources *r, const tl_module *module, tl_arena *arena) {
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const tl_attributes *const list = &module->sections.items[i].attributes;
    for (size_t k = 0; k < list->count; k++) {
      const tl_attribute *const record = &list->items[k];
      const bool registers = record->code == EIATTR_REGCOUNT, endless = tl_attribute_is_endless(record);
      const bool wanted = registers || endless || record->code == EIATTR_FRAME_SIZE;
      const bool whole = wanted && record->symbol != TL_NONE && record->size >= 8;
      const uint32_t function = whole ? module->symbols.items[record->symbol].function : TL_NONE;
      if (function == TL_NONE || tl_module_is_stub(module, record->symbol)) /* L1092 */
        continue;
      if (endless)
        r->endless[function] = true;
      else if (!registers)
        r->frame[function] = tl_get32(record->data + 4);
      if (!registers)
        continue;
      if (!r->further)
        r->further = tl_arena_new(arena, uint32_t, module->resolution->functions.count);
      r->further[function] = i;
      r->registers[function] = tl_get32(record->data + 4);
      r->has_registers[function] = true;
    }
  }
}

/* L43: a function without a record has the count of its text's sh_info (F45), 0 on sm_90 and later. */
static void resources_read_texts(tl_resources *r, const tl_module *module) {
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const uint32_t owner = module->sections.items[i].owner;
    const uint32_t function = owner == TL_NONE ? TL_NONE : module->symbols.items[owner].function;
    if (function != TL_NONE && !r->has_registers[function])
      r->registers[function] = module->sections.items[i].registers;
  }
}

/* L1074: nvlink hands a function's count to its callers at the turn of its text, so that a function without one of its own
 * has its count for itself. */
static uint32_t *resources_most_registers(const tl_resources *r, const tl_module *module, const tl_graph *graph,
                                          tl_arena *arena) {
  uint32_t *const handed = tl_arena_new(arena, uint32_t, graph->node_count);
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const uint32_t owner = module->sections.items[i].owner;
    const uint32_t function = owner == TL_NONE ? TL_NONE : module->symbols.items[owner].function;
    if (function != TL_NONE)
      handed[function] = r->registers[function];
  }
  uint32_t *const most = tl_graph_most(graph, handed, arena);
  for (uint32_t node = 0; node < graph->node_count; node++)
    most[node] = r->registers[node] > most[node] ? r->registers[node] : most[node];
  return most;
}

static bool resources_has_reconfiguration(const tl_module *module, uint32_t function) {
  const uint32_t text = tl_module_text_of(module, function);
  if (text == TL_NONE || module->sections.items[text].owner != module->symbol_of_function[function])
    return false;
  const uint32_t info = module->sections.items[text].info;
  return info != TL_NONE &&
         tl_attributes_find(&module->sections.items[info].attributes, EIATTR_REG_RECONFIG) != TL_NONE;
}

/* L1136: a kernel that has REG_RECONFIG, or gets it, keeps its own count. */
static void resources_keep_registers(tl_resources *r, const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  uint32_t *const own = tl_arena_new(arena, uint32_t, graph->node_count);
  bool any = false;
  for (size_t f = 0; f < module->functions.count; f++) {
    const uint32_t function = module->functions.items[f];
    own[function] = resources_has_reconfiguration(module, function);
    any |= own[function];
  }
  if (!any)
    return;
  const uint32_t *const below = tl_graph_collect(graph, own, arena);
  for (size_t k = 0; k < module->entries.count; k++) {
    const uint32_t function = module->symbols.items[module->entries.items[k]].function;
    if (below[function] || tl_module_has_single_kernel(module)) /* which gets it from all functions (I31) */
      r->max_registers[function] = r->registers[function];
  }
}

/* One pass with callees before callers. */
static void resources_sum_stacks(tl_resources *r, const tl_graph *graph) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const uint32_t node = graph->order[i];
    uint64_t deepest = 0;
    for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++) {
      const uint32_t callee = graph->callees.to[e];
      deepest = tl_larger(r->stack[callee], deepest);
    }
    r->stack[node] = deepest + (node < graph->function_count ? r->frame[node] : 0);
  }
}

static tl_attribute *resources_add_pair(tl_attributes *list, tl_arena *arena, uint8_t code, uint32_t symbol,
                                        uint32_t value) {
  uint8_t *const payload = tl_arena_new(arena, uint8_t, 8);
  tl_put32(payload + 4, value);
  tl_attribute *const record = tl_vector_push(arena, list);
  *record = (tl_attribute){.format = 4, .code = code, .size = 8, .data = payload, .symbol = symbol};
  return record;
}

bool tl_attribute_is_endless(const tl_attribute *record) {
  return record->code == EIATTR_MIN_STACK_SIZE && record->size >= 8 && tl_get32(record->data + 4) == UINT32_MAX;
}

bool tl_attribute_is_spent(const tl_module *module, const tl_attribute *record) {
  const bool stack = module->mode->final && (record->code == EIATTR_MAX_STACK_SIZE || tl_attribute_is_endless(record));
  return stack || record->code == EIATTR_LOAD_CACHE_REQUEST;
}

/* I6: what an executable's .nv.info does not have. */
static bool resources_record_is_dropped(const tl_module *module, const tl_attribute *record) {
  const bool stub = record->symbol != TL_NONE && tl_module_is_stub(module, record->symbol); /* U11 */
  return record->code == 0 || stub || tl_attribute_is_spent(module, record) ||
         (record->format == 4 && record->size == 0);
}

static bool resources_is_owner(const tl_module *module, uint32_t symbol) {
  const tl_symbol *const s = &module->symbols.items[symbol];
  return s->function != TL_NONE && s->section != TL_NONE && module->sections.items[s->section].owner == symbol;
}

static bool resources_is_kernel(const tl_module *module, uint32_t symbol) {
  const tl_symbol *const s = &module->symbols.items[symbol];
  return resources_is_owner(module, symbol) && tl_symbol_is_entry(s) && !s->late;
}

/* L576: a second name that counts as a kernel. */
static bool resources_is_kernel_alias(const tl_module *module, uint32_t symbol) {
  for (size_t i = module->kernels.count; i < module->entries.count; i++)
    if (module->entries.items[i] == symbol)
      return true;
  return false;
}

/* L1168: of several records of a kernel the input's last counts and gets what the kernel needs; -v says the first one. */
static void resources_list_registers(tl_resources *r, const tl_module *module, tl_attribute *listed, tl_arena *arena) {
  const tl_symbol *const kernel = &module->symbols.items[listed->symbol];
  const bool first = !r->listed_registers[kernel->function];
  r->listed_registers[kernel->function] = true;
  const bool further = r->further && r->further[kernel->function]; /* L1434 */
  if (first && !further && module->mode->final && resources_is_kernel(module, listed->symbol)) {
    uint8_t *const payload = tl_arena_copy(arena, listed->data, listed->size);
    tl_put32(payload + 4, r->max_registers[kernel->function]);
    listed->data = payload;
  }
  const uint32_t count = tl_get32(listed->data + 4);
  r->said_registers[kernel->function] = count ? count : module->sections.items[kernel->section].registers;
}

static void resources_list_module(tl_resources *r, const tl_module *module, tl_arena *arena) {
  tl_vector_reserve(arena, &r->module, module->attributes.count + module->kernels.count);
  for (size_t i = module->attributes.count; i-- > 0;) {
    const tl_attribute *const record = &module->attributes.items[i];
    if (resources_record_is_dropped(module, record) || tl_query_is_forgotten(module, record) ||
        !tl_attribute_stands(module, &module->attributes, i))
      continue;
    tl_attribute *const listed = tl_vector_push(arena, &r->module);
    *listed = *record;
    if (record->code == EIATTR_REGCOUNT && resources_is_owner(module, record->symbol))
      resources_list_registers(r, module, listed, arena);
  }
}

static int resources_compare_keys(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return tl_compare(first, second);
}

/* The text, with functions behind its beginning (L720), that a record of FRAME_SIZE is about; TL_NONE. */
static uint32_t resources_shared_text(const tl_module *module, const tl_attribute *record, const bool *shared) {
  const uint32_t text = record->code == EIATTR_FRAME_SIZE ? module->symbols.items[record->symbol].section : TL_NONE;
  return text != TL_NONE && shared[text] ? text : TL_NONE;
}

/* L893: of such a text the last record counts in a link (L721), which turns all records round. By default those of a
 * relocatable capsule have the input's order, so that the next link has them as a link of the inputs would. */
static void resources_keep_stack_order(tl_resources *r, const tl_module *module, tl_arena *arena) {
  TL_VECTOR(uint64_t) places = {0}; /* text, then place in the list */
  bool *const shared = tl_arena_new(arena, bool, module->sections.count);
  assert(module->symbols.items);
  for (size_t i = 0; i < r->module.count; i++) {
    const uint32_t symbol = r->module.items[i].symbol;
    const tl_symbol *const s = symbol == TL_NONE ? NULL : &module->symbols.items[symbol];
    if (s && tl_type_of(s) == STT_FUNC && s->section != TL_NONE && s->value)
      shared[s->section] = true;
  }
  for (size_t i = 0; i < r->module.count; i++) {
    const uint32_t text = resources_shared_text(module, &r->module.items[i], shared);
    if (text != TL_NONE)
      *tl_vector_push(arena, &places) = (uint64_t)text << 32 | i;
  }
  tl_vector_sort(&places, resources_compare_keys);
  for (size_t first = 0, next = 0; first < places.count; first = next) {
    while (next < places.count && places.items[next] >> 32 == places.items[first] >> 32)
      next++;
    for (size_t a = first, b = next - 1; a < b; a++, b--) {
      tl_attribute *const x = &r->module.items[(uint32_t)places.items[a]];
      tl_attribute *const y = &r->module.items[(uint32_t)places.items[b]];
      const tl_attribute between = *x;
      *x = *y;
      *y = between;
    }
  }
  if (places.count)
    tl_defect_note(module->diagnostics, TL_DEFECT_D136, NULL);
}

/* L191: behind the inputs' records, in executables. */
static void resources_list_old(tl_resources *r, const tl_module *module, tl_arena *arena) {
  static const uint8_t nothing[2] = {0};
  bool old = false;
  for (uint32_t i = 0; i < module->file_count; i++)
    old |= module->files[i].old;
  if (old && module->mode->final)
    *tl_vector_push(arena, &r->module) = (tl_attribute){
        .format = 1, .code = EIATTR_HAS_PRE_V10_OBJECT, .size = sizeof nothing, .data = nothing, .symbol = TL_NONE};
}

/* W6.1: after the inputs' records, in .symtab order. */
static void resources_list_stacks(tl_resources *r, const tl_module *module, const tl_u32_vector *half,
                                  const uint32_t *sam, tl_arena *arena) {
  for (size_t i = 0; i < half->count; i++) {
    const uint32_t symbol = half->items[i];
    const bool stub = tl_module_is_stub(module, symbol) && !tl_module_has_single_kernel(module); /* U11 */
    if (!resources_is_kernel(module, symbol) && !stub && !resources_is_kernel_alias(module, symbol))
      continue;
    const uint32_t function = module->symbols.items[symbol].function;
    const uint32_t bytes = r->endless[function] ? UINT32_MAX : (uint32_t)r->stack[function];
    resources_add_pair(&r->module, arena, EIATTR_MIN_STACK_SIZE, symbol, bytes);
    if (sam && sam[function]) /* L261 */
      resources_add_pair(&r->module, arena, EIATTR_SAM_REGION_STACK_SIZE, symbol, sam[function]);
  }
}

/* The text that a function owns; 0. */
static uint32_t resources_own_text(const tl_module *module, uint32_t function) {
  const uint32_t symbol = module->symbol_of_function[function];
  const uint32_t text = tl_module_text_of(module, function);
  return text != TL_NONE && module->sections.items[text].owner == symbol ? text : 0;
}

/* By node: the first two texts, in section order, of all that it reaches, itself included, each as its distance from the
 * last possible one; 0 when it reaches none. */
static const uint32_t *resources_first_texts(const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  uint32_t *const own = tl_arena_new(arena, uint32_t, graph->function_count);
  for (uint32_t f = 0; f < graph->function_count; f++)
    if (resources_own_text(module, f))
      own[f] = UINT32_MAX - resources_own_text(module, f);
  return tl_graph_most(graph, own, arena);
}

/* The first text of a function that the kernel reaches; 0 when it reaches none. A kernel that calls itself is below what it
 * calls (L1372). */
static uint32_t resources_first_text(const tl_module *module, const tl_graph *graph, uint32_t kernel,
                                     const uint32_t *first_texts) {
  const uint32_t most = tl_graph_most_called(graph, first_texts, module->symbols.items[kernel].function);
  return most ? UINT32_MAX - most : 0;
}

/* Kernels whose REGCOUNT no record gives. */
static tl_u32_vector resources_without_count(const tl_resources *r, const tl_module *module, tl_arena *arena) {
  tl_u32_vector found = {0};
  for (size_t k = 0; k < module->entries.count; k++)
    if (!r->has_registers[module->symbols.items[module->entries.items[k]].function])
      tl_u32_push(arena, &found, module->entries.items[k]);
  return found;
}

/* A kernel that no file defines is one beside others (L1372). */
static bool resources_mentions_kernel(const tl_module *module) {
  bool found = false;
  for (size_t i = 1; i < module->symbols.count && !found; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    found = symbol->function != TL_NONE && symbol->section == TL_NONE && symbol->other & STO_ENTRY;
  }
  return found;
}

/* L43: a kernel without a record gets one when the walk of L40 first comes to a function that it reaches; a second name has
 * its text's count, too (L1166). */
static void resources_list_missing(tl_resources *r, const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  const tl_u32_vector kernels = resources_without_count(r, module, arena);
  if (!kernels.count)
    return;
  uint64_t *const keys = tl_arena_new(arena, uint64_t, kernels.count);
  const uint32_t *const first_texts = resources_first_texts(module, graph, arena);
  uint32_t count = 0;
  const bool single = tl_module_has_single_kernel(module) && !resources_mentions_kernel(module);
  const uint32_t alone = single ? module->kernels.items[0] : tl_module_single_alias(module);
  for (uint32_t k = 0; k < kernels.count; k++) {
    const uint32_t kernel = kernels.items[k];
    const uint32_t text = resources_first_text(module, graph, kernel, first_texts);
    if (text || kernel == alone) /* L1106, L1372 */
      keys[count++] = (uint64_t)text << 32 | (UINT32_MAX - k);
  }
  tl_vector_sort_items(keys, count, sizeof *keys, resources_compare_keys);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t kernel = kernels.items[UINT32_MAX - (uint32_t)keys[i]];
    const tl_symbol *const symbol = &module->symbols.items[kernel];
    const uint32_t reached = r->max_registers[symbol->function];
    const uint32_t own =
        resources_is_kernel_alias(module, kernel) ? module->sections.items[symbol->section].registers : 0;
    resources_add_pair(&r->module, arena, EIATTR_REGCOUNT, kernel, own > reached ? own : reached);
  }
}

/* L1434: a kernel's count that its functions raise is that of the record which was read last, and the module's stays. In the list of
 * its section that record stands first. */
static void resources_raise_further(tl_resources *r, const tl_module *module, tl_arena *arena) {
  bool *const raised = r->further ? tl_arena_new(arena, bool, module->resolution->functions.count) : NULL;
  for (uint32_t section = 1; r->further && section < module->sections.count; section++)
    for (size_t i = 0; i < r->sections[section].count; i++) {
      tl_attribute *const record = &r->sections[section].items[i];
      const bool counts = record->code == EIATTR_REGCOUNT && record->symbol != TL_NONE && record->size >= 8;
      if (!counts || !resources_is_kernel(module, record->symbol))
        continue;
      const uint32_t function = module->symbols.items[record->symbol].function;
      if (r->further[function] != section || raised[function])
        continue;
      uint8_t *const payload = tl_arena_copy(arena, record->data, record->size);
      tl_put32(payload + 4, r->max_registers[function]);
      record->data = payload;
      raised[function] = true;
    }
}

void tl_resources_find(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  const size_t nodes = graph->node_count;
  *resources = (tl_resources){.registers = tl_arena_new(arena, uint32_t, nodes),
                              .has_registers = tl_arena_new(arena, bool, nodes),
                              .listed_registers = tl_arena_new(arena, bool, nodes),
                              .said_registers = tl_arena_new(arena, uint32_t, nodes),
                              .frame = tl_arena_new(arena, uint32_t, nodes),
                              .stack = tl_arena_new(arena, uint64_t, nodes),
                              .endless = tl_arena_copy(arena, graph->cyclic, nodes * sizeof *graph->cyclic),
                              .sections = tl_arena_new(arena, tl_attributes, module->sections.count)};
  resources_read_own(resources, module);
  resources_read_further(resources, module, arena);
  resources_read_texts(resources, module);
  resources->max_registers = resources_most_registers(resources, module, graph, arena);
  resources_keep_registers(resources, module, graph, arena);
  resources_sum_stacks(resources, graph);
  resources_list_module(resources, module, arena);
  if (!module->mode->final && module->capsule && !tl_defect_matched(module->options, TL_DEFECT_D136))
    resources_keep_stack_order(resources, module, arena);
  resources_list_old(resources, module, arena);
  if (!module->mode->final) { /* I7 */
    tl_copy_attributes(resources, module, arena);
    return;
  }
  const uint32_t *const sam = tl_find_sam_stacks(module, graph, arena);
  resources_list_stacks(resources, module, &module->locals, sam, arena);
  resources_list_stacks(resources, module, &module->globals, sam, arena);
  resources_list_missing(resources, module, graph, arena);
  tl_spread_attributes(resources, module, graph, arena);
  resources_raise_further(resources, module, arena);
  tl_spread_caching(resources, module, graph, arena);
  tl_spread_barriers(resources, module, graph, arena);
}

uint32_t tl_attribute_byte(const tl_attribute *attribute) {
  return attribute->format == 4 ? attribute->size & 0xffu : attribute->data[0];
}

uint32_t tl_attributes_find(const tl_attributes *list, uint8_t code) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].code == code)
      return (uint32_t)i;
  return TL_NONE;
}

bool tl_extern_stays(const tl_module *module, uint32_t symbol) {
  const tl_symbol *const s = &module->symbols.items[symbol];
  return (s->section == TL_NONE && !s->external_shared) || (tl_type_of(s) == STT_FUNC && s->other & STO_ENTRY);
}
