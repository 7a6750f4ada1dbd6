/* unit CORPUS: the linker's base and library, each against a model that is too simple to be wrong. The corpus's jobs show
 * that the whole is right; these checks say which piece is not, and reach what no input reaches: memory that runs out at
 * every place, threads that do not start. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static const char *unit_corpus;

static void *unit_allocate(void *context, size_t size) {
  unit_memory *const memory = context;
  memory->asked++;
  void *const block = memory->fail_at && memory->asked >= memory->fail_at ? NULL : malloc(size);
  memory->held += block != NULL;
  return block;
}

static void unit_release(void *context, void *block) {
  unit_memory *const memory = context;
  memory->held -= block != NULL;
  free(block);
}

tl_allocator unit_make_allocator(unit_memory *memory) {
  return (tl_allocator){unit_allocate, unit_release, memory, false};
}

static void *unit_allocate_or_stop(void *context, size_t size) {
  (void)context;
  return memset(harness_grow(NULL, size), 0xa5, size);
}

static void unit_release_plainly(void *context, void *block) {
  (void)context;
  free(block);
}

void unit_open_arena(tl_arena *arena) {
  static const tl_allocator allocator = {unit_allocate_or_stop, unit_release_plainly, NULL, false};
  tl_arena_init(arena, &allocator, UINT64_MAX / 2, NULL);
}

uint64_t unit_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void unit_add_input(unit_job *job, const char *directory, const char *word) {
  char path[HARNESS_PATH];
  if (job->count == UNIT_INPUTS)
    harness_stop("a job with more inputs than this test keeps");
  harness_bytes *const file = &job->files[job->count];
  harness_path(path, "%s/%s", directory, word);
  if (!harness_read_file(path, file))
    harness_stop("cannot read %s", path);
  job->inputs[job->count++] = (tl_input){.path = word, .data = file->data, .size = file->size};
}

void unit_open_job(unit_job *job, const char *name) {
  char path[HARNESS_PATH], directory[HARNESS_PATH];
  *job = (unit_job){.options = {.identity_nvlink = true, .bug_compatible = true, .threads = 1}};
  harness_path(path, "%s/cuda/%s/args", unit_corpus, name);
  harness_read_lines(path, &job->words);
  harness_path(directory, "%s/cuda/%s", unit_corpus, name);
  *strrchr(directory, '/') = '\0';
  for (size_t i = 0; i < job->words.count; i++) {
    const char *const word = job->words.items[i];
    if (strncmp(word, "-arch=", 6) == 0)
      job->options.arch = word + 6;
    else if (strcmp(word, "-v") == 0)
      job->options.verbose = true;
    else if (strcmp(word, "-o") == 0)
      i++;
    else if (*word == '-')
      harness_stop("%s has an option that this test does not know: %s", name, word);
    else
      unit_add_input(job, directory, word);
  }
}

void unit_close_job(unit_job *job) {
  for (size_t i = 0; i < job->count; i++)
    free(job->files[i].data);
  harness_free_words(&job->words);
}

int main(int argc, char **argv) {
  if (argc != 2)
    harness_stop("usage: unit CORPUS");
  unit_corpus = argv[1];
  int failed = unit_test_containers();
  failed += unit_test_list_sort();
  failed += unit_test_bits();
  failed += unit_test_memory();
  failed += unit_test_threads();
  failed += unit_test_image();
  failed += unit_test_capsule();
  failed += unit_test_leaf();
  failed += unit_test_guard();
  return failed != 0;
}
