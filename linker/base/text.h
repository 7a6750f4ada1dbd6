/* Texts put together, in an arena, and how texts begin. */
#ifndef TL_BASE_TEXT_H
#define TL_BASE_TEXT_H

#include "base/vector.h"

/* A list of texts; the items live wherever they were put. */
typedef TL_VECTOR(const char *) tl_texts;

/* All items in order with `separator` between them. */
char *tl_texts_join(tl_arena *arena, const tl_texts *texts, const char *separator);

/* Whether one of `count` texts is `text`. */
bool tl_text_is_among(const char *const *list, size_t count, const char *text);
#define TL_AMONG_TEXTS(list, text) tl_text_is_among(list, sizeof(list) / sizeof *(list), text)
/* What stands behind `prefix` in a text that begins so; NULL for another text. Most texts differ in their first bytes, where a
 * loop is done before the library's function is called. */
static inline const char *tl_text_behind(const char *text, const char *prefix) {
  while (*prefix)
    if (*text++ != *prefix++)
      return NULL;
  return text;
}

#endif
