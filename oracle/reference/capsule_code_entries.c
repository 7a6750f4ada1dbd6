/* Mercury's entries about code over which nvlink's finalizer ends by a signal, behind all undefined references: RF591, RF592. */
#include "capsule.h"
#include "relocation_table.h"

enum {
  INSTRUCTION = 16,
  UNIFIED_64 = 50,
  PLACE_FIRST = 8, /* of an address in the program */
  PLACE_LAST = 10,
  PLACE_LOW = 40,
  PLACE_HIGH = 41
};

/* Mercury's types that the finalizer looks up in its tables. The 64-bit addresses (2 and 50) it refuses by a message, but 50 with -r. */
static bool ref_code_entry_is_looked_up(const ref_link *mercury, uint32_t type) {
  static const uint8_t ranges[][2] = {{1, 1}, {5, 13}, {24, 49}, {60, 63}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (type >= ranges[i][0] && type <= ranges[i][1]) {
      return true;
    }
  }
  return type == UNIFIED_64 && mercury->relocatable;
}

/* RF591: it becomes one of symbol 0 (R12): of a label, or of a section that the linker makes itself. */
static bool ref_code_entry_names_nothing(const ref_out_relocation *entry) {
  return entry->symbol == REF_NONE && entry->function == REF_NONE && !entry->names_gone_shared &&
         !entry->names_gone_section;
}

/* RF592: the addend is a place in the decoded code, cut to whole instructions, or its end. */
static bool ref_code_entry_is_outside(const ref_places *places, const ref_out_relocation *entry) {
  const uint32_t type = entry->type - REF_MERCURY_FIRST;
  if (entry->dropped || ((type < PLACE_FIRST || type > PLACE_LAST) && type != PLACE_LOW && type != PLACE_HIGH)) {
    return false;
  }
  const int64_t place = entry->addend / INSTRUCTION * INSTRUCTION;
  return place < 0 || ((uint64_t)place != places->end && !ref_places_begin(places, (uint64_t)place));
}

void ref_capsule_check_code_entries(const ref_capsule *capsule) {
  ref_link *mercury = capsule->mercury;
  ref_places places = {0};
  size_t function = REF_NONE; /* whose places they are */
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    const size_t owner = mercury->sections[entry->target].info_function;
    if (owner == REF_NONE || mercury->functions[owner].text != entry->target ||
        mercury->functions[owner].definition_file != entry->file || entry->type < REF_MERCURY_FIRST) {
      continue;
    }
    places = function == owner ? places : ref_places_of_function(capsule, owner);
    function = owner;
    const bool looked_up = ref_code_entry_is_looked_up(mercury, entry->type - REF_MERCURY_FIRST);
    if ((looked_up && ref_code_entry_names_nothing(entry)) || ref_code_entry_is_outside(&places, entry)) {
      ref_message_fatal(mercury, "RF591", "Input file '%s' is damaged: an entry of code is about no place (RF591)",
                        mercury->files[entry->file].name);
    }
  }
}
