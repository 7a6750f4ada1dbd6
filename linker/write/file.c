/* write/file.c: nothing but the finished image ever stands under the output's name.
 *
 * The temporary lies beside the real file (behind symbolic links), so that the rename stays inside one file system; it is
 * made with the mode that a new file would get, then given the old file's. A rename replaces a file that its mode forbids
 * to write, which nvlink refuses, so that is asked first. Names below /dev and /proc are written directly: behind them
 * lie descriptors of other programs. */
#include "write/file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEW_FILE_MODE = 0666, MODE_BITS = 07777, LINKS_MOST = 40, NAMES_TRIED = 100 };

/* What is to be written: bytes in memory, or a streamed result. */
typedef struct file_content {
  const void *bytes;
  size_t size;
  const tl_result *result; /* NULL: the bytes */
} file_content;

static bool file_write_bytes(void *context, const void *bytes, size_t size) {
  const int descriptor = *(const int *)context;
  const char *at = bytes;
  while (size) {
    const ssize_t wrote = write(descriptor, at, size);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return false;
    at += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

static bool file_write_all(int descriptor, const file_content *content) {
  return content->result ? tl_result_write(content->result, file_write_bytes, &descriptor)
                         : file_write_bytes(&descriptor, content->bytes, content->size);
}

static tl_write_status file_write_directly(const char *path, const file_content *content) {
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, NEW_FILE_MODE);
  if (descriptor < 0)
    return TL_WRITE_CANNOT_OPEN;
  const bool written = file_write_all(descriptor, content);
  return close(descriptor) == 0 && written ? TL_WRITE_OK : TL_WRITE_FAILED;
}

/* The text of `path` up to and with its last slash, followed by `name`. */
static const char *file_name_beside(tl_arena *arena, const char *path, const char *name) {
  const char *const slash = strrchr(path, '/');
  const char *const directory = slash ? tl_arena_text(arena, path, (size_t)(slash + 1 - path)) : "";
  return tl_arena_format(arena, "%s%s", directory, name);
}

/* The name behind all symbolic links, also when nothing exists there yet; NULL when links go in circles. */
static const char *file_follow_links(tl_arena *arena, const char *path) {
  const char *name = path;
  for (unsigned i = 0; i < LINKS_MOST; i++) {
    char text[PATH_MAX];
    const ssize_t length = readlink(name, text, sizeof text - 1);
    if (length < 0)
      return name;
    const char *const next = tl_arena_text(arena, text, (size_t)length);
    name = next[0] == '/' ? next : file_name_beside(arena, name, next);
  }
  return NULL;
}

/* A new file beside `path`, whose name goes to `*temporary`. -1 when none can be made. */
static int file_make_temporary(tl_arena *arena, const char *path, const char **temporary) {
  for (unsigned i = 0; i < NAMES_TRIED; i++) {
    const char *const name = tl_arena_format(arena, ".twinlink-%u-%u", (uint64_t)getpid(), (uint64_t)i);
    *temporary = file_name_beside(arena, path, name);
    const int descriptor = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
    if (descriptor >= 0 || errno != EEXIST)
      return descriptor;
  }
  return -1;
}

/* Writes a temporary and renames it to `path`; `old` is the status of what is there, NULL for nothing. */
static tl_write_status file_replace(tl_arena *arena, const char *path, const struct stat *old,
                                    const file_content *content) {
  const char *temporary;
  const int descriptor = file_make_temporary(arena, path, &temporary);
  if (descriptor < 0)
    return file_write_directly(path, content);
  bool good = file_write_all(descriptor, content);
  if (good && old)
    good = fchmod(descriptor, old->st_mode & MODE_BITS) == 0;
  good = close(descriptor) == 0 && good;
  good = good && rename(temporary, path) == 0;
  if (!good)
    unlink(temporary);
  return good ? TL_WRITE_OK : TL_WRITE_FAILED;
}

static tl_write_status file_write(const char *path, const file_content *content, tl_arena *arena) {
  struct stat status;
  const bool exists = stat(path, &status) == 0;
  if (!path[0] || (exists && S_ISDIR(status.st_mode)))
    return TL_WRITE_CANNOT_OPEN;
  const bool special = tl_text_behind(path, "/dev/") || tl_text_behind(path, "/proc/");
  if (special || (exists && !S_ISREG(status.st_mode)))
    return file_write_directly(path, content);
  if (exists && access(path, W_OK) != 0)
    return TL_WRITE_CANNOT_OPEN;
  const char *const name = file_follow_links(arena, path);
  return name ? file_replace(arena, name, exists ? &status : NULL, content) : TL_WRITE_CANNOT_OPEN;
}

tl_write_status tl_write_file(const char *path, const void *bytes, size_t size, tl_arena *arena) {
  return file_write(path, &(file_content){.bytes = bytes, .size = size}, arena);
}

tl_write_status tl_write_result(const char *path, const tl_result *result, tl_arena *arena) {
  return file_write(path, &(file_content){.result = result}, arena);
}
