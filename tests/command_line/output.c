/* What becomes of the output file (C74 and the design): a temporary file and a rename, the old output kept until then, its
 * mode kept, a symbolic link followed, devices and pipes written directly, and the one case in which the image is written
 * in place. */
#define _DEFAULT_SOURCE
#include "tests/command_line/command_line.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOOD "-arch=sm_90 -o out.cubin text.xyz"

static const char old_output[] = "the output of an earlier link";

static void output_path(char path[HARNESS_PATH], const char *name) {
  harness_path(path, "%s/%s", command.scratch, name);
}

static void output_write(const char *name, const char *text) {
  char path[HARNESS_PATH];
  output_path(path, name);
  harness_write_file(path, text, strlen(text));
}

static bool output_equals(const char *name, const char *text) {
  char path[HARNESS_PATH];
  harness_bytes bytes;
  output_path(path, name);
  bool equal = harness_read_file(path, &bytes) && strcmp((char *)bytes.data, text) == 0;
  free(bytes.data);
  return equal;
}

static bool output_is_cubin(const char *name) {
  char path[HARNESS_PATH];
  harness_bytes bytes;
  output_path(path, name);
  static const uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};
  bool good = harness_read_file(path, &bytes) && bytes.size > 64 && memcmp(bytes.data, magic, sizeof magic) == 0;
  free(bytes.data);
  return good;
}

static size_t output_count_files(const char *name) {
  char path[HARNESS_PATH];
  size_t count = 0;
  output_path(path, name);
  DIR *directory = opendir(path);
  while (directory && readdir(directory))
    count++;
  if (directory)
    closedir(directory);
  return count;
}

static void output_test_mode_of_new(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  struct stat status;
  mode_t mask = umask(022);
  command_link(GOOD, 0);
  umask(mask);
  output_path(path, "out.cubin");
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0644);
  assert_true(output_is_cubin("out.cubin"));
}

static void output_test_mode_kept(void **state) {
  (void)state;
  static const mode_t modes[] = {0600, 0640, 0755, 0444};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    char path[HARNESS_PATH];
    struct stat status;
    output_path(path, "out.cubin");
    unlink(path);
    output_write("out.cubin", old_output);
    chmod(path, modes[i]);
    if (modes[i] == 0444 && geteuid() != 0)
      continue;
    command_link(GOOD, 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, modes[i]);
    assert_true(output_is_cubin("out.cubin"));
  }
}

/* A second name of the old output keeps its bytes: the new output is another file, put in place by a rename. */
static void output_test_renamed(void **state) {
  (void)state;
  char path[HARNESS_PATH], second[HARNESS_PATH];
  output_write("out.cubin", old_output);
  output_path(path, "out.cubin");
  output_path(second, "second");
  assert_int_equal(link(path, second), 0);
  size_t before = output_count_files("");
  command_link(GOOD, 0);
  assert_true(output_is_cubin("out.cubin"));
  assert_true(output_equals("second", old_output));
  assert_int_equal(output_count_files(""), before);
}

static void output_test_kept_on_failure(void **state) {
  (void)state;
  output_write("out.cubin", old_output);
  size_t before = output_count_files("");
  command_link("-arch=sm_90 -o out.cubin text.xyz none.cubin", 1);
  command_link("-arch=sm_90 -o out.cubin text.cubin", 1);
  command_link("-arch=sm_90 -o out.cubin -foo text.xyz", 1);
  assert_true(output_equals("out.cubin", old_output));
  assert_int_equal(output_count_files(""), before);
}

/* Every job of the corpus that nvlink refuses leaves an old output alone. */
static void output_test_kept_by_refused_jobs(void **state) {
  (void)state;
  size_t tried = 0;
  for (size_t i = 0; i < command.jobs.count; i++) {
    const harness_job *job = &command.jobs.items[i];
    char path[HARNESS_PATH], line[HARNESS_PATH] = "--bug-compatible";
    harness_words words;
    harness_path(path, "%s/expect.rc", job->directory);
    int code = harness_read_number(path);
    if (code == 0)
      continue;
    command_remove_scratch(NULL);
    command_make_scratch(NULL);
    harness_link_inputs(job->inputs, command.scratch);
    harness_path(path, "%s/args", job->directory);
    harness_read_lines(path, &words);
    harness_join_words(line, &words);
    harness_free_words(&words);
    output_write("out.cubin", old_output);
    command_link(line, code);
    assert_true(output_equals("out.cubin", old_output));
    tried++;
  }
  print_message("%zu refused jobs\n", tried);
  assert_true(tried > 0);
}

/* out.cubin is a symbolic link into a directory of its own; after the link it still is one, and its target is new. */
static void output_link_through(void) {
  char path[HARNESS_PATH];
  struct stat status;
  output_path(path, "out.cubin");
  assert_int_equal(symlink("inner/target", path), 0);
  command_link(GOOD, 0);
  assert_int_equal(lstat(path, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_true(output_is_cubin("inner/target"));
}

static void output_test_link_followed(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  struct stat status;
  output_path(path, "inner");
  mkdir(path, 0777);
  output_write("inner/target", old_output);
  output_path(path, "inner/target");
  chmod(path, 0640);
  output_link_through();
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 07777, 0640);
  assert_int_equal(output_count_files("inner"), 3);
}

static void output_test_dangling_link(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  output_path(path, "inner");
  mkdir(path, 0777);
  output_link_through();
}

static void output_test_devices(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  harness_outcome outcome;
  harness_bytes bytes;
  command_link("-arch=sm_90 -o /dev/null text.xyz", 0);
  assert_true(harness_exists("/dev/null"));
  command_link(GOOD, 0);
  command_run(command.program, "--identity=nvlink -arch=sm_90 -o /dev/stdout text.xyz", &outcome);
  output_path(path, "out.cubin");
  assert_true(harness_read_file(path, &bytes));
  assert_int_equal(outcome.code, 0);
  assert_int_equal(outcome.out.size, bytes.size);
  assert_memory_equal(outcome.out.data, bytes.data, bytes.size);
  free(bytes.data);
  harness_free_outcome(&outcome);
}

static void output_test_pipe(void **state) {
  (void)state;
  char path[HARNESS_PATH], script[3 * HARNESS_PATH];
  harness_outcome outcome;
  struct stat status;
  output_path(path, "out.cubin");
  assert_int_equal(mkfifo(path, 0600), 0);
  snprintf(script, sizeof script, "cat out.cubin >copy & '%s' --identity=nvlink %s; code=$?; wait; exit $code",
           command.program, GOOD);
  const char *argv[] = {"sh", "-c", script, NULL};
  harness_run(&(harness_command){.argv = argv, .directory = command.scratch, .seconds = 20}, &outcome);
  assert_int_equal(outcome.code, 0);
  harness_free_outcome(&outcome);
  assert_int_equal(lstat(path, &status), 0);
  assert_true(S_ISFIFO(status.st_mode));
  assert_true(output_is_cubin("copy"));
}

static void output_test_full_device(void **state) {
  (void)state;
  harness_outcome outcome;
  command_run(command.program, "--identity=nvlink -arch=sm_90 -o /dev/full text.xyz", &outcome);
  assert_int_equal(outcome.code, 1);
  assert_non_null(strstr((char *)outcome.err.data, "nvlink fatal   : Internal error: writing file\n"));
  harness_free_outcome(&outcome);
}

/* Links the words, with nvlink too where it is, and compares what becomes of a registration file that exists already. */
static void output_check_registration(const char *words, const char *wanted) {
  const char *const nvlink = harness_find_nvlink();
  const char *const programs[] = {command.program, nvlink};
  for (size_t i = 0; i < 2 && programs[i]; i++) {
    char line[HARNESS_PATH];
    harness_outcome outcome;
    output_write("registered.c", "old\n");
    harness_path(line, "%s-arch=sm_90 -o out.cubin --register-link-binaries=registered.c %s",
                 i ? "" : "--identity=nvlink ", words);
    command_run(programs[i], line, &outcome);
    if (outcome.code != 0 || !output_equals("registered.c", wanted))
      fail_msg("%s: %s: exit code %d, or another registration file", programs[i], words, outcome.code);
    harness_free_outcome(&outcome);
  }
}

/* D25, N14: an existing registration file stays if a file of the runtime was not taken, and only then. */
static void output_test_registration(void **state) {
  (void)state;
  char inputs[HARNESS_PATH], names[4][HARNESS_PATH], wanted[2 * HARNESS_PATH + 256];
  const char *const files[] = {"v.cubin", "caller.cubin", "cudadevrt_other.cubin"};
  harness_path(inputs, "%s/messages/runtime/sm_90", command.corpus);
  harness_link_inputs(inputs, command.scratch);
  for (size_t i = 0; i < 3; i++) {
    output_path(names[i], files[i]);
    for (char *at = names[i]; *at; at++)
      *at = strchr("/.-", *at) ? '_' : *at;
  }
  output_check_registration("text.xyz", "#define NUM_PRELINKED_OBJECTS 0\n");
  snprintf(wanted, sizeof wanted, "#define NUM_PRELINKED_OBJECTS 1\nDEFINE_REGISTER_FUNC(%s)\n", names[0]);
  output_check_registration("v.cubin", wanted);
  output_check_registration("v.cubin cudadevrt_other.cubin", "old\n");
  output_check_registration("cudadevrt_v.cubin", "old\n");
  snprintf(wanted, sizeof wanted,
           "#define NUM_PRELINKED_OBJECTS 2\nDEFINE_REGISTER_FUNC(%s)\nDEFINE_REGISTER_FUNC(%s)\n", names[1], names[2]);
  output_check_registration("caller.cubin cudadevrt_other.cubin", wanted);
  snprintf(wanted, sizeof wanted,
           "#define NUM_PRELINKED_OBJECTS 2\nDEFINE_REGISTER_FUNC(%s)\nDEFINE_REGISTER_FUNC(%s)\n", names[0], names[2]);
  output_check_registration("v.cubin cudadevrt_other.cubin -keep-system-libraries", wanted);
}

static void output_test_dash(void **state) {
  (void)state;
  command_link("-arch=sm_90 -o - text.xyz", 0);
  assert_true(output_is_cubin("-"));
}

/* The disk is full after 512 bytes: the old output stays, and nothing is left beside it. */
static void output_test_size_limit(void **state) {
  (void)state;
  harness_outcome outcome;
  const char *argv[] = {command.program, "--identity=nvlink", "-arch=sm_90", "-o", "out.cubin", "text.xyz", NULL};
  output_write("out.cubin", old_output);
  size_t before = output_count_files("");
  harness_run(&(harness_command){.argv = argv, .directory = command.scratch, .file_size = 512}, &outcome);
  assert_int_equal(outcome.code, 1);
  assert_true(output_equals("out.cubin", old_output));
  assert_int_equal(output_count_files(""), before);
  harness_free_outcome(&outcome);
}

/* Runs a copy of the program that any user can reach, as a user who owns nothing here when the tests run as root. */
static void output_run_as_other(const char *const *arguments, harness_outcome *outcome) {
  char path[HARNESS_PATH];
  harness_bytes bytes;
  const char *argv[16] = {path};
  output_path(path, "program");
  if (!harness_read_file(command.program, &bytes))
    harness_stop("cannot read %s", command.program);
  harness_write_file(path, bytes.data, bytes.size);
  free(bytes.data);
  chmod(path, 0755);
  chmod(command.scratch, 0755);
  for (size_t i = 0; arguments[i] && i + 2 < sizeof argv / sizeof *argv; i++)
    argv[i + 1] = arguments[i];
  harness_run(&(harness_command){.argv = argv, .directory = command.scratch, .user = 65534}, outcome);
}

static void output_test_unwritable_directory(void **state) {
  (void)state;
  char path[HARNESS_PATH];
  harness_outcome outcome;
  const char *const arguments[] = {"--identity=nvlink", "-arch=sm_90", "-o", "closed/out.cubin", "text.xyz", NULL};
  output_path(path, "closed");
  mkdir(path, 0555);
  output_run_as_other(arguments, &outcome);
  assert_int_equal(outcome.code, 1);
  assert_string_equal((char *)outcome.err.data, "nvlink fatal   : Could not open output file 'closed/out.cubin'\n");
  harness_free_outcome(&outcome);
  assert_int_equal(output_count_files("closed"), 2);
}

/* No temporary file can be made, but the output itself can be written: it is written in place. */
static void output_test_written_in_place(void **state) {
  (void)state;
  char path[HARNESS_PATH], file[HARNESS_PATH];
  harness_outcome outcome;
  struct stat before, after;
  const char *const arguments[] = {"--identity=nvlink", "-arch=sm_90", "-o", "closed/out.cubin", "text.xyz", NULL};
  output_path(path, "closed");
  mkdir(path, 0755);
  output_write("closed/out.cubin", old_output);
  output_path(file, "closed/out.cubin");
  chmod(file, 0666);
  chmod(path, 0555);
  assert_int_equal(stat(file, &before), 0);
  output_run_as_other(arguments, &outcome);
  assert_int_equal(outcome.code, 0);
  harness_free_outcome(&outcome);
  assert_int_equal(stat(file, &after), 0);
  assert_true(before.st_ino == after.st_ino);
  assert_int_equal(after.st_mode & 07777, 0666);
  assert_true(output_is_cubin("closed/out.cubin"));
}

int command_test_output(void) {
#define OUTPUT_TEST(test) cmocka_unit_test_setup_teardown(test, command_make_scratch, command_remove_scratch)
  static const struct CMUnitTest tests[] = {
      OUTPUT_TEST(output_test_mode_of_new),
      OUTPUT_TEST(output_test_mode_kept),
      OUTPUT_TEST(output_test_renamed),
      OUTPUT_TEST(output_test_kept_on_failure),
      OUTPUT_TEST(output_test_kept_by_refused_jobs),
      OUTPUT_TEST(output_test_link_followed),
      OUTPUT_TEST(output_test_dangling_link),
      OUTPUT_TEST(output_test_devices),
      OUTPUT_TEST(output_test_pipe),
      OUTPUT_TEST(output_test_full_device),
      OUTPUT_TEST(output_test_registration),
      OUTPUT_TEST(output_test_dash),
      OUTPUT_TEST(output_test_size_limit),
      OUTPUT_TEST(output_test_unwritable_directory),
      OUTPUT_TEST(output_test_written_in_place),
  };
#undef OUTPUT_TEST
  return cmocka_run_group_tests_name("output file", tests, NULL, NULL);
}
