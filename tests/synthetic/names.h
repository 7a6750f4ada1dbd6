/* One link that prints the call graph of functions with C++ names of every form (C83). */
#ifndef TEST_SYNTHETIC_NAMES_H
#define TEST_SYNTHETIC_NAMES_H

#include "tests/builder/programs.h"

extern const program_row names_rows[];
/* How many rows an architecture has: the names mean the same on all, so one of them is enough. */
size_t names_count(unsigned sm);

#endif
