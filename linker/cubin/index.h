/* The index file of unified functions and data (-uidx, U5): where the jump slot of each function and each object lies in
 * tables that are the same in all of a process's programs. An identity is two words. */
#ifndef TL_CUBIN_INDEX_H
#define TL_CUBIN_INDEX_H

#include "base/diagnostics.h"

typedef struct tl_index_entry {
  uint64_t first, second; /* the identity */
  uint64_t offset;        /* in the table */
} tl_index_entry;

typedef struct tl_index_table {
  uint64_t window; /* bytes of the table */
  tl_index_entry *entries;
  size_t count;
} tl_index_table;

typedef struct tl_index {
  const char *path;
  const uint8_t *bytes; /* the file, which an output holds as it is (U6) */
  size_t size;
  tl_index_table functions, data;
} tl_index;

/* Reads an index file; fatal E78 for what is none, or is longer or shorter than its numbers say. */
void tl_index_read(tl_index *index, const tl_input *input, tl_arena *arena, tl_diagnostics *diagnostics);

#endif
