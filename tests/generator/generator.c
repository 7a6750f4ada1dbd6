/* The generator without a compiler: the same seed gives the same program in every build, what is left after any dropping
 * mentions only what is defined, and the figures that the conformance runner prints keep to their bounds. */
#include "gen_features.h"
#include "gen_output.h"
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
    gen_kind kind;
    uint64_t hash;
  } rows[] = {{"sm_75", GEN_PLAIN, 0xb4e427492e7ed97e}, {"sm_80", GEN_PLAIN, 0x60e9f1c504462091},
              {"sm_90", GEN_PLAIN, 0xfaff9715c9efec11}, {"sm_90a", GEN_PLAIN, 0x448e9e8e1f79729a},
              {"sm_80", GEN_RICH, 0x1d1f67e3e5335fa7},  {"sm_90", GEN_UNIFIED, 0xef2c73552a4d6512}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    uint64_t hash = hash_seeds(1, 100, rows[i].architecture, rows[i].kind);
    if (hash != rows[i].hash)
      fail_msg("%s, %s: seeds 1 to 100 hash to 0x%016llx", gen_kind_names[rows[i].kind], rows[i].architecture,
               (unsigned long long)hash);
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
    if (shares[i] < PROGRAMS / 20 && gen_feature_is_of((gen_feature)i, GEN_PLAIN, 90))
      fail_msg("%s: %d of %d programs", gen_feature_names[i], shares[i], PROGRAMS);
}

/* --- programs from GEN_RICH on --- */

/* Each feature that a kind has is in 5 % of its programs. */
static void test_figures_of_kinds(void **state) {
  (void)state;
  enum { PROGRAMS = 600 };
  for (int kind = GEN_RICH; kind < GEN_KIND_COUNT; kind++) {
    int shares[GEN_FEATURE_COUNT] = {0};
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
      gen_program *program = gen_program_build(seed, "sm_90", (gen_kind)kind, NULL);
      assert_non_null(program);
      bool features[GEN_FEATURE_COUNT];
      gen_program_features(program, features);
      for (int i = 0; i < GEN_FEATURE_COUNT; i++)
        shares[i] += features[i];
      free(program);
    }
    for (int i = GEN_FEATURE_EWP; i < GEN_FEATURE_COUNT; i++)
      if (shares[i] < PROGRAMS / 20 && gen_feature_is_of((gen_feature)i, (gen_kind)kind, 90))
        fail_msg("%s, %s: %d of %d programs", gen_kind_names[kind], gen_feature_names[i], shares[i], PROGRAMS);
  }
}

typedef struct line_of_plan {
  const gen_program *program;
  int files[GEN_MAX_FILES * 2], count;
  bool used[GEN_MAX_STEPS];
} line_of_plan;

static void add_to_line(void *context, int input) {
  line_of_plan *line = context;
  if (input >= GEN_STEP_INPUT) {
    assert_false(line->used[input - GEN_STEP_INPUT]);
    line->used[input - GEN_STEP_INPUT] = true;
    gen_step_inputs(line->program, input - GEN_STEP_INPUT, add_to_line, line);
    return;
  }
  assert_true(line->count < GEN_MAX_FILES);
  line->files[line->count++] = input;
}

/* Whatever is dropped: the plan is a tree over the direct link's line, and every live step with inputs is linked in one
 * other. */
static void test_plans(void **state) {
  (void)state;
  bool *dropped = malloc(GEN_MAX_IDS * sizeof *dropped);
  assert_non_null(dropped);
  gen_random random = {7};
  for (uint64_t seed = 1; seed <= 600; seed++) {
    const uint32_t percent = gen_random_below(&random, 60);
    for (int id = 0; id < GEN_MAX_IDS; id++)
      dropped[id] = gen_random_percent(&random, percent);
    gen_program *program = gen_program_build(seed, "sm_90", (gen_kind)(GEN_RICH + seed % 5), dropped);
    assert_non_null(program);
    line_of_plan line = {.program = program};
    gen_step_inputs(program, program->step_count - 1, add_to_line, &line);
    int at = 0;
    for (int i = 0; i < program->file_count; i++)
      if (program->files[program->order[i]].live)
        assert_int_equal(line.files[at++], program->order[i]);
    assert_int_equal(at, line.count);
    for (int i = 0; i + 1 < program->step_count; i++)
      assert_true(line.used[i] == (program->steps[i].live && gen_step_has_input(program, i)));
    free(program);
  }
  free(dropped);
}

static uint64_t word_at(const text_buffer *file, size_t index) {
  uint64_t word;
  assert_true(8 * index + 8 <= file->size);
  memcpy(&word, file->bytes + 8 * index, sizeof word);
  return word;
}

/* An index without a flaw: its length, every identity once, no offset twice, windows filled. */
static void test_index(void **state) {
  (void)state;
  size_t seen = 0, flawed = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    gen_program *program = gen_program_build(seed, "sm_90", GEN_UNIFIED, NULL);
    assert_non_null(program);
    text_buffer file = {0};
    gen_index_make(program, &file);
    const uint64_t functions = word_at(&file, 3), objects = word_at(&file, 5);
    size_t have[2] = {0, 0};
    for (int i = 0; i < program->function_count; i++)
      have[0] += program->functions[i].live && program->functions[i].unified.set;
    for (int i = 0; i < program->variable_count; i++)
      have[1] += program->variables[i].live && program->variables[i].unified.set;
    flawed += program->index_flaw != GEN_INDEX_GOOD;
    if (program->index_flaw == GEN_INDEX_GOOD) {
      seen += functions;
      assert_int_equal(functions, have[0]);
      assert_int_equal(objects, have[1]);
      const uint64_t tail = program->index_version >= 2 ? 2 * functions : 0;
      assert_int_equal(file.size, 8 * (6 + 3 * (functions + objects) + tail));
      assert_int_equal(word_at(&file, 2), 128 * functions);
      for (size_t i = 0; i < functions + objects; i++)
        for (size_t k = 0; k < i; k++)
          assert_true(word_at(&file, 7 + 3 * i) != word_at(&file, 7 + 3 * k) ||
                      word_at(&file, 6 + 3 * i) != word_at(&file, 6 + 3 * k));
    }
    text_free(&file);
    free(program);
  }
  assert_true(seen > 200);
  assert_true(flawed > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_seed_decides),
      cmocka_unit_test(test_programs_are_these),
      cmocka_unit_test(test_architecture_names),
      cmocka_unit_test(test_dropping_is_consistent),
      cmocka_unit_test(test_drop_lists),
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_figures_of_kinds),
      cmocka_unit_test(test_plans),
      cmocka_unit_test(test_index),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
