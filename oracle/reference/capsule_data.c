/* L585, L1036: types of Mercury that say a place in the code, in the data and user constants of a capsule. R_CUDA has none for them, so the SASS view has no entry, but
 * what it would say, with the value that the symbol has in the SASS table. The two views' data then have bytes of their own. */
#include "capsule.h"
#include "relocation_table.h"

enum {
  PLACE_64 = REF_MERCURY_FIRST + 7,
  PLACE_32_LAST = REF_MERCURY_FIRST + 10,
  PLACE_BYTE_0 = REF_MERCURY_FIRST + 42,
  PLACE_BYTE_7 = REF_MERCURY_FIRST + 49,
  SYMBOL_BYTES = 24,
  SYMBOL_VALUE = 8
};

/* The field of such a type; false for others. */
static bool ref_data_place_field(uint32_t type, ref_field *field) {
  if (type >= PLACE_64 && type <= PLACE_32_LAST) {
    *field = (ref_field){0, type == PLACE_64 ? 64 : 32, REF_FROM_ABS};
    return true;
  }
  if (type >= PLACE_BYTE_0 && type <= PLACE_BYTE_7) {
    *field = (ref_field){0, 8, (ref_source)(REF_FROM_BYTE0 + (type - PLACE_BYTE_0))};
    return true;
  }
  return false;
}

/* True where an entry of the section is such a one. */
bool ref_capsule_write_places(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *data) {
  const ref_link *link = capsule->mercury;
  bool found = false;
  for (size_t i = link->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &link->relocations[i];
    ref_field field;
    if (entry->dropped || entry->target != section || !ref_data_place_field(entry->type, &field)) {
      continue;
    }
    const uint32_t index = entry->symbol == REF_NONE ? 0 : link->symbols[entry->symbol].index;
    const uint64_t value = ref_u64(symbols->data + (size_t)index * SYMBOL_BYTES + SYMBOL_VALUE);
    const uint64_t content = ref_field_value(&field, value + (uint64_t)entry->addend, 0, 0, 0);
    ref_field_write(&field, data->data, data->size, entry->offset, content);
    found = true;
  }
  return found;
}
