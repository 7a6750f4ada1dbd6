/* All faults of a draw in one fuzzer: the target `differential`, which puts each of its inputs to the linkers with a fault, too.
 * A fuzzer for each fault would make the same inputs over and over: a fault is one line, which guides an engine no
 * otherwise than the right line does, and a link without sanitizers costs a tenth of what an input costs. So the engine is
 * guided by the right linker and the reference, under sanitizers, and no fault has a part in it.
 *
 * A fault is found when its linker answers otherwise than the reference, or ends, where the right linker and the reference are
 * at one; fuzz.sh puts the input to it in a process of its own afterwards. The clock is one fault's: the processor
 * time of everything but the faulty links, and of those the mean of a fault. TWIN_BOARD names a directory: `NUMBER` is the
 * input that found a fault, `NUMBER.cause` says when and why, `clock` how much time is spent and how many inputs were made,
 * which a next run goes on with; TWIN_BOARD_EACH is the time that there is. */
#define _DEFAULT_SOURCE
#include "tests/faults/fuzz_board.h"
#include "fuzz/answer.h"
#include "fuzz/generate.h"
#include "fuzz/targets/target.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { BOARD_PATH = 4096, BOARD_ALIGN = 16, LONGEST = 5, CLOCK_EVERY = 256, MOST_PROGRAMS = 1024 };

static const size_t memory_size = (size_t)1 << 30, memory_kept = (size_t)16 << 20;
static uint8_t *memory_start;
static size_t memory_used;

static const char *board_directory;
static double board_each, board_before, board_faulty; /* time: there is, spent by runs before, of faulty links */
static unsigned long long board_inputs;
static bool board_found[MOST_PROGRAMS];
static size_t board_open; /* faults that are not found */
static sigjmp_buf board_out;

void *board_malloc(size_t size) {
  const size_t room = (size + BOARD_ALIGN - 1) / BOARD_ALIGN * BOARD_ALIGN;
  if (room < size || room > memory_size - memory_used)
    return NULL;
  void *const taken = memory_start + memory_used;
  memory_used += room;
  return taken;
}

void *board_memory(size_t size) {
  void *const taken = board_malloc(size);
  if (!taken)
    abort(); /* which ends the faulty link alone */
  return taken;
}

void board_free(void *memory) {
  (void)memory;
}

static void memory_reset(void) {
  if (memory_used > memory_kept)
    (void)madvise(memory_start, memory_used, MADV_DONTNEED);
  memory_used = 0;
}

static double board_processor(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One fault's time; `all` is the process's. */
static double board_clock(double all, double own) {
  return board_before + all - board_faulty + own;
}

static double board_own; /* of one faulty link a fault, summed up */

static void board_write(const char *name, const void *bytes, size_t size) {
  char path[BOARD_PATH];
  (void)snprintf(path, sizeof path, "%s/%s", board_directory, name);
  FILE *const file = fopen(path, "wb");
  if (!file)
    abort();
  (void)fwrite(bytes, 1, size, file);
  (void)fclose(file);
}

static void board_write_clock(double now) {
  char text[80];
  const int length = snprintf(text, sizeof text, "%.1f %llu\n", now, board_inputs);
  board_write("clock", text, (size_t)length);
}

static void board_say(size_t i, const char *cause, const uint8_t *bytes, size_t size) {
  char name[40], text[FUZZ_CAUSE + 40];
  (void)snprintf(name, sizeof name, "%u", board_programs[i].number);
  board_write(name, bytes, size);
  (void)snprintf(name, sizeof name, "%u.cause", board_programs[i].number);
  const int length = snprintf(text, sizeof text, "%.0f\t%s\n", board_clock(board_processor(), board_own), cause);
  board_write(name, text, (size_t)length);
  board_found[i] = true;
  board_open--;
}

/* Memory of their own, and which faults runs before have found. */
static void board_start(void) {
  char path[BOARD_PATH];
  const char *const each = getenv("TWIN_BOARD_EACH");
  board_directory = getenv("TWIN_BOARD");
  if (!board_directory || !each || board_program_count > MOST_PROGRAMS)
    abort();
  board_each = strtod(each, NULL);
  memory_start = mmap(NULL, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_start == MAP_FAILED)
    abort();
  (void)snprintf(path, sizeof path, "%s/clock", board_directory);
  FILE *const file = fopen(path, "rb");
  if (file) {
    if (fscanf(file, "%lf %llu", &board_before, &board_inputs) != 2)
      abort();
    (void)fclose(file);
  }
  for (size_t i = 0; i < board_program_count; i++) {
    (void)snprintf(path, sizeof path, "%s/%u.cause", board_directory, board_programs[i].number);
    board_found[i] = access(path, F_OK) == 0;
    board_open += !board_found[i];
  }
}

static void board_catch(int number) {
  siglongjmp(board_out, number);
}

enum { SIGNALS = 6 };
static const int board_signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};
static struct sigaction board_before_signals[SIGNALS];

/* What a faulty linker does wrong ends itself alone; a second number says how long all of them may take. */
static void board_take_signals(void) {
  struct sigaction catch = {.sa_handler = board_catch, .sa_flags = SA_NODEFER | SA_ONSTACK};
  const struct itimerval limit = {.it_value = {.tv_sec = LONGEST}};
  for (size_t i = 0; i < SIGNALS; i++)
    (void)sigaction(board_signals[i], &catch, &board_before_signals[i]);
  (void)setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static void board_give_signals(void) {
  const struct itimerval none = {.it_value = {.tv_sec = 0}};
  (void)setitimer(ITIMER_VIRTUAL, &none, NULL);
  for (size_t i = 0; i < SIGNALS; i++)
    (void)sigaction(board_signals[i], &board_before_signals[i], NULL);
}

static bool board_same(const fuzz_answer *a, const fuzz_answer *b) {
  return a->code == b->code && !a->image == !b->image && a->size == b->size && a->text_size == b->text_size &&
         (!a->image || memcmp(a->image, b->image, a->size) == 0) &&
         (!a->text_size || memcmp(a->text, b->text, a->text_size) == 0);
}

static void board_try(size_t i, const fuzz_envelope *envelope, const fuzz_answer *right, const fuzz_answer *reference,
                      char cause[FUZZ_CAUSE]) {
  static fuzz_answer answer; /* not changed by a jump */
  memory_reset();
  answer = (fuzz_answer){0};
  cause[0] = '\0';
  const int number = sigsetjmp(board_out, 0);
  if (number) {
    (void)snprintf(cause, FUZZ_CAUSE, "ended by signal %d", number);
    return;
  }
  board_programs[i].link(envelope, &answer);
  if (!answer.none && !board_same(&answer, right))
    fuzz_answers_compare(envelope, &answer, reference, cause);
  if (fuzz_cause_known(cause))
    cause[0] = '\0';
  if (answer.memory)
    answer.release(answer.memory);
}

static void board_try_all(const fuzz_envelope *envelope, const fuzz_answer *right, const fuzz_answer *reference,
                          const uint8_t *bytes, size_t size) {
  char cause[FUZZ_CAUSE];
  const double begin = board_processor();
  const size_t tried = board_open;
  board_take_signals();
  for (size_t i = 0; i < board_program_count; i++) {
    if (board_found[i])
      continue;
    board_try(i, envelope, right, reference, cause);
    if (*cause)
      board_say(i, cause, bytes, size);
  }
  board_give_signals();
  const double took = board_processor() - begin;
  board_faulty += took;
  board_own += tried ? took / (double)tried : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  fuzz_answer linker, reference;
  char cause[FUZZ_CAUSE];
  if (!board_directory)
    board_start();
  fuzz_envelope_of_input(&envelope, bytes, size);
  fuzz_link_linker(&envelope, &linker);
  if (!linker.none) {
    fuzz_link_reference(&envelope, &reference);
    fuzz_answers_compare(&envelope, &linker, &reference, cause);
    if (!reference.none && (!*cause || fuzz_cause_known(cause)))
      board_try_all(&envelope, &linker, &reference, bytes, size);
    fuzz_answer_free(&reference);
  }
  fuzz_answer_free(&linker);
  fuzz_envelope_free(&envelope);
  const double now = board_clock(board_processor(), board_own);
  if (++board_inputs % CLOCK_EVERY == 0 || now >= board_each || !board_open)
    board_write_clock(now);
  if (now >= board_each || !board_open)
    _exit(0);
  return 0;
}
