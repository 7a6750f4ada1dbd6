/* twin dump FILE: the whole cubin in readable form on standard output; 2 when it cannot be read. */
#include "files.h"
#include "twin.h"

#include "ref_compare.h"

#include <stdio.h>
#include <stdlib.h>

int twin_dump(int argc, char **argv);

int twin_dump(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: twin dump FILE\n");
    return TWIN_TROUBLE;
  }
  size_t size = 0;
  char *bytes = file_read(argv[1], &size);
  if (!bytes) {
    fprintf(stderr, "twin dump: cannot read '%s'\n", argv[1]);
    return TWIN_TROUBLE;
  }
  char error[256] = "";
  ref_cubin cubin;
  const bool good = ref_cubin_read(&cubin, bytes, size, error, sizeof error);
  if (good) {
    ref_dump(stdout, &cubin);
    ref_cubin_free(&cubin);
  } else
    fprintf(stderr, "twin dump: %s: %s\n", argv[1], error);
  free(bytes);
  return good ? TWIN_OK : TWIN_TROUBLE;
}
