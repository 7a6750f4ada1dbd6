/* The survey before the merge: every function of every file, which body wins, the call graph, and what is alive.
 * W7, W8.1, W8.6, V1-V4, G2, G6, RF782, RF931, RF932. */
#include "link.h"
#include "relocation_table.h"

#include <string.h>

enum { FAR_OUTSIDE = 0x10000, RECORD = 8 };

static size_t ref_function_add(ref_link *link, const char *name, bool local) {
  link->functions =
      ref_memory_grow(link, link->functions, link->function_count, &link->function_capacity, sizeof *link->functions);
  ref_function *function = &link->functions[link->function_count];
  *function = (ref_function){.name = name, .local = local};
  function->symbol = function->definition_file = function->taken_in = function->alias_of = REF_NONE;
  function->text = function->info = function->shared = function->image = function->leads = REF_NONE;
  function->constant0 = function->constant2 = function->laid_table = function->constants_file = REF_NONE;
  if (!local) {
    ref_map_set(link, &link->function_by_name, name, link->function_count);
  }
  return link->function_count++;
}

/* The function that a text section belongs to: F45, sh_info without the register byte of sm_75 to sm_89. */
static bool ref_function_lies_in(const ref_cubin *cubin, uint32_t symbol, uint32_t section) {
  return symbol < cubin->symbol_count && cubin->symbols[symbol].section == section &&
         (cubin->symbols[symbol].info & 15) == REF_SYMBOL_FUNC;
}

/* RF279: a kernel's text is its own, whatever sh_info says; of a word that names no function of the text. */
static uint32_t ref_function_kernel_in(const ref_cubin *cubin, uint32_t section, uint32_t symbol) {
  if ((cubin->sections[section].flags & REF_FLAG_EXEC) == 0) {
    return symbol;
  }
  for (uint32_t i = 1; i < cubin->symbol_count; i++) {
    if (ref_function_lies_in(cubin, i, section) && (cubin->symbols[i].other & REF_OTHER_ENTRY) != 0) {
      return i;
    }
  }
  return symbol;
}

/* RF1203: what lies first in each text, where that is a kernel; once for all, since each text is asked for often. */
void ref_function_find_leading(ref_link *link, ref_file *file) {
  const ref_cubin *cubin = &file->cubin;
  file->leading_kernel = NULL;
  if (link->is_capsule) {
    return;
  }
  uint32_t *first = REF_TAKE(link, uint32_t, cubin->section_count);
  for (uint32_t i = (uint32_t)cubin->symbol_count; i-- > 1;) {
    const ref_symbol *symbol = &cubin->symbols[i];
    if (symbol->section != 0 && symbol->section < cubin->section_count && (symbol->info & 15) == REF_SYMBOL_FUNC) {
      first[symbol->section] = i;
    }
  }
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const bool kernel = first[i] != 0 && (cubin->symbols[first[i]].other & REF_OTHER_ENTRY) != 0;
    first[i] = kernel && (cubin->sections[i].flags & REF_FLAG_EXEC) != 0 ? first[i] : 0;
  }
  file->leading_kernel = first;
}

/* RF1203: a kernel that lies in it before anything else, else (RF279) what sh_info names. */
uint32_t ref_function_primary(const ref_file *file, uint32_t section) {
  if (section >= file->cubin.section_count) {
    return 0;
  }
  if (file->leading_kernel != NULL && file->leading_kernel[section] != 0) {
    return file->leading_kernel[section];
  }
  const uint32_t names = file->cubin.sections[section].info & 0xffffff;
  const uint32_t symbol =
      ref_function_lies_in(&file->cubin, names, section) ? names : ref_function_kernel_in(&file->cubin, section, names);
  return symbol < file->cubin.symbol_count ? symbol : 0;
}

/* RF570: the text's sh_info names a function that lies in it, or a kernel lies in it. */
bool ref_function_owns_text(const ref_file *file, uint32_t section) {
  return ref_function_lies_in(&file->cubin, ref_function_primary(file, section), section);
}

/* RF531: a second symbol of a text with the name of the first is a further definition of one function. */
static bool ref_function_is_namesake(const ref_cubin *cubin, uint32_t symbol, uint32_t primary) {
  const ref_symbol *one = &cubin->symbols[symbol], *other = &cubin->symbols[primary];
  return one->info >> 4 != REF_BIND_LOCAL && other->info >> 4 != REF_BIND_LOCAL && strcmp(one->name, other->name) == 0;
}

bool ref_function_symbol_is_alias(const ref_file *file, uint32_t symbol) {
  const uint32_t section = file->cubin.symbols[symbol].section;
  const uint32_t primary = ref_function_primary(file, section);
  return primary != symbol && primary != 0 && ref_function_lies_in(&file->cubin, primary, section) &&
         !ref_function_is_namesake(&file->cubin, symbol, primary);
}

/* V2: REGCOUNT by symbol; the last record of a symbol counts. */
static void ref_function_read_registers(ref_link *link, ref_file *file) {
  const ref_cubin *cubin = &file->cubin;
  file->registers_of = REF_TAKE(link, uint32_t, cubin->symbol_count);
  file->first_registers_of = REF_TAKE(link, uint32_t, cubin->symbol_count);
  file->has_registers = REF_TAKE(link, bool, cubin->symbol_count);
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *info = &cubin->sections[i];
    ref_attribute attribute;
    uint64_t position = 0;
    while (info->type == REF_TYPE_INFO && ref_cubin_next_attribute(info, &position, &attribute)) {
      file->has_rare_records = file->has_rare_records || ref_record_is_rare(attribute.code);
      if (attribute.code == 0x2f && attribute.format == 4 && attribute.size >= 8 &&
          ref_u32(attribute.data) < cubin->symbol_count) {
        const uint32_t symbol = ref_u32(attribute.data), count = ref_u32(attribute.data + 4);
        file->registers_of[symbol] = count;
        if (!file->has_registers[symbol]) {
          file->first_registers_of[symbol] = count;
        }
        file->has_registers[symbol] = true;
      }
    }
  }
}

static uint32_t ref_function_count(const ref_file *file, const uint32_t *counts, uint32_t symbol) {
  const ref_cubin *cubin = &file->cubin;
  const uint32_t section = cubin->symbols[symbol].section;
  if (section < cubin->section_count && cubin->sections[section].info >> 24 != 0) {
    return cubin->sections[section].info >> 24;
  }
  return counts[symbol];
}

/* V2: the top byte of sh_info comes first, on every machine (RF539). */
uint32_t ref_function_registers(const ref_file *file, uint32_t symbol) {
  return ref_function_count(file, file->registers_of, symbol);
}

/* RF408: a record that says 0 is one. */
bool ref_function_has_registers(const ref_file *file, uint32_t symbol) {
  return file->has_registers[symbol] || ref_function_registers(file, symbol) != 0;
}

static void ref_function_define(const ref_link *link, ref_function *function, size_t file, uint32_t symbol,
                                uint32_t registers) {
  const ref_symbol *input = &link->files[file].cubin.symbols[symbol];
  function->defined = true;
  function->definition_file = file;
  function->definition_symbol = symbol;
  function->weak = input->info >> 4 == REF_BIND_WEAK;
  function->registers = registers;
  function->virtual_sm = ref_bodies_origin(&link->files[file], symbol).virtual_sm;
}

/* RF127: a body and an alias that another file gives the same name. By default the one that stands is the only definition, and
 * what it beats loses as if it had come later. */
static bool ref_function_stands_alone(ref_link *link, ref_function *function, const ref_file *file, uint32_t symbol) {
  ref_file *old = &link->files[function->definition_file];
  const uint32_t beaten = (uint32_t)function->definition_symbol;
  if (link->job->bug_compatible || old == file || /* RF416: within one file nvlink asks for the registers of both */
      ref_function_symbol_is_alias(file, symbol) == ref_function_symbol_is_alias(old, beaten)) {
    return false;
  }
  old->body_of[beaten] = REF_BODY_LOSES;
  function->alias_of = REF_NONE;
  return true;
}

/* RF931: whose count of registers a further definition is compared with: that of the text that the name lies in so far, which what else lies in it
 * may have changed. */
static ref_function *ref_function_standing(ref_link *link, ref_function *function) {
  const bool shares = !link->is_capsule && function->alias_of != REF_NONE;
  return shares ? &link->functions[function->alias_of] : function;
}

/* V2, V3, V4: does a further definition win? */
static ref_body ref_function_compare(ref_link *link, ref_function *function, size_t file, uint32_t symbol) {
  const ref_symbol *input = &link->files[file].cubin.symbols[symbol];
  const bool weak = input->info >> 4 == REF_BIND_WEAK;
  if (!function->weak) {
    return REF_BODY_LOSES;
  }
  /* RF978: of several counts the new body's first one, where the body that stands has its last. */
  const uint32_t registers = ref_function_count(&link->files[file], link->files[file].first_registers_of, symbol);
  ref_function *holder = ref_function_standing(link, function);
  if (weak && registers > holder->registers) {
    return REF_BODY_LOSES;
  }
  const uint16_t standing =
      link->job->bug_compatible ? function->first_virtual_sm : function->virtual_sm; /* L790, D27 */
  if (weak && registers == holder->registers && ref_bodies_origin(&link->files[file], symbol).virtual_sm <= standing) {
    return REF_BODY_LOSES;
  }
  link->files[file].fewer_of[symbol] = weak && registers < holder->registers;
  function->beaten_registers = function->registers;
  function->beaten_virtual_sm = function->virtual_sm;
  const bool alone = ref_function_stands_alone(link, function, &link->files[file], symbol);
  ref_function_define(link, function, file, symbol, ref_function_registers(&link->files[file], symbol));
  holder->registers = function->registers; /* RF931 */
  return alone ? REF_BODY_NEW : REF_BODY_REPLACES;
}

static bool ref_function_is_known(const ref_link *link, const ref_symbol *input) {
  return input->info >> 4 != REF_BIND_LOCAL && ref_map_find(&link->function_by_name, input->name) != REF_NONE;
}

static void ref_function_take_number(ref_link *link, const ref_file *file, uint32_t symbol) {
  const ref_symbol *input = &file->cubin.symbols[symbol];
  if (file->function_of[symbol] == REF_NONE) {
    const bool local = input->info >> 4 == REF_BIND_LOCAL;
    const size_t known = local ? REF_NONE : ref_map_find(&link->function_by_name, input->name);
    file->function_of[symbol] = known != REF_NONE ? known : ref_function_add(link, input->name, local);
  }
}

/* RF454: an alias that stands before its function brings that along, as in W3.9, unless a file before has the alias (RF116). */
static void ref_function_number_symbol(ref_link *link, const ref_file *file, uint32_t symbol) {
  const ref_symbol *input = &file->cubin.symbols[symbol];
  if (input->section != 0 && ref_function_symbol_is_alias(file, symbol) && !ref_function_is_known(link, input)) {
    ref_function_take_number(link, file, ref_function_primary(file, input->section));
  }
  ref_function_take_number(link, file, symbol);
}

static bool ref_function_mentions_kernel(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    if (cubin->symbols[i].section == 0 && (cubin->symbols[i].other & REF_OTHER_ENTRY) != 0) {
      return true;
    }
  }
  return false;
}

/* The names that a capsule defines in any view: nvlink ends by a signal over a kernel that it defines on the SASS side alone. Asked about kernels
 * that are mentioned. */
static ref_map ref_function_names_of_views(ref_link *link, const ref_file *file) {
  ref_map names = {0};
  const bool is_asked = link->is_capsule && ref_function_mentions_kernel(&file->cubin);
  for (size_t i = 1; is_asked && i < file->whole.symbol_count; i++) {
    if (file->whole.symbols[i].section != 0) {
      ref_map_set(link, &names, file->whole.symbols[i].name, i);
    }
  }
  return names;
}

/* U10. RF661: a jump slot is one by its name, wherever it lies, and neither a kernel nor unified (RF627). */
bool ref_function_is_slot(const ref_symbol *symbol) {
  static const char prefix[] = "__cuda_uf_stub_";
  const uint8_t unified = 4;
  return (symbol->info & 15) == REF_SYMBOL_FUNC && symbol->section != 0 &&
         (symbol->other & (REF_OTHER_ENTRY | unified)) == 0 && strncmp(symbol->name, prefix, sizeof prefix - 1) == 0;
}

static void ref_function_survey_symbol(ref_link *link, size_t file_number, uint32_t symbol, const ref_map *views);

/* RF1203, RF1204: a kernel that loses leads no text. Where a device function that stands lies in a text, what the text's sh_info names there is a
 * function, whatever its type; what is data is one definition more, and not done. */
static void ref_function_survey_text(ref_link *link, size_t file_number, uint32_t symbol, const ref_map *views) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  const bool stands = file->body_of[symbol] != REF_BODY_LOSES;
  if (file->leading_kernel == NULL || input->section >= file->cubin.section_count ||
      (file->cubin.sections[input->section].flags & REF_FLAG_EXEC) == 0) {
    return;
  }
  if (!stands && file->leading_kernel[input->section] == symbol) {
    file->leading_kernel[input->section] = 0;
  }
  const uint32_t names = file->cubin.sections[input->section].info & 0xffffff;
  ref_symbol *named = names != 0 && names < file->cubin.symbol_count ? &file->cubin.symbols[names] : NULL;
  if (!stands || (input->other & REF_OTHER_ENTRY) != 0 || named == NULL || named->section != input->section ||
      (named->info & 15) == REF_SYMBOL_FUNC || ref_object_is_data(named->info & 15)) {
    return;
  }
  named->info = (uint8_t)((named->info & 0xf0) | REF_SYMBOL_FUNC);
  if (names < symbol) {
    ref_function_survey_symbol(link, file_number, names, views); /* else it has its turn */
  }
}

static void ref_function_survey_symbol(ref_link *link, size_t file_number, uint32_t symbol, const ref_map *views) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  ref_function_number_symbol(link, file, symbol);
  ref_function *function = &link->functions[file->function_of[symbol]];
  if (input->section == 0) {
    const bool is_kernel = (input->other & REF_OTHER_ENTRY) != 0 && ref_map_find(views, input->name) == REF_NONE;
    function->is_called_kernel = function->is_called_kernel || is_kernel;
    file->body_of[symbol] = REF_BODY_NONE;
    return;
  }
  if (function->defined) {
    file->body_of[symbol] = ref_function_compare(link, function, file_number, symbol);
  } else {
    ref_function_define(link, function, file_number, symbol, ref_function_registers(file, symbol));
    function->first_virtual_sm = ref_bodies_origin(file, symbol).first_virtual_sm;
    file->body_of[symbol] = REF_BODY_NEW;
  }
  function->is_stub = !link->relocatable && input->section < file->cubin.section_count && ref_function_is_slot(input);
  const bool marked = (input->other & REF_OTHER_ENTRY) != 0;
  const bool provided = input->section != 0 && ref_symbol_is_system_call(input->name); /* RF966 */
  function->is_provided = (function->is_provided || (provided && !function->entry)) && !marked;
  function->entry = function->entry || marked || provided;
  ref_function_survey_text(link, file_number, symbol, views);
  if (ref_function_symbol_is_alias(file, symbol) && file->body_of[symbol] == REF_BODY_NEW) {
    file->body_of[symbol] = REF_BODY_ALIAS;
  }
}

/* RF63, RF124: what nvlink looks for when the alias is dead: the function's symbol, or its section. */
bool ref_function_alias_goes_by_section(const ref_link *link, const ref_function *alias) {
  const ref_function *function = &link->functions[alias->alias_of];
  return function->local || function->weak || alias->is_of_replacement;
}

/* RF1314: the compiler constants of what is a kernel by its name alone (RF966) go to the kernels that reach it, as a device function's. */
bool ref_function_has_own_image(const ref_function *function) {
  return function->entry && !function->is_provided;
}

static bool ref_function_shares_kernel(const ref_link *link, const ref_function *function) {
  return function->alias_of != REF_NONE && link->functions[function->alias_of].entry;
}

/* RF162. RF527: a kernel's second name, with a kernel's mark itself, is no function inside it. */
bool ref_function_lies_in_kernel(const ref_link *link, const ref_function *function) {
  return !function->entry && ref_function_shares_kernel(link, function);
}

/* RF1310: a global function in the text of a removed kernel goes without its name, unless it is internal. */
bool ref_function_leaves_name(const ref_link *link, const ref_function *function, const ref_symbol *input) {
  enum { VISIBILITY = 3, INTERNAL = 1 };
  return input->info >> 4 == REF_BIND_GLOBAL && (input->other & VISIBILITY) != INTERNAL &&
         ref_function_lies_in_kernel(link, function);
}

/* L807 */
static void ref_function_link_leader(ref_link *link, const ref_file *file, uint32_t symbol) {
  const uint32_t section = file->cubin.symbols[symbol].section;
  const bool is_text = file->led_of != NULL && section < file->cubin.section_count;
  const uint32_t led = is_text && ref_function_primary(file, section) == symbol ? file->led_of[section] : 0;
  if (led != 0 && file->body_of[symbol] != REF_BODY_NONE && file->body_of[symbol] != REF_BODY_LOSES) {
    link->functions[file->function_of[symbol]].leads = file->function_of[led];
  }
}

static void ref_function_link_aliases(ref_link *link, ref_file *file) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    if (file->body_of[i] == REF_BODY_ALIAS) {
      const uint32_t primary = ref_function_primary(file, file->cubin.symbols[i].section);
      link->functions[file->function_of[i]].alias_of = file->function_of[primary];
      link->functions[file->function_of[i]].is_of_replacement = file->body_of[primary] == REF_BODY_REPLACES;
    }
    if (file->function_of[i] != REF_NONE) {
      ref_function_link_leader(link, file, i);
    }
  }
}

static size_t ref_function_of_symbol(const ref_file *file, uint32_t symbol) {
  return symbol < file->cubin.symbol_count ? file->function_of[symbol] : REF_NONE;
}

static bool ref_function_symbol_is_code(const ref_file *file, uint32_t symbol) {
  return symbol < file->cubin.symbol_count && (file->cubin.symbols[symbol].info & 15) == REF_SYMBOL_FUNC;
}

static void ref_function_add_indirect(ref_link *link, ref_function *function, const char *prototype) {
  function->indirect = ref_memory_grow(link, function->indirect, function->indirect_count, &function->indirect_capacity,
                                       sizeof *function->indirect);
  function->indirect[function->indirect_count++] = prototype;
}

/* RF232: what a -4 record names has its address taken, whoever the record is of, unless that body loses. A -2 record that counts brings
 * the text; until then it is that of `.nv.prototype` (RF60). */
static void ref_function_take_by_reference(const ref_link *link, const ref_file *file, ref_function *taken) {
  if (!taken->address_taken) {
    taken->taken_in = (size_t)(file - link->files);
    taken->address_taken = true;
    taken->taken_by_reference = true;
    taken->taken_prototype = "";
  }
}

/* F75: {0, -1} to {0, -4} start the four parts. */
static void ref_function_read_pair(ref_link *link, ref_file *file, ref_record_of_calls record, uint32_t second) {
  const ref_part part = record.part;
  const uint32_t first = record.symbol;
  const size_t number = ref_function_of_symbol(file, first);
  if (number == REF_NONE) {
    return;
  }
  ref_function *function = &link->functions[number];
  const bool lost = ref_bodies_loses_record(file, function, first, record.place);
  const bool loses = lost || file->body_of[first] == REF_BODY_LOSES;
  const bool has_text = part == REF_PART_TAKEN || part == REF_PART_INDIRECT;
  const char *prototype = has_text ? ref_input_string(&file->cubin, second) : "";
  const size_t callee = ref_function_of_symbol(file, second);
  const bool elsewhere = part == REF_PART_TAKEN && (file->body_of[first] == REF_BODY_NONE ||
                                                    ref_bodies_origin(file, first).taken_elsewhere); /* L646 */
  function->taken_elsewhere = function->taken_elsewhere || elsewhere;
  if (lost) {
    ref_indices_add(link, &file->lost_records, (size_t)record.place);
  }
  if (loses && !elsewhere) {
    return;
  }
  if (has_text) {
    ref_names_add(link, REF_NONE, prototype);
  }
  record.callee = callee;
  record.prototype = prototype;
  ref_bodies_add_reading(link, function, (size_t)(file - link->files), record);
  if (part == REF_PART_CALLS) {
    ref_indices_add(link, &function->shown_calls, callee);
  }
  if (part == REF_PART_CALLS && callee != REF_NONE) {
    ref_indices_add(link, &function->calls, callee);
  } else if (part == REF_PART_CALLS && !ref_function_symbol_is_code(file, second)) {
    function->calls_no_function = true;
  } else if (part == REF_PART_REFERENCES && callee != REF_NONE) {
    ref_indices_add(link, &function->references, callee);
    ref_function_take_by_reference(link, file, &link->functions[callee]);
  } else if (part == REF_PART_INDIRECT) {
    ref_function_add_indirect(link, function, prototype);
  } else if (part == REF_PART_TAKEN) {
    function->taken_in = function->address_taken ? function->taken_in : (size_t)(file - link->files);
    function->address_taken = true;
    function->taken_by_reference = false;
    function->taken_prototype = prototype; /* RF65: the last file's */
  }
}

/* RF541: every record of symbol 0 begins a part, one that there is not too. */
static ref_part ref_function_part_of(uint32_t second) {
  return second >= 0xfffffffc ? (ref_part)(0xffffffff - second + 1) : REF_PART_NONE;
}

/* RF590: nvlink ends by a signal over a record of what is no function, and over a reference to it. L179: of a part that there is not it
 * reads the first word's symbol alone, and goes on over one outside the table, unless it lies far outside (RF669). */
static void ref_function_check_record(ref_link *link, const ref_file *file, ref_record_of_calls record,
                                      uint32_t second) {
  const bool calls = record.part == REF_PART_CALLS || record.part == REF_PART_REFERENCES;
  const uint32_t last = calls && second > record.symbol ? second : record.symbol;
  const bool known = record.part != REF_PART_NONE;
  const bool outside = last >= (known ? file->cubin.symbol_count : ref_larger(file->cubin.symbol_count, FAR_OUTSIDE));
  if (outside || (known && !ref_function_symbol_is_code(file, record.symbol)) ||
      (record.part == REF_PART_REFERENCES && !ref_function_symbol_is_code(file, second))) {
    ref_message_fatal(link, "E71", "Internal error: no callgraph node");
  }
}

/* RF65: the text of a -2 record is what later files' `.nv.prototype` are compared with; it is compared with nothing itself. */
void ref_function_note_taken(ref_link *link, const ref_file *file, const ref_section *graph) {
  ref_part part = REF_PART_NONE;
  for (uint64_t at = 0; at + 8 <= graph->size; at += 8) {
    const uint32_t first = ref_u32(graph->data + at), second = ref_u32(graph->data + at + 4);
    if (first == 0) {
      part = ref_function_part_of(second);
      continue;
    }
    ref_function_check_record(link, file, (ref_record_of_calls){.part = part, .symbol = first}, second);
    const size_t function = ref_function_of_symbol(file, first);
    const bool lost = ref_indices_has(&file->lost_records, (size_t)at);
    const bool loses = function != REF_NONE && file->body_of[first] == REF_BODY_LOSES &&
                       file->cubin.symbols[first].info >> 4 == REF_BIND_WEAK; /* a second strong one is E21 (RF664) */
    if (part == REF_PART_TAKEN && function != REF_NONE && !loses && !lost) {
      link->functions[function].prototype_so_far = ref_input_string(&file->cubin, second);
    }
  }
}

static void ref_function_read_graph(ref_link *link, ref_file *file, const ref_section *graph) {
  ref_part part = REF_PART_NONE;
  for (uint64_t at = 0; at + 8 <= graph->size; at += 8) {
    const uint32_t first = ref_u32(graph->data + at), second = ref_u32(graph->data + at + 4);
    if (first == 0) {
      part = ref_function_part_of(second);
    } else {
      ref_function_read_pair(link, file, (ref_record_of_calls){.part = part, .place = at, .symbol = first}, second);
    }
  }
}

/* F76, W2.2: the strings of dead functions too. Of what is no function the merge of the file tells (RF572). */
static void ref_function_read_prototypes(ref_link *link, ref_file *file, const ref_section *section) {
  for (uint64_t at = 0; at + 8 <= section->size; at += 8) {
    const size_t function = ref_function_of_symbol(file, ref_u32(section->data + at));
    const char *text = ref_input_string(&file->cubin, ref_u32(section->data + at + 4));
    if (function == REF_NONE) {
      continue; /* ref_merge_check_prototypes refuses it */
    }
    ref_names_add(link, REF_NONE, text);
    if (link->functions[function].prototype == NULL) {
      link->functions[function].prototype = text;
    }
  }
}

/* RF116: an alias that an earlier file mentions and that stands before its function in the symbol table, as `-r` writes it,
 * becomes the section's function, and the function its alias. By default (D102) the function comes first. */
static void ref_function_swap_known_aliases(ref_link *link, ref_file *file) {
  const uint32_t registers = 0xff000000; /* RF1236: on every machine (RF539) */
  if (!link->job->bug_compatible) {
    return;
  }
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if ((symbol->info & 15) != REF_SYMBOL_FUNC || symbol->section == 0 || !ref_function_symbol_is_alias(file, i) ||
        i > ref_function_primary(file, symbol->section) ||
        ref_map_find(&link->function_by_name, symbol->name) == REF_NONE) {
      continue;
    }
    ref_section *text = &file->cubin.sections[symbol->section];
    file->led_of = file->led_of == NULL ? REF_TAKE(link, uint32_t, file->cubin.section_count) : file->led_of;
    file->led_of[symbol->section] = ref_function_primary(file, symbol->section);
    text->info = (text->info & registers) | i;
  }
}

/* RF671: as many records as entries of the size that the header says, but each of 8 bytes. nvlink divides by it, and ends by a signal
 * behind the end of the section. */
static void ref_function_trim_records(ref_link *link, const ref_file *file) {
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    ref_section *section = &file->cubin.sections[i];
    if ((section->type != REF_TYPE_CALLGRAPH && section->type != REF_TYPE_PROTOTYPE) || section->size == 0) {
      continue;
    }
    if (section->entry_size == 0) {
      ref_message_fatal(link, "D17", "Input file '%s': section '%s' has entry size 0", file->name, section->name);
    }
    const uint64_t count = section->size / section->entry_size;
    if (count > section->size / RECORD) {
      ref_message_fatal(link, "D17", "Input file '%s': section '%s' has entries of fewer bytes than a record",
                        file->name, section->name);
    }
    section->size = count * RECORD;
    section->entry_size = RECORD;
  }
}

static void ref_function_survey_file(ref_link *link, size_t number) {
  ref_file *file = &link->files[number];
  ref_function_trim_records(link, file);
  ref_bodies_find(link, file);
  ref_function_read_registers(link, file);
  ref_function_swap_known_aliases(link, file);
  const ref_map views = ref_function_names_of_views(link, file);
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    if ((file->cubin.symbols[i].info & 15) == REF_SYMBOL_FUNC) {
      ref_function_survey_symbol(link, number, i, &views);
    }
  }
  ref_function_link_aliases(link, file);
  file->owner_of = REF_TAKE(link, uint32_t, file->cubin.section_count);
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *section = &file->cubin.sections[i];
    if (section->type == REF_TYPE_CALLGRAPH) {
      ref_function_read_graph(link, file, section);
    } else if (section->type == REF_TYPE_PROTOTYPE) {
      ref_function_read_prototypes(link, file, section);
    } else if (section->type == REF_TYPE_METADATA) {
      ref_metadata_read(link, file, section);
    }
  }
}

/* RF960: that of a function that is not local. */
static const char *ref_function_known_prototype(const ref_function *function) {
  return function->local ? NULL : function->prototype;
}

/* R15: a function descriptor relocation takes its target's address, in a dead function too, but not in a losing body, nor where
 * it is dropped (L760, RF301). The prototype is that of `.nv.prototype` of any file; RF52: without one its place in the strings is 0. */
static void ref_function_read_descriptors(ref_link *link, const ref_file *file, uint32_t section) {
  const uint32_t target = file->cubin.sections[section].info;
  const uint32_t owner = ref_merge_owner(file, target);
  const bool known = target < file->cubin.section_count;
  const bool constants = known && !link->is_capsule && /* RF1370 */
                         file->cubin.sections[target].type == link->view->optimizer_type;
  const bool bank = constants || (known && ref_relocation_is_lost_bank(link, file, target)); /* RF932 */
  if (owner != 0 && file->body_of[owner] == REF_BODY_LOSES && !bank) {
    return;
  }
  const size_t count = ref_cubin_relocation_count(&file->cubin, section);
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_entry(&file->cubin.sections[section], i);
    const ref_relocation_row *row = ref_relocation_row_of(entry.type);
    const size_t number = ref_function_of_symbol(file, entry.symbol);
    const bool foreign = entry.type >= REF_MERCURY_FIRST && !link->is_capsule; /* RF228 */
    if (row == NULL || row->kind != REF_KIND_FUNC_DESC || foreign || number == REF_NONE) {
      continue;
    }
    const bool forgotten = link->is_capsule ? ref_relocation_is_forgotten(link, file, target, entry.symbol)
                                            : ref_relocation_is_skipped(link, file, target, &entry);
    if (!forgotten && !link->functions[number].address_taken) {
      link->functions[number].address_taken = true;
      const char *text = ref_function_known_prototype(&link->functions[number]);
      link->functions[number].taken_without_text = text == NULL;
      link->functions[number].taken_prototype = text == NULL ? "" : text;
    }
  }
}

/* RF60: what a -4 record alone takes (W7.7) has the text of `.nv.prototype`, and place 0 without one. */
static void ref_functions_check_losers_texts(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    ref_function *function = &link->functions[i];
    const char *text = ref_function_known_prototype(function);
    function->taken_without_text = function->taken_by_reference && text == NULL;
    if (function->taken_by_reference && text != NULL) {
      function->taken_prototype = text;
    }
  }
}

/* RF787: what an entry inside a lost weak variable (W8.5) takes is not taken; which are lost the merge finds again. */
static void ref_functions_list_lost(ref_link *link, ref_file *file, ref_map *weak) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    const uint8_t type = symbol->info & 15, bind = symbol->info >> 4;
    const bool object = type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_CUDA_OBJECT;
    if (!object || bind == REF_BIND_LOCAL || symbol->section == 0 || symbol->section >= file->cubin.section_count) {
      continue;
    }
    const size_t known = ref_map_find(weak, symbol->name);
    if (known == 1 && bind == REF_BIND_WEAK) {
      ref_indices_add(link, &file->lost_variables, i);
    } else if (known != 0) {
      ref_map_set(link, weak, symbol->name, bind == REF_BIND_WEAK);
    }
  }
}

static void ref_functions_read_descriptors(ref_link *link) {
  ref_map weak = {0};
  for (size_t i = 0; i < link->file_count; i++) {
    if (!link->is_capsule) {
      ref_functions_list_lost(link, &link->files[i], &weak);
    }
    for (uint32_t k = 1; k < link->files[i].cubin.section_count; k++) {
      const uint32_t type = link->files[i].cubin.sections[k].type;
      if (type == REF_TYPE_RELA || type == REF_TYPE_REL) {
        ref_function_read_descriptors(link, &link->files[i], k);
      }
    }
    link->files[i].lost_variables.count = 0;
  }
}

/* G2: every address-taken function with that prototype. */
void ref_function_list_indirect(ref_link *link, const char *prototype, ref_indices *found) {
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    if (function->address_taken && !function->taken_without_text && strcmp(function->taken_prototype, prototype) == 0) {
      ref_indices_add(link, found, i);
    }
  }
}

/* W7.4: -1, and -3 through prototypes. RF32: -4 does not count, not even from a kernel; by default it does, as all of D58.
 * A work list instead of recursion: call graphs can be deep. */
static void ref_function_reach_from(ref_link *link, size_t root) {
  ref_indices work = {0};
  ref_indices_add(link, &work, root);
  while (work.count > 0) {
    ref_function *function = &link->functions[work.items[--work.count]];
    if (function->reached) {
      continue;
    }
    function->reached = true;
    for (size_t i = 0; i < function->calls.count; i++) {
      ref_indices_add(link, &work, function->calls.items[i]);
    }
    const size_t references = link->job->bug_compatible ? 0 : function->references.count;
    for (size_t i = 0; i < references; i++) {
      ref_indices_add(link, &work, function->references.items[i]);
    }
    for (size_t i = 0; i < function->indirect_count; i++) {
      ref_function_list_indirect(link, function->indirect[i], &work);
    }
  }
}

/* C55b: the kernels that are named; RF966: what the driver provides is none. */
bool ref_function_is_named(const ref_link *link, const ref_function *function) {
  return function->entry && !function->is_provided &&
         (!ref_options_restrict_kernels(link) ||
          ref_options_list_has_part(link, REF_OPTION_KERNELS_USED, function->name));
}

bool ref_function_is_root_by_name(const ref_link *link, const ref_function *function) {
  return function->is_provided && link->named_kernel_count != 1;
}

/* W7.3: roots are the kernels that are named. RF50, RF126: those whose address is taken and jump slots (U11) too, unless exactly
 * one is named (D58: by default always). RF966: so are functions with a name that the driver provides. */
bool ref_function_is_root(const ref_link *link, const ref_function *function) {
  const bool kernel = function->entry && !function->is_provided; /* RF1189 */
  const bool taken = (kernel && function->address_taken) || function->is_stub;
  return ref_function_is_named(link, function) || ref_function_is_root_by_name(link, function) ||
         (taken && (link->named_kernel_count != 1 || !link->job->bug_compatible));
}

static void ref_functions_count_named(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    link->named_kernel_count += link->functions[i].defined && ref_function_is_named(link, &link->functions[i]);
  }
}

/* L531: a unified function stays as one whose address is taken does. */
static bool ref_function_is_unified(const ref_link *link, const ref_function *function) {
  const uint8_t unified = 4;
  return function->defined &&
         (link->files[function->definition_file].cubin.symbols[function->definition_symbol].other & unified) != 0;
}

/* W7.4, D58: a function whose address is taken stays although nothing reaches it; nvlink then leaves out what only it
 * calls, except undefined functions. By default its edges are followed. */
static void ref_function_keep_taken(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    ref_function *function = &link->functions[i];
    if (!(function->address_taken || ref_function_is_unified(link, function)) || function->reached) {
      continue;
    }
    if (!link->job->bug_compatible) {
      ref_function_reach_from(link, i);
      continue;
    }
    function->live = true;
    for (size_t k = 0; k < function->calls.count; k++) {
      ref_function *callee = &link->functions[function->calls.items[k]];
      callee->live = callee->live || !callee->defined;
    }
  }
}

static void ref_function_mark_live(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    ref_function *function = &link->functions[i];
    function->live = function->live || function->reached || link->everything_live;
  }
}

/* L470: so is a kernel that no file defines, if it is named where some are. */
static bool ref_function_is_mentioned_root(const ref_link *link, const ref_function *function) {
  return function->is_called_kernel && !function->defined &&
         (!ref_options_restrict_kernels(link) ||
          ref_options_list_has_part(link, REF_OPTION_KERNELS_USED, function->name));
}

static void ref_function_find_live(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    link->functions[i].live = link->functions[i].is_stub;
    if (ref_function_is_root(link, &link->functions[i]) || ref_function_is_mentioned_root(link, &link->functions[i])) {
      ref_function_reach_from(link, i);
    }
  }
  ref_function_keep_taken(link);
  ref_function_mark_live(link);
}

/* V11a, D63: nvlink stops when a function is alive and one of its aliases is not; by default the alias is deleted like
 * everything dead. A live alias keeps its function. */
static void ref_function_keep_aliased(ref_link *link) {
  if (link->job->bug_compatible) {
    return;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *alias = &link->functions[i];
    if (alias->alias_of != REF_NONE && alias->live && !link->functions[alias->alias_of].live) {
      ref_function_reach_from(link, alias->alias_of);
    }
  }
}

/* RF162: a function in a kernel's text (the copy of a device function that ptxas makes with -ewp) lives with the kernel, be it in the
 * call graph or not. nvlink crashes when both are dead and the function is local, behind all that it says (RF540). */
static void ref_functions_keep_inside_kernels(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    ref_function *function = &link->functions[i];
    if (!ref_function_lies_in_kernel(link, function)) {
      continue;
    }
    function->live = function->live || link->functions[function->alias_of].live;
    if (function->local && !function->live && link->removed_inside == 0) {
      link->removed_inside = i + 1;
    }
  }
}

void ref_functions_check_inside_kernels(ref_link *link) {
  if (link->removed_inside != 0) {
    const ref_function *function = &link->functions[link->removed_inside - 1];
    ref_message_fatal(link, "RF162", "local function '%s' lies in the text of the kernel '%s', which is removed",
                      function->name, link->functions[function->alias_of].name);
  }
}

/* RF782: of what the driver provides the one name that is never taken out. */
static bool ref_function_is_kept_mention(const ref_function *function) {
  return !function->defined && REF_IS(function->name, "__cuda_syscall_32f3056bbb");
}

/* RF530: nvlink takes dead functions that no file defines out from the last to the first, when the bodies are gone. One stays that another
 * of them calls which is there still, itself too. */
static void ref_functions_keep_undefined(ref_link *link) {
  ref_indices *callers = REF_TAKE(link, ref_indices, link->function_count);
  bool *stands = REF_TAKE(link, bool, link->function_count);
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *caller = &link->functions[i];
    stands[i] = !caller->defined && !caller->live;
    for (size_t k = 0; stands[i] && k < caller->calls.count; k++) {
      ref_indices_add(link, &callers[caller->calls.items[k]], i);
    }
  }
  for (size_t i = link->function_count; i-- > 0;) {
    bool called = false;
    for (size_t k = 0; stands[i] && k < callers[i].count; k++) {
      called = called || stands[callers[i].items[k]];
    }
    stands[i] = stands[i] && called;
    link->functions[i].live = link->functions[i].live || stands[i] || ref_function_is_kept_mention(&link->functions[i]);
  }
}

/* Every function has a symbol, and about as many names as sections and symbols are logged. */
static void ref_functions_make_room(ref_link *link) {
  size_t count = 0, names = 0;
  for (size_t i = 0; i < link->file_count; i++) {
    const ref_cubin *cubin = &link->files[i].cubin;
    names += cubin->section_count + cubin->symbol_count;
    for (size_t k = 1; k < cubin->symbol_count; k++) {
      count += (cubin->symbols[k].info & 15) == REF_SYMBOL_FUNC;
    }
  }
  link->functions = REF_TAKE_ROOM(link, ref_function, count);
  link->function_capacity = count;
  link->name_log = REF_TAKE_ROOM(link, ref_name, names);
  link->name_capacity = names;
}

void ref_functions_survey(ref_link *link) {
  ref_functions_make_room(link);
  for (size_t i = 0; i < link->file_count; i++) {
    ref_function_survey_file(link, i);
  }
  ref_functions_check_losers_texts(link);
  ref_functions_read_descriptors(link);
  ref_functions_count_named(link);
  ref_function_find_live(link);
  ref_function_keep_aliased(link);
  ref_function_mark_live(link);
  ref_functions_keep_inside_kernels(link);
  ref_functions_keep_undefined(link);
}
