/* One link in one byte string: the files with their names, and the words of the command line. It is what the fuzzers
 * change, what a finding is kept as, and what `twin pack` and `twin unpack` turn files into and back. The format stands in
 * docs/fuzzing.md. Reading takes any bytes: a length that says more than there is stands for what there is. */
#ifndef FUZZ_ENVELOPE_H
#define FUZZ_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FUZZ_FILES = 8, FUZZ_WORDS = 16, FUZZ_NAME = 64, FUZZ_WORD = 200, FUZZ_LARGEST = 1 << 20 };

typedef struct fuzz_file {
  char name[FUZZ_NAME];
  uint8_t *bytes; /* a block of its own, exactly as large as the file, so that a sanitizer sees a byte too far */
  size_t size;
} fuzz_file;

typedef struct fuzz_envelope {
  fuzz_file files[FUZZ_FILES];
  size_t file_count;
  char words[FUZZ_WORDS][FUZZ_WORD]; /* "-arch=sm_90", "-r"; no file names, no "-o" */
  size_t word_count;
} fuzz_envelope;

/* Whether the bytes are an envelope at all: they begin with its mark. */
bool fuzz_envelope_is(const uint8_t *bytes, size_t size);
/* False when the bytes are none; the envelope is then empty. */
bool fuzz_envelope_read(fuzz_envelope *envelope, const uint8_t *bytes, size_t size);
/* The envelope as bytes; the caller frees them. */
uint8_t *fuzz_envelope_write(const fuzz_envelope *envelope, size_t *size);
size_t fuzz_envelope_size(const fuzz_envelope *envelope);
void fuzz_envelope_free(fuzz_envelope *envelope);

/* One path has one content: the second file of a name whose bytes are not the first one's gets its number before its name, so
 * that a linker in this process and nvlink, which reads what was unpacked, are given the same. Reading does it, too. */
void fuzz_envelope_tell_apart(fuzz_envelope *envelope);

/* Both copy, cut what is too long, and are false when there is no room. */
bool fuzz_envelope_add_word(fuzz_envelope *envelope, const char *word);
bool fuzz_envelope_add_file(fuzz_envelope *envelope, const char *name, const void *bytes, size_t size);
/* Puts other bytes in a file's place; takes `bytes`, which malloc made. */
void fuzz_file_set(fuzz_file *file, uint8_t *bytes, size_t size);
/* The rest of the word that begins with `start`, or NULL: fuzz_envelope_option(e, "-arch="). */
const char *fuzz_envelope_option(const fuzz_envelope *envelope, const char *start);

/* malloc that ends the program when there is none. */
void *fuzz_memory(size_t size);

#endif
