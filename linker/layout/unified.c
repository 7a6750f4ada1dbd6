/* Unified functions and data of an executable with an index file (U5-U7, U10, D77, L430-L433).
 *
 * The index gives each identity an offset. A function's is that of its jump slot in .nv.uft, which its name finds (L116).
 * Data lies in .nv.udt object by object. nvlink leaves what lies between objects as its memory was (D77), and writes past
 * its buffer where an offset is too large (D20); here the first is zero and the second an error. Where the index puts two
 * things on one place, or has none for something, nvlink links (D105, L117): only --bug-compatible does here. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "layout/jump_slots.h"
#include "layout/layout.h"

#include <string.h>

enum { SLOT_SIZE = 128 };

/* An input's entry, to be found by its identity. */
typedef struct unified_key {
  uint64_t first, second;
  uint32_t entry; /* position in module->unified_entries */
  bool leads;     /* the first one with this exclusive or of its two words (L118) */
} unified_key;

typedef struct unified_keys {
  unified_key *items;
  size_t count;
} unified_keys;

static void unified_fail(const tl_module *module, tl_message_id id) {
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(id),
                     (tl_site){module->index->path, NULL, NULL, TL_NO_OFFSET}, NULL);
}

/* `symbol`: TL_NONE where a section has none. */
static void unified_refuse(const tl_module *module, uint32_t symbol, const char *what) {
  const char *const name = symbol == TL_NONE ? NULL : tl_module_text(module, module->symbols.items[symbol].name);
  const tl_site site = {module->index->path, NULL, name, TL_NO_OFFSET};
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE), site, NULL, module->index->path, what);
}

/* The null symbol stands for none. */
static uint32_t unified_symbol(const tl_module *module, uint32_t entry) {
  const uint32_t symbol = module->unified_entries.items[entry].symbol;
  return symbol == TL_NONE ? 0 : symbol;
}

static int unified_compare_keys(const void *a, const void *b) {
  const unified_key *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->first, y->first}, {x->second, y->second}, {x->entry, y->entry}};
  return tl_compare_pairs(pairs, 3);
}

/* What nvlink links although two things share a place or one has none: an error by default. */
static bool unified_is_loose(const tl_module *module) {
  return tl_defect_matched(module->options, TL_DEFECT_D105);
}

/* Capsules' slots have to follow one another: nvlink crashes. */
static bool unified_has_loose_slots(const tl_module *module) {
  return unified_is_loose(module) && module->view == TL_VIEW_SASS;
}

/* By the exclusive or of the two words, then as the entries came. */
static int unified_compare_folded(const void *a, const void *b) {
  const unified_key *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->first ^ x->second, y->first ^ y->second}, {x->entry, y->entry}};
  return tl_compare_pairs(pairs, 2);
}

/* An entry of that table, not one of the copies that a SASS-kind file has for Mercury. */
static bool unified_is_original(const tl_module *module, size_t entry, uint32_t type) {
  const tl_section *const section = &module->sections.items[module->unified_entries.items[entry].section];
  return section->type == type && !(section->flags & SHF_CUDA_MERCURY);
}

static unified_keys unified_collect(const tl_module *module, uint32_t type, tl_arena *arena) {
  unified_keys keys = {tl_arena_new(arena, unified_key, module->unified_entries.count), 0};
  for (size_t i = 0; i < module->unified_entries.count; i++) {
    const tl_unified_entry *const entry = &module->unified_entries.items[i];
    if (unified_is_original(module, i, type))
      keys.items[keys.count++] =
          (unified_key){tl_get64(entry->data + 16), tl_get64(entry->data + 24), (uint32_t)i, false};
  }
  tl_vector_sort(&keys, unified_compare_folded);
  for (size_t i = 0; i < keys.count; i++)
    keys.items[i].leads =
        i == 0 || (keys.items[i - 1].first ^ keys.items[i - 1].second) != (keys.items[i].first ^ keys.items[i].second);
  tl_vector_sort(&keys, unified_compare_keys);
  return keys;
}

static bool unified_are_one(const unified_key *a, const unified_key *b) {
  return a->first == b->first && a->second == b->second;
}

/* The last entry of an identity (L118); NULL. */
static const unified_key *unified_find(const unified_keys *keys, const tl_index_entry *wanted) {
  const unified_key key = {wanted->first, wanted->second, UINT32_MAX, false};
  const unified_key *const last = TL_SORTED_LAST(&key, keys, unified_compare_keys);
  return last && unified_are_one(last, &key) ? last : NULL;
}

/* nvlink looks for the two words' exclusive or first, which tells the two messages apart (L430). */
static void unified_miss(const tl_module *module, const unified_keys *keys, const tl_index_entry *wanted) {
  for (size_t i = 0; i < keys->count; i++)
    if ((keys->items[i].first ^ keys->items[i].second) == (wanted->first ^ wanted->second)) {
      unified_fail(module, TL_MESSAGE_NO_MATCHING_UUID);
      return;
    }
  unified_fail(module, TL_MESSAGE_NO_UUID);
}

/* L118: nvlink compares an identity with those before it that have the same exclusive or of both words, but for the first
 * of these, and then links unless it finds it. What the first one has is lost (D105). */
static void unified_check_identities(const tl_module *module, const unified_keys *keys) {
  for (size_t i = 1; i < keys->count; i++) {
    const unified_key *const key = &keys->items[i], *const before = &keys->items[i - 1];
    if (unified_are_one(key, before) && !before->leads) {
      unified_fail(module, TL_MESSAGE_DUPLICATE_IDS);
      return;
    }
    if (unified_are_one(key, before) && !unified_is_loose(module))
      unified_refuse(module, unified_symbol(module, key->entry), "two of its things have one identity (D105)");
  }
}

/* Goes through one table of the index in its order, as far as the first entry that is refused: looking for what it may
 * have meant takes all keys. */
static void unified_match(const tl_module *module, const tl_index_table *table, const unified_keys *keys,
                          tl_unified_plan *plan, tl_arena *arena) {
  for (size_t i = 0; i < table->count; i++) {
    const unified_key *const found = unified_find(keys, &table->entries[i]);
    if (!found) {
      unified_miss(module, keys, &table->entries[i]);
      return;
    }
    if (plan->places[found->entry] != TL_NO_OFFSET) {
      unified_fail(module, TL_MESSAGE_UUID_TWICE);
      return;
    }
    plan->places[found->entry] = table->entries[i].offset;
    tl_u32_push(arena, &plan->order, found->entry);
  }
}

/* L116, L1601: nvlink needs a symbol, but no slot of the function's own. */
static tl_unified_slot unified_slot_of(const tl_module *module, const tl_jump_slots *slots, uint32_t number) {
  const tl_unified_entry *const entry = &module->unified_entries.items[number];
  const uint32_t function = entry->symbol == TL_NONE ? TL_NONE : module->symbols.items[entry->symbol].function;
  if (slots->loose) {
    const uint32_t holder = tl_jump_slot_holder(slots, entry->symbol);
    return (tl_unified_slot){holder == TL_NONE ? 0 : tl_jump_slot_bytes(slots, entry->symbol, entry->file), 0, holder};
  }
  if (function == TL_NONE || slots->of_function[function] == TL_NONE)
    return (tl_unified_slot){.holder = TL_NONE};
  const uint32_t stub = module->stubs.items[slots->of_function[function]];
  return (tl_unified_slot){module->symbols.items[stub].value, 0, stub};
}

static void unified_plan_slots(const tl_module *module, const tl_jump_slots *slots, tl_unified_plan *plan,
                               tl_arena *arena) {
  for (size_t i = 0; i < plan->order.count; i++) {
    const uint32_t number = plan->order.items[i];
    if (!unified_is_original(module, number, SHT_CUDA_UFT_ENTRY))
      continue;
    tl_unified_slot slot = unified_slot_of(module, slots, number);
    slot.place = plan->places[number];
    if (slot.holder == TL_NONE)
      unified_refuse(module, unified_symbol(module, number), "an entry of .nv.uft.entry has no jump slot (D105)");
    else if (slot.place > module->index->functions.window || module->index->functions.window - slot.place < SLOT_SIZE)
      unified_refuse(module, unified_symbol(module, number), "a function's offset lies outside its window (D20)");
    else
      *tl_vector_push(arena, &plan->slots) = slot;
  }
}

static uint64_t unified_section_size(const tl_module *module, uint32_t section) {
  return section == TL_NONE ? 0 : module->sections.items[section].size;
}

/* Bytes of .nv.udt: to the end of the last object that the index has. */
static uint64_t unified_data_size(const tl_module *module, const unified_keys *keys, const uint64_t *places) {
  uint64_t end = 0;
  for (size_t i = 0; i < keys->count; i++) {
    const uint32_t number = keys->items[i].entry;
    const tl_symbol *const object = &module->symbols.items[unified_symbol(module, number)];
    const uint64_t size = tl_type_is_texture(tl_type_of(object)) ? 0 : object->size; /* L477 */
    if (places[number] != TL_NO_OFFSET)
      end = tl_larger(places[number] + size, end);
  }
  return end;
}

/* L559: the copies of a SASS-kind file have the places that the inputs gave, before the index moved anything. */
static void unified_copy_places(const tl_module *module, const uint32_t *stub_of, tl_unified_plan *plan) {
  for (size_t i = 0; i < module->unified_entries.count; i++) {
    const tl_unified_entry *const entry = &module->unified_entries.items[i];
    const tl_section *const section = &module->sections.items[entry->section];
    if (!(section->flags & SHF_CUDA_MERCURY) || entry->symbol == TL_NONE)
      continue;
    const tl_symbol *const symbol = &module->symbols.items[entry->symbol];
    const uint32_t stub = symbol->function == TL_NONE ? TL_NONE : stub_of[symbol->function];
    if (section->type == SHT_CUDA_UDT_ENTRY)
      plan->places[i] = symbol->value;
    else if (stub != TL_NONE)
      plan->places[i] = module->symbols.items[module->stubs.items[stub]].value;
  }
}

/* L491: what the index says of functions counts only where the inputs have some, and so with data. */
static void unified_match_functions(const tl_module *module, const unified_keys *functions, uint64_t slots,
                                    tl_unified_plan *plan, tl_arena *arena) {
  if (slots == 0)
    return;
  if (slots != module->index->functions.window)
    unified_fail(module, TL_MESSAGE_UFT_WINDOW);
  if (unified_section_size(module, module->jump_entries) % UNIFIED_ENTRY_SIZE) /* L1097 */
    unified_fail(module, TL_MESSAGE_DUPLICATE_IDS);
  unified_check_identities(module, functions);
  tl_trace(module->diagnostics, TL_TRACE_REORDER_UFT);
  unified_match(module, &module->index->functions, functions, plan, arena);
}

/* nvlink finds both by their names: objects without a table, or one whose entries are no entries for it (L473, L474). */
static void unified_check_data(const tl_module *module, const unified_keys *data) {
  const uint32_t objects = tl_module_section_named(module, ".nv.udt");
  const uint32_t table = tl_module_section_named(module, ".nv.udt.entry");
  bool raw = false;
  for (size_t i = 0; i < data->count; i++)
    raw |= module->unified_entries.items[data->items[i].entry].raw;
  if (objects == TL_NONE)
    return;
  if (table == TL_NONE)
    unified_fail(module, TL_MESSAGE_NO_UDT_ENTRY);
  if (raw || module->sections.items[table].type != SHT_CUDA_UDT_ENTRY)
    unified_fail(module, TL_MESSAGE_UDT_WINDOW);
  if (module->sections.items[table].size % UNIFIED_ENTRY_SIZE)
    unified_fail(module, TL_MESSAGE_DUPLICATE_IDS);
  if (tl_section_type_is_empty(module->sections.items[objects].type))
    unified_refuse(module, 0, "sh_type of .nv.udt is one without contents");
}

/* L1680: nvlink finds the objects by the name of their section. Under another they are nothing to the index. */
static bool unified_has_data(const tl_module *module) {
  return tl_module_section_named(module, ".nv.udt") != TL_NONE;
}

static void unified_match_data(const tl_module *module, const unified_keys *data, tl_unified_plan *plan,
                               tl_arena *arena) {
  unified_check_data(module, data);
  if (data->count == 0 || !unified_has_data(module))
    return;
  unified_check_identities(module, data);
  tl_trace(module->diagnostics, TL_TRACE_REORDER_UDT);
  unified_match(module, &module->index->data, data, plan, arena);
  if (unified_data_size(module, data, plan->places) != module->index->data.window)
    unified_fail(module, TL_MESSAGE_UDT_WINDOW);
}

tl_unified_plan tl_layout_plan_unified(const tl_module *module, tl_arena *arena) {
  tl_unified_plan plan = {0};
  if (!tl_module_has_tables(module) ||
      !(module->unified_entries.count || module->stubs.count || module->unified_data != TL_NONE))
    return plan;
  plan.places = tl_arena_new(arena, uint64_t, module->unified_entries.count);
  for (size_t i = 0; i < module->unified_entries.count; i++)
    plan.places[i] = TL_NO_OFFSET;
  const unified_keys functions = unified_collect(module, SHT_CUDA_UFT_ENTRY, arena);
  const unified_keys data = unified_collect(module, SHT_CUDA_UDT_ENTRY, arena);
  const uint64_t slots = unified_section_size(module, module->jump_slots);
  const uint64_t entries = unified_section_size(module, module->jump_entries);
  const bool counts = module->jump_slots != TL_NONE || tl_module_has_slot_behind(module); /* L1377 */
  if (module->odd_slots || (counts && slots / SLOT_SIZE != entries / UNIFIED_ENTRY_SIZE))
    unified_fail(module, TL_MESSAGE_UFT_SLOTS);
  unified_match_functions(module, &functions, slots, &plan, arena);
  unified_match_data(module, &data, &plan, arena);
  const tl_jump_slots found = tl_layout_jump_slots(module, unified_has_loose_slots(module), arena);
  unified_plan_slots(module, &found, &plan, arena);
  unified_copy_places(module, found.of_function, &plan);
  return plan;
}

/* --- what lies where --- */

/* The next byte that nothing covers yet: a union-find over places, `next[size]` stands for the end. */
static uint32_t unified_next_bare(uint32_t *next, uint32_t place) {
  while (next[place] != place) {
    next[place] = next[next[place]];
    place = next[place];
  }
  return place;
}

/* D105: of what lies on one place the last in the index's order is seen. `pieces` are in that order, and reach to `size`
 * at most. */
static tl_pieces unified_paint(const tl_pieces *pieces, uint64_t size, tl_arena *arena) {
  tl_pieces seen = {0};
  uint32_t *const next = tl_arena_new(arena, uint32_t, size + 1);
  for (uint32_t i = 0; i <= size; i++)
    next[i] = i;
  for (size_t i = pieces->count; i-- > 0;) {
    const tl_piece *const piece = &pieces->items[i];
    const uint64_t end = piece->offset + piece->size;
    uint64_t at = unified_next_bare(next, (uint32_t)piece->offset);
    while (at < end) {
      tl_piece *const part = tl_vector_push(arena, &seen);
      *part = *piece;
      part->offset = at;
      part->data = piece->data + (at - piece->offset);
      for (; at < end && next[at] == at; at++)
        next[at] = (uint32_t)at + 1;
      part->size = at - part->offset;
      at = unified_next_bare(next, (uint32_t)at);
    }
  }
  return seen;
}

/* In order; none on another, unless nvlink's answer is wanted; none further from the one before than `hole` allows. */
static void unified_close(const tl_module *module, tl_placement *placement, uint64_t size, uint64_t hole,
                          tl_arena *arena) {
  tl_pieces order = {0};
  const uint32_t symbol = module->sections.items[placement->section].symbol;
  uint64_t end = 0;
  bool overlap = false, good = size < UINT32_MAX;
  for (size_t i = 0; i < placement->pieces.count; i++)
    if (placement->pieces.items[i].offset + placement->pieces.items[i].size <= size)
      *tl_vector_push(arena, &order) = placement->pieces.items[i];
  placement->pieces = order;
  order.items = tl_arena_copy(arena, order.items, order.count * sizeof *order.items);
  tl_vector_sort(&order, tl_layout_compare_pieces);
  for (size_t i = 0; i < order.count; i++) {
    const tl_piece *const piece = &order.items[i];
    overlap |= piece->offset < end;
    good &= piece->offset < end || piece->offset - end < hole;
    end = tl_larger(piece->offset + piece->size, end);
  }
  const bool slots = placement->section == module->jump_slots;
  if (overlap && !(slots ? unified_has_loose_slots(module) : unified_is_loose(module)))
    unified_refuse(module, symbol, "the index file puts two things on one place (D105)");
  if (!good)
    unified_refuse(module, symbol, "nothing lies in a part of its tables (D20)");
  if (overlap) {
    order = unified_paint(&placement->pieces, size, arena);
    tl_vector_sort(&order, tl_layout_compare_pieces);
  }
  placement->pieces = order;
  tl_layout_end_moves(placement);
}

static void unified_place_slots(tl_layout *layout, const tl_module *module, const tl_unified_plan *plan,
                                tl_arena *arena) {
  tl_placement *const placement = &layout->placed[TL_PLACED_FUNCTIONS];
  bool *const placed = tl_arena_new(arena, bool, module->symbols.count);
  uint64_t size = 0;
  placement->section = module->jump_slots;
  for (size_t i = 0; i < plan->slots.count; i++) {
    const tl_unified_slot *const slot = &plan->slots.items[i];
    tl_layout_put(placement, module, (tl_move){slot->from, SLOT_SIZE, slot->place}, arena);
    layout->symbol_value[slot->holder] = slot->place;
    placed[slot->holder] = true;
    size = tl_larger(slot->place + SLOT_SIZE, size);
  }
  for (size_t i = 0; i < module->stubs.count; i++) {
    const uint32_t stub = module->stubs.items[i];
    const uint64_t from = module->symbols.items[stub].value;
    *tl_vector_push(arena, &placement->moves) = (tl_move){from, SLOT_SIZE, layout->symbol_value[stub]};
    if (!placed[stub] && from < size && !unified_has_loose_slots(module))
      unified_refuse(module, stub, "it has no place for a function (D105)");
  }
  layout->section_size[module->jump_slots] = size;
  unified_close(module, placement, size, 1, arena);
}

static void unified_place_data(tl_layout *layout, const tl_module *module, const tl_unified_plan *plan,
                               tl_arena *arena) {
  tl_placement *const placement = &layout->placed[TL_PLACED_DATA];
  const uint32_t section = module->unified_data;
  const uint64_t size = module->index->data.window;
  bool *const placed = tl_arena_new(arena, bool, module->symbols.count);
  placement->section = section;
  for (size_t i = 0; i < plan->order.count; i++) {
    const uint32_t entry = plan->order.items[i], symbol = unified_symbol(module, entry);
    const tl_symbol *const object = &module->symbols.items[symbol];
    const bool beyond = object->section == section && object->value >= module->sections.items[section].size;
    if (beyond || object->common) /* L478 */
      unified_fail(module, TL_MESSAGE_RELOC_NOT_FOUND);
    if (object->section != section || !unified_is_original(module, entry, SHT_CUDA_UDT_ENTRY))
      continue;
    placed[symbol] = true;
    layout->symbol_value[symbol] = plan->places[entry];
    tl_layout_move(placement, module, (tl_move){object->value, object->size, plan->places[entry]}, arena);
  }
  for (uint32_t i = 1; i < module->symbols.count && !unified_is_loose(module); i++)
    if (module->symbols.items[i].section == section && tl_type_of(&module->symbols.items[i]) != STT_SECTION &&
        !placed[i])
      unified_refuse(module, i, "it has no place for an object (D105)");
  layout->section_size[section] = size;
  unified_close(module, placement, size, layout->section_align[section], arena);
}

/* By function the place of its jump slot; by symbol what has it. */
static void unified_note_slots(tl_layout *layout, const tl_module *module, tl_arena *arena) {
  const size_t count = module->resolution->functions.count;
  const tl_jump_slots found = tl_layout_jump_slots(module, unified_has_loose_slots(module), arena);
  uint64_t *const slots = tl_arena_new(arena, uint64_t, count);
  uint32_t *const holders = tl_arena_new(arena, uint32_t, module->symbols.count);
  for (size_t i = 0; i < count; i++)
    slots[i] = found.of_function[i] == TL_NONE ? TL_NO_OFFSET
                                               : layout->symbol_value[module->stubs.items[found.of_function[i]]];
  for (uint32_t i = 0; i < module->symbols.count; i++)
    holders[i] = tl_jump_slot_holder(&found, i);
  layout->stub_of = slots;
  layout->slot_holders = holders;
}

/* L1936: a second symbol of a slot, at its place. */
static bool unified_is_same_slot(const tl_module *module, uint32_t a, uint32_t b) {
  return tl_module_is_stub(module, a) && module->symbols.items[a].value == module->symbols.items[b].value;
}

/* nvlink looks for the slot of what an entry names, under that name (L479, L480). */
static void unified_check_slots(const tl_module *module) {
  for (size_t i = 0; i < module->stubs.count; i++) {
    const uint32_t stub = module->stubs.items[i], known = module->symbol_of_name[module->symbols.items[stub].name];
    if (known != TL_NONE && known != stub && !unified_is_same_slot(module, known, stub))
      unified_fail(module, TL_MESSAGE_RELOC_NOT_FOUND);
  }
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    const tl_symbol *const symbol = &module->symbols.items[entry->symbol];
    const bool slots = tl_type_of(symbol) == STT_SECTION && symbol->section == module->jump_slots;
    if (entry->target == module->jump_slots && (entry->symbol == 0 || slots))
      unified_refuse(module, module->stubs.items[0], "an entry of a jump slot names nothing that has one");
  }
}

void tl_layout_unified(tl_layout *layout, const tl_module *module, const tl_unified_plan *plan, tl_arena *arena) {
  layout->unified_places = plan->places;
  if (!plan->places)
    return;
  if (module->jump_slots != TL_NONE) {
    unified_check_slots(module);
    unified_place_slots(layout, module, plan, arena);
    unified_note_slots(layout, module, arena);
  }
  layout->unified_data_stays = !unified_has_data(module);
  if (module->unified_data != TL_NONE && !layout->unified_data_stays)
    unified_place_data(layout, module, plan, arena);
}

/* D94: nvlink moves the objects, and leaves the entries in them where they were. */
static uint64_t unified_place_in_data(const tl_layout *layout, const tl_module *module, const tl_relocation *entry) {
  const uint64_t moved = tl_layout_moved_offset(layout, entry->target, entry->offset);
  if (moved == entry->offset || tl_defect_matched(module->options, TL_DEFECT_D94))
    return entry->offset;
  tl_defect_note(module->diagnostics, TL_DEFECT_D94, tl_module_text(module, module->symbols.items[entry->symbol].name));
  return moved;
}

/* That of the slot of what the entry names (L432), be it a unified function or not; one about a section is at 0 (L1601). */
uint64_t tl_layout_place_of_entry(const tl_layout *layout, const tl_module *module, const tl_relocation *entry) {
  if (entry->target == module->unified_data)
    return unified_place_in_data(layout, module, entry);
  if (entry->target != module->jump_slots)
    return tl_layout_moved_offset(layout, entry->target, entry->offset);
  const uint32_t holder = layout->slot_holders[entry->symbol];
  return holder == TL_NONE ? 0 : layout->symbol_value[holder];
}
