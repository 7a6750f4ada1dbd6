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

void tl_file_open(tl_file *file, const char *path, size_t stream_limit, tl_arena *arena) {
  *file = (tl_file){.status = TL_FILE_UNREADABLE};
  file->descriptor = open(path, O_RDONLY | O_CLOEXEC | (stream_limit ? 0 : O_NONBLOCK));
  struct stat status;
  if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0)
    return;
  file->status = S_ISDIR(status.st_mode) ? TL_FILE_DIRECTORY : TL_FILE_OK;
  file->regular = S_ISREG(status.st_mode);
  if (file->status == TL_FILE_DIRECTORY)
    return;
  file->size = file->regular ? (size_t)status.st_size : stream_limit;
  file->bytes = tl_arena_take(arena, file->size + 1, 1);
}

void tl_file_fill(tl_file *file) {
  const ssize_t got = file->bytes ? file_fill(file->descriptor, file->bytes, file->size) : 0;
  if (got < 0)
    file->status = TL_FILE_UNREADABLE;
  else if (file->regular && (size_t)got < file->size)
    file->status = TL_FILE_SHRANK;
  if (file->descriptor >= 0)
    close(file->descriptor);
  const bool good = file->status == TL_FILE_OK;
  file->bytes = good ? file->bytes : NULL;
  file->size = good ? (size_t)got : 0;
}

tl_file_status tl_file_read(const char *path, size_t stream_limit, tl_arena *arena, uint8_t **bytes, size_t *size) {
  tl_file file;
  tl_file_open(&file, path, stream_limit, arena);
  tl_file_fill(&file);
  *bytes = file.bytes;
  *size = file.size;
  return file.status;
}

size_t tl_file_size(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
}

bool tl_file_exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0;
}
