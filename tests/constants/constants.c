/* Compiler constants that did not fit as one block a function (K3), by default: whatever an instruction reads must stand
 * at that offset in the image of every kernel. nvlink's own answer breaks this (D84); tests/synthetic holds that one. */
#include "tests/synthetic/constants.h"

#include "linker/twinlink.h"

/* cmocka.h needs these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SECTION_SIZE = 64, SECTION_TABLE = 40, SECTION_COUNT = 60, NAMES_INDEX = 62, OFFSET = 24, SIZE = 32 };

static uint64_t get(const uint8_t *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

static const uint8_t *find_section(const uint8_t *image, const char *name, uint64_t *size) {
  const uint8_t *const table = image + get(image + SECTION_TABLE, 8);
  const uint8_t *const names = image + get(table + SECTION_SIZE * get(image + NAMES_INDEX, 2) + OFFSET, 8);
  for (uint64_t i = 0; i < get(image + SECTION_COUNT, 2); i++) {
    const uint8_t *const section = table + SECTION_SIZE * i;
    if (strcmp((const char *)names + get(section, 4), name) == 0) {
      *size = get(section + SIZE, 8);
      return image + get(section + OFFSET, 8);
    }
  }
  fail_msg("no section %s", name);
  return NULL;
}

/* The offset in bank 2 that an instruction reads: types 64 and 66. */
static uint64_t read_offset(const uint8_t *instruction, unsigned sm) {
  return sm < 90 ? (get(instruction + 5, 2) & 0x3fff) * 4 : get(instruction + 4, 4) >> 6 & 0xffff;
}

static void check_read(const uint8_t *image, unsigned sm, const constants_read *read) {
  static const char *const images[] = {".nv.constant2.k", ".nv.constant2.k2"};
  char name[64];
  uint64_t size = 0;
  (void)snprintf(name, sizeof name, ".text.%s", read->function);
  const uint8_t *const text = find_section(image, name, &size);
  const uint64_t offset = read_offset(text + read->offset, sm);
  for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
    const uint8_t *const bank = find_section(image, images[i], &size);
    assert_true(offset + read->size <= size);
    assert_memory_equal(bank + offset, read->bytes, read->size);
  }
}

static void check_row(unsigned sm, size_t row) {
  static const char *const names[PROGRAM_FILES_MAX] = {"a.cubin", "b.cubin", "c.cubin"};
  built_program program = {.file_count = 0};
  tl_input inputs[PROGRAM_FILES_MAX];
  uint8_t *files[PROGRAM_FILES_MAX];
  constants_rows[row].build(&program, sm);
  for (size_t i = 0; i < program.file_count; i++) {
    size_t size = 0;
    files[i] = tb_finish(program.files[i], &size);
    inputs[i] = (tl_input){names[i], files[i], size, false};
  }
  char arch[16];
  (void)snprintf(arch, sizeof arch, "sm_%u", sm);
  const tl_job job = {.options = {.arch = arch}, .inputs = inputs, .input_count = program.file_count};
  tl_result result;
  assert_int_equal(tl_link(&job, &result), 0);
  size_t reads = 0;
  for (size_t i = 0; i < constants_read_count; i++)
    if (constants_reads[i].row == row) {
      check_read(result.image, sm, &constants_reads[i]);
      reads++;
    }
  assert_true(reads > 0);
  tl_result_free(&result);
  for (size_t i = 0; i < program.file_count; i++) {
    free(files[i]);
    tb_free(program.files[i]);
  }
}

static void crowded(void **state) {
  (void)state;
  check_row(75, 0);
  check_row(90, 0);
}

static void crowded_with_losers(void **state) {
  (void)state;
  check_row(75, 1);
  check_row(90, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(crowded), cmocka_unit_test(crowded_with_losers)};
  return cmocka_run_group_tests_name("constants", tests, NULL, NULL);
}
