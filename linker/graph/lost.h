/* Weak variables that an earlier weak definition beats, found before the files are merged (L1584). */
#ifndef TL_GRAPH_LOST_H
#define TL_GRAPH_LOST_H

#include "cubin/cubin.h"

/* The bytes [start, end) of a section of a file. */
typedef struct tl_lost_bytes {
  uint32_t file, section;
  uint64_t start, end;
} tl_lost_bytes;
typedef TL_VECTOR(tl_lost_bytes) tl_lost_list;

/* Of all files, sorted and without overlap. */
void tl_lost_find(tl_lost_list *list, const tl_cubin *files, uint32_t file_count, tl_arena *arena);
bool tl_lost_has(const tl_lost_list *list, uint32_t file, uint32_t section, uint64_t offset);

#endif
