/* Files, scratch directories and programs under limits; harness.h says how to use it. Programs run in a child that sets
 * its own limits; the parent reads both pipes with poll until they close or the time is over, so that a program that
 * writes much, hangs or dies is only ever a result. */
#define _DEFAULT_SOURCE
#include "tests/harness/harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void harness_stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "harness: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(99);
}

void *harness_grow(void *block, size_t size) {
  void *grown = realloc(block, size);
  if (!grown)
    harness_stop("no memory for %zu bytes", size);
  return grown;
}

/* --- files ------------------------------------------------------------------------------------------------------ */

static void harness_append(harness_bytes *bytes, const void *data, size_t size) {
  bytes->data = harness_grow(bytes->data, bytes->size + size + 1);
  if (size)
    memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  bytes->data[bytes->size] = 0;
}

bool harness_read_file(const char *path, harness_bytes *bytes) {
  *bytes = (harness_bytes){0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  char block[65536];
  harness_append(bytes, "", 0);
  while (!feof(file) && !ferror(file))
    harness_append(bytes, block, fread(block, 1, sizeof block, file));
  const bool good = !ferror(file);
  fclose(file);
  if (!good) { /* a directory, for one */
    free(bytes->data);
    *bytes = (harness_bytes){0};
  }
  return good;
}

void harness_write_file(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
    harness_stop("cannot write %s: %s", path, strerror(errno));
}

bool harness_exists(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

void harness_path(char path[HARNESS_PATH], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(path, HARNESS_PATH, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= HARNESS_PATH)
    harness_stop("a path is longer than %d bytes", HARNESS_PATH);
}

void harness_make_directories(const char *path) {
  char part[HARNESS_PATH];
  harness_path(part, "%s", path);
  for (char *at = part + 1;; at++) {
    if (*at != '/' && *at != 0)
      continue;
    char kept = *at;
    *at = 0;
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
      harness_stop("cannot make %s: %s", part, strerror(errno));
    *at = kept;
    if (!kept)
      return;
  }
}

void harness_make_scratch(char path[HARNESS_PATH]) {
  const char *base = getenv("TMPDIR");
  harness_path(path, "%s/twinlink-test-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(path))
    harness_stop("cannot make a scratch directory: %s", strerror(errno));
}

/* Recursive, but a scratch directory is only as deep as a test makes it. */
void harness_remove_tree(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0)
    return;
  if (S_ISDIR(status.st_mode)) {
    chmod(path, 0700);
    DIR *directory = opendir(path);
    for (struct dirent *entry = NULL; directory && (entry = readdir(directory));) {
      char inner[HARNESS_PATH];
      if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
        continue;
      harness_path(inner, "%s/%s", path, entry->d_name);
      harness_remove_tree(inner);
    }
    if (directory)
      closedir(directory);
  }
  if (remove(path) != 0)
    harness_stop("cannot remove %s: %s", path, strerror(errno));
}

/* --- programs --------------------------------------------------------------------------------------------------- */

static void harness_set_limit(int which, uint64_t value) {
  struct rlimit limit = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
  setrlimit(which, &limit);
}

/* The child: nothing here returns. */
static _Noreturn void harness_become(const harness_command *command, const int out[2], const int err[2]) {
  int empty = open("/dev/null", O_RDONLY);
  if (empty < 0 || dup2(empty, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
    _exit(126);
  close(out[0]);
  close(err[0]);
  close(out[1]);
  close(err[1]);
  harness_set_limit(RLIMIT_CORE, 0);
  harness_set_limit(RLIMIT_FSIZE, command->file_size ? command->file_size : (uint64_t)1 << 30);
  if (command->environment && putenv(strdup(command->environment)) != 0)
    _exit(126);
  if (command->directory && chdir(command->directory) != 0)
    _exit(126);
  if (command->user && geteuid() == 0 && (setgid(command->user) != 0 || setuid(command->user) != 0))
    _exit(126);
  execvp(command->argv[0], (char *const *)(uintptr_t)command->argv);
  _exit(127);
}

static int64_t harness_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads both pipes until both are closed; false when the deadline passes first. */
static bool harness_collect(struct pollfd pipes[2], harness_bytes *const into[2], int64_t deadline) {
  int open_pipes = 2;
  while (open_pipes) {
    int64_t left = deadline - harness_milliseconds();
    if (left <= 0 || poll(pipes, 2, (int)left) == 0)
      return false;
    for (int i = 0; i < 2; i++) {
      char block[65536];
      if (pipes[i].fd < 0 || !pipes[i].revents)
        continue;
      ssize_t got = read(pipes[i].fd, block, sizeof block);
      if (got > 0) {
        harness_append(into[i], block, (size_t)got);
      } else if (got == 0 || errno != EINTR) {
        close(pipes[i].fd);
        pipes[i].fd = -1;
        open_pipes--;
      }
    }
  }
  return true;
}

void harness_run(const harness_command *command, harness_outcome *outcome) {
  int out[2], err[2], status = 0;
  *outcome = (harness_outcome){.code = -1};
  harness_append(&outcome->out, "", 0);
  harness_append(&outcome->err, "", 0);
  if (pipe(out) != 0 || pipe(err) != 0)
    harness_stop("no pipe: %s", strerror(errno));
  fflush(NULL);
  pid_t child = fork();
  if (child < 0)
    harness_stop("no process: %s", strerror(errno));
  if (child == 0)
    harness_become(command, out, err);
  close(out[1]);
  close(err[1]);
  struct pollfd pipes[2] = {{.fd = out[0], .events = POLLIN}, {.fd = err[0], .events = POLLIN}};
  harness_bytes *const into[2] = {&outcome->out, &outcome->err};
  int64_t limit = command->seconds ? command->seconds : 60;
  outcome->timed_out = !harness_collect(pipes, into, harness_milliseconds() + limit * 1000);
  if (outcome->timed_out)
    kill(child, SIGKILL);
  for (int i = 0; i < 2; i++)
    if (pipes[i].fd >= 0)
      close(pipes[i].fd);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    outcome->code = WEXITSTATUS(status);
  else
    outcome->signal = WTERMSIG(status);
}

void harness_free_outcome(harness_outcome *outcome) {
  free(outcome->out.data);
  free(outcome->err.data);
  *outcome = (harness_outcome){0};
}

/* --- nvlink ----------------------------------------------------------------------------------------------------- */

static bool harness_is_program(char path[HARNESS_PATH], const char *directory, size_t length) {
  harness_path(path, "%.*s/nvlink", (int)length, directory);
  return access(path, X_OK) == 0;
}

const char *harness_find_nvlink(void) {
  static char path[HARNESS_PATH];
  const char *home = getenv("CUDA_HOME");
  const char *off = getenv("TWINLINK_NO_TOOLKIT");
  if (off && *off)
    return NULL;
  for (const char *at = getenv("PATH"); at && *at;) {
    size_t length = strcspn(at, ":");
    if (length && harness_is_program(path, at, length))
      return path;
    at += length + (at[length] == ':');
  }
  if (home && *home) {
    char bin[HARNESS_PATH];
    harness_path(bin, "%s/bin", home);
    if (harness_is_program(path, bin, strlen(bin)))
      return path;
  }
  const char *usual = "/usr/local/cuda/bin";
  return harness_is_program(path, usual, strlen(usual)) ? path : NULL;
}
