/* Differences of linker and reference that have a name already: a row a cause. Patterns are matched as a shell does. A row
 * goes when the difference does; that every row is still met says `./run fuzz --known`. */
#ifndef FUZZ_KNOWN_H
#define FUZZ_KNOWN_H

#include <stddef.h>

typedef struct fuzz_known_row {
  const char *pattern, *row, *reason; /* of a cause (answer.h); the rule or defect; what differs */
} fuzz_known_row;

extern const fuzz_known_row fuzz_known_rows[];
extern const size_t fuzz_known_count;

#endif
