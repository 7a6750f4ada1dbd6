/* The relocation matrix: cubins whose kernels hold relocations of chosen types against one class of symbol.
 *
 * Each cubin has two kernels, one with RELA entries and one with REL entries, a slot of 32 bytes for every entry, old bits
 * that look random, and addends that fill 64 bits, so that a wrong field, shift or width shows. A second file, linked
 * first, moves every variable away from offset 0. Facts: R1-R9, R12-R29, R37. */
#ifndef TEST_SYNTHETIC_RELOCATION_MATRIX_H
#define TEST_SYNTHETIC_RELOCATION_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MATRIX_TYPES = 117 };

typedef enum matrix_class {
  MATRIX_CONSTANT,
  MATRIX_GLOBAL,
  MATRIX_GLOBAL_INIT,
  MATRIX_SHARED,
  MATRIX_FUNCTION,
  MATRIX_DEAD_FUNCTION,
  MATRIX_REFUSALS_END, /* for the classes up to here every refusal is a job; for the others it is only in OUTCOMES */
  MATRIX_EXTERN_SHARED = MATRIX_REFUSALS_END,
  MATRIX_COMMON,
  MATRIX_ALIAS,
  MATRIX_HIDDEN_FUNCTION,
  MATRIX_UNDEFINED_FUNCTION,
  MATRIX_WEAK_UNDEFINED_GLOBAL,
  MATRIX_WEAK_UNDEFINED_CONSTANT,
  MATRIX_NOTYPE,
  MATRIX_CONSTANT_SECTION,
  MATRIX_GLOBAL_SECTION,
  MATRIX_TEXT_SECTION,
  MATRIX_TEXTURE,
  MATRIX_SAMPLER,
  MATRIX_SURFACE,
  MATRIX_CLASSES
} matrix_class;

/* Names in file names and in OUTCOMES. */
extern const char *const matrix_class_names[MATRIX_CLASSES];

typedef struct matrix_request {
  unsigned sm;
  matrix_class kind;
  const uint16_t *types;
  size_t type_count;
  bool rela, rel; /* which of the two kernels has entries */
} matrix_request;

/* Bytes of the cubin; the caller frees them. */
uint8_t *matrix_build(const matrix_request *request, size_t *size);
/* The file that is linked in front of it. */
uint8_t *matrix_build_base(unsigned sm, size_t *size);

#endif
