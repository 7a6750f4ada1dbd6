/* Creating sections, symbols and names of the merged module. Every creation appends, so the position in a vector is the
 * creation rank of W1.4, W2 and W4. */
#include "merge/module.h"

#include "base/bytes.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "cubin/elf.h"

#include <string.h>

/* A section can grow to this; beyond it no file could hold the output (T2 is said by the plan with the real numbers). */
static const uint64_t largest_section = (uint64_t)1 << 50;

uint32_t tl_module_name(tl_module *module, const char *prefix, uint32_t name) {
  const tl_name *const whole = &module->names->list.items[name];
  const size_t before = strlen(prefix), length = before + whole->length;
  char *const text = tl_arena_take_bare(module->arena, 1, length + 1);
  for (size_t i = 0; i < before; i++)
    text[i] = prefix[i];
  memcpy(text + before, whole->text, (size_t)whole->length + 1);
  return tl_names_intern(module->names, text, length);
}

uint32_t tl_module_likely_name(tl_module *module, uint32_t likely, const char *prefix, uint32_t name) {
  const tl_name *const whole = &module->names->list.items[name];
  const char *const behind = tl_text_behind(tl_module_text(module, likely), prefix);
  return behind && strcmp(behind, whole->text) == 0 ? likely : tl_module_name(module, prefix, name);
}

const char *tl_module_user_constants(const tl_module *module) {
  return module->view == TL_VIEW_MERCURY ? ".nv.constant.user" : ".nv.constant3";
}

const char *tl_module_compiler_constants(const tl_module *module) {
  return module->view == TL_VIEW_MERCURY ? ".nv.constant.optimizer." : ".nv.constant2.";
}

void tl_module_add_section_name(tl_module *module, uint32_t name) {
  tl_u32_push(module->arena, &module->section_names, name);
}

const tl_piece *tl_section_piece_of(const tl_section *section, uint32_t file) {
  size_t low = 0, high = section->pieces.count; /* the files were read one after the other */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (section->pieces.items[middle].file < file)
      low = middle + 1;
    else
      high = middle;
  }
  return low < section->pieces.count && section->pieces.items[low].file == file ? &section->pieces.items[low] : NULL;
}

uint32_t tl_module_add_section_unlisted(tl_module *module, uint32_t name, uint32_t type, uint64_t flags, uint64_t align,
                                        uint64_t entry_size) {
  const uint32_t index = (uint32_t)module->sections.count;
  tl_section *const section = tl_vector_push(module->arena, &module->sections);
  *section = (tl_section){.name = name,
                          .type = type,
                          .flags = flags,
                          .align = align,
                          .entry_size = entry_size,
                          .symbol = TL_NONE,
                          .about = TL_NONE,
                          .leads = TL_NONE,
                          .owner = TL_NONE,
                          .measured = TL_NONE,
                          .info = TL_NONE,
                          .shared = TL_NONE,
                          .constant0 = TL_NONE,
                          .constant2 = TL_NONE,
                          .stray = TL_NONE,
                          .resolved = TL_NONE,
                          .relocations = {TL_NONE, TL_NONE},
                          .laid_out = TL_NONE,
                          .name_event = (uint32_t)module->section_names.count,
                          .string_event = TL_NONE};
  if (tl_name_table_get(&module->section_of_name, name) == TL_NONE)
    tl_name_table_set(&module->section_of_name, module->names, name, index);
  tl_module_add_section_name(module, name);
  return index;
}

uint32_t tl_module_add_section(tl_module *module, uint32_t name, uint32_t type, uint64_t flags, uint64_t align,
                               uint64_t entry_size) {
  const uint32_t index = tl_module_add_section_unlisted(module, name, type, flags, align, entry_size);
  module->sections.items[index].string_event = (uint32_t)module->strings.count;
  *tl_vector_push(module->arena, &module->strings) = (tl_string_event){name, TL_NONE};
  return index;
}

void tl_module_forget_section(tl_module *module, uint32_t section, uint32_t names) {
  tl_section *const s = &module->sections.items[section];
  const tl_section *const events = &module->sections.items[names];
  s->forgotten = true;
  module->symbols.items[s->symbol].unlisted = true;
  module->section_names.items[events->name_event] = TL_NONE;
  if (events->string_event != TL_NONE)
    module->strings.items[events->string_event].name = TL_NONE;
  tl_name_table_set(&module->section_of_name, module->names, s->name, TL_NONE);
}

void tl_module_forget_relocations(tl_module *module, uint32_t section) {
  for (int kind = 0; kind < 2; kind++) {
    const uint32_t index = module->sections.items[section].relocations[kind];
    if (index == TL_NONE)
      continue;
    tl_section *const s = &module->sections.items[index];
    s->forgotten = true;
    module->section_names.items[s->name_event] = TL_NONE;
    module->strings.items[s->string_event].name = TL_NONE;
    if (s->rel_name) { /* L1651 */
      const tl_rel_name *const name = &module->rel_names.items[s->rel_name - 1];
      module->section_names.items[name->events[0]] = TL_NONE;
      module->strings.items[name->events[1]].name = TL_NONE;
    }
    if (tl_name_table_get(&module->section_of_name, s->name) == index)
      tl_name_table_set(&module->section_of_name, module->names, s->name, TL_NONE);
  }
}

uint32_t tl_module_new_symbol(tl_module *module, const tl_symbol *symbol) {
  const uint32_t index = (uint32_t)module->symbols.count;
  tl_symbol *const created = tl_vector_push(module->arena, &module->symbols);
  *created = *symbol;
  for (int i = 0; i < 3; i++)
    created->frame_section[i] = TL_NONE;
  return index;
}

uint32_t tl_module_add_section_symbol(tl_module *module, uint32_t section) {
  const tl_symbol symbol = {.name = module->sections.items[section].name,
                            .info = STT_SECTION,
                            .section = section,
                            .function = TL_NONE,
                            .block = TL_NONE,
                            .mention = TL_NONE};
  const uint32_t index = tl_module_new_symbol(module, &symbol);
  module->sections.items[section].symbol = index;
  tl_u32_push(module->arena, &module->locals, index);
  return index;
}

/* L1366: of the newest section it comes where it is made, else its place is found when all files have been read. */
void tl_module_add_fixed_symbol(tl_module *module, uint32_t section) {
  if (module->sections.items[section].symbol != TL_NONE)
    return;
  const uint32_t index = tl_module_add_section_symbol(module, section);
  if (section + 1 == module->sections.count)
    return;
  module->locals.count--;
  *tl_vector_push(module->arena, &module->fixed_symbols) =
      (tl_fixed_symbol){(uint32_t)module->locals.count, section, index};
}

static int module_compare_fixed(const void *a, const void *b) {
  const tl_fixed_symbol *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->place, y->place}, {x->section, y->section}};
  return tl_compare_pairs(pairs, 2);
}

/* By position among the locals: the last section that what stands up to there lies in. */
static uint32_t *module_last_sections(const tl_module *module) {
  uint32_t *const last = tl_arena_new(module->arena, uint32_t, module->locals.count);
  uint32_t most = 0;
  for (size_t i = 0; i < module->locals.count; i++) {
    const uint32_t section = module->symbols.items[module->locals.items[i]].section;
    most = section != TL_NONE && section > most ? section : most;
    last[i] = most;
  }
  return last;
}

/* L1366, L1603: before the first symbol of a section that was made later, or of what lies in one. */
void tl_module_place_fixed_symbols(tl_module *module) {
  if (!module->fixed_symbols.count)
    return;
  const uint32_t *const last = module_last_sections(module);
  for (size_t i = 0; i < module->fixed_symbols.count; i++) {
    tl_fixed_symbol *const fixed = &module->fixed_symbols.items[i];
    uint32_t low = 0;
    while (low < fixed->place) {
      const uint32_t middle = low + (fixed->place - low) / 2;
      if (last[middle] > fixed->section)
        fixed->place = middle;
      else
        low = middle + 1;
    }
  }
  tl_vector_sort(&module->fixed_symbols, module_compare_fixed);
  tl_u32_vector locals = {0};
  size_t next = 0;
  for (uint32_t i = 0; i <= module->locals.count; i++) {
    for (; next < module->fixed_symbols.count && module->fixed_symbols.items[next].place == i; next++)
      tl_u32_push(module->arena, &locals, module->fixed_symbols.items[next].symbol);
    if (i < module->locals.count)
      tl_u32_push(module->arena, &locals, module->locals.items[i]);
  }
  module->locals = locals;
}

void tl_module_list_symbol(tl_module *module, uint32_t symbol, bool with_name) {
  const tl_symbol *const s = &module->symbols.items[symbol];
  if (tl_binding_of(s) == STB_GLOBAL) {
    tl_u32_push(module->arena, &module->globals, symbol);
    return;
  }
  tl_u32_push(module->arena, &module->locals, symbol);
  if (with_name)
    *tl_vector_push(module->arena, &module->strings) = (tl_string_event){s->name, symbol};
}

uint64_t tl_module_append(tl_module *module, uint32_t section, const uint8_t *data, uint64_t size, uint64_t align,
                          uint32_t file, uint32_t input_section) {
  tl_section *const s = &module->sections.items[section];
  const uint64_t offset = tl_align(s->size, align);
  if (offset + size > largest_section) {
    const tl_site site = {module->files[file].path, tl_module_text(module, s->name), NULL, TL_NO_OFFSET};
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), site, NULL, module->files[file].path,
                       "a merged section grows too large");
  }
  if (data && size)
    *tl_vector_push(module->arena, &s->pieces) = (tl_piece){offset, size, data, file, input_section, false};
  s->blocks++;
  s->size = offset + size;
  s->align = tl_larger(s->align, align);
  return offset;
}

uint32_t tl_module_section_named(const tl_module *module, const char *text) {
  const uint32_t name = tl_names_find(module->names, text, strlen(text));
  return name == TL_NONE ? TL_NONE : tl_module_find_section(module, name);
}

void tl_module_name_record(tl_module *module, uint32_t target_name) {
  if (!module->mode->records_applied)
    return;
  const uint32_t name = tl_module_name(module, ".nv.resolvedrela", target_name);
  tl_module_add_section_name(module, name);
  *tl_vector_push(module->arena, &module->strings) = (tl_string_event){name, TL_NONE};
}

void tl_module_add_taken(tl_module *module, uint32_t function, uint32_t prototype) {
  const uint32_t index = tl_map_get(&module->taken_at, function);
  if (index != TL_NONE) {
    module->taken.items[index].to = prototype; /* the last record's (L619) */
    return;
  }
  tl_map_set(&module->taken_at, function, (uint32_t)module->taken.count);
  *tl_vector_push(module->arena, &module->taken) = (tl_edge){function, prototype};
}

bool tl_module_is_taken(const tl_module *module, uint32_t function) {
  return tl_map_get(&module->taken_at, function) != TL_NONE;
}

void tl_module_add_prototype(tl_module *module, uint32_t prototype) {
  if (tl_set_add(&module->prototype_seen, prototype))
    tl_u32_push(module->arena, &module->prototypes, prototype);
}

uint64_t tl_module_decoded_size(const tl_module *module, uint32_t section, uint64_t packed) {
  const tl_section *const s = &module->sections.items[section];
  const bool decoded = module->view == TL_VIEW_MERCURY && s->flags & SHF_EXECINSTR && s->owner != TL_NONE &&
                       section != module->jump_slots; /* these are as long as when decoded (L660) */
  return decoded ? module->symbols.items[s->measured == TL_NONE ? s->owner : s->measured].size : packed;
}

bool tl_module_relocation_is_of_frame(const tl_module *module, size_t index) {
  const tl_relocation *const entry = &module->relocations.items[index];
  const tl_symbol *const symbol = &module->symbols.items[entry->symbol];
  bool frame = false;
  for (int i = 0; i < 3; i++)
    frame |= symbol->frame_section[i] == entry->container && index < symbol->frame_cutoff[i];
  return frame;
}

bool tl_module_relocation_stands(const tl_module *module, size_t index) {
  const tl_relocation *const entry = &module->relocations.items[index];
  if (index < module->sections.items[entry->target].cutoff || module->sections.items[entry->target].forgotten)
    return false;
  if (tl_module_relocation_is_of_replaced(module, index) && tl_defect_matched(module->options, TL_DEFECT_D83))
    return false;
  return !tl_module_relocation_is_of_frame(module, index);
}

static bool module_is_unified_name(const tl_module *module, const tl_symbol *symbol) {
  static const char *const names[] = {"__UFT_OFFSET", "__UFT", "__UFT_END", "__UFT_CANONICAL",
                                      "__UDT_OFFSET", "__UDT", "__UDT_END", "__UDT_CANONICAL"};
  return symbol->section == TL_NONE && TL_AMONG_TEXTS(names, tl_module_text(module, symbol->name));
}

bool tl_module_names_unified(const tl_module *module, const tl_symbol *symbol) {
  return module->mode->final && !tl_module_has_tables(module) && module_is_unified_name(module, symbol);
}

/* L1692: an internal name of the tables goes from an executable with an index file, with preserved relocations too. */
bool tl_module_leaves_name(const tl_module *module, const tl_symbol *symbol) {
  const unsigned type = tl_type_of(symbol);
  return (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL && (type == STT_OBJECT || type == STT_CUDA_OBJECT) &&
         module->mode->final && tl_module_has_tables(module) && module_is_unified_name(module, symbol);
}

bool tl_module_is_stub(const tl_module *module, uint32_t symbol) {
  const tl_symbol *const s = &module->symbols.items[symbol];
  return s->function != TL_NONE && s->section != TL_NONE && s->section == module->jump_slots;
}

uint32_t tl_module_aliased(const tl_module *module, uint32_t symbol) {
  const tl_symbol *const s = &module->symbols.items[symbol];
  if (tl_type_of(s) != STT_FUNC || s->section == TL_NONE || tl_module_is_stub(module, symbol))
    return TL_NONE;
  const uint32_t owner = module->sections.items[s->section].owner;
  return owner == symbol || (s->value != 0 && !(s->other & STO_ENTRY)) ? TL_NONE : owner;
}

bool tl_symbol_is_marked(const tl_symbol *symbol) {
  return tl_other_is_marked(symbol->other);
}

bool tl_symbol_is_kept_internal(const tl_symbol *symbol) {
  return tl_type_of(symbol) == STT_FUNC && (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL && !symbol->unlisted;
}

bool tl_module_text_counts(const tl_module *module, uint32_t file, uint32_t section) {
  const tl_cubin *const cubin = &module->files[file];
  const uint32_t primary = tl_cubin_primary(cubin, section);
  if (primary >= cubin->symbol_count)
    return false;
  const tl_cubin_symbol *const symbol = tl_cubin_symbol_at(cubin, primary);
  const bool function = tl_symbol_type(symbol) == STT_FUNC && symbol->section == section; /* L1691 */
  if (!function && !(tl_cubin_section_at(cubin, section)->flags & SHF_EXECINSTR))
    return false;
  const tl_body *const body = &module->resolution->bodies[file][primary];
  return body->role != TL_BODY_LOSES && !body->replaced;
}

/* A jump slot, by its name alone. */
static bool module_has_slots(const tl_module *module) {
  const tl_resolution *const resolution = module->resolution;
  for (size_t i = 0; i < resolution->functions.count; i++) {
    const tl_function *const function = &resolution->functions.items[i];
    if (function->defined && !function->kernel &&
        tl_text_behind(tl_module_text(module, function->name), "__cuda_uf_stub_"))
      return true;
  }
  return false;
}

bool tl_module_has_slot_behind(const tl_module *module) {
  bool found = false;
  for (uint32_t i = 0; i < module->file_count && module->eliminates; i++)
    found |= module->files[i].slot_behind;
  return found;
}

bool tl_module_lacks_index(const tl_module *module) {
  return !module->index && module->mode->final &&
         (module_has_slots(module) || tl_module_section_named(module, ".nv.uft") != TL_NONE ||
          tl_module_section_named(module, ".nv.udt") != TL_NONE);
}
