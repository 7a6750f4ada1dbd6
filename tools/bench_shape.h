/* The shapes of `twin bench`, as PTX. They are fixed: a figure of today can be compared with one of another day. */
#ifndef TWIN_BENCH_SHAPE_H
#define TWIN_BENCH_SHAPE_H

#include "files.h"

#define BENCH_ARCH "sm_90"

enum { BENCH_FILES = 40 };

typedef struct bench_shape {
  const char *name, *purpose;
  const char *ptxas_option; /* NULL: none */
  /* The PTX of one file; `last`: no file comes after it. */
  void (*write)(text_buffer *text, unsigned file, bool last);
  unsigned files, first; /* how many, and the number of the first */
  bool copied;           /* only one middle and one last file are compiled, the others are copies with other names */
  bool asked;            /* not measured unless it is named */
  double share;          /* the goal: at most so much of nvlink's processor time */
} bench_shape;

extern const bench_shape bench_shapes[];
extern const size_t bench_shape_count;

/* Files come in groups of BENCH_FILES, in which each calls the next; true for the last of one. */
bool bench_shape_is_last(const bench_shape *shape, unsigned number);

/* Of a copied shape: makes file `number` of the compiled file `original` by renaming; both numbers have three digits. */
void bench_shape_rename(char *bytes, size_t size, unsigned original, unsigned number);

#endif
