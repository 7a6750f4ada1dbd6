/* C83, shared by the files of the demangler: a mangled name that is being read. RF26 lists the style. */
#ifndef REF_DEMANGLE_H
#define REF_DEMANGLE_H

#include "link.h"

/* A type in its two parts: `int (*` and `)(float)`. */
typedef struct ref_type {
  const char *first, *second;
  bool spaced;     /* a blank stands before what follows: `A *`; a substituted prefix has none: `A*` */
  bool wrapped;    /* a function or an array: a declarator stands in parentheses */
  bool is_pointer; /* `const` stands behind it */
  bool is_const;
  bool is_function; /* `const` stands behind the parameters */
} ref_type;

typedef struct ref_mangled {
  ref_link *link;
  const char *at;
  bool failed;
  bool in_local;      /* behind `Z function E`, where a lambda may stand alone */
  bool in_conversion; /* `operator T1<int>`: the arguments are the operator's */
  unsigned depth;
  size_t budget; /* characters that may still be made: substitutions could double them again and again */
  ref_type *known;
  size_t known_count, known_capacity;
} ref_mangled;

/* A (possibly nested) name; what it needs when it is a function's. */
typedef struct ref_name_text {
  const char *text, *qualifiers, *suffix;
  bool has_arguments; /* template arguments at the end: a return type is part of the name */
  bool has_no_return; /* constructors, destructors, conversions */
} ref_name_text;

const char *ref_demangle_join(ref_mangled *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Skips `text` when it stands there. */
bool ref_demangle_take(ref_mangled *name, const char *text);
/* Where nothing else may stand. */
void ref_demangle_expect(ref_mangled *name, const char *text);
void ref_demangle_remember(ref_mangled *name, ref_type type);
const char *ref_demangle_source_name(ref_mangled *name);
size_t ref_demangle_number(ref_mangled *name);
/* S_, S0_, St and the other standard abbreviations. */
ref_type ref_demangle_substitution(ref_mangled *name);
ref_type ref_demangle_type(ref_mangled *name);
const char *ref_demangle_type_text(ref_mangled *name);
const char *ref_demangle_parameters(ref_mangled *name);
const char *ref_demangle_arguments(ref_mangled *name);
ref_name_text ref_demangle_name(ref_mangled *name);
/* A function with its parameters, or a variable; without parameters inside an expression. */
const char *ref_demangle_encoding(ref_mangled *name, bool with_parameters);
const char *ref_demangle_operator_text(ref_mangled *name);
const char *ref_demangle_expression(ref_mangled *name);
const char *ref_demangle_literal(ref_mangled *name);
/* Counts nesting; false when it is too deep. Each true is followed by ref_demangle_leave. */
bool ref_demangle_enter(ref_mangled *name);
void ref_demangle_leave(ref_mangled *name);

#endif
