/* A linker that does what the environment's MISBEHAVE says: the harness (twin damage) must see each of these faults. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE_OUTPUT = 8 << 20, LARGE_MEMORY = 256 << 20 };

static void misbehave_write(size_t size) {
  FILE *const file = fopen("out.cubin", "wb");
  for (size_t i = 0; file && i < size; i++)
    putc(0, file);
  if (file)
    fclose(file);
}

int main(void) {
  const char *const what = getenv("MISBEHAVE");
  if (!what)
    return 2;
  fprintf(stderr, "nvlink fatal   : Internal error\n");
  if (strcmp(what, "crash") == 0)
    abort();
  if (strcmp(what, "hang") == 0)
    for (;;)
      pause();
  if (strcmp(what, "partial") == 0)
    misbehave_write(1);
  if (strcmp(what, "sanitizer") == 0)
    fprintf(stderr, "ERROR: AddressSanitizer: heap-buffer-overflow\n");
  if (strcmp(what, "memory") == 0) {
    volatile char *const block = malloc(LARGE_MEMORY);
    for (size_t i = 0; block && i < LARGE_MEMORY; i += 1024)
      block[i] = 1;
    free((void *)block);
  }
  if (strcmp(what, "output") == 0) {
    misbehave_write(LARGE_OUTPUT);
    return 0;
  }
  return 1;
}
