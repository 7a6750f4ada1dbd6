/* The merge, a file at a time: W3. RF709, RF771, RF783, RF785, RF791, RF792, RF929, RF832, RF833. */
#include "link.h"

#include <string.h>

enum { VISIBILITY = 3, SLOT_SIZE = 128 };

/* W2.2: the prefix that every link has. */
static void ref_merge_create_first_sections(ref_link *link) {
  static const char *const fixed[] = {".shstrtab", ".strtab", ".symtab", ".symtab_shndx"};
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
    ref_names_add_section(link, REF_NONE, fixed[i]);
  }
  link->names_symbol = ref_symbol_add_later(link, ".shstrtab");
  link->strings_symbol = ref_symbol_add_later(link, ".strtab");
  link->symbols_symbol = ref_symbol_add_later(link, ".symtab"); /* RF834 */
  (void)ref_symbol_add_later(link, ".symtab_shndx");            /* RF885: has a number, too */
  link->note_section = ref_section_add_with_symbol(link, ".note.nv.tkinfo", REF_TYPE_NOTE, 0x2000000, 4, 0);
  link->cuinfo_section = ref_section_add_with_symbol(link, ".note.nv.cuinfo", REF_TYPE_NOTE, REF_FLAG_CUINFO, 4, 0);
  ref_notes_make_room(link);
  ref_unified_create_table(link);
  link->info_section = ref_section_add(link, ".nv.info", REF_TYPE_INFO, 0, 4, 0);
  link->sections[link->info_section].links_symtab = true;
  link->sections[link->info_section].later_symbol = ref_symbol_add_later(link, ".nv.info");
  link->compat_section = link->sm >= 90 ? ref_section_add(link, ".nv.compat", REF_TYPE_COMPAT, 0, 4, 0) : REF_NONE;
  if (link->compat_section != REF_NONE) {
    link->sections[link->compat_section].later_symbol = ref_symbol_add_later(link, ".nv.compat");
  }
  ref_unified_create_index(link);
}

static void ref_merge_add_info_section(ref_link *link, ref_function *function) {
  char *name = ref_memory_join(link, ".nv.info.", function->name);
  function->info = ref_section_add(link, name, REF_TYPE_INFO, REF_FLAG_INFO, 4, 0);
  link->sections[function->info].later_symbol = ref_symbol_add_later(link, name);
  link->sections[function->info].links_symtab = true;
  link->sections[function->info].info_section = function->text;
}

void ref_merge_add_shared_section(ref_link *link, ref_function *function) {
  char *name = ref_memory_join(link, ".nv.shared.", function->name);
  function->shared =
      ref_section_add_with_symbol(link, name, REF_TYPE_SHARED, REF_FLAG_WRITE | REF_FLAG_ALLOC | REF_FLAG_INFO, 1, 0);
  const size_t named = function->alias_of;
  link->sections[function->shared].info_section =
      named == REF_NONE || function->text != REF_NONE ? function->text : link->functions[named].text; /* RF785 */
}

static void ref_merge_check_section(ref_link *link, const ref_file *file, const ref_symbol *input) {
  if (input->section >= file->cubin.section_count) {
    ref_message_fatal(link, "D46", "symbol '%s' in '%s' lies in section %u, which does not exist", input->name,
                      file->name, input->section);
  }
}

/* L953: the alignment is the largest of the bodies that stood there, and that of a later one may be 0 (RF542). RF485: a text's has 32
 * bits. RF791: a jump slot lies behind the one before it, whatever the alignment, which is that of `.nv.uft` if none has a larger one. */
static void ref_merge_copy_text(ref_link *link, ref_file *file, uint32_t symbol, ref_function *function) {
  ref_merge_check_section(link, file, &file->cubin.symbols[symbol]);
  const uint32_t number = file->cubin.symbols[symbol].section;
  ref_section input = file->cubin.sections[number];
  input.align = (uint32_t)input.align;
  ref_out_section *section = &link->sections[function->text];
  if (!function->is_stub) {
    section->data = (ref_bytes){0};
    section->size = 0;
    input.align = input.align == 0 ? section->align : input.align; /* RF542 */
  }
  if (function->is_stub && !link->is_capsule) { /* RF791 */
    section->align = ref_larger(section->align, input.align);
    input.align = input.align == 0 ? 0 : SLOT_SIZE;
  }
  section->info_high = input.info & 0xff000000;
  if (!link->is_capsule && !function->is_stub) {
    section->flags = (section->flags & ~ref_barriers_flags(UINT64_MAX)) | ref_barriers_flags(input.flags); /* RF956 */
  }
  file->section_of[number] = function->text;
  file->offset_in[number] = ref_section_append(link, function->text, &input);
}

static size_t ref_merge_function_symbol(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  const size_t number = file->function_of[symbol];
  ref_function *function = &link->functions[number];
  if (function->symbol == REF_NONE) {
    const uint8_t bind = input->info >> 4;
    function->symbol = ref_symbol_add(link, input->name, bind, REF_SYMBOL_FUNC, input->other);
    link->symbols[function->symbol].function = number;
    link->symbols[function->symbol].mention_file = file_number;
    link->symbols[function->symbol].undefined_weak =
        input->section == 0 && bind >= REF_BIND_WEAK;   /* RF1133: one of another binding is missed by nobody either */
    link->symbols[function->symbol].size = input->size; /* RF196: of a mention too */
    link->symbols[function->symbol].value = input->value; /* L263: whatever body comes later */
    if (bind != REF_BIND_GLOBAL) {
      ref_names_add(link, REF_NONE, input->name);
    }
    if (bind != REF_BIND_LOCAL &&
        !(function->has_clashed && input->section == 0)) { /* RF1135: a definition takes the name */
      ref_map_set(link, &link->symbol_by_name, input->name, function->symbol);
    }
  }
  return function->symbol;
}

/* W8.2: what the winner's body brings. W4.1: the place among the locals stays. */
static void ref_merge_define_symbol(ref_link *link, size_t file_number, uint32_t symbol, size_t section) {
  const ref_symbol *input = &link->files[file_number].cubin.symbols[symbol];
  ref_out_symbol *output = &link->symbols[link->files[file_number].symbol_of[symbol]];
  output->bind = input->info >> 4;
  output->value =
      output->section == REF_NONE && input->value != 0 ? input->value : output->value; /* RF423: behind a mention */
  output->section = section;
  output->size = input->size;
  output->definition_file = file_number;
}

/* U10: `.nv.uft` takes a stub behind those before it, until the index file places it. */
static void ref_merge_stub(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  const size_t number = file->function_of[symbol];
  const ref_section *text = &file->cubin.sections[file->cubin.symbols[symbol].section];
  ref_unified_add_stub(link, number, text);
  link->slot_bytes += text->size; /* RF886 */
  ref_merge_copy_text(link, file, symbol, &link->functions[number]);
  ref_merge_define_symbol(link, file_number, symbol, link->slot_section);
  link->symbols[link->functions[number].symbol].value = file->offset_in[file->cubin.symbols[symbol].section];
}

/* RF958: beside capsules a jump slot that -r keeps is one by its function, whatever the input's section is. */
static const char *ref_merge_slot_name(ref_link *link, const char *function) {
  return ref_memory_join(link, ".nv.uft.rel.", function + strlen("__cuda_uf_stub_"));
}

/* L895: what a text's entries are called after: its section, of a capsule's code that of the SASS side (RF1181). */
static const char *ref_merge_stem(const ref_link *link, const ref_file *file, uint32_t section) {
  const ref_section *body = &file->whole.sections[section];
  const uint32_t text = link->is_capsule && link->view->is_mercury && body->type == REF_TYPE_CAPSULE_TEXT &&
                                body->data != NULL && body->size >= sizeof text
                            ? ref_u32(body->data)
                            : 0;
  return ref_mercury_body_beside(&file->whole, text, section) == NULL ? file->cubin.sections[section].name
                                                                      : file->cubin.sections[text].name;
}

static void ref_merge_new_body(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  ref_function *function = &link->functions[file->function_of[symbol]];
  file->symbol_of[symbol] = ref_merge_function_symbol(link, file_number, symbol);
  ref_merge_check_section(link, file, input);
  if (function->is_stub) {
    ref_merge_stub(link, file_number, symbol);
    return;
  }
  const ref_section *text = &file->cubin.sections[input->section];
  const bool is_plain = !link->is_capsule; /* RF771: whatever the section that it lies in is */
  const bool sass =
      !link->view->is_mercury && text->type == REF_TYPE_PROGBITS; /* RF205: whatever the input's section is called */
  const bool is_slot = is_plain ? ref_function_is_slot(input) : text->type == REF_TYPE_UFT; /* RF375 */
  const bool is_named_anew =
      is_plain || text->type == REF_TYPE_PROGBITS || (file->led_of != NULL && !is_slot); /* RF116, L895 */
  const char *name = is_plain && is_slot ? ref_merge_slot_name(link, function->name)
                     : is_named_anew     ? ref_memory_join(link, ".text.", function->name)
                                         : text->name;
  const bool is_code = is_plain || sass || (link->view->is_mercury && !is_slot); /* RF205, RF580, RF626 */
  const uint64_t flags = is_code ? REF_FLAG_ALLOC | REF_FLAG_EXEC : text->flags;
  const uint64_t given = (uint32_t)text->align;                                      /* RF485 */
  const uint64_t align = is_plain && is_slot ? ref_larger(given, SLOT_SIZE) : given; /* RF791 */
  const uint64_t entry_size = is_plain && is_slot ? SLOT_SIZE : is_code ? 0 : text->entry_size;
  const uint32_t type = is_plain ? (is_slot ? REF_TYPE_UFT : REF_TYPE_PROGBITS) : text->type;
  function->text = ref_section_add_with_symbol(link, name, type, flags, align, entry_size);
  link->sections[function->text].stem = ref_merge_stem(link, file, input->section);
  link->sections[function->text].links_symtab = true;
  link->sections[function->text].info_function = file->function_of[symbol];
  function->has_stray_text = !link->is_capsule && !function->entry && !ref_function_owns_text(file, input->section);
  ref_merge_copy_text(link, file, symbol, function);
  ref_merge_define_symbol(link, file_number, symbol, function->text);
  if (is_plain && is_slot) { /* RF929 */
    link->symbols[function->symbol].value = 0;
  }
  /* RF51: for a kernel that is not named, if an earlier file took its address. */
  if (function->entry &&
      (function->taken_in < file_number || function->is_provided || ref_function_is_named(link, function))) {
    ref_merge_add_info_section(link, function);
    ref_merge_add_shared_section(link, function);
  }
}

static void ref_merge_function(ref_link *link, size_t file_number, uint32_t symbol);

/* RF155: st_other is that of the first file that has the name; a strong body that replaces a weak one, and an alias of a name that was
 * mentioned so far, bring their own visibility. */
static void ref_merge_take_visibility(ref_link *link, const ref_symbol *input, size_t symbol) {
  uint8_t *other = &link->symbols[symbol].other;
  *other = (uint8_t)((*other & ~VISIBILITY) | (input->other & VISIBILITY));
}

/* RF424: a body that replaces another brings all of its st_other; of a weak one bit 3 stays, too. */
static void ref_merge_take_other(ref_link *link, const ref_symbol *input, size_t symbol) {
  const uint8_t bit3 = 8;
  uint8_t *other = &link->symbols[symbol].other;
  *other = (uint8_t)(input->other | (input->info >> 4 == REF_BIND_WEAK ? *other & bit3 : 0));
}

/* W3.1, W3.9: the second name of a section gets just a symbol, after the first. RF783: where it is a kernel, the text that it comes to has the count
 * of registers of its own file's, also where that lost. */
static void ref_merge_alias(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  const uint32_t primary = ref_function_primary(file, file->cubin.symbols[symbol].section);
  ref_merge_function(link, file_number, primary);
  file->symbol_of[symbol] = ref_merge_function_symbol(link, file_number, symbol);
  ref_merge_take_visibility(link, &file->cubin.symbols[symbol], file->symbol_of[symbol]);
  const size_t text = link->functions[file->function_of[primary]].text;
  if (!link->is_capsule && text != REF_NONE && (file->cubin.symbols[symbol].other & REF_OTHER_ENTRY) != 0) {
    link->sections[text].info_high = file->cubin.sections[file->cubin.symbols[symbol].section].info & 0xff000000;
  }
  ref_merge_define_symbol(link, file_number, symbol, text);
  if (link->functions[file->function_of[primary]].is_stub && !ref_function_is_slot(&file->cubin.symbols[symbol])) {
    link->has_stray_slot = true; /* RF792 */
  }
}

/* RF183: an alias that an earlier file mentions brings the text of its function along, that of a second strong body too, which
 * must be the same as the first one's as far as both go. */
static void ref_merge_check_text_of_alias(ref_link *link, size_t file_number, uint32_t symbol) {
  const ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  if (file->body_of[symbol] != REF_BODY_ALIAS || !link->functions[file->function_of[symbol]].mentioned) {
    return;
  }
  const uint32_t primary = ref_function_primary(file, input->section);
  const ref_function *function = &link->functions[file->function_of[primary]];
  if (file->body_of[primary] != REF_BODY_LOSES || file->cubin.symbols[primary].info >> 4 == REF_BIND_WEAK) {
    return;
  }
  const ref_file *first = &link->files[function->definition_file];
  const uint32_t number = first->cubin.symbols[function->definition_symbol].section;
  if (number >= first->cubin.section_count) {
    return;
  }
  const ref_section *old = &first->cubin.sections[number], *text = &file->cubin.sections[input->section];
  const uint64_t common = ref_smaller(old->size, text->size);
  if (old->data != NULL && text->data != NULL && memcmp(old->data, text->data, (size_t)common) != 0) {
    ref_message_fatal(link, "E73", "Internal error: overlapping non-identical data");
  }
}

/* L166, RF417: a kernel with the name of a section, a local object or a local function that there is so far, and a function with that of a
 * local kernel. */
static bool ref_merge_name_is_taken(ref_link *link, const char *name, bool entry) {
  static const char *const made[] = {".shstrtab", ".strtab", ".symtab"};
  if (ref_map_find(&link->symbol_by_name, name) != REF_NONE) {
    return false; /* ref_clash_function_with_object */
  }
  const size_t known = *name == 0 ? REF_NONE : ref_named_find_first(link, name); /* as ref_named_find */
  if (known != REF_NONE) {
    const bool is_entry =
        link->symbols[known].type == REF_SYMBOL_FUNC && (link->symbols[known].other & REF_OTHER_ENTRY) != 0;
    return is_entry != entry;
  }
  const size_t local = ref_map_find(&link->local_functions, name); /* RF664 */
  if (local != REF_NONE) {
    return (local != 0) != entry;
  }
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    if (entry && strcmp(name, made[i]) == 0) {
      return true;
    }
  }
  return entry && ref_map_find(&link->section_by_name, name) != REF_NONE;
}

/* RF664: local functions so far, dead ones and those without a name too; what they are is that of the first of a name. */
static void ref_merge_note_local_function(ref_link *link, const ref_symbol *input) {
  if (ref_map_find(&link->local_functions, input->name) == REF_NONE) {
    ref_map_set(link, &link->local_functions, input->name, (input->other & REF_OTHER_ENTRY) != 0 ? 1 : 0);
  }
}

/* E26, E21: two files that disagree about one function (C84); a symbol is compared with the output's so far (RF663). One that has been brought
 * along (RF1231) is E26 once more where it stands. */
static void ref_merge_check_function(ref_link *link, size_t file_number, uint32_t symbol, bool is_again) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  const size_t number = file->function_of[symbol];
  ref_function *function = &link->functions[number];
  if (input->info >> 4 == REF_BIND_LOCAL) {
    ref_merge_note_local_function(link, input);
    return;
  }
  const bool clashes = ref_clash_function_with_object(link, file, symbol);
  function->has_clashed = function->has_clashed || clashes;
  const bool entry = (input->other & REF_OTHER_ENTRY) != 0;
  if (function->mentioned ? function->mentioned_as_entry != entry : ref_merge_name_is_taken(link, input->name, entry)) {
    ref_message_add(link, REF_ERROR, "E26", "Function '%s' not declared __global__ in all source files",
                    ref_demangle(link, input->name));
  }
  ref_merge_check_text_of_alias(link, file_number, symbol);
  if (!is_again && input->section != 0 && file->body_of[symbol] == REF_BODY_LOSES &&
      input->info >> 4 != REF_BIND_WEAK && !function->defined_weak_so_far) {
    ref_message_add(link, REF_ERROR, "E21", "Multiple definition of '%s' in '%s', first defined in '%s'", input->name,
                    file->name, link->files[function->first_defined_in_so_far].name); /* RF48 */
  }
  if (!function->mentioned) {
    function->first_mentioned_in = file_number;
  }
  if (!function->mentioned || file->body_of[symbol] == REF_BODY_REPLACES) { /* RF663, RF424 */
    function->mentioned_as_entry = entry && !clashes; /* RF1131: the object's symbol has no mark */
    function->mentioned_other = input->other;
    function->mentioned_size = input->size; /* RF1200 */
  }
  function->mentioned = true;
}

/* --trace: is a body's count of registers one of `.nv.info` alone? The text's top byte is asked first. */
static void ref_merge_trace_registers(ref_link *link, const ref_file *file, uint32_t symbol, bool is_new) {
  if (!ref_trace_wants(link, REF_TRACE_MERGE)) {
    return;
  }
  const uint32_t section = file->cubin.symbols[symbol].section;
  const size_t out = link->functions[file->function_of[symbol]].symbol;
  const size_t place = out < link->symbol_count ? link->symbols[out].section : REF_NONE;
  const uint32_t word = is_new ? (section < file->cubin.section_count ? file->cubin.sections[section].info : 0)
                               : (place != REF_NONE ? link->sections[place].info_high : 0);
  if (word >> 24 == 0) {
    ref_trace_tell(link, REF_TRACE_MERGE, "no %s register count found for %s, checking .nv.info",
                   is_new ? "new" : "original", file->cubin.symbols[symbol].name);
  }
}

/* E81, V2: two weak bodies, one without a register count. RF539: the earlier one of a second name is its text's. RF569: of a capsule its
 * Mercury side alone is asked. */
static void ref_merge_check_registers(ref_link *link, size_t file_number, uint32_t symbol) {
  const ref_file *file = &link->files[file_number];
  const ref_function *function = &link->functions[file->function_of[symbol]];
  const ref_body body = file->body_of[symbol];
  if ((body != REF_BODY_REPLACES && body != REF_BODY_LOSES) || !function->defined_weak_so_far ||
      file->cubin.symbols[symbol].info >> 4 != REF_BIND_WEAK || ref_view_is_derived(link)) {
    return;
  }
  ref_merge_trace_registers(link, file, symbol, true);
  if (!ref_function_has_registers(file, symbol)) {
    ref_message_fatal(link, "E81", "Internal error: no such new reg count");
  }
  ref_merge_trace_registers(link, file, symbol, false);
  const ref_file *old = &link->files[function->defined_in_so_far];
  const uint32_t known = function->defined_as_so_far;
  const uint32_t primary =
      ref_function_symbol_is_alias(old, known) ? ref_function_primary(old, old->cubin.symbols[known].section) : known;
  if (!ref_function_has_registers(old, known) && !ref_function_has_registers(old, primary)) {
    ref_message_fatal(link, "E81", "Internal error: no such original reg count");
  }
}

/* --trace: a body that replaces another, and why. */
static void ref_merge_trace_replacement(ref_link *link, const ref_file *file, uint32_t symbol) {
  const ref_symbol *input = &file->cubin.symbols[symbol];
  ref_trace_tell(link, REF_TRACE_MERGE, "replace weak function %s%s", input->name,
                 input->info >> 4 != REF_BIND_WEAK ? ""
                 : file->fewer_of[symbol]          ? " with weak that uses fewer registers"
                                                   : " with weak from newer PTX");
}

/* What the next file's body is compared with. */
static void ref_merge_note_definition(ref_link *link, size_t file_number, uint32_t symbol) {
  const ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  ref_function *function = &link->functions[file->function_of[symbol]];
  if (input->section != 0 && file->body_of[symbol] != REF_BODY_LOSES) {
    function->defined_weak_so_far = input->info >> 4 == REF_BIND_WEAK;
    if (!function->defined_so_far) {
      function->first_defined_in_so_far = file_number;
    }
    function->defined_so_far = true;
    function->defined_in_so_far = file_number;
    function->defined_as_so_far = symbol;
  }
}

/* RF127: an alias that beats a weak body. nvlink leaves the body's section, empty, and loses the attributes of the function that
 * the alias names. */
static void ref_merge_alias_over_body(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  ref_function *function = &link->functions[file->function_of[symbol]];
  ref_out_section *text = &link->sections[function->text];
  text->data = (ref_bytes){0};
  text->size = 0;
  if (function->info != REF_NONE) {
    link->sections[function->info].dropped = true;
    function->info = REF_NONE;
  }
  file->lost_text = input->section;
  const ref_section *primary = &file->cubin.sections[input->section];
  function->is_emptied = true;
  text->info_high = primary->info & 0xff000000;
  text->align = ref_larger(text->align, (uint32_t)primary->align); /* RF545 */
  ref_merge_define_symbol(link, file_number, symbol, function->text);
}

/* RF1049: so does one that beats a weak alias, with the text that this lies in. True when there is one. */
static bool ref_merge_alias_over_alias(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  const ref_symbol *input = &file->cubin.symbols[symbol];
  const size_t place = link->symbols[link->functions[file->function_of[symbol]].symbol].section;
  const size_t named = place == REF_NONE ? REF_NONE : link->sections[place].info_function;
  if (link->is_capsule || !link->job->bug_compatible || named == REF_NONE || link->functions[named].text != place) {
    return false;
  }
  ref_out_section *text = &link->sections[place];
  text->data = (ref_bytes){0};
  text->size = 0;
  if (link->functions[named].info != REF_NONE) {
    link->sections[link->functions[named].info].dropped = true;
    link->functions[named].info = REF_NONE;
  }
  file->lost_text = input->section;
  link->functions[named].is_emptied = true;
  text->info_high = file->cubin.sections[input->section].info & 0xff000000;
  text->align = ref_larger(text->align, (uint32_t)file->cubin.sections[input->section].align);
  ref_merge_define_symbol(link, file_number, symbol, place);
  return true;
}

/* L263: nvlink takes as many bytes of it as its symbol says; by default all (D40). RF844: all, too, of one that an alias leads (RF116). */
static void ref_merge_cut_text(ref_link *link, const ref_file *file, const ref_symbol *input,
                               const ref_function *function) {
  if (file->led_of != NULL && file->led_of[input->section] != 0) {
    return;
  }
  ref_out_section *text = &link->sections[function->text];
  if (link->job->bug_compatible && !link->view->is_mercury && !link->is_capsule && input->size < text->data.size) {
    text->data.size = (size_t)input->size;
    text->size = input->size;
  }
}

/* RF127: a body that beats a weak alias. nvlink writes it over the body that the alias named, which may be dead (V11a
 * refuses that). */
static void ref_merge_body_over_alias(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  const size_t alias_of = link->functions[file->function_of[symbol]].alias_of;
  ref_function *named = alias_of == REF_NONE ? NULL : &link->functions[alias_of];
  if (named != NULL && named->text != REF_NONE) {
    const uint32_t section = file->cubin.symbols[symbol].section;
    ref_weak_drop_records_of(link, alias_of);
    if (!link->is_capsule && section < file->cubin.section_count) {
      link->sections[named->text].stem = ref_merge_stem(link, file, section); /* RF709 */
    }
    ref_merge_copy_text(link, file, symbol, named);
    ref_merge_cut_text(link, file, &file->cubin.symbols[symbol], named); /* RF882 */
    ref_merge_define_symbol(link, file_number, symbol, named->text);
  }
}

static void ref_merge_replacement(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  ref_function *function = &link->functions[file->function_of[symbol]];
  file->symbol_of[symbol] = ref_merge_function_symbol(link, file_number, symbol);
  ref_merge_take_other(link, &file->cubin.symbols[symbol], function->symbol);
  if (ref_function_symbol_is_alias(file, symbol) && function->text != REF_NONE) {
    ref_merge_alias_over_body(link, file_number, symbol);
  } else if (ref_function_symbol_is_alias(file, symbol)) {
    if (!ref_merge_alias_over_alias(link, file_number, symbol)) {
      ref_merge_alias(link, file_number, symbol);
    }
  } else if (function->text == REF_NONE) {
    ref_merge_body_over_alias(link, file_number, symbol);
  } else {
    const uint32_t section = file->cubin.symbols[symbol].section;
    if (!link->is_capsule && section < file->cubin.section_count) {
      link->sections[function->text].stem = ref_merge_stem(link, file, section); /* RF647 */
    }
    ref_merge_copy_text(link, file, symbol, function);
    ref_merge_cut_text(link, file, &file->cubin.symbols[symbol], function);
    ref_merge_define_symbol(link, file_number, symbol, function->text);
  }
}

/* RF1051: what is about the text of the function that an alias names, entries and attributes, goes to the body of its name that beats it. RF833:
 * so does what is about the text of a losing body that its sh_info does not name. */
static void ref_merge_lose_text(ref_link *link, ref_file *file, uint32_t symbol) {
  const ref_symbol *input = &file->cubin.symbols[symbol];
  const ref_function *function = &link->functions[file->function_of[symbol]];
  const size_t text = function->text == REF_NONE && function->alias_of != REF_NONE
                          ? link->functions[function->alias_of].text /* RF846 */
                          : function->text;
  if (link->is_capsule || !link->job->bug_compatible || text == REF_NONE || input->section == 0 ||
      input->section >= file->cubin.section_count) {
    return;
  }
  if (ref_function_symbol_is_alias(file, symbol) || !ref_function_owns_text(file, input->section)) {
    file->section_of[input->section] = text;
  }
}

/* RF1051: the function that attributes about a text of this one are merged into. */
static size_t ref_merge_info_taker(const ref_link *link, const ref_file *file, uint32_t section, size_t number) {
  const size_t text = section < file->cubin.section_count ? file->section_of[section] : REF_NONE;
  const size_t taker = text == REF_NONE ? REF_NONE : link->sections[text].info_function;
  const bool takes = taker != REF_NONE && link->functions[number].text != REF_NONE && !link->is_capsule &&
                     link->functions[taker].text == text && link->functions[number].text != text &&
                     ref_merge_is_text(file, section);
  return takes ? taker : number;
}

static void ref_merge_function(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  if (file->symbol_of[symbol] != REF_NONE) {
    return;
  }
  ref_function *function = &link->functions[file->function_of[symbol]];
  if (!function->live) {
    const bool is_new = !function->is_counted && file->cubin.symbols[symbol].info >> 4 == REF_BIND_GLOBAL;
    link->dead_globals += is_new; /* RF1077: dead, but it has a number */
    if (!function->is_counted && ref_function_leaves_name(link, function, &file->cubin.symbols[symbol])) {
      function->name_before = link->symbol_count;
      ref_indices_add(link, &link->left_names, file->function_of[symbol]);
    }
    function->is_counted = true;
    if (file->body_of[symbol] == REF_BODY_REPLACES && ref_function_symbol_is_alias(file, symbol) &&
        link->job->bug_compatible) {
      file->lost_text = file->cubin.symbols[symbol].section; /* RF223 */
    }
    if (function->is_provided && file->body_of[symbol] == REF_BODY_NEW && !link->is_capsule) { /* RF1205 */
      ref_names_add_section(link, REF_NONE, ref_memory_join(link, ".nv.shared.", function->name));
    }
    return;
  }
  const ref_body body = file->body_of[symbol];
  if (body == REF_BODY_NEW) {
    ref_merge_new_body(link, file_number, symbol);
  } else if (body == REF_BODY_ALIAS) {
    ref_merge_alias(link, file_number, symbol);
  } else if (body == REF_BODY_REPLACES) {
    ref_merge_replacement(link, file_number, symbol);
  } else {
    file->symbol_of[symbol] = ref_merge_function_symbol(link, file_number, symbol);
    if (body == REF_BODY_LOSES) {
      ref_merge_lose_text(link, file, symbol);
    }
  }
}

/* RF1231: a name of a text that is met for the first time brings the text's own function with it, so that this is compared with what has its
 * name before what stands between them; UINT32_MAX: it brings none. */
static uint32_t ref_merge_brought_along(const ref_link *link, const ref_file *file, uint32_t symbol) {
  const ref_symbol *input = &file->cubin.symbols[symbol];
  const bool is_known = input->info >> 4 != REF_BIND_LOCAL && link->functions[file->function_of[symbol]].mentioned;
  if (input->section == 0 || is_known || !ref_function_symbol_is_alias(file, symbol)) {
    return UINT32_MAX;
  }
  const uint32_t led = file->led_of == NULL ? 0 : file->led_of[input->section]; /* L807 */
  const uint32_t primary = led != 0 ? led : ref_function_primary(file, input->section);
  const bool is_kernel = (file->cubin.symbols[primary].other & REF_OTHER_ENTRY) != 0;
  return is_kernel && primary > symbol && file->function_of[primary] != REF_NONE ? primary : UINT32_MAX;
}

static void ref_merge_functions(ref_link *link, size_t file_number) {
  const ref_file *file = &link->files[file_number];
  bool *checked = REF_TAKE(link, bool, file->cubin.symbol_count);
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    if (file->function_of[i] != REF_NONE) {
      const uint32_t brought = ref_merge_brought_along(link, file, i);
      ref_merge_check_function(link, file_number, i, checked[i]);
      if (brought != UINT32_MAX && !checked[brought]) {
        ref_merge_check_function(link, file_number, brought, false);
        checked[brought] = true;
      }
      ref_merge_check_registers(link, file_number, i);
      if (file->body_of[i] == REF_BODY_REPLACES) {
        ref_merge_trace_replacement(link, file, i);
        ref_weak_drop_old_body(link, file->function_of[i]);
      }
      if (file->body_of[i] == REF_BODY_LOSES && file->cubin.symbols[i].info >> 4 == REF_BIND_WEAK) {
        ref_trace_tell(link, REF_TRACE_MERGE, "weak %s already processed", file->cubin.symbols[i].name);
      }
      ref_merge_function(link, file_number, i);
      ref_merge_note_definition(link, file_number, i);
    }
  }
}

/* RF192: attributes that are about another section than a text are the module's; notes come along in executables alone, at their place in
 * the file (RF636). RF672: the pool of shared memory does with the first object that lies in it. */
static bool ref_merge_came_along(const ref_link *link, const ref_file *file, uint32_t section, uint32_t attributes) {
  if (section >= file->cubin.section_count) {
    return false;
  }
  const bool note = file->cubin.sections[section].type == REF_TYPE_NOTE && !link->relocatable && section < attributes;
  return note || file->section_of[section] != REF_NONE || file->holds_shared[section]; /* RF672 */
}

/* RF833: by default what is about the text of a losing body goes with it, whatever its sh_info says. */
static bool ref_merge_text_loses(const ref_file *file, uint32_t section) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    if (file->body_of[i] == REF_BODY_LOSES && file->cubin.symbols[i].section == section) {
      return true;
    }
  }
  return false;
}

/* What is about a section that did not come along. RF559: code that did not is that of dead functions, none of which its sh_info names; the link
 * ends later. Code is of type PROGBITS (RF636). RF832: what is about code that is joined to a dead function's goes with it. */
void ref_merge_refuse_section(ref_link *link, const ref_file *file, uint32_t section) {
  const ref_cubin *cubin = &file->cubin;
  if (section < cubin->section_count &&
      (ref_block_joins_dead_text(link, (size_t)(file - link->files), &cubin->sections[section]) ||
       (!link->job->bug_compatible && ref_merge_text_loses(file, section)))) {
    return;
  }
  if (section >= cubin->section_count || (cubin->sections[section].flags & REF_FLAG_EXEC) == 0 ||
      cubin->sections[section].type != REF_TYPE_PROGBITS) {
    ref_message_fatal(link, "E64", "Internal error: section not mapped");
  }
  link->has_nameless_text = true;
}

/* RF558: attributes about constants or shared memory of a function are the function's, as those about its text. */
static uint32_t ref_merge_info_owner(const ref_file *file, uint32_t section) {
  const ref_cubin *cubin = &file->cubin;
  const uint32_t type = section < cubin->section_count ? cubin->sections[section].type : 0;
  const bool behind = type == REF_TYPE_SHARED || ref_section_type_is_constant(type);
  if (behind) {
    return ref_merge_owner(file, section);
  }
  return ref_function_owns_text(file, section) ? ref_function_primary(file, section)
                                               : 0; /* RF845: not the section's own symbol */
}

/* RF771: the live function whose text a section that is code of no function of the file has been joined to. */
size_t ref_merge_joined_to(const ref_link *link, const ref_file *file, uint32_t section) {
  const size_t place = section < file->cubin.section_count ? file->section_of[section] : REF_NONE;
  const size_t function = place == REF_NONE || link->is_capsule ? REF_NONE : link->sections[place].info_function;
  return function != REF_NONE && link->functions[function].text == place ? function : REF_NONE;
}

/* RF1385: the attributes that are lost come into the section of the alias that took the place of a body, which goes; its name stays where
 * the body had none. */
static void ref_merge_lose_attributes(ref_link *link, const ref_file *file) {
  for (uint32_t i = 1; i < file->cubin.symbol_count && !link->is_capsule; i++) {
    const bool lies = file->function_of[i] != REF_NONE && file->cubin.symbols[i].section == file->lost_text;
    ref_function *function = lies ? &link->functions[file->function_of[i]] : NULL;
    if (function == NULL || !function->is_emptied || !function->live ||
        ref_map_find(&link->section_by_name, ref_memory_join(link, ".nv.info.", function->name)) != REF_NONE) {
      continue;
    }
    ref_merge_add_info_section(link, function);
    link->sections[function->info].dropped = true;
    function->info = REF_NONE;
  }
}

/* W3.4, W6.6 */
static void ref_merge_info(ref_link *link, size_t file_number, uint32_t section) {
  ref_file *file = &link->files[file_number];
  const ref_section *input = &file->cubin.sections[section];
  const size_t large_parameters = ref_records_check_fragments(link, file, input);
  if (input->info == 0) { /* RF278: whatever its flags say */
    link->large_parameters += large_parameters;
    ref_records_read(link, file_number, section, NULL);
    return;
  }
  const uint32_t owner = ref_merge_info_owner(file, input->info);
  const size_t number = owner == 0 ? ref_merge_joined_to(link, file, input->info) : file->function_of[owner];
  if (number == REF_NONE) {
    if (ref_merge_came_along(link, file, input->info, section)) {
      ref_records_read(link, file_number, section, NULL);
    } else {
      ref_merge_refuse_section(link, file, input->info);
    }
    return;
  }
  ref_function *function = &link->functions[ref_merge_info_taker(link, file, input->info, number)];
  const ref_body body = owner == 0 ? REF_BODY_NONE : file->body_of[owner]; /* a file may have no symbols at all */
  if (body == REF_BODY_LOSES || input->info == file->lost_text || function->is_emptied) {
    if (input->info == file->lost_text) {
      ref_merge_lose_attributes(link, file);
    }
    return;
  }
  function->large_parameters += large_parameters;
  if (!function->live) {
    return;
  }
  const bool over_alias =
      function->alias_of != REF_NONE && body == REF_BODY_REPLACES && !ref_function_symbol_is_alias(file, owner);
  if (over_alias) { /* RF127 */
    function = &link->functions[function->alias_of];
  }
  if (function->is_stub) {
    function = &link->functions[link->first_stub];
  } else if (function->info == REF_NONE) {
    ref_merge_add_info_section(link, function);
  }
  function->info_order = link->info_count++;
  ref_records_read(link, file_number, section, function);
}

/* E25, E71 (RF572), C84: once a file and function, after the other errors of the file; the name is that of the first definition, or mention. */
static void ref_merge_check_prototype(ref_link *link, size_t file_number, uint32_t symbol, uint32_t offset) {
  const ref_file *file = &link->files[file_number];
  if (symbol >= file->cubin.symbol_count || file->function_of[symbol] == REF_NONE) {
    ref_message_fatal(link, "E71", "Internal error: no callgraph node"); /* L227 */
  }
  if (file->cubin.symbols[symbol].info >> 4 == REF_BIND_LOCAL) { /* RF486 */
    return;
  }
  ref_function *function = &link->functions[file->function_of[symbol]];
  if (function->has_clashed) { /* RF1135 */
    ref_message_fatal(link, "E71", "Internal error: no callgraph node");
  }
  const char *text = ref_input_string(&file->cubin, offset);
  if (function->prototype_so_far == NULL) {
    function->prototype_so_far = text;
  } else if (strcmp(function->prototype_so_far, text) != 0) {
    const size_t first = function->defined_so_far ? function->first_defined_in_so_far : function->first_mentioned_in;
    ref_message_add(link, REF_ERROR, "E25", "Prototype doesn't match for '%s' in '%s', first defined in '%s'",
                    function->name, file->name, link->files[first].name); /* RF418 */
  }
}

static void ref_merge_check_prototypes(ref_link *link, size_t file_number, const ref_section *section) {
  for (uint64_t at = 0; at + 8 <= section->size; at += 8) {
    ref_merge_check_prototype(link, file_number, ref_u32(section->data + at), ref_u32(section->data + at + 4));
  }
}

/* RF480: `.note.nv.tkinfo` is joined to the output's own record. Any other note, of whatever name, is a section like others, found by its
 * name; notes of flag 0x1000000 and those of an output of `-r` add nothing. */
static void ref_merge_note(ref_link *link, ref_file *file, uint32_t number) {
  const ref_section *input = &file->cubin.sections[number];
  if (link->relocatable || (input->flags & REF_FLAG_CUINFO) != 0) {
    return;
  }
  size_t section = ref_map_find(&link->section_by_name, input->name);
  if (section == REF_NONE) {
    ref_block_check_info(link, file, input);
    section =
        ref_section_add_with_symbol(link, input->name, input->type, input->flags, input->align, input->entry_size);
  }
  file->section_of[number] = section;
  file->offset_in[number] = ref_section_append(link, section, input);
}

/* W3.4: the second walk over the section headers. RF1170: Mercury's entries have the turn of the SASS side's. */
static void ref_merge_walk(ref_link *link, size_t file_number) {
  ref_file *file = &link->files[file_number];
  const uint32_t first = file->cubin.sections[0].type;
  if (first == REF_TYPE_REL || first == REF_TYPE_RELA) { /* L238 */
    ref_message_fatal(link, "E62", "Internal error: unexpected reloc section");
  }
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *input = &file->cubin.sections[i];
    if (input->turn != 0) {
      if (input->turn < file->cubin.section_count) {
        ref_relocations_read(link, file_number, input->turn);
      }
    } else if (input->type == REF_TYPE_INFO) {
      ref_merge_info(link, file_number, i);
    } else if (input->type == REF_TYPE_COMPAT) {
      ref_compat_merge(link, file_number, i);
    } else if (input->type == REF_TYPE_NOTE) {
      ref_merge_note(link, file, i);
    } else if (input->type == REF_TYPE_CALLGRAPH) {
      ref_function_note_taken(link, file, input);
    } else if (input->type == REF_TYPE_PROTOTYPE) {
      ref_merge_check_prototypes(link, file_number, input);
    } else if (input->type == REF_TYPE_METADATA) {
      ref_metadata_merge(link, input);
    } else if (input->type == REF_TYPE_REL || input->type == REF_TYPE_RELA) {
      ref_relocations_read(link, file_number, i);
    } else if (input->type == REF_TYPE_SHARED && !link->view->is_mercury) {
      ref_partial_add_shared(link, file_number, i);
    }
  }
}

static void ref_merge_file(ref_link *link, size_t file_number) {
  const ref_file *file = &link->files[file_number];
  const size_t errors = link->error_count;
  link->files[file_number].first_symbol = link->symbol_count;
  ref_system_check_file(link, file);
  if (file->cubin.symbol_section == 0) {
    ref_message_fatal(link, "E65", "Internal error: symsec not found");
  }
  if (file->has_no_strings) {
    ref_message_fatal(link, "E66", "Internal error: strsec not found");
  }
  ref_merge_functions(link, file_number);
  ref_objects_merge(link, file_number);
  ref_blocks_merge_rest(link, file_number);
  ref_merge_walk(link, file_number);
  ref_partial_add_read(link, file_number);
  if (link->error_count != errors) {
    ref_message_fatal(link, "E53", "merge_elf failed"); /* C72 */
  }
}

/* W3, "after all inputs". */
static void ref_merge_create_last_sections(ref_link *link) {
  link->callgraph_section = ref_section_add_with_symbol(link, ".nv.callgraph", REF_TYPE_CALLGRAPH, 0, 4, 8);
  link->sections[link->callgraph_section].links_symtab = true;
  link->prototype_section = ref_section_add_with_symbol(link, ".nv.prototype", REF_TYPE_PROTOTYPE, 0, 4, 8);
  link->sections[link->prototype_section].links_symtab = true;
  ref_relocate_make_room_for_shifts(link);
  if (link->relocatable) {
    ref_relocatable_prepare(link);
    return;
  }
  ref_bindless_create_tables(link);
  ref_shared_prepare(link);
  ref_constants_create_copies(link);
  if (link->is_capsule) {
    return; /* M11: no `.nv.rel.action` */
  }
  link->action_section = ref_section_add_with_symbol(link, ".nv.rel.action", REF_TYPE_REL_ACTION, 0, 8, 8);
}

/* About as many sections and symbols as the files have, and as many of their entries, but not too many, since they may all be of dead code. */
static void ref_merge_make_room(ref_link *link) {
  const size_t own = 8, most = 256;
  size_t sections = own, symbols = 2 * own, entries = own;
  for (size_t i = 0; i < link->file_count; i++) {
    const ref_cubin *cubin = &link->files[i].cubin;
    sections += cubin->section_count;
    symbols += cubin->symbol_count;
    for (uint32_t k = 1; k < cubin->section_count && entries < most; k++) {
      const uint32_t type = cubin->sections[k].type;
      entries += type == REF_TYPE_RELA || type == REF_TYPE_REL ? ref_cubin_relocation_count(cubin, k) : 0;
    }
  }
  entries = entries < most ? entries : most;
  link->relocations = REF_TAKE_ROOM(link, ref_out_relocation, entries);
  link->relocation_capacity = entries;
  ref_map_reserve(link, &link->section_by_name, sections);
  link->sections = REF_TAKE_ROOM(link, ref_out_section, sections);
  link->section_capacity = sections;
  link->symbols = REF_TAKE_ROOM(link, ref_out_symbol, symbols);
  link->symbol_capacity = symbols;
}

void ref_merge_files(ref_link *link) {
  ref_merge_make_room(link);
  ref_merge_create_first_sections(link);
  for (size_t i = 0; i < link->file_count; i++) {
    ref_merge_file(link, i);
  }
  ref_weak_delete_emptied(link);
  ref_objects_allocate_commons(link);
  ref_callgraph_analyze(link);
  ref_merge_create_last_sections(link);
}
