/* The directed engine's loop. It is told where a change lies, and makes inputs that go there:
 *
 *   fuzz_directed [--places FILE] [--ran FILE] [--found DIRECTORY] [--documents PATH]... [--time SECONDS] [--seed N] [--first] [--only] [SEEDS...]
 *   fuzz_directed --replay INPUT...
 *
 * --places FILE       the blocks of the changed files, and how near to the change they lie
 * --ran FILE          the blocks of those that ran in any link are listed there at the end
 * --found DIRECTORY   what shows that the change is wrong is kept there, the first input of each cause
 * --documents PATH    a text, or a directory of them, which has the words that messages may have
 * --time SECONDS      of processor time
 * --first             the first finding ends it
 * --only              the seeds and nothing else
 * SEEDS               files and directories of envelopes; without any it begins with the generator's stock
 *
 * The last line says what was done. The exit code is 1 when something was found; --replay says so of each input. */
#define _DEFAULT_SOURCE
#include "fuzz/directed.h"

#include "fuzz/generate.h"
#include "fuzz/generate_stock.h"
#include "fuzz/words.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DIRECTED_PATH = 4096, ENDED_MOST = 8 };

typedef struct directed_run {
  const char *places, *ran, *found;
  double seconds, spent; /* of processor time: there is, and processes before this one had */
  bool first, only, replay;
  unsigned ended; /* inputs in a row that ended the linker from before */
  gen_random random;
  unsigned long long inputs, reached, differing, findings;
} directed_run;

static double run_processor(const directed_run *run) {
  struct timespec now;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return run->spent + (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run_write(const directed_run *run, const char *name, uint64_t cause, const char *ending, const void *bytes,
                      size_t size) {
  char path[DIRECTED_PATH];
  (void)snprintf(path, sizeof path, "%s/%s-%016llx%s", run->found, name, (unsigned long long)cause, ending);
  FILE *const file = fopen(path, "wbx");
  if (!file)
    return; /* the cause is known */
  (void)fwrite(bytes, 1, size, file);
  (void)fclose(file);
}

static void run_found(directed_run *run, const directed_input *input, const directed_verdict *verdict) {
  char text[FUZZ_CAUSE + 40];
  const uint64_t cause = directed_hash(verdict->cause, strlen(verdict->cause), 0);
  run->findings++;
  if (!run->found)
    return;
  const int length = snprintf(text, sizeof text, "%.1f\t%s\n", run_processor(run), verdict->cause);
  run_write(run, "directed", cause, "", input->bytes, input->size);
  run_write(run, "directed", cause, ".cause", text, (size_t)length);
}

static void run_input(directed_run *run, const directed_input *input, bool seed) {
  fuzz_envelope envelope;
  directed_verdict verdict;
  fuzz_envelope_of_input(&envelope, input->bytes, input->size);
  directed_link(&envelope, &verdict);
  run->inputs++;
  run->reached += verdict.reach.level >= DIRECTED_BEFORE;
  run->differing += verdict.differs;
  directed_corpus_note(&run->random, input, &verdict, seed);
  if (*verdict.cause)
    run_found(run, input, &verdict);
  run->ended = verdict.ended_before ? run->ended + 1 : 0;
  if (run->ended == ENDED_MOST) /* what is broken is here */
    (void)raise(SIGKILL);
  if (verdict.ended_before && run->found)
    run_write(run, "before", (uint64_t)verdict.ended_before, "", input->bytes, input->size);
  if (run->replay)
    printf("%s\n", *verdict.cause ? verdict.cause : verdict.differs ? "another answer" : "the same answer");
  fuzz_envelope_free(&envelope);
}

static bool run_is_over(const directed_run *run) {
  return (run->first && run->findings) || run_processor(run) >= run->seconds;
}

static void run_file(directed_run *run, const char *path, size_t size) {
  directed_input input = {.bytes = fuzz_memory(size), .size = size};
  FILE *const file = fopen(path, "rb");
  if (file && fread(input.bytes, 1, size, file) == size)
    run_input(run, &input, true);
  if (file)
    (void)fclose(file);
  free(input.bytes);
}

static int run_compare(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void run_path(directed_run *run, const char *path) {
  struct stat status;
  struct dirent **entries = NULL;
  if (stat(path, &status) != 0 || run_is_over(run))
    return;
  if (!S_ISDIR(status.st_mode)) {
    run_file(run, path, (size_t)status.st_size);
    return;
  }
  const int count = scandir(path, &entries, NULL, run_compare);
  for (int i = 0; i < count; i++) {
    char inner[DIRECTED_PATH];
    (void)snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.')
      run_path(run, inner);
    free(entries[i]);
  }
  free(entries);
}

/* Returns how many words it took; 0: it is no option. */
static int run_option(directed_run *run, const char *word, const char *value) {
  if (strcmp(word, "--first") == 0 || strcmp(word, "--only") == 0 || strcmp(word, "--replay") == 0) {
    run->first = run->first || word[2] == 'f';
    run->only = run->only || word[2] != 'f';
    run->replay = run->replay || word[2] == 'r';
    return 1;
  }
  if (strncmp(word, "--", 2) != 0 || !value)
    return 0;
  if (strcmp(word, "--places") == 0)
    run->places = value;
  else if (strcmp(word, "--ran") == 0)
    run->ran = value;
  else if (strcmp(word, "--found") == 0)
    run->found = value;
  else if (strcmp(word, "--documents") == 0)
    directed_doubts_read(value);
  else if (strcmp(word, "--time") == 0)
    run->seconds = strtod(value, NULL);
  else if (strcmp(word, "--seed") == 0)
    run->random.state = strtoull(value, NULL, 10);
  else
    return 0;
  return 2;
}

static void run_stock_program(directed_run *run, const fuzz_capsule *program, const char *const words[2]) {
  fuzz_envelope envelope = {.file_count = 0};
  directed_input input = {.bytes = NULL};
  (void)fuzz_envelope_read(&envelope, program->bytes, program->size);
  for (size_t i = 0; i < 2; i++)
    if (words[i])
      (void)fuzz_envelope_add_word(&envelope, words[i]);
  input.bytes = fuzz_envelope_write(&envelope, &input.size);
  if (input.bytes)
    run_input(run, &input, true);
  free(input.bytes);
  fuzz_envelope_free(&envelope);
}

/* The generator's stock as it stands, in each mode: what undamaged programs show, and what comes near the change to begin with. */
static void run_stock(directed_run *run) {
  static const char *const modes[][2] = {{NULL, NULL},         {"-r", NULL},
                                         {"-g", NULL},         {"-preserve-relocs", NULL},
                                         {"--bug-compatible"}, {FUZZ_OWN_NAME, FUZZ_OWN_MAP}};
  for (size_t mode = 0; mode < sizeof modes / sizeof *modes; mode++)
    for (size_t i = 0; i < fuzz_stock_count && !run_is_over(run); i++)
      run_stock_program(run, fuzz_stock[i], modes[mode]);
}

static void run_choose(unsigned engine) {
  directed_places_choose(engine);
  directed_corpus_choose(engine);
}

static size_t run_kept(directed_level level, unsigned engines) {
  size_t count = 0;
  for (unsigned engine = engines; engine-- > 0;) {
    directed_corpus_choose(engine);
    count += directed_corpus_count(level);
  }
  return count;
}

static bool run_is_near(void) {
  bool near = false;
  for (unsigned engine = 0; engine < DIRECTED_ENGINES; engine++) {
    directed_corpus_choose(engine);
    near = near || directed_corpus_is_near();
  }
  return near;
}

/* An engine that has nothing which comes to the change, while another has, is given a part of a turn. */
static void run_turn(directed_run *run, unsigned engine) {
  enum { TURN = 200, FAR = 40 };
  const bool any = run_is_near();
  run_choose(engine);
  const unsigned turn = !any || directed_corpus_is_near() ? TURN : FAR;
  for (unsigned i = 0; i < turn && !run_is_over(run); i++) {
    directed_input input;
    directed_corpus_make(&run->random, &input);
    if (input.bytes)
      run_input(run, &input, false);
    free(input.bytes);
  }
}

static void run_all(directed_run *run, char *const *seeds) {
  const unsigned engines = DIRECTED_ENGINES;
  directed_links_start();
  if (!*seeds && !run->only)
    run_stock(run);
  for (; *seeds; seeds++)
    run_path(run, *seeds);
  for (unsigned engine = 0; !run->only && !run_is_over(run); engine = (engine + 1) % engines)
    run_turn(run, engine);
  if (run->ran)
    directed_places_write(run->ran);
  if (!run->replay)
    printf("%.1f s, %llu inputs, %llu reach the change, %llu answer otherwise, %llu findings; kept %zu that go on "
           "otherwise, "
           "%zu at the line, %zu before it, "
           "%zu in the function, %zu in the file\n",
           run_processor(run), run->inputs, run->reached, run->differing, run->findings,
           run_kept(DIRECTED_OTHERWISE, engines), run_kept(DIRECTED_LINE, engines), run_kept(DIRECTED_BEFORE, engines),
           run_kept(DIRECTED_FUNCTION, engines), run_kept(DIRECTED_FILE, engines));
}

/* A linker that writes where nothing is its own may end the engine some time later: in a process of its own, which is begun anew with
 * what is left of the time. Returns the exit code. */
static int run_guarded(directed_run *run, char *const *seeds) {
  for (;;) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
      run_all(run, seeds);
      (void)fflush(stdout);
      _exit(run->findings ? 1 : 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 2;
    if (WIFEXITED(status))
      return WEXITSTATUS(status);
    struct rusage used;
    (void)getrusage(RUSAGE_CHILDREN, &used);
    run->spent = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    run->random.state += run->random.state + 1;
    if (run->only || run->replay) /* it would be the same once more */
      return 2;
  }
}

int main(int argc, char **argv) {
  directed_run run = {.seconds = 60, .random = {1}};
  int at = 1, taken = 0;
  while (at < argc && (taken = run_option(&run, argv[at], at + 1 < argc ? argv[at + 1] : NULL)) > 0)
    at += taken;
  if (run.places && !directed_places_read(run.places)) {
    (void)fprintf(stderr, "fuzz_directed: no file %s\n", run.places);
    return 2;
  }
  return run_guarded(&run, argv + at);
}
