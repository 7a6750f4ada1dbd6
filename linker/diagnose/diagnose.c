/* Diagnostics of the merged and laid-out module (C78, E20, E30-E41, E55, K1, K3, K5, H8, G3). */
#include "diagnose/diagnose.h"

#include "base/bytes.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/system_call.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t largest_constant = 0x10000; /* K1, K3, K5 */

static const char *diagnose_name(const tl_module *module, uint32_t symbol) {
  return tl_module_text(module, module->symbols.items[symbol].name);
}

static void diagnose_report_name(const tl_module *module, tl_message_id id, const char *name) {
  const tl_site site = {NULL, NULL, name, TL_NO_OFFSET};
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(id), site, NULL, name);
}

/* Callees from which a cycle can be reached, one for each direct record and one for each indirect record x candidate. */
static uint32_t diagnose_count_cyclic_edges(const tl_graph *graph, uint32_t function) {
  uint32_t count = 0;
  for (uint32_t i = graph->direct.first[function]; i < graph->direct.first[function + 1]; i++)
    count += graph->cyclic[graph->direct.to[i]];
  for (uint32_t i = graph->indirect.first[function]; i < graph->indirect.first[function + 1]; i++) {
    const uint32_t prototype = graph->indirect.to[i];
    for (uint32_t j = graph->takers.first[prototype]; j < graph->takers.first[prototype + 1]; j++)
      count += graph->cyclic[graph->takers.to[j]];
  }
  return count;
}

/* Without an index file slots are functions as others (L867), in a section of their kind or called so (L1890). */
static bool diagnose_is_slot(const tl_module *module, uint32_t function) {
  const tl_symbol *const symbol = &module->symbols.items[module->symbol_of_function[function]];
  if (symbol->section == TL_NONE)
    return false;
  const bool called = tl_text_behind(tl_module_text(module, symbol->name), "__cuda_uf_stub_") &&
                      !(symbol->other & (STO_ENTRY | STO_MANAGED));
  return module->sections.items[symbol->section].type == SHT_CUDA_UFT_REL || (called && !module->index);
}

/* E40, for jump slots too where they are kernels (L557). */
static void diagnose_stacks(const tl_module *module, const tl_graph *graph) {
  const bool stubs = !tl_module_has_single_kernel(module);
  bool *const entry = tl_arena_new(module->arena, bool, graph->function_count);
  for (size_t k = 0; k < module->entries.count; k++)
    entry[module->symbols.items[module->entries.items[k]].function] = true;
  for (size_t i = 0; stubs && i < module->stubs.count; i++)
    entry[module->symbols.items[module->stubs.items[i]].function] = true;
  for (size_t i = 0; i < module->functions.count; i++) {
    const uint32_t function = module->functions.items[i];
    const bool said = entry[function] || (stubs && diagnose_is_slot(module, function));
    const uint32_t edges = said ? diagnose_count_cyclic_edges(graph, function) : 0;
    for (uint32_t e = 0; e < edges; e++)
      diagnose_report_name(module, TL_MESSAGE_STACK_UNKNOWN,
                           diagnose_name(module, module->symbol_of_function[function]));
  }
}

/* D58: by default the calls of what only its address keeps count. They take a warning away where nobody else calls. */
static void diagnose_note_kept_callers(const tl_module *module, const tl_graph *graph, const bool *taken,
                                       const bool *called) {
  if (tl_defect_matched(module->diagnostics->options, TL_DEFECT_D58))
    return;
  bool *const seen = tl_arena_new(module->arena, bool, graph->node_count);
  uint32_t *const work = tl_arena_new(module->arena, uint32_t, graph->node_count + module->entries.count);
  size_t count = 0;
  for (size_t k = 0; k < module->entries.count; k++)
    work[count++] = module->symbols.items[module->entries.items[k]].function;
  while (count) {
    const uint32_t node = work[--count];
    for (uint32_t i = graph->callees.first[node]; i < graph->callees.first[node + 1]; i++) {
      if (!seen[graph->callees.to[i]])
        work[count++] = graph->callees.to[i];
      seen[graph->callees.to[i]] = true;
    }
  }
  for (uint32_t f = 0; f < graph->function_count; f++)
    if (taken[f] && called[f] && !seen[f] && !tl_diagnose_is_kernel(module, f))
      tl_defect_note(module->diagnostics, TL_DEFECT_D58,
                     tl_module_text(module, module->resolution->functions.items[f].name));
}

/* E41: address taken, but nothing that a kernel reaches calls through its prototype or by its name; kernels are left
 * out (L44), and jump slots where they are kernels (L1180). */
static void diagnose_never_called(const tl_module *module, const tl_graph *graph) {
  bool *const called = tl_arena_new(module->arena, bool, graph->node_count);
  bool *const taken = tl_arena_new(module->arena, bool, graph->node_count);
  for (uint32_t f = 0; f < graph->function_count; f++) {
    if (!module->resolution->functions.items[f].reached)
      continue;
    for (uint32_t i = graph->callees.first[f]; i < graph->callees.first[f + 1]; i++)
      called[graph->callees.to[i]] = true;
  }
  tl_diagnose_find_taken(module, taken);
  for (uint32_t prototype = graph->function_count; prototype < graph->node_count; prototype++)
    for (uint32_t j = graph->takers.first[prototype]; called[prototype] && j < graph->takers.first[prototype + 1]; j++)
      called[graph->takers.to[j]] = true;
  const bool slots = !tl_module_has_single_kernel(module);
  const bool behind = tl_module_has_slot_behind(module) && tl_module_has_tables(module); /* E79 comes before (L1683) */
  for (uint32_t f = 0; f < graph->function_count; f++) {
    if (!taken[f] || called[f] || tl_diagnose_is_kernel(module, f) || behind)
      continue;
    if (!slots || !(tl_module_is_stub(module, module->symbol_of_function[f]) || diagnose_is_slot(module, f)))
      diagnose_report_name(module, TL_MESSAGE_NEVER_CALLED,
                           tl_module_text(module, module->resolution->functions.items[f].name));
  }
  diagnose_note_kept_callers(module, graph, taken, called);
}

/* E55 (L1590). */
void tl_diagnose_index(const tl_module *module) {
  if (tl_module_lacks_index(module))
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_NO_UIDX),
                       (tl_site){NULL, NULL, NULL, TL_NO_OFFSET}, NULL);
}

void tl_diagnose_calls(const tl_module *module, const tl_graph *graph) {
  if (!module->options->suppress_stack_warning)
    diagnose_stacks(module, graph);
  if (module->options->extra_warnings && module->eliminates)
    diagnose_never_called(module, graph);
}

/* Static shared memory of one kernel: H8; the accelerated variant of sm_90 has more (L60). */
static uint64_t diagnose_largest_shared(const tl_module *module) {
  return module->arch == 90 && module->accelerated ? 0x38c00 : 0xc000;
}

/* The kernel's name in ".nv.<kind>.<kernel>". */
static const char *diagnose_owner_name(const tl_module *module, const tl_section *section) {
  return diagnose_name(module, module->sections.items[section->about].owner);
}

/* nvlink takes what stands behind ".nv.shared." for the kernel's name, also in ".nv_debug.shared" (L297). */
static const char *diagnose_shared_name(const tl_module *module, const tl_section *section) {
  static const char prefix[] = ".nv.shared.";
  return section->about == TL_NONE ? tl_module_text(module, section->name) + sizeof prefix - 1
                                   : diagnose_owner_name(module, section);
}

static void diagnose_report_constant(const tl_module *module, const char *name, uint64_t size) {
  const tl_site site = {NULL, NULL, name, TL_NO_OFFSET};
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_CONSTANT_SIZE), site, NULL, name, size);
}

static void diagnose_report_shared(const tl_module *module, const char *name, uint64_t size) {
  const tl_site site = {NULL, NULL, name, TL_NO_OFFSET};
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_SHARED_SIZE), site, NULL, name, size,
                     diagnose_largest_shared(module));
}

/* L1717: nvlink looks at 32 bits of the size, as a signed number (D38). */
static void diagnose_shared_size(const tl_module *module, const tl_section *section, uint64_t size, uint64_t reserved) {
  const uint64_t most = diagnose_largest_shared(module) + reserved;
  const bool cut = tl_defect_matched(module->options, TL_DEFECT_D38);
  const uint64_t low = size & INT32_MAX, seen = cut ? (size >> 31 & 1 ? 0 : low) : size;
  if (seen > most)
    diagnose_report_shared(module, diagnose_shared_name(module, section), seen - reserved);
}

/* User constants, and those of Mercury beside them in a link of SASS kind (L144). */
static bool diagnose_holds_user_constants(const tl_section *section) {
  return section->type == SHT_CUDA_CONSTANT0 + 3 || section->type == SHT_CUDA_USER_CONSTANT;
}

/* E32; in a relocatable output nvlink says it too, although the final link can lay user constants out again (K1a, D95). */
static void diagnose_user_constants(const tl_module *module, uint64_t size) {
  const char *const name = tl_module_user_constants(module);
  if (module->mode->final || tl_defect_matched(module->options, TL_DEFECT_D95))
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_USER_CONSTANT_SIZE),
                       (tl_site){NULL, name, NULL, TL_NO_OFFSET}, NULL, size);
  else
    tl_defect_note(module->diagnostics, TL_DEFECT_D95, name);
}

/* E33; as E32 in a relocatable output by default (D95). */
static void diagnose_compiler_constants(const tl_module *module, const tl_section *section) {
  const char *const owner = diagnose_owner_name(module, section);
  if (module->mode->final || tl_defect_matched(module->options, TL_DEFECT_D95))
    diagnose_report_name(module, TL_MESSAGE_COMPILER_CONSTANTS, owner);
  else
    tl_defect_note(module->diagnostics, TL_DEFECT_D95, owner);
}

/* Whether a section's size counts. A relocatable output has no limits but for user constants, for a kernel's own bank but in
 * capsule links (L1637) and, of compiler constants, for what a losing body brought behind those of the one that stands (L1526). */
static bool diagnose_has_limit(const tl_module *module, const tl_section *section) {
  return module->mode->final || diagnose_holds_user_constants(section) ||
         (section->type == SHT_CUDA_CONSTANT0 && !module->capsule) ||
         (section->type == SHT_CUDA_CONSTANT0 + 2 && section->pieces.count > 1);
}

void tl_diagnose_sizes(const tl_module *module, const tl_layout *layout) {
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const tl_section *const section = &module->sections.items[i];
    const uint64_t size = layout->section_size[i];
    if (layout->section_dropped[i] || !diagnose_has_limit(module, section))
      continue;
    const bool owned = section->about != TL_NONE && module->sections.items[section->about].owner != TL_NONE;
    const bool pool = i == module->debug_shared; /* where it stays (W17.3) */
    if (section->type == SHT_CUDA_SHARED && (owned || pool))
      diagnose_shared_size(module, section, size, layout->reserved);
    else if (diagnose_holds_user_constants(section) && size > largest_constant)
      diagnose_user_constants(module, size);
    else if (section->type == SHT_CUDA_CONSTANT0 + 2 && owned && size > largest_constant)
      diagnose_compiler_constants(module, section);
    else if (section->type == SHT_CUDA_CONSTANT0 && owned && size > largest_constant)
      diagnose_report_constant(module, diagnose_owner_name(module, section), size);
  }
}

static bool diagnose_is_internal_function(const tl_symbol *symbol) {
  return tl_type_of(symbol) == STT_FUNC && (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
}

/* The driver has functions of some names, the linker objects of others (L447). */
static bool diagnose_is_provided(const tl_symbol *symbol, const char *name) {
  return tl_type_of(symbol) == STT_FUNC ? tl_system_call_is(name) : tl_reserved_name_is(name);
}

/* Of an executable, whose common symbols have a section, and a global symbol, which some file mentions. */
static bool diagnose_is_undefined(const tl_module *module, const tl_symbol *symbol) {
  const unsigned type = tl_type_of(symbol);
  const bool internal = (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL; /* L1599 */
  return !internal && symbol->section == TL_NONE && tl_binding_of(symbol) == STB_GLOBAL && !symbol->weak_initialised &&
         !symbol->external_shared && !symbol->weak_mention && !symbol->went &&
         (type == STT_OBJECT || type == STT_FUNC || type == STT_CUDA_OBJECT) &&
         !diagnose_is_provided(symbol, tl_module_text(module, symbol->name));
}

static void diagnose_collect_undefined(const tl_module *module, const tl_u32_vector *half, bool functions,
                                       tl_u32_vector *by_file, tl_arena *arena) {
  for (size_t i = 0; i < half->count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[half->items[i]];
    if ((tl_type_of(symbol) == STT_FUNC) == functions && diagnose_is_undefined(module, symbol))
      tl_u32_push(arena, &by_file[symbol->mention], half->items[i]);
  }
}

/* L551: an internal function that no file defines is not undefined, but deleted, also where such symbols are kept. */
static void diagnose_internal_mentions(const tl_module *module) {
  for (size_t i = 0; i < module->functions.count; i++) {
    const uint32_t index = module->symbol_of_function[module->functions.items[i]];
    const tl_symbol *const symbol = &module->symbols.items[index];
    if (symbol->section == TL_NONE && diagnose_is_internal_function(symbol))
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL),
                         (tl_site){NULL, NULL, diagnose_name(module, index), TL_NO_OFFSET}, NULL);
  }
}

/* Of an executable that does not list it. */
static bool diagnose_has_internal_function(const tl_module *module) {
  bool any = false;
  for (size_t i = 0; i < module->functions.count && !any; i++)
    any = module->symbols.items[module->symbol_of_function[module->functions.items[i]]].unlisted;
  return any;
}

/* D63, L93: a global alias, and an internal function (L551), are found before a local one. */
static bool diagnose_is_early_alias(const tl_module *module) {
  return module->dead_alias || (module->dead_local_alias && diagnose_has_internal_function(module));
}

static void diagnose_dead_alias(const tl_module *module, tl_message_id fatal) {
  if (!module->eliminates)
    return;
  if (tl_defect_matched(module->options, TL_DEFECT_D63))
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(fatal), (tl_site){NULL, NULL, NULL, TL_NO_OFFSET}, NULL);
  else
    tl_defect_note(module->diagnostics, TL_DEFECT_D63, NULL);
}

/* nvlink stops over a function that gets a record and has no attributes: they were said to be another's (L177), or went
 * with the body that an alias replaced (L464, L490). */
void tl_diagnose_attributes(const tl_module *module, const tl_resources *resources) {
  if (resources->lacks_attributes)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_NEGATIVE_SIZE),
                       (tl_site){NULL, NULL, NULL, TL_NO_OFFSET}, NULL);
}

/* I14: behind relocation and undefined names, before the call graph (L1417). */
void tl_diagnose_two_stacks(const tl_module *module, const tl_resources *resources) {
  if (resources->two_stacks)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_CRS_CONFLICT),
                       (tl_site){NULL, NULL, resources->two_stacks, TL_NO_OFFSET}, NULL);
}

/* Where nothing else is wrong, nvlink writes what lies behind a record in its memory (L533). */
void tl_diagnose_foreign_bytes(const tl_module *module, const tl_resources *resources) {
  if (resources->foreign_bytes && !module->diagnostics->errors)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE),
                       (tl_site){module->index->path, NULL, NULL, TL_NO_OFFSET}, NULL, module->index->path,
                       "a record of a jump slot is a number that comes behind its symbols (D104)");
}

/* nvlink crashes behind the errors of merging and of undefined names (L436). */
void tl_diagnose_commons(const tl_module *module) {
  const tl_place_of_symbol *const place = &module->weak_behind_common;
  bool left = false;
  const bool links = !module->mode->final && tl_defect_matched(module->options, TL_DEFECT_D3); /* L1894 */
  for (size_t i = 0; i < module->symbols.count && !links; i++)
    left |= module->symbols.items[i].section == TL_NONE && module->symbols.items[i].weak_initialised;
  if (!left)
    return;
  const tl_cubin *const cubin = &module->files[place->file];
  tl_cubin_damaged(cubin, module->names, module->diagnostics, cubin->symbol_table,
                   (uint64_t)place->symbol * ELF_SYMBOL_SIZE,
                   "a weak variable with an initialiser stands behind a common one of its name (D19)");
}

void tl_diagnose_undefined(const tl_module *module, tl_arena *arena) {
  tl_u32_vector *const by_file = tl_arena_new(arena, tl_u32_vector, module->file_count);
  for (int functions = 1; functions >= 0; functions--) {
    diagnose_collect_undefined(module, &module->locals, functions, by_file, arena);
    diagnose_collect_undefined(module, &module->globals, functions, by_file, arena);
  }
  for (uint32_t f = 0; f < module->file_count; f++)
    for (size_t i = 0; i < by_file[f].count; i++) {
      const char *const name = diagnose_name(module, by_file[f].items[i]);
      const tl_site site = {module->files[f].path, NULL, name, TL_NO_OFFSET};
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_UNDEFINED), site, NULL, name,
                         module->files[f].path);
    }
  diagnose_internal_mentions(module);
  if (diagnose_is_early_alias(module))
    diagnose_dead_alias(module, TL_MESSAGE_DELETED_SYMBOL);
}

/* L1430: what has the name of a table of unified entries and another type keeps the input's numbers, which nvlink takes for its own.
 * The first four are those of what has no symbol (W1.4). */
static bool diagnose_names_nothing(const tl_module *module, const char *table, uint32_t type) {
  enum { LAST_WITHOUT_SYMBOL = 4 };
  const uint32_t section = tl_module_section_named(module, table);
  if (section == TL_NONE || module->sections.items[section].type == type)
    return false;
  const tl_section *const entries = &module->sections.items[section];
  for (size_t i = 0; i < entries->pieces.count; i++) {
    const tl_piece *const piece = &entries->pieces.items[i];
    uint64_t at = (piece->offset + UNIFIED_ENTRY_SIZE - 1) / UNIFIED_ENTRY_SIZE * UNIFIED_ENTRY_SIZE;
    for (; piece->data && at + 4 <= piece->offset + piece->size && at + UNIFIED_ENTRY_SIZE <= entries->size;
         at += UNIFIED_ENTRY_SIZE) {
      const uint32_t number = tl_get32(piece->data + (at - piece->offset));
      if (number && number <= LAST_WITHOUT_SYMBOL)
        return true;
    }
  }
  return false;
}

/* L1255: nvlink looks for the section of an alias that outlives its function, too. */
void tl_diagnose_deleted(const tl_module *module) {
  if (diagnose_names_nothing(module, ".nv.uft.entry", SHT_CUDA_UFT_ENTRY) ||
      diagnose_names_nothing(module, ".nv.udt.entry", SHT_CUDA_UDT_ENTRY))
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SYMBOL),
                       (tl_site){NULL, NULL, NULL, TL_NO_OFFSET}, NULL);
  if (module->deleted_section || (module->foreign_in_pool && !module->has_external_shared)) /* L1891 */
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DELETED_SECTION),
                       (tl_site){NULL, NULL, NULL, TL_NO_OFFSET}, NULL);
  if (module->kept_alias || (module->dead_local_alias && !diagnose_is_early_alias(module)))
    diagnose_dead_alias(module, TL_MESSAGE_DELETED_SECTION);
}

/* The records of one file, those of the module and of what was removed too, but not those of bodies that lose. */
static void diagnose_count_parameters(const tl_module *module, uint32_t file) {
  const tl_cubin *const cubin = &module->files[file];
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    tl_record record;
    if (section->type != SHT_CUDA_INFO || (section->info && !tl_module_text_counts(module, file, section->info)))
      continue;
    for (uint64_t position = 0; tl_record_next_whole(section, &position, &record);)
      if (record.code == EIATTR_KPARAM_INFO_V2)
        tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_LARGE_PARAMETERS),
                           (tl_site){cubin->path, tl_names_text(module->names, section->name), NULL, record.offset},
                           NULL);
  }
}

/* A kernel with more than 4,352 bytes of parameters, of sm_75 to sm_89, has them in records of their own. */
void tl_diagnose_parameters(const tl_module *module) {
  enum { FIRST_WITH_LARGE_BANK = 90 };
  bool few = false;
  for (uint32_t i = 0; i < module->file_count; i++)
    few |= module->files[i].few_parameters;
  if (!few || module->arch >= FIRST_WITH_LARGE_BANK)
    return;
  for (uint32_t i = 0; i < module->file_count; i++)
    diagnose_count_parameters(module, i);
}

/* --- stack --- */

static void diagnose_read_limits(const tl_module *module, const tl_attributes *list, bool own, uint32_t *limits) {
  for (size_t i = 0; i < list->count; i++) {
    const tl_attribute *const record = &list->items[i];
    if (record->code == EIATTR_MAX_STACK_SIZE && record->symbol != TL_NONE && record->size >= 8 &&
        (own || tl_attribute_stands(module, list, i)))
      limits[record->symbol] = tl_get32(record->data + 4);
  }
}

/* By symbol: what its last MAX_STACK_SIZE says, which names one and has room for a number (D67); 0 without any. Those of a
 * replaced body went with it (L1089); those among a function's own attributes count, too (L1419). */
static const uint32_t *diagnose_last_limits(const tl_module *module, tl_arena *arena) {
  uint32_t *const limits = tl_arena_new(arena, uint32_t, module->symbols.count);
  diagnose_read_limits(module, &module->attributes, false, limits);
  for (uint32_t i = 1; i < module->sections.count; i++)
    if (module->sections.items[i].type == SHT_CUDA_INFO && i != module->info)
      diagnose_read_limits(module, &module->sections.items[i].attributes, true, limits);
  return limits;
}

static void diagnose_stack_limit(const tl_module *module, const tl_resources *resources, const tl_symbol *symbol,
                                 uint32_t limit, tl_arena *arena) {
  if (!limit || symbol->function == TL_NONE || !tl_symbol_is_entry(symbol))
    return;
  const uint32_t stack =
      resources->endless[symbol->function] ? UINT32_MAX : (uint32_t)resources->stack[symbol->function];
  const char *const name = tl_module_text(module, symbol->name);
  if (stack > limit)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_STACK_LIMIT),
                       (tl_site){NULL, NULL, name, TL_NO_OFFSET}, NULL, name, tl_arena_signed(arena, stack),
                       tl_arena_signed(arena, limit));
}

/* I29: MAX_STACK_SIZE of a kernel, 0 when it has no limit. Of several records the last one counts; the kernels come as in
 * the symbol table, weak ones first (L804). One that is kept although it is not named has no limit (L1149). */
static void diagnose_stack_limits(const tl_module *module, const tl_resources *resources, tl_arena *arena) {
  const uint32_t *const limits = diagnose_last_limits(module, arena);
  bool *const entry = tl_arena_new(arena, bool, module->symbols.count);
  for (size_t k = 0; k < module->entries.count; k++)
    entry[module->entries.items[k]] = true;
  const tl_u32_vector *const halves[] = {&module->locals, &module->globals};
  for (size_t h = 0; h < 2; h++)
    for (size_t i = 0; i < halves[h]->count; i++) {
      const uint32_t symbol = halves[h]->items[i];
      if (limits[symbol] && entry[symbol])
        diagnose_stack_limit(module, resources, &module->symbols.items[symbol], limits[symbol], arena);
    }
}

/* L260; the names as they stand in the files (L1415) */
static void diagnose_caching(const tl_module *module, const tl_resources *resources) {
  for (size_t i = 0; i < resources->cache_conflicts.count; i++) {
    const tl_cache_conflict *const conflict = &resources->cache_conflicts.items[i];
    const char *const kernel = diagnose_name(module, module->entries.items[conflict->kernel]);
    const tl_function *const functions = module->resolution->functions.items;
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_CACHING),
                       (tl_site){NULL, NULL, kernel, TL_NO_OFFSET}, NULL,
                       tl_module_text(module, functions[conflict->first].name),
                       tl_module_text(module, functions[conflict->second].name), kernel);
  }
}

void tl_diagnose_resources(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                           tl_arena *arena) {
  diagnose_stack_limits(module, resources, arena);
  for (size_t i = 0; i < resources->mixed.count; i++)
    diagnose_report_name(module, TL_MESSAGE_CTA_GROUPS,
                         diagnose_name(module, module->entries.items[resources->mixed.items[i].index]));
  diagnose_caching(module, resources);
  tl_diagnose_registers(module, graph, resources, arena);
}

/* nvlink ends a link whose hidden shared object has no place, though nobody needs its symbol (D112). */
static void diagnose_refuse_hidden(const tl_module *module, tl_message_id message, tl_site site) {
  if (tl_defect_matched(module->options, TL_DEFECT_D112))
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(message), site, NULL);
  else
    tl_defect_note(module->diagnostics, TL_DEFECT_D112, site.symbol);
}

/* Shared objects that an executable lists because they are hidden have to lie in one of its sections (L469). What nothing
 * refers to is not listed (L633). */
static void diagnose_hidden_shared(const tl_module *module, const tl_layout *layout, uint32_t index) {
  const tl_symbol *const symbol = &module->symbols.items[index];
  const tl_site site = {NULL, NULL, tl_module_text(module, symbol->name), TL_NO_OFFSET};
  if (!symbol->shared || module->keeps_shared || !tl_module_lists_shared(module, symbol->other))
    return;
  const uint32_t section = layout->symbol_section[index];
  if (symbol->section == TL_NONE && !symbol->external_shared && !symbol->weak_mention)
    return; /* L1889: that it is undefined has been said */
  if (symbol->section == TL_NONE && !symbol->external_shared)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_UNALLOCATED), site, NULL);
  else if (symbol->section == TL_NONE && !tl_module_is_own_external(module, symbol))
    diagnose_refuse_hidden(module, TL_MESSAGE_UNALLOCATED, site);
  else if (!layout->symbol_gone[index] && (section == TL_NONE || layout->section_dropped[section]))
    diagnose_refuse_hidden(module, TL_MESSAGE_DELETED_SECTION, site);
}

/* L555: such an object stands at -1, and where no reserved memory moves it nvlink stops on writing its symbol or its
 * records. */
static void diagnose_refused_shared(const tl_module *module, const tl_layout *layout, uint32_t index) {
  const tl_site site = {NULL, NULL, diagnose_name(module, index), TL_NO_OFFSET};
  if (!layout->symbol_unallocated[index] || layout->reserved || !module->keeps_shared)
    return;
  tl_diagnostics_add(module->diagnostics,
                     tl_message_row_of(module->extern_by_name ? TL_MESSAGE_UNALLOCATED : TL_MESSAGE_DELETED_SYMBOL),
                     site, NULL);
}

void tl_diagnose_unallocated(const tl_module *module, const tl_layout *layout) {
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    const tl_site site = {NULL, NULL, tl_module_text(module, symbol->name), TL_NO_OFFSET};
    diagnose_hidden_shared(module, layout, i);
    diagnose_refused_shared(module, layout, i);
    const bool placed = symbol->section != TL_NONE && !symbol->shared && !symbol->misplaced && !symbol->unlisted;
    const bool open = symbol->external_shared && tl_symbol_is_marked(symbol) && module->mode->final &&
                      !module->extern_by_name && !layout->extern_listed && /* L1938 */
                      !tl_module_is_own_external(module, symbol);          /* L553 */
    if (open)
      diagnose_refuse_hidden(module, TL_MESSAGE_UNALLOCATED, site);
    if (placed && symbol->block == TL_NONE && symbol->value == UINT64_MAX)
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_UNALLOCATED), site, NULL);
  }
}

void tl_diagnose_text_owners(const tl_module *module) {
  if (module->diagnostics->errors) /* nothing is written anyway */
    return;
  for (uint32_t file = 0; file < module->file_count; file++) {
    const tl_cubin *const cubin = &module->files[file];
    for (uint32_t section = 1; section < cubin->section_count; section++) {
      if (!(cubin->sections[section].flags & SHF_EXECINSTR))
        continue;
      const uint32_t owner = tl_cubin_primary(cubin, section);
      const bool named = owner < cubin->symbol_count && module->resolution->bodies[file][owner].function != TL_NONE;
      const bool foreign = named && cubin->symbols[owner].section != section;
      if (foreign)
        tl_cubin_damaged(cubin, module->names, module->diagnostics, section, TL_NO_OFFSET,
                         "sh_info names no function of the section");
    }
  }
}

/* --- -v --- */

/* What -v adds up once for all kernels, so that a kernel costs no walk over the module. */
typedef struct verbose_texture_counts {
  uint32_t of_row[3];
} verbose_texture_counts;

enum { VERBOSE_BANKS = 18 };

typedef struct verbose {
  const tl_module *module;
  const tl_graph *graph;
  const tl_resources *resources;
  const tl_layout *layout;
  tl_arena *arena;
  tl_name_table sections;               /* by name */
  bool banks[VERBOSE_BANKS];            /* which there are sections of, by their names */
  const verbose_texture_counts *counts; /* by section: the entries of a bank */
} verbose;

static const struct {
  uint32_t type;
  const char *plural;
  bool once; /* a symbol, and symbol 0 not at all (L1103) */
} verbose_textures[] = {{6, "textures", true}, {52, "surfaces", false}, {7, "samplers", true}};
enum { VERBOSE_TEXTURES = sizeof verbose_textures / sizeof *verbose_textures };

static uint64_t diagnose_section_size(const tl_module *module, const tl_layout *layout, const char *text) {
  const uint32_t section = tl_module_section_named(module, text);
  return section == TL_NONE || layout->section_dropped[section] ? 0 : layout->section_size[section];
}

/* L1469: the last NUM_BARRIERS of the kernel's records as the output has them, those of its second names with them; the number
 * that its flags have where that is 0 (L1413). */
static uint32_t diagnose_barriers_of(const verbose *v, uint32_t function) {
  const tl_module *const module = v->module;
  const uint32_t text = tl_module_text_of(module, function);
  const uint32_t info = text == TL_NONE ? TL_NONE : module->sections.items[text].info;
  uint32_t said = 0;
  if (info != TL_NONE)
    for (size_t i = v->resources->sections[info].count; i-- > 0;)
      if (v->resources->sections[info].items[i].code == EIATTR_NUM_BARRIERS) {
        said = tl_attribute_byte(&v->resources->sections[info].items[i]);
        break;
      }
  return said || text == TL_NONE ? said : module->sections.items[text].barriers;
}

/* The first section of each name that is in the output. */
static void verbose_find_names(verbose *v) {
  for (size_t i = v->module->sections.count; i-- > 1;) {
    const tl_section *const section = &v->module->sections.items[i];
    if (section->forgotten || v->layout->section_dropped[i])
      continue;
    tl_name_table_set(&v->sections, v->module->names, section->name, (uint32_t)i);
    const char *const bank = tl_text_behind(tl_module_text(v->module, section->name), ".nv.constant");
    const unsigned long number = bank ? strtoul(bank, NULL, 10) : VERBOSE_BANKS;
    if (number < VERBOSE_BANKS)
      v->banks[number] = true;
  }
}

static uint32_t verbose_section(const verbose *v, const char *name) {
  const uint32_t number = tl_names_find(v->module->names, name, strlen(name));
  return tl_name_table_get(&v->sections, number);
}

/* The banks, of a kernel or, without one, of none, by the names of their sections (L1099); a capsule link's are not counted,
 * since Mercury sections have other names (L121). Of no kernel are those that all share, where they are not empty. */
static const char *diagnose_constants_text(const verbose *v, const char *kernel) {
  static const bool common[VERBOSE_BANKS] = {[1] = true, [3] = true, [4] = true, [5] = true, [6] = true};
  const char *line = "";
  for (unsigned bank = 0; bank < VERBOSE_BANKS && v->module->view == TL_VIEW_SASS; bank++) {
    if (common[bank] != !kernel || !v->banks[bank])
      continue;
    const char *const name = kernel ? tl_arena_format(v->arena, ".nv.constant%u.%s", (uint64_t)bank, kernel)
                                    : tl_arena_format(v->arena, ".nv.constant%u", (uint64_t)bank);
    const uint32_t section = verbose_section(v, name);
    if (section != TL_NONE && v->layout->section_size[section])
      line = tl_arena_format(v->arena, "%s, %u bytes cmem[%u]", line, v->layout->section_size[section], (uint64_t)bank);
  }
  return line;
}

/* L649: what the inputs' entries of a kernel's parameters name counts, too: textures that ptxas laid out (-ewp). For some
 * targets each entry counts (L1530). */
static void verbose_count_laid_out(const verbose *v, verbose_texture_counts *counts) {
  static const uint32_t counting_all[] = {80, 88, 89};
  const bool all = TL_AMONG32(counting_all, v->module->arch);
  tl_map seen[VERBOSE_TEXTURES];
  for (size_t r = 0; r < VERBOSE_TEXTURES; r++)
    tl_map_init(&seen[r], v->arena);
  for (size_t i = 0; i < v->module->relocations.count; i++) {
    const tl_relocation *const entry = &v->module->relocations.items[i];
    const tl_section *const target = &v->module->sections.items[entry->target];
    if (target->type != SHT_CUDA_CONSTANT0 || target->about == TL_NONE || !tl_module_relocation_stands(v->module, i) ||
        tl_module_names_unified(v->module, &v->module->symbols.items[entry->symbol])) /* L1711 */
      continue;
    const uint64_t key = tl_pair_key(entry->target, entry->symbol);
    for (size_t r = 0; r < VERBOSE_TEXTURES; r++)
      counts[entry->target].of_row[r] +=
          entry->type == verbose_textures[r].type &&
          (all || !verbose_textures[r].once || (entry->symbol && tl_set_add(&seen[r], key)));
  }
}

static void verbose_count_textures(verbose *v) {
  verbose_texture_counts *const counts = tl_arena_new(v->arena, verbose_texture_counts, v->module->sections.count);
  for (size_t i = 0; i < v->layout->slot_entries.count; i++) {
    const tl_slot_entry *const entry = &v->layout->slot_entries.items[i];
    for (size_t r = 0; r < VERBOSE_TEXTURES; r++)
      counts[entry->section].of_row[r] += entry->type == verbose_textures[r].type;
  }
  verbose_count_laid_out(v, counts);
  v->counts = counts;
}

/* Local memory of its own, which compilers do not make: of the output's section of its name (L1177, L1229). */
static uint64_t diagnose_local_size(const verbose *v, const char *kernel) {
  const uint32_t section = verbose_section(v, tl_arena_format(v->arena, ".nv.local.%s", kernel));
  return section == TL_NONE ? 0 : v->layout->section_size[section];
}

/* Of the bank that is called after the kernel, whatever it is about (L1189). */
static const char *diagnose_textures_text(const verbose *v, const char *kernel) {
  const uint32_t bank = verbose_section(v, tl_arena_format(v->arena, ".nv.constant0.%s", kernel));
  const char *line = "";
  for (size_t r = 0; r < VERBOSE_TEXTURES && bank != TL_NONE; r++)
    if (v->counts[bank].of_row[r])
      line =
          tl_arena_format(v->arena, "%s, %u %s", line, (uint64_t)v->counts[bank].of_row[r], verbose_textures[r].plural);
  return line;
}

static void diagnose_say(const tl_module *module, const char *text) {
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_INFO), (tl_site){NULL, NULL, NULL, TL_NO_OFFSET},
                     NULL, text);
}

static void diagnose_say_kernel(const verbose *v, uint32_t kernel) {
  const tl_module *const module = v->module;
  const tl_resources *const resources = v->resources;
  const tl_symbol *const symbol = &module->symbols.items[kernel];
  const tl_section *const text = &module->sections.items[symbol->section];
  const uint32_t f = symbol->function;
  const bool final = module->mode->final, alone = symbol->late || !final;
  const uint64_t known = resources->endless[f] || symbol->late ? resources->frame[f] : resources->stack[f];
  const uint64_t stack = final ? known : 0;
  const uint32_t unlisted = alone ? resources->registers[f] : resources->max_registers[f];
  const uint32_t registers = resources->listed_registers[f] ? resources->said_registers[f] : unlisted;
  const uint32_t barriers = diagnose_barriers_of(v, f);
  const bool shared = text->shared != TL_NONE && !v->layout->section_dropped[text->shared];
  const char *const name = tl_module_text(module, symbol->name);
  diagnose_say(module, tl_arena_format(v->arena, "Function properties for '%s':", name));
  diagnose_say(
      module,
      tl_arena_format(v->arena, "used %s registers, used %u barriers, %s stack, %u bytes smem%s, %u bytes lmem%s",
                      tl_arena_signed(v->arena, registers), (uint64_t)barriers,
                      tl_arena_signed(v->arena, (uint32_t)stack), /* L1195 */
                      shared ? v->layout->section_size[text->shared] : (uint64_t)0, diagnose_constants_text(v, name),
                      diagnose_local_size(v, name), diagnose_textures_text(v, name)));
}

void tl_diagnose_verbose(const tl_module *module, const tl_graph *graph, const tl_resources *resources,
                         const tl_layout *layout, tl_arena *arena) {
  verbose v = {.module = module, .graph = graph, .resources = resources, .layout = layout, .arena = arena};
  if (!module->options->verbose)
    return;
  verbose_find_names(&v);
  verbose_count_textures(&v);
  const uint64_t globals =
      diagnose_section_size(module, layout, ".nv.global.init") + diagnose_section_size(module, layout, ".nv.global");
  diagnose_say(module, tl_arena_format(arena, "%u bytes gmem%s", globals,
                                       diagnose_constants_text(&v, NULL))); /* of no kernel (L254) */
  for (size_t k = module->all_kernels.count; k-- > 0;)
    if (!module->symbols.items[module->all_kernels.items[k]].provided) /* L1474 */
      diagnose_say_kernel(&v, module->all_kernels.items[k]);
}
