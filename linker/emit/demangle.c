/* emit/demangle.c: the Itanium C++ scheme in the style of nvlink, learnt from what nvlink prints for 18,000 names.
 *
 * A type is kept in two halves around the place where a declarator goes, "int (" and ")(char)", so that pointers to
 * functions and arrays need no second look. Its flag `gap` tells whether a blank stands between the left half and the next
 * declarator: behind words it does ("A *"), behind "*" and "&" it does not, and, nvlink's own habit, neither behind a
 * substitution that stands for an enclosing scope or for a standard abbreviation ("A*").
 *
 * Input is untrusted: nesting is bounded, every text made is charged to a budget (substitutions can double a text at each
 * step), and the first thing that does not fit ends it: the name is then printed as it is. */
#include "emit/demangle.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MOST = 128, TEXT_MOST = 64 << 10, WORK_MOST = 4 << 20 };

/* Qualifiers of a type or member function: a set, however often and in which order the name has them. */
enum { IS_CONST = 1, IS_VOLATILE = 2, IS_RESTRICT = 4 };

typedef struct type {
  const char *left, *right;
  const struct type *bare; /* a qualified type: the same without its qualifiers */
  unsigned qualifiers;
  bool gap;      /* a blank before the next declarator */
  bool compound; /* function or array: a pointer to it needs parentheses */
  bool indirect; /* left ends in a declarator: qualifiers go behind it */
  bool function; /* qualifiers go between the two parts of the right half: */
  const char *parameters, *tail;
} type;

typedef struct reader {
  tl_arena *arena;
  const char *at, *end;
  TL_VECTOR(type) substitutions;
  unsigned nesting;
  size_t work;   /* bytes of text made so far */
  bool converts; /* in the type of a conversion operator: template arguments behind a parameter are the operator's */
  bool failed;
} reader;

/* What a name says beside its text. */
typedef struct name {
  const char *text;
  const char *qualifiers; /* of a member function */
  const char *suffix;     /* of a constructor or destructor */
  bool is_template;       /* ends in template arguments: a return type follows */
  bool has_no_return;     /* constructor, destructor, conversion */
} name;

static type read_type(reader *r);
static const char *read_type_text(reader *r);
static const char *read_encoding(reader *r);
static const char *read_expression(reader *r);
static const char *read_special_encoding(reader *r);
static name read_name(reader *r);

static const char *fail(reader *r) {
  r->failed = true;
  r->at = r->end;
  return "";
}

/* Charges a text that is to be made; false, and the end, where that is too much. */
static bool spend(reader *r, size_t size) {
  r->work += size;
  if (size > TEXT_MOST || r->work > WORK_MOST)
    fail(r);
  return !r->failed;
}

/* tl_arena_format of texts alone, within the budget. */
static const char *make(reader *r, const char *format, ...) {
  va_list texts;
  size_t size = strlen(format);
  va_start(texts, format);
  for (const char *at = format; (at = strstr(at, "%s")); at += 2)
    size += strlen(va_arg(texts, const char *));
  va_end(texts);
  if (!spend(r, size))
    return fail(r);
  va_start(texts, format);
  const char *const made = tl_arena_format_list(r->arena, format, texts);
  va_end(texts);
  return made;
}

/* With commas between them. */
static const char *join(reader *r, const tl_texts *texts) {
  static const char separator[] = ", ";
  size_t size = 1;
  for (size_t i = 0; i < texts->count; i++)
    size += strlen(texts->items[i]) + sizeof separator - 1;
  return spend(r, size) ? tl_texts_join(r->arena, texts, separator) : fail(r);
}

static const char *decimal(reader *r, uint64_t number) {
  return tl_arena_format(r->arena, "%u", number);
}

/* False where something was too much already: then nothing counts any more. */
static bool enter(reader *r) {
  if (++r->nesting > NESTING_MOST)
    fail(r);
  return !r->failed;
}

static char peek(const reader *r) {
  return r->at < r->end ? *r->at : '\0';
}

static bool peek_is(const reader *r, const char *text) {
  const size_t length = strlen(text);
  return (size_t)(r->end - r->at) >= length && memcmp(r->at, text, length) == 0;
}

static bool eat(reader *r, const char *text) {
  if (!peek_is(r, text))
    return false;
  r->at += strlen(text);
  return true;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static uint64_t read_number(reader *r) {
  uint64_t value = 0;
  if (!is_digit(peek(r)))
    fail(r);
  while (is_digit(peek(r)) && value < UINT32_MAX)
    value = value * 10 + (uint64_t)(*r->at++ - '0');
  if (is_digit(peek(r)))
    fail(r);
  return value;
}

/* "_" is 0, "0_" is 1 and so on, in base 36 or 10. */
static uint64_t read_sequence(reader *r, unsigned base) {
  if (eat(r, "_"))
    return 0;
  uint64_t value = 0;
  unsigned digits = 0;
  for (; digits < 6 && (is_digit(peek(r)) || (base == 36 && peek(r) >= 'A' && peek(r) <= 'Z')); digits++) {
    const char c = *r->at++;
    value = value * base + (uint64_t)(is_digit(c) ? c - '0' : c - 'A' + 10);
  }
  if (!digits || !eat(r, "_"))
    fail(r);
  return value + 1;
}

static void remember(reader *r, type t) {
  *tl_vector_push(r->arena, &r->substitutions) = t;
}

static type plain(const char *text) {
  return (type){.left = text, .right = "", .gap = true};
}

/* A scope or template name: no blank behind it when it comes back as a type. */
static type scope(const char *text) {
  return (type){.left = text, .right = ""};
}

static const char *whole(reader *r, const type *t) {
  /* a lone function or array type keeps the blank in front of its right half */
  return make(r, t->compound && t->gap ? "%s %s" : "%s%s", t->left, t->right);
}

typedef struct word {
  const char *code, *text;
} word;

static const word builtins[] = {
    {"v", "void"},         {"w", "wchar_t"},
    {"b", "bool"},         {"c", "char"},
    {"a", "signed char"},  {"h", "unsigned char"},
    {"s", "short"},        {"t", "unsigned short"},
    {"i", "int"},          {"j", "unsigned int"},
    {"l", "long"},         {"m", "unsigned long"},
    {"x", "long long"},    {"y", "unsigned long long"},
    {"n", "__int128"},     {"o", "unsigned __int128"},
    {"f", "float"},        {"d", "double"},
    {"e", "long double"},  {"g", "__float128"},
    {"z", "..."},          {"Dn", "std::nullptr_t"},
    {"Dh", "__fp16"},      {"Di", "char32_t"},
    {"Ds", "char16_t"},    {"Du", "char8_t"},
    {"Da", "auto"},        {"Dc", "decltype(auto)"},
    {"DF16_", "_Float16"}, {"DF16b", "std::bfloat16_t"},
};

static const word abbreviations[] = {
    {"a", "std::allocator"},
    {"b", "std::basic_string"},
    {"s", "std::basic_string<char, std::char_traits<char>, std::allocator<char>>"},
    {"i", "std::basic_istream<char, std::char_traits<char>>"},
    {"o", "std::basic_ostream<char, std::char_traits<char>>"},
    {"d", "std::basic_iostream<char, std::char_traits<char>>"},
};

/* Operators; those of two operands are also read in expressions. */
static const struct {
  const char *code, *text;
  unsigned operands;
} operators[] = {
    {"nw", "new ", 0}, {"na", "new[] ", 0}, {"dl", "delete ", 0}, {"da", "delete[] ", 0}, {"ps", "+", 1},
    {"ng", "-", 1},    {"ad", "&", 1},      {"de", "*", 1},       {"co", "~", 1},         {"pl", "+", 2},
    {"mi", "-", 2},    {"ml", "*", 2},      {"dv", "/", 2},       {"rm", "%", 2},         {"an", "&", 2},
    {"or", "|", 2},    {"eo", "^", 2},      {"aS", "=", 2},       {"pL", "+=", 2},        {"mI", "-=", 2},
    {"mL", "*=", 2},   {"dV", "/=", 2},     {"rM", "%=", 2},      {"aN", "&=", 2},        {"oR", "|=", 2},
    {"eO", "^=", 2},   {"ls", "<<", 2},     {"rs", ">>", 2},      {"lS", "<<=", 2},       {"rS", ">>=", 2},
    {"eq", "==", 2},   {"ne", "!=", 2},     {"lt", "<", 2},       {"gt", ">", 2},         {"le", "<=", 2},
    {"ge", ">=", 2},   {"ss", "<=>", 2},    {"nt", "!", 1},       {"aa", "&&", 2},        {"oo", "||", 2},
    {"pp", "++", 0},   {"mm", "--", 0},     {"cm", ",", 2},       {"pm", "->*", 2},       {"pt", "->", 0},
    {"cl", "()", 0},   {"ix", "[]", 0},     {"qu", "?", 0},       {"aw", "co_await", 0},
};

static const char *read_source_name(reader *r) {
  const uint64_t length = read_number(r);
  if (length == 0 || length > (uint64_t)(r->end - r->at))
    return fail(r);
  const char *const text = tl_arena_text(r->arena, r->at, (size_t)length);
  r->at += length;
  if (tl_text_behind(text, "_GLOBAL__N_"))
    return "<unnamed>";
  return tl_text_behind(text, "_INTERNAL") ? "" : text;
}

static unsigned read_qualifiers(reader *r) {
  unsigned set = 0;
  for (;;) {
    if (eat(r, "r"))
      set |= IS_RESTRICT;
    else if (eat(r, "V"))
      set |= IS_VOLATILE;
    else if (eat(r, "K"))
      set |= IS_CONST;
    else
      return set;
  }
}

/* A set of qualifiers as it stands behind something, in nvlink's order. */
static const char *qualifiers_text(unsigned set) {
  static const char *const texts[] = {
      "",          " const",          " volatile",          " const volatile",
      " restrict", " const restrict", " volatile restrict", " const volatile restrict",
  };
  return texts[set];
}

/* A type name's two halves with `text` as the next declarator. */
static type declare(reader *r, type t, const char *text) {
  if (t.compound)
    return (type){
        .left = make(r, t.gap ? "%s (%s" : "%s(%s", t.left, text), .right = make(r, ")%s", t.right), .indirect = true};
  return (type){.left = make(r, t.gap ? "%s %s" : "%s%s", t.left, text), .right = t.right, .indirect = true};
}

/* Parameter types up to the end of the name, of the function type or of the encoding. */
static const char *read_parameters(reader *r) {
  tl_texts texts = {0};
  while (r->at < r->end && peek(r) != 'E' && !peek_is(r, "RE") && !peek_is(r, "OE")) {
    const char *const text = read_type_text(r);
    *tl_vector_push(r->arena, &texts) = text;
  }
  if (texts.count == 1 && strcmp(texts.items[0], "void") == 0)
    texts.count = 0;
  return join(r, &texts);
}

static type read_function(reader *r) {
  const bool is_noexcept = eat(r, "Do");
  eat(r, "F"); /* its callers have seen it */
  eat(r, "Y");
  const type result = read_type(r);
  const char *const first = r->at;
  const char *const parameters = make(r, "(%s)", read_parameters(r));
  if (r->at == first)
    fail(r);
  const char *const reference = eat(r, "R") ? " &" : eat(r, "O") ? " &&" : "";
  if (!eat(r, "E"))
    fail(r);
  const char *const tail = make(r, "%s%s%s", reference, is_noexcept ? " noexcept" : "", result.right);
  return (type){.left = result.left,
                .right = make(r, "%s%s", parameters, tail),
                .gap = result.gap,
                .compound = true,
                .indirect = result.indirect,
                .function = true,
                .parameters = parameters,
                .tail = tail};
}

static type read_array(reader *r) {
  const char *bound = "";
  if (is_digit(peek(r))) {
    const char *const start = r->at;
    read_number(r);
    bound = tl_arena_text(r->arena, start, (size_t)(r->at - start));
  } else if (peek(r) != '_') {
    bound = read_expression(r);
  }
  if (!eat(r, "_"))
    fail(r);
  const type element = read_type(r);
  return (type){.left = element.left,
                .right = make(r, "[%s]%s", bound, element.right),
                .gap = element.gap,
                .compound = true,
                .indirect = element.indirect};
}

static const char *read_template_arguments(reader *r);

static const char *read_template_argument(reader *r) {
  if (eat(r, "J"))
    return read_template_arguments(r);
  if (eat(r, "X")) {
    const char *const text = read_expression(r);
    if (!eat(r, "E"))
      fail(r);
    return text;
  }
  if (peek(r) == 'L')
    return read_expression(r);
  return read_type_text(r);
}

/* Behind "I" or "J", with the "E". */
static const char *read_template_arguments(reader *r) {
  tl_texts texts = {0};
  if (enter(r))
    while (!r->failed && !eat(r, "E")) {
      if (r->at >= r->end)
        fail(r);
      *tl_vector_push(r->arena, &texts) = read_template_argument(r);
    }
  r->nesting--;
  return join(r, &texts);
}

static const char *read_template_parameter(reader *r) {
  return make(r, "T%s", decimal(r, read_sequence(r, 10) + 1));
}

/* Behind "S": a remembered type, or a standard abbreviation. */
static type read_substitution(reader *r) {
  for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++)
    if (eat(r, abbreviations[i].code))
      return scope(abbreviations[i].text);
  const uint64_t index = read_sequence(r, 36);
  if (index >= r->substitutions.count)
    return scope(fail(r));
  return r->substitutions.items[index];
}

/* The last component of a scope without its template arguments: the name of its constructors. */
static const char *class_name(reader *r, const char *text) {
  const char *start = text, *end = text + strlen(text);
  unsigned depth = 0;
  for (const char *at = end; at > text; at--) {
    const char c = at[-1];
    if (c == '>')
      depth++;
    else if (c == '<' && depth)
      depth--;
    else if (c == ':' && !depth) {
      start = at;
      break;
    }
  }
  const char *const arguments = strchr(start, '<');
  if (arguments && arguments != start)
    end = arguments;
  return tl_arena_text(r->arena, start, (size_t)(end - start));
}

static const char *read_lambda(reader *r) {
  const char *const parameters = read_parameters(r);
  if (!eat(r, "E"))
    return fail(r);
  return make(r, "[lambda(%s) (instance %s)]", parameters, decimal(r, read_sequence(r, 10) + 1));
}

static const char *read_operator(reader *r, name *n) {
  if (eat(r, "cv")) {
    const bool outer = r->converts;
    r->converts = true;
    const type t = read_type(r);
    r->converts = outer;
    n->has_no_return = true;
    return make(r, "operator %s", whole(r, &t));
  }
  if (eat(r, "li"))
    return make(r, "operator \"\"%s", read_source_name(r));
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (eat(r, operators[i].code))
      return make(r, "operator %s", operators[i].text);
  return fail(r);
}

static const char *read_tags(reader *r, const char *text) {
  while (eat(r, "B"))
    text = make(r, "%s[abi:%s]", text, read_source_name(r));
  return text;
}

/* Constructor or destructor of the class that `before` names. */
static const char *read_special_member(reader *r, const char *before, name *n) {
  static const struct {
    const char *code, *suffix;
  } kinds[] = {{"C1", ""}, {"C2", " [subobject]"}, {"C3", " [allocating]"}, {"D0", " [deleting]"},
               {"D1", ""}, {"D2", " [subobject]"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const bool destroys = kinds[i].code[0] == 'D';
    if (!eat(r, kinds[i].code))
      continue;
    if (!before[0])
      return fail(r);
    n->suffix = kinds[i].suffix;
    n->has_no_return = true;
    return make(r, "%s%s", destroys ? "~" : "", class_name(r, before));
  }
  return NULL;
}

/* One unqualified name; `before` is the scope in front of it. */
static const char *read_unqualified(reader *r, const char *before, name *n) {
  n->has_no_return = false;
  if (is_digit(peek(r)))
    return read_tags(r, read_source_name(r));
  if (eat(r, "Ul"))
    return read_lambda(r);
  if (eat(r, "Ut"))
    return make(r, "[unnamed type (instance %s)]", decimal(r, read_sequence(r, 10) + 1));
  const char *const special = read_special_member(r, before, n);
  return read_tags(r, special ? special : read_operator(r, n));
}

static const char *qualify(reader *r, const char *before, const char *text) {
  return before[0] && text[0] ? make(r, "%s::%s", before, text) : text[0] ? text : before;
}

/* One part of a nested name, put behind those before it. True if it needs no substitution of its own; a name does not end
 * with such a part. */
static bool read_nested_part(reader *r, name *n) {
  const char *const before = n->text;
  if (eat(r, "I")) {
    if (n->is_template || !before[0])
      fail(r);
    n->text = make(r, "%s<%s>", before, read_template_arguments(r));
    n->is_template = true;
    return false;
  }
  n->is_template = false;
  if (eat(r, "St")) {
    n->text = qualify(r, before, "std");
    return true;
  }
  if (eat(r, "S")) {
    const type t = read_substitution(r);
    n->text = qualify(r, before, whole(r, &t));
    return true;
  }
  if (peek_is(r, "DT") || peek_is(r, "Dt")) {
    n->text = qualify(r, before, read_type_text(r));
    return !before[0];
  }
  n->text = qualify(r, before, eat(r, "T") ? read_template_parameter(r) : read_unqualified(r, before, n));
  return false;
}

/* Behind "N". */
static name read_nested(reader *r) {
  name n = {"", "", "", false, false};
  n.qualifiers = qualifiers_text(read_qualifiers(r));
  if (eat(r, "R"))
    n.qualifiers = make(r, "%s &", n.qualifiers);
  else if (eat(r, "O"))
    n.qualifiers = make(r, "%s &&", n.qualifiers);
  bool known = true;
  while (!r->failed && !eat(r, "E")) {
    known = read_nested_part(r, &n);
    if (!known && peek(r) != 'E')
      remember(r, scope(n.text));
  }
  if (known)
    fail(r);
  return n;
}

static const char *read_discriminator(reader *r) {
  if (!eat(r, "_"))
    return "";
  uint64_t number;
  if (eat(r, "_")) {
    number = read_number(r);
    if (!eat(r, "_"))
      fail(r);
  } else {
    if (!is_digit(peek(r)))
      return fail(r);
    number = (uint64_t)(*r->at++ - '0');
  }
  return make(r, " (instance %s)", decimal(r, number + 2));
}

/* Behind "Z". */
static name read_local(reader *r) {
  const char *const outer = read_encoding(r);
  name n = {"", "", "", false, false};
  if (!eat(r, "E"))
    fail(r);
  if (eat(r, "s")) {
    n.text = make(r, "%s::string%s", outer, read_discriminator(r));
    return n;
  }
  const char *scope_text = outer;
  if (eat(r, "d"))
    scope_text = make(r, "%s::[default argument %s (from end)]", outer, decimal(r, read_sequence(r, 10) + 1));
  n = read_name(r);
  n.text = make(r, "%s::%s%s", scope_text, n.text, read_discriminator(r));
  return n;
}

static name read_name(reader *r) {
  name n = {"", "", "", false, false};
  bool known = false;
  if (!enter(r))
    return n;
  if (eat(r, "N")) {
    n = read_nested(r);
  } else if (eat(r, "Z")) {
    n = read_local(r);
  } else {
    if (eat(r, "St")) {
      n.text = make(r, "std::%s", read_unqualified(r, "", &n));
    } else if (eat(r, "S")) {
      const type t = read_substitution(r);
      n.text = peek(r) == 'I' ? whole(r, &t) : fail(r);
      known = true;
    } else {
      n.text = read_unqualified(r, "", &n);
    }
    if (eat(r, "I")) {
      if (!known)
        remember(r, scope(n.text));
      n.text = make(r, "%s<%s>", n.text, read_template_arguments(r));
      n.is_template = true;
    }
  }
  r->nesting--;
  return n;
}

static const char *read_type_text(reader *r) {
  const type t = read_type(r);
  return whole(r, &t);
}

/* `bare` with a set of qualifiers: in front of words, behind declarators and parameters. */
static type qualified(reader *r, const type *bare, unsigned set) {
  const char *const behind = qualifiers_text(set);
  type t = *bare;
  if (t.function)
    t.right = make(r, "%s%s%s", t.parameters, behind, t.tail);
  else if (t.indirect && !t.compound)
    t = (type){.left = make(r, "%s%s ", t.left, behind + 1), .right = t.right, .indirect = true};
  else if (!t.compound)
    t.left = make(r, "%s %s", behind + 1, t.left);
  t.bare = bare;
  t.qualifiers = set;
  return t;
}

/* A function type with qualifiers of its own is remembered without them, and qualifiers of a remembered function type take
 * the place of the old ones. */
static type read_qualified(reader *r) {
  const unsigned set = read_qualifiers(r);
  const bool is_function = peek(r) == 'F' || peek_is(r, "DoF");
  const type t = is_function ? read_function(r) : read_type(r);
  const type all =
      qualified(r, t.bare ? t.bare : tl_arena_copy(r->arena, &t, sizeof t), t.function ? set : set | t.qualifiers);
  remember(r, is_function ? t : all);
  return all;
}

static type read_member_pointer(reader *r) {
  const bool converts = r->converts;
  r->converts = false;
  const char *const owner = read_type_text(r);
  r->converts = converts;
  const type member = read_type(r);
  return declare(r, member, make(r, " :: %s::*", owner));
}

static type read_vector(reader *r) {
  const uint64_t count = read_number(r);
  if (!eat(r, "_"))
    fail(r);
  const char *const element = read_type_text(r);
  return plain(make(r, "%s __attribute((vector_size(%s*sizeof(%s)))) ", element, decimal(r, count), element));
}

static type read_decltype(reader *r, bool parentheses) {
  const char *const expression = read_expression(r);
  if (!eat(r, "E"))
    fail(r);
  return plain(make(r, parentheses ? "decltype((%s))" : "decltype(%s)", expression));
}

static type read_named_type(reader *r) {
  if (!peek_is(r, "St") && eat(r, "S")) {
    type t = read_substitution(r);
    if (!eat(r, "I"))
      return t;
    t.left = make(r, "%s<%s>", t.left, read_template_arguments(r));
    remember(r, t);
    return t;
  }
  if (!is_digit(peek(r)) && !strchr("NZSU", peek(r)))
    return plain(fail(r)); /* operators, constructors and destructors are no types; at the end there is no name */
  const type t = plain(read_name(r).text);
  remember(r, t);
  return t;
}

static type read_parameter_type(reader *r) {
  type t = plain(read_template_parameter(r));
  remember(r, t);
  if (!r->converts && eat(r, "I")) {
    t.left = make(r, "%s<%s>", t.left, read_template_arguments(r));
    remember(r, t);
  }
  return t;
}

/* A type that begins with `code` and is remembered; false when there is none such. */
static bool read_compound_type(reader *r, type *t) {
  if (peek(r) == 'r' || peek(r) == 'V' || peek(r) == 'K') {
    *t = read_qualified(r);
    return true;
  }
  if (eat(r, "P"))
    *t = declare(r, read_type(r), "*");
  else if (eat(r, "R"))
    *t = declare(r, read_type(r), "&");
  else if (eat(r, "O"))
    *t = declare(r, read_type(r), "&&");
  else if (peek(r) == 'F' || peek_is(r, "DoF"))
    *t = read_function(r);
  else if (eat(r, "U")) {
    const char *const qualifier = read_source_name(r);
    *t = read_type(r);
    *t = (type){.left = make(r, t->gap ? "%s %s" : "%s%s", t->left, qualifier), .right = t->right, .indirect = true};
  } else if (eat(r, "A"))
    *t = read_array(r);
  else if (eat(r, "M"))
    *t = read_member_pointer(r);
  else if (eat(r, "Dv"))
    *t = read_vector(r);
  else if (eat(r, "DT"))
    *t = read_decltype(r, true);
  else if (eat(r, "Dt"))
    *t = read_decltype(r, false);
  else if (eat(r, "Dp")) {
    const type pattern = read_type(r);
    *t = (type){.left = make(r, "%s...", whole(r, &pattern)), .right = "", .gap = true};
  } else if (eat(r, "C"))
    *t = (type){.left = make(r, "_Complex %s ", read_type_text(r)), .right = "", .indirect = true};
  else
    return false;
  remember(r, *t);
  return true;
}

static bool read_builtin_type(reader *r, type *t) {
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
    if (eat(r, builtins[i].code)) {
      *t = plain(builtins[i].text);
      return true;
    }
  return false;
}

static type read_type(reader *r) {
  /* codes of what may stand between a conversion operator and a template parameter that is its type */
  static const char declarators[] = "PROrVKAMUCT";
  type t;
  if (!enter(r))
    return plain(fail(r));
  const bool converts = r->converts;
  r->converts = converts && strchr(declarators, peek(r));
  if (read_builtin_type(r, &t))
    ;
  else if (eat(r, "u"))
    t = plain(read_source_name(r));
  else if (eat(r, "T"))
    t = read_parameter_type(r);
  else if (!read_compound_type(r, &t))
    t = read_named_type(r);
  r->converts = converts;
  r->nesting--;
  return t;
}

/* A value as "%g" prints it where the decimal point is a point; ".0" behind whole numbers. */
static const char *floating_text(reader *r, double value, int precision) {
  static const char written[] = "+-0123456789einfa";
  char text[40];
  snprintf(text, sizeof text, "%.*g", precision, value);
  const size_t whole_part = strspn(text, written), point = strcspn(text + whole_part, written);
  if (!point)
    return make(r, strpbrk(text, "en") ? "%s" : "%s.0", text);
  return make(r, "%s.%s", tl_arena_text(r->arena, text, whole_part), text + whole_part + point);
}

/* The bits of a floating-point literal: pairs of small hexadecimal digits, eight at most. Up to four of them are those of a
 * float and print six digits, more are those of a double and print fifteen, whatever the type is called. */
static const char *read_floating_value(reader *r) {
  uint64_t bits = 0;
  unsigned digits = 0;
  for (; digits < 16 && (is_digit(peek(r)) || (peek(r) >= 'a' && peek(r) <= 'f')); digits++) {
    const char c = *r->at++;
    bits = bits << 4 | (uint64_t)(is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  if (digits % 2)
    return fail(r);
  const uint32_t narrow = (uint32_t)bits;
  float single;
  double value;
  memcpy(&single, &narrow, sizeof single);
  memcpy(&value, &bits, sizeof value);
  return floating_text(r, digits <= 8 ? (double)single : value, digits <= 8 ? 6 : 15);
}

/* The name of an entity: qualifiers and kind stand behind it, parameters do not. */
static const char *read_entity(reader *r) {
  const char *const special = read_special_encoding(r);
  if (special)
    return special;
  const name n = read_name(r);
  if (peek(r) == 'E')
    return n.text;
  if (n.is_template && !n.has_no_return)
    read_type(r);
  if (peek(r) == 'E')
    return fail(r);
  read_parameters(r);
  return make(r, "%s%s%s", n.text, n.qualifiers, n.suffix);
}

/* Behind "L": a literal, or the name of an entity. */
static const char *read_literal(reader *r) {
  if (eat(r, "_Z")) {
    const char *const text = read_entity(r);
    return eat(r, "E") ? text : fail(r);
  }
  if (eat(r, "DnE"))
    return "nullptr";
  const char kind = peek(r);
  const char *const type_text = read_type_text(r);
  if (kind == 'f' || kind == 'd' || kind == 'e' || kind == 'g') {
    const char *const value = read_floating_value(r);
    return eat(r, "E") ? make(r, "(%s)%s", type_text, value) : fail(r);
  }
  if (eat(r, "E"))
    return make(r, "(%s)\"...\"", type_text);
  const bool negative = eat(r, "n");
  const char *const start = r->at;
  while (is_digit(peek(r)))
    r->at++;
  if (r->at == start)
    return fail(r);
  const char *const digits = tl_arena_text(r->arena, start, (size_t)(r->at - start));
  return eat(r, "E") ? make(r, "(%s)%s%s", type_text, negative ? "-" : "", digits) : fail(r);
}

/* Expressions up to "E", which is taken. */
static const char *read_expressions(reader *r) {
  tl_texts texts = {0};
  while (!r->failed && !eat(r, "E")) {
    if (r->at >= r->end)
      fail(r);
    *tl_vector_push(r->arena, &texts) = read_expression(r);
  }
  return join(r, &texts);
}

static const char *read_simple_id(reader *r) {
  const char *const text = read_source_name(r);
  return eat(r, "I") ? make(r, "%s<%s>", text, read_template_arguments(r)) : text;
}

/* Behind "sr": scopes, "E", and the name inside them. */
static const char *read_unresolved(reader *r) {
  const char *text = "";
  const bool nested = eat(r, "N");
  if (is_digit(peek(r)) && !nested) {
    while (!r->failed && !eat(r, "E"))
      text = qualify(r, text, read_simple_id(r));
  } else {
    text = read_type_text(r);
    while (nested && !r->failed && !eat(r, "E"))
      text = qualify(r, text, read_simple_id(r));
  }
  return qualify(r, text, read_simple_id(r));
}

/* "fp_" is the first parameter of the function, "fL0p_" that of an enclosing one. */
static const char *read_function_parameter(reader *r) {
  if (eat(r, "L")) {
    read_number(r);
    if (!eat(r, "p"))
      return fail(r);
  } else if (!eat(r, "p"))
    return fail(r);
  read_qualifiers(r);
  return make(r, "param#%s", decimal(r, read_sequence(r, 10) + 1));
}

/* Operators that are spelled in words, or around their operands. NULL when none stands here. */
static const char *read_word_expression(reader *r) {
  static const word casts[] = {
      {"sc", "static_cast"}, {"dc", "dynamic_cast"}, {"cc", "const_cast"}, {"rc", "reinterpret_cast"}};
  static const struct {
    const char *code, *format;
    bool of_type;
  } words[] = {{"st", "sizeof(%s)", true},   {"sz", "sizeof(%s)", false},   {"at", "alignof(%s)", true},
               {"az", "alignof(%s)", false}, {"nx", "noexcept(%s)", false}, {"sZ", "sizeof...(%s)", true},
               {"sp", "%s...", false}};
  for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
    if (eat(r, casts[i].code)) {
      const char *const target = read_type_text(r);
      return make(r, "%s<%s>(%s)", casts[i].text, target, read_expression(r));
    }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (eat(r, words[i].code))
      return make(r, words[i].format, words[i].of_type ? read_type_text(r) : read_expression(r));
  return NULL;
}

static const char *read_operand_expression(reader *r) {
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    if (!operators[i].operands || !eat(r, operators[i].code))
      continue;
    const char *const first = read_expression(r);
    if (operators[i].operands == 1)
      return make(r, "%s%s", operators[i].text, first);
    return make(r, "%s%s%s", first, operators[i].text, read_expression(r));
  }
  return fail(r);
}

static const char *read_shaped_expression(reader *r) {
  if (eat(r, "cl")) {
    const char *const callee = read_expression(r);
    return make(r, "%s(%s)", callee, read_expressions(r));
  }
  if (eat(r, "cv")) {
    const char *const target = read_type_text(r);
    return make(r, "(%s)%s", target, eat(r, "_") ? read_expressions(r) : read_expression(r));
  }
  if (eat(r, "tl")) {
    const char *const target = read_type_text(r);
    return make(r, "%s{%s}", target, read_expressions(r));
  }
  if (peek_is(r, "pt") || peek_is(r, "dt")) {
    const char *const arrow = peek(r) == 'p' ? "->" : ".";
    r->at += 2;
    const char *const object = read_expression(r);
    return make(r, "(%s%s%s)", object, arrow, read_expression(r));
  }
  if (eat(r, "ix")) {
    const char *const array = read_expression(r);
    return make(r, "%s[%s]", array, read_expression(r));
  }
  if (eat(r, "qu")) {
    const char *const condition = read_expression(r), *const yes = read_expression(r);
    return make(r, "%s?%s:%s", condition, yes, read_expression(r));
  }
  return NULL;
}

static const char *read_expression(reader *r) {
  const char *text = NULL;
  if (!enter(r))
    return fail(r);
  if (eat(r, "L"))
    text = read_literal(r);
  else if (eat(r, "T"))
    text = read_template_parameter(r);
  else if (peek_is(r, "fp") || peek_is(r, "fL")) {
    r->at++;
    text = read_function_parameter(r);
  } else if (eat(r, "sr"))
    text = read_unresolved(r);
  else if (is_digit(peek(r)))
    text = read_simple_id(r);
  if (!text)
    text = read_word_expression(r);
  if (!text)
    text = read_shaped_expression(r);
  if (!text)
    text = read_operand_expression(r);
  r->nesting--;
  return text;
}

/* A distance of a thunk: "h" and a number, or "v" and two of them. */
static const char *read_call_offset(reader *r) {
  const bool is_virtual = eat(r, "v");
  const char *texts[2] = {"", ""};
  if (!is_virtual && !eat(r, "h"))
    return fail(r);
  for (unsigned i = 0; i <= (is_virtual ? 1U : 0U); i++) {
    const bool negative = eat(r, "n");
    texts[i] = make(r, negative ? "-%s" : "%s", decimal(r, read_number(r)));
    if (!eat(r, "_"))
      fail(r);
  }
  return make(r, is_virtual ? "(offset %s, virtual offset %s) " : "(offset %s) ", texts[0], texts[1]);
}

/* Virtual tables and the like. NULL when the name is none. */
static const char *read_special_encoding(reader *r) {
  static const word of_type[] = {{"TV", "Virtual function table for "},
                                 {"TT", "Virtual table table for "},
                                 {"TI", "Typeinfo for "},
                                 {"TS", "Typeinfo name for "}};
  static const word of_name[] = {{"GV", "Initialization guard variable for "},
                                 {"TH", "Thread-local initialization routine for "},
                                 {"TW", "Thread-local wrapper routine for "}};
  for (size_t i = 0; i < sizeof of_type / sizeof *of_type; i++)
    if (eat(r, of_type[i].code))
      return make(r, "%s%s", of_type[i].text, read_type_text(r));
  for (size_t i = 0; i < sizeof of_name / sizeof *of_name; i++)
    if (eat(r, of_name[i].code))
      return make(r, "%s%s", of_name[i].text, read_name(r).text);
  if (eat(r, "Tc")) {
    const char *const first = read_call_offset(r), *const second = read_call_offset(r);
    return make(r, "Covariant thunk for %s%s%s", first, second, read_encoding(r));
  }
  if (peek_is(r, "Th") || peek_is(r, "Tv")) {
    r->at++;
    const char *const offset = read_call_offset(r);
    return make(r, "Thunk for %s%s", offset, read_encoding(r));
  }
  return NULL;
}

static bool at_end_of_encoding(const reader *r) {
  return r->at >= r->end || peek(r) == 'E';
}

/* A name, and of a function its parameters, with its return type in front where it is a template's. */
static const char *read_function_or_variable(reader *r) {
  const name n = read_name(r);
  if (at_end_of_encoding(r))
    return make(r, "%s%s", n.text, n.suffix);
  const char *const result = n.is_template && !n.has_no_return ? make(r, "%s ", read_type_text(r)) : "";
  if (at_end_of_encoding(r))
    fail(r);
  return make(r, "%s%s(%s)%s%s", result, n.text, read_parameters(r), n.qualifiers, n.suffix);
}

static const char *read_encoding(reader *r) {
  if (!enter(r))
    return fail(r);
  const char *text = read_special_encoding(r);
  if (!text)
    text = read_function_or_variable(r);
  r->nesting--;
  return text;
}

/* Behind "__nv_static_": the length of the file's name, two underscores, that name, and the function's own. */
static const char *skip_static_prefix(const char *text) {
  const char *const number = tl_text_behind(text, "__nv_static_");
  if (!number || !is_digit(*number))
    return text;
  char *at;
  const size_t length = strtoul(number, &at, 10); /* of too many digits the largest number, which no name has */
  if (!tl_text_behind(at, "__") || length == 0 || strlen(at + 2) <= length || at[1 + length] != '_')
    return text;
  return at + 2 + length;
}

/* Whether `suffix` ends the name: digits say nothing, other text, that is no mangled name, what is the clone's own. */
static bool demangle_ends(reader *r, const char *suffix, const char **text) {
  const size_t digits = strspn(suffix, "0123456789");
  if (!digits && tl_text_behind(suffix, "_Z"))
    return false;
  if (!digits)
    *text = make(r, "[clone %s] %s", *text, suffix);
  else if (suffix[digits])
    fail(r);
  return true;
}

/* L877: mangled names with "$" between them, each a clone of the one before, whose substitutions go on; only functions have
 * clones. */
static const char *demangle_parts(reader *r, const char *start) {
  const char *text = NULL;
  for (const char *part = start;; part = r->end + 1) {
    r->at = part + 2;
    r->end = part + strcspn(part, "$");
    const char *const own = read_encoding(r);
    text = text ? make(r, "[clone %s] %s", text, own) : own;
    if (r->at != r->end || (*r->end && !strchr(own, '(')))
      fail(r);
    if (r->failed || !*r->end || demangle_ends(r, r->end + 1, &text))
      return text;
  }
}

const char *tl_demangle(tl_arena *arena, const char *original) {
  const char *const start = tl_text_behind(original, "$_Z") ? original + 1 : skip_static_prefix(original);
  if (!tl_text_behind(start, "_Z"))
    return original;
  reader r = {.arena = arena};
  const char *const text = demangle_parts(&r, start);
  return r.failed ? original : text;
}
