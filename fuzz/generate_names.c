/* A kernel that calls functions of mangled names, which the file defines, or nobody: each is printed by the call graph, and by the
 * refusal. Other programs have half a dozen names, of which the demanglers see little. The names are those of which nvlink's
 * own answer is known (tests/reference/demangled-names): on what no compiler writes the two demanglers differ, and that
 * would hide everything else. */
#include "fuzz/generate_names.h"

#include "fuzz/generate_capsule.h"
#include "tests/support/cubin_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 12, NAME_ROOM = 512, FUNCTION_BYTES = 64, LINES = 1024 };

/* The beginnings of the lines that have a name; the rest of a line is no part of it. */
typedef struct names_lines {
  const char *at[LINES];
  uint32_t count;
} names_lines;

static void names_read(names_lines *lines) {
  const char *line = (const char *)fuzz_capsule_names.bytes;
  const char *const end = line + fuzz_capsule_names.size;
  while (line < end && lines->count < LINES) {
    const char *const next = memchr(line, '\n', (size_t)(end - line));
    if (next && memchr(line, '\t', (size_t)(next - line)) && *line != '#')
      lines->at[lines->count++] = line;
    line = next ? next + 1 : end;
  }
}

/* Another name than before: one file defines a function once. */
static bool names_choose(const built_choices *choices, const names_lines *lines, bool *taken, char name[NAME_ROOM]) {
  const uint32_t number = built_choose(choices, lines->count);
  const size_t length = strcspn(lines->at[number], "\t");
  if (taken[number] || length >= NAME_ROOM)
    return false;
  taken[number] = true;
  memcpy(name, lines->at[number], length);
  name[length] = '\0';
  return true;
}

static void names_write_file(const built_choices *choices, unsigned machine, fuzz_envelope *envelope) {
  static const uint8_t code[FUNCTION_BYTES];
  static names_lines lines;
  bool taken[LINES] = {false};
  char name[NAME_ROOM];
  if (!lines.count)
    names_read(&lines);
  const bool defined = built_choose(choices, 2) != 0;
  tb_cubin *const file = tb_new(machine);
  const tb_symbol kernel = tb_kernel(file, "k", NULL, 0, 8);
  for (uint32_t i = built_choose(choices, NAMES_MOST); i < NAMES_MOST; i++)
    if (names_choose(choices, &lines, taken, name))
      tb_call(file, kernel,
              defined ? tb_function(file, name, TB_GLOBAL, code, sizeof code, 24) : tb_undefined_function(file, name));
  size_t size = 0;
  uint8_t *const bytes = tb_finish(file, &size);
  (void)fuzz_envelope_add_file(envelope, "names.cubin", bytes, size);
  free(bytes);
  tb_free(file);
}

void fuzz_generate_names(const built_choices *choices, fuzz_envelope *envelope) {
  static const uint8_t machines[] = {90, 75, 80, 86};
  const uint8_t machine = machines[built_choose(choices, sizeof machines)];
  char word[FUZZ_WORD];
  (void)snprintf(word, sizeof word, "-arch=sm_%u", machine);
  (void)fuzz_envelope_add_word(envelope, word);
  if (built_choose(choices, 2))
    (void)fuzz_envelope_add_word(envelope, "--bug-compatible");
  if (built_choose(choices, 8) < 7)
    (void)fuzz_envelope_add_word(envelope, "-dump-callgraph");
  names_write_file(choices, machine, envelope);
}
