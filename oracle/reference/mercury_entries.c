/* SASS entries of a capsule's code as the finalizer makes them from Mercury's (RF681, RF810): each stands at the instruction that nvlink knows by
 * the decoded place, is about the same symbol, and has a type that Mercury's and the instruction say (R63, RF903). A SASS list that is another
 * one is damaged and is made anew (RF982: whatever types Mercury's have). It stays where a Mercury entry is about no symbol. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum { UNIT = 16, ENTRY_BYTES = 24 };

/* The list of one text, and what it is made from. */
typedef struct ref_derivation {
  ref_link *link;
  const ref_mercury_sides *sides;
  ref_bytes text;
  ref_units units;
  size_t *place_of; /* by instruction: the entry about a place in the code that is changed (RF902, RF818) */
} ref_derivation;

/* The SASS number of a Mercury symbol; 0: none. */
static uint32_t ref_derivation_symbol(const ref_derivation *derivation, uint32_t number) {
  const ref_cubin *sass = derivation->sides->sass, *mercury = derivation->sides->mercury;
  const ref_symbol *symbol = &mercury->symbols[number];
  const bool are_sections = number < sass->symbol_count && (symbol->info & 15) == REF_SYMBOL_SECTION &&
                            (sass->symbols[number].info & 15) == REF_SYMBOL_SECTION; /* M8: of the same number */
  if (number < sass->symbol_count && (are_sections || strcmp(sass->symbols[number].name, symbol->name) == 0)) {
    return number;
  }
  const size_t found = ref_map_find(derivation->sides->sass_names, symbol->name);
  return found == REF_NONE ? 0 : (uint32_t)found;
}

/* RF1146: of several the one of the largest offset, of those the last in the file, as in links of capsules alone (RF818). */
static void ref_derivation_find_places(ref_derivation *derivation, uint32_t table) {
  const ref_cubin *cubin = derivation->sides->sass;
  const size_t count = derivation->text.size / UNIT;
  derivation->place_of = ref_memory_take_numbers(derivation->link, count + 1);
  for (size_t i = 0; i < ref_cubin_relocation_count(cubin, table); i++) {
    const ref_relocation entry = ref_cubin_relocation(cubin, table, i);
    const uint64_t place = ref_units_around(&derivation->units, entry.offset) / UNIT;
    if (!ref_derived_is_place(entry.type) || place >= count) {
      continue;
    }
    size_t *known = &derivation->place_of[place];
    if (*known == REF_NONE || ref_cubin_relocation(cubin, table, *known).offset <= entry.offset) {
      *known = i;
    }
  }
}

/* RF982: by default with -r what waits for the final link is what the input has there (D92); made anew are lists of types that compilers write. */
static bool ref_derivation_is_ordinary(uint32_t type) {
  static const uint8_t types[] = {2, 3, 4, 5, 6, 40, 41, 62, 63};
  return type - REF_MERCURY_FIRST <= UINT8_MAX && memchr(types, (int)(type - REF_MERCURY_FIRST), sizeof types) != NULL;
}

/* RF1246: in front of a file of SASS kind most of what are none of Mercury's types stay in code; 0: none, or what is not known. */
static uint32_t ref_derivation_plain_type(const ref_derivation *derivation, uint32_t type) {
  enum {
    KEPT_BELOW = 57,
    KEPT_FROM = 105
  }; /* between them nvlink has other numbers, which the instruction decides, too */
  const bool kept = !derivation->link->is_capsule && (type < KEPT_BELOW || type >= KEPT_FROM);
  return kept && type < REF_MERCURY_FIRST ? type : 0;
}

/* False where no rule is known. Type 0: the SASS side has none. */
static bool ref_derivation_entry(const ref_derivation *derivation, const ref_relocation *mercury, size_t number,
                                 ref_relocation *made) {
  const bool waits = derivation->link->is_capsule && ref_relocatable_is_default(derivation->link);
  const uint32_t plain = ref_derivation_plain_type(derivation, mercury->type);
  if ((mercury->type < REF_MERCURY_FIRST && plain == 0) || (waits && !ref_derivation_is_ordinary(mercury->type)) ||
      mercury->symbol >= derivation->sides->mercury->symbol_count) {
    return false;
  }
  const ref_symbol *symbol = &derivation->sides->mercury->symbols[mercury->symbol];
  const bool kernel = (symbol->info & 15) == REF_SYMBOL_FUNC && (symbol->other & REF_OTHER_ENTRY) != 0; /* RF1102 */
  const uint64_t place = ref_units_around(&derivation->units, mercury->offset);
  const bool first = place / UNIT < derivation->text.size / UNIT && derivation->place_of[place / UNIT] == number;
  *made = (ref_relocation){.offset = place,
                           .type = plain != 0 ? plain
                                              : ref_derived_code_type(mercury->type, kernel, &derivation->text, place),
                           .symbol = ref_derivation_symbol(derivation, mercury->symbol),
                           .addend = ref_derived_addend(mercury->type, mercury->addend, &derivation->units,
                                                        ref_derived_opcode(&derivation->text, place), first)};
  return made->symbol != 0;
}

static bool ref_derivation_is_same(const ref_derivation *derivation, const ref_relocation *own,
                                   const ref_relocation *made) {
  const ref_cubin *sass = derivation->sides->sass;
  return own->offset == made->offset && own->type == made->type && own->addend == made->addend &&
         own->symbol < sass->symbol_count &&
         strcmp(sass->symbols[own->symbol].name, sass->symbols[made->symbol].name) == 0;
}

/* A call of a function within the text, of which the SASS side has no entry; RF1012: of a call of the text's own function it has one. */
static bool ref_derivation_is_inside(const ref_derivation *derivation, const ref_relocation *mercury, uint32_t body) {
  const ref_cubin *cubin = derivation->sides->mercury;
  const bool is_call = mercury->type == REF_MERCURY_FIRST + 2;
  const ref_symbol *symbol = &cubin->symbols[mercury->symbol]; /* which is known, as the entry has been made */
  return (symbol->info & 15) == REF_SYMBOL_FUNC && symbol->section == body && symbol->value != 0 && is_call;
}

static void ref_derivation_write(ref_section *section, uint8_t *to, const ref_relocation *made, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ref_put_u64(to + i * ENTRY_BYTES, made[i].offset);
    ref_put_u64(to + i * ENTRY_BYTES + 8, (uint64_t)made[i].symbol << 32 | made[i].type);
    ref_put_u64(to + i * ENTRY_BYTES + 16, (uint64_t)made[i].addend);
  }
  section->data = to;
  section->size = count * ENTRY_BYTES;
}

/* RF577: such an entry of the SASS side stays, and with it the list. */
static bool ref_derivation_names_reserved(const ref_cubin *sass, uint32_t table) {
  for (size_t i = 0; i < ref_cubin_relocation_count(sass, table); i++) {
    const ref_relocation own = ref_cubin_relocation(sass, table, i);
    if (!ref_mercury_has_counterpart(sass, &own)) {
      return true;
    }
  }
  return false;
}

/* RF988: an address of reserved shared memory that stands in the instruction; RF1011: beside others about it there are entries. */
static bool ref_derivation_is_silent(const ref_derivation *derivation, const ref_relocation *entry) {
  enum { OPCODE_LDCU = 0x7ac };
  if (ref_mercury_has_counterpart(derivation->sides->mercury, entry)) {
    return false;
  }
  const uint64_t place = ref_units_around(&derivation->units, entry->offset);
  return derivation->link->is_capsule ||
         (entry->type == REF_MERCURY_32 && ref_derived_opcode(&derivation->text, place) != OPCODE_LDCU);
}

/* The list as it should be; false where no rule is known. */
static bool ref_derivation_list(const ref_derivation *derivation, uint32_t table, ref_relocation *made, size_t *count) {
  const ref_mercury_sides *sides = derivation->sides;
  *count = 0;
  for (size_t i = 0; i < ref_cubin_relocation_count(sides->sass, table); i++) {
    const ref_relocation entry = ref_cubin_relocation(sides->sass, table, i);
    if (ref_derivation_is_silent(derivation, &entry)) {
      continue;
    }
    if (!ref_derivation_entry(derivation, &entry, i, &made[*count])) {
      return false;
    }
    const bool inside = ref_derivation_is_inside(derivation, &entry, sides->sass->sections[table].info);
    *count += made[*count].type != 0 && !inside;
  }
  return true;
}

static bool ref_derivation_is_list(const ref_derivation *derivation, uint32_t table, const ref_relocation *made,
                                   size_t count) {
  const ref_cubin *sass = derivation->sides->sass;
  bool same = ref_cubin_relocation_count(sass, table) == count;
  for (size_t i = 0; same && i < count; i++) {
    const ref_relocation own = ref_cubin_relocation(sass, table, i);
    same = ref_derivation_is_same(derivation, &own, &made[i]);
  }
  return same;
}

bool ref_mercury_derive_entries(ref_link *link, const ref_mercury_sides *sides, uint32_t table, uint32_t beside,
                                ref_section *section) {
  const ref_section *body = ref_mercury_body_beside(sides->sass, section->info, sides->sass->sections[beside].info);
  if (body == NULL || section->type != REF_TYPE_RELA || ref_derivation_names_reserved(sides->sass, table)) {
    return false;
  }
  const ref_section *text = &sides->sass->sections[section->info];
  const ref_places places = ref_places_of_sections(link, body, text);
  ref_derivation derivation = {.link = link, .sides = sides, .units = ref_places_units(link, &places)};
  ref_bytes_add(link, &derivation.text, text->data, (size_t)text->size);
  ref_derivation_find_places(&derivation, beside);
  ref_relocation *made = REF_TAKE(link, ref_relocation, ref_cubin_relocation_count(sides->sass, beside) + 1);
  size_t count;
  if (!ref_derivation_list(&derivation, beside, made, &count) ||
      ref_derivation_is_list(&derivation, table, made, count)) {
    return false;
  }
  ref_derivation_write(section, REF_TAKE(link, uint8_t, count *ENTRY_BYTES + 1), made, count);
  return true;
}
