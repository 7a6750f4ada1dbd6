/* A fuzz target with mistakes on purpose: the first byte of the input says which one. check.sh builds it as a file below
 * linker/, so that its frames are those of our own code. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int planted_read(const char *bytes, long place) {
  return bytes[place]; // NOLINT(clang-analyzer-core.uninitialized.UndefReturn): the mistake
}

static int planted_caller(char kind) {
  char *const bytes = malloc(4);
  const int value = bytes ? planted_read(bytes, kind == 'a' ? 4 : 5) : 0;
  free(bytes);
  return value;
}

static int planted_second_caller(void) {
  char *const bytes = malloc(8);
  const int value = bytes ? planted_read(bytes, 8) : 0;
  free(bytes);
  return value;
}

static int planted_sum(int kind) {
  return 2147483647 + kind;
}

int main(int argc, char **argv) {
  FILE *const file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  const int kind = file ? getc(file) : 'x';
  if (!file)
    return 1; /* also over -help=1: a replay driver is no engine */
  (void)fclose(file);
  if (kind == 'a' || kind == 'b')
    return planted_caller((char)kind) & 0;
  if (kind == 'c')
    return planted_second_caller() & 0;
  if (kind == 'u')
    return planted_sum(kind) & 0;
  assert(kind != 's');
  if (kind == 'k')
    (void)raise(SIGKILL);
  if (kind == 'f') {
    (void)fprintf(stderr, "FOUND one: linker refuses (E21), the reference links\n");
    abort();
  }
  if (kind == 't')
    (void)sleep(60);
  return 0;
}
