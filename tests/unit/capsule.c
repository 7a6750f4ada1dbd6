/* Capsules (M9): the header, and the walk over the records. Each one lies in a block of exactly its size, so that the
 * sanitizer sees one byte too many. */
#include "cubin/capsule.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { CAPSULE_MOST = 512, CAPSULE_ROUNDS = 20000 };

static uint8_t *capsule_copy(const uint8_t *bytes, size_t size) {
  return memcpy(harness_grow(NULL, size + !size), bytes, size);
}

static uint64_t capsule_mask(uint32_t count) {
  uint64_t size = 0;
  while (size * 8 < count)
    size += 4;
  return size;
}

static void capsule_test_header(void **state) {
  (void)state;
  static const uint32_t counts[] = {0, 1, 31, 32, 33, 64, 65, 400};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    const size_t size = TL_CAPSULE_HEADER + capsule_mask(counts[i]);
    uint8_t image[CAPSULE_MOST] = {0x2a, 1, 0, 0, 1, 0, 0, 0xc0, (uint8_t)counts[i], (uint8_t)(counts[i] >> 8)};
    uint8_t *const bytes = capsule_copy(image, size);
    tl_capsule capsule;
    assert_true(tl_capsule_read(&capsule, bytes, size));
    assert_int_equal(capsule.sass, 0x12a);
    assert_int_equal(capsule.count, counts[i]);
    assert_int_equal(capsule.first, size);
    free(bytes);
    for (size_t less = 0; less < size; less++) {
      uint8_t *const cut = capsule_copy(image, less);
      assert_false(tl_capsule_read(&capsule, cut, less));
      free(cut);
    }
  }
  tl_capsule capsule;
  assert_false(tl_capsule_read(&capsule, NULL, CAPSULE_MOST));
  static const uint8_t huge[16] = {1, 0, 0, 0, 1, 0, 0, 0xc0, 0xff, 0xff, 0xff, 0xff};
  assert_false(tl_capsule_read(&capsule, huge, sizeof huge));
}

/* The lengths that the first byte gives: 2 with bit 4, else 4 with bit 6, else 16 a unit; also behind the last counted
 * instruction (L123). */
static void capsule_test_records(void **state) {
  (void)state;
  static const struct {
    uint8_t first;
    uint64_t size;
  } rows[] = {{0x01, 16}, {0x51, 2}, {0x41, 4}, {0x02, 32}, {0xd0, 2}, {0x42, 4}, {0x12, 2}, {0x03, 48}, {0x81, 16}};
  uint8_t image[CAPSULE_MOST] = {1, 0, 0, 0, 1, 0, 0, 0xc0, 3};
  uint64_t size = TL_CAPSULE_HEADER + 4;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    image[size] = rows[i].first;
    size += rows[i].size;
  }
  for (uint64_t cut = 0; cut < 16; cut++) { /* the last record must be whole */
    uint8_t *const bytes = capsule_copy(image, size - cut);
    tl_capsule capsule;
    tl_capsule_record record;
    uint64_t offset = 0, expected = TL_CAPSULE_HEADER + 4;
    assert_true(tl_capsule_read(&capsule, bytes, size - cut));
    for (size_t i = 0; i + (cut != 0) < sizeof rows / sizeof *rows; i++) {
      assert_true(tl_capsule_next(&capsule, &offset, &record));
      assert_int_equal(record.offset, expected);
      assert_int_equal(record.size, rows[i].size);
      expected += rows[i].size;
    }
    assert_false(tl_capsule_next(&capsule, &offset, &record));
    free(bytes);
  }
}

/* Items (L127): derived ones, records with and without a count in front, NOPs, and a record that is not whole. */
static void capsule_test_items(void **state) {
  (void)state;
  static const tl_capsule_item expected[] = {{1, 0, true},   {1, 2, false}, {9, 1, false}, {1, 0, true},
                                             {16, 0, false}, {2, 2, false}, {15, 0, false}};
  enum { ITEMS = sizeof expected / sizeof *expected };
  static const uint8_t head[] = {1, 0, 0, 0, 1, 0, 0, 0xc0, ITEMS, 0, 0, 0, 0x09, 0, 0, 0};
  uint8_t image[CAPSULE_MOST] = {0};
  size_t size = sizeof head;
  memcpy(image, head, sizeof head);
  image[size] = 2; /* 32 bytes */
  size += 32;
  memcpy(image + size, (const uint8_t[]){0xd1, 4, 0x41, 0x47, 0x6e, 0x0a}, 6); /* a count and a record of 4 bytes */
  size += 6;
  memcpy(image + size, (const uint8_t[]){0x50, 8, 0x51, 1, 0x42, 0x33, 0, 0x0e, 0xd0, 7}, 10);
  size += 10;
  for (size_t cut = 0; cut < 2; cut++) {
    uint8_t *const bytes = capsule_copy(image, size - cut);
    tl_capsule capsule;
    tl_capsule_cursor cursor = {0};
    tl_capsule_item item;
    assert_true(tl_capsule_read(&capsule, bytes, size - cut));
    for (size_t i = 0; i + cut < ITEMS; i++) {
      assert_true(tl_capsule_next_item(&capsule, &cursor, &item));
      assert_int_equal(item.count, expected[i].count);
      assert_int_equal(item.units, expected[i].units);
      assert_int_equal(item.derived, expected[i].derived);
    }
    assert_false(tl_capsule_next_item(&capsule, &cursor, &item));
    free(bytes);
  }
}

/* Whatever the bytes are, records follow each other inside the capsule and the walk ends. */
static void capsule_test_random(void **state) {
  (void)state;
  uint64_t random = 0xca95;
  size_t walked = 0;
  for (int round = 0; round < CAPSULE_ROUNDS; round++) {
    uint8_t image[CAPSULE_MOST] = {0};
    const size_t size = TL_CAPSULE_HEADER + unit_random(&random) % 120;
    for (size_t i = TL_CAPSULE_HEADER; i < size; i++)
      image[i] = (uint8_t)(unit_random(&random) >> 32);
    image[8] = (uint8_t)(unit_random(&random) % 100);
    uint8_t *const bytes = capsule_copy(image, size);
    tl_capsule capsule;
    tl_capsule_record record;
    if (tl_capsule_read(&capsule, bytes, size)) {
      uint64_t offset = 0, at = capsule.first;
      while (tl_capsule_next(&capsule, &offset, &record)) {
        assert_int_equal(record.offset, at);
        assert_true(record.size > 0 && record.size <= size - at);
        at += record.size;
        walked++;
      }
    }
    free(bytes);
  }
  assert_true(walked > CAPSULE_ROUNDS);
}

int unit_test_capsule(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(capsule_test_header), cmocka_unit_test(capsule_test_records),
                                     cmocka_unit_test(capsule_test_items), cmocka_unit_test(capsule_test_random)};
  return cmocka_run_group_tests_name("capsule", tests, NULL, NULL);
}
