/* Programs whose functions have attributes that compilers seldom or never give them (I23, I27, L97). */
#ifndef SYNTHETIC_ATTRIBUTES_H
#define SYNTHETIC_ATTRIBUTES_H

#include "tests/builder/programs.h"

/* For sm_90 alone: before it there is no SPARSE_MMA_MASK. */
extern const program_row attributes_rows[];
extern const size_t attributes_count;

#endif
