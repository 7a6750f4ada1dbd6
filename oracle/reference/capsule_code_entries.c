/* Mercury's entries over which nvlink's finalizer ends by a signal: those about code in capsules, behind all undefined references (RF591, RF592);
 * in a mixed link (M4), where nobody carries them out, all, in front of them (RF595). RF816: or which it refuses. */
#include "capsule.h"
#include "relocation_table.h"

enum {
  INSTRUCTION = 16,
  SYMBOL_BYTES = 24,
  CLEARED = 14,
  CLEARED_BYTES = 8,
  DESCRIPTOR = 15,
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
static bool ref_code_entry_is_outside(const ref_places *places, uint32_t type, int64_t addend) {
  if ((type < PLACE_FIRST || type > PLACE_LAST) && type != PLACE_LOW && type != PLACE_HIGH) {
    return false;
  }
  const int64_t place = addend / INSTRUCTION * INSTRUCTION;
  return place < 0 || ((uint64_t)place != places->end && !ref_places_begin(places, (uint64_t)place));
}

/* RF816, L1308: what is cleared reaches into the next decoded instruction. */
static bool ref_code_entry_clears_next(const ref_places *places, const ref_out_relocation *entry) {
  const uint64_t offset = entry->input_offset, next = (offset / INSTRUCTION + 1) * INSTRUCTION;
  return entry->is_applied && entry->type == REF_MERCURY_FIRST + CLEARED && offset < places->end &&
         next < offset + CLEARED_BYTES && (next == places->end || ref_places_begin(places, next));
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
    const uint32_t type = entry->type - REF_MERCURY_FIRST;
    mercury->fails_finalizer = mercury->fails_finalizer || ref_code_entry_clears_next(&places, entry);
    if ((ref_code_entry_is_looked_up(mercury, type) && ref_code_entry_names_nothing(entry)) ||
        (!entry->dropped && ref_code_entry_is_outside(&places, type, entry->addend))) {
      ref_message_fatal(mercury, "RF591", "Input file '%s' is damaged: an entry of code is about no place (RF591)",
                        mercury->files[entry->file].name);
    }
  }
}

/* The function's code that a section of a capsule is, or nothing. */
static ref_places ref_unread_places(ref_link *link, const ref_cubin *cubin, uint32_t target) {
  const ref_section *capsule = target < cubin->section_count ? &cubin->sections[target] : NULL;
  if (capsule == NULL || capsule->type != REF_TYPE_CAPSULE_TEXT || capsule->data == NULL || capsule->size < 4) {
    return (ref_places){0};
  }
  const uint32_t text = ref_u32(capsule->data);
  if (text >= cubin->section_count || cubin->sections[text].data == NULL) {
    return (ref_places){0};
  }
  return ref_places_of_sections(link, capsule, &cubin->sections[text]);
}

/* Symbol 0, one outside Mercury's table, and a descriptor of what is no function. */
static bool ref_unread_entry_names_nothing(const ref_section *symbols, const ref_relocation *entry) {
  if (entry->symbol == 0 || symbols->data == NULL || entry->symbol >= symbols->size / SYMBOL_BYTES) {
    return true;
  }
  const uint8_t *symbol = symbols->data + (size_t)entry->symbol * SYMBOL_BYTES;
  return entry->type == REF_MERCURY_FIRST + DESCRIPTOR && (symbol[4] & 15) != REF_SYMBOL_FUNC;
}

static void ref_unread_check_section(ref_link *link, const ref_file *file, uint32_t number,
                                     const ref_section *symbols) {
  const ref_cubin *cubin = &file->whole;
  const ref_places places = ref_unread_places(link, cubin, cubin->sections[number].info);
  for (size_t i = 0; i < ref_cubin_relocation_count(cubin, number); i++) {
    const ref_relocation entry = ref_cubin_relocation(cubin, number, i);
    if (ref_unread_entry_names_nothing(symbols, &entry) ||
        (places.count != 0 && entry.type >= REF_MERCURY_FIRST &&
         ref_code_entry_is_outside(&places, entry.type - REF_MERCURY_FIRST, entry.addend))) {
      ref_message_fatal(link, "RF595", "Input file '%s' is damaged: an entry of Mercury's is about nothing (RF595)",
                        file->name);
    }
  }
}

void ref_capsule_check_unread_entries(ref_link *link, const ref_file *file) {
  const ref_cubin *cubin = &file->whole;
  const ref_section *symbols = NULL;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    symbols = cubin->sections[i].type == REF_TYPE_MERCURY_SYMTAB ? &cubin->sections[i] : symbols;
  }
  for (uint32_t i = 1; symbols != NULL && i < cubin->section_count; i++) {
    if (cubin->sections[i].type == REF_TYPE_MERCURY_RELA) {
      ref_unread_check_section(link, file, i, symbols);
    }
  }
}
