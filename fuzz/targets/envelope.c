/* The fuzzers' own tools: an envelope that is written and read again is the same, has one content a path, a mutated
 * and a trimmed one is an envelope, and the same seed makes the same one. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/generate.h"
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

static bool same(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
  return a && b && a_size == b_size && memcmp(a, b, a_size) == 0;
}

/* nvlink reads what was unpacked: a path has one content. */
static bool check_paths(const fuzz_envelope *envelope) {
  for (size_t i = 0; i < envelope->file_count; i++)
    for (size_t k = 0; k < i; k++) {
      const fuzz_file *const a = &envelope->files[i], *const b = &envelope->files[k];
      if (strcmp(a->name, b->name) == 0 &&
          (a->size != b->size || (a->size && memcmp(a->bytes, b->bytes, a->size) != 0)))
        return false;
    }
  return true;
}

/* Written, read and written again. */
static bool check_round_trip(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  size_t again_size = 0;
  if (!fuzz_envelope_read(&envelope, bytes, size))
    return false;
  uint8_t *const again = fuzz_envelope_write(&envelope, &again_size);
  const bool good = same(bytes, size, again, again_size) && check_paths(&envelope);
  free(again);
  fuzz_envelope_free(&envelope);
  return good;
}

static bool check_mutation(const uint8_t *bytes, size_t size) {
  size_t made_size = 0, again_size = 0;
  const uint64_t seed = size;
  uint8_t *const made = fuzz_mutate_bytes(bytes, size, bytes, size, seed, MOST, &made_size);
  uint8_t *const again = fuzz_mutate_bytes(bytes, size, bytes, size, seed, MOST, &again_size);
  const bool good = !made || (same(made, made_size, again, again_size) && check_round_trip(made, made_size));
  free(made);
  free(again);
  return good;
}

/* Two hundred steps at most: each has to make it smaller. */
static bool check_trim(const uint8_t *bytes, size_t size) {
  bool done = false, good = true;
  for (size_t step = 0; step < 200 && !done && good; step += 1 + step / 4) {
    size_t made_size = 0;
    uint8_t *const made = fuzz_trim(bytes, size, step, &made_size, &done);
    good = !made || (made_size < size && check_round_trip(made, made_size));
    free(made);
  }
  return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  size_t written_size = 0;
  fuzz_envelope_of_input(&envelope, bytes, size);
  if (!check_paths(&envelope))
    fuzz_found("envelope", "two files of one name with different bytes", bytes, size);
  uint8_t *const written = fuzz_envelope_write(&envelope, &written_size);
  fuzz_envelope_free(&envelope);
  if (!check_round_trip(written, written_size))
    fuzz_found("envelope", "an envelope that is read is another one than was written", bytes, size);
  if (!check_mutation(written, written_size))
    fuzz_found("envelope", "a change is no envelope, or not the same twice", bytes, size);
  if (!check_trim(written, written_size))
    fuzz_found("envelope", "a trimmed envelope is none, or is not smaller", bytes, size);
  free(written);
  return 0;
}
