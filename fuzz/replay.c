/* A target without an engine: every file named, and every file in every directory named, goes through it once. What the
 * target finds ends the process, as with an engine; the file that it was about is said before. */
#define _DEFAULT_SOURCE
#include "fuzz/targets/target.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { REPLAY_PATH = 4096 };

static size_t replay_count;
static char replay_current[REPLAY_PATH];

/* A sanitizer or an abort ends the process without a word of the input. */
static void replay_say(const char *path) {
  (void)snprintf(replay_current, sizeof replay_current, "%s", path);
  if (getenv("TWIN_FUZZ_VERBOSE"))
    (void)fprintf(stderr, "%s\n", path);
}

static bool replay_file(const char *path, size_t size) {
  FILE *const file = fopen(path, "rb");
  uint8_t *const bytes = malloc(size ? size : 1); /* exactly as large: a byte too far is seen */
  const bool good = file && bytes && fread(bytes, 1, size, file) == size;
  if (file)
    (void)fclose(file);
  replay_say(path);
  if (good)
    (void)LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
  replay_count += good;
  return good;
}

static int replay_compare(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* A directory that is not there holds nothing: a target without seeds of its own. */
static bool replay_path(const char *path, bool top) {
  struct stat status;
  if (stat(path, &status) != 0)
    return top;
  if (!S_ISDIR(status.st_mode))
    return replay_file(path, (size_t)status.st_size);
  struct dirent **entries = NULL;
  const int count = scandir(path, &entries, NULL, replay_compare);
  bool good = true;
  for (int i = 0; i < count; i++) {
    char inner[REPLAY_PATH];
    (void)snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
    if (entries[i]->d_name[0] != '.')
      good = replay_path(inner, false) && good;
    free(entries[i]);
  }
  free(entries);
  return good;
}

static void replay_stopped(void) {
  if (*replay_current)
    (void)fprintf(stderr, "replay: ended in %s\n", replay_current);
}

int main(int argc, char **argv) {
  bool good = argc > 1;
  (void)atexit(replay_stopped);
  for (int i = 1; i < argc; i++)
    good = replay_path(argv[i], true) && good;
  replay_current[0] = '\0';
  printf("%s: %zu inputs\n", argc ? argv[0] : "replay", replay_count);
  return good && replay_count ? 0 : 1;
}
