/* Relocation sections of one file (W2.5, W3.4, W8.3, W8.5, R12, R15, R30, R31): every entry that stays becomes a
 * record against output section and symbol; what is done with it is relocate/'s. */
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/relocation.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

typedef struct reading {
  tl_merging *m;
  uint32_t section; /* the input relocation section */
  const tl_cubin_section *input;
  uint32_t target;            /* output section */
  bool frames;                /* one of the debug sections whose entries against losing functions vanish (W8.3) */
  bool constants;             /* and constants, where losing variables count too (D83) */
  bool pointers;              /* the target is a section of constants */
  bool in_compiler_constants; /* of the input */
  bool after_first;
} reading;

/* R30, L192: of CUDA's own kinds those with contents of a program; nvlink's list is closed, but for Mercury's, of which
 * not all were tried. */
static bool relocations_may_change(uint32_t type, tl_view view) {
  static const uint32_t ranges[][2] = {{SHT_PROGBITS, SHT_PROGBITS},
                                       {SHT_CUDA_METADATA, SHT_CUDA_METADATA},
                                       {SHT_CUDA_CONSTANT, SHT_CUDA_CONSTANT},
                                       {SHT_CUDA_GLOBAL_INIT, SHT_CUDA_GLOBAL_INIT},
                                       {SHT_CUDA_UFT_REL, SHT_CUDA_UFT_REL},
                                       {SHT_CUDA_UIDX, SHT_CUDA_UDT},
                                       {SHT_CUDA_UDT_ENTRY, SHT_CUDA_UDT_ENTRY},
                                       {SHT_CUDA_CONSTANT0, SHT_CUDA_MERCURY_CONSTANT_LAST}};
  static const uint32_t others[][2] = {{SHT_CUDA_METADATA, 0x700000ff}};
  if (type == SHT_CUDA_OPTIMIZER_CONSTANT) /* RF302 */
    return view == TL_VIEW_MERCURY;
  if (TL_TYPE_IS_WITHIN(type, ranges))
    return true;
  return view == TL_VIEW_MERCURY && TL_TYPE_IS_WITHIN(type, others) && !tl_section_type_is_empty(type);
}

/* L1270: about Mercury's entries the first that is wrong is said when all files are merged. */
static void relocations_refuse(const tl_merging *m, tl_message_id message, tl_site site) {
  tl_module *const module = m->module;
  if (module->view != TL_VIEW_MERCURY)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(message), site, NULL);
  else if (!module->unexpected) {
    module->unexpected = tl_message_row_of(message);
    module->unexpected_site = site;
  }
}

static void relocations_refuse_target(const tl_merging *m, uint32_t section) {
  const tl_site site = {m->cubin->path, tl_merging_text(m, m->cubin->sections[section].name), NULL, TL_NO_OFFSET};
  relocations_refuse(m, TL_MESSAGE_BAD_RELOC_SECTION, site);
}

/* nvlink looks the types up of entries that it drops, and takes what lies behind its table, where there is memory: those
 * of dead code but for functions, and with kernels or variables named on the command line all (D42, L235). */
static void relocations_check_type(const tl_merging *m, uint32_t section, uint64_t index) {
  const uint32_t crashes = 0x1ffff;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint32_t type = tl_cubin_relocation_at(input, index).type;
  if (type > crashes && m->module->view == TL_VIEW_SASS)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section,
                     index * (input->type == SHT_RELA ? ELF_RELA_SIZE : ELF_REL_SIZE),
                     "a relocation has a type that there is not");
}

/* L1805: of a body that loses, or about one from debug data that goes with it. */
static bool relocations_is_of_loser(const tl_merging *m, uint32_t target, uint32_t symbol) {
  if (m->section_state[target] & TL_SECTION_LOST && m->cubin->sections[target].flags & SHF_EXECINSTR)
    return true;
  return symbol < m->cubin->symbol_count && m->bodies[symbol].role == TL_BODY_LOSES &&
         tl_section_name_is_about_code(tl_merging_text(m, m->cubin->sections[target].name));
}

/* R62, L584: a number below Mercury's is refused whatever becomes of the entry, but for that of a body that loses. */
static void relocations_check_mercury(const tl_merging *m, uint32_t section, uint64_t index) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const tl_cubin_relocation entry = tl_cubin_relocation_at(input, index);
  if (!entry.type || entry.type > TL_R_MERCURY)
    return;
  const tl_site site = {m->cubin->path, tl_merging_text(m, input->name), NULL, entry.offset};
  if (input->info >= m->cubin->section_count || !relocations_is_of_loser(m, input->info, entry.symbol))
    relocations_refuse(m, TL_MESSAGE_UNEXPECTED_RELOC, site);
}

/* L481: nvlink looks at the target of a section without entries too, and finds no `.nv.compat` in the output. */
static bool relocations_empty_may_stay(const tl_merging *m, uint32_t type) {
  return m->module->view != TL_VIEW_SASS || (relocations_may_change(type, m->module->view) && type != SHT_CUDA_COMPAT);
}

void tl_merge_check_targets(const tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint32_t type = tl_cubin_section_at(m->cubin, input->info)->type;
  if (input->size ? !relocations_may_change(type, m->module->view) : !relocations_empty_may_stay(m, type))
    relocations_refuse_target(m, section);
  const bool whole = input->entry_size == (input->type == SHT_RELA ? ELF_RELA_SIZE : ELF_REL_SIZE); /* else D17 */
  const uint64_t count = whole && m->module->view == TL_VIEW_MERCURY ? tl_cubin_relocation_count(input) : 0;
  for (uint64_t i = 0; i < count; i++) /* L1209: in the order of the sections, too */
    relocations_check_mercury(m, section, i);
}

/* The parameter bank of a kernel's body that lost stands for the other body's, and entries in it stay (L708). */
static void relocations_check_losing_bank(const tl_merging *m, uint32_t section, uint32_t target) {
  const tl_cubin_section *const input = &m->cubin->sections[section], *const bank = &m->cubin->sections[target];
  const bool lost = m->section_state[target] & TL_SECTION_LOST && bank->type == SHT_CUDA_CONSTANT0;
  const uint64_t count = lost ? tl_cubin_relocation_count(input) : 0;
  for (uint64_t i = 0; i < count; i++)
    if (tl_cubin_relocation_at(input, i).offset >= bank->size)
      tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, TL_NO_OFFSET,
                       "an entry lies behind the end of a kernel's parameters (L708)");
}

void tl_merge_check_dropped_relocations(const tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint32_t target = input->info; /* there is one, from which it has its state */
  relocations_check_losing_bank(m, section, target);
  const uint64_t lost = m->section_state[section] & TL_SECTION_LOST ? tl_cubin_relocation_count(input) : 0;
  for (uint64_t i = 0; i < lost && tl_trace_wants(m->module->diagnostics, TL_TRACE_MERGE); i++)
    tl_trace(m->module->diagnostics, TL_TRACE_SUBSEQUENT_WEAK, (uint64_t)tl_cubin_primary(m->cubin, target));
  const uint64_t count = m->section_state[section] & TL_SECTION_DEAD ? tl_cubin_relocation_count(input) : 0;
  for (uint64_t i = 0; i < count; i++)
    if (m->bodies[tl_cubin_relocation_at(input, i).symbol].function == TL_NONE)
      relocations_check_type(m, section, i);
}

bool tl_merge_is_slot_without_function(const tl_merging *m, uint32_t section) {
  return tl_cubin_section_at(m->cubin, section)->type == SHT_CUDA_UFT_REL && m->module->mode->final &&
         tl_merging_section(m, section) == TL_NONE;
}

/* L1204: nvlink looks for the function of a jump slot that has entries. */
static void relocations_check_slot(const tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const tl_site site = {m->cubin->path, tl_merging_text(m, input->name), NULL, TL_NO_OFFSET};
  if (input->size && tl_merge_is_slot_without_function(m, input->info))
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_NO_UFT_STUB), site, NULL);
}

/* The parameter bank, in a link without capsules, that stands for that of a kernel's body that lost; TL_NONE (L708). */
static uint32_t relocations_standing_bank(const tl_merging *m, uint32_t target) {
  const tl_cubin_section *const bank = tl_cubin_section_at(m->cubin, target);
  if (m->module->capsule || bank->type != SHT_CUDA_CONSTANT0 || m->section_state[target] != TL_SECTION_LOST)
    return TL_NONE;
  const uint32_t standing = tl_module_find_section(m->module, bank->name);
  return standing != TL_NONE && m->module->sections.items[standing].type == SHT_CUDA_CONSTANT0 ? standing : TL_NONE;
}

/* R30: what a relocation section can be about. TL_NONE: the link ends (L1270). */
static uint32_t relocations_target(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint32_t standing = relocations_standing_bank(m, input->info);
  const uint32_t target = standing != TL_NONE ? standing : tl_merging_section(m, input->info);
  relocations_check_slot(m, section);
  if (target != TL_NONE && relocations_may_change(m->module->sections.items[target].type, m->module->view))
    return target;
  relocations_refuse_target(m, section);
  return TL_NONE;
}

/* W8.5. Beside capsules the entries of constants stay, and write bytes that nothing reads (L1464). */
static bool relocations_in_lost_variable(const reading *r, uint64_t offset) {
  const tl_merging *const m = r->m;
  if (r->pointers && !m->module->capsule)
    return false;
  const tl_lost_range key = {r->input->info, offset, offset};
  const tl_lost_range *const range = TL_SORTED_LAST(&key, &m->lost_ranges, tl_merge_compare_ranges);
  return range && range->section == r->input->info && offset < range->end;
}

/* The name that the input gives the target, which is another than the output's only on damage (L175). */
static uint32_t relocations_target_name(const reading *r) {
  if (r->target == r->m->module->jump_slots)
    return r->m->module->sections.items[r->target].name;
  return r->m->cubin->sections[r->input->info].name;
}

/* W17.8: a target's record of applied entries stands behind its first relocation section. nvlink looks for it by its name
 * (D78). */
static void relocations_create_resolved(tl_module *module, uint32_t target, uint32_t target_name) {
  const uint32_t name = tl_module_name(module, ".nv.resolvedrela", target_name);
  const uint32_t known = tl_module_find_section(module, name);
  uint32_t *const resolved = &module->sections.items[target].resolved;
  if (known != TL_NONE && tl_defect_matched(module->options, TL_DEFECT_D78)) {
    *resolved = known;
    return;
  }
  if (known != TL_NONE)
    tl_defect_note(module->diagnostics, TL_DEFECT_D78, tl_module_text(module, name));
  const uint32_t created = tl_module_add_section(module, name, SHT_CUDA_RESOLVEDRELA, SHF_INFO_LINK, 8, ELF_RELA_SIZE);
  module->sections.items[created].about = target;
  module->sections.items[target].resolved = created;
}

/* L649: the section that a kernel's parameters bring for the table that the link may make has no entries of the inputs:
 * those of a kernel that ptxas laid out itself (-ewp) have one of their own, behind it. So has its table in a Mercury view
 * (L808). */
static bool relocations_are_laid_out(const tl_module *module, uint32_t target, bool rela) {
  const tl_section *const section = &module->sections.items[target];
  const uint32_t type = rela ? SHT_CUDA_IMAGE_HEADERS : SHT_CUDA_CONSTANT0;
  return section->type == type && module->mode->final && section->relocations[rela] != TL_NONE;
}

static uint32_t relocations_create_container(tl_module *module, uint32_t target, uint32_t target_name, bool rela,
                                             uint32_t likely) {
  const bool laid_out = relocations_are_laid_out(module, target, rela);
  const uint32_t name = tl_module_likely_name(module, likely, rela ? ".rela" : ".rel", target_name);
  const uint32_t created = tl_module_add_section(module, name, rela ? SHT_RELA : SHT_REL, SHF_INFO_LINK, 8,
                                                 rela ? ELF_RELA_SIZE : ELF_REL_SIZE);
  module->sections.items[created].about = target;
  tl_section *const section = &module->sections.items[target];
  *(laid_out ? &section->laid_out : &section->relocations[rela]) = created;
  const uint32_t rela_section = section->relocations[1];
  if (!rela && rela_section != TL_NONE && module->sections.items[rela_section].rel_name)
    *tl_vector_push(module->arena, &module->early) =
        (tl_early_section){module->rel_names.items[module->sections.items[rela_section].rel_name - 1].place, created};
  if (module->mode->records_applied && section->resolved == TL_NONE)
    relocations_create_resolved(module, target, target_name);
  return created;
}

/* `likely`: what its name may be. */
static uint32_t relocations_container(tl_module *module, uint32_t target, uint32_t target_name, bool rela,
                                      uint32_t likely) {
  const tl_section *const about = &module->sections.items[target];
  const uint32_t known = relocations_are_laid_out(module, target, rela) ? about->laid_out : about->relocations[rela];
  return known != TL_NONE ? known : relocations_create_container(module, target, target_name, rela, likely);
}

/* W2.5: an entry with addend 0 that is not the first of its section adds the name of a REL section. `addend` counts the place
 * of a section that is joined with others' (L898). */
static void relocations_add_rel_name(reading *r, uint32_t index, uint64_t addend) {
  tl_module *const module = r->m->module;
  tl_section *const container = &module->sections.items[index];
  const bool wanted = r->input->type == SHT_RELA && addend == 0 && r->after_first && !container->rel_name;
  r->after_first = true;
  if (!wanted)
    return;
  const uint32_t place = (uint32_t)module->sections.count;
  if (module->sections.items[container->about].relocations[0] == TL_NONE) /* a number is left out (L830) */
    tl_u32_push(module->arena, &module->left_out, place);
  const uint32_t name = tl_module_name(module, ".rel", relocations_target_name(r));
  *tl_vector_push(module->arena, &module->rel_names) =
      (tl_rel_name){place, {(uint32_t)module->section_names.count, (uint32_t)module->strings.count}};
  container->rel_name = (uint32_t)module->rel_names.count;
  tl_module_add_section_name(module, name);
  *tl_vector_push(module->arena, &module->strings) = (tl_string_event){name, TL_NONE};
  tl_map_set(&module->local_function_names, name, 0); /* no kernel may be called so (L198) */
}

/* True when a dead body's entries in the debug sections went with it (W8.2, W8.7, L92). */
static bool relocations_frame_is_gone(const tl_merging *m, uint32_t symbol) {
  const tl_body *const body = &m->bodies[symbol];
  return body->role == TL_BODY_LOSES ||
         (body->replaced && m->module->resolution->functions.items[body->function].frames_gone);
}

/* L1937: what is internal and of another space among a kernel's shared memory keeps its value when that goes. */
static bool relocations_is_internal_of_shared(const tl_merging *m, const tl_cubin_symbol *symbol) {
  return (symbol->other & STO_VISIBILITY_MASK) == STV_INTERNAL &&
         m->cubin->sections[symbol->section].type == SHT_CUDA_SHARED;
}

/* An entry that stays cannot name what is gone: a shared object (E69, W11.7), a section (L461), a compiler constant but for
 * one that ends the link by E68 (L1094). nvlink sees it when it writes the entries (L527). */
static void relocations_note_deleted(const reading *r, const tl_cubin_relocation *entry) {
  const tl_merging *const m = r->m;
  const tl_site site = {m->cubin->path, tl_merging_text(m, r->input->name),
                        tl_merging_text(m, m->cubin->symbols[entry->symbol].name), entry->offset};
  const tl_cubin_symbol *const symbol = &m->cubin->symbols[entry->symbol];
  if (tl_symbol_type(symbol) == STT_SECTION || (symbol->other & STO_SPACE_MASK) == STO_SHARED ||
      relocations_is_internal_of_shared(m, symbol) ||
      (tl_merge_is_compiler_constant(m->cubin, symbol) && !tl_merge_section_is_missed(m, symbol)))
    *tl_vector_push(m->module->arena, &m->module->deleted_entries) = site;
}

/* Whether a section symbol is that of compiler constants that went into those that all share (L607). */
static bool relocations_is_pooled(const tl_merging *m, const tl_cubin_symbol *symbol) {
  return m->module->view == TL_VIEW_SASS && m->module->mode->final && tl_symbol_type(symbol) == STT_SECTION &&
         m->section_map[symbol->section] == TL_NONE &&
         m->cubin->sections[symbol->section].type == SHT_CUDA_CONSTANT0 + 2;
}

/* ... or whether the section went with a body. */
static bool relocations_section_is_gone(const tl_merging *m, const tl_cubin_symbol *symbol) {
  return relocations_is_pooled(m, symbol) || m->section_state[symbol->section] & (TL_SECTION_DEAD | TL_SECTION_LOST);
}

/* L1224: the symbol of a losing body's text or parameters. Its section is none of the link, and nvlink finds the first one of
 * the symbol's name that there is. */
static bool relocations_is_of_lost_body(const tl_merging *m, const tl_cubin_symbol *s) {
  if (!tl_merging_lies(s) || tl_symbol_type(s) != STT_SECTION || !(m->section_state[s->section] & TL_SECTION_LOST))
    return false;
  const tl_cubin_section *const section = &m->cubin->sections[s->section];
  return section->flags & SHF_EXECINSTR || section->type == SHT_CUDA_CONSTANT0;
}

/* L1230: the pool's name alone, without an object, stands for the pool that other files bring, where its symbol may be in the
 * output (L1594). */
static bool relocations_is_of_pool(const tl_merging *m, const tl_cubin_symbol *s) {
  if (!tl_merging_lies(s) || tl_symbol_type(s) != STT_SECTION || m->cubin->sections[s->section].type != SHT_CUDA_SHARED)
    return false;
  const uint32_t pool = m->module->debug_shared;
  const bool whole = m->cubin->type == ET_EWP && m->cubin->sections[s->section].info; /* L1595 */
  return !m->module->mode->final ||
         (m->module->keeps_shared && (whole || (pool != TL_NONE && m->module->sections.items[pool].name == s->name)));
}

bool tl_merge_names_another_text(const tl_merging *m, const tl_cubin_symbol *s, uint32_t symbol) {
  if (symbol == TL_NONE || !tl_merging_lies(s) || tl_symbol_type(s) != STT_SECTION ||
      !(m->cubin->sections[s->section].flags & SHF_EXECINSTR))
    return false;
  const uint32_t section = m->module->symbols.items[symbol].section;
  return section != TL_NONE && tl_module_find_section(m->module, s->name) != section;
}

/* L1465, L1570: the text of a function has the function's name, and nvlink looks for the one that the input names: the first text of
 * that name, the symbol of no section where there is none. By default (D78) the symbol is that of its own text. */
static bool relocations_is_of_another_text(const tl_merging *m, const tl_cubin_symbol *s, uint32_t symbol) {
  if (!tl_merge_names_another_text(m, s, symbol))
    return false;
  if (tl_defect_matched(m->module->options, TL_DEFECT_D78))
    return true;
  tl_defect_note(m->module->diagnostics, TL_DEFECT_D78, tl_merging_text(m, s->name));
  return false;
}

/* L1476: the symbol of a file's `.nv.global` in which no object has got a place, since all of them lost, is that of the one that
 * there is. */
static bool relocations_is_of_lost_globals(const tl_merging *m, const tl_cubin_symbol *s) {
  return tl_merging_lies(s) && tl_symbol_type(s) == STT_SECTION && m->section_map[s->section] == TL_NONE &&
         m->cubin->sections[s->section].type == SHT_CUDA_GLOBAL && s->name == m->cubin->sections[s->section].name;
}

/* What an entry is about in the output. An object in the compiler constants of a body that lost is the one of its name in
 * the first body that stood when it came (L1094); in a relocatable output the section's symbol is that of the section behind
 * whose bytes they stand (W8.8). */
static uint32_t relocations_symbol(const tl_merging *m, uint32_t symbol) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const uint32_t known = m->symbol_map[symbol];
  if (known != TL_NONE && tl_symbol_type(s) != STT_SECTION)
    return known;
  const bool lost = relocations_is_of_lost_body(m, s) || relocations_is_of_pool(m, s) ||
                    (!m->module->capsule && relocations_is_of_lost_globals(m, s));
  const bool namesake = known != TL_NONE && tl_type_of(&m->module->symbols.items[known]) != STT_SECTION; /* L1609 */
  const bool other = !namesake && relocations_is_of_another_text(m, s, known);
  if (other || (m->symbol_map[symbol] == TL_NONE && lost)) {
    const uint32_t standing = tl_module_find_section(m->module, s->name);
    return standing == TL_NONE ? TL_NONE : m->module->sections.items[standing].symbol;
  }
  if (m->symbol_map[symbol] != TL_NONE || !tl_merging_lies(s) || !(m->section_state[s->section] & TL_SECTION_LOST) ||
      m->cubin->sections[s->section].type != SHT_CUDA_CONSTANT0 + 2 || m->module->view != TL_VIEW_SASS)
    return m->symbol_map[symbol];
  if (tl_symbol_type(s) == STT_SECTION && (!m->module->mode->final || !m->module->capsule)) { /* L79 */
    const uint32_t behind = tl_module_find_section(m->module, m->cubin->sections[s->section].name);
    return behind == TL_NONE ? TL_NONE : m->module->sections.items[behind].symbol;
  }
  if (!tl_merge_is_compiler_constant(m->cubin, s) || tl_merge_section_is_missed(m, s))
    return TL_NONE;
  const tl_standing_constant *const standing = tl_merge_standing_constant(m->module, m->file, symbol);
  return standing ? standing->output : TL_NONE;
}

/* Whether an entry of the type reaches the output, or the record of those that were applied. L1783: of the unified types those
 * do, too, that an executable rewrites into one that the loader carries out. */
static bool relocations_needs_symbol(const tl_merging *m, const tl_relocation_row *row) {
  const bool applied = row->kind == TL_RELOC_APPLY || row->kind == TL_RELOC_UNIFIED;
  const tl_relocation_row *const rewritten = tl_relocation_in_view(row->unified_to, m->module->view == TL_VIEW_MERCURY);
  const bool loaded = rewritten && rewritten->kind == TL_RELOC_RUNTIME;
  const bool kept = row->kind == TL_RELOC_UNIFIED && (loaded || !m->module->mode->rewrites_unified);
  return kept || row->kind == TL_RELOC_RUNTIME || row->kind == TL_RELOC_FUNC_DESC ||
         (m->module->mode->records_applied && applied);
}

/* A section symbol with the name of something else that is there but has no symbol: with preserved relocations nvlink
 * takes it for that thing's (L620). */
static bool relocations_names_another(const tl_merging *m, const tl_cubin_symbol *symbol) {
  return m->module->mode->records_applied && m->module->view == TL_VIEW_SASS && tl_symbol_type(symbol) == STT_SECTION &&
         symbol->name != m->cubin->sections[symbol->section].name &&
         (tl_module_find_section(m->module, symbol->name) != TL_NONE ||
          tl_set_has(&m->module->prototype_seen, symbol->name));
}

/* A section of shared memory in which no object lies does not come along (L1205). nvlink looks for its name, which the pool of
 * an executable has (L1230). */
static bool relocations_section_is_empty(const tl_merging *m, const tl_cubin_symbol *symbol) {
  return tl_symbol_type(symbol) == STT_SECTION && m->cubin->sections[symbol->section].type == SHT_CUDA_SHARED &&
         m->section_map[symbol->section] == TL_NONE && m->module->mode->final &&
         tl_module_find_section(m->module, symbol->name) != TL_NONE;
}

/* L1781: that of a dead kernel's shared memory in which no object lies goes with nothing; its symbol is symbol 0, as it is where
 * the kernel lives (L1205). */
static bool relocations_section_never_came(const tl_merging *m, const tl_cubin_symbol *symbol) {
  const uint8_t state = m->section_state[symbol->section];
  return tl_symbol_type(symbol) == STT_SECTION && m->cubin->sections[symbol->section].type == SHT_CUDA_SHARED &&
         state & TL_SECTION_DEAD && !(state & TL_SECTION_DONE);
}

/* Whether a compiler constant is one of a body that lost, also of a dead function (L1384). */
static bool relocations_constant_lost(const tl_merging *m, const tl_cubin_symbol *symbol) {
  if (m->section_state[symbol->section] & TL_SECTION_LOST)
    return true;
  const uint32_t primary = tl_cubin_primary(m->cubin, m->cubin->sections[symbol->section].info);
  return primary < m->cubin->symbol_count && m->bodies[primary].role == TL_BODY_LOSES;
}

/* What becomes of an entry whose symbol did not come along; false: it is dropped. */
static bool relocations_state_unmapped(const reading *r, const tl_cubin_relocation *entry, uint8_t *state) {
  const tl_merging *const m = r->m;
  const tl_cubin_symbol *const symbol = &m->cubin->symbols[entry->symbol];
  const tl_relocation_row *const row = tl_relocation_in_view(entry->type, m->module->view == TL_VIEW_MERCURY);
  const bool clears = row && row->kind == TL_RELOC_UNUSED_CLEAR;
  if (m->symbol_dead[entry->symbol]) { /* R15, W8.7 */
    *state = TL_ENTRY_DEAD;
    return clears && !relocations_frame_is_gone(m, entry->symbol);
  }
  const bool defined = tl_merging_lies(symbol);
  const bool gone = defined && relocations_section_is_gone(m, symbol) && !relocations_section_never_came(m, symbol);
  const bool constant = gone && tl_merge_is_compiler_constant(m->cubin, symbol);
  const bool nameless = constant && !tl_merge_section_is_missed(m, symbol) && relocations_constant_lost(m, symbol) &&
                        !tl_merge_standing_constant(m->module, m->file, entry->symbol);
  if (nameless || (gone && tl_symbol_type(symbol) == STT_NOTYPE)) { /* L1094; a label (L1087) */
    *state = TL_ENTRY_NULL;
    return true;
  }
  const bool missed = defined && (relocations_names_another(m, symbol) || relocations_section_is_empty(m, symbol));
  if ((gone || missed) && row && relocations_needs_symbol(m, row))
    relocations_note_deleted(r, entry);
  if (gone && tl_symbol_type(symbol) != STT_SECTION && !constant) {
    const bool shared = (symbol->other & STO_SPACE_MASK) == STO_SHARED;
    *state = clears ? TL_ENTRY_DEAD : shared ? TL_ENTRY_MINUS_ONE : TL_ENTRY_GONE; /* W11.7, L1175 */
    return shared || relocations_is_internal_of_shared(m, symbol);
  }
  /* R12; a dropped section's symbol clears (L29), not that of one that the output makes anew (L517), or of pooled constants */
  *state = !gone ? TL_ENTRY_NULL : clears && !relocations_is_pooled(m, symbol) ? TL_ENTRY_DEAD : TL_ENTRY_GONE;
  return true;
}

void tl_merge_check_relocations(const tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  if (!input->size)
    return;
  tl_cubin_check_entries(m->cubin, m->module->names, m->module->diagnostics, section); /* D17 */
  const uint64_t count = tl_cubin_relocation_count(input),
                 size = input->type == SHT_RELA ? ELF_RELA_SIZE : ELF_REL_SIZE;
  const bool named = m->module->options->kernels_used.count || m->module->options->variables_used.count; /* L235 */
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t symbol = tl_cubin_relocation_at(input, i).symbol;
    const char *what = NULL;
    if (symbol >= m->cubin->symbol_count) /* nvlink takes what lies in memory (L173) */
      what = "a relocation names a symbol outside the symbol table";
    else if (m->cubin->symbols[symbol].unnamed)
      what = "a relocation's symbol has a name outside the file";
    else if (m->cubin->symbols[symbol].homeless)
      what = "a relocation's symbol is of a section that does not exist (L171)";
    if (what)
      tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, i * size, what);
    if (named)
      relocations_check_type(m, section, i);
    if (m->module->view == TL_VIEW_MERCURY)
      relocations_check_mercury(m, section, i);
  }
}

/* L1310: a capsule's SASS side of code and data is made of Mercury's entries when these are linked: where a section lies there
 * counts, frames, say, whose sizes differ. */
static uint64_t relocations_section_offset(const reading *r, uint32_t section) {
  const tl_merging *const m = r->m;
  const tl_section *const target = &m->module->sections.items[r->target];
  const bool debug = target->type == SHT_PROGBITS && !(target->flags & SHF_EXECINSTR);
  const uint32_t other =
      m->module->beside && !debug && m->section_map[section] != TL_NONE
          ? tl_module_find_section(m->module->beside, m->module->sections.items[m->section_map[section]].name)
          : TL_NONE;
  const tl_piece *const piece =
      other == TL_NONE ? NULL : tl_section_piece_of(&m->module->beside->sections.items[other], m->file);
  return piece ? piece->offset : m->section_offset[section];
}

/* Of a section symbol: where its section lies in the output section (R1), whether the symbol itself came along or not, as
 * one with another section's name does not (L516). Shared memory has its objects' places alone (L519). */
static uint64_t relocations_merge_offset(const reading *r, const tl_cubin_relocation *entry) {
  const tl_merging *const m = r->m;
  const tl_cubin_symbol *const symbol = &m->cubin->symbols[entry->symbol];
  const bool named = tl_symbol_type(symbol) == STT_SECTION;
  const bool shared = named && m->cubin->sections[symbol->section].type == SHT_CUDA_SHARED &&
                      !(m->section_state[symbol->section] & TL_SECTION_FOREIGN); /* L1591 */
  const bool placed = named && !shared;
  const uint32_t section = placed ? m->section_map[symbol->section] : TL_NONE;
  if (section != TL_NONE && section == m->module->jump_slots && m->symbol_map[entry->symbol] == TL_NONE)
    return 0; /* L1102 */
  return placed && m->section_offset[symbol->section] ? relocations_section_offset(r, symbol->section) : 0;
}

static bool relocations_is_forgotten(const reading *r, uint32_t symbol) {
  const bool body = r->m->bodies[symbol].role == TL_BODY_LOSES, any = body || r->m->symbol_lost[symbol];
  if (r->pointers && !r->constants && any)
    tl_defect_note(r->m->module->diagnostics, TL_DEFECT_D83, tl_merging_text(r->m, r->m->cubin->symbols[symbol].name));
  return (r->frames && body) || (r->constants && any);
}

/* L891: a relocatable output can have entries of a body that lost behind the compiler constants that count (L292). */
static bool relocations_outlast(tl_merging *m, uint32_t section, uint64_t offset) {
  if (m->cubin->sections[section].type != SHT_CUDA_CONSTANT0 + 2 || offset < tl_merge_covered(m, section) ||
      offset >= m->cubin->sections[section].size || tl_defect_matched(m->module->options, TL_DEFECT_D86))
    return false;
  tl_defect_note(m->module->diagnostics, TL_DEFECT_D86, tl_merging_text(m, m->cubin->sections[section].name));
  return true;
}

static void relocations_read_entry(reading *r, uint64_t index) {
  tl_merging *const m = r->m;
  const tl_cubin_relocation entry = tl_cubin_relocation_at(r->input, index);
  if (relocations_in_lost_variable(r, entry.offset) ||
      (r->in_compiler_constants && relocations_outlast(m, r->input->info, entry.offset)))
    return;
  if (relocations_is_forgotten(r, entry.symbol)) {
    tl_trace(m->module->diagnostics, TL_TRACE_WEAK_RELOCATED, (uint64_t)entry.symbol);
    return; /* before the output's section is created */
  }
  const uint64_t merge_offset = relocations_merge_offset(r, &entry);
  const bool rela = r->input->type == SHT_RELA || merge_offset; /* R37 */
  const uint32_t container =
      relocations_container(m->module, r->target, relocations_target_name(r), rela, r->input->name);
  relocations_add_rel_name(r, container, (uint64_t)entry.addend + merge_offset); /* L898 */
  uint8_t state = TL_ENTRY_NORMAL;
  const uint32_t symbol = relocations_symbol(m, entry.symbol);
  const size_t deleted = m->module->deleted_entries.count;
  if (symbol == TL_NONE && m->symbol_dead[entry.symbol])
    tl_merge_note_dead_entry(m, &(tl_dead_entry){.function = m->bodies[entry.symbol].function,
                                                 .name = m->cubin->symbols[entry.symbol].name,
                                                 .type = entry.type,
                                                 .target = r->target,
                                                 .container = container});
  if (symbol == TL_NONE && !relocations_state_unmapped(r, &entry, &state))
    return;
  *tl_vector_push(m->module->arena, &m->module->relocations) =
      (tl_relocation){.offset = entry.offset + m->section_offset[r->input->info],
                      .addend = entry.addend,
                      .merge_offset = merge_offset,
                      .target = r->target,
                      .container = container,
                      .symbol = symbol == TL_NONE ? 0 : symbol,
                      .type = entry.type,
                      .file = m->file,
                      .section = r->section,
                      .index = (uint32_t)index,
                      .state = state,
                      .rel = r->input->type == SHT_REL,
                      .deleted = m->module->deleted_entries.count > deleted};
}

/* R37, L613: an entry of REL against a second name behind the start of its function becomes RELA, in a section that is made
 * when all inputs are read, the last entry's first. */
void tl_merge_move_aliased(tl_module *module) {
  for (size_t i = module->relocations.count; i-- > 0;) {
    tl_relocation *const entry = &module->relocations.items[i];
    const uint64_t shift = module->symbols.items[entry->symbol].value;
    if (!entry->rel || !shift || tl_module_aliased(module, entry->symbol) == TL_NONE ||
        !tl_module_relocation_stands(module, i))
      continue;
    entry->merge_offset = shift;
    entry->shifted = true;
    const uint32_t name = module->sections.items[entry->target].name;
    entry->container = relocations_container(module, entry->target, name, true, name);
  }
}

/* Whether a section is Mercury's of compiler constants that a body which lost left behind (W8.8). */
static bool relocations_are_losing_constants(const tl_merging *m, uint32_t section) {
  return m->module->view == TL_VIEW_MERCURY && tl_cubin_section_at(m->cubin, section)->type == SHT_CUDA_CONSTANT0 + 2 &&
         m->section_state[section] & TL_SECTION_LOST;
}

bool tl_merge_keeps_losing_relocations(const tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  return tl_section_type_is_relocations(input->type) &&
         (relocations_are_losing_constants(m, input->info) || relocations_standing_bank(m, input->info) != TL_NONE);
}

/* The block that a device function's compiler constants went into, TL_NONE for other sections. */
static uint32_t relocations_block(const tl_merging *m, uint32_t section) {
  tl_module *const module = m->module;
  if (tl_cubin_section_at(m->cubin, section)->type != SHT_CUDA_CONSTANT0 + 2 || m->section_map[section] != TL_NONE)
    return TL_NONE;
  if (relocations_are_losing_constants(m, section))
    return tl_merge_first_block(module, m->cubin->sections[section].name);
  const uint32_t about = m->cubin->sections[section].info;
  const uint32_t owner = tl_module_owner(module, tl_merging_section(m, about));
  return owner == TL_NONE ? TL_NONE : module->block_of_function[module->symbols.items[owner].function];
}

static int relocations_compare_places(const void *a, const void *b) {
  const tl_symbol_place *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->section, y->section}, {x->value, y->value}, {x->symbol, y->symbol}};
  return tl_compare_pairs(pairs, 3);
}

/* All that lies in some section but the sections' own symbols. */
static void relocations_sort_places(tl_merging *m) {
  for (uint32_t i = 1; i < m->cubin->symbol_count; i++) {
    const tl_cubin_symbol *const symbol = &m->cubin->symbols[i];
    if (tl_symbol_type(symbol) != STT_SECTION)
      *tl_vector_push(m->module->arena, &m->symbol_places) = (tl_symbol_place){symbol->value, symbol->section, i};
  }
  tl_vector_sort(&m->symbol_places, relocations_compare_places);
}

/* The last symbol of the section at or before the offset, 0. */
static uint32_t relocations_group(tl_merging *m, uint32_t section, uint64_t offset) {
  if (!m->symbol_places.count)
    relocations_sort_places(m);
  const tl_symbol_place key = {offset, section, UINT32_MAX};
  const tl_symbol_place *const place = TL_SORTED_LAST(&key, &m->symbol_places, relocations_compare_places);
  return place && place->section == section ? place->symbol : 0;
}

static int relocations_compare_block_entries(const void *a, const void *b) {
  const tl_block_entry *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{y->group, x->group},
                               {x->older, y->older},
                               {y->place, x->place}}; /* a relocatable capsule's are reversed again (L142) */
  return tl_compare_pairs(pairs, 3);
}

/* Which of the file's compiler constants holds an entry. */
static uint64_t relocations_group_key(const tl_merging *m, uint32_t symbol) {
  return (uint64_t)m->file << 32 | symbol;
}

void tl_merge_sort_entries(tl_constant_block *block) {
  if (block->unsorted)
    tl_vector_sort(&block->entries, relocations_compare_block_entries);
  block->unsorted = false;
}

void tl_merge_inherit_entries(tl_merging *m, tl_constant_block *block, uint32_t section) {
  tl_merge_sort_entries(block);
  const bool matched = tl_defect_matched(m->module->options, TL_DEFECT_D86);
  size_t kept = 0;
  for (size_t i = 0; i < block->entries.count; i++) {
    tl_block_entry entry = block->entries.items[i];
    if (entry.offset >= block->size)
      continue;
    if (!matched) {
      tl_defect_note(m->module->diagnostics, TL_DEFECT_D86, tl_merging_text(m, block->name));
      continue;
    }
    entry.group = relocations_group_key(m, relocations_group(m, section, entry.offset));
    entry.older = (uint32_t)kept + 1;
    block->entries.items[kept++] = entry;
  }
  block->entries.count = kept;
}

/* M20: jump tables of a device function; their entries move with every copy, the last constant's first. */
static void relocations_read_block(tl_merging *m, uint32_t section, uint32_t index) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  tl_constant_block *const block = &m->module->constant_blocks.items[index];
  const bool loses = relocations_are_losing_constants(m, input->info);
  const uint64_t base = loses ? block->losing_offset : 0;
  const uint64_t count = tl_cubin_relocation_count(input);
  uint64_t start = 0, end = 0; /* neighbours in one group need not be looked for again */
  uint32_t group = 0;
  for (uint64_t i = 0; i < count; i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(input, i);
    const bool known = entry.symbol < m->cubin->symbol_count;
    const uint32_t symbol = known ? relocations_symbol(m, entry.symbol) : TL_NONE; /* L1792: a standing text's, too */
    if (symbol == TL_NONE || (!loses && relocations_outlast(m, input->info, entry.offset)))
      continue;
    if (!loses && (entry.offset < start || entry.offset >= end)) { /* a loser's are one group (L132) */
      group = relocations_group(m, input->info, entry.offset);
      start = m->cubin->symbols[group].value;
      end = start + m->cubin->symbols[group].size;
    }
    *tl_vector_push(m->module->arena, &block->entries) =
        (tl_block_entry){base + entry.offset, entry.addend, symbol, entry.type, relocations_group_key(m, group), 0, i};
  }
  block->unsorted = true;
}

void tl_merge_relocations(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  if (!input->size)
    return;
  const uint32_t block = relocations_block(m, input->info);
  const bool hidden = m->module->view == TL_VIEW_SASS && m->module->capsule;
  if (block != TL_NONE && !hidden) /* which is all that SASS's leave: nvlink drops what they say (L801, L1475) */
    tl_module_name_record(m->module, m->cubin->sections[input->info].name);
  if (block != TL_NONE && m->module->view == TL_VIEW_SASS)
    return;
  if (block != TL_NONE) {
    relocations_read_block(m, section, block);
    return;
  }
  reading r = {.m = m, .section = section, .input = input, .target = relocations_target(m, section)};
  if (r.target == TL_NONE)
    return;
  const tl_section *const target = &m->module->sections.items[r.target];
  r.in_compiler_constants = m->cubin->sections[input->info].type == SHT_CUDA_CONSTANT0 + 2;
  r.frames = tl_section_name_is_about_code(tl_module_text(m->module, target->name));
  r.pointers = tl_section_type_is_own_constant(target->type); /* L708, RF300 */
  r.constants = r.pointers && tl_defect_matched(m->module->options, TL_DEFECT_D83);
  const uint64_t count = tl_cubin_relocation_count(input);
  for (uint64_t i = 0; i < count; i++)
    relocations_read_entry(&r, i);
}

void tl_merge_mark_referenced(tl_merging *m) {
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const input = &m->cubin->sections[s];
    if (!tl_section_type_is_relocations(input->type) || !tl_module_text_counts(m->module, m->file, input->info))
      continue;
    const uint64_t count = tl_cubin_relocation_count(input);
    for (uint64_t i = 0; i < count; i++) {
      const uint32_t symbol = tl_merging_symbol(m, tl_cubin_relocation_at(input, i).symbol);
      if (symbol != TL_NONE)
        m->module->symbols.items[symbol].referenced = true;
    }
  }
}
