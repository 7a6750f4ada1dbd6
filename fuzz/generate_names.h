/* Programs of mangled names. */
#ifndef FUZZ_GENERATE_NAMES_H
#define FUZZ_GENERATE_NAMES_H

#include "fuzz/envelope.h"
#include "tests/support/built_program.h"

/* Words and files of a link. */
void fuzz_generate_names(const built_choices *choices, fuzz_envelope *envelope);

#endif
