/* What was executed of linker and oracle: read from the trace files that llvm-cov writes (lcov's format) and its summaries
 * (MC/DC), held against the sources' own list, so that a file that no program links counts as missing and not as absent. */
#ifndef TWIN_COVERAGE_H
#define TWIN_COVERAGE_H

#include "files.h"

#include <stdint.h>
#include <stdio.h>

typedef struct coverage_line {
  unsigned line;
  uint64_t count;
} coverage_line;

typedef struct coverage_branch {
  unsigned line;
  bool taken;
} coverage_branch;

typedef struct coverage_function {
  char *name;
  unsigned line; /* it reaches to the next function's line */
} coverage_function;

/* One kind of thing that is counted: lines, branches, conditions of MC/DC. */
typedef struct coverage_count {
  size_t all, covered;
} coverage_count;

typedef enum coverage_what { COVERAGE_LINES, COVERAGE_BRANCHES, COVERAGE_MCDC, COVERAGE_WHATS } coverage_what;

extern const char *const coverage_what_words[COVERAGE_WHATS];

typedef struct coverage_file {
  char *path;
  coverage_line *lines;
  coverage_branch *branches;
  coverage_function *functions;
  size_t line_count, line_room, branch_count, branch_room, function_count, function_room;
  bool counted; /* a program has code of it */
  coverage_count counts[COVERAGE_WHATS];
} coverage_file;

typedef struct coverage_set {
  coverage_file *files;
  size_t count, room;
} coverage_set;

/* The files that are to be counted, a path a line; false when it cannot be read or is empty. */
bool coverage_read_list(coverage_set *set, const char *path);
/* A trace file: of a source that several of its records have the first one counts. What is in no list is left out, but a
 * header below linker/ or oracle/ is added. */
bool coverage_read_trace(coverage_set *set, const char *path);
/* The conditions of MC/DC by file, of `llvm-cov export -summary-only`. */
bool coverage_read_conditions(coverage_set *set, const char *path);
const coverage_file *coverage_find(const coverage_set *set, const char *path);
/* The name of the function that holds the line; "" before the first. */
const char *coverage_function_at(const coverage_file *file, unsigned line);
/* Whether a file counts for a room: a directory and all below it. */
bool coverage_is_in(const char *path, const char *room);
coverage_count coverage_sum(const coverage_set *set, const char *room, coverage_what what);
double coverage_percent(coverage_count count);
void coverage_free(coverage_set *set);

#endif
