/* Capsule links of small programs, compiled by ptxas and linked by nvlink, by twinlink and by the reference: output,
 * messages and exit code must be the same. A row whose kernels nvlink makes anew in a way that is not known (M43) is
 * instead held against what twinlink's map says of them. */
#include "programs.h"
#include "tests/harness/harness.h"

/* cmocka.h needs these before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROW_FILES = 4, ROW_WORDS = 16 };

typedef struct capsule_row {
  const char *name;
  const char *architecture; /* of the link; `compiled` NULL: of the files too */
  const char *compiled;
  const char *option; /* NULL */
  const char *files[ROW_FILES];
  const char *kept;    /* the kernel that the map must name; NULL: everything must be the same */
  const char *refused; /* what twinlink says where nvlink schedules code anew; NULL */
} capsule_row;

static const capsule_row rows[] = {
    {"losing_table", "120", NULL, NULL, {"weak_5", "weak_7"}, NULL, NULL},                       /* L122 */
    {"losing_table_of_a_body_without", "120", NULL, NULL, {"weak_plain", "weak_5"}, NULL, NULL}, /* L122 */
    {"replaced_table", "120", NULL, NULL, {"weak_5", "strong_7"}, NULL, NULL},                   /* L122, D86 */
    {"replaced_longer_table", "120", NULL, NULL, {"weak_7", "strong_5"}, NULL, NULL},            /* L122, D86 */
    {"replaced_two_tables", "120", NULL, NULL, {"weak_two", "strong_two"}, NULL, NULL},          /* L122, D86 */
    {"replaced_table_by_two", "120", NULL, NULL, {"weak_7", "strong_two"}, NULL, NULL},          /* L122, D86 */
    {"replaced_and_losing_tables", "120", NULL, NULL, {"weak_5", "weak_7", "strong_7"}, NULL, NULL},
    {"table_behind_a_replaced_one", "120", NULL, NULL, {"weak_5", "strong_plain", "weak_7"}, NULL, NULL},
    {"table_of_a_losing_body", "100", NULL, NULL, {"strong_7", "weak_5"}, NULL, NULL},
    {"own_table_replaced", "100", NULL, NULL, {"own_weak_5", "own_strong_0", "called"}, NULL, NULL}, /* L130 */
    {"own_table_lost", "120", NULL, NULL, {"own_weak_0", "own_weak_5", "own_strong_0", "called"}, NULL, NULL},
    {"own_table_lost_and_new", "120", NULL, NULL, {"own_weak_0", "own_weak_5", "own_strong_7", "called"}, NULL, NULL},
    {"used_beside_replaced", "100", NULL, "-kernels-used=ks", {"weak_5", "strong_7"}, NULL, NULL},       /* L131, D89 */
    {"used_variables", "120", NULL, "-variables-used=none", {"own_weak_5", "own_strong_0"}, NULL, NULL}, /* L131 */
    {"used_beside_losing", "100", NULL, "-kernels-used=ks", {"strong_7", "weak_5"}, NULL, NULL},         /* L131 */
    {"used_without_entries", "100", NULL, "-kernels-used=kp", {"weak_loads_1", "strong_plain"}, NULL, NULL}, /* L131 */
    {"losing_tables", "120", NULL, NULL, {"two_tables_1", "two_tables_2"}, NULL, NULL},                      /* L132 */
    {"pointer_replaced", "100", NULL, NULL, {"pointer", "variable"}, NULL, NULL},                            /* L106 */
    {"slots_moved", "100", NULL, NULL, {"sampled"}, NULL, NULL},                                             /* L133 */
    {"barriers", "100", NULL, "-g", {"guarded", "called", "leaf", "own_strong_0"}, NULL, NULL},              /* L134 */
    {"barriers_framed", "100", NULL, "-g", {"framed", "sass_called"}, NULL, NULL},                           /* L134 */
    {"barriers_unoptimised", "120", NULL, "-g", {"guarded_unoptimised", "called"}, NULL, NULL},              /* L134 */
    {"barriers_suppressed", "120", NULL, "-g -suppress-debug-info", {"guarded", "called"}, NULL, NULL},      /* L143 */
    {"barriers_relocatable", "100", NULL, "-r -g", {"guarded", "called", "leaf"}, NULL, NULL},               /* L143 */
    {"errors_relocatable",
     "120",
     NULL,
     "-r -suppress-stack-size-warning",
     {"leaf", "leaf_errors"},
     NULL,
     NULL},                                                                                         /* L143 */
    {"open_shared", "103", NULL, "-g", {"open_shared"}, NULL, NULL},                                /* L135 */
    {"constants", "120", NULL, NULL, {"constants"}, NULL, NULL},                                    /* L103, L123 */
    {"constants_pic", "100", NULL, NULL, {"constants_pic"}, NULL, NULL},                            /* L103 */
    {"verbose_constants", "120", NULL, "-v", {"constants"}, NULL, NULL},                            /* L121 */
    {"alias_after", "120", NULL, NULL, {"alias", "calls_first", "calls_second"}, NULL, NULL},       /* L104 */
    {"alias_before", "120", NULL, NULL, {"calls_second", "alias", "calls_first"}, NULL, NULL},      /* L104 */
    {"alias_lines", "120", NULL, NULL, {"calls_second", "alias_lines", "calls_first"}, NULL, NULL}, /* L104 */
    {"replaced_lines", "100", NULL, NULL, {"weak_loads_1", "strong_loads_4"}, NULL, NULL},          /* L127-L129 */
    {"replaced_lines_longer", "120", NULL, NULL, {"weak_loads_4", "strong_loads_1"}, NULL, NULL},   /* L127-L129 */
    {"replaced_lines_two", "103", NULL, NULL, {"weak_loads_4", "weak_loads_1", "strong_plain"}, NULL, NULL},
    {"replaced_lines_beside_none", "110", NULL, NULL, {"weak_loads_1", "strong_plain"}, NULL, NULL}, /* L128, L129 */
    {"syscalls", "100", NULL, NULL, {"syscalls"}, NULL, NULL},                                       /* L530 */
    {"spills", "100", NULL, NULL, {"leaf", "spills"}, NULL, NULL},                                   /* L124 */
    {"other_sm", "103", "100", NULL, {"leaf", "weak_5"}, NULL, NULL},                                /* L125 */
    {"other_sm_120", "121", "120", NULL, {"doubles", "weak_5"}, NULL, NULL},
    {"other_sm_doubles", "103", "100", NULL, {"leaf", "doubles"}, NULL, "compile it for sm_103"},
    {"other_sm_conversions", "103", "100", NULL, {"conversions"}, NULL, "compile it for sm_103"},
    {"other_sm_counts", "103", "100", NULL, {"counts"}, NULL, "compile it for sm_103"},       /* L991 */
    {"other_sm_exponents", "103", "100", NULL, {"exponents"}, NULL, "compile it for sm_103"}, /* L991 */
    {"reserved_bytes", "110", NULL, NULL, {"aligned"}, NULL, NULL},                           /* L126 */
    {"reserved_bytes_odd", "110", NULL, NULL, {"aligned_odd"}, NULL, NULL},                   /* L126 */
    {"reserved_bytes_lines",
     "110",
     NULL,
     "-suppress-stack-size-warning",
     {"aligned_odd", "leaf", "weak_5"},
     NULL,
     NULL},
    {"relocatable_textures", "100", NULL, "-r", {"sampled", "leaf"}, NULL, NULL},                      /* L137 */
    {"relocatable_texture_loads", "100", NULL, "-r", {"sampled_by_load", "parameters"}, NULL, NULL},   /* L137 */
    {"relocatable_table", "120", NULL, "-r", {"weak_5", "two_tables_1", "own_strong_7"}, NULL, NULL},  /* L138 */
    {"relocatable_shared", "103", NULL, "-r", {"open_shared", "constants"}, NULL, NULL},               /* L137 */
    {"relocatable_shared_bytes", "110", NULL, "-r", {"aligned_odd", "leaf", "constants"}, NULL, NULL}, /* L137 */
    {"relocatable_lines", "100", NULL, "-r", {"weak_loads_4", "strong_loads_1", "leaf"}, NULL, NULL},  /* L137 */
    {"relocatable_alias", "100", NULL, "-r", {"alias_lines", "calls_second"}, NULL, NULL},             /* L137 */
    {"first_definition", "100", NULL, NULL, {"weak_5", "strong_7", "strong_5"}, NULL, NULL},           /* L139 */
    {"sass_constants", "110", NULL, NULL, {"sass_large_1", "sass_large_2"}, NULL, NULL},               /* L144 */
    {"sass_constants_verbose", "110", NULL, "-v", {"sass_large_1", "sass_large_2"}, NULL, NULL},       /* L144 */
    {"mixed_constants", "110", NULL, NULL, {"large_1", "sass_large_2"}, NULL, NULL},                   /* L144 */
    {"preserved",
     "100",
     NULL,
     "-preserve-relocs",
     {"static_shared", "constants", "two_tables_1"},
     NULL,
     NULL}, /* L145 */
    {"preserved_relocatable", "120", NULL, "-r -preserve-relocs", {"static_shared", "two_tables_1"}, NULL, NULL},
    {"used_by_address", "103", NULL, "-kernels-used=named,sampling", {"addressed"}, NULL, NULL},
    {"used_with_late_shared", "100", NULL, "-kernels-used=named", {"late_shared"}, NULL, NULL},
    {"replaced_doubles", "100", NULL, NULL, {"weak_doubles", "strong_plain"}, NULL, NULL}, /* RF147 */
    {"barriers_sanitized",
     "100",
     NULL,
     NULL,
     {"leaf_errors", "called_sanitized", "calls_called"},
     NULL,
     NULL},                                                                     /* RF150, L764 */
    {"errors_at_exit", "120", NULL, NULL, {"leaf", "leaf_errors"}, NULL, NULL}, /* L120, L764 */
};

static const char *linker, *reference;

static void run(const char *const *argv, const char *directory, harness_outcome *outcome) {
  const harness_command command = {.argv = argv, .directory = directory};
  harness_run(&command, outcome);
  if (outcome->timed_out || outcome->signal)
    harness_stop("%s did not end in an orderly way", argv[0]);
}

static bool find_ptxas(char path[HARNESS_PATH]) {
  const char *const nvlink = harness_find_nvlink();
  const char *const slash = nvlink ? strrchr(nvlink, '/') : NULL;
  if (!slash)
    return false;
  harness_path(path, "%.*s/ptxas", (int)(slash - nvlink), nvlink);
  return harness_exists(path);
}

static const char sass_prefix[] = "sass_";

/* An object of SASS kind is a capsule with another byte in e_flags (M1). */
static void make_sass(const char *directory, const char *cubin) {
  enum { OBJECT_KIND = 48, SASS_KIND = 4 };
  char path[HARNESS_PATH];
  harness_bytes bytes;
  harness_path(path, "%s/%s", directory, cubin);
  if (!harness_read_file(path, &bytes) || bytes.size <= OBJECT_KIND)
    harness_stop("cannot read %s", path);
  bytes.data[OBJECT_KIND] = SASS_KIND;
  harness_write_file(path, bytes.data, bytes.size);
  free(bytes.data);
}

/* "sass_x" is the program x as an object of SASS kind. */
static void compile(const char *ptxas, const char *directory, const char *name, const char *architecture) {
  const bool sass = strncmp(name, sass_prefix, strlen(sass_prefix)) == 0;
  const capsule_source *const source = capsule_find_source(sass ? name + strlen(sass_prefix) : name);
  char path[HARNESS_PATH], arch[32], output[64], input[64];
  harness_path(path, "%s/%s.ptx", directory, name);
  FILE *const to = fopen(path, "w");
  if (!to)
    harness_stop("cannot write %s", path);
  capsule_write_source(source, architecture, to);
  (void)fclose(to);
  (void)snprintf(arch, sizeof arch, "-arch=sm_%s", architecture);
  (void)snprintf(input, sizeof input, "%s.ptx", name);
  (void)snprintf(output, sizeof output, "%s.cubin", name);
  const char *const argv[] = {ptxas, "-c", arch, input, "-o", output, source->options, NULL};
  harness_outcome outcome;
  run(argv, directory, &outcome);
  if (outcome.code)
    fail_msg("ptxas: %s", (const char *)outcome.err.data);
  harness_free_outcome(&outcome);
  if (sass)
    make_sass(directory, output);
}

typedef struct capsule_answer {
  harness_outcome outcome;
  harness_bytes output;
} capsule_answer;

static void link_row(const capsule_row *row, const char *program, bool own, const char *directory,
                     capsule_answer *answer) {
  const char *argv[ROW_WORDS] = {program};
  char arch[32], files[ROW_FILES][64], path[HARNESS_PATH];
  size_t count = 1;
  if (own) {
    argv[count++] = "--identity=nvlink";
    argv[count++] = "--bug-compatible";
    argv[count++] = "--map=map";
  }
  (void)snprintf(arch, sizeof arch, "-arch=sm_%s", row->architecture);
  argv[count++] = arch;
  char options[64];
  (void)snprintf(options, sizeof options, "%s", row->option ? row->option : "");
  for (char *rest = options, *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
    argv[count++] = word;
  for (size_t i = 0; i < ROW_FILES && row->files[i]; i++) {
    (void)snprintf(files[i], sizeof files[i], "%s.cubin", row->files[i]);
    argv[count++] = files[i];
  }
  argv[count++] = "-o";
  argv[count++] = "out.cubin";
  run(argv, directory, &answer->outcome);
  harness_path(path, "%s/out.cubin", directory);
  answer->output = (harness_bytes){NULL, 0};
  if (harness_read_file(path, &answer->output))
    (void)remove(path);
}

static void free_answer(capsule_answer *answer) {
  harness_free_outcome(&answer->outcome);
  free(answer->output.data);
}

static bool same_output(const capsule_answer *a, const capsule_answer *b) {
  return a->output.size == b->output.size &&
         (a->output.size == 0 || memcmp(a->output.data, b->output.data, a->output.size) == 0);
}

/* Says first whose answer another one is. */
static void compare(const char *program, const capsule_answer *nvlink, const capsule_answer *ours) {
  if (ours->outcome.code != nvlink->outcome.code || !same_output(ours, nvlink))
    print_error("nvlink is not answered alike by %s\n", program);
  assert_int_equal(ours->outcome.code, nvlink->outcome.code);
  assert_string_equal((const char *)ours->outcome.out.data, (const char *)nvlink->outcome.out.data);
  assert_string_equal((const char *)ours->outcome.err.data, (const char *)nvlink->outcome.err.data);
  assert_int_equal(ours->output.size, nvlink->output.size);
  if (nvlink->output.size)
    assert_memory_equal(ours->output.data, nvlink->output.data, nvlink->output.size);
}

static void compare_reference(const capsule_row *row, const char *directory, const capsule_answer *nvlink) {
  capsule_answer theirs;
  link_row(row, reference, true, directory, &theirs);
  compare(reference, nvlink, &theirs);
  free_answer(&theirs);
}

static void check_map(const char *directory, const char *kernel) {
  char path[HARNESS_PATH];
  harness_bytes map;
  harness_path(path, "%s/map", directory);
  assert_true(harness_read_file(path, &map));
  assert_non_null(strstr((const char *)map.data, kernel));
  free(map.data);
}

/* A relocatable output of nvlink's is linked again, to an executable and with -r once more. */
static void check_again(const capsule_row *row, const char *directory, const harness_bytes *output) {
  static const char *const options[] = {NULL, "-r"};
  char path[HARNESS_PATH];
  harness_path(path, "%s/again.cubin", directory);
  harness_write_file(path, output->data, output->size);
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const capsule_row again = {row->name, row->architecture, NULL, options[i], {"again"}, NULL, NULL};
    capsule_answer nvlink, ours;
    link_row(&again, harness_find_nvlink(), false, directory, &nvlink);
    link_row(&again, linker, true, directory, &ours);
    compare(linker, &nvlink, &ours);
    compare_reference(&again, directory, &nvlink);
    free_answer(&nvlink);
    free_answer(&ours);
  }
}

static void check_row(void **state) {
  const capsule_row *const row = *state;
  char ptxas[HARNESS_PATH], directory[HARNESS_PATH];
  if (!find_ptxas(ptxas))
    skip();
  harness_make_scratch(directory);
  for (size_t i = 0; i < ROW_FILES && row->files[i]; i++)
    compile(ptxas, directory, row->files[i], row->compiled ? row->compiled : row->architecture);
  capsule_answer nvlink, ours;
  link_row(row, harness_find_nvlink(), false, directory, &nvlink);
  link_row(row, linker, true, directory, &ours);
  if (row->refused) {
    assert_int_not_equal(ours.outcome.code, 0);
    assert_null(ours.output.data);
    assert_non_null(strstr((const char *)ours.outcome.err.data, row->refused));
  } else if (row->kept)
    check_map(directory, row->kept);
  else
    compare(linker, &nvlink, &ours);
  if (!row->refused)
    compare_reference(row, directory, &nvlink);
  if (row->option && strcmp(row->option, "-r") == 0)
    check_again(row, directory, &nvlink.output);
  free_answer(&nvlink);
  free_answer(&ours);
  harness_remove_tree(directory);
}

int main(int argc, char **argv) {
  if (argc != 3)
    harness_stop("usage: capsule_rules TWINLINK TWINLINK-REF");
  linker = argv[1];
  reference = argv[2];
  struct CMUnitTest tests[sizeof rows / sizeof *rows];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    union {
      const void *row;
      void *state;
    } row = {&rows[i]};
    tests[i] = (struct CMUnitTest){rows[i].name, check_row, NULL, NULL, row.state};
  }
  return cmocka_run_group_tests_name("capsule_rules", tests, NULL, NULL);
}
