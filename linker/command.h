/* The command line: words to values (C48, C49), the checks that come before any file is read (C77 phase 0), and the text
 * that the tool note records (C60-C62, C80). */
#ifndef TL_COMMAND_H
#define TL_COMMAND_H

#include "base/diagnostics.h"
#include "catalog/option.h"
#include "input/words.h"

typedef struct tl_given {
  bool given;
  const char *text; /* the value as typed; the last one of a repeated option */
  int32_t number;
  tl_texts list;
} tl_given;

typedef struct tl_command {
  tl_given given[TL_OPT_COUNT];
  tl_texts inputs;
  tl_options options;
} tl_command;

/* What a good command line asks for. */
typedef enum tl_action { TL_ACTION_LINK, TL_ACTION_HELP, TL_ACTION_VERSION, TL_ACTION_HOST_SCRIPT } tl_action;

/* Sets options.identity_nvlink and bug_compatible as program name, environment and --identity say, before any message. */
void tl_command_identify(tl_command *command, int argc, char *const *argv, const char *bug_compatible);
/* Reads all words, and the options files that they name. A fatal record ends it at the first bad word; E6 warnings are
 * added on the way. `diagnostics` must have no options: none takes effect before all words are read. */
void tl_command_read(tl_command *command, tl_arena *arena, tl_diagnostics *diagnostics, int argc, char *const *argv);
/* What to do; fatal records for what is missing or contradicts itself (E7-E11) and for what is not supported. */
tl_action tl_command_check(const tl_command *command, tl_diagnostics *diagnostics);
/* Fills options.note_object and note_arguments. */
void tl_command_note(tl_command *command, tl_arena *arena);
/* The same options again, each spelled in full, options files expanded and outputs in the directory out/. */
tl_texts tl_command_words(const tl_command *command, tl_arena *arena);

#endif
