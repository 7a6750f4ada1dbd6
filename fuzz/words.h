/* The options that a fuzzed link may have: a row a word, with the values that a mutator tries. Options that name files,
 * print or start something are not among them; words that are no row are left out of a link. */
#ifndef FUZZ_WORDS_H
#define FUZZ_WORDS_H

#include "fuzz/envelope.h"
#include "tests/support/built_program.h"

/* The row that a word of the command line belongs to is there. */
bool fuzz_word_is_known(const char *word);
/* The word that makes the file of its name an index of unified functions and data (-uidx) instead of an input. */
#define FUZZ_INDEX_NAME "index.uidx"
#define FUZZ_INDEX_WORD "-uidx=" FUZZ_INDEX_NAME
/* Twinlink's own name for the link, which says more then, its link map, and its trace. No other linker has the last two. */
#define FUZZ_OWN_NAME "--identity=twinlink"
#define FUZZ_OWN_MAP "--map=map"
#define FUZZ_OWN_TRACE "--trace="
bool fuzz_word_is_own(const char *word);
/* That file's number; file_count: the word or the file is not there, or the file is empty. */
size_t fuzz_index_of(const fuzz_envelope *envelope);
/* A word at random: any row, any of its values. */
const char *fuzz_word_choose(const built_choices *choices, char word[FUZZ_WORD]);
/* The usual words one by one, with each of their values: those that end no link. False behind the last one. */
bool fuzz_word_at(size_t number, char word[FUZZ_WORD]);
/* The words with which a link says more and does nothing else: what it worked out shows in messages alone. */
void fuzz_words_say_more(fuzz_envelope *envelope);
enum { FUZZ_TARGET = 24 }; /* bytes that a target's name takes */
/* "sm_90" and the like, mostly what fuzzed cubins are made for. */
void fuzz_target_choose(const built_choices *choices, char target[FUZZ_TARGET]);
/* Any name of that form, of one number, kind and suffix: a linker's table of them has each. */
void fuzz_target_of_any_kind(const built_choices *choices, char target[FUZZ_TARGET]);

enum { FUZZ_ARGUMENTS = 2 * (FUZZ_WORDS + FUZZ_FILES) + 4 };
/* The argv of the link: "nvlink", known words, "-o out.cubin", then the names of the files but the index. Returns how many words there are
 * in front of the names. It points into the envelope. */
int fuzz_arguments(const fuzz_envelope *envelope, const char *argv[FUZZ_ARGUMENTS]);

#endif
