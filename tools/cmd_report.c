/* twin report: report.json and index.html from the records of a directory (./run report).
 *
 * Exit code 0 also where something was not measured: the page says so. 1: a file of the directory is no record; it is named
 * on the page. 2: nothing could be written. */
#include "process.h"
#include "report.h"
#include "twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int twin_report(int argc, char **argv);

typedef struct report_options {
  const char *data, *kept, *keep, *into, *log, *commit, *date;
} report_options;

static int report_usage(void) {
  fprintf(stderr, "usage: twin report --data DIRECTORY --into DIRECTORY --commit ID --date DATE [--log FILE]\n"
                  "                   [--kept DIRECTORY] [--keep yes] [--root DIRECTORY] [--link PATH] [--fuzz FILE]\n"
                  "  --data   records of `twin record`       --log   commits, newest first: how old a record is\n"
                  "  --kept   further ones, of before        --keep  the newest of every command goes there first\n"
                  "  --fuzz   what campaigns append to       --link  from the page to the tree (../)\n");
  return TWIN_TROUBLE;
}

static bool report_parse(report_options *options, report_input *input, int argc, char **argv) {
  const struct {
    const char *word, **value;
  } rows[] = {{"--data", &options->data},     {"--into", &options->into}, {"--log", &options->log},
              {"--commit", &options->commit}, {"--date", &options->date}, {"--root", &input->root},
              {"--link", &input->link},       {"--fuzz", &input->fuzz},   {"--kept", &options->kept},
              {"--keep", &options->keep}};
  for (int i = 1; i < argc; i += 2) {
    size_t row = 0;
    while (row < sizeof rows / sizeof *rows && strcmp(rows[row].word, argv[i]) != 0)
      row++;
    if (row == sizeof rows / sizeof *rows || i + 1 == argc)
      return false;
    *rows[row].value = argv[i + 1];
  }
  return options->data && options->into && options->commit && options->date && (options->kept || !options->keep);
}

static cJSON *report_make(const report_options *options, const report_input *input) {
  cJSON *const report = cJSON_CreateObject();
  cJSON_AddNumberToObject(report, "format", 1);
  cJSON_AddStringToObject(report, "commit", options->commit);
  cJSON_AddStringToObject(report, "date", options->date);
  cJSON *const broken = cJSON_AddArrayToObject(report, "broken");
  for (size_t i = 0; i < input->broken.count; i++)
    cJSON_AddItemToArray(broken, cJSON_CreateString(input->broken.items[i]));
  cJSON_AddArrayToObject(report, "sections");
  report_corpus(report, input);
  report_programs(report, input);
  report_invariants(report, input);
  report_faults(report, input);
  report_campaigns(report, input);
  report_coverage(report, input);
  report_speed(report, input);
  report_release(report, input);
  report_defects(report, input);
  return report;
}

static bool report_write(const char *directory, const char *name, const char *bytes, size_t size) {
  text_buffer path = {0};
  text_add(&path, "%s/%s", directory, name);
  const bool written = bytes && process_write_file(path.bytes, bytes, size);
  if (!written)
    fprintf(stderr, "twin report: cannot write %s\n", path.bytes);
  text_free(&path);
  return written;
}

/* A line a section that has something to say on the terminal: what is missing. */
static size_t report_print_missing(const cJSON *report) {
  size_t count = 0;
  const cJSON *section, *one;
  cJSON_ArrayForEach(section, cJSON_GetObjectItem(report, "sections"))
      cJSON_ArrayForEach(one, cJSON_GetObjectItem(section, "missing")) {
    printf("not measured: %s; %s\n", report_word(one, "what"), report_word(one, "command"));
    count++;
  }
  return count;
}

int twin_report(int argc, char **argv) {
  report_options options = {0};
  report_input input = {.root = ".", .link = "../"};
  if (!report_parse(&options, &input, argc, argv))
    return report_usage();
  report_load(&input, options.data, options.kept, options.log);
  if (options.keep && !report_keep(&input, options.data, options.kept)) {
    report_unload(&input);
    return TWIN_TROUBLE;
  }
  cJSON *const report = report_make(&options, &input);
  char *const text = cJSON_Print(report);
  text_buffer page = {0};
  report_write_page(report, &page);
  const bool written = process_ensure_directory(options.into) && text &&
                       report_write(options.into, "report.json", text, strlen(text)) &&
                       report_write(options.into, "index.html", page.bytes, page.size);
  for (size_t i = 0; i < input.broken.count; i++)
    printf("no record: %s\n", input.broken.items[i]);
  const size_t missing = report_print_missing(report);
  printf("%zu records, %zu things not measured: %s/index.html\n", input.count, missing, options.into);
  const int code = !written ? TWIN_TROUBLE : input.broken.count ? TWIN_FOUND : TWIN_OK;
  text_free(&page);
  cJSON_free(text);
  cJSON_Delete(report);
  report_unload(&input);
  return code;
}
