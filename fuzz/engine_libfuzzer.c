/* libFuzzer's side of the mutator. One input in ten gets libFuzzer's own changes of bytes: they reach what no structure
 * has, and find their way into strings and code. */
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

/* libFuzzer's interface has these names. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
                                 size_t max_out_size, unsigned seed);

enum { BYTES_ONE_IN = 10 };

static size_t engine_take(uint8_t *made, size_t size, uint8_t *out) {
  if (!made)
    return 0;
  memcpy(out, made, size);
  free(made);
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  if (seed % BYTES_ONE_IN == 0 && fuzz_envelope_is(data, size))
    return LLVMFuzzerMutate(data, size, max_size);
  size_t made_size = 0;
  uint8_t *const made = fuzz_mutate_bytes(data, size, NULL, 0, seed, max_size, &made_size);
  const size_t taken = engine_take(made, made_size, data);
  return taken ? taken : size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
                                 size_t max_out_size, unsigned seed) {
  size_t made_size = 0;
  uint8_t *const made = fuzz_mutate_bytes(data1, size1, data2, size2, seed, max_out_size, &made_size);
  return engine_take(made, made_size, out);
}
