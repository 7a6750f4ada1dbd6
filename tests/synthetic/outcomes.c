/* OUTCOMES as text: ranges of types, one line a class, form and outcome, so that a change shows in a diff. */
#include "outcomes.h"

#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const outcome_names[] = {"linked", "refused", "crashed"};
static const char *const form_names[] = {"RELA", "REL"};

/* The types of one line as ranges. */
static void outcomes_write_ranges(FILE *file, const matrix_outcomes *outcomes, int kind, int form, unsigned outcome) {
  for (int type = 0; type < MATRIX_TYPES; type++) {
    if (outcomes->of[kind][type][form] != outcome)
      continue;
    const int first = type;
    while (type + 1 < MATRIX_TYPES && outcomes->of[kind][type + 1][form] == outcome)
      type++;
    fprintf(file, type > first ? " %d-%d" : " %d", first, type);
  }
}

void outcomes_write(const matrix_outcomes *outcomes, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    harness_stop("cannot write %s", path);
  fprintf(file, "# nvlink 13.0.88's answer to one R_CUDA type in a kernel's text, by class of the symbol.\n"
                "# Written by `synthetic make`; crashed: ended by a signal, no job is stored for it.\n");
  for (int kind = 0; kind < MATRIX_CLASSES; kind++)
    for (int form = 0; form < 2; form++)
      for (unsigned outcome = 0; outcome < 3; outcome++) {
        fprintf(file, "%s %s %s", matrix_class_names[kind], form_names[form], outcome_names[outcome]);
        outcomes_write_ranges(file, outcomes, kind, form, outcome);
        fputs("\n", file);
      }
  if (fclose(file) != 0)
    harness_stop("cannot write %s", path);
}

static int outcomes_find(const char *name, const char *const *names, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0)
      return i;
  harness_stop("OUTCOMES: unknown word '%s'", name);
}

static void outcomes_read_line(matrix_outcomes *outcomes, char *line) {
  char *rest = NULL;
  const char *const class_name = strtok_r(line, " ", &rest), *const form_name = strtok_r(NULL, " ", &rest);
  const char *const outcome_name = strtok_r(NULL, " ", &rest);
  if (!class_name || !form_name || !outcome_name)
    harness_stop("OUTCOMES: a line is too short");
  const int kind = outcomes_find(class_name, matrix_class_names, MATRIX_CLASSES);
  const int form = outcomes_find(form_name, form_names, 2), outcome = outcomes_find(outcome_name, outcome_names, 3);
  for (char *range = strtok_r(NULL, " ", &rest); range; range = strtok_r(NULL, " ", &rest)) {
    char *end = NULL;
    const long first = strtol(range, &end, 10), last = *end == '-' ? strtol(end + 1, NULL, 10) : first;
    for (long type = first; type >= 0 && type <= last && type < MATRIX_TYPES; type++)
      outcomes->of[kind][type][form] = (matrix_outcome)outcome;
  }
}

void outcomes_read(matrix_outcomes *outcomes, const char *path) {
  harness_words lines;
  memset(outcomes, 0, sizeof *outcomes);
  harness_read_lines(path, &lines);
  for (size_t i = 0; i < lines.count; i++)
    if (lines.items[i][0] != '#')
      outcomes_read_line(outcomes, lines.items[i]);
  harness_free_words(&lines);
}
