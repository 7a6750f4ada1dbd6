/* Reads whole files. Sizes are what was really read; a file that changes meanwhile is an error, not a signal. */
#ifndef TL_INPUT_FILE_H
#define TL_INPUT_FILE_H

#include "base/arena.h"

typedef enum tl_file_status {
  TL_FILE_OK,
  TL_FILE_UNREADABLE, /* missing, without permission, an error while reading */
  TL_FILE_DIRECTORY,
  TL_FILE_SHRANK /* ended before the size that it had when it was opened */
} tl_file_status;

/* Reads `path`. On TL_FILE_OK `*bytes` lies in the arena (never NULL, one zero byte behind the end) and `*size` is its length
 * in bytes; otherwise both are zero. Of a device or pipe at most `stream_limit` bytes are read, less than SIZE_MAX: 0 takes it for empty, as
 * nvlink does with its inputs, and never waits for a writer. */
tl_file_status tl_file_read(const char *path, size_t stream_limit, tl_arena *arena, uint8_t **bytes, size_t *size);
/* The same in two steps, so that several files can be filled at once. */
typedef struct tl_file {
  uint8_t *bytes; /* in the arena; NULL unless the status is TL_FILE_OK */
  size_t size;
  tl_file_status status; /* final after tl_file_fill */
  int descriptor;
  bool regular;
} tl_file;

/* Opens and takes memory; tl_file_fill must follow. */
void tl_file_open(tl_file *file, const char *path, size_t stream_limit, tl_arena *arena);
/* Reads and closes; takes no memory, and touches nothing but this file's. */
void tl_file_fill(tl_file *file);
/* Bytes of a regular file, 0 where there is none. */
size_t tl_file_size(const char *path);
/* True if something by that name exists. */
bool tl_file_exists(const char *path);

#endif
