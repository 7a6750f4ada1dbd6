/* Whether linker and reference say the same of the words of a command line: C48, C49, E1 to E6. */
#ifndef FUZZ_GRAMMARS_H
#define FUZZ_GRAMMARS_H

#include "base/arena.h"

/* NULL, or what is wrong. Words with options that only the linker has are nobody's question; no word may name an options file. */
const char *fuzz_grammars_check(tl_arena *arena, int argc, char *const *argv);

/* One line a message, "0: text" with its severity before it, of what the reference says of the words behind argv[0]; to be freed. */
char *fuzz_grammars_reference(int argc, char *const *argv);

#endif
