/* Which CIE the frames of a capsule's SASS side name (L1822): nvlink makes them of Mercury's, and where a pointer of those has
 * an entry it leaves the pointer's bytes and the entry's addend as they are, though CIEs of the SASS side may lie elsewhere.
 * This holds where both sides have the same CIEs and frames in one order, as compilers and linkers write them; the rest of a
 * frame stays as the SASS side has it. */
#include "cubin/derive.h"

#include "base/bytes.h"
#include "base/vector.h"
#include "cubin/call_frame.h"
#include "cubin/elf.h"

#include <string.h>

enum { POINTER_SIZE = 8 };

/* The pointer of a frame on either side; `addend`: of Mercury's first entry there. */
typedef struct frame_pointer {
  uint64_t own, mercury;
  uint64_t addend;
  bool has_entry;
} frame_pointer;
typedef TL_VECTOR(frame_pointer) frame_pointers;

/* False where the two sides are not alike. */
static bool frames_pair(const tl_cubin_section *mercury, const tl_cubin_section *own, tl_arena *arena,
                        frame_pointers *pointers) {
  uint64_t at = 0, from = 0;
  while (at < own->size && from < mercury->size) {
    tl_call_frame frame, beside;
    if (!tl_call_frame_next(own->data, own->size, &at, &frame) ||
        !tl_call_frame_next(mercury->data, mercury->size, &from, &beside) || frame.cie != beside.cie)
      return false;
    if (!frame.cie)
      *tl_vector_push(arena, pointers) =
          (frame_pointer){.own = frame.offset + TL_FRAME_CIE, .mercury = beside.offset + TL_FRAME_CIE};
  }
  return at == own->size && from == mercury->size;
}

static int frames_compare_own(const void *a, const void *b) {
  return tl_compare(((const frame_pointer *)a)->own, ((const frame_pointer *)b)->own);
}

static int frames_compare_mercury(const void *a, const void *b) {
  return tl_compare(((const frame_pointer *)a)->mercury, ((const frame_pointer *)b)->mercury);
}

/* Both orders are the same, since frames do not overlap. */
static const frame_pointer *frames_find(const frame_pointers *pointers, uint64_t place, bool own) {
  const frame_pointer key = {.own = place, .mercury = place};
  return tl_sorted_find(&key, pointers->items, pointers->count, sizeof key,
                        own ? frames_compare_own : frames_compare_mercury);
}

/* What Mercury's entries say of its pointers. */
static void frames_read_entries(const tl_cubin_section *entries, frame_pointers *pointers) {
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= entries->size; at += ELF_RELA_SIZE) {
    const frame_pointer *const found = frames_find(pointers, tl_get64(entries->data + at), false);
    if (!found || found->has_entry)
      continue;
    frame_pointer *const pointer = &pointers->items[found - pointers->items];
    pointer->addend = tl_get64(entries->data + at + 16);
    pointer->has_entry = true;
  }
}

void tl_derive_take_pointers(tl_cubin_section *own, tl_cubin_section *entries, const tl_cubin_section *mercury,
                             const tl_cubin_section *mercury_entries, tl_arena *arena) {
  frame_pointers pointers = {0};
  if (!own->data || !mercury->data || !entries->data || !mercury_entries->data ||
      !frames_pair(mercury, own, arena, &pointers) || !pointers.count)
    return;
  frames_read_entries(mercury_entries, &pointers);
  uint8_t *const bytes = tl_arena_copy(arena, own->data, own->size);
  uint8_t *const copy = tl_arena_copy(arena, entries->data, entries->size);
  for (size_t i = 0; i < pointers.count; i++)
    if (pointers.items[i].has_entry)
      memcpy(bytes + pointers.items[i].own, mercury->data + pointers.items[i].mercury, POINTER_SIZE);
  for (uint64_t at = 0; at + ELF_RELA_SIZE <= entries->size; at += ELF_RELA_SIZE) {
    const frame_pointer *const pointer = frames_find(&pointers, tl_get64(copy + at), true);
    if (pointer && pointer->has_entry)
      tl_put64(copy + at + 16, pointer->addend);
  }
  own->data = bytes;
  entries->data = copy;
}
