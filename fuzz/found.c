/* What becomes of an input that shows something: in a campaign (TWIN_FUZZ_FINDINGS) the first input of each cause is kept
 * under a name made of target and cause, with the cause beside it, and the fuzzer goes on; anywhere else the process
 * ends. One cause is one file, in whichever process it is met first. */
#include "fuzz/answer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FOUND_PATH = 4096 };

static uint64_t found_hash(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return hash;
}

static bool found_write(const char *path, const void *bytes, size_t size) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0)
    return false;
  const bool good = write(file, bytes, size) == (ssize_t)size;
  (void)close(file);
  return good;
}

void fuzz_found(const char *target, const char *cause, const uint8_t *bytes, size_t size) {
  const char *const directory = getenv("TWIN_FUZZ_FINDINGS");
  char path[FOUND_PATH], text[FUZZ_CAUSE + 64];
  const int length = snprintf(text, sizeof text, "%s: %s\n", target, cause);
  if (!directory) {
    (void)fprintf(stderr, "FOUND %s", text);
    abort();
  }
  (void)snprintf(path, sizeof path, "%s/%s-%016llx.cause", directory, target, (unsigned long long)found_hash(cause));
  if (!found_write(path, text, (size_t)length))
    return;
  (void)snprintf(path, sizeof path, "%s/%s-%016llx", directory, target, (unsigned long long)found_hash(cause));
  (void)found_write(path, bytes, size);
}
