/* Which symbol has the place of a unified function's jump slot (U10, L116, L432, L1601).
 *
 * A slot is found by the function's name. With --bug-compatible that is nvlink's way (D105): the first slot of all that have
 * the name counts, and if another file made it than the function's, the first function symbol of that file has the place
 * instead, be it a slot or not. By default each of several slots of one name is that of the function that it calls. */
#include "layout/jump_slots.h"

#include <string.h>

/* By name: the position in module->stubs of the first slot that is called after it, TL_NONE. */
static uint32_t *slots_of_names(const tl_module *module, bool *several, tl_arena *arena) {
  static const char stub[] = "__cuda_uf_stub_";
  uint32_t *const of = tl_arena_new(arena, uint32_t, module->names->list.count);
  for (size_t i = 0; i < module->names->list.count; i++)
    of[i] = TL_NONE;
  for (size_t i = 0; i < module->stubs.count; i++) {
    const char *const text = tl_module_text(module, module->symbols.items[module->stubs.items[i]].name);
    const bool named = strncmp(text, stub, sizeof stub - 1) == 0;
    const char *const rest = text + sizeof stub - 1;
    const uint32_t name = named ? tl_names_find(module->names, rest, strlen(rest)) : TL_NONE;
    if (name == TL_NONE)
      continue;
    if (of[name] == TL_NONE)
      of[name] = (uint32_t)i;
    else
      several[name] = true;
  }
  return of;
}

tl_jump_slots tl_layout_jump_slots(const tl_module *module, bool loose, tl_arena *arena) {
  const size_t count = module->resolution->functions.count;
  bool *const several = tl_arena_new(arena, bool, module->names->list.count);
  const uint32_t *const of_name = slots_of_names(module, several, arena);
  uint32_t *const number = tl_arena_new(arena, uint32_t, count), *const of = tl_arena_new(arena, uint32_t, count);
  for (size_t i = 0; i < count; i++) {
    number[i] = TL_NONE;
    of[i] = of_name[module->resolution->functions.items[i].name];
  }
  for (size_t i = 0; i < module->stubs.count; i++)
    number[module->symbols.items[module->stubs.items[i]].function] = (uint32_t)i;
  for (size_t i = 0; i < module->calls.count; i++)
    if (number[module->calls.items[i].from] != TL_NONE &&
        several[module->resolution->functions.items[module->calls.items[i].to].name])
      of[module->calls.items[i].to] = number[module->calls.items[i].from];
  return (tl_jump_slots){module, of_name, of, loose};
}

/* L1601: nvlink's answer where the function that `symbol` is has no slot in its own file. */
static uint32_t slots_first_of_file(const tl_module *module, const tl_symbol *symbol) {
  const uint32_t first = symbol->mention < module->file_count ? module->first_function[symbol->mention] : TL_NONE;
  if (first != TL_NONE)
    return first;
  return module->stubs.count ? module->stubs.items[0] : TL_NONE;
}

uint32_t tl_jump_slot_holder(const tl_jump_slots *slots, uint32_t symbol) {
  const tl_module *const module = slots->module;
  if (symbol == TL_NONE || symbol == 0 || tl_type_of(&module->symbols.items[symbol]) == STT_SECTION)
    return TL_NONE;
  const tl_symbol *const s = &module->symbols.items[symbol];
  const uint32_t stub = slots->loose             ? slots->of_name[s->name]
                        : s->function == TL_NONE ? TL_NONE
                                                 : slots->of_function[s->function];
  if (stub == TL_NONE)
    return slots_first_of_file(module, s);
  const uint32_t found = module->stubs.items[stub];
  return !slots->loose || module->symbols.items[found].mention == s->mention ? found : slots_first_of_file(module, s);
}

uint64_t tl_jump_slot_bytes(const tl_jump_slots *slots, uint32_t symbol, uint32_t file) {
  const tl_module *const module = slots->module;
  const uint32_t stub = slots->of_name[module->symbols.items[symbol].name];
  const tl_symbol *const found = stub == TL_NONE ? NULL : &module->symbols.items[module->stubs.items[stub]];
  return found && found->mention <= file ? found->value : 0;
}
