/* What the generator and the mutator are worth, in figures (`./run fuzz --measure`): sizes and outcomes of generated
 * inputs; by kind of change, how many inputs still reach a late stage of the linker and how many change the outcome; links
 * a second of both linkers, and of the linker alone.
 *
 * Stages are counted at the functions that begin them: the linker's own object calls them through the wrapper of ld's
 * --wrap here (CMakeLists.txt), so that nothing in it is made for this. */
#include "fuzz/answer.h"
#include "fuzz/generate.h"
#include "fuzz/mutate.h"
#include "fuzz/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef enum measure_stage {
  STAGE_READ,
  STAGE_MERGED,
  STAGE_LAID_OUT,
  STAGE_RELOCATED,
  STAGE_EMITTED,
  STAGES
} measure_stage;

static const char *const stage_names[STAGES] = {"read", "merged", "laid out", "relocated", "emitted"};
static bool stage_reached[STAGES];

/* The functions that begin a stage, with what they are called with passed on: all take and return pointers or numbers
 * that fit the registers of a call. */
#define STAGE_FUNCTION(stage, name)                                                                                    \
  void __real_##name(void *a, void *b, void *c, void *d, void *e, void *f);                                            \
  void __wrap_##name(void *a, void *b, void *c, void *d, void *e, void *f);                                            \
  void __wrap_##name(void *a, void *b, void *c, void *d, void *e, void *f) {                                           \
    stage_reached[stage] = true;                                                                                       \
    __real_##name(a, b, c, d, e, f);                                                                                   \
  }
STAGE_FUNCTION(STAGE_READ, tl_link_build)
STAGE_FUNCTION(STAGE_MERGED, tl_merge_finish)
STAGE_FUNCTION(STAGE_LAID_OUT, tl_resources_find)
STAGE_FUNCTION(STAGE_RELOCATED, tl_relocate_run)
STAGE_FUNCTION(STAGE_EMITTED, tl_link_emit)

/* The figures of one kind of change, or of all. */
typedef struct measure_row {
  size_t tried, reached[STAGES], changed, linked;
} measure_row;

static uint64_t measure_hash(const void *bytes, size_t size, uint64_t hash) {
  const uint8_t *const at = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}

/* Exit code, messages and the image. */
static uint64_t measure_outcome(const fuzz_envelope *envelope, bool *linked) {
  fuzz_answer answer;
  memset(stage_reached, 0, sizeof stage_reached);
  fuzz_link_linker(envelope, &answer);
  uint64_t hash = measure_hash(&answer.code, sizeof answer.code, 0xcbf29ce484222325u);
  hash = measure_hash(answer.text, answer.text_size, hash);
  hash = measure_hash(answer.image, answer.size, hash);
  *linked = answer.image != NULL;
  fuzz_answer_free(&answer);
  return hash;
}

static void measure_generate(uint64_t seed, fuzz_envelope *envelope) {
  gen_random random = {seed};
  const built_choices choices = built_choices_random(&random);
  fuzz_generate(&choices, envelope);
}

static int measure_compare_sizes(const void *a, const void *b) {
  const size_t left = *(const size_t *)a, right = *(const size_t *)b;
  return (left > right) - (left < right);
}

static double measure_clock(clockid_t clock) {
  struct timespec now;
  (void)clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The process's own time, without the system's: what others do on the machine counts least there. */
static double measure_user(void) {
  struct rusage usage;
  (void)getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
}

static void measure_add(measure_row *row, bool changed, bool linked) {
  row->tried++;
  row->changed += changed;
  row->linked += linked;
  for (size_t i = 0; i < STAGES; i++)
    row->reached[i] += stage_reached[i];
}

static void measure_print_row(const char *name, const measure_row *row) {
  if (!row->tried)
    return;
  const double all = (double)row->tried / 100;
  printf("%-22s %7zu %7.1f %7.1f %7.1f %7.1f %7.1f\n", name, row->tried, (double)row->reached[STAGE_MERGED] / all,
         (double)row->reached[STAGE_LAID_OUT] / all, (double)row->reached[STAGE_RELOCATED] / all,
         (double)row->linked / all, (double)row->changed / all);
}

static void measure_generated(size_t count, uint64_t seed) {
  size_t *const sizes = fuzz_memory(count * sizeof *sizes);
  measure_row row = {0};
  for (size_t i = 0; i < count; i++) {
    fuzz_envelope envelope;
    bool linked = false;
    measure_generate(seed + i, &envelope);
    sizes[i] = fuzz_envelope_size(&envelope);
    (void)measure_outcome(&envelope, &linked);
    measure_add(&row, true, linked);
    fuzz_envelope_free(&envelope);
  }
  qsort(sizes, count, sizeof *sizes, measure_compare_sizes);
  printf("generated inputs: %zu, seed %llu; bytes: median %zu, 90 %% below %zu\n", count, (unsigned long long)seed,
         sizes[count / 2], sizes[count * 9 / 10]);
  for (size_t i = 0; i < STAGES; i++)
    printf("  %-10s %5.1f %%\n", stage_names[i], 100.0 * (double)row.reached[i] / (double)count);
  printf("  %-10s %5.1f %%\n", "linked", 100.0 * (double)row.linked / (double)count);
  free(sizes);
}

/* One change to a generated input that links, as those of a corpus do: of a kind, or (fuzz_kind_count()) of one that the
 * mutator draws by its own weights. Which it was; the count of kinds and one where there was none. */
static size_t measure_change(const built_choices *choices, uint64_t seed, uint64_t beside, size_t kind, bool *changed,
                             bool *linked) {
  const size_t kinds = fuzz_kind_count();
  fuzz_envelope envelope, other;
  measure_generate(seed, &envelope);
  const uint64_t before = measure_outcome(&envelope, linked);
  if (!*linked) {
    fuzz_envelope_free(&envelope);
    return kinds + 1;
  }
  measure_generate(beside, &other);
  const fuzz_envelope *const from = seed % 2 ? &other : NULL;
  if (kind == kinds)
    kind = fuzz_mutate(choices, &envelope, from);
  else if (!fuzz_mutate_as(kind, choices, &envelope, from))
    kind = kinds + 1;
  if (kind <= kinds)
    *changed = measure_outcome(&envelope, linked) != before;
  fuzz_envelope_free(&envelope);
  fuzz_envelope_free(&other);
  return kind;
}

static void measure_print_head(void) {
  printf("%-22s %7s %7s %7s %7s %7s %7s  (percent)\n", "change", "inputs", "merged", "laid", "reloc.", "linked",
         "outcome");
}

static measure_row *measure_rows_new(void) {
  measure_row *const rows = calloc(fuzz_kind_count() + 2, sizeof *rows);
  if (!rows)
    abort();
  return rows;
}

/* By the mutator's own weights. */
static void measure_mutated(size_t count, uint64_t seed) {
  const size_t kinds = fuzz_kind_count();
  measure_row *const rows = measure_rows_new();
  gen_random random = {seed ^ 0x6d757461746573u};
  const built_choices choices = built_choices_random(&random);
  for (size_t i = 0; i < count; i++) {
    bool changed = false, linked = false;
    const size_t kind = measure_change(&choices, seed + i, seed + i + count, kinds, &changed, &linked);
    if (kind > kinds)
      continue;
    measure_add(&rows[kind], changed, linked);
    measure_add(&rows[kinds + 1], changed, linked);
  }
  measure_print_head();
  for (size_t i = 0; i < kinds; i++)
    measure_print_row(fuzz_kind_name(i), &rows[i]);
  measure_print_row("all", &rows[kinds + 1]);
  free(rows);
}

/* What every kind is to be worth, in percent of what it changes: below that most of its inputs teach nothing. */
enum { LATE_ENOUGH = 70, CHANGED_ENOUGH = 40 };

static bool measure_is_enough(const measure_row *row) {
  return row->tried && 100 * row->reached[STAGE_RELOCATED] >= LATE_ENOUGH * row->tried &&
         100 * row->changed >= CHANGED_ENOUGH * row->tried;
}

/* Each kind as often as the others, or the one of a name alone, `count` times; false where one is worth too little. */
static bool measure_kinds(size_t count, uint64_t seed, const char *only) {
  enum { TRIES_EACH = 40 };
  const size_t kinds = fuzz_kind_count();
  measure_row *const rows = measure_rows_new();
  gen_random random = {seed ^ 0x6b696e6473u};
  const built_choices choices = built_choices_random(&random);
  size_t *const too_little = fuzz_memory(kinds * sizeof *too_little), poor = 0;
  measure_print_head();
  for (size_t kind = 0; kind < kinds; kind++) {
    if (only && strcmp(only, fuzz_kind_name(kind)) != 0)
      continue;
    for (size_t i = 0; i < TRIES_EACH * count && rows[kind].tried < count; i++) {
      bool changed = false, linked = false;
      if (measure_change(&choices, seed + i, seed + i + count, kind, &changed, &linked) == kind)
        measure_add(&rows[kind], changed, linked);
    }
    measure_print_row(fuzz_kind_name(kind), &rows[kind]);
    if (!measure_is_enough(&rows[kind]))
      too_little[poor++] = kind;
  }
  for (size_t i = 0; i < poor; i++)
    printf("too little: %s\n", fuzz_kind_name(too_little[i]));
  printf("%zu kinds of change: %zu reach relocation in less than %d %% or change the outcome in less than %d %%\n",
         kinds, poor, LATE_ENOUGH, CHANGED_ENOUGH);
  free(too_little);
  free(rows);
  return poor == 0;
}

/* The seeds of the inputs whose sizes lie about the median of a thousand. */
enum { SPEED_INPUTS = 64, SPEED_DRAWN = 1001 };

typedef struct speed_input {
  size_t size; /* first, for measure_compare_sizes */
  uint64_t seed;
} speed_input;

static void speed_choose(uint64_t seed, uint64_t chosen[SPEED_INPUTS]) {
  speed_input drawn[SPEED_DRAWN];
  for (size_t i = 0; i < SPEED_DRAWN; i++) {
    fuzz_envelope envelope;
    measure_generate(seed + i, &envelope);
    drawn[i] = (speed_input){fuzz_envelope_size(&envelope), seed + i};
    fuzz_envelope_free(&envelope);
  }
  qsort(drawn, SPEED_DRAWN, sizeof *drawn, measure_compare_sizes);
  for (size_t i = 0; i < SPEED_INPUTS; i++)
    chosen[i] = drawn[(SPEED_DRAWN - SPEED_INPUTS) / 2 + i].seed;
}

static void speed_link(const fuzz_envelope *input, bool both) {
  fuzz_answer answer;
  fuzz_link_linker(input, &answer);
  fuzz_answer_free(&answer);
  if (both) {
    fuzz_link_reference(input, &answer);
    fuzz_answer_free(&answer);
  }
}

/* Inputs of about the median size, linked again and again; once before the time counts, as a campaign begins once only. */
static void measure_speed(size_t count, uint64_t seed, bool both) {
  enum { INPUTS = SPEED_INPUTS };
  fuzz_envelope inputs[INPUTS];
  uint64_t seeds[INPUTS];
  size_t bytes = 0;
  speed_choose(seed, seeds);
  for (size_t i = 0; i < INPUTS; i++) {
    measure_generate(seeds[i], &inputs[i]);
    bytes += fuzz_envelope_size(&inputs[i]);
  }
  for (size_t i = 0; i < INPUTS; i++)
    speed_link(&inputs[i], both);
  const double begin = measure_user(), wall = measure_clock(CLOCK_MONOTONIC);
  for (size_t i = 0; i < count; i++)
    speed_link(&inputs[i % INPUTS], both);
  const double user = measure_user() - begin;
  printf(
      "%s: %.0f a second of user time (%.0f microseconds each), %.0f a second by the clock on the wall, inputs of %zu "
      "bytes on average\n",
      both ? "links by both linkers" : "links by the linker", (double)count / user, user * 1e6 / (double)count,
      (double)count / (measure_clock(CLOCK_MONOTONIC) - wall), bytes / INPUTS);
  for (size_t i = 0; i < INPUTS; i++)
    fuzz_envelope_free(&inputs[i]);
}

/* What an engine does with the counters of cells before and after each input: zeros, and a look for what is none. */
extern uint8_t measure_cells_begin[] __asm__("__start___libfuzzer_extra_counters");
extern uint8_t measure_cells_end[] __asm__("__stop___libfuzzer_extra_counters");

static void measure_cells(size_t count) {
  const size_t size = (size_t)(measure_cells_end - measure_cells_begin);
  size_t found = 0;
  const double begin = measure_clock(CLOCK_PROCESS_CPUTIME_ID);
  for (size_t i = 0; i < count; i++) {
    memset(measure_cells_begin, 0, size);
    measure_cells_begin[i * 61 % size] = 1;
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
      uint64_t word;
      memcpy(&word, measure_cells_begin + at, sizeof word);
      found += word != 0;
    }
  }
  printf("counters of cells: %zu, clearing and reading them %.1f microseconds an input (%zu seen)\n", size,
         (measure_clock(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1e6 / (double)count, found);
}

/* The same for the counts of inputs for rules (rules.h), where the linkers are instrumented. */
static void measure_rules(size_t count) {
  char path[512];
  const char *const place = getenv("TMPDIR");
  const int length = snprintf(path, sizeof path, "%s/fuzz-rules-XXXXXX", place ? place : "/tmp");
  const int file = length > 0 && (size_t)length < sizeof path ? mkstemp(path) : -1;
  const size_t counters = file < 0 ? 0 : fuzz_rules_start(path);
  if (file >= 0) {
    (void)close(file);
    (void)unlink(path);
  }
  if (!counters)
    return;
  const double begin = measure_clock(CLOCK_PROCESS_CPUTIME_ID);
  for (size_t i = 0; i < count; i++)
    fuzz_rules_add();
  printf("counters of the linkers' code: %zu, adding them up for the rules at most %.1f microseconds an input\n",
         counters, (measure_clock(CLOCK_PROCESS_CPUTIME_ID) - begin) * 1e6 / (double)count);
}

typedef struct measure_cause {
  char text[FUZZ_CAUSE];
  size_t count;
  uint64_t seed; /* of its first input */
} measure_cause;

static int measure_compare_causes(const void *a, const void *b) {
  const measure_cause *const left = a, *const right = b;
  return (left->count < right->count) - (left->count > right->count);
}

static bool measure_keep_file(const char *directory, uint64_t seed, const char *end, const void *bytes, size_t size) {
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s/differential-%llu%s", directory, (unsigned long long)seed, end);
  FILE *const file = length > 0 && (size_t)length < sizeof path ? fopen(path, "wb") : NULL;
  bool good = file && fwrite(bytes, 1, size, file) == size;
  if (file && fclose(file) != 0)
    good = false;
  return good;
}

/* An input and its cause, as a campaign keeps them. Who asked for the inputs has no use for a part of them. */
static void measure_keep(const char *directory, uint64_t seed, const fuzz_envelope *envelope, const char *cause) {
  char text[FUZZ_CAUSE + 16];
  size_t size = 0;
  uint8_t *const bytes = fuzz_envelope_write(envelope, &size);
  const int length = snprintf(text, sizeof text, "differential: %s\n", cause);
  if (!measure_keep_file(directory, seed, "", bytes, size) ||
      !measure_keep_file(directory, seed, ".cause", text, (size_t)length)) {
    (void)fprintf(stderr, "fuzz_measure: cannot write to '%s'\n", directory);
    exit(1);
  }
  free(bytes);
}

/* Where linker and reference differ on changed inputs, by cause; `known` ones are marked. The inputs of the others are
 * kept in the directory, if there is one: one cause's text may stand for several mechanisms, so all of them; or the
 * inputs that linker and reference take alike, for nvlink to say whether both are wrong. */
static void measure_causes(size_t count, uint64_t seed, const char *directory, bool alike) {
  enum { CAUSES = 1000 };
  measure_cause *const causes = calloc(CAUSES, sizeof *causes);
  size_t found = 0, different = 0;
  for (size_t i = 0; causes && i < count; i++) {
    fuzz_envelope envelope;
    fuzz_answer linker, reference;
    char cause[FUZZ_CAUSE] = "";
    gen_random random = {seed + i};
    const built_choices choices = built_choices_random(&random);
    measure_generate(seed + i, &envelope);
    (void)fuzz_mutate(&choices, &envelope, NULL);
    fuzz_link_linker(&envelope, &linker);
    fuzz_link_reference(&envelope, &reference);
    if (!linker.none)
      fuzz_answers_compare(&envelope, &linker, &reference, cause);
    if (alike && !linker.none && !*cause)
      measure_keep(directory, seed + i, &envelope, "alike");
    size_t at = 0;
    while (at < found && strcmp(causes[at].text, cause) != 0)
      at++;
    if (*cause && at < CAUSES) {
      different++;
      if (at == found) {
        (void)snprintf(causes[found].text, FUZZ_CAUSE, "%s", cause);
        causes[found++].seed = seed + i;
      }
      if (directory && !alike && !fuzz_cause_known(cause))
        measure_keep(directory, seed + i, &envelope, cause);
      causes[at].count++;
    }
    fuzz_answer_free(&linker);
    fuzz_answer_free(&reference);
    fuzz_envelope_free(&envelope);
  }
  if (!causes)
    abort();
  qsort(causes, found, sizeof *causes, measure_compare_causes);
  printf("differences of linker and reference: %zu of %zu changed inputs, %zu causes\n", different, count, found);
  for (size_t i = 0; i < found; i++)
    printf("%6zu %s %s (seed %llu)\n", causes[i].count, fuzz_cause_known(causes[i].text) ? "known" : "     ",
           causes[i].text, (unsigned long long)causes[i].seed);
  free(causes);
}

int main(int argc, char **argv) {
  const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;
  const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  const char *const what = argc > 1 ? argv[1] : "all";
  const bool all = strcmp(what, "all") == 0;
  const char *const directory = argc > 4 ? argv[4] : NULL;
  const bool alike = strcmp(what, "alike") == 0, kinds = strcmp(what, "kinds") == 0;
  if (argc > 5 || (directory && !alike && !kinds && strcmp(what, "causes") != 0) || (alike && !directory) ||
      (!all && !strstr("generated mutated kinds speed causes alike", what))) {
    (void)fprintf(stderr, "usage: fuzz_measure [all|generated|mutated|kinds|speed [COUNT [SEED]]]\n"
                          "       fuzz_measure kinds [COUNT [SEED [KIND]]]\n"
                          "       fuzz_measure causes|alike [COUNT [SEED [DIRECTORY]]]\n");
    return 2;
  }
  if (all || strcmp(what, "generated") == 0)
    measure_generated(count, seed);
  if (all || strcmp(what, "mutated") == 0)
    measure_mutated(count, seed);
  if (all || strcmp(what, "speed") == 0) {
    measure_speed(count, seed, false);
    measure_speed(count, seed, true);
    measure_cells(count);
    measure_rules(count);
  }
  if (alike || strcmp(what, "causes") == 0)
    measure_causes(count, seed, directory, alike);
  return !kinds || measure_kinds(count, seed, directory) ? 0 : 1;
}
