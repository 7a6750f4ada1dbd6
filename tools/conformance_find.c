/* Where the programs are: the linker of this build, nvlink, the compilers. */
#define _DEFAULT_SOURCE /* realpath */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool conformance_is_nvlink(const char *linker) {
  const char *slash = strrchr(linker, '/');
  return strcmp(slash ? slash + 1 : linker, "nvlink") == 0;
}

bool conformance_absolute(const char *name, char *path) {
  char *found = realpath(name, NULL);
  if (!found || strlen(found) >= CONFORMANCE_PATH) {
    free(found);
    return false;
  }
  snprintf(path, CONFORMANCE_PATH, "%s", found);
  free(found);
  return true;
}

/* A name without '/' is looked up as a shell does it. The last part is kept: a link may be called nvlink. */
bool conformance_find_linker(const char *name, char *path) {
  if (!strchr(name, '/'))
    return file_find_tool(name, path, CONFORMANCE_PATH);
  if (access(name, X_OK) != 0)
    return false;
  const char *slash = strrchr(name, '/');
  char directory[CONFORMANCE_PATH], absolute[CONFORMANCE_PATH];
  snprintf(directory, sizeof directory, "%.*s/", (int)(slash - name), name);
  if (!conformance_absolute(directory, absolute))
    return false;
  return snprintf(path, CONFORMANCE_PATH, "%s%s", absolute, slash) < CONFORMANCE_PATH;
}

bool conformance_find_own(char *path) {
  char self[CONFORMANCE_PATH];
  if (conformance_absolute("/proc/self/exe", self)) {
    *strrchr(self, '/') = 0;
    snprintf(path, CONFORMANCE_PATH, "%s", self);
    size_t length = strlen(path);
    snprintf(path + length, CONFORMANCE_PATH - length, "/twinlink");
    if (access(path, X_OK) == 0)
      return true;
  }
  return conformance_find_linker("build/release/bin/twinlink", path);
}

bool conformance_find(conformance_settings *settings, const char *linker, const char *reference) {
  settings->link_seconds = 20;
  settings->compile_seconds = 60;
  settings->memory = (uint64_t)4 << 30;
  if (!(linker ? conformance_find_linker(linker, settings->linker) : conformance_find_own(settings->linker))) {
    fprintf(stderr, "twin: no linker at %s\n", linker ? linker : "build/release/bin/twinlink");
    return false;
  }
  if (!conformance_find_linker(reference ? reference : "nvlink", settings->reference)) {
    fprintf(stderr, "twin: no %s; the CUDA toolkit is needed\n", reference ? reference : "nvlink");
    return false;
  }
  return gen_tools_find(&settings->tools);
}
