/* Trace files and summaries of llvm-cov to counts by file. Of a trace only what the counts and the list of gaps need is
 * read: FN (functions), DA (lines), BRDA (branches). */
#include "coverage.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

const char *const coverage_what_words[COVERAGE_WHATS] = {"lines", "branches", "conditions"};

/* Room for one more item. A command that has no memory stops. */
static void *coverage_grow(void *items, size_t count, size_t *room, size_t size) {
  if (count < *room)
    return items;
  *room = *room ? 2 * *room : 64;
  void *const larger = realloc(items, *room * size);
  if (!larger)
    abort();
  return larger;
}

static char *coverage_copy(const char *text) {
  text_buffer copy = {0};
  text_add(&copy, "%s", text);
  return copy.bytes;
}

static coverage_file *coverage_add_file(coverage_set *set, const char *path) {
  set->files = coverage_grow(set->files, set->count, &set->room, sizeof *set->files);
  coverage_file *const file = &set->files[set->count++];
  *file = (coverage_file){.path = coverage_copy(path)};
  return file;
}

static coverage_file *coverage_look_up(const coverage_set *set, const char *path) {
  for (size_t i = 0; i < set->count; i++)
    if (strcmp(set->files[i].path, path) == 0)
      return &set->files[i];
  return NULL;
}

const coverage_file *coverage_find(const coverage_set *set, const char *path) {
  return coverage_look_up(set, path);
}

bool coverage_read_list(coverage_set *set, const char *path) {
  size_t size;
  char *const text = file_read(path, &size);
  for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
    coverage_add_file(set, line);
  free(text);
  return set->count > 0;
}

/* The path from the tree's root on: what stands before the last "linker/" or "oracle/" that begins a name goes. */
static const char *coverage_path_in_tree(const char *path) {
  const char *found = NULL;
  for (const char *at = path; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (strncmp(at, "linker/", 7) == 0 || strncmp(at, "oracle/", 7) == 0)
      found = at;
  }
  return found;
}

/* The record of one source begins. NULL for one that is not counted, or was read already. */
static coverage_file *coverage_begin_file(coverage_set *set, const char *path) {
  const char *const name = coverage_path_in_tree(path);
  const size_t length = name ? strlen(name) : 0;
  coverage_file *file = name ? coverage_look_up(set, name) : NULL;
  if (name && !file && length > 2 && strcmp(name + length - 2, ".h") == 0)
    file = coverage_add_file(set, name);
  if (!file || file->counted)
    return NULL;
  file->counted = true;
  return file;
}

static void coverage_add_line(coverage_file *file, unsigned line, uint64_t count) {
  file->lines = coverage_grow(file->lines, file->line_count, &file->line_room, sizeof *file->lines);
  file->lines[file->line_count++] = (coverage_line){line, count};
  file->counts[COVERAGE_LINES].all++;
  file->counts[COVERAGE_LINES].covered += count > 0;
}

static void coverage_add_branch(coverage_file *file, unsigned line, bool taken) {
  file->branches = coverage_grow(file->branches, file->branch_count, &file->branch_room, sizeof *file->branches);
  file->branches[file->branch_count++] = (coverage_branch){line, taken};
  file->counts[COVERAGE_BRANCHES].all++;
  file->counts[COVERAGE_BRANCHES].covered += taken;
}

static void coverage_add_function(coverage_file *file, unsigned line, const char *name) {
  const char *const colon = strrchr(name, ':'); /* "file.c:name" where the function is static */
  file->functions = coverage_grow(file->functions, file->function_count, &file->function_room, sizeof *file->functions);
  file->functions[file->function_count++] = (coverage_function){coverage_copy(colon ? colon + 1 : name), line};
}

static void coverage_read_row(coverage_file *file, const char *row) {
  unsigned line;
  unsigned long long count;
  char taken;
  int at = 0;
  if (sscanf(row, "DA:%u,%llu", &line, &count) == 2)
    coverage_add_line(file, line, count);
  else if (sscanf(row, "BRDA:%u,%*u,%*u,%c", &line, &taken) == 2)
    coverage_add_branch(file, line, taken != '0' && taken != '-');
  else if (sscanf(row, "FN:%u,%n", &line, &at) == 1 && at)
    coverage_add_function(file, line, row + at);
}

bool coverage_read_trace(coverage_set *set, const char *path) {
  size_t size;
  char *const text = file_read(path, &size);
  coverage_file *file = NULL;
  bool any = false;
  for (char *row = text ? strtok(text, "\n") : NULL; row; row = strtok(NULL, "\n")) {
    if (strncmp(row, "SF:", 3) == 0) {
      file = coverage_begin_file(set, row + 3);
      any = true;
    } else if (file) {
      coverage_read_row(file, row);
    }
  }
  free(text);
  return any;
}

bool coverage_read_conditions(coverage_set *set, const char *path) {
  size_t size;
  char *const text = file_read(path, &size);
  cJSON *const root = text ? cJSON_Parse(text) : NULL;
  const cJSON *const data = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "data"), 0), *one;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(data, "files")) {
    const char *const name = cJSON_GetStringValue(cJSON_GetObjectItem(one, "filename"));
    const cJSON *const counts = cJSON_GetObjectItem(cJSON_GetObjectItem(one, "summary"), "mcdc");
    const char *const in_tree = name ? coverage_path_in_tree(name) : NULL;
    coverage_file *const file = in_tree ? coverage_look_up(set, in_tree) : NULL;
    const double all = cJSON_GetNumberValue(cJSON_GetObjectItem(counts, "count"));
    const double covered = cJSON_GetNumberValue(cJSON_GetObjectItem(counts, "covered"));
    if (file && counts && file->counts[COVERAGE_MCDC].all == 0)
      file->counts[COVERAGE_MCDC] = (coverage_count){(size_t)all, (size_t)covered};
  }
  const bool good = data != NULL;
  cJSON_Delete(root);
  free(text);
  return good;
}

const char *coverage_function_at(const coverage_file *file, unsigned line) {
  const coverage_function *best = NULL;
  for (size_t i = 0; i < file->function_count; i++)
    if (file->functions[i].line <= line && (!best || file->functions[i].line > best->line))
      best = &file->functions[i];
  return best ? best->name : "";
}

bool coverage_is_in(const char *path, const char *room) {
  const size_t length = strlen(room);
  return length == 0 || (strncmp(path, room, length) == 0 && path[length] == '/');
}

coverage_count coverage_sum(const coverage_set *set, const char *room, coverage_what what) {
  coverage_count sum = {0};
  for (size_t i = 0; i < set->count; i++)
    if (coverage_is_in(set->files[i].path, room)) {
      sum.all += set->files[i].counts[what].all;
      sum.covered += set->files[i].counts[what].covered;
    }
  return sum;
}

double coverage_percent(coverage_count count) {
  return count.all ? 100.0 * (double)count.covered / (double)count.all : 100.0;
}

void coverage_free(coverage_set *set) {
  for (size_t i = 0; i < set->count; i++) {
    coverage_file *const file = &set->files[i];
    for (size_t j = 0; j < file->function_count; j++)
      free(file->functions[j].name);
    free(file->functions);
    free(file->branches);
    free(file->lines);
    free(file->path);
  }
  free(set->files);
  *set = (coverage_set){0};
}
