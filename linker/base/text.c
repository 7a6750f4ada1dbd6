/* base/text.c: joining takes one pass for the length, one for the bytes. */
#include "base/text.h"

#include <string.h>

static bool text_is(const char *text, const char *other) {
  while (*text && *text == *other) {
    text++;
    other++;
  }
  return *text == *other;
}

bool tl_text_is_among(const char *const *list, size_t count, const char *text) {
  for (size_t i = 0; i < count; i++)
    if (text_is(list[i], text))
      return true;
  return false;
}

static char *text_append(char *at, const char *text) {
  while (*text)
    *at++ = *text++;
  return at;
}

char *tl_texts_join(tl_arena *arena, const tl_texts *texts, const char *separator) {
  size_t length = 1;
  for (size_t i = 0; i < texts->count; i++)
    length += strlen(texts->items[i]) + strlen(separator);
  char *const joined = tl_arena_take(arena, 1, length);
  char *at = joined;
  for (size_t i = 0; i < texts->count; i++) {
    if (i)
      at = text_append(at, separator);
    at = text_append(at, texts->items[i]);
  }
  return joined;
}
