/* The options that nvlink does not have, the two identities, and what is refused until it exists. Own options are never
 * recorded: they must not change one byte of the output. */
#define _DEFAULT_SOURCE
#include "tests/command_line/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void own_read(const char *name, harness_bytes *bytes) {
  char path[HARNESS_PATH];
  harness_path(path, "%s/%s", command.scratch, name);
  if (!harness_read_file(path, bytes))
    fail_msg("%s was not made", name);
}

/* The first job of the corpus with several inputs that links: its inputs in the scratch directory, its words in `line`. */
static void own_take_job(char line[HARNESS_PATH]) {
  for (size_t i = 0; i < command.jobs.count; i++) {
    const harness_job *job = &command.jobs.items[i];
    char path[HARNESS_PATH];
    harness_words words;
    harness_path(path, "%s/expect.rc", job->directory);
    int code = harness_read_number(path);
    harness_path(path, "%s/args", job->directory);
    harness_read_lines(path, &words);
    *line = 0;
    harness_join_words(line, &words);
    bool fit = code == 0 && words.count >= 5;
    harness_free_words(&words);
    if (fit) {
      harness_link_inputs(job->inputs, command.scratch);
      return;
    }
  }
  fail_msg("no job of the corpus links several files");
}

static void own_test_never_recorded(void **state) {
  (void)state;
  static const char *const fronts[] = {
      "--threads=1",           "--threads=7",           "--threads 3",           "--map=map",   "--map=map -v",  "",
      "--reproduce=reproduce", "--reproduce=second -v", "--map map --threads=2", "--trace=all", "--trace=all -v"};
  char job[HARNESS_PATH], line[HARNESS_PATH];
  harness_bytes plain, verbose, got;
  own_take_job(job);
  harness_path(line, "--bug-compatible%s", job);
  command_link(line, 0);
  own_read("out.cubin", &plain);
  harness_path(line, "--bug-compatible -v%s", job);
  command_link(line, 0);
  own_read("out.cubin", &verbose);
  for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
    const harness_bytes *want = strstr(fronts[i], "-v") ? &verbose : &plain;
    harness_path(line, "--bug-compatible%s%s%s", *fronts[i] ? " " : "", fronts[i], job);
    command_link(line, 0);
    own_read("out.cubin", &got);
    if (got.size != want->size || memcmp(got.data, want->data, got.size) != 0)
      fail_msg("%s changes the output", fronts[i]);
    free(got.data);
  }
  free(plain.data);
  free(verbose.data);
}

/* Links the job with one more option that names a file, and returns that file. */
static harness_bytes own_link_file(const char *option, const char *name) {
  char job[HARNESS_PATH], line[HARNESS_PATH];
  harness_bytes file;
  own_take_job(job);
  harness_path(line, "%s=%s%s", option, name, job);
  command_link(line, 0);
  own_read(name, &file);
  return file;
}

static void own_test_map(void **state) {
  (void)state;
  const harness_bytes map = own_link_file("--map", "link.map");
  assert_non_null(strstr((char *)map.data, ".text."));
  assert_non_null(strstr((char *)map.data, ".cubin"));
  free(map.data);
}

static void own_test_reproduce(void **state) {
  (void)state;
  const harness_bytes archive = own_link_file("--reproduce", "link.reproduce");
  assert_true(archive.size > 512);
  free(archive.data);
}

/* L723: what nvlink would make anew with -r and -g stays, and a line says of which kernel. */
static void own_test_kept_texts(void **state) {
  (void)state;
  static const char kept[] = "Kernel 'k3' keeps the text of its input", because[] = "(L723)";
  static const struct {
    const char *line;
    bool says;
  } links[] = {{"-arch=sm_100 -r -g recursion.cubin -o out.cubin", true},
               {"-arch=sm_100 -g recursion.cubin -o out.cubin", true},
               {"-arch=sm_100 recursion.cubin -o out.cubin", false},
               {"-arch=sm_100 -r -g taken.cubin -o out.cubin", false}};
  const harness_job *job = NULL;
  for (size_t i = 0; i < command.jobs.count; i++)
    if (strstr(command.jobs.items[i].directory, "/ewp_inner/sm_100/inner"))
      job = &command.jobs.items[i];
  if (!job) {
    fail_msg("no job of ewp_inner");
    return;
  }
  harness_link_inputs(job->inputs, command.scratch);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    harness_outcome outcome;
    command_run(command.program, links[i].line, &outcome);
    assert_int_equal(outcome.code, 0);
    const char *const said = strstr((char *)outcome.err.data, kept);
    assert_int_equal(said != NULL && strstr(said, because) != NULL, links[i].says);
    harness_free_outcome(&outcome);
  }
}

/* Under twinlink's own identity the prefix is twinlink's; under the program name nvlink it is nvlink's. */
static void own_test_identity(void **state) {
  (void)state;
  char name[HARNESS_PATH];
  harness_outcome outcome;
  command_run(command.program, "-foo", &outcome);
  assert_int_equal(outcome.code, 1);
  assert_int_equal(strncmp((char *)outcome.err.data, "twinlink fatal   : Unknown option 'foo'\n", 40), 0);
  harness_free_outcome(&outcome);
  harness_path(name, "%s/nvlink", command.scratch);
  assert_int_equal(symlink(command.program, name), 0);
  command_run(name, "-foo", &outcome);
  assert_int_equal(outcome.code, 1);
  assert_string_equal((char *)outcome.err.data, "nvlink fatal   : Unknown option 'foo'\n");
  harness_free_outcome(&outcome);
}

static void own_test_bad_values(void **state) {
  (void)state;
  static const char *const lines[] = {"--identity=ptxas", "--identity", "--threads=many", "--threads=-1", "--map"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char line[HARNESS_PATH];
    harness_outcome outcome;
    harness_path(line, "-arch=sm_90 -o out.cubin text.xyz %s", lines[i]);
    command_run(command.program, line, &outcome);
    if (outcome.code != 1 || outcome.err.size == 0)
      fail_msg("%s: exit code %d\n%s", lines[i], outcome.code, (char *)outcome.err.data);
    harness_path(line, "%s/out.cubin", command.scratch);
    assert_false(harness_exists(line));
    harness_free_outcome(&outcome);
  }
}

/* The name of an input in a job's line, which is changed. */
static const char *own_find_input(char *line) {
  for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
    size_t length = strlen(word);
    if (length > 6 && strcmp(word + length - 6, ".cubin") == 0 && strcmp(word, "out.cubin") != 0)
      return word;
  }
  fail_msg("the job has no input");
  return line;
}

/* D35: a truncated cubin is ignored by nvlink and refused by default; the option and the variable switch alike. */
static void own_test_bug_compatible(void **state) {
  (void)state;
  char path[HARNESS_PATH], job[HARNESS_PATH];
  harness_outcome outcome;
  harness_bytes bytes;
  const char *argv[] = {command.program, "--identity=nvlink", "-arch=sm_90", "-o", "new.cubin", "cut.cubin", NULL};
  own_take_job(job);
  own_read(own_find_input(job), &bytes);
  harness_path(path, "%s/cut.cubin", command.scratch);
  harness_write_file(path, bytes.data, 100);
  free(bytes.data);
  command_link("-arch=sm_90 -o new.cubin cut.cubin", 1);
  harness_path(path, "%s/new.cubin", command.scratch);
  assert_false(harness_exists(path));
  command_link("--bug-compatible -arch=sm_90 -o new.cubin cut.cubin", 0);
  assert_true(harness_exists(path));
  unlink(path);
  harness_run(
      &(harness_command){.argv = argv, .directory = command.scratch, .environment = "TWINLINK_BUG_COMPATIBLE=1"},
      &outcome);
  assert_int_equal(outcome.code, 0);
  assert_true(harness_exists(path));
  harness_free_outcome(&outcome);
}

typedef struct own_later {
  const char *line, *must_name;
} own_later;

/* What is not there yet is refused by name, and makes nothing: never a wrong link. */
static void own_test_refused_until_it_exists(void **state) {
  (void)state;
  static const own_later later[] = {
      {"-arch=sm_90 -uidx text.xyz -o new.cubin", "uidx"},
      {"-arch=sm_90 -o new.cubin code.ptx", "code.ptx"},
      {"-arch=sm_90 -o new.cubin library.a", "library.a"},
      {"-arch=sm_90 -o new.cubin thing.fatbin", "thing.fatbin"},
  };
  static const char archive[] =
      "!<arch>\nmember.o/       0           0     0     644     4         `\n\177ELFabcdabcdabcd";
  static const char container[] =
      "\x50\xed\x55\xba\x01\x00\x10\x00xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
  static const char code[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n\n\n\n\n\n";
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
    char path[HARNESS_PATH], line[HARNESS_PATH];
    harness_outcome outcome;
    harness_path(path, "%s/library.a", command.scratch);
    harness_write_file(path, archive, sizeof archive - 1);
    harness_path(path, "%s/thing.fatbin", command.scratch);
    harness_write_file(path, container, sizeof container - 1);
    harness_path(path, "%s/code.ptx", command.scratch);
    harness_write_file(path, code, sizeof code - 1);
    harness_path(line, "%s text.xyz", later[i].line);
    command_run(command.program, line, &outcome);
    harness_path(path, "%s/new.cubin", command.scratch);
    if (outcome.code != 1 || !strstr((char *)outcome.err.data, later[i].must_name) || harness_exists(path))
      fail_msg("%s: exit code %d\n%s", later[i].line, outcome.code, (char *)outcome.err.data);
    harness_free_outcome(&outcome);
  }
}

/* A host object of three sections, the two of device code and the table of names, as far as it is looked at. */
static size_t own_make_host_object(unsigned char bytes[512]) {
  static const char names[] = "\0__nv_relfatbin\0.nvFatBinSegment\0.shstrtab";
  static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1}, name_at[] = {0, 1, 16, 33};
  enum { SECTIONS_AT = 64, SECTION = 64, COUNT = 4, STRTAB = 3, NAMES_AT = SECTIONS_AT + COUNT * SECTION };
  memset(bytes, 0, 512);
  memcpy(bytes, magic, sizeof magic);
  bytes[16] = 1;  /* ET_REL */
  bytes[18] = 62; /* x86-64 */
  bytes[40] = SECTIONS_AT;
  bytes[58] = SECTION;
  bytes[60] = COUNT;
  bytes[62] = COUNT - 1;
  for (size_t i = 1; i < COUNT; i++) {
    unsigned char *const section = bytes + SECTIONS_AT + i * SECTION;
    section[0] = name_at[i];
    section[4] = i == COUNT - 1 ? STRTAB : 1;
    section[24] = (unsigned char)(NAMES_AT & 0xff);
    section[25] = NAMES_AT >> 8;
    section[32] = i == COUNT - 1 ? sizeof names : 0;
  }
  memcpy(bytes + NAMES_AT, names, sizeof names);
  return 512;
}

/* nvlink takes the runtime's library where a function is missing (L220), be it one that dead code mentions or a relocatable
 * link leaves, of which nothing else would say that it is missing. */
static void own_test_runtime_library(void **state) {
  (void)state;
  static const struct {
    const char *line, *must_say;
    int code;
  } rows[] = {
      {"-arch=sm_90 -r caller.cubin libcudadevrt.a", "libcudadevrt.a' is an archive with device code", 1},
      {"-arch=sm_90 -r libcudadevrt.a caller.cubin", "", 0},
      {"-arch=sm_90 -r v.cubin libcudadevrt.a", "", 0},
      {"-arch=sm_90 -keep-system-libraries v.cubin libcudadevrt.a", "is an archive with device code", 1},
      {"-arch=sm_90 caller.cubin libcudadevrt.a", "libcudadevrt.a' is an archive with device code", 1},
  };
  char path[HARNESS_PATH];
  harness_path(path, "%s/messages/runtime/sm_90", command.corpus);
  harness_link_inputs(path, command.scratch);
  unsigned char archive[8 + 60 + 512 + 1], *const member = archive + 68;
  const size_t size = own_make_host_object(member);
  snprintf((char *)archive, 69, "!<arch>\n%-16s%-12d%-6d%-6d%-8d%-10zu`\n", "member.o/", 0, 0, 0, 644, size);
  memcpy(member, "\177", 1); /* over the text's end */
  harness_path(path, "%s/libcudadevrt.a", command.scratch);
  harness_write_file(path, archive, 68 + size);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    harness_outcome outcome;
    char line[HARNESS_PATH];
    harness_path(line, "%s -o new.cubin", rows[i].line);
    command_run(command.program, line, &outcome);
    if (outcome.code != rows[i].code || !strstr((char *)outcome.err.data, rows[i].must_say))
      fail_msg("%s: exit code %d\n%s", rows[i].line, outcome.code, (char *)outcome.err.data);
    harness_path(path, "%s/new.cubin", command.scratch);
    if (harness_exists(path) != (rows[i].code == 0))
      fail_msg("%s: output", rows[i].line);
    unlink(path);
    harness_free_outcome(&outcome);
  }
}

/* L533: nvlink writes what lies behind a record in its memory, other bytes each time, so that no job can hold its answer. */
static void own_test_foreign_bytes(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  harness_outcome outcome;
  harness_path(path, "%s/vendor-defects/slots_numbers/sm_90", command.corpus);
  harness_link_inputs(path, command.scratch);
  command_run(command.program, "--bug-compatible -arch=sm_90 -uidx one.uidx foreign.cubin -o new.cubin", &outcome);
  harness_path(path, "%s/new.cubin", command.scratch);
  if (outcome.code != 1 || !strstr((char *)outcome.err.data, "comes behind its symbols (D104)") || harness_exists(path))
    fail_msg("exit code %d\n%s", outcome.code, (char *)outcome.err.data);
  harness_free_outcome(&outcome);
}

int command_test_own_options(void) {
#define OWN_TEST(test) cmocka_unit_test_setup_teardown(test, command_make_scratch, command_remove_scratch)
  static const struct CMUnitTest tests[] = {
      OWN_TEST(own_test_never_recorded), OWN_TEST(own_test_map),
      OWN_TEST(own_test_kept_texts),     OWN_TEST(own_test_reproduce),
      OWN_TEST(own_test_identity),       OWN_TEST(own_test_bad_values),
      OWN_TEST(own_test_bug_compatible), OWN_TEST(own_test_refused_until_it_exists),
      OWN_TEST(own_test_foreign_bytes),  OWN_TEST(own_test_runtime_library),
  };
#undef OWN_TEST
  return cmocka_run_group_tests_name("own options", tests, NULL, NULL);
}
