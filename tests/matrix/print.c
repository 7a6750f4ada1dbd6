/* The table as a picture: which fate the entries have, by class down and type across. */
#include "matrix.h"

#include <string.h>

enum { NAME_BYTES = 128, TENS = 10 };

static char cell_letter(const matrix_cell *cell) {
  static const char letters[] = {
      [OUTCOME_NONE] = '-', [OUTCOME_REFUSED] = '!', [OUTCOME_CRASHED] = 'x', [OUTCOME_HUNG] = 't'};
  return cell->outcome == OUTCOME_LINKED ? (char)cell->fate : letters[cell->outcome];
}

static void print_ruler(FILE *to) {
  fprintf(to, "%42s", "");
  for (unsigned type = 0; type < MATRIX_TYPES; type += TENS)
    fprintf(to, "%-10u", type);
  fputs("\n", to);
}

static void print_counts(FILE *to, const size_t counts[256]) {
  static const struct {
    char letter;
    const char *meaning;
  } legend[] = {
      {'a', "applied"},     {'k', "kept"},    {'c', "kept, bits changed too"}, {'b', "slot of a bindless table"},
      {'d', "dropped"},     {'!', "refused"}, {'x', "nvlink crashes"},         {'t', "nvlink hangs"},
      {'-', "not recorded"}};
  for (size_t i = 0; i < sizeof legend / sizeof *legend; i++)
    if (counts[(unsigned char)legend[i].letter])
      fprintf(to, "%c  %-26s %zu\n", legend[i].letter, legend[i].meaning, counts[(unsigned char)legend[i].letter]);
}

void matrix_print(const matrix_table *table, const matrix_choice *choice, FILE *to) {
  size_t counts[256] = {0}, rows = 0;
  for (size_t i = 0; i < matrix_place_count(); i++) {
    if (!matrix_chosen(choice, i))
      continue;
    char name[NAME_BYTES];
    const matrix_place place = matrix_place_at(i);
    if (rows++ % 30 == 0)
      print_ruler(to);
    matrix_place_name(&place, name, sizeof name);
    fprintf(to, "%-42s", name);
    for (size_t type = 0; type < matrix_place_types(&place); type++) {
      const char letter = cell_letter(&table->rows[i][type]);
      counts[(unsigned char)letter]++;
      fputc(letter, to);
    }
    fputs("\n", to);
  }
  print_counts(to, counts);
}
