/* JSON values to files and to stdout. See json_file.h. */
#include "json_file.h"

#include "files.h"

#include <stdio.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define JSON_UNSEEN_STORES
#endif
#endif

/* cJSON is the system's own build, whose stores the memory sanitizer does not see. */
static char *json_text(cJSON *root) {
#ifdef JSON_UNSEEN_STORES
  __msan_scoped_disable_interceptor_checks();
  char *const text = cJSON_Print(root);
  __msan_scoped_enable_interceptor_checks();
  if (text)
    __msan_unpoison_string(text);
  return text;
#else
  return cJSON_Print(root);
#endif
}

bool json_write(cJSON *root, const char *path) {
  char *const text = json_text(root);
  bool changed;
  const bool written = text && file_update(path, text, strlen(text), &changed);
  cJSON_free(text);
  cJSON_Delete(root);
  return written;
}

void json_print(cJSON *root) {
  char *const text = json_text(root);
  printf("%s\n", text ? text : "{}");
  cJSON_free(text);
  cJSON_Delete(root);
}
