/* Programs about functions whose address a relocation takes. */
#ifndef TEST_SYNTHETIC_ADDRESS_TAKEN_H
#define TEST_SYNTHETIC_ADDRESS_TAKEN_H

#include "tests/builder/programs.h"

extern const program_row address_taken_rows[];
extern const size_t address_taken_count;

#endif
