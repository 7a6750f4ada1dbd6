/* Whether the linker says, under its own name, that it answers otherwise than nvlink. */
#ifndef TEST_MATRIX_NAMED_H
#define TEST_MATRIX_NAMED_H

#include "fuzz/envelope.h"

/* True when a row of class R of nvlink's defects is named. */
bool matrix_names_row(const fuzz_envelope *envelope);

#endif
