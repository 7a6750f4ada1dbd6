/* base/text.c: one pass for the length, one for the bytes. */
#include "base/text.h"

#include <string.h>

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
