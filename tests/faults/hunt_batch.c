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

/* Shared with the child: how far it is. */
typedef struct batch_progress {
  volatile size_t next;
} batch_progress;

/* The processor's time of one run; 0 ends the count. */
static void batch_set_timer(unsigned seconds) {
  const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &timer, NULL);
}

static void batch_run_task(const hunt_runner *runner, const hunt_task *task, uint64_t *reached, const int streams[2],
                           hunt_answer *answer) {
  if (chdir(task->input->directory) != 0)
    _exit(126);
  batch_set_timer(runner->seconds);
  hunt_reach_begin(reached);
  const int code = hunt_run_main(runner, task->input, task->mode);
  hunt_reach_begin(NULL);
  fflush(NULL);
  batch_set_timer(0);
  *answer = (hunt_answer){.code = code & 0xff};
  hunt_run_collect(runner, task->input, streams, answer);
  for (int i = 0; i < 2; i++)
    if (lseek(streams[i], 0, SEEK_SET) != 0 || ftruncate(streams[i], 0) != 0)
      _exit(126);
}

/* What a child is to do with the tasks from..count: compare them, or record the answers and their parts. */
typedef struct batch_job {
  const hunt_runner *runner;
  hunt_task *tasks; /* shared with the child when it records */
  size_t from, count;
  int number; /* the fault; comparing, only tasks that reach it are run */
  bool record;
  int parts; /* a file: of each task its number, how many parts, the parts; -1: none */
} batch_job;

static void batch_write_parts(const batch_job *job, size_t task, const hunt_answer *answer) {
  const uint64_t head[2] = {task, answer->part_count};
  const size_t size = answer->part_count * sizeof *answer->parts;
  if (write(job->parts, head, sizeof head) != (ssize_t)sizeof head ||
      (size && write(job->parts, answer->parts, size) != (ssize_t)size))
    _exit(126);
}

static _Noreturn void batch_child(const batch_job *job, batch_progress *progress) {
  int streams[2];
  hunt_run_open_streams(streams);
  hunt_run_enter(streams);
  for (size_t i = job->from; i < job->count; i++) {
    hunt_task *const task = &job->tasks[i];
    hunt_answer answer;
    if (!job->record && !hunt_reaches(task, job->number))
      continue;
    progress->next = i;
    batch_run_task(job->runner, task, job->record ? task->reached : NULL, streams, &answer);
    if (job->parts >= 0)
      batch_write_parts(job, i, &answer);
    hunt_answer_free(&answer);
    if (job->record) {
      hunt_task_answer(task, &answer);
    } else if (answer.low != task->low || answer.high != task->high) {
      _exit(0); /* at `next`, with another answer */
    }
  }
  progress->next = job->count;
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
static size_t batch_run(const batch_job *job) {
  batch_progress *const progress = batch_share(sizeof *progress);
  progress->next = job->from;
  fflush(NULL); /* or the child would write it too */
  const pid_t child = fork();
  if (child < 0)
    harness_stop("no process: %s", strerror(errno));
  if (child == 0)
    batch_child(job, progress);
  batch_wait(child, progress);
  const size_t next = progress->next;
  munmap(progress, sizeof *progress);
  return next;
}

size_t hunt_batch_compare(const hunt_runner *runner, int number, hunt_task *tasks, size_t from, size_t count,
                          hunt_answer *answer) {
  batch_job job = {.runner = runner, .tasks = tasks, .from = from, .count = count, .number = number, .parts = -1};
  for (; (job.from = batch_run(&job)) < count; job.from++) {
    const hunt_task *const task = &tasks[job.from];
    hunt_run(runner, task->input, task->mode, answer);
    if (answer->low != task->low || answer->high != task->high)
      return job.from;
    hunt_answer_free(answer);
  }
  return count;
}

/* The parts that a child has written before it ended. */
static void batch_read_parts(int file, hunt_answer *answers) {
  uint64_t head[2];
  if (lseek(file, 0, SEEK_SET) != 0)
    harness_stop("cannot read what a program left: %s", strerror(errno));
  while (read(file, head, sizeof head) == (ssize_t)sizeof head) {
    const size_t size = (size_t)head[1] * sizeof(uint64_t);
    uint64_t *const parts = harness_grow(NULL, size ? size : 1);
    if (read(file, parts, size) != (ssize_t)size) {
      free(parts);
      return;
    }
    free(answers[head[0]].parts);
    answers[head[0]].parts = parts;
    answers[head[0]].part_count = (size_t)head[1];
  }
}

void hunt_batch_record(const hunt_runner *runner, hunt_task *tasks, size_t count, hunt_answer *answers) {
  const size_t size = count * sizeof *tasks;
  batch_job job = {.runner = runner, .tasks = batch_share(size), .count = count, .record = true, .parts = -1};
  memcpy(job.tasks, tasks, size);
  for (;; job.from++) {
    job.parts = answers ? memfd_create("parts", MFD_CLOEXEC) : -1;
    job.from = batch_run(&job);
    if (answers && job.parts >= 0) {
      batch_read_parts(job.parts, answers);
      close(job.parts);
    }
    if (job.from >= count)
      break;
    hunt_answer answer;
    hunt_run(runner, tasks[job.from].input, tasks[job.from].mode, &answer);
    hunt_task_answer(&job.tasks[job.from], &answer);
    if (!answers) {
      hunt_answer_free(&answer);
      continue;
    }
    hunt_answer_free(&answers[job.from]);
    answers[job.from] = answer;
  }
  memcpy(tasks, job.tasks, size);
  munmap(job.tasks, size ? size : 1);
}

void hunt_task_answer(hunt_task *task, const hunt_answer *answer) {
  task->low = answer->low;
  task->high = answer->high;
  task->code = answer->code;
  task->made = answer->made;
}
