/* The one place of twin that forks. Between fork and exec only calls that are safe there are made, so that a pool of
 * threads may start programs side by side; the child leads a process group of its own, which is what a time limit kills. */
#define _DEFAULT_SOURCE /* mkdtemp, setrlimit's resource type */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

double process_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static sigset_t process_interrupts(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP); /* of a shell that ends while a campaign runs behind it */
  return set;
}

void process_hold_interrupts(void) {
  sigset_t set = process_interrupts();
  sigprocmask(SIG_BLOCK, &set, NULL);
}

bool process_interrupted(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 &&
         (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP));
}

void process_let_interrupts(void) {
  sigset_t set = process_interrupts();
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void process_set_limit(int resource, uint64_t value) {
  struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
  setrlimit((__rlimit_resource_t)resource, &limit);
}

static bool process_redirect(const char *path, int to) {
  int file = open(path ? path : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0)
    return false;
  bool done = dup2(file, to) == to;
  close(file);
  return done;
}

/* The child's side. The environment is prepared by the parent: setenv is not safe here. */
static void process_become(const process_job *job, char *const *environment) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (job->directory && chdir(job->directory) != 0)
    _exit(127);
  int input = open("/dev/null", O_RDONLY);
  if (input < 0 || dup2(input, 0) != 0)
    _exit(127);
  if (!process_redirect(job->output_path, 1) || !process_redirect(job->error_path, 2))
    _exit(127);
  process_set_limit(RLIMIT_CORE, 0);
  if (job->memory)
    process_set_limit(RLIMIT_AS, job->memory);
  if (job->file_size)
    process_set_limit(RLIMIT_FSIZE, job->file_size);
  if (job->seconds > 0)
    process_set_limit(RLIMIT_CPU, (uint64_t)job->seconds + 2);
  environ = (char **)environment;
  if (job->call)
    _exit(job->call(job->context));
  execvp(job->arguments[0], (char *const *)job->arguments);
  _exit(127);
}

/* A copy of the environment with TMPDIR replaced; the strings are shared but for that one. */
static char **process_copy_environment(const char *temporary, char **assignment) {
  size_t count = 0;
  while (environ[count])
    count++;
  char **copy = calloc(count + 2, sizeof *copy);
  size_t size = strlen(temporary) + sizeof "TMPDIR=";
  *assignment = malloc(size);
  if (!copy || !*assignment) {
    free(copy);
    free(*assignment);
    *assignment = NULL;
    return NULL;
  }
  snprintf(*assignment, size, "TMPDIR=%s", temporary);
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], "TMPDIR=", 7) != 0)
      copy[used++] = environ[i];
  copy[used] = *assignment;
  return copy;
}

static void process_pause(double waited) {
  struct timespec step = {.tv_sec = 0, .tv_nsec = waited < 0.05 ? 200000 : waited < 1 ? 2000000 : 10000000};
  nanosleep(&step, NULL);
}

void process_start(const process_job *job, process_child *child) {
  *child = (process_child){.seconds = job->seconds, .result = {.exit_code = 127}};
  char *assignment = NULL;
  char **environment = job->temporary ? process_copy_environment(job->temporary, &assignment) : NULL;
  child->begin = process_clock();
  child->pid = job->temporary && !environment ? -1 : fork();
  if (child->pid == 0)
    process_become(job, environment ? environment : environ);
  free(environment);
  free(assignment);
}

bool process_ended(process_child *child) {
  process_result *result = &child->result;
  if (child->pid <= 0)
    return true;
  int status = 0;
  struct rusage usage = {0};
  const pid_t ended = wait4(child->pid, &status, WNOHANG, &usage);
  result->seconds = process_clock() - child->begin;
  if (ended != child->pid && (ended == 0 || errno == EINTR)) {
    if (child->seconds > 0 && result->seconds > child->seconds && !result->timed_out) {
      result->timed_out = true;
      kill(-child->pid, SIGKILL);
      kill(child->pid, SIGKILL);
    }
    return false;
  }
  child->pid = 0;
  result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result->memory = (uint64_t)usage.ru_maxrss << 10;
  result->exit_code = result->signal ? 128 + result->signal : WEXITSTATUS(status);
  result->started = result->exit_code != 127;
  return true;
}

bool process_run(const process_job *job, process_result *result) {
  process_child child;
  process_start(job, &child);
  while (!process_ended(&child))
    process_pause(child.result.seconds);
  *result = child.result;
  return result->started;
}

uint8_t *process_read_file(const char *path, size_t limit, size_t *size) {
  *size = 0;
  FILE *file = fopen(path, "rbe");
  if (!file)
    return NULL;
  struct stat status;
  uint8_t *bytes = NULL;
  if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size <= limit) {
    size_t expected = (size_t)status.st_size;
    bytes = malloc(expected + 1);
    if (bytes && fread(bytes, 1, expected, file) == expected) {
      bytes[expected] = 0;
      *size = expected;
    } else {
      free(bytes);
      bytes = NULL;
    }
  }
  fclose(file);
  return bytes;
}

bool process_write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wbe");
  if (!file)
    return false;
  bool written = fwrite(bytes, 1, size, file) == size;
  return fclose(file) == 0 && written;
}

bool process_make_directory(char *path, size_t size, const char *prefix) {
  const char *root = getenv("TMPDIR");
  int length = snprintf(path, size, "%s/%s-XXXXXX", root && *root ? root : P_tmpdir, prefix);
  return length > 0 && (size_t)length < size && mkdtemp(path) != NULL;
}

static bool process_remove_entries(int directory_fd) {
  DIR *directory = fdopendir(directory_fd);
  if (!directory) {
    close(directory_fd);
    return false;
  }
  bool removed = true;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
      continue;
    if (unlinkat(dirfd(directory), name, 0) == 0)
      continue;
    int inner = openat(dirfd(directory), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0)
      removed &= process_remove_entries(inner);
    removed &= unlinkat(dirfd(directory), name, AT_REMOVEDIR) == 0;
  }
  closedir(directory);
  return removed;
}

bool process_remove_tree(const char *path) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0)
    return false;
  bool emptied = process_remove_entries(directory);
  return rmdir(path) == 0 && emptied;
}

bool process_ensure_directory(const char *path) {
  char part[4096];
  size_t length = strlen(path);
  if (length >= sizeof part)
    return false;
  memcpy(part, path, length + 1);
  for (size_t i = 1; i < length; i++)
    if (part[i] == '/') {
      part[i] = 0;
      mkdir(part, 0755);
      part[i] = '/';
    }
  mkdir(part, 0755);
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
