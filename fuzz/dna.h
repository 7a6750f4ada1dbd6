/* Choices out of a byte string, for the generator: the same bytes make the same program, and a changed byte changes the
 * choice that it stands for. Behind the end all choices are 0, which ends every list. */
#ifndef FUZZ_DNA_H
#define FUZZ_DNA_H

#include "tests/support/built_program.h"

#include <stddef.h>

typedef struct fuzz_dna {
  const uint8_t *bytes;
  size_t size, at;
} fuzz_dna;

built_choices fuzz_dna_choices(fuzz_dna *dna);

#endif
