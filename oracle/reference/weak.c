/* A body or a variable that loses, a body that is replaced: W8, V5, V6, V9. */
#include "link.h"

#include <string.h>

enum { CODE_FRAME_SIZE = 0x11, CODE_MAX_STACK = 0x23, CODE_REGCOUNT = 0x2f };

/* Had this text a RELA section in its own file? */
static bool ref_weak_text_has_rela(const ref_file *file, uint32_t symbol) {
  const uint32_t text = file->cubin.symbols[symbol].section;
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const uint32_t type = file->cubin.sections[i].type;
    if ((type == REF_TYPE_RELA || type == REF_TYPE_REL) && file->cubin.sections[i].info == text &&
        file->cubin.sections[i].size != 0) {
      return true;
    }
  }
  return false;
}

/* --trace tells of what is there so far. */
static void ref_weak_drop_entry(ref_link *link, ref_out_relocation *entry, const char *line) {
  if (!entry->dropped) {
    ref_trace_tell(link, REF_TRACE_MERGE, "%s", line);
  }
  entry->dropped = true;
}

/* W8.2: in each of the three debug sections, the entries against the function that lie in the section's last created
 * relocation section, if text and debug section both have a RELA section. */
static void ref_weak_drop_debug_entries(ref_link *link, size_t function) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    ref_out_relocation *entry = &link->relocations[i];
    const ref_out_section *target = &link->sections[entry->target];
    if (entry->function == function && ref_relocation_target_is_debug(target->name) && target->rela != 0 &&
        entry->section == target->last_relocations) {
      ref_weak_drop_entry(link, entry, "remove weak reloc from debug");
      link->drops_entries = true;
    }
  }
}

/* RF951: SAM_REGION_STACK_SIZE of a body that is replaced stays. */
static void ref_weak_drop_records(ref_link *link, size_t symbol) {
  for (size_t i = 0; i < link->module_records.count; i++) {
    ref_record *record = &link->module_records.items[i];
    const bool counts =
        record->code == CODE_FRAME_SIZE || record->code == CODE_MAX_STACK || record->code == CODE_REGCOUNT;
    if (counts && !record->dropped && record->symbols.items[0] == symbol) {
      ref_trace_tell(link, REF_TRACE_MERGE, "remove weak frame_size");
      record->dropped = true;
    }
  }
}

/* The first block that still exists with this name. */
size_t ref_weak_find_block(const ref_link *link, const char *name) {
  for (size_t i = 0; i < link->section_count; i++) {
    if (!link->sections[i].deleted && strcmp(link->sections[i].name, name) == 0) {
      return i;
    }
  }
  return REF_NONE;
}

/* The entries of a jump table of a capsule. */
static void ref_weak_drop_table_entries(ref_link *link, size_t number) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    link->relocations[i].dropped = link->relocations[i].dropped || link->relocations[i].target == number;
  }
}

/* RF176: with a section its entries go, and their section with its name. */
void ref_weak_delete_entries(ref_link *link, size_t number) {
  const size_t sections[] = {link->sections[number].rel, link->sections[number].rela};
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
    if (sections[i] != 0) {
      link->sections[sections[i]].deleted = true;
      link->sections[sections[i]].dropped = true;
    }
  }
  ref_weak_drop_table_entries(link, number);
}

/* D88: by default -r has no symbols of a replaced body's constants, nor their names. */
static void ref_weak_drop_block_symbols(ref_link *link, size_t number) {
  if (!link->relocatable) {
    return;
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->section == number && symbol->type != REF_SYMBOL_SECTION) {
      symbol->has_no_name = true;
    }
  }
}

/* RF4: a device function's block stays where it is, empty, and takes the winner's constants, if there are any. RF46: so does
 * a kernel's section, for its image; it goes with its name if nothing fills it. RF462: so does what a losing body left for a device function. D86:
 * nvlink keeps the entries of an emptied block, which overwrite the winner's; by default they go. */
static void ref_weak_delete_block(ref_link *link, ref_function *function, size_t number) {
  ref_out_section *section = &link->sections[number];
  if (number == function->constant2) {
    function->constants_file = REF_NONE;
    function->constants_overlap = false;
  }
  if (section->constant_owner != REF_NONE || number == function->constant2) {
    section->data.size = 0;
    section->size = 0;
    if (!link->job->bug_compatible) {
      ref_weak_drop_table_entries(link, number);
      ref_weak_drop_block_symbols(link, number);
    }
    for (size_t i = 0; i < link->lost_constant_count; i++) {
      ref_constant_block *lost = &link->lost_constants[i];
      lost->section = lost->section == number ? REF_NONE : lost->section;
    }
    return;
  }
  section->data.size = 0;
  section->size = 0;
  section->is_emptied = true;
  if (!link->job->bug_compatible) {
    ref_weak_drop_table_entries(link, number);
  }
}

/* Behind the last file: what no later loser has filled again. */
void ref_weak_delete_emptied(ref_link *link) {
  for (size_t i = 1; i < link->section_count; i++) {
    ref_out_section *section = &link->sections[i];
    if (section->is_emptied && section->size == 0) {
      section->deleted = true;
      section->dropped = true;
      ref_weak_delete_entries(link, i);
    }
  }
}

/* W8.8, D7: compiler constants go by the section's NAME; by default only the function's own go. */
static void ref_weak_drop_constants(ref_link *link, ref_function *function) {
  const char *name = ref_memory_join(link, link->view->optimizer_prefix, function->name);
  const size_t first = ref_weak_find_block(link, name);
  if (first == REF_NONE) {
    return;
  }
  ref_trace_tell(link, REF_TRACE_MERGE, "remove weak ocg constants");
  const ref_out_section *section = &link->sections[first];
  const bool own = first == function->constant2 || (section->is_stray && section->info_section == function->text);
  if (own || link->job->bug_compatible) {
    ref_weak_delete_block(link, function, first);
  } else if (function->constant2 != REF_NONE) {
    ref_weak_delete_block(link, function, function->constant2);
  }
}

/* What a live function's text had: its entries and its attributes. */
void ref_weak_drop_records_of(ref_link *link, size_t number) {
  ref_function *function = &link->functions[number];
  for (size_t i = 0; i < link->relocation_count; i++) {
    if (link->relocations[i].target == function->text) {
      ref_weak_drop_entry(link, &link->relocations[i], "remove weak reloc");
      link->drops_entries = true;
    }
  }
  for (size_t i = 0; i < function->records.count; i++) {
    ref_trace_tell(link, REF_TRACE_MERGE, "remove weak nvinfo");
  }
  function->records.count = 0;
}

void ref_weak_drop_old_body(ref_link *link, size_t number) {
  ref_function *function = &link->functions[number];
  const ref_file *old = &link->files[function->defined_in_so_far];
  function->text_had_rela =
      function->text_had_rela || (function->defined_so_far && ref_weak_text_has_rela(old, function->defined_as_so_far));
  if (function->text_had_rela) {
    ref_weak_drop_debug_entries(link, number);
  }
  function->large_parameters = 0;
  ref_weak_drop_constants(link, function); /* RF59: of a dead function too */
  if (!function->live) {
    function->dead_references.count = 0;
    function->dead_bindless_mask = 0; /* RF777 */
    return;
  }
  ref_weak_drop_records_of(link, number);
  ref_weak_drop_records(link, function->symbol);
}

/* RF1: when a strong variable replaces a weak one, the entries against it in constant sections go, those of the tables of
 * addresses too (RF37). RF184: not those against a constant. */
void ref_weak_drop_constant_entries(ref_link *link, size_t symbol) {
  const size_t place = link->symbols[symbol].section;
  const bool constant = place != REF_NONE && link->sections[place].type == link->view->user_type;
  if (!link->job->bug_compatible || constant) {
    return; /* D83 */
  }
  for (size_t i = 0; i < link->relocation_count; i++) {
    const uint32_t type = link->sections[link->relocations[i].target].type;
    if (link->relocations[i].symbol == symbol && ref_relocation_target_forgets(link, type)) {
      link->drops_entries = true; /* L810 */
      link->relocations[i].dropped = true;
    }
  }
}

/* W8.5: the range of bytes of a weak variable that loses against a weak one. */
void ref_weak_note_lost_variable(ref_link *link, size_t file_number, uint32_t symbol) {
  ref_file *file = &link->files[file_number];
  ref_indices_add(link, &file->lost_variables, symbol);
}

bool ref_weak_offset_is_lost(const ref_file *file, uint32_t section, uint64_t offset) {
  for (size_t i = 0; i < file->lost_variables.count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[file->lost_variables.items[i]];
    if (symbol->section == section && offset >= symbol->value && offset - symbol->value < symbol->size) {
      return true;
    }
  }
  return false;
}
