/* What the generator adds for the cells of the specification (cells.h). */
#ifndef FUZZ_GENERATE_CELLS_H
#define FUZZ_GENERATE_CELLS_H

#include "tests/support/built_program.h"

/* Some symbols of drawn classes, and entries of drawn types against them in a section of a drawn kind. */
void fuzz_generate_cells(built_file *file);
/* Types that end a link at their entry, but for few symbols: branches to other sections, what has no row, and descriptors
 * of what is no function. */
bool fuzz_type_ends_link(uint32_t type, bool function);

#endif
