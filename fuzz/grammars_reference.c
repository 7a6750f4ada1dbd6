/* What the reference's grammar says of words, as text: no file sees the headers of both linkers. */
#include "fuzz/grammars.h"

#include "grammar.h"

#include <stdio.h>
#include <stdlib.h>

char *fuzz_grammars_reference(int argc, char *const *argv) {
  ref_grammar grammar = {0};
  char *text = NULL;
  size_t size = 0;
  FILE *const stream = open_memstream(&text, &size);
  if (!stream)
    abort();
  ref_grammar_take(&grammar, argc - 1, (const char *const *)argv + 1);
  for (size_t i = 0; i < grammar.said_count; i++)
    (void)fprintf(stream, "%s: %s\n", grammar.said[i].severity == REF_FATAL ? "fatal" : "other", grammar.said[i].text);
  ref_grammar_free(&grammar);
  if (fclose(stream) != 0)
    abort();
  return text;
}
