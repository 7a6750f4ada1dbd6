/* twin shrink IN OUT COMMAND...: makes a fuzzers' input small as long as COMMAND, with a file's name behind it, ends in the
 * same way: the same exit code and, where it prints a line with "FOUND" or "SUMMARY", that line. For findings:
 *   twin shrink finding small build/fuzz/fuzz/fuzz_differential
 * A command that ends with 0 has found nothing, and there is nothing to keep. */
#include "process.h"
#include "twin.h"

#include "fuzz/generate.h"
#include "fuzz/mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int twin_shrink(int argc, char **argv);

enum { SHRINK_WORDS = 64, SHRINK_LINE = 400, SHRINK_SECONDS = 60 };

typedef struct shrink_run {
  const char *words[SHRINK_WORDS];
  char directory[3072], path[4096], printed[4096];
} shrink_run;

typedef struct shrink_end {
  int code;
  char line[SHRINK_LINE]; /* what it said of itself; "" */
} shrink_end;

/* Addresses differ from run to run. */
static void shrink_take_line(const char *text, shrink_end *end) {
  const char *const found = strstr(text, "FOUND "), *const summary = strstr(text, "SUMMARY: ");
  const char *const line = found ? found : summary;
  if (line)
    (void)snprintf(end->line, sizeof end->line, "%.*s", (int)strcspn(line, "\n"), line);
  char *const address = strstr(end->line, "0x");
  if (address)
    *address = '\0';
}

static bool shrink_try(const shrink_run *run, const uint8_t *bytes, size_t size, shrink_end *end) {
  const process_job job = {.arguments = run->words, .error_path = run->printed, .seconds = SHRINK_SECONDS};
  process_result result;
  size_t printed = 0;
  *end = (shrink_end){0};
  if (!process_write_file(run->path, bytes, size) || !process_run(&job, &result))
    return false;
  end->code = result.timed_out ? -1 : result.exit_code;
  uint8_t *const text = process_read_file(run->printed, (size_t)16 << 20, &printed);
  if (text)
    shrink_take_line((const char *)text, end);
  free(text);
  return true;
}

/* Leaves parts out until no part can go: after one that went, the same step is another part. */
static uint8_t *shrink_all(const shrink_run *run, uint8_t *bytes, size_t *size, const shrink_end *wanted) {
  for (bool smaller = true; smaller;) {
    bool done = false;
    smaller = false;
    for (size_t step = 0; !done && !process_interrupted();) {
      size_t new_size = 0;
      shrink_end end;
      uint8_t *const made = fuzz_trim(bytes, *size, step, &new_size, &done);
      const bool good = made && shrink_try(run, made, new_size, &end) && end.code == wanted->code &&
                        strcmp(end.line, wanted->line) == 0;
      step += !good;
      smaller |= good;
      free(good ? bytes : made);
      if (good) {
        bytes = made;
        *size = new_size;
      }
    }
  }
  return bytes;
}

static int shrink_file(shrink_run *run, const char *from, const char *to) {
  fuzz_envelope envelope;
  shrink_end wanted;
  size_t size = 0;
  uint8_t *bytes = process_read_file(from, FUZZ_FILES * (size_t)FUZZ_LARGEST, &size);
  if (!bytes)
    return TWIN_TROUBLE;
  const size_t before = size;
  fuzz_envelope_of_input(&envelope, bytes, size);
  free(bytes);
  bytes = fuzz_envelope_write(&envelope, &size);
  fuzz_envelope_free(&envelope);
  int code = TWIN_TROUBLE;
  if (shrink_try(run, bytes, size, &wanted) && wanted.code != 0) {
    bytes = shrink_all(run, bytes, &size, &wanted);
    code = process_write_file(to, bytes, size) ? TWIN_OK : TWIN_TROUBLE;
    printf("%s: %zu bytes, now %zu; exit code %d %s\n", from, before, size, wanted.code, wanted.line);
  }
  free(bytes);
  return code;
}

int twin_shrink(int argc, char **argv) {
  static shrink_run run;
  int code = TWIN_TROUBLE;
  if (argc < 4 || argc - 2 >= SHRINK_WORDS ||
      !process_make_directory(run.directory, sizeof run.directory, "twin-shrink")) {
    fprintf(stderr, "usage: twin shrink IN OUT COMMAND...\n");
    return TWIN_TROUBLE;
  }
  (void)snprintf(run.path, sizeof run.path, "%s/input", run.directory);
  (void)snprintf(run.printed, sizeof run.printed, "%s/printed", run.directory);
  for (int i = 3; i < argc; i++)
    run.words[i - 3] = argv[i];
  run.words[argc - 3] = run.path;
  process_hold_interrupts();
  code = shrink_file(&run, argv[1], argv[2]);
  process_remove_tree(run.directory);
  process_let_interrupts();
  if (code == TWIN_TROUBLE)
    fprintf(stderr, "twin shrink: '%s' cannot be read, or the command finds nothing in it\n", argv[1]);
  return code;
}
