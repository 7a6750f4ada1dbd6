/* Records from directories, newest first, with their age in commits. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

double report_number(const cJSON *data, const char *name) {
  const cJSON *const item = cJSON_GetObjectItemCaseSensitive(data, name);
  return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *report_word(const cJSON *data, const char *name) {
  const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(data, name));
  return text ? text : "";
}

int report_age(const report_input *input, const char *commit) {
  const size_t length = strlen(commit);
  for (size_t i = 0; length >= 7 && i < input->log.count; i++)
    if (strncmp(input->log.items[i], commit, length) == 0)
      return (int)i;
  return REPORT_AGE_UNKNOWN;
}

static bool report_read_record(report_input *input, const char *directory, const char *file) {
  text_buffer path = {0};
  size_t size;
  text_add(&path, "%s/%s", directory, file);
  char *const text = file_read(path.bytes, &size);
  report_record record = {.root = text ? cJSON_Parse(text) : NULL};
  free(text);
  text_free(&path);
  record.name = report_word(record.root, "name");
  record.command = report_word(record.root, "command");
  record.commit = report_word(record.root, "commit");
  record.date = report_word(record.root, "date");
  record.data = cJSON_GetObjectItemCaseSensitive(record.root, "data");
  if (report_number(record.root, "format") != 1 || !record.data || !*record.name || !*record.commit || !*record.date) {
    cJSON_Delete(record.root);
    string_list_add(&input->broken, "%s", file);
    return false;
  }
  record.exit_code = (int)report_number(record.root, "exit");
  record.dirty = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(record.root, "dirty"));
  record.age = report_age(input, record.commit);
  text_buffer name = {0};
  text_add(&name, "%s", file);
  record.file = name.bytes;
  input->records[input->count++] = record;
  return true;
}

static int report_compare_dates(const void *left, const void *right) {
  const report_record *const a = left, *const b = right;
  const int order = strcmp(b->date, a->date);
  return order ? order : strcmp(b->file, a->file);
}

static void report_read_log(report_input *input, const char *path) {
  size_t size;
  char *const text = path ? file_read(path, &size) : NULL;
  for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
    string_list_add(&input->log, "%s", line);
  free(text);
}

static bool report_has(const report_input *input, const char *file) {
  for (size_t i = 0; i < input->count; i++)
    if (strcmp(input->records[i].file, file) == 0)
      return true;
  return false;
}

static void report_read_directory(report_input *input, const char *directory) {
  string_list files = directory_list(directory, false);
  report_record *const more = realloc(input->records, (input->count + files.count + 1) * sizeof *more);
  if (!more)
    abort();
  input->records = more;
  for (size_t i = 0; i < files.count; i++) {
    const size_t length = strlen(files.items[i]);
    if (length > 5 && strcmp(files.items[i] + length - 5, ".json") == 0 && !report_has(input, files.items[i]))
      report_read_record(input, directory, files.items[i]);
  }
  string_list_free(&files);
}

bool report_load(report_input *input, const char *directory, const char *kept, const char *log) {
  report_read_log(input, log);
  report_read_directory(input, directory);
  if (kept)
    report_read_directory(input, kept);
  qsort(input->records, input->count, sizeof *input->records, report_compare_dates);
  return input->broken.count == 0;
}

const report_record *report_newest(const report_input *input, const char *name) {
  for (size_t i = 0; i < input->count; i++)
    if (strcmp(input->records[i].name, name) == 0)
      return &input->records[i];
  return NULL;
}

void report_unload(report_input *input) {
  for (size_t i = 0; i < input->count; i++) {
    cJSON_Delete(input->records[i].root);
    free(input->records[i].file);
  }
  free(input->records);
  string_list_free(&input->log);
  string_list_free(&input->broken);
}
