/* Carries a plan out: copies the pieces and applies the patches, section by section in parallel. Patches of one section
 * stay in their order (R10); those of different sections touch different bytes. */
#include "write/image.h"

#include "base/parallel.h"

#include <string.h>

/* Below this many bytes a thread costs more than it saves. */
static const uint64_t worth_threads = (uint64_t)1 << 20;

typedef struct image_run {
  uint32_t section; /* TL_NONE: headers and padding */
  size_t first_piece, piece_count;
} image_run;

typedef struct image_work {
  const tl_plan *plan;
  uint8_t *image;
  TL_VECTOR(image_run) runs;
  uint32_t *first_patch; /* by section: index in `patches`; one more at the end */
  uint32_t *patches;     /* indices of the plan's patches, grouped by section, in order */
} image_work;

static void image_find_runs(image_work *work, tl_arena *arena) {
  for (size_t i = 0; i < work->plan->pieces.count; i++) {
    const uint32_t section = work->plan->pieces.items[i].section;
    image_run *const last = work->runs.count ? &work->runs.items[work->runs.count - 1] : NULL;
    if (last && last->section == section)
      last->piece_count++;
    else
      *tl_vector_push(arena, &work->runs) = (image_run){section, i, 1};
  }
}

static void image_group_patches(image_work *work, size_t sections, tl_arena *arena) {
  const tl_relocated *const relocated = work->plan->relocated;
  work->first_patch = tl_arena_new(arena, uint32_t, sections + 2);
  work->patches = tl_arena_new(arena, uint32_t, relocated->patches.count + 1);
  for (size_t i = 0; i < relocated->patches.count; i++)
    work->first_patch[relocated->patches.items[i].section + 1]++;
  for (size_t i = 0; i < sections; i++)
    work->first_patch[i + 1] += work->first_patch[i];
  uint32_t *const next = tl_arena_copy(arena, work->first_patch, (sections + 1) * sizeof *next);
  for (size_t i = 0; i < relocated->patches.count; i++)
    work->patches[next[relocated->patches.items[i].section]++] = (uint32_t)i;
}

static void image_write_run(void *context, size_t index) {
  const image_work *const work = context;
  const image_run *const run = &work->runs.items[index];
  for (size_t i = 0; i < run->piece_count; i++) {
    const tl_plan_piece *const piece = &work->plan->pieces.items[run->first_piece + i];
    if (piece->bytes)
      memcpy(work->image + piece->offset, piece->bytes, piece->size);
  }
  if (run->section == TL_NONE)
    return;
  uint8_t *const section = work->image + work->plan->section_offset[run->section];
  for (uint32_t i = work->first_patch[run->section]; i < work->first_patch[run->section + 1]; i++)
    tl_patch_apply(&work->plan->relocated->patches.items[work->patches[i]], section);
}

uint8_t *tl_image_make(const tl_plan *plan, size_t section_count, unsigned threads, tl_arena *arena) {
  image_work work = {.plan = plan, .image = tl_arena_new(arena, uint8_t, plan->size)};
  image_find_runs(&work, arena);
  image_group_patches(&work, section_count, arena);
  tl_parallel_for(plan->size < worth_threads ? 1 : threads, work.runs.count, image_write_run, &work);
  return work.image;
}
