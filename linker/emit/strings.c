/* Both string tables (W2): names in creation order, each whole string once, none ever taken out; names of sections and
 * symbols that were dropped later stay. Shared-memory symbols that an executable does not list leave no string. */
#include "emit/emit.h"

#include "catalog/trace.h"
#include "cubin/elf.h"

#include <string.h>

typedef struct string_builder {
  const tl_module *module;
  tl_arena *arena;
  uint32_t *offsets; /* by name number */
  uint8_t *bytes;
  uint64_t size;
} string_builder;

static void strings_add(string_builder *b, uint32_t name) {
  if (name == TL_NONE || b->offsets[name])
    return;
  const tl_name *const text = &b->module->names->list.items[name];
  b->offsets[name] = (uint32_t)b->size;
  memcpy(b->bytes + b->size, text->text, text->length);
  b->size += text->length + 1;
}

/* No table can be longer than all names together. */
static string_builder strings_begin(tl_emitted *e, uint32_t *offsets) {
  const tl_names *const names = e->module->names;
  uint64_t room = 1;
  for (size_t i = 0; i < names->list.count; i++)
    room += names->list.items[i].length + 1;
  return (string_builder){e->module, e->arena, offsets, tl_arena_new(e->arena, uint8_t, room), 1};
}

/* L1656: an internal object of another space goes with the pool that it lies in, as the pool's own objects do. */
static bool strings_goes_with_pool(const tl_emitted *e, uint32_t symbol) {
  const uint32_t section = e->layout->symbol_section[symbol];
  return section != TL_NONE && section == e->module->debug_shared && e->module->mode->final &&
         !e->section_index[section];
}

static bool strings_symbol_has_name(const tl_emitted *e, uint32_t symbol) {
  const tl_module *const module = e->module;
  const tl_symbol *const s = &module->symbols.items[symbol];
  const bool internal = (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL; /* L1211 */
  const bool listed = tl_symbol_is_listed(module, e->layout, symbol) &&
                      !(internal && (tl_emit_is_unified_mention(e, s) || strings_goes_with_pool(e, symbol)));
  if (!listed)
    tl_trace(module->diagnostics, TL_TRACE_NO_SYMBOL_STRING, tl_module_text(module, module->symbols.items[symbol].name),
             (uint64_t)symbol);
  return listed;
}

/* Those of dead functions that leave their names stand at their turn (L1882). */
static void strings_add_globals(tl_emitted *e, string_builder *strings) {
  const tl_module *const module = e->module;
  size_t dead = 0;
  for (size_t i = 0; i <= module->globals.count; i++) {
    for (; dead < module->dead_globals.count && module->dead_globals.items[dead] <= i; dead++)
      strings_add(strings, module->dead_strings.items[dead]);
    if (i < module->globals.count && strings_symbol_has_name(e, module->globals.items[i]))
      strings_add(strings, module->symbols.items[module->globals.items[i]].name);
  }
}

void tl_emit_strings(tl_emitted *e) {
  const tl_module *const module = e->module;
  string_builder sections = strings_begin(e, e->section_name);
  for (size_t i = 0; i < module->section_names.count; i++)
    if (module->section_names.items[i] != e->layout->gone_name)
      strings_add(&sections, module->section_names.items[i]);
  e->tables[module->shstrtab] = (tl_table){sections.bytes, sections.size};

  string_builder strings = strings_begin(e, e->string);
  for (size_t i = 0; i < module->prototypes.count; i++)
    strings_add(&strings, module->prototypes.items[i]);
  for (size_t i = 0; i < module->strings.count; i++) {
    const tl_string_event *const event = &module->strings.items[i];
    if (event->symbol == TL_NONE ? event->name != e->layout->gone_name : strings_symbol_has_name(e, event->symbol))
      strings_add(&strings, event->name);
  }
  strings_add_globals(e, &strings);
  e->tables[module->strtab] = (tl_table){strings.bytes, strings.size};
}
