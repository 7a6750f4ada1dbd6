/* The rows: every class, mode and form for sm_90, for sm_75 what corpus/synthetic is made of, and capsules of sm_100. */
#include "cells.h"

#include "capsule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const matrix_mode_names[MATRIX_MODES] = {"exec", "-r", "preserve"};
const char *const matrix_form_names[2] = {"RELA", "REL"};
static const char *const mode_words[MATRIX_MODES] = {NULL, "-r", "-preserve-relocs"};

/* A machine with its classes, from the first one on, and its modes. */
typedef struct matrix_block {
  unsigned sm, classes, modes, forms;
  bool capsule;
} matrix_block;

enum { FORMS = 2, CAPSULE_SM = 100, CAPSULE_SLOT = 8 /* where the variable with the relocation stands */ };
static const matrix_block blocks[] = {
    {75, MATRIX_KERNEL, MATRIX_RELOCATABLE, FORMS, false},
    {90, MATRIX_CLASSES, MATRIX_MODES, FORMS, false},
    {CAPSULE_SM, MATRIX_CLASSES, MATRIX_MODES, 1, true}, /* Mercury relocations are RELA */
};
enum { BLOCKS = sizeof blocks / sizeof *blocks, ROWS_MAX = BLOCKS * MATRIX_CLASSES * MATRIX_MODES * FORMS };

static matrix_place rows[ROWS_MAX];
static size_t row_count;

static void list_rows(const matrix_block *block) {
  for (unsigned kind = 0; kind < block->classes; kind++)
    for (unsigned i = 0; i < block->modes * block->forms; i++)
      if (!block->capsule || matrix_capsule_has((matrix_class)kind))
        rows[row_count++] = (matrix_place){.sm = block->sm,
                                           .kind = (matrix_class)kind,
                                           .mode = (matrix_mode)(i / block->forms),
                                           .rel = i % block->forms != 0};
}

size_t matrix_place_count(void) {
  if (!row_count)
    for (size_t i = 0; i < BLOCKS; i++)
      list_rows(&blocks[i]);
  return row_count;
}

matrix_place matrix_place_at(size_t index) {
  return index < matrix_place_count() ? rows[index] : rows[0];
}

size_t matrix_place_find(const matrix_place *place) {
  for (size_t i = 0; i < matrix_place_count(); i++)
    if (rows[i].sm == place->sm && rows[i].kind == place->kind && rows[i].mode == place->mode &&
        rows[i].rel == place->rel)
      return i;
  return SIZE_MAX;
}

unsigned matrix_place_types(const matrix_place *place) {
  return place->sm == CAPSULE_SM ? MATRIX_MERCURY_TYPES : MATRIX_TYPES;
}

matrix_names matrix_place_names(const matrix_place *place) {
  static const matrix_names texts[FORMS] = {
      {".text.k_rela", ".rela.text.k_rela", ".rel.text.k_rela", ".nv.constant0.k_rela", ".nv.resolvedrela.text.k_rela",
       0},
      {".text.k_rel", ".rela.text.k_rel", ".rel.text.k_rel", ".nv.constant0.k_rel", ".nv.resolvedrela.text.k_rel", 0}};
  static const matrix_names data = {".nv.merc.nv.global.init",
                                    ".nv.merc.rela.nv.global.init",
                                    ".rela.nv.global.init",
                                    "",
                                    ".nv.merc.nv.resolvedrela.nv.global.init",
                                    CAPSULE_SLOT};
  return place->sm == CAPSULE_SM ? data : texts[place->rel];
}

void matrix_place_name(const matrix_place *place, char *name, size_t size) {
  (void)snprintf(name, size, "sm_%u %s %s %s", place->sm, matrix_classes[place->kind].name,
                 matrix_mode_names[place->mode], matrix_form_names[place->rel]);
}

static void cell_add_file(fuzz_envelope *envelope, const char *name, uint8_t *bytes, size_t size) {
  (void)fuzz_envelope_add_file(envelope, name, bytes, size);
  free(bytes);
}

void matrix_cell_make(const matrix_place *place, unsigned type, fuzz_envelope *envelope) {
  const uint16_t types[] = {(uint16_t)type};
  const matrix_request request = {place->sm, place->kind, types, 1, !place->rel, place->rel};
  char arch[32];
  size_t size = 0;
  memset(envelope, 0, sizeof *envelope);
  if (place->sm == CAPSULE_SM) {
    uint8_t *const bytes = matrix_capsule_build(place->kind, type, &size);
    cell_add_file(envelope, "m.cubin", bytes, size);
  } else {
    uint8_t *const base = matrix_build_base(place->sm, &size);
    cell_add_file(envelope, "base.cubin", base, size);
    uint8_t *const bytes = matrix_build(&request, &size);
    cell_add_file(envelope, "m.cubin", bytes, size);
  }
  (void)snprintf(arch, sizeof arch, "-arch=sm_%u", place->sm);
  (void)fuzz_envelope_add_word(envelope, arch);
  if (mode_words[place->mode])
    (void)fuzz_envelope_add_word(envelope, mode_words[place->mode]);
}
