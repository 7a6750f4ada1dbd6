/* A change for the cells of Mercury's types (cells.h). */
#ifndef FUZZ_AIM_MERCURY_H
#define FUZZ_AIM_MERCURY_H

#include "fuzz/edit.h"
#include "tests/support/built_program.h"

/* Some entries of Mercury's types against symbols of classes that are drawn; false where the file is no capsule. */
bool fuzz_aim_mercury(const built_choices *choices, edit_cubin *cubin);

#endif
