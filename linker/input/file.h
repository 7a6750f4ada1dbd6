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
 * in bytes; otherwise both are zero. Of a device or pipe at most `stream_limit` bytes are read: 0 takes it for empty, as
 * nvlink does with its inputs, and never waits for a writer. */
tl_file_status tl_file_read(const char *path, size_t stream_limit, tl_arena *arena, uint8_t **bytes, size_t *size);
/* Bytes of a regular file, 0 where there is none. */
size_t tl_file_size(const char *path);
/* True if something by that name exists. */
bool tl_file_exists(const char *path);

#endif
