/* The PTX files of the capsule rows. Each has the smallest code that shows its rule. */
#ifndef TEST_CAPSULE_RULES_PROGRAMS_H
#define TEST_CAPSULE_RULES_PROGRAMS_H

#include <stdbool.h>
#include <stdio.h>

/* In what programs of one kind differ; each kind takes what it has. */
typedef struct capsule_form {
  const char *linkage, *kernel, *function;
  int number, step;
  bool stack;
} capsule_form;

/* Written by `write`, or by `form` from what the row says. */
typedef struct capsule_source {
  const char *name;
  const char *options; /* for ptxas, divided by blanks; NULL */
  void (*write)(FILE *to);
  void (*form)(FILE *to, const capsule_form *form);
  capsule_form with;
} capsule_source;

/* Stops the test program when there is no source of that name. */
const capsule_source *capsule_find_source(const char *name);
/* The whole file, for one architecture ("120"). */
void capsule_write_source(const capsule_source *source, const char *architecture, FILE *to);

#endif
