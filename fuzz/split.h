/* Whether an options file's text and a list's value were split into the words that they have. */
#ifndef FUZZ_SPLIT_H
#define FUZZ_SPLIT_H

#include "base/text.h"

/* NULL, or what is wrong. */
const char *fuzz_split_check_file(tl_arena *arena, const char *text, const tl_texts *words);
const char *fuzz_split_check_list(const char *text, const tl_texts *items);

#endif
