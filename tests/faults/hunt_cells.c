/* Cells of the relocation matrix (tests/matrix) as inputs of the hunt: an entry of every type against every class of symbol in every
 * mode, of which compilers write few. */
#include "tests/faults/hunt.h"

#include "tests/matrix/capsule.h"
#include "tests/matrix/cells.h"
#include "tools/gen_random.h"

#include <stdlib.h>

/* A type that the row asks about. */
static unsigned cells_choose_type(gen_random *random, const matrix_place *place) {
  unsigned type = gen_random_below(random, matrix_place_types(place));
  while (!matrix_place_asks(place, type))
    type = gen_random_below(random, matrix_place_types(place));
  return type;
}

static void cells_write(const fuzz_envelope *cell, const char *directory, harness_words *words) {
  for (size_t i = 0; i < cell->word_count; i++)
    hunt_words_add(words, "%s", cell->words[i]);
  for (size_t i = 0; i < cell->file_count; i++) {
    char path[HARNESS_PATH];
    harness_path(path, "%s/%s", directory, cell->files[i].name);
    hunt_input_write(path, cell->files[i].bytes, cell->files[i].size);
    hunt_words_add(words, "%s", cell->files[i].name);
  }
  hunt_words_add(words, "-o");
  hunt_words_add(words, "out.cubin");
}

void hunt_cells_add(hunt_inputs *inputs, const char *corpus, const char *root, size_t count) {
  char directory[HARNESS_PATH], name[HARNESS_PATH], row[HARNESS_PATH];
  harness_path(directory, "%s/matrix/capsule.cubin", corpus);
  matrix_capsule_load(directory);
  for (size_t i = 0; i < count; i++) {
    gen_random random = {.state = 0x63656c6c73u + i};
    const matrix_place place = matrix_place_at(gen_random_below(&random, (uint32_t)matrix_place_count()));
    const unsigned type = cells_choose_type(&random, &place);
    fuzz_envelope *const cell = harness_grow(NULL, sizeof *cell);
    *cell = (fuzz_envelope){0};
    matrix_cell_make(&place, type, cell);
    matrix_place_name(&place, row, sizeof row);
    harness_path(name, "cell %zu: %.100s type %x", i, row, type);
    harness_path(directory, "%s/cells/%zu", root, i);
    harness_make_directories(directory);
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    input->modes = 1u << i % HUNT_MODES;
    cells_write(cell, directory, &input->arguments);
    fuzz_envelope_free(cell);
    free(cell);
  }
}
