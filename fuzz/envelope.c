/* Envelopes read and written (docs/fuzzing.md has the format). */
#include "fuzz/envelope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_BYTES = 8, LENGTH_BYTES = 4 };
static const char envelope_mark[MARK_BYTES + 1] = "TWINENV1";

void *fuzz_memory(size_t size) {
  void *const memory = malloc(size ? size : 1);
  if (!memory) {
    fputs("fuzz: out of memory\n", stderr);
    abort();
  }
  return memory;
}

/* Bytes that are taken one after the other; at the end there are zeros. */
typedef struct envelope_input {
  const uint8_t *bytes;
  size_t size, at;
} envelope_input;

static size_t input_left(const envelope_input *input, size_t wanted) {
  const size_t left = input->size - input->at;
  return wanted < left ? wanted : left;
}

static uint64_t input_number(envelope_input *input, size_t width) {
  uint64_t number = 0;
  for (size_t i = 0; i < width && input->at < input->size; i++)
    number |= (uint64_t)input->bytes[input->at++] << (8 * i);
  return number;
}

/* A length in one byte, and text; what is too long for `text` is passed over. A 0 byte ends the text. */
static void input_text(envelope_input *input, char *text, size_t room) {
  const size_t length = input_left(input, (size_t)input_number(input, 1));
  const size_t kept = length < room ? length : room - 1;
  memcpy(text, input->bytes + input->at, kept);
  text[kept] = '\0';
  input->at += length;
}

bool fuzz_envelope_is(const uint8_t *bytes, size_t size) {
  return size >= MARK_BYTES && memcmp(bytes, envelope_mark, MARK_BYTES) == 0;
}

/* A file's name is one word without a directory, so that it can be unpacked anywhere. */
static void file_name_tame(char *name, size_t number) {
  for (char *at = name; *at; at++)
    if (*at == '/' || (unsigned char)*at <= ' ' || (unsigned char)*at > '~')
      *at = '_';
  if (!*name || *name == '-' || *name == '.')
    (void)snprintf(name, FUZZ_NAME, "%zu.cubin", number);
}

static bool file_name_stands(const fuzz_envelope *envelope, size_t number) {
  const fuzz_file *const file = &envelope->files[number];
  for (size_t i = 0; i < number; i++) {
    const fuzz_file *const other = &envelope->files[i];
    const bool alike = other->size == file->size && (!file->size || memcmp(other->bytes, file->bytes, file->size) == 0);
    if (strcmp(other->name, file->name) == 0 && !alike)
      return true;
  }
  return false;
}

void fuzz_envelope_tell_apart(fuzz_envelope *envelope) {
  for (size_t i = 1; i < envelope->file_count; i++) {
    char name[FUZZ_NAME];
    memcpy(name, envelope->files[i].name, sizeof name);
    for (size_t number = i; file_name_stands(envelope, i); number += FUZZ_FILES)
      (void)snprintf(envelope->files[i].name, FUZZ_NAME, "%zu-%.*s", number, FUZZ_NAME - 8, name);
  }
}

bool fuzz_envelope_read(fuzz_envelope *envelope, const uint8_t *bytes, size_t size) {
  envelope->file_count = envelope->word_count = 0;
  if (!fuzz_envelope_is(bytes, size))
    return false;
  envelope_input input = {bytes, size, MARK_BYTES};
  const size_t words = (size_t)input_number(&input, 1), files = (size_t)input_number(&input, 1);
  for (size_t i = 0; i < words && i < FUZZ_WORDS && input.at < size; i++)
    input_text(&input, envelope->words[envelope->word_count++], FUZZ_WORD);
  for (size_t i = 0; i < files && i < FUZZ_FILES && input.at < size; i++) {
    fuzz_file *const file = &envelope->files[envelope->file_count++];
    input_text(&input, file->name, FUZZ_NAME);
    file_name_tame(file->name, i);
    file->size = input_left(&input, (size_t)input_number(&input, LENGTH_BYTES));
    file->bytes = fuzz_memory(file->size);
    if (file->size)
      memcpy(file->bytes, bytes + input.at, file->size);
    input.at += file->size;
  }
  fuzz_envelope_tell_apart(envelope);
  return true;
}

size_t fuzz_envelope_size(const fuzz_envelope *envelope) {
  size_t size = MARK_BYTES + 2;
  for (size_t i = 0; i < envelope->word_count; i++)
    size += 1 + strlen(envelope->words[i]);
  for (size_t i = 0; i < envelope->file_count; i++)
    size += 1 + strlen(envelope->files[i].name) + LENGTH_BYTES + envelope->files[i].size;
  return size;
}

/* Its length, and the text without an end. */
static uint8_t *output_text(uint8_t *at, const char *text) {
  uint8_t *const length = at++;
  for (; *text; text++)
    *at++ = (uint8_t)*text;
  *length = (uint8_t)(at - length - 1);
  return at;
}

uint8_t *fuzz_envelope_write(const fuzz_envelope *envelope, size_t *size) {
  *size = fuzz_envelope_size(envelope);
  uint8_t *const bytes = fuzz_memory(*size), *at = bytes + MARK_BYTES;
  for (size_t i = 0; i < MARK_BYTES; i++)
    bytes[i] = (uint8_t)envelope_mark[i];
  *at++ = (uint8_t)envelope->word_count;
  *at++ = (uint8_t)envelope->file_count;
  for (size_t i = 0; i < envelope->word_count; i++)
    at = output_text(at, envelope->words[i]);
  for (size_t i = 0; i < envelope->file_count; i++) {
    const fuzz_file *const file = &envelope->files[i];
    at = output_text(at, file->name);
    for (size_t byte = 0; byte < LENGTH_BYTES; byte++)
      *at++ = (uint8_t)(file->size >> (8 * byte));
    if (file->size)
      memcpy(at, file->bytes, file->size);
    at += file->size;
  }
  return bytes;
}

void fuzz_envelope_free(fuzz_envelope *envelope) {
  for (size_t i = 0; i < envelope->file_count; i++)
    free(envelope->files[i].bytes);
  envelope->file_count = envelope->word_count = 0;
}

bool fuzz_envelope_add_word(fuzz_envelope *envelope, const char *word) {
  if (envelope->word_count == FUZZ_WORDS)
    return false;
  (void)snprintf(envelope->words[envelope->word_count++], FUZZ_WORD, "%s", word);
  return true;
}

bool fuzz_envelope_add_file(fuzz_envelope *envelope, const char *name, const void *bytes, size_t size) {
  if (envelope->file_count == FUZZ_FILES || size > FUZZ_LARGEST)
    return false;
  fuzz_file *const file = &envelope->files[envelope->file_count];
  (void)snprintf(file->name, FUZZ_NAME, "%s", name);
  file_name_tame(file->name, envelope->file_count++);
  file->size = size;
  file->bytes = fuzz_memory(size);
  if (size)
    memcpy(file->bytes, bytes, size);
  return true;
}

void fuzz_file_set(fuzz_file *file, uint8_t *bytes, size_t size) {
  free(file->bytes);
  file->bytes = bytes;
  file->size = size;
}

const char *fuzz_envelope_option(const fuzz_envelope *envelope, const char *start) {
  for (size_t i = 0; i < envelope->word_count; i++)
    if (strncmp(envelope->words[i], start, strlen(start)) == 0)
      return envelope->words[i] + strlen(start);
  return NULL;
}
