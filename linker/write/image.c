/* Carries a plan out. The plan is cut into parts of about one size that can be made each by itself: copied, zeroed, and
 * patched. In memory the parts are made in parallel, each at its place; for a file one buffer serves them all in turn, and
 * what stands unpatched in an input goes out from there, so that no second copy of the code is ever held.
 *
 * Patches keep their order (R10), so all that can touch one byte belong to one part: where a patch runs over the end of a
 * piece, the next piece is joined to it. */
#include "write/image.h"

#include "base/bytes.h"
#include "base/parallel.h"

#include <string.h>

/* A part stays in the cache of a processor; below `worth_threads` bytes a thread costs more than it saves. */
static const uint64_t usual_part = (uint64_t)128 << 10, worth_threads = (uint64_t)1 << 20;

enum {
  PIECE_PATCHED = 1,
  PIECE_JOINED = 2
}; /* a patch begins in it; or is not at its end before it, which joins the two */

typedef struct preparing {
  tl_image *image;
  const tl_plan *plan;
  tl_arena *arena;
  uint64_t part_size;
  bool *in_file;      /* by section: it has bytes there */
  uint32_t *piece_of; /* by patch: the piece in which it starts, TL_NONE where the section is not in the output */
  uint8_t *state;     /* by piece */
  uint32_t *part_of;  /* by piece */
} preparing;

static void image_find_sections(preparing *p, size_t section_count) {
  p->in_file = tl_arena_new(p->arena, bool, section_count);
  for (size_t i = 0; i < p->plan->pieces.count; i++)
    if (p->plan->pieces.items[i].section != TL_NONE)
      p->in_file[p->plan->pieces.items[i].section] = true;
}

/* The piece that holds the byte; pieces follow each other, and the first begins at 0. */
static uint32_t image_find_piece(const preparing *p, uint64_t offset) {
  size_t low = 0, high = p->plan->pieces.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (p->plan->pieces.items[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)(low - 1);
}

static void image_mark_patches(preparing *p) {
  const size_t count = p->plan->relocated->patches.count;
  p->piece_of = tl_arena_new(p->arena, uint32_t, count);
  p->state = tl_arena_new(p->arena, uint8_t, p->plan->pieces.count);
  for (size_t i = 0; i < count; i++) {
    const tl_patch *const patch = &p->plan->relocated->patches.items[i];
    p->piece_of[i] = TL_NONE;
    if (!p->in_file[patch->section])
      continue;
    const uint64_t start = p->plan->section_offset[patch->section] + patch->offset;
    const uint64_t end = start + tl_relocation_row_bytes(patch->row);
    uint32_t piece = image_find_piece(p, start);
    p->piece_of[i] = piece;
    p->state[piece] |= PIECE_PATCHED;
    for (piece++; piece < p->plan->pieces.count && p->plan->pieces.items[piece].offset < end; piece++)
      p->state[piece] |= PIECE_JOINED;
  }
}

/* A large piece without patches is a part of its own, which goes out from where it stands, if it is no zeros. */
static bool image_stands_alone(const preparing *p, size_t piece) {
  return p->plan->pieces.items[piece].size >= p->part_size / 4 && !p->state[piece];
}

static void image_cut_parts(preparing *p) {
  tl_image *const image = p->image;
  p->part_of = tl_arena_new(p->arena, uint32_t, p->plan->pieces.count);
  bool alone = true;
  for (size_t i = 0; i < p->plan->pieces.count; i++) {
    const tl_plan_piece *const piece = &p->plan->pieces.items[i];
    tl_image_part *part = image->parts.count ? &image->parts.items[image->parts.count - 1] : NULL;
    const bool joined = p->state[i] & PIECE_JOINED, alone_now = image_stands_alone(p, i);
    if (!part || (!joined && (alone || alone_now || part->size + piece->size > p->part_size))) {
      part = tl_vector_push(p->arena, &image->parts);
      *part = (tl_image_part){.first_piece = i, .offset = piece->offset};
    }
    alone = alone_now;
    part->piece_count++;
    part->size += piece->size;
    p->part_of[i] = (uint32_t)(image->parts.count - 1);
  }
}

static void image_sort_patches(const preparing *p) {
  tl_image *const image = p->image;
  const size_t count = p->plan->relocated->patches.count;
  image->order = tl_arena_new(p->arena, uint32_t, count);
  for (size_t i = 0; i < count; i++)
    if (p->piece_of[i] != TL_NONE)
      image->parts.items[p->part_of[p->piece_of[i]]].patch_count++;
  uint32_t sum = 0;
  for (size_t i = 0; i < image->parts.count; i++) {
    image->parts.items[i].first_patch = sum;
    sum += image->parts.items[i].patch_count;
    image->parts.items[i].patch_count = 0;
  }
  for (size_t i = 0; i < count; i++)
    if (p->piece_of[i] != TL_NONE) {
      tl_image_part *const part = &image->parts.items[p->part_of[p->piece_of[i]]];
      image->order[part->first_patch + part->patch_count++] = (uint32_t)i;
    }
}

/* The bytes of a part that is one piece of an input or a table, unchanged; NULL when it has to be made. */
static const uint8_t *image_part_bytes(const tl_image *image, const tl_image_part *part) {
  return part->piece_count == 1 && !part->patch_count ? image->pieces[part->first_piece].bytes : NULL;
}

void tl_image_prepare(tl_image *image, const tl_plan *plan, size_t section_count, uint64_t part_size, tl_arena *arena) {
  *image = (tl_image){.pieces = plan->pieces.items,
                      .patches = plan->relocated->patches.items,
                      .section_offset = plan->section_offset,
                      .size = plan->size};
  preparing p = {.image = image, .plan = plan, .arena = arena, .part_size = part_size ? part_size : usual_part};
  image_find_sections(&p, section_count);
  image_mark_patches(&p);
  image_cut_parts(&p);
  image_sort_patches(&p);
}

static void image_fill(const tl_image *image, const tl_image_part *part, uint8_t *to) {
  for (size_t i = part->first_piece; i < part->first_piece + part->piece_count; i++) {
    const tl_plan_piece *const piece = &image->pieces[i];
    uint8_t *const at = to + (piece->offset - part->offset);
    if (piece->bytes)
      memcpy(at, piece->bytes, piece->size);
    else
      memset(at, 0, piece->size);
  }
  for (uint32_t i = part->first_patch; i < part->first_patch + part->patch_count; i++) {
    const tl_patch *const patch = &image->patches[image->order[i]];
    tl_patch_apply(patch, to + (image->section_offset[patch->section] + patch->offset - part->offset));
  }
}

typedef struct image_work {
  const tl_image *image;
  uint8_t *bytes;
} image_work;

static void image_make_part(void *context, size_t index) {
  const image_work *const work = context;
  const tl_image_part *const part = &work->image->parts.items[index];
  image_fill(work->image, part, work->bytes + part->offset);
}

uint8_t *tl_image_make(const tl_image *image, unsigned threads, tl_arena *arena) {
  image_work work = {image, tl_arena_take_bare(arena, image->size, 1)}; /* the parts fill all of it */
  tl_parallel_for(threads || image->size >= worth_threads ? threads : 1, image->parts.count, image_make_part, &work);
  return work.bytes;
}

void tl_image_take_buffer(tl_image *image, tl_arena *arena) {
  uint64_t largest = 0;
  for (size_t i = 0; i < image->parts.count; i++)
    if (!image_part_bytes(image, &image->parts.items[i]))
      largest = tl_larger(largest, image->parts.items[i].size);
  image->buffer = tl_arena_take_bare(arena, largest, 1);
}

bool tl_image_give(const tl_image *image, tl_sink *sink, void *context) {
  for (size_t i = 0; i < image->parts.count; i++) {
    const tl_image_part *const part = &image->parts.items[i];
    const uint8_t *bytes = image_part_bytes(image, part);
    if (!bytes) {
      image_fill(image, part, image->buffer);
      bytes = image->buffer;
    }
    if (!sink(context, bytes, part->size))
      return false;
  }
  return true;
}
