/* Running other programs: without a shell, in a given directory, with limits on time, memory and file size.
 *
 * Everything that twin does with a compiler or a linker goes through here, so that a black box that hangs, floods the
 * disk or crashes costs one result and not the run. Output streams go to files, never to pipes: a pipe's other end would
 * leak into the children that other threads start at the same moment. Safe in threads. */
#ifndef TWIN_PROCESS_H
#define TWIN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct process_job {
  const char *const *arguments; /* NULL at the end; [0] is looked up in PATH when it has no '/' */
  int (*call)(void *context);   /* instead of a program: this function, in a child of its own, until it returns the exit
                                   code; only where this process has no other threads */
  void *context;                /* of `call` */
  const char *directory;        /* NULL: this process's own */
  const char *output_path;      /* where stdout goes, relative to `directory`; NULL: /dev/null */
  const char *error_path;       /* where stderr goes; NULL: /dev/null */
  const char *temporary;        /* TMPDIR of the child; NULL: as it is */
  double seconds;               /* wall clock; 0: no limit */
  uint64_t memory;              /* bytes of address space; 0: no limit (sanitizers need that) */
  uint64_t file_size;           /* bytes of the largest file; 0: no limit */
} process_job;

typedef struct process_result {
  bool started, timed_out;
  int exit_code; /* 128 + the signal's number if a signal ended it, as a shell says it */
  int signal;
  double seconds;
  uint64_t memory; /* largest resident size, bytes */
} process_result;

/* Runs one program to its end. False if it could not be started; result->exit_code is then 127. Whatever the program
 * itself started is killed with it when the time is over. */
bool process_run(const process_job *job, process_result *result);

/* The same in two steps, for whoever runs several side by side: process_ended does not wait, ends what is over its time, and
 * is false as long as it runs. A child that could not be started has ended. */
typedef struct process_child {
  int pid;
  double begin, seconds; /* clock; limit */
  process_result result;
} process_child;

void process_start(const process_job *job, process_child *child);
bool process_ended(process_child *child);

/* Reads a whole file of at most `limit` bytes; the caller frees it. A 0 byte is put behind the end. NULL if it cannot. */
uint8_t *process_read_file(const char *path, size_t limit, size_t *size);
bool process_write_file(const char *path, const void *bytes, size_t size);

/* A fresh directory under $TMPDIR (or the system's), and its removal with everything in it (links are not followed). */
bool process_make_directory(char *path, size_t size, const char *prefix);
bool process_remove_tree(const char *path);
/* Makes a directory and those above it; true if it is there afterwards. */
bool process_ensure_directory(const char *path);

double process_clock(void);

/* Holds back SIGINT and SIGTERM (not for what process_run starts), so that a command can clean up: it asks
 * process_interrupted between two steps, and process_let_interrupts ends the process if one has come. */
void process_hold_interrupts(void);
bool process_interrupted(void);
void process_let_interrupts(void);

#endif
