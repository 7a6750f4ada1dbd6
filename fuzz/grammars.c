/* The words of a command line put to both grammars: which of them are refused, and in what words (C48, C49, E1 to E6). */
#include "fuzz/grammars.h"

#include "base/diagnostics.h"
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker's own options, which the reference takes for unknown ones or reads otherwise. */
static bool grammar_is_own(const char *word) {
  static const char *const names[] = {"identity", "bug-compatible", "map", "reproduce", "trace", "threads"};
  const size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (length == strlen(names[i]) && strncmp(word + 2, names[i], length) == 0)
      return true;
  return false;
}

/* As fuzz_grammars_reference. */
static char *grammar_linker(tl_arena *arena, int argc, char *const *argv) {
  static tl_command command;
  static tl_diagnostics diagnostics;
  jmp_buf out;
  char *text = NULL;
  size_t size = 0;
  command = (tl_command){.options = {0}};
  tl_diagnostics_init(&diagnostics, arena, NULL, &out);
  if (!setjmp(out))
    tl_command_read(&command, arena, &diagnostics, argc, argv);
  FILE *const stream = open_memstream(&text, &size);
  if (!stream)
    abort();
  for (size_t i = 0; i < diagnostics.messages.count; i++)
    (void)fprintf(stream, "%s: %s\n", diagnostics.messages.items[i].severity == TL_FATAL ? "fatal" : "other",
                  diagnostics.messages.items[i].text);
  if (fclose(stream) != 0)
    abort();
  return text;
}

const char *fuzz_grammars_check(tl_arena *arena, int argc, char *const *argv) {
  for (int i = 1; i < argc; i++)
    if (grammar_is_own(argv[i]))
      return NULL;
  char *const ours = grammar_linker(arena, argc, argv), *const theirs = fuzz_grammars_reference(argc, argv);
  const bool same = strcmp(ours, theirs) == 0;
  free(ours);
  free(theirs);
  return same ? NULL : "linker and reference say otherwise of the words";
}
