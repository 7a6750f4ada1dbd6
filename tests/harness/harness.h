/* What every test program needs of the system: files read whole, a scratch directory, a program run under limits with its
 * output captured, the place of nvlink, and the corpus's jobs.
 *
 * It knows nothing of cubins and links nothing of linker/ or oracle/. All functions stop the test program with a message
 * when the system itself fails (no memory, no scratch directory): a test that cannot run has not passed. */
#ifndef TWINLINK_TESTS_HARNESS_H
#define TWINLINK_TESTS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HARNESS_PATH 4096

typedef struct harness_bytes {
  uint8_t *data; /* always followed by one zero byte that does not count */
  size_t size;
} harness_bytes;

/* Prints "harness: ..." and ends the program with exit code 99. */
_Noreturn void harness_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* realloc that stops when there is no memory. */
void *harness_grow(void *block, size_t size);

/* Files. harness_read_file returns false when the file cannot be read; the others stop. */
bool harness_read_file(const char *path, harness_bytes *bytes);
void harness_write_file(const char *path, const void *data, size_t size);
bool harness_exists(const char *path);
void harness_make_directories(const char *path);
/* An empty directory of its own; harness_remove_tree takes it away with all that it holds. */
void harness_make_scratch(char path[HARNESS_PATH]);
void harness_remove_tree(const char *path);
/* snprintf into a path; stops when it does not fit. */
void harness_path(char path[HARNESS_PATH], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Running a program: standard input is empty, both outputs are captured. */
typedef struct harness_command {
  const char *const *argv; /* NULL at the end */
  const char *directory;   /* NULL: the current one */
  const char *environment; /* one NAME=value to add, or NULL */
  unsigned seconds;        /* time limit; 0 means 60 */
  uint64_t file_size;      /* RLIMIT_FSIZE; 0 means 1 GiB */
  unsigned user;           /* run as this user id when the tests run as root; 0: as they are */
} harness_command;

typedef struct harness_outcome {
  int code;   /* exit code, or -1 */
  int signal; /* signal that ended it, or 0 */
  bool timed_out;
  harness_bytes out, err;
} harness_outcome;

void harness_run(const harness_command *command, harness_outcome *outcome);
void harness_free_outcome(harness_outcome *outcome);

/* nvlink's path: on PATH, in $CUDA_HOME/bin, in /usr/local/cuda/bin; NULL when it is not there, or when
 * TWINLINK_NO_TOOLKIT is set. */
const char *harness_find_nvlink(void);

/* A job of the corpus: corpus/cuda/<program>/<arch>/<job>/{args,expect.cubin,expect.stderr,expect.rc}. */
typedef struct harness_job {
  char *name;      /* "program/arch/job" */
  char *directory; /* of the job */
  char *inputs;    /* the arch directory: where the cubins lie and the linker runs */
} harness_job;

typedef struct harness_jobs {
  harness_job *items;
  size_t count;
} harness_jobs;

typedef struct harness_words {
  char **items; /* items[count] is NULL */
  size_t count;
} harness_words;

/* All jobs under `corpus`/cuda, sorted by name. */
void harness_list_jobs(const char *corpus, const char *set, harness_jobs *jobs);
void harness_free_jobs(harness_jobs *jobs);
/* The lines of a text file, without their ends; stops when the file is missing. */
void harness_read_lines(const char *path, harness_words *words);
void harness_free_words(harness_words *words);
/* Appends the words to `line`, a blank in front of each, '' for an empty one. */
void harness_join_words(char line[HARNESS_PATH], const harness_words *words);
/* The number that a file such as expect.rc holds. */
int harness_read_number(const char *path);
/* Makes in `scratch` a symbolic link to every entry of `inputs` that is not a job directory, so that a linker finds its
 * relative paths there and writes nothing into the corpus. */
void harness_link_inputs(const char *inputs, const char *scratch);

#endif
