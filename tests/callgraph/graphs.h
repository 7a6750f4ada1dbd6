/* Programs that differ in their call graph only, and what nvlink 13.0.88 prints for each (recorded). */
#ifndef TESTS_CALLGRAPH_GRAPHS_H
#define TESTS_CALLGRAPH_GRAPHS_H

#include "tests/support/cubin_builder.h"

enum { GRAPH_MOST_FILES = 3 };

typedef struct built_graph {
  tb_cubin *files[GRAPH_MOST_FILES];
  size_t file_count;
} built_graph;

typedef struct graph_case {
  const char *name;
  void (*build)(built_graph *graph);
  const char *kernels_used; /* NULL: no option */
  const char *lines;        /* stderr behind the five lines that head the dump */
  int exit_code;
} graph_case;

extern const graph_case graph_cases[];
extern const size_t graph_case_count;

#endif
