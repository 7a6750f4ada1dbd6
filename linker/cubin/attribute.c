/* Records of .nv.info and .nv.compat (F61, I1, I4, I10, I15, I16). */
#include "cubin/attribute.h"

#include "base/bytes.h"

bool tl_record_next(const tl_cubin *cubin, uint32_t section, uint64_t *position, tl_record *record,
                    const tl_names *names, tl_diagnostics *diagnostics) {
  const tl_cubin_section *const s = &cubin->sections[section];
  const uint64_t left = s->size - *position;
  if (!s->data || left <= 1)
    return false;
  if (left < 4)
    tl_cubin_damaged(cubin, names, diagnostics, section, *position, "an attribute record is incomplete");
  const uint8_t *const at = s->data + *position;
  *record = (tl_record){.format = at[0], .code = at[1], .size = 2, .data = at + 2, .offset = *position};
  uint64_t length = 4;
  if (at[0] == 4) {
    record->size = tl_get16(at + 2);
    record->data = at + 4;
    length += record->size;
  }
  if (length > left)
    tl_cubin_damaged(cubin, names, diagnostics, section, *position, "an attribute record runs past its section");
  *position += length;
  return true;
}

bool tl_attribute_names_symbol(uint8_t code) {
  static const uint8_t codes[] = {0x02, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x11, 0x12,
                                  0x13, 0x14, 0x17, 0x23, 0x26, 0x2f, 0x3b, 0x45};
  for (size_t i = 0; i < sizeof codes; i++)
    if (codes[i] == code)
      return true;
  return false;
}
