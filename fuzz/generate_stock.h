/* Programs that compilers made, as the generator's beginnings. */
#ifndef FUZZ_GENERATE_STOCK_H
#define FUZZ_GENERATE_STOCK_H

#include "fuzz/envelope.h"
#include "fuzz/generate_capsule.h"
#include "tests/support/built_program.h"

/* Envelopes, the seeds named in fuzz/stock: CMake makes tables of them. */
extern const fuzz_capsule *const fuzz_stock[];
extern const size_t fuzz_stock_count;

/* Words and files of a link. */
void fuzz_generate_stock(const built_choices *choices, fuzz_envelope *envelope);

#endif
