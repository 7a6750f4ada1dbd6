/* twin mutate IN OUT [SEED [OTHER]]: one step of the fuzzers' mutator: 1 to 4 changes, with OTHER also cross-over. IN may be
 * "-": an input that is generated. */
#include "envelope_file.h"
#include "process.h"
#include "twin.h"

#include "fuzz/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int twin_mutate(int argc, char **argv);

int twin_mutate(int argc, char **argv) {
  if (argc < 3 || argc > 5) {
    fprintf(stderr, "usage: twin mutate IN|- OUT [SEED [OTHER]]\n");
    return TWIN_TROUBLE;
  }
  const size_t most = FUZZ_FILES * (size_t)FUZZ_LARGEST;
  const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  const bool generated = strcmp(argv[1], "-") == 0;
  size_t size = 0, other_size = 0, made_size = 0;
  uint8_t *const bytes = generated ? NULL : process_read_file(argv[1], most, &size);
  uint8_t *const other = argc > 4 ? process_read_file(argv[4], most, &other_size) : NULL;
  uint8_t *made = NULL;
  if ((bytes || generated) && (other || argc < 5))
    made = fuzz_mutate_bytes(bytes, size, other, other_size, seed, most, &made_size);
  const bool good = made && process_write_file(argv[2], made, made_size);
  if (!good)
    fprintf(stderr, "twin mutate: cannot read '%s' or write '%s'\n", argv[1], argv[2]);
  free(bytes);
  free(other);
  free(made);
  return good ? TWIN_OK : TWIN_TROUBLE;
}
