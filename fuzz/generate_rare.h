/* What the generator adds for messages that no drawn program brings about. */
#ifndef FUZZ_GENERATE_RARE_H
#define FUZZ_GENERATE_RARE_H

#include "tests/support/built_program.h"

/* Which one a program has, in all its files; most have none. */
uint32_t fuzz_rare_choose(const built_choices *choices);
void fuzz_rare_add(uint32_t rare, built_file *file);

#endif
