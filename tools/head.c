/* The commit's id, asked of git. */
#include "head.h"

#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool head_number(const char *scratch, uint64_t *number) {
  static const char *const words[] = {"git", "rev-parse", "HEAD", NULL};
  char path[4096 + 32];
  snprintf(path, sizeof path, "%s/head", scratch);
  process_job job = {.arguments = words, .output_path = path, .seconds = 20};
  process_result result;
  size_t size = 0;
  uint8_t *text = process_run(&job, &result) && result.exit_code == 0 ? process_read_file(path, 256, &size) : NULL;
  bool good = text && size > 8;
  if (good) {
    text[8] = 0;
    *number = strtoull((const char *)text, NULL, 16);
  }
  free(text);
  unlink(path);
  return good;
}
