/* Reads capsules (M9): a header, a bit mask in which 1 means "derived from the SASS text", and a record for each other
 * instruction. Only the lengths of records are understood, which is nearly all that linking needs. */
#include "cubin/capsule.h"

#include "base/bytes.h"

/* From the first byte of a record. */
static uint64_t capsule_record_size(uint8_t first) {
  if (first & 0x10)
    return 2;
  if (first & 0x40)
    return 4;
  return 16 * (uint64_t)(first & 0xf);
}

bool tl_capsule_read(tl_capsule *capsule, const uint8_t *bytes, uint64_t size) {
  if (!bytes || size < TL_CAPSULE_HEADER)
    return false;
  *capsule = (tl_capsule){.bytes = bytes, .size = size, .sass = tl_get32(bytes), .count = tl_get32(bytes + 8)};
  const uint64_t mask = tl_align(((uint64_t)capsule->count + 7) / 8, 4);
  capsule->first = TL_CAPSULE_HEADER + mask;
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
