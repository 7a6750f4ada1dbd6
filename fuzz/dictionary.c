/* Dictionaries for the engines, out of the tables that the linker reads and the seeds: `fuzz_dictionary links SEED...` for
 * inputs that hold cubins, `fuzz_dictionary options` for the words of a command line. */
#include "fuzz/envelope.h"

#include "catalog/architecture.h"
#include "catalog/option.h"
#include "catalog/relocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MOST = 4000, TEXT_LEAST = 4, TEXT_MOST = 64, TYPES_MOST = 256 };

static char texts[TEXTS_MOST][TEXT_MOST + 1];
static size_t text_count;

static bool is_plain(uint8_t byte) {
  return byte > ' ' && byte < 0x7f && byte != '"' && byte != '\\';
}

static void texts_add(const uint8_t *text, size_t length) {
  for (size_t i = 0; i < text_count; i++)
    if (strlen(texts[i]) == length && memcmp(texts[i], text, length) == 0)
      return;
  if (text_count == TEXTS_MOST)
    return;
  memcpy(texts[text_count], text, length);
  texts[text_count++][length] = '\0';
}

/* Whole entries of string tables: between two zero bytes. */
static void texts_of_file(const fuzz_file *file) {
  for (size_t at = 1; at < file->size; at++) {
    size_t length = 0;
    while (at + length < file->size && is_plain(file->bytes[at + length]))
      length++;
    if (length >= TEXT_LEAST && length <= TEXT_MOST && !file->bytes[at - 1] && at + length < file->size &&
        !file->bytes[at + length])
      texts_add(file->bytes + at, length);
    at += length;
  }
}

static bool texts_of_seed(const char *path) {
  uint8_t *const bytes = fuzz_memory(FUZZ_LARGEST);
  FILE *const file = fopen(path, "rb");
  const size_t size = file ? fread(bytes, 1, FUZZ_LARGEST, file) : 0;
  fuzz_envelope envelope;
  if (fuzz_envelope_read(&envelope, bytes, size)) {
    for (size_t i = 0; i < envelope.file_count; i++)
      texts_of_file(&envelope.files[i]);
    fuzz_envelope_free(&envelope);
  }
  free(bytes);
  return file && fclose(file) == 0;
}

static bool print_links(int count, char **seeds) {
  bool good = true;
  for (int i = 0; i < count; i++)
    good = texts_of_seed(seeds[i]) && good;
  for (size_t i = 0; i < text_count; i++)
    printf("\"%s\\x00\"\n", texts[i]);
  for (uint32_t type = 0; type < TYPES_MOST; type++) /* the upper half of r_info */
    if (tl_relocation_find(type))
      printf("\"\\x%02x\\x00\\x00\\x00\"\n", type);
  return good;
}

static void print_options(void) {
  for (tl_option_id id = 0; id < TL_OPT_COUNT; id++) {
    const tl_option_row *const row = tl_option_row_of(id);
    const char *const end = row->kind == TL_OPTION_FLAG ? " " : "=";
    printf("\" --%s%s\"\n", row->long_name, end);
    if (row->short_name)
      printf("\" -%s%s\"\n", row->short_name, end);
  }
  for (size_t i = 0; tl_architecture_at(i); i++) /* no word says more without one that is known */
    printf("\" -arch=%s \"\n", tl_architecture_at(i)->name);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "links") == 0)
    return print_links(argc - 2, argv + 2) ? 0 : 1;
  if (argc > 1 && strcmp(argv[1], "options") == 0)
    print_options();
  else
    (void)fprintf(stderr, "usage: fuzz_dictionary links SEED... | options\n");
  return argc > 1 && strcmp(argv[1], "options") == 0 ? 0 : 2;
}
