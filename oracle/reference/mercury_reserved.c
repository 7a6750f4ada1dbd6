/* RF988, RF1003: where a capsule's SASS side has no section of entries about a text, Mercury's entries about it count for nothing (RF908), but the address
 * of reserved shared memory has gone from the instruction that one of them is about: nvlink puts it there when it carries out the entry. */
#include "capsule.h"
#include "relocation_table.h"

enum { OPCODE_LDCU = 0x7ac };

/* RF988: the text's bytes without such addresses; none where no instruction holds one. */
static ref_bytes ref_reserved_clear(ref_link *link, const ref_mercury_sides *sides, uint32_t table,
                                    const ref_section *body, const ref_section *text) {
  ref_units units = {0};
  ref_bytes code = {0};
  bool found = false;
  for (size_t i = 0; i < ref_cubin_relocation_count(sides->sass, table); i++) {
    const ref_relocation entry = ref_cubin_relocation(sides->sass, table, i);
    if (entry.type != REF_MERCURY_32 || ref_mercury_has_counterpart(sides->mercury, &entry)) {
      continue;
    }
    if (code.size == 0) {
      const ref_places places = ref_places_of_sections(link, body, text);
      units = ref_places_units(link, &places);
      ref_bytes_add(link, &code, text->data, (size_t)text->size);
    }
    const uint64_t place = ref_units_around(&units, entry.offset);
    if (ref_derived_opcode(&code, place) != OPCODE_LDCU) {
      ref_derived_write_value(&code, place, ref_derived_code_type(entry.type, false, &code, place), 0);
      found = true;
    }
  }
  return found ? code : (ref_bytes){0};
}

bool ref_reserved_stands(ref_link *link, const ref_mercury_sides *sides, uint32_t table, const ref_section *body,
                         const ref_section *text) {
  return ref_reserved_clear(link, sides, table, body, text).size != 0;
}

void ref_reserved_clear_lone(ref_link *link, const ref_mercury_sides *sides, const ref_map *tables) {
  const ref_cubin *whole = sides->sass;
  bool *is_done =
      REF_TAKE(link, bool, whole->section_count); /* a text about which there are entries, or that is done */
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    const bool is_table = section->type == REF_TYPE_RELA && (section->flags & REF_FLAG_MERCURY) == 0;
    is_done[is_table && section->info < whole->section_count ? section->info : 0] = true;
  }
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *body = &whole->sections[i];
    const bool is_body = body->type == REF_TYPE_CAPSULE_TEXT && body->data != NULL && body->size >= 4;
    const uint32_t text = is_body ? ref_u32(body->data) : 0;
    if (text >= whole->section_count || is_done[text] || ref_mercury_body_beside(whole, text, i) == NULL) {
      continue;
    }
    is_done[text] = true;
    const size_t table = ref_map_find(tables, ref_memory_print(link, ".nv.merc.rela%s", whole->sections[text].name));
    if (table != REF_NONE && whole->sections[table].type == REF_TYPE_MERCURY_RELA) {
      const ref_bytes code = ref_reserved_clear(link, sides, (uint32_t)table, body, &whole->sections[text]);
      whole->sections[text].data = code.size != 0 ? code.data : whole->sections[text].data;
    }
  }
}
