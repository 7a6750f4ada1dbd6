/* Words split a second time (split.h), from what the grammar's specification says of quotes, backslashes and commas. */
#include "fuzz/split.h"

#include <string.h>

static bool split_is_blank(char c) {
  return c && strchr(" \t\n\r", c);
}

/* An options file's next word, its quotes gone but those behind a backslash that stayed; NULL: the end, or the text is refused. */
static char *split_next(tl_arena *arena, const char **at) {
  char *const raw = tl_arena_new(arena, char, strlen(*at) + 1), *const word =
                                                                    tl_arena_new(arena, char, strlen(*at) + 1);
  size_t size = 0, used = 0;
  bool quoted = false;
  while (split_is_blank(**at))
    (*at)++;
  if (!**at)
    return NULL;
  for (; **at && (quoted || !split_is_blank(**at)); (*at)++) {
    quoted = quoted != (**at == '"');
    *at += **at == '\\';
    if (!**at)
      return NULL;
    raw[size++] = **at;
  }
  for (size_t i = 0; i < size; i++)
    if (raw[i] != '"' || (i && raw[i - 1] == '\\'))
      word[used++] = raw[i];
  word[used] = '\0';
  return quoted ? NULL : word;
}

const char *fuzz_split_check_file(tl_arena *arena, const char *text, const tl_texts *words) {
  const char *at = text;
  for (size_t i = 0; i < words->count; i++) {
    const char *const word = split_next(arena, &at);
    if (!word || strcmp(word, words->items[i]) != 0)
      return "an options file is split into other words";
  }
  return at[strspn(at, " \t\n\r")] ? "an options file has more words" : NULL;
}

/* A list's items, none of them empty, have all that the text has but commas and quotes, which stay behind a backslash. */
const char *fuzz_split_check_list(const char *text, const tl_texts *items) {
  const char *at = text;
  for (size_t i = 0; i < items->count; i++) {
    const char *item = items->items[i];
    if (!*item)
      return "a list has an empty item";
    for (; *item; at++) {
      if (*at == *item)
        item++;
      else if (*at != ',' && *at != '"')
        return "a list has other items";
    }
  }
  return at[strspn(at, ",\"")] ? "a list lacks an item" : NULL;
}
