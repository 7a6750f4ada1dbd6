/* .nv.info (W6), .nv.callgraph and .nv.prototype (W7.1, W7.2, W7.6, F75, F76), relocation sections (R33, R34). */
#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "emit/emit.h"
#include "relocate/unified_names.h"

/* --- .nv.info --- */

/* Words of EXTERNS that stay: undefined ones and kernels, as far as they are in .symtab (W6.6, W6.15). */
static uint32_t tables_extern_words(const tl_emitted *e, const tl_attribute *record, uint8_t *to) {
  uint32_t size = 0;
  for (uint32_t i = 0; i < record->symbol_count; i++) {
    const uint32_t index = e->symbol_index[record->symbols[i]];
    if (!index || !tl_extern_stays(e->module, record->symbols[i]))
      continue;
    if (to)
      tl_put32(to + size, index);
    size += 4;
  }
  return size;
}

/* True for a record about a bank or an object that the output does not list (L518, L634), whatever its code is but that of a
 * parameter (L1466). */
static bool tables_is_about_nothing(const tl_emitted *e, const tl_attribute *record) {
  if (record->symbol == TL_NONE || e->symbol_index[record->symbol])
    return false;
  if (record->code == EIATTR_PARAM_CBANK)
    return true;
  const bool of_object = e->module->symbols.items[record->symbol].function == TL_NONE;
  const bool parameter = record->code == EIATTR_KPARAM_INFO || record->code == EIATTR_KPARAM_INFO_V2;
  return of_object && !parameter && (record->symbol || tl_attribute_is_of_body(record->code));
}

/* L1545: what a function's own attributes say of a jump slot's registers and stack is not in an executable. */
static bool tables_is_about_slot(const tl_emitted *e, uint32_t section, const tl_attribute *record) {
  const bool counted =
      record->code == EIATTR_FRAME_SIZE || record->code == EIATTR_REGCOUNT || record->code == EIATTR_MIN_STACK_SIZE;
  return counted && section != e->module->info && e->module->mode->final && record->symbol != TL_NONE &&
         e->module->jump_slots != TL_NONE && tl_module_is_stub(e->module, record->symbol);
}

/* Writes a record when `to` is not NULL; returns its length, 0 when it is dropped. */
static uint32_t tables_record(const tl_emitted *e, const tl_attribute *record, uint8_t *to) {
  const bool externs = record->code == EIATTR_EXTERNS;
  const uint32_t size = externs ? tables_extern_words(e, record, to ? to + 4 : NULL) : record->size;
  if ((externs && !size) || tables_is_about_nothing(e, record))
    return 0;
  const uint32_t start = record->format == 4 ? 4 : 2, added = externs ? 0 : 4 * record->symbol_count; /* L539 */
  if (!to)
    return start + size + added;
  to[0] = record->format;
  to[1] = record->code;
  if (record->format == 4)
    tl_put16(to + 2, (uint16_t)(size + added));
  if (!externs)
    memcpy(to + start, record->data, size);
  for (uint32_t i = 0; i < added / 4; i++)
    tl_put32(to + start + size + 4 * i, e->symbol_index[record->symbols[i]]);
  if (record->symbol != TL_NONE)
    tl_put32(to + start, e->symbol_index[record->symbol]);
  return start + size + added;
}

static uint64_t tables_records_size(const tl_emitted *e, uint32_t section, const tl_attributes *list) {
  uint64_t size = 0;
  for (size_t i = 0; i < list->count; i++)
    size += tables_is_about_slot(e, section, &list->items[i]) ? 0 : tables_record(e, &list->items[i], NULL);
  return size;
}

bool tl_emit_has_records(const tl_emitted *e, uint32_t section) {
  const bool whole = section == e->module->info;
  const tl_attributes *const list = whole ? &e->resources->module : &e->resources->sections[section];
  bool any = e->module->sections.items[section].size != 0;
  for (size_t i = 0; i < list->count && !any; i++)
    any = !tables_is_about_slot(e, section, &list->items[i]) && tables_record(e, &list->items[i], NULL);
  return any;
}

static void tables_records(tl_emitted *e, uint32_t section, const tl_attributes *list) {
  const uint64_t size = tables_records_size(e, section, list);
  const tl_section *const its = &e->module->sections.items[section];
  uint8_t *const bytes = tl_emit_table(e, section, size + its->size);
  uint8_t *at = bytes;
  for (size_t i = 0; i < list->count; i++)
    at += tables_is_about_slot(e, section, &list->items[i]) ? 0 : tables_record(e, &list->items[i], at);
  for (size_t i = 0; bytes && i < its->pieces.count; i++) /* in which variables lie (L1366) */
    memcpy(bytes + size + its->pieces.items[i].offset, its->pieces.items[i].data, its->pieces.items[i].size);
}

void tl_emit_info(tl_emitted *e) {
  tables_records(e, e->module->info, &e->resources->module);
  for (uint32_t i = 1; i < e->module->sections.count; i++)
    if (e->module->sections.items[i].type == SHT_CUDA_INFO && i != e->module->info)
      tables_records(e, i, &e->resources->sections[i]);
}

/* --- call graph --- */

static void tables_note_record(tl_emitted *e, uint32_t part, uint32_t from, uint32_t to, const uint8_t *at) {
  const tl_module *const module = e->module;
  const uint64_t key = tl_bodies_record_key(part, from, part == CALLGRAPH_TAKEN ? 0 : to);
  const uint32_t whose = tl_map_get(&module->replaced_records, key);
  if (whose != TL_NONE)
    *tl_vector_push(e->arena, &e->record_notes) =
        (tl_record_note){module->symbol_of_function[from], whose, (uint64_t)(at - e->tables[module->callgraph].bytes)};
}

/* One part of .nv.callgraph. */
typedef struct tables_part {
  const tl_edges *edges;
  uint32_t number;
  bool to_function, reversed;
} tables_part;

static uint8_t *tables_callgraph_records(tl_emitted *e, const tables_part *part, const tl_successors *s,
                                         const tl_u32_vector *functions, uint8_t *at) {
  const tl_module *const module = e->module;
  for (size_t i = 0; i < functions->count; i++) {
    const uint32_t f = functions->items[i];
    const uint32_t count = s->first[f + 1] - s->first[f];
    for (uint32_t j = 0; j < count; j++) {
      const uint32_t to = s->to[part->reversed ? s->first[f + 1] - 1 - j : s->first[f] + j];
      tl_put32(at, e->symbol_index[module->symbol_of_function[f]]);
      tables_note_record(e, part->number, f, to, at);
      if (part->to_function)
        tl_put32(at + 4, e->symbol_index[module->symbol_of_function[to]]);
      else if (part->number != CALLGRAPH_TAKEN || !module->untyped[f])
        tl_put32(at + 4, e->string[to]);
      at += 8;
    }
  }
  return at;
}

/* Its header, then for each function in creation order its records, last record first; functions in kernels' texts have none of
 * calls, and in capsules none but of their address, behind the others (L552, L1707, L1748). */
static uint8_t *tables_callgraph_part(tl_emitted *e, tables_part part, uint8_t *at) {
  const tl_module *const module = e->module;
  const tl_successors s = tl_successors_make(e->arena, part.edges, (uint32_t)module->resolution->functions.count);
  tl_put32(at + 4, part.number);
  if (!module->capsule)
    return tables_callgraph_records(e, &part, &s, &module->recorded_functions, at + 8);
  at = tables_callgraph_records(e, &part, &s, &module->functions, at + 8);
  return part.number == CALLGRAPH_TAKEN ? tables_callgraph_records(e, &part, &s, &module->inner_functions, at) : at;
}

static void tables_prototypes(tl_emitted *e) {
  const tl_module *const module = e->module;
  const tl_u32_vector *const functions = &module->recorded_functions; /* those in kernels' texts, too (L1945) */
  uint8_t *const bytes = tl_emit_table(e, module->prototype, functions->count * 8);
  uint64_t size = 0;
  for (size_t i = 0; i < functions->count; i++) {
    const uint32_t f = functions->items[i];
    if (!tl_emit_lists_prototype(module, f))
      continue;
    tl_put32(bytes + size, e->symbol_index[module->symbol_of_function[f]]);
    tl_put32(bytes + size + 4, e->string[module->prototype_of_function[f]]);
    size += 8;
  }
  e->tables[module->prototype].size = size;
}

void tl_emit_callgraph(tl_emitted *e) {
  const tl_module *const module = e->module;
  const uint64_t records =
      4 + module->calls.count + module->taken.count + module->indirect_calls.count + module->references.count;
  uint8_t *at = tl_emit_table(e, module->callgraph, records * 8);
  at = tables_callgraph_part(e, (tables_part){&module->calls, CALLGRAPH_CALL, true, true}, at);
  at = tables_callgraph_part(e, (tables_part){&module->taken, CALLGRAPH_TAKEN, false, false}, at);
  at = tables_callgraph_part(e, (tables_part){&module->indirect_calls, CALLGRAPH_INDIRECT, false, true}, at);
  tables_callgraph_part(e, (tables_part){&module->references, CALLGRAPH_REFERENCE, true, true}, at);
  tables_prototypes(e);
}

/* --- relocation sections --- */

void tl_emit_relocations(tl_emitted *e) {
  const tl_module *const module = e->module;
  uint64_t *const count = tl_arena_new(e->arena, uint64_t, module->sections.count);
  for (size_t i = 0; i < e->relocated->kept.count; i++)
    count[e->relocated->kept.items[i].container]++;
  uint8_t **const next = tl_arena_new(e->arena, uint8_t *, module->sections.count);
  for (uint32_t i = 1; i < module->sections.count; i++)
    if (count[i])
      next[i] = tl_emit_table(e, i, count[i] * module->sections.items[i].entry_size);
  for (size_t i = 0; i < e->relocated->kept.count; i++) {
    const tl_kept *const kept = &e->relocated->kept.items[i];
    const bool rela = module->sections.items[kept->container].type != SHT_REL;
    uint8_t *const at = next[kept->container];
    tl_put64(at, kept->offset);
    tl_put64(at + 8, (uint64_t)e->symbol_index[kept->symbol] << 32 | kept->type);
    if (rela)
      tl_put64(at + 16, (uint64_t)kept->addend);
    next[kept->container] = at + (rela ? ELF_RELA_SIZE : ELF_REL_SIZE);
  }
}

/* --- what met in a relocatable output --- */

static void tables_put_entry(uint8_t *at, uint64_t place, uint64_t symbol, uint32_t type, uint64_t addend) {
  tl_put64(at, place);
  tl_put64(at + 8, symbol << 32 | type);
  tl_put64(at + 16, addend);
}

void tl_emit_bodies(tl_emitted *e) {
  enum { OF_RECORD = 1, SM_BITS = 16 };
  const tl_module *const module = e->module;
  const uint64_t count = module->body_notes.count + e->record_notes.count;
  if (module->bodies_section == TL_NONE)
    return;
  uint8_t *at = tl_emit_table(e, module->bodies_section, count * ELF_RELA_SIZE);
  for (size_t i = 0; i < module->body_notes.count; i++, at += ELF_RELA_SIZE) {
    const tl_body_note *const note = &module->body_notes.items[i];
    tables_put_entry(at, note->place, e->symbol_index[note->symbol], note->type, note->addend);
  }
  for (size_t i = 0; i < e->record_notes.count; i++, at += ELF_RELA_SIZE) {
    const tl_record_note *const note = &e->record_notes.items[i];
    const tl_contestant *const who = &module->resolution->contestants.items[note->contestant];
    tables_put_entry(at, note->place, e->symbol_index[note->symbol], OF_RECORD,
                     (uint64_t)who->registers << SM_BITS | who->sm);
  }
}

/* --- unified tables --- */

/* L591 */
void tl_emit_metadata(tl_emitted *e) {
  const tl_module *const module = e->module;
  if (module->metadata == TL_NONE)
    return;
  uint8_t *const bytes = tl_emit_table(e, module->metadata, module->sections.items[module->metadata].size);
  for (size_t i = 0; i < module->metadata_words.count; i++) {
    const tl_metadata_word word = module->metadata_words.items[i];
    tl_put32(bytes + 4 * i, word.text ? e->string[word.value] : word.value);
  }
}

/* L117: the place of the slot of a function that the index does not have. */
static uint64_t tables_slot_of(const tl_emitted *e, const tl_unified_entry *entry) {
  const uint32_t function = entry->symbol == TL_NONE ? TL_NONE : e->module->symbols.items[entry->symbol].function;
  const uint64_t slot = function == TL_NONE || !e->layout->stub_of ? TL_NO_OFFSET : e->layout->stub_of[function];
  return slot == TL_NO_OFFSET ? tl_get64(entry->data + 8) : slot;
}

/* L435, L1823, L1681, L1949: a table that nvlink does not know by its name keeps nvlink's own numbers of symbols. */
static bool tables_keep_numbers(const tl_emitted *e, const tl_section *section) {
  const bool data = section->type == SHT_CUDA_UDT_ENTRY;
  if (section->flags & SHF_CUDA_MERCURY && !e->module->capsule)
    return true;
  return strcmp(tl_module_text(e->module, section->name), data ? ".nv.udt.entry" : ".nv.uft.entry") != 0;
}

/* L1793, L1680: whether nvlink looks for the entries of the table in the index. */
static bool tables_are_looked_up(const tl_emitted *e, const tl_section *section) {
  if (section->type != SHT_CUDA_UDT_ENTRY)
    return !(section->flags & SHF_CUDA_MERCURY && !e->module->capsule);
  return !tables_keep_numbers(e, section) && !e->layout->unified_data_stays;
}

/* W12.7, U10: each entry names the output's symbol and the place that the index file gives it. */
void tl_emit_unified(tl_emitted *e) {
  const tl_module *const module = e->module;
  const uint32_t flags = 6, lost = 0x80000000; /* U4: 7, but for damage (L609) and what the index lacks (L117) */
  const uint32_t *copies = NULL;
  for (size_t i = 0; i < module->unified_entries.count; i++) {
    const tl_unified_entry *const entry = &module->unified_entries.items[i];
    const tl_section *const section = &module->sections.items[entry->section];
    uint8_t *bytes = e->tables[entry->section].bytes;
    if (!bytes) {
      bytes = tl_emit_table(e, entry->section, section->size);
      for (size_t p = 0; p < section->pieces.count; p++)
        memcpy(bytes + section->pieces.items[p].offset, section->pieces.items[p].data, section->pieces.items[p].size);
    }
    const uint64_t place = e->layout->unified_places ? e->layout->unified_places[i] : TL_NO_OFFSET;
    uint8_t *const at = bytes + entry->offset;
    const bool copy = tables_keep_numbers(e, section);
    const bool known = tables_are_looked_up(e, section);
    if (copy && !copies)
      copies = tl_unified_numbers(module, e->arena);
    tl_put32(at, entry->symbol == TL_NONE ? 0 : (copy ? copies : e->symbol_index)[entry->symbol]);
    tl_put32(at + 4, tl_get32(at + 4) | flags);
    if (e->layout->unified_places)
      tl_put32(at + 4, (tl_get32(at + 4) & ~lost) | (place == TL_NO_OFFSET && known ? lost : 0)); /* L1793 */
    if (place != TL_NO_OFFSET)
      tl_put64(at + 8, place);
    else if (section->type == SHT_CUDA_UDT_ENTRY)
      tl_put64(at + 8, entry->symbol == TL_NONE ? 0 : e->layout->symbol_value[entry->symbol]); /* L983 */
    else
      tl_put64(at + 8, e->layout->unified_places ? tables_slot_of(e, entry) : 0); /* L1220 */
  }
  if (module->index_section != TL_NONE)
    memcpy(tl_emit_table(e, module->index_section, module->index->size), module->index->bytes, module->index->size);
}

/* L1659: what entries of relocations make of the first word of an entry is nvlink's own number of a symbol, whose number in
 * the output is written behind them. */
void tl_emit_renumber_unified(const tl_emitted *e, tl_relocated *relocated) {
  enum { WORD = 1 };
  if (e->module->capsule || !e->module->unified_entries.count)
    return;
  const tl_unified_renames renames = tl_unified_find_renamed(relocated, e->module);
  for (size_t i = 0; i < renames.count; i++) {
    const tl_unified_entry *const entry = &e->module->unified_entries.items[renames.items[i].entry];
    const uint32_t symbol = renames.items[i].symbol;
    *tl_vector_push(e->arena, &relocated->patches) =
        (tl_patch){.section = entry->section,
                   .offset = entry->offset,
                   .row = tl_relocation_in_view(WORD, false),
                   .value = symbol == TL_NONE ? 0 : e->symbol_index[symbol]};
  }
}
