/* C83: types, template arguments, parameters, substitutions. */
#include "demangle.h"

#include <string.h>

static const ref_type ref_no_type = {.first = "", .second = ""};

static ref_type ref_demangle_named(const char *text) {
  return (ref_type){.first = text, .second = "", .spaced = true};
}

static const char *ref_demangle_builtin(const char *at, size_t *length) {
  static const struct {
    const char *code, *text;
  } rows[] = {{"v", "void"},
              {"b", "bool"},
              {"c", "char"},
              {"a", "signed char"},
              {"h", "unsigned char"},
              {"s", "short"},
              {"t", "unsigned short"},
              {"i", "int"},
              {"j", "unsigned int"},
              {"l", "long"},
              {"m", "unsigned long"},
              {"x", "long long"},
              {"y", "unsigned long long"},
              {"n", "__int128"},
              {"o", "unsigned __int128"},
              {"f", "float"},
              {"d", "double"},
              {"e", "long double"},
              {"g", "__float128"},
              {"w", "wchar_t"},
              {"z", "..."},
              {"Dn", "std::nullptr_t"},
              {"Ds", "char16_t"},
              {"Di", "char32_t"},
              {"Du", "char8_t"},
              {"Da", "auto"},
              {"Dc", "decltype(auto)"},
              {"Dh", "__fp16"},
              {"DF16b", "std::bfloat16_t"},
              {"DF16_", "_Float16"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strncmp(at, rows[i].code, strlen(rows[i].code)) == 0) {
      *length = strlen(rows[i].code);
      return rows[i].text;
    }
  }
  return NULL;
}

/* The standard abbreviations: whole class names. */
static const char *ref_demangle_standard(char letter) {
  static const struct {
    char letter;
    const char *text;
  } rows[] = {{'a', "std::allocator"},
              {'b', "std::basic_string"},
              {'s', "std::basic_string<char, std::char_traits<char>, std::allocator<char>>"},
              {'i', "std::basic_istream<char, std::char_traits<char>>"},
              {'o', "std::basic_ostream<char, std::char_traits<char>>"},
              {'d', "std::basic_iostream<char, std::char_traits<char>>"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].letter == letter) {
      return rows[i].text;
    }
  }
  return NULL;
}

/* S_ is the first, S0_ the second; base 36. */
ref_type ref_demangle_substitution(ref_mangled *name) {
  const char *standard = name->at[0] == 'S' ? ref_demangle_standard(name->at[1]) : NULL;
  size_t number = 0;
  if (standard != NULL) {
    name->at += 2;
    return (ref_type){.first = standard, .second = ""};
  }
  ref_demangle_expect(name, "S");
  for (bool first = true; !name->failed && *name->at != '_'; first = false) {
    const char digit = *name->at++;
    const bool is_digit = digit >= '0' && digit <= '9', is_letter = digit >= 'A' && digit <= 'Z';
    name->failed = (!is_digit && !is_letter) || number > name->known_count;
    number = first ? 0 : number;
    number = number * 36 + (size_t)(is_digit ? digit - '0' : digit - 'A' + 10);
    number += *name->at == '_';
  }
  name->failed = !ref_demangle_take(name, "_") || number >= name->known_count;
  return name->failed ? ref_no_type : name->known[number];
}

/* T_ is T1, T0_ is T2. */
static ref_type ref_demangle_template_parameter(ref_mangled *name) {
  size_t number = 1;
  name->at++;
  if (*name->at != '_') {
    number = ref_demangle_number(name) + 2;
  }
  ref_demangle_expect(name, "_");
  return ref_demangle_named(ref_demangle_join(name, "T%zu", number));
}

/* `*`, `&`, `::*` behind a type. */
static ref_type ref_demangle_declarator(ref_mangled *name, ref_type to, const char *text) {
  return (ref_type){
      .first = ref_demangle_join(name, "%s%s%s%s", to.first, to.spaced ? " " : "", to.wrapped ? "(" : "", text),
      .second = to.wrapped ? ref_demangle_join(name, ")%s", to.second) : to.second,
      .is_pointer = true};
}

/* r, V, K in this order in the name; `const volatile int`, `int *const `, `int () const`. */
static ref_type ref_demangle_qualified(ref_mangled *name) {
  const bool is_restrict = ref_demangle_take(name, "r"), is_volatile = ref_demangle_take(name, "V");
  const bool is_const = ref_demangle_take(name, "K");
  ref_type type = ref_demangle_type(name);
  if (type.is_function) {
    type.second =
        ref_demangle_join(name, "%s%s%s", type.second, is_const ? " const" : "", is_volatile ? " volatile" : "");
    return type;
  }
  const char *words = ref_demangle_join(name, "%s%s%s", is_const && !type.is_const ? "const " : "",
                                        is_volatile ? "volatile " : "", is_restrict ? "restrict " : "");
  const bool behind = type.is_pointer;
  type.first = ref_demangle_join(name, "%s%s", behind ? type.first : words, behind ? words : type.first);
  type.is_const = type.is_const || is_const;
  return type;
}

/* F [Y] result parameters [R|O] E */
static ref_type ref_demangle_function_type(ref_mangled *name) {
  (void)ref_demangle_take(name, "Y");
  const ref_type result = ref_demangle_type(name);
  const char *parameters = ref_demangle_parameters(name);
  const char *reference = ref_demangle_take(name, "R") ? " &" : ref_demangle_take(name, "O") ? " &&" : "";
  ref_demangle_expect(name, "E");
  return (ref_type){.first = ref_demangle_join(name, "%s%s", result.first, result.spaced ? " " : ""),
                    .second = ref_demangle_join(name, "%s%s%s", parameters, reference, result.second),
                    .wrapped = true,
                    .is_function = true};
}

static ref_type ref_demangle_array(ref_mangled *name) {
  const char *size = "";
  if (*name->at >= '0' && *name->at <= '9') {
    size = ref_demangle_join(name, "%zu", ref_demangle_number(name));
  } else if (*name->at != '_') {
    size = ref_demangle_expression(name);
  }
  ref_demangle_expect(name, "_");
  const ref_type element = ref_demangle_type(name);
  return (ref_type){.first = ref_demangle_join(name, "%s%s", element.first, element.spaced ? " " : ""),
                    .second = ref_demangle_join(name, "[%s]%s", size, element.second),
                    .wrapped = true};
}

static ref_type ref_demangle_member_pointer(ref_mangled *name) {
  const char *owner = ref_demangle_type_text(name);
  const ref_type member = ref_demangle_type(name);
  return ref_demangle_declarator(name, member, ref_demangle_join(name, " :: %s::*", owner));
}

/* Dv4_f */
static ref_type ref_demangle_vector(ref_mangled *name) {
  const size_t count = ref_demangle_number(name);
  ref_demangle_expect(name, "_");
  const char *element = ref_demangle_type_text(name);
  return ref_demangle_named(
      ref_demangle_join(name, "%s __attribute((vector_size(%zu*sizeof(%s)))) ", element, count, element));
}

static ref_type ref_demangle_decltype(ref_mangled *name, bool expression) {
  const char *text = ref_demangle_expression(name);
  ref_demangle_expect(name, "E");
  return ref_demangle_named(ref_demangle_join(name, expression ? "decltype((%s))" : "decltype(%s)", text));
}

static ref_type ref_demangle_pack(ref_mangled *name) {
  ref_type type = ref_demangle_type(name);
  type.second = ref_demangle_join(name, "%s...", type.second);
  return type;
}

/* Template arguments behind a template parameter or a substitution. */
static ref_type ref_demangle_with_arguments(ref_mangled *name, ref_type type) {
  if (*name->at == 'I' && !name->in_conversion) {
    name->at++;
    type.first = ref_demangle_join(name, "%s%s", type.first, ref_demangle_arguments(name));
    ref_demangle_remember(name, type);
  }
  return type;
}

/* Whatever is remembered as it stands. */
static ref_type ref_demangle_compound(ref_mangled *name) {
  if (ref_demangle_take(name, "P")) {
    return ref_demangle_declarator(name, ref_demangle_type(name), "*");
  }
  if (ref_demangle_take(name, "R")) {
    return ref_demangle_declarator(name, ref_demangle_type(name), "&");
  }
  if (ref_demangle_take(name, "O")) {
    return ref_demangle_declarator(name, ref_demangle_type(name), "&&");
  }
  if (ref_demangle_take(name, "C")) {
    const ref_type part = ref_demangle_type(name);
    return (ref_type){.first = ref_demangle_join(name, "_Complex %s ", part.first), .second = part.second};
  }
  if (ref_demangle_take(name, "u")) {
    return ref_demangle_named(ref_demangle_source_name(name));
  }
  if (ref_demangle_take(name, "F")) {
    return ref_demangle_function_type(name);
  }
  if (ref_demangle_take(name, "A")) {
    return ref_demangle_array(name);
  }
  if (ref_demangle_take(name, "M")) {
    return ref_demangle_member_pointer(name);
  }
  if (ref_demangle_take(name, "Dv")) {
    return ref_demangle_vector(name);
  }
  if (ref_demangle_take(name, "Dp")) {
    return ref_demangle_pack(name);
  }
  if (ref_demangle_take(name, "DT")) {
    return ref_demangle_decltype(name, true);
  }
  if (ref_demangle_take(name, "Dt")) {
    return ref_demangle_decltype(name, false);
  }
  return ref_demangle_named(ref_demangle_name(name).text);
}

static ref_type ref_demangle_any_type(ref_mangled *name) {
  size_t length = 0;
  const char letter = *name->at;
  if (letter == 'r' || letter == 'V' || letter == 'K') {
    const ref_type type = ref_demangle_qualified(name);
    ref_demangle_remember(name, type);
    return type;
  }
  const char *builtin = ref_demangle_builtin(name->at, &length);
  if (builtin != NULL) {
    name->at += length;
    return ref_demangle_named(builtin);
  }
  if (letter == 'T') {
    const ref_type type = ref_demangle_template_parameter(name);
    ref_demangle_remember(name, type);
    return ref_demangle_with_arguments(name, type);
  }
  if (letter == 'S' && name->at[1] != 't') {
    return ref_demangle_with_arguments(name, ref_demangle_substitution(name));
  }
  const ref_type type = ref_demangle_compound(name);
  ref_demangle_remember(name, type);
  return type;
}

ref_type ref_demangle_type(ref_mangled *name) {
  ref_type type = ref_no_type;
  if (ref_demangle_enter(name)) {
    type = ref_demangle_any_type(name);
    ref_demangle_leave(name);
  }
  return name->failed ? ref_no_type : type;
}

const char *ref_demangle_type_text(ref_mangled *name) {
  const ref_type type = ref_demangle_type(name);
  return ref_demangle_join(name, "%s%s", type.first, type.second);
}

static bool ref_demangle_parameters_end(const ref_mangled *name) {
  return *name->at == 0 || *name->at == 'E' || *name->at == '$' ||
         ((*name->at == 'R' || *name->at == 'O') && name->at[1] == 'E');
}

/* At least one type; a single `v` is no parameter. */
const char *ref_demangle_parameters(ref_mangled *name) {
  const char *text = "";
  size_t count = 0;
  name->failed = name->failed || ref_demangle_parameters_end(name);
  if (*name->at == 'v') {
    ref_mangled after = *name;
    after.at++;
    if (ref_demangle_parameters_end(&after)) {
      name->at++;
      return "()";
    }
  }
  while (!name->failed && !ref_demangle_parameters_end(name)) {
    text = ref_demangle_join(name, "%s%s%s", text, count++ == 0 ? "" : ", ", ref_demangle_type_text(name));
  }
  return ref_demangle_join(name, "(%s)", text);
}

static const char *ref_demangle_argument(ref_mangled *name) {
  if (ref_demangle_take(name, "X")) {
    const char *text = ref_demangle_expression(name);
    ref_demangle_expect(name, "E");
    return text;
  }
  return *name->at == 'L' ? ref_demangle_literal(name) : ref_demangle_type_text(name);
}

/* Behind I: up to E. J ... E is a pack, whose elements stand in the same list. */
const char *ref_demangle_arguments(ref_mangled *name) {
  const char *text = "";
  const bool in_conversion = name->in_conversion;
  unsigned packs = 0;
  size_t count = 0;
  name->in_conversion = false;
  while (!name->failed && (packs > 0 || *name->at != 'E')) {
    if (ref_demangle_take(name, "J")) {
      packs++;
      if (*name->at == 'E' && count != 0) {
        text = ref_demangle_join(name, "%s, ", text);
      }
    } else if (packs != 0 && ref_demangle_take(name, "E")) {
      packs--;
    } else {
      text = ref_demangle_join(name, "%s%s%s", text, count++ == 0 ? "" : ", ", ref_demangle_argument(name));
    }
  }
  ref_demangle_expect(name, "E");
  name->in_conversion = in_conversion;
  return ref_demangle_join(name, "<%s>", text);
}
