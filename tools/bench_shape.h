/* The two shapes of `twin bench`, as PTX. They are fixed: a figure of today can be compared with one of another day. */
#ifndef TWIN_BENCH_SHAPE_H
#define TWIN_BENCH_SHAPE_H

#include "files.h"

#define BENCH_ARCH "sm_90"

enum { BENCH_FILES = 40 };

typedef struct bench_shape {
  const char *name, *purpose;
  const char *ptxas_option; /* NULL: none */
  void (*write)(text_buffer *text, unsigned file);
} bench_shape;

extern const bench_shape bench_shapes[];
extern const size_t bench_shape_count;

#endif
