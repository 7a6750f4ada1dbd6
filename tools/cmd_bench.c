/* twin bench: twinlink, nvlink and `cat inputs > out` on large links, measured in turn in the same run.
 *
 * The shapes are what a linker can be slow at: 40 cubins with 8,000 small functions (symbols, sections, relocations), 40
 * cubins with 300 KB of code and debug sections each (bytes), and with --shape=many 520 cubins with 104,000 functions (does
 * anything grow faster than the input?). bench_shape.c writes them as PTX; ptxas turns them
 * into cubins once, into the cache directory. `cat` is the floor that any linker stands on: the same bytes read and
 * written once. Every run writes a fresh file; times are medians; memory is the largest resident size of the runs. */
#define _DEFAULT_SOURCE
#include "bench_shape.h"
#include "files.h"
#include "process.h"
#include "twin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, RUN_LIMIT = 99 };

int twin_bench(int argc, char **argv);

typedef struct bench_options {
  const char *linker, *nvlink, *ptxas, *cache;
  const char *shape; /* NULL: all that need not be asked for */
  size_t runs;
} bench_options;

/* One of the programs that are measured, with its times of the shape at hand. */
typedef struct bench_candidate {
  const char *name;
  string_list arguments;
  char output[PATH_SIZE]; /* the file it writes: by itself, or through its standard output */
  bool standard_output;
  double seconds[RUN_LIMIT];
  long kilobytes;
  bool good;
} bench_candidate;

static int bench_print_usage(void) {
  fprintf(stderr, "usage: twin bench --linker=TWINLINK [--shape=functions|text|many] [--cache=DIRECTORY] [--runs=N]\n"
                  "                  [--nvlink=PATH] [--ptxas=PATH]\n");
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
    else if ((value = bench_option(argv[i], "--runs=")) != NULL)
      options->runs = strtoul(value, NULL, 10);
    else
      return false;
  }
  return options->linker && options->runs >= 1 && options->runs <= RUN_LIMIT;
}

/* Runs a candidate once with `output` fresh; false when it fails. */
static bool bench_run(bench_candidate *candidate, size_t run) {
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
  candidate->seconds[run] = process_clock() - start;
  if (usage.ru_maxrss > candidate->kilobytes)
    candidate->kilobytes = usage.ru_maxrss;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int bench_compare_seconds(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double bench_median(bench_candidate *candidate, size_t runs) {
  qsort(candidate->seconds, runs, sizeof candidate->seconds[0], bench_compare_seconds);
  return candidate->seconds[runs / 2];
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

static void bench_print(bench_candidate *candidates, size_t count, size_t runs) {
  double median[3];
  for (size_t c = 0; c < count; c++)
    median[c] = bench_median(&candidates[c], runs);
  for (size_t c = 0; c < count; c++) {
    if (!candidates[c].good) {
      printf("  %-9s failed\n", candidates[c].name);
      continue;
    }
    printf("  %-9s %8.4f s  %6.2f x cat", candidates[c].name, median[c], median[c] / median[count - 1]);
    if (count == 3 && candidates[1].good)
      printf("  %6.2f x nvlink", median[c] / median[1]);
    printf("  %7.1f MB resident\n", (double)candidates[c].kilobytes / 1024);
  }
}

/* The command line of candidate `which`: 0 twinlink, 1 nvlink, 2 cat. */
static void bench_prepare(const bench_options *options, const bench_shape *shape, const string_list *inputs,
                          unsigned which, bench_candidate *candidate) {
  static const char *const names[3] = {"twinlink", "nvlink", "cat"};
  const char *const programs[3] = {options->linker, options->nvlink, "cat"};
  *candidate = (bench_candidate){.name = names[which], .standard_output = which == 2, .good = true};
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
  for (size_t run = 0; run < options->runs; run++)
    for (size_t c = 0; c < count; c++)
      candidates[c].good = bench_run(&candidates[c], run) && candidates[c].good;
  printf("%s: %s, %.1f MB\n", shape->name, shape->purpose, (double)bench_total_size(&inputs) / 1e6);
  bench_print(candidates, count, options->runs);
  if (!candidates[0].good)
    code = TWIN_FOUND;
  if (count == 3 && !bench_same_file(candidates[0].output, candidates[1].output))
    code = TWIN_FOUND;
  if (count == 3)
    printf("  twinlink's output %s nvlink's\n", code == TWIN_OK ? "is byte for byte" : "DIFFERS from");
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
  bench_options options = {.cache = "build/bench", .runs = 7};
  options.nvlink = bench_find_tool("nvlink", nvlink);
  options.ptxas = bench_find_tool("ptxas", ptxas);
  if (!bench_parse_options(&options, argc, argv))
    return bench_print_usage();
  if (!options.ptxas)
    options.ptxas = "ptxas";
  if (!process_ensure_directory(options.cache)) {
    fprintf(stderr, "twin bench: cannot make %s\n", options.cache);
    return TWIN_TROUBLE;
  }
  int worst = TWIN_OK;
  bool any = false;
  for (size_t i = 0; i < bench_shape_count; i++) {
    if (options.shape ? strcmp(options.shape, bench_shapes[i].name) != 0 : bench_shapes[i].asked)
      continue;
    any = true;
    int code = bench_measure(&options, &bench_shapes[i]);
    worst = code > worst ? code : worst;
  }
  if (!any)
    return bench_print_usage();
  if (!options.nvlink)
    printf("nvlink is not installed here: measured against cat only\n");
  return worst;
}
