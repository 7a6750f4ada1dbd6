/* What lies with dead code or with a body that lost, and is not dropped with it: nvlink then finds a symbol or a section that names a
 * section which is gone (E68). L162, L449, L466, L700, RF55, RF63, RF85, RF124, RF185, RF366, RF801. */
#include "link.h"

#include <string.h>

enum { VISIBILITY = 3, INTERNAL = 1, BANK_FIRST = 0x70000065, BANK_LAST = 0x70000075 };

static void ref_deleted_refuse(ref_link *link, bool refused) {
  if (refused) {
    ref_message_fatal(link, "E68", "Internal error: reference to deleted section");
  }
}

/* The rest of a section's name behind a prefix, or NULL. */
static const char *ref_deleted_name_behind(const ref_section *section, const char *prefix) {
  const size_t length = strlen(prefix);
  return strncmp(section->name, prefix, length) == 0 ? section->name + length : NULL;
}

/* L861: parameters that have the name of a dead kernel, of whatever file, go with it. */
bool ref_deleted_is_of_dead_kernel(const ref_link *link, const ref_section *section) {
  const char *name = ref_deleted_name_behind(section, ".nv.constant0.");
  if (name == NULL || section->type != REF_TYPE_CONSTANT) {
    return false;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    if (function->entry && !function->live && strcmp(function->name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* RF85, RF366: a texture that is the parameter of a kernel that is deleted. RF801: hidden shared memory of another dead function. */
void ref_deleted_check_parameters(ref_link *link) {
  ref_deleted_refuse(link, link->has_dead_parameter);
  if (link->has_dead_hidden && link->job->bug_compatible) {
    ref_message_fatal(link, "E70", "Internal error: unallocated symbol");
  }
}

/* RF63: an alias that is deleted while its function lives, or the other way round (V11a for local and weak functions). RF124: so
 * is one of a body that replaced another. */
void ref_deleted_check_aliases(ref_link *link) {
  if (!link->job->bug_compatible) {
    return;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *alias = &link->functions[i];
    ref_deleted_refuse(link, alias->alias_of != REF_NONE && ref_function_alias_goes_by_section(link, alias) &&
                                 alias->live != link->functions[alias->alias_of].live);
  }
}

static bool ref_deleted_is_of_variables(uint32_t type) {
  return type == REF_TYPE_GLOBAL || type == REF_TYPE_GLOBAL_INIT || type == REF_TYPE_LOCAL;
}

/* The function whose code a file's section is about, or REF_NONE. L1303: that of variables whatever their flags. */
static size_t ref_deleted_owner(const ref_file *file, uint32_t number) {
  const ref_section *section = &file->cubin.sections[number];
  uint32_t owner = ref_merge_owner(file, number);
  if (owner == 0 && ref_deleted_is_of_variables(section->type) && section->info < file->cubin.section_count &&
      ref_merge_is_text(file, section->info)) {
    owner = ref_merge_owner(file, section->info);
  }
  return owner == 0 ? REF_NONE : file->function_of[owner];
}

/* Whether a section holds the variables or the shared memory of a dead function. */
bool ref_deleted_is_about_dead(const ref_link *link, const ref_file *file, uint32_t section) {
  const uint32_t type = file->cubin.sections[section].type;
  const size_t owner = ref_deleted_owner(file, section);
  return owner != REF_NONE && !link->functions[owner].live &&
         (ref_deleted_is_of_variables(type) || type == REF_TYPE_SHARED);
}

static bool ref_deleted_is_object(const ref_symbol *symbol) {
  const uint8_t type = symbol->info & 15;
  return type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_CUDA_OBJECT;
}

static bool ref_deleted_holds_object(const ref_file *file, uint32_t section) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    if (file->cubin.symbols[i].section == section && ref_deleted_is_object(&file->cubin.symbols[i])) {
      return true;
    }
  }
  return false;
}

/* L860, L861: compiler constants go by their function's name, by an object in them, or with another section of their name: one before them
 * in the file, or one behind them that holds an object. */
static bool ref_deleted_finds_constants(const ref_file *file, uint32_t number, const ref_function *function) {
  const ref_section *section = &file->cubin.sections[number];
  const char *own = ref_deleted_name_behind(section, ref_view_sass.optimizer_prefix);
  if (own != NULL && strcmp(own, function->name) == 0) {
    return true;
  }
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const bool is_namesake = strcmp(file->cubin.sections[i].name, section->name) == 0;
    if (is_namesake && (i < number || ref_deleted_holds_object(file, i))) {
      return true;
    }
  }
  return false;
}

/* L162: a dead kernel's parameters go by their name, RF55: those of another function stay. L466: other constants go where an earlier section
 * has their name. RF304: what ptxas laid out in a kernel that is not named; by default it goes. RF574: so do initialised variables and
 * unified objects that name a dead function stay. */
bool ref_deleted_section_stays(const ref_link *link, const ref_file *file, uint32_t number,
                               const ref_function *function) {
  const ref_section *section = &file->cubin.sections[number];
  if (section->type == REF_TYPE_CONSTANT) {
    return function->entry && !ref_deleted_is_of_dead_kernel(link, section);
  }
  if (section->type == ref_view_sass.optimizer_type) {
    return !ref_deleted_finds_constants(file, number, function);
  }
  if (section->type == REF_TYPE_GLOBAL_INIT || section->type == REF_TYPE_UDT) {
    return !function->entry; /* RF574, RF801 */
  }
  const bool laid = section->type == REF_TYPE_CONSTANT_TABLE && link->job->bug_compatible;
  return (laid || (section->type >= BANK_FIRST && section->type <= BANK_LAST)) &&
         ref_map_find(&link->section_by_name, section->name) == REF_NONE;
}

/* L162, L449: an object there is dropped when it is shared, a constant of a device function, or INTERNAL. */
bool ref_deleted_object_stays(const ref_symbol *symbol, const ref_function *function) {
  const uint8_t space = symbol->other & REF_SPACE_MASK;
  const bool internal = (symbol->other & VISIBILITY) == INTERNAL;
  return symbol->info >> 4 == REF_BIND_LOCAL && space != REF_SPACE_SHARED && !internal &&
         !(space == REF_SPACE_CONSTANT && !function->entry);
}

/* RF801: sections of variables and of shared memory about dead code. Those of a kernel go, and with them what is shared or INTERNAL there; a
 * global initialised variable is taken along. Those of another function stay with all that is in them. */
static bool ref_deleted_variable_stays(const ref_symbol *symbol, uint32_t type, const ref_function *function) {
  const bool taken = type == REF_TYPE_GLOBAL_INIT && symbol->info >> 4 == REF_BIND_GLOBAL;
  return function->entry && !taken && (symbol->other & VISIBILITY) != INTERNAL &&
         (symbol->other & REF_SPACE_MASK) != REF_SPACE_SHARED;
}

static void ref_deleted_check_objects(ref_link *link, const ref_file *file) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    if (!ref_object_is_data(symbol->info & 15) || symbol->section == 0 ||
        symbol->section >= file->cubin.section_count) {
      continue;
    }
    const size_t owner = ref_deleted_owner(file, symbol->section);
    const bool pool = link->pool != 0 && file->section_of[symbol->section] == link->pool &&
                      (link->is_capsule || link->sections[link->pool].dropped); /* RF655, RF837 */
    ref_deleted_refuse(link, pool && (symbol->other & REF_SPACE_MASK) != REF_SPACE_SHARED &&
                                 (link->is_capsule || (symbol->other & VISIBILITY) != INTERNAL)); /* RF1033 */
    if (owner == REF_NONE || link->functions[owner].live) {
      continue;
    }
    const uint32_t type = file->cubin.sections[symbol->section].type;
    const bool variables = ref_deleted_is_of_variables(type) || type == REF_TYPE_SHARED;
    ref_deleted_refuse(link, type == REF_TYPE_INFO && !ref_object_is_shared(symbol)); /* RF838 */
    ref_deleted_refuse(link, variables ? ref_deleted_variable_stays(symbol, type, &link->functions[owner])
                                       : ref_deleted_object_stays(symbol, &link->functions[owner]));
  }
}

/* What ends the link when the symbols are written. */
void ref_deleted_check(ref_link *link) {
  for (size_t i = 0; i < link->file_count && !link->relocatable; i++) {
    ref_deleted_check_objects(link, &link->files[i]);
  }
}

/* RF55, RF185: kernel parameters of a function that is no kernel and is deleted. RF801: its variables and its shared memory stay where they
 * hold something. */
static bool ref_deleted_stays_alone(const ref_link *link, const ref_file *file, uint32_t number, const bool *holds,
                                    const ref_function *function) {
  const ref_section *section = &file->cubin.sections[number];
  if (section->type == REF_TYPE_CONSTANT) { /* RF582: of capsules the finalizer makes them */
    return !link->is_capsule && !function->entry && !ref_deleted_is_of_dead_kernel(link, section);
  }
  return !function->entry && holds[number] &&
         (ref_deleted_is_of_variables(section->type) || section->type == REF_TYPE_SHARED);
}

/* What ends it when the sections are written, which name a text that is gone: RF801. */
void ref_deleted_check_sections(ref_link *link) {
  ref_deleted_refuse(link, link->has_dead_memory && !link->relocatable);
  for (size_t i = 0; i < link->file_count && !link->relocatable; i++) {
    const ref_file *file = &link->files[i];
    bool *holds = REF_TAKE(link, bool, file->cubin.section_count);
    for (uint32_t k = 1; k < file->cubin.symbol_count; k++) {
      const ref_symbol *symbol = &file->cubin.symbols[k];
      if (symbol->section < file->cubin.section_count && ref_object_is_data(symbol->info & 15)) {
        holds[symbol->section] = true;
      }
    }
    for (uint32_t k = 1; k < file->cubin.section_count; k++) {
      const size_t owner = ref_deleted_owner(file, k);
      const ref_function *function = owner == REF_NONE ? NULL : &link->functions[owner];
      ref_deleted_refuse(link, function != NULL && !function->live &&
                                   (ref_deleted_section_stays(link, file, k, function) ||
                                    ref_deleted_stays_alone(link, file, k, holds, function)));
    }
  }
}
