/* What the matrix is made of: rows, one a machine, class of symbol, mode of the link and form of the entry; in each row a cell
 * a type. A cell is one link, of two files, with one entry. */
#ifndef TEST_MATRIX_CELLS_H
#define TEST_MATRIX_CELLS_H

#include "fuzz/envelope.h"
#include "relocation_matrix.h"

typedef enum matrix_mode { MATRIX_EXECUTABLE, MATRIX_RELOCATABLE, MATRIX_PRESERVE, MATRIX_MODES } matrix_mode;

/* What the entry is: one of RELA, one of REL, one in a capsule's code; two of a type, the second of which has every bit of the
 * addend the other way round, in its field where that is REL's; Mercury's one of REL where the file is linked as one of SASS
 * kind. */
typedef enum matrix_entry_form {
  MATRIX_RELA,
  MATRIX_REL,
  MATRIX_CODE,
  MATRIX_RELA_TWICE,
  MATRIX_REL_TWICE,
  MATRIX_REL_SASS,
  MATRIX_FORMS
} matrix_entry_form;

extern const char *const matrix_mode_names[MATRIX_MODES];
extern const char *const matrix_form_names[MATRIX_FORMS];

typedef struct matrix_place {
  unsigned sm;
  matrix_class kind;
  matrix_mode mode;
  matrix_entry_form form;
} matrix_place;

/* The rows, in the order of the table. */
size_t matrix_place_count(void);
matrix_place matrix_place_at(size_t index);
/* The number of a row; SIZE_MAX when the matrix has no such row. */
size_t matrix_place_find(const matrix_place *place);

/* The files and words of a cell, for fuzz_envelope_free. */
void matrix_cell_make(const matrix_place *place, unsigned type, fuzz_envelope *envelope);
/* "sm_90 constant exec RELA" */
void matrix_place_name(const matrix_place *place, char *name, size_t size);
/* How many types a row asks about, and whether it asks about one. */
unsigned matrix_place_types(const matrix_place *place);
bool matrix_place_asks(const matrix_place *place, unsigned type);

/* The section that is patched, at which offset, and what an output can have for it: entries, a bank of bindless slots, records of
 * what was applied. */
typedef struct matrix_names {
  const char *section, *rela, *rel, *bank, *resolved;
  unsigned at;
} matrix_names;

matrix_names matrix_place_names(const matrix_place *place);

#endif
