/* The mutator over bytes, for the engines: what is no envelope is what the generator makes of it (generate.h), so that an
 * empty corpus and the engine's own changes of bytes serve too. Cross-over takes one side's words and some files of each. */
#include "fuzz/generate.h"
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { DNA_BYTES = 1024, CROSS_PERCENT = 25 };

static void bytes_generate(gen_random *random, fuzz_envelope *envelope) {
  uint8_t bytes[DNA_BYTES];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)gen_random_next(random);
  fuzz_envelope_of_input(envelope, bytes, sizeof bytes);
}

/* Each file of the result is one side's or the other's; their number is the first side's, or both together. */
void fuzz_mutate_cross(gen_random *random, fuzz_envelope *envelope, const fuzz_envelope *other) {
  for (size_t i = 0; i < other->file_count; i++) {
    const fuzz_file *const file = &other->files[i];
    if (!gen_random_percent(random, 50))
      continue;
    if (i < envelope->file_count && gen_random_percent(random, 70)) {
      uint8_t *const bytes = fuzz_memory(file->size);
      if (file->size)
        memcpy(bytes, file->bytes, file->size);
      fuzz_file_set(&envelope->files[i], bytes, file->size);
    } else {
      (void)fuzz_envelope_add_file(envelope, file->name, file->bytes, file->size);
    }
  }
}

uint8_t *fuzz_mutate_bytes(const uint8_t *bytes, size_t size, const uint8_t *other, size_t other_size, uint64_t seed,
                           size_t most, size_t *new_size) {
  gen_random random = {seed};
  const built_choices choices = built_choices_random(&random);
  fuzz_envelope envelope, second = {.file_count = 0};
  if (!fuzz_envelope_read(&envelope, bytes, size))
    bytes_generate(&random, &envelope);
  if (other && !fuzz_envelope_read(&second, other, other_size))
    bytes_generate(&random, &second);
  if (other && gen_random_percent(&random, CROSS_PERCENT))
    fuzz_mutate_cross(&random, &envelope, &second);
  uint32_t changes = 1;
  while (changes < 4 && gen_random_percent(&random, 30))
    changes++;
  while (changes--)
    (void)fuzz_mutate(&choices, &envelope, other ? &second : NULL);
  fuzz_envelope_tell_apart(&envelope);
  uint8_t *result = NULL;
  if (fuzz_envelope_size(&envelope) <= most)
    result = fuzz_envelope_write(&envelope, new_size);
  fuzz_envelope_free(&envelope);
  fuzz_envelope_free(&second);
  return result;
}
