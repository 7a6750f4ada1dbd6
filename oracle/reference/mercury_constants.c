/* RF809: the compiler's constants on a capsule's SASS side as the finalizer makes them of Mercury's, whatever the input has there: as many bytes, with
 * the place of an instruction of the SASS text where an entry says a place that a branch leads to (RF811), the last one in the file where several do (RF1143). */
#include "capsule.h"

/* RF828: places that are not looked up. Section symbols have no value. */
static void ref_constants_write_value(const ref_cubin *cubin, const ref_mercury_constants *mercury,
                                      const ref_relocation *entry, ref_bytes *bytes) {
  ref_field field;
  if (entry->type == REF_MERCURY_PLACE_32 || !ref_data_place_field(entry->type, &field)) {
    return;
  }
  const char *name = entry->symbol < mercury->view->symbol_count ? mercury->view->symbols[entry->symbol].name : "";
  const size_t symbol = *name == '\0' ? REF_NONE : ref_map_find(mercury->own_names, name);
  const uint64_t value = symbol == REF_NONE ? 0 : cubin->symbols[symbol].value;
  ref_field_write(&field, bytes->data, bytes->size, entry->offset,
                  ref_field_value(&field, value + (uint64_t)entry->addend, 0, 0, 0));
}

void ref_mercury_derive_constants(ref_link *link, const ref_cubin *cubin, const ref_mercury_constants *mercury,
                                  ref_section *section) {
  const ref_section *constants = &cubin->sections[mercury->constants];
  const ref_section *body = ref_mercury_body_beside(cubin, section->info, constants->info);
  if (body == NULL || constants->data == NULL) {
    return;
  }
  const ref_places places = ref_places_of_sections(link, body, &cubin->sections[section->info]);
  const ref_units units = ref_places_units(link, &places);
  const ref_section none = {0};
  const ref_leads leads =
      ref_leads_of_section(link, mercury->attributes == 0 ? &none : &cubin->sections[mercury->attributes], &units);
  ref_bytes bytes = {0};
  ref_bytes_add(link, &bytes, constants->data, (size_t)constants->size);
  const size_t count = mercury->table == 0 ? 0 : ref_cubin_relocation_count(cubin, mercury->table);
  for (size_t i = 0; i < count; i++) { /* RF1143 */
    const ref_relocation entry = ref_cubin_relocation(cubin, mercury->table, i);
    ref_leads_write(&leads, entry.type, entry.offset, entry.addend, 1, &bytes);
    ref_constants_write_value(cubin, mercury, &entry, &bytes);
  }
  section->data = bytes.data;
  section->size = bytes.size;
}
