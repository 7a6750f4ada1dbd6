/* The decoder's tests: ground truth of corpus/sass on every architecture, planted wrong targets, and the tests of sites.c.
 * `sass make DIRECTORY` compiles the PTX of that directory and writes the cubins. */
#include "tests/sass/sass.h"
#include "tests/harness/harness.h"
#include "tests/sass/squeeze.h"
#include "tests/sass/truth.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static const char *const architectures[] = {"75", "80", "89", "90", "100", "120"};
static const char *const constructs[] = {"barrier", "branch", "call", "convergence", "exit", "icall", "loop", "switch"};
enum {
  ARCHITECTURES = sizeof architectures / sizeof *architectures,
  CONSTRUCTS = sizeof constructs / sizeof *constructs
};

static const char *corpus;

static int sass_order_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void sass_each_cubin(const char *directory, sass_visit *visit, void *context) {
  DIR *open = opendir(directory);
  char *names[1024];
  size_t count = 0;
  for (const struct dirent *entry; open && (entry = readdir(open)) && count < sizeof names / sizeof *names;)
    if (entry->d_name[0] != '.')
      names[count++] = strdup(entry->d_name);
  if (open)
    closedir(open);
  qsort(names, count, sizeof *names, sass_order_names);
  for (size_t i = 0; i < count; i++) {
    char path[HARNESS_PATH];
    struct stat about;
    harness_path(path, "%s/%s", directory, names[i]);
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
      sass_each_cubin(path, visit, context);
    else if (strlen(names[i]) > 6 && strcmp(names[i] + strlen(names[i]) - 6, ".cubin") == 0)
      visit(path, context);
    free(names[i]);
  }
}

static void sass_read(harness_bytes *bytes, const char *format, const char *a, const char *b) {
  char path[HARNESS_PATH];
  harness_path(path, format, corpus, a, b);
  if (!harness_read_file(path, bytes))
    harness_stop("cannot read %s", path);
}

static bool sass_judge(truth_graph *graph, const harness_bytes *cubin, const harness_bytes *expect) {
  char error[256];
  ref_cubin read;
  if (!ref_cubin_read(&read, cubin->data, cubin->size, error, sizeof error)) {
    snprintf(graph->problem, sizeof graph->problem, "%.100s", error);
    return false;
  }
  const bool good = truth_compare(graph, &read, (const char *)expect->data);
  ref_cubin_free(&read);
  return good;
}

static void sass_test_ground_truth(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < ARCHITECTURES * CONSTRUCTS; i++) {
    const char *sm = architectures[i / CONSTRUCTS], *name = constructs[i % CONSTRUCTS];
    harness_bytes cubin, expect;
    truth_graph graph;
    sass_read(&cubin, "%s/sass/sm_%s/%s.cubin", sm, name);
    sass_read(&expect, "%s/sass/%s%s.expect", name, "");
    if (!sass_judge(&graph, &cubin, &expect)) {
      wrong++;
      print_error("sm_%s/%s: %s\n", sm, name, graph.problem);
    }
    free(cubin.data);
    free(expect.data);
  }
  assert_int_equal(wrong, 0);
}

/* Writes target 0, the function's start, into a branch: bits 34 to 81, and the low byte on sm_90 and later. */
static void sass_plant_target(uint8_t *at, const ref_sass_instruction *instruction, uint64_t offset) {
  ref_sass_instruction changed = *instruction;
  const ref_sass_word old = ref_sass_read(at), mask = ref_sass_mask(instruction);
  for (size_t i = 0; i < changed.field_count; i++)
    if (changed.fields[i].role == REF_SASS_TARGET)
      changed.values[i] = (uint64_t)(-(int64_t)(offset + REF_SASS_BYTES) / 4);
  const ref_sass_word word = ref_sass_encode(&changed);
  const uint64_t low = (old.low & ~mask.low) | word.low, high = (old.high & ~mask.high) | word.high;
  for (unsigned i = 0; i < 8; i++) {
    at[i] = (uint8_t)(low >> (8 * i));
    at[8 + i] = (uint8_t)(high >> (8 * i));
  }
}

/* Every branch but the padding's, turned to the function's start one at a time: the truth must notice. */
static size_t sass_plant_branches(harness_bytes *cubin, const harness_bytes *expect, size_t *noticed) {
  ref_cubin read;
  char error[256];
  size_t planted = 0;
  truth_graph unchanged;
  assert_true(sass_judge(&unchanged, cubin, expect));
  assert_true(ref_cubin_read(&read, cubin->data, cubin->size, error, sizeof error));
  for (size_t i = 1; i < read.section_count; i++) {
    const ref_section *text = &read.sections[i];
    for (uint64_t offset = 0; ref_sass_is_code(text) && offset < text->size; offset += REF_SASS_BYTES) {
      uint8_t *at = cubin->data + text->offset + offset, kept[REF_SASS_BYTES];
      ref_sass_instruction instruction;
      truth_graph graph;
      int64_t target = 0;
      ref_sass_decode(&instruction, ref_sass_read(at), ref_sass_sm(&read));
      if (!instruction.row || instruction.row->flow != REF_SASS_BRANCH ||
          !ref_sass_target(&instruction, offset, &target) || target == (int64_t)offset)
        continue;
      memcpy(kept, at, sizeof kept);
      sass_plant_target(at, &instruction, offset);
      planted++;
      *noticed += !sass_judge(&graph, cubin, expect);
      memcpy(at, kept, sizeof kept);
    }
  }
  ref_cubin_free(&read);
  return planted;
}

static void sass_test_planted_targets(void **state) {
  (void)state;
  size_t planted = 0, noticed = 0;
  for (size_t i = 0; i < ARCHITECTURES * CONSTRUCTS; i++) {
    harness_bytes cubin, expect;
    if (strcmp(constructs[i % CONSTRUCTS], "call") == 0)
      continue; /* no branch but the padding's */
    sass_read(&cubin, "%s/sass/sm_%s/%s.cubin", architectures[i / CONSTRUCTS], constructs[i % CONSTRUCTS]);
    sass_read(&expect, "%s/sass/%s%s.expect", constructs[i % CONSTRUCTS], "");
    planted += sass_plant_branches(&cubin, &expect, &noticed);
    free(cubin.data);
    free(expect.data);
  }
  print_message("%zu branches turned to their function's start, %zu noticed\n", planted, noticed);
  assert_true(planted > 50);
  assert_int_equal(noticed, planted);
}

/* --- compiling -------------------------------------------------------------------------------------------------- */

static bool sass_find_ptxas(char path[HARNESS_PATH]) {
  const char *nvlink = harness_find_nvlink();
  if (!nvlink)
    return false;
  harness_path(path, "%.*sptxas", (int)(strlen(nvlink) - strlen("nvlink")), nvlink);
  return harness_exists(path);
}

static harness_bytes sass_compile(const char *ptxas, const char *directory, const char *sm, const char *name) {
  char scratch[HARNESS_PATH], source[HARNESS_PATH], output[HARNESS_PATH], arch[32];
  harness_outcome outcome;
  harness_bytes cubin;
  harness_make_scratch(scratch);
  harness_path(source, "%s/%s.ptx", directory, name);
  harness_path(output, "%s/%s.cubin", scratch, name);
  snprintf(arch, sizeof arch, "-arch=sm_%s", sm);
  const char *const argv[] = {ptxas, arch, "-c", "-o", output, source, NULL};
  harness_run(&(harness_command){.argv = argv}, &outcome);
  if (outcome.code != 0 || !harness_read_file(output, &cubin))
    harness_stop("ptxas fails on %s: %s", source, (const char *)outcome.err.data);
  harness_free_outcome(&outcome);
  harness_remove_tree(scratch);
  const harness_bytes small = sass_squeeze(&cubin);
  free(cubin.data);
  return small;
}

static void sass_test_compiled_again(void **state) {
  (void)state;
  char ptxas[HARNESS_PATH], directory[HARNESS_PATH];
  if (!sass_find_ptxas(ptxas))
    skip();
  harness_path(directory, "%s/sass", corpus);
  for (size_t i = 0; i < ARCHITECTURES * CONSTRUCTS; i++) {
    harness_bytes stored;
    sass_read(&stored, "%s/sass/sm_%s/%s.cubin", architectures[i / CONSTRUCTS], constructs[i % CONSTRUCTS]);
    harness_bytes made = sass_compile(ptxas, directory, architectures[i / CONSTRUCTS], constructs[i % CONSTRUCTS]);
    assert_int_equal(made.size, stored.size);
    assert_memory_equal(made.data, stored.data, stored.size);
    free(made.data);
    free(stored.data);
  }
}

static int sass_make(const char *directory) {
  char ptxas[HARNESS_PATH], path[HARNESS_PATH];
  if (!sass_find_ptxas(ptxas))
    harness_stop("ptxas is not installed");
  for (size_t i = 0; i < ARCHITECTURES * CONSTRUCTS; i++) {
    const char *sm = architectures[i / CONSTRUCTS], *name = constructs[i % CONSTRUCTS];
    harness_bytes made = sass_compile(ptxas, directory, sm, name);
    harness_path(path, "%s/sm_%s", directory, sm);
    harness_make_directories(path);
    harness_path(path, "%s/sm_%s/%s.cubin", directory, sm, name);
    harness_write_file(path, made.data, made.size);
    free(made.data);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "make") == 0)
    return sass_make(argv[2]);
  if (argc != 2)
    harness_stop("usage: sass CORPUS | sass make DIRECTORY");
  corpus = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sass_test_ground_truth),
      cmocka_unit_test(sass_test_planted_targets),
      cmocka_unit_test(sass_test_compiled_again),
      cmocka_unit_test_prestate(sass_test_rows_are_apart, argv[1]),
      cmocka_unit_test_prestate(sass_test_corpus_round_trip, argv[1]),
      cmocka_unit_test_prestate(sass_test_random_words_round_trip, argv[1]),
      cmocka_unit_test_prestate(sass_test_sites_of_the_corpus, argv[1]),
      cmocka_unit_test_prestate(sass_test_planted_sites, argv[1]),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
