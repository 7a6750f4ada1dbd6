/* twin pack OUT WORD...: a command line and its files as one envelope, the fuzzers' input (docs/fuzzing.md). */
#include "envelope_file.h"
#include "process.h"
#include "twin.h"

#include "fuzz/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int twin_pack(int argc, char **argv);

static bool pack_file(fuzz_envelope *envelope, const char *path) {
  size_t size = 0;
  uint8_t *const bytes = process_read_file(path, FUZZ_LARGEST, &size);
  const char *const slash = strrchr(path, '/');
  const bool good = bytes && fuzz_envelope_add_file(envelope, slash ? slash + 1 : path, bytes, size);
  free(bytes);
  if (!good)
    fprintf(stderr, "twin pack: cannot take '%s': not readable, larger than %d bytes, or more than %d files\n", path,
            FUZZ_LARGEST, FUZZ_FILES);
  return good;
}

static bool pack_word(fuzz_envelope *envelope, const char *word) {
  if (fuzz_word_is_known(word) && strlen(word) < FUZZ_WORD)
    return fuzz_envelope_add_word(envelope, word);
  fprintf(stderr, "twin pack: '%s' is no option of fuzzed links\n", word);
  return false;
}

int twin_pack(int argc, char **argv) {
  static fuzz_envelope envelope;
  if (argc < 3) {
    fprintf(stderr, "usage: twin pack OUT WORD...\n");
    return TWIN_TROUBLE;
  }
  bool good = true;
  for (int i = 2; i < argc && good; i++) {
    if (strcmp(argv[i], "-o") == 0)
      i++; /* its name plays no part */
    else
      good = argv[i][0] == '-' ? pack_word(&envelope, argv[i]) : pack_file(&envelope, argv[i]);
  }
  good = good && envelope_file_write("pack", argv[1], &envelope);
  fuzz_envelope_free(&envelope);
  return good ? TWIN_OK : TWIN_TROUBLE;
}
