/* The merge: all files, one after the other, in the order of W3. Errors of one file are collected, then the link ends
 * with `merge_elf failed` (C72). The function pass and the object pass of a file come before its records, because
 * records of dead and losing bodies must be told apart. */
#include "merge/merging.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "graph/live.h"

#include <string.h>

void tl_merge_report(tl_merging *m, const tl_message_row *row, uint32_t name, const char *first_file) {
  const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, name), TL_NO_OFFSET};
  tl_diagnostics_add(m->module->diagnostics, row, site, NULL, tl_merging_text(m, name), m->cubin->path, first_file);
}

/* Shared objects of a kernel's body that loses are laid out all the same (L81). */
static bool merge_section_is_about_text(const tl_cubin_section *section, uint8_t state) {
  const uint32_t type = section->type;
  if (type == SHT_CUDA_SHARED && state == TL_SECTION_LOST)
    return false;
  if (type == SHT_CUDA_IMAGE_HEADERS) /* tables of all bodies stay (L767) */
    return state == TL_SECTION_DEAD;
  if (type == SHT_CUDA_LOCAL) /* L951 */
    return section->flags & SHF_INFO_LINK;
  return type == SHT_CUDA_INFO || type == SHT_CUDA_SHARED || tl_section_type_is_constant(type);
}

void tl_merge_spread_state(tl_merging *m, uint8_t state) {
  const tl_cubin *const cubin = m->cubin;
  bool any = tl_merging_any(m, state);
  for (int pass = 0; pass < 2 && any; pass++) { /* relocation sections of constants come second */
    any = false;
    for (uint32_t s = 1; s < cubin->section_count; s++) {
      const tl_cubin_section *const section = &cubin->sections[s];
      if (section->info >= cubin->section_count || !(m->section_state[section->info] & state))
        continue;
      any = true;
      const bool relocations = tl_section_type_is_relocations(section->type);
      if (pass ? relocations : merge_section_is_about_text(section, state))
        m->section_state[s] |= state;
    }
  }
}

#define NAME(text) tl_names_intern(names, (text), sizeof(text) - 1)

static tl_merging merge_begin(tl_module *module, uint32_t file) {
  const tl_cubin *const cubin = &module->files[file];
  tl_merging m = {.module = module, .file = file, .cubin = cubin, .bodies = module->resolution->bodies[file]};
  tl_arena *const arena = module->arena;
  m.symbol_map = tl_arena_new_bare(arena, uint32_t, cubin->symbol_count);
  m.symbol_dead = tl_arena_new(arena, bool, cubin->symbol_count);
  m.symbol_lost = tl_arena_new(arena, bool, cubin->symbol_count);
  m.without_node = tl_arena_new(arena, bool, cubin->symbol_count);
  m.section_map = tl_arena_new_bare(arena, uint32_t, cubin->section_count);
  m.section_offset = tl_arena_new(arena, uint64_t, cubin->section_count);
  m.section_state = tl_arena_new(arena, uint8_t, cubin->section_count);
  for (uint32_t i = 0; i < cubin->symbol_count; i++)
    m.symbol_map[i] = TL_NONE;
  for (uint32_t i = 0; i < cubin->section_count; i++)
    m.section_map[i] = TL_NONE;
  return m;
}

bool tl_merging_holds_function(tl_merging *m, uint32_t section) {
  if (!m->holds_functions) {
    m->holds_functions = tl_arena_new(m->module->arena, bool, m->cubin->section_count);
    for (uint32_t i = 1; i < m->cubin->symbol_count; i++)
      if (tl_symbol_type(&m->cubin->symbols[i]) == STT_FUNC && m->cubin->symbols[i].section < m->cubin->section_count)
        m->holds_functions[m->cubin->symbols[i].section] = true;
  }
  return m->holds_functions[section];
}

/* The output section that a symbol without body or object stands for: that of its section, or, where the two names are
 * not the same, the one of its own name (L184). That of a jump slot's section stands for none where an index has gathered
 * them (L1102). */
static uint32_t merge_section_of_symbol(const tl_merging *m, const tl_cubin_symbol *symbol) {
  const tl_cubin_section *const input = tl_cubin_section_at(m->cubin, symbol->section);
  const bool own = symbol->section != SHN_UNDEF && tl_symbol_type(symbol) == STT_SECTION &&
                   symbol->name == input->name && input->type != SHT_NOTE;
  const uint32_t section = own ? tl_merging_section(m, symbol->section) : TL_NONE;
  if (section != TL_NONE && section == m->module->jump_slots && m->module->sections.items[section].name != symbol->name)
    return TL_NONE;
  const bool pool = section != TL_NONE && section == m->module->debug_shared; /* nvlink finds it by its name (L1591) */
  return own && !pool ? section : tl_module_find_section(m->module, symbol->name);
}

/* Whether a symbol is neither function nor object nor texture: a section's, a label, whatever its binding. */
static bool merge_is_looked_up(const tl_merging *m, uint32_t symbol) {
  const unsigned type = tl_symbol_type(&m->cubin->symbols[symbol]);
  return m->symbol_map[symbol] == TL_NONE && m->bodies[symbol].function == TL_NONE && type != STT_OBJECT &&
         type != STT_FUNC && (type < STT_CUDA_TEXTURE || type > STT_CUDA_OBJECT);
}

/* Section symbols stand for the output section that theirs went into, and what has another name for whatever has that name
 * so far (L184, L1117). */
static void merge_map_section_symbols(tl_merging *m) {
  for (uint32_t i = 1; i < m->cubin->symbol_count; i++) {
    const tl_cubin_symbol *const symbol = &m->cubin->symbols[i];
    if (!merge_is_looked_up(m, i))
      continue;
    const tl_cubin_section *const input = tl_cubin_section_at(m->cubin, symbol->section);
    const bool own = symbol->section != SHN_UNDEF && symbol->name == input->name;
    const uint32_t section = merge_section_of_symbol(m, symbol);
    const uint32_t namesake = own && section != TL_NONE ? tl_merge_namesake(m->module, symbol->name) : TL_NONE;
    if (namesake != TL_NONE) { /* L1609 */
      m->symbol_map[i] = namesake;
      continue;
    }
    const uint32_t known = section != TL_NONE ? m->module->sections.items[section].symbol
                           : own              ? TL_NONE
                                              : tl_merge_symbol_named(m, symbol->name);
    if (known)
      m->symbol_map[i] = known;
  }
}

/* E45: beside an -ewp object every other file is warned about (C28). */
static void merge_check_ewp(const tl_merging *m) {
  const bool any = m->module->any_ewp;
  const tl_site site = {m->cubin->path, NULL, NULL, TL_NO_OFFSET};
  if (any && m->cubin->type != ET_EWP && !m->cubin->system)
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_EWP), site, NULL, m->cubin->path);
}

/* Z004.101: what the file's sections and symbols became. */
static void merge_trace_maps(const tl_merging *m) {
  tl_diagnostics *const diagnostics = m->module->diagnostics;
  for (uint32_t i = 0; i < m->cubin->section_count; i++)
    if (m->section_map[i] != TL_NONE)
      tl_trace(diagnostics, TL_TRACE_SECTION_MAP, (uint64_t)i, (uint64_t)m->section_map[i], m->section_offset[i]);
  for (uint32_t i = 0; i < m->cubin->symbol_count; i++)
    if (m->symbol_map[i] != TL_NONE)
      tl_trace(diagnostics, TL_TRACE_SYMBOL_MAP, (uint64_t)i, (uint64_t)m->symbol_map[i]);
}

/* Z004.102: all that there is after the file. */
static void merge_trace_state(const tl_merging *m) {
  const tl_module *const module = m->module;
  tl_trace(module->diagnostics, TL_TRACE_STATE_FILE, m->cubin->path, (uint64_t)module->sections.count,
           (uint64_t)module->symbols.count);
  for (size_t i = 1; i < module->sections.count; i++) {
    const tl_section *const section = &module->sections.items[i];
    tl_trace(module->diagnostics, TL_TRACE_STATE_SECTION, (uint64_t)i, tl_module_text(module, section->name),
             (uint64_t)section->type, section->size, section->align);
  }
  for (size_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    const uint64_t section = symbol->section == TL_NONE ? 0 : symbol->section;
    tl_trace(module->diagnostics, TL_TRACE_STATE_SYMBOL, (uint64_t)i, tl_module_text(module, symbol->name),
             (uint64_t)symbol->info, (uint64_t)symbol->other, section, symbol->value, symbol->size);
  }
}

/* What is said about a file's sections when they are read comes in their order, and before `merge_elf failed` (L1186), what ends the
 * link over the call graph, too (L1581). */
static void merge_check_sections(tl_merging *m) {
  const tl_live_fault *const fault = &m->module->resolution->fault;
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const uint32_t type = m->cubin->sections[s].type;
    if (fault->message && fault->file == m->file && fault->section == s)
      tl_live_report(fault, m->module->files, m->module->names, m->module->diagnostics);
    if (type == SHT_CUDA_INFO) {
      tl_merge_check_attributes(m, s);
      if (m->module->resolution->odd_records[m->file])
        tl_merge_check_fragments(m, s);
    } else if (type == SHT_CUDA_PROTOTYPE || type == SHT_CUDA_CALLGRAPH) {
      tl_merge_check_prototypes(m, s);
    } else if (type == SHT_CUDA_COMPAT) {
      tl_merge_check_isa_class(m, s);
    } else if (tl_section_type_is_relocations(type)) {
      tl_merge_check_targets(m, s);
    }
  }
}

static void merge_file(tl_module *module, uint32_t file) {
  tl_merging m = merge_begin(module, file);
  const unsigned errors = module->diagnostics->errors;
  if (m.cubin->late)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_AFTER_CUDADEVRT),
                       (tl_site){m.cubin->path, NULL, NULL, TL_NO_OFFSET}, NULL);
  if (m.cubin->fault)
    tl_diagnostics_add(module->diagnostics, m.cubin->fault, m.cubin->fault_site, NULL);
  merge_check_ewp(&m);
  if (m.cubin->unreadable)
    tl_diagnostics_add(module->diagnostics, m.cubin->unreadable, (tl_site){m.cubin->path, NULL, NULL, TL_NO_OFFSET},
                       NULL);
  tl_merge_functions(&m);
  tl_merge_objects(&m);
  tl_merge_remaining_sections(&m);
  merge_map_section_symbols(&m);
  tl_merge_mark_referenced(&m);
  merge_check_sections(&m);
  if (module->diagnostics->errors > errors) {
    const tl_site site = {m.cubin->path, NULL, NULL, TL_NO_OFFSET};
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_MERGE_FAILED), site, NULL);
  }
  if (m.mistyped)
    tl_diagnostics_release(module->diagnostics);
  tl_merge_records(&m);
  tl_merge_mark_lost(&m);
  tl_merge_partial_objects(&m);
  if (tl_trace_wants(module->diagnostics, TL_TRACE_MAPS)) {
    merge_trace_maps(&m);
    merge_trace_state(&m);
  }
}

/* U10: among the fixed sections of an executable where an input has a section of this name, without an index file, too
 * (L1220). The symbol of an empty one is not in the output (L1617). */
static void merge_create_jump_entries(tl_module *module) {
  tl_names *const names = module->names;
  const uint32_t name = NAME(".nv.uft.entry");
  bool any = false;
  for (uint32_t f = 0; f < module->file_count; f++)
    for (uint32_t s = 1; s < module->files[f].section_count; s++) {
      const tl_cubin_section *const input = &module->files[f].sections[s];
      any |= input->type == SHT_CUDA_UFT_ENTRY && input->name == name;
    }
  module->jump_entries = TL_NONE;
  if (!any || !module->mode->final)
    return;
  module->jump_entries =
      tl_module_add_section(module, name, SHT_CUDA_UFT_ENTRY, 0, UNIFIED_ENTRY_SIZE, UNIFIED_ENTRY_SIZE);
  tl_module_add_section_symbol(module, module->jump_entries);
}

/* U6, U12: the index file as it is, also where nothing is unified and in a relocatable output. */
static void merge_create_index(tl_module *module) {
  tl_names *const names = module->names;
  module->index_section = TL_NONE;
  if (!module->index)
    return;
  module->index_section = tl_module_add_section(module, NAME(".nv.uidx"), SHT_CUDA_UIDX, 0, 1, 0);
  tl_module_add_section_symbol(module, module->index_section);
  module->sections.items[module->index_section].size = module->index->size;
}

/* What stands before everything else: the null entries, the fixed names of W2.2, the notes' sections. */
static void merge_create_fixed(tl_module *module) {
  tl_names *const names = module->names;
  *tl_vector_push(module->arena, &module->sections) = (tl_section){.about = TL_NONE, .symbol = TL_NONE};
  const tl_symbol null_symbol = {.section = TL_NONE, .function = TL_NONE, .block = TL_NONE, .mention = TL_NONE};
  tl_module_new_symbol(module, &null_symbol);
  module->shstrtab = tl_module_add_section(module, NAME(".shstrtab"), SHT_STRTAB, 0, 1, 0);
  module->strtab = tl_module_add_section(module, NAME(".strtab"), SHT_STRTAB, 0, 1, 0);
  module->symtab = tl_module_add_section(module, NAME(".symtab"), SHT_SYMTAB, 0, 8, ELF_SYMBOL_SIZE);
  module->symtab_shndx = tl_module_add_section(module, NAME(".symtab_shndx"), SHT_SYMTAB_SHNDX, 0, 4, 4);
  const bool compat = module->arch >= 90;
  module->tool_note = tl_module_add_section(module, NAME(".note.nv.tkinfo"), SHT_NOTE, 0x2000000, 4, 0);
  tl_module_add_section_symbol(module, module->tool_note);
  module->cuda_note =
      tl_module_add_section(module, NAME(".note.nv.cuinfo"), SHT_NOTE, compat ? 0x1000040 : 0x1000000, 4, 0);
  tl_module_add_section_symbol(module, module->cuda_note);
  merge_create_jump_entries(module);
  module->info = tl_module_add_section(module, NAME(".nv.info"), SHT_CUDA_INFO, 0, 4, 0);
  module->compat_section =
      compat ? tl_module_add_section(module, NAME(".nv.compat"), SHT_CUDA_COMPAT, 0, 4, 0) : TL_NONE;
  merge_create_index(module);
}

static uint32_t *merge_table(tl_module *module, size_t count) {
  uint32_t *const table = tl_arena_new_bare(module->arena, uint32_t, count);
  for (size_t i = 0; i < count; i++)
    table[i] = TL_NONE;
  return table;
}

static uint64_t merge_smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Most of an input's sections, symbols, relocations and records come along, and every kernel gets a few sections more, so
 * their numbers say how long the lists will be. The sections of a damaged file can lie on each other, so no list is made
 * longer than the bytes could fill. */
static void merge_reserve(tl_module *module) {
  enum { RECORD_SIZE = 12, EDGE_SIZE = 8, MORE_SECTIONS = 3 }; /* of .nv.info; of .nv.callgraph; of a kernel */
  uint64_t sections = 16, symbols = 16, kernels = 0, relocations = 0, records = 0, edges = 0, bytes = 0, blocks = 0;
  for (uint32_t f = 0; f < module->file_count; f++) {
    const tl_cubin *const cubin = &module->files[f];
    bytes += cubin->size;
    sections += cubin->section_count;
    symbols += cubin->symbol_count;
    for (uint32_t i = 0; i < cubin->symbol_count; i++)
      kernels += tl_symbol_type(&cubin->symbols[i]) == STT_FUNC && cubin->symbols[i].other & STO_ENTRY;
    for (uint32_t s = 1; s < cubin->section_count; s++) {
      const tl_cubin_section *const section = &cubin->sections[s];
      if (tl_section_type_is_relocations(section->type))
        relocations += tl_cubin_relocation_count(section);
      else if (section->type == SHT_CUDA_INFO && !section->info)
        records += section->size / RECORD_SIZE;
      else if (section->type == SHT_CUDA_CALLGRAPH)
        edges += section->size / EDGE_SIZE;
      else
        blocks += section->type == SHT_CUDA_CONSTANT0 + 2 && section->info;
    }
  }
  sections += MORE_SECTIONS * kernels;
  symbols += MORE_SECTIONS * kernels;
  tl_vector_reserve(module->arena, &module->sections, sections);
  tl_vector_reserve(module->arena, &module->section_names, sections);
  tl_vector_reserve(module->arena, &module->symbols, symbols);
  tl_vector_reserve(module->arena, &module->locals, symbols);
  tl_vector_reserve(module->arena, &module->globals, symbols);
  tl_vector_reserve(module->arena, &module->strings, sections + symbols);
  tl_vector_reserve(module->arena, &module->relocations, merge_smaller(relocations, bytes / ELF_REL_SIZE));
  tl_vector_reserve(module->arena, &module->attributes, merge_smaller(records, bytes / RECORD_SIZE));
  tl_vector_reserve(module->arena, &module->constant_blocks, merge_smaller(blocks, bytes / ELF_SECTION_SIZE));
  tl_vector_reserve(module->arena, &module->calls, merge_smaller(edges, bytes / EDGE_SIZE));
}

void tl_merge(tl_module *module) {
  tl_map_init(&module->named_blocks, module->arena);
  for (uint32_t i = 0; i < module->admitted_count; i++)
    module->any_ewp |= module->files[i].type == ET_EWP;
  merge_reserve(module);
  tl_map_init(&module->owned_sections, module->arena);
  tl_map_init(&module->dead_function_of_name, module->arena);
  tl_map_init(&module->dead_texts, module->arena);
  tl_map_init(&module->local_textures, module->arena);
  tl_map_init(&module->standing_constant_of, module->arena);
  tl_map_init(&module->local_function_names, module->arena);
  tl_map_init(&module->replaced_records, module->arena);
  tl_map_init(&module->calls_seen, module->arena);
  tl_map_init(&module->references_seen, module->arena);
  tl_map_init(&module->prototype_seen, module->arena);
  tl_map_init(&module->taken_at, module->arena);
  module->bare_shared = TL_NONE;
  module->foreign_shared = module->debug_shared = module->global = module->callgraph = module->prototype =
      module->rel_action = TL_NONE;
  module->constants_size = module->metadata = module->overlapping = module->jump_slots = module->unified_data = TL_NONE;
  module->weak_behind_common.file = TL_NONE;
  const size_t functions = module->resolution->functions.count;
  module->symbol_of_name = merge_table(module, module->resolution->name_count);
  module->symbol_of_function = merge_table(module, functions);
  module->block_of_function = merge_table(module, functions);
  module->prototype_of_function = merge_table(module, functions);
  module->untyped = tl_arena_new(module->arena, bool, functions);
  module->taken_elsewhere = tl_arena_new(module->arena, bool, functions);
  module->first_prototype = merge_table(module, functions);
  module->first_function = merge_table(module, module->file_count);
  merge_create_fixed(module);
  tl_merge_compat_begin(module);
  for (uint32_t file = 0; file < module->file_count; file++)
    merge_file(module, file);
  tl_module_place_fixed_symbols(module);
  if (module->resolution->stray.message)
    tl_live_report(&module->resolution->stray, module->files, module->names, module->diagnostics);
  if (module->unexpected) /* L1270 */
    tl_diagnostics_add(module->diagnostics, module->unexpected, module->unexpected_site, NULL);
  for (size_t i = 0; i < module->constant_blocks.count; i++)
    tl_merge_sort_entries(&module->constant_blocks.items[i]);
}

/* nvlink divides by the low 32 bits of a common symbol's alignment (L443). */
static void merge_check_common(const tl_module *module, const tl_symbol *symbol) {
  const char *const path = module->files[symbol->mention].path;
  const tl_site site = {path, NULL, tl_module_text(module, symbol->name), TL_NO_OFFSET};
  if (!(uint32_t)symbol->align)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), site, NULL, path,
                       "st_value of a common symbol is 0 (L443)");
}

/* nvlink looks for the section of commons by its name, and crashes where a file gave it another type (L704). */
static void merge_check_global(const tl_module *module) {
  const tl_section *const section = &module->sections.items[module->global];
  if (section->type == SHT_CUDA_GLOBAL || !section->pieces.count)
    return;
  const char *const path = module->files[section->pieces.items[0].file].path;
  const tl_site site = {path, ".nv.global", NULL, TL_NO_OFFSET};
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), site, NULL, path,
                     "sh_type of .nv.global is not that of the section of common symbols (L704)");
}

/* W3.7, L70: commons are allocated at the end of .nv.global, the one that became common last first. */
/* L1894: a weak definition with an initialiser has taken the name out of the list of those that are laid out. */
static void merge_leave_common(const tl_module *module, tl_symbol *symbol) {
  symbol->common = false;
  symbol->waits = !module->mode->final;
}

static void merge_allocate_common(tl_module *module, uint32_t index) {
  if (!module->symbols.items[index].common)
    return;
  if (module->symbols.items[index].weak_initialised) {
    merge_leave_common(module, &module->symbols.items[index]);
    return;
  }
  merge_check_common(module, &module->symbols.items[index]);
  const bool later = !module->mode->final && !tl_defect_matched(module->options, TL_DEFECT_D3);
  module->symbols.items[index].waits = later;
  if (later) {
    tl_defect_note(module->diagnostics, TL_DEFECT_D3, tl_module_text(module, module->symbols.items[index].name));
    module->symbols.items[index].value = module->symbols.items[index].align;
    return;
  }
  tl_names *const names = module->names;
  const uint32_t name = NAME(".nv.global");
  module->global = tl_module_find_section(module, name);
  if (module->global == TL_NONE) {
    module->global = tl_module_add_section(module, name, SHT_CUDA_GLOBAL, SHF_WRITE | SHF_ALLOC, 1, 0);
    tl_module_add_section_symbol(module, module->global);
  }
  merge_check_global(module);
  tl_symbol *const symbol = &module->symbols.items[index];
  const uint32_t file = symbol->mention;
  symbol->value = tl_module_append(module, module->global, NULL, symbol->size, symbol->align, file, 0);
  symbol->section = module->global;
}

static void merge_add_taken_of(tl_module *module, const tl_u32_vector *functions) {
  tl_names *const names = module->names;
  for (size_t i = 0; i < functions->count; i++) {
    const uint32_t function = functions->items[i];
    const tl_symbol *const symbol = &module->symbols.items[module->symbol_of_function[function]];
    const bool local = tl_binding_of(symbol) == STB_LOCAL;
    const uint32_t prototype = local ? TL_NONE : module->prototype_of_function[function];
    if (!module->resolution->functions.items[function].described || tl_module_is_taken(module, function))
      continue;
    module->untyped[function] = prototype == TL_NONE;
    tl_module_add_taken(module, function, prototype == TL_NONE ? NAME("") : prototype);
  }
}

/* Functions whose address is taken without a record of part -2 that counts: R15, L618, those in kernels' texts, too (L1748). A
 * local one has no prototype then (L1432). */
static void merge_add_late_taken(tl_module *module) {
  merge_add_taken_of(module, &module->functions);
  merge_add_taken_of(module, &module->inner_functions);
}

static int merge_compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return tl_compare(x, y);
}

/* L255: a kernel whose address an earlier file takes was created there, before its text, and so before the jump slots behind
 * that mention (L1043). */
static void merge_order_kernels(tl_module *module) {
  const tl_u32_vector *const kernels = &module->kernels;
  tl_vector_sort(&module->kernels, merge_compare);
  for (size_t i = 0; i < module->stubs.count; i++) {
    uint32_t *const before = &module->kernels_before_stub.items[i];
    while (*before < kernels->count && kernels->items[*before] < module->stubs.items[i])
      ++*before;
  }
}

/* A place that a definition left (W9.12), or an object with a size that no file defines: its error is E20 (L113), and an
 * executable has one that is only weakly mentioned as it has other variables of that kind (L631). */
static bool merge_shared_object_is_gone(tl_module *module, uint32_t symbol) {
  if (symbol == TL_NONE)
    return true;
  tl_symbol *const s = &module->symbols.items[symbol];
  if (s->section != TL_NONE || s->external_shared || tl_binding_of(s) == STB_LOCAL)
    return false;
  if (tl_binding_of(s) == STB_GLOBAL)
    return true;
  if (module->mode->final) {
    s->shared = false;
    s->value = UINT64_MAX;
  }
  return module->mode->final;
}

/* A kernel whose sections are made late has attributes only where its file has some (L600). */
static void merge_check_attributes(const tl_module *module) {
  for (size_t i = 0; i < module->kernels.count; i++) {
    const tl_symbol *const kernel = &module->symbols.items[module->kernels.items[i]];
    const tl_cubin *const file = &module->files[kernel->mention];
    if (module->sections.items[kernel->section].info == TL_NONE)
      tl_cubin_damaged(file, module->names, module->diagnostics, file->symbol_table, TL_NO_OFFSET,
                       "a kernel has no section of attributes (L600)");
  }
}

static tl_map merge_places(const tl_module *module, const tl_u32_vector *list) {
  tl_map places;
  tl_map_init(&places, module->arena);
  for (size_t i = 0; i < list->count; i++)
    tl_map_set(&places, list->items[i], (uint32_t)i);
  return places;
}

/* L647: in a relocatable output a function stands before its aliases, though an earlier file mentions those, so that no
 * later link meets the alias first (D102). */
static void merge_lead_with_functions(tl_module *module, tl_u32_vector *half) {
  tl_map places = {0}; /* of the symbols, when there is an alias */
  for (size_t i = 0; i < half->count; i++) {
    const tl_symbol *const alias = &module->symbols.items[half->items[i]];
    const uint32_t owner = tl_type_of(alias) == STT_FUNC && alias->section != TL_NONE
                               ? module->sections.items[alias->section].owner
                               : TL_NONE;
    if (owner == TL_NONE || owner == half->items[i])
      continue;
    if (!places.arena)
      places = merge_places(module, half);
    const uint32_t place = tl_map_get(&places, owner);
    if (place == TL_NONE || place <= i)
      continue;
    half->items[place] = half->items[i];
    half->items[i] = owner;
    tl_map_set(&places, half->items[place], place);
    tl_map_set(&places, owner, (uint32_t)i);
    tl_defect_note(module->diagnostics, TL_DEFECT_D102, tl_module_text(module, alias->name));
  }
}

static void merge_drop_provided(tl_module *module, tl_u32_vector *kernels) {
  size_t kept = 0;
  for (size_t k = 0; k < kernels->count; k++)
    if (!module->symbols.items[kernels->items[k]].provided)
      kernels->items[kept++] = kernels->items[k];
  kernels->count = kept;
}

/* L1474: beside exactly one kernel a function that the driver provides, too, is none, though its sections were made as one's. */
static void merge_count_provided(tl_module *module) {
  size_t provided = 0, real = 0;
  for (size_t k = 0; k < module->entries.count; k++) {
    const tl_symbol *const entry = &module->symbols.items[module->entries.items[k]];
    provided += entry->provided;
    real += entry->provided ? 0 : entry->late_sections ? 2 : 1; /* as in tl_module_has_single_kernel */
  }
  if (!provided || real != 1)
    return;
  merge_drop_provided(module, &module->entries);
  merge_drop_provided(module, &module->kernels);
  merge_drop_provided(module, &module->all_kernels);
  for (uint32_t i = 1; i < module->symbols.count; i++)
    module->symbols.items[i].provided = false;
}

/* A second name that -kernels-used leaves out is no entry (L1107), but where its address keeps it as a kernel (L1182). */
static bool merge_leaves_out(const tl_module *module, const tl_symbol *name) {
  return !module->resolution->functions.items[name->function].rooted &&
         tl_kernel_is_late(module->options, tl_module_text(module, name->name));
}

/* L576: nvlink takes a second name of a function for a kernel, too, where its st_other says so. */
static void merge_collect_entries(tl_module *module) {
  for (size_t k = 0; k < module->kernels.count; k++)
    tl_u32_push(module->arena, &module->entries, module->kernels.items[k]);
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const s = &module->symbols.items[i];
    if (s->function != TL_NONE && s->section != TL_NONE && tl_symbol_is_entry(s) &&
        module->sections.items[s->section].owner != i && !tl_module_is_stub(module, i) &&
        !merge_leaves_out(module, s)) {
      tl_u32_push(module->arena, &module->entries, i);
      module->alias_left_out = tl_kernel_is_late(module->options, tl_module_text(module, s->name));
    }
  }
}

void tl_merge_finish(tl_module *module) {
  tl_names *const names = module->names;
  merge_check_attributes(module);
  merge_order_kernels(module);
  merge_collect_entries(module);
  merge_count_provided(module);
  for (size_t i = module->commons.count; i-- > 0;)
    merge_allocate_common(module, module->commons.items[i]);
  if (!tl_defect_matched(module->options, TL_DEFECT_D82))
    module->has_external_shared = false;
  size_t kept = 0;
  for (size_t i = 0; i < module->shared_objects.count; i++)
    if (!merge_shared_object_is_gone(module, module->shared_objects.items[i]))
      module->shared_objects.items[kept++] = module->shared_objects.items[i];
  module->shared_objects.count = kept;
  for (size_t i = 0; i < module->shared_objects.count; i++)
    module->has_external_shared |= module->symbols.items[module->shared_objects.items[i]].external_shared;
  merge_add_late_taken(module);
  module->callgraph = tl_module_add_section(module, NAME(".nv.callgraph"), SHT_CUDA_CALLGRAPH, 0, 4, 8);
  tl_module_add_section_symbol(module, module->callgraph);
  module->prototype = tl_module_add_section(module, NAME(".nv.prototype"), SHT_CUDA_PROTOTYPE, 0, 4, 8);
  tl_module_add_section_symbol(module, module->prototype);
  tl_merge_note_bodies(module);
  if (!module->mode->final && !tl_defect_matched(module->options, TL_DEFECT_D102)) {
    merge_lead_with_functions(module, &module->locals);
    merge_lead_with_functions(module, &module->globals);
  }
}

void tl_merge_rel_action(tl_module *module) {
  tl_names *const names = module->names;
  module->rel_action = tl_module_add_section(module, NAME(".nv.rel.action"), SHT_CUDA_REL_ACTION, 0, 8, 8);
  tl_module_add_section_symbol(module, module->rel_action);
}
