/* C83: operators, literals, expressions in template arguments and decltype. */
#include "demangle.h"

#include <stdlib.h>
#include <string.h>

typedef struct ref_operator {
  const char *code, *text;
  int operands; /* in expressions; 0: only as a name */
} ref_operator;

static const ref_operator ref_operators[] = {
    {"nw", "new ", 0},     {"na", "new[] ", 0},   {"dl", "delete ", 0},   {"da", "delete[] ", 0}, {"ps", "+", 1},
    {"ng", "-", 1},        {"ad", "&", 1},        {"de", "*", 1},         {"co", "~", 1},         {"nt", "!", 1},
    {"pl", "+", 2},        {"mi", "-", 2},        {"ml", "*", 2},         {"dv", "/", 2},         {"rm", "%", 2},
    {"an", "&", 2},        {"or", "|", 2},        {"eo", "^", 2},         {"aS", "=", 2},         {"pL", "+=", 2},
    {"mI", "-=", 2},       {"mL", "*=", 2},       {"dV", "/=", 2},        {"rM", "%=", 2},        {"aN", "&=", 2},
    {"oR", "|=", 2},       {"eO", "^=", 2},       {"ls", "<<", 2},        {"rs", ">>", 2},        {"lS", "<<=", 2},
    {"rS", ">>=", 2},      {"eq", "==", 2},       {"ne", "!=", 2},        {"lt", "<", 2},         {"gt", ">", 2},
    {"le", "<=", 2},       {"ge", ">=", 2},       {"ss", "<=>", 2},       {"aa", "&&", 2},        {"oo", "||", 2},
    {"pp", "++", 0},       {"mm", "--", 0},       {"cm", ",", 2},         {"pm", "->*", 2},       {"pt", "->", 0},
    {"cl", "()", 0},       {"ix", "[]", 0},       {"qu", "?", 0},         {"aw", "co_await", 1},  {"ds", ".*", 2},
    {"tr", "throw", 0},    {"tw", "throw ", 1},   {"at", "alignof()", 0}, {"az", "alignof()", 0}, {"st", "sizeof()", 0},
    {"sz", "sizeof()", 0}, {"ti", "typeid()", 0}, {"te", "typeid()", 0},  {"nx", "noexcept()", 0}};

/* As a function's name, and in expressions with type and operand. */
static const ref_operator ref_casts[] = {
    {"sc", "static_cast", 1}, {"dc", "dynamic_cast", 1}, {"rc", "reinterpret_cast", 1}, {"cc", "const_cast", 1}};

/* In expressions: of a type (no operand) or of an expression. */
static const ref_operator ref_queries[] = {{"st", "sizeof", 0},  {"sz", "sizeof", 1},  {"sZ", "sizeof...", 1},
                                           {"at", "alignof", 0}, {"az", "alignof", 1}, {"ti", "typeid", 0},
                                           {"te", "typeid", 1},  {"nx", "noexcept", 1}};

static const char *ref_demangle_take_cast(ref_mangled *name) {
  for (size_t i = 0; i < sizeof ref_casts / sizeof ref_casts[0]; i++) {
    if (ref_demangle_take(name, ref_casts[i].code)) {
      return ref_casts[i].text;
    }
  }
  return NULL;
}

static const ref_operator *ref_demangle_find_operator(const char *at) {
  for (size_t i = 0; i < sizeof ref_operators / sizeof ref_operators[0]; i++) {
    if (strncmp(at, ref_operators[i].code, 2) == 0) {
      return &ref_operators[i];
    }
  }
  return NULL;
}

/* An operator as a function's name. */
const char *ref_demangle_operator_text(ref_mangled *name) {
  if (ref_demangle_take(name, "cv")) {
    const bool before = name->in_conversion;
    name->in_conversion = true;
    const char *type = ref_demangle_type_text(name);
    name->in_conversion = before;
    return ref_demangle_join(name, "operator %s", type);
  }
  if (ref_demangle_take(name, "li")) {
    return ref_demangle_join(name, "operator \"\"%s", ref_demangle_source_name(name));
  }
  const char *cast = ref_demangle_take_cast(name);
  if (cast != NULL) {
    return ref_demangle_join(name, "operator %s", cast);
  }
  const ref_operator *found = ref_demangle_find_operator(name->at);
  if (found == NULL) {
    name->failed = true;
    return "";
  }
  name->at += 2;
  return ref_demangle_join(name, "operator %s", found->text);
}

/* RF305: whole bytes in hexadecimal digits, whatever the type: up to eight digits are a float's, more a double's. */
static const char *ref_demangle_floating(ref_mangled *name, const char *digits, size_t length) {
  char copy[17] = "", text[64];
  if (length % 2 != 0 || length >= sizeof copy) {
    name->failed = true;
    return "";
  }
  memcpy(copy, digits, length);
  const unsigned long long bits = strtoull(copy, NULL, 16);
  const uint32_t half = (uint32_t)bits;
  float single;
  double value;
  memcpy(&single, &half, sizeof single);
  memcpy(&value, &bits, sizeof value);
  if (length <= 8) {
    (void)snprintf(text, sizeof text, "%g", (double)single);
  } else {
    (void)snprintf(text, sizeof text, "%.15g", value);
  }
  return ref_demangle_join(name, "%s%s", text, strpbrk(text, ".en") == NULL ? ".0" : "");
}

/* L type value E, or L_Z function E. RF305: of a type alone, what has no value in a name. */
const char *ref_demangle_literal(ref_mangled *name) {
  ref_demangle_expect(name, "L");
  if (ref_demangle_take(name, "DnE")) {
    return "nullptr";
  }
  if (ref_demangle_take(name, "_Z")) {
    const char *text = ref_demangle_encoding(name, false);
    ref_demangle_expect(name, "E");
    return text;
  }
  const bool floating = *name->at != 0 && strchr("fdeg", *name->at) != NULL;
  const char *type = ref_demangle_type_text(name);
  const bool negative = !floating && ref_demangle_take(name, "n");
  const char *digits = name->at;
  const size_t length = strspn(digits, floating ? "0123456789abcdef" : "0123456789");
  name->at += length;
  name->failed = (length == 0 && negative) || !ref_demangle_take(name, "E");
  if (floating) {
    return ref_demangle_join(name, "(%s)%s", type, ref_demangle_floating(name, digits, length));
  }
  if (length == 0) {
    return ref_demangle_join(name, "(%s)\"...\"", type);
  }
  return ref_demangle_join(name, "(%s)%s%.*s", type, negative ? "-" : "", (int)length, digits);
}

/* sr type member, or with the names of the scope one behind the other: sr 3std 11is_integral I...E E 5value. */
static const char *ref_demangle_scoped(ref_mangled *name) {
  const bool listed = *name->at >= '0' && *name->at <= '9';
  const char *scope = listed ? "" : ref_demangle_type_text(name);
  while (listed && !name->failed && !ref_demangle_take(name, "E")) {
    if (ref_demangle_take(name, "I")) {
      scope = ref_demangle_join(name, "%s%s", scope, ref_demangle_arguments(name));
    } else {
      scope = ref_demangle_join(name, "%s%s%s", scope, *scope == 0 ? "" : "::", ref_demangle_source_name(name));
    }
  }
  return ref_demangle_join(name, "%s::%s", scope, ref_demangle_source_name(name));
}

/* cl function arguments E */
static const char *ref_demangle_call(ref_mangled *name) {
  const char *function = ref_demangle_expression(name), *text = "";
  size_t count = 0;
  while (!name->failed && !ref_demangle_take(name, "E")) {
    text = ref_demangle_join(name, "%s%s%s", text, count++ == 0 ? "" : ", ", ref_demangle_expression(name));
  }
  return ref_demangle_join(name, "%s(%s)", function, text);
}

/* fp_ is the first parameter. */
static const char *ref_demangle_parameter(ref_mangled *name) {
  const size_t number = *name->at == '_' ? 1 : ref_demangle_number(name) + 2;
  ref_demangle_expect(name, "_");
  return ref_demangle_join(name, "param#%zu", number);
}

/* dt and pt */
static const char *ref_demangle_member(ref_mangled *name, const char *arrow) {
  const char *object = ref_demangle_expression(name);
  return ref_demangle_join(name, "(%s%s%s)", object, arrow, ref_demangle_source_name(name));
}

static const char *ref_demangle_special_expression(ref_mangled *name) {
  if (ref_demangle_take(name, "cl")) {
    return ref_demangle_call(name);
  }
  for (size_t i = 0; i < sizeof ref_queries / sizeof ref_queries[0]; i++) {
    if (ref_demangle_take(name, ref_queries[i].code)) {
      const bool expression = ref_queries[i].operands != 0;
      return ref_demangle_join(name, "%s(%s)", ref_queries[i].text,
                               expression ? ref_demangle_expression(name) : ref_demangle_type_text(name));
    }
  }
  if (ref_demangle_take(name, "tr")) {
    return "throw";
  }
  if (ref_demangle_take(name, "sr")) {
    return ref_demangle_scoped(name);
  }
  if (ref_demangle_take(name, "fp")) {
    return ref_demangle_parameter(name);
  }
  if (ref_demangle_take(name, "dt")) {
    return ref_demangle_member(name, ".");
  }
  if (ref_demangle_take(name, "pt")) {
    return ref_demangle_member(name, "->");
  }
  if (ref_demangle_take(name, "cv")) {
    const char *type = ref_demangle_type_text(name);
    return ref_demangle_join(name, "(%s)%s", type, ref_demangle_expression(name));
  }
  const char *cast = ref_demangle_take_cast(name); /* RF139 */
  if (cast != NULL) {
    const char *type = ref_demangle_type_text(name);
    return ref_demangle_join(name, "%s<%s>(%s)", cast, type, ref_demangle_expression(name));
  }
  if (ref_demangle_take(name, "ix")) {
    const char *array = ref_demangle_expression(name);
    return ref_demangle_join(name, "%s[%s]", array, ref_demangle_expression(name));
  }
  if (ref_demangle_take(name, "qu")) {
    const char *condition = ref_demangle_expression(name), *yes = ref_demangle_expression(name);
    return ref_demangle_join(name, "%s?%s:%s", condition, yes, ref_demangle_expression(name));
  }
  return NULL;
}

static const char *ref_demangle_any_expression(ref_mangled *name) {
  if (*name->at == 'L') {
    return ref_demangle_literal(name);
  }
  if (*name->at == 'T') {
    return ref_demangle_type_text(name);
  }
  if (*name->at >= '0' && *name->at <= '9') {
    const char *text = ref_demangle_source_name(name);
    return ref_demangle_take(name, "I") ? ref_demangle_join(name, "%s%s", text, ref_demangle_arguments(name)) : text;
  }
  const char *special = ref_demangle_special_expression(name);
  if (special != NULL) {
    return special;
  }
  const ref_operator *found = ref_demangle_find_operator(name->at);
  if (found == NULL || found->operands == 0) {
    name->failed = true;
    return "";
  }
  name->at += 2;
  const char *first = ref_demangle_expression(name);
  if (found->operands == 1) {
    return ref_demangle_join(name, "%s%s", found->text, first);
  }
  return ref_demangle_join(name, "%s%s%s", first, found->text, ref_demangle_expression(name));
}

const char *ref_demangle_expression(ref_mangled *name) {
  const char *text = "";
  if (ref_demangle_enter(name)) {
    text = ref_demangle_any_expression(name);
    ref_demangle_leave(name);
  }
  return text;
}
