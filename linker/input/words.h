/* The two ways in which text becomes words: an options file (C49), and the value of a list option (C48). */
#ifndef TL_INPUT_WORDS_H
#define TL_INPUT_WORDS_H

#include "base/text.h"

/* Both add to `words` and return NULL, or the text of the stray character ("\"" or ""). Words live in the arena. */
const char *tl_words_split_file(tl_texts *words, tl_arena *arena, const char *text);
const char *tl_words_split_list(tl_texts *words, tl_arena *arena, const char *text);

#endif
