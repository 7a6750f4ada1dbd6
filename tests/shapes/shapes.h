/* Programs that grow in one direction: what a linker can be slow at, or run out of stack or memory on. */
#ifndef TWINLINK_TESTS_SHAPES_H
#define TWINLINK_TESTS_SHAPES_H

#include "twinlink.h"

typedef struct shape_inputs {
  tl_input *items;
  size_t count, bytes;
} shape_inputs;

typedef struct shape {
  const char *name, *purpose;
  void (*build)(shape_inputs *inputs, unsigned count); /* `count`: about how many of the thing in question */
  unsigned small, large;                               /* counts of the test, and of the first measurement */
  bool verbose;                                        /* linked with -v */
} shape;

extern const shape shapes[];
extern const size_t shape_count;

void shape_free(shape_inputs *inputs);

#endif
