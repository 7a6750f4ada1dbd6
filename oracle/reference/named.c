/* Symbols that stand for another one of their name: L184, RF406, RF786, RF789, RF881. A symbol that is neither function nor object, whatever its type and binding, is
 * about its section only where it is a section's symbol (RF440) and has that section's name. Otherwise nvlink takes the first symbol of the name that it has so far: of a
 * section, a function, an object, local ones too; symbol 0 where there is none. */
#include "link.h"

#include <string.h>

static bool ref_named_has_meaning(const ref_symbol *input) {
  const uint8_t type = input->info & 15;
  return type == REF_SYMBOL_OBJECT || type == REF_SYMBOL_FUNC ||
         (type >= REF_SYMBOL_TEXTURE && type <= REF_SYMBOL_SURFACE) || type == REF_SYMBOL_CUDA_OBJECT;
}

bool ref_named_is_another(const ref_file *file, const ref_symbol *input) {
  const uint32_t nowhere = 0xffff; /* RF789: it lies in no section, where there is no table of their numbers */
  if (ref_named_has_meaning(input) || (input->section >= file->cubin.section_count && input->section != nowhere)) {
    return false;
  }
  return input->section == 0 || input->section == nowhere || (input->info & 15) != REF_SYMBOL_SECTION ||
         strcmp(input->name, file->cubin.sections[input->section].name) != 0;
}

/* RF881: records are about what has its name; entries nvlink reads in foreign memory. */
bool ref_named_is_of_no_section(const ref_file *file, const ref_symbol *input) {
  return !ref_named_has_meaning(input) && input->section >= file->cubin.section_count;
}

/* Without a name, too (RF664). */
size_t ref_named_find_first(ref_link *link, const char *name) {
  for (; link->named_count < link->symbol_count; link->named_count++) {
    const char *known = link->symbols[link->named_count].name;
    const bool is_nothing = link->symbols[link->named_count].is_later && link->symbols[link->named_count].dropped;
    if (!link->symbols[link->named_count].is_partial && !is_nothing) {
      (void)ref_map_put(link, &link->first_by_name, known, link->named_count);
    }
  }
  return ref_map_find(&link->first_by_name, name);
}

size_t ref_named_find(ref_link *link, const char *name) {
  const size_t global = *name == 0 ? REF_NONE : ref_map_find(&link->symbol_by_name, name);
  return global != REF_NONE || *name == 0 ? global : ref_named_find_first(link, name);
}

/* RF1206: symbol 0, which has no name either, is none of those. */
static size_t ref_named_find_nameless(ref_link *link) {
  size_t *at = &link->nameless_count;
  for (; *at < link->symbol_count && link->first_nameless == 0; (*at)++) {
    const ref_out_symbol *symbol = &link->symbols[*at];
    const bool is_nothing = symbol->is_partial || (symbol->is_later && symbol->dropped);
    if (*at != 0 && *symbol->name == 0 && !is_nothing) {
      link->first_nameless = *at;
    }
  }
  return link->first_nameless == 0 ? REF_NONE : link->first_nameless;
}

/* RF1050: of what has no name, but for symbol 0 itself, a global symbol, else (RF1206) the first; before others stands symbol 0. */
size_t ref_named_find_symbol(ref_link *link, const ref_file *file, const ref_symbol *input) {
  const bool nowhere = file->cubin.string_section == 0; /* what stands there for names is no name */
  if (*input->name != 0 || link->is_capsule || input == file->cubin.symbols || nowhere) {
    return ref_named_find(link, input->name);
  }
  const size_t global = ref_map_find(&link->symbol_by_name, input->name);
  return global != REF_NONE ? global : ref_named_find_nameless(link);
}
