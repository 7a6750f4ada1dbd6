/* The history of every function name over all files (W8.1, V1-V4): which body is the first, which replaces, which loses.
 *
 * This runs before anything is created, because dead functions must never be created (W7.3) and liveness depends on
 * which bodies' call-graph records count (W8.6). The contest: strong beats weak in either order; of two weak bodies the
 * one with fewer registers stands, then the one with the higher virtual SM, else the earlier. nvlink takes for the virtual
 * SM of the standing side always that of the first definition (V3, D27); by default it is that of the body that stands, so
 * that the contest is associative and relocatable links in between do not matter (L790). */
#include "merge/module.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/system_call.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"

/* No record names the function; any number in one is a count (L1072). */
static const uint64_t NO_COUNT = UINT64_MAX;

typedef struct resolver {
  tl_resolution *resolution;
  const tl_cubin *files;
  const tl_options *options;
  const tl_names *names;
  tl_arena *arena;
  tl_diagnostics *diagnostics;
  uint64_t *registers; /* of the current file's symbols, NO_COUNT where no record names one */
  uint64_t
      *first_count; /* the same of the first record, which a body brings to a contest (L1473); mostly the same array */
  bool *has_relocations; /* of the current file's sections: some relocation section is about it */
} resolver;

/* REGCOUNT records of the current file (V2); of several of one symbol the last stays with the body that stands, and the first is
 * what an incoming body is measured by (L1473). */
static void resolve_read_registers(resolver *r, uint32_t file) {
  const tl_cubin *const cubin = &r->files[file];
  r->registers = r->first_count = tl_arena_new_bare(r->arena, uint64_t, cubin->symbol_count);
  for (uint32_t i = 0; i < cubin->symbol_count; i++)
    r->registers[i] = NO_COUNT;
  for (uint32_t s = 1; s < cubin->section_count; s++) {
    if (cubin->sections[s].type != SHT_CUDA_INFO)
      continue;
    uint64_t position = 0;
    tl_record record;
    while (tl_record_next_whole(&cubin->sections[s], &position, &record)) {
      r->resolution->odd_records[file] |= record.code == EIATTR_AT_ENTRY_FRAGMENTS;
      if (record.code != EIATTR_REGCOUNT)
        continue;
      if (record.format != 4 || record.size < 8) /* nvlink crashes (I10, D67) */
        tl_cubin_damaged(cubin, r->names, r->diagnostics, s, record.offset,
                         "an attribute that names a symbol has no room for it");
      const uint32_t symbol = tl_get32(record.data), count = tl_get32(record.data + 4);
      if (symbol >= cubin->symbol_count)
        continue;
      if (r->registers[symbol] == NO_COUNT)
        r->first_count[symbol] = count;
      else if (r->first_count == r->registers)
        r->first_count = tl_arena_copy(r->arena, r->registers, cubin->symbol_count * sizeof *r->registers);
      r->registers[symbol] = count;
    }
    r->resolution->odd_records[file] |= position != cubin->sections[s].size;
  }
}

static void resolve_find_relocations(resolver *r, const tl_cubin *cubin) {
  r->has_relocations = tl_arena_new(r->arena, bool, cubin->section_count);
  for (uint32_t s = 1; s < cubin->section_count; s++) {
    const tl_cubin_section *const section = &cubin->sections[s];
    if (tl_section_type_is_relocations(section->type) && section->size && section->info < cubin->section_count)
      r->has_relocations[section->info] = true;
  }
}

static uint32_t resolve_cached_registers(const tl_cubin *cubin, uint32_t symbol) {
  return cubin->sections[cubin->symbols[symbol].section].info >> 24;
}

/* V2: the top byte of sh_info where it is not zero (sm_75 to sm_89), else REGCOUNT. */
static uint64_t resolve_registers(const uint64_t *counts, const tl_cubin *cubin, uint32_t symbol) {
  const uint32_t top = resolve_cached_registers(cubin, symbol);
  return top ? top : counts[symbol];
}

/* Of two weak bodies: where their counts of registers are looked for. */
static uint8_t resolve_contest_counts(const resolver *r, const tl_function *function, uint32_t file, uint32_t symbol) {
  const bool incoming = resolve_cached_registers(&r->files[file], symbol);
  const bool standing = resolve_cached_registers(&r->files[function->file], function->symbol);
  return (uint8_t)((incoming ? 0 : TL_CONTEST_NO_NEW_COUNT) | (standing ? 0 : TL_CONTEST_NO_OLD_COUNT));
}

/* V3: of bodies with as many registers that of the higher virtual SM. */
static bool resolve_is_newer(const resolver *r, const tl_function *function, uint32_t file, uint32_t symbol) {
  const char *const name = tl_names_text(r->names, function->name);
  const uint16_t incoming = r->resolution->bodies[file][symbol].own_sm;
  const bool than_first = incoming > function->first_sm, than_standing = incoming > function->own_sm;
  if (than_first != (r->files[file].virtual_sm > r->files[function->first_file].virtual_sm)) /* L646 */
    tl_defect_note(r->diagnostics, TL_DEFECT_D120, name);
  if (than_first == than_standing || tl_defect_matched(r->options, TL_DEFECT_D27))
    return than_first;
  tl_defect_note(r->diagnostics, TL_DEFECT_D27, name);
  return than_standing;
}

/* L1479: of a second name the count of registers that its text has by now, whose function may have been replaced. */
static uint64_t resolve_standing_registers(const resolver *r, const tl_function *function) {
  const uint32_t primary = tl_resolve_primary(&r->files[function->file], function->symbol);
  const uint32_t owner =
      primary == function->symbol ? TL_NONE : r->resolution->bodies[function->file][primary].function;
  if (owner == TL_NONE)
    return function->registers;
  const tl_function *const named = &r->resolution->functions.items[owner];
  const uint32_t top = resolve_cached_registers(&r->files[named->file], named->symbol);
  return top ? top : function->registers;
}

/* Where a count is missing the merge ends the link when it comes to the symbol (L1072). */
static void resolve_check_counts(const resolver *r, const tl_function *function, uint32_t file, uint32_t symbol) {
  tl_body *const body = &r->resolution->bodies[file][symbol];
  if (resolve_registers(r->first_count, &r->files[file], symbol) == NO_COUNT)
    body->uncounted = TL_UNCOUNTED_NEW;
  else if (resolve_standing_registers(r, function) == NO_COUNT)
    body->uncounted = TL_UNCOUNTED_OLD;
}

static bool resolve_incoming_wins(const resolver *r, const tl_function *function, uint32_t file, uint32_t symbol) {
  const uint64_t incoming = resolve_registers(r->first_count, &r->files[file], symbol);
  resolve_check_counts(r, function, file, symbol);
  const uint64_t standing = resolve_standing_registers(r, function);
  uint8_t *const contest = &r->resolution->bodies[file][symbol].contest;
  *contest = resolve_contest_counts(r, function, file, symbol);
  const bool fewer = incoming < standing;
  const bool newer = incoming == standing && resolve_is_newer(r, function, file, symbol);
  if (fewer)
    *contest |= TL_CONTEST_FEWER;
  if (newer)
    *contest |= TL_CONTEST_NEWER;
  return fewer || newer;
}

/* The role of a defined body whose name has been defined before. */
static tl_body_role resolve_contest(const resolver *r, const tl_function *function, uint32_t file, uint32_t symbol) {
  const bool strong = tl_symbol_binding(&r->files[file].symbols[symbol]) == STB_GLOBAL;
  if (strong && function->binding == STB_WEAK)
    r->resolution->bodies[file][symbol].contest = TL_CONTEST_STRONG;
  if (strong)
    return function->binding == STB_WEAK ? TL_BODY_REPLACES : TL_BODY_DUPLICATE;
  if (function->binding != STB_WEAK)
    return TL_BODY_LOSES;
  return resolve_incoming_wins(r, function, file, symbol) ? TL_BODY_REPLACES : TL_BODY_LOSES;
}

/* W3.9: the primary function of a text section comes before an alias that stands before it in .symtab. A symbol with its
 * name is no alias, but a further body (L1114). */
uint32_t tl_resolve_primary(const tl_cubin *cubin, uint32_t symbol) {
  const uint32_t section = cubin->symbols[symbol].section;
  const uint32_t primary = tl_cubin_primary(cubin, section);
  const tl_cubin_symbol *const first = tl_cubin_symbol_at(cubin, primary);
  const bool there = section != SHN_UNDEF && first->section == section && tl_symbol_type(first) == STT_FUNC;
  const bool namesake = first->name == cubin->symbols[symbol].name && tl_symbol_binding(first) != STB_LOCAL &&
                        tl_symbol_binding(&cubin->symbols[symbol]) != STB_LOCAL;
  return there && !namesake ? primary : symbol;
}

static bool resolve_is_alias(const tl_cubin *cubin, uint32_t symbol) {
  return tl_resolve_primary(cubin, symbol) != symbol;
}

/* One that is a kernel itself is in the call graph (L1088). What has a name that the driver provides is as a kernel (L1704). */
static bool resolve_lies_in_kernel(const resolver *r, const tl_cubin *cubin, uint32_t symbol) {
  if (!resolve_is_alias(cubin, symbol) || cubin->symbols[symbol].other & STO_ENTRY)
    return false;
  const tl_cubin_symbol *const primary = &cubin->symbols[tl_resolve_primary(cubin, symbol)];
  return primary->other & STO_ENTRY || tl_system_call_is(tl_names_text(r->names, primary->name));
}

/* D102: nvlink lets the function come first only before an alias that it meets for the first time. By default always. */
static bool resolve_alias_leads(const resolver *r, uint32_t file, uint32_t symbol, uint32_t primary) {
  const tl_cubin_symbol *const s = &r->files[file].symbols[symbol];
  const uint32_t known = tl_symbol_binding(s) == STB_LOCAL ? TL_NONE : r->resolution->function_of_name[s->name];
  if (known == TL_NONE || symbol == primary || r->resolution->bodies[file][primary].role != TL_BODY_NONE)
    return false;
  const tl_function *const function = &r->resolution->functions.items[known];
  if (function->defined || function->file == file)
    return false;
  if (tl_defect_matched(r->options, TL_DEFECT_D102))
    return true;
  tl_defect_note(r->diagnostics, TL_DEFECT_D102, tl_names_text(r->names, s->name));
  return false;
}

static void resolve_define(resolver *r, uint32_t function_index, uint32_t file, uint32_t symbol, tl_body *body) {
  tl_function *const function = &r->resolution->functions.items[function_index];
  const tl_cubin *const cubin = &r->files[file];
  const tl_cubin_symbol *const s = &cubin->symbols[symbol];
  const bool kernel = (s->other & STO_ENTRY) != 0;
  function->stub |= cubin->sections[s->section].type == SHT_CUDA_UFT_REL;
  const bool mismatch = function->defined && kernel != function->kernel;
  if (mismatch && tl_symbol_binding(s) == STB_WEAK && function->binding == STB_WEAK)
    resolve_check_counts(r, function, file, symbol); /* L1376 */
  if (mismatch)
    body->role = TL_BODY_MISMATCH;
  else
    body->role = (uint8_t)(function->defined ? resolve_contest(r, function, file, symbol) : TL_BODY_FIRST);
  if (body->role == TL_BODY_FIRST) {
    function->first_file = file;
    function->first_sm = body->first_sm;
    function->mentioned_before = function->file != file;
  }
  if (body->role == TL_BODY_REPLACES || body->role == TL_BODY_LOSES)
    function->alias_contest |=
        resolve_is_alias(cubin, symbol) || resolve_is_alias(&r->files[function->file], function->symbol);
  if (body->role == TL_BODY_REPLACES) {
    r->resolution->bodies[function->file][function->symbol].replaced = true;
    tl_bodies_replace(r->resolution, function, file, symbol, r->arena);
    function->frames_gone = function->had_relocations;
  }
  if (body->role != TL_BODY_FIRST && body->role != TL_BODY_REPLACES)
    return;
  function->had_relocations |= r->has_relocations[s->section];
  function->defined = true;
  function->provided = tl_system_call_is(tl_names_text(r->names, s->name));
  function->kernel = kernel;
  function->unified = (s->other & STO_MANAGED) != 0; /* of the body that stands (L1192) */
  function->file = file;
  function->symbol = symbol;
  function->own_sm = body->own_sm;
  function->binding = (uint8_t)tl_symbol_binding(s);
  function->registers = resolve_registers(r->registers, cubin, symbol);
}

static void resolve_check_section(const resolver *r, uint32_t file, uint32_t symbol) {
  const tl_cubin *const cubin = &r->files[file];
  const uint32_t type = tl_cubin_section_at(cubin, cubin->symbols[symbol].section)->type;
  if (type != SHT_PROGBITS && type != SHT_CUDA_UFT_REL)
    tl_cubin_damaged(cubin, r->names, r->diagnostics, cubin->symbol_table, (uint64_t)symbol * ELF_SYMBOL_SIZE,
                     "a function symbol does not lie in a text section");
}

static void resolve_symbol(resolver *r, uint32_t file, uint32_t symbol) {
  const tl_cubin_symbol *const s = &r->files[file].symbols[symbol];
  tl_body *const body = &r->resolution->bodies[file][symbol];
  const bool local = tl_symbol_binding(s) == STB_LOCAL;
  uint32_t index = local ? TL_NONE : r->resolution->function_of_name[s->name];
  if (index == TL_NONE) {
    index = (uint32_t)r->resolution->functions.count;
    *tl_vector_push(r->arena, &r->resolution->functions) = (tl_function){.name = s->name,
                                                                         .file = file,
                                                                         .symbol = symbol,
                                                                         .first_file = file,
                                                                         .local = local,
                                                                         .kernel = (s->other & STO_ENTRY) != 0};
    if (!local)
      r->resolution->function_of_name[s->name] = index;
  }
  body->function = index;
  body->role = TL_BODY_MENTION;
  body->in_kernel = resolve_lies_in_kernel(r, &r->files[file], symbol);
  r->resolution->functions.items[index].kernel_somewhere |= (s->other & STO_ENTRY) != 0;
  if (s->section == SHN_UNDEF)
    return;
  resolve_check_section(r, file, symbol);
  resolve_define(r, index, file, symbol, body);
}

static void resolve_file(resolver *r, uint32_t file) {
  const tl_cubin *const cubin = &r->files[file];
  tl_body *const bodies = tl_arena_new(r->arena, tl_body, cubin->symbol_count);
  r->resolution->bodies[file] = bodies;
  for (uint32_t i = 0; i < cubin->symbol_count; i++)
    bodies[i].function = TL_NONE;
  tl_bodies_read(r->resolution, file, cubin, r->names, r->options, r->arena);
  resolve_read_registers(r, file);
  resolve_find_relocations(r, cubin);
  for (uint32_t i = 0; i < cubin->symbol_count; i++) {
    if (tl_symbol_type(&cubin->symbols[i]) != STT_FUNC || bodies[i].role != TL_BODY_NONE)
      continue;
    const uint32_t primary = tl_resolve_primary(cubin, i);
    const bool leads = resolve_alias_leads(r, file, i, primary);
    if (bodies[primary].role == TL_BODY_NONE && !leads)
      resolve_symbol(r, file, primary);
    if (bodies[i].role == TL_BODY_NONE)
      resolve_symbol(r, file, i);
    bodies[i].leads = leads;
  }
}

/* D96: where aliases and bodies have replaced each other the one that stands is the only definition: the other bodies lose,
 * and the other aliases are mentions, whose text another function has. */
static void resolve_settle_aliases(const resolver *r, uint32_t file) {
  const tl_cubin *const cubin = &r->files[file];
  for (uint32_t i = 0; i < cubin->symbol_count; i++) {
    tl_body *const body = &r->resolution->bodies[file][i];
    const bool contests = body->role == TL_BODY_FIRST || body->role == TL_BODY_REPLACES || body->role == TL_BODY_LOSES;
    if (!contests || !r->resolution->functions.items[body->function].alias_contest)
      continue;
    const tl_function *const function = &r->resolution->functions.items[body->function];
    body->replaced = false;
    if (function->file == file && function->symbol == i)
      body->role = TL_BODY_FIRST;
    else
      body->role = resolve_is_alias(cubin, i) ? TL_BODY_MENTION : TL_BODY_LOSES;
    body->beaten = body->role == TL_BODY_MENTION && resolve_is_alias(&r->files[function->file], function->symbol);
  }
}

static void resolve_settle(const resolver *r, uint32_t file_count, const tl_options *options) {
  for (size_t i = 0; i < r->resolution->functions.count; i++) {
    tl_function *const function = &r->resolution->functions.items[i];
    if (!function->alias_contest)
      continue;
    if (tl_defect_matched(options, TL_DEFECT_D96))
      return;
    tl_defect_note(r->diagnostics, TL_DEFECT_D96, tl_names_text(r->names, function->name));
    function->first_file = function->file;
    function->first_sm = function->own_sm;
    function->frames_gone = false;
  }
  for (uint32_t file = 0; file < file_count; file++)
    resolve_settle_aliases(r, file);
}

/* No more functions than function symbols. */
static size_t resolve_count_functions(const tl_cubin *files, uint32_t file_count) {
  size_t count = 0;
  for (uint32_t file = 0; file < file_count; file++)
    for (uint32_t i = 0; i < files[file].symbol_count; i++)
      count += tl_symbol_type(&files[file].symbols[i]) == STT_FUNC;
  return count;
}

void tl_resolve(tl_resolution *resolution, const tl_cubin *files, uint32_t file_count, const tl_options *options,
                tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics) {
  *resolution = (tl_resolution){.name_count = names->list.count};
  resolution->bodies = tl_arena_new(arena, tl_body *, file_count);
  resolution->odd_records = tl_arena_new(arena, bool, file_count);
  resolution->function_of_name = tl_arena_new_bare(arena, uint32_t, names->list.count);
  for (size_t i = 0; i < names->list.count; i++)
    resolution->function_of_name[i] = TL_NONE;
  tl_map_init(&resolution->replaced_as, arena);
  tl_map_init(&resolution->has_beaten, arena);
  tl_map_init(&resolution->record_of, arena);
  tl_vector_reserve(arena, &resolution->functions, resolve_count_functions(files, file_count));
  resolver r = {.resolution = resolution,
                .files = files,
                .options = options,
                .names = names,
                .arena = arena,
                .diagnostics = diagnostics};
  for (uint32_t file = 0; file < file_count; file++)
    resolve_file(&r, file);
  resolve_settle(&r, file_count, options);
}
