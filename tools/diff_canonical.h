/* The canonical form of `twin diff`. */
#ifndef TWIN_DIFF_CANONICAL_H
#define TWIN_DIFF_CANONICAL_H

#include <stdbool.h>

bool diff_is_canonical(int argc, char **argv);
int diff_canonical(int argc, char **argv);

#endif
