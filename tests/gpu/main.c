/* gpu: runs linked kernels of the corpus on a GPU, as nvlink linked them and as twinlink does in both modes, and compares
 * what they leave in memory.
 *
 *   gpu run PROGRAM CORPUS    every job that links and fits the device: with a launch description (launch.h) its kernels
 *                             run, without one the module is only loaded. nvlink's answer and twinlink's with
 *                             --bug-compatible must leave the same memory; where twinlink's default output is another file
 *                             (a row of class R), the difference in memory is printed: it is the evidence for the row.
 *                             Without a GPU every job is skipped and counted
 *   gpu check CORPUS          reads every description and compares its parameters with the kernel's (no GPU needed)
 *   gpu image CUBIN LAUNCH OUT    one module in a process of its own, since a faulting kernel ends its context; what the
 *                             buffers hold goes to OUT. LAUNCH "-": only load */
#define _DEFAULT_SOURCE
#include "oracle/cubin/ref_cubin.h"
#include "tests/gpu/driver.h"
#include "tests/gpu/launch.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTE_PARAMETER_BYTES = 0x19, FAILED = 1, NO_DEVICE = 77, DRIVER_ERROR = 3 };

static char self[HARNESS_PATH], program[HARNESS_PATH];
static size_t passed, failed, skipped;

/* --- one module --- */

static uint64_t image_make_buffer(const gpu_driver *driver, size_t size) {
  uint32_t *const words = malloc(size);
  uint64_t address = 0;
  for (size_t i = 0; words && i < size / 4; i++)
    words[i] = (uint32_t)(i + 1);
  if (!words || driver->memory_allocate(&address, size) != 0 || driver->copy_to_device(address, words, size) != 0)
    harness_stop("no memory on the device");
  free(words);
  return address;
}

/* What a kernel left in the buffer of `parameter`, as it is compared. */
static int image_write_buffer(const gpu_driver *driver, const gpu_parameter *parameter, FILE *out) {
  uint64_t *const words = malloc(parameter->buffer);
  const int error = words ? driver->copy_to_host(words, parameter->value, parameter->buffer) : -1;
  for (size_t i = 0; !error && parameter->pointers && i < parameter->buffer / sizeof *words; i++)
    words[i] = words[i] != 0;
  if (!error)
    fwrite(words, 1, parameter->buffer, out);
  free(words);
  return error;
}

static int image_launch(const gpu_driver *driver, void *module, const gpu_launch *launch, FILE *out) {
  void *function = NULL, *values[LAUNCH_PARAMETERS + 1] = {NULL};
  gpu_launch own = *launch;
  for (size_t i = 0; i < own.count; i++) {
    if (own.parameters[i].buffer)
      own.parameters[i].value = image_make_buffer(driver, own.parameters[i].buffer);
    values[i] = &own.parameters[i].value;
  }
  int error = driver->module_function(&function, module, own.kernel);
  if (!error)
    error = driver->launch(function, own.grid, 1, 1, own.block, 1, 1, own.shared, NULL, values, NULL);
  if (!error)
    error = driver->context_synchronize();
  for (size_t i = 0; !error && i < own.count; i++)
    if (own.parameters[i].buffer)
      error = image_write_buffer(driver, &own.parameters[i], out);
  if (error)
    printf("%s: driver error %d\n", own.kernel, error);
  return error;
}

static int image_run(const char *cubin, const char *description, const char *path) {
  gpu_driver driver;
  int number = 0, error = 0;
  const char *reason = NULL;
  harness_bytes image;
  harness_words lines = {0};
  void *module = NULL;
  if (!gpu_driver_open(&driver, &number, &reason))
    return NO_DEVICE;
  FILE *const out = fopen(path, "wb");
  if (!out || !harness_read_file(cubin, &image))
    harness_stop("cannot read %s or write %s", cubin, path);
  if (strcmp(description, "-") != 0)
    harness_read_lines(description, &lines);
  error = driver.module_load(&module, image.data);
  if (error)
    printf("loading: driver error %d\n", error);
  for (size_t i = 0; !error && i < lines.count; i++) {
    gpu_launch launch;
    if (*lines.items[i] == 0 || *lines.items[i] == '#')
      continue;
    if (!gpu_launch_read(&launch, lines.items[i], &reason))
      harness_stop("%s: %s: %s", description, lines.items[i], reason);
    error = image_launch(&driver, module, &launch, out);
  }
  free(image.data);
  harness_free_words(&lines);
  return fclose(out) != 0 || error ? DRIVER_ERROR : 0;
}

/* --- all jobs --- */

/* What one image did: the child's exit code and message, and the memory it left. */
typedef struct run_result {
  harness_outcome outcome;
  harness_bytes memory;
} run_result;

static void run_image(run_result *result, const char *cubin, const char *description, const char *scratch) {
  char out[HARNESS_PATH];
  harness_path(out, "%s/memory", scratch);
  const char *argv[] = {self, "image", cubin, description, out, NULL};
  harness_run(&(harness_command){.argv = argv, .seconds = 60}, &result->outcome);
  if (!harness_read_file(out, &result->memory))
    result->memory = (harness_bytes){0};
  (void)remove(out);
}

static bool run_same(const harness_bytes *a, const harness_bytes *b) {
  return a->size == b->size && (!a->size || memcmp(a->data, b->data, a->size) == 0);
}

static bool run_agrees(const run_result *a, const run_result *b) {
  return a->outcome.code == b->outcome.code && a->outcome.signal == b->outcome.signal &&
         strcmp((const char *)a->outcome.out.data, (const char *)b->outcome.out.data) == 0 &&
         run_same(&a->memory, &b->memory);
}

static void run_free(run_result *result) {
  harness_free_outcome(&result->outcome);
  free(result->memory.data);
}

/* Links the job in `scratch`; false when twinlink makes no output. */
static bool run_link(const harness_job *job, const char *scratch, bool compatible, harness_bytes *image) {
  char path[HARNESS_PATH];
  harness_words words;
  harness_outcome outcome;
  const char *argv[256] = {program, "--identity=nvlink", compatible ? "--bug-compatible" : "--threads=0"};
  size_t count = 3;
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &words);
  for (size_t i = 0; i < words.count && count + 1 < sizeof argv / sizeof *argv; i++)
    argv[count++] = words.items[i];
  harness_run(&(harness_command){.argv = argv, .directory = scratch}, &outcome);
  harness_free_outcome(&outcome);
  harness_free_words(&words);
  harness_path(path, "%s/out.cubin", scratch);
  return harness_read_file(path, image);
}

static void run_describe(const char *job, const char *what, const run_result *got, const run_result *want) {
  printf("%s: %s: exit code %d, %zu bytes of memory; nvlink's: exit code %d, %zu bytes\n", job, what, got->outcome.code,
         got->memory.size, want->outcome.code, want->memory.size);
}

static void run_job(const harness_job *job, const char *description) {
  char scratch[HARNESS_PATH], vendor_path[HARNESS_PATH], path[HARNESS_PATH];
  run_result vendor, ours;
  harness_bytes vendor_image, image;
  bool good = true;
  harness_make_scratch(scratch);
  harness_link_inputs(job->inputs, scratch);
  harness_path(path, "%s/out.cubin", scratch);
  harness_path(vendor_path, "%s/expect.cubin", job->directory);
  run_image(&vendor, vendor_path, description, scratch);
  if (!harness_read_file(vendor_path, &vendor_image))
    harness_stop("cannot read %s", vendor_path);
  for (int compatible = 1; compatible >= 0; compatible--) {
    if (!run_link(job, scratch, compatible, &image)) {
      good = good && !compatible;
      continue;
    }
    run_image(&ours, path, description, scratch);
    const bool agrees = run_agrees(&ours, &vendor), same_file = run_same(&image, &vendor_image);
    if (!agrees)
      run_describe(job->name, compatible ? "--bug-compatible" : "default", &ours, &vendor);
    good = good && (agrees || (!compatible && !same_file));
    run_free(&ours);
    free(image.data);
  }
  passed += good;
  failed += !good;
  run_free(&vendor);
  free(vendor_image.data);
  harness_remove_tree(scratch);
}

/* A cubin runs on devices of its major number and at least its minor one; code of a variant on its own number alone. */
static bool run_fits(const char *name, int device) {
  const char *const at = strstr(name, "/sm_");
  char *end = NULL;
  const int number = at ? (int)strtol(at + 4, &end, 10) : 0;
  if (!at || number / 10 != device / 10)
    return false;
  return *end == 'a' ? number == device : number <= device;
}

/* The launch description of a job's program; "-" when there is none. */
static void run_find_description(const harness_job *job, char path[HARNESS_PATH]) {
  harness_path(path, "%s/../launch", job->inputs);
  if (!harness_exists(path))
    harness_path(path, "-");
}

static void run_set(const char *corpus, const char *set, bool available, int device) {
  harness_jobs jobs;
  harness_list_jobs(corpus, set, &jobs);
  for (size_t i = 0; i < jobs.count; i++) {
    char path[HARNESS_PATH];
    harness_path(path, "%s/expect.cubin", jobs.items[i].directory);
    if (!harness_exists(path))
      continue;
    run_find_description(&jobs.items[i], path);
    if (available && run_fits(jobs.items[i].name, device))
      run_job(&jobs.items[i], path);
    else
      skipped++;
  }
  harness_free_jobs(&jobs);
}

static int run_all(const char *corpus) {
  static const char *const sets[] = {"cuda", "vendor-defects"};
  gpu_driver driver;
  int device = 0;
  const char *reason = NULL;
  const bool available = gpu_driver_open(&driver, &device, &reason);
  if (available)
    printf("device: compute capability %d.%d\n", device / 10, device % 10);
  else
    printf("skipped: %s\n", reason);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    run_set(corpus, sets[i], available, device);
  printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  return failed ? FAILED : 0;
}

/* --- descriptions --- */

/* Bytes of the kernel's parameters as the cubin has them; -1 when it has no such kernel. */
static long check_parameter_bytes(const ref_cubin *cubin, const char *kernel) {
  char name[600];
  ref_attribute attribute;
  uint64_t position = 0;
  snprintf(name, sizeof name, ".nv.info.%s", kernel);
  const uint32_t section = ref_cubin_find_section(cubin, name);
  snprintf(name, sizeof name, ".nv.constant0.%s", kernel);
  if (!section || !ref_cubin_find_section(cubin, name))
    return -1;
  while (ref_cubin_next_attribute(&cubin->sections[section], &position, &attribute))
    if (attribute.code == ATTRIBUTE_PARAMETER_BYTES)
      return ref_u16(attribute.data);
  return 0;
}

static void check_line(const ref_cubin *cubin, const char *job, const char *line) {
  gpu_launch launch;
  const char *reason = NULL;
  bool good = gpu_launch_read(&launch, line, &reason);
  const long bytes = good ? check_parameter_bytes(cubin, launch.kernel) : -1;
  if (good && bytes != (long)gpu_launch_parameter_bytes(&launch)) {
    good = false;
    reason = bytes < 0 ? "the job has no such kernel" : "the kernel's parameters have another size";
  }
  passed += good;
  failed += !good;
  if (!good)
    printf("%s: %s: %s\n", job, line, reason);
}

static void check_job(const harness_job *job, const char *description) {
  char path[HARNESS_PATH], error[256];
  harness_bytes bytes;
  harness_words lines;
  ref_cubin cubin;
  harness_path(path, "%s/expect.cubin", job->directory);
  if (!harness_read_file(path, &bytes))
    return;
  if (!ref_cubin_read(&cubin, bytes.data, bytes.size, error, sizeof error))
    harness_stop("%s: %s", path, error);
  harness_read_lines(description, &lines);
  for (size_t i = 0; i < lines.count; i++)
    if (*lines.items[i] && *lines.items[i] != '#')
      check_line(&cubin, job->name, lines.items[i]);
  harness_free_words(&lines);
  ref_cubin_free(&cubin);
  free(bytes.data);
}

static int check_all(const char *corpus) {
  static const char *const sets[] = {"cuda", "vendor-defects"};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    harness_jobs jobs;
    harness_list_jobs(corpus, sets[i], &jobs);
    for (size_t k = 0; k < jobs.count; k++) {
      char description[HARNESS_PATH];
      run_find_description(&jobs.items[k], description);
      if (strcmp(description, "-") != 0)
        check_job(&jobs.items[k], description);
    }
    harness_free_jobs(&jobs);
  }
  printf("%zu passed, %zu failed, 0 skipped\n", passed, failed);
  return failed || !passed ? FAILED : 0;
}

int main(int argc, char **argv) {
  if (!realpath("/proc/self/exe", self))
    harness_stop("where am I?");
  if (argc == 5 && strcmp(argv[1], "image") == 0)
    return image_run(argv[2], argv[3], argv[4]);
  if (argc == 3 && strcmp(argv[1], "check") == 0)
    return check_all(argv[2]);
  if (argc == 4 && strcmp(argv[1], "run") == 0 && realpath(argv[2], program))
    return run_all(argv[3]);
  fprintf(stderr, "usage: gpu run PROGRAM CORPUS\n       gpu check CORPUS\n       gpu image CUBIN LAUNCH OUT\n");
  return 2;
}
