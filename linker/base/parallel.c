/* Threads of base/parallel.h: each takes the next index until none is left; the caller is one of them. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PARALLEL_MOST = 64 };

typedef struct parallel_work {
  void (*task)(void *context, size_t index);
  void *context;
  size_t count;
  atomic_size_t next;
} parallel_work;

static void *parallel_run(void *argument) {
  parallel_work *const work = argument;
  for (;;) {
    const size_t index = atomic_fetch_add(&work->next, 1);
    if (index >= work->count)
      return NULL;
    work->task(work->context, index);
  }
}

static unsigned parallel_helpers(unsigned threads, size_t count) {
  const long processors = threads ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);
  const size_t wanted = processors > 1 ? (size_t)processors : 1;
  const size_t useful = wanted < count ? wanted : count;
  return useful > PARALLEL_MOST ? PARALLEL_MOST - 1 : useful ? (unsigned)useful - 1 : 0;
}

void tl_parallel_for(unsigned threads, size_t count, void (*task)(void *context, size_t index), void *context) {
  parallel_work work = {.task = task, .context = context, .count = count};
  atomic_init(&work.next, 0);
  pthread_t helpers[PARALLEL_MOST];
  unsigned started = 0;
  const unsigned wanted = parallel_helpers(threads, count);
  while (started < wanted && pthread_create(&helpers[started], NULL, parallel_run, &work) == 0)
    started++;
  parallel_run(&work);
  while (started)
    pthread_join(helpers[--started], NULL);
}
