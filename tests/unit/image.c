/* The image of a plan, whole on one and on eight threads and streamed, against a model that copies all pieces first and
 * then writes all fields one after the other. Plans are random: small and large pieces of inputs, tables and zeros, and
 * fields that lie on each other, add the old bits and run from one piece into the next, so that what order and joining of
 * parts decide is seen. */
#include "write/image.h"

#include "tests/unit/unit.h"

#include <string.h>

enum { IMAGE_PLANS = 60, IMAGE_SECTIONS = 12, IMAGE_PIECES = 8, IMAGE_PATCHES = 4000, IMAGE_ROOM = 4 << 20 };

static uint8_t image_input[IMAGE_ROOM], image_model[IMAGE_ROOM], image_written[IMAGE_ROOM];
static size_t image_written_size;

static bool image_sink(void *context, const void *bytes, size_t size) {
  (void)context;
  assert_true(image_written_size + size <= sizeof image_written);
  memcpy(image_written + image_written_size, bytes, size);
  image_written_size += size;
  return true;
}

static bool image_refuse(void *context, const void *bytes, size_t size) {
  (void)bytes, (void)size;
  return ++*(size_t *)context < 2;
}

static void image_add_piece(tl_plan *plan, uint32_t section, uint64_t *random, tl_arena *arena) {
  const uint64_t number = unit_random(random);
  const uint64_t size = 1 + (number % 4 ? number / 8 % 300 : number / 8 % (80 << 10));
  const bool zero = number >> 32 & 1;
  const uint64_t from = (number >> 33) % (sizeof image_input - size);
  *tl_vector_push(arena, &plan->pieces) = (tl_plan_piece){.offset = plan->size,
                                                          .size = size,
                                                          .kind = zero ? TL_PLAN_ZERO : TL_PLAN_COPY,
                                                          .bytes = zero ? NULL : image_input + from,
                                                          .section = section};
  plan->size += size;
}

/* Sections 0 to IMAGE_SECTIONS - 1; the last has no bytes in the file, and its patches go nowhere. */
static void image_make_plan(tl_plan *plan, tl_relocated *relocated, uint64_t *random, tl_arena *arena) {
  uint64_t sizes[IMAGE_SECTIONS] = {0};
  *plan = (tl_plan){.section_offset = tl_arena_new(arena, uint64_t, IMAGE_SECTIONS), .relocated = relocated};
  image_add_piece(plan, TL_NONE, random, arena);
  for (uint32_t s = 0; s + 1 < IMAGE_SECTIONS; s++) {
    plan->section_offset[s] = plan->size;
    for (uint64_t pieces = 1 + unit_random(random) % IMAGE_PIECES; pieces; pieces--)
      image_add_piece(plan, s, random, arena);
    sizes[s] = plan->size - plan->section_offset[s];
    if (unit_random(random) % 2)
      image_add_piece(plan, TL_NONE, random, arena);
  }
  sizes[IMAGE_SECTIONS - 1] = 1000;
  *relocated = (tl_relocated){0};
  for (unsigned i = 0; i < IMAGE_PATCHES; i++) {
    const uint32_t section = (uint32_t)(unit_random(random) % IMAGE_SECTIONS);
    const tl_relocation_row *const row = tl_relocation_find((uint32_t)(unit_random(random) % TL_R_CUDA_COUNT));
    const uint64_t bytes = row ? tl_relocation_row_bytes(row) : 0;
    if (!bytes || bytes > sizes[section])
      continue;
    *tl_vector_push(arena, &relocated->patches) =
        (tl_patch){.section = section,
                   .offset = unit_random(random) % (sizes[section] - bytes + 1),
                   .row = row,
                   .value = unit_random(random),
                   .auxiliary = unit_random(random),
                   .bank = (uint8_t)(unit_random(random) & 31),
                   .rel = unit_random(random) % 2};
  }
}

/* Copies, then patches; returns how many fields lie in two pieces. */
static size_t image_make_model(const tl_plan *plan) {
  size_t across = 0;
  memset(image_model, 0, plan->size);
  for (size_t i = 0; i < plan->pieces.count; i++)
    if (plan->pieces.items[i].bytes)
      memcpy(image_model + plan->pieces.items[i].offset, plan->pieces.items[i].bytes, plan->pieces.items[i].size);
  for (size_t i = 0; i < plan->relocated->patches.count; i++) {
    const tl_patch *const patch = &plan->relocated->patches.items[i];
    const uint64_t at = plan->section_offset[patch->section] + patch->offset;
    if (patch->section == IMAGE_SECTIONS - 1)
      continue;
    tl_patch_apply(patch, image_model + at);
    for (size_t j = 0; j < plan->pieces.count; j++)
      across +=
          plan->pieces.items[j].offset > at && plan->pieces.items[j].offset < at + tl_relocation_row_bytes(patch->row);
  }
  return across;
}

/* True when the pieces cover the plan exactly once. */
static bool image_covers(const tl_plan *plan) {
  uint64_t end = 0;
  for (size_t i = 0; i < plan->pieces.count; i++) {
    if (plan->pieces.items[i].offset != end)
      return false;
    end += plan->pieces.items[i].size;
  }
  return end == plan->size;
}

static void image_test_plans(void **state) {
  (void)state;
  uint64_t random = 0x1336e;
  size_t across = 0, parts = 0;
  for (size_t i = 0; i < sizeof image_input; i++)
    image_input[i] = (uint8_t)(unit_random(&random) >> 16);
  for (unsigned round = 0; round < IMAGE_PLANS; round++) {
    tl_arena arena;
    tl_plan plan;
    tl_relocated relocated;
    tl_image image;
    unit_open_arena(&arena);
    image_make_plan(&plan, &relocated, &random, &arena);
    assert_true(plan.size <= sizeof image_model && image_covers(&plan));
    across += image_make_model(&plan);
    tl_image_prepare(&image, &plan, IMAGE_SECTIONS, round % 3 ? 0 : 1 + round % 700, &arena);
    parts += image.parts.count;
    assert_memory_equal(tl_image_make(&image, 1, &arena), image_model, plan.size);
    assert_memory_equal(tl_image_make(&image, 8, &arena), image_model, plan.size);
    image_written_size = 0;
    tl_image_take_buffer(&image, &arena);
    assert_true(tl_image_give(&image, image_sink, NULL));
    assert_int_equal(image_written_size, plan.size);
    assert_memory_equal(image_written, image_model, plan.size);
    size_t asked = 0;
    assert_int_equal(tl_image_give(&image, image_refuse, &asked), image.parts.count < 2);
    assert_true(asked <= 2);
    tl_arena_release(&arena);
  }
  assert_true(across > 100 && parts > 2 * IMAGE_PLANS);
}

int unit_test_image(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(image_test_plans),
  };
  return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
