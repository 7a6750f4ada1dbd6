/* Reads capsules (M9): a header, a bit mask in which 1 means "derived from the SASS text", and a record for each other
 * instruction. Of records only the lengths are understood, of themselves and of what they stand for (L127), which is nearly
 * all that linking needs. */
#include "cubin/capsule.h"

#include "base/bytes.h"

/* Bits of a record's first byte. */
enum { RECORD_UNITS = 0xf, RECORD_COUNTS = 0x10, RECORD_SHORT = 0x40 };

static uint64_t capsule_record_size(uint8_t first) {
  if (first & RECORD_COUNTS)
    return 2;
  if (first & RECORD_SHORT)
    return 4;
  return 16 * (uint64_t)(first & RECORD_UNITS);
}

static tl_capsule capsule_header(const uint8_t *bytes, uint64_t size) {
  const uint32_t count = tl_get32(bytes + 8);
  return (tl_capsule){.bytes = bytes,
                      .size = size,
                      .sass = tl_get32(bytes),
                      .kind = tl_get32(bytes + 4),
                      .count = count,
                      .first = TL_CAPSULE_HEADER + tl_align(((uint64_t)count + 7) / 8, 4)};
}

tl_capsule tl_capsule_of(const tl_cubin_section *section) {
  return capsule_header(section->data, section->size);
}

bool tl_capsule_read(tl_capsule *capsule, const uint8_t *bytes, uint64_t size) {
  if (!bytes || size < TL_CAPSULE_HEADER)
    return false;
  *capsule = capsule_header(bytes, size);
  return capsule->first <= size;
}

bool tl_capsule_next(const tl_capsule *capsule, uint64_t *offset, tl_capsule_record *record) {
  const uint64_t at = *offset ? *offset : capsule->first;
  if (at >= capsule->size)
    return false;
  *record = (tl_capsule_record){at, capsule_record_size(capsule->bytes[at])};
  *offset = at + record->size;
  return record->size && record->size <= capsule->size - at;
}

/* A record of two bytes says how many SASS instructions the item makes, and is followed by the instruction's own record
 * unless its units are 0. */
bool tl_capsule_next_item(const tl_capsule *capsule, tl_capsule_cursor *cursor, tl_capsule_item *item) {
  if (cursor->index >= capsule->count)
    return false;
  const uint8_t mask = capsule->bytes[TL_CAPSULE_HEADER + cursor->index / 8];
  *item = (tl_capsule_item){1, 0, mask >> cursor->index % 8 & 1};
  cursor->record = (tl_capsule_record){0, 0};
  cursor->index++;
  if (item->derived)
    return true;
  tl_capsule_record record;
  do {
    if (!tl_capsule_next(capsule, &cursor->offset, &record))
      return false;
    const uint8_t *const at = capsule->bytes + record.offset;
    cursor->record = record;
    item->units = at[0] & RECORD_UNITS;
    if (at[0] & RECORD_COUNTS)
      item->count = (uint32_t)at[1] << 1 | at[0] >> 7;
    else
      break;
  } while (item->units);
  return true;
}
