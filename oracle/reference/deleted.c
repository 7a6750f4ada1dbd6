/* What lies with dead code or with a body that lost, and is not dropped with it: nvlink then finds a symbol or a section that names a
 * section which is gone (E68). L162, L449, L466, L700, RF55, RF63, RF85, RF124, RF185, RF366. */
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

/* RF55, RF185: kernel parameters or shared memory of a function that is no kernel and is deleted. RF85, RF366: a texture that is
 * the parameter of a kernel that is deleted. */
void ref_deleted_check_parameters(ref_link *link) {
  ref_deleted_refuse(link, link->has_dead_parameter);
  for (size_t i = 0; i < link->file_count; i++) {
    const ref_file *file = &link->files[i];
    for (uint32_t k = 1; k < file->cubin.section_count; k++) {
      const uint32_t type = file->cubin.sections[k].type;
      const bool parameters = type == REF_TYPE_CONSTANT && !link->is_capsule; /* RF582: the finalizer makes them */
      const uint32_t owner = parameters || type == REF_TYPE_SHARED ? ref_merge_owner(file, k) : 0;
      const size_t number = owner == 0 ? REF_NONE : file->function_of[owner];
      ref_deleted_refuse(link, number != REF_NONE && !link->functions[number].entry && !link->functions[number].live &&
                                   !ref_deleted_is_of_dead_kernel(link, &file->cubin.sections[k]));
    }
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

/* The function whose code a file's section is about, or REF_NONE. */
static size_t ref_deleted_owner(const ref_file *file, uint32_t section, bool *lost) {
  const uint32_t owner = ref_merge_owner(file, section);
  *lost = owner != 0 && file->body_of[owner] == REF_BODY_LOSES;
  return owner == 0 ? REF_NONE : file->function_of[owner];
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

/* L162: a dead kernel's parameters go by their name. L466: other constants go where an earlier section has their name. RF304: what ptxas
 * laid out in a kernel that is not named; by default it goes. RF574: initialised variables and unified objects that name a dead function. */
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
    return true; /* RF574 */
  }
  const bool laid = section->type == REF_TYPE_CONSTANT_TABLE && link->job->bug_compatible;
  return (laid || (section->type >= BANK_FIRST && section->type <= BANK_LAST)) &&
         ref_map_find(&link->section_by_name, section->name) == REF_NONE;
}

/* L162, L449: an object there is dropped when it is shared, a constant of a device function, or an INTERNAL constant. */
bool ref_deleted_object_stays(const ref_symbol *symbol, const ref_function *function) {
  const uint8_t space = symbol->other & REF_SPACE_MASK;
  const bool internal = (symbol->other & VISIBILITY) == INTERNAL;
  return symbol->info >> 4 == REF_BIND_LOCAL && space != REF_SPACE_SHARED &&
         !(space == REF_SPACE_CONSTANT && (internal || !function->entry));
}

static void ref_deleted_check_objects(ref_link *link, const ref_file *file) {
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    bool lost;
    if (!ref_object_is_data(symbol->info & 15) || symbol->section == 0 ||
        symbol->section >= file->cubin.section_count) {
      continue;
    }
    const size_t owner = ref_deleted_owner(file, symbol->section, &lost);
    const bool pool = link->pool != 0 && file->section_of[symbol->section] == link->pool; /* RF655 */
    ref_deleted_refuse(link, pool && (symbol->other & REF_SPACE_MASK) != REF_SPACE_SHARED);
    ref_deleted_refuse(link, owner != REF_NONE && (!link->functions[owner].live) &&
                                 ref_deleted_object_stays(symbol, &link->functions[owner]));
  }
}

void ref_deleted_check(ref_link *link) {
  if (link->relocatable) {
    return;
  }
  for (size_t i = 0; i < link->file_count; i++) {
    const ref_file *file = &link->files[i];
    for (uint32_t k = 1; k < file->cubin.section_count; k++) {
      bool lost;
      const size_t owner = ref_deleted_owner(file, k, &lost);
      ref_deleted_refuse(link, owner != REF_NONE && !link->functions[owner].live &&
                                   ref_deleted_section_stays(link, file, k, &link->functions[owner]));
    }
    ref_deleted_check_objects(link, file);
  }
}
