/* From characters to tokens: the longest mark wins, a line of the preprocessor and its continuations are skipped. */
#include "tests/faults/tokens.h"

#include "tests/harness/harness.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct tokens_reader {
  fault_source *source;
  size_t at, room;
  unsigned line;
  bool line_begins; /* only blanks so far */
} tokens_reader;

static char tokens_peek(const tokens_reader *r, size_t ahead) {
  return r->at + ahead < r->source->size ? r->source->bytes[r->at + ahead] : '\0';
}

static void tokens_advance(tokens_reader *r, size_t count) {
  for (; count > 0 && r->at < r->source->size; count--)
    if (r->source->bytes[r->at++] == '\n') {
      r->line++;
      r->line_begins = true;
    }
}

static void tokens_skip_line(tokens_reader *r) {
  while (r->at < r->source->size && tokens_peek(r, 0) != '\n')
    tokens_advance(r, tokens_peek(r, 0) == '\\' ? 2 : 1);
}

static void tokens_skip_comment(tokens_reader *r) {
  tokens_advance(r, 2);
  while (r->at < r->source->size && !(tokens_peek(r, 0) == '*' && tokens_peek(r, 1) == '/'))
    tokens_advance(r, 1);
  tokens_advance(r, 2);
}

static size_t tokens_quoted_length(const tokens_reader *r) {
  const char quote = tokens_peek(r, 0);
  size_t length = 1;
  while (tokens_peek(r, length) && tokens_peek(r, length) != quote)
    length += tokens_peek(r, length) == '\\' ? 2 : 1;
  return length + 1;
}

static size_t tokens_mark_length(const tokens_reader *r) {
  static const char *const marks[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                      "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (strncmp(r->source->bytes + r->at, marks[i], strlen(marks[i])) == 0)
      return strlen(marks[i]);
  return 1;
}

static size_t tokens_word_length(const tokens_reader *r) {
  size_t length = 1;
  while (isalnum((unsigned char)tokens_peek(r, length)) || tokens_peek(r, length) == '_')
    length++;
  return length;
}

static void tokens_take(tokens_reader *r) {
  fault_source *const s = r->source;
  const char first = tokens_peek(r, 0);
  fault_token token = {.start = r->at, .line = r->line, .kept = true};
  size_t length;
  if (first == '"' || first == '\'') {
    token.kind = first == '"' ? TOKEN_TEXT : TOKEN_CHARACTER;
    length = tokens_quoted_length(r);
  } else if (isalnum((unsigned char)first) || first == '_') {
    token.kind = isdigit((unsigned char)first) ? TOKEN_NUMBER : TOKEN_WORD;
    length = tokens_word_length(r);
  } else {
    token.kind = TOKEN_MARK;
    length = tokens_mark_length(r);
  }
  token.end = token.start + length;
  if (s->token_count == r->room) {
    r->room = r->room ? 2 * r->room : 4096;
    s->tokens = harness_grow(s->tokens, r->room * sizeof *s->tokens);
  }
  token.match = s->token_count;
  s->tokens[s->token_count++] = token;
  r->line_begins = false;
  tokens_advance(r, length);
}

bool fault_token_is(const fault_source *source, size_t index, const char *text) {
  if (index >= source->token_count)
    return false;
  const fault_token *const token = &source->tokens[index];
  return token->end - token->start == strlen(text) &&
         memcmp(source->bytes + token->start, text, token->end - token->start) == 0;
}

static bool tokens_is_one_of(const fault_source *s, size_t index, const char *const *texts) {
  for (size_t i = 0; texts[i]; i++)
    if (fault_token_is(s, index, texts[i]))
      return true;
  return false;
}

/* What each token stands in. */
static void tokens_match(fault_source *s) {
  static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]", "}", NULL};
  static const char *const assertions[] = {"assert", "_Static_assert", NULL};
  size_t *const stack = harness_grow(NULL, (s->token_count + 1) * sizeof *stack);
  size_t depth = 0, function = 0, header = 0,
         assertion = 0; /* the last three: at which depth each begins, 0 for none */
  for (size_t i = 0; i < s->token_count; i++) {
    fault_token *const token = &s->tokens[i];
    if (depth > 0 && tokens_is_one_of(s, i, closing)) {
      token->match = stack[--depth];
      s->tokens[token->match].match = i;
      function = depth < function ? 0 : function;
      assertion = depth < assertion ? 0 : assertion;
      header -= fault_token_is(s, i, "}") || header == 0 ? 0 : 1;
    }
    token->function = function != 0;
    token->header = header != 0;
    token->kept = assertion == 0;
    if (tokens_is_one_of(s, i, opening)) {
      stack[depth++] = i;
      if (fault_token_is(s, i, "{") && depth == 1 && i > 0 && fault_token_is(s, i - 1, ")"))
        function = depth;
      if (!assertion && i > 0 && tokens_is_one_of(s, i - 1, assertions))
        assertion = depth;
      header += fault_token_is(s, i, "{") ? 0 : 1;
    }
  }
  free(stack);
}

void fault_tokens_find(fault_source *source) {
  tokens_reader r = {.source = source, .line = 1, .line_begins = true};
  while (r.at < source->size) {
    const char first = tokens_peek(&r, 0);
    if (isspace((unsigned char)first))
      tokens_advance(&r, 1);
    else if (first == '/' && tokens_peek(&r, 1) == '*')
      tokens_skip_comment(&r);
    else if ((first == '/' && tokens_peek(&r, 1) == '/') || (first == '#' && r.line_begins))
      tokens_skip_line(&r);
    else
      tokens_take(&r);
  }
  tokens_match(source);
}
