/* The words of a command line: an options file's text and a list option's value split into words, which a splitter written once
 * more must find too; the words read by the grammar, of which the reference must say the same, and the words that the command would be reproduced with read again: they
 * must mean the same. And once: help names every option as it is spelled, all trace parts are all, the host linker's script gives each section what is
 * called so, and no usual word is refused. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/grammars.h"
#include "fuzz/option_tables.h"
#include "fuzz/split.h"
#include "fuzz/words.h"

#include "base/memory.h"
#include "command.h"

#include <stdio.h>
#include <string.h>
enum { WORDS_MOST = 200 };

typedef struct reading {
  tl_diagnostics diagnostics;
  tl_command command;
  jmp_buf out;
} reading;

/* Options files name further files, which a fuzzer must not open. */
static bool options_opens_files(const char *word) {
  return strncmp(word, "-optf", 5) == 0 || strncmp(word, "--options-file", 14) == 0;
}

/* False where the grammar refuses the words. */
static bool options_read(reading *r, tl_arena *arena, int argc, char *const *argv) {
  *r = (reading){.command = {.options = {0}}};
  tl_diagnostics_init(&r->diagnostics, arena, NULL, &r->out);
  if (setjmp(r->out) != 0)
    return false;
  tl_command_identify(&r->command, argc, argv, NULL);
  tl_command_read(&r->command, arena, &r->diagnostics, argc, argv);
  return tl_command_check(&r->command, &r->diagnostics) == TL_ACTION_LINK && !r->diagnostics.messages.count;
}

/* The program's name, the words, and behind them the inputs (NULL: none). */
static char **options_argv(tl_arena *arena, const tl_texts *words, const tl_texts *inputs, int *argc) {
  static char program[] = "nvlink";
  const size_t behind = inputs ? inputs->count : 0;
  char **const argv = tl_arena_new(arena, char *, words->count + behind + 2);
  *argc = 0;
  argv[(*argc)++] = program;
  for (size_t i = 0; i < words->count + behind; i++) {
    const char *const word = i < words->count ? words->items[i] : inputs->items[i - words->count];
    argv[(*argc)++] = tl_arena_text(arena, word, strlen(word));
  }
  return argv;
}

/* The words that fuzzed links have: one that is refused would make whole links say nothing. */
static const char *options_check_usual(tl_arena *arena) {
  static reading r;
  char word[FUZZ_WORD];
  for (size_t i = 0; fuzz_word_at(i, word); i++) {
    const char *const more = strcmp(word, "-g") == 0 ? "-r" : "-g"; /* which one of them wants */
    const char *const plain[] = {"nvlink", "-arch=sm_90", more, word, "-o", "out.cubin", "a.cubin"};
    if (!options_read(&r, arena, sizeof plain / sizeof *plain, (char *const *)(uintptr_t)plain))
      return "a usual word is refused";
  }
  return NULL;
}

static const char *options_check(tl_arena *arena, const char *text) {
  tl_texts words = {0}, list = {0};
  static bool looked;
  const char *const stray = tl_words_split_list(&list, arena, text),
                    *wrong = looked ? NULL : fuzz_option_tables_check(arena);
  wrong = looked || wrong ? wrong : options_check_usual(arena);
  looked = true;
  wrong = wrong ? wrong : fuzz_split_check_list(text, &list);
  if (wrong || tl_words_split_file(&words, arena, text) || words.count > WORDS_MOST)
    return wrong ? wrong : stray && !*text ? "an empty text has a stray character" : NULL;
  wrong = fuzz_split_check_file(arena, text, &words);
  if (wrong)
    return wrong;
  for (size_t i = 0; i < words.count; i++)
    if (options_opens_files(words.items[i]))
      return NULL;
  int argc = 0;
  char *const *const argv = options_argv(arena, &words, NULL, &argc);
  wrong = fuzz_grammars_check(arena, argc, argv);
  if (wrong)
    return wrong;
  static reading first, second;
  if (!options_read(&first, arena, argc, argv))
    return NULL;
  const tl_texts again = tl_command_words(&first.command, arena);
  int again_argc = 0;
  char *const *const again_argv = options_argv(arena, &again, &first.command.inputs, &again_argc);
  if (!options_read(&second, arena, again_argc, again_argv))
    return "the words that reproduce a command are refused";
  const tl_texts third = tl_command_words(&second.command, arena);
  if (third.count != again.count)
    return "the words that reproduce a command are others the second time";
  for (size_t i = 0; i < third.count; i++)
    if (strcmp(third.items[i], again.items[i]) != 0)
      return "the words that reproduce a command are others the second time";
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  tl_arena arena;
  jmp_buf out;
  const char *volatile wrong = NULL;
  tl_arena_init(&arena, &tl_system_memory, (uint64_t)1 << 28, &out);
  if (!setjmp(out))
    wrong = options_check(&arena, tl_arena_text(&arena, (const char *)bytes, size));
  tl_arena_release(&arena);
  if (wrong)
    fuzz_found("options", wrong, bytes, size);
  return 0;
}
