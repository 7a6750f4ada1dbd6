/* Maps, names and vectors of linker/base against arrays that are searched from end to end. Random operations, enough of
 * them that every table grows several times; keys come from a small range, so that hits, misses and changes of a value
 * all happen often. The arena comes first, as all else lies in it. */
#include "base/map.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

enum { MAP_KEYS = 3000, MAP_STEPS = 20000, NAMES_TEXTS = 3000, NAMES_STEPS = 9000, VECTOR_ITEMS = 1000 };

/* Key 0 and the largest key are among them; many keys share their low or their high half. */
static uint64_t map_make_key(uint64_t number) {
  const uint64_t key = number / 2 % 10 | (number / 20) << 32;
  return number % 2 ? ~key : key;
}

static void map_test_operations(void **state) {
  (void)state;
  static uint32_t model[MAP_KEYS];
  uint64_t random = 0x3a9;
  tl_arena arena;
  tl_map map;
  unit_open_arena(&arena);
  tl_map_init(&map, &arena);
  size_t held = 0;
  for (size_t i = 0; i < MAP_KEYS; i++) {
    model[i] = TL_NONE;
    assert_true(tl_map_get(&map, map_make_key(i)) == TL_NONE);
  }
  for (size_t step = 0; step < MAP_STEPS; step++) {
    const size_t number = unit_random(&random) % MAP_KEYS;
    if (unit_random(&random) % 2) {
      const uint32_t value = (uint32_t)(unit_random(&random) % TL_NONE);
      held += model[number] == TL_NONE;
      model[number] = value;
      tl_map_set(&map, map_make_key(number), value);
    }
    assert_true(tl_map_get(&map, map_make_key(number)) == model[number]);
    assert_int_equal(map.count, held);
  }
  for (size_t i = 0; i < MAP_KEYS; i++)
    assert_true(tl_map_get(&map, map_make_key(i)) == model[i]);
  tl_arena_release(&arena);
}

/* 0 and the largest value that is not TL_NONE are values like any other. */
static void map_test_edge_values(void **state) {
  (void)state;
  tl_arena arena;
  tl_map map;
  unit_open_arena(&arena);
  tl_map_init(&map, &arena);
  tl_map_set(&map, 0, 0);
  tl_map_set(&map, UINT64_MAX, TL_NONE - 1);
  assert_int_equal(tl_map_get(&map, 0), 0);
  assert_true(tl_map_get(&map, UINT64_MAX) == TL_NONE - 1);
  assert_true(tl_map_get(&map, 1) == TL_NONE);
  tl_arena_release(&arena);
}

/* Texts that are prefixes of each other, one with a NUL inside, and the empty one: the length counts, not the NUL. */
static size_t names_make_text(char text[16], size_t number) {
  if (number == 1) {
    memcpy(text, "a\0b", 4);
    return 3;
  }
  const int length = number ? snprintf(text, 16, "a%zu", number) : snprintf(text, 16, "%s", "");
  return (size_t)length;
}

static void names_test_operations(void **state) {
  (void)state;
  static uint32_t model[NAMES_TEXTS];
  uint64_t random = 0x9a3e5;
  uint32_t next = 0;
  tl_arena arena;
  tl_names names;
  unit_open_arena(&arena);
  tl_names_init(&names, &arena, 0);
  memset(model, 0xff, sizeof model);
  for (size_t step = 0; step < NAMES_STEPS; step++) {
    char text[16];
    const size_t number = unit_random(&random) % NAMES_TEXTS;
    const size_t length = names_make_text(text, number);
    assert_true(tl_names_find(&names, text, length) == model[number]);
    if (unit_random(&random) % 2)
      continue;
    const char *const kept = tl_arena_text(&arena, text, length);
    if (model[number] == TL_NONE)
      model[number] = next++;
    assert_int_equal(tl_names_intern(&names, kept, length), model[number]);
    assert_memory_equal(tl_names_text(&names, model[number]), text, length + 1);
  }
  assert_true(next > 1024);
  assert_int_equal(names.list.count, next);
  for (size_t i = 0; i < NAMES_TEXTS; i++) {
    char text[16];
    const size_t length = names_make_text(text, i);
    assert_true(tl_names_find(&names, text, length) == model[i]);
  }
  tl_arena_release(&arena);
}

/* Items of an odd size, two vectors that grow by turns out of one arena. */
typedef struct vector_item {
  uint8_t bytes[7];
} vector_item;

static void vector_test_growth(void **state) {
  (void)state;
  static vector_item model[VECTOR_ITEMS];
  TL_VECTOR(vector_item) items = {0};
  tl_u32_vector numbers = {0};
  uint64_t random = 0x7ec;
  tl_arena arena;
  unit_open_arena(&arena);
  for (uint32_t i = 0; i < VECTOR_ITEMS; i++) {
    vector_item *const item = tl_vector_push(&arena, &items);
    for (size_t b = 0; b < sizeof item->bytes; b++)
      item->bytes[b] = model[i].bytes[b] = (uint8_t)unit_random(&random);
    tl_u32_push(&arena, &numbers, i * 3);
    assert_int_equal(items.count, i + 1);
    assert_true(items.capacity >= items.count && numbers.capacity >= numbers.count);
  }
  assert_memory_equal(items.items, model, sizeof model);
  for (uint32_t i = 0; i < VECTOR_ITEMS; i++)
    assert_int_equal(numbers.items[i], i * 3);
  tl_arena_release(&arena);
}

/* What the arena gives is zeroed, aligned and nobody else's, from one byte up to blocks of its own. */
static void arena_test_takes(void **state) {
  (void)state;
  enum { TAKES = 400 };
  static uint8_t *taken[TAKES];
  static size_t sizes[TAKES];
  uint64_t random = 0xa3e;
  tl_arena arena;
  unit_open_arena(&arena);
  for (size_t i = 0; i < TAKES; i++) {
    const unsigned most_bits = i % 40 == 39 ? 21 : 14;
    sizes[i] = 1 + unit_random(&random) % ((size_t)1 << (1 + unit_random(&random) % most_bits));
    taken[i] = tl_arena_take(&arena, sizes[i], 1);
    assert_int_equal((uintptr_t)taken[i] % _Alignof(max_align_t), 0);
    for (size_t b = 0; b < sizes[i]; b++)
      if (taken[i][b])
        fail_msg("take %zu is not zeroed", i);
    memset(taken[i], (int)(1 + i % 255), sizes[i]);
  }
  for (size_t i = 0; i < TAKES; i++)
    for (size_t b = 0; b < sizes[i]; b++)
      if (taken[i][b] != 1 + i % 255)
        fail_msg("take %zu was overwritten", i);
  tl_arena_release(&arena);
}

int unit_test_containers(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arena_test_takes),     cmocka_unit_test(map_test_operations),
      cmocka_unit_test(map_test_edge_values), cmocka_unit_test(names_test_operations),
      cmocka_unit_test(vector_test_growth),
  };
  return cmocka_run_group_tests_name("containers", tests, NULL, NULL);
}
