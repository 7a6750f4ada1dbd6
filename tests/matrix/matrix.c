/* The relocation matrix (docs/specification/matrix.md).
 *
 *   matrix record TABLE [CHOICE]             asks nvlink, writes its answers
 *   matrix check TABLE DIFFERENCES [CHOICE]  holds linker and reference against them
 *   matrix print TABLE [CHOICE]              the outcomes as a picture
 *   matrix cell TABLE DIRECTORY --type=N [CHOICE]  writes the files of a cell, and its words into `args`
 *
 * CHOICE: --class=NAME --mode=exec|-r|preserve --sm=N --form=NAME --share=N (every N-th row) --jobs=N */
#include "matrix.h"
#include "capsule.h"

#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

bool matrix_chosen(const matrix_choice *choice, size_t index) {
  const matrix_place place = matrix_place_at(index);
  return (!choice->class_name || strcmp(choice->class_name, matrix_classes[place.kind].name) == 0) &&
         (!choice->mode_name || strcmp(choice->mode_name, matrix_mode_names[place.mode]) == 0) &&
         (!choice->form_name || strcmp(choice->form_name, matrix_form_names[place.form]) == 0) &&
         (!choice->sm || choice->sm == place.sm) && (choice->share < 2 || index % choice->share == 0);
}

/* What follows "--name=" in a word, or NULL. */
static const char *option_value(const char *word, const char *name) {
  const size_t length = strlen(name);
  return strncmp(word, name, length) == 0 ? word + length : NULL;
}

static bool choice_read(matrix_choice *choice, int count, char **words) {
  *choice = (matrix_choice){.share = 1};
  for (int i = 0; i < count; i++) {
    const char *value;
    if ((value = option_value(words[i], "--class=")) != NULL)
      choice->class_name = value;
    else if ((value = option_value(words[i], "--mode=")) != NULL)
      choice->mode_name = value;
    else if ((value = option_value(words[i], "--form=")) != NULL)
      choice->form_name = value;
    else if ((value = option_value(words[i], "--type=")) != NULL)
      choice->type = (unsigned)strtoul(value, NULL, 10);
    else if ((value = option_value(words[i], "--sm=")) != NULL)
      choice->sm = (unsigned)strtoul(value, NULL, 10);
    else if ((value = option_value(words[i], "--share=")) != NULL)
      choice->share = strtoul(value, NULL, 10);
    else if ((value = option_value(words[i], "--jobs=")) != NULL)
      choice->workers = (unsigned)strtoul(value, NULL, 10);
    else
      return false;
  }
  return true;
}

static int print_usage(void) {
  fprintf(stderr, "usage: matrix record TABLE [CHOICE]\n       matrix check TABLE DIFFERENCES [CHOICE]\n"
                  "       matrix print TABLE [CHOICE]\n       matrix cell TABLE DIRECTORY --type=N [CHOICE]\n"
                  "CHOICE: --class=NAME --mode=exec|-r|preserve --sm=N --form=NAME --share=N --jobs=N\n");
  return 2;
}

/* The first chosen row's. */
static void write_cell(const matrix_choice *choice, const char *directory) {
  char path[HARNESS_PATH], arguments[HARNESS_PATH] = "";
  fuzz_envelope envelope;
  size_t row = 0;
  while (row < matrix_place_count() && !matrix_chosen(choice, row))
    row++;
  if (row == matrix_place_count())
    harness_stop("the matrix has no such row");
  const matrix_place place = matrix_place_at(row);
  matrix_cell_make(&place, choice->type, &envelope);
  harness_make_directories(directory);
  for (size_t i = 0; i < envelope.word_count + envelope.file_count; i++) {
    const bool word = i < envelope.word_count;
    const char *const text = word ? envelope.words[i] : envelope.files[i - envelope.word_count].name;
    strncat(arguments, text, sizeof arguments - strlen(arguments) - 1);
    strncat(arguments, "\n", sizeof arguments - strlen(arguments) - 1);
    if (word)
      continue;
    harness_path(path, "%s/%s", directory, text);
    harness_write_file(path, envelope.files[i - envelope.word_count].bytes,
                       envelope.files[i - envelope.word_count].size);
  }
  strncat(arguments, "-o\nout.cubin\n", sizeof arguments - strlen(arguments) - 1);
  harness_path(path, "%s/args", directory);
  harness_write_file(path, arguments, strlen(arguments));
  fuzz_envelope_free(&envelope);
}

/* A table that is not there yet is empty. */
static void read_table(matrix_table *table, const char *path) {
  if (harness_exists(path))
    matrix_table_read(table, path);
  else
    matrix_table_start(table);
}

/* It stands beside the table. */
static void load_capsule(const char *table) {
  char path[HARNESS_PATH];
  const char *const slash = strrchr(table, '/');
  harness_path(path, "%.*scapsule.cubin", slash ? (int)(slash + 1 - table) : 0, table);
  matrix_capsule_load(path);
}

int main(int argc, char **argv) {
  const char *const what = argc > 2 ? argv[1] : "";
  const bool record = strcmp(what, "record") == 0, check = strcmp(what, "check") == 0, cell = strcmp(what, "cell") == 0;
  const int fixed = check || cell ? 4 : 3;
  matrix_choice choice;
  matrix_table table;
  bool good = true;
  if ((!record && !check && !cell && strcmp(what, "print") != 0) || argc < fixed ||
      !choice_read(&choice, argc - fixed, argv + fixed))
    return print_usage();
  load_capsule(argv[2]);
  read_table(&table, argv[2]);
  if (record) {
    const char *const nvlink = harness_find_nvlink();
    if (!nvlink)
      harness_stop("nvlink is not there: only nvlink writes answers");
    matrix_record(&table, &choice, nvlink);
    matrix_table_write(&table, argv[2]);
  } else if (check) {
    good = matrix_check(&table, &choice, argv[3]);
  } else if (cell) {
    write_cell(&choice, argv[3]);
  } else {
    matrix_print(&table, &choice, stdout);
  }
  matrix_table_free(&table);
  return !good;
}
