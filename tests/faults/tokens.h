/* The tokens of a C source, with matched brackets. */
#ifndef TWINLINK_TESTS_FAULTS_TOKENS_H
#define TWINLINK_TESTS_FAULTS_TOKENS_H

#include "tests/faults/source.h"

typedef enum fault_token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_CHARACTER, TOKEN_TEXT, TOKEN_MARK } fault_token_kind;

typedef struct fault_token {
  fault_token_kind kind;
  size_t start, end;
  unsigned line;
  size_t match;  /* of a bracket: the other one; otherwise itself */
  bool function; /* stands in a function's body */
  bool header;   /* stands in round or square brackets */
  bool kept;     /* not in an assertion */
} fault_token;

/* Fills source->tokens. */
void fault_tokens_find(fault_source *source);
/* Is token `index` this word or mark? False behind the last one. */
bool fault_token_is(const fault_source *source, size_t index, const char *text);

#endif
