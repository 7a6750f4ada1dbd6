/* Register counts of more different sizes than compilers have, carried up a call graph (L41). */
#ifndef TEST_SYNTHETIC_REGISTERS_H
#define TEST_SYNTHETIC_REGISTERS_H

#include "tests/builder/programs.h"

extern const program_row registers_rows[];
/* How many rows an architecture has: the walk is the same on all, so one of them is enough. */
size_t registers_count(unsigned sm);

#endif
