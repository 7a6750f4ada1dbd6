/* RF145: where the debug sections of the SASS side point into code, they name the places that the instructions of the standing body
 * have in the output, found from the Mercury view's entry. Line tables and frames are written anew elsewhere. */
#include "capsule.h"

#include <string.h>

enum { ADDRESS_64 = 2, INSTRUCTION = 16 };

static bool ref_addends_is_concerned(const ref_link *link, const ref_out_relocation *entry) {
  static const char prefix[] = ".debug_";
  return !entry->dropped && entry->function != REF_NONE && link->functions[entry->function].text != REF_NONE &&
         strncmp(link->sections[entry->target].name, prefix, strlen(prefix)) == 0 &&
         !ref_relocation_target_is_debug(link->sections[entry->target].name);
}

/* What the entries of both views that are about one field have in common. */
static const char *ref_addends_key(ref_link *link, const ref_link *view, const ref_out_relocation *entry) {
  return ref_memory_print(link, "%zu %llx %s", entry->file, (unsigned long long)entry->input_offset,
                          view->sections[entry->target].name);
}

/* RF320: inside the last instruction there is none left, and nvlink writes 0; the end itself is the text's. */
uint64_t ref_addends_place(const ref_places *places, uint64_t addend) {
  const uint64_t decoded = addend / INSTRUCTION * INSTRUCTION; /* RF865 */
  const uint64_t found = ref_places_from(places, decoded);
  return found == places->count * INSTRUCTION && decoded < places->end ? 0 : found;
}

void ref_capsule_move_addends(ref_capsule *capsule) {
  ref_link *mercury = capsule->mercury, *sass = capsule->sass;
  ref_map entries = {0};
  ref_places places = {0};
  size_t function = REF_NONE; /* whose places they are */
  for (size_t i = 0; i < mercury->relocation_count; i++) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (ref_addends_is_concerned(mercury, entry)) {
      ref_map_set(mercury, &entries, ref_addends_key(mercury, mercury, entry), i);
    }
  }
  for (size_t i = 0; i < sass->relocation_count; i++) {
    ref_out_relocation *entry = &sass->relocations[i];
    if (entry->type != ADDRESS_64 || !ref_addends_is_concerned(sass, entry)) {
      continue;
    }
    const size_t other = ref_map_find(&entries, ref_addends_key(mercury, sass, entry));
    if (other != REF_NONE) {
      places = function == entry->function ? places : ref_places_of_function(capsule, entry->function);
      function = entry->function;
      entry->addend = (int64_t)ref_addends_place(&places, (uint64_t)mercury->relocations[other].addend);
    }
  }
}

/* RF831: only of the two types of Mercury's that say code, and where the output has tables of registers and of their types. */
static bool ref_addends_says_code(const ref_link *mercury, const ref_out_relocation *entry) {
  return (entry->type == REF_MERCURY_FIRST + 60 || entry->type == REF_MERCURY_FIRST + 61) &&
         ref_map_find(&mercury->section_by_name, ".nv_debug_info_reg_sass") != REF_NONE &&
         ref_map_find(&mercury->section_by_name, ".nv_debug_info_reg_type") != REF_NONE;
}

/* RF865: the SASS side's entry beside one of Mercury's. */
void ref_capsule_shared_entry(ref_capsule *capsule, const ref_out_relocation *entry, ref_known_places *known,
                              ref_bytes *output) {
  ref_link *mercury = capsule->mercury;
  const uint32_t type = ref_data_sass_type(entry->type, false);
  int64_t addend = entry->addend;
  if (ref_addends_says_code(mercury, entry) && ref_addends_is_concerned(mercury, entry)) {
    known->places =
        known->function == entry->function ? known->places : ref_places_of_function(capsule, entry->function);
    known->function = entry->function;
    addend = (int64_t)ref_addends_place(&known->places, (uint64_t)addend);
  }
  if (type != 0) {
    ref_capsule_write_entry(capsule, output, entry->offset, type, ref_symbol_index(mercury, entry->symbol), addend);
  }
}

/* RF865: of debug data that both sides share, Mercury's entries, in its order. */
ref_bytes ref_capsule_shared_entries(ref_capsule *capsule, size_t target) {
  const ref_link *mercury = capsule->mercury;
  ref_known_places known = {.function = REF_NONE};
  ref_bytes output = {0};
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    if (!mercury->relocations[i].dropped && mercury->relocations[i].target == target) {
      ref_capsule_shared_entry(capsule, &mercury->relocations[i], &known, &output);
    }
  }
  return output;
}
