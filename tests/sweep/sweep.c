/* sweep CORPUS COUNT [SEED [PLANT]]: jobs of the corpus and programs of the fuzzers' generator, each changed at one to four places by
 * their mutator, linked by linker and reference in this process.
 *
 * For every input: nobody ends the process, no image stands beside an error, every block is given back, and neither the
 * number of threads nor what memory held before changes anything. Linker and reference are compared too. On damaged files
 * they are known to differ here and there (`./run fuzz`), so only the share of differences without a name (fuzz/known.c) is
 * bounded. COUNT inputs are made, the same ones for the same seed.
 *
 * PLANT is what is done wrong on purpose, to see that it is found (plants.sh): crash, hang, image, leak, threads, other. */
#define _DEFAULT_SOURCE /* sigaction, alarm */
#include "fuzz/answer.h"
#include "fuzz/generate.h"
#include "fuzz/mutate.h"
#include "fuzz/words.h"
#include "tests/harness/harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A job's bytes at most; differences without a name, percent; every so many inputs are linked twice; are generated; seconds
 * for one input, and where a hang is planted. */
enum {
  SWEEP_LARGEST = 48 << 10,
  SWEEP_UNNAMED = 16,
  SWEEP_TWICE = 5,
  SWEEP_GENERATED = 3,
  SWEEP_SECONDS = 120,
  SWEEP_SHORT = 2
};

typedef enum sweep_plant {
  PLANT_NONE,
  PLANT_CRASH,
  PLANT_HANG,
  PLANT_IMAGE,
  PLANT_LEAK,
  PLANT_THREADS,
  PLANT_OTHER,
  PLANT_COUNT
} sweep_plant;

typedef struct sweep_job {
  uint8_t *bytes; /* an envelope */
  size_t size;
} sweep_job;

typedef struct sweep_jobs {
  sweep_job *items;
  size_t count;
} sweep_jobs;

typedef struct sweep_sums {
  size_t linked, refused, broken, known, unnamed;
} sweep_sums;

/* --- jobs to envelopes --- */

static bool sweep_add_file(fuzz_envelope *envelope, const char *directory, const char *name) {
  char path[HARNESS_PATH];
  harness_bytes bytes;
  harness_path(path, "%s/%s", directory, name);
  if (!harness_read_file(path, &bytes))
    return false;
  const bool good = fuzz_envelope_add_file(envelope, name, bytes.data, bytes.size);
  free(bytes.data);
  return good;
}

/* False for a job that no envelope can hold: other words, other files, too large. */
static bool sweep_pack(const harness_job *job, fuzz_envelope *envelope) {
  char path[HARNESS_PATH];
  harness_words words;
  bool good = true;
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &words);
  for (size_t i = 0; i < words.count && good; i++) {
    const char *const word = words.items[i];
    if (strcmp(word, "-o") == 0)
      i++;
    else if (word[0] == '-')
      good = fuzz_word_is_known(word) && fuzz_envelope_add_word(envelope, word);
    else
      good = sweep_add_file(envelope, job->inputs, word);
  }
  harness_free_words(&words);
  return good && envelope->file_count && fuzz_envelope_size(envelope) <= SWEEP_LARGEST;
}

static void sweep_load(sweep_jobs *jobs, const char *corpus, const char *set) {
  harness_jobs all;
  harness_list_jobs(corpus, set, &all);
  jobs->items = harness_grow(jobs->items, (jobs->count + all.count + 1) * sizeof *jobs->items);
  for (size_t i = 0; i < all.count; i++) {
    fuzz_envelope envelope = {0};
    if (sweep_pack(&all.items[i], &envelope)) {
      sweep_job *const job = &jobs->items[jobs->count++];
      job->bytes = fuzz_envelope_write(&envelope, &job->size);
    }
    fuzz_envelope_free(&envelope);
  }
  harness_free_jobs(&all);
}

/* --- signals: which input it was --- */

static volatile uint64_t sweep_seed;

static void sweep_say_signal(int number) {
  static const char before[] = "FAILED: seed ", hang[] = ": no end\n", crash[] = ": a signal\n";
  char digits[24];
  size_t at = sizeof digits;
  for (uint64_t left = sweep_seed; at == sizeof digits || left; left /= 10)
    digits[--at] = (char)('0' + left % 10);
  const char *const what = number == SIGALRM ? hang : crash;
  const bool said = write(STDOUT_FILENO, before, sizeof before - 1) > 0 &&
                    write(STDOUT_FILENO, digits + at, sizeof digits - at) > 0 &&
                    write(STDOUT_FILENO, what, strlen(what)) > 0;
  (void)said;
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

/* A sanitizer's own answer to a signal says more, and stays. */
static void sweep_watch(void) {
  static const int numbers[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old;
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      (void)signal(numbers[i], sweep_say_signal);
  }
}

/* --- faults that are planted --- */

static sweep_plant sweep_plant_of(const char *word) {
  static const char *const words[PLANT_COUNT] = {"none", "crash", "hang", "image", "leak", "threads", "other"};
  for (int i = 0; i < PLANT_COUNT; i++)
    if (strcmp(words[i], word) == 0)
      return (sweep_plant)i;
  harness_stop("no plant '%s'", word);
}

/* In the place of a linker that does it: ends, does not end, leaves an image, or writes less. */
static void sweep_spoil(sweep_plant plant, fuzz_answer *answer) {
  if (plant == PLANT_CRASH)
    (void)raise(SIGSEGV);
  if (plant == PLANT_HANG)
    for (;;)
      (void)pause();
  if (plant == PLANT_IMAGE && answer->image)
    answer->code = 1;
  if (plant == PLANT_OTHER && answer->size)
    answer->size--;
}

/* --- one input --- */

static uint64_t sweep_next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* A program out of nothing, in bytes that the caller frees. */
static uint8_t *sweep_generate(uint64_t seed, size_t *size) {
  gen_random random = {seed};
  const built_choices choices = built_choices_random(&random);
  fuzz_envelope envelope = {0};
  fuzz_generate(&choices, &envelope);
  uint8_t *const bytes = fuzz_envelope_write(&envelope, size);
  fuzz_envelope_free(&envelope);
  return bytes;
}

static bool sweep_make(const sweep_jobs *jobs, uint64_t seed, fuzz_envelope *envelope) {
  uint64_t state = seed;
  const sweep_job *const job = &jobs->items[sweep_next(&state) % jobs->count];
  const sweep_job *const other = &jobs->items[sweep_next(&state) % jobs->count];
  size_t size = 0, made_size = 0;
  uint8_t *const made = seed % SWEEP_GENERATED == 0 ? sweep_generate(sweep_next(&state), &made_size) : NULL;
  uint8_t *const bytes = fuzz_mutate_bytes(made ? made : job->bytes, made ? made_size : job->size, other->bytes,
                                           other->size, sweep_next(&state), 4 * (size_t)SWEEP_LARGEST, &size);
  free(made);
  if (!bytes)
    return false;
  fuzz_envelope_of_input(envelope, bytes, size);
  free(bytes);
  return true;
}

static bool sweep_same_bytes(const void *a, size_t a_size, const void *b, size_t b_size) {
  return a_size == b_size && (a_size == 0 || (a && b && memcmp(a, b, a_size) == 0));
}

static bool sweep_same(const fuzz_answer *a, const fuzz_answer *b) {
  return a->none == b->none && a->code == b->code && sweep_same_bytes(a->image, a->size, b->image, b->size) &&
         sweep_same_bytes(a->text, a->text_size, b->text, b->text_size);
}

/* The linker once more on many threads and in memory that holds no zeros; what is wrong, or NULL. */
static const char *sweep_again(const fuzz_envelope *envelope, const fuzz_answer *first, sweep_plant plant) {
  fuzz_conditions conditions = {.threads = 3, .filled = true};
  fuzz_answer again;
  fuzz_link_linker_under(envelope, &conditions, &again);
  if (plant == PLANT_THREADS || plant == PLANT_OTHER)
    sweep_spoil(PLANT_OTHER, &again);
  conditions.held += plant == PLANT_LEAK;
  const bool same = sweep_same(first, &again);
  fuzz_answer_free(&again);
  return !same ? "threads or memory change the answer" : conditions.held ? "memory is not given back" : NULL;
}

static void sweep_compare(const fuzz_envelope *envelope, const fuzz_answer *linker, uint64_t seed, sweep_sums *sums) {
  fuzz_answer reference;
  char cause[FUZZ_CAUSE];
  fuzz_link_reference(envelope, &reference);
  fuzz_answers_compare(envelope, linker, &reference, cause);
  if (!reference.none && *cause) {
    const bool known = fuzz_cause_known(cause) != NULL;
    sums->known += known;
    sums->unnamed += !known;
    if (!known && getenv("TWIN_SWEEP_PRINT"))
      printf("%llu: %s\n", (unsigned long long)seed, cause);
  }
  fuzz_answer_free(&reference);
}

static void sweep_try(const sweep_jobs *jobs, uint64_t seed, sweep_plant plant, sweep_sums *sums) {
  fuzz_envelope envelope;
  fuzz_answer linker;
  sweep_seed = seed;
  (void)alarm(plant == PLANT_HANG ? SWEEP_SHORT : SWEEP_SECONDS);
  if (!sweep_make(jobs, seed, &envelope))
    return;
  fuzz_link_linker(&envelope, &linker);
  sweep_spoil(plant, &linker);
  if (!linker.none) {
    const char *wrong = linker.image && linker.code ? "an image beside an error" : NULL;
    if (!wrong && seed % SWEEP_TWICE == 0)
      wrong = sweep_again(&envelope, &linker, plant);
    sums->linked += linker.image != NULL;
    sums->refused += linker.image == NULL;
    sums->broken += wrong != NULL;
    if (wrong)
      printf("FAILED: seed %llu: %s\n", (unsigned long long)seed, wrong);
    sweep_compare(&envelope, &linker, seed, sums);
  }
  fuzz_answer_free(&linker);
  fuzz_envelope_free(&envelope);
}

int main(int argc, char **argv) {
  static const char *const sets[] = {"cuda", "vendor-defects", "messages", "synthetic"};
  sweep_jobs jobs = {0};
  sweep_sums sums = {0};
  if (argc < 3)
    harness_stop("sweep CORPUS COUNT [SEED [PLANT]]");
  const size_t count = strtoul(argv[2], NULL, 10);
  const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  const sweep_plant plant = argc > 4 ? sweep_plant_of(argv[4]) : PLANT_NONE;
  sweep_watch();
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    sweep_load(&jobs, argv[1], sets[i]);
  if (!jobs.count)
    harness_stop("no job of %s is small enough", argv[1]);
  for (size_t i = 0; i < count; i++)
    sweep_try(&jobs, first + i, plant, &sums);
  const size_t tried = sums.linked + sums.refused;
  const bool close = sums.unnamed * 100 <= tried * SWEEP_UNNAMED && tried > 0;
  printf(
      "%zu inputs from %zu jobs: %zu linked, %zu refused; reference: %zu differences with a name, %zu without (%.2f %%,"
      " at most %d)\n",
      tried, jobs.count, sums.linked, sums.refused, sums.known, sums.unnamed,
      tried ? 100.0 * (double)sums.unnamed / (double)tried : 0, SWEEP_UNNAMED);
  printf("%zu passed, %zu failed, 0 skipped\n", tried - sums.broken, sums.broken + !close);
  for (size_t i = 0; i < jobs.count; i++)
    free(jobs.items[i].bytes);
  free(jobs.items);
  return sums.broken || !close;
}
