/* SASS entries of a capsule's code as the finalizer makes them from Mercury's (RF681): each stands at the instruction that nvlink knows by the
 * decoded place, is about the same symbol, and has a type that Mercury's and the instruction say. A SASS list that is another one is
 * damaged and is made anew. It stays where a Mercury entry is of a type or in an instruction for which no rule is known. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum { UNIT = 16, ENTRY_BYTES = 24, OPCODE = 0xfff };

/* Those that compilers write. */
typedef struct ref_derived_type {
  uint8_t mercury, sass, other; /* `other`: of a kernel, or where the input says so */
  uint16_t opcode;              /* 0: any */
} ref_derived_type;

static const ref_derived_type ref_derived_types[] = {
    {2, 75, 75, 0x943}, {3, 115, 115, 0x7ac}, {3, 55, 55, 0x802}, {3, 55, 55, 0x882}, {4, 66, 66, 0xb82},
    {4, 59, 59, 0x802}, {4, 59, 59, 0x882},   {5, 56, 62, 0},     {6, 57, 63, 0},     {40, 56, 56, 0},
    {41, 57, 57, 0},    {62, 112, 62, 0},     {63, 113, 63, 0},
};

/* The list of one text, and what it is made from. */
typedef struct ref_derivation {
  ref_link *link;
  const ref_mercury_sides *sides;
  const ref_section *text;
  ref_units units;
} ref_derivation;

/* `own`: the input's type, which counts where it may be one of two. 0: no rule is known. */
static uint32_t ref_derivation_type(const ref_derivation *derivation, const ref_relocation *mercury, size_t place,
                                    uint32_t own) {
  const uint32_t opcode = ref_u32(derivation->text->data + place) & OPCODE;
  const bool kernel = (derivation->sides->mercury->symbols[mercury->symbol].other & REF_OTHER_ENTRY) != 0;
  for (size_t i = 0; i < sizeof ref_derived_types / sizeof *ref_derived_types; i++) {
    const ref_derived_type *row = &ref_derived_types[i];
    if (row->mercury == mercury->type - REF_MERCURY_FIRST && (row->opcode == 0 || row->opcode == opcode)) {
      return kernel || own == row->other ? row->other : row->sass;
    }
  }
  return 0;
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

/* False where no rule is known. `own` is the SASS entry of the same number. */
static bool ref_derivation_entry(const ref_derivation *derivation, const ref_relocation *mercury,
                                 const ref_relocation *own, ref_relocation *made) {
  const size_t place = ref_units_find(&derivation->units, mercury->offset, true);
  if (place == REF_NONE || derivation->text->size < UNIT || place > derivation->text->size - UNIT ||
      mercury->type < REF_MERCURY_FIRST || mercury->symbol >= derivation->sides->mercury->symbol_count) {
    return false;
  }
  *made = (ref_relocation){.offset = place,
                           .type = ref_derivation_type(derivation, mercury, place, own->type),
                           .symbol = ref_derivation_symbol(derivation, mercury->symbol),
                           .addend = mercury->addend};
  if (mercury->type == REF_MERCURY_RETURN_LOW || mercury->type == REF_MERCURY_RETURN_HIGH) {
    const size_t target = ref_units_find(&derivation->units, (uint64_t)mercury->addend, false);
    made->addend = (int64_t)target;
    return made->type != 0 && made->symbol != 0 && target != REF_NONE;
  }
  return made->type != 0 && made->symbol != 0;
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
  const bool is_return = mercury->type == REF_MERCURY_RETURN_LOW || mercury->type == REF_MERCURY_RETURN_HIGH;
  const ref_symbol *symbol = &cubin->symbols[mercury->symbol]; /* which is known, as the entry has been made */
  return (symbol->info & 15) == REF_SYMBOL_FUNC && symbol->section == body && !is_return;
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

bool ref_mercury_derive_entries(ref_link *link, const ref_mercury_sides *sides, uint32_t table, uint32_t beside,
                                ref_section *section) {
  const ref_section *body = ref_mercury_body_beside(sides->sass, section->info, sides->sass->sections[beside].info);
  if (body == NULL || section->type != REF_TYPE_RELA || ref_derivation_names_reserved(sides->sass, table)) {
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
