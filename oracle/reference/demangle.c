/* C83: C++ names as nvlink's messages print them. Plain and nested function names with builtin, class, pointer and
 * reference parameters; other names (templates, substitutions, lambdas) stay mangled. */
#include "link.h"

#include <string.h>

typedef struct ref_mangled {
  ref_link *link;
  const char *at;
  bool failed;
} ref_mangled;

static const char *ref_demangle_source_name(ref_mangled *name) {
  size_t length = 0;
  while (*name->at >= '0' && *name->at <= '9' && length < 100000) {
    length = length * 10 + (size_t)(*name->at++ - '0');
  }
  if (length == 0 || strlen(name->at) < length) {
    name->failed = true;
    return "";
  }
  const char *text = ref_memory_print(name->link, "%.*s", (int)length, name->at);
  name->at += length;
  return text;
}

static const char *ref_demangle_nested_name(ref_mangled *name) {
  if (*name->at != 'N') {
    return ref_demangle_source_name(name);
  }
  name->at++;
  name->at += *name->at == 'K';
  const char *text = ref_demangle_source_name(name);
  while (!name->failed && *name->at != 'E') {
    text = ref_memory_print(name->link, "%s::%s", text, ref_demangle_source_name(name));
  }
  name->at += !name->failed;
  return text;
}

static const char *ref_demangle_builtin(char letter) {
  static const char letters[] = "vbcahstijlmxyfd";
  static const char *const types[] = {
      "void",         "bool", "char",          "signed char", "unsigned char",      "short", "unsigned short", "int",
      "unsigned int", "long", "unsigned long", "long long",   "unsigned long long", "float", "double"};
  const char *found = letter == 0 ? NULL : strchr(letters, letter);
  return found == NULL ? NULL : types[found - letters];
}

/* Pointers and references are read from the outside in and written from the inside out. */
static const char *ref_demangle_type(ref_mangled *name) {
  const char *suffix = "";
  while (*name->at == 'P' || *name->at == 'R') {
    suffix = ref_memory_print(name->link, "%s%s", *name->at == 'P' ? "*" : "&", suffix);
    name->at++;
  }
  const bool constant = *name->at == 'K';
  name->at += constant;
  const char *builtin = ref_demangle_builtin(*name->at);
  if (builtin != NULL) {
    name->at++;
  } else {
    builtin = ref_demangle_nested_name(name);
  }
  return ref_memory_print(name->link, "%s%s%s%s", constant ? "const " : "", builtin, suffix[0] != 0 ? " " : "", suffix);
}

const char *ref_demangle(ref_link *link, const char *mangled) {
  ref_mangled name = {link, mangled + 2, false};
  if (strncmp(mangled, "_Z", 2) != 0) {
    return mangled;
  }
  const char *text = ref_memory_print(link, "%s(", ref_demangle_nested_name(&name));
  if (strcmp(name.at, "v") == 0) {
    return name.failed ? mangled : ref_memory_print(link, "%s)", text);
  }
  for (bool first = true; !name.failed && *name.at != 0; first = false) {
    text = ref_memory_print(link, "%s%s%s", text, first ? "" : ", ", ref_demangle_type(&name));
  }
  return name.failed ? mangled : ref_memory_print(link, "%s)", text);
}
