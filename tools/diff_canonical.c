/* twin diff --canonical A B --input CUBIN...: two links of one program compared by their canonical forms.
 *
 * 0: the same program, with sizes of B no larger than A's and every invariant of `twin check` kept by both; 1: not; 2: a
 * file cannot be read, or has no canonical form. `--input` names an input of both links, in the order of the command line,
 * `--input-b` those of B where they are others or in another order. With one output, `--print` shows its sentences. */
#include "diff_canonical.h"

#include "files.h"
#include "twin.h"

#include "canonical.h"
#include "ref_text.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2, DEFAULT_LIMIT = 50 };

typedef struct canonical_options {
  const char *outputs[SIDES];
  int output_count;
  string_list inputs, inputs_b;
  size_t limit; /* 0: all */
  bool json, print, quiet;
} canonical_options;

/* One link in memory. */
typedef struct canonical_side {
  size_t count; /* the output, then the inputs */
  char **bytes;
  ref_cubin *cubins;
  ref_check_file *files;
  ref_check_link link;
  ref_canonical form;
  size_t broken; /* invariants */
} canonical_side;

static int print_usage(void) {
  fprintf(stderr,
          "usage: twin diff --canonical A B --input CUBIN... [--input-b CUBIN...] [--limit N] [--json] [--quiet]\n"
          "       twin diff --canonical --print A --input CUBIN...\n"
          "  --input CUBIN    an input of both links, in order; --input-b: of B, where they are others\n"
          "  --limit N        at most N differences (0: all; 50 unless --json)\n");
  return TWIN_TROUBLE;
}

static bool parse(canonical_options *options, int argc, char **argv) {
  bool limited = false;
  for (int i = 1; i < argc; i++) {
    const bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--canonical") == 0)
      continue;
    if (strcmp(argv[i], "--json") == 0)
      options->json = true;
    else if (strcmp(argv[i], "--print") == 0)
      options->print = true;
    else if (strcmp(argv[i], "--quiet") == 0)
      options->quiet = true;
    else if (strcmp(argv[i], "--input") == 0 && has_value)
      string_list_add(&options->inputs, "%s", argv[++i]);
    else if (strcmp(argv[i], "--input-b") == 0 && has_value)
      string_list_add(&options->inputs_b, "%s", argv[++i]);
    else if (strcmp(argv[i], "--limit") == 0 && has_value) {
      char *end = NULL;
      options->limit = strtoul(argv[++i], &end, 10);
      limited = true;
      if (*end)
        return false;
    } else if (argv[i][0] == '-' || options->output_count == SIDES)
      return false;
    else
      options->outputs[options->output_count++] = argv[i];
  }
  if (!limited && !options->json && !options->print)
    options->limit = DEFAULT_LIMIT;
  return options->output_count == (options->print ? 1 : SIDES);
}

static bool side_read_file(canonical_side *side, const char *path) {
  size_t size = 0;
  char error[256] = "cannot be read";
  char *bytes = file_read(path, &size);
  ref_cubin *const cubin = &side->cubins[side->count];
  if (bytes == NULL || !ref_cubin_read(cubin, bytes, size, error, sizeof error)) {
    fprintf(stderr, "twin diff: %s: %s\n", path, error);
    free(bytes);
    return false;
  }
  side->bytes[side->count] = bytes;
  side->files[side->count++] = (ref_check_file){path, cubin};
  return true;
}

/* Reads the files, checks the invariants, makes the form. */
static bool side_make(canonical_side *side, const char *output, const string_list *inputs) {
  side->bytes = ref_allocate(inputs->count + 1, sizeof *side->bytes);
  side->cubins = ref_allocate(inputs->count + 1, sizeof *side->cubins);
  side->files = ref_allocate(inputs->count + 1, sizeof *side->files);
  bool good = side_read_file(side, output);
  for (size_t i = 0; good && i < inputs->count; i++)
    good = side_read_file(side, inputs->items[i]);
  if (!good)
    return false;
  side->link = (ref_check_link){side->files[0], side->files + 1, inputs->count};
  char error[256];
  if (!ref_canonical_make(&side->form, &side->link, error, sizeof error)) {
    fprintf(stderr, "twin diff: %s: %s\n", output, error);
    return false;
  }
  ref_check_report report;
  ref_check(&report, &side->link);
  side->broken = report.broken - report.remade; /* the form says what they are (L932) */
  ref_check_free(&report);
  return true;
}

static void side_free(canonical_side *side) {
  for (size_t i = 0; i < side->count; i++) {
    ref_cubin_free(&side->cubins[i]);
    free(side->bytes[i]);
  }
  free(side->bytes);
  free(side->cubins);
  free(side->files);
  ref_canonical_free(&side->form);
}

typedef struct canonical_report {
  const canonical_options *options;
  cJSON *array; /* NULL: text */
  size_t shown;
} canonical_report;

static void line_print(const char *sign, const ref_canonical_line *line) {
  printf("%s %s", sign, line->text);
  if (line->is_size)
    printf(": %" PRIu64, line->size);
  printf("\n");
}

static void difference_add(cJSON *array, const ref_canonical_line *a, const ref_canonical_line *b) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddItemToObject(item, "a", a != NULL ? cJSON_CreateString(a->text) : cJSON_CreateNull());
  cJSON_AddItemToObject(item, "b", b != NULL ? cJSON_CreateString(b->text) : cJSON_CreateNull());
  if (a != NULL && b != NULL) {
    cJSON_AddNumberToObject(item, "size_a", (double)a->size);
    cJSON_AddNumberToObject(item, "size_b", (double)b->size);
  }
  cJSON_AddItemToArray(array, item);
}

static void difference_found(void *extra, const ref_canonical_line *a, const ref_canonical_line *b) {
  canonical_report *const report = extra;
  if (report->options->quiet || (report->options->limit != 0 && report->shown >= report->options->limit))
    return;
  report->shown++;
  if (report->array != NULL) {
    difference_add(report->array, a, b);
    return;
  }
  if (a != NULL)
    line_print("-", a);
  if (b != NULL)
    line_print("+", b);
}

static int compare(const canonical_options *options, const canonical_side *sides) {
  cJSON *root = options->json ? cJSON_CreateObject() : NULL;
  canonical_report report = {.options = options,
                             .array = root != NULL ? cJSON_AddArrayToObject(root, "differences") : NULL};
  const size_t count = ref_canonical_compare(&sides[0].form, &sides[1].form, difference_found, &report);
  const bool same = count == 0 && sides[0].broken == 0 && sides[1].broken == 0;
  if (root != NULL) {
    cJSON_AddBoolToObject(root, "equal", same);
    cJSON_AddNumberToObject(root, "count", (double)count);
    cJSON_AddNumberToObject(root, "sentences", (double)sides[0].form.count);
    cJSON_AddNumberToObject(root, "fields", (double)sides[0].form.fields);
    cJSON_AddNumberToObject(root, "broken_a", (double)sides[0].broken);
    cJSON_AddNumberToObject(root, "broken_b", (double)sides[1].broken);
    char *text = cJSON_Print(root);
    printf("%s\n", text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(root);
  } else if (!options->quiet) {
    if (report.shown < count)
      printf("... and %zu more (--limit 0 shows all)\n", count - report.shown);
    printf("%s: %zu and %zu sentences, %zu and %zu fields, %zu differences; invariants broken: %zu and %zu\n",
           same ? "the same program" : "not the same", sides[0].form.count, sides[1].form.count, sides[0].form.fields,
           sides[1].form.fields, count, sides[0].broken, sides[1].broken);
  }
  return same ? TWIN_OK : TWIN_FOUND;
}

static int run(const canonical_options *options) {
  canonical_side sides[SIDES] = {{0}, {0}};
  bool good = side_make(&sides[0], options->outputs[0], &options->inputs);
  if (good && !options->print)
    good =
        side_make(&sides[1], options->outputs[1], options->inputs_b.count != 0 ? &options->inputs_b : &options->inputs);
  int code = TWIN_TROUBLE;
  if (good && options->print) {
    for (size_t i = 0; i < sides[0].form.count; i++)
      line_print(" ", &sides[0].form.lines[i]);
    code = TWIN_OK;
  } else if (good) {
    code = compare(options, sides);
  }
  side_free(&sides[0]);
  side_free(&sides[1]);
  return code;
}

bool diff_is_canonical(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--canonical") == 0)
      return true;
  return false;
}

int diff_canonical(int argc, char **argv) {
  canonical_options options = {.output_count = 0};
  const int code = parse(&options, argc, argv) ? run(&options) : print_usage();
  string_list_free(&options.inputs);
  string_list_free(&options.inputs_b);
  return code;
}
