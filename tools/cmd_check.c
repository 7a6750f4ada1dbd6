/* twin check [--json] [--near N] [--map FILE] OUTPUT [INPUT...]: the invariants of one link; 0 when all hold, 1 when the link broke one, 2
 * when a file cannot be read. What an input broke already, at the same place, is listed and does not count. Without inputs only what the output alone shows is checked.
 *
 * `--map FILE`: the link map is compared with the link, too. `--near N` lists the N applied fields whose values are closest to not fitting. */
#include "files.h"
#include "json_file.h"
#include "twin.h"

#include "ref_check.h"
#include "ref_text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

int twin_check(int argc, char **argv);

typedef struct check_loaded {
  char *bytes;
  ref_cubin cubin;
} check_loaded;

static bool load(check_loaded *file, const char *path) {
  size_t size = 0;
  char error[256] = "cannot be read";
  file->bytes = file_read(path, &size);
  if (file->bytes && ref_cubin_read(&file->cubin, file->bytes, size, error, sizeof error))
    return true;
  fprintf(stderr, "twin check: %s: %s\n", path, error);
  free(file->bytes);
  file->bytes = NULL;
  return false;
}

static void unload(check_loaded *file) {
  if (file->bytes)
    ref_cubin_free(&file->cubin);
  free(file->bytes);
}

static const char *section_name(const ref_check_link *link, uint32_t section) {
  return section > 0 && section < link->output.cubin->section_count ? link->output.cubin->sections[section].name : "";
}

static void print_json(const ref_check_report *report, const ref_check_link *link, size_t near) {
  cJSON *json = cJSON_CreateObject();
  cJSON *findings = cJSON_AddArrayToObject(json, "findings");
  for (size_t i = 0; i < report->count; i++) {
    const ref_check_finding *finding = &report->findings[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "invariant", finding->row->name);
    cJSON_AddStringToObject(item, "class", finding->row->class == REF_CHECK_INHERITED ? "inherited" : "unconditional");
    cJSON_AddStringToObject(item, "section", section_name(link, finding->section));
    cJSON_AddNumberToObject(item, "offset", (double)finding->offset);
    cJSON_AddStringToObject(item, "text", finding->text);
    cJSON_AddBoolToObject(item, "in the input too", finding->in_input);
    cJSON_AddItemToArray(findings, item);
  }
  cJSON_AddNumberToObject(json, "broken", (double)report->broken);
  cJSON_AddNumberToObject(json, "in the inputs already", (double)report->in_inputs);
  cJSON_AddNumberToObject(json, "bytes explained", (double)report->bytes_explained);
  cJSON_AddNumberToObject(json, "fields checked", (double)report->fields_checked);
  cJSON_AddNumberToObject(json, "entries kept", (double)report->entries_kept);
  cJSON *fields = cJSON_AddArrayToObject(json, "near");
  for (size_t i = 0; i < near && i < report->near_count; i++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "section", section_name(link, report->near[i].section));
    cJSON_AddNumberToObject(item, "offset", (double)report->near[i].offset);
    cJSON_AddNumberToObject(item, "type", report->near[i].type);
    cJSON_AddNumberToObject(item, "value", (double)report->near[i].value);
    cJSON_AddNumberToObject(item, "slack", (double)report->near[i].slack);
    cJSON_AddItemToArray(fields, item);
  }
  json_print(json);
}

/* How many contradictions there are between the map and the link. */
static size_t check_map(const ref_check_link *link, const char *path) {
  size_t size = 0;
  char *const map = path ? file_read(path, &size) : NULL;
  if (path && !map) {
    fprintf(stderr, "twin check: %s: cannot be read\n", path);
    return 1;
  }
  const size_t wrong = map ? ref_check_map(link, map, stdout) : 0;
  free(map);
  return wrong;
}

static int check_files(char **paths, int count, bool json, size_t near, const char *map) {
  check_loaded *files = ref_allocate((size_t)count, sizeof *files);
  ref_check_file *inputs = ref_allocate((size_t)count, sizeof *inputs);
  bool good = true;
  for (int i = 0; i < count; i++) {
    good &= load(&files[i], paths[i]);
    inputs[i] = (ref_check_file){paths[i], &files[i].cubin};
  }
  int code = TWIN_TROUBLE;
  if (good) {
    const ref_check_link link = {inputs[0], inputs + 1, (size_t)count - 1};
    ref_check_report report;
    ref_check(&report, &link);
    const size_t contradictions = check_map(&link, map);
    code = report.broken || contradictions ? TWIN_FOUND : TWIN_OK;
    if (json)
      print_json(&report, &link, near);
    else {
      ref_check_print(stdout, &report, &link, near);
      printf("%zu broken, %zu in the inputs already; %zu bytes explained, %zu fields checked, %zu relocations kept\n",
             report.broken, report.in_inputs, report.bytes_explained, report.fields_checked, report.entries_kept);
    }
    ref_check_free(&report);
  }
  for (int i = 0; i < count; i++)
    unload(&files[i]);
  free(files);
  free(inputs);
  return code;
}

int twin_check(int argc, char **argv) {
  bool json = false;
  size_t near = 0;
  const char *map = NULL;
  int first = 1;
  for (; first < argc && argv[first][0] == '-' && argv[first][1]; first++) {
    if (strcmp(argv[first], "--json") == 0)
      json = true;
    else if (strcmp(argv[first], "--near") == 0 && first + 1 < argc)
      near = strtoul(argv[++first], NULL, 10);
    else if (strcmp(argv[first], "--map") == 0 && first + 1 < argc)
      map = argv[++first];
    else
      break;
  }
  if (first >= argc || (argv[first][0] == '-' && argv[first][1])) {
    fprintf(stderr, "usage: twin check [--json] [--near N] [--map FILE] OUTPUT [INPUT...]\n");
    return TWIN_TROUBLE;
  }
  return check_files(argv + first, argc - first, json, near, map);
}
