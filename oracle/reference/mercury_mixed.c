/* RF987: what of a capsule in front of a file of SASS kind the finalizer makes of Mercury's side besides entries, attributes of functions and constants:
 * the file's own attributes, places that entries write into the code, and what fills a text. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum { WORD = 4, SIZED = 4, EXTERNS = 0x0f };

/* The SASS number of a Mercury symbol: the same where both have one name, otherwise by the name; what is not found keeps its number. */
uint32_t ref_mixed_symbol(const ref_mercury_sides *sides, uint32_t number) {
  const ref_cubin *sass = sides->sass, *mercury = sides->mercury;
  if (number >= mercury->symbol_count ||
      (number < sass->symbol_count && strcmp(sass->symbols[number].name, mercury->symbols[number].name) == 0)) {
    return number;
  }
  const bool is_section = (mercury->symbols[number].info & 15) == REF_SYMBOL_SECTION; /* M8: of the same number */
  const size_t found = is_section ? REF_NONE : ref_map_find(sides->sass_names, mercury->symbols[number].name);
  return found == REF_NONE ? number : (uint32_t)found;
}

void ref_mixed_derive_module(ref_link *link, const ref_mercury_sides *sides, const ref_section *mercury,
                             ref_section *section) {
  ref_bytes made = {0};
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(mercury, &position, &attribute)) {
    const size_t at = made.size;
    const bool sized = attribute.format == SIZED;
    ref_bytes_add(link, &made, mercury->data + attribute.offset, WORD + (sized ? (size_t)attribute.size : 0));
    const bool has_symbol = sized && (ref_record_first_word_is_symbol(attribute.code) || attribute.code == EXTERNS);
    for (uint64_t i = 0; has_symbol && i + WORD <= attribute.size; i += WORD) {
      uint8_t *word = made.data + at + WORD + i;
      if (i == 0 || attribute.code == EXTERNS) {
        ref_put_u32(word, ref_mixed_symbol(sides, ref_u32(word)));
      }
    }
  }
  if (made.size != 0) {
    section->data = made.data;
    section->size = made.size;
  }
}

/* Section symbols have no value. */
static uint64_t ref_mixed_value(const ref_mercury_sides *sides, const ref_relocation *entry) {
  const uint32_t number = ref_mixed_symbol(sides, entry->symbol);
  const ref_symbol *symbol = number < sides->sass->symbol_count ? &sides->sass->symbols[number] : NULL;
  const bool counts = symbol != NULL && (symbol->info & 15) != REF_SYMBOL_SECTION;
  return (counts ? symbol->value : 0) + (uint64_t)entry->addend;
}

/* RF1002: in the order of the file, so that the last entry counts. */
static void ref_mixed_write_places(ref_link *link, const ref_mercury_sides *sides, uint32_t table,
                                   const ref_section *body, const ref_section *text, ref_bytes *code) {
  const ref_places places = ref_places_of_sections(link, body, text);
  const ref_units units = ref_places_units(link, &places);
  for (size_t i = 0; i < ref_cubin_relocation_count(sides->sass, table); i++) {
    const ref_relocation entry = ref_cubin_relocation(sides->sass, table, i);
    ref_field field;
    if ((entry.type == REF_MERCURY_PLACE_64 || entry.type >= REF_MERCURY_PLACE_BYTE_0) &&
        ref_data_place_field(entry.type, &field)) {
      ref_field_write(&field, code->data, code->size, ref_units_around(&units, entry.offset),
                      ref_field_value(&field, ref_mixed_value(sides, &entry), 0, 0, 0));
    }
  }
}

/* RF989: the entries of variables and user constants, with the numbers that entries of data have (R63); RF1144: and the compiler's constants'.
 * RF1246: what is none of Mercury's types keeps its number. */
void ref_mixed_derive_entries(ref_link *link, const ref_mercury_sides *sides, uint32_t table, ref_section *entries) {
  enum { ENTRY_BYTES = 24 };
  const size_t count = ref_cubin_relocation_count(sides->sass, table);
  uint8_t *made = REF_TAKE(link, uint8_t, count *ENTRY_BYTES + 1), *to = made;
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_relocation(sides->sass, table, i);
    const uint32_t type = entry.type < REF_MERCURY_FIRST ? entry.type : ref_data_sass_type(entry.type, false);
    if (type != 0) {
      ref_put_u64(to, entry.offset);
      ref_put_u64(to + 8, (uint64_t)ref_mixed_symbol(sides, entry.symbol) << 32 | type);
      ref_put_u64(to + 16, (uint64_t)entry.addend);
      to += ENTRY_BYTES;
    }
  }
  entries->data = made;
  entries->size = (uint64_t)(to - made);
}

/* What says a place in the code is written. */
void ref_mixed_derive_data(ref_link *link, const ref_mercury_sides *sides, uint32_t table, const ref_section *mercury,
                           ref_section *data) {
  ref_bytes bytes = {0};
  ref_bytes_add(link, &bytes, mercury->data, (size_t)mercury->size);
  for (size_t i = 0; i < ref_cubin_relocation_count(sides->sass, table); i++) { /* RF1002 */
    const ref_relocation entry = ref_cubin_relocation(sides->sass, table, i);
    ref_field field;
    if (ref_data_place_field(entry.type, &field)) {
      ref_field_write(&field, bytes.data, bytes.size, entry.offset,
                      ref_field_value(&field, ref_mixed_value(sides, &entry), 0, 0, 0));
    }
  }
  if (bytes.size != 0) {
    data->data = bytes.data;
    data->size = bytes.size;
  }
}

void ref_mixed_derive_text(ref_link *link, const ref_mercury_sides *sides, uint32_t table, const ref_section *body,
                           ref_section *section) {
  ref_bytes code = {0};
  const ref_section text = *section;
  ref_bytes_add(link, &code, section->data, (size_t)section->size);
  ref_written_end_of_section(link, body, &code);
  if (table != 0) {
    ref_mixed_write_places(link, sides, table, body, &text, &code);
  }
  if (code.size != 0) {
    section->data = code.data;
  }
}
