/* input/words.c: quotes, escapes and commas as nvlink reads them, every rule measured with words that it prints back.
 *
 * An options file is read in two steps. The first finds words: blanks, tabs, line feeds and carriage returns separate
 * them outside double quotes, and a backslash anywhere gives the character behind it. The second takes the double quotes
 * out of a word, except those that then stand behind a backslash: x"a\\"b is the word xa\"b. A list is split at commas
 * outside double quotes; inside them a backslash in front of a quote keeps it, and both stay. Empty items vanish. */
#include "input/words.h"

#include <string.h>

static bool words_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The word of `length` bytes at `text` without its quotes. */
static void words_add_unquoted(tl_texts *words, tl_arena *arena, const char *text, size_t length) {
  char *const word = tl_arena_new(arena, char, length + 1);
  size_t used = 0;
  for (size_t i = 0; i < length; i++)
    if (text[i] != '"' || (i && text[i - 1] == '\\'))
      word[used++] = text[i];
  *tl_vector_push(arena, words) = word;
}

const char *tl_words_split_file(tl_texts *words, tl_arena *arena, const char *text) {
  char *const word = tl_arena_new(arena, char, strlen(text) + 1);
  size_t length = 0;
  bool quoted = false, open = false;
  for (const char *at = text; *at; at++) {
    if (!quoted && words_is_blank(*at)) {
      if (open)
        words_add_unquoted(words, arena, word, length);
      open = false;
      length = 0;
      continue;
    }
    open = true;
    if (*at == '"')
      quoted = !quoted;
    else if (*at == '\\')
      at++;
    if (!*at)
      return "";
    word[length++] = *at;
  }
  if (quoted)
    return "\"";
  if (open)
    words_add_unquoted(words, arena, word, length);
  return NULL;
}

static void words_add_item(tl_texts *words, tl_arena *arena, const char *item, size_t length) {
  if (length)
    *tl_vector_push(arena, words) = tl_arena_text(arena, item, length);
}

const char *tl_words_split_list(tl_texts *words, tl_arena *arena, const char *text) {
  char *const item = tl_arena_new(arena, char, strlen(text) + 1);
  size_t length = 0;
  bool quoted = false;
  for (const char *at = text; *at; at++) {
    const bool kept = quoted && at[-1] == '\\';
    if (*at == '"' && !kept) {
      quoted = !quoted;
    } else if (*at == ',' && !quoted) {
      words_add_item(words, arena, item, length);
      length = 0;
    } else {
      item[length++] = *at;
    }
  }
  words_add_item(words, arena, item, length);
  return quoted ? "\"" : NULL;
}
