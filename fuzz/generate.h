/* Envelopes out of nothing: one byte string decides files, sections, symbols, relocations, options and damage. */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H

#include "fuzz/dna.h"
#include "fuzz/envelope.h"

/* What makes a program, and in how many of a thousand programs it does. */
typedef enum fuzz_source {
  FUZZ_SOURCE_BUILT,
  FUZZ_SOURCE_STOCK,
  FUZZ_SOURCE_CAPSULES,
  FUZZ_SOURCE_NAMES,
  FUZZ_SOURCE_UNIFIED,
  FUZZ_SOURCES
} fuzz_source;
uint32_t fuzz_source_share(fuzz_source source);

/* Fills an empty envelope; to be freed. */
void fuzz_generate(const built_choices *choices, fuzz_envelope *envelope);
/* The same by one of the sources. */
void fuzz_generate_by(fuzz_source source, const built_choices *choices, fuzz_envelope *envelope);
/* The envelope that a fuzzer's input stands for: itself, or what the generator makes of the bytes. */
void fuzz_envelope_of_input(fuzz_envelope *envelope, const uint8_t *bytes, size_t size);

#endif
