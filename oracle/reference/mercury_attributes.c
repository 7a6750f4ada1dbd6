/* The attributes of a function on a capsule's SASS side as the finalizer makes them from Mercury's (RF682, RF730, RF1070 to RF1072), whatever the input has there: a place
 * is the instruction that nvlink knows by the decoded one, and the parameters' size and bank follow from their records. */
#include "capsule.h"

#include <string.h>

enum {
  WORD = 4,
  UNIT = 16,
  SIZED = 4, /* the format with a size */
  BRANCH_TARGETS = 0x34,
  ANNOTATION = 0x55,
  CODE_PARAM_CBANK = 0x0a,
  CODE_TEXTURES = 0x15,
  CODE_SAMPLERS = 0x16,
  CODE_KPARAM_INFO = 0x17,
  CODE_CBANK_PARAM_SIZE = 0x19,
  CODE_SW_WAR = 0x36,
  CODE_KPARAM_INFO_LARGE = 0x45,
  CODE_UCODE = 0x5a,
  OFFSET_AT = 6,
  SIZE_AT = 8,
  SIZE_SHIFT = 18,
  LARGE_OF_MERCURY = 1 << 28
};

static bool ref_derived_has_places(const ref_attribute *attribute) {
  return attribute->format == SIZED && (attribute->code == BRANCH_TARGETS || attribute->code == ANNOTATION ||
                                        ref_moves_find_attribute(attribute->code) != NULL);
}

/* RF822: cut to whole instructions, 0 where none begins. */
static void ref_derived_move(const ref_units *units, uint8_t *word, bool self) {
  const size_t unit = ref_u32(word) / UNIT;
  const bool begins = unit < units->count && (unit == 0 || units->items[unit] != units->items[unit - 1]);
  const size_t place = begins ? ref_units_find(units, ref_u32(word), self) : REF_NONE;
  ref_put_u32(word, place == REF_NONE ? 0 : (uint32_t)place);
}

/* The branch, a word, the number of targets, the targets. */
static void ref_derived_move_branches(const ref_units *units, uint8_t *data, uint64_t size) {
  for (uint64_t at = 0; size - at >= 3 * WORD;) {
    ref_derived_move(units, data + at, true);
    uint64_t left = ref_u32(data + at + 2 * WORD);
    for (at += 3 * WORD; left > 0 && size - at >= WORD; left--, at += WORD) {
      ref_derived_move(units, data + at, false);
    }
  }
}

static void ref_derived_move_annotations(const ref_units *units, uint8_t *data, uint64_t size) {
  uint64_t position = 0, place = 0;
  while (ref_moves_next_annotation(data, size, &position, &place)) {
    ref_derived_move(units, data + place, true);
  }
}

static void ref_derived_move_record(const ref_units *units, const ref_attribute *attribute, uint8_t *data) {
  if (attribute->code == BRANCH_TARGETS) {
    ref_derived_move_branches(units, data, attribute->size);
  } else if (attribute->code == ANNOTATION) {
    ref_derived_move_annotations(units, data, attribute->size);
  } else {
    const ref_moved_attribute *row = ref_moves_find_attribute(attribute->code);
    for (uint64_t at = row->at; at + WORD <= attribute->size; at += row->stride) {
      ref_derived_move(units, data + at, true);
    }
  }
}

/* RF1071: a record of a large parameter with this bit is on Mercury's side alone. */
static bool ref_derived_is_mercury_s(const ref_attribute *attribute) {
  return attribute->code == CODE_UCODE ||
         (attribute->code == CODE_KPARAM_INFO_LARGE && attribute->format == SIZED && attribute->size >= 3 * WORD &&
          (ref_u32(attribute->data + SIZE_AT) & LARGE_OF_MERCURY) != 0);
}

/* Mercury's records but its own ones as the SASS side has them. */
static void ref_derived_add_records(ref_link *link, ref_bytes *made, const ref_section *mercury,
                                    const ref_units *units) {
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(mercury, &position, &attribute)) {
    const size_t at = made->size;
    if (ref_derived_is_mercury_s(&attribute)) {
      continue;
    }
    ref_bytes_add(link, made, mercury->data + attribute.offset,
                  WORD + (attribute.format == SIZED ? (size_t)attribute.size : 0));
    if (ref_derived_has_places(&attribute)) {
      ref_derived_move_record(units, &attribute, made->data + at + WORD);
    }
  }
}

/* Where a parameter ends: an offset, and the size in the upper bits or, of large ones (RF1070), in the lower half of a word; 0: it counts for nothing. */
static uint32_t ref_derived_parameter_end(const ref_attribute *attribute) {
  const uint32_t offset = ref_u16(attribute->data + OFFSET_AT), word = ref_u32(attribute->data + SIZE_AT);
  if (offset == UINT16_MAX) {
    return 0;
  }
  return offset + (attribute->code == CODE_KPARAM_INFO_LARGE ? word & UINT16_MAX : word >> SIZE_SHIFT);
}

uint32_t ref_mercury_parameters(const ref_section *mercury) {
  uint64_t position = 0;
  ref_attribute attribute;
  uint32_t size = REF_NO_PARAMETERS;
  while (ref_cubin_next_attribute(mercury, &position, &attribute)) {
    if (attribute.code != CODE_KPARAM_INFO && attribute.code != CODE_KPARAM_INFO_LARGE) {
      continue;
    }
    if (attribute.format != SIZED || attribute.size != 3 * WORD) {
      return REF_UNKNOWN_PARAMETERS;
    }
    const uint32_t end = ref_derived_parameter_end(&attribute);
    size = size == REF_NO_PARAMETERS || end > size ? end : size;
  }
  return size == 0 ? REF_NO_PARAMETERS : size; /* RF1072 */
}

/* The size of the parameters, cut to 16 bits (RF1070), and their bank. */
static void ref_derived_add_parameters(ref_link *link, ref_bytes *made, uint32_t parameters, uint32_t bank) {
  if (parameters == REF_NO_PARAMETERS) { /* RF730 */
    return;
  }
  ref_bytes_add_u32(link, made, parameters << 16 | CODE_CBANK_PARAM_SIZE << 8 | 3);
  if (bank != 0) {
    ref_bytes_add_u32(link, made, 2 * WORD << 16 | CODE_PARAM_CBANK << 8 | SIZED);
    ref_bytes_add_u32(link, made, bank);
    ref_bytes_add_u32(link, made, parameters << 16 | REF_BANK_RESERVED);
  }
}

/* What the SASS side alone has. */
static void ref_derived_add_own(ref_link *link, ref_bytes *made, uint32_t parameters, uint32_t bank,
                                const ref_section *section) {
  uint64_t position = 0;
  ref_attribute attribute;
  ref_derived_add_parameters(link, made, parameters, bank);
  ref_bytes_add_u32(link, made, WORD << 16 | CODE_SW_WAR << 8 | SIZED); /* RF730 */
  ref_bytes_add_u32(link, made, link->sm >= 120 ? 0 : 8);
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    if ((attribute.code == CODE_TEXTURES || attribute.code == CODE_SAMPLERS) && attribute.format != SIZED) {
      ref_bytes_add(link, made, section->data + attribute.offset, WORD);
    }
  }
}

void ref_mercury_derive_attributes(ref_link *link, const ref_cubin *cubin, const ref_section *mercury, uint32_t bank,
                                   ref_section *section) {
  const uint32_t text = section->info & REF_TEXT_OF_INFO, parameters = ref_mercury_parameters(mercury);
  const ref_section *body = ref_mercury_body_beside(cubin, text, mercury->info);
  if (body == NULL || (mercury->data == NULL && mercury->size != 0) || parameters == REF_UNKNOWN_PARAMETERS) {
    return;
  }
  const ref_places places = ref_places_of_sections(link, body, &cubin->sections[text]);
  const ref_units units = ref_places_units(link, &places);
  ref_bytes made = {0};
  ref_derived_add_records(link, &made, mercury, &units);
  ref_derived_add_own(link, &made, parameters, bank, section);
  if (section->data == NULL || made.size != section->size || memcmp(made.data, section->data, made.size) != 0) {
    section->data = made.data;
    section->size = made.size;
  }
}

/* By text of the SASS side: the capsule that is about it, and the symbol of its bank of parameters; 0: none. */
static void ref_derived_list_texts(const ref_cubin *whole, uint32_t *bodies, uint32_t *banks) {
  static const char bank[] = ".nv.constant0.";
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    if (section->type == REF_TYPE_CAPSULE_TEXT && section->data != NULL && section->size >= WORD &&
        ref_u32(section->data) < whole->section_count) {
      bodies[ref_u32(section->data)] = i;
    }
  }
  for (size_t i = 1; i < whole->symbol_count && i <= UINT32_MAX; i++) {
    const uint32_t number = whole->symbols[i].section;
    const ref_section *section = number < whole->section_count ? &whole->sections[number] : NULL;
    if (section != NULL && (whole->symbols[i].info & 15) == REF_SYMBOL_SECTION && section->type == REF_TYPE_CONSTANT &&
        section->info < whole->section_count && strncmp(section->name, bank, sizeof bank - 1) == 0) {
      banks[section->info] = (uint32_t)i;
    }
  }
}

/* RF1249: records that the SASS side alone has are read as Mercury's: the places that they say are those of decoded code. A view of the file, whose
 * records Mercury's side takes as they are (RF880). */
void ref_mercury_derive_lone_attributes(ref_link *link, const ref_cubin *whole, ref_cubin *view) {
  static const char prefix[] = ".nv.info.";
  ref_map names = {0};
  uint32_t *bodies = REF_TAKE(link, uint32_t, whole->section_count);
  uint32_t *banks = REF_TAKE(link, uint32_t, whole->section_count);
  ref_derived_list_texts(whole, bodies, banks);
  for (uint32_t i = 1; i < whole->section_count; i++) {
    if ((whole->sections[i].flags & REF_FLAG_MERCURY) != 0) {
      (void)ref_map_put(link, &names, whole->sections[i].name, i);
    }
  }
  for (uint32_t i = 1; i < whole->section_count; i++) {
    ref_section mercury = whole->sections[i];
    const uint32_t text = mercury.info & REF_TEXT_OF_INFO;
    if (mercury.type == REF_TYPE_INFO && mercury.data != NULL && text < whole->section_count &&
        strncmp(mercury.name, prefix, sizeof prefix - 1) == 0 &&
        ref_map_find(&names, ref_memory_join(link, ".nv.merc", mercury.name)) == REF_NONE) {
      mercury.info = bodies[text];
      bodies[text] = 0; /* many sections of a text cost no more */
      ref_mercury_derive_attributes(link, whole, &mercury, banks[text], &view->sections[i]);
    }
  }
}
