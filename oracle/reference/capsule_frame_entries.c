/* Mercury's entries about frames over which nvlink's finalizer ends by a signal, wherever in the section they stand: RF483. */
#include "capsule.h"
#include "relocation_table.h"

enum { FRAME_CLEAR = REF_MERCURY_FIRST + 14, FRAME_PROGRAM = REF_MERCURY_FIRST + 61 };

/* RF991: what the driver provides has nothing to be cleared of; nvlink looks for it unless it is this one. */
static bool ref_frame_entry_clears_nothing(const ref_link *mercury, const ref_out_relocation *entry) {
  if (entry->type != FRAME_CLEAR || entry->symbol == REF_NONE) {
    return false;
  }
  const ref_out_symbol *symbol = &mercury->symbols[entry->symbol];
  return symbol->section == REF_NONE && symbol->bind == REF_BIND_WEAK && symbol->type != REF_SYMBOL_FUNC &&
         symbol->index != 0 && ref_symbol_is_provided(symbol->name) && !REF_IS(symbol->name, "__UFT_OFFSET");
}

/* A place in the program is one in the function's decoded code. */
static bool ref_frame_entry_is_outside(const ref_link *mercury, const ref_out_relocation *entry) {
  if (entry->type != FRAME_PROGRAM || entry->dropped || entry->symbol == REF_NONE) {
    return false;
  }
  const size_t section = mercury->symbols[entry->symbol].section;
  const size_t owner = section == REF_NONE ? REF_NONE : mercury->sections[section].info_function;
  const size_t symbol = owner == REF_NONE ? REF_NONE : mercury->functions[owner].symbol;
  return symbol != REF_NONE && mercury->symbols[symbol].size != 0 &&
         (uint64_t)entry->addend >= mercury->symbols[symbol].size;
}

void ref_capsule_check_frame_entries(const ref_capsule *capsule) {
  ref_link *mercury = capsule->mercury;
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (!REF_IS(mercury->sections[entry->target].name, ".debug_frame")) {
      continue;
    }
    const bool names_nothing = entry->input_symbol == 0 || (!entry->dropped && entry->symbol == REF_NONE);
    if (names_nothing || ref_frame_entry_clears_nothing(mercury, entry) || ref_frame_entry_is_outside(mercury, entry)) {
      ref_message_fatal(mercury, "RF483", "Input file '%s' is damaged: a frame is about what has no code (RF483)",
                        mercury->files[entry->file].name);
    }
  }
}
