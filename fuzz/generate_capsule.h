/* The generator's capsules. */
#ifndef FUZZ_GENERATE_CAPSULE_H
#define FUZZ_GENERATE_CAPSULE_H

#include "fuzz/envelope.h"
#include "tests/support/built_program.h"

/* Files of the corpus, which CMake makes tables of. */
typedef struct fuzz_capsule {
  const uint8_t *bytes;
  size_t size;
} fuzz_capsule;
extern const fuzz_capsule fuzz_capsule_capsule, fuzz_capsule_own_table;
extern const fuzz_capsule fuzz_capsule_capsule_120, fuzz_capsule_own_table_120; /* for sm_120 and later */
/* Files with unified functions and data, and indices of one file and of all (generate_unified.c). */
extern const fuzz_capsule fuzz_capsule_unified_a, fuzz_capsule_unified_b;
extern const fuzz_capsule fuzz_capsule_unified_one, fuzz_capsule_unified_both;
extern const fuzz_capsule fuzz_capsule_unified_stacks, fuzz_capsule_unified_kernel;
extern const fuzz_capsule fuzz_capsule_unified_stacks_index, fuzz_capsule_unified_all;
/* Lines of mangled names, a tab and what nvlink prints for them (generate_names.c). */
extern const fuzz_capsule fuzz_capsule_names;

/* Words and files of a link of capsules. */
void fuzz_generate_capsules(const built_choices *choices, fuzz_envelope *envelope);

#endif
