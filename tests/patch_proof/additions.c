/* A million random relocations through the linker's tl_patch_apply, beside writing them bit by bit with a carry (R2 to R7,
 * R3 for REL): every part of the value, fields anywhere in 16 bytes, numbers at the edges of carries as often as others. It
 * stands for the solver's proof where there is none, and holds the whole way from value to bytes together. */
#include "relocate/relocate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 1000000, BYTES = 16, BITS = 128, WIDTH_MAX = 64 };

/* Copies of apply.c with a planted fault, compiled under other names (CMakeLists.txt). */
void fault_or_apply(const tl_patch *patch, uint8_t *at);
void fault_scale_apply(const tl_patch *patch, uint8_t *at);
void fault_after_apply(const tl_patch *patch, uint8_t *at);

static uint64_t random_next(uint64_t *state) { /* splitmix64 */
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* All ones below some bit, with a little noise: numbers whose sums carry far. */
static uint64_t random_number(uint64_t *state) {
  const uint64_t choice = random_next(state);
  const uint64_t ones = UINT64_MAX >> choice % 64;
  return (choice >> 8 & 3) == 0 ? ones : (choice >> 8 & 3) == 1 ? ones - (choice >> 16 & 7) : random_next(state);
}

static unsigned get_bit(const uint8_t *bytes, unsigned at) {
  return (unsigned)bytes[at / 8] >> at % 8 & 1;
}

static void put_bit(uint8_t *bytes, unsigned at, unsigned bit) {
  bytes[at / 8] = (uint8_t)((bytes[at / 8] & ~(1U << at % 8)) | bit << at % 8);
}

/* Which number a part is taken of, from which bit on; then which bits of the sum it keeps. */
static void expected_field(uint8_t *bytes, const tl_patch *patch, const tl_field *field) {
  uint64_t number = patch->value;
  unsigned from = 0, first = 0, kept = WIDTH_MAX;
  switch ((tl_value_part)field->part) {
  case TL_PART_ALL:
    break;
  case TL_PART_LOW:
    kept = 32;
    break;
  case TL_PART_HIGH:
    from = 32;
    break;
  case TL_PART_DWORD:
    from = 2;
    break;
  case TL_PART_BYTE:
    first = field->shift;
    kept = 8;
    break;
  case TL_PART_BANK:
    number = patch->bank;
    break;
  case TL_PART_BANK_TOP:
    number = patch->bank;
    from = 4;
    break;
  case TL_PART_AUX:
    number = patch->auxiliary;
    break;
  case TL_PART_ZERO:
    kept = 0;
    break;
  }
  unsigned sum[2 * WIDTH_MAX] = {0}, carry = 0;
  for (unsigned i = 0; i < WIDTH_MAX; i++) {
    const unsigned a = i + from < WIDTH_MAX ? (unsigned)(number >> (i + from) & 1) : 0;
    const unsigned b = patch->rel && i < field->width ? get_bit(bytes, field->start + i) : 0;
    sum[i] = a ^ b ^ carry;
    carry = (a & b) | (carry & (a | b));
  }
  for (unsigned i = 0; i < field->width; i++)
    put_bit(bytes, field->start + i, i < kept ? sum[i + first] : 0);
}

/* How many of the cases differ from writing bit by bit. */
static size_t count_wrong(void (*apply)(const tl_patch *patch, uint8_t *at), uint64_t seed) {
  size_t wrong = 0;
  for (size_t i = 0; i < CASES; i++) {
    uint8_t bytes[BYTES], expected[BYTES];
    for (size_t k = 0; k < BYTES; k += 8) {
      const uint64_t word = random_number(&seed);
      memcpy(bytes + k, &word, 8);
    }
    memcpy(expected, bytes, BYTES);
    const uint64_t choice = random_next(&seed);
    tl_relocation_row row = {.name = "random"};
    const unsigned width = 1 + (unsigned)(choice % WIDTH_MAX);
    row.fields[0].part = (uint8_t)(choice >> 8) % (TL_PART_ZERO + 1);
    row.fields[0].width = (uint8_t)width;
    row.fields[0].start = (uint8_t)((choice >> 16) % (BITS - width + 1));
    row.fields[0].shift = (uint8_t)(8 * (choice >> 32 & 7));
    const tl_patch patch = {.row = &row,
                            .value = random_number(&seed),
                            .bank = (uint8_t)(random_next(&seed) & 31),
                            .auxiliary = (uint32_t)random_number(&seed),
                            .rel = (choice >> 40 & 1) != 0};
    apply(&patch, bytes);
    expected_field(expected, &patch, &row.fields[0]);
    wrong += memcmp(bytes, expected, BYTES) != 0;
  }
  return wrong;
}

static void test_engine(void **state) {
  (void)state;
  assert_int_equal(count_wrong(tl_patch_apply, 1), 0);
}

static void test_planted(void **state) {
  (void)state;
  assert_true(count_wrong(fault_or_apply, 2) > 0);
  assert_true(count_wrong(fault_scale_apply, 3) > 0);
  assert_true(count_wrong(fault_after_apply, 4) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_engine), cmocka_unit_test(test_planted)};
  return cmocka_run_group_tests_name("patch_additions", tests, NULL, NULL);
}
