/* The places of a source where a fault can be planted, kind by kind. */
#include "tests/faults/source.h"

#include "tests/faults/tokens.h"
#include "tests/harness/harness.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fault_kind_names[FAULT_KINDS] = {"changed constant", "swapped operand", "dropped condition",
                                                   "off by one", "removed statement"};

/* --- changes --- */

/* Are tokens first..last `text`, but for the blanks between them? */
static bool source_is_text(const fault_source *s, size_t first, size_t last, const char *text) {
  for (size_t at = s->tokens[first].start; at < s->tokens[last].end; at++) {
    if (isspace((unsigned char)s->bytes[at]))
      continue;
    text += strspn(text, " \n");
    if (*text++ != s->bytes[at])
      return false;
  }
  return text[strspn(text, " \n")] == '\0';
}

/* Replaces tokens first..last by `format`'s text. */
__attribute__((format(printf, 5, 6))) static void source_add(fault_source *s, fault_kind kind, size_t first,
                                                             size_t last, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  char *const text = harness_grow(NULL, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(arguments);
  if (source_is_text(s, first, last, text)) {
    free(text); /* two equal operands change places: nothing is changed */
    return;
  }
  s->changes = harness_grow(s->changes, (s->change_count + 1) * sizeof *s->changes);
  s->changes[s->change_count++] =
      (fault_change){kind, s->tokens[first].line, s->tokens[first].start, s->tokens[last].end, text};
}

/* The text of tokens first..last, for "%.*s". */
#define SPAN(s, first, last)                                                                                           \
  (int)((s)->tokens[last].end - (s)->tokens[first].start), (s)->bytes + (s)->tokens[first].start

static bool source_is_one_of(const fault_source *s, size_t index, const char *const *texts) {
  for (size_t i = 0; texts[i]; i++)
    if (fault_token_is(s, index, texts[i]))
      return true;
  return false;
}

/* --- constants --- */

static void source_change_number(fault_source *s, size_t index) {
  const char *const text = s->bytes + s->tokens[index].start;
  char *end = NULL;
  const uint64_t value = strtoull(text, &end, 0);
  const char *const limit = s->bytes + s->tokens[index].end;
  const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  for (const char *at = end; at < limit; at++)
    if (!strchr("uUlL", *at))
      return; /* no whole number */
  const int suffix = (int)(limit - end);
  const uint64_t others[] = {value + 1, value - 1, 2 * value, 0};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    bool known = others[i] == value || (i == 1 && value == 0);
    for (size_t j = 0; j < i; j++)
      known = known || others[j] == others[i];
    if (!known && hexadecimal)
      source_add(s, FAULT_CONSTANT, index, index, "0x%" PRIx64 "%.*s", others[i], suffix, end);
    else if (!known)
      source_add(s, FAULT_CONSTANT, index, index, "%" PRIu64 "%.*s", others[i], suffix, end);
  }
}

static char source_next_letter(char letter) {
  return letter == 'z' ? 'a' : letter == 'Z' ? 'A' : letter == '9' ? '0' : (char)(letter + 1);
}

/* A letter of a text that belongs to no escape and no conversion of a format. */
static bool source_is_plain_letter(const char *text, size_t at) {
  if (!isalnum((unsigned char)text[at]) || text[at - 1] == '\\')
    return false;
  size_t before = at;
  while (before > 1 && (isalnum((unsigned char)text[before - 1]) || strchr("#-+. *", text[before - 1])) &&
         at - before < 5 && text[before - 1] != ' ')
    before--;
  return text[before - 1] != '%';
}

/* The first, the middle and the last letter. */
static void source_change_text(fault_source *s, size_t index) {
  const size_t start = s->tokens[index].start, length = s->tokens[index].end - start;
  const char *const text = s->bytes + start;
  size_t letters[3] = {0}, count = 0;
  for (size_t i = 1; i + 1 < length; i++)
    if (source_is_plain_letter(text, i)) {
      letters[0] = letters[0] ? letters[0] : i;
      letters[1] = i <= length / 2 ? i : letters[1];
      letters[2] = i;
    }
  for (size_t i = 0; i < 3; i++)
    if (letters[i] && (i == 0 || letters[i] != letters[i - 1])) {
      source_add(s, FAULT_CONSTANT, index, index, "%.*s%c%.*s", (int)letters[i], text,
                 source_next_letter(text[letters[i]]), (int)(length - letters[i] - 1), text + letters[i] + 1);
      count++;
    }
  if (count == 0)
    source_add(s, FAULT_CONSTANT, index, index, "%.*sx\"", (int)(length - 1), text);
}

static void source_change_constant(fault_source *s, size_t index) {
  const fault_token *const token = &s->tokens[index];
  const char letter = s->bytes[token->start + 1];
  if (token->kind == TOKEN_NUMBER)
    source_change_number(s, index);
  else if (token->kind == TOKEN_TEXT)
    source_change_text(s, index);
  else if (token->kind == TOKEN_CHARACTER)
    source_add(s, FAULT_CONSTANT, index, index, "'%c'",
               isalnum((unsigned char)letter) ? source_next_letter(letter) : 'x');
  else if (fault_token_is(s, index, "true") || fault_token_is(s, index, "false"))
    source_add(s, FAULT_CONSTANT, index, index, fault_token_is(s, index, "true") ? "false" : "true");
}

/* --- operators --- */

/* How tightly a binary operator binds; 0: none. `?` and `:` bind less than all, an assignment less than they. */
static int source_precedence(const fault_source *s, size_t index) {
  static const char *const levels[][5] = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  const fault_token *const token = &s->tokens[index];
  if (token->kind != TOKEN_MARK || index == 0)
    return 0;
  const fault_token *const before = &s->tokens[index - 1];
  if (before->kind == TOKEN_MARK && !fault_token_is(s, index - 1, ")") && !fault_token_is(s, index - 1, "]"))
    return 0; /* a unary one */
  if (fault_token_is(s, index - 1, "return"))
    return 0;
  for (size_t level = 0; level < sizeof levels / sizeof *levels; level++)
    for (size_t i = 0; i < 5 && levels[level][i]; i++)
      if (fault_token_is(s, index, levels[level][i]))
        return (int)level + 1;
  return 0;
}

static bool source_ends_expression(const fault_source *s, size_t index) {
  static const char *const ends[] = {"(",  ")",  "[",  "]",  "{",  "}",  ",",  ";",   "?",   ":",      "=",    "+=",
                                     "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return", "case", NULL};
  return source_is_one_of(s, index, ends);
}

/* The first token of the left operand of the operator at `index`. */
static size_t source_left(const fault_source *s, size_t index, int precedence) {
  size_t at = index;
  while (at > 0) {
    const size_t before = at - 1;
    const bool bracket = fault_token_is(s, before, ")") || fault_token_is(s, before, "]");
    const int other = source_precedence(s, before);
    if ((!bracket && source_ends_expression(s, before)) || (other && other < precedence))
      break;
    at = bracket ? s->tokens[before].match : before;
  }
  return at;
}

/* The last token of the right operand. */
static size_t source_right(const fault_source *s, size_t index, int precedence) {
  size_t at = index;
  while (at + 1 < s->token_count) {
    const size_t next = at + 1;
    const bool bracket = fault_token_is(s, next, "(") || fault_token_is(s, next, "[");
    const int other = source_precedence(s, next);
    if ((!bracket && source_ends_expression(s, next)) || (other && other <= precedence && next != index + 1))
      break;
    at = bracket ? s->tokens[next].match : next;
  }
  return at;
}

static void source_swap_operands(fault_source *s, size_t index, size_t left, size_t right) {
  static const char *const ordered[] = {"-", "/", "%", "<<", ">>", "<", ">", "<=", ">=", NULL};
  if (source_is_one_of(s, index, ordered))
    source_add(s, FAULT_OPERANDS, left, right, "%.*s %.*s %.*s", SPAN(s, index + 1, right), SPAN(s, index, index),
               SPAN(s, left, index - 1));
}

static void source_change_operator(fault_source *s, size_t index) {
  static const char *const bounds[][2] = {{"<", "<="}, {"<=", "<"}, {">", ">="}, {">=", ">"}};
  const int precedence = source_precedence(s, index);
  if (!precedence)
    return;
  const size_t left = source_left(s, index, precedence), right = source_right(s, index, precedence);
  if (left == index || right == index)
    return;
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
    if (fault_token_is(s, index, bounds[i][0]))
      source_add(s, FAULT_OFF_BY_ONE, index, index, "%s", bounds[i][1]);
  source_swap_operands(s, index, left, right);
  if (fault_token_is(s, index, "&&") || fault_token_is(s, index, "||")) {
    source_add(s, FAULT_CONDITION, left, right, "%.*s", SPAN(s, left, index - 1));
    source_add(s, FAULT_CONDITION, left, right, "%.*s", SPAN(s, index + 1, right));
  }
}

/* `c ? a : b` */
static void source_change_choice(fault_source *s, size_t index) {
  if (!fault_token_is(s, index, "?"))
    return;
  const size_t left = source_left(s, index, 0);
  size_t colon = index + 1;
  for (size_t nested = 0; colon < s->token_count; colon++) {
    if (fault_token_is(s, colon, "(") || fault_token_is(s, colon, "["))
      colon = s->tokens[colon].match;
    else if (fault_token_is(s, colon, "?"))
      nested++;
    else if (fault_token_is(s, colon, ":") && nested-- == 0)
      break;
    else if (fault_token_is(s, colon, ";") || fault_token_is(s, colon, "}"))
      return;
  }
  if (colon + 1 >= s->token_count || colon == index + 1)
    return;
  size_t right = source_right(s, colon, 0);
  if (fault_token_is(s, right + 1, "?"))
    return; /* a chain: its last choice is a place of its own */
  source_add(s, FAULT_CONDITION, left, right, "%.*s", SPAN(s, index + 1, colon - 1));
  source_add(s, FAULT_CONDITION, left, right, "%.*s", SPAN(s, colon + 1, right));
  source_add(s, FAULT_OPERANDS, index + 1, right, "%.*s : %.*s", SPAN(s, colon + 1, right),
             SPAN(s, index + 1, colon - 1));
}

/* --- calls, indices, conditions --- */

/* The token behind the argument that begins at `at`: a comma or the closing bracket. */
static size_t source_argument_end(const fault_source *s, size_t at, size_t close) {
  while (at < close && !fault_token_is(s, at, ",")) {
    const size_t match = s->tokens[at].match;
    at = match > at ? match + 1 : at + 1;
  }
  return at;
}

/* Functions whose first two arguments in a row from `first` on may change places: as with + and ==, that is no fault. Of two
 * texts compared this holds where only equality is asked. */
typedef struct source_symmetry {
  const char *name;
  unsigned first;
  bool compares;
} source_symmetry;

static bool source_is_asked_for_equality(const fault_source *s, size_t name, size_t close) {
  return fault_token_is(s, name - 1, "!") || fault_token_is(s, close + 1, "==") || fault_token_is(s, close + 1, "!=");
}

/* Whether argument `number` of the call of the function at `name` may change places with the next one. */
static bool source_is_symmetric(const fault_source *s, size_t name, size_t close, unsigned number) {
  static const source_symmetry rows[] = {
      {"strcmp", 0, true},      {"strncmp", 0, true},          {"memcmp", 0, true},      {"tl_larger", 0, false},
      {"tl_smaller", 0, false}, {"ref_memory_take", 1, false}, {"ref_larger", 0, false}, {"ref_smaller", 0, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (fault_token_is(s, name, rows[i].name) && rows[i].first == number)
      return !rows[i].compares || source_is_asked_for_equality(s, name, close);
  return false;
}

static void source_change_call(fault_source *s, size_t index) {
  static const char *const words[] = {"if", "for", "while", "switch", "return", "sizeof", NULL};
  if (!fault_token_is(s, index, "(") || index == 0 || s->tokens[index - 1].kind != TOKEN_WORD ||
      source_is_one_of(s, index - 1, words))
    return;
  const size_t close = s->tokens[index].match;
  size_t first = index + 1, end = source_argument_end(s, first, close);
  for (unsigned number = 0; end < close; number++) {
    const size_t next = end + 1, next_end = source_argument_end(s, next, close);
    if (end > first && next_end > next && !source_is_symmetric(s, index - 1, close, number))
      source_add(s, FAULT_OPERANDS, first, next_end - 1, "%.*s, %.*s", SPAN(s, next, next_end - 1),
                 SPAN(s, first, end - 1));
    first = next;
    end = next_end;
  }
}

static void source_change_index(fault_source *s, size_t index) {
  if (!fault_token_is(s, index, "[") || s->tokens[index].match <= index + 1)
    return;
  const bool single = s->tokens[index].match == index + 2 && s->tokens[index + 1].kind == TOKEN_NUMBER;
  if (!single && index > 0 &&
      (s->tokens[index - 1].kind == TOKEN_WORD || fault_token_is(s, index - 1, ")") ||
       fault_token_is(s, index - 1, "]")))
    source_add(s, FAULT_OFF_BY_ONE, index + 1, s->tokens[index].match - 1, "(%.*s) + 1",
               SPAN(s, index + 1, s->tokens[index].match - 1));
}

static void source_change_condition(fault_source *s, size_t index) {
  if (fault_token_is(s, index, "if") && fault_token_is(s, index + 1, "("))
    source_add(s, FAULT_CONDITION, index + 1, s->tokens[index + 1].match, "(1)");
}

/* --- statements --- */

static bool source_begins_statement(const fault_source *s, size_t index) {
  static const char *const heads[] = {"if", "for", "while", "switch", NULL};
  static const char *const ends[] = {";", "{", "}", "else", "do", ":", NULL};
  if (index == 0 || s->tokens[index].header)
    return false;
  if (fault_token_is(s, index - 1, ")")) {
    const size_t open = s->tokens[index - 1].match;
    return open > 0 && source_is_one_of(s, open - 1, heads);
  }
  return source_is_one_of(s, index - 1, ends);
}

static void source_change_statement(fault_source *s, size_t index) {
  static const char *const others[] = {
      "{",       "}",        ";",       "if",     "else",   "for",   "while",  "do",       "switch", "case",
      "default", "goto",     "const",   "static", "enum",   "char",  "struct", "int",      "size_t", "bool",
      "void",    "volatile", "typedef", "union",  "double", "float", "long",   "unsigned", NULL};
  if (!source_begins_statement(s, index) || source_is_one_of(s, index, others))
    return;
  if (fault_token_is(s, index, "return") && !fault_token_is(s, index + 1, ";"))
    return;
  if (s->tokens[index].kind == TOKEN_WORD && index + 1 < s->token_count && s->tokens[index + 1].kind == TOKEN_WORD)
    return; /* a declaration */
  size_t end = index;
  while (end < s->token_count && !fault_token_is(s, end, ";")) {
    if (fault_token_is(s, end, "}"))
      return; /* an initialiser's part */
    end = s->tokens[end].match > end ? s->tokens[end].match + 1 : end + 1;
  }
  if (end < s->token_count)
    source_add(s, FAULT_STATEMENT, index, end, ";");
}

/* --- the file --- */

static void source_find_changes(fault_source *s) {
  for (size_t i = 0; i < s->token_count; i++) {
    if (!s->tokens[i].kept)
      continue;
    source_change_constant(s, i);
    if (!s->tokens[i].function)
      continue;
    source_change_operator(s, i);
    source_change_choice(s, i);
    source_change_call(s, i);
    source_change_index(s, i);
    source_change_condition(s, i);
    source_change_statement(s, i);
  }
}

void fault_source_read(fault_source *source, const char *path) {
  harness_bytes bytes;
  if (!harness_read_file(path, &bytes))
    harness_stop("cannot read %s", path);
  *source = (fault_source){.bytes = (char *)bytes.data, .size = bytes.size, .path = strdup(path)};
  if (!source->path)
    harness_stop("no memory");
  fault_tokens_find(source);
  source_find_changes(source);
}

void fault_source_free(fault_source *source) {
  for (size_t i = 0; i < source->change_count; i++)
    free(source->changes[i].text);
  free(source->changes);
  free(source->tokens);
  free(source->bytes);
  free(source->path);
  *source = (fault_source){0};
}

char *fault_source_apply(const fault_source *source, const fault_change *change) {
  const size_t length = strlen(change->text), rest = source->size - change->end;
  char *const text = harness_grow(NULL, change->start + length + rest + 1);
  memcpy(text, source->bytes, change->start);
  memcpy(text + change->start, change->text, length);
  memcpy(text + change->start + length, source->bytes + change->end, rest + 1);
  return text;
}
