/* One run of one program on one input, and what it left. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/faults/hunt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

enum { WORDS = 4096, WALL_FACTOR = 10 };
enum { LEAK_RUNS = 24 }; /* the C library keeps seven free blocks of a size, which count as taken */
static const uint64_t memory_limit = (uint64_t)2 << 30, file_limit = (uint64_t)64 << 20;

const char *const hunt_mode_words[HUNT_MODES] = {"", " (default mode)", " (verbose)", " (own name)"};

static void run_limit(int which, uint64_t value) {
  const struct rlimit limit = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
  setrlimit((__rlimit_resource_t)which, &limit);
}

void hunt_run_open_streams(int streams[2]) {
  streams[0] = memfd_create("stdout", MFD_CLOEXEC);
  streams[1] = memfd_create("stderr", MFD_CLOEXEC);
  if (streams[0] < 0 || streams[1] < 0)
    harness_stop("no memory for a program's output: %s", strerror(errno));
}

void hunt_run_enter(const int streams[2]) {
  const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (empty < 0 || dup2(empty, 0) < 0 || dup2(streams[0], 1) < 0 || dup2(streams[1], 2) < 0)
    _exit(126);
  mallopt(M_PERTURB, 0xa5); /* memory that nobody wrote is no zeros */
  run_limit(RLIMIT_CORE, 0);
  run_limit(RLIMIT_FSIZE, file_limit);
  run_limit(RLIMIT_AS, memory_limit);
}

int hunt_run_main(const hunt_runner *runner, const hunt_input *input, hunt_mode mode) {
  static char name[] = "twinlink", identity[] = "--identity=nvlink", own[] = "--identity=twinlink",
              compatible[] = "--bug-compatible";
  static char verbose[] = "-v", callgraph[] = "-dump-callgraph", warnings[] = "-extrawarn";
  char *const more[HUNT_MODES][4] = {{compatible}, {NULL}, {verbose, callgraph, warnings}, {NULL}};
  char *argv[WORDS] = {name, mode == HUNT_NAMED ? own : identity};
  int argc = 2;
  if (runner->more)
    argv[argc++] = (char *)runner->more;
  for (size_t i = 0; more[mode][i]; i++)
    argv[argc++] = more[mode][i];
  for (size_t i = 0; i < input->arguments.count && argc + 1 < WORDS; i++)
    argv[argc++] = input->arguments.items[i];
  argv[argc] = NULL;
  return runner->main(argc, argv);
}

/* Waits; the clock on the wall is there for programs that sleep. */
static int run_wait(pid_t child, unsigned seconds) {
  int status = 0;
  const time_t end = time(NULL) + (time_t)seconds * WALL_FACTOR;
  const struct timespec step = {.tv_nsec = 200000};
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (time(NULL) > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return HUNT_TIME;
    }
    nanosleep(&step, NULL);
  }
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? HUNT_TIME : HUNT_SIGNAL + WTERMSIG(status);
  return WEXITSTATUS(status);
}

static void run_take_stream(const hunt_runner *runner, XXH3_state_t *state, int stream, const char *what,
                            hunt_answer *answer) {
  const off_t size = lseek(stream, 0, SEEK_END);
  char *const text = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, stream, 0) : MAP_FAILED;
  if (runner->keep) {
    char kept[HARNESS_PATH];
    harness_path(kept, "%s/%s", runner->keep, what);
    harness_write_file(kept, text, text != MAP_FAILED ? (size_t)size : 0);
  }
  if (text != MAP_FAILED) {
    XXH3_128bits_update(state, text, (size_t)size);
    if (runner->parts)
      hunt_parts_add_text(answer, what, text, (size_t)size);
    munmap(text, (size_t)size);
  }
  XXH3_128bits_update(state, "|", 1);
}

/* Files that were not there before are hashed and taken away; their order in the directory does not count. */
static void run_take_file(const hunt_runner *runner, const hunt_input *input, const char *name, uint64_t *sum,
                          hunt_answer *answer) {
  char path[HARNESS_PATH], kept[HARNESS_PATH];
  harness_bytes bytes = {0};
  harness_path(path, "%s/%s", input->directory, name);
  const bool read = harness_read_file(path, &bytes);
  *sum += XXH3_64bits_withSeed(bytes.data, read ? bytes.size : 0, XXH3_64bits(name, strlen(name)));
  if (runner->parts && strcmp(name, "codes") == 0)
    hunt_parts_add_text(answer, name, (const char *)bytes.data, read ? bytes.size : 0);
  else if (runner->parts)
    hunt_parts_add_file(answer, name, bytes.data, read ? bytes.size : 0);
  answer->made = answer->made || strcmp(name, "out.cubin") == 0;
  if (runner->keep) {
    harness_path(kept, "%s/%s", runner->keep, name);
    harness_write_file(kept, bytes.data, bytes.size);
  }
  free(bytes.data);
  unlink(path);
}

/* What has another time than the inputs (HUNT_INPUT_TIME) a run has made, or changed. */
static void run_take_files(const hunt_runner *runner, const hunt_input *input, XXH3_state_t *state,
                           hunt_answer *answer) {
  uint64_t sum = 0;
  DIR *const directory = opendir(input->directory);
  if (!directory)
    harness_stop("no directory %s", input->directory);
  for (const struct dirent *entry = NULL; (entry = readdir(directory));) {
    struct stat status;
    if (entry->d_name[0] == '.' && (!entry->d_name[1] || strcmp(entry->d_name, "..") == 0))
      continue;
    if (fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (!S_ISDIR(status.st_mode) && status.st_mtime != HUNT_INPUT_TIME)
      run_take_file(runner, input, entry->d_name, &sum, answer);
  }
  closedir(directory);
  XXH3_128bits_update(state, &sum, sizeof sum);
}

void hunt_run_collect(const hunt_runner *runner, const hunt_input *input, const int streams[2], hunt_answer *answer) {
  XXH3_state_t *const state = XXH3_createState();
  if (!state || XXH3_128bits_reset(state) != XXH_OK)
    harness_stop("no memory");
  XXH3_128bits_update(state, &answer->code, sizeof answer->code);
  if (runner->parts)
    hunt_parts_add_text(answer, "exit code", (const char *)&answer->code, sizeof answer->code);
  run_take_stream(runner, state, streams[0], "stdout", answer);
  run_take_stream(runner, state, streams[1], "stderr", answer);
  run_take_files(runner, input, state, answer);
  hunt_parts_finish(answer);
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  answer->low = hash.low64;
  answer->high = hash.high64;
  XXH3_freeState(state);
}

/* A process in the input's directory, with its limits and what it prints in `streams`; 0 in the child. */
static pid_t run_fork(const hunt_runner *runner, const hunt_input *input, int streams[2]) {
  hunt_run_open_streams(streams);
  fflush(NULL); /* or the child would write it too */
  const pid_t child = fork();
  if (child < 0)
    harness_stop("no process: %s", strerror(errno));
  if (child == 0) {
    hunt_run_enter(streams);
    run_limit(RLIMIT_CPU, runner->seconds);
    if (chdir(input->directory) != 0)
      _exit(126);
  }
  return child;
}

void hunt_run(const hunt_runner *runner, const hunt_input *input, hunt_mode mode, hunt_answer *answer) {
  int streams[2];
  const pid_t child = run_fork(runner, input, streams);
  if (child == 0) {
    const int code = hunt_run_main(runner, input, mode);
    fflush(NULL);
    _exit(code);
  }
  *answer = (hunt_answer){.code = run_wait(child, runner->seconds)};
  hunt_run_collect(runner, input, streams, answer);
  close(streams[0]);
  close(streams[1]);
}

/* Bytes that are taken after one more run; what it made is removed. */
static size_t run_measure(const hunt_runner *runner, const hunt_input *input, hunt_mode mode, const int streams[2]) {
  hunt_answer answer = {.code = hunt_run_main(runner, input, mode)};
  fflush(NULL);
  const struct mallinfo2 info = mallinfo2();
  hunt_run_collect(runner, input, streams, &answer);
  hunt_answer_free(&answer);
  return info.uordblks + info.hblkhd;
}

bool hunt_run_leaks(const hunt_runner *runner, const hunt_input *input, hunt_mode mode) {
  int streams[2], status = 0;
  const pid_t child = run_fork(runner, input, streams);
  if (child == 0) {
    size_t before = 0, after = 0;
    for (int i = 0; i < LEAK_RUNS; i++) {
      after = run_measure(runner, input, mode, streams);
      before = i < LEAK_RUNS / 2 ? after : before;
    }
    _exit(after > before ? 1 : 0);
  }
  waitpid(child, &status, 0);
  close(streams[0]);
  close(streams[1]);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

bool hunt_same(const hunt_answer *a, const hunt_answer *b) {
  return a->low == b->low && a->high == b->high;
}
