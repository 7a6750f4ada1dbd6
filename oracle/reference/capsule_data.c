/* RF696, RF813: the finalizer makes the SASS side's entries of a capsule's variables and user constants from Mercury's (L497, R63), and the bytes are
 * Mercury's; what the input has there does not count. L585, L1036: types of Mercury that say a place in the code have none in R_CUDA, so the
 * SASS view has no entry, but what it would say, with the value that the symbol has in the SASS table. The two views' data then have bytes
 * of their own. */
#include "capsule.h"
#include "relocation_table.h"

enum { SYMBOL_BYTES = 24, SYMBOL_VALUE = 8, SASS_LOW = 56, SASS_HIGH = 57 };

/* The field of such a type; false for others. */
bool ref_data_place_field(uint32_t type, ref_field *field) {
  if (type >= REF_MERCURY_PLACE_64 && type <= REF_MERCURY_PLACE_32_LAST) {
    *field = (ref_field){0, type == REF_MERCURY_PLACE_64 ? 64 : 32, REF_FROM_ABS};
    return true;
  }
  if (type >= REF_MERCURY_PLACE_BYTE_0 && type <= REF_MERCURY_PLACE_BYTE_7) {
    *field = (ref_field){0, 8, (ref_source)(REF_FROM_BYTE0 + (type - REF_MERCURY_PLACE_BYTE_0))};
    return true;
  }
  return false;
}

bool ref_data_is_derived(uint32_t type) {
  return type == REF_TYPE_GLOBAL_INIT || type == REF_TYPE_CONSTANT_USER || type == REF_TYPE_CONSTANT_PIC; /* RF874 */
}

/* R63: the type on the SASS side, 0 where that has no entry. Some keep Mercury's number. */
uint32_t ref_data_sass_type(uint32_t type, bool is_code) {
  static const struct {
    uint8_t first, last;
    uint32_t sass; /* of `first` */
  } rows[] = {{1, 1, 4},
              {2, 2, 2},
              {3, 3, 1},
              {4, 6, REF_MERCURY_FIRST + 4},
              {11, 11, 6},
              {12, 12, 101},
              {13, 13, 52},
              {14, 14, 73},
              {15, 15, 35},
              {16, 39, 76},
              {40, 41, REF_MERCURY_FIRST + 40},
              {50, 59, 102},
              {60, 60, 1},
              {61, 61, 2},
              {62, 63, 112},
              {64, 64, REF_MERCURY_FIRST + 64}};
  static const uint8_t code[] = {0, 0, 75, 55, 59, SASS_LOW, SASS_HIGH}; /* of an instruction */
  const uint32_t number = type - REF_MERCURY_FIRST;
  if (is_code && number < sizeof code / sizeof code[0] && code[number] != 0) {
    return code[number];
  }
  if (is_code && (type == REF_MERCURY_RETURN_LOW || type == REF_MERCURY_RETURN_HIGH)) {
    return type == REF_MERCURY_RETURN_LOW ? SASS_LOW : SASS_HIGH;
  }
  for (size_t i = 0; type >= REF_MERCURY_FIRST && i < sizeof rows / sizeof rows[0]; i++) {
    if (number >= rows[i].first && number <= rows[i].last) {
      return rows[i].sass + number - rows[i].first;
    }
  }
  return type >= REF_MERCURY_FIRST + REF_MERCURY_TYPES ? type : 0; /* RF1054 */
}

ref_bytes ref_data_entries(ref_capsule *capsule, size_t target) {
  ref_link *mercury = capsule->mercury;
  ref_bytes output = {0};
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    const uint32_t type = ref_data_sass_type(entry->type, false);
    if (!entry->dropped && entry->target == target && type != 0) {
      ref_capsule_write_entry(capsule, &output, entry->offset, type, ref_symbol_index(mercury, entry->symbol),
                              entry->addend);
    }
  }
  return output;
}

/* With the value that the symbol has in the SASS table. */
uint64_t ref_data_place_value(const ref_link *link, const ref_out_relocation *entry, const ref_bytes *symbols) {
  const uint32_t index = entry->symbol == REF_NONE ? 0 : link->symbols[entry->symbol].index;
  return ref_u64(symbols->data + (size_t)index * SYMBOL_BYTES + SYMBOL_VALUE) + (uint64_t)entry->addend;
}

/* True where an entry of the section is such a one. */
bool ref_capsule_write_places(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *data) {
  const ref_link *link = capsule->mercury;
  const ref_targets *targets = ref_derived_targets(capsule);
  bool found = false;
  for (size_t k = targets->starts[section + 1]; k-- > targets->starts[section];) {
    const ref_out_relocation *entry = &link->relocations[targets->items[k]];
    ref_field field;
    if (entry->dropped || !ref_data_place_field(entry->type, &field)) {
      continue;
    }
    found = true;
    if (ref_lines_are_named_by(link, entry)) { /* RF829: written elsewhere */
      continue;
    }
    const uint64_t content = ref_field_value(&field, ref_data_place_value(link, entry, symbols), 0, 0, 0);
    ref_field_write(&field, data->data, data->size, entry->offset, content);
  }
  return found;
}
