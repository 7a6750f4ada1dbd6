/* The SASS .debug_frame (M24): written anew from the frames of live functions, in the order in which the Mercury view has
 * them, each behind its CIE; the n-th entry of a file's Mercury section and the n-th of its SASS section describe the same
 * function. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "cubin/elf.h"

#include <string.h>

/* Layout of an entry: ff ff ff ff, length, then the CIE pointer (all ones: a CIE), for an FDE the function's address and
 * length. */
enum { FRAME_LENGTH = 4, FRAME_CIE = 12, FRAME_ADDRESS = 20, FRAME_LEAST = 20, FRAME_FDE = 36 };

typedef struct frame {
  uint64_t offset, size; /* in its section */
  bool cie;
} frame;
typedef TL_VECTOR(frame) frame_list;

/* False at the end and at anything that is no frame. */
static bool frames_next(const uint8_t *bytes, uint64_t size, uint64_t *position, frame *out) {
  const uint64_t at = *position;
  if (size - at < FRAME_LEAST || tl_get32(bytes + at) != UINT32_MAX)
    return false;
  const uint64_t length = tl_get64(bytes + at + FRAME_LENGTH);
  if (length > size - at - FRAME_CIE || length < FRAME_LEAST - FRAME_CIE)
    return false;
  *out = (frame){at, length + FRAME_CIE, tl_get64(bytes + at + FRAME_CIE) == UINT64_MAX};
  *position = at + out->size;
  return out->cie || out->size >= FRAME_FDE;
}

static frame_list frames_read(const finalizer *f, const uint8_t *bytes, uint64_t size) {
  frame_list list = {0};
  frame one;
  for (uint64_t position = 0; frames_next(bytes, size, &position, &one);)
    *tl_vector_push(f->arena, &list) = one;
  return list;
}

typedef struct frame_writer {
  finalizer *f;
  uint32_t section;
  const uint8_t *mercury; /* the merged section, patched */
  uint8_t *bytes;
  uint64_t size;
  uint64_t cie;       /* the Mercury CIE that was written last, in the merged section; TL_NO_OFFSET */
  uint64_t cie_place; /* where it is now */
} frame_writer;

static void frames_put(frame_writer *w, const uint8_t *bytes, uint64_t size) {
  memcpy(w->bytes + w->size, bytes, size);
  w->size += size;
}

static bool frames_is_kept(const frame_writer *w, uint64_t offset) {
  const tl_relocated *const relocated = w->f->mercury->emitted->relocated;
  const uint32_t container = final_mercury(w->f, w->section)->relocations[1];
  for (size_t i = 0; container != TL_NONE && i < relocated->kept.count; i++)
    if (relocated->kept.items[i].container == container && relocated->kept.items[i].offset == offset)
      return true;
  return false;
}

/* One file's frames: `start` is where they lie in the merged Mercury section. */
static void frames_write_file(frame_writer *w, const tl_piece *mercury, const tl_piece *sass) {
  finalizer *const f = w->f;
  const uint8_t *const bytes = w->mercury + mercury->offset;
  const frame_list from = frames_read(f, bytes, mercury->size), to = frames_read(f, sass->data, sass->size);
  if (from.count != to.count)
    final_disagree(f, "its SASS and its Mercury frames differ in number");
  for (size_t i = 0; i < from.count; i++) {
    if (from.items[i].cie != to.items[i].cie)
      final_disagree(f, "its SASS and its Mercury frames differ in kind");
    if (from.items[i].cie)
      continue;
    const uint64_t place = mercury->offset + from.items[i].offset;
    if (!frames_is_kept(w, place + FRAME_ADDRESS))
      continue;
    const uint64_t cie = tl_get64(bytes + from.items[i].offset + FRAME_CIE);
    for (size_t c = 0; c < from.count && cie != w->cie; c++)
      if (from.items[c].cie && mercury->offset + from.items[c].offset == cie) {
        w->cie = cie;
        w->cie_place = w->size;
        frames_put(w, sass->data + to.items[c].offset, to.items[c].size);
      }
    *tl_vector_push(f->arena, &f->frames) = (final_frame){place, w->size};
    uint8_t *const at = w->bytes + w->size;
    frames_put(w, sass->data + to.items[i].offset, to.items[i].size);
    tl_put64(at + FRAME_CIE, w->cie_place);
  }
}

const uint8_t *final_frames(finalizer *f, uint32_t section, uint64_t *size) {
  const uint32_t sass = f->sass_section[section];
  const tl_section *const m = final_mercury(f, section);
  frame_writer w = {.f = f, .section = section, .mercury = final_view_bytes(f->mercury, section), .cie = TL_NO_OFFSET};
  *size = 0;
  if (sass == TL_NONE)
    return final_new(f, 0);
  /* Each frame once, and a CIE before each. */
  w.bytes = final_new(f, 2 * (final_view_size(f->mercury, section) + final_view_size(f->sass, sass)));
  for (size_t i = 0; i < m->pieces.count; i++) {
    const tl_piece *const other = final_piece_of(final_sass(f, sass), m->pieces.items[i].file);
    if (!other)
      final_disagree(f, "it has Mercury frames and no SASS frames");
    frames_write_file(&w, &m->pieces.items[i], other);
  }
  *size = w.size;
  return w.bytes;
}

/* Entries of the Mercury section, at the frames' new places; ABS_PROG_REL64 is R_CUDA_64 here (R63). */
const uint8_t *final_frame_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  const tl_relocated *const relocated = f->mercury->emitted->relocated;
  const tl_emitted *const e = f->mercury->emitted;
  uint8_t *const bytes = final_new(f, f->frames.count * ELF_RELA_SIZE);
  *size = 0;
  for (size_t i = 0; i < relocated->kept.count; i++) {
    const tl_kept *const kept = &relocated->kept.items[i];
    for (size_t j = 0; kept->container == section && j < f->frames.count; j++) {
      if (f->frames.items[j].from + FRAME_ADDRESS != kept->offset || *size == f->frames.count * ELF_RELA_SIZE)
        continue;
      uint8_t *const at = bytes + *size;
      tl_put64(at, f->frames.items[j].to + FRAME_ADDRESS);
      tl_put64(at + 8, (uint64_t)e->symbol_index[kept->symbol] << 32 | 2);
      tl_put64(at + 16, (uint64_t)kept->addend);
      *size += ELF_RELA_SIZE;
    }
  }
  return bytes;
}
