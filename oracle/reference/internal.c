/* Functions with visibility INTERNAL: an executable has no symbol for them, and what an entry would name is gone (R14). Outputs that keep
 * everything, of `-r` and -preserve-relocs, keep the symbol too, but nvlink treats what belongs to it as that of a dead function. */
#include "link.h"

enum { VISIBILITY = 3, INTERNAL = 1 };

/* RF161: its symbol has visibility INTERNAL. */
bool ref_function_is_internal(const ref_link *link, const ref_function *function) {
  return function->live && function->symbol != REF_NONE &&
         (link->symbols[function->symbol].other & VISIBILITY) == INTERNAL;
}

/* RF161: the outputs in which such a symbol stays. */
bool ref_function_keeps_internal(const ref_link *link) {
  return link->relocatable || link->preserves;
}

/* RF155: an executable has no symbol for a live one, an alias too, whether an entry names it or not; nor has any output but that of -r
 * for one that no file defines. */
void ref_functions_check_internal(ref_link *link) {
  if (link->relocatable) {
    return;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    const bool undefined = function->symbol != REF_NONE && link->symbols[function->symbol].section == REF_NONE;
    if (ref_function_is_internal(link, function) && (undefined || !link->preserves)) {
      ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
    }
  }
}

/* RF161: nvlink leaves out its attributes, as those of a dead function; by default they stay (D110). */
void ref_functions_drop_internal(ref_link *link) {
  if (!link->job->bug_compatible) {
    return;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *function = &link->functions[i];
    if (function->info != REF_NONE && ref_function_is_internal(link, function)) {
      link->sections[function->info].dropped = true;
    }
  }
}
