/* One name that is a function in one file and something else in another: V8, L90, L752, L753, RF202. */
#include "link.h"

enum { MANAGED = 4 };

static void ref_clash_say_space(ref_link *link, const ref_file *file, const char *name, const char *first) {
  ref_message_add(link, REF_ERROR, "E23", "Memory space doesn't match for '%s' in '%s', first specified in '%s'", name,
                  file->name, first);
}

static void ref_clash_say_again(ref_link *link, const ref_file *file, const char *name, const char *first) {
  ref_message_add(link, REF_ERROR, "E21", "Multiple definition of '%s' in '%s', first defined in '%s'", name,
                  file->name, first);
}

/* L752: extern shared memory is a definition here. */
static bool ref_clash_is_defined(const ref_out_symbol *symbol) {
  return symbol->section != REF_NONE || symbol->common || symbol->is_extern_shared;
}

/* L90, L753: two weak definitions; what a function's registers are compared with is none. */
static void ref_clash_check_registers(ref_link *link, const ref_file *file, uint32_t symbol,
                                      const ref_out_symbol *old) {
  const ref_symbol *input = &file->cubin.symbols[symbol];
  if (input->section == 0 || input->info >> 4 != REF_BIND_WEAK || old->bind != REF_BIND_WEAK ||
      !ref_clash_is_defined(old)) {
    return;
  }
  if (!ref_function_has_registers(file, symbol)) {
    ref_message_fatal(link, "E81", "Internal error: no such new reg count");
  }
  ref_message_fatal(link, "E81", "Internal error: no such original reg count");
}

/* RF306: a strong function is to take a weak variable's place, and the variable's section holds more than it. */
static void ref_clash_check_place(ref_link *link, const ref_symbol *input, const ref_out_symbol *old) {
  const bool replaces = input->section != 0 && input->info >> 4 != REF_BIND_WEAK && old->bind == REF_BIND_WEAK;
  if (replaces && old->section != REF_NONE && link->sections[old->section].parts > 1) {
    ref_message_fatal(link, "RF306", "Could not replace weak symbol '%s'", input->name);
  }
}

/* L90, L753: a function behind a variable or texture of its name. RF1135: beside capsules the file is read to its end; in those only a kernel
 * lets it be. */
bool ref_clash_function_with_object(ref_link *link, const ref_file *file, uint32_t symbol) {
  const ref_symbol *input = &file->cubin.symbols[symbol];
  const size_t number = ref_map_find(&link->symbol_by_name, input->name);
  if (number == REF_NONE || link->symbols[number].type == REF_SYMBOL_FUNC) {
    return false;
  }
  const ref_out_symbol *old = &link->symbols[number];
  const bool texture = ref_bindless_mask_of(old->type) != 0;
  const char *first = texture ? "<input>" : link->files[old->mention_file].name;
  const bool entry = (input->other & REF_OTHER_ENTRY) != 0;
  if (entry) {
    ref_message_add(link, REF_ERROR, "E26", "Function '%s' not declared __global__ in all source files",
                    ref_demangle(link, input->name));
  }
  ref_clash_say_space(link, file, input->name, first);
  const bool strong = input->info >> 4 != REF_BIND_WEAK && old->bind != REF_BIND_WEAK;
  if (input->section != 0 && ref_clash_is_defined(old) && strong) {
    ref_clash_say_again(link, file, input->name, first);
  }
  ref_clash_check_registers(link, file, symbol, old);
  ref_clash_check_place(link, input, old);
  return true;
}

/* L90: of several bodies the last that counts; of a mention alone what it says. */
static uint64_t ref_clash_size(const ref_link *link, const ref_function *function) {
  if (function->defined_so_far) {
    return link->files[function->defined_in_so_far].cubin.symbols[function->defined_as_so_far].size;
  }
  return function->mentioned_size; /* RF1200: dead or not */
}

/* L90, L752, RF202: a mention alone has no size where it says 0. */
static bool ref_clash_sizes_differ(const ref_link *link, const ref_symbol *input, const ref_function *function) {
  const uint64_t size = ref_clash_size(link, function);
  const bool known = function->defined_so_far || size != 0;
  const bool sized = input->section != 0 || input->size != 0;
  return size != input->size && known && sized;
}

/* L90, V8, RF202: a variable with the name of a function so far, live or not. What differs is said, and the variable is none. A texture,
 * sampler or surface is a second definition, whatever the function is (L753). RF1201: a mention of which nothing differs is the function. */
bool ref_clash_object_with_function(ref_link *link, ref_file *file, const ref_symbol *input) {
  const size_t number = ref_map_find(&link->function_by_name, input->name);
  const ref_function *function = number == REF_NONE ? NULL : &link->functions[number];
  if (function == NULL || !function->mentioned) {
    return false;
  }
  const size_t errors = link->error_count;
  const size_t first_file = function->defined_so_far ? function->first_defined_in_so_far : function->first_mentioned_in;
  const char *first = link->files[first_file].name;
  if (ref_bindless_mask_of(input->info & 15) != 0) {
    ref_clash_say_again(link, file, input->name, first);
    return true;
  }
  const uint8_t differing = input->other ^ function->mentioned_other; /* RF666 */
  if ((differing & REF_SPACE_MASK) != 0) {
    ref_clash_say_space(link, file, input->name, first);
  }
  if ((differing & MANAGED) != 0) {
    ref_message_add(link, REF_ERROR, "E24", "Managed attribute doesn't match for '%s' in '%s', first specified in '%s'",
                    input->name, file->name, first);
  }
  if (ref_clash_sizes_differ(link, input, function)) {
    ref_message_add(link, REF_ERROR, "E22", "Size doesn't match for '%s' in '%s', first specified in '%s'", input->name,
                    file->name, first);
  }
  const bool strong = input->info >> 4 != REF_BIND_WEAK && !function->defined_weak_so_far;
  if (function->defined_so_far && input->section != 0 && strong) {
    ref_clash_say_again(link, file, input->name, first);
  }
  if (link->error_count == errors && input->section == 0) { /* RF1201 */
    file->symbol_of[input - file->cubin.symbols] = function->symbol;
    return true;
  }
  return link->error_count > errors;
}
