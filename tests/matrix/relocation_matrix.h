/* The relocation matrix: cubins whose kernels hold relocations of chosen types against one class of symbol.
 *
 * A cubin has a kernel with RELA entries, one with REL entries, or both; a slot of 32 bytes for every entry, old bits that
 * look random, and addends that fill 64 bits, so that a wrong field, shift or width shows. A second file, linked first, moves
 * every variable away from offset 0. Facts: R1-R9, R12-R29, R37. */
#ifndef TEST_MATRIX_RELOCATION_MATRIX_H
#define TEST_MATRIX_RELOCATION_MATRIX_H

#include "tests/support/cubin_builder.h"

enum { MATRIX_TYPES = 117, MATRIX_SLOT_BYTES = 32 };

typedef enum matrix_class {
  MATRIX_CONSTANT,
  MATRIX_GLOBAL,
  MATRIX_GLOBAL_INIT,
  MATRIX_SHARED,
  MATRIX_FUNCTION,
  MATRIX_DEAD_FUNCTION,
  MATRIX_EXTERN_SHARED,
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
  MATRIX_KERNEL,
  MATRIX_OWN_KERNEL,
  MATRIX_LOCAL_FUNCTION,
  MATRIX_WEAK_FUNCTION,
  MATRIX_INTERNAL_FUNCTION,
  MATRIX_PROTECTED_FUNCTION,
  MATRIX_ADDRESS_TAKEN,
  MATRIX_WEAK_UNDEFINED_FUNCTION,
  MATRIX_WEAK_ALIAS,
  MATRIX_SHIFTED_ALIAS,
  MATRIX_LABEL,
  MATRIX_LOCAL_GLOBAL,
  MATRIX_WEAK_GLOBAL,
  MATRIX_HIDDEN_GLOBAL,
  MATRIX_INTERNAL_GLOBAL,
  MATRIX_PLAIN_OBJECT,
  MATRIX_MANAGED,
  MATRIX_UNDEFINED_GLOBAL,
  MATRIX_OTHER_FILES_GLOBAL,
  MATRIX_WEAK_UNDEFINED_OBJECT,
  MATRIX_LOCAL_CONSTANT,
  MATRIX_UNDEFINED_CONSTANT,
  MATRIX_OTHER_FILES_CONSTANT,
  MATRIX_COMPILER_CONSTANT,
  MATRIX_PARAMETERS,
  MATRIX_PARAMETER_SECTION,
  MATRIX_SHARED_SECTION,
  MATRIX_WEAK_EXTERN_SHARED,
  MATRIX_LOCAL_MEMORY,
  MATRIX_DEBUG_SECTION,
  MATRIX_ABSOLUTE,
  MATRIX_UNALLOCATED,
  MATRIX_FILE,
  MATRIX_TLS,
  MATRIX_NULL,
  MATRIX_OUT_OF_RANGE,
  MATRIX_RESERVED_SHARED,
  MATRIX_TABLE_OFFSET,
  MATRIX_TABLE,
  MATRIX_UNIFIED_FUNCTION,
  MATRIX_UNIFIED_DATA,
  MATRIX_CLASSES
} matrix_class;

/* What a symbol of an ordinary class has. */
typedef struct matrix_form {
  const char *name;
  const void *init;
  unsigned binding, type, size;
  uint8_t other;
} matrix_form;

/* How the symbol of one class is made: by `make`, or by `form` from what the row says. */
typedef struct matrix_class_row {
  const char *name;
  tb_symbol (*make)(tb_cubin *cubin, tb_symbol kernel, const char *shared_name);
  tb_symbol (*form)(tb_cubin *cubin, const matrix_form *form);
  matrix_form with;
  bool own;    /* each kernel has its own */
  bool called; /* the kernel calls it, too: it lives */
} matrix_class_row;

extern const matrix_class_row matrix_classes[MATRIX_CLASSES];

typedef struct matrix_request {
  unsigned sm;
  matrix_class kind;
  const uint16_t *types;
  size_t type_count;
  bool rela, rel; /* which of the two kernels has entries; without, it is not there */
  bool inverted;  /* the last entry's addend, and the bits that it stands on, are the first one's the other way round */
} matrix_request;

/* Bytes of the cubin; the caller frees them. */
uint8_t *matrix_build(const matrix_request *request, size_t *size);
/* The file that is linked in front of it. */
uint8_t *matrix_build_base(unsigned sm, size_t *size);

/* Words of data, all different. */
extern const uint32_t matrix_words[8];

#endif
