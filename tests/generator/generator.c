/* The generator without a compiler: the same seed gives the same program in every build, what is left after any dropping
 * mentions only what is defined, and the figures that the conformance runner prints keep to their bounds. */
#include "gen_features.h"
#include "gen_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t hash_text(uint64_t hash, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t hash_program(const gen_program *program) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < program->file_count; i++) {
    if (!program->files[i].live)
      continue;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    (program->files[i].language == GEN_PTX ? gen_print_ptx : gen_print_cuda)(program, i, to);
    fclose(to);
    assert_non_null(text);
    hash = hash_text(hash, text, size);
    free(text);
  }
  return hash;
}

static uint64_t hash_seeds(uint64_t first, uint64_t count, const char *architecture, gen_kind kind) {
  uint64_t hash = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    gen_program *program = gen_program_build(seed, architecture, kind, NULL);
    assert_non_null(program);
    hash = (hash ^ hash_program(program)) * 0x100000001b3u;
    free(program);
  }
  return hash;
}

static void test_seed_decides(void **state) {
  (void)state;
  assert_true(hash_seeds(7, 1, "sm_80", GEN_PLAIN) == hash_seeds(7, 1, "sm_80", GEN_PLAIN));
  assert_true(hash_seeds(7, 1, "sm_80", GEN_PLAIN) != hash_seeds(8, 1, "sm_80", GEN_PLAIN));
  assert_true(hash_seeds(7, 40, "sm_80", GEN_PLAIN) != hash_seeds(7, 40, "sm_90", GEN_PLAIN));
}

/* A seed named in a report must give the same program to whoever reads it, with any compiler. Whoever changes the
 * generator changes these numbers on purpose, and with them what all old seeds mean. */
static void test_programs_are_these(void **state) {
  (void)state;
  static const struct {
    const char *architecture;
    uint64_t hash;
  } rows[] = {{"sm_75", 0xb4e427492e7ed97e},
              {"sm_80", 0x60e9f1c504462091},
              {"sm_90", 0xfaff9715c9efec11},
              {"sm_90a", 0x448e9e8e1f79729a}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    uint64_t hash = hash_seeds(1, 100, rows[i].architecture, GEN_PLAIN);
    if (hash != rows[i].hash)
      fail_msg("seeds 1 to 100 for %s hash to 0x%016llx", rows[i].architecture, (unsigned long long)hash);
  }
}

static void test_architecture_names(void **state) {
  (void)state;
  static const char *const wrong[] = {"", "80", "sm_", "sm_70", "sm_80x", "sm_90ab", "sm_80 ", "compute_80"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    assert_null(gen_program_build(1, wrong[i], GEN_PLAIN, NULL));
}

static void check_mentions(const gen_program *program) {
  static gen_mentions mentions;
  for (int file = 0; file < program->file_count; file++) {
    if (!program->files[file].live)
      continue;
    gen_file_mentions(program, file, &mentions);
    for (int i = 0; i < program->function_count; i++)
      assert_true(!mentions.functions[i] || program->functions[i].live);
    for (int i = 0; i < program->variable_count; i++)
      assert_true(!mentions.variables[i] || program->variables[i].live);
    for (int i = 0; i < program->class_count; i++)
      assert_true(!mentions.classes[i] || program->classes[i].live);
  }
  for (int i = 0; i < program->body_count; i++)
    assert_true(!program->bodies[i].live || program->files[program->bodies[i].file].live);
}

static void test_dropping_is_consistent(void **state) {
  (void)state;
  bool *dropped = malloc(GEN_MAX_IDS * sizeof *dropped);
  assert_non_null(dropped);
  gen_random random = {1};
  for (uint64_t seed = 1; seed <= 400; seed++) {
    uint32_t percent = gen_random_below(&random, 90);
    for (int id = 0; id < GEN_MAX_IDS; id++)
      dropped[id] = gen_random_percent(&random, percent);
    gen_program *program = gen_program_build(seed, seed % 2 ? "sm_80" : "sm_90", GEN_OPTIONS, dropped);
    assert_non_null(program);
    check_mentions(program);
    hash_program(program); /* the printers must not trip over what is missing */
    free(program);
  }
  free(dropped);
}

static void test_drop_lists(void **state) {
  (void)state;
  bool dropped[GEN_MAX_IDS] = {0};
  assert_true(gen_parse_drops("3,7-9", dropped));
  for (int id = 0; id < 12; id++)
    assert_true(dropped[id] == (id == 3 || (id >= 7 && id <= 9)));
  assert_false(gen_parse_drops("x", dropped));
  assert_false(gen_parse_drops("5000", dropped));
  assert_false(gen_parse_drops("1;2", dropped));
}

static void test_figures(void **state) {
  (void)state;
  enum { PROGRAMS = 1000 };
  int shares[GEN_FEATURE_COUNT] = {0}, three_files = 0, ten_features = 0, files = 0, ptx = 0;
  for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
    gen_program *program = gen_program_build(seed, "sm_90", GEN_PLAIN, NULL);
    assert_non_null(program);
    bool features[GEN_FEATURE_COUNT];
    ten_features += gen_program_features(program, features) >= 10;
    three_files += program->file_count >= 3;
    for (int i = 0; i < GEN_FEATURE_COUNT; i++)
      shares[i] += features[i];
    for (int i = 0; i < program->file_count; i++, files++)
      ptx += program->files[i].language == GEN_PTX;
    free(program);
  }
  assert_true(three_files > PROGRAMS / 2);
  assert_true(ten_features > PROGRAMS / 2);
  assert_true(3 * ptx >= 2 * files);
  assert_int_equal(shares[GEN_FEATURE_HEADER], 0); /* only programs that are never kept may need the toolkit's text */
  for (int i = 0; i < GEN_FEATURE_COUNT; i++)
    if (shares[i] < PROGRAMS / 20 && i != GEN_FEATURE_HEADER)
      fail_msg("%s: %d of %d programs", gen_feature_names[i], shares[i], PROGRAMS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_seed_decides),       cmocka_unit_test(test_programs_are_these),
      cmocka_unit_test(test_architecture_names), cmocka_unit_test(test_dropping_is_consistent),
      cmocka_unit_test(test_drop_lists),         cmocka_unit_test(test_figures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
