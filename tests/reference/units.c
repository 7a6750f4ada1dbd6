/* The reference's memory, list sort (S1, S2) and the writing of relocated fields (R2-R5, R9a); C++ names
 * (C83). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/reference/capsule.h"
#include "oracle/reference/link.h"
#include "oracle/reference/relocation_table.h"
#include "tests/harness/harness.h"

enum { NAMES_LEAST = 400 };

static char **names_paths; /* demangled-names, -operators, -damaged */

static int tie(const ref_link *link, size_t a, size_t b) {
  (void)link;
  (void)a;
  (void)b;
  return 0;
}

/* An array larger than all memory ends the link, before its size is a small one. */
static void array_larger_than_memory_ends_the_link(void **state) {
  ref_result result = {0};
  ref_link link = {.result = &result};
  (void)state;
  if (setjmp(link.escape) == 0) {
    (void)ref_memory_take(&link, SIZE_MAX / 8 + 2, 8);
    fail();
  }
  assert_int_equal(result.exit_code, 1);
  assert_null(link.blocks);
}

/* S2: the permutations when all elements are equal. */
static void sort_with_ties_permutes_as_measured(void **state) {
  static const size_t expected[][8] = {{1, 0},
                                       {0, 2, 1},
                                       {1, 3, 0, 2},
                                       {4, 0, 2, 1, 3},
                                       {5, 1, 3, 4, 0, 2},
                                       {4, 0, 6, 2, 5, 1, 3},
                                       {5, 1, 7, 3, 4, 0, 6, 2}};
  (void)state;
  for (size_t n = 2; n <= 8; n++) {
    ref_link link = {0};
    ref_indices list = {0};
    for (size_t i = 0; i < n; i++) {
      ref_indices_add(&link, &list, i);
    }
    ref_sort_swapping(&link, &list, tie, REF_TIE_SECOND);
    assert_memory_equal(list.items, expected[n - 2], n * sizeof(size_t));
    ref_memory_free(link.blocks);
  }
}

/* R5: R_CUDA 66, 16 bits at 38 and 5 bits at 54; the other bits stay. */
static void field_writes_only_its_own_bits(void **state) {
  uint8_t bytes[8];
  (void)state;
  memset(bytes, 0xff, sizeof bytes);
  const ref_relocation_row *row = &ref_relocation_rows[66];
  ref_field_write(&row->fields[0], bytes, sizeof bytes, 0, ref_field_value(&row->fields[0], 0x94, 0, 3, 0));
  ref_field_write(&row->fields[1], bytes, sizeof bytes, 0, ref_field_value(&row->fields[1], 0x94, 0, 3, 0));
  const uint64_t fields = ((uint64_t)0xffff << 38) | ((uint64_t)0x1f << 54);
  const uint64_t expected = ~fields | (uint64_t)0x94 << 38 | (uint64_t)3 << 54;
  assert_int_equal(ref_u64(bytes), expected);
}

/* D38: a value that does not fit is said with the name of its type, in either table without the table's own. */
static void types_are_named_without_their_table(void **state) {
  (void)state;
  assert_string_equal(ref_relocation_row_of(66)->name, "CONST_FIELD21_38");
  assert_string_equal(ref_relocation_row_of(REF_MERCURY_FIRST + 3)->name, "ABS32");
}

/* R3: REL adds the old content at field scale, here after the shift by 2. */
static void rel_adds_the_old_field(void **state) {
  const ref_field *field = &ref_relocation_rows[64].fields[0];
  (void)state;
  assert_int_equal(ref_field_value(field, 0x10, 5, 0, 0), 9);
}

/* R9a: what lies past the end is not written. */
static void field_stops_at_the_end(void **state) {
  uint8_t bytes[4] = {0, 0, 0, 0xee};
  (void)state;
  ref_field_write(&ref_relocation_rows[2].fields[0], bytes, 3, 0, (uint64_t)-1);
  assert_int_equal(bytes[2], 0xff);
  assert_int_equal(bytes[3], 0xee);
}

/* C83: every name as nvlink prints it; how many. */
static size_t check_names(const char *path) {
  harness_words lines;
  size_t count = 0;
  harness_read_lines(path, &lines);
  for (size_t i = 0; i < lines.count; i++) {
    char *tab = strchr(lines.items[i], '\t');
    if (lines.items[i][0] == '#' || tab == NULL) {
      continue;
    }
    ref_link link = {0};
    *tab = 0;
    assert_string_equal(ref_demangle(&link, lines.items[i]), tab + 1);
    ref_memory_free(link.blocks);
    count++;
  }
  harness_free_words(&lines);
  return count;
}

static void names_are_printed_as_nvlink_does(void **state) {
  size_t count = 0;
  (void)state;
  for (char **path = names_paths; *path != NULL; path++) {
    count += check_names(*path);
  }
  assert_true(count >= NAMES_LEAST);
}

/* Names that would double with every substitution, or nest without end, stay as they are. */
static void hostile_names_stay(void **state) {
  static char doubling[4096], nesting[100003];
  ref_link link = {0};
  (void)state;
  strcpy(doubling, "_Z1fI1AIiiEE");
  for (size_t i = 0; i < 60; i++) {
    const size_t used = strlen(doubling);
    (void)snprintf(doubling + used, sizeof doubling - used, "I1AIS%zu_S%zu_EE", i % 10, i % 10);
  }
  assert_string_equal(ref_demangle(&link, doubling), doubling);
  memset(nesting, 'P', sizeof nesting - 1);
  nesting[0] = '_';
  nesting[1] = 'Z';
  nesting[2] = '1';
  nesting[3] = 'f';
  assert_string_equal(ref_demangle(&link, nesting), nesting);
  ref_memory_free(link.blocks);
}

/* RF247: from the sizes that ptxas gives the functions of a capsule. */
static void derived_instructions_have_their_lengths(void **state) {
  static const uint16_t short_ones[] = {0x209, 0x20a, 0x20f, 0x21a, 0x226, 0x236,
                                        0x238, 0x23a, 0x240, 0x301, 0xc09, 0xe21};
  const uint64_t long_length = 32;
  (void)state;
  for (size_t i = 0; i < sizeof short_ones / sizeof short_ones[0]; i++) {
    const uint8_t instruction[16] = {(uint8_t)short_ones[i], (uint8_t)(short_ones[i] >> 8 | 0x70)};
    assert_int_equal(ref_capsule_derived_length(instruction), long_length / 2);
  }
  uint8_t comparison[16] = {0x0b, 0x72, [10] = 0xf0, [11] = 0x03}; /* a result, nothing to combine with */
  assert_int_equal(ref_capsule_derived_length(comparison), long_length / 2);
  comparison[10] = 0x30; /* a second result */
  assert_int_equal(ref_capsule_derived_length(comparison), long_length);
  uint8_t shifted_sum[16] = {0x91, 0x72, [8] = 0xff, [9] = 0xc0, [10] = 0x8e, [11] = 0x0f};
  assert_int_equal(ref_capsule_derived_length(shifted_sum), long_length / 2);
  shifted_sum[10] = 0x8f; /* .HI */
  assert_int_equal(ref_capsule_derived_length(shifted_sum), long_length);
}

/* Entries of both views belong together by their rank; so many that counting for each would never end. */
static void entries_have_their_ranks(void **state) {
  enum { COUNT = 200000, ENTRY = 24, SYMBOL_AT = 12, SYMBOLS = 3, TIED = 7, PRIME = 7919 };
  uint8_t *data = calloc(COUNT, ENTRY);
  (void)state;
  assert_non_null(data);
  for (uint32_t i = 0; i < COUNT; i++) { /* offsets in no order, the last few the same */
    const uint32_t place = (uint32_t)((uint64_t)i * PRIME % (COUNT - TIED));
    ref_put_u64(data + (size_t)i * ENTRY, i < COUNT - TIED ? place : COUNT);
    ref_put_u32(data + (size_t)i * ENTRY + SYMBOL_AT, i < COUNT - TIED ? place % SYMBOLS : SYMBOLS);
  }
  ref_section sections[] = {{0}, {.type = REF_TYPE_RELA, .size = (uint64_t)COUNT * ENTRY, .data = data}};
  const ref_cubin cubin = {.sections = sections, .section_count = 2};
  ref_link link = {0};
  for (uint32_t i = 0; i < COUNT - TIED; i++) {
    const ref_ranks *ranks = ref_ranks_of(&link, &cubin, 1);
    assert_int_equal(ref_ranks_rank(ranks, i % SYMBOLS, i), i / SYMBOLS);
    const ref_rank *found = ref_ranks_find(ranks, i % SYMBOLS, i / SYMBOLS);
    assert_non_null(found);
    assert_int_equal(found->offset, i);
    assert_null(ref_ranks_next(ranks, found));
  }
  const ref_ranks *ranks = ref_ranks_of(&link, &cubin, 1);
  size_t tied = 0;
  for (const ref_rank *rank = ref_ranks_find(ranks, SYMBOLS, 0); rank != NULL; rank = ref_ranks_next(ranks, rank)) {
    assert_int_equal(rank->number, COUNT - TIED + tied++);
  }
  assert_int_equal(tied, TIED);
  assert_null(ref_ranks_find(ranks, SYMBOLS, 1));
  assert_null(ref_ranks_find(ranks, SYMBOLS + 1, 0));
  ref_memory_free(link.blocks);
  free(data);
}

int main(int argc, char **argv) {
  names_paths = argv + (argc > 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(array_larger_than_memory_ends_the_link),
      cmocka_unit_test(sort_with_ties_permutes_as_measured),
      cmocka_unit_test(field_writes_only_its_own_bits),
      cmocka_unit_test(types_are_named_without_their_table),
      cmocka_unit_test(rel_adds_the_old_field),
      cmocka_unit_test(field_stops_at_the_end),
      cmocka_unit_test(names_are_printed_as_nvlink_does),
      cmocka_unit_test(hostile_names_stay),
      cmocka_unit_test(derived_instructions_have_their_lengths),
      cmocka_unit_test(entries_have_their_ranks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
