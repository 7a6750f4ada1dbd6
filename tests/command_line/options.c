/* nvlink's option grammar (C48, C49, E1-E12, C22, C24, C54, C54b): every row is one command line with the messages, the
 * exit code and whether an output appears. Where nvlink is installed, one more check holds the whole table against it. */
#define _DEFAULT_SOURCE
#include "tests/command_line/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_row {
  const char *name;
  const char *line;
  const char *messages; /* standard error, whole */
  int code;
  bool makes_output;
} option_row;

static const option_row rows[] = {
    {"nothing at all (E7)", "", "nvlink fatal   : Unknown arch name '(null)'\n", 1, false},
    {"unknown option (E1)", "-foo", "nvlink fatal   : Unknown option 'foo'\n", 1, false},
    {"unknown long option (E1)", "--foo", "nvlink fatal   : Unknown option '-foo'\n", 1, false},
    {"two dashes (E1)", "--", "nvlink fatal   : Unknown option '-'\n", 1, false},
    {"no abbreviations", "-arch=sm_90 -arc=sm_90 text.xyz", "nvlink fatal   : Unknown option 'arc'\n", 1, false},
    {"case counts", "-arch=sm_90 -ARCH=sm_90 text.xyz", "nvlink fatal   : Unknown option 'ARCH'\n", 1, false},
    {"glued value", "-arch=sm_90 -oX text.xyz", "nvlink fatal   : Unknown option 'oX'\n", 1, false},
    {"value missing (E2)", "-arch", "nvlink fatal   : argument expected after '-arch'\n", 1, false},
    {"value of -o missing (E2)", "-arch=sm_90 -o", "nvlink fatal   : argument expected after '-o'\n", 1, false},
    {"long value missing (E2)", "-arch=sm_90 --output-file",
     "nvlink fatal   : argument expected after '--output-file'\n", 1, false},
    {"value on a flag (E3)", "-arch=sm_90 -v=1 -o out.cubin text.xyz",
     "nvlink fatal   : no argument expected after '-v'\n", 1, false},
    {"bad arch (E4)", "-arch=sm_91 -o out.cubin text.xyz",
     "nvlink fatal   : Value 'sm_91' is not defined for option 'arch'\n", 1, false},
    {"empty arch (E4)", "-arch= -o out.cubin text.xyz", "nvlink fatal   : Value '' is not defined for option 'arch'\n",
     1, false},
    {"bad machine (E4)", "-arch=sm_90 -m32 -o out.cubin text.xyz",
     "nvlink fatal   : Value '32' is not defined for option 'machine'\n", 1, false},
    {"bad cpu (E4)", "-arch=sm_90 -cpu-arch=X -o out.cubin text.xyz",
     "nvlink fatal   : Value 'X' is not defined for option 'cpu-arch'\n", 1, false},
    {"not a number (E5)", "-arch=sm_90 -maxrregcount=abc -o out.cubin text.xyz",
     "nvlink fatal   : 'abc': expected a number\n", 1, false},
    {"another value (E6)", "-arch=sm_80 -arch=sm_90 -o out.cubin text.xyz",
     "nvlink warning : incompatible redefinition for option 'arch', the last value of this option was used\n", 0, true},
    {"E6 under -Werror", "-Werror -arch=sm_80 -arch=sm_90 -o out.cubin text.xyz",
     "nvlink warning : incompatible redefinition for option 'arch', the last value of this option was used\n", 0, true},
    {"the same value twice", "-arch=sm_90 -arch=sm_90 -o out.cubin text.xyz", "", 0, true},
    {"no output (E8)", "-arch=sm_90 text.xyz", "nvlink fatal   : Must specify output file with -o option\n", 1, false},
    {"E8 before E9", "-arch=sm_90", "nvlink fatal   : Must specify output file with -o option\n", 1, false},
    {"no input (E9)", "-arch=sm_90 -o out.cubin",
     "nvlink fatal   : No input files specified; use option --help for more information\n", 1, false},
    {"only a library (C24)", "-arch=sm_90 -o out.cubin -lcudadevrt",
     "nvlink fatal   : No input files specified; use option --help for more information\n", 1, false},
    {"host info twice (E10)", "-arch=sm_90 -o out.cubin -use-host-info -ignore-host-info text.xyz",
     "nvlink fatal   : Conflicting options '-use-host-info' and '-ignore-host-info'\n", 1, false},
    {"call graph twice (E10)", "-arch=sm_90 -o out.cubin -dump-callgraph -dump-callgraph-no-demangle text.xyz",
     "nvlink fatal   : Conflicting options '-dump-callgraph' and '-dump-callgraph-no-demangle'\n", 1, false},
    {"-suppress-debug-info alone (E10)", "-arch=sm_90 -o out.cubin -suppress-debug-info text.xyz",
     "nvlink fatal   : Conflicting options '-suppress-debug-info' and 'no -g'\n", 1, false},
    {"virtual target (E11)", "-arch=lto_90 -o out.cubin text.xyz",
     "nvlink fatal   : Link target of 'lto_90' is virtual target that is not JIT-able; use 'sm_' target instead\n", 1,
     false},
    {"compute target (E12)", "-arch=compute_90 -o out.cubin text.xyz", "", 0, false},
    {"short names, glued by '='", "-arch=sm_90 -o=out.cubin text.xyz", "", 0, true},
    {"short names, apart", "-arch sm_90 -o out.cubin text.xyz", "", 0, true},
    {"long names, glued by '='", "--arch=sm_90 --output-file=out.cubin text.xyz", "", 0, true},
    {"long names, apart", "--arch sm_90 --output-file out.cubin text.xyz", "", 0, true},
    {"options after files", "text.xyz -o out.cubin other.xyz -arch sm_90", "", 0, true},
    {"glued -m -l -L", "-arch=sm_90 -m64 -lnone -L. -o out.cubin text.xyz", "", 0, true},
    {"what nvcc passes",
     "-m64 --arch=sm_90 -L. -L/nowhere -cpu-arch=X86_64 text.xyz -o out.cubin --host-ccbin gcc --shared", "", 0, true},
    {"options file (C49)", "-optf job.options", "", 0, true},
    {"options file by '='", "-optf=job.options", "", 0, true},
    {"options file, long name", "--options-file job.options", "", 0, true},
    {"nested options file", "-optf nested.options", "", 0, true},
    {"quotes and escapes", "-optf escaped.options", "", 0, true},
    {"file that names itself", "-optf self.options", "nvlink fatal   : Too many options file opened 'self.options'\n",
     1, false},
    {"missing options file", "-optf none.options", "nvlink fatal   : Could not open options file 'none.options'\n", 1,
     false},
    {"no @files", "-arch=sm_90 -o out.cubin @job.options",
     "nvlink fatal   : Could not open input file '@job.options'\n", 1, false},
    {"missing input (C22)", "-arch=sm_90 -o out.cubin none.cubin",
     "nvlink fatal   : Could not open input file 'none.cubin'\n", 1, false},
    {"directory as input (C22)", "-arch=sm_90 -o out.cubin .", "nvlink fatal   : Could not open input file '.'\n", 1,
     false},
    {"dash as input (C22)", "-arch=sm_90 -o out.cubin -", "nvlink fatal   : Could not open input file '-'\n", 1, false},
    {"short file (C20)", "-arch=sm_90 -o out.cubin short.xyz",
     "nvlink fatal   : Could not open input file 'short.xyz'\n", 1, false},
    {"text named cubin (C20)", "-arch=sm_90 -o out.cubin text.cubin", "nvlink fatal   : cubin not an elf?\n", 1, false},
    {"first bad file wins (C77)", "-arch=sm_90 -o out.cubin text.xyz none.cubin text.cubin",
     "nvlink fatal   : Could not open input file 'none.cubin'\n", 1, false},
    {"first bad word wins (C77)", "-arch=sm_90 -foo -arch=sm_91", "nvlink fatal   : Unknown option 'foo'\n", 1, false},
    {"-report-arch (C50d)", "-arch=sm_90 -report-arch -o out.cubin none.cubin",
     "nvlink fatal   : Could not open input file 'none.cubin' (target: sm_90)\n", 1, false},
    {"-v of an empty link (C56)", "-arch=sm_90 -v -o out.cubin text.xyz", "nvlink info    : 0 bytes gmem\n", 0, true},
    {"missing directory (C74)", "-arch=sm_90 -o none/out.cubin text.xyz",
     "nvlink fatal   : Could not open output file 'none/out.cubin'\n", 1, false},
    {"directory as output (C74)", "-arch=sm_90 -o . text.xyz", "nvlink fatal   : Could not open output file '.'\n", 1,
     false},
    {"empty output name (C74)", "-arch=sm_90 -o '' text.xyz", "nvlink fatal   : Could not open output file ''\n", 1,
     false},
    {"-V not before parse errors (C54b)", "-V -foo", "nvlink fatal   : Unknown option 'foo'\n", 1, false},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* Runs one row in a scratch directory of its own; `wrong` gets what is not as the row says, or "". */
static void options_run_row(const option_row *row, const char *program, const char *front, char *wrong, size_t size) {
  char line[HARNESS_PATH], output[HARNESS_PATH];
  harness_outcome outcome;
  command_make_scratch(NULL);
  harness_path(line, "%s%s%s", front, *front && *row->line ? " " : "", row->line);
  harness_path(output, "%s/out.cubin", command.scratch);
  command_run(program, line, &outcome);
  bool made = harness_exists(output);
  const char *messages = (const char *)outcome.err.data;
  *wrong = 0;
  if (outcome.code != row->code || made != row->makes_output || strcmp(messages, row->messages) != 0)
    snprintf(wrong, size, "%s\n  exit code %d, signal %d, %s output\n%s  wanted: exit code %d, %s output\n%s",
             row->line, outcome.code, outcome.signal, made ? "an" : "no", messages, row->code,
             row->makes_output ? "an" : "no", row->messages);
  harness_free_outcome(&outcome);
  command_remove_scratch(NULL);
}

static void options_test_row(void **state) {
  char wrong[8192];
  options_run_row(*state, command.program, "--identity=nvlink", wrong, sizeof wrong);
  if (*wrong)
    fail_msg("%s", wrong);
}

static void options_test_table(void **state) {
  (void)state;
  char wrong[8192];
  const char *nvlink = harness_find_nvlink();
  int bad = 0;
  if (!nvlink)
    skip();
  for (size_t i = 0; i < ROW_COUNT; i++) {
    options_run_row(&rows[i], nvlink, "", wrong, sizeof wrong);
    if (*wrong)
      print_message("%s: %s\n", rows[i].name, wrong);
    bad += *wrong != 0;
  }
  assert_int_equal(bad, 0);
}

/* -V and -h win over missing -arch, -o and inputs, and print on standard output (C54b). */
static void options_test_information(void **state) {
  const char *option = *state;
  harness_outcome outcome;
  char line[HARNESS_PATH];
  command_make_scratch(NULL);
  harness_path(line, "--identity=nvlink %s", option);
  command_run(command.program, line, &outcome);
  assert_int_equal(outcome.code, 0);
  assert_int_equal(outcome.err.size, 0);
  assert_true(outcome.out.size > 20);
  harness_free_outcome(&outcome);
  command_remove_scratch(NULL);
}

static const char host_script[] = "SECTIONS\n{\n\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
                                  "\t__nv_relfatbin : { *(__nv_relfatbin) } \n\t.nv_fatbin : { *(.nv_fatbin) }\n}\n";

static void options_test_host_script(void **state) {
  (void)state;
  harness_outcome outcome;
  command_make_scratch(NULL);
  command_run(command.program, "--identity=nvlink -ghls=lcs-aug", &outcome);
  assert_int_equal(outcome.code, 0);
  assert_string_equal((char *)outcome.out.data, host_script);
  harness_free_outcome(&outcome);
  command_remove_scratch(NULL);
}

int command_test_options(void) {
  static char version[] = "-V", long_version[] = "--version", help[] = "-h", long_help[] = "--help -arch=sm_90";
  struct CMUnitTest tests[ROW_COUNT + 6];
  size_t count = 0;
  for (size_t i = 0; i < ROW_COUNT; i++)
    tests[count++] = (struct CMUnitTest){
        .name = rows[i].name, .test_func = options_test_row, .initial_state = (void *)(uintptr_t)&rows[i]};
  char *const informative[] = {version, long_version, help, long_help};
  for (size_t i = 0; i < 4; i++)
    tests[count++] = (struct CMUnitTest){
        .name = informative[i], .test_func = options_test_information, .initial_state = informative[i]};
  tests[count++] = (struct CMUnitTest){.name = "-ghls=lcs-aug (C54)", .test_func = options_test_host_script};
  tests[count++] = (struct CMUnitTest){.name = "the table is nvlink's", .test_func = options_test_table};
  return _cmocka_run_group_tests("options", tests, count, NULL, NULL);
}
