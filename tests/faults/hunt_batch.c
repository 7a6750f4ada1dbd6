/* Many runs of one program in one process. A process a run costs fifteen times what a small link costs, so the answers
 * that are expected are compared by a child that goes on from input to input, and stops at the first other answer. That
 * input is then run in a process of its own (hunt_run), which alone counts: what an earlier run left behind, or a crash,
 * ends the child and nothing else. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/faults/hunt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH_WALL = 60 }; /* seconds without a finished run */

/* Shared with the child: how far it is, and what it found when it records. */
typedef struct batch_progress {
  volatile size_t next;
  volatile bool stopped; /* at `next`, with another answer */
} batch_progress;

/* The processor's time of one run; 0 ends the count. */
static void batch_set_timer(unsigned seconds) {
  const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &timer, NULL);
}

static void batch_run_task(const hunt_runner *runner, const hunt_task *task, const int streams[2],
                           hunt_answer *answer) {
  if (chdir(task->input->directory) != 0)
    _exit(126);
  batch_set_timer(runner->seconds);
  const int code = hunt_run_main(runner, task->input, task->mode);
  fflush(NULL);
  batch_set_timer(0);
  *answer = (hunt_answer){.code = code & 0xff};
  hunt_run_collect(runner, task->input, streams, answer);
  for (int i = 0; i < 2; i++)
    if (lseek(streams[i], 0, SEEK_SET) != 0 || ftruncate(streams[i], 0) != 0)
      _exit(126);
}

static _Noreturn void batch_child(const hunt_runner *runner, hunt_task *tasks, size_t from, size_t count, bool record,
                                  batch_progress *progress) {
  int streams[2];
  hunt_run_open_streams(streams);
  hunt_run_enter(streams);
  for (size_t i = from; i < count; i++) {
    hunt_answer answer;
    progress->next = i;
    batch_run_task(runner, &tasks[i], streams, &answer);
    hunt_answer_free(&answer);
    if (record) {
      hunt_task_answer(&tasks[i], &answer);
    } else if (answer.low != tasks[i].low || answer.high != tasks[i].high) {
      progress->stopped = true;
      _exit(0);
    }
  }
  progress->next = count;
  _exit(0);
}

/* Waits for the child; one that makes no progress is killed. */
static void batch_wait(pid_t child, const batch_progress *progress) {
  const struct timespec step = {.tv_nsec = 2000000};
  size_t seen = progress->next;
  time_t since = time(NULL);
  while (waitpid(child, NULL, WNOHANG) == 0) {
    nanosleep(&step, NULL);
    if (progress->next != seen) {
      seen = progress->next;
      since = time(NULL);
    } else if (time(NULL) - since > BATCH_WALL) {
      kill(child, SIGKILL);
    }
  }
}

static void *batch_share(size_t size) {
  void *const memory = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    harness_stop("no memory: %s", strerror(errno));
  return memory;
}

/* The number of the task at which the child ended, or `count`. */
static size_t batch_run(const hunt_runner *runner, hunt_task *tasks, size_t from, size_t count, bool record) {
  batch_progress *const progress = batch_share(sizeof *progress);
  progress->next = from;
  fflush(NULL); /* or the child would write it too */
  const pid_t child = fork();
  if (child < 0)
    harness_stop("no process: %s", strerror(errno));
  if (child == 0)
    batch_child(runner, tasks, from, count, record, progress);
  batch_wait(child, progress);
  const size_t next = progress->next;
  munmap(progress, sizeof *progress);
  return next;
}

size_t hunt_batch_compare(const hunt_runner *runner, hunt_task *tasks, size_t from, size_t count, hunt_answer *answer) {
  for (size_t i = from; (i = batch_run(runner, tasks, i, count, false)) < count; i++) {
    hunt_run(runner, tasks[i].input, tasks[i].mode, answer);
    if (answer->low != tasks[i].low || answer->high != tasks[i].high)
      return i;
    hunt_answer_free(answer);
  }
  return count;
}

void hunt_batch_record(const hunt_runner *runner, hunt_task *tasks, size_t count) {
  const size_t size = count * sizeof *tasks;
  hunt_task *const shared = batch_share(size);
  memcpy(shared, tasks, size);
  for (size_t i = 0; (i = batch_run(runner, shared, i, count, true)) < count; i++) {
    hunt_answer answer;
    hunt_run(runner, tasks[i].input, tasks[i].mode, &answer);
    hunt_task_answer(&shared[i], &answer);
    hunt_answer_free(&answer);
  }
  memcpy(tasks, shared, size);
  munmap(shared, size ? size : 1);
}

void hunt_task_answer(hunt_task *task, const hunt_answer *answer) {
  task->low = answer->low;
  task->high = answer->high;
  task->code = answer->code;
  task->made = answer->made;
}
