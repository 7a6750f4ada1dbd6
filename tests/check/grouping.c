/* Grouping through -r: the files of a job go through relocatable links in groups, then through a final link, and the
 * executable must have the canonical form of the direct one (docs/specification/canonical-form.md), in default mode.
 *
 * Four groupings of every job of the corpus that makes an executable: all files in one group; two groups, cut at a place
 * that the job's name decides; one file alone in a group and the others as they are; the two groups, and their outputs
 * through a relocatable link once more (with the program itself). The options of the job go to the final
 * link, the groups get the target alone. The first test makes the final and the direct link with the program itself, the
 * second one with nvlink, where it is installed: nvlink links what the program's -r makes.
 *
 *   grouping PROGRAM CORPUS LIST
 *
 * LIST names the groupings that have another form, "JOB GROUPING CAUSE", and with "nvlink:" before the job those that have
 * one with nvlink alone; a row whose grouping has the same form fails. */
#include "canonical.h"
#include "tests/check/check_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GROUPINGS = 4, TWICE = 3, WORDS_MAX = 128 };

static const char *program, *corpus;
static harness_words list;

typedef struct grouping_counts {
  size_t same, listed, wrong, left_out;
} grouping_counts;

/* A job on its way: its words, and which of them are cubins that a link takes. */
typedef struct grouping_job {
  const harness_job *job;
  harness_words words;
  size_t files[WORDS_MAX], file_count;
  const char *target; /* -arch=... */
  check_job read;
} grouping_job;

/* A cubin to be linked: of type ET_REL, or an -ewp object. */
static bool bytes_are_object(const harness_bytes *bytes) {
  enum { HEADER_SIZE = 64, TYPE_OFFSET = 16, MACHINE_OFFSET = 18, RELOCATABLE = 1, EWP = 0xff00, MACHINE_CUDA = 190 };
  if (bytes->size < HEADER_SIZE || memcmp(bytes->data, "\177ELF", 4) != 0)
    return false;
  const unsigned type = bytes->data[TYPE_OFFSET] | (unsigned)bytes->data[TYPE_OFFSET + 1] << 8;
  return (type == RELOCATABLE || type == EWP) && bytes->data[MACHINE_OFFSET] == MACHINE_CUDA;
}

/* Finds the cubins among the words; false for jobs with other kinds of input, lists of options, or -r. */
static bool job_find_files(grouping_job *g) {
  static const char *const others[] = {"-r", "-optf", "--options-file", "-preserve-relocs", "-uidx"};
  for (size_t i = 0; i < g->words.count; i++) {
    const char *const word = g->words.items[i];
    char path[HARNESS_PATH];
    harness_bytes bytes;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
      if (strcmp(word, others[k]) == 0)
        return false;
    if (strncmp(word, "-l", 2) == 0 || g->file_count == WORDS_MAX)
      return false;
    if (strncmp(word, "-arch=", 6) == 0)
      g->target = word;
    harness_path(path, "%s/%s", g->job->inputs, word);
    if (word[0] == '-' || !word[0] || !harness_read_file(path, &bytes))
      continue;
    const bool object = bytes_are_object(&bytes);
    free(bytes.data);
    if (!object)
      return false;
    for (size_t k = 0; k < g->file_count; k++)
      if (strcmp(g->words.items[g->files[k]], word) == 0)
        return false; /* a file that is named twice is one in a group */
    g->files[g->file_count++] = i;
  }
  return g->target && g->file_count;
}

static unsigned name_number(const char *name) {
  unsigned number = 5381;
  for (; *name; name++)
    number = number * 33 + (unsigned char)*name;
  return number;
}

/* The group of a file: 0 for none, else 1 or 2. False where the grouping is one of the others'. */
static bool grouping_make(const grouping_job *g, size_t grouping, unsigned char group[WORDS_MAX]) {
  const size_t n = g->file_count, number = name_number(g->job->name);
  if (grouping && grouping != TWICE && n < 2)
    return false;
  const bool two = grouping == 1 || grouping == TWICE;
  const size_t cut = two && n > 1 ? 1 + number % (n - 1) : number % n + (two && n == 1);
  for (size_t i = 0; i < n; i++)
    group[i] = (unsigned char)(grouping == 0 ? 1 : two ? 1 + (i >= cut) : i == cut);
  return true;
}

static bool link_run(const char *linker, const char *const *words, size_t count, const char *directory) {
  const char *argv[WORDS_MAX + 8] = {linker};
  harness_outcome outcome;
  memcpy(argv + 1, words, count * sizeof *words);
  harness_run(&(harness_command){.argv = argv, .directory = directory}, &outcome);
  const bool linked = outcome.code == 0;
  harness_free_outcome(&outcome);
  return linked;
}

static bool groups_link(const grouping_job *g, const unsigned char *group, const char *scratch) {
  static const char *const outputs[] = {NULL, "group.1.cubin", "group.2.cubin"};
  for (size_t n = 1; n <= 2; n++) {
    const char *words[WORDS_MAX + 8] = {g->target, "-r", "-o", outputs[n]};
    size_t count = 4;
    for (size_t i = 0; i < g->file_count; i++)
      if (group[i] == n)
        words[count++] = g->words.items[g->files[i]];
    if (count > 4 && !link_run(program, words, count, scratch))
      return false;
  }
  return true;
}

/* The outputs of all groups through a relocatable link; of one output alone where there is one. */
static bool groups_link_again(const grouping_job *g, unsigned char *group, const char *scratch) {
  const char *words[] = {g->target, "-r", "-o", "group.3.cubin", "group.1.cubin", "group.2.cubin"};
  const size_t count = sizeof words / sizeof *words - (group[g->file_count - 1] == 1);
  memset(group, 3, g->file_count);
  return link_run(program, words, count, scratch);
}

/* The job's words with the outputs of the groups where their first files stood. */
static bool final_link(const grouping_job *g, const unsigned char *group, const char *linker, const char *scratch) {
  static const char *const outputs[] = {NULL, "group.1.cubin", "group.2.cubin", "group.3.cubin"};
  const char *words[WORDS_MAX + 8];
  bool done[4] = {false};
  size_t count = 0, file = 0;
  for (size_t i = 0; i < g->words.count; i++) {
    if (file >= g->file_count || g->files[file] != i) {
      words[count++] = g->words.items[i];
      continue;
    }
    const unsigned char n = group[file++];
    if (n == 0)
      words[count++] = g->words.items[i];
    else if (!done[n])
      words[count++] = outputs[n];
    done[n] = true;
  }
  return link_run(linker, words, count, scratch);
}

static void count_nothing(void *extra, const ref_canonical_line *a, const ref_canonical_line *b) {
  (void)extra;
  (void)a;
  (void)b;
}

static bool form_of(ref_canonical *form, const grouping_job *g, const char *scratch) {
  char path[HARNESS_PATH], error[256];
  harness_bytes bytes;
  ref_cubin cubin;
  harness_path(path, "%s/out.cubin", scratch);
  if (!harness_read_file(path, &bytes))
    return false;
  bool made = ref_cubin_read(&cubin, bytes.data, bytes.size, error, sizeof error);
  if (made) {
    const ref_check_link link = {{"output", &cubin}, g->read.inputs, g->read.count};
    made = ref_canonical_make(form, &link, error, sizeof error);
    ref_cubin_free(&cubin);
  }
  free(bytes.data);
  remove(path);
  return made;
}

static bool grouping_has_row(const char *linker, const char *job, size_t grouping) {
  char name[HARNESS_PATH];
  snprintf(name, sizeof name, "%s%s %zu ", linker, job, grouping);
  for (size_t i = 0; i < list.count; i++)
    if (strncmp(list.items[i], name, strlen(name)) == 0)
      return true;
  return false;
}

static bool grouping_is_listed(const char *linker, const char *job, size_t grouping) {
  return grouping_has_row("", job, grouping) || (linker != program && grouping_has_row("nvlink:", job, grouping));
}

static void grouping_compare(const grouping_job *g, size_t grouping, const ref_canonical *direct, const char *linker,
                             const char *scratch, grouping_counts *counts) {
  unsigned char group[WORDS_MAX];
  ref_canonical form = {0};
  if ((grouping == TWICE && linker != program) || !grouping_make(g, grouping, group))
    return;
  const bool linked = groups_link(g, group, scratch) && (grouping != TWICE || groups_link_again(g, group, scratch)) &&
                      final_link(g, group, linker, scratch) && form_of(&form, g, scratch);
  const bool same = linked && ref_canonical_compare(direct, &form, count_nothing, NULL) == 0;
  const bool listed = grouping_is_listed(linker, g->job->name, grouping);
  counts->same += same;
  counts->listed += !same && listed;
  counts->wrong += same == listed;
  if (same == listed)
    print_message("%s %zu: %s\n", g->job->name, grouping,
                  !linked ? "a link of the grouping fails"
                  : same  ? "the same form, but listed"
                          : "another form");
  ref_canonical_free(&form);
}

static void job_run(const harness_job *job, const char *linker, const char *scratch, grouping_counts *counts) {
  char path[HARNESS_PATH];
  grouping_job g = {.job = job};
  ref_canonical direct = {0};
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &g.words);
  const bool read = check_job_read(&g.read, job->directory, job->inputs, NULL);
  const bool usable = read && !g.read.partial && g.words.count < WORDS_MAX && job_find_files(&g) &&
                      link_run(program, (const char *const *)g.words.items, g.words.count, scratch) &&
                      link_run(linker, (const char *const *)g.words.items, g.words.count, scratch) &&
                      form_of(&direct, &g, scratch);
  if (!usable)
    counts->left_out++;
  for (size_t grouping = 0; usable && grouping < GROUPINGS; grouping++)
    grouping_compare(&g, grouping, &direct, linker, scratch, counts);
  ref_canonical_free(&direct);
  check_job_free(&g.read);
  harness_free_words(&g.words);
}

static grouping_counts corpus_run(const char *linker, size_t step) {
  grouping_counts counts = {0};
  harness_jobs jobs;
  char scratch[HARNESS_PATH], inputs[HARNESS_PATH] = "";
  harness_list_jobs(corpus, "cuda", &jobs);
  for (size_t i = 0; i < jobs.count; i++) {
    if (name_number(jobs.items[i].name) % step)
      continue;
    if (strcmp(inputs, jobs.items[i].inputs) != 0) {
      if (inputs[0])
        harness_remove_tree(scratch);
      harness_make_scratch(scratch);
      harness_link_inputs(jobs.items[i].inputs, scratch);
      harness_path(inputs, "%s", jobs.items[i].inputs);
    }
    job_run(&jobs.items[i], linker, scratch, &counts);
  }
  harness_remove_tree(scratch);
  harness_free_jobs(&jobs);
  print_message("%zu groupings have the direct link's form, %zu are listed; %zu jobs have none to compare\n",
                counts.same, counts.listed, counts.left_out);
  return counts;
}

static void test_own(void **state) {
  (void)state;
  const grouping_counts counts = corpus_run(program, 1);
  size_t rows = 0;
  for (size_t i = 0; i < list.count; i++)
    rows += list.items[i][0] != '#' && list.items[i][0] != '\0' && strncmp(list.items[i], "nvlink:", 7) != 0;
  assert_int_equal(counts.wrong, 0);
  assert_int_equal(counts.listed, rows);
  assert_true(counts.same > 1000);
}

/* Every fourth job, by its name, so that a new job changes nothing for the others: nvlink takes most of the time. */
static void test_nvlink(void **state) {
  (void)state;
  const char *const nvlink = harness_find_nvlink();
  if (!nvlink)
    skip();
  const grouping_counts counts = corpus_run(nvlink, 4);
  assert_int_equal(counts.wrong, 0);
  assert_true(counts.same > 250);
}

int main(int argc, char **argv) {
  if (argc != 4)
    harness_stop("usage: grouping PROGRAM CORPUS LIST");
  program = argv[1];
  corpus = argv[2];
  harness_read_lines(argv[3], &list);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_own), cmocka_unit_test(test_nvlink)};
  return cmocka_run_group_tests_name("grouping", tests, NULL, NULL);
}
