/* JSON values to files and to stdout. See json_file.h. */
#include "json_file.h"

#include "files.h"

#include <stdio.h>
#include <string.h>

bool json_write(cJSON *root, const char *path) {
  char *const text = cJSON_Print(root);
  bool changed;
  const bool written = text && file_update(path, text, strlen(text), &changed);
  cJSON_free(text);
  cJSON_Delete(root);
  return written;
}

void json_print(cJSON *root) {
  char *const text = cJSON_Print(root);
  printf("%s\n", text ? text : "{}");
  cJSON_free(text);
  cJSON_Delete(root);
}
