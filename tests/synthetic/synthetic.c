/* corpus/synthetic: made by `synthetic make DIRECTORY TABLE [GROUP]`, held against nvlink by `synthetic verify DIRECTORY
 * TABLE`, held against a linker by `synthetic link DIRECTORY TABLE PROGRAM OPEN`.
 *
 * make stores every job (args, expect.cubin, expect.stderr, expect.rc). Which relocation types link against which class is
 * read from TABLE, that of the relocation matrix (tests/matrix); what ends nvlink by a signal is only listed there.
 * verify builds the same cubins and compares them with the stored ones; where nvlink is present, it links every job again. link compares a linker's answers with the stored ones: the jobs that differ must be exactly those
 * that the file OPEN names. Facts: R2-R29, D15. */
#define _DEFAULT_SOURCE
#include "jobs.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned architectures[] = {75, 90};
enum { ARCHITECTURE_COUNT = sizeof architectures / sizeof *architectures };
enum { COMMAND_MAX = SYNTHETIC_FILES_MAX + 8 };

static const char *directory; /* corpus/synthetic */
static const char *linker;    /* nvlink or the program to judge; NULL when nvlink is not there */
static bool identity_options; /* the linker is ours: it must show nvlink's face */
static char scratch[HARNESS_PATH];
static harness_words open_jobs;
static const char *only_group; /* of make; NULL: all */
static matrix_table table;     /* of the relocation matrix */
static size_t passed, failed, skipped;

/* What a linker answered, or what is stored. */
typedef struct synthetic_answer {
  harness_bytes cubin, messages, code;
  bool has_cubin, crashed;
} synthetic_answer;

static void free_answer(synthetic_answer *answer) {
  free(answer->cubin.data);
  free(answer->messages.data);
  free(answer->code.data);
}

static void stored_path(char path[HARNESS_PATH], const synthetic_job *job, const char *name) {
  harness_path(path, "%s/%s/sm_%u/%s%s%s", directory, job->group, job->sm, name ? job->name : "", name ? "/" : "",
               name ? name : "");
}

static void write_inputs(const synthetic_job *job, const char *where) {
  char path[HARNESS_PATH];
  for (size_t i = 0; i < job->file_count; i++) {
    harness_path(path, "%s/%s", where, job->files[i].name);
    harness_write_file(path, job->files[i].bytes, job->files[i].size);
  }
}

/* Runs the linker on the job's files in the scratch directory. */
static void ask_linker(const synthetic_job *job, synthetic_answer *answer) {
  char arch[32], output[HARNESS_PATH], code[16];
  const char *argv[COMMAND_MAX] = {linker};
  size_t count = 1;
  harness_outcome outcome;
  if (identity_options) {
    argv[count++] = "--identity=nvlink";
    argv[count++] = "--bug-compatible";
  }
  (void)snprintf(arch, sizeof arch, "-arch=sm_%u", job->sm);
  argv[count++] = arch;
  if (job->option)
    argv[count++] = job->option;
  for (size_t i = 0; i < job->file_count; i++)
    argv[count++] = job->files[i].name;
  argv[count++] = "-o";
  argv[count++] = "out.cubin";
  write_inputs(job, scratch);
  harness_path(output, "%s/out.cubin", scratch);
  (void)remove(output);
  harness_run(&(harness_command){.argv = argv, .directory = scratch}, &outcome);
  (void)snprintf(code, sizeof code, "%d\n", outcome.code);
  *answer = (synthetic_answer){.messages = outcome.err, .crashed = outcome.signal || outcome.timed_out};
  answer->has_cubin = harness_read_file(output, &answer->cubin);
  answer->code = (harness_bytes){(uint8_t *)strdup(code), strlen(code)};
  free(outcome.out.data);
}

/* ---- make ---- */

static void store(const synthetic_job *job, const char *name, const void *bytes, size_t size) {
  char path[HARNESS_PATH];
  stored_path(path, job, name);
  harness_write_file(path, bytes, size);
}

static void store_job(const synthetic_job *job) {
  if (only_group && strcmp(only_group, job->group) != 0)
    return;
  char path[HARNESS_PATH], arguments[HARNESS_PATH];
  synthetic_answer answer;
  ask_linker(job, &answer);
  if (answer.crashed)
    harness_stop("nvlink crashed on %s/sm_%u/%s", job->group, job->sm, job->name);
  harness_path(path, "%s/%s/sm_%u/%s", directory, job->group, job->sm, job->name);
  harness_make_directories(path);
  stored_path(path, job, NULL);
  write_inputs(job, path);
  harness_path(arguments, "-arch=sm_%u\n%s%s", job->sm, job->option ? job->option : "", job->option ? "\n" : "");
  for (size_t i = 0; i < job->file_count; i++) {
    strncat(arguments, job->files[i].name, sizeof arguments - strlen(arguments) - 1);
    strncat(arguments, "\n", sizeof arguments - strlen(arguments) - 1);
  }
  strncat(arguments, "-o\nout.cubin\n", sizeof arguments - strlen(arguments) - 1);
  store(job, "args", arguments, strlen(arguments));
  store(job, "expect.stderr", answer.messages.data, answer.messages.size);
  store(job, "expect.rc", answer.code.data, answer.code.size);
  if (answer.has_cubin)
    store(job, "expect.cubin", answer.cubin.data, answer.cubin.size);
  free_answer(&answer);
}

static void visit_all(synthetic_visit *visit) {
  for (size_t i = 0; i < ARCHITECTURE_COUNT; i++)
    synthetic_visit_jobs(architectures[i], &table, visit);
}

/* Of all groups, or of one. */
static void make_groups(const char *only) {
  static const char *const groups[] = {"relocations", "programs", "address_taken", "constants", "names"};
  char path[HARNESS_PATH];
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    harness_path(path, "%s/%s", directory, groups[g]);
    if (!only || strcmp(only, groups[g]) == 0)
      harness_remove_tree(path);
  }
  only_group = only;
  visit_all(store_job);
}

/* ---- verify and link ---- */

static bool same_bytes(const harness_bytes *a, const harness_bytes *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static void read_stored(const synthetic_job *job, synthetic_answer *answer) {
  char path[HARNESS_PATH];
  *answer = (synthetic_answer){.has_cubin = false};
  stored_path(path, job, "expect.stderr");
  if (!harness_read_file(path, &answer->messages))
    harness_stop("%s is missing", path);
  stored_path(path, job, "expect.rc");
  if (!harness_read_file(path, &answer->code))
    harness_stop("%s is missing", path);
  stored_path(path, job, "expect.cubin");
  answer->has_cubin = harness_read_file(path, &answer->cubin);
}

/* Names what differs; "" when nothing does. */
static const char *compare_with_stored(const synthetic_job *job) {
  synthetic_answer stored, answer;
  read_stored(job, &stored);
  ask_linker(job, &answer);
  const char *different = answer.crashed                                    ? "crashed"
                          : !same_bytes(&stored.code, &answer.code)         ? "exit code"
                          : !same_bytes(&stored.messages, &answer.messages) ? "messages"
                          : stored.has_cubin != answer.has_cubin            ? "presence of an output"
                          : !same_bytes(&stored.cubin, &answer.cubin)       ? "output"
                                                                            : "";
  free_answer(&stored);
  free_answer(&answer);
  return different;
}

static bool inputs_are_stored(const synthetic_job *job) {
  bool same = true;
  for (size_t i = 0; i < job->file_count; i++) {
    char directory_path[HARNESS_PATH], path[HARNESS_PATH];
    const harness_bytes built = {job->files[i].bytes, job->files[i].size};
    harness_bytes stored = {NULL, 0};
    stored_path(directory_path, job, NULL);
    harness_path(path, "%s%s", directory_path, job->files[i].name);
    same = same && harness_read_file(path, &stored) && same_bytes(&built, &stored);
    free(stored.data);
  }
  return same;
}

static bool job_is_open(const synthetic_job *job) {
  char name[HARNESS_PATH];
  harness_path(name, "%s/sm_%u/%s ", job->group, job->sm, job->name);
  for (size_t i = 0; i < open_jobs.count; i++)
    if (strncmp(open_jobs.items[i], name, strlen(name)) == 0)
      return true;
  return false;
}

static void count_job(const synthetic_job *job, bool good, const char *what) {
  if (good)
    passed++;
  else {
    failed++;
    printf("FAILED: %s/sm_%u/%s: %s\n", job->group, job->sm, job->name, what);
  }
}

static void verify_job(const synthetic_job *job) {
  count_job(job, inputs_are_stored(job), "what is built is not what is stored");
  if (linker) {
    const char *different = compare_with_stored(job);
    count_job(job, !*different, different);
  } else
    skipped++;
}

static void link_job(const synthetic_job *job) {
  const char *different = compare_with_stored(job);
  const bool open = job_is_open(job);
  if (open && *different)
    printf("open: %s/sm_%u/%s: %s\n", job->group, job->sm, job->name, different);
  count_job(job, open == (*different != 0), open ? "listed as open, but identical" : different);
}

static int print_usage(void) {
  fprintf(stderr, "usage: synthetic make DIRECTORY TABLE [GROUP]\n       synthetic verify DIRECTORY TABLE\n"
                  "       synthetic link DIRECTORY TABLE PROGRAM OPEN\n");
  return 2;
}

int main(int argc, char **argv) {
  const bool make = (argc == 4 || argc == 5) && strcmp(argv[1], "make") == 0,
             verify = argc == 4 && strcmp(argv[1], "verify") == 0;
  const bool link = argc == 6 && strcmp(argv[1], "link") == 0;
  if (!make && !verify && !link)
    return print_usage();
  directory = argv[2];
  matrix_table_read(&table, argv[3]);
  /* The linker runs in another directory. */
  linker = link ? realpath(argv[4], NULL) : harness_find_nvlink();
  identity_options = link;
  harness_make_scratch(scratch);
  if ((make || link) && !linker)
    harness_stop("%s", link ? "that linker is not there" : "nvlink is not there: only nvlink writes answers");
  if (make)
    make_groups(argc == 5 ? argv[4] : NULL);
  else {
    if (link)
      harness_read_lines(argv[5], &open_jobs);
    visit_all(link ? link_job : verify_job);
    printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  }
  harness_free_words(&open_jobs);
  matrix_table_free(&table);
  harness_remove_tree(scratch);
  return failed != 0;
}
