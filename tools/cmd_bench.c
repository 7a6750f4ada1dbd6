/* twin bench: twinlink, nvlink and `cat inputs > out` on large links, measured in turn in the same run.
 *
 * The shapes are what a linker can be slow at: 40 cubins with 8,000 small functions (symbols, sections, relocations), 40
 * cubins with 300 KB of code and debug sections each (bytes), and with --shape=many 520 cubins with 104,000 functions (does
 * anything grow faster than the input?). bench_shape.c writes them as PTX; ptxas turns them into cubins once, into the
 * cache directory. `cat` is the floor that any linker stands on: the same bytes read and written once.
 *
 * Every run writes a fresh file. A round that is not counted comes first, so that nobody pays for a cold cache; the order
 * turns round after each round. Whatever else the machine does makes a run longer and never shorter, so each program's
 * smallest times count, of three rounds at least, whatever --runs says: of the clock, and of the processors (user and
 * system, over all threads), which depend less on what else runs. The goals are held against processor time and against
 * the largest resident size of the runs. A goal that is missed on a busy machine is measured again, up to RUN_MOST rounds in
 * all: what the program itself costs stays in each of them. How fast one is beside the other hangs on the processor, too;
 * with --any-speed a goal of time that is missed is said, and only other bytes and more memory than nvlink's are failures. */
#define _DEFAULT_SOURCE
#include "bench_shape.h"
#include "files.h"
#include "json_file.h"
#include "process.h"
#include "twin.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, RUN_LEAST = 3, RUN_MOST = 33, RUN_LIMIT = 99 };
static const double never = 1e9; /* seconds */

int twin_bench(int argc, char **argv);

typedef struct bench_options {
  const char *linker, *nvlink, *ptxas, *cache;
  const char *shape; /* NULL: all that need not be asked for */
  const char *json;  /* NULL: not wanted */
  cJSON *shapes;     /* what goes there */
  size_t runs;
  bool any_speed; /* a missed goal of time is no failure */
} bench_options;

/* One of the programs that are measured, with its times of the shape at hand. */
typedef struct bench_candidate {
  const char *name;
  string_list arguments;
  char output[PATH_SIZE]; /* the file it writes: by itself, or through its standard output */
  bool standard_output;
  double seconds, processor; /* the smallest so far */
  long kilobytes;            /* the largest */
  bool good;
} bench_candidate;

static int bench_print_usage(void) {
  fprintf(stderr, "usage: twin bench --linker=TWINLINK [--shape=functions|text|many] [--cache=DIRECTORY] [--runs=N]\n"
                  "                  [--any-speed] [--nvlink=PATH] [--ptxas=PATH] [--json=FILE]\n");
  return TWIN_TROUBLE;
}

static const char *bench_option(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static bool bench_parse_options(bench_options *options, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *value = NULL;
    if ((value = bench_option(argv[i], "--linker=")) != NULL)
      options->linker = value;
    else if ((value = bench_option(argv[i], "--shape=")) != NULL)
      options->shape = value;
    else if ((value = bench_option(argv[i], "--cache=")) != NULL)
      options->cache = value;
    else if ((value = bench_option(argv[i], "--nvlink=")) != NULL)
      options->nvlink = value;
    else if ((value = bench_option(argv[i], "--ptxas=")) != NULL)
      options->ptxas = value;
    else if ((value = bench_option(argv[i], "--json=")) != NULL)
      options->json = value;
    else if ((value = bench_option(argv[i], "--runs=")) != NULL)
      options->runs = strtoul(value, NULL, 10);
    else if (strcmp(argv[i], "--any-speed") == 0)
      options->any_speed = true;
    else
      return false;
  }
  return options->linker && options->runs >= 1 && options->runs <= RUN_LIMIT;
}

static double bench_seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Runs a candidate once with `output` fresh; false when it fails. */
static bool bench_run(bench_candidate *candidate) {
  struct rusage usage;
  int status = 0;
  unlink(candidate->output);
  double start = process_clock();
  pid_t child = fork();
  if (child == 0) {
    const char *into = candidate->standard_output ? candidate->output : "/dev/null";
    int file = open(into, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0 && dup2(file, 1) == 1)
      execvp(candidate->arguments.items[0], candidate->arguments.items);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return false;
  double seconds = process_clock() - start;
  double processor = bench_seconds(usage.ru_utime) + bench_seconds(usage.ru_stime);
  candidate->seconds = seconds < candidate->seconds ? seconds : candidate->seconds;
  candidate->processor = processor < candidate->processor ? processor : candidate->processor;
  if (usage.ru_maxrss > candidate->kilobytes)
    candidate->kilobytes = usage.ru_maxrss;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Whether twinlink keeps to the shape's share of nvlink's processor time; true without nvlink (two candidates). */
static bool bench_is_fast(const bench_shape *shape, const bench_candidate *candidates, size_t count) {
  return count < 3 || candidates[0].processor <= shape->share * candidates[1].processor;
}

/* The round that is not counted, then `runs` rounds, every second one in the other order; more where the goal is missed.
 * Returns how many were counted. */
static size_t bench_run_all(const bench_shape *shape, bench_candidate *candidates, size_t count, size_t runs) {
  for (size_t c = 0; c < count; c++)
    candidates[c].good = bench_run(&candidates[c]);
  for (size_t c = 0; c < count; c++)
    candidates[c].seconds = candidates[c].processor = never;
  size_t run = 0;
  for (; run < runs || (run < RUN_MOST && !bench_is_fast(shape, candidates, count)); run++)
    for (size_t c = 0; c < count; c++) {
      bench_candidate *next = &candidates[run % 2 ? count - 1 - c : c];
      next->good = bench_run(next) && next->good;
    }
  return run;
}

/* Compiles file `number` of a shape; false with a message when that cannot be. */
static bool bench_compile(const bench_options *options, const bench_shape *shape, unsigned number, const char *cubin) {
  char ptx[PATH_SIZE];
  text_buffer text = {0};
  process_result result;
  const char *arguments[9] = {options->ptxas, "-c", "-arch", BENCH_ARCH, "-o", cubin, ptx, shape->ptxas_option, NULL};
  snprintf(ptx, sizeof ptx, "%s/%s_%u.ptx", options->cache, shape->name, number);
  shape->write(&text, number, bench_shape_is_last(shape, number));
  bool good = process_write_file(ptx, text.bytes, text.size) &&
              process_run(&(process_job){.arguments = arguments, .seconds = 300}, &result) && result.exit_code == 0;
  text_free(&text);
  unlink(ptx);
  if (!good) {
    unlink(cubin);
    fprintf(stderr, "twin bench: %s cannot make %s; the inputs need ptxas once\n", options->ptxas, cubin);
  }
  return good;
}

/* Makes file `number` of a copied shape from the first group's first or last file. */
static bool bench_copy(const bench_shape *shape, unsigned number, const string_list *inputs, const char *cubin) {
  size_t size = 0;
  unsigned original = bench_shape_is_last(shape, number) ? BENCH_FILES - 1 : 0;
  char *bytes = file_read(inputs->items[original], &size);
  if (bytes)
    bench_shape_rename(bytes, size, shape->first + original, number);
  bool good = bytes && process_write_file(cubin, bytes, size);
  free(bytes);
  if (!good)
    fprintf(stderr, "twin bench: cannot write %s\n", cubin);
  return good;
}

/* Makes the shape's cubins unless they are cached; false with a message when that cannot be. */
static bool bench_make_inputs(const bench_options *options, const bench_shape *shape, string_list *inputs) {
  for (unsigned i = 0; i < shape->files; i++) {
    bool copy = shape->copied && i != 0 && i + 1 != BENCH_FILES;
    string_list_add(inputs, "%s/%s_%u.cubin", options->cache, shape->name, shape->first + i);
    const char *cubin = inputs->items[i];
    if (!file_exists(cubin) && !(copy ? bench_copy(shape, shape->first + i, inputs, cubin)
                                      : bench_compile(options, shape, shape->first + i, cubin)))
      return false;
  }
  return true;
}

static size_t bench_total_size(const string_list *inputs) {
  size_t total = 0;
  struct stat status;
  for (size_t i = 0; i < inputs->count; i++)
    if (stat(inputs->items[i], &status) == 0)
      total += (size_t)status.st_size;
  return total;
}

static bool bench_same_file(const char *left, const char *right) {
  size_t left_size = 0, right_size = 0;
  char *a = file_read(left, &left_size), *b = file_read(right, &right_size);
  bool same = a && b && left_size == right_size && memcmp(a, b, left_size) == 0;
  free(a);
  free(b);
  return same;
}

static void bench_print_share(double seconds, double of) {
  if (of > 0)
    printf("  %8.2f", seconds / of);
  else
    printf("  %8s", "-");
}

/* The smallest times of each, beside those of nvlink (last but one, where it is there) and `cat` (last). */
static void bench_print(const bench_candidate *candidates, size_t count) {
  printf("             clock  x cat  x nvlink   processor  x nvlink    resident\n");
  for (size_t c = 0; c < count; c++) {
    const bench_candidate *one = &candidates[c], *cat = &candidates[count - 1];
    const bench_candidate *nvlink = count == 3 && candidates[1].good ? &candidates[1] : NULL;
    if (!one->good) {
      printf("  %-9s failed\n", one->name);
      continue;
    }
    printf("  %-8s %7.3f s %6.1f", one->name, one->seconds, one->seconds / cat->seconds);
    bench_print_share(one->seconds, nvlink ? nvlink->seconds : 0);
    printf(" %9.3f s", one->processor);
    bench_print_share(one->processor, nvlink ? nvlink->processor : 0);
    printf(" %8.1f MB\n", (double)one->kilobytes / 1024);
  }
}

/* The same for programs. */
static void bench_add_json(const bench_options *options, const bench_shape *shape, size_t bytes,
                           const bench_candidate *candidates, size_t count) {
  cJSON *const json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "name", shape->name);
  cJSON_AddStringToObject(json, "purpose", shape->purpose);
  cJSON_AddNumberToObject(json, "bytes", (double)bytes);
  cJSON_AddNumberToObject(json, "goal", shape->share);
  cJSON *const list = cJSON_AddArrayToObject(json, "candidates");
  for (size_t i = 0; i < count; i++) {
    if (!candidates[i].good)
      continue;
    cJSON *const one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "name", candidates[i].name);
    cJSON_AddNumberToObject(one, "seconds", candidates[i].seconds);
    cJSON_AddNumberToObject(one, "processor", candidates[i].processor);
    cJSON_AddNumberToObject(one, "kilobytes", (double)candidates[i].kilobytes);
    cJSON_AddItemToArray(list, one);
  }
  cJSON_AddItemToArray(options->shapes, json);
}

static bool bench_write_json(const bench_options *options) {
  cJSON *const root = cJSON_CreateObject();
  cJSON_AddItemReferenceToObject(root, "shapes", options->shapes);
  if (json_write(root, options->json))
    return true;
  fprintf(stderr, "twin bench: cannot write %s\n", options->json);
  return false;
}

/* Whether twinlink keeps to the shape's share of nvlink's time, unless any speed will do, and to nvlink's memory. */
static bool bench_check_goals(const bench_shape *shape, const bench_candidate *candidates, size_t count,
                              bool any_speed) {
  const bool fast = bench_is_fast(shape, candidates, count), small = candidates[0].kilobytes <= candidates[1].kilobytes;
  printf("  goals: at most %.2f x nvlink's processor time: %s; at most nvlink's memory: %s\n", shape->share,
         fast ? "kept" : "MISSED", small ? "kept" : "MISSED");
  return (fast || any_speed) && small;
}

/* The command line of candidate `which`: 0 twinlink, 1 nvlink, 2 cat. */
static void bench_prepare(const bench_options *options, const bench_shape *shape, const string_list *inputs,
                          unsigned which, bench_candidate *candidate) {
  static const char *const names[3] = {"twinlink", "nvlink", "cat"};
  const char *const programs[3] = {options->linker, options->nvlink, "cat"};
  *candidate = (bench_candidate){.name = names[which], .standard_output = which == 2};
  snprintf(candidate->output, sizeof candidate->output, "%s/%s.out.%s", options->cache, shape->name, names[which]);
  string_list_add(&candidate->arguments, "%s", programs[which]);
  if (which == 0) {
    string_list_add(&candidate->arguments, "--identity=nvlink");
    string_list_add(&candidate->arguments, "--bug-compatible");
  }
  if (which != 2) {
    string_list_add(&candidate->arguments, "-arch=" BENCH_ARCH);
    string_list_add(&candidate->arguments, "-o");
    string_list_add(&candidate->arguments, "%s", candidate->output);
  }
  for (size_t i = 0; i < inputs->count; i++)
    string_list_add(&candidate->arguments, "%s", inputs->items[i]);
}

/* One shape: all candidates in turn, `runs` times. */
static int bench_measure(const bench_options *options, const bench_shape *shape) {
  string_list inputs = {0};
  bench_candidate candidates[3];
  size_t count = 0;
  int code = TWIN_OK;
  if (!bench_make_inputs(options, shape, &inputs))
    return TWIN_TROUBLE;
  for (unsigned which = 0; which < 3; which++)
    if (which != 1 || options->nvlink)
      bench_prepare(options, shape, &inputs, which, &candidates[count++]);
  const size_t rounds = bench_run_all(shape, candidates, count, options->runs);
  printf("%s: %s, %.1f MB, %zu rounds\n", shape->name, shape->purpose, (double)bench_total_size(&inputs) / 1e6, rounds);
  bench_print(candidates, count);
  bench_add_json(options, shape, bench_total_size(&inputs), candidates, count);
  if (!candidates[0].good)
    code = TWIN_FOUND;
  if (count == 3 && !bench_same_file(candidates[0].output, candidates[1].output))
    code = TWIN_FOUND;
  if (count == 3)
    printf("  twinlink's output %s nvlink's\n", code == TWIN_OK ? "is byte for byte" : "DIFFERS from");
  if (count == 3 && candidates[1].good && !bench_check_goals(shape, candidates, count, options->any_speed))
    code = TWIN_FOUND;
  for (size_t c = 0; c < count; c++) {
    unlink(candidates[c].output);
    string_list_free(&candidates[c].arguments);
  }
  string_list_free(&inputs);
  return code;
}

/* The toolkit's program: on PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin; NULL when it is not there. */
static const char *bench_find_tool(const char *name, char path[PATH_SIZE]) {
  const char *off = getenv("TWINLINK_NO_TOOLKIT"), *home = getenv("CUDA_HOME");
  if (off && *off)
    return NULL;
  for (const char *at = getenv("PATH"); at && *at;) {
    size_t length = strcspn(at, ":");
    snprintf(path, PATH_SIZE, "%.*s/%s", (int)length, at, name);
    if (length && access(path, X_OK) == 0)
      return path;
    at += length + (at[length] == ':');
  }
  snprintf(path, PATH_SIZE, "%s/bin/%s", home ? home : "", name);
  if (home && access(path, X_OK) == 0)
    return path;
  snprintf(path, PATH_SIZE, "/usr/local/cuda/bin/%s", name);
  return access(path, X_OK) == 0 ? path : NULL;
}

int twin_bench(int argc, char **argv) {
  static char nvlink[PATH_SIZE], ptxas[PATH_SIZE];
  bench_options options = {.cache = "build/bench", .runs = 11};
  options.nvlink = bench_find_tool("nvlink", nvlink);
  options.ptxas = bench_find_tool("ptxas", ptxas);
  if (!bench_parse_options(&options, argc, argv))
    return bench_print_usage();
  if (!options.ptxas)
    options.ptxas = "ptxas";
  options.runs = options.runs > RUN_LEAST ? options.runs : RUN_LEAST;
  if (!process_ensure_directory(options.cache)) {
    fprintf(stderr, "twin bench: cannot make %s\n", options.cache);
    return TWIN_TROUBLE;
  }
  int worst = TWIN_OK;
  bool any = false;
  options.shapes = cJSON_CreateArray();
  for (size_t i = 0; i < bench_shape_count; i++) {
    if (options.shape ? strcmp(options.shape, bench_shapes[i].name) != 0 : bench_shapes[i].asked)
      continue;
    any = true;
    int code = bench_measure(&options, &bench_shapes[i]);
    worst = code > worst ? code : worst;
  }
  const bool written = !options.json || bench_write_json(&options);
  cJSON_Delete(options.shapes);
  if (!any)
    return bench_print_usage();
  if (!written)
    return TWIN_TROUBLE;
  if (!options.nvlink)
    printf("nvlink is not installed here: measured against cat only\n");
  return worst;
}
