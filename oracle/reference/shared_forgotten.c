/* Shared memory of internal functions with -preserve-relocs: L540. nvlink takes such a function for dead code that stays: what it uses of
 * the pool is nobody's, its own objects have no place, and their section is as large as all of them without gaps (RF750); extern memory of its callees lies behind it (RF751). By default (D100) it is as another. */
#include "link.h"

enum { RESERVED = 0x400, EXTERN_ALIGN = 16 };

bool ref_shared_is_forgotten(const ref_link *link, size_t function) {
  return link->preserves && !link->relocatable && link->job->bug_compatible &&
         ref_function_is_internal(link, &link->functions[function]);
}

/* `objects`: all shared objects. Before sm_90 they have no symbols but with -g; one of size 0 (RF750) asks for nothing. Those that something refers to end the link where they have no symbol, as RF163's do, and with -g all, which have one
 * (RF684). */
void ref_shared_forget(ref_link *link, size_t number, const ref_indices *objects) {
  ref_function *function = &link->functions[number];
  ref_out_section *section = &link->sections[function->shared];
  section->align = 1;
  section->dropped = true;
  for (size_t i = 0; i < objects->count; i++) {
    ref_out_symbol *symbol = &link->symbols[objects->items[i]];
    if (symbol->section == function->shared && !symbol->has_no_place) {
      section->align = ref_larger(symbol->auxiliary, section->align);
      function->shared_end += symbol->size;
      section->dropped = false;
      symbol->has_no_name = (link->sm < 90 || link->is_capsule) && !ref_options_keep_shared_symbols(link);
      if (symbol->size != 0) {
        symbol->value = UINT64_MAX;
        link->has_refused_shared =
            link->has_refused_shared || symbol->referenced || ref_options_keep_shared_symbols(link);
      }
    }
  }
}

/* RF751: extern shared memory lies behind it as behind that of others. */
void ref_shared_finish_forgotten(ref_link *link, const ref_function *function) {
  ref_out_section *section = &link->sections[function->shared];
  if (function->kernel_uses_extern) {
    section->align = ref_larger(section->align, EXTERN_ALIGN);
    section->dropped = false;
  }
  section->size = function->shared_end;
  section->size += link->sm >= 90 && !link->is_capsule && section->size != 0 ? RESERVED : 0;
}
