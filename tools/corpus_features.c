/* twin corpus features: counts what the corpus's cubins, answers and command lines hold, and writes corpus/FEATURES. */
#include "corpus.h"
#include "corpus_scan.h"
#include "twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCHITECTURES = 8, NEEDED_PROGRAMS = 60, NEEDED_PER_ARCHITECTURE = 6, NEEDED_PER_CONSTRUCT = 3 };
static const char *const corpus_architectures[ARCHITECTURES] = {"75", "80", "86", "87", "88", "89", "90", "90a"};

typedef struct corpus_row {
  char *key; /* "kind\tname" */
  size_t programs, jobs, inputs, outputs, per_architecture[ARCHITECTURES];
  char *last_program;
} corpus_row;

typedef struct corpus_count {
  corpus_row *rows; /* sorted by key */
  size_t count, room;
} corpus_count;

static corpus_row *corpus_count_row(corpus_count *count, const char *key) {
  size_t low = 0, high = count->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(count->rows[middle].key, key);
    if (order == 0)
      return &count->rows[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (count->count == count->room) {
    count->room = count->room ? count->room * 2 : 256;
    corpus_row *rows = realloc(count->rows, count->room * sizeof *rows);
    if (!rows)
      abort();
    count->rows = rows;
  }
  memmove(count->rows + low + 1, count->rows + low, (count->count - low) * sizeof *count->rows);
  count->count++;
  text_buffer copy = {0};
  text_add(&copy, "%s", key);
  count->rows[low] = (corpus_row){.key = copy.bytes};
  return &count->rows[low];
}

/* The architecture that a job links for. */
static size_t corpus_target(const corpus_stored_job *job) {
  size_t result = ARCHITECTURES;
  for (size_t i = 0; i < ARCHITECTURES; i++)
    if (strcmp(corpus_architectures[i], job->architecture) == 0)
      result = i;
  for (size_t i = 0; i < job->arguments.count; i++)
    for (size_t j = 0; j < ARCHITECTURES; j++)
      if (strncmp(job->arguments.items[i], "-arch=sm_", 9) == 0 &&
          strcmp(job->arguments.items[i] + 9, corpus_architectures[j]) == 0)
        result = j;
  return result;
}

static void corpus_load(corpus_loaded *loaded, const char *path) {
  text_buffer copy = {0};
  text_add(&copy, "%s", path);
  char error[256];
  loaded->path = copy.bytes;
  loaded->bytes = file_read(path, &loaded->size);
  loaded->readable = loaded->bytes && ref_cubin_read(&loaded->cubin, loaded->bytes, loaded->size, error, sizeof error);
}

static void corpus_unload(corpus_loaded *loaded) {
  if (loaded->readable)
    ref_cubin_free(&loaded->cubin);
  free(loaded->bytes);
  free(loaded->path);
}

void corpus_load_job(corpus_loaded_job *loaded, const corpus_stored_job *job) {
  *loaded = (corpus_loaded_job){.job = job};
  string_list paths = corpus_job_inputs(job);
  loaded->inputs = calloc(paths.count + 1, sizeof *loaded->inputs);
  if (!loaded->inputs)
    abort();
  for (; loaded->input_count < paths.count; loaded->input_count++)
    corpus_load(&loaded->inputs[loaded->input_count], paths.items[loaded->input_count]);
  text_buffer path = {0};
  text_add(&path, "%s/%s/sm_%s/%s/expect.cubin", job->corpus, job->program, job->architecture, job->name);
  corpus_load(&loaded->output, path.bytes);
  text_free(&path);
  string_list_free(&paths);
}

void corpus_unload_job(corpus_loaded_job *loaded) {
  for (size_t i = 0; i < loaded->input_count; i++)
    corpus_unload(&loaded->inputs[i]);
  corpus_unload(&loaded->output);
  free(loaded->inputs);
}

static void corpus_count_keys(corpus_count *count, const corpus_stored_job *job, const string_list *inputs,
                              const string_list *outputs) {
  string_list all = {0};
  for (size_t i = 0; i < inputs->count; i++)
    string_list_add(&all, "%s", inputs->items[i]);
  for (size_t i = 0; i < outputs->count; i++)
    string_list_add(&all, "%s", outputs->items[i]);
  string_list_sort(&all);
  size_t target = corpus_target(job);
  for (size_t i = 0; i < all.count; i++) {
    if (i && strcmp(all.items[i], all.items[i - 1]) == 0)
      continue;
    corpus_row *row = corpus_count_row(count, all.items[i]);
    row->jobs++;
    row->inputs += string_list_holds(inputs, all.items[i]);
    row->outputs += string_list_holds(outputs, all.items[i]);
    if (target < ARCHITECTURES)
      row->per_architecture[target]++;
    if (!row->last_program || strcmp(row->last_program, job->program) != 0) {
      text_buffer copy = {0};
      text_add(&copy, "%s", job->program);
      free(row->last_program);
      row->last_program = copy.bytes;
      row->programs++;
    }
  }
  string_list_free(&all);
}

static bool corpus_count_job(const corpus_stored_job *job, void *context) {
  corpus_count *count = context;
  corpus_loaded_job loaded;
  string_list inputs = {0}, outputs = {0};
  corpus_load_job(&loaded, job);
  for (size_t i = 0; i < loaded.input_count; i++)
    if (loaded.inputs[i].readable)
      corpus_scan_cubin(&loaded.inputs[i].cubin, &inputs);
  if (loaded.output.readable)
    corpus_scan_cubin(&loaded.output.cubin, &outputs);
  for (const corpus_construct *construct = corpus_constructs; construct->name; construct++)
    if (construct->found(&loaded))
      string_list_add(&inputs, "construct\t%s", construct->name);
  size_t target = corpus_target(job);
  string_list_add(&inputs, "architecture\tsm_%s", target < ARCHITECTURES ? corpus_architectures[target] : "other");
  string_list_add(&inputs, "all\tall");
  corpus_scan_job(job, &inputs);
  string_list_sort(&inputs);
  corpus_count_keys(count, job, &inputs, &outputs);
  corpus_unload_job(&loaded);
  string_list_free(&inputs);
  string_list_free(&outputs);
  return true;
}

static void corpus_write_row(text_buffer *text, const corpus_row *row) {
  text_add(text, "%8zu %5zu %6zu %7zu  ", row->programs, row->jobs, row->inputs, row->outputs);
  for (size_t i = 0; i < ARCHITECTURES; i++)
    text_add(text, " %4zu", row->per_architecture[i]);
  text_add(text, "  %s\n", strchr(row->key, '\t') + 1);
}

static void corpus_write_kind(text_buffer *text, const corpus_count *count, const char *kind) {
  text_add(text, "\n%s\nprograms  jobs inputs outputs  ", kind);
  for (size_t i = 0; i < ARCHITECTURES; i++)
    text_add(text, " %4s", corpus_architectures[i]);
  text_add(text, "\n");
  size_t length = strlen(kind);
  for (size_t i = 0; i < count->count; i++)
    if (strncmp(count->rows[i].key, kind, length) == 0 && count->rows[i].key[length] == '\t')
      corpus_write_row(text, &count->rows[i]);
}

static void corpus_write(text_buffer *text, const corpus_count *count) {
  static const char *const kinds[] = {"all",    "architecture", "construct", "relocation", "section", "attribute",
                                      "symbol", "option",       "message",   "exit code",  NULL};
  text_add(text, "What the corpus holds, counted from its cubins, answers and command lines by twin corpus features.\n"
                 "inputs, outputs: jobs with it in an input cubin (or in the command line and the messages), in\n"
                 "nvlink's output. The last columns: jobs for each target architecture.\n");
  for (const char *const *kind = kinds; *kind; kind++)
    corpus_write_kind(text, count, *kind);
}

/* What is promised of the corpus and not kept; returns how much. */
static size_t corpus_check_promises(corpus_count *count) {
  size_t broken = 0;
  size_t programs = corpus_count_row(count, "all\tall")->programs;
  if (programs < NEEDED_PROGRAMS)
    broken += (size_t)printf("too few programs: %zu of %d\n", programs, NEEDED_PROGRAMS) > 0;
  text_buffer key = {0};
  for (size_t i = 0; i < ARCHITECTURES; i++) {
    text_free(&key);
    text_add(&key, "architecture\tsm_%s", corpus_architectures[i]);
    size_t found = corpus_count_row(count, key.bytes)->programs;
    if (found < NEEDED_PER_ARCHITECTURE)
      broken += (size_t)printf("too few programs for sm_%s: %zu\n", corpus_architectures[i], found) > 0;
  }
  for (const corpus_construct *construct = corpus_constructs; construct->name; construct++) {
    text_free(&key);
    text_add(&key, "construct\t%s", construct->name);
    size_t found = corpus_count_row(count, key.bytes)->programs;
    if (construct->required && found < NEEDED_PER_CONSTRUCT)
      broken += (size_t)printf("too few programs with %s: %zu\n", construct->name, found) > 0;
  }
  text_free(&key);
  return broken;
}

int corpus_features(const char *corpus, int argc, char **argv) {
  bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
  if (argc > 1 + check) {
    fprintf(stderr, "usage: twin corpus features [--check]\n");
    return TWIN_TROUBLE;
  }
  corpus_count count = {0};
  if (!corpus_visit_jobs(corpus, corpus_count_job, &count))
    return TWIN_TROUBLE;
  size_t broken = corpus_check_promises(&count);
  text_buffer text = {0}, path = {0};
  corpus_write(&text, &count);
  text_add(&path, "%s/../FEATURES", corpus);
  size_t size = 0;
  char *old = file_read(path.bytes, &size);
  bool stale = !old || size != text.size || memcmp(old, text.bytes, size) != 0;
  bool written = check || !stale || process_write_file(path.bytes, text.bytes, text.size);
  const corpus_row *all = corpus_count_row(&count, "all\tall");
  printf("corpus: %zu programs, %zu jobs, %zu kinds of content; FEATURES %s\n", all->programs, all->jobs, count.count,
         !written         ? "could not be written"
         : check && stale ? "is stale: run twin corpus features"
                          : "is up to date");
  for (size_t i = 0; i < count.count; i++) {
    free(count.rows[i].key);
    free(count.rows[i].last_program);
  }
  free(count.rows);
  free(old);
  text_free(&text);
  text_free(&path);
  if (!written)
    return TWIN_TROUBLE;
  return broken || (check && stale) ? TWIN_FOUND : TWIN_OK;
}
