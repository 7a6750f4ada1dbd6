/* Inputs of the system: what has `cudadevrt` in its path is linked only where a function is missing (C46, RF1111). */
#include "link.h"

#include <string.h>

enum { UNDEFINED = 0, DEFINED = 1, EXTENDED = 0xff00 };

/* D47: anywhere in the path. */
static bool ref_system_is_named(const ref_link *link, const ref_file *file) {
  return !ref_option_given(link, REF_OPTION_KEEP_SYSTEM_LIBRARIES) && strstr(file->name, "cudadevrt") != NULL;
}

/* Functions that are missing behind this file, from those before it. Weak mentions and the driver's functions (ZM1) count for
 * nothing. */
static size_t ref_system_count_missing(ref_link *link, ref_map *functions, const ref_file *file, size_t missing) {
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const ref_symbol *symbol = &file->cubin.symbols[i];
    const uint8_t bind = symbol->info >> 4;
    if ((symbol->info & 15) != REF_SYMBOL_FUNC || bind == REF_BIND_LOCAL) {
      continue;
    }
    const size_t known = ref_map_find(functions, symbol->name);
    if (symbol->section != 0) {
      missing -= known == UNDEFINED;
      ref_map_set(link, functions, symbol->name, DEFINED);
    } else if (known == REF_NONE && bind != REF_BIND_WEAK && !ref_symbol_is_system_call(symbol->name)) {
      missing++;
      ref_map_set(link, functions, symbol->name, UNDEFINED);
    }
  }
  return missing;
}

/* Takes the files out that are not needed. What stands behind such a file must be one of the system too; that is said when it
 * is merged. */
void ref_system_choose_files(ref_link *link) {
  ref_map functions = {0};
  size_t missing = 0, kept = 0;
  bool skipped = false, any = false; /* without a file of the system nobody asks what is missing */
  for (size_t i = 0; i < link->file_count; i++) {
    link->files[i].is_system = ref_system_is_named(link, &link->files[i]);
    any = any || link->files[i].is_system;
  }
  for (size_t i = 0; i < link->file_count; i++) {
    ref_file *file = &link->files[i];
    file->is_late = skipped && !file->is_system;
    link->has_extended = link->has_extended || file->cubin.type == EXTENDED;
    if (file->is_system && missing == 0) {
      skipped = true;
      continue;
    }
    missing = any ? ref_system_count_missing(link, &functions, file, missing) : 0;
    link->has_oldest_object = link->has_oldest_object || file->is_oldest; /* RF1111 */
    link->has_old_object = link->has_old_object || file->is_old;
    link->files[kept++] = *file;
  }
  link->file_count = kept;
}

/* E45, C28: beside an object compiled with -ewp, linked or not, every other file is named. */
void ref_system_check_file(ref_link *link, const ref_file *file) {
  if (file->is_late) {
    ref_message_fatal(link, "E53", "unexpected object after cudadevrt");
  }
  if (link->has_extended && file->cubin.type != EXTENDED && !file->is_system) {
    ref_message_warn(link, "E45", "'%s': -ewp compiled objects should only link with libcudadevrt", file->name);
  }
}
