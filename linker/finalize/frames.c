/* The SASS .debug_frame (M24): written anew from the frames of live functions, in the order in which the Mercury view has
 * them, each behind its CIE; the n-th entry of a file's Mercury section and the n-th of its SASS section describe the same
 * function. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "cubin/elf.h"

#include <stdlib.h>
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

/* A frame whose function is in the output: what either view has for it. */
typedef struct frame_pair {
  uint64_t place; /* in the merged Mercury section */
  uint32_t symbol;
  const uint8_t *mercury, *mercury_cie;
  const uint8_t *sass, *sass_cie;
  uint64_t sass_size, sass_cie_size, mercury_cie_size, cie; /* cie: where the CIE lies in the merged section */
} frame_pair;
typedef TL_VECTOR(frame_pair) frame_pairs;

typedef struct frame_entry {
  uint64_t offset;
  uint32_t symbol;
} frame_entry;

typedef struct frame_writer {
  finalizer *f;
  frame_entry *entries; /* kept entries of the Mercury section, by offset */
  size_t entry_count;
  frame_pairs pairs;
  uint8_t *bytes;
  uint64_t size;
} frame_writer;

static int frames_compare_entries(const void *a, const void *b) {
  const frame_entry *const x = a, *const y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void frames_collect_entries(frame_writer *w, uint32_t container) {
  const tl_relocated *const relocated = w->f->mercury->emitted->relocated;
  w->entries = tl_arena_new(w->f->arena, frame_entry, relocated->kept.count + 1);
  for (size_t i = 0; i < relocated->kept.count; i++)
    if (container != TL_NONE && relocated->kept.items[i].container == container)
      w->entries[w->entry_count++] = (frame_entry){relocated->kept.items[i].offset, relocated->kept.items[i].symbol};
  qsort(w->entries, w->entry_count, sizeof *w->entries, frames_compare_entries);
}

static const frame_entry *frames_find_entry(const frame_writer *w, uint64_t offset) {
  const frame_entry key = {offset, 0};
  return bsearch(&key, w->entries, w->entry_count, sizeof key, frames_compare_entries);
}

/* The frames of one file; `bytes` is where its Mercury frames lie in the merged, patched section. */
static void frames_pair_file(frame_writer *w, const tl_piece *mercury, const uint8_t *bytes, const tl_piece *sass) {
  finalizer *const f = w->f;
  const frame_list from = frames_read(f, bytes, mercury->size), to = frames_read(f, sass->data, sass->size);
  size_t cie = SIZE_MAX;
  if (from.count != to.count)
    final_disagree(f, "its SASS and its Mercury frames differ in number");
  for (size_t i = 0; i < from.count; i++) {
    if (from.items[i].cie != to.items[i].cie)
      final_disagree(f, "its SASS and its Mercury frames differ in kind");
    const uint64_t place = mercury->offset + from.items[i].offset;
    const frame_entry *const entry = from.items[i].cie ? NULL : frames_find_entry(w, place + FRAME_ADDRESS);
    if (from.items[i].cie)
      cie = i; /* a frame's CIE is the one before it */
    if (!entry || cie == SIZE_MAX)
      continue;
    *tl_vector_push(f->arena, &w->pairs) = (frame_pair){.place = place,
                                                        .symbol = entry->symbol,
                                                        .mercury = bytes + from.items[i].offset,
                                                        .mercury_cie = bytes + from.items[cie].offset,
                                                        .mercury_cie_size = from.items[cie].size,
                                                        .sass = sass->data + to.items[i].offset,
                                                        .sass_size = to.items[i].size,
                                                        .sass_cie = sass->data + to.items[cie].offset,
                                                        .sass_cie_size = to.items[cie].size,
                                                        .cie = mercury->offset + from.items[cie].offset};
  }
}

static void frames_put(frame_writer *w, const uint8_t *bytes, uint64_t size) {
  memcpy(w->bytes + w->size, bytes, size);
  w->size += size;
}

/* M24, L104: the first frame of a function describes the body that stands, which is the last one's; a further one, where
 * the entries of a replaced body stayed too, is the Mercury view's without its instructions. */
static void frames_write(frame_writer *w) {
  enum { BARE_FRAME = 40, BARE_LENGTH = 28 };
  finalizer *const f = w->f;
  uint32_t *const last = tl_arena_new(f->arena, uint32_t, f->mercury->module->symbols.count + 1);
  bool *const written = tl_arena_new(f->arena, bool, f->mercury->module->symbols.count + 1);
  uint64_t cie = TL_NO_OFFSET, cie_place = 0;
  for (uint32_t i = 0; i < w->pairs.count; i++)
    last[w->pairs.items[i].symbol] = i;
  for (uint32_t i = 0; i < w->pairs.count; i++) {
    const frame_pair *const pair = &w->pairs.items[i], *const stands = &w->pairs.items[last[pair->symbol]];
    const bool again = written[pair->symbol];
    written[pair->symbol] = true;
    if (cie != pair->cie) {
      cie = pair->cie;
      cie_place = w->size;
      frames_put(w, again ? pair->mercury_cie : pair->sass_cie, again ? pair->mercury_cie_size : pair->sass_cie_size);
    }
    *tl_vector_push(f->arena, &f->frames) = (final_frame){pair->place, w->size};
    uint8_t *const at = w->bytes + w->size;
    if (again) {
      memcpy(at, pair->mercury, FRAME_FDE);
      tl_put64(at + FRAME_LENGTH, BARE_LENGTH);
      w->size += BARE_FRAME;
    } else {
      frames_put(w, stands->sass, stands->sass_size);
    }
    tl_put64(at + FRAME_CIE, cie_place);
  }
}

const uint8_t *final_frames(finalizer *f, uint32_t section, uint64_t *size) {
  const uint32_t sass = f->sass_section[section];
  const tl_section *const m = final_mercury(f, section);
  const uint8_t *const bytes = final_view_bytes(f->mercury, section);
  frame_writer w = {.f = f};
  *size = 0;
  if (sass == TL_NONE)
    return final_new(f, 0);
  frames_collect_entries(&w, m->relocations[1]);
  for (size_t i = 0; i < m->pieces.count; i++) {
    const tl_piece *const other = final_piece_of(final_sass(f, sass), m->pieces.items[i].file);
    if (!other)
      final_disagree(f, "it has Mercury frames and no SASS frames");
    frames_pair_file(&w, &m->pieces.items[i], bytes + m->pieces.items[i].offset, other);
  }
  uint64_t room = 0;
  for (size_t i = 0; i < w.pairs.count; i++)
    room += w.pairs.items[i].sass_size + w.pairs.items[i].sass_cie_size + w.pairs.items[i].mercury_cie_size + 64;
  w.bytes = final_new(f, room);
  frames_write(&w);
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
