/* The parts of the decoder's test program. */
#ifndef TWINLINK_TESTS_SASS_SASS_H
#define TWINLINK_TESTS_SASS_SASS_H

/* Every cubin below a directory of the corpus, sorted; returns how many. */
typedef void sass_visit(const char *path, void *context);
void sass_each_cubin(const char *directory, sass_visit *visit, void *context);

/* sites.c: the cmocka tests about whole corpora and relocation sites. `state` is the corpus's path. */
void sass_test_rows_are_apart(void **state);
void sass_test_corpus_round_trip(void **state);
void sass_test_random_words_round_trip(void **state);
void sass_test_sites_of_the_corpus(void **state);
void sass_test_planted_sites(void **state);

#endif
