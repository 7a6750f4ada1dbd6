/* The second header walk of one file (W3.4): .nv.info and .nv.info.F (W6, I1-I9), tool notes (W5.1), .nv.compat
 * (I60-I69), call graph and prototypes (W7, F75, F76), relocation sections; in section header order. */
#include "base/bytes.h"
#include "base/text.h"
#include "catalog/message.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "graph/live.h"
#include "merge/merging.h"

#include <string.h>

/* True where a symbol stands for a function or an object of the output; of sections only PARAM_CBANK knows the symbols
 * (L593). */
static bool records_has_symbol(const tl_merging *m, uint32_t symbol) {
  const uint32_t out = m->symbol_map[symbol];
  return out != TL_NONE && tl_type_of(&m->module->symbols.items[out]) != STT_SECTION;
}

/* True for the parameters of a kernel: their first word is a symbol, mostly 0, and they stay whatever it is (L593). */
static bool records_is_parameter(uint8_t code) {
  return code == EIATTR_KPARAM_INFO || code == EIATTR_KPARAM_INFO_V2;
}

/* Whether a record is about shared memory that an executable does not list: it is dropped (L805, L1113). */
static bool records_is_about_shared(const tl_merging *m, uint32_t symbol) {
  const tl_symbol *const out = &m->module->symbols.items[m->symbol_map[symbol]];
  return m->module->mode->final && out->shared && !tl_module_lists_shared(m->module, out->other);
}

/* L1664: the symbol of the bank that stands in the place of a losing body's, TL_NONE. */
static uint32_t records_standing_bank(const tl_merging *m, uint32_t symbol) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  if (m->module->capsule || !tl_merging_lies(s) || tl_symbol_type(s) != STT_SECTION ||
      !(m->section_state[s->section] & TL_SECTION_LOST) || m->cubin->sections[s->section].type != SHT_CUDA_CONSTANT0)
    return TL_NONE;
  const uint32_t standing = tl_module_find_section(m->module, s->name);
  return standing == TL_NONE ? TL_NONE : m->module->sections.items[standing].symbol;
}

/* L1600: of the bank of a kernel's parameters nvlink asks by its name, which a global symbol may have, too. */
static uint32_t records_symbol(const tl_merging *m, uint8_t code, uint32_t symbol) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const uint32_t own = m->symbol_map[symbol];
  if (code == EIATTR_PARAM_CBANK && own == TL_NONE)
    return records_standing_bank(m, symbol);
  if (code != EIATTR_PARAM_CBANK || own == TL_NONE || tl_symbol_type(s) != STT_SECTION || m->module->capsule)
    return own;
  const uint32_t named = m->module->symbol_of_name[s->name];
  if (named == TL_NONE && tl_merge_names_another_text(m, s, own)) { /* L1575 */
    const uint32_t text = tl_module_find_section(m->module, s->name);
    return text == TL_NONE ? TL_NONE : m->module->sections.items[text].symbol;
  }
  return named == TL_NONE ? own : named;
}

/* What the output has of a record; records_check has seen its symbols. */
static tl_attribute records_attribute(const tl_merging *m, const tl_record *record) {
  tl_attribute attribute = {
      .format = record->format, .code = record->code, .size = record->size, .data = record->data, .symbol = TL_NONE};
  if (record->code == EIATTR_EXTERNS) { /* I5: words of symbols that are gone go too */
    attribute.symbols = tl_arena_new(m->module->arena, uint32_t, record->size / 4);
    for (uint32_t i = 0; i < record->size / 4u; i++) {
      const uint32_t symbol = m->symbol_map[tl_get32(record->data + 4 * (size_t)i)];
      if (symbol != TL_NONE)
        attribute.symbols[attribute.symbol_count++] = symbol;
    }
  } else if (tl_attribute_names_symbol(record->code)) { /* I4 */
    const uint32_t symbol = tl_get32(record->data), out = records_symbol(m, record->code, symbol);
    const bool nothing = out == TL_NONE || (records_is_parameter(record->code) && !records_has_symbol(m, symbol));
    attribute.symbol = nothing ? 0 : out;
  }
  return attribute;
}

/* The payloads that nvlink reads of a live function, whatever the format says: a value of two bytes is taken for an
 * address (L236). */
static void records_check_payload(const tl_merging *m, uint32_t section, const tl_record *record) {
  if (record->format == 4)
    return;
  const bool read = record->code == EIATTR_SYNC_STACK || record->code == EIATTR_CRS_STACK_SIZE ||
                    record->code == EIATTR_AT_ENTRY_FRAGMENTS;
  if (read)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, record->offset,
                     "an attribute that holds words has another format");
}

/* Variables, textures and reserved shared memory of an executable; parameters and compiler constants are in none, and the
 * names of the unified tables leave it (L465). */
static bool records_is_listed_object(const tl_merging *m, uint32_t symbol) {
  static const char reserved[] = ".nv.reservedSmem";
  const uint32_t out = m->symbol_map[symbol];
  if (out == TL_NONE || !m->module->mode->final || m->module->symbols.items[out].unlisted || m->symbol_lost[symbol] ||
      records_is_about_shared(m, symbol))
    return false;
  const unsigned type = tl_type_of(&m->module->symbols.items[out]);
  return type == STT_CUDA_OBJECT || tl_type_is_texture(type) ||
         (type == STT_OBJECT && tl_module_has_tables(m->module)) ||
         strncmp(tl_merging_text(m, m->module->symbols.items[out].name), reserved, sizeof reserved - 1) == 0;
}

/* What nvlink crashes on, also in a section of a dead function: a symbol outside the table, no room for one, and a frame
 * size of a variable (I10, D67, L173). */
static void records_check(const tl_merging *m, uint32_t section, const tl_record *record) {
  const bool externs = record->code == EIATTR_EXTERNS;
  const char *what = NULL;
  if (externs)
    for (size_t at = 0; at + 4 <= record->size; at += 4)
      if (tl_get32(record->data + at) >= m->cubin->symbol_count)
        what = "a record names a symbol outside the symbol table";
  if (!externs && !tl_attribute_names_symbol(record->code))
    return;
  const bool pair =
      record->code == EIATTR_REGCOUNT || record->code == EIATTR_FRAME_SIZE || record->code == EIATTR_MAX_STACK_SIZE;
  const bool room = record->format == 4 && (externs || record->size >= (pair ? 8 : 4));
  const uint32_t symbol = room && !externs ? tl_get32(record->data) : 0;
  if (!room)
    what = "an attribute that names a symbol has no room for it";
  else if (symbol >= m->cubin->symbol_count)
    what = "a record names a symbol outside the symbol table";
  else if (m->cubin->symbols[symbol].unnamed)
    what = "a record's symbol has a name outside the file";
  else if (record->code == EIATTR_FRAME_SIZE && records_is_listed_object(m, symbol))
    what = "a frame size names no function";
  if (what)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, record->offset, what);
}

static void records_check_dead(const tl_merging *m, uint32_t section) {
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(&m->cubin->sections[section], &position, &record))
    records_check(m, section, &record);
}

/* Records of dead functions and losing bodies go with them (I8), and so do those about what no output lists, a kernel's
 * parameters without their section (L182), and whatever else names no symbol of the output (L593). The record has a symbol of
 * the file where its code says so (records_check). */
static bool records_is_dropped(const tl_merging *m, const tl_record *record) {
  if (!tl_attribute_names_symbol(record->code) || records_is_parameter(record->code))
    return false;
  const bool request = record->code == EIATTR_LOAD_CACHE_REQUEST; /* one of a losing body counts (L260) */
  const bool about_function = request || tl_attribute_is_of_body(record->code);
  const uint32_t symbol = tl_get32(record->data);
  if (!about_function && record->code == EIATTR_PARAM_CBANK)
    return records_symbol(m, record->code, symbol) == TL_NONE;
  if (!about_function)
    return !records_has_symbol(m, symbol) || records_is_about_shared(m, symbol);
  if (m->bodies[symbol].function ==
      TL_NONE) /* of an object it stays, and says nothing (L634), unless it lost (L1466) */
    return !records_has_symbol(m, symbol) || (m->symbol_lost[symbol] && !request) ||
           m->module->symbols.items[m->symbol_map[symbol]].unlisted || records_is_about_shared(m, symbol);
  return m->symbol_dead[symbol] || (m->symbol_lost[symbol] && !request);
}

/* About how many records that many bytes of a function hold: three or four, and there are many such lists. */
static size_t records_expected(uint64_t size) {
  enum { USUAL_SIZE = 8, MOST = 16 };
  return size / USUAL_SIZE < MOST ? (size_t)size / USUAL_SIZE + 1 : MOST;
}

/* L635: attributes of a device function may be said to be about whatever else is in the output. What nvlink makes of those
 * of a kernel, of constants' and of capsules is not known. */
static bool records_may_be_of_others(const tl_merging *m, uint32_t section, uint32_t about) {
  const uint32_t info = m->cubin->sections[section].info;
  const uint32_t type = tl_cubin_section_at(m->cubin, info)->type;
  const bool kernel = about != TL_NONE && m->module->symbols.items[about].other & STO_ENTRY;
  return !kernel && !m->module->capsule && !tl_section_type_is_constant(type) && type != SHT_CUDA_INFO;
}

/* L1098: a kernel of an earlier file that has its attributes already loses nothing. */
static bool records_has_its_own(const tl_merging *m, uint32_t named) {
  const uint32_t text = named == TL_NONE ? TL_NONE : m->module->symbols.items[named].section;
  const uint32_t info = text == TL_NONE ? TL_NONE : m->module->sections.items[text].info;
  return info != TL_NONE && m->module->sections.items[info].attributes.count && !m->module->capsule;
}

/* L490: of two functions, for one of which an alias and a body have met. */
static bool records_are_of_contest(const tl_module *module, uint32_t one, uint32_t other) {
  const tl_function *const functions = module->resolution->functions.items;
  return functions[one].alias_contest || functions[other].alias_contest;
}

/* nvlink links some programs in which a function's attributes go to the file's or to another function's, and stops over
 * others: `Negative size encountered` (L177). */
static void records_check_owner(const tl_merging *m, uint32_t section, uint32_t owner) {
  const tl_module *const module = m->module;
  const char *const function = tl_text_behind(tl_merging_text(m, m->cubin->sections[section].name), ".nv.info.");
  const tl_section *const text =
      owner == TL_NONE ? NULL : &module->sections.items[module->symbols.items[owner].section];
  if (!function || (text && (text->bodyless || text->led)))
    return;
  if (text && strcmp(function, tl_merging_text(m, module->symbols.items[owner].name)) == 0) /* as nearly all are */
    return;
  const uint32_t number = tl_names_find(module->names, function, strlen(function));
  const uint32_t named = number < module->resolution->name_count ? module->symbol_of_name[number] : TL_NONE;
  const uint32_t about = named == TL_NONE ? TL_NONE : module->symbols.items[named].function;
  const bool others =
      owner == TL_NONE || (about != TL_NONE && module->symbols.items[owner].name != number &&
                           !records_are_of_contest(module, about, module->symbols.items[owner].function));
  if (others && !records_may_be_of_others(m, section, named) && !(owner != TL_NONE && records_has_its_own(m, named)))
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, section, TL_NO_OFFSET,
                     "sh_info is not the text of the function that its attributes are called after (L177)");
}

static bool records_are_of_note(const tl_merging *m, uint32_t section) {
  const uint32_t about = m->cubin->sections[section].info;
  return tl_cubin_section_at(m->cubin, about)->type == SHT_NOTE && m->module->mode->takes_notes;
}

void tl_merge_check_attributes(const tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const bool gone = m->section_state[section] & (TL_SECTION_DEAD | TL_SECTION_LOST);
  const tl_site site = {m->cubin->path, tl_merging_text(m, input->name), NULL, TL_NO_OFFSET};
  const tl_message_id message =
      tl_merge_is_slot_without_function(m, input->info) ? TL_MESSAGE_NO_UFT_STUB : TL_MESSAGE_NOT_MAPPED;
  if (!gone && input->info && tl_merging_section(m, input->info) == TL_NONE && !records_are_of_note(m, section))
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(message), site, NULL);
}

/* Where the records of a section go: sh_info decides, not the name (L177). */
static tl_attributes *records_list(tl_merging *m, uint32_t section) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  if (input->info == 0) {
    records_check_owner(m, section, TL_NONE);
    return &module->attributes;
  }
  const bool note = records_are_of_note(m, section);
  const uint32_t text = tl_merging_section(m, input->info); /* there is one, or a note (E64) */
  if (note || module->sections.items[text].owner == TL_NONE) {
    const bool code = !note && module->sections.items[text].flags & SHF_EXECINSTR;
    if (!code || !module->mode->final) /* code of no function is E60 later on (L198) */
      records_check_owner(m, section, TL_NONE);
    return &module->attributes;
  }
  records_check_owner(m, section, module->sections.items[text].owner);
  if (module->sections.items[text].info == TL_NONE) {
    const uint32_t owner = module->sections.items[text].owner;
    const uint32_t name = tl_module_likely_name(module, input->name, ".nv.info.", module->symbols.items[owner].name);
    const uint32_t info = tl_module_add_section(module, name, SHT_CUDA_INFO, SHF_INFO_LINK, 4, 0);
    module->sections.items[info].about = text;
    module->sections.items[text].info = info;
  }
  tl_section *const info = &module->sections.items[module->sections.items[text].info];
  if (!info->attributes.count) /* first, or again after its body was replaced (L86) */
    info->filled = ++module->fills;
  if (!info->attributes.capacity)
    tl_vector_reserve(module->arena, &info->attributes, records_expected(input->size));
  return &info->attributes;
}

/* L490: about a function of which an alias replaced a body. */
static bool records_are_lost(const tl_merging *m, uint32_t section) {
  const uint32_t text = tl_merging_section(m, m->cubin->sections[section].info);
  return text != TL_NONE && m->module->sections.items[text].bodyless;
}

static void records_read_info(tl_merging *m, uint32_t section) {
  tl_module *const module = m->module;
  tl_attributes *const list = records_list(m, section);
  const bool lost = records_are_lost(m, section);
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next(m->cubin, section, &position, &record, module->names, module->diagnostics)) {
    records_check(m, section, &record);
    records_check_payload(m, section, &record);
    if (!lost && !records_is_dropped(m, &record))
      *tl_vector_push(module->arena, list) = records_attribute(m, &record);
  }
}

/* The kind of reserved memory that a record asks for, by the last of its words that says one (L1405): that of CUDA 12 (4, 5), of
 * CUDA 13 (6, 7), or 0. */
static uint32_t records_fragments(const tl_record *record) {
  uint32_t kind = 0;
  for (uint16_t at = 0; at + 4 <= record->size; at = (uint16_t)(at + 4)) {
    const uint32_t word = tl_get32(record->data + at);
    if (word >= 4 && word <= 7)
      kind = word & ~1u;
  }
  return kind;
}

void tl_merge_check_fragments(tl_merging *m, uint32_t section) {
  tl_module *const module = m->module;
  const tl_site site = {m->cubin->path, tl_merging_text(m, m->cubin->sections[section].name), NULL, TL_NO_OFFSET};
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next(m->cubin, section, &position, &record, module->names, module->diagnostics)) {
    const bool fragments = record.code == EIATTR_AT_ENTRY_FRAGMENTS && record.format == 4;
    const uint32_t kind = fragments ? records_fragments(&record) : 0;
    if (kind && module->fragments && kind != module->fragments)
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_TCGEN05_VERSION), site, NULL,
                         m->cubin->path);
    else if (kind)
      module->fragments = kind;
  }
}

static uint32_t records_prototype(tl_merging *m, uint32_t section, uint64_t position, uint32_t offset) {
  const char *const text = tl_cubin_string(m->cubin, offset);
  if (!text)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, position,
                     "a prototype's text lies outside .strtab");
  return tl_names_intern(m->module->names, text, strlen(text));
}

/* W7.1: a relocatable output has every edge once. */
static bool records_edge_is_new(tl_module *module, uint32_t part, uint32_t from, uint32_t to) {
  tl_map *const seen = part == CALLGRAPH_CALL ? &module->calls_seen : &module->references_seen;
  return module->mode->final || tl_set_add(seen, (uint64_t)from << 32 | to);
}

/* The other end of a record: the prototype where it has one, else a function's number; TL_NONE where it is no record of the
 * output. */
static uint32_t records_edge_end(const tl_merging *m, const uint32_t words[2], uint32_t prototype) {
  if (prototype != TL_NONE)
    return prototype;
  return m->symbol_dead[words[1]] ? TL_NONE : m->bodies[words[1]].function;
}

/* L1707: calls from and to functions in a kernel's text count as others do, but the output's call graph does not have
 * them (L552). From the first of them on there are two lists. */
static void records_add_call(tl_module *module, tl_edge edge, bool inner) {
  if (inner && !module->walked_calls.count)
    for (size_t i = 0; i < module->calls.count; i++)
      *tl_vector_push(module->arena, &module->walked_calls) = module->calls.items[i];
  if (inner || module->walked_calls.count)
    *tl_vector_push(module->arena, &module->walked_calls) = edge;
  if (!inner)
    *tl_vector_push(module->arena, &module->calls) = edge;
}

static void records_add_edge(tl_merging *m, uint32_t part, const uint32_t words[2], uint32_t prototype,
                             uint64_t place) {
  tl_module *const module = m->module;
  const uint32_t from = m->bodies[words[0]].function, to = records_edge_end(m, words, prototype);
  const bool inner = m->bodies[words[0]].in_kernel || (prototype == TL_NONE && m->bodies[words[1]].in_kernel);
  if (to == TL_NONE || (inner && (module->capsule || (part == CALLGRAPH_CALL && !module->mode->final))))
    return;
  const bool taken = part == CALLGRAPH_TAKEN;
  const uint64_t key = tl_bodies_record_key(part, from, taken ? 0 : to);
  if (taken && module->taken_elsewhere[from])
    tl_map_set(&module->replaced_records, key, TL_NONE);
  else
    tl_bodies_note_record(module, m->file, words[0], place, key);
  if (taken)
    tl_module_add_taken(module, from, to);
  else if (part == CALLGRAPH_INDIRECT)
    *tl_vector_push(module->arena, &module->indirect_calls) = (tl_edge){from, to};
  else if (!records_edge_is_new(module, part, from, to))
    return;
  else if (part == CALLGRAPH_CALL)
    records_add_call(module, (tl_edge){from, to}, inner);
  else /* CALLGRAPH_REFERENCE */
    *tl_vector_push(module->arena, &module->references) = (tl_edge){from, to};
}

/* Records before the first part, and those of unknown parts, are read by nobody, but nvlink looks their symbols up
 * (L179). */
static void records_check_unknown(const tl_merging *m, uint32_t section) {
  const uint32_t largest = 0xffff;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint64_t count = input->size / input->entry_size;
  uint32_t part = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t symbol = tl_get32(input->data + 8 * i);
    if (symbol == 0)
      part = tl_get32(input->data + 8 * i + 4);
    else if (part < CALLGRAPH_REFERENCE && symbol > largest)
      tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, 8 * i,
                       "a record names a symbol outside the symbol table");
  }
}

/* A losing body, be the function dead or not: symbol_lost knows only the live ones (L91). */
static bool records_loses(const tl_merging *m, uint32_t symbol) {
  return tl_body_loses(&m->bodies[symbol]);
}

/* Whether a record goes with its function's losing body. That an address is taken does not where a relocatable output says
 * that another file did so (L646). */
static bool records_goes(const tl_merging *m, uint32_t part, uint32_t symbol, uint64_t place) {
  if (!tl_bodies_record_counts(m->module->resolution, m->file, symbol, place))
    return true;
  return records_loses(m, symbol) && !(part == CALLGRAPH_TAKEN && m->bodies[symbol].taken_elsewhere);
}

static void records_note_taken(const tl_merging *m, uint32_t symbol) {
  const tl_body *const body = &m->bodies[symbol];
  m->module->taken_elsewhere[body->function] |= body->role == TL_BODY_MENTION || body->taken_elsewhere;
}

/* Words were checked when liveness was found; the records of losing bodies add nothing (W7.7). */
static void records_read_callgraph(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  uint64_t position = 0;
  uint32_t part = 0, words[2];
  tl_cubin_check_entries(m->cubin, m->module->names, m->module->diagnostics, section);
  records_check_unknown(m, section);
  while (tl_callgraph_next(input, &position, &part, words)) {
    uint32_t prototype = TL_NONE;
    if (part == CALLGRAPH_TAKEN || part == CALLGRAPH_INDIRECT)
      prototype = records_prototype(m, section, position - 4, words[1]);
    const uint64_t place = position - 8;
    const bool goes = records_goes(m, part, words[0], place);
    if (prototype != TL_NONE && !goes)
      tl_module_add_prototype(m->module, prototype); /* L153 */
    if (part == CALLGRAPH_TAKEN && !goes)
      records_note_taken(m, words[0]);
    if (!m->symbol_dead[words[0]] && !goes)
      records_add_edge(m, part, words, prototype, place);
  }
}

static void records_read_prototypes(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  tl_cubin_check_entries(m->cubin, m->module->names, m->module->diagnostics, section);
  for (uint64_t position = 0; position + 8 <= input->size / input->entry_size * 8; position += 8) {
    const uint32_t symbol = tl_get32(input->data + position);
    const uint32_t prototype = records_prototype(m, section, position, tl_get32(input->data + position + 4));
    tl_module_add_prototype(m->module, prototype);
    if (!m->symbol_dead[symbol])
      m->module->prototype_of_function[m->bodies[symbol].function] = prototype;
  }
}

bool tl_merge_is_tool_note(const tl_merging *m, const tl_cubin_section *section) {
  return strcmp(tl_merging_text(m, section->name), ".note.nv.tkinfo") == 0;
}

/* L1076: nvlink's other note is known by its flag, one that is only called so stands behind it. */
static bool records_is_cuda_note(const tl_merging *m, const tl_cubin_section *section) {
  return strcmp(tl_merging_text(m, section->name), ".note.nv.cuinfo") == 0;
}

void tl_merge_add_note(tl_merging *m, uint32_t section, bool tool) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  tl_section *const note = &module->sections.items[tool ? module->tool_note : module->cuda_note];
  note->align = tl_larger(input->align, note->align);
  m->section_offset[section] = tl_module_place_note(module, input->size, input->align, tool); /* L516 */
  *tl_vector_push(module->arena, tool ? &module->tool_notes : &module->cuda_notes) =
      (tl_piece){m->section_offset[section], input->size, input->data, m->file, section, false};
}

static void records_read_note(tl_merging *m, uint32_t section, bool tool) {
  const tl_module *const module = m->module;
  const uint64_t largest = 0x10000, align = m->cubin->sections[section].align;
  if (align == 0 || align > largest)
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, section, TL_NO_OFFSET,
                     align ? "sh_addralign is too large" : "sh_addralign is 0");
  if (module->mode->takes_notes)
    tl_merge_add_note(m, section, tool);
}

/* L187, L595: a note that is neither nvlink's is an ordinary section; its flag says that it adds nothing. */
static void records_read_notes(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const bool tool = tl_merge_is_tool_note(m, input);
  if (input->flags & SHF_CUDA_NOTE_INFO)
    return;
  if (tool || records_is_cuda_note(m, input))
    records_read_note(m, section, tool);
  else if (m->module->mode->takes_notes)
    tl_merge_place_section(m, section);
}

/* Of a function's entry nvlink takes the symbol without looking whether it is one that came along (L476, L1220). */
static void records_check_unified(const tl_merging *m, uint32_t section, uint64_t at, uint32_t symbol) {
  const bool function = m->cubin->sections[section].type == SHT_CUDA_UFT_ENTRY;
  const bool nothing = symbol == 0 || tl_symbol_type(&m->cubin->symbols[symbol]) == STT_SECTION;
  if (function && nothing)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, at,
                     "an entry of unified functions names no symbol of a program (L476)");
}

/* Of an entry of data, section symbols are no symbols (L983). */
static uint32_t records_unified_symbol(const tl_merging *m, uint32_t section, uint32_t number) {
  const bool data = m->cubin->sections[section].type == SHT_CUDA_UDT_ENTRY;
  return data && tl_symbol_type(&m->cubin->symbols[number]) == STT_SECTION ? TL_NONE : m->symbol_map[number];
}

/* An entry that names a symbol that the file does not have. An executable may end for another reason (L560), but not one
 * without an index file of an entry of a function (L1220). */
static void records_refuse_unified(const tl_merging *m, uint32_t section, uint64_t at) {
  static const char what[] = "a record names a symbol outside the symbol table";
  const bool function = m->cubin->sections[section].type == SHT_CUDA_UFT_ENTRY;
  if (m->module->mode->final && (m->module->index || !function))
    tl_cubin_suspect(m->cubin, m->module->names, m->module->diagnostics, section, at, what);
  else
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, at, what);
}

/* W12.7: the entries of unified tables name symbols; what the output says of them is emit/'s. */
static void records_read_unified(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const bool named = m->section_state[section] & TL_SECTION_NAMED; /* a variable is said to lie in the table */
  for (uint64_t at = 0; at + UNIFIED_ENTRY_SIZE <= input->size; at += UNIFIED_ENTRY_SIZE) {
    if (m->section_map[section] == TL_NONE) /* flags of code on a table */
      tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, TL_NO_OFFSET,
                       "a table of unified entries is not placed");
    const uint32_t number = tl_get32(input->data + at);
    const bool known = number < m->cubin->symbol_count;
    if (known)
      records_check_unified(m, section, at, number);
    else
      records_refuse_unified(m, section, at);
    const uint32_t symbol = known ? records_unified_symbol(m, section, number) : TL_NONE;
    *tl_vector_push(m->module->arena, &m->module->unified_entries) = (tl_unified_entry){
        m->section_map[section], m->section_offset[section] + at, symbol, input->data + at, m->file, named || !known};
  }
}

static void records_read(tl_merging *m, uint32_t s) {
  switch (m->cubin->sections[s].type) {
  case SHT_CUDA_INFO:
    records_read_info(m, s);
    break;
  case SHT_REL:
  case SHT_RELA:
    tl_merge_relocations(m, s);
    break;
  case SHT_NOTE:
    records_read_notes(m, s);
    break;
  case SHT_CUDA_COMPAT:
    tl_merge_compat(m, s);
    break;
  case SHT_CUDA_METADATA:
    tl_merge_metadata(m, s);
    break;
  case SHT_CUDA_CALLGRAPH:
    records_read_callgraph(m, s);
    break;
  case SHT_CUDA_PROTOTYPE:
    records_read_prototypes(m, s);
    break;
  case SHT_CUDA_UFT_ENTRY:
  case SHT_CUDA_UDT_ENTRY:
    records_read_unified(m, s);
    break;
  default:
    break;
  }
}

/* L1697: a text has two symbols of a kernel's name, and the one that sh_info names lost. */
static bool records_are_of_loser(const tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint32_t primary = tl_cubin_primary(m->cubin, input->info);
  return input->type == SHT_CUDA_INFO && input->info && primary < m->cubin->symbol_count &&
         m->cubin->symbols[primary].section == input->info && m->symbol_lost[primary] &&
         m->cubin->symbols[primary].other & STO_ENTRY && m->bodies[primary].role == TL_BODY_LOSES;
}

void tl_merge_records(tl_merging *m) {
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const section = &m->cubin->sections[s];
    const bool gone = m->section_state[s] & (TL_SECTION_DEAD | TL_SECTION_LOST);
    const bool relocations = tl_section_type_is_relocations(section->type);
    if (relocations)
      tl_merge_check_relocations(m, s); /* those of dead functions too */
    if (relocations && gone)
      tl_merge_check_dropped_relocations(m, s);
    if (section->type == SHT_CUDA_INFO && gone)
      records_check_dead(m, s);
    if (section->type == SHT_CUDA_SHARED)
      tl_merge_note_pool(m, s);
    if ((!gone && !records_are_of_loser(m, s)) || tl_merge_keeps_losing_relocations(m, s))
      records_read(m, s);
  }
}

/* E25 for one record: the prototype that this file gives a global function. That of a record of part -2 is compared with
 * nothing, and stands from there on (L619). */
static void records_check_prototype(tl_merging *m, uint32_t symbol, uint32_t offset, bool taken) {
  tl_module *const module = m->module;
  const uint32_t function = tl_merging_function(m, symbol);
  if (function == TL_NONE || tl_symbol_binding(&m->cubin->symbols[symbol]) == STB_LOCAL)
    return;
  const char *const text = tl_cubin_string(m->cubin, offset);
  const char *const known = text ? text : "\1"; /* no prototype at all: an error when the record is read */
  const uint32_t prototype = tl_names_intern(module->names, known, strlen(known));
  uint32_t *const first = &module->first_prototype[function];
  const tl_function *const f = &module->resolution->functions.items[function];
  const bool beside = f->first_file == m->file && tl_symbol_binding(&m->cubin->symbols[symbol]) == STB_GLOBAL;
  const bool clashes = m->bodies[symbol].role == TL_BODY_MISMATCH && !beside; /* L1718, L1846 */
  const bool stays = !records_loses(m, symbol) && !clashes;
  if (taken ? stays : *first == TL_NONE)
    *first = prototype;
  if (*first == prototype || taken)
    return;
  const uint32_t out = tl_merging_symbol(m, symbol);
  const uint32_t mention = out == TL_NONE ? TL_NONE : module->symbols.items[out].mention;
  const bool defined = f->defined && f->first_file <= m->file; /* not by a later file (L1194) */
  const uint32_t first_file = defined ? f->first_file : mention == TL_NONE ? m->file : mention; /* L194, L139 */
  tl_merge_report(m, tl_message_row_of(TL_MESSAGE_PROTOTYPE_MISMATCH), m->cubin->symbols[symbol].name,
                  module->files[tl_smaller(first_file, m->file)].path);
}

/* A prototype of what is no function: of an object nvlink says so, and of a function whose name is a variable's (L1712),
 * otherwise it crashes (L178); in the turn of its section (L1581). */
static void records_check_function(const tl_merging *m, uint32_t section, uint64_t position, uint32_t symbol) {
  const bool function = tl_merging_function(m, symbol) != TL_NONE, node = !function || !m->without_node[symbol];
  if (function && node)
    return;
  const unsigned type = symbol < m->cubin->symbol_count ? tl_symbol_type(&m->cubin->symbols[symbol]) : STT_SECTION;
  const bool object = type == STT_CUDA_OBJECT || (type != STT_SECTION && m->symbol_map[symbol] != TL_NONE);
  const tl_site site = {m->cubin->path, tl_merging_text(m, m->cubin->sections[section].name), NULL, position};
  if (object || !node)
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_NO_NODE), site, NULL);
  tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, position,
                   "a prototype names no function");
}

void tl_merge_check_prototypes(tl_merging *m, uint32_t number) {
  const tl_cubin_section *const section = &m->cubin->sections[number];
  if (section->type == SHT_CUDA_PROTOTYPE) {
    for (uint64_t position = 0; position + 8 <= section->size; position += 8) {
      records_check_function(m, number, position, tl_get32(section->data + position));
      records_check_prototype(m, tl_get32(section->data + position), tl_get32(section->data + position + 4), false);
    }
  } else {
    uint64_t position = 0;
    uint32_t part = 0, words[2];
    while (tl_callgraph_next(section, &position, &part, words))
      if (part == CALLGRAPH_TAKEN)
        records_check_prototype(m, words[0], words[1], true);
  }
}
