/* A C source as a planter of faults sees it: tokens, and the places where one can be changed so that it probably still
 * compiles. Nothing is parsed beyond brackets, statements and the precedence of operators: whether a change is C at all
 * the compiler says, and the draw goes on.
 *
 * Left alone are comments, lines of the preprocessor, and what stands in assert( and _Static_assert(, which a build does
 * not keep. */
#ifndef TWINLINK_TESTS_FAULTS_SOURCE_H
#define TWINLINK_TESTS_FAULTS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fault_kind {
  FAULT_CONSTANT,  /* a number, character, text or truth value is another */
  FAULT_OPERANDS,  /* two operands, neighbouring arguments or results of ?: exchanged */
  FAULT_CONDITION, /* `if (c)` always taken, one side of && or || or a result of ?: gone */
  FAULT_OFF_BY_ONE,
  FAULT_STATEMENT, /* removed */
  FAULT_KINDS
} fault_kind;

extern const char *const fault_kind_names[FAULT_KINDS];

/* The bytes start..end of the file are replaced by `text`. */
typedef struct fault_change {
  fault_kind kind;
  unsigned line; /* from 1 */
  size_t start, end;
  char *text;
} fault_change;

typedef struct fault_source {
  char *path;
  char *bytes; /* a NUL behind them */
  size_t size;
  struct fault_token *tokens;
  size_t token_count;
  fault_change *changes; /* in the order of their lines */
  size_t change_count;
} fault_source;

/* Reads a file and finds all its changes; stops the program when the file cannot be read. */
void fault_source_read(fault_source *source, const char *path);
void fault_source_free(fault_source *source);
/* The file with one change. The caller frees it. */
char *fault_source_apply(const fault_source *source, const fault_change *change);

#endif
