/* Envelopes read, written and unpacked. */
#include "envelope_file.h"

#include "files.h"
#include "process.h"

#include "fuzz/generate.h"
#include "fuzz/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool envelope_file_read(const char *subcommand, const char *path, fuzz_envelope *envelope) {
  size_t size = 0;
  uint8_t *const bytes = process_read_file(path, FUZZ_FILES * (size_t)FUZZ_LARGEST, &size);
  if (!bytes) {
    fprintf(stderr, "twin %s: cannot read '%s'\n", subcommand, path);
    return false;
  }
  fuzz_envelope_of_input(envelope, bytes, size);
  free(bytes);
  return true;
}

static bool envelope_file_put(const char *subcommand, const char *path, const void *bytes, size_t size) {
  const bool good = process_write_file(path, bytes, size);
  if (!good)
    fprintf(stderr, "twin %s: cannot write '%s'\n", subcommand, path);
  return good;
}

bool envelope_file_write(const char *subcommand, const char *path, const fuzz_envelope *envelope) {
  size_t size = 0;
  uint8_t *const bytes = fuzz_envelope_write(envelope, &size);
  const bool good = envelope_file_put(subcommand, path, bytes, size);
  free(bytes);
  return good;
}

bool envelope_file_unpack(const char *subcommand, const char *directory, const fuzz_envelope *envelope) {
  const char *argv[FUZZ_ARGUMENTS];
  text_buffer words = {0}, path = {0};
  bool good = process_ensure_directory(directory);
  for (size_t i = 0; i < envelope->file_count && good; i++) {
    text_free(&path);
    text_add(&path, "%s/%s", directory, envelope->files[i].name);
    good = envelope_file_put(subcommand, path.bytes, envelope->files[i].bytes, envelope->files[i].size);
  }
  (void)fuzz_arguments(envelope, argv);
  for (size_t i = 2; argv[i]; i++) /* neither the program's name nor what nvlink does not know */
    if (strcmp(argv[i], "--bug-compatible") != 0)
      text_add(&words, "%s\n", argv[i]);
  text_free(&path);
  text_add(&path, "%s/args", directory);
  good = good && envelope_file_put(subcommand, path.bytes, words.bytes, words.size);
  text_free(&path);
  text_free(&words);
  return good;
}
