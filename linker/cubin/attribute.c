/* Records of .nv.info and .nv.compat (F61, I1, I4, I10, I15, I16). */
#include "cubin/attribute.h"

#include "base/bytes.h"

#include <string.h>

enum { WORD = 4 };

bool tl_record_next_whole(const tl_cubin_section *section, uint64_t *position, tl_record *record) {
  const uint64_t left = section->size - *position;
  if (left < WORD)
    return false;
  const uint8_t *const at = section->data + *position;
  *record = (tl_record){.format = at[0], .code = at[1], .size = 2, .data = at + 2, .offset = *position};
  if (at[0] == TL_RECORD_WHOLE) {
    record->size = tl_get16(at + 2);
    record->data = at + WORD;
  }
  const uint64_t length = tl_record_length(record);
  if (length > left)
    return false;
  *position += length;
  return true;
}

bool tl_records_have_whole(const uint8_t *list, uint64_t size, uint8_t code) {
  const tl_cubin_section section = {.data = list, .size = size};
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(&section, &position, &record))
    if (record.format == TL_RECORD_WHOLE && record.code == code)
      return true;
  return false;
}

uint64_t tl_record_length(const tl_record *record) {
  return WORD + (record->format == TL_RECORD_WHOLE ? record->size : 0);
}

bool tl_annotation_next(const uint8_t *payload, uint64_t size, uint64_t *position, uint64_t *place) {
  enum { KIND_PLACE = 1, KIND_PLACED_TEXT = 2, KIND_TEXT = 3 };
  while (size - *position >= 2 * WORD) {
    const uint64_t start = *position;
    const uint32_t kind = tl_get32(payload + start);
    const bool placed = kind == KIND_PLACE || kind == KIND_PLACED_TEXT;
    const bool text = kind == KIND_TEXT || kind == KIND_PLACED_TEXT; /* any other kind is one word (L1730) */
    uint64_t at = start + WORD + (placed ? WORD : 0);
    if (text && size - at >= WORD)
      at = tl_smaller(size, at + WORD + tl_align((uint64_t)tl_get32(payload + at), WORD));
    *position = at;
    *place = start + WORD;
    if (placed)
      return true;
  }
  return false;
}

/* One stray byte at the end is read as a record with what lies behind it in the file; only zeros say nothing (I16). The
 * section's bytes may be a copy by now. */
static bool record_is_nothing(const tl_cubin *cubin, const tl_cubin_section *section, uint64_t position) {
  static const uint8_t zeros[4] = {0};
  const uint64_t at = section->file_offset + position;
  return section->size - position == 1 && at <= cubin->size && cubin->size - at >= sizeof zeros &&
         memcmp(cubin->bytes + at, zeros, sizeof zeros) == 0;
}

void tl_record_check_end(const tl_cubin *cubin, uint32_t section, uint64_t position, const tl_names *names,
                         tl_diagnostics *diagnostics) {
  const tl_cubin_section *const s = &cubin->sections[section];
  if (s->size == position || record_is_nothing(cubin, s, position))
    return;
  tl_cubin_suspect(cubin, names, diagnostics, section, position,
                   s->size - position < 4 ? "an attribute record is incomplete"
                                          : "an attribute record runs past its section");
}

bool tl_targets_next(const uint8_t *payload, uint64_t size, uint64_t *position, tl_targets *list) {
  enum { HEAD = 3 * WORD, COUNT = 2 * WORD };
  const uint64_t left = size - *position;
  if (left < HEAD)
    return false;
  *list = (tl_targets){*position, *position + HEAD, tl_get32(payload + *position + COUNT)};
  if (list->count > (left - HEAD) / WORD)
    return false;
  *position = list->first + list->count * WORD;
  return true;
}
