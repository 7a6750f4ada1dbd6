/* twin diff A B: where two linked cubins differ, said as a person would; oracle/compare/ finds the differences.
 *
 * Causes come first, what only follows from them after that, then how often each key occurred and how many bytes are
 * equal. 0: the bytes are the same, 1: they differ, 2: a file cannot be read (what can be said is said all the same). */
#include "diff_files.h"
#include "diff_code.h"
#include "files.h"
#include "json_file.h"
#include "twin.h"

#include "ref_rules.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 50 };

typedef struct diff_options {
  const char *files[2];
  size_t file_count;
  string_list inputs;
  size_t limit; /* 0: all */
  bool json, quiet, limited;
} diff_options;

static int diff_print_usage(void) {
  fprintf(stderr,
          "usage: twin diff A B [--json] [--quiet] [--limit N] [--input CUBIN]...\n"
          "  --input CUBIN  one of the cubins that were linked: names the relocation a differing field is of\n"
          "  --limit N      at most N differences (0: all; %d unless --json)\n",
          DEFAULT_LIMIT);
  return TWIN_TROUBLE;
}

static bool diff_parse_options(diff_options *options, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--json") == 0)
      options->json = true;
    else if (strcmp(argv[i], "--quiet") == 0)
      options->quiet = true;
    else if (strcmp(argv[i], "--limit") == 0 && has_value) {
      char *end = NULL;
      options->limit = strtoul(argv[++i], &end, 10);
      options->limited = true;
      if (*end)
        return false;
    } else if (strcmp(argv[i], "--input") == 0 && has_value)
      string_list_add(&options->inputs, "%s", argv[++i]);
    else if (argv[i][0] == '-' || options->file_count == 2)
      return false;
    else
      options->files[options->file_count++] = argv[i];
  }
  if (!options->limited && !options->json)
    options->limit = DEFAULT_LIMIT;
  return options->file_count == 2;
}

static bool diff_read_file(ref_compared_file *file, const char *path) {
  size_t size = 0;
  *file = (ref_compared_file){.name = path, .bytes = file_read(path, &size)};
  file->size = size;
  if (!file->bytes)
    fprintf(stderr, "twin diff: cannot read '%s'\n", path);
  return file->bytes != NULL;
}

static double diff_percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static int diff_compare_keys(const void *left, const void *right) {
  const char *const *a = left, *const *b = right;
  return strcmp(*a, *b);
}

/* Calls nothing twice for a key: sorts the keys and walks over runs of equal ones. */
static const char **diff_sort_keys(const ref_comparison *result) {
  const char **keys = calloc(result->count + 1, sizeof *keys);
  for (size_t i = 0; keys && i < result->count; i++)
    keys[i] = result->differences[i].key;
  if (keys)
    qsort(keys, result->count, sizeof *keys, diff_compare_keys);
  return keys;
}

static void diff_print_summary(const ref_comparison *result) {
  const char **keys = diff_sort_keys(result);
  printf("%zu differences, %zu of them only follow from others:", result->count, result->count - result->causes);
  for (size_t i = 0, from = 0; keys && i < result->count; i++)
    if (!keys[i + 1] || strcmp(keys[i], keys[i + 1]) != 0) {
      printf(" %s %zu", keys[i], i + 1 - from);
      from = i + 1;
    }
  printf("\nbytes equal: %.3f %% at the same place of the file, %.3f %% at the same place of their section "
         "(A %llu bytes, B %llu bytes)\n",
         diff_percent(result->equal_in_place, result->compared_in_place),
         diff_percent(result->equal_in_sections, result->compared_in_sections), (unsigned long long)result->size_a,
         (unsigned long long)result->size_b);
  free(keys);
}

static void diff_print_text(const ref_comparison *result, const diff_options *options) {
  size_t shown = 0;
  for (int follows = 0; follows < 2; follows++)
    for (size_t i = 0; i < result->count; i++) {
      if (result->differences[i].follows != (follows != 0) || (options->limit && shown >= options->limit))
        continue;
      text_buffer text = {0};
      diff_add_difference(&text, &result->differences[i], "A", "B", "");
      fputs(text.bytes, stdout);
      text_free(&text);
      shown++;
    }
  if (shown < result->count)
    printf("... and %zu more (--limit 0 shows all)\n", result->count - shown);
  if (result->equal)
    printf("equal: %llu bytes\n", (unsigned long long)result->size_a);
  else
    diff_print_summary(result);
}

static cJSON *diff_make_json(const ref_comparison *result, const diff_options *options) {
  cJSON *root = cJSON_CreateObject();
  cJSON *differences = cJSON_CreateArray();
  cJSON_AddStringToObject(root, "a", options->files[0]);
  cJSON_AddStringToObject(root, "b", options->files[1]);
  cJSON_AddBoolToObject(root, "equal", result->equal);
  cJSON_AddNumberToObject(root, "size_a", (double)result->size_a);
  cJSON_AddNumberToObject(root, "size_b", (double)result->size_b);
  cJSON_AddNumberToObject(root, "percent_equal_in_place",
                          diff_percent(result->equal_in_place, result->compared_in_place));
  cJSON_AddNumberToObject(root, "percent_equal_in_sections",
                          diff_percent(result->equal_in_sections, result->compared_in_sections));
  cJSON_AddNumberToObject(root, "count", (double)result->count);
  cJSON_AddNumberToObject(root, "causes", (double)result->causes);
  for (size_t i = 0; i < result->count && (!options->limit || i < options->limit); i++) {
    const ref_difference *row = &result->differences[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "key", row->key);
    cJSON_AddStringToObject(item, "where", row->where);
    cJSON_AddStringToObject(item, "what", row->what);
    cJSON_AddItemToObject(item, "a", row->a ? cJSON_CreateString(row->a) : cJSON_CreateNull());
    cJSON_AddItemToObject(item, "b", row->b ? cJSON_CreateString(row->b) : cJSON_CreateNull());
    cJSON_AddBoolToObject(item, "follows", row->follows);
    cJSON_AddStringToObject(item, "rules", ref_rules_of_key(row->key));
    cJSON_AddItemToArray(differences, item);
  }
  cJSON_AddItemToObject(root, "differences", differences);
  return root;
}

static int diff_run(const diff_options *options) {
  ref_compared_file files[2] = {{0}, {0}};
  ref_compared_file *inputs = calloc(options->inputs.count + 1, sizeof *inputs);
  bool readable =
      inputs && diff_read_file(&files[0], options->files[0]) && diff_read_file(&files[1], options->files[1]);
  for (size_t i = 0; readable && i < options->inputs.count; i++)
    readable = diff_read_file(&inputs[i], options->inputs.items[i]);
  int exit_code = TWIN_TROUBLE;
  if (readable) {
    ref_comparison result;
    char error[512];
    const bool good =
        ref_compare_files(&result, &files[0], &files[1], inputs, options->inputs.count, error, sizeof error);
    if (options->json)
      json_print(diff_make_json(&result, options));
    else if (!options->quiet)
      diff_print_text(&result, options);
    if (!good)
      fprintf(stderr, "twin diff: %s\n", error);
    exit_code = !good ? TWIN_TROUBLE : result.equal ? TWIN_OK : TWIN_FOUND;
    ref_comparison_free(&result);
  }
  for (size_t i = 0; inputs && i < options->inputs.count; i++)
    free((void *)inputs[i].bytes);
  free((void *)files[0].bytes);
  free((void *)files[1].bytes);
  free(inputs);
  return exit_code;
}

int diff_files(int argc, char **argv) {
  diff_options options = {.file_count = 0};
  const int exit_code = diff_parse_options(&options, argc, argv) ? diff_run(&options) : diff_print_usage();
  string_list_free(&options.inputs);
  return exit_code;
}
