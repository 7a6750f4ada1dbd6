/* A target: one function from an envelope's bytes to a verdict, whatever calls it (libFuzzer, AFL++, the replay). */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
