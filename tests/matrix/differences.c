/* Reading the rules, and finding the one that names a cell. */
#include "differences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void difference_read(matrix_difference *row, const char *line, const char *path) {
  char *rest = NULL;
  *row = (matrix_difference){.line = strdup(line)};
  if (!row->line)
    harness_stop("out of memory");
  const char **const words[] = {&row->who, &row->sm, &row->classes, &row->modes, &row->forms, &row->types, &row->row};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!(*words[i] = strtok_r(i ? NULL : row->line, " ", &rest)))
      harness_stop("%s: '%s' has too few words", path, line);
  if (!rest || !*rest)
    harness_stop("%s: '%s' gives no reason", path, line);
}

void matrix_differences_read(matrix_differences *list, const char *path) {
  harness_words lines;
  *list = (matrix_differences){.count = 0};
  harness_read_lines(path, &lines);
  list->items = harness_grow(NULL, (lines.count + 1) * sizeof *list->items);
  for (size_t i = 0; i < lines.count; i++)
    if (lines.items[i][0] && lines.items[i][0] != '#')
      difference_read(&list->items[list->count++], lines.items[i], path);
  harness_free_words(&lines);
}

void matrix_differences_free(matrix_differences *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i].line);
  free(list->items);
}

static bool list_has(const char *list, const char *word) {
  const size_t length = strlen(word);
  if (strcmp(list, "*") == 0)
    return true;
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || !at[length]))
      return true;
  }
  return false;
}

static bool types_have(const char *list, unsigned type) {
  if (strcmp(list, "*") == 0)
    return true;
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    char *end = NULL;
    const unsigned long first = strtoul(at, &end, 10), last = *end == '-' ? strtoul(end + 1, NULL, 10) : first;
    if (type >= first && type <= last)
      return true;
  }
  return false;
}

matrix_difference *matrix_differences_find(const matrix_differences *list, const char *who, const matrix_place *place,
                                           unsigned type) {
  char machine[16];
  (void)snprintf(machine, sizeof machine, "%u", place->sm);
  for (size_t i = 0; i < list->count; i++) {
    const matrix_difference *const row = &list->items[i];
    if ((strcmp(row->who, who) == 0 || strcmp(row->who, "both") == 0) && list_has(row->sm, machine) &&
        list_has(row->classes, matrix_classes[place->kind].name) &&
        list_has(row->modes, matrix_mode_names[place->mode]) && list_has(row->forms, matrix_form_names[place->form]) &&
        types_have(row->types, type))
      return &list->items[i];
  }
  return NULL;
}
