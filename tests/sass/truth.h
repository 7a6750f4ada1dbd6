/* The marks of a decoded function and the order in which control can reach them; corpus/sass/README.md says what marks
 * are. Everything here goes by what oracle/sass decodes, so that a wrong target, a missed transfer or a wrong guard shows
 * as a wrong order of marks. */
#ifndef TWINLINK_TESTS_SASS_TRUTH_H
#define TWINLINK_TESTS_SASS_TRUTH_H

#include "ref_sass.h"

enum { TRUTH_MARKS = 64, TRUTH_END = TRUTH_MARKS - 1 };

typedef struct truth_graph {
  uint64_t next[TRUTH_MARKS]; /* bit m of next[k]: mark m can follow mark k; bit TRUTH_END: the function can end */
  size_t calls, call_registers, indexed, returns, exits, barriers, traps;
  char problem[160]; /* empty when all is well */
} truth_graph;

/* Of `.text.<function>` in `cubin`. */
void truth_build(truth_graph *graph, const ref_cubin *cubin, const char *function);
/* Line by line against `.expect`; false with graph->problem set. `expect` is the file's text. */
bool truth_compare(truth_graph *graph, const ref_cubin *cubin, const char *expect);

#endif
