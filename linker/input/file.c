/* input/file.c: read(2) into memory of our own. Mapping the file would be faster for some inputs, but a mapped file that
 * another program cuts short turns into a signal in the middle of the link. */
#include "input/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until `size` bytes are there or the file ends; the number of bytes read, or -1. */
static ssize_t file_fill(int descriptor, uint8_t *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = read(descriptor, bytes + done, size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

static tl_file_status file_read_open(int descriptor, size_t stream_limit, tl_arena *arena, uint8_t **bytes,
                                     size_t *size) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return TL_FILE_UNREADABLE;
  if (S_ISDIR(status.st_mode))
    return TL_FILE_DIRECTORY;
  const bool regular = S_ISREG(status.st_mode);
  const size_t wanted = regular ? (size_t)status.st_size : stream_limit;
  uint8_t *const memory = tl_arena_take(arena, wanted < SIZE_MAX ? wanted + 1 : wanted, 1);
  const ssize_t got = file_fill(descriptor, memory, wanted);
  if (got < 0)
    return TL_FILE_UNREADABLE;
  if (regular && (size_t)got < wanted)
    return TL_FILE_SHRANK;
  *bytes = memory;
  *size = (size_t)got;
  return TL_FILE_OK;
}

tl_file_status tl_file_read(const char *path, size_t stream_limit, tl_arena *arena, uint8_t **bytes, size_t *size) {
  *bytes = NULL;
  *size = 0;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | (stream_limit ? 0 : O_NONBLOCK));
  if (descriptor < 0)
    return TL_FILE_UNREADABLE;
  const tl_file_status status = file_read_open(descriptor, stream_limit, arena, bytes, size);
  close(descriptor);
  return status;
}

size_t tl_file_size(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
}

bool tl_file_exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0;
}
