/* A change for the cells of the specification (cells.h). */
#ifndef FUZZ_AIM_H
#define FUZZ_AIM_H

#include "fuzz/edit.h"
#include "tests/support/built_program.h"

/* Some entries of any type against any symbol, in a section drawn by its kind; false where there is none, or no symbol. */
bool fuzz_aim(const built_choices *choices, edit_cubin *cubin);

#endif
