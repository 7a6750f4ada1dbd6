/* Counts of inputs for each counter of the instrumented program, for the rules whose functions they stand in (rules.c). */
#ifndef FUZZ_RULES_H
#define FUZZ_RULES_H

#include <stddef.h>

/* Begins to count into a file; how many counters there are, 0 where nothing is counted: no path, or nothing instrumented. */
size_t fuzz_rules_start(const char *path);
/* After an input: adds what it moved. */
void fuzz_rules_add(void);

#endif
