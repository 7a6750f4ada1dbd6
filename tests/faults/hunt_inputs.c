/* The corpus's jobs and generated programs as inputs of the hunt. Everything is copied first: a faulty linker may write
 * anywhere below its directory. The copies' time is how the runner knows them from outputs. */
#define _GNU_SOURCE /* vasprintf */
#include "tests/faults/hunt.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

static char *inputs_copy_text(const char *text) {
  char *const copy = strdup(text);
  if (!copy)
    harness_stop("no memory");
  return copy;
}

hunt_input *hunt_inputs_add(hunt_inputs *inputs, const char *name, const char *directory, const char *origin) {
  inputs->items = harness_grow(inputs->items, (inputs->count + 1) * sizeof *inputs->items);
  hunt_input *const input = &inputs->items[inputs->count++];
  *input = (hunt_input){.name = inputs_copy_text(name),
                        .directory = inputs_copy_text(directory),
                        .origin = origin ? inputs_copy_text(origin) : NULL,
                        .modes = (1u << HUNT_MODES) - 1};
  return input;
}

void hunt_input_write(const char *path, const void *bytes, size_t size) {
  const struct timespec times[2] = {{.tv_sec = HUNT_INPUT_TIME}, {.tv_sec = HUNT_INPUT_TIME}};
  unlink(path);
  harness_write_file(path, bytes, size);
  if (chmod(path, 0444) != 0 || utimensat(AT_FDCWD, path, times, 0) != 0)
    harness_stop("cannot set mode and time of %s: %s", path, strerror(errno));
}

harness_bytes hunt_cubin_visit(const char *path, hunt_visit *visit, void *context) {
  harness_bytes bytes;
  ref_cubin cubin;
  char error[256];
  if (!harness_read_file(path, &bytes))
    harness_stop("cannot read %s", path);
  if (ref_cubin_read(&cubin, bytes.data, bytes.size, error, sizeof error)) {
    visit(&cubin, bytes, context);
    ref_cubin_free(&cubin);
  }
  return bytes;
}

typedef struct inputs_change {
  hunt_change *change;
  gen_random *random;
} inputs_change;

static void inputs_visit_to_change(const ref_cubin *cubin, harness_bytes bytes, void *context) {
  const inputs_change *const wanted = context;
  wanted->change(cubin, wanted->random, bytes.data);
}

void hunt_input_change(gen_random *random, const char *from, const char *to, hunt_change *change) {
  const harness_bytes bytes = hunt_cubin_visit(from, inputs_visit_to_change, &(inputs_change){change, random});
  hunt_input_write(to, bytes.data, bytes.size);
  free(bytes.data);
}

typedef struct inputs_rewrite {
  hunt_rewrite *rewrite;
  gen_random *random;
  harness_bytes bytes; /* none: the file is no cubin */
} inputs_rewrite;

static void inputs_visit_to_rewrite(const ref_cubin *cubin, harness_bytes bytes, void *context) {
  inputs_rewrite *const done = context;
  done->bytes = (harness_bytes){.data = harness_grow(NULL, bytes.size), .size = bytes.size};
  memcpy(done->bytes.data, bytes.data, bytes.size);
  done->rewrite(cubin, done->random, &done->bytes);
}

void hunt_input_rewrite(gen_random *random, const char *from, const char *to, hunt_rewrite *rewrite) {
  inputs_rewrite done = {.rewrite = rewrite, .random = random};
  const harness_bytes before = hunt_cubin_visit(from, inputs_visit_to_rewrite, &done);
  const harness_bytes *const written = done.bytes.data ? &done.bytes : &before;
  hunt_input_write(to, written->data, written->size);
  free(done.bytes.data);
  free(before.data);
}

void hunt_input_link(const char *directory, const char *name, const char *target) {
  const struct timespec times[2] = {{.tv_sec = HUNT_INPUT_TIME}, {.tv_sec = HUNT_INPUT_TIME}};
  char path[HARNESS_PATH];
  harness_path(path, "%s/%s", directory, name);
  unlink(path);
  if (symlink(target, path) != 0 || utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) != 0)
    harness_stop("cannot make the link %s: %s", path, strerror(errno));
}

void hunt_copy_files(const char *from, const char *to) {
  harness_make_directories(to);
  DIR *const directory = opendir(from);
  if (!directory)
    harness_stop("no directory %s", from);
  for (const struct dirent *entry = NULL; (entry = readdir(directory));) {
    char source[HARNESS_PATH], target[HARNESS_PATH];
    struct stat status;
    harness_bytes bytes;
    harness_path(source, "%s/%s", from, entry->d_name);
    harness_path(target, "%s/%s", to, entry->d_name);
    if (stat(source, &status) != 0 || !S_ISREG(status.st_mode) || !harness_read_file(source, &bytes))
      continue;
    hunt_input_write(target, bytes.data, bytes.size);
    free(bytes.data);
  }
  closedir(directory);
}

void hunt_inputs_add_corpus(hunt_inputs *inputs, const char *corpus, const char *root, const char *only) {
  static const char *const sets[] = {"cuda", "messages", "synthetic", "vendor-defects"};
  for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
    harness_jobs jobs;
    harness_list_jobs(corpus, sets[set], &jobs);
    if (jobs.count == 0)
      harness_stop("no jobs in %s/%s", corpus, sets[set]);
    for (size_t i = 0; i < jobs.count; i++) {
      char name[HARNESS_PATH], directory[HARNESS_PATH], path[HARNESS_PATH];
      harness_path(name, "%s/%s", sets[set], jobs.items[i].name);
      harness_path(directory, "%s/%s", root, name);
      *strrchr(directory, '/') = '\0';
      if (!harness_exists(directory))
        hunt_copy_files(jobs.items[i].inputs, directory);
      if (!strstr(name, only))
        continue;
      harness_path(path, "%s/args", jobs.items[i].directory);
      harness_read_lines(path, &hunt_inputs_add(inputs, name, directory, jobs.items[i].inputs)->arguments);
    }
    harness_free_jobs(&jobs);
  }
}

void hunt_words_add(harness_words *words, const char *format, ...) {
  va_list arguments;
  char *text = NULL;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0)
    harness_stop("no memory");
  va_end(arguments);
  words->items = harness_grow(words->items, (words->count + 2) * sizeof *words->items);
  words->items[words->count++] = text;
  words->items[words->count] = NULL;
}

/* The words of a link that a program's description has; what it makes is called out.cubin, whatever its name there. */
static harness_words inputs_take_words(const cJSON *list) {
  harness_words words = {0};
  bool output = false;
  const cJSON *word = NULL;
  cJSON_ArrayForEach(word, list) {
    if (!cJSON_IsString(word))
      continue;
    hunt_words_add(&words, "%s", output ? "out.cubin" : word->valuestring);
    output = strcmp(word->valuestring, "-o") == 0;
  }
  return words;
}

/* Only the files that a link reads: what the linkers left there must not be taken for an input. False when one of them is
 * not there, as of a step that could not be linked. */
static bool inputs_copy_words(const char *from, const char *to, const harness_words *words) {
  harness_make_directories(to);
  for (size_t i = 0; i < words->count; i++) {
    const char *const word = words->items[i];
    const char *const end = strrchr(word, '.');
    char source[HARNESS_PATH], target[HARNESS_PATH];
    harness_bytes bytes;
    if (*word == '-' || !end || (strcmp(end, ".cubin") != 0 && strcmp(end, ".uidx") != 0) ||
        strcmp(word, "out.cubin") == 0)
      continue;
    harness_path(source, "%s/%s", from, word);
    harness_path(target, "%s/%s", to, word);
    if (!harness_read_file(source, &bytes))
      return false;
    hunt_input_write(target, bytes.data, bytes.size);
    free(bytes.data);
  }
  return words->count > 0;
}

/* A link of a program; takes its words. */
static bool inputs_add_link(hunt_inputs *inputs, const char *name, const char *from, const char *to,
                            const cJSON *list) {
  harness_words words = inputs_take_words(list);
  if (!inputs_copy_words(from, to, &words)) {
    harness_free_words(&words);
    return false;
  }
  hunt_inputs_add(inputs, name, to, from)->arguments = words;
  return true;
}

/* The link of a program, and the steps of one that is linked in steps. */
static bool inputs_add_program(hunt_inputs *inputs, const char *name, const char *from, const char *to) {
  char path[HARNESS_PATH], title[HARNESS_PATH];
  harness_bytes bytes;
  harness_path(path, "%s/program.json", from);
  if (!harness_read_file(path, &bytes))
    return false;
  cJSON *const json = cJSON_Parse((const char *)bytes.data);
  harness_path(title, "program %s", name);
  const bool added = inputs_add_link(inputs, title, from, to, cJSON_GetObjectItem(json, "link"));
  const cJSON *step = NULL;
  size_t number = 0;
  cJSON_ArrayForEach(step, cJSON_GetObjectItem(json, "steps")) {
    harness_path(title, "program %s, step %zu", name, number++);
    if (added)
      inputs_add_link(inputs, title, from, to, step);
  }
  cJSON_Delete(json);
  free(bytes.data);
  return added;
}

void hunt_inputs_add_programs(hunt_inputs *inputs, const char *directory, const char *root, size_t limit) {
  struct dirent **entries = NULL;
  const int count = scandir(directory, &entries, NULL, alphasort);
  size_t taken = 0;
  for (int i = 0; i < count; i++) {
    char from[HARNESS_PATH], to[HARNESS_PATH];
    harness_path(from, "%s/%s", directory, entries[i]->d_name);
    harness_path(to, "%s/programs/%s", root, entries[i]->d_name);
    if (taken < limit && strncmp(entries[i]->d_name, "seed-", 5) == 0)
      taken += inputs_add_program(inputs, entries[i]->d_name, from, to);
    free(entries[i]);
  }
  free(entries);
}

void hunt_input_restore(const hunt_input *input) {
  if (!input->origin)
    return;
  if (strncmp(input->name, "program ", 8) == 0)
    inputs_copy_words(input->origin, input->directory, &input->arguments);
  else
    hunt_copy_files(input->origin, input->directory);
}

static int inputs_compare(const void *left, const void *right) {
  const hunt_input *const a = left, *const b = right;
  const uint64_t first = XXH3_64bits(a->name, strlen(a->name)), second = XXH3_64bits(b->name, strlen(b->name));
  return first < second ? -1 : first > second ? 1 : strcmp(a->name, b->name);
}

void hunt_inputs_shuffle(hunt_inputs *inputs) {
  if (inputs->count)
    qsort(inputs->items, inputs->count, sizeof *inputs->items, inputs_compare);
}

static void inputs_free(hunt_input *input) {
  free(input->name);
  free(input->directory);
  free(input->origin);
  harness_free_words(&input->arguments);
  harness_free_words(&input->plain);
}

void hunt_inputs_free(hunt_inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++)
    inputs_free(&inputs->items[i]);
  free(inputs->items);
  *inputs = (hunt_inputs){0};
}
