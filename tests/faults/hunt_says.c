/* What a linker says is looked at as a reader would who has only the documentation and the inputs: every word of it has to be one
 * that the documentation uses, or a name of the inputs, and what it names as the place of a fault (file, section, symbol,
 * offset) has to be there. The code of a message is that of a documented message with its text. So a spoilt text or place is seen although no other voter words it in the same way. */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

enum { SAYS_DEPTH = 3, SAYS_LONGEST = 64, SAYS_TEXT = 512 };

typedef struct says_words {
  uint64_t *items;
  size_t count, room;
} says_words;

static int says_compare(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

static void says_add(says_words *words, const char *text, size_t length) {
  char lower[SAYS_LONGEST];
  if (length >= sizeof lower)
    return;
  for (size_t i = 0; i < length; i++)
    lower[i] = (char)tolower((unsigned char)text[i]);
  if (words->count == words->room) {
    words->room = words->room ? 2 * words->room : 1024;
    words->items = harness_grow(words->items, words->room * sizeof *words->items);
  }
  words->items[words->count++] = XXH3_64bits(lower, length);
}

/* All runs of letters. */
static void says_add_text(says_words *words, const char *text, size_t size) {
  for (size_t at = 0, end; at < size; at = end + 1) {
    for (end = at; end < size && isalpha((unsigned char)text[end]);)
      end++;
    if (end > at + 1)
      says_add(words, text + at, end - at);
  }
}

/* A word of a link can be /dev/full, which has no end. */
static void says_add_file(says_words *words, const char *path) {
  harness_bytes bytes;
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || !harness_read_file(path, &bytes))
    return;
  says_add_text(words, (const char *)bytes.data, bytes.size);
  free(bytes.data);
}

/* The texts of the documentation; calls itself for what lies below. */
static void says_add_directory(says_words *words, const char *path, int depth) {
  DIR *const directory = opendir(path);
  for (const struct dirent *entry = NULL; directory && (entry = readdir(directory));) {
    const char *const ending = strrchr(entry->d_name, '.');
    char below[HARNESS_PATH];
    struct stat status;
    harness_path(below, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] == '.' || stat(below, &status) != 0)
      continue;
    if (S_ISDIR(status.st_mode) && depth > 0)
      says_add_directory(words, below, depth - 1);
    else if (ending && strcmp(ending, ".md") == 0)
      says_add_file(words, below);
  }
  if (directory)
    closedir(directory);
}

static void says_sort(says_words *words) {
  if (words->count)
    qsort(words->items, words->count, sizeof *words->items, says_compare);
}

static bool says_knows(const says_words *words, uint64_t word) {
  return words->count && bsearch(&word, words->items, words->count, sizeof word, says_compare);
}

static const says_words *says_documented(const char *corpus) {
  static says_words words;
  char path[HARNESS_PATH];
  if (words.count)
    return &words;
  harness_path(path, "%s/../docs", corpus);
  says_add_directory(&words, path, SAYS_DEPTH);
  harness_path(path, "%s/../README.md", corpus);
  says_add_file(&words, path);
  says_sort(&words);
  return &words;
}

/* Names of the inputs: their words, and what their cubins hold between bytes that are no letters. */
static void says_add_inputs(says_words *words, const hunt_input *input) {
  for (size_t i = 0; i < input->arguments.count; i++) {
    const char *const word = input->arguments.items[i];
    char path[HARNESS_PATH];
    says_add_text(words, word, strlen(word));
    if (*word == '/')
      harness_path(path, "%s", word);
    else
      harness_path(path, "%s/%s", input->directory, word);
    says_add_file(words, path);
  }
}

static size_t says_count_unknown(const says_words *said, const says_words *documented, const says_words *names) {
  size_t unknown = 0;
  for (size_t i = 0; i < said->count; i++)
    unknown += !says_knows(documented, said->items[i]) && !says_knows(names, said->items[i]);
  return unknown;
}

/* --- codes --- */

/* Does a line hold what is between the `%` of a documented text, in order? */
static bool says_line_has(const char *line, size_t length, const char *text, size_t text_length) {
  char piece[SAYS_TEXT], rest[SAYS_TEXT];
  snprintf(rest, sizeof rest, "%.*s", (int)(length < SAYS_TEXT ? length : SAYS_TEXT - 1), line);
  const char *from = rest;
  for (size_t at = 0; at < text_length;) {
    size_t end = at;
    while (end < text_length && text[end] != '%')
      end++;
    snprintf(piece, sizeof piece, "%.*s", (int)(end - at), text + at);
    const char *const found = end - at < SAYS_TEXT ? strstr(from, piece) : NULL;
    if (!found)
      return false;
    from = found + (end - at);
    at = end + 2; /* behind the conversion */
  }
  return true;
}

static bool says_any_line_has(const harness_bytes *said, const char *text, size_t length) {
  const char *const bytes = (const char *)said->data;
  for (size_t at = 0; at < said->size;) {
    const char *const end = memchr(bytes + at, '\n', said->size - at);
    const size_t line = end ? (size_t)(end - bytes) - at : said->size - at;
    if (says_line_has(bytes + at, line, text, length))
      return true;
    at += line + 1;
  }
  return false;
}

/* Is a message with this code said? Rows of the documentation: | `NAME` | CODE | severity: text | ... */
static bool says_code_is_said(const harness_words *rows, const char *code, const harness_bytes *said) {
  bool documented = false;
  for (size_t i = 0; rows->items && i < rows->count; i++) {
    const char *const number = strstr(rows->items[i], "` | ");
    const char *const severity = number ? strstr(number + 4, " | ") : NULL;
    const char *const text = severity ? strstr(severity, ": ") : NULL;
    const char *const end = text ? strstr(text, " | ") : NULL;
    if (!end || strlen(code) != (size_t)(severity - number - 4) ||
        strncmp(number + 4, code, (size_t)(severity - number - 4)) != 0)
      continue;
    documented = true;
    if (says_any_line_has(said, text + 2, (size_t)(end - text - 2)))
      return true;
  }
  return !documented;
}

/* Codes of messages (guarded_main.c) whose documented text nobody said. */
static size_t says_count_codes(const char *corpus, const char *directory) {
  static harness_words rows;
  harness_words codes = {0};
  harness_bytes said;
  char path[HARNESS_PATH];
  size_t wrong = 0;
  harness_path(path, "%s/../docs/specification/messages.md", corpus);
  if (!rows.items && harness_exists(path))
    harness_read_lines(path, &rows);
  harness_path(path, "%s/codes", directory);
  if (!harness_exists(path))
    return 0;
  harness_read_lines(path, &codes);
  harness_path(path, "%s/stderr", directory);
  if (harness_read_file(path, &said)) {
    for (size_t i = 0; i < codes.count; i++)
      wrong += *codes.items[i] == 'E' && !says_code_is_said(&rows, codes.items[i], &said);
    free(said.data);
  }
  harness_free_words(&codes);
  return wrong;
}

size_t hunt_says_wrong(const char *corpus, const hunt_input *input, const char *directory) {
  static const char *const streams[] = {"stdout", "stderr"};
  says_words said = {0}, names = {0};
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
    char path[HARNESS_PATH];
    harness_path(path, "%s/%s", directory, streams[i]);
    says_add_file(&said, path);
  }
  says_add_inputs(&names, input);
  says_sort(&names);
  const size_t unknown = says_count_unknown(&said, says_documented(corpus), &names);
  free(said.items);
  free(names.items);
  return unknown + says_count_codes(corpus, directory);
}
