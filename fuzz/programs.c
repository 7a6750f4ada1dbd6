/* The programs of some seeds, as hashes: `fuzz_programs` prints one for the generator out of random choices and out of a
 * byte string, and one for each kind of change; `fuzz_programs FILE` compares them with those of a file. A seed stands for
 * the same input whatever compiler made the generator, so one file (fuzz/programs) serves every preset; two choices in one
 * list of arguments, whose order is the compiler's, are seen here. */
#include "fuzz/generate.h"
#include "fuzz/mutate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 200, CHANGES = 60, DNA_SIZE = 1024, LINE = 80 };

static uint64_t programs_hash(const void *bytes, size_t size, uint64_t hash) {
  const uint8_t *const at = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* The envelope's bytes; it is freed. */
static uint64_t programs_take(fuzz_envelope *envelope, uint64_t hash) {
  size_t size = 0;
  uint8_t *const bytes = fuzz_envelope_write(envelope, &size);
  hash = programs_hash(bytes, size, hash);
  free(bytes);
  fuzz_envelope_free(envelope);
  return hash;
}

static void programs_generate(uint64_t seed, fuzz_envelope *envelope) {
  gen_random random = {seed};
  const built_choices choices = built_choices_random(&random);
  fuzz_generate(&choices, envelope);
}

static uint64_t programs_generated(void) {
  uint64_t hash = 0;
  for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
    fuzz_envelope envelope;
    programs_generate(seed, &envelope);
    hash = programs_take(&envelope, hash);
  }
  return hash;
}

static uint64_t programs_of_bytes(void) {
  uint64_t hash = 0;
  for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
    uint8_t bytes[DNA_SIZE];
    fuzz_envelope envelope;
    gen_random random = {seed};
    for (size_t i = 0; i < sizeof bytes; i++)
      bytes[i] = (uint8_t)gen_random_next(&random);
    fuzz_envelope_of_input(&envelope, bytes, sizeof bytes);
    hash = programs_take(&envelope, hash);
  }
  return hash;
}

/* One kind of change on some programs, with another one to take from. */
static uint64_t programs_changed(size_t kind) {
  uint64_t hash = 0;
  for (uint64_t seed = 1; seed <= CHANGES; seed++) {
    fuzz_envelope envelope, other;
    gen_random random = {seed};
    const built_choices choices = built_choices_random(&random);
    programs_generate(seed, &envelope);
    programs_generate(seed + PROGRAMS, &other);
    (void)fuzz_mutate_as(kind, &choices, &envelope, &other);
    fuzz_envelope_free(&other);
    hash = programs_take(&envelope, hash);
  }
  return hash;
}

/* "NAME HASH", line `number`; false behind the last one. */
static bool programs_line(size_t number, char line[LINE]) {
  if (number >= 2 + fuzz_kind_count())
    return false;
  const char *const name = number == 0 ? "generated" : number == 1 ? "of bytes" : fuzz_kind_name(number - 2);
  const uint64_t hash = number == 0   ? programs_generated()
                        : number == 1 ? programs_of_bytes()
                                      : programs_changed(number - 2);
  (void)snprintf(line, LINE, "%s %016" PRIx64 "\n", name, hash);
  return true;
}

int main(int argc, char **argv) {
  FILE *const known = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (argc > 2 || (argc == 2 && !known)) {
    (void)fprintf(stderr, "usage: fuzz_programs [FILE]\n");
    return 2;
  }
  size_t passed = 0, failed = 0;
  char line[LINE], stored[LINE];
  for (size_t i = 0; programs_line(i, line); i++) {
    const bool there = known && fgets(stored, sizeof stored, known);
    const bool same = there && strcmp(line, stored) == 0;
    passed += same;
    failed += known && !same;
    if (!same)
      printf("%s%s", known ? "not as stored: " : "", line);
  }
  if (!known)
    return 0;
  (void)fclose(known);
  printf("%zu passed, %zu failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
