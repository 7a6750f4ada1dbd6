/* twin coverage: lines, branches and MC/DC of linker and oracle by room, from what llvm-cov wrote (./run coverage).
 *
 * The exit code is 0 when every floor is kept, no row of the table of unreachable lines is stale and every file of the list
 * is counted or holds nothing but tables; 1 otherwise; 2 when a file cannot be read. */
#include "coverage_report.h"
#include "twin.h"

#include <string.h>

int twin_coverage(int argc, char **argv);

static int coverage_usage(void) {
  fprintf(stderr,
          "usage: twin coverage --sources FILE --root DIRECTORY\n"
          "         --trace FILE... --conditions FILE...               everything that was run\n"
          "         [--tests-trace FILE... --tests-conditions FILE...] tests that do not go through the corpus's jobs\n"
          "         [--floors FILE] [--unreachable FILE] [--list FILE] [--json FILE]\n");
  return TWIN_TROUBLE;
}

static bool coverage_set_is_whole(const coverage_report *report) {
  bool whole = true;
  for (size_t i = 0; i < report->all.count; i++) {
    const coverage_file *const file = &report->all.files[i];
    size_t size;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", report->root, file->path);
    char *const text = file->line_count ? NULL : file_read(path, &size);
    /* A body begins a line below a name that ends in a parenthesis; tables have none. */
    if (text && strstr(text, ") {\n")) {
      printf("%s has functions, but no program's coverage counts them\n", file->path);
      whole = false;
    }
    text_free(&(text_buffer){.bytes = text});
  }
  return whole;
}

/* One option with its value; false when it means nothing or its file is not as it should be. */
static bool coverage_take(coverage_report *report, const char *word, const char *value, const char **json) {
  if (strcmp(word, "--sources") == 0)
    return coverage_read_list(&report->all, value) && coverage_read_list(&report->tests, value);
  if (strcmp(word, "--root") == 0)
    report->root = value;
  else if (strcmp(word, "--trace") == 0)
    return coverage_read_trace(&report->all, value);
  else if (strcmp(word, "--conditions") == 0)
    return coverage_read_conditions(&report->all, value);
  else if (strcmp(word, "--tests-trace") == 0)
    return coverage_read_trace(&report->tests, value);
  else if (strcmp(word, "--tests-conditions") == 0)
    return coverage_read_conditions(&report->tests, value);
  else if (strcmp(word, "--floors") == 0)
    return coverage_report_read_floors(report, value);
  else if (strcmp(word, "--unreachable") == 0)
    return coverage_report_read_reasons(report, value);
  else if (strcmp(word, "--list") == 0)
    return (report->list = fopen(value, "w")) != NULL;
  else if (strcmp(word, "--json") == 0)
    *json = value;
  else
    return false;
  return true;
}

static int coverage_judge(coverage_report *report, const char *json) {
  coverage_report_list(report);
  coverage_report_print(report);
  printf("%zu lines are not executed or have a branch that is not taken: %zu cannot be reached (a reason each), %zu are"
         " gaps\n",
         report->places, report->explained, report->places - report->explained);
  const size_t stale = coverage_report_stale(report), broken = coverage_report_floors(report);
  const bool whole = coverage_set_is_whole(report);
  if (json && !coverage_report_write(report, json)) {
    fprintf(stderr, "twin coverage: cannot write %s\n", json);
    return TWIN_TROUBLE;
  }
  return stale || broken || !whole ? TWIN_FOUND : TWIN_OK;
}

int twin_coverage(int argc, char **argv) {
  coverage_report report = {.root = "."};
  const char *json = NULL;
  int code = argc > 1 ? TWIN_OK : TWIN_TROUBLE;
  for (int i = 1; i < argc && code == TWIN_OK; i += 2)
    if (i + 1 == argc || !coverage_take(&report, argv[i], argv[i + 1], &json)) {
      fprintf(stderr, "twin coverage: %s %s: no such option, or nothing that can be read\n", argv[i],
              i + 1 < argc ? argv[i + 1] : "");
      code = TWIN_TROUBLE;
    }
  code = code == TWIN_OK && report.all.count ? coverage_judge(&report, json) : coverage_usage();
  if (report.list && fclose(report.list) != 0)
    code = TWIN_TROUBLE;
  coverage_report_free(&report);
  return code;
}
