/* C83: C++ names as nvlink's messages print them. This file: the whole name, functions, nested and local names; types and
 * expressions have files of their own. A name that does not follow the grammar stays as it is. */
#include "demangle.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 200, BUDGET = 1 << 20, SOURCE_LIMIT = 1000000 };

const char *ref_demangle_join(ref_mangled *name, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if ((size_t)length >= name->budget) {
    name->failed = true;
    return "";
  }
  name->budget -= (size_t)length;
  char *made = REF_TAKE(name->link, char, (size_t)length + 1);
  va_start(arguments, format);
  (void)vsnprintf(made, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return made;
}

bool ref_demangle_take(ref_mangled *name, const char *text) {
  const size_t length = strlen(text);
  if (name->failed || strncmp(name->at, text, length) != 0) {
    return false;
  }
  name->at += length;
  return true;
}

void ref_demangle_expect(ref_mangled *name, const char *text) {
  name->failed = !ref_demangle_take(name, text);
}

bool ref_demangle_enter(ref_mangled *name) {
  name->failed = name->failed || name->depth >= DEPTH_LIMIT;
  name->depth += !name->failed;
  return !name->failed;
}

void ref_demangle_leave(ref_mangled *name) {
  name->depth--;
}

void ref_demangle_remember(ref_mangled *name, ref_type type) {
  name->known = ref_memory_grow(name->link, name->known, name->known_count, &name->known_capacity, sizeof *name->known);
  name->known[name->known_count++] = type;
}

size_t ref_demangle_number(ref_mangled *name) {
  size_t number = 0;
  if (*name->at < '0' || *name->at > '9') {
    name->failed = true;
  }
  while (*name->at >= '0' && *name->at <= '9') {
    number = number < SOURCE_LIMIT ? number * 10 + (size_t)(*name->at - '0') : number;
    name->at++;
  }
  return number;
}

/* Anonymous namespaces; `_INTERNAL_...` namespaces are left out. */
const char *ref_demangle_source_name(ref_mangled *name) {
  const size_t length = ref_demangle_number(name);
  if (length == 0 || strlen(name->at) < length) {
    name->failed = true;
    return "";
  }
  const char *text = ref_demangle_join(name, "%.*s", (int)length, name->at);
  name->at += length;
  if (strncmp(text, "_GLOBAL__N_", strlen("_GLOBAL__N_")) == 0) {
    return "<unnamed>";
  }
  return strncmp(text, "_INTERNAL", strlen("_INTERNAL")) == 0 ? "" : text;
}

/* The number in `UlvE_`, `UlvE0_`, `Ut_`: 1 for none. */
static size_t ref_demangle_instance(ref_mangled *name) {
  size_t instance = 1;
  if (*name->at != '_') {
    instance = ref_demangle_number(name) + 2;
  }
  ref_demangle_expect(name, "_");
  return instance;
}

static const char *ref_demangle_unnamed(ref_mangled *name) {
  if (ref_demangle_take(name, "Ut")) {
    return ref_demangle_join(name, "[unnamed type (instance %zu)]", ref_demangle_instance(name));
  }
  name->at += 2;
  const char *parameters = ref_demangle_parameters(name);
  ref_demangle_expect(name, "E");
  return ref_demangle_join(name, "[lambda%s (instance %zu)]", parameters, ref_demangle_instance(name));
}

/* The class's own name, without its namespaces and arguments. */
static const char *ref_demangle_class_name(ref_mangled *name, const char *prefix) {
  const char *start = prefix, *end = prefix + strlen(prefix);
  int nesting = 0;
  for (const char *at = prefix; *at != 0; at++) {
    nesting += *at == '<';
    nesting -= *at == '>';
    if (nesting == 0 && at[0] == ':' && at[1] == ':') {
      start = at + 2;
      end = prefix + strlen(prefix);
    } else if (nesting == 1 && *at == '<' && end == prefix + strlen(prefix)) {
      end = at;
    }
  }
  return ref_demangle_join(name, "%.*s", (int)(end - start), start);
}

/* C1, C2, C3, D0, D1, D2. */
static const char *ref_demangle_structor(ref_mangled *name, const char *prefix, ref_name_text *result) {
  static const char *const suffixes[2][4] = {{NULL, "", " [subobject]", " [allocating]"},
                                             {" [deleting]", "", " [subobject]", NULL}};
  const bool destroys = *name->at == 'D';
  const char digit = name->at[1];
  if (digit < '0' || digit > '3' || suffixes[destroys][digit - '0'] == NULL) {
    name->failed = true;
    return "";
  }
  name->at += 2;
  result->has_no_return = true;
  result->suffix = suffixes[destroys][digit - '0'];
  return ref_demangle_join(name, "%s%s", destroys ? "~" : "", ref_demangle_class_name(name, prefix));
}

static const char *ref_demangle_unqualified(ref_mangled *name, const char *prefix, ref_name_text *result) {
  const char *text;
  result->has_no_return = false;
  result->suffix = "";
  if (*name->at >= '0' && *name->at <= '9') {
    text = ref_demangle_source_name(name);
  } else if (*name->at == 'C' || (*name->at == 'D' && name->at[1] >= '0' && name->at[1] <= '9')) {
    text = ref_demangle_structor(name, prefix, result);
  } else if (*name->at == 'U') {
    name->failed = name->failed || (name->at[1] != 'l' && name->at[1] != 't');
    text = name->failed ? "" : ref_demangle_unnamed(name);
  } else {
    result->has_no_return = strncmp(name->at, "cv", 2) == 0;
    text = ref_demangle_operator_text(name);
  }
  while (ref_demangle_take(name, "B")) {
    text = ref_demangle_join(name, "%s[abi:%s]", text, ref_demangle_source_name(name));
  }
  return text;
}

static const char *ref_demangle_qualify(ref_mangled *name, const char *prefix, const char *text) {
  return *prefix == 0 ? text : ref_demangle_join(name, "%s%s%s", prefix, *text == 0 ? "" : "::", text);
}

static ref_type ref_demangle_prefix(const char *text) {
  return (ref_type){.first = text, .second = ""};
}

/* N [qualifiers] prefix ... E; every prefix but the whole name is remembered. */
static ref_name_text ref_demangle_nested(ref_mangled *name) {
  ref_name_text result = {.text = "", .qualifiers = "", .suffix = ""};
  const bool is_volatile = ref_demangle_take(name, "V"), is_const = ref_demangle_take(name, "K");
  const bool lvalue = ref_demangle_take(name, "R"), rvalue = !lvalue && ref_demangle_take(name, "O");
  result.qualifiers = ref_demangle_join(name, "%s%s%s%s", is_const ? " const" : "", is_volatile ? " volatile" : "",
                                        lvalue ? " &" : "", rvalue ? " &&" : "");
  while (!name->failed && !ref_demangle_take(name, "E")) {
    const char *before = result.text;
    result.has_arguments = false;
    if (*name->at == 'S' && *before == 0 && strncmp(name->at, "St", 2) != 0) {
      result.text = ref_demangle_substitution(name).first;
      continue;
    }
    if (*name->at == 'T') {
      result.text = ref_demangle_type(name).first;
      continue;
    }
    if (*before == 0 && ref_demangle_take(name, "St")) {
      result.text = ref_demangle_qualify(name, "std", ref_demangle_unqualified(name, "std", &result));
    } else if (ref_demangle_take(name, "I")) {
      result.text = ref_demangle_join(name, "%s%s", before, ref_demangle_arguments(name));
      result.has_arguments = true;
    } else {
      result.text = ref_demangle_qualify(name, before, ref_demangle_unqualified(name, before, &result));
    }
    if (*name->at != 'E') {
      ref_demangle_remember(name, ref_demangle_prefix(result.text));
    }
  }
  return result;
}

/* Z function E entity [_number] */
static ref_name_text ref_demangle_local(ref_mangled *name) {
  const char *function = ref_demangle_encoding(name, true);
  ref_demangle_expect(name, "E");
  name->in_local = true;
  ref_name_text result = ref_demangle_name(name);
  result.text = ref_demangle_qualify(name, function, result.text);
  if (!result.has_arguments && ref_demangle_take(name, "_")) {
    result.text = ref_demangle_join(name, "%s (instance %zu)", result.text, ref_demangle_number(name) + 2);
  }
  return result;
}

static ref_name_text ref_demangle_any_name(ref_mangled *name) {
  ref_name_text result = {.text = "", .qualifiers = "", .suffix = ""};
  name->failed = name->failed || (*name->at == 'U' && !name->in_local);
  name->in_local = false;
  if (ref_demangle_take(name, "N")) {
    return ref_demangle_nested(name);
  }
  if (ref_demangle_take(name, "Z")) {
    return ref_demangle_local(name);
  }
  if (*name->at == 'S' && strncmp(name->at, "St", 2) != 0) {
    result.text = ref_demangle_substitution(name).first;
    name->failed = name->failed || *name->at != 'I';
  } else {
    const bool standard = ref_demangle_take(name, "St");
    result.text = ref_demangle_qualify(name, standard ? "std" : "", ref_demangle_unqualified(name, "", &result));
    if (*name->at == 'I') {
      ref_demangle_remember(name, ref_demangle_prefix(result.text));
    }
  }
  if (ref_demangle_take(name, "I")) {
    result.text = ref_demangle_join(name, "%s%s", result.text, ref_demangle_arguments(name));
    result.has_arguments = true;
  }
  return result;
}

ref_name_text ref_demangle_name(ref_mangled *name) {
  ref_name_text result = {.text = "", .qualifiers = "", .suffix = ""};
  if (ref_demangle_enter(name)) {
    result = ref_demangle_any_name(name);
    ref_demangle_leave(name);
  }
  return result;
}

/* h offset _ and v offset _ offset _ : what a thunk adds to `this`. */
static const char *ref_demangle_offset(ref_mangled *name) {
  const bool negative = ref_demangle_take(name, "n");
  const size_t number = ref_demangle_number(name);
  ref_demangle_expect(name, "_");
  return ref_demangle_join(name, "%s%zu", negative ? "-" : "", number);
}

static const char *ref_demangle_thunk(ref_mangled *name) {
  if (ref_demangle_take(name, "Th")) {
    const char *offset = ref_demangle_offset(name);
    return ref_demangle_join(name, "Thunk for (offset %s) %s", offset, ref_demangle_encoding(name, true));
  }
  name->at += 2;
  const char *offset = ref_demangle_offset(name), *virtual_offset = ref_demangle_offset(name);
  return ref_demangle_join(name, "Thunk for (offset %s, virtual offset %s) %s", offset, virtual_offset,
                           ref_demangle_encoding(name, true));
}

static const char *ref_demangle_function(ref_mangled *name, bool with_parameters) {
  const ref_name_text function = ref_demangle_name(name);
  const char *result = "";
  if (name->failed || *name->at == 0 || *name->at == 'E') {
    return ref_demangle_join(name, "%s%s", function.text, with_parameters ? function.suffix : function.qualifiers);
  }
  if (function.has_arguments && !function.has_no_return) {
    result = ref_demangle_join(name, "%s ", ref_demangle_type_text(name));
  }
  const char *parameters = ref_demangle_parameters(name);
  if (!with_parameters) {
    return ref_demangle_join(name, "%s%s", function.text, function.qualifiers);
  }
  return ref_demangle_join(name, "%s%s%s%s%s", result, function.text, parameters, function.qualifiers, function.suffix);
}

const char *ref_demangle_encoding(ref_mangled *name, bool with_parameters) {
  const char *text = "";
  if (ref_demangle_enter(name)) {
    const bool thunk = strncmp(name->at, "Th", 2) == 0 || strncmp(name->at, "Tv", 2) == 0;
    text = thunk ? ref_demangle_thunk(name) : ref_demangle_function(name, with_parameters);
    ref_demangle_leave(name);
  }
  return text;
}

/* `__nv_static_20__09d20d76_5_ku_cu_v1__Z3kstPi`: a number of characters, a `_`, then the name. */
static const char *ref_demangle_skip_unit(const char *mangled) {
  static const char prefix[] = "__nv_static_";
  if (strncmp(mangled, prefix, strlen(prefix)) != 0) {
    return mangled;
  }
  char *end;
  const unsigned long length = strtoul(mangled + strlen(prefix), &end, 10);
  if (*end != '_' || strlen(end) <= length || strncmp(end + 1 + length, "__Z", 3) != 0) {
    return mangled;
  }
  return end + 1 + length + 1;
}

/* RF350: what follows a function's "$": nothing but digits, which are not printed; another mangled name, of which the first is a
 * clone, and which may be followed by the next; or any text. */
static const char *ref_demangle_clones(ref_mangled *name, const char *text) {
  const char *latest = text;
  while (!name->failed && *name->at == '$') {
    const char *suffix = name->at + 1;
    const size_t digits = strspn(suffix, "0123456789");
    if (strchr(latest, '(') == NULL || (digits != 0 && suffix[digits] != 0)) {
      name->failed = true;
    } else if (digits != 0) {
      name->at = suffix + digits;
    } else if (strncmp(suffix, "_Z", 2) == 0) {
      name->at = suffix + 2;
      latest = ref_demangle_encoding(name, true);
      text = ref_demangle_join(name, "[clone %s] %s", text, latest);
    } else {
      name->at = suffix + strlen(suffix);
      text = ref_demangle_join(name, "[clone %s] %s", text, suffix);
    }
  }
  return text;
}

const char *ref_demangle(ref_link *link, const char *mangled) {
  const char *start = strncmp(mangled, "$_Z", 3) == 0 ? mangled + 1 : ref_demangle_skip_unit(mangled); /* RF350 */
  if (strncmp(start, "_Z", 2) != 0) {
    return mangled;
  }
  ref_mangled name = {.link = link, .at = start + 2, .budget = BUDGET};
  const char *text = ref_demangle_clones(&name, ref_demangle_encoding(&name, true));
  return name.failed || *name.at != 0 ? mangled : text;
}
