/* The generator's programs with unified functions and data. */
#ifndef FUZZ_GENERATE_UNIFIED_H
#define FUZZ_GENERATE_UNIFIED_H

#include "fuzz/envelope.h"
#include "tests/support/built_program.h"

/* Words, files and the index of a link with -uidx, of SASS kind or of capsules. */
void fuzz_generate_unified(const built_choices *choices, fuzz_envelope *envelope);

#endif
