/* Numbers that follow from the repository's commit: whoever checks a commit cannot have chosen them. */
#ifndef TWIN_HEAD_H
#define TWIN_HEAD_H

#include <stdbool.h>
#include <stdint.h>

/* The first 8 hex digits of HEAD's id; `scratch` is a directory for a short-lived file. False where git gives none. */
bool head_number(const char *scratch, uint64_t *number);

#endif
