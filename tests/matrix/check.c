/* Linker and reference in this process against the table. Where nvlink crashed or hung there is nothing to agree with: then
 * both have to refuse. A cell that differs must be named by a rule of the list, and a cell that is named must differ.
 *
 * By default, without --bug-compatible, both must agree with each other. Where their answer is not nvlink's then, a rule has
 * to name the row of nvlink's defects, and the linker, under its own name, that row as well. */
#include "differences.h"
#include "matrix.h"
#include "named.h"

#include "fuzz/voter.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, LINKER = 0, REFERENCE, VOTERS, DEFAULT = VOTERS, DISAGREED, JUDGED };

static const struct {
  const char *name;
  void (*link)(const fuzz_envelope *envelope, fuzz_answer *answer);
} voters[VOTERS] = {{"linker", fuzz_link_linker}, {"reference", fuzz_link_reference}};
static const char *const judged_names[JUDGED] = {"linker", "reference", "default", "reference-default"};

/* What is to be said of one voter in one row. */
typedef struct checker_faults {
  bool differs[MATRIX_TYPES], stale[MATRIX_TYPES];
  size_t count;
  unsigned first;
  matrix_cell answer; /* to `first` */
} checker_faults;

typedef struct checker {
  matrix_table *table;
  matrix_differences differences;
  size_t cells, listed, named, agreed[JUDGED], unexpected;
} checker;

static bool cell_same(const matrix_cell *a, const matrix_cell *b) {
  return a->outcome == b->outcome && a->number == b->number &&
         (a->outcome != OUTCOME_LINKED || (a->fate == b->fate && a->changed == b->changed && a->hash == b->hash));
}

/* Two answers by default: what is said in words of their own differs. */
static bool cell_alike(const matrix_cell *a, const matrix_cell *b, const matrix_table *table) {
  matrix_cell said = *a;
  said.number = b->number;
  return table->messages[a->number].code == table->messages[b->number].code && cell_same(&said, b);
}

/* Whether an answer is the right one to what nvlink did. */
static bool cell_agrees(const matrix_cell *stored, const matrix_cell *ours, const matrix_table *table) {
  if (stored->outcome == OUTCOME_CRASHED || stored->outcome == OUTCOME_HUNG)
    return ours->outcome == OUTCOME_REFUSED && table->messages[ours->number].text[0];
  return cell_same(stored, ours);
}

static void cell_show(const char *who, const matrix_cell *cell, const matrix_table *table) {
  static const char *const words[] = {"no answer", "linked", "refused", "crashed", "hung"};
  printf("  %-9s %s", who, words[cell->outcome]);
  if (cell->outcome == OUTCOME_LINKED)
    printf(", fate %c, changed bytes %02x, hash %08x", (int)cell->fate, cell->changed, cell->hash);
  if (cell->outcome != OUTCOME_CRASHED && cell->number)
    printf(", code %d: %s", table->messages[cell->number].code, table->messages[cell->number].text);
  else
    printf("\n");
}

static void types_show(const bool types[MATRIX_TYPES], const char *what) {
  const char *before = what;
  for (unsigned first = 0, next; first < MATRIX_TYPES; first = next) {
    for (next = first + 1; types[first] && next < MATRIX_TYPES && types[next]; next++)
      continue;
    if (!types[first])
      continue;
    printf(next - first > 1 ? "%s%u-%u" : "%s%u", before, first, next - 1);
    before = ",";
  }
}

static void faults_show(checker *c, const char *who, size_t index, const checker_faults *faults) {
  char name[NAME_BYTES];
  const matrix_place place = matrix_place_at(index);
  if (!faults->count)
    return;
  c->unexpected += faults->count;
  matrix_place_name(&place, name, sizeof name);
  printf("FAILED: %s: %s:", who, name);
  types_show(faults->differs, " differs with types ");
  types_show(faults->stale, " listed, but agrees with types ");
  printf("\n  type %u:\n", faults->first);
  cell_show("nvlink", &c->table->rows[index][faults->first], c->table);
  cell_show(who, &faults->answer, c->table);
}

static void faults_add(checker_faults *faults, unsigned type, bool stale, const matrix_cell *ours) {
  (stale ? faults->stale : faults->differs)[type] = true;
  if (faults->count++)
    return;
  faults->first = type;
  faults->answer = *ours;
}

static matrix_cell check_link(checker *c, size_t voter, const matrix_place *place, const fuzz_envelope *envelope) {
  fuzz_answer answer;
  voters[voter].link(envelope, &answer);
  const matrix_answer plain = {.code = answer.code,
                               .text = answer.text,
                               .text_size = answer.text_size,
                               .image = answer.image,
                               .size = answer.size};
  const matrix_cell cell = matrix_answer_cell(&plain, place, envelope, c->table);
  fuzz_answer_free(&answer);
  return cell;
}

static void check_voter(checker *c, size_t who, size_t index, unsigned type, const matrix_cell *ours,
                        checker_faults *faults) {
  const matrix_place place = matrix_place_at(index);
  const bool agrees = cell_agrees(&c->table->rows[index][type], ours, c->table);
  matrix_difference *const known = matrix_differences_find(&c->differences, judged_names[who], &place, type);
  c->agreed[who] += agrees;
  if (who != DEFAULT)
    c->listed += known && !agrees;
  if (known)
    known->covered++;
  if (agrees == (known != NULL))
    faults_add(faults, type, agrees, ours);
}

/* The answer without --bug-compatible: the same of both, unless a rule says that one of them is wrong with the cell anyway;
 * and nvlink's, unless the linker names the row. */
static void check_default(checker *c, size_t index, unsigned type, fuzz_envelope *envelope, checker_faults *faults) {
  const matrix_place place = matrix_place_at(index);
  matrix_cell cells[VOTERS];
  bool known = false;
  for (size_t voter = 0; voter < VOTERS; voter++) {
    cells[voter] = check_link(c, voter, &place, envelope);
    known |= matrix_differences_find(&c->differences, judged_names[voter], &place, type) != NULL;
  }
  matrix_difference *const gap = matrix_differences_find(&c->differences, judged_names[DISAGREED], &place, type);
  const bool alike = cell_alike(&cells[LINKER], &cells[REFERENCE], c->table);
  if (gap)
    gap->covered++;
  if (!known && alike == (gap != NULL))
    faults_add(&faults[DISAGREED], type, alike, &cells[REFERENCE]);
  const matrix_difference *const rule = matrix_differences_find(&c->differences, judged_names[DEFAULT], &place, type);
  if (!known && !rule && !cell_agrees(&c->table->rows[index][type], &cells[LINKER], c->table) &&
      matrix_names_row(envelope)) {
    c->named++;
    return;
  }
  if (!known)
    check_voter(c, DEFAULT, index, type, &cells[LINKER], &faults[DEFAULT]);
}

static void check_row(checker *c, size_t index) {
  const matrix_place place = matrix_place_at(index);
  checker_faults faults[JUDGED] = {{.count = 0}};
  for (unsigned type = 0; type < matrix_place_types(&place); type++) {
    if (!matrix_place_asks(&place, type))
      continue;
    fuzz_envelope envelope;
    matrix_cell_make(&place, type, &envelope);
    check_default(c, index, type, &envelope, faults);
    (void)fuzz_envelope_add_word(&envelope, "--bug-compatible");
    c->cells++;
    for (size_t voter = 0; voter < VOTERS; voter++) {
      const matrix_cell ours = check_link(c, voter, &place, &envelope);
      check_voter(c, voter, index, type, &ours, &faults[voter]);
    }
    fuzz_envelope_free(&envelope);
  }
  for (size_t who = 0; who < JUDGED; who++)
    faults_show(c, judged_names[who], index, &faults[who]);
}

/* A rule of which no cell was met is stale, too, where all were looked at. */
static void check_rules(checker *c, const matrix_choice *choice) {
  const bool all = !choice->class_name && !choice->mode_name && !choice->form_name && !choice->sm && choice->share < 2;
  for (size_t i = 0; i < c->differences.count; i++) {
    const matrix_difference *const rule = &c->differences.items[i];
    printf("%s: %s %s %s %s %s %s: %zu cells\n", rule->row, rule->who, rule->sm, rule->classes, rule->modes,
           rule->forms, rule->types, rule->covered);
    if (all && !rule->covered) {
      printf("FAILED: that rule names no cell\n");
      c->unexpected++;
    }
  }
}

bool matrix_check(matrix_table *table, const matrix_choice *choice, const char *differences) {
  checker c = {.table = table};
  matrix_differences_read(&c.differences, differences);
  for (size_t i = 0; i < matrix_place_count(); i++)
    if (matrix_chosen(choice, i))
      check_row(&c, i);
  check_rules(&c, choice);
  matrix_differences_free(&c.differences);
  printf("%zu cells: linker %zu, reference %zu as nvlink; %zu differences by a listed rule (%.1f %% of the answers)\n",
         c.cells, c.agreed[0], c.agreed[1], c.listed,
         c.cells ? 100.0 * (double)c.listed / (double)(VOTERS * c.cells) : 0.0);
  const size_t answers = VOTERS * c.cells;
  printf("%zu passed, %zu failed, 0 skipped\n", c.unexpected < answers ? answers - c.unexpected : 0, c.unexpected);
  return c.cells && !c.unexpected;
}
