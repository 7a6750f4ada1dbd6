/* The rows: every class, mode and form for sm_90, for sm_75 the classes that corpus/synthetic is made of, two entries at once
 * for sm_80, and capsules of sm_100. */
#include "cells.h"

#include "capsule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const matrix_mode_names[MATRIX_MODES] = {"exec", "-r", "preserve"};
const char *const matrix_form_names[MATRIX_FORMS] = {"RELA", "REL", "code", "RELA-twice", "REL-twice", "REL-sass"};
static const char *const mode_words[MATRIX_MODES] = {NULL, "-r", "-preserve-relocs"};

/* A machine with its classes, from the first one on, and its modes. */
typedef struct matrix_block {
  unsigned sm, classes, modes;
  matrix_entry_form first, last; /* of its forms */
  bool capsule;
} matrix_block;

enum { CAPSULE_SM = 100, CAPSULE_SLOT = 8 /* where the variable with the relocation stands */ };
static const matrix_block blocks[] = {
    {75, MATRIX_KERNEL, MATRIX_MODES, MATRIX_RELA, MATRIX_REL, false},
    {80, MATRIX_CLASSES, MATRIX_RELOCATABLE, MATRIX_RELA_TWICE, MATRIX_REL_TWICE, false},
    {90, MATRIX_CLASSES, MATRIX_MODES, MATRIX_RELA, MATRIX_REL, false},
    {CAPSULE_SM, MATRIX_CLASSES, MATRIX_MODES, MATRIX_RELA, MATRIX_REL, true},
    {CAPSULE_SM, MATRIX_CLASSES, MATRIX_MODES, MATRIX_CODE, MATRIX_CODE, true},
    {CAPSULE_SM, MATRIX_CLASSES, MATRIX_MODES, MATRIX_REL_SASS, MATRIX_REL_SASS, true},
};
enum { BLOCKS = sizeof blocks / sizeof *blocks, ROWS_MAX = BLOCKS * MATRIX_CLASSES * MATRIX_MODES * 2 };

static matrix_place rows[ROWS_MAX];
static size_t row_count;

static void list_rows(const matrix_block *block) {
  const unsigned forms = block->last - block->first + 1;
  for (unsigned kind = 0; kind < block->classes; kind++)
    for (unsigned i = 0; i < block->modes * forms; i++)
      if (!block->capsule || matrix_capsule_has((matrix_class)kind))
        rows[row_count++] = (matrix_place){.sm = block->sm,
                                           .kind = (matrix_class)kind,
                                           .mode = (matrix_mode)(i / forms),
                                           .form = (matrix_entry_form)(block->first + i % forms)};
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
        rows[i].form == place->form)
      return i;
  return SIZE_MAX;
}

unsigned matrix_place_types(const matrix_place *place) {
  return place->sm == CAPSULE_SM ? MATRIX_MERCURY_TYPES : MATRIX_TYPES;
}

bool matrix_place_asks(const matrix_place *place, unsigned type) {
  return type < matrix_place_types(place) && (place->form != MATRIX_CODE || matrix_capsule_has_code(type));
}

static bool place_is_rel(const matrix_place *place) {
  return place->form == MATRIX_REL || place->form == MATRIX_REL_TWICE;
}

matrix_names matrix_place_names(const matrix_place *place) {
  static const matrix_names texts[] = {
      {".text.k_rela", ".rela.text.k_rela", ".rel.text.k_rela", ".nv.constant0.k_rela", ".nv.resolvedrela.text.k_rela",
       0},
      {".text.k_rel", ".rela.text.k_rel", ".rel.text.k_rel", ".nv.constant0.k_rel", ".nv.resolvedrela.text.k_rel", 0}};
  static const matrix_names data = {".nv.merc.nv.global.init",
                                    ".nv.merc.rela.nv.global.init",
                                    ".rela.nv.global.init",
                                    "",
                                    ".nv.merc.nv.resolvedrela.nv.global.init",
                                    CAPSULE_SLOT};
  static const matrix_names sass = {".nv.merc.nv.global.init",
                                    ".rela.nv.merc.nv.global.init",
                                    ".rel.nv.merc.nv.global.init",
                                    "",
                                    ".nv.resolvedrela.nv.merc.nv.global.init",
                                    CAPSULE_SLOT};
  static const matrix_names code = {
      ".text.k", ".nv.merc.rela.text.k", ".rela.text.k", "", ".nv.merc.nv.resolvedrela.text.k", 0};
  if (place->form == MATRIX_CODE)
    return code;
  if (place->form == MATRIX_REL_SASS)
    return sass;
  return place->sm == CAPSULE_SM ? data : texts[place_is_rel(place)];
}

void matrix_place_name(const matrix_place *place, char *name, size_t size) {
  (void)snprintf(name, size, "sm_%u %s %s %s", place->sm, matrix_classes[place->kind].name,
                 matrix_mode_names[place->mode], matrix_form_names[place->form]);
}

static void cell_add_file(fuzz_envelope *envelope, const char *name, uint8_t *bytes, size_t size) {
  (void)fuzz_envelope_add_file(envelope, name, bytes, size);
  free(bytes);
}

void matrix_cell_make(const matrix_place *place, unsigned type, fuzz_envelope *envelope) {
  const bool rel = place_is_rel(place), twice = place->form == MATRIX_RELA_TWICE || place->form == MATRIX_REL_TWICE;
  const uint16_t types[] = {(uint16_t)type, (uint16_t)type};
  const matrix_request request = {.sm = place->sm,
                                  .kind = place->kind,
                                  .types = types,
                                  .type_count = twice ? 2 : 1,
                                  .rela = !rel,
                                  .rel = rel,
                                  .inverted = twice};
  char arch[32];
  size_t size = 0;
  memset(envelope, 0, sizeof *envelope);
  if (place->sm == CAPSULE_SM) {
    uint8_t *const bytes = matrix_capsule_build(place->kind, type, place->form, &size);
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
