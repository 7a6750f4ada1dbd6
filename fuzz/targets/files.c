/* Files that fail at the n-th call, for every n: reading gives all bytes or none; writing leaves the whole new file or the
 * whole old one, no file beside it, and no open descriptor. The first byte of the input says how a call fails. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/envelope.h"
#include "fuzz/failing_calls.h"

#include "base/memory.h"
#include "input/file.h"
#include "write/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS_MOST = 40, PATH_ROOM = 256, IMAGE_MOST = 1 << 16 };
/* One directory a process, in which only `out` may stand. */
static char directory[PATH_ROOM], path[PATH_ROOM + 8];

static void files_remove(void) {
  (void)unlink(path);
  (void)rmdir(directory);
}

static void files_begin(void) {
  const char *const place = getenv("TMPDIR");
  (void)snprintf(directory, sizeof directory, "%s/fuzz-files-XXXXXX", place ? place : "/tmp");
  if (!mkdtemp(directory))
    abort();
  (void)snprintf(path, sizeof path, "%s/out", directory);
  (void)atexit(files_remove);
}

static size_t files_count(const char *where) {
  DIR *const entries = opendir(where);
  size_t count = 0;
  for (const struct dirent *entry; entries && (entry = readdir(entries));)
    count += entry->d_name[0] != '.' || strncmp(entry->d_name, ".twinlink", 9) == 0;
  if (entries)
    (void)closedir(entries);
  return count;
}

/* Whether the file holds exactly these bytes. */
static bool files_hold(const void *bytes, size_t size) {
  FILE *const file = fopen(path, "rb");
  char *const held = fuzz_memory(size + 1);
  const bool good = file && fread(held, 1, size + 1, file) == size && memcmp(held, bytes, size) == 0;
  if (file)
    (void)fclose(file);
  free(held);
  return good;
}

static void files_put(const void *bytes, size_t size) {
  FILE *const file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
    abort();
}

static const char *files_check_write(const uint8_t *image, size_t size, unsigned n) {
  static const char old[] = "what was there before";
  files_put(old, sizeof old);
  const size_t descriptors = files_count("/proc/self/fd");
  tl_arena arena;
  jmp_buf out;
  volatile tl_write_status status = TL_WRITE_CANNOT_OPEN;
  tl_arena_init(&arena, &tl_system_memory, UINT64_MAX / 2, &out);
  if (!setjmp(out)) {
    fuzz_calls_arm(n);
    status = tl_write_file(path, image, size, &arena);
    fuzz_calls_arm(0);
  }
  tl_arena_release(&arena);
  if (files_count("/proc/self/fd") != descriptors)
    return "writing left a descriptor open";
  if (files_count(directory) != 1)
    return "writing left a file behind";
  if (status == TL_WRITE_OK)
    return files_hold(image, size) ? NULL : "writing says that it is done, and the file holds something else";
  return files_hold(old, sizeof old) || fuzz_calls.opening ? NULL : "writing failed, and what was there before is gone";
}

static const char *files_check_read(const uint8_t *image, size_t size, unsigned n) {
  tl_arena arena;
  jmp_buf out;
  uint8_t *bytes = NULL;
  size_t read = 0;
  const char *volatile wrong = NULL;
  files_put(image, size);
  const size_t descriptors = files_count("/proc/self/fd");
  tl_arena_init(&arena, &tl_system_memory, UINT64_MAX / 2, &out);
  if (!setjmp(out)) {
    fuzz_calls_arm(n);
    const tl_file_status status = tl_file_read(path, 0, &arena, &bytes, &read);
    fuzz_calls_arm(0);
    if (status == TL_FILE_OK && (read != size || memcmp(bytes, image, size) != 0))
      wrong = "reading says that it is done, and has other bytes";
    else if (status != TL_FILE_OK && (bytes || read))
      wrong = "reading failed and gives bytes";
  }
  tl_arena_release(&arena);
  if (!wrong && files_count("/proc/self/fd") != descriptors)
    wrong = "reading left a descriptor open";
  return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const char *wrong = NULL;
  const size_t used = size < IMAGE_MOST ? size : IMAGE_MOST;
  if (!*directory)
    files_begin();
  if (!size)
    return 0;
  fuzz_calls.how = (fuzz_failure)(bytes[0] % FUZZ_FAIL_KINDS);
  for (unsigned n = 1; n < CALLS_MOST && !wrong && (n == 1 || fuzz_calls.met); n++)
    wrong = files_check_write(bytes, used, n);
  for (unsigned n = 1; n < CALLS_MOST && !wrong && (n == 1 || fuzz_calls.met); n++)
    wrong = files_check_read(bytes, used, n);
  if (wrong)
    fuzz_found("files", wrong, bytes, size);
  return 0;
}
