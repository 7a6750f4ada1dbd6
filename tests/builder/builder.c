/* nvlink links what the cubin builder builds: every program of programs.c, for every architecture of `architectures`.
 *
 * The doubters' reader reads the built files and the linked ones, so the builder's idea of the format is held against a
 * second one even where nvlink is absent; then the links are counted as skipped checks. Overrides are checked on the
 * bytes. Facts: F1-F10, F20-F46, F75-F79. */
#include "programs.h"
#include "tests/harness/harness.h"

#include "oracle/cubin/ref_cubin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const unsigned architectures[] = {75, 80, 86, 87, 88, 89, 90};
enum { ARCHITECTURE_COUNT = sizeof architectures / sizeof *architectures };

static const char *nvlink;
static char scratch[HARNESS_PATH];
static size_t links_made, links_skipped;

static bool has_symbol(const ref_cubin *cubin, const char *name) {
  for (size_t i = 1; i < cubin->symbol_count; i++)
    if (strcmp(cubin->symbols[i].name, name) == 0)
      return true;
  return false;
}

static void read_cubin(ref_cubin *cubin, const void *bytes, size_t size, const char *what) {
  char error[200] = "";
  if (!ref_cubin_read(cubin, bytes, size, error, sizeof error))
    fail_msg("%s: %s", what, error);
}

/* What must hold for every built file: links lead to sections, symbols to sections or the special numbers. */
static void check_built_file(const ref_cubin *cubin, unsigned sm) {
  assert_int_equal(cubin->type, 1);
  assert_int_equal(cubin->machine, 190);
  assert_int_equal(cubin->flags >> 8 & 0xff, sm);
  assert_string_equal(cubin->sections[cubin->flags >> 24].name, ".note.nv.cuinfo");
  for (size_t i = 1; i < cubin->section_count; i++) {
    assert_true(cubin->sections[i].name[0] != 0);
    assert_true(cubin->sections[i].link < cubin->section_count);
  }
  for (size_t i = 1; i < cubin->symbol_count; i++)
    assert_true(cubin->symbols[i].section < cubin->section_count || cubin->symbols[i].section >= 0xff00);
  for (uint32_t i = 1; i < cubin->section_count; i++)
    for (size_t n = 0; n < ref_cubin_relocation_count(cubin, i); n++)
      assert_true(ref_cubin_relocation(cubin, i, n).symbol < cubin->symbol_count);
}

static void link_program(const program_row *row, const built_program *program, unsigned sm) {
  char arch[32], path[HARNESS_PATH];
  const char *argv[PROGRAM_FILES_MAX + 5] = {nvlink, arch};
  static const char *const names[PROGRAM_FILES_MAX] = {"a.cubin", "b.cubin", "c.cubin"};
  (void)snprintf(arch, sizeof arch, "-arch=sm_%u", sm);
  size_t count = 2;
  for (size_t i = 0; i < program->file_count && i < PROGRAM_FILES_MAX; i++)
    argv[count++] = names[i];
  argv[count++] = "-o";
  argv[count] = "out.cubin";
  harness_outcome outcome;
  harness_run(&(harness_command){.argv = argv, .directory = scratch}, &outcome);
  if (outcome.code != 0)
    fail_msg("%s, sm_%u: nvlink's exit code %d, signal %d: %s", row->name, sm, outcome.code, outcome.signal,
             (const char *)outcome.err.data);
  if (*row->message ? !strstr((const char *)outcome.err.data, row->message) : outcome.err.size != 0)
    fail_msg("%s, sm_%u: nvlink says '%s'", row->name, sm, (const char *)outcome.err.data);
  harness_free_outcome(&outcome);
  harness_path(path, "%s/out.cubin", scratch);
  harness_bytes linked;
  ref_cubin cubin;
  assert_true(harness_read_file(path, &linked));
  read_cubin(&cubin, linked.data, linked.size, row->name);
  assert_int_equal(cubin.type, 2);
  assert_true(has_symbol(&cubin, row->symbol));
  ref_cubin_free(&cubin);
  free(linked.data);
  links_made++;
}

static void check_program(const program_row *row, unsigned sm) {
  static const char *const names[PROGRAM_FILES_MAX] = {"a.cubin", "b.cubin", "c.cubin"};
  built_program program = {.file_count = 0};
  row->build(&program, sm);
  assert_in_range(program.file_count, 1, PROGRAM_FILES_MAX);
  for (size_t i = 0; i < program.file_count && i < PROGRAM_FILES_MAX; i++) {
    char path[HARNESS_PATH];
    size_t size = 0, again_size = 0;
    uint8_t *bytes = tb_finish(program.files[i], &size), *again = tb_finish(program.files[i], &again_size);
    ref_cubin cubin;
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    read_cubin(&cubin, bytes, size, row->name);
    check_built_file(&cubin, sm);
    ref_cubin_free(&cubin);
    harness_path(path, "%s/%s", scratch, names[i]);
    harness_write_file(path, bytes, size);
    free(bytes);
    free(again);
  }
  if (nvlink)
    link_program(row, &program, sm);
  else
    links_skipped++;
  for (size_t i = 0; i < program.file_count; i++)
    tb_free(program.files[i]);
}

static void every_program(void **state) {
  (void)state;
  assert_true(program_count >= 12);
  for (size_t i = 0; i < program_count; i++)
    for (size_t n = 0; n < ARCHITECTURE_COUNT; n++)
      check_program(&program_rows[i], architectures[n]);
}

/* Overrides reach the field that they name, and nothing else. */
static void overrides_reach_their_place(void **state) {
  (void)state;
  size_t size = 0, changed_size = 0;
  tb_cubin *cubin = tb_new(90);
  const tb_symbol k = tb_kernel(cubin, "k", NULL, 0, 8);
  const tb_section text = tb_section_of(cubin, k);
  uint8_t *before = tb_finish(cubin, &size);
  ref_cubin plain, changed;
  read_cubin(&plain, before, size, "plain");
  tb_override(cubin, TB_PLACE_SECTION_HEADER, text, 48, 8, 3);
  tb_override(cubin, TB_PLACE_SYMBOL, k, 5, 1, 0x13);
  tb_override(cubin, TB_PLACE_SECTION, text, 7, 1, 0xee);
  tb_override(cubin, TB_PLACE_FILE, 0, 7, 1, 0x33);
  tb_override_size(cubin, size + 5);
  uint8_t *after = tb_finish(cubin, &changed_size);
  assert_int_equal(changed_size, size + 5);
  read_cubin(&changed, after, changed_size, "changed");
  assert_int_equal(changed.sections[tb_section_index(cubin, text)].align, 3);
  assert_int_equal(changed.symbols[tb_symbol_index(cubin, k)].other, 0x13);
  assert_int_equal(changed.sections[tb_section_index(cubin, text)].data[7], 0xee);
  assert_int_equal(changed.ident[7], 0x33);
  size_t differing = 0;
  for (size_t i = 0; i < size; i++)
    differing += before[i] != after[i];
  assert_int_equal(differing, 4);
  ref_cubin_free(&plain);
  ref_cubin_free(&changed);
  tb_free(cubin);
  free(before);
  free(after);
}

/* Editing a section before the end: dropped ones leave no trace, ranks move them. */
static void sections_can_be_edited(void **state) {
  (void)state;
  size_t size = 0;
  tb_cubin *cubin = tb_new(90);
  (void)tb_kernel(cubin, "k", NULL, 0, 8);
  tb_section_edit(cubin, tb_section_find(cubin, ".nv.compat"))->dropped = true;
  tb_section_edit(cubin, tb_section_find(cubin, ".text.k"))->rank = 0;
  uint8_t *bytes = tb_finish(cubin, &size);
  ref_cubin read;
  read_cubin(&read, bytes, size, "edited");
  assert_int_equal(ref_cubin_find_section(&read, ".nv.compat"), 0);
  assert_int_equal(ref_cubin_find_section(&read, ".text.k"), 1);
  assert_int_equal(read.sections[ref_cubin_find_section(&read, ".note.nv.cuinfo")].info, 0);
  ref_cubin_free(&read);
  tb_free(cubin);
  free(bytes);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_program),
      cmocka_unit_test(overrides_reach_their_place),
      cmocka_unit_test(sections_can_be_edited),
  };
  nvlink = harness_find_nvlink();
  harness_make_scratch(scratch);
  const int failed = cmocka_run_group_tests_name("builder", tests, NULL, NULL);
  harness_remove_tree(scratch);
  printf("built programs linked by nvlink: %zu\n", links_made);
  printf("%zu passed, %d failed, %zu skipped\n", sizeof tests / sizeof *tests - (size_t)failed, failed, links_skipped);
  return failed;
}
