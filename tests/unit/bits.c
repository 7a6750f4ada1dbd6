/* The bit fields of relocate/patch.h against one bit at a time: every width at every start of two 64-bit words. The bytes
 * lie in a block of exactly the size that the field needs, so that the sanitizer sees one byte too many. */
#include "catalog/relocation.h"
#include "relocate/patch.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { BITS_STARTS = 128, BITS_WIDTHS = 64, BITS_ROUNDS = 4 };

static unsigned bits_read_one(const uint8_t *bytes, unsigned at) {
  return bytes[at / 8] >> (at % 8) & 1u;
}

static void bits_write_one(uint8_t *bytes, unsigned at, unsigned bit) {
  const unsigned cleared = bytes[at / 8] & ~(1u << (at % 8));
  bytes[at / 8] = (uint8_t)(cleared | bit << (at % 8));
}

static void bits_fill(uint8_t *bytes, size_t size, uint64_t *random) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)(unit_random(random) >> 24);
}

static void bits_check_field(unsigned start, unsigned width, uint64_t *random) {
  const size_t size = (start + width + 7) / 8;
  uint8_t *const bytes = harness_grow(NULL, size), *const model = harness_grow(NULL, size);
  bits_fill(bytes, size, random);
  memcpy(model, bytes, size);
  uint64_t expected = 0;
  for (unsigned i = 0; i < width; i++)
    expected |= (uint64_t)bits_read_one(model, start + i) << i;
  assert_true(tl_bits_get(bytes, start, width) == expected);
  assert_memory_equal(bytes, model, size);

  /* All 64 bits are random: those above the width must not be written. */
  const uint64_t value = unit_random(random);
  for (unsigned i = 0; i < width; i++)
    bits_write_one(model, start + i, value >> i & 1u);
  tl_bits_put(bytes, start, width, value);
  assert_memory_equal(bytes, model, size);
  assert_true(tl_bits_get(bytes, start, width) == (width < 64 ? value & (((uint64_t)1 << width) - 1) : value));
  free(bytes);
  free(model);
}

static void bits_test_all_fields(void **state) {
  (void)state;
  uint64_t random = 0xb175;
  size_t across = 0;
  for (unsigned round = 0; round < BITS_ROUNDS; round++) {
    for (unsigned start = 0; start < BITS_STARTS; start++) {
      for (unsigned width = 1; width <= BITS_WIDTHS; width++) {
        bits_check_field(start, width, &random);
        across += start / 64 != (start + width - 1) / 64;
      }
    }
  }
  assert_true(across > BITS_ROUNDS * BITS_STARTS);
}

/* A field between zeros and between ones: the neighbours stay as they are. */
static void bits_test_neighbours(void **state) {
  (void)state;
  static const uint8_t zeros_expected[] = {0x00, 0xe0, 0xff, 0x03, 0x00};
  static const uint8_t ones_expected[] = {0xff, 0x1f, 0x00, 0xfc, 0xff};
  uint8_t zeros[5] = {0}, ones[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
  tl_bits_put(zeros, 13, 13, UINT64_MAX);
  tl_bits_put(ones, 13, 13, 0);
  assert_memory_equal(zeros, zeros_expected, sizeof zeros);
  assert_memory_equal(ones, ones_expected, sizeof ones);
  assert_int_equal(tl_bits_get(zeros, 12, 15), 0x3ffe);
}

/* Z001.36 to Z001.39: a record for each kind of first field, none for a type without one. */
static void bits_test_actions(void **state) {
  (void)state;
  static const struct {
    uint32_t type;
    uint8_t size, record[TL_ACTION_SIZE];
  } actions[] = {
      {115, 8, {0, 0, 0, 17, 37, 0, 5, 54}}, /* nvlink writes this one */
      {64, 8, {0, 2, 0, 14, 40, 0, 5, 54}},  /* in words */
      {79, 8, {3, 0, 0, 8, 0, 0, 0, 0}},     /* a byte of the value */
      {2, 8, {0, 0, 0, 64, 0, 0, 0, 0}},     {3, 0, {0}},
  };
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    uint8_t record[TL_ACTION_SIZE] = {0};
    assert_int_equal(tl_relocation_action(tl_relocation_find(actions[i].type), record), actions[i].size);
    assert_memory_equal(record, actions[i].record, sizeof record);
  }
}

int unit_test_bits(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_test_all_fields),
      cmocka_unit_test(bits_test_neighbours),
      cmocka_unit_test(bits_test_actions),
  };
  return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}
