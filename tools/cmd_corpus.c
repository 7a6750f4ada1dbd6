/* twin corpus: the stored programs under corpus/cuda and nvlink's answers to them. */
#include "corpus.h"
#include "twin.h"

#include <stdio.h>
#include <string.h>

int twin_corpus(int argc, char **argv);

static void corpus_usage(void) {
  fprintf(stderr, "usage: twin corpus [--corpus DIRECTORY] COMMAND\n\n"
                  "  make [--check] [PROGRAM...]   compile the sources, link with nvlink, write cubins and answers\n"
                  "                                (--check: write nothing, say what would change)\n"
                  "  verify [PROGRAM...]           relink every job with nvlink, fail on any change\n"
                  "    --linker PATH               another linker instead of nvlink\n"
                  "    --argument ARGUMENT         put before each job's arguments; may be repeated\n"
                  "  features [--check]            count what the cubins hold into FEATURES beside the programs\n"
                  "                                (--check: fail when the file is stale)\n"
                  "  points                        jobs of all sets by what they are about and by architecture\n\n"
                  "The directory is corpus/cuda of the current directory, or of one above it.\n");
}

/* The corpus of the checkout that the current directory lies in. */
static void corpus_find(text_buffer *path) {
  text_add(path, "corpus/cuda");
  for (int depth = 0; depth < 16 && !file_exists(path->bytes); depth++) {
    text_buffer above = {0};
    text_add(&above, "../%s", path->bytes);
    text_free(path);
    *path = above;
  }
}

int twin_corpus(int argc, char **argv) {
  text_buffer corpus = {0};
  if (argc > 2 && strcmp(argv[1], "--corpus") == 0) {
    text_add(&corpus, "%s", argv[2]);
    argc -= 2;
    argv += 2;
  } else {
    corpus_find(&corpus);
  }
  int code = TWIN_TROUBLE;
  if (argc > 1 && strcmp(argv[1], "make") == 0)
    code = corpus_make(corpus.bytes, argc - 1, argv + 1);
  else if (argc > 1 && strcmp(argv[1], "verify") == 0)
    code = corpus_verify(corpus.bytes, argc - 1, argv + 1);
  else if (argc > 1 && strcmp(argv[1], "features") == 0)
    code = corpus_features(corpus.bytes, argc - 1, argv + 1);
  else if (argc > 1 && strcmp(argv[1], "points") == 0)
    code = corpus_points(corpus.bytes, argc - 1, argv + 1);
  else
    corpus_usage();
  text_free(&corpus);
  return code;
}
