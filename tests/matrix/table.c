/* The table as text: the messages, then a line a row, a word a cell, `word*N` for N equal ones in a row:
 *
 *   message 3 1 nvlink fatal   : Internal error: unexpected NVRS\n
 *   sm_90 constant exec RELA ~0 d.aBc9 a0f.Qw12 !3 x11 t
 *
 * linked: the fate, the mask of changed bytes where there can be any, a dot, the output's hash, and `~N` when message N came
 * with it and not the row's usual one, which stands in front; `!N`: refused with message N; `xN`: ended by signal N; `t`: ran
 * into a limit; `-`: not recorded. */
#include "table.h"

#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_DIGITS = 4, DIGIT_BITS = 6, WORD_MAX = 48, NAME_MAX_BYTES = 128 };
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

void matrix_table_start(matrix_table *table) {
  *table = (matrix_table){.rows = calloc(matrix_place_count(), sizeof *table->rows)};
  if (!table->rows)
    harness_stop("out of memory");
  (void)matrix_table_message(table, 0, "", 0);
}

void matrix_table_free(matrix_table *table) {
  for (size_t i = 0; i < table->message_count; i++)
    free(table->messages[i].text);
  free(table->messages);
  free(table->rows);
}

unsigned matrix_table_message(matrix_table *table, int code, const char *text, size_t size) {
  for (size_t i = 0; i < table->message_count; i++)
    if (table->messages[i].code == code && strlen(table->messages[i].text) == size &&
        memcmp(table->messages[i].text, text, size) == 0)
      return (unsigned)i;
  table->messages = harness_grow(table->messages, (table->message_count + 1) * sizeof *table->messages);
  char *const copy = harness_grow(NULL, size + 1);
  memcpy(copy, text, size);
  copy[size] = '\0';
  table->messages[table->message_count] = (matrix_message){code, copy};
  return (unsigned)table->message_count++;
}

/* ---- writing ---- */

static bool fate_has_mask(matrix_fate fate) {
  return fate == FATE_APPLIED || fate == FATE_BOTH || fate == FATE_BINDLESS;
}

/* `usual`: the message that goes without saying. */
static void cell_write(const matrix_cell *cell, unsigned usual, char word[WORD_MAX]) {
  int at = 0;
  switch (cell->outcome) {
  case OUTCOME_NONE:
    (void)snprintf(word, WORD_MAX, "-");
    return;
  case OUTCOME_REFUSED:
    (void)snprintf(word, WORD_MAX, "!%u", cell->number);
    return;
  case OUTCOME_CRASHED:
    (void)snprintf(word, WORD_MAX, "x%u", cell->number);
    return;
  case OUTCOME_HUNG:
    (void)snprintf(word, WORD_MAX, "t");
    return;
  case OUTCOME_LINKED:
    break;
  }
  at += snprintf(word, WORD_MAX, "%c", (int)cell->fate);
  if (fate_has_mask(cell->fate))
    at += snprintf(word + at, (size_t)(WORD_MAX - at), "%02x", cell->changed);
  word[at++] = '.';
  for (int i = 0; i < HASH_DIGITS; i++)
    word[at++] = digits[cell->hash >> DIGIT_BITS * i & 63];
  word[at] = '\0';
  if (cell->number != usual)
    (void)snprintf(word + at, (size_t)(WORD_MAX - at), "~%u", cell->number);
}

static bool row_is_empty(const matrix_cell *row) {
  for (size_t i = 0; i < MATRIX_TYPES; i++)
    if (row[i].outcome != OUTCOME_NONE)
      return false;
  return true;
}

/* The message of the first cell that links. */
static unsigned row_usual(const matrix_cell *row) {
  for (size_t i = 0; i < MATRIX_TYPES; i++)
    if (row[i].outcome == OUTCOME_LINKED)
      return row[i].number;
  return 0;
}

static void row_write(FILE *file, const matrix_cell *row, size_t types) {
  const unsigned usual = row_usual(row);
  if (usual)
    fprintf(file, " ~%u", usual);
  for (size_t i = 0, next; i < types; i = next) {
    char word[WORD_MAX], other[WORD_MAX];
    cell_write(&row[i], usual, word);
    for (next = i + 1; next < types; next++) {
      cell_write(&row[next], usual, other);
      if (strcmp(word, other) != 0)
        break;
    }
    if (next - i > 1)
      fprintf(file, " %s*%zu", word, next - i);
    else
      fprintf(file, " %s", word);
  }
  fputs("\n", file);
}

static void message_write(FILE *file, size_t number, const matrix_message *message) {
  fprintf(file, "message %zu %d ", number, message->code);
  for (const char *at = message->text; *at; at++)
    if (*at == '\n')
      fputs("\\n", file);
    else
      fputc(*at, file);
  fputs("\n", file);
}

/* Leaves out messages that no cell says any more. */
static void table_renumber(matrix_table *table) {
  unsigned *const numbers = calloc(table->message_count, sizeof *numbers);
  unsigned next = 1;
  if (!numbers)
    harness_stop("out of memory");
  for (size_t i = 0; i < matrix_place_count() * MATRIX_TYPES; i++) {
    matrix_cell *const cell = &table->rows[i / MATRIX_TYPES][i % MATRIX_TYPES];
    if (cell->number && (cell->outcome == OUTCOME_LINKED || cell->outcome == OUTCOME_REFUSED)) {
      if (!numbers[cell->number])
        numbers[cell->number] = next++;
      cell->number = numbers[cell->number];
    }
  }
  matrix_message *const kept = harness_grow(NULL, next * sizeof *kept);
  kept[0] = table->messages[0];
  for (size_t i = 1; i < table->message_count; i++)
    if (numbers[i])
      kept[numbers[i]] = table->messages[i];
    else
      free(table->messages[i].text);
  free(table->messages);
  free(numbers);
  table->messages = kept;
  table->message_count = next;
}

void matrix_table_write(matrix_table *table, const char *path) {
  table_renumber(table);
  FILE *const file = fopen(path, "w");
  if (!file)
    harness_stop("cannot write %s", path);
  fputs("# nvlink 13.0.88's answer to every cell of the relocation matrix (docs/specification/matrix.md).\n"
        "# Written by `./run matrix record`.\n",
        file);
  for (size_t i = 1; i < table->message_count; i++)
    message_write(file, i, &table->messages[i]);
  for (size_t i = 0; i < matrix_place_count(); i++) {
    const matrix_place place = matrix_place_at(i);
    char name[NAME_MAX_BYTES];
    if (row_is_empty(table->rows[i]))
      continue;
    matrix_place_name(&place, name, sizeof name);
    fputs(name, file);
    row_write(file, table->rows[i], matrix_place_types(&place));
  }
  if (fclose(file) != 0)
    harness_stop("cannot write %s", path);
}

/* ---- reading ---- */

static bool hash_read(const char **at, uint32_t *hash) {
  *hash = 0;
  for (int i = 0; i < HASH_DIGITS; i++, (*at)++) {
    const char *const found = **at ? strchr(digits, **at) : NULL;
    if (!found)
      return false;
    *hash |= (uint32_t)(found - digits) << DIGIT_BITS * i;
  }
  return true;
}

static bool number_read(const char **at, unsigned *number) {
  char *end = NULL;
  *number = (unsigned)strtoul(*at, &end, 10);
  const bool some = end != *at;
  *at = end;
  return some;
}

static bool linked_read(const char **at, unsigned usual, matrix_cell *cell) {
  char mask[3] = "";
  if (!strchr("akcbd", **at))
    return false;
  *cell = (matrix_cell){.outcome = OUTCOME_LINKED, .number = usual, .fate = (matrix_fate) * (*at)++};
  if (fate_has_mask(cell->fate)) {
    if (!(*at)[0] || !(*at)[1])
      return false;
    memcpy(mask, *at, 2);
    cell->changed = (uint8_t)strtoul(mask, NULL, 16);
    *at += 2;
  }
  if (*(*at)++ != '.' || !hash_read(at, &cell->hash))
    return false;
  if (**at != '~')
    return true;
  ++*at;
  return number_read(at, &cell->number);
}

static bool cell_read(const char **at, unsigned usual, matrix_cell *cell) {
  *cell = (matrix_cell){.outcome = OUTCOME_NONE};
  switch (**at) {
  case '-':
    ++*at;
    return true;
  case 't':
    ++*at;
    cell->outcome = OUTCOME_HUNG;
    return true;
  case '!':
  case 'x':
    cell->outcome = *(*at)++ == '!' ? OUTCOME_REFUSED : OUTCOME_CRASHED;
    return number_read(at, &cell->number);
  default:
    return **at && linked_read(at, usual, cell);
  }
}

static void row_read(matrix_table *table, size_t index, const char *at, const char *path) {
  const matrix_place place = matrix_place_at(index);
  const size_t types = matrix_place_types(&place);
  size_t count = 0;
  unsigned usual = 0;
  if (at[0] == ' ' && at[1] == '~') {
    at += 2;
    (void)number_read(&at, &usual);
  }
  while (*at == ' ') {
    matrix_cell cell;
    unsigned repeat = 1;
    at++;
    bool good = cell_read(&at, usual, &cell);
    if (good && *at == '*') {
      at++;
      good = number_read(&at, &repeat);
    }
    if (!good || repeat > types - count)
      harness_stop("%s: a row cannot be read at '%.40s'", path, at);
    while (repeat--)
      table->rows[index][count++] = cell;
  }
  if (count != types || *at)
    harness_stop("%s: a row has %zu cells", path, count);
}

static void message_read(matrix_table *table, char *line, const char *path) {
  unsigned number;
  int code, used = 0;
  if (sscanf(line, "message %u %d %n", &number, &code, &used) != 2 || number != table->message_count)
    harness_stop("%s: cannot read '%.60s'", path, line);
  char *to = line + used;
  const char *const text = to;
  for (const char *at = text; *at; to++)
    if (at[0] == '\\' && at[1] == 'n') {
      *to = '\n';
      at += 2;
    } else {
      *to = *at++;
    }
  (void)matrix_table_message(table, code, text, (size_t)(to - text));
}

/* The row that a line is for, and where its cells begin; rows that the matrix does not have any more are passed over. */
static bool place_read(const char *line, size_t *index, const char **cells) {
  for (size_t i = 0; i < matrix_place_count(); i++) {
    char name[NAME_MAX_BYTES];
    const matrix_place place = matrix_place_at(i);
    matrix_place_name(&place, name, sizeof name);
    const size_t length = strlen(name);
    if (strncmp(line, name, length) == 0 && line[length] == ' ') {
      *index = i;
      *cells = line + length;
      return true;
    }
  }
  return false;
}

void matrix_table_read(matrix_table *table, const char *path) {
  harness_words lines;
  matrix_table_start(table);
  harness_read_lines(path, &lines);
  for (size_t i = 0; i < lines.count; i++) {
    size_t index;
    const char *cells;
    if (strncmp(lines.items[i], "message ", 8) == 0)
      message_read(table, lines.items[i], path);
    else if (lines.items[i][0] == '#')
      continue;
    else if (place_read(lines.items[i], &index, &cells))
      row_read(table, index, cells, path);
    else
      harness_stop("%s: the matrix has no row '%.60s'", path, lines.items[i]);
  }
  harness_free_words(&lines);
}
