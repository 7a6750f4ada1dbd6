/* AFL++'s side of the mutator: a library that afl-fuzz loads (AFL_CUSTOM_MUTATOR_LIBRARY), with the trim that keeps
 * envelopes whole. */
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

/* AFL++'s interface has these names. */
void *afl_custom_init(void *afl, unsigned int seed);
void afl_custom_deinit(void *data);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf,
                       size_t add_buf_size, size_t max_size);
int32_t afl_custom_init_trim(void *data, uint8_t *buf, size_t buf_size);
size_t afl_custom_trim(void *data, uint8_t **out_buf);
int32_t afl_custom_post_trim(void *data, unsigned char success);

/* `made` is what was given away last; it lives until the next call. */
typedef struct afl_mutator {
  gen_random random;
  uint8_t *made, *trimmed; /* trimmed: the input as far as it has been trimmed */
  size_t made_size, trimmed_size, step;
} afl_mutator;

enum { TRIM_STEPS = 2000 };

void *afl_custom_init(void *afl, unsigned int seed) {
  (void)afl;
  afl_mutator *const mutator = calloc(1, sizeof *mutator);
  if (mutator)
    mutator->random.state = seed;
  return mutator;
}

void afl_custom_deinit(void *data) {
  afl_mutator *const mutator = data;
  free(mutator->made);
  free(mutator->trimmed);
  free(mutator);
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf,
                       size_t add_buf_size, size_t max_size) {
  afl_mutator *const mutator = data;
  free(mutator->made);
  mutator->made = fuzz_mutate_bytes(buf, buf_size, add_buf, add_buf_size, gen_random_next(&mutator->random), max_size,
                                    &mutator->made_size);
  *out_buf = mutator->made ? mutator->made : buf;
  return mutator->made ? mutator->made_size : buf_size;
}

int32_t afl_custom_init_trim(void *data, uint8_t *buf, size_t buf_size) {
  afl_mutator *const mutator = data;
  free(mutator->trimmed);
  mutator->trimmed = fuzz_memory(buf_size);
  if (buf_size)
    memcpy(mutator->trimmed, buf, buf_size);
  mutator->trimmed_size = buf_size;
  mutator->step = 0;
  return fuzz_envelope_is(buf, buf_size) ? TRIM_STEPS : 0;
}

/* The next step that changes something; at the end the input itself. */
size_t afl_custom_trim(void *data, uint8_t **out_buf) {
  afl_mutator *const mutator = data;
  bool done = false;
  free(mutator->made);
  mutator->made = NULL;
  while (!done && !mutator->made && mutator->step < TRIM_STEPS) {
    mutator->made = fuzz_trim(mutator->trimmed, mutator->trimmed_size, mutator->step, &mutator->made_size, &done);
    mutator->step += mutator->made == NULL;
  }
  if (!mutator->made) {
    mutator->step = TRIM_STEPS;
    *out_buf = mutator->trimmed;
    return mutator->trimmed_size;
  }
  *out_buf = mutator->made;
  return mutator->made_size;
}

/* What could be left out is: the same step is another part then. */
int32_t afl_custom_post_trim(void *data, unsigned char success) {
  afl_mutator *const mutator = data;
  if (success && mutator->made) {
    free(mutator->trimmed);
    mutator->trimmed = mutator->made;
    mutator->trimmed_size = mutator->made_size;
    mutator->made = NULL;
  } else {
    mutator->step++;
  }
  return (int32_t)(mutator->step < TRIM_STEPS ? mutator->step : TRIM_STEPS);
}
