/* Damaged inputs through the linker in this program alone, for the sanitizers' presets: starting a program with a
 * sanitizer in it takes longer than the link. Children take many cases each; what a child is about stands in memory that
 * it shares with its parent, so that one that crashes, hangs or is ended by a sanitizer is the failure of one case, and
 * the next child goes on behind it. Leaks are looked for once, at a child's end. */
#define _DEFAULT_SOURCE
#include "damage.h"
#include "process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OURS_BATCH = 250, OURS_LEAK = 98, OURS_TROUBLE = 97 };

typedef struct ours_shared {
  uint64_t at; /* the case that the child has begun, from 0 */
  bool ended;  /* the child came to its end */
} ours_shared;

typedef struct ours_run {
  const damage_settings *settings;
  const damage_bases *bases;
  const bool *done;
  uint64_t first, count;
  const char *record, *directory;
  ours_shared *shared;
} ours_run;

/* Of the leak sanitizer, where it is linked in. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */

static void ours_write(const ours_run *run, uint64_t number, const damage_verdict *verdict, const damage_case *one) {
  char fields[3 * DAMAGE_NAME];
  text_buffer line = {0};
  FILE *const record = fopen(run->record, "ae");
  damage_case_print(one, &line);
  damage_case_fields(one, fields, sizeof fields);
  if (record) {
    damage_record_write(record, run->first + number, line.bytes, fields, verdict);
    fclose(record);
  }
  text_free(&line);
}

/* A child's life. */
static int ours_work(const ours_run *run, uint64_t from) {
  char inner[DAMAGE_PATH + 8];
  uint64_t taken = 0;
  snprintf(inner, sizeof inner, "%s/case", run->directory);
  for (uint64_t i = from; i < run->count && taken < OURS_BATCH; i++) {
    if (run->done[i])
      continue;
    damage_case one;
    damage_verdict verdict;
    run->shared->at = i;
    damage_case_make(&one, run->bases, run->first + i);
    if (!process_ensure_directory(inner) || !damage_compare(run->settings, &one, inner, &verdict))
      return OURS_TROUBLE;
    process_remove_tree(inner);
    ours_write(run, i, &verdict, &one);
    damage_case_free(&one);
    taken++;
  }
  run->shared->ended = true;
  return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check() ? OURS_LEAK : 0;
}

/* Waits for the child, and ends it when a case takes too long. Returns what it ended with, or NULL. */
static const char *ours_wait(const ours_run *run, pid_t child) {
  uint64_t at = UINT64_MAX;
  double begin = process_clock();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (at != run->shared->at || run->shared->ended) {
      at = run->shared->at;
      begin = process_clock();
    } else if (process_clock() - begin > 3 * run->settings->seconds) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "hang";
    }
    usleep(2000);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (code == OURS_LEAK)
    return "a leak, in this case or one of those before it";
  if (WIFSIGNALED(status))
    return "crash";
  return run->shared->ended ? NULL : "a sanitizer's report";
}

/* What a sanitizer said last goes to our standard error. */
static void ours_show(const ours_run *run) {
  char path[DAMAGE_PATH + 16];
  size_t size = 0;
  snprintf(path, sizeof path, "%s/case/messages", run->directory);
  char *const text = file_read(path, &size);
  if (text && strstr(text, "Sanitizer"))
    fprintf(stderr, "%s\n", text);
  free(text);
}

static void ours_fail(const ours_run *run, const char *what) {
  damage_case one;
  damage_verdict verdict = {.ours = DAMAGE_REFUSED, .usual = DAMAGE_REFUSED};
  snprintf(verdict.failure, sizeof verdict.failure, "%s", what);
  damage_case_make(&one, run->bases, run->first + run->shared->at);
  ours_show(run);
  ours_write(run, run->shared->at, &verdict, &one);
  damage_case_free(&one);
}

bool damage_run_ours(const damage_settings *settings, const damage_bases *bases, const bool *done, uint64_t first,
                     uint64_t count, const char *record) {
  char directory[DAMAGE_PATH];
  ours_shared *const shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || !process_make_directory(directory, sizeof directory, "twin-damage"))
    return false;
  const ours_run run = {settings, bases, done, first, count, record, directory, shared};
  bool good = true;
  for (uint64_t from = 0; from < count && good && !process_interrupted(); from = shared->at + 1) {
    *shared = (ours_shared){.at = from};
    while (from < count && done[from])
      shared->at = ++from;
    if (from == count)
      break;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
      _exit(ours_work(&run, from));
    const char *const failure = child < 0 ? NULL : ours_wait(&run, child);
    if (failure)
      ours_fail(&run, failure);
    good = child > 0;
  }
  process_remove_tree(directory);
  munmap(shared, sizeof *shared);
  return good;
}
