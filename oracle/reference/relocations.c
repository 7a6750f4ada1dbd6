/* Reading the inputs' relocation sections: W2.5, W3.4, W8.3, W8.5, R12, R17, R30, R31, R36, R37, RF720, RF800, RF770, RF771, RF777, RF780, RF786, RF807, RF980. */
#include "link.h"
#include "relocation_table.h"

#include <stdlib.h>
#include <string.h>

enum {
  LAST_FORGOTTEN_BANK = 6,
  LOADER_FIRST = REF_MERCURY_FIRST + 60,
  LOADER_LAST = REF_MERCURY_FIRST + 63,
  ADDRESS = 55, /* of R_CUDA */
  ADDRESS_LOW = 56,
  ADDRESS_HIGH = 57,
  VISIBILITY = 3,
  INTERNAL = 1
};

static const char MERCURY_RELOCATIONS[] = ".nv.merc.rela";

bool ref_relocation_target_is_debug(const char *name) {
  return REF_IS(name, ".debug_frame") || REF_IS(name, ".debug_line") || REF_IS(name, ".nv_debug_line_sass");
}

static size_t ref_relocation_make_section(ref_link *link, size_t target, bool has_addend) {
  const uint32_t type = has_addend ? REF_TYPE_RELA : REF_TYPE_REL;
  ref_out_section *section = &link->sections[target];
  char *name = ref_memory_join(link, has_addend ? ".rela" : ".rel", section->stem);
  const bool hidden = section->constant_owner != REF_NONE; /* M20: the images' ones have names */
  const size_t number = hidden ? ref_section_add_hidden(link, name, type, REF_FLAG_INFO, 8, has_addend ? 24 : 16)
                               : ref_section_add(link, name, type, REF_FLAG_INFO, 8, has_addend ? 24 : 16);
  section = &link->sections[target];
  *(has_addend ? &section->rela : &section->rel) = number;
  section->last_relocations = number;
  link->sections[number].links_symtab = true;
  link->sections[number].info_section = target;
  link->sections[number].target = target;
  if (!hidden) {
    ref_preserve_add_section(link, target);
  } else if (link->preserves) { /* RF175 */
    ref_names_add_section(link, REF_NONE, ref_memory_join(link, ".nv.resolvedrela", section->stem));
  }
  return number;
}

/* R33: the module's relocation section, made by its first entry. */
size_t ref_relocation_section(ref_link *link, size_t target, bool has_addend) {
  const ref_out_section *section = &link->sections[target];
  const size_t known = has_addend ? section->rela : section->rel;
  return known == 0 ? ref_relocation_make_section(link, target, has_addend) : known;
}

/* Entries inside a variable's old bytes follow it. */
void ref_relocation_move_entries(ref_link *link, size_t section, const ref_out_symbol *symbol, uint64_t place,
                                 bool *moved) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    ref_out_relocation *entry = &link->relocations[i];
    if (!moved[i] && entry->target == section && entry->offset >= symbol->value &&
        entry->offset - symbol->value < symbol->size) {
      entry->offset = place + (entry->offset - symbol->value);
      moved[i] = true;
    }
  }
}

/* R30. RF571: metadata is none of them. RF302: Mercury's compiler constants are none in links of SASS kind. */
static void ref_relocation_check_target(ref_link *link, const ref_file *file, uint32_t target) {
  const uint32_t type = target < file->cubin.section_count ? file->cubin.sections[target].type : 0;
  const bool own = type == REF_TYPE_CONSTANT_GENERIC || type == REF_TYPE_GLOBAL_INIT || type == REF_TYPE_UFT ||
                   (type >= REF_TYPE_UIDX && type <= REF_TYPE_UDT) || type == REF_TYPE_UDT_ENTRY;
  const bool constant = ref_section_type_is_constant(type) && (type != REF_TYPE_CONSTANT_OPTIMIZER || link->is_capsule);
  if (type == REF_TYPE_PROGBITS || own || constant) {
    return;
  }
  if (link->has_unexpected_entry && file == &link->files[link->unexpected_file]) { /* RF731 */
    ref_message_fatal(link, "E75", "Internal error: unexpected reloc");
  } else { /* L192 */
    ref_message_fatal(link, "E62", "Internal error: unexpected reloc section");
  }
}

/* RF37: `$ADDRESS$` variables of code that is independent of its position. */
bool ref_relocation_is_address_table(uint32_t type) {
  return type == REF_TYPE_CONSTANT_PIC || type == REF_TYPE_CONSTANT + 4;
}

/* RF1, D83: sections whose entries against whatever lost in their file go. In links of SASS kind banks 1 and 3 to 6, but not the
 * parameters' 0 and the compiler's 2 (RF300); in capsules the user's constants and tables of addresses. */
bool ref_relocation_target_forgets(const ref_link *link, uint32_t type) {
  const uint32_t bank = type - REF_TYPE_CONSTANT;
  return link->is_capsule ? type == link->view->user_type || ref_relocation_is_address_table(type)
                          : bank == 1 || (bank >= 3 && bank <= LAST_FORGOTTEN_BANK);
}

/* W8.3: entries against a losing body in the three debug sections. RF1, D83: in constant sections, entries against whatever lost
 * in this file, so that a pointer in constant memory stays 0; by default they stay. */
bool ref_relocation_is_forgotten(const ref_link *link, const ref_file *file, uint32_t target, uint32_t symbol) {
  if (target >= file->cubin.section_count || symbol >= file->cubin.symbol_count) {
    return false;
  }
  const ref_section *section = &file->cubin.sections[target];
  const bool body_lost = file->function_of[symbol] != REF_NONE && file->body_of[symbol] == REF_BODY_LOSES;
  return (body_lost && ref_relocation_target_is_debug(section->name)) ||
         ((body_lost || file->lost[symbol]) && ref_relocation_target_forgets(link, section->type) &&
          link->job->bug_compatible);
}

/* RF854, RF980, RF1368: the SASS side's entries of debug sections, variables and user constants are made from Mercury's, and what the input has there is not
 * read. */
static bool ref_relocation_is_made(const ref_link *link, const ref_file *file, uint32_t target) {
  const ref_section *section = &file->cubin.sections[target];
  const bool data = section->type == REF_TYPE_GLOBAL_INIT || section->type == ref_view_sass.user_type ||
                    section->type == REF_TYPE_CONSTANT + 4;
  return link->is_capsule && !link->view->is_mercury && (data || strncmp(section->name, ".debug_", 7) == 0);
}

/* W8.5: entries inside a lost weak variable. RF37, RF974: those in constants stay. */
static bool ref_relocation_is_lost(const ref_link *link, const ref_file *file, uint32_t target,
                                   const ref_relocation *entry) {
  const uint32_t type = file->cubin.sections[target].type;
  const bool stays = ref_relocation_is_address_table(type) || (!link->is_capsule && ref_section_type_is_constant(type));
  return ref_relocation_is_forgotten(link, file, target, entry->symbol) ||
         (!stays && ref_weak_offset_is_lost(file, target, entry->offset));
}

bool ref_relocation_is_skipped(const ref_link *link, const ref_file *file, uint32_t target,
                               const ref_relocation *entry) {
  return target < file->cubin.section_count &&
         (ref_relocation_is_made(link, file, target) || ref_relocation_is_lost(link, file, target, entry));
}

/* L582: the module's `.nv.shared.K` for a file's, or REF_NONE. */
static size_t ref_relocation_shared_section(const ref_link *link, const ref_file *file, uint32_t section) {
  if (section >= file->cubin.section_count || file->cubin.sections[section].type != REF_TYPE_SHARED) {
    return REF_NONE;
  }
  const uint32_t owner = ref_merge_owner(file, section);
  return owner == 0 || file->function_of[owner] == REF_NONE ? REF_NONE
                                                            : link->functions[file->function_of[owner]].shared;
}

/* RF239: sections that the output has of its own or not at all; an entry against the symbol of one is about symbol 0 (R12). */
static bool ref_relocation_is_made_anew(uint32_t type) {
  static const uint32_t types[] = {REF_TYPE_CALLGRAPH, REF_TYPE_PROTOTYPE, REF_TYPE_INFO,
                                   REF_TYPE_COMPAT,    REF_TYPE_SYMTAB,    REF_TYPE_STRTAB,
                                   REF_TYPE_RELA,      REF_TYPE_REL,       REF_TYPE_REL_ACTION};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i] == type) {
      return true;
    }
  }
  return false;
}

/* RF573: what goes with a dead function: its text, its constants, and what holds a shared object. Of other sections nothing has gone, and a
 * constant that stays where its function goes ends the link later (E68). */
static bool ref_relocation_went_with_dead(const ref_link *link, const ref_file *file, uint32_t number) {
  const uint32_t type = file->cubin.sections[number].type, owner = ref_merge_owner(file, number);
  const size_t function = owner == 0 ? REF_NONE : file->function_of[owner];
  if (function == REF_NONE || (type == REF_TYPE_CONSTANT_OPTIMIZER && !link->is_capsule)) {
    return false;
  }
  if (ref_section_type_is_constant(type)) {
    return !ref_deleted_section_stays(link, file, number, &link->functions[function]);
  }
  return type == REF_TYPE_PROGBITS || file->holds_shared[number];
}

/* RF639: the text of a body that loses is no section of the link; its symbol stands for the first one of its name, which is mostly the text of
 * the body that stands. */
static bool ref_relocation_is_lost_text(const ref_file *file, uint32_t number) {
  const uint32_t owner = ref_merge_owner(file, number);
  return ref_merge_is_text(file, number) && owner != 0 && file->body_of[owner] == REF_BODY_LOSES;
}

/* RF720: nor are its parameters, whose symbol stands for the first section of their name as well. */
bool ref_relocation_is_lost_bank(const ref_link *link, const ref_file *file, uint32_t number) {
  const uint32_t owner = file->cubin.sections[number].type == REF_TYPE_CONSTANT ? ref_merge_owner(file, number) : 0;
  return !link->is_capsule && owner != 0 && file->body_of[owner] == REF_BODY_LOSES;
}

/* RF770: as for RF720, where all that a file has in a section of variables has lost. */
static bool ref_relocation_is_of_variables(const ref_file *file, uint32_t number) {
  const uint32_t type = file->cubin.sections[number].type;
  return type == REF_TYPE_GLOBAL || type == REF_TYPE_GLOBAL_INIT ||
         (ref_section_type_is_constant(type) && ref_merge_owner(file, number) == 0);
}

/* Dead code has no section in the link: whether that which the body that stands would have is called so. */
static bool ref_relocation_names_dead_text(const ref_link *link, const ref_file *file, uint32_t number) {
  const ref_function *function = &link->functions[file->function_of[ref_merge_owner(file, number)]];
  if (function->live || !function->defined) {
    return false;
  }
  const ref_cubin *cubin = &link->files[function->definition_file].cubin;
  const uint32_t text = cubin->symbols[function->definition_symbol].section;
  return text < cubin->section_count && strcmp(cubin->sections[text].name, file->cubin.sections[number].name) == 0;
}

/* RF977, RF786: beside capsules nvlink finds the symbol of a section by the name that the input has for it: of several sections of a name
 * (texts of static functions, or one and another file's that is not) that of the first, or a function or an object that is called so; none
 * where the output's section is called otherwise. RF1114: so it does that of the pool. RF1258: by default sections of one name are kept apart. */
static size_t ref_relocation_named_symbol(ref_link *link, size_t section, const char *name, bool any_mode) {
  const ref_out_section *known = &link->sections[section];
  const bool text = known->info_function != REF_NONE && name[0] == '.'; /* RF1022: in capsules so far only texts */
  if ((link->is_capsule && !text) || known->symbol == REF_NONE) {
    return known->symbol;
  }
  const size_t found = ref_named_find(link, name);
  const bool is_another = found != REF_NONE && link->symbols[found].type != REF_SYMBOL_SECTION;
  return any_mode || link->job->bug_compatible || is_another ? found : known->symbol;
}

/* RF1383: an executable has no symbol of the pool, but of a section that an object of another space brought, which is found by its name. */
static size_t ref_relocation_beside_pool(ref_link *link, const char *name) {
  const size_t pool = ref_section_find_pool(link);
  const size_t found =
      link->is_capsule || pool == REF_NONE ? REF_NONE : ref_relocation_named_symbol(link, pool, name, true);
  return found == REF_NONE || found == link->sections[pool].symbol ? REF_NONE : found;
}

/* RF239: the notes' symbols are those of the output's, `.nv_debug.shared` that of the pool, with -preserve-relocs too (RF603). */
static void ref_relocation_resolve_own(ref_link *link, const ref_file *file, uint32_t number,
                                       ref_out_relocation *output) {
  const ref_section *section = &file->cubin.sections[number];
  const bool note = section->type == REF_TYPE_NOTE, pool = REF_IS(section->name, ".nv_debug.shared");
  if (note && REF_IS(section->name, ".note.nv.tkinfo")) {
    output->symbol = link->sections[link->note_section].symbol;
  } else if (note && REF_IS(section->name, ".note.nv.cuinfo")) {
    output->symbol = link->sections[link->cuinfo_section].symbol;
  } else if (pool && (link->relocatable || link->preserves || ref_option_given(link, REF_OPTION_DEBUG))) {
    const size_t found = ref_section_find_pool(link);
    output->symbol = found == REF_NONE ? REF_NONE : ref_relocation_named_symbol(link, found, section->name, true);
  } else if (pool) {
    output->symbol = ref_relocation_beside_pool(link, section->name);
  }
  if (output->symbol == REF_NONE &&
      (ref_relocation_is_lost_bank(link, file, number) || ref_relocation_is_of_variables(file, number))) {
    output->symbol = ref_named_find(link, section->name);
  }
  if (output->symbol == REF_NONE && section->type == REF_TYPE_SHARED && !pool && !link->is_capsule &&
      ref_merge_owner(file, number) == 0) { /* RF1128 */
    output->symbol = ref_named_find(link, section->name);
  }
  const bool lost = output->symbol == REF_NONE && ref_relocation_is_lost_text(file, number);
  if (lost) {
    output->symbol = ref_named_find(link, section->name);
  }
  const bool own = ref_relocation_went_with_dead(link, file, number) &&
                   (!lost || ref_relocation_names_dead_text(link, file, number));
  const bool has_pool = ref_section_find_pool(link) != REF_NONE; /* RF807 */
  output->names_gone_section =
      output->symbol == REF_NONE && !ref_relocation_is_made_anew(section->type) &&
      ((pool && has_pool) || (own && !link->everything_live)); /* RF421: else nothing has gone there; RF431 */
  output->names_dead_code = output->names_gone_section && own;
  output->gone_type = section->type;
}

static size_t ref_relocation_function_of(const ref_file *file, uint32_t section) {
  const uint32_t owner = section < file->cubin.section_count ? ref_merge_owner(file, section) : 0;
  return owner == 0 ? REF_NONE : file->function_of[owner];
}

/* RF554: what an object of a body that loses is about: the one of its name in the first body before it that stood then. */
static const ref_file *ref_relocation_find_constant(const ref_link *link, const ref_file *file, uint32_t *index) {
  const ref_symbol *input = &file->cubin.symbols[*index];
  const uint32_t owner = ref_merge_owner(file, input->section);
  if (file->body_of[owner] != REF_BODY_LOSES) {
    return file;
  }
  for (const ref_file *before = link->files; before < file; before++) {
    for (uint32_t i = 1; i < before->cubin.symbol_count; i++) {
      const ref_symbol *symbol = &before->cubin.symbols[i];
      if (strcmp(symbol->name, input->name) == 0 &&
          ref_relocation_function_of(before, symbol->section) == file->function_of[owner] &&
          before->body_of[ref_merge_owner(before, symbol->section)] != REF_BODY_LOSES) {
        *index = i;
        return before;
      }
    }
  }
  return NULL;
}

/* L1094: an object in the compiler constants of dead code is carried out as their section's symbol is (RF401), but has their alignment
 * (L1095) and a value of its own (RF554). One that is not dropped with them (L162) ends the link later. */
static void ref_relocation_resolve_dead_constant(const ref_link *link, const ref_file *file, uint32_t index,
                                                 ref_out_relocation *output) {
  const uint32_t number = file->cubin.symbols[index].section;
  const size_t function = ref_relocation_function_of(file, number);
  if (output->symbol != REF_NONE || function == REF_NONE ||
      file->cubin.sections[number].type != link->view->optimizer_type) {
    return;
  }
  const ref_file *standing = ref_relocation_find_constant(link, file, &index);
  if (standing == NULL) {
    return;
  }
  const ref_symbol *input = &standing->cubin.symbols[index];
  if (link->functions[function].live) {
    output->symbol = standing->symbol_of[index];
    return;
  }
  output->names_dead_constant = true;
  output->names_gone_section = !ref_deleted_object_stays(input, &link->functions[function]);
  output->names_dead_code = output->names_gone_section;
  output->gone_type = standing->cubin.sections[input->section].type;
  output->gone_align = standing->cubin.sections[input->section].align;
  output->gone_value = input->value;
}

/* L1102: the symbol of a jump slot's section, which the index file's `.nv.uft` replaces, stands for nothing (R12). */
static bool ref_relocation_names_slot(const ref_link *link, const ref_file *file, uint32_t section) {
  return link->has_index && !link->relocatable && section < file->cubin.section_count &&
         file->cubin.sections[section].type == REF_TYPE_UFT && !REF_IS(file->cubin.sections[section].name, ".nv.uft");
}

static void ref_relocation_resolve_section(ref_link *link, const ref_file *file, uint32_t section,
                                           ref_out_relocation *output) {
  const size_t shared = ref_relocation_shared_section(link, file, section);
  const size_t place = section < file->cubin.section_count ? file->section_of[section] : REF_NONE;
  const bool by_name =
      ref_partial_is_file(link, (size_t)(file - link->files)) && place != REF_NONE && place != shared; /* RF1211 */
  if (shared != REF_NONE && !by_name) {
    output->symbol = link->sections[shared].symbol;
    output->block_offset = place == shared ? file->offset_in[section] : 0; /* L1595 */
  } else if (ref_relocation_names_slot(link, file, section)) {
    output->symbol = REF_NONE;
  } else if (place != REF_NONE) {
    output->symbol = ref_relocation_named_symbol(link, place, file->cubin.sections[section].name, false);
    output->function = output->symbol == REF_NONE ? REF_NONE : link->symbols[output->symbol].function;
    output->names_unlisted = link->sections[place].symbol == REF_NONE;
    output->gone_type = file->cubin.sections[section].type;
    output->block_offset = file->offset_in[section];
  } else if (section != 0 && section < file->cubin.section_count) {
    ref_relocation_resolve_own(link, file, section, output);
  }
}

/* RF754; RF891: what an attribute names is found by its name in both modes. */
size_t ref_relocation_section_symbol(ref_link *link, const ref_file *file, uint32_t section) {
  ref_out_relocation entry = {.symbol = REF_NONE};
  const size_t place = section < file->cubin.section_count ? file->section_of[section] : REF_NONE;
  const bool shared = ref_relocation_shared_section(link, file, section) != REF_NONE;
  if (place != REF_NONE && !shared && !ref_relocation_names_slot(link, file, section)) {
    return ref_relocation_named_symbol(link, place, file->cubin.sections[section].name, true);
  }
  ref_relocation_resolve_section(link, file, section, &entry);
  return entry.symbol;
}

/* W11.7, RF800: a shared object that is not in the link has no place, and the bank of its section. One that is hidden or protected is
 * listed all the same (L469) and ends the link later. RF801: what is INTERNAL beside a dead function's variables has its value. */
static void ref_relocation_resolve_gone_shared(const ref_link *link, const ref_file *file, const ref_symbol *input,
                                               ref_out_relocation *output) {
  const uint8_t type = input->info & 15;
  const bool object = type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_CUDA_OBJECT;
  const bool listed = link->job->bug_compatible && (input->other & VISIBILITY) > INTERNAL && input->size != 0;
  output->names_gone_shared =
      output->symbol == REF_NONE && object && !listed && (input->other & REF_SPACE_MASK) == REF_SPACE_SHARED;
  if (output->symbol != REF_NONE || !object || input->section >= file->cubin.section_count) {
    return;
  }
  output->names_unlisted = !output->names_gone_shared && (input->other & VISIBILITY) == INTERNAL &&
                           ref_deleted_is_about_dead(link, file, input->section);
  output->gone_type = file->cubin.sections[input->section].type;
  output->gone_value = input->value;
  if (output->names_gone_shared) { /* RF889 */
    output->gone_align = (uint32_t)input->value;
  }
}

/* RF780: the name of another section's symbol can be that of a dead function's text, too, which has gone. */
static void ref_relocation_resolve_dead_name(const ref_link *link, const ref_symbol *input,
                                             ref_out_relocation *output) {
  static const char prefix[] = ".text.";
  if (link->is_capsule || link->everything_live || output->symbol != REF_NONE ||
      strncmp(input->name, prefix, sizeof prefix - 1) != 0) {
    return;
  }
  const size_t number = ref_map_find(&link->function_by_name, input->name + sizeof prefix - 1);
  const ref_function *function = number == REF_NONE ? NULL : &link->functions[number];
  output->names_gone_section = function != NULL && function->defined_so_far && !function->live;
  output->names_dead_code = output->names_gone_section;
  output->gone_type = REF_TYPE_PROGBITS;
}

/* RF1242: an INTERNAL object that is nowhere, such as `.nv.ptx.const0.size`, has no symbol in a capsule's executable. */
static bool ref_relocation_is_internal(const ref_link *link, const ref_symbol *input,
                                       const ref_out_relocation *output) {
  const uint8_t type = input->info & 15;
  return link->is_capsule && !link->relocatable && output->symbol == REF_NONE && input->section == 0 &&
         (input->other & VISIBILITY) == INTERNAL && (type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_CUDA_OBJECT);
}

static void ref_relocation_resolve_symbol(ref_link *link, ref_file *file, const ref_relocation *entry,
                                          ref_out_relocation *output) {
  if (entry->symbol >= file->cubin.symbol_count) { /* D44: nvlink reads what lies behind the table */
    ref_message_fatal(link, "D44", "Input file '%s': relocation against symbol %u of %zu", file->name, entry->symbol,
                      file->cubin.symbol_count);
  }
  const ref_symbol *input = &file->cubin.symbols[entry->symbol];
  output->function = file->function_of[entry->symbol];
  if (ref_named_is_another(file, input)) {
    output->symbol = ref_named_find_symbol(link, file, input);
    output->function = output->symbol == REF_NONE ? REF_NONE : link->symbols[output->symbol].function;
    ref_relocation_resolve_dead_name(link, input, output);
    if ((input->info & 15) == REF_SYMBOL_SECTION && input->section < file->cubin.section_count) { /* RF440 */
      output->block_offset = file->offset_in[input->section]; /* R36 knows the section alone */
    }
    return;
  }
  if (output->function != REF_NONE) {
    output->symbol = link->functions[output->function].symbol;
  } else if ((input->info & 15) == REF_SYMBOL_SECTION) {
    ref_relocation_resolve_section(link, file, input->section, output);
  } else {
    output->symbol = file->symbol_of[entry->symbol];
    if (output->symbol != REF_NONE && !link->is_capsule) { /* RF1115: an object that is a function of its name */
      output->function = link->symbols[output->symbol].function;
    }
    ref_relocation_resolve_gone_shared(link, file, input, output);
    const uint8_t type = input->info & 15;
    const bool texture = type >= REF_SYMBOL_TEXTURE && type <= REF_SYMBOL_SURFACE; /* RF1373 */
    output->names_constant_size = !texture && input->section == 0 && REF_IS(input->name, ".nv.ptx.const0.size");
    output->names_internal = ref_relocation_is_internal(link, input, output);
    if (output->names_constant_size && link->constant_size_symbol != 0) {
      output->symbol = link->constant_size_symbol; /* RF101 */
    }
    ref_relocation_resolve_dead_constant(link, file, entry->symbol, output);
  }
}

/* R36, R37: the block's offset goes to the addend; a REL entry with such an offset becomes RELA. D12: nvlink then forgets
 * the old content of the field. */
static void ref_relocation_add_block_offset(const ref_link *link, ref_out_relocation *output) {
  if (output->block_offset == 0) {
    return;
  }
  output->adds_old = !output->has_addend && !link->job->bug_compatible;
  output->addend = (int64_t)((uint64_t)output->addend + output->block_offset);
  output->has_addend = true;
}

static int ref_relocation_compare_loader(const void *left, const void *right) {
  const ref_loader_entry *a = left, *b = right;
  const int order = strcmp(a->target, b->target);
  return order != 0 ? order : ref_order(a->offset, b->offset);
}

/* L585: Mercury's 60 to 63 are for the loader. All of a file, by what they are about. */
static void ref_relocation_list_loader(ref_link *link, ref_file *file) {
  const size_t prefix = strlen(MERCURY_RELOCATIONS);
  file->loader = REF_TAKE_ONE(link, ref_loader_entry);
  file->loader_capacity = 1;
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    if (section->type != REF_TYPE_MERCURY_RELA || strncmp(section->name, MERCURY_RELOCATIONS, prefix) != 0) {
      continue;
    }
    for (size_t k = 0; k < ref_cubin_relocation_count(&file->whole, i); k++) {
      const ref_relocation entry = ref_cubin_relocation(&file->whole, i, k);
      if (entry.type >= LOADER_FIRST && entry.type <= LOADER_LAST) {
        file->loader =
            ref_memory_grow(link, file->loader, file->loader_count, &file->loader_capacity, sizeof *file->loader);
        file->loader[file->loader_count++] = (ref_loader_entry){section->name + prefix, entry.offset};
      }
    }
  }
  qsort(file->loader, file->loader_count, sizeof *file->loader, ref_relocation_compare_loader);
}

/* L585: what stands beside an entry for the loader in the SASS view of a capsule's data is for it, too. */
static bool ref_relocation_is_of_loader(ref_link *link, ref_file *file, uint32_t target, const ref_relocation *entry) {
  const ref_loader_entry wanted = {file->cubin.sections[target].name, entry->offset};
  if (!link->is_capsule || link->view->is_mercury || ref_merge_owner(file, target) != 0) {
    return false;
  }
  if (file->loader == NULL) {
    ref_relocation_list_loader(link, file);
  }
  return bsearch(&wanted, file->loader, file->loader_count, sizeof *file->loader, ref_relocation_compare_loader) !=
         NULL;
}

/* RF219: nvlink ends by a signal over an entry of a capsule's code against symbol 0, before anything undefined is reported. */
static void ref_relocation_check_code(ref_link *link, const ref_file *file, const ref_relocation *entry,
                                      const ref_out_relocation *output) {
  if (link->is_capsule && link->view->is_mercury && link->sections[output->target].info_function != REF_NONE &&
      entry->symbol == 0) {
    ref_message_fatal(link, "RF219", "Input file '%s': relocation %u of code is about no symbol", file->name,
                      entry->type % REF_MERCURY_FIRST);
  }
}

/* RF220 */
static bool ref_relocation_is_kernel_address(const ref_link *link, const ref_out_relocation *output) {
  const bool address = output->type == ADDRESS || output->type == ADDRESS_LOW || output->type == ADDRESS_HIGH;
  return address && link->is_capsule && !link->view->is_mercury && output->function != REF_NONE &&
         link->functions[output->function].entry && link->sections[output->target].info_function != REF_NONE;
}

/* W2.5, L898: of the addend with the section's place. RF959: beside capsules it is made, for REL entries that may follow; that of
 * a device function's constants has no name (RF1030). */
static void ref_relocation_make_other(ref_link *link, size_t target) {
  ref_out_section *section = &link->sections[target];
  if (!link->is_capsule) {
    const size_t last = section->last_relocations;
    (void)ref_relocation_section(link, target, false);
    link->sections[target].last_relocations = last;
    return;
  }
  const char *name =
      section->rel != 0 ? link->sections[section->rel].name : ref_memory_join(link, ".rel", section->stem);
  if (section->constant_owner == REF_NONE) { /* RF1059; RF1311: and goes with the section */
    ref_names_add_section(link, target, name);
  }
  if (section->rel == 0 && !section->has_left_out) {
    section->has_left_out = true;
    ref_indices_add(link, &link->left_out, link->section_count); /* RF177 */
  }
}

/* RF771: entries of a function's text are called after what the file's first ones are about, of either kind for themselves (RF846). */
static void ref_relocation_name_target(ref_link *link, const ref_file *file, uint32_t target, bool has_addend) {
  ref_out_section *section = &link->sections[file->section_of[target]];
  const bool is_first =
      !link->is_capsule && section->info_function != REF_NONE && (has_addend ? section->rela : section->rel) == 0;
  if (!is_first || (file->cubin.sections[target].flags & REF_FLAG_EXEC) == 0) {
    return;
  }
  const uint32_t owner = ref_function_primary(file, target);
  const bool lent =
      owner != 0 && file->function_of[owner] != REF_NONE &&
      link->functions[section->info_function].text != link->functions[file->function_of[owner]].text; /* RF1051 */
  if (lent || !ref_function_owns_text(file, target)) {
    section->stem = file->cubin.sections[target].name;
  }
}

/* RF686: an entry of Mercury's with a number of the SASS side's (L584). */
static bool ref_relocation_is_unexpected(const ref_link *link, const ref_relocation *entry) {
  return link->view->is_mercury && entry->type != 0 && entry->type <= REF_MERCURY_FIRST;
}

static void ref_relocation_add(ref_link *link, size_t file_number, uint32_t table, const ref_relocation *entry,
                               bool has_addend, size_t processed) {
  ref_file *file = &link->files[file_number];
  const uint32_t target = file->cubin.sections[table].info;
  if (ref_relocation_is_unexpected(link, entry)) {
    link->has_unexpected_entry = true; /* RF686 */
    link->unexpected_file = file_number;
    return;
  }
  link->relocations = ref_memory_grow(link, link->relocations, link->relocation_count, &link->relocation_capacity,
                                      sizeof *link->relocations);
  ref_out_relocation *output = &link->relocations[link->relocation_count]; /* nobody adds another one here */
  *output = (ref_out_relocation){.target = file->section_of[target],
                                 .file = file_number,
                                 .input_symbol = entry->symbol,
                                 .input_target = target,
                                 .offset = entry->offset + file->offset_in[target],
                                 .input_offset = entry->offset,
                                 .type = entry->type,
                                 .symbol = REF_NONE,
                                 .function = REF_NONE,
                                 .addend = entry->addend,
                                 .has_addend = has_addend,
                                 .is_of_loader = ref_relocation_is_of_loader(link, file, target, entry)};
  ref_relocation_resolve_symbol(link, file, entry, output);
  if (ref_relocation_is_kernel_address(link, output)) {
    output->type = ref_mercury_descriptor_type(link, file, table, entry);
  }
  ref_relocation_check_code(link, file, entry, output);
  ref_relocation_add_block_offset(link, output);
  ref_relocation_name_target(link, file, target, has_addend);
  output->section = ref_relocation_section(link, output->target, output->has_addend);
  if (has_addend && output->addend == 0 && processed != 0) {
    ref_relocation_make_other(link, output->target);
  }
  link->relocation_count++;
}

/* True for what goes with a function that is dead or whose body lost. */
static bool ref_relocation_target_is_gone(const ref_link *link, const ref_file *file, uint32_t target) {
  const uint32_t owner = ref_merge_owner(file, target);
  if (owner != 0 && file->function_of[owner] != REF_NONE) {
    const bool stray = link->view->is_mercury && file->section_of[target] != REF_NONE; /* W8.8, M20 */
    return !link->functions[file->function_of[owner]].live || (file->body_of[owner] == REF_BODY_LOSES && !stray);
  }
  return false;
}

/* L708: beside capsules what is about the parameters of a body that lost is about the bank of their name. */
static bool ref_relocation_find_bank(const ref_link *link, ref_file *file, uint32_t target) {
  if (target >= file->cubin.section_count || !ref_relocation_is_lost_bank(link, file, target)) {
    return false;
  }
  const size_t function = file->function_of[ref_merge_owner(file, target)];
  if (function == REF_NONE || !link->functions[function].live) {
    return false;
  }
  const size_t bank = ref_map_find(&link->section_by_name, file->cubin.sections[target].name);
  if (file->section_of[target] == REF_NONE && bank != REF_NONE && link->sections[bank].type == REF_TYPE_CONSTANT) {
    file->section_of[target] = bank;
    file->offset_in[target] = 0;
  }
  return file->section_of[target] != REF_NONE;
}

/* W6.12: with one kernel, references from dead functions count too, until another body replaces theirs (RF777). */
static void ref_relocation_note_dead_textures(const ref_file *file, uint32_t section, ref_function *function) {
  const size_t count = ref_cubin_relocation_count(&file->cubin, section);
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_entry(&file->cubin.sections[section], i);
    if (entry.symbol < file->cubin.symbol_count && file->function_of[entry.symbol] == REF_NONE &&
        ref_bindless_takes(entry.type)) {
      function->dead_bindless_mask |= ref_bindless_mask_of(file->cubin.symbols[entry.symbol].info & 15);
    }
  }
}

/* RF1153, L235: in dead code, too, nvlink looks up what an entry's type is. */
static void ref_relocation_check_dead_types(ref_link *link, size_t file_number, uint32_t section) {
  const ref_cubin *cubin = &link->files[file_number].cubin;
  for (size_t i = 0; i < ref_cubin_relocation_count(cubin, section); i++) {
    const ref_relocation entry = ref_cubin_relocation(cubin, section, i);
    if (ref_relocation_is_unexpected(link, &entry)) {
      link->has_unexpected_entry = true;
      link->unexpected_file = file_number;
    }
  }
}

/* W9.9: shared objects that only dead functions refer to. */
static void ref_relocation_note_dead(ref_link *link, const ref_file *file, uint32_t section) {
  const uint32_t owner = ref_merge_owner(file, file->cubin.sections[section].info);
  if (file->body_of[owner] == REF_BODY_LOSES) {
    return;
  }
  const size_t count = ref_cubin_relocation_count(&file->cubin, section);
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_entry(&file->cubin.sections[section], i);
    if (ref_relocation_is_unexpected(link, &entry)) { /* RF1192: of dead code, too */
      link->has_unexpected_entry = true;
      link->unexpected_file = (size_t)(file - link->files);
    }
  }
  ref_function *function = &link->functions[file->function_of[owner]];
  ref_relocation_note_dead_textures(file, section, function);
  if (!ref_merge_is_text(file, file->cubin.sections[section].info)) {
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_entry(&file->cubin.sections[section], i);
    const size_t symbol = entry.symbol < file->cubin.symbol_count ? file->symbol_of[entry.symbol] : REF_NONE;
    if (symbol != REF_NONE && (link->symbols[symbol].other & REF_SPACE_MASK) == REF_SPACE_SHARED) {
      ref_indices_add(link, &function->dead_references, symbol);
    }
  }
}

/* L891: where what counts of a function's compiler constants ends. By default the entries behind it, which a body that lost left in a
 * relocatable output, go with their constants. */
static uint64_t ref_relocations_end(const ref_link *link, const ref_file *file, uint32_t target) {
  const uint64_t end = link->job->bug_compatible || file->cubin.sections[target].type != link->view->optimizer_type
                           ? 0
                           : ref_block_end_of_symbols(link, file, target);
  return end == 0 ? UINT64_MAX : end;
}

/* RF1386: entries that an alias over a weak body loses (RF1048) come to those of the body, of the same kind, if it has any, without a name of
 * their own. */
static bool ref_relocations_take_lost(const ref_link *link, const ref_file *file, uint32_t type) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const bool lies = file->function_of[i] != REF_NONE && file->cubin.symbols[i].section == file->lost_text;
    const ref_function *function = lies ? &link->functions[file->function_of[i]] : NULL;
    if (function != NULL && function->is_emptied && function->text != REF_NONE) {
      const ref_out_section *text = &link->sections[function->text];
      return (type == REF_TYPE_RELA ? text->rela : text->rel) != 0;
    }
  }
  return false;
}

void ref_relocations_read(ref_link *link, size_t file_number, uint32_t section) {
  ref_file *file = &link->files[file_number];
  const ref_section *input = &file->cubin.sections[section];
  const size_t count = ref_cubin_relocation_count(&file->cubin, section);
  size_t processed = 0;
  if (input->entry_size == 0 && input->size != 0) {
    ref_message_fatal(link, "D17", "Input file '%s': relocation section '%s' has entry size 0", file->name,
                      input->name);
  }
  ref_relocation_check_target(link, file, input->info);
  if (count == 0) {
    return;
  }
  const bool bank = ref_relocation_find_bank(link, file, input->info);
  if (!bank && ref_relocation_target_is_gone(link, file, input->info)) {
    ref_relocation_check_dead_types(link, file_number, section);
    ref_relocation_note_dead(link, file, section);
    return;
  }
  if (file->section_of[input->info] == REF_NONE) {
    ref_merge_refuse_section(link, file, input->info);
    return;
  }
  const uint64_t end = ref_relocations_end(link, file, input->info);
  const ref_pair *pairs = ref_pairs_find(link, file, section);
  const bool lost = !link->is_capsule && input->info != 0 && input->info == file->lost_text; /* RF1048 */
  const bool taken =
      ref_relocation_is_made(link, file, input->info) || (lost && ref_relocations_take_lost(link, file, input->type));
  for (size_t i = 0; i < count && !taken; i++) {
    ref_relocation entry = ref_cubin_entry(input, i);
    if (pairs != NULL && !ref_pair_take(file, &pairs[i], &entry)) {
      continue;
    }
    const bool counts = entry.offset < end || entry.offset >= file->cubin.sections[input->info].size; /* RF605 */
    if ((end == UINT64_MAX || counts) && !ref_relocation_is_lost(link, file, input->info, &entry)) {
      const size_t before = link->relocation_count;
      ref_relocation_add(link, file_number, section, &entry, input->type == REF_TYPE_RELA, processed++);
      if (link->relocation_count == before) { /* RF686 */
        continue;
      }
      ref_out_relocation *added = &link->relocations[before];
      added->input_table = section;
      added->input_number = i;
      added->beside_table = pairs == NULL ? 0 : pairs[i].section;
      added->beside_number = pairs == NULL ? 0 : pairs[i].number;
      added->dropped = added->dropped || (lost && !added->names_gone_section);
    }
  }
}
