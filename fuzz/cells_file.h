/* The counts of a campaign's cells: a file of 64-bit words that all processes of the campaign have in memory together. */
#ifndef FUZZ_CELLS_FILE_H
#define FUZZ_CELLS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The file's words, zeros where it was shorter; made when it is not there. NULL when it cannot be. */
uint64_t *fuzz_cells_map(const char *path, size_t count);

#endif
