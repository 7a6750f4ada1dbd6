/* corpus/synthetic/relocations: made by `synthetic make DIRECTORY`, held against nvlink by `synthetic verify DIRECTORY`.
 *
 * make asks nvlink about every type, class and form alone, writes the answers to OUTCOMES, then stores for each
 * architecture one cubin a class with all types that link, and one cubin a type that nvlink refuses in an orderly way, each
 * as a job (args, expect.cubin, expect.stderr, expect.rc). What ends nvlink by a signal is only listed.
 * verify builds the same cubins from OUTCOMES alone and compares them with the stored ones; where nvlink is present, it
 * links every job again. Facts: R2-R29, D15. */
#include "outcomes.h"
#include "relocation_matrix.h"
#include "tests/harness/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const unsigned architectures[] = {75, 90};
enum { ARCHITECTURE_COUNT = sizeof architectures / sizeof *architectures };

static const char *directory; /* corpus/synthetic */
static const char *nvlink;
static char scratch[HARNESS_PATH];
static size_t jobs_checked, links_skipped;

typedef void job_function(unsigned sm, const char *name, const matrix_request *request);

/* FUNC_DESC types make a dead function live again (R15), so they must not stand beside the others against one. */
static bool makes_live(unsigned type) {
  return (type >= 31 && type <= 35) || (type >= 47 && type <= 49) || (type >= 61 && type <= 63);
}

/* All types that link against a class, in one cubin; for a dead function in two. */
static void visit_linkable(unsigned sm, matrix_class kind, const uint16_t *types, size_t count, job_function *visit) {
  matrix_request request = {sm, kind, types, count, true, true};
  if (kind == MATRIX_DEAD_FUNCTION) {
    uint16_t harmless[MATRIX_TYPES];
    request.types = harmless;
    request.type_count = 0;
    for (size_t i = 0; i < count; i++)
      if (!makes_live(types[i]))
        harmless[request.type_count++] = types[i];
    visit(sm, matrix_class_names[kind], &request);
    request.types = types;
    request.type_count = count;
    visit(sm, "dead_function_made_live", &request);
    return;
  }
  visit(sm, matrix_class_names[kind], &request);
}

/* Every job of one architecture: the linkable types of a class together, each refused type alone. */
static void visit_jobs(unsigned sm, const matrix_outcomes *outcomes, job_function *visit) {
  for (int kind = 0; kind < MATRIX_CLASSES; kind++) {
    uint16_t linkable[MATRIX_TYPES];
    size_t count = 0;
    for (int number = 0; number < MATRIX_TYPES; number++) {
      const uint16_t type = (uint16_t)number;
      const matrix_outcome *both = outcomes->of[kind][type];
      if (both[0] == OUTCOME_LINKED && both[1] == OUTCOME_LINKED)
        linkable[count++] = type;
      for (int form = 0; form < 2; form++) {
        char name[64];
        const matrix_request alone = {sm, (matrix_class)kind, &type, 1, form == 0, form == 1};
        (void)snprintf(name, sizeof name, "refused_%s_%03u_%s", matrix_class_names[kind], type, form ? "rel" : "rela");
        /* REL is stored only where RELA does something else. */
        if (both[form] == OUTCOME_REFUSED && (form == 0 || both[0] != OUTCOME_REFUSED))
          visit(sm, name, &alone);
      }
    }
    visit_linkable(sm, (matrix_class)kind, linkable, count, visit);
  }
}

static void run_nvlink(unsigned sm, const char *name, harness_outcome *outcome) {
  char arch[32], input[128];
  (void)snprintf(arch, sizeof arch, "-arch=sm_%u", sm);
  (void)snprintf(input, sizeof input, "%s.cubin", name);
  const char *const argv[] = {nvlink, arch, "base.cubin", input, "-o", "out.cubin", NULL};
  harness_run(&(harness_command){.argv = argv, .directory = scratch}, outcome);
}

static void write_scratch(const char *name, const void *bytes, size_t size) {
  char path[HARNESS_PATH];
  harness_path(path, "%s/%s.cubin", scratch, name);
  harness_write_file(path, bytes, size);
}

static void write_scratch_base(unsigned sm) {
  size_t size = 0;
  uint8_t *bytes = matrix_build_base(sm, &size);
  write_scratch("base", bytes, size);
  free(bytes);
}

static void write_scratch_request(const char *name, const matrix_request *request) {
  size_t size = 0;
  uint8_t *bytes = matrix_build(request, &size);
  write_scratch(name, bytes, size);
  free(bytes);
}

/* ---- make ---- */

static void ask_nvlink(unsigned sm, matrix_outcomes *outcomes) {
  write_scratch_base(sm);
  for (int kind = 0; kind < MATRIX_CLASSES; kind++)
    for (int number = 0; number < MATRIX_TYPES; number++)
      for (int form = 0; form < 2; form++) {
        const uint16_t type = (uint16_t)number;
        const matrix_request request = {sm, (matrix_class)kind, &type, 1, form == 0, form == 1};
        harness_outcome outcome;
        write_scratch_request("asked", &request);
        run_nvlink(sm, "asked", &outcome);
        outcomes->of[kind][type][form] = outcome.signal || outcome.timed_out ? OUTCOME_CRASHED
                                         : outcome.code                      ? OUTCOME_REFUSED
                                                                             : OUTCOME_LINKED;
        harness_free_outcome(&outcome);
      }
}

static void store(const char *name, const void *bytes, size_t size, unsigned sm) {
  char path[HARNESS_PATH];
  harness_path(path, "%s/relocations/sm_%u/%s", directory, sm, name);
  harness_write_file(path, bytes, size);
}

static void store_job(unsigned sm, const char *name, const matrix_request *request) {
  char path[HARNESS_PATH], text[HARNESS_PATH];
  harness_outcome outcome;
  harness_bytes linked;
  size_t size = 0;
  uint8_t *bytes = matrix_build(request, &size);
  write_scratch(name, bytes, size);
  harness_path(path, "%s/out.cubin", scratch);
  (void)remove(path);
  run_nvlink(sm, name, &outcome);
  if (outcome.signal)
    harness_stop("nvlink ended by signal %d on %s, sm_%u", outcome.signal, name, sm);
  harness_path(text, "%s/relocations/sm_%u/%s", directory, sm, name);
  harness_make_directories(text);
  harness_path(text, "%s.cubin", name);
  store(text, bytes, size, sm);
  if (harness_read_file(path, &linked)) {
    harness_path(text, "%s/expect.cubin", name);
    store(text, linked.data, linked.size, sm);
    free(linked.data);
  }
  harness_path(text, "%s/expect.stderr", name);
  store(text, outcome.err.data, outcome.err.size, sm);
  char rc[16], arguments[HARNESS_PATH];
  (void)snprintf(rc, sizeof rc, "%d\n", outcome.code);
  harness_path(text, "%s/expect.rc", name);
  store(text, rc, strlen(rc), sm);
  harness_path(arguments, "-arch=sm_%u\nbase.cubin\n%s.cubin\n-o\nout.cubin\n", sm, name);
  harness_path(text, "%s/args", name);
  store(text, arguments, strlen(arguments), sm);
  harness_free_outcome(&outcome);
  free(bytes);
}

static int synthetic_make(void) {
  char path[HARNESS_PATH];
  if (!nvlink)
    harness_stop("nvlink is not there: only nvlink writes answers");
  for (size_t i = 0; i < ARCHITECTURE_COUNT; i++) {
    static matrix_outcomes outcomes;
    const unsigned sm = architectures[i];
    size_t size = 0;
    harness_path(path, "%s/relocations/sm_%u", directory, sm);
    harness_remove_tree(path);
    harness_make_directories(path);
    ask_nvlink(sm, &outcomes);
    harness_path(path, "%s/relocations/sm_%u/OUTCOMES", directory, sm);
    outcomes_write(&outcomes, path);
    uint8_t *base = matrix_build_base(sm, &size);
    store("base.cubin", base, size, sm);
    free(base);
    visit_jobs(sm, &outcomes, store_job);
  }
  return 0;
}

/* ---- verify ---- */

static void check_stored(unsigned sm, const char *name, const void *bytes, size_t size) {
  char path[HARNESS_PATH];
  harness_bytes stored;
  harness_path(path, "%s/relocations/sm_%u/%s", directory, sm, name);
  if (!harness_read_file(path, &stored))
    fail_msg("%s is missing", path);
  if (stored.size != size || memcmp(stored.data, bytes, size) != 0)
    fail_msg("%s is not what is built or linked now", path);
  free(stored.data);
}

static void check_answer(unsigned sm, const char *name) {
  char path[HARNESS_PATH], text[HARNESS_PATH], rc[16];
  harness_outcome outcome;
  harness_bytes linked;
  harness_path(path, "%s/out.cubin", scratch);
  (void)remove(path);
  run_nvlink(sm, name, &outcome);
  (void)snprintf(rc, sizeof rc, "%d\n", outcome.code);
  harness_path(text, "%s/expect.rc", name);
  check_stored(sm, text, rc, strlen(rc));
  harness_path(text, "%s/expect.stderr", name);
  check_stored(sm, text, outcome.err.data, outcome.err.size);
  const bool has_output = harness_read_file(path, &linked);
  harness_path(text, "%s/expect.cubin", name);
  if (has_output) {
    check_stored(sm, text, linked.data, linked.size);
    free(linked.data);
  } else {
    harness_path(path, "%s/relocations/sm_%u/%s", directory, sm, text);
    assert_false(harness_exists(path));
  }
  harness_free_outcome(&outcome);
}

static void check_job(unsigned sm, const char *name, const matrix_request *request) {
  char text[HARNESS_PATH];
  size_t size = 0;
  uint8_t *bytes = matrix_build(request, &size);
  harness_path(text, "%s.cubin", name);
  check_stored(sm, text, bytes, size);
  if (nvlink) {
    write_scratch(name, bytes, size);
    check_answer(sm, name);
  } else
    links_skipped++;
  free(bytes);
  jobs_checked++;
}

static void stored_cubins_and_answers(void **state) {
  (void)state;
  for (size_t i = 0; i < ARCHITECTURE_COUNT; i++) {
    static matrix_outcomes outcomes;
    char path[HARNESS_PATH];
    size_t size = 0;
    uint8_t *base = matrix_build_base(architectures[i], &size);
    check_stored(architectures[i], "base.cubin", base, size);
    free(base);
    write_scratch_base(architectures[i]);
    harness_path(path, "%s/relocations/sm_%u/OUTCOMES", directory, architectures[i]);
    outcomes_read(&outcomes, path);
    visit_jobs(architectures[i], &outcomes, check_job);
  }
}

int main(int argc, char **argv) {
  static const struct CMUnitTest tests[] = {cmocka_unit_test(stored_cubins_and_answers)};
  if (argc != 3 || (strcmp(argv[1], "make") != 0 && strcmp(argv[1], "verify") != 0)) {
    fprintf(stderr, "usage: synthetic make|verify DIRECTORY\n");
    return 2;
  }
  directory = argv[2];
  nvlink = harness_find_nvlink();
  harness_make_scratch(scratch);
  const int failed =
      strcmp(argv[1], "make") == 0 ? synthetic_make() : cmocka_run_group_tests_name("synthetic", tests, NULL, NULL);
  harness_remove_tree(scratch);
  if (strcmp(argv[1], "verify") == 0) {
    printf("synthetic jobs checked: %zu\n", jobs_checked);
    printf("%d passed, %d failed, %zu skipped\n", 1 - failed, failed, links_skipped);
  }
  return failed;
}
