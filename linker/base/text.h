/* Texts put together, in an arena. */
#ifndef TL_BASE_TEXT_H
#define TL_BASE_TEXT_H

#include "base/vector.h"

/* A list of texts; the items live wherever they were put. */
typedef TL_VECTOR(const char *) tl_texts;

/* All items in order with `separator` between them. */
char *tl_texts_join(tl_arena *arena, const tl_texts *texts, const char *separator);

#endif
