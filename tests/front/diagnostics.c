/* Diagnostics: what is dropped, promoted, counted and printed (C50a-C50d, C69-C71). */
#include "catalog/defect.h"
#include "catalog/message.h"
#include "tests/front/front.h"

#include <string.h>

static const tl_site nowhere = {NULL, NULL, NULL, TL_NO_OFFSET};
static const tl_message_row warning = {"X1", TL_WARNING, "Stack size of '%s' is not known"};
static const tl_message_row error = {"X2", TL_ERROR, "'%s' uses 0x%x bytes"};
static const tl_message_row numbers = {"X3", TL_ERROR, "'%s' with %u calls '%s' with %u, 100%%"};

static void diagnostics_warn(front_world *world, void *context) {
  (void)context;
  tl_diagnostics_add(&world->diagnostics, &warning, nowhere, NULL, "k");
}

static void diagnostics_say_three(front_world *world, void *context) {
  diagnostics_warn(world, context);
  tl_diagnostics_add(&world->diagnostics, &error, nowhere, NULL, "k", (uint64_t)0xc004);
  tl_diagnostics_add(&world->diagnostics, &numbers, nowhere, NULL, "k", (uint64_t)64, "f", (uint64_t)246);
}

#define STACK "Stack size of 'k' is not known"
#define SHARED "'k' uses 0xc004 bytes"
#define REGISTERS "'k' with 64 calls 'f' with 246, 100%"

static const struct {
  const char *lines;
  unsigned errors;
  bool werror, disable_infos, report_arch;
} modes[] = {
    {"nvlink warning : " STACK "\nnvlink error   : " SHARED "\nnvlink error   : " REGISTERS "\n", 2, false, false,
     false},
    {"nvlink error   : " STACK "\nnvlink error   : " SHARED "\nnvlink error   : " REGISTERS "\n", 3, true, false,
     false},
    {"nvlink error   : " SHARED "\nnvlink error   : " REGISTERS "\n", 2, false, true, false},
    {"nvlink error   : " SHARED "\nnvlink error   : " REGISTERS "\n", 2, true, true, false},
    {"nvlink warning : " STACK " (target: sm_90)\nnvlink error   : " SHARED " (target: sm_90)\n"
     "nvlink error   : " REGISTERS " (target: sm_90)\n",
     2, false, false, true},
};

static void diagnostics_test_modes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    front_world world;
    front_open(&world);
    world.options.arch = "sm_90";
    world.options.warnings_as_errors = modes[i].werror;
    world.options.disable_infos = modes[i].disable_infos;
    world.options.report_arch = modes[i].report_arch;
    assert_true(front_try(&world, diagnostics_say_three, NULL));
    assert_string_equal(front_lines(&world), modes[i].lines);
    assert_int_equal(world.diagnostics.errors, modes[i].errors);
    front_close(&world);
  }
}

static void diagnostics_fail(front_world *world, void *context) {
  (void)context;
  tl_diagnostics_add_before(&world->diagnostics, tl_message_row_of(TL_MESSAGE_OUT_OF_MEMORY), nowhere);
  tl_diagnostics_add_plain(&world->diagnostics, "callgraph for sm_90:");
  tl_diagnostics_add(&world->diagnostics, tl_message_row_of(TL_MESSAGE_ELFLINK_INTERNAL),
                     (tl_site){"a.o", ".text", NULL, 16}, "a line of ours");
  fail_msg("a fatal record returned");
}

static void diagnostics_test_fatal(void **state) {
  (void)state;
  front_world world;
  front_open(&world);
  assert_false(front_try(&world, diagnostics_fail, NULL));
  assert_string_equal(front_lines(&world), "nvlink fatal   : Memory allocation failure\ncallgraph for sm_90:\n"
                                           "nvlink fatal   : elfLink internal error\n");
  const tl_message *last = &world.diagnostics.messages.items[2];
  assert_string_equal(last->file, "a.o");
  assert_string_equal(last->section, ".text");
  assert_string_equal(last->symbol, "");
  assert_string_equal(last->detail, "a line of ours");
  assert_true(last->has_offset && last->offset == 16);
  front_close(&world);
}

/* As snprintf: the whole length is returned, the text is cut and ended. */
static void diagnostics_test_format(void **state) {
  (void)state;
  const tl_message message = {.severity = TL_INFO, .code = "C56", .text = "0 bytes gmem", .detail = "", .file = ""};
  const tl_options own = {.arch = "sm_90"};
  char line[64];
  const size_t length = strlen("twinlink info    : 0 bytes gmem");
  for (size_t size = 0; size < sizeof line; size++) {
    memset(line, 'x', sizeof line);
    assert_int_equal(tl_message_format(&message, &own, line, size), length);
    if (size)
      assert_int_equal(strlen(line), size - 1 < length ? size - 1 : length);
    assert_int_equal(line[size], 'x');
  }
  assert_string_equal(line, "twinlink info    : 0 bytes gmem");
}

/* Codes are never empty (a plain line has none), texts hold only what tl_arena_format knows. */
static void diagnostics_test_rows(void **state) {
  (void)state;
  for (tl_message_id id = 0; id < TL_MESSAGE_COUNT; id++) {
    const tl_message_row *row = tl_message_row_of(id);
    assert_true(row->code && row->code[0] && row->text[0]);
    for (const char *at = row->text; (at = strchr(at, '%')); at += 2)
      assert_true(at[1] && strchr("sux%", at[1]));
  }
}

/* Class E is an error in both modes, class R only with --bug-compatible. */
static void diagnostics_test_defects(void **state) {
  (void)state;
  const tl_options plain = {0}, compatible = {.bug_compatible = true};
  for (tl_defect defect = 0; defect < TL_DEFECT_COUNT; defect++) {
    const tl_defect_row *row = tl_defect_row_of(defect);
    assert_true(row->class == 'R' || row->class == 'E');
    assert_true(row->id[0] == 'D' && row->stage[0] && row->when[0] && row->right[0] && row->vendor[0]);
    assert_false(tl_defect_matched(&plain, defect));
    assert_int_equal(tl_defect_matched(&compatible, defect), row->class == 'R');
  }
}

int front_test_diagnostics(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(diagnostics_test_modes),   cmocka_unit_test(diagnostics_test_fatal),
      cmocka_unit_test(diagnostics_test_format),  cmocka_unit_test(diagnostics_test_rows),
      cmocka_unit_test(diagnostics_test_defects),
  };
  return cmocka_run_group_tests_name("diagnostics", tests, NULL, NULL);
}
