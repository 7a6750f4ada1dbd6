/* Envelopes out of nothing: one byte string decides files, sections, symbols, relocations, options and damage. */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include "fuzz/dna.h"
#include "fuzz/envelope.h"

/* Fills an empty envelope; to be freed. */
void fuzz_generate(const built_choices *choices, fuzz_envelope *envelope);
/* The envelope that a fuzzer's input stands for: itself, or what the generator makes of the bytes. */
void fuzz_envelope_of_input(fuzz_envelope *envelope, const uint8_t *bytes, size_t size);

#endif
