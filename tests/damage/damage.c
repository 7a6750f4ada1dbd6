/* Damaged input, in process, under the sanitizers: every truncation length, 0 too, and 5,000 random changes of one byte for
 * a cubin of the corpus, linked with the other files of its job (CMakeLists.txt names three). The truncation of a small
 * cubin is a test of every preset.
 *
 * Whatever the damage: no crash, no hang, no leak, no image without exit code 0. A change of a byte that no rule reads
 * (contents.h) must link, and move exactly that byte into nvlink's own output; where nvlink is installed, every fourth
 * such change is linked by nvlink too and compared whole.
 *
 * Cases run in a child process that notes the case in shared memory first, so that a crash or a hang (ten seconds) is one
 * reported case and the next child goes on after it. */
#define _DEFAULT_SOURCE
#include "tests/damage/contents.h"
#include "tests/harness/harness.h"
#include "twinlink.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { INPUT_LIMIT = 64, CHANGES = 5000, SECONDS_A_LINK = 10, FAILURES_SHOWN = 10, SECTION_LIMIT = 1024 };

/* The job, and which of its inputs is damaged. */
typedef struct damage_base {
  const char *job;
  size_t damaged; /* index of the input */
  uint64_t seed;
  harness_words words;
  harness_bytes files[INPUT_LIMIT];
  tl_input inputs[INPUT_LIMIT];
  size_t count;
  char arch[32], note[64], inputs_directory[HARNESS_PATH];
  harness_bytes image; /* nvlink's stored answer */
  uint16_t *contents;  /* of the damaged input */
} damage_base;

/* What the child and its parent share. */
typedef struct damage_shared {
  size_t at, linked, refused, unread, compared, wrong;
  uint8_t moved[SECTION_LIMIT],
      vanished[SECTION_LIMIT]; /* sections whose changes were seen, or not seen, in the output */
} damage_shared;

typedef bool (*damage_step)(const damage_base *base, size_t at);

static damage_shared *shared;
static const char *corpus;
static size_t blocks_held; /* of the allocator below */

static void *damage_allocate(void *context, size_t size) {
  (void)context;
  void *block = malloc(size);
  blocks_held += block != NULL;
  return block;
}

static void damage_release(void *context, void *block) {
  (void)context;
  blocks_held -= block != NULL;
  free(block);
}

/* Links the base with `bytes` in place of the damaged input. */
static void damage_link(const damage_base *base, const void *bytes, size_t size, bool bug_compatible,
                        tl_result *result) {
  static const tl_allocator allocator = {damage_allocate, damage_release, NULL, false};
  tl_input inputs[INPUT_LIMIT];
  memcpy(inputs, base->inputs, sizeof inputs);
  inputs[base->damaged].data = bytes;
  inputs[base->damaged].size = size;
  tl_job job = {.inputs = inputs, .input_count = base->count, .allocator = &allocator};
  job.options = (tl_options){.arch = base->arch,
                             .note_arguments = base->note,
                             .identity_nvlink = true,
                             .bug_compatible = bug_compatible,
                             .threads = 1};
  tl_link(&job, result);
}

static bool damage_fail(const char *what, const char *job, size_t at) {
  if (shared->wrong++ < FAILURES_SHOWN)
    fprintf(stderr, "%s, case %zu: %s\n", job, at, what);
  return false;
}

/* What holds for every result. */
static bool damage_check_result(const damage_base *base, const tl_result *result, size_t at) {
  bool complaint = false;
  for (size_t i = 0; i < result->message_count; i++)
    complaint |= result->messages[i].severity >= TL_ERROR;
  if (result->exit_code != 0 && result->exit_code != 1 && result->exit_code != 255)
    return damage_fail("an exit code that is none", base->job, at);
  if ((result->image != NULL) != (result->exit_code == 0))
    return damage_fail("an image and an exit code that contradict each other", base->job, at);
  if (complaint != (result->exit_code != 0))
    return damage_fail("an exit code that the messages do not explain", base->job, at);
  if (result->exit_code == 0)
    shared->linked++;
  else
    shared->refused++;
  return true;
}

static bool damage_check_leak(const damage_base *base, size_t at) {
  if (blocks_held == 0)
    return true;
  blocks_held = 0;
  return damage_fail("memory is not given back", base->job, at);
}

/* An exact copy on the heap: one byte read past its end is an error that the sanitizer sees. */
static uint8_t *damage_copy(const void *bytes, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    harness_stop("no memory");
  if (size)
    memcpy(copy, bytes, size);
  return copy;
}

static bool damage_truncate(const damage_base *base, size_t at) {
  bool good = true;
  for (int mode = 0; mode < 2 && good; mode++) {
    tl_result result;
    uint8_t *bytes = damage_copy(base->files[base->damaged].data, at);
    damage_link(base, bytes, at, mode == 1, &result);
    good = damage_check_result(base, &result, at);
    tl_result_free(&result);
    free(bytes);
    good = damage_check_leak(base, at) && good;
  }
  return good;
}

static uint64_t damage_random(uint64_t seed, uint64_t index) {
  uint64_t value = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

/* nvlink's own answer for the damaged file: the whole image must be the same. */
static bool damage_compare_live(const damage_base *base, const uint8_t *bytes, size_t size, const tl_result *result) {
  char scratch[HARNESS_PATH], path[HARNESS_PATH];
  harness_outcome outcome;
  harness_bytes image;
  const char *argv[INPUT_LIMIT + 8] = {harness_find_nvlink()};
  for (size_t i = 0; i < base->words.count; i++)
    argv[i + 1] = base->words.items[i];
  harness_make_scratch(scratch);
  harness_link_inputs(base->inputs_directory, scratch);
  harness_path(path, "%s/%s", scratch, base->inputs[base->damaged].path);
  unlink(path);
  harness_write_file(path, bytes, size);
  harness_run(&(harness_command){.argv = argv, .directory = scratch, .seconds = 10}, &outcome);
  harness_path(path, "%s/out.cubin", scratch);
  bool same = harness_read_file(path, &image) && outcome.code == 0 && image.size == result->image_size &&
              memcmp(image.data, result->image, image.size) == 0;
  free(image.data);
  harness_free_outcome(&outcome);
  harness_remove_tree(scratch);
  shared->compared++;
  return same;
}

/* A change that no rule reads: the output is nvlink's with that one byte changed, or unchanged where the section has gone. */
static bool damage_check_unread(const damage_base *base, const tl_result *result, size_t where, uint8_t now,
                                size_t at) {
  uint16_t section = base->contents[where];
  uint8_t old = base->files[base->damaged].data[where];
  size_t different = 0, last = 0;
  shared->unread++;
  if (result->exit_code != 0)
    return damage_fail("a change in contents that no rule reads is refused", base->job, at);
  if (result->image_size != base->image.size)
    return damage_fail("a change in contents changes the output's size", base->job, at);
  for (size_t i = 0; i < result->image_size; i++) {
    if (result->image[i] != base->image.data[i]) {
      different++;
      last = i;
    }
  }
  if (different > 1)
    return damage_fail("a change of one unread byte changes several bytes", base->job, at);
  if (different == 1 && (base->image.data[last] != old || result->image[last] != now))
    return damage_fail("another byte than the changed one differs", base->job, at);
  if (section < SECTION_LIMIT)
    (different ? shared->moved : shared->vanished)[section] = 1;
  return true;
}

static bool damage_change(const damage_base *base, size_t at) {
  size_t size = base->files[base->damaged].size;
  uint64_t random = damage_random(base->seed, at);
  size_t where = random % size;
  uint8_t *bytes = damage_copy(base->files[base->damaged].data, size);
  bytes[where] ^= (uint8_t)(1 + (random >> 32) % 255);
  bool unread = base->contents[where] != CONTENTS_NONE, good = true;
  for (int mode = 0; mode < 2 && good; mode++) {
    tl_result result;
    damage_link(base, bytes, size, mode == 1, &result);
    good = damage_check_result(base, &result, at);
    if (good && unread && mode == 1)
      good = damage_check_unread(base, &result, where, bytes[where], at);
    if (good && unread && mode == 1 && shared->unread % 4 == 0 && harness_find_nvlink() &&
        !damage_compare_live(base, bytes, size, &result))
      good = damage_fail("nvlink's answer for this damage is another", base->job, at);
    tl_result_free(&result);
    good = damage_check_leak(base, at) && good;
  }
  free(bytes);
  return good;
}

/* Runs cases from..count in a child; returns the case at which it died, or `count`. */
static size_t damage_run_child(const damage_base *base, damage_step step, size_t from, size_t count) {
  int status = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0)
    harness_stop("no process");
  if (child == 0) {
    for (size_t at = from; at < count; at++) {
      shared->at = at;
      alarm(SECONDS_A_LINK);
      step(base, at);
    }
    _exit(0);
  }
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return count;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    damage_fail("no end after ten seconds", base->job, shared->at);
  else
    damage_fail("a crash or a sanitizer's report", base->job, shared->at);
  return shared->at;
}

static void damage_run(const damage_base *base, damage_step step, size_t count) {
  memset(shared, 0, sizeof *shared);
  for (size_t from = 0; from < count && shared->wrong < FAILURES_SHOWN;)
    from = damage_run_child(base, step, from, count) + 1;
  print_message(
      "%s, input %zu (%zu bytes): %zu cases, %zu links made, %zu refused, %zu changes in unread contents, %zu "
      "of them compared with nvlink, %zu wrong\n",
      base->job, base->damaged, base->files[base->damaged].size, count, shared->linked, shared->refused, shared->unread,
      shared->compared, shared->wrong);
  assert_int_equal(shared->wrong, 0);
}

/* The job's words: -arch=ARCH -o out.cubin FILE...; a job with other options is not for this test. */
static void damage_take_words(damage_base *base, const char *inputs) {
  for (size_t i = 0; i < base->words.count; i++) {
    const char *word = base->words.items[i];
    char path[HARNESS_PATH];
    if (strncmp(word, "-arch=", 6) == 0) {
      snprintf(base->arch, sizeof base->arch, "%s", word + 6);
      snprintf(base->note, sizeof base->note, "-arch %s ", word + 6);
    } else if (strcmp(word, "-o") == 0) {
      i++;
    } else if (*word == '-' || base->count == INPUT_LIMIT) {
      harness_stop("%s has an option that the damage test does not know: %s", base->job, word);
    } else {
      harness_path(path, "%s/%s", inputs, word);
      if (!harness_read_file(path, &base->files[base->count]))
        harness_stop("cannot read %s", path);
      base->inputs[base->count] =
          (tl_input){.path = word, .data = base->files[base->count].data, .size = base->files[base->count].size};
      base->count++;
    }
  }
}

static int damage_open(void **state) {
  damage_base *base = *state;
  char path[HARNESS_PATH];
  harness_path(path, "%s/cuda/%s/args", corpus, base->job);
  harness_read_lines(path, &base->words);
  harness_path(path, "%s/cuda/%s/expect.cubin", corpus, base->job);
  if (!harness_read_file(path, &base->image))
    harness_stop("cannot read %s", path);
  harness_path(base->inputs_directory, "%s/cuda/%s", corpus, base->job);
  *strrchr(base->inputs_directory, '/') = 0;
  damage_take_words(base, base->inputs_directory);
  base->contents = contents_map(base->files[base->damaged].data, base->files[base->damaged].size);
  return 0;
}

static int damage_close(void **state) {
  damage_base *base = *state;
  for (size_t i = 0; i < base->count; i++)
    free(base->files[i].data);
  free(base->image.data);
  free(base->contents);
  harness_free_words(&base->words);
  base->count = 0;
  return 0;
}

/* Undamaged, in process, the stored answer comes out: the ground on which the rest stands. */
static void damage_test_undamaged(void **state) {
  const damage_base *base = *state;
  tl_result result;
  blocks_held = 0;
  damage_link(base, base->files[base->damaged].data, base->files[base->damaged].size, true, &result);
  assert_int_equal(result.exit_code, 0);
  assert_int_equal(result.image_size, base->image.size);
  assert_memory_equal(result.image, base->image.data, base->image.size);
  tl_result_free(&result);
  assert_int_equal(blocks_held, 0);
}

static void damage_test_truncation(void **state) {
  const damage_base *base = *state;
  damage_run(base, damage_truncate, base->files[base->damaged].size);
}

static void damage_test_changes(void **state) {
  const damage_base *base = *state;
  print_message("%s: seed 0x%016llx\n", base->job, (unsigned long long)base->seed);
  damage_run(base, damage_change, CHANGES);
  for (size_t i = 0; i < SECTION_LIMIT; i++)
    if (shared->moved[i] && shared->vanished[i])
      fail_msg("%s: some changes of section %zu reach the output and some do not", base->job, i);
  assert_true(shared->unread > CHANGES / 20);
}

/* The comparison with nvlink is part of the changes above; here it counts as a check, or as a skipped one. */
static void damage_test_nvlink(void **state) {
  (void)state;
  if (!harness_find_nvlink())
    skip();
  assert_true(shared->compared > CHANGES / 100);
}

int main(int argc, char **argv) {
  static damage_base base;
  const bool truncation = argc == 4 && strcmp(argv[3], "truncation") == 0;
  if (argc != 3 && !truncation)
    harness_stop("usage: damage CORPUS PROGRAM/ARCH/JOB:INPUT [truncation]");
  corpus = argv[1];
  char *colon = strchr(argv[2], ':');
  if (colon)
    *colon = 0;
  base = (damage_base){.job = argv[2], .seed = 0x7477696e6c696e6b};
  base.damaged = colon ? (size_t)strtoul(colon + 1, NULL, 10) : 0;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    harness_stop("no shared memory");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate_setup_teardown(damage_test_undamaged, damage_open, damage_close, &base),
      cmocka_unit_test_prestate_setup_teardown(damage_test_truncation, damage_open, damage_close, &base),
      cmocka_unit_test_prestate_setup_teardown(damage_test_changes, damage_open, damage_close, &base),
      cmocka_unit_test(damage_test_nvlink),
  };
  if (truncation) {
    const struct CMUnitTest short_tests[] = {
        cmocka_unit_test_prestate_setup_teardown(damage_test_undamaged, damage_open, damage_close, &base),
        cmocka_unit_test_prestate_setup_teardown(damage_test_truncation, damage_open, damage_close, &base),
    };
    return cmocka_run_group_tests_name("truncation", short_tests, NULL, NULL) != 0;
  }
  return cmocka_run_group_tests_name("damage", tests, NULL, NULL) != 0;
}
