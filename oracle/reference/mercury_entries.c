/* SASS entries of a capsule's code as the finalizer makes them from Mercury's (RF681): each stands at the instruction that nvlink knows by the
 * decoded place, is about the same symbol, and has a type that Mercury's and the instruction say. A SASS list that is another one is
 * damaged and is made anew. It stays where a Mercury entry is of a type or in an instruction for which no rule is known. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum {
  UNIT = 16,
  ENTRY_BYTES = 24,
  OPCODE = 0xfff,
  DESCRIPTOR = 15,
  RETURN_LOW = 40,
  RETURN_HIGH = 41,
  UNIFIED = 51,
  MERCURY_TYPES = 64
};

/* By Mercury's type; 0: no entry on the SASS side. */
static const uint8_t ref_derived_types[MERCURY_TYPES] = {
    0,  4,  75, 55, 59, 56, 57,  0,   0,   0,   0,   6,   101, 52,  73,  35,  76, 77, 78,  79,  80, 81,
    82, 83, 84, 85, 86, 87, 88,  89,  90,  91,  92,  93,  94,  95,  96,  97,  98, 99, 56,  57,  0,  0,
    0,  0,  0,  0,  0,  0,  102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 1,  2,  112, 113,
};

/* Those that are others in an instruction, or about a kernel. */
typedef struct ref_derived_other {
  uint8_t mercury, sass;
  uint16_t opcode; /* 0: any, of a kernel */
} ref_derived_other;

static const ref_derived_other ref_derived_others[] = {{3, 115, 0x7ac}, {4, 66, 0xb82}, {5, 62, 0}, {6, 63, 0},
                                                       {51, 61, 0},     {62, 62, 0},    {63, 63, 0}};

/* The list of one text, and what it is made from. */
typedef struct ref_derivation {
  ref_link *link;
  const ref_mercury_sides *sides;
  const ref_section *text;
  ref_units units;
} ref_derivation;

/* `own`: the input's type, which counts where it may be one of two. */
static uint32_t ref_derivation_type(const ref_derivation *derivation, const ref_relocation *mercury, size_t place,
                                    uint32_t own) {
  const uint32_t type = mercury->type - REF_MERCURY_FIRST;
  const uint32_t opcode = ref_u32(derivation->text->data + place) & OPCODE;
  const bool kernel = (derivation->sides->mercury->symbols[mercury->symbol].other & REF_OTHER_ENTRY) != 0;
  if (type >= MERCURY_TYPES) {
    return mercury->type;
  }
  for (size_t i = 0; i < sizeof ref_derived_others / sizeof *ref_derived_others; i++) {
    const ref_derived_other *other = &ref_derived_others[i];
    const bool slot = other->opcode == 0 && type != UNIFIED;
    const bool is_other = other->opcode == 0 ? kernel || (slot && own == other->sass) : opcode == other->opcode;
    if (other->mercury == type && is_other) {
      return other->sass;
    }
  }
  return ref_derived_types[type];
}

/* The SASS number of a Mercury symbol; 0: none. */
static uint32_t ref_derivation_symbol(const ref_derivation *derivation, uint32_t number) {
  const ref_cubin *sass = derivation->sides->sass, *mercury = derivation->sides->mercury;
  const ref_symbol *symbol = &mercury->symbols[number];
  if (number < sass->symbol_count && strcmp(sass->symbols[number].name, symbol->name) == 0) {
    return number;
  }
  const size_t found = ref_map_find(derivation->sides->sass_names, symbol->name);
  return found == REF_NONE ? 0 : (uint32_t)found;
}

/* Zero, which ends the link, an address of what is no function, and what stands at no instruction or about no symbol. */
static bool ref_derivation_is_known(const ref_derivation *derivation, const ref_relocation *mercury, size_t place) {
  const ref_cubin *cubin = derivation->sides->mercury;
  const bool inside = place != REF_NONE && place + UNIT <= derivation->text->size;
  return inside && mercury->type > REF_MERCURY_FIRST && mercury->symbol < cubin->symbol_count &&
         (mercury->type != REF_MERCURY_FIRST + DESCRIPTOR ||
          (cubin->symbols[mercury->symbol].info & 15) == REF_SYMBOL_FUNC);
}

/* False where no rule is known. `own` is the SASS entry of the same number; a type of 0: there is none. */
static bool ref_derivation_entry(const ref_derivation *derivation, const ref_relocation *mercury,
                                 const ref_relocation *own, ref_relocation *made) {
  const size_t place = ref_units_find(&derivation->units, mercury->offset, true);
  if (!ref_derivation_is_known(derivation, mercury, place)) {
    return false;
  }
  const uint32_t type = mercury->type - REF_MERCURY_FIRST;
  *made = (ref_relocation){.offset = place,
                           .type = ref_derivation_type(derivation, mercury, place, own->type),
                           .symbol = ref_derivation_symbol(derivation, mercury->symbol),
                           .addend = mercury->addend};
  if (type == RETURN_LOW || type == RETURN_HIGH) {
    const size_t target = ref_units_find(&derivation->units, (uint64_t)mercury->addend, false);
    made->addend = (int64_t)target;
    return made->symbol != 0 && target != REF_NONE;
  }
  return made->symbol != 0;
}

static bool ref_derivation_is_same(const ref_derivation *derivation, const ref_relocation *own,
                                   const ref_relocation *made) {
  const ref_cubin *sass = derivation->sides->sass;
  return own->offset == made->offset && own->type == made->type && own->addend == made->addend &&
         own->symbol < sass->symbol_count &&
         strcmp(sass->symbols[own->symbol].name, sass->symbols[made->symbol].name) == 0;
}

/* A call within the text, of which the SASS side has no entry. */
static bool ref_derivation_is_inside(const ref_derivation *derivation, const ref_relocation *mercury, uint32_t body) {
  const ref_cubin *cubin = derivation->sides->mercury;
  const uint32_t type = mercury->type - REF_MERCURY_FIRST;
  const ref_symbol *symbol = &cubin->symbols[mercury->symbol]; /* which is known, as the entry has been made */
  return (symbol->info & 15) == REF_SYMBOL_FUNC && symbol->section == body && type != RETURN_LOW && type != RETURN_HIGH;
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

bool ref_mercury_derive_entries(ref_link *link, const ref_mercury_sides *sides, uint32_t table, uint32_t beside,
                                ref_section *section) {
  const ref_section *body = ref_mercury_body_beside(sides->sass, section->info, sides->sass->sections[beside].info);
  if (body == NULL || section->type != REF_TYPE_RELA) {
    return false;
  }
  ref_derivation derivation = {.link = link, .sides = sides, .text = &sides->sass->sections[section->info]};
  const ref_places places = ref_places_of_sections(link, body, derivation.text);
  derivation.units = ref_places_units(link, &places);
  const size_t own_count = ref_cubin_relocation_count(sides->sass, table);
  const size_t count = ref_cubin_relocation_count(sides->sass, beside);
  ref_relocation *made = REF_TAKE(link, ref_relocation, count + 1);
  size_t made_count = 0;
  bool same = true, inside = false;
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_relocation(sides->sass, beside, i);
    if (!ref_mercury_has_counterpart(sides->mercury, &entry)) {
      continue;
    }
    const bool beside_own = made_count < own_count;
    const ref_relocation own = beside_own ? ref_cubin_relocation(sides->sass, table, made_count) : (ref_relocation){0};
    if (!ref_derivation_entry(&derivation, &entry, &own, &made[made_count])) {
      return false;
    }
    if (made[made_count].type == 0) {
      continue;
    }
    same = same && beside_own && ref_derivation_is_same(&derivation, &own, &made[made_count]);
    inside = inside || ref_derivation_is_inside(&derivation, &entry, sides->sass->sections[beside].info);
    made_count++;
  }
  if ((same && made_count == own_count) || inside) {
    return false;
  }
  ref_derivation_write(section, REF_TAKE(link, uint8_t, made_count *ENTRY_BYTES + 1), made, made_count);
  return true;
}
