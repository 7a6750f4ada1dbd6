/* nvlink's answers, from a pool of its processes. Each worker has a directory of its own and links one cell at a time, with
 * limits on time, memory and the size of files, so that a cell on which nvlink crashes or hangs costs itself alone. */
#include "matrix.h"

#include "tests/harness/harness.h"
#include "tools/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORKERS_MAX = 32, SECONDS = 20, WORDS = FUZZ_WORDS + FUZZ_FILES + 4, POLL_NANOSECONDS = 200000 };
static const uint64_t memory_limit = (uint64_t)2 << 30, file_limit = (uint64_t)16 << 20,
                      read_limit = (uint64_t)32 << 20;

typedef struct worker {
  char directory[HARNESS_PATH];
  process_child child;
  fuzz_envelope envelope;
  size_t row;
  unsigned type;
  bool busy;
} worker;

/* The cells that are still to be asked, and what is known of those that were. */
typedef struct recorder {
  matrix_table *table;
  const matrix_choice *choice;
  const char *nvlink;
  size_t row, asked;
  unsigned type;
} recorder;

static bool recorder_next(recorder *r, size_t *row, unsigned *type) {
  for (; r->row < matrix_place_count(); r->row++, r->type = 0) {
    const matrix_place place = matrix_place_at(r->row);
    while (r->type < matrix_place_types(&place) && !matrix_place_asks(&place, r->type))
      r->type++;
    if (r->type < matrix_place_types(&place) && matrix_chosen(r->choice, r->row))
      break;
  }
  if (r->row == matrix_place_count())
    return false;
  *row = r->row;
  *type = r->type++;
  return true;
}

static void worker_begin(const recorder *r, worker *w) {
  const char *words[WORDS] = {r->nvlink};
  size_t count = 1;
  char path[HARNESS_PATH];
  const matrix_place place = matrix_place_at(w->row);
  matrix_cell_make(&place, w->type, &w->envelope);
  for (size_t i = 0; i < w->envelope.word_count; i++)
    words[count++] = w->envelope.words[i];
  words[count++] = "-o";
  words[count++] = "out.cubin";
  for (size_t i = 0; i < w->envelope.file_count; i++) {
    const fuzz_file *const file = &w->envelope.files[i];
    words[count++] = file->name;
    harness_path(path, "%s/%s", w->directory, file->name);
    harness_write_file(path, file->bytes, file->size);
  }
  harness_path(path, "%s/out.cubin", w->directory);
  (void)remove(path);
  const process_job job = {.arguments = words,
                           .directory = w->directory,
                           .error_path = "messages",
                           .temporary = w->directory,
                           .seconds = SECONDS,
                           .memory = memory_limit,
                           .file_size = file_limit};
  process_start(&job, &w->child);
  w->busy = true;
}

static void worker_take(recorder *r, worker *w) {
  char path[HARNESS_PATH];
  const matrix_place place = matrix_place_at(w->row);
  const process_result *const result = &w->child.result;
  if (!result->started)
    harness_stop("nvlink cannot be started");
  matrix_answer answer = {.code = result->exit_code, .signal = result->signal};
  answer.hung = result->timed_out || result->signal == SIGXFSZ || result->signal == SIGXCPU;
  harness_path(path, "%s/out.cubin", w->directory);
  uint8_t *const image = process_read_file(path, read_limit, &answer.size);
  harness_path(path, "%s/messages", w->directory);
  uint8_t *const text = process_read_file(path, read_limit, &answer.text_size);
  answer.image = image;
  answer.text = (const char *)text;
  r->table->rows[w->row][w->type] = matrix_answer_cell(&answer, &place, &w->envelope, r->table);
  free(image);
  free(text);
  fuzz_envelope_free(&w->envelope);
  w->busy = false;
  if (++r->asked % 1000 == 0)
    fprintf(stderr, "%zu cells\n", r->asked);
}

static void recorder_run(recorder *r, worker *workers, size_t count) {
  size_t busy = 0;
  bool more = true;
  do {
    bool moved = false;
    for (size_t i = 0; i < count; i++) {
      worker *const w = &workers[i];
      if (w->busy && process_ended(&w->child)) {
        worker_take(r, w);
        busy--;
        moved = true;
      }
      if (!w->busy && more && (more = recorder_next(r, &w->row, &w->type))) {
        worker_begin(r, w);
        busy++;
        moved = true;
      }
    }
    if (!moved)
      (void)nanosleep(&(struct timespec){.tv_nsec = POLL_NANOSECONDS}, NULL);
  } while (busy);
}

void matrix_record(matrix_table *table, const matrix_choice *choice, const char *nvlink) {
  static worker workers[WORKERS_MAX];
  const size_t count = choice->workers && choice->workers < WORKERS_MAX ? choice->workers : 2;
  recorder r = {.table = table, .choice = choice, .nvlink = nvlink};
  char scratch[HARNESS_PATH];
  harness_make_scratch(scratch);
  for (size_t i = 0; i < count; i++) {
    harness_path(workers[i].directory, "%s/%zu", scratch, i);
    harness_make_directories(workers[i].directory);
  }
  recorder_run(&r, workers, count);
  harness_remove_tree(scratch);
  printf("%zu cells recorded\n", r.asked);
}
