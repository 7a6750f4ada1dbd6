/* The acceptance table C34, all pairs of the 22 measured names, and the names themselves. */
#include "catalog/architecture.h"
#include "tests/front/front.h"

#include <stdio.h>
#include <string.h>

/* Input code and the -arch= values that take it, as C34 lists them. */
static const struct {
  const char *input, *targets;
} rows[] = {
    {"75", "75"},
    {"80", "80 86 89"},
    {"86", "86 89"},
    {"87", "87"},
    {"88", "88"},
    {"89", "89"},
    {"90", "90 90a"},
    {"90a", "90 90a"},
    {"100", "100 100a 100f 103 103a 103f"},
    {"100a", "100 100a 100f"},
    {"100f", "100 100a 100f 103 103a 103f"},
    {"103", "103 103a 103f"},
    {"103a", "103 103a 103f"},
    {"103f", "103 103a 103f"},
    {"110", "110 110a 110f"},
    {"110a", "110 110a 110f"},
    {"110f", "110 110a 110f"},
    {"120", "120 120a 120f 121 121a 121f"},
    {"120a", "120 120a 120f"},
    {"120f", "120 120a 120f 121 121a 121f"},
    {"121", "121 121a"},
    {"121a", "121 121a"},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static bool architecture_lists(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

static const tl_architecture *architecture_named(const char *family, const char *number) {
  char name[32];
  snprintf(name, sizeof name, "%s_%s", family, number);
  const tl_architecture *architecture = tl_architecture_find(name);
  assert_non_null(architecture);
  assert_string_equal(architecture->name, name);
  return architecture;
}

static void architecture_test_pairs(void **state) {
  (void)state;
  for (size_t i = 0; i < ROW_COUNT; i++) {
    const tl_architecture *input = architecture_named("sm", rows[i].input);
    for (size_t j = 0; j < ROW_COUNT; j++) {
      const tl_architecture *target = architecture_named("sm", rows[j].input);
      const bool taken = tl_architecture_accepts(target, input->number, input->accelerated);
      if (taken != architecture_lists(rows[i].targets, rows[j].input))
        fail_msg("%s for %s: %s", input->name, target->name, taken ? "taken" : "refused");
    }
  }
}

/* E12: a compute_ target takes every known number up to its own (measured by changing e_flags). */
static void architecture_test_compute(void **state) {
  (void)state;
  static const uint32_t known[] = {75, 80, 86, 87, 88, 89, 90};
  static const char *const targets[] = {"75", "80", "86", "87", "88", "89", "90", "90a"};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    const tl_architecture *target = architecture_named("compute", targets[i]);
    for (uint32_t number = 0; number < 100; number++) {
      bool wanted = false;
      for (size_t j = 0; j < sizeof known / sizeof *known; j++)
        wanted = wanted || (known[j] == number && number <= target->number);
      assert_int_equal(tl_architecture_accepts(target, number, false), wanted);
    }
  }
}

static void architecture_test_names(void **state) {
  (void)state;
  static const char *const wrong[] = {"",       "sm_",  "sm_91",   "sm_90b",  "SM_90",  "sm_090", "90",
                                      "sm_75a", "sm_8", "compute", "lto_90b", "sm_90 ", "sm_900"};
  size_t count = 0, families[3] = {0};
  for (const tl_architecture *a; (a = tl_architecture_at(count)); count++) {
    families[a->family]++;
    assert_ptr_equal(tl_architecture_find(a->name), a);
  }
  assert_int_equal(count, 69);
  assert_int_equal(families[TL_ARCH_SM], 23);
  assert_int_equal(families[TL_ARCH_COMPUTE], 23);
  assert_int_equal(families[TL_ARCH_LTO], 23);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_null(tl_architecture_find(wrong[i]));
}

int front_test_architectures(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(architecture_test_pairs),
      cmocka_unit_test(architecture_test_compute),
      cmocka_unit_test(architecture_test_names),
  };
  return cmocka_run_group_tests_name("architectures", tests, NULL, NULL);
}
