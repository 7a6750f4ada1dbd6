/* Which sections stay, in which order (W1.4, W1.5, W4.4), and the steps of emission in their order. */
#include "emit/emit.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"

uint8_t *tl_emit_table(tl_emitted *e, uint32_t section, uint64_t size) {
  e->tables[section] = (tl_table){tl_arena_new(e->arena, uint8_t, size), size};
  return e->tables[section].bytes;
}

bool tl_emit_is_relocations(uint32_t type) {
  return tl_section_type_is_relocations(type) || type == SHT_CUDA_RESOLVEDRELA;
}

uint32_t tl_emit_section_type(const tl_module *module, uint32_t type) {
  if (!module->mode->plain_types)
    return type;
  if (tl_section_type_is_empty(type)) /* no section of the output is of no type */
    return SHT_NOBITS;
  const bool constants = type >= SHT_CUDA_CONSTANT0 && type <= SHT_CUDA_MERCURY_CONSTANT_LAST; /* M2b, L529 */
  if (type == SHT_CUDA_GLOBAL_INIT || constants)
    return SHT_PROGBITS;
  return type;
}

/* What can be no code, whatever its flags. */
bool tl_emit_is_data(uint32_t type) {
  return tl_section_type_is_constant(type) || type == SHT_CUDA_GLOBAL_INIT;
}

/* L1564: PROGBITS with the flag of code in which no function lies stands among texts, with SHF_ALLOC or not. */
bool tl_emit_is_ownerless_code(const tl_section *section) {
  return section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR && section->owner == TL_NONE;
}

unsigned tl_emit_section_class(const tl_section *section) {
  if (section->type == SHT_STRTAB || section->type == SHT_SYMTAB || section->type == SHT_SYMTAB_SHNDX)
    return 0;
  if (tl_emit_is_relocations(section->type))
    return 4;
  if (section->type == SHT_CUDA_GLOBAL) /* L1800: whatever its flags */
    return TL_CLASS_EMPTY;
  const bool data = tl_emit_is_data(section->type); /* L1173 */
  const bool code = (data && section->flags & SHF_EXECINSTR) || tl_emit_is_ownerless_code(section);
  const bool changed = section->flags & SHF_WRITE || code;
  if (!(section->flags & SHF_ALLOC) &&
      !((data || section->type == SHT_PROGBITS) && changed)) /* debug data, too (L1564) */
    return section->type == SHT_PROGBITS ? 1 : 2;
  if (tl_section_type_is_empty(section->type))
    return TL_CLASS_EMPTY;
  if (section->flags & SHF_EXECINSTR && !data)
    return TL_CLASS_TEXT;
  if (section->flags & SHF_WRITE)
    return TL_CLASS_DATA;
  return changed ? TL_CLASS_CODE_DATA : TL_CLASS_READ_ONLY;
}

bool tl_emit_lists_prototype(const tl_module *module, uint32_t function) {
  return module->prototype_of_function[function] != TL_NONE && !tl_module_is_taken(module, function) &&
         tl_binding_of(&module->symbols.items[module->symbol_of_function[function]]) != STB_LOCAL;
}

static bool emit_has_prototypes(const tl_module *module) {
  for (size_t i = 0; i < module->recorded_functions.count; i++)
    if (tl_emit_lists_prototype(module, module->recorded_functions.items[i]))
      return true;
  return false;
}

/* L550, D100: the attributes of an internal function go as those of a dead one do. */
static bool emit_is_of_internal(const tl_module *module, const tl_section *section) {
  const uint32_t owner = section->type == SHT_CUDA_INFO && section->about != TL_NONE
                             ? module->sections.items[section->about].owner
                             : TL_NONE;
  return owner != TL_NONE && tl_symbol_is_kept_internal(&module->symbols.items[owner]) &&
         tl_defect_matched(module->options, TL_DEFECT_D100);
}

static bool emit_section_stays(const tl_emitted *e, uint32_t index) {
  const tl_section *const section = &e->module->sections.items[index];
  const bool bodyless = section->about != TL_NONE && e->module->sections.items[section->about].bodyless;
  if (e->layout->section_dropped[index] || section->forgotten || bodyless || emit_is_of_internal(e->module, section))
    return false;
  if (tl_emit_is_relocations(section->type))
    return e->relocated->container_used[index];
  if (e->recordless && e->recordless[index])
    return false;
  if (index == e->module->info)
    return e->resources->module.count != 0;
  if (section->type == SHT_CUDA_INFO && !e->module->capsule) /* L1435: a function without records has none */
    return e->resources->sections[index].count != 0 || section->size != 0;
  if (index == e->module->prototype)
    return emit_has_prototypes(e->module);
  if (index == e->module->symtab_shndx) /* L400: those that were created count, also when they went again */
    return e->module->sections.count >= SHN_LORESERVE;
  return true;
}

static int emit_compare_early(const void *a, const void *b) {
  const tl_early_section *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->place, y->place}, {x->section, y->section}};
  return tl_compare_pairs(pairs, 2);
}

/* All sections from 1 on as they were made, but for those that come earlier (L1418). */
static const uint32_t *emit_find_turns(const tl_emitted *e, uint32_t count) {
  const size_t moved = e->module->early.count;
  uint32_t *const turns = tl_arena_new(e->arena, uint32_t, count);
  bool *const early = tl_arena_new(e->arena, bool, count);
  tl_early_section *const list = tl_arena_copy(e->arena, e->module->early.items, moved * sizeof *list);
  tl_vector_sort_items(list, moved, sizeof *list, emit_compare_early);
  for (size_t k = 0; k < moved; k++)
    early[list[k].section] = true;
  uint32_t made = 1;
  for (uint32_t i = 1, k = 0; i < count; i++) {
    for (; k < moved && list[k].place == i; k++)
      turns[made++] = list[k].section;
    if (!early[i])
      turns[made++] = i;
  }
  return turns;
}

void tl_emit_sections(tl_emitted *e) {
  enum { GONE = TL_CLASS_EMPTY + 1 };
  const uint32_t count = (uint32_t)e->module->sections.count;
  uint8_t *const class = tl_arena_new(e->arena, uint8_t, count);
  uint32_t next[GONE + 2] = {0}; /* by class: place of its next section */
  for (uint32_t i = 1; i < count; i++) {
    class[i] = (uint8_t)(emit_section_stays(e, i) ? tl_emit_section_class(&e->module->sections.items[i]) : GONE);
    next[class[i] + 1]++;
  }
  for (unsigned i = 1; i <= GONE; i++)
    next[i] += next[i - 1];
  e->section_count = next[GONE];
  const uint32_t *const turns = emit_find_turns(e, count);
  for (uint32_t k = 1; k < count; k++) {
    const uint32_t i = turns[k];
    if (class[i] == GONE)
      continue;
    e->order[next[class[i]]++] = i;
    e->section_index[i] = next[class[i]];
  }
}

/* L1619: attributes all of whose records are about what the output does not list go as those without records do. */
static void emit_drop_attributes(tl_emitted *e) {
  const uint32_t count = (uint32_t)e->module->sections.count;
  bool *const recordless = tl_arena_new(e->arena, bool, count);
  bool any = false;
  for (uint32_t i = 1; i < count && !e->module->capsule; i++) {
    recordless[i] =
        e->section_index[i] && e->module->sections.items[i].type == SHT_CUDA_INFO && !tl_emit_has_records(e, i);
    any |= recordless[i];
  }
  if (!any)
    return;
  e->recordless = recordless;
  memset(e->section_index, 0, count * sizeof *e->section_index);
  tl_emit_sections(e);
}

/* What names symbols by their numbers, which are known by now, and what needs none. */
static void emit_contents(tl_emitted *emitted) {
  tl_emit_info(emitted);
  tl_emit_callgraph(emitted);
  tl_emit_relocations(emitted);
  tl_emit_bodies(emitted);
  tl_emit_unified(emitted);
  tl_emit_metadata(emitted);
  tl_emit_notes(emitted);
}

void tl_emit_begin(tl_emitted *emitted, const tl_module *module, const tl_layout *layout, const tl_resources *resources,
                   const tl_relocated *relocated, tl_arena *arena) {
  const size_t sections = module->sections.count, names = module->names->list.count;
  *emitted = (tl_emitted){.module = module,
                          .layout = layout,
                          .resources = resources,
                          .relocated = relocated,
                          .arena = arena,
                          .order = tl_arena_new(arena, uint32_t, sections),
                          .section_index = tl_arena_new(arena, uint32_t, sections),
                          .symbol_index = tl_arena_new(arena, uint32_t, module->symbols.count),
                          .section_name = tl_arena_new(arena, uint32_t, names),
                          .string = tl_arena_new(arena, uint32_t, names),
                          .tables = tl_arena_new(arena, tl_table, sections)};
  tl_emit_sections(emitted);
  tl_emit_symbols(emitted);
}

void tl_emit(tl_emitted *emitted, const tl_module *module, const tl_layout *layout, const tl_resources *resources,
             const tl_relocated *relocated, tl_arena *arena) {
  tl_emit_begin(emitted, module, layout, resources, relocated, arena);
  emit_drop_attributes(emitted);
  tl_emit_strings(emitted);
  tl_emit_symbol_table(emitted);
  emit_contents(emitted);
}
