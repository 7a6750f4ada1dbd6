/* Puts a finished image where the user wants it: a temporary file in the same directory, then rename; mode kept,
 * symbolic link followed; a device or pipe, or a directory where no temporary can be made, is written directly (C74).
 * What was there stays as it was when anything fails before the last step. */
#ifndef TL_WRITE_FILE_H
#define TL_WRITE_FILE_H

#include "base/arena.h"

typedef enum tl_write_status { TL_WRITE_OK, TL_WRITE_CANNOT_OPEN, TL_WRITE_FAILED } tl_write_status;

/* Names of files beside the output are made in `arena`. */
tl_write_status tl_write_file(const char *path, const void *bytes, size_t size, tl_arena *arena);
/* The same for the output of a streamed job. */
tl_write_status tl_write_result(const char *path, const tl_result *result, tl_arena *arena);

#endif
