/* From S + A to the bits of a field (R2-R6): which part of the value a field takes, and where REL adds the old content. */
#include "relocate/relocate.h"

#include "base/bytes.h"
#include "relocate/patch.h"

#include <string.h>

uint64_t tl_relocation_row_bytes(const tl_relocation_row *row) {
  uint64_t end = 0;
  for (int i = 0; i < TL_RELOC_FIELDS && row->fields[i].width; i++)
    end = tl_larger(end, (uint64_t)row->fields[i].start + row->fields[i].width);
  return (end + 7) / 8;
}

/* R3: the old content is added at the field's own scale, for LOW and BYTE before the part is taken. */
static uint64_t apply_part(const tl_patch *patch, const tl_field *field, uint64_t old) {
  switch ((tl_value_part)field->part) {
  case TL_PART_ZERO:
    break;
  case TL_PART_ALL:
    return patch->value + old;
  case TL_PART_LOW:
    return (patch->value + old) & 0xffffffff;
  case TL_PART_HIGH:
    return (patch->value >> 32) + old;
  case TL_PART_DWORD:
    return (patch->value >> 2) + old;
  case TL_PART_BYTE:
    return (patch->value + old) >> field->shift & 0xff;
  case TL_PART_BANK:
    return patch->bank + old;
  case TL_PART_BANK_TOP:
    return (uint64_t)(patch->bank >> 4) + old;
  case TL_PART_AUX:
    return patch->auxiliary + old;
  }
  return 0;
}

static void apply_fields(const tl_patch *patch, uint8_t *at) {
  for (int i = 0; i < TL_RELOC_FIELDS && patch->row->fields[i].width; i++) {
    const tl_field *const field = &patch->row->fields[i];
    const uint64_t old = patch->rel ? tl_bits_get(at, field->start, field->width) : 0;
    tl_bits_put(at, field->start, field->width, apply_part(patch, field, old));
  }
}

/* L1690: behind the end of its file's bytes an entry reads zeros and writes nothing. */
void tl_patch_apply(const tl_patch *patch, uint8_t *at) {
  enum { LONGEST = 32 };
  if (!patch->bytes) {
    apply_fields(patch, at);
    return;
  }
  uint8_t bytes[LONGEST] = {0};
  memcpy(bytes, at, patch->bytes);
  apply_fields(patch, bytes);
  memcpy(at, bytes, patch->bytes);
}
