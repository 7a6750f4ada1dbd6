/* The function pass of one file (W3.1, W3.5, W3.9, W8.1, W8.2, V4, V8, C84): every function symbol, the primary function
 * of a section before its aliases. Creates text sections, and for kernels .nv.info.K and .nv.shared.K at once. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/system_call.h"
#include "catalog/trace.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "emit/demangle.h"
#include "graph/live.h"
#include "merge/merging.h"

#include <string.h>

enum { SLOT_SIZE = 128 };

/* Debug sections whose entries against a replaced or losing function may go (W8.2, W8.3). */
static const char *const frame_sections[3] = {".debug_line", ".nv_debug_line_sass", ".debug_frame"};

bool tl_merge_has_frames(const tl_module *module, uint32_t name) {
  bool has = false;
  for (int i = 0; i < 3; i++)
    has |= strcmp(tl_module_text(module, name), frame_sections[i]) == 0;
  return has;
}

/* A symbol that stands in another function's text. */
static bool functions_is_alias(const tl_merging *m, uint32_t symbol) {
  return tl_resolve_primary(m->cubin, symbol) != symbol;
}

/* L490: an alias that replaces a body, or loses to one, takes along what is about the function when it is dead. */
static void functions_note_contest(tl_merging *m, uint32_t alias, uint32_t function) {
  if (m->symbol_dead[function])
    return;
  if (m->symbol_dead[alias])
    m->section_state[m->cubin->symbols[alias].section] |= TL_SECTION_LOST;
}

/* nvlink crashes where a local function that is no kernel goes with the text of a kernel (L450). */
static void functions_check_dead_local(const tl_merging *m, uint32_t symbol, uint32_t kernel) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  if (tl_symbol_binding(s) != STB_GLOBAL && !(s->other & STO_ENTRY) && m->cubin->symbols[kernel].other & STO_ENTRY)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)symbol * ELF_SYMBOL_SIZE,
                     "a function that is not global lies in the text of a kernel that is removed (L450)");
}

/* An alias in a section whose primary function lives while it is dead, or the other way round: nvlink stops (L25, D63),
 * over the section and not over the symbol when the function is local or weak (L93). */
static void functions_note_alias(tl_merging *m, uint32_t symbol) {
  const uint32_t section = m->cubin->symbols[symbol].section;
  const uint32_t primary = tl_cubin_primary(m->cubin, section);
  const bool other = section && primary != symbol && primary < m->cubin->symbol_count;
  const bool replaces = other && m->bodies[primary].role == TL_BODY_REPLACES; /* L437 */
  const uint8_t role = m->bodies[symbol].role;
  if ((role == TL_BODY_REPLACES || role == TL_BODY_LOSES) && functions_is_alias(m, symbol)) {
    functions_note_contest(m, symbol, primary);
    return;
  }
  const bool half = other && tl_symbol_binding(&m->cubin->symbols[primary]) != STB_GLOBAL;
  const bool local = (replaces || half) && m->symbol_dead[symbol];
  const bool kept = !m->symbol_dead[symbol] && tl_symbol_binding(&m->cubin->symbols[symbol]) != STB_GLOBAL; /* L1193 */
  if (other && m->symbol_dead[primary] && m->symbol_dead[symbol])
    functions_check_dead_local(m, symbol, primary);
  if (other && m->bodies[primary].function != TL_NONE && m->symbol_dead[primary] != m->symbol_dead[symbol])
    *(kept ? &m->module->kept_alias : local ? &m->module->dead_local_alias : &m->module->dead_alias) = true;
}

/* Whether a bank is called after its function, as nvlink looks for it: of bank 0 and 2 alone, whose compiler constants have
 * another name in Mercury's view (L930). */
static bool functions_bank_is_own(const tl_merging *m, const tl_cubin_section *bank, const tl_cubin_symbol *function) {
  const bool kernel = bank->type == SHT_CUDA_CONSTANT0;
  const char *const prefix = kernel ? ".nv.constant0." : tl_module_compiler_constants(m->module);
  const char *const name = tl_merging_text(m, bank->name);
  return strncmp(name, prefix, strlen(prefix)) == 0 &&
         strcmp(name + strlen(prefix), tl_merging_text(m, function->name)) == 0;
}

/* Whether a section is known by the name that its file gives it: texts and compiler constants are not, nor what is read and
 * made anew. */
static bool functions_is_known_by_name(const tl_cubin_section *section) {
  const bool code = section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR;
  const bool variables =
      section->type == SHT_NOBITS || (section->type > SHT_CUDA_CONSTANT0 && section->type <= SHT_CUDA_CONSTANT0 + 26);
  return (section->type == SHT_PROGBITS && !code) || (variables && section->type != SHT_CUDA_CONSTANT0 + 2);
}

static void functions_find_turns(tl_merging *m) {
  const tl_cubin *const cubin = m->cubin;
  m->turns = tl_arena_new(m->module->arena, uint64_t, cubin->section_count);
  for (uint32_t i = cubin->symbol_count; i-- > 1;) {
    const tl_cubin_symbol *const s = &cubin->symbols[i];
    if (s->section < cubin->section_count && tl_symbol_type(s) != STT_SECTION && tl_symbol_type(s) != STT_FUNC)
      m->turns[s->section] = i;
  }
  tl_map_init(&m->first_of_name, m->module->arena);
  for (uint32_t s = 1; s < cubin->section_count; s++) {
    if (!m->turns[s])
      m->turns[s] = (uint64_t)cubin->symbol_count + s;
    const uint32_t first = tl_map_get(&m->first_of_name, cubin->sections[s].name);
    if (functions_is_known_by_name(&cubin->sections[s]) && (first == TL_NONE || m->turns[s] < m->turns[first]))
      tl_map_set(&m->first_of_name, cubin->sections[s].name, s);
  }
}

uint64_t tl_merge_turn(tl_merging *m, uint32_t section) {
  if (!m->turns)
    functions_find_turns(m);
  return m->turns[section];
}

/* L1110: whether a section of an earlier file has the bank's name, or one of this file that gets its place before it. */
static bool functions_section_has_name(tl_merging *m, uint32_t bank) {
  const uint32_t name = m->cubin->sections[bank].name;
  const uint64_t turn = tl_merge_turn(m, bank);
  const uint32_t first = tl_map_get(&m->first_of_name, name);
  return (first != TL_NONE && m->turns[first] < turn) || tl_module_find_section(m->module, name) != TL_NONE;
}

static void functions_report_bank(const tl_merging *m, uint32_t kernel) {
  const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, kernel), TL_NO_OFFSET};
  tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_PARAMETER_BANK), site, NULL,
                     tl_merging_text(m, kernel));
}

/* E27 waits for the bank's turn: its first symbol, or behind all objects its section (L802). A capsule's banks are not
 * compared: ptxas lays textures out in that of an -ewp body (L1052). */
static void functions_note_bank(tl_merging *m, const tl_cubin_section *bank, uint32_t kernel) {
  if (m->module->capsule && m->module->view == TL_VIEW_SASS)
    return;
  const uint32_t section = (uint32_t)(bank - m->cubin->sections);
  if (!m->clashing.arena)
    tl_map_init(&m->clashing, m->module->arena);
  if (tl_set_add(&m->clashing, section)) /* once, whatever it clashes with (L1197) */
    *tl_vector_push(m->module->arena, &m->bank_clashes) = (tl_bank_clash){section, kernel};
}

void tl_merge_report_bank(tl_merging *m, uint32_t section) {
  for (size_t i = 0; i < m->bank_clashes.count; i++) {
    tl_bank_clash *const clash = &m->bank_clashes.items[i];
    if (clash->section != section)
      continue;
    clash->section = 0;
    functions_report_bank(m, clash->kernel);
  }
}

/* Whether earlier files have mentioned a kernel, and no more. */
static bool functions_is_mentioned(const tl_merging *m, const tl_cubin_symbol *kernel) {
  const uint32_t function = m->bodies[kernel - m->cubin->symbols].function;
  const uint32_t known = function == TL_NONE ? TL_NONE : m->module->symbol_of_function[function];
  return known != TL_NONE && m->module->symbols.items[known].section == TL_NONE;
}

/* L1147: a weak kernel's own bank is compared with the bank of that name that another kernel of an earlier file has, and
 * one whose kernel this file only mentions with that of its kernel; so is one whose kernel an earlier file only mentioned,
 * with the bank that is about it there (L1184). Else the kernels' bodies are compared, if both are kernels and
 * none is local (L1687). */
static bool functions_bank_clashes(const tl_merging *m, const tl_cubin_section *bank, const tl_cubin_symbol *kernel) {
  const uint32_t known = tl_module_find_section(m->module, bank->name);
  if (known == TL_NONE || tl_symbol_binding(kernel) != STB_WEAK)
    return false;
  const tl_section *const earlier = &m->module->sections.items[known];
  if (earlier->type != bank->type || earlier->size == bank->size)
    return false;
  if (functions_is_mentioned(m, kernel))
    return true;
  if (earlier->about == TL_NONE) /* L1611 */
    return true;
  const uint32_t owner = m->module->sections.items[earlier->about].owner;
  const tl_symbol *const other = owner == TL_NONE ? NULL : &m->module->symbols.items[owner];
  if (!other || !kernel->section || other->name != kernel->name)
    return other != NULL;
  const bool kernels = other->other & kernel->other & STO_ENTRY;
  return tl_binding_of(other) == STB_LOCAL || (tl_binding_of(other) == STB_WEAK && !kernels); /* L1687 */
}

/* L1147: of two banks of this file that have one name the later one, if its kernel is weak, must have the other's size. */
static void functions_compare_namesakes(tl_merging *m, uint32_t one, uint32_t other) {
  const bool first = tl_merge_turn(m, one) < tl_merge_turn(m, other);
  const tl_cubin_section *const earlier = &m->cubin->sections[first ? one : other];
  const tl_cubin_section *const later = &m->cubin->sections[first ? other : one];
  const tl_cubin_symbol *const kernel = tl_cubin_symbol_at(m->cubin, tl_cubin_primary(m->cubin, later->info));
  if (earlier->info != later->info && earlier->size != later->size && kernel->other & STO_ENTRY &&
      tl_symbol_binding(kernel) == STB_WEAK)
    functions_note_bank(m, later, kernel->name);
}

static void functions_check_namesakes(tl_merging *m) {
  tl_map first = {0};
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const bank = &m->cubin->sections[s];
    if (bank->type != SHT_CUDA_CONSTANT0 || tl_module_find_section(m->module, bank->name) != TL_NONE)
      continue;
    if (!first.arena)
      tl_map_init(&first, m->module->arena);
    const uint32_t other = tl_map_get(&first, bank->name);
    if (other == TL_NONE)
      tl_map_set(&first, bank->name, s);
    else
      functions_compare_namesakes(m, other, s);
  }
}

/* L462: nvlink takes what has the bank's name for an earlier body's bank, compares the two, or joins them. */
static void functions_check_banks(tl_merging *m) {
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const bank = &m->cubin->sections[s];
    if (bank->type != SHT_CUDA_CONSTANT0 || !*tl_merging_text(m, bank->name))
      continue;
    const uint32_t primary = tl_cubin_primary(m->cubin, bank->info);
    const tl_cubin_symbol *const kernel = tl_cubin_symbol_at(m->cubin, primary);
    const bool named = functions_bank_is_own(m, bank, kernel), own = kernel->other & STO_ENTRY && named;
    if (named && functions_bank_clashes(m, bank, kernel))
      functions_note_bank(m, bank, kernel->name);
    if (!(kernel->other & STO_ENTRY) || own || !functions_section_has_name(m, s))
      continue;
    const bool weak = tl_symbol_binding(&m->cubin->symbols[primary]) == STB_WEAK;
    const uint32_t earlier = tl_module_find_section(m->module, bank->name);
    const bool table = earlier != TL_NONE && tl_merge_is_first_table(m->module, earlier); /* L1606 */
    if (table && (!weak || !m->module->sections.items[earlier].blocks))
      continue;
    if (weak && earlier != TL_NONE && (table || m->module->sections.items[earlier].type == bank->type) &&
        m->module->sections.items[earlier].size == bank->size)
      continue; /* they are one (L1098) */
    const bool joins = earlier != TL_NONE && m->module->sections.items[earlier].type == bank->type &&
                       m->module->sections.items[earlier].about != TL_NONE && !m->module->capsule; /* L1148 */
    if (weak)
      functions_note_bank(m, bank, m->cubin->symbols[primary].name);
    else if (!joins)
      tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, s, TL_NO_OFFSET,
                       "a kernel's parameters have the name of another section (L462)");
  }
}

/* L525: shared memory is dropped with a dead kernel; that of a dead device function makes nvlink stop (E68). */
static bool functions_shared_is_missed(const tl_merging *m, const tl_cubin_section *shared) {
  const uint32_t primary = tl_cubin_primary(m->cubin, shared->info);
  return primary < m->cubin->symbol_count && !(m->cubin->symbols[primary].other & STO_ENTRY);
}

/* Whether some dead kernel, of this file or another one, has the name that a parameter bank is called after. */
static bool functions_bank_is_of_dead_kernel(const tl_merging *m, const tl_cubin_section *bank) {
  static const char parameters[] = ".nv.constant0.";
  const char *const name = tl_merging_text(m, bank->name);
  if (strncmp(name, parameters, sizeof parameters - 1) != 0)
    return false;
  const char *const kernel = name + sizeof parameters - 1;
  const uint32_t known = tl_names_find(m->module->names, kernel, strlen(kernel));
  const tl_resolution *const resolution = m->module->resolution;
  const uint32_t function = known < resolution->name_count ? resolution->function_of_name[known] : TL_NONE;
  return function != TL_NONE && resolution->functions.items[function].defined &&
         resolution->functions.items[function].kernel && !resolution->functions.items[function].live;
}

/* Where nvlink met each name of compiler constants first: 0 for one that symbols brought, which come before all sections. */
static void functions_find_banks(tl_merging *m) {
  tl_map_init(&m->bank_places, m->module->arena);
  for (uint32_t s = m->cubin->section_count; s-- > 1;)
    if (m->cubin->sections[s].type == SHT_CUDA_CONSTANT0 + 2)
      tl_map_set(&m->bank_places, m->cubin->sections[s].name, s);
  for (uint32_t s = 1; s < m->cubin->section_count; s++)
    if (m->cubin->sections[s].type == SHT_CUDA_CONSTANT0 + 2 && (tl_merge_has_symbols(m, s) || m->holds_objects[s]))
      tl_map_set(&m->bank_places, m->cubin->sections[s].name, 0);
}

/* A bank of compiler constants is found by its symbols, or by a name that another one brought (L861). */
static bool functions_bank_is_found(tl_merging *m, uint32_t section) {
  if (!m->bank_places.arena)
    functions_find_banks(m);
  return tl_map_get(&m->bank_places, m->cubin->sections[section].name) < section;
}

/* nvlink drops the banks of a dead function by their names: a kernel's parameters (L861) and compiler constants, which it
 * finds by their symbols too (L860). Any other bank about dead code makes it stop (E68): parameters of a device function
 * (L225), one that is called otherwise (L162), one that ptxas does not make (L466). */
static bool functions_constants_are_missed(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const bank = &m->cubin->sections[section];
  const bool parameters = bank->type == SHT_CUDA_CONSTANT0;
  if (!parameters && bank->type != SHT_CUDA_CONSTANT0 + 2)
    return tl_module_find_section(m->module, bank->name) == TL_NONE;
  const uint32_t primary = tl_cubin_primary(m->cubin, bank->info);
  const tl_cubin_symbol *const function = tl_cubin_symbol_at(m->cubin, primary);
  const bool known = primary < m->cubin->symbol_count, own = known && functions_bank_is_own(m, bank, function);
  if (parameters)
    return known && !((function->other & STO_ENTRY) && own) && !functions_bank_is_of_dead_kernel(m, bank);
  return !own && !functions_bank_is_found(m, section);
}

/* L767: nvlink looks for the table that ptxas laid out in a kernel that is not named, and does not find it (D138). */
static void functions_miss_table(const tl_merging *m, const tl_cubin_section *section) {
  if (tl_defect_matched(m->module->options, TL_DEFECT_D138))
    m->module->deleted_section = true;
  else
    tl_defect_note(m->module->diagnostics, TL_DEFECT_D138, tl_merging_text(m, section->name));
}

static void functions_note_banks(tl_merging *m) {
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const section = &m->cubin->sections[s];
    if (!m->module->eliminates || !(m->section_state[s] & TL_SECTION_DEAD))
      continue;
    if (section->type == SHT_CUDA_IMAGE_HEADERS)
      functions_miss_table(m, section);
    else if (tl_section_type_is_constant(section->type))
      m->module->deleted_section |= functions_constants_are_missed(m, s);
    else if (section->type == SHT_CUDA_SHARED)
      m->module->deleted_section |= functions_shared_is_missed(m, section);
  }
}

static bool functions_is_data(uint32_t type) {
  return tl_section_type_is_constant(type) || type == SHT_CUDA_GLOBAL || type == SHT_CUDA_GLOBAL_INIT ||
         type == SHT_CUDA_SHARED;
}

/* nvlink drops dead sections by their names, and misses what else had the name (L700). In undamaged files a name says
 * the type. */
static void functions_check_dead_names(const tl_merging *m) {
  tl_map dead = {0};
  for (uint32_t s = 1; s < m->cubin->section_count && m->module->eliminates; s++) {
    if (!(m->section_state[s] & TL_SECTION_DEAD))
      continue;
    if (!dead.arena)
      tl_map_init(&dead, m->module->arena);
    tl_map_set(&dead, m->cubin->sections[s].name, s);
  }
  for (uint32_t s = 1; s < m->cubin->section_count && dead.arena; s++) {
    const tl_cubin_section *const section = &m->cubin->sections[s];
    if (m->section_state[s] & TL_SECTION_DEAD || !functions_is_data(section->type))
      continue;
    const uint32_t same = tl_map_get(&dead, section->name);
    if (same != TL_NONE && m->cubin->sections[same].type != section->type)
      tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, s, TL_NO_OFFSET,
                       "sh_name is that of a section of dead code (L700)");
  }
}

static bool functions_is_bank_of_text(const tl_merging *m, const tl_cubin_section *bank, const char *function) {
  static const char text[] = ".text.";
  const tl_cubin_section *const about = tl_cubin_section_at(m->cubin, bank->info);
  return bank->info < m->cubin->section_count && strncmp(tl_merging_text(m, about->name), text, sizeof text - 1) == 0 &&
         strcmp(tl_merging_text(m, about->name) + sizeof text - 1, function) == 0;
}

/* L1128: the parameters of a dead kernel go by their name, whatever sh_info says. In undamaged files it says the same. */
static void functions_mark_named_banks(tl_merging *m) {
  static const char prefix[] = ".nv.constant0.";
  tl_map dead = {0};
  for (uint32_t s = 1; s < m->cubin->section_count && m->module->eliminates; s++) {
    const tl_cubin_section *const section = &m->cubin->sections[s];
    const char *const name = tl_merging_text(m, section->name);
    const bool bank = section->type == SHT_CUDA_CONSTANT0 && !(m->section_state[s] & TL_SECTION_DEAD) &&
                      strncmp(name, prefix, sizeof prefix - 1) == 0;
    if (!bank || functions_is_bank_of_text(m, section, name + sizeof prefix - 1))
      continue;
    if (!dead.arena) {
      tl_map_init(&dead, m->module->arena);
      for (uint32_t i = 0; i < m->cubin->symbol_count; i++)
        if (m->symbol_dead[i] && m->cubin->symbols[i].other & STO_ENTRY)
          tl_map_set(&dead, m->cubin->symbols[i].name, i);
    }
    const char *const function = name + sizeof prefix - 1;
    if (tl_map_get(&dead, tl_names_find(m->module->names, function, strlen(function))) != TL_NONE)
      m->section_state[s] |= TL_SECTION_DEAD;
  }
}

static bool functions_is_elsewhere(const tl_merging *m, uint32_t symbol, uint32_t section) {
  return tl_merging_function(m, symbol) != TL_NONE && m->cubin->symbols[symbol].section != section;
}

/* L1935: a text of dead functions alone, of which sh_info names none. */
static bool functions_is_of_dead_alone(const tl_merging *m, uint32_t section) {
  const uint32_t primary = tl_cubin_primary(m->cubin, section);
  if (primary < m->cubin->symbol_count && tl_merging_function(m, primary) != TL_NONE)
    return false;
  return (m->section_state[section] & (TL_SECTION_OF_DEAD | TL_SECTION_OF_LIVE)) == TL_SECTION_OF_DEAD;
}

/* Whether the text of a dead function stays: another function owns it. One that nobody owns is no function's (E60), but
 * for kernels, which need no owner; nvlink crashes on what is far outside the symbol table (L196). */
static bool functions_section_lives(const tl_merging *m, uint32_t section) {
  const uint32_t largest = 0xffff, primary = tl_cubin_primary(m->cubin, section);
  const bool elsewhere = functions_is_elsewhere(m, primary, section);
  const char *what = NULL;
  if (m->cubin->sections[section].unnamed)
    what = "sh_name lies outside the name table";
  else if (primary > largest || (elsewhere && !m->symbol_dead[primary]))
    what = "sh_info names no function of the section";
  if (what)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, TL_NO_OFFSET, what);
  const bool owned = primary < m->cubin->symbol_count && tl_merging_function(m, primary) != TL_NONE;
  if (!owned && m->section_state[section] & TL_SECTION_KERNEL)
    return false;
  const bool inside = tl_cubin_symbol_at(m->cubin, primary)->section == section;
  if (!owned && inside && functions_is_of_dead_alone(m, section)) /* L1935 */
    return false;
  return primary < m->cubin->symbol_count ? elsewhere || !m->symbol_dead[primary] : true; /* L1935 */
}

/* L1583: code of no function is joined to the text of its name, a dead function's too, with which it goes. */
static void functions_mark_joined(tl_merging *m) {
  tl_map *const texts = &m->module->dead_texts;
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const text = &m->cubin->sections[s];
    if (text->type == SHT_PROGBITS && text->flags & SHF_EXECINSTR && m->section_state[s] & TL_SECTION_DEAD)
      tl_map_set(texts, text->name, s);
  }
  for (uint32_t s = 1; s < m->cubin->section_count && texts->count; s++) {
    const tl_cubin_section *const text = &m->cubin->sections[s];
    if (text->type == SHT_PROGBITS && text->flags & SHF_EXECINSTR && tl_map_get(texts, text->name) != TL_NONE &&
        tl_module_find_section(m->module, text->name) == TL_NONE &&
        (!tl_merging_holds_function(m, s) || functions_is_of_dead_alone(m, s)))
      m->section_state[s] |= TL_SECTION_DEAD;
  }
}

/* Sections of dead functions are dead; a section whose primary function lives stays (W7.3). */
static void functions_mark_dead(tl_merging *m) {
  const tl_module *const module = m->module;
  bool kernels = false;
  for (uint32_t i = 0; i < m->cubin->symbol_count; i++) {
    const uint32_t function = m->bodies[i].function, section = m->cubin->symbols[i].section;
    if (function == TL_NONE)
      continue;
    if (module->resolution->functions.items[function].live) {
      if (section && section < m->cubin->section_count)
        m->section_state[section] |= TL_SECTION_OF_LIVE;
      continue;
    }
    const bool kernel = m->cubin->symbols[i].other & STO_ENTRY;
    m->symbol_dead[i] = true;
    kernels |= kernel;
    if (section)
      m->section_state[section] |= TL_SECTION_DEAD | TL_SECTION_OF_DEAD | (kernel ? TL_SECTION_KERNEL : 0);
  }
  for (uint32_t s = 1; s < m->cubin->section_count; s++)
    if (m->section_state[s] & TL_SECTION_DEAD && functions_section_lives(m, s))
      m->section_state[s] &= (uint8_t)~TL_SECTION_DEAD;
  if (kernels)
    functions_mark_named_banks(m);
  if (module->eliminates)
    functions_mark_joined(m);
  tl_merge_spread_state(m, TL_SECTION_DEAD);
  functions_note_banks(m);
  functions_check_dead_names(m);
}

/* Named is the first definition, also a weak one that a strong one replaced (L139). */
static void functions_report_duplicate(tl_merging *m, uint32_t symbol, uint32_t first_file) {
  tl_merge_report(m, tl_message_row_of(TL_MESSAGE_MULTIPLE_DEFINITION), m->cubin->symbols[symbol].name,
                  m->module->files[first_file].path);
}

/* Of a body that another one meets nvlink looks up the text's function, too (L196). */
static void functions_check_primary(const tl_merging *m, uint32_t symbol) {
  const uint32_t largest = 0xffff, section = m->cubin->symbols[symbol].section;
  if (tl_cubin_primary(m->cubin, section) > largest)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, TL_NO_OFFSET,
                     "sh_info names no function of the section");
}

/* A section of the text's name that is no text was joined to it: `Could not replace weak symbol` (L196). */
static void functions_check_joined(const tl_merging *m, uint32_t symbol, uint32_t text) {
  if (m->module->sections.items[text].pieces.count > 1)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbols[symbol].section,
                     TL_NO_OFFSET, "another section is joined to the text that it replaces");
}

static void functions_trace_loser(const tl_merging *m, uint32_t symbol) {
  if (tl_symbol_binding(&m->cubin->symbols[symbol]) == STB_WEAK)
    tl_trace(m->module->diagnostics, TL_TRACE_WEAK_PROCESSED, tl_merging_text(m, m->cubin->symbols[symbol].name));
}

static void functions_lose(tl_merging *m, uint32_t symbol) {
  functions_check_primary(m, symbol);
  functions_trace_loser(m, symbol);
  m->symbol_lost[symbol] = true;
  const tl_function *const function = &m->module->resolution->functions.items[m->bodies[symbol].function];
  const uint32_t section = m->cubin->symbols[symbol].section;
  const uint32_t owner = tl_module_owner(m->module, m->section_map[section]);
  const bool stands = owner != TL_NONE && m->module->symbols.items[owner].function == m->bodies[symbol].function;
  if (!stands &&
      (function->file != m->file || m->cubin->symbols[function->symbol].section != section)) /* L1114, L1592 */
    m->section_state[section] |= TL_SECTION_LOST;
}

static void functions_report_not_global(const tl_merging *m, const tl_cubin_symbol *s) {
  const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, s->name), TL_NO_OFFSET};
  tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_NOT_GLOBAL), site, NULL,
                     tl_demangle(m->module->arena, tl_merging_text(m, s->name)));
}

/* nvlink's functions share their names with sections, with the prototypes of earlier files (L198) and with the local
 * functions so far (L166): no kernel may have such a name, but that of a local kernel (L1893), which no other function may have. */
static bool functions_name_is_taken(const tl_module *module, const tl_cubin_symbol *s) {
  const uint32_t name = s->name, local = tl_map_get(&module->local_function_names, name);
  if (!(s->other & STO_ENTRY))
    return local == TL_LOCAL_KERNEL;
  return tl_module_find_section(module, name) != TL_NONE || tl_set_has(&module->prototype_seen, name) ||
         (local != TL_NONE && local != TL_LOCAL_KERNEL);
}

/* Whether a function of an earlier file and one of this are both strong definitions. */
static bool functions_are_strong(const tl_symbol *other, const tl_cubin_symbol *s) {
  return other->section != TL_NONE && s->section && tl_binding_of(other) == STB_GLOBAL &&
         tl_symbol_binding(s) == STB_GLOBAL;
}

/* A dead function is compared with what has its name like a live one (E26, L232). */
static void functions_check_dead(tl_merging *m, uint32_t symbol, const tl_function *function) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  tl_module *const module = m->module;
  const uint32_t known = tl_map_get(&module->dead_function_of_name, s->name);
  if (known == TL_NONE) {
    if (functions_name_is_taken(module, s))
      functions_report_not_global(m, s);
    return;
  }
  const tl_symbol *const other = &module->dead_functions.items[known];
  if (!((other->other ^ s->other) & STO_ENTRY))
    return;
  functions_report_not_global(m, s);
  if (functions_are_strong(other, s))
    functions_report_duplicate(m, symbol, function->first_file);
}

/* L1882: a function in the text of a kernel, which goes with that. */
static bool functions_leaves_name(const tl_merging *m, uint32_t symbol) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  return m->bodies[symbol].in_kernel && (s->other & STO_VISIBILITY_MASK) != STV_INTERNAL;
}

/* What a later variable of a dead function's name is compared with (L90): its body that stands, else its first mention. The
 * file is that of the first body. */
static void functions_remember_dead(tl_merging *m, uint32_t symbol, const tl_function *resolved) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  tl_module *const module = m->module;
  if (tl_symbol_binding(s) == STB_LOCAL) {
    tl_map_set(&module->local_function_names, s->name, s->other & STO_ENTRY ? TL_LOCAL_KERNEL : 0);
    return;
  }
  functions_check_dead(m, symbol, resolved);
  uint32_t known = tl_map_get(&module->dead_function_of_name, s->name);
  if (known == TL_NONE) {
    known = (uint32_t)module->dead_functions.count;
    tl_map_set(&module->dead_function_of_name, s->name, known);
    if (tl_symbol_binding(s) == STB_GLOBAL) {
      tl_u32_push(module->arena, &module->dead_globals, (uint32_t)module->globals.count);
      tl_u32_push(module->arena, &module->dead_strings, functions_leaves_name(m, symbol) ? s->name : TL_NONE);
    }
    *tl_vector_push(module->arena, &module->dead_functions) =
        (tl_symbol){.name = s->name, .info = s->info, .other = s->other, .section = TL_NONE, .mention = m->file};
  }
  tl_symbol *const function = &module->dead_functions.items[known];
  const bool first = s->section != SHN_UNDEF && function->section == TL_NONE;
  if (!first && m->bodies[symbol].role != TL_BODY_REPLACES)
    return;
  function->section = 0;
  function->info = s->info;
  function->size = s->size;
  function->mention = first ? m->file : function->mention;
}

/* L1887: what is a kernel by its name alone leaves the name of its shared memory, as if that had been made. */
static void functions_name_dead_provided(const tl_merging *m, uint32_t symbol) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  tl_module *const module = m->module;
  if (!module->mode->final || s->section == SHN_UNDEF || s->other & STO_ENTRY ||
      !tl_system_call_is(tl_merging_text(m, s->name)))
    return;
  const uint32_t name = tl_module_name(module, ".nv.shared.", s->name);
  tl_module_add_section_name(module, name);
  *tl_vector_push(module->arena, &module->strings) = (tl_string_event){name, TL_NONE};
}

/* A dead function creates nothing, but a second strong definition is reported all the same (C84), and compiler constants
 * are replaced all the same (L95). */
static void functions_pass_dead(tl_merging *m, uint32_t symbol) {
  const tl_body *const body = &m->bodies[symbol];
  const tl_function *const function = &m->module->resolution->functions.items[body->function];
  functions_name_dead_provided(m, symbol);
  functions_remember_dead(m, symbol, function);
  if (body->role == TL_BODY_DUPLICATE)
    functions_report_duplicate(m, symbol, function->first_file);
  if (body->role == TL_BODY_REPLACES && tl_merge_drop_constants(m, body->function, m->cubin->symbols[symbol].name))
    tl_trace(m->module->diagnostics, TL_TRACE_WEAK_CONSTANTS);
  tl_merge_trace_dead(m, symbol);
}

/* What a kernel gets beside its text (W3.1). */
static void functions_create_kernel_sections(tl_merging *m, uint32_t text, uint32_t name) {
  tl_module *const module = m->module;
  const uint32_t info_name = tl_module_name(module, ".nv.info.", name);
  const uint32_t info = tl_module_add_section(module, info_name, SHT_CUDA_INFO, SHF_INFO_LINK, 4, 0);
  module->sections.items[info].about = text;
  const uint32_t shared_name = tl_module_name(module, ".nv.shared.", name);
  const uint32_t shared =
      tl_module_add_section(module, shared_name, SHT_CUDA_SHARED, SHF_INFO_LINK | SHF_ALLOC | SHF_WRITE, 1, 0);
  module->sections.items[shared].about = text;
  tl_module_add_section_symbol(module, shared);
  tl_map_set(&module->owned_sections, (uint64_t)shared_name << 32 | text, shared);
  module->sections.items[text].info = info;
  module->sections.items[text].shared = shared;
}

/* W17.12: without dead-code elimination a kernel that is not named stays, but gets its sections late; with it so does one
 * that only its address keeps (L45). */
static bool functions_is_late(const tl_merging *m, uint32_t name) {
  return tl_kernel_is_late(m->module->options, tl_merging_text(m, name));
}

static const char SLOT_PREFIX[] = "__cuda_uf_stub_";

/* nvlink knows a jump slot by its name, and by what its symbol is not: a kernel or a unified function (L475). */
static bool functions_is_called_slot(const tl_merging *m, const tl_cubin_symbol *symbol) {
  return strncmp(tl_merging_text(m, symbol->name), SLOT_PREFIX, sizeof SLOT_PREFIX - 1) == 0 &&
         !(symbol->other & (STO_ENTRY | STO_MANAGED));
}

static bool functions_makes_slots(const tl_merging *m) {
  return !m->module->mode->final && !m->module->capsule;
}

/* L1593: in a relocatable output the function alone says which of the two kinds of text its section is. */
static uint32_t functions_text_type(const tl_merging *m, const tl_cubin_symbol *symbol) {
  const uint32_t type = m->cubin->sections[symbol->section].type;
  if (!functions_makes_slots(m) || (type != SHT_PROGBITS && type != SHT_CUDA_UFT_REL))
    return type;
  return functions_is_called_slot(m, symbol) ? SHT_CUDA_UFT_REL : SHT_PROGBITS;
}

/* nvlink makes the name of a text section from the function's, whatever the input calls it (L175), and that of a jump
 * slot's (L1416). */
static uint32_t functions_text_name(tl_merging *m, const tl_cubin_symbol *symbol) {
  const uint32_t type = functions_text_type(m, symbol);
  const char *const name = tl_merging_text(m, symbol->name);
  if (type == SHT_CUDA_UFT_REL && functions_is_called_slot(m, symbol))
    return tl_module_name(
        m->module, ".nv.uft.rel.",
        tl_names_intern(m->module->names, name + sizeof SLOT_PREFIX - 1, strlen(name) + 1 - sizeof SLOT_PREFIX));
  const uint32_t own = m->cubin->sections[symbol->section].name;
  return type == SHT_PROGBITS ? tl_module_likely_name(m->module, own, ".text.", symbol->name) : own;
}

/* The barriers that older tools counted in sh_flags (L1413). */
static uint8_t functions_barriers(const tl_merging *m, const tl_cubin_section *input) {
  const bool made = input->type == SHT_CUDA_UFT_REL && functions_makes_slots(m); /* L1593 */
  const bool counted = (input->type == SHT_PROGBITS || made) && !m->module->capsule;
  return counted ? (uint8_t)(input->flags >> SHF_CUDA_BARRIERS & SHF_CUDA_BARRIERS_MASK) : 0;
}

/* L189: of a capsule's flags only the one that tells the view; of others none (L1413). */
static uint64_t functions_text_flags(const tl_merging *m, const tl_cubin_section *input) {
  const uint64_t view = m->module->capsule ? input->flags & SHF_CUDA_MERCURY : 0;
  const bool made = input->type == SHT_CUDA_UFT_REL && functions_makes_slots(m); /* L1593 */
  return input->type == SHT_PROGBITS || made ? SHF_ALLOC | SHF_EXECINSTR | view : input->flags;
}

static uint64_t functions_text_entry_size(const tl_merging *m, const tl_cubin_section *input, bool slot) {
  if (!slot)
    return 0;
  return functions_makes_slots(m) ? SLOT_SIZE : input->entry_size;
}

/* What nvlink crashes on in a text section. A kernel need not be the one that sh_info names (L196). */
static void functions_check_section(const tl_merging *m, uint32_t symbol) {
  const uint32_t largest = 0xffff, section = m->cubin->symbols[symbol].section;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint32_t primary = tl_cubin_primary(m->cubin, section);
  const bool kernel = (m->cubin->symbols[symbol].other & STO_ENTRY) != 0;
  const tl_cubin_symbol *const first = tl_cubin_symbol_at(m->cubin, primary);
  const bool alias = first->section == section && tl_symbol_type(first) == STT_FUNC;
  const char *what = NULL;
  if (input->unnamed)
    what = "sh_name lies outside the name table";
  else if ((uint32_t)input->align == 0)
    what = "sh_addralign is 0";
  else if (!alias && (!kernel || primary > largest))
    what = "sh_info names no function of the section";
  if (what)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, TL_NO_OFFSET, what);
}

/* A capsule stands in as many bytes as its code is long when decoded, so that the slots lie as on the SASS side (L660). */
static uint64_t functions_append_slot(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint8_t *bytes = input->data;
  uint64_t size = input->size;
  if (m->module->view == TL_VIEW_MERCURY && size < SLOT_SIZE) {
    uint8_t *const padded = tl_arena_new(m->module->arena, uint8_t, SLOT_SIZE);
    memcpy(padded, bytes, size);
    bytes = padded;
    size = SLOT_SIZE;
  }
  tl_section *const slots = &m->module->sections.items[m->module->jump_slots];
  const uint64_t least = m->module->capsule ? 1 : SLOT_SIZE;                 /* L1845 */
  slots->align = tl_larger(slots->align, tl_larger(input->align, least));    /* places do not ask for it (L1477) */
  const uint64_t align = m->module->view == TL_VIEW_MERCURY ? SLOT_SIZE : 1; /* one behind the other (L1616) */
  return tl_module_append(m->module, m->module->jump_slots, bytes, size, align, m->file, section);
}

/* U10: all jump slots are one section, which the first one creates with its attributes. */
static void functions_define_stub(tl_merging *m, uint32_t symbol, uint32_t out) {
  tl_module *const module = m->module;
  tl_names *const names = module->names;
  static const char slots[] = ".nv.uft", attributes[] = ".nv.info..nv.uft";
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  tl_module_list_symbol(module, out, true);
  tl_u32_push(module->arena, &module->stubs, out);
  tl_u32_push(module->arena, &module->kernels_before_stub, (uint32_t)module->kernels.count);
  module->odd_slots |= !tl_symbol_is_called_slot(names, s);
  if (module->jump_slots == TL_NONE) {
    const uint32_t name = tl_names_intern(names, slots, sizeof slots - 1);
    module->jump_slots =
        tl_module_add_section(module, name, input->type, input->flags, input->align, input->entry_size);
    tl_module_add_section_symbol(module, module->jump_slots);
    const uint32_t info_name = tl_names_intern(names, attributes, sizeof attributes - 1);
    const uint32_t info = tl_module_add_section(module, info_name, SHT_CUDA_INFO, SHF_INFO_LINK, 4, 0);
    module->sections.items[info].about = module->jump_slots;
    tl_section *const created = &module->sections.items[module->jump_slots];
    created->info = info;
    created->owner = out;
    created->registers = (uint8_t)(input->info >> 24);
  }
  const uint64_t offset = functions_append_slot(m, s->section);
  m->section_map[s->section] = module->jump_slots;
  m->section_offset[s->section] = offset;
  tl_symbol *const result = &module->symbols.items[out];
  result->section = module->jump_slots;
  result->value = offset; /* whatever st_value is (L1615) */
}

/* A value that only a mention gives: nvlink stops where the function has aliases (`overlapped offset < full offset?`). */
static void functions_check_alias(const tl_merging *m, uint32_t symbol, uint32_t text) {
  const tl_module *const module = m->module;
  const uint32_t primary = tl_cubin_primary(m->cubin, m->cubin->symbols[symbol].section);
  const uint32_t owner = module->sections.items[text].owner, own = tl_merging_function(m, primary);
  if (own == TL_NONE || module->symbol_of_function[own] != owner)
    return;
  const tl_symbol *const function = &module->symbols.items[owner];
  const tl_cubin *const file = &module->files[function->mention];
  if (function->value != m->cubin->symbols[primary].value)
    tl_cubin_damaged(file, module->names, module->diagnostics, file->symbol_table, TL_NO_OFFSET,
                     "st_value of an undefined function with aliases is not 0 (L231)");
}

/* The output text that an input's went into, or, where its body lost, the one of the body that stands (L552). */
static uint32_t functions_text_of(const tl_merging *m, uint32_t section) {
  if (m->section_map[section] != TL_NONE || !(m->section_state[section] & TL_SECTION_LOST))
    return m->section_map[section];
  return tl_merging_winner_text(m, section);
}

/* With the visibility it says whether the output has the symbol at all (L185). */
static void functions_take_other(const tl_merging *m, tl_symbol *function, const tl_cubin_symbol *s) {
  function->other = s->other;
  function->unlisted = tl_merging_is_unlisted(m, s);
}

/* A kernel whose text has just been created. */
static void functions_note_kernel(tl_merging *m, uint32_t symbol, uint32_t out, bool new) {
  tl_module *const module = m->module;
  tl_symbol *const result = &module->symbols.items[out];
  const uint32_t name = m->cubin->symbols[symbol].name;
  tl_u32_push(module->arena, &module->all_kernels, out);
  const bool late = !result->provided && functions_is_late(m, name);
  const bool counts = module->resolution->functions.items[m->bodies[symbol].function].rooted;
  result->late_sections = late && new; /* not where an earlier file mentions it (L257) */
  result->late = late && !counts;      /* L151: with no kernel named it counts as one */
  if (!result->late_sections)
    functions_create_kernel_sections(m, result->section, name);
  if (!result->late)
    tl_u32_push(module->arena, &module->kernels, out);
}

/* Gives a function symbol its section, which is created unless an earlier symbol of this file did. */
static void functions_define(tl_merging *m, uint32_t symbol, uint32_t out, bool new) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  uint32_t text = functions_text_of(m, s->section);
  const bool create = text == TL_NONE;
  const uint32_t type = functions_text_type(m, s);
  const bool slot = type == SHT_CUDA_UFT_REL;                                     /* L1477 */
  const uint64_t align = tl_larger((uint32_t)input->align, slot ? SLOT_SIZE : 0); /* L174 */
  if (create && new && input->type == SHT_CUDA_UFT_REL && tl_module_has_tables(module)) {
    functions_check_section(m, symbol);
    functions_define_stub(m, symbol, out);
    return;
  }
  const uint32_t name = create ? functions_text_name(m, s) : TL_NONE;
  if (create)
    functions_check_section(m, symbol);
  if (create)
    text = tl_module_add_section_unlisted(module, name, type, functions_text_flags(m, input), align,
                                          functions_text_entry_size(m, input, slot));
  if (new)
    tl_module_list_symbol(module, out, true);
  if (create) {
    *tl_vector_push(module->arena, &module->strings) = (tl_string_event){name, TL_NONE};
    tl_module_add_section_symbol(module, text);
    tl_module_append(module, text, input->data, input->size, align, m->file, s->section);
    module->sections.items[text].registers = (uint8_t)(input->info >> 24);
    module->sections.items[text].barriers = functions_barriers(m, input);
    m->section_map[s->section] = text;
  }
  tl_symbol *const result = &module->symbols.items[out];
  result->section = text;
  result->info = s->info;
  result->value = slot && create ? 0 : s->value ? s->value : result->value; /* L231, L1615 */
  if (!create)
    functions_check_alias(m, symbol, text);
  if (!create && s->other & STO_ENTRY) /* L1527 */
    module->sections.items[text].registers = (uint8_t)(input->info >> 24);
  module->odd_slots |= text == module->jump_slots && !tl_symbol_is_called_slot(m->module->names, s); /* L475, L1070 */
  result->size = s->size;
  result->mention = m->file; /* what messages about the name say first (L90) */
  if (new || !create)
    functions_take_other(m, result, s); /* otherwise that of the first mention stays (W4.6) */
  tl_section *const its = &module->sections.items[text];
  const uint32_t primary = tl_cubin_primary(m->cubin, s->section);
  if (create || (primary == symbol && !its->led))
    its->owner = out;
  else if (primary == symbol && !s->size) /* L1012: the text is called after an alias that stands behind its function */
    its->measured = its->owner;
  else if (primary == symbol || (s->size && !module->symbols.items[its->owner].size)) /* L864 */
    its->measured = out;
  its->led |= create && m->bodies[symbol].leads;
  its->deserted |= create && primary != symbol && primary < m->cubin->symbol_count && m->symbol_dead[primary];
  its->left |= !s->value && (symbol < primary || (s->size && !m->cubin->symbols[primary].size));
  const tl_function *const function = &module->resolution->functions.items[m->bodies[symbol].function];
  module->symbols.items[out].provided = function->provided && !(s->other & STO_ENTRY);
  if (create && tl_symbol_is_entry(&module->symbols.items[out]))
    functions_note_kernel(m, symbol, out, new);
}

/* W8.2: from which relocation sections the replaced body's entries vanish: for each debug section that has a RELA
 * section, if the old text has a relocation section, the last created of its own. */
static void functions_drop_frames(tl_merging *m, uint32_t out, uint32_t text) {
  tl_module *const module = m->module;
  tl_symbol *const symbol = &module->symbols.items[out];
  if (module->sections.items[text].relocations[0] == TL_NONE && module->sections.items[text].relocations[1] == TL_NONE)
    return; /* either kind will do for the text (L75) */
  for (int i = 0; i < 3; i++) {
    const uint32_t name = tl_names_find(module->names, frame_sections[i], strlen(frame_sections[i]));
    const uint32_t debug = name == TL_NONE ? TL_NONE : tl_module_find_section(module, name);
    if (debug == TL_NONE || module->sections.items[debug].relocations[1] == TL_NONE)
      continue;
    const uint32_t rel = module->sections.items[debug].relocations[0];
    const uint32_t rela = module->sections.items[debug].relocations[1];
    symbol->frame_section[i] = rel != TL_NONE && rel > rela ? rel : rela;
    symbol->frame_cutoff[i] = (uint32_t)module->relocations.count;
  }
}

/* Returns whether there is such a section. */
static bool functions_empty_section(tl_module *module, uint32_t section) {
  if (section == TL_NONE)
    return false;
  tl_section *const emptied = &module->sections.items[section];
  emptied->pieces.count = 0;
  emptied->size = 0;
  emptied->symbol_cutoff = (uint32_t)module->symbols.count;
  if (emptied->relocations[0] == TL_NONE && emptied->relocations[1] == TL_NONE)
    return true;
  if (!tl_defect_matched(module->options, TL_DEFECT_D86)) { /* L891 */
    tl_defect_note(module->diagnostics, TL_DEFECT_D86, tl_module_text(module, emptied->name));
    emptied->cutoff = (uint32_t)module->relocations.count;
  }
  return true;
}

/* Where constants are sections, as in a relocatable output: those of the function, or the first of its name (D7), whatever
 * its type is (L542). */
static uint32_t functions_replaced_constants(const tl_merging *m, uint32_t text, uint32_t name) {
  tl_module *const module = m->module;
  const uint32_t own = module->sections.items[text].constant2;
  const uint32_t first =
      tl_module_find_section(module, tl_module_name(module, tl_module_compiler_constants(module), name));
  if (first == TL_NONE)
    return own;
  if (first == own || first == module->sections.items[text].stray || tl_defect_matched(module->options, TL_DEFECT_D7))
    return first;
  tl_defect_note(module->diagnostics, TL_DEFECT_D7, tl_module_text(module, name));
  return own;
}

/* L263: of a body that replaces another nvlink takes as many bytes as its symbol says, also those behind its text (L237).
 * In Mercury's view, where the symbol says the size of the decoded instructions, it takes the whole capsule. */
static uint64_t functions_body_size(const tl_merging *m, const tl_cubin_symbol *symbol, const tl_cubin_section *text) {
  if (symbol->size > text->size && m->module->view == TL_VIEW_SASS)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)(symbol - m->cubin->symbols) * ELF_SYMBOL_SIZE,
                     "st_size of a function is larger than its text (L237)");
  if (symbol->size >= text->size || m->module->view == TL_VIEW_MERCURY)
    return text->size;
  if (tl_defect_matched(m->module->options, TL_DEFECT_D40))
    return symbol->size;
  tl_defect_note(m->module->diagnostics, TL_DEFECT_D40, tl_merging_text(m, symbol->name));
  return text->size;
}

/* The documents' lines about what goes with the body in a text, before it goes. */
static void functions_trace_replaced(tl_module *module, uint32_t out, uint32_t text) {
  const tl_symbol *const symbol = &module->symbols.items[out];
  const tl_section *const section = &module->sections.items[text];
  tl_merge_trace_dead_entries(module, text);
  if (!tl_trace_wants(module->diagnostics, TL_TRACE_MERGE))
    return;
  for (size_t i = section->cutoff; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    const bool frame = entry->symbol == out && tl_module_relocation_is_of_frame(module, i);
    if (frame || entry->target == text)
      tl_trace(module->diagnostics, frame ? TL_TRACE_WEAK_DEBUG_RELOC : TL_TRACE_WEAK_RELOC);
  }
  const size_t own = section->info == TL_NONE ? 0 : module->sections.items[section->info].attributes.count;
  for (size_t i = 0; i < own; i++)
    tl_trace(module->diagnostics, TL_TRACE_WEAK_INFO);
  for (size_t i = symbol->info_cutoff; i < module->attributes.count; i++)
    if (module->attributes.items[i].symbol == out && tl_merge_removes_record(module->attributes.items[i].code))
      tl_trace(module->diagnostics, TL_TRACE_WEAK_FRAME_SIZE);
}

/* The compiler constants of the body that stood: of one name, so one line tells of all (Z004.51). */
static void functions_drop_constants(tl_merging *m, uint32_t symbol, uint32_t text) {
  tl_module *const module = m->module;
  const uint32_t name = m->cubin->symbols[symbol].name;
  const bool final = module->mode->final;
  const uint32_t first = final ? module->sections.items[text].constant2 /* a kernel's own (L79) */
                               : functions_replaced_constants(m, text, name);
  bool any = functions_empty_section(module, first);
  /* a later loser's constants take its place; nvlink finds them by their name (L158) */
  any |= functions_empty_section(module, module->sections.items[text].stray);
  any |= final && tl_merge_drop_constants(m, m->bodies[symbol].function, name);
  if (any)
    tl_trace(module->diagnostics, TL_TRACE_WEAK_CONSTANTS);
}

static void functions_replace(tl_merging *m, uint32_t symbol, uint32_t out) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  const uint32_t text = module->symbols.items[out].section;
  functions_check_primary(m, symbol);
  functions_check_joined(m, symbol, text);
  functions_drop_frames(m, out, text);
  functions_trace_replaced(module, out, text);
  tl_section *const section = &module->sections.items[text];
  section->pieces.count = 0;
  section->size = 0;
  section->cutoff = (uint32_t)module->relocations.count;
  const uint64_t size = functions_body_size(m, s, input);
  tl_module_append(module, text, input->data, size, (uint32_t)input->align, m->file, s->section); /* L953 */
  section->registers = (uint8_t)(input->info >> 24);
  section->barriers = functions_barriers(m, input);
  if (section->info != TL_NONE)
    module->sections.items[section->info].attributes.count = 0;
  tl_symbol *const result = &module->symbols.items[out];
  result->size = s->size; /* but the value stays that of the first body (L263) */
  result->info_cutoff = (uint32_t)module->attributes.count;
  if (tl_symbol_binding(s) == STB_GLOBAL)
    result->info = s->info;
  functions_take_other(m, result, s); /* L185 */
  m->section_map[s->section] = text;
  module->sections.items[text].bodyless = functions_is_alias(m, symbol); /* L490, D96 */
  functions_drop_constants(m, symbol, text);
}

/* The first section of parameters about a text; for all texts of the file at the first question. */
static const tl_cubin_section *functions_parameter_bank(tl_merging *m, uint32_t text) {
  const tl_cubin *const cubin = m->cubin;
  if (!m->parameter_banks) {
    m->parameter_banks = tl_arena_new(m->module->arena, uint32_t, cubin->section_count);
    for (uint32_t s = cubin->section_count; s-- > 1;)
      if (cubin->sections[s].type == SHT_CUDA_CONSTANT0 && cubin->sections[s].info < cubin->section_count)
        m->parameter_banks[cubin->sections[s].info] = s;
  }
  return m->parameter_banks[text] ? &cubin->sections[m->parameter_banks[text]] : NULL;
}

/* V8: weak entries whose parameter banks differ in size; beside a strong one both stay (L115). */
static void functions_check_parameters(tl_merging *m, uint32_t symbol, uint32_t out) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const uint32_t text = m->module->symbols.items[out].section;
  const uint32_t known = text == TL_NONE ? TL_NONE : m->module->sections.items[text].constant0;
  const tl_cubin_section *const incoming = s->other & STO_ENTRY ? functions_parameter_bank(m, s->section) : NULL;
  const bool weak = tl_symbol_binding(s) == STB_WEAK && tl_binding_of(&m->module->symbols.items[out]) == STB_WEAK;
  if (weak && incoming && known != TL_NONE)
    tl_trace(m->module->diagnostics, TL_TRACE_PARAMETER_BANK, tl_merging_text(m, s->name));
  const bool same = incoming && known != TL_NONE && incoming->name == m->module->sections.items[known].name; /* L1605 */
  if (weak && same && incoming->size != m->module->sections.items[known].size)
    functions_note_bank(m, incoming, s->name);
}

static void functions_pass_known(tl_merging *m, uint32_t symbol, uint32_t out) {
  tl_module *const module = m->module;
  const tl_body *const body = &m->bodies[symbol];
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const tl_function *const function = &module->resolution->functions.items[body->function];
  module->symbols.items[out].weak_mention &= tl_symbol_binding(s) == STB_WEAK;
  if ((module->symbols.items[out].other ^ s->other) & STO_ENTRY) { /* a mere mention too (L62) */
    functions_report_not_global(m, s);
    if (functions_are_strong(&module->symbols.items[out], s))
      functions_report_duplicate(m, symbol, function->first_file);
    if (s->section)
      functions_lose(m, symbol);
  } else if (body->role == TL_BODY_FIRST ||
             (body->role == TL_BODY_REPLACES && module->symbols.items[out].section == TL_NONE)) {
    functions_define(m, symbol, out, false); /* without a text before: only in a damaged file */
  } else if (body->role == TL_BODY_REPLACES) {
    functions_check_parameters(m, symbol, out);
    functions_replace(m, symbol, out);
  } else if (body->role != TL_BODY_MENTION) {
    const bool strong = tl_symbol_binding(s) == STB_GLOBAL && function->binding == STB_GLOBAL;
    if (body->role == TL_BODY_DUPLICATE || (body->role == TL_BODY_MISMATCH && strong)) /* L446 */
      functions_report_duplicate(m, symbol, function->first_file);
    else
      functions_check_parameters(m, symbol, out);
    if (body->role == TL_BODY_LOSES && functions_is_alias(m, symbol)) {
      m->section_map[s->section] = module->symbols.items[out].section; /* L490: what is about the function goes there */
      m->symbol_lost[symbol] = true;                                   /* not its records (L1624) */
      functions_trace_loser(m, symbol);
    } else {
      functions_lose(m, symbol);
    }
  }
}

static void functions_pass_new(tl_merging *m, uint32_t symbol) {
  tl_module *const module = m->module;
  const uint32_t function = m->bodies[symbol].function;
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const uint8_t role = m->bodies[symbol].role;
  const bool undefined = role == TL_BODY_MENTION || role == TL_BODY_LOSES; /* D96: what is defined can lose, too */
  tl_symbol created = {.name = s->name,
                       .info = s->info,
                       .other = s->other,
                       .section = TL_NONE,
                       .value = role == TL_BODY_LOSES ? 0 : s->value,
                       .size = s->size,
                       .function = function,
                       .block = TL_NONE,
                       .mention = m->file,
                       .unlisted = tl_merging_is_unlisted(m, s)}; /* whatever names it fails (E69, L226) */
  if (tl_symbol_binding(s) != STB_LOCAL && functions_name_is_taken(module, s))
    functions_report_not_global(m, s);
  created.weak_mention = undefined && tl_symbol_binding(s) == STB_WEAK;
  const uint32_t out = tl_module_new_symbol(module, &created);
  module->symbol_of_function[function] = out;
  if (module->first_function[m->file] == TL_NONE)
    module->first_function[m->file] = out;
  if (tl_symbol_binding(s) != STB_LOCAL)
    module->symbol_of_name[s->name] = out;
  else
    tl_map_set(&module->local_function_names, s->name, s->other & STO_ENTRY ? TL_LOCAL_KERNEL : 0);
  m->symbol_map[symbol] = out;
  tl_u32_push(module->arena, m->bodies[symbol].in_kernel ? &module->inner_functions : &module->functions, function);
  tl_u32_push(module->arena, &module->recorded_functions, function);
  if (undefined)
    tl_module_list_symbol(module, out, true);
  else
    functions_define(m, symbol, out, true);
  if (role == TL_BODY_LOSES)
    functions_lose(m, symbol);
}

/* The variable that has the function's name already, or TL_NONE. */
static uint32_t functions_find_variable(const tl_merging *m, const tl_cubin_symbol *s) {
  const uint32_t out = tl_symbol_binding(s) == STB_LOCAL ? TL_NONE : m->module->symbol_of_name[s->name];
  return out != TL_NONE && tl_type_of(&m->module->symbols.items[out]) != STT_FUNC ? out : TL_NONE;
}

/* Shared objects by the section that they lie in, counted once a file: functions change nothing about them. */
static void functions_count_shared(tl_merging *m) {
  const tl_module *const module = m->module;
  m->shared_in_section = tl_arena_new(module->arena, uint32_t, module->sections.count);
  for (size_t i = 0; i < module->shared_objects.count; i++) {
    const uint32_t object = module->shared_objects.items[i];
    if (object == TL_NONE)
      continue;
    const tl_symbol *const symbol = &module->symbols.items[object];
    if (symbol->external_shared)
      m->external_shared++;
    else if (symbol->section != TL_NONE)
      m->shared_in_section[symbol->section]++;
  }
}

/* L775: whether a variable's section has been put together from more than the variable: blocks of several files, or several
 * shared objects. */
static bool functions_lies_among_others(tl_merging *m, const tl_symbol *variable) {
  if (variable->section == TL_NONE)
    return false;
  if (!variable->shared)
    return m->module->sections.items[variable->section].blocks > 1;
  if (!m->shared_in_section)
    functions_count_shared(m);
  return m->shared_in_section[variable->section] + m->external_shared > 1;
}

/* L1712: a further function of a name that a function has taken from a variable, which is compared with a kernel only where it
 * has replaced a weak one. */
static void functions_pass_namesake(tl_merging *m, const tl_cubin_symbol *s, tl_symbol *known) {
  const bool kernel = s->other & STO_ENTRY, strong = s->section && tl_symbol_binding(s) != STB_WEAK;
  if (kernel != known->clashing_kernel)
    functions_report_not_global(m, s);
  if (strong && tl_binding_of(known) != STB_WEAK) {
    tl_merge_report(m, tl_message_row_of(TL_MESSAGE_MULTIPLE_DEFINITION), s->name,
                    m->module->files[known->mention].path);
  } else if (strong) {
    known->clashing_kernel = kernel;
    known->mention = m->file;
    known->info = (uint8_t)((s->info & 0xf0) | (known->info & 0x0f));
  }
}

/* L1111: the kernel has the name from there on, and what its file says about variables of it is compared with the kernel. */
static void functions_take_over(const tl_merging *m, const tl_cubin_symbol *s, tl_symbol *variable) {
  const bool defined = variable->section != TL_NONE || variable->external_shared;
  if (!s->section || (defined && tl_symbol_binding(s) == STB_WEAK))
    return;
  variable->clashes = true;
  variable->mention = m->file;
  if (tl_type_is_texture(tl_type_of(variable))) {
    variable->info = (uint8_t)((s->info & 0xf0) | tl_type_of(variable));
    return;
  }
  variable->info = (uint8_t)((s->info & 0xf0) | STT_OBJECT);
  variable->other = s->other;
  variable->size = s->size;
  variable->zeros_too = true; /* it counts as defined */
}

/* A name that is a variable in an earlier file ends the link, also when the function is dead (V8, L90, L186): that of a
 * kernel by what is reported alone (L753). Extern shared memory counts as defined (L752), a texture's file is not told. */
static void functions_pass_variable(tl_merging *m, uint32_t symbol, uint32_t out) {
  tl_symbol *const other = &m->module->symbols.items[out];
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const unsigned type = tl_type_of(other);
  const bool texture = tl_type_is_texture(type), kernel = s->other & STO_ENTRY;
  m->without_node[symbol] = true;
  if (other->clashes) {
    functions_pass_namesake(m, s, other);
    return;
  }
  const char *const first = texture ? "<input>" : m->module->files[other->mention].path;
  if (kernel)
    functions_report_not_global(m, s);
  tl_merge_report(m, tl_message_row_of(TL_MESSAGE_SPACE_MISMATCH), s->name, first);
  const bool defined = s->section && (other->section != TL_NONE || other->external_shared);
  const bool weak = tl_symbol_binding(s) == STB_WEAK, other_weak = tl_binding_of(other) == STB_WEAK;
  if (defined && !weak && !other_weak)
    tl_merge_report(m, tl_message_row_of(TL_MESSAGE_MULTIPLE_DEFINITION), s->name, first);
  const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, s->name), TL_NO_OFFSET};
  const bool both_weak = defined && weak && other_weak;
  if (defined && !weak && other_weak && functions_lies_among_others(m, other)) {
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_WEAK_STAYS), site, NULL, site.symbol);
    return;
  }
  if (both_weak)
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_NO_REG_COUNT_OLD), site, NULL);
  functions_take_over(m, s, other);
}

/* L148: an alias that an earlier file mentions brings the text of its function once more. Where that is a second strong
 * definition, nvlink puts it over the first one's text, be they live or dead. */
static void functions_check_overlap(const tl_merging *m, uint32_t symbol) {
  const tl_function *const functions = m->module->resolution->functions.items;
  const uint32_t section = m->cubin->symbols[symbol].section;
  const tl_body *const primary = &m->bodies[tl_cubin_primary(m->cubin, section)];
  if (m->bodies[symbol].role != TL_BODY_FIRST || !functions[m->bodies[symbol].function].mentioned_before ||
      primary->role != TL_BODY_DUPLICATE)
    return;
  const tl_function *const first = &functions[primary->function];
  const tl_cubin *const cubin = &m->module->files[first->file];
  const tl_cubin_section *const text = &cubin->sections[cubin->symbols[first->symbol].section];
  tl_pieces pieces = {0};
  *tl_vector_push(m->module->arena, &pieces) = (tl_piece){.size = text->size, .data = text->data, .file = first->file};
  tl_merge_check_overlap(m, &pieces, section);
}

/* Z004.33 to Z004.41: which bits of tl_contest have which line. */
static void functions_trace_contest(const tl_merging *m, uint32_t symbol, unsigned bits) {
  static const tl_trace_id lines[] = {TL_TRACE_NO_NEW_COUNT, TL_TRACE_NO_OLD_COUNT, TL_TRACE_FEWER_REGISTERS,
                                      TL_TRACE_NEWER_PTX, TL_TRACE_REPLACE_WEAK};
  bits &= m->bodies[symbol].contest;
  for (unsigned i = 0; bits >> i; i++)
    if (bits >> i & 1)
      tl_trace(m->module->diagnostics, lines[i], tl_merging_text(m, m->cubin->symbols[symbol].name));
}

/* L1072: nvlink compares the counts when it comes to the symbol, be the function dead or live. */
static void functions_check_counts(const tl_merging *m, uint32_t symbol) {
  const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, m->cubin->symbols[symbol].name), TL_NO_OFFSET};
  const uint8_t uncounted = m->bodies[symbol].uncounted;
  const unsigned looked_for = TL_CONTEST_NO_NEW_COUNT | TL_CONTEST_NO_OLD_COUNT;
  functions_trace_contest(m, symbol, looked_for);
  if (uncounted != TL_COUNTED)
    tl_diagnostics_add(
        m->module->diagnostics,
        tl_message_row_of(uncounted == TL_UNCOUNTED_NEW ? TL_MESSAGE_NO_REG_COUNT_NEW : TL_MESSAGE_NO_REG_COUNT_OLD),
        site, NULL);
  functions_trace_contest(m, symbol, ~looked_for);
}

static void functions_pass_one(tl_merging *m, uint32_t symbol) {
  const tl_body *const body = &m->bodies[symbol];
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const bool mismatch = body->role == TL_BODY_MISMATCH; /* L1376: E26 comes before E81 */
  if (!mismatch)
    functions_check_counts(m, symbol);
  const uint32_t variable = functions_find_variable(m, s);
  if (variable != TL_NONE) {
    functions_pass_variable(m, symbol, variable);
    return;
  }
  functions_note_alias(m, symbol);
  if (functions_is_alias(m, symbol))
    functions_check_overlap(m, symbol);
  const uint32_t out = m->module->symbol_of_function[body->function];
  if (m->symbol_dead[symbol]) {
    functions_pass_dead(m, symbol);
  } else if (out != TL_NONE) {
    m->symbol_map[symbol] = out;
    functions_pass_known(m, symbol, out);
  } else {
    functions_pass_new(m, symbol);
  }
  if (mismatch)
    functions_check_counts(m, symbol);
}

/* L606, L1607: the names of a dead function's sections stay names that no kernel of a later file may have (L198). */
static void functions_remember_dead_sections(tl_merging *m) {
  const bool any = tl_merging_any(m, TL_SECTION_DEAD);
  for (uint32_t s = 1; s < m->cubin->section_count && any; s++) {
    const tl_cubin_section *const section = &m->cubin->sections[s];
    const bool about = section->flags & SHF_INFO_LINK && section->info < m->cubin->section_count;
    const uint32_t text = about ? section->info : s;
    if (!(m->section_state[text] & TL_SECTION_DEAD))
      continue;
    const uint32_t primary = section->flags & SHF_EXECINSTR ? tl_cubin_primary(m->cubin, s) : UINT32_MAX;
    const uint32_t name = primary < m->cubin->symbol_count
                              ? tl_module_name(m->module, ".text.", m->cubin->symbols[primary].name) /* L1668 */
                              : section->name;
    if (tl_map_get(&m->module->local_function_names, name) == TL_NONE)
      tl_map_set(&m->module->local_function_names, name, 0);
  }
}

void tl_merge_functions(tl_merging *m) {
  functions_check_banks(m);
  functions_check_namesakes(m);
  functions_mark_dead(m);
  bool *const done = tl_arena_new(m->module->arena, bool, m->cubin->symbol_count);
  for (uint32_t i = 0; i < m->cubin->symbol_count; i++) {
    if (m->bodies[i].function == TL_NONE || done[i])
      continue;
    const uint32_t primary = tl_resolve_primary(m->cubin, i);
    const bool twice = m->bodies[i].role == TL_BODY_DUPLICATE; /* L1213: E21 in the symbols' order */
    if (!done[primary] && !m->bodies[i].leads && !twice) {
      done[primary] = true;
      functions_pass_one(m, primary);
    }
    if (!done[i])
      functions_pass_one(m, i);
    done[i] = true;
  }
  functions_remember_dead_sections(m);
  tl_merge_spread_state(m, TL_SECTION_LOST);
}
