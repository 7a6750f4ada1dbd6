/* --trace: every text of the closed list of mechanisms (facts/seed-mechanisms.md) that is a trace line comes up in a job
 * of the corpus, word for word; a part prints its own lines only, and no part changes anything else. */
#include "tests/command_line/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trace_case {
  const char *row; /* of the closed list */
  const char *part;
  const char *job;  /* in the corpus */
  const char *line; /* that it prints, at least once */
} trace_case;

/* Numbers of symbols and sections are twinlink's own; names, types, places and sizes are the program's. */
static const trace_case trace_cases[] = {
    {"Z000.22", "reloc", "cuda/address_tables/sm_90/far_first", "replace unified reloc 102 with 2"},
    {"Z000.26", "reloc", "cuda/ptx_alias/sm_75/ba", "change alias reloc other_name to real_name"},
    {"Z000.29", "reloc", "cuda/allocating_plain/sm_86/take", "ignore reloc on dead func _Z4givei"},
    {"Z000.33", "reloc", "cuda/atomics/sm_75/plain",
     "Ignoring the reloc to convert YIELD to NOP due to forward progress requirement."},
    {"Z000.37", "reloc", "cuda/address_tables/sm_90/far_first", "ignore reloc on UFT_OFFSET"},
    {"Z000.70", "reloc", "cuda/address_space_tests/sm_90/accelerated_dump",
     "resolve reloc 2 for sym=16+104 at <section=12,offset=ac>"},
    {"Z002.19", "layout", "messages/fields/sm_80/compiler_constants",
     "optimize ocg constant reloc offset from 0 to 65536"},
    {"Z002.55", "layout", "cuda/address_space_tests/sm_90/accelerated_dump",
     "ignore symbol .nv.shared.k in unused section"},
    {"Z002.56", "layout", "cuda/debug_dead_kernels/sm_80/all", "ignore symbol string pool for sym 17"},
    {"Z002.78", "layout", "cuda/unified_tables/sm_90/both", "Re-ordering UFT entries"},
    {"Z002.78", "layout", "cuda/unified_tables/sm_90/both", "Re-ordering UDT entries"},
    {"Z002.88", "layout", "cuda/debug_dead_kernels/sm_80/all", "extern shared variable pool at offset 32"},
    {"Z002.89", "reloc", "vendor-defects/relocatable/sm_80/external",
     "reloc of extern shared 11 replaced with symbol 16"},
    {"Z002.90", "layout", "vendor-defects/relocatable/sm_80/external", "new extern shared instance 16"},
    {"Z003.25", "bindless", "cuda/one_kernel/sm_75/functions_first", "change reloc symbol from 8 to 21"},
    {"Z003.33", "bindless", "cuda/option_matrix/sm_75/extra_verbose",
     "no bindless ref in section .nv.constant0._Z12gamma_kernelPi"},
    {"Z003.37", "bindless", "cuda/err_textures/sm_75/alone", "variable $NVLINKBINDLESSOFF_s1 at offset 360"},
    {"Z003.68", "bindless", "cuda/err_textures/sm_75/alone", "create $NVLINKBINDLESSOFF_s1"},
    {"Z004.33", "merge", "cuda/err_alias_replaces/sm_80/plain", "replace weak function f"},
    {"Z004.35", "merge", "cuda/debug_templates/sm_90/cba",
     "no new register count found for _Z5twiceIiET_S0_, checking .nv.info"},
    {"Z004.35", "merge", "cuda/debug_templates/sm_90/cba",
     "no original register count found for _Z5twiceIiET_S0_, checking .nv.info"},
    {"Z004.38", "merge", "cuda/err_register_order/sm_75/plain",
     "replace weak function weak_one with weak that uses fewer registers"},
    {"Z004.41", "merge", "cuda/losing_constants/sm_80/all", "replace weak function formula with weak from newer PTX"},
    {"Z004.45", "merge", "cuda/err_register_order/sm_75/plain", "remove weak reloc"},
    {"Z004.47", "merge", "cuda/err_register_order/sm_75/plain", "remove weak reloc from debug"},
    {"Z004.48", "merge", "cuda/err_alias_replaces/sm_80/plain", "remove weak nvinfo"},
    {"Z004.49", "merge", "cuda/err_alias_replaces/sm_80/plain", "remove weak frame_size"},
    {"Z004.51", "merge", "cuda/losing_constants/sm_80/all", "remove weak ocg constants"},
    {"Z004.53", "merge", "cuda/asserting/sm_80/plain", "weak _ZNK7CheckedIiE2atEi already processed"},
    {"Z004.69", "merge", "cuda/err_weak_parameters/sm_75/common", "global.init replaces common for wide"},
    {"Z004.71", "merge", "cuda/err_common/sm_75/largest_is_named", "increase size of common g"},
    {"Z004.88", "merge", "cuda/address_space_tests/sm_90/accelerated_dump",
     "unknown .nv.compat attribute (b) encoutered."},
    {"Z004.92", "merge", "cuda/asserting/sm_80/plain", "weak sym 11 already relocated"},
    {"Z004.92", "merge", "cuda/asserting/sm_80/plain", "remove reloc for subsequent weak 11"},
    {"Z004.101", "maps", "cuda/address_space_tests/sm_90/accelerated_dump", "map_section_index[4] = 12, offset = 0"},
    {"Z004.101", "maps", "cuda/address_space_tests/sm_90/accelerated_dump", "map_symbol_index[1] = 1"},
    {"Z004.102", "maps", "cuda/address_space_tests/sm_90/accelerated_dump", "after k.cubin: 17 sections, 18 symbols"},
    {"Z004.120", "merge", "cuda/sass_kind/sm_100/mixed", "skip mercury section 17"},
    {"Z004.122", "merge", "cuda/err_weak_parameters/sm_75/bank", "duplicate param bank on weak entry wk"},
};
enum { TRACE_CASES = sizeof trace_cases / sizeof *trace_cases };

static const char *const trace_parts[] = {"merge", "layout", "bindless", "reloc", "maps"};
enum { TRACE_PARTS = sizeof trace_parts / sizeof *trace_parts };

/* Links a job with one word more in front, in a scratch directory without another job's files. */
static void trace_link(const char *name, const char *word, harness_outcome *outcome) {
  char path[HARNESS_PATH], line[HARNESS_PATH] = "";
  harness_words words;
  command_remove_scratch(NULL);
  command_make_scratch(NULL);
  harness_path(path, "%s/%s/args", command.corpus, name);
  harness_read_lines(path, &words);
  harness_path(line, "--identity=nvlink --bug-compatible %s", word);
  harness_join_words(line, &words);
  harness_free_words(&words);
  harness_path(path, "%s/%s/..", command.corpus, name);
  harness_link_inputs(path, command.scratch);
  command_run(command.program, line, outcome);
}

/* How often a text holds the line as a whole. */
static size_t trace_count(const char *text, const char *line) {
  const size_t length = strlen(line);
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, line)) != NULL; at += length)
    count += (at == text || at[-1] == '\n') && at[length] == '\n';
  return count;
}

/* The line with its part alone, and not with another part. */
static void trace_test_row(void **state) {
  const trace_case *const row = *state;
  for (size_t p = 0; p < TRACE_PARTS; p++) {
    char word[64];
    harness_outcome outcome;
    snprintf(word, sizeof word, "--trace=%s", trace_parts[p]);
    trace_link(row->job, word, &outcome);
    const bool own = strcmp(trace_parts[p], row->part) == 0;
    if ((trace_count((char *)outcome.err.data, row->line) != 0) != own)
      fail_msg("%s: %s with %s: '%s' is %s", row->row, row->job, word, row->line, own ? "missing" : "there");
    harness_free_outcome(&outcome);
  }
}

static size_t trace_count_lines(const harness_outcome *outcome) {
  size_t count = 0;
  for (size_t i = 0; i < outcome->err.size; i++)
    count += outcome->err.data[i] == '\n';
  return count;
}

/* The lines of all parts together are those of each, and without the option there is none. */
static void trace_test_sum(void **state) {
  (void)state;
  static const char job[] = "cuda/asserting/sm_80/plain";
  size_t sum = 0;
  harness_outcome outcome;
  trace_link(job, "--trace=merge", &outcome);
  sum += trace_count_lines(&outcome);
  harness_free_outcome(&outcome);
  trace_link(job, "--trace reloc", &outcome);
  sum += trace_count_lines(&outcome);
  harness_free_outcome(&outcome);
  assert_true(sum > 2);
  trace_link(job, "--trace=merge,reloc", &outcome);
  assert_int_equal(trace_count_lines(&outcome), sum);
  harness_free_outcome(&outcome);
  trace_link(job, "-w", &outcome);
  assert_int_equal(trace_count_lines(&outcome), 0);
  harness_free_outcome(&outcome);
}

/* Z004.123: each phase once, in seconds with six digits. */
static void trace_test_times(void **state) {
  (void)state;
  static const char *const phases[] = {"init", "read", "merge", "layout", "relocate", "finalize", "write"};
  harness_outcome outcome;
  trace_link("cuda/asserting/sm_80/plain", "--trace=time", &outcome);
  const char *at = (char *)outcome.err.data;
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
    char name[32];
    int seconds = -1, digits = 0, end = 0;
    const int got = sscanf(at, "%31[a-z] time: %d.%6d%n", name, &seconds, &digits, &end);
    if (got != 3 || strcmp(name, phases[i]) != 0 || seconds != 0 || at[end] != '\n' || at[end - 7] != '.')
      fail_msg("no time of phase %s: %s", phases[i], at);
    at += end + 1;
  }
  assert_string_equal(at, "");
  harness_free_outcome(&outcome);
}

static void trace_test_unknown(void **state) {
  (void)state;
  harness_outcome outcome;
  trace_link("cuda/asserting/sm_80/plain", "--trace=merge,colours", &outcome);
  assert_int_equal(outcome.code, 1);
  assert_string_equal((char *)outcome.err.data, "nvlink fatal   : Value 'colours' is not defined for option 'trace'\n");
  harness_free_outcome(&outcome);
}

/* A test a row, called after it, and the others. */
int command_test_trace(void) {
  static const struct CMUnitTest others[] = {
      cmocka_unit_test(trace_test_sum),
      cmocka_unit_test(trace_test_times),
      cmocka_unit_test(trace_test_unknown),
  };
  enum { OTHERS = sizeof others / sizeof *others };
  struct CMUnitTest tests[TRACE_CASES + OTHERS];
  for (size_t i = 0; i < TRACE_CASES; i++)
    tests[i] = (struct CMUnitTest){
        .name = trace_cases[i].row, .test_func = trace_test_row, .initial_state = (void *)(uintptr_t)&trace_cases[i]};
  memcpy(tests + TRACE_CASES, others, sizeof others);
  command_make_scratch(NULL);
  const int failed = cmocka_run_group_tests_name("trace", tests, NULL, NULL);
  command_remove_scratch(NULL);
  return failed;
}
