/* command.c: nvlink's option grammar over the rows of catalog/option.
 *
 * Words are read from a stack of sources, argv at the bottom and one source an open options file above it, because a
 * value must stand in the same source as its option and files nest at most 15 deep (C49). Everything about one option
 * stands in its row; the code below knows kinds, not options, apart from the conflicts E10 and the note's few
 * exceptions. */
#include "command.h"

#include "catalog/architecture.h"
#include "catalog/message.h"
#include "catalog/trace.h"
#include "input/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_FILES_MOST = 15, STREAM_LIMIT = 16 << 20 };

/* Words still to be read, or the options files still to be opened. */
typedef struct command_source {
  tl_texts words;
  size_t next;
  bool are_files;
} command_source;

typedef struct command_reader {
  tl_command *command;
  tl_arena *arena;
  tl_diagnostics *diagnostics;
  command_source sources[2 * OPEN_FILES_MOST + 2];
  size_t source_count, open_files;
} command_reader;

static void command_say(tl_diagnostics *diagnostics, tl_message_id id, const char *first, const char *second) {
  const tl_site nowhere = {NULL, NULL, NULL, TL_NO_OFFSET};
  tl_diagnostics_add(diagnostics, tl_message_row_of(id), nowhere, NULL, first, second);
}

/* The text behind the last slash; "" for no text. */
static const char *command_base_name(const char *path) {
  if (!path)
    return "";
  const char *const slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void tl_command_identify(tl_command *command, int argc, char *const *argv, const char *bug_compatible) {
  tl_options *const options = &command->options;
  options->identity_nvlink = argc > 0 && strcmp(command_base_name(argv[0]), "nvlink") == 0;
  options->bug_compatible = bug_compatible && strcmp(bug_compatible, "1") == 0;
  for (int i = 1; i < argc && argv[i]; i++) {
    const char *value = NULL;
    const char *const behind = tl_text_behind(argv[i], "--identity");
    if (behind && *behind == '=')
      value = behind + 1;
    else if (behind && !*behind && i + 1 < argc)
      value = argv[i + 1];
    if (value && (strcmp(value, "nvlink") == 0 || strcmp(value, "twinlink") == 0))
      options->identity_nvlink = *value == 'n';
  }
}

static void reader_push(command_reader *reader, tl_texts words, bool are_files) {
  reader->sources[reader->source_count++] = (command_source){.words = words, .are_files = are_files};
}

static command_source *reader_top(command_reader *reader) {
  return &reader->sources[reader->source_count - 1];
}

static void reader_open_options_file(command_reader *reader, const char *path) {
  if (reader->open_files == OPEN_FILES_MOST)
    command_say(reader->diagnostics, TL_MESSAGE_OPTIONS_FILES_DEEP, path, NULL);
  uint8_t *bytes = NULL;
  size_t size = 0;
  const tl_file_status status = tl_file_read(path, STREAM_LIMIT, reader->arena, &bytes, &size);
  if (status != TL_FILE_OK && status != TL_FILE_DIRECTORY)
    command_say(reader->diagnostics, TL_MESSAGE_OPTIONS_FILE, path, NULL);
  const char *const text = bytes ? (const char *)bytes : "";
  tl_texts words = {0};
  const char *const stray = tl_words_split_file(&words, reader->arena, text);
  if (stray)
    command_say(reader->diagnostics, TL_MESSAGE_STRAY_CHARACTER, stray, NULL);
  reader->open_files++;
  reader_push(reader, words, false);
}

/* The next word of the top source, or NULL when that is at its end. */
static const char *reader_next_of_source(command_reader *reader) {
  command_source *const source = reader_top(reader);
  return source->next < source->words.count ? source->words.items[source->next++] : NULL;
}

/* The next word of all, NULL at the end of argv. */
static const char *reader_next(command_reader *reader) {
  while (reader->source_count) {
    const char *const word = reader_next_of_source(reader);
    if (word && !reader_top(reader)->are_files)
      return word;
    if (word) {
      reader_open_options_file(reader, word);
      continue;
    }
    /* argv is no file, and a list of files is none either */
    if (!reader_top(reader)->are_files && reader->source_count > 1)
      reader->open_files--;
    reader->source_count--;
  }
  return NULL;
}

/* E5: what C's strtol takes with base 0, in 32 bits. */
static int32_t reader_number(const command_reader *reader, const char *value) {
  char *end = NULL;
  errno = 0;
  const long long number = strtoll(value, &end, 0);
  if (*end)
    command_say(reader->diagnostics, TL_MESSAGE_NOT_A_NUMBER, value, NULL);
  if (errno || number < INT32_MIN || number > INT32_MAX)
    command_say(reader->diagnostics, TL_MESSAGE_NUMBER_RANGE, value, NULL);
  return (int32_t)number;
}

static void reader_set_field(const command_reader *reader, tl_option_id id, const void *value, size_t size) {
  const size_t field = tl_option_row_of(id)->field;
  if (field != TL_NO_FIELD)
    memcpy((uint8_t *)&reader->command->options + field, value, size);
}

static void reader_take_list(command_reader *reader, tl_option_id id, const char *value) {
  tl_given *const given = &reader->command->given[id];
  const char *const stray = tl_words_split_list(&given->list, reader->arena, value);
  if (stray)
    command_say(reader->diagnostics, TL_MESSAGE_STRAY_CHARACTER, stray, NULL);
  if (tl_option_row_of(id)->kind == TL_OPTION_OPTIONS_FILES) {
    reader_push(reader, given->list, true);
    given->list = (tl_texts){0};
  }
  const tl_list list = {given->list.items, given->list.count};
  reader_set_field(reader, id, &list, sizeof list);
}

static void reader_take_value(command_reader *reader, tl_option_id id, const char *value) {
  const tl_option_row *const row = tl_option_row_of(id);
  tl_given *const given = &reader->command->given[id];
  const tl_given before = *given;
  given->given = true;
  given->text = value;
  if (row->kind == TL_OPTION_LIST || row->kind == TL_OPTION_OPTIONS_FILES) {
    reader_take_list(reader, id, value);
    return;
  }
  if (row->kind == TL_OPTION_TRUTH && strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
    command_say(reader->diagnostics, TL_MESSAGE_NOT_A_TRUTH, value, NULL);
  if (row->kind == TL_OPTION_NUMBER)
    given->number = reader_number(reader, value);
  if (!tl_option_takes(row, value))
    command_say(reader->diagnostics, TL_MESSAGE_BAD_VALUE, value, row->long_name);
  const bool same =
      row->kind == TL_OPTION_NUMBER ? before.number == given->number : before.given && strcmp(before.text, value) == 0;
  if (before.given && !same)
    command_say(reader->diagnostics, TL_MESSAGE_REDEFINED, row->long_name, NULL);
  reader_set_field(reader, id, &value, sizeof value);
}

static void reader_take_flag(const command_reader *reader, tl_option_id id) {
  const bool on = true;
  reader->command->given[id].given = true;
  reader_set_field(reader, id, &on, sizeof on);
}

/* The value of option `id` from the next word of the same source. */
/* L1980: a dash alone is a value. */
static bool reader_is_value(const char *word) {
  return word && (word[0] != '-' || !word[1]);
}

/* The first `length` letters of the word are the option's. */
static void reader_take_next(command_reader *reader, tl_option_id id, const char *word, size_t length) {
  const command_source *const source = reader_top(reader);
  const char *const next = source->next < source->words.count ? source->words.items[source->next] : NULL;
  if (tl_option_row_of(id)->kind == TL_OPTION_OPTIONAL && !reader_is_value(next)) {
    reader_take_value(reader, id, "lcs-abs");
    return;
  }
  if (!next)
    command_say(reader->diagnostics, TL_MESSAGE_VALUE_MISSING, tl_arena_text(reader->arena, word, length), NULL);
  reader_take_value(reader, id, reader_next_of_source(reader));
}

static void reader_take_option(command_reader *reader, const char *word) {
  static const tl_option_id glued[] = {TL_OPT_LIBRARY, TL_OPT_LIBRARY_PATH, TL_OPT_MACHINE};
  const size_t length = strcspn(word, "=");
  const tl_option_id id = tl_option_find(word, length);
  if (id == TL_OPT_COUNT) {
    for (size_t i = 0; i < sizeof glued / sizeof *glued; i++)
      if (word[1] == tl_option_row_of(glued[i])->short_name[0]) {
        reader_take_value(reader, glued[i], word + 2);
        return;
      }
    command_say(reader->diagnostics, TL_MESSAGE_UNKNOWN_OPTION, tl_arena_text(reader->arena, word + 1, length - 1),
                NULL);
    return;
  }
  const bool has_value = word[length] == '=';
  if (tl_option_row_of(id)->kind != TL_OPTION_FLAG) {
    if (has_value)
      reader_take_value(reader, id, word + length + 1);
    else
      reader_take_next(reader, id, word, length);
    return;
  }
  if (has_value)
    command_say(reader->diagnostics, TL_MESSAGE_VALUE_ON_FLAG, tl_arena_text(reader->arena, word, length), NULL);
  reader_take_flag(reader, id);
}

/* --trace: the parts whose lines are wanted. */
static unsigned reader_trace(const command_reader *reader) {
  const tl_texts *const parts = &reader->command->given[TL_OPT_TRACE].list;
  unsigned bits = 0;
  for (size_t i = 0; i < parts->count; i++) {
    const unsigned bit = tl_trace_bits(parts->items[i]);
    if (!bit)
      command_say(reader->diagnostics, TL_MESSAGE_BAD_VALUE, parts->items[i],
                  tl_option_row_of(TL_OPT_TRACE)->long_name);
    bits |= bit;
  }
  return bits;
}

void tl_command_read(tl_command *command, tl_arena *arena, tl_diagnostics *diagnostics, int argc, char *const *argv) {
  command_reader *const reader = tl_arena_new(arena, command_reader, 1);
  reader->command = command;
  reader->arena = arena;
  reader->diagnostics = diagnostics;
  tl_texts words = {0};
  for (int i = 1; i < argc; i++)
    *tl_vector_push(arena, &words) = argv[i];
  reader_push(reader, words, false);
  for (const char *word; (word = reader_next(reader));) {
    if (word[0] == '-' && word[1])
      reader_take_option(reader, word);
    else
      *tl_vector_push(arena, &command->inputs) = word;
  }
  if (command->given[TL_OPT_THREADS].given)
    command->options.threads = (unsigned)command->given[TL_OPT_THREADS].number;
  command->options.trace = reader_trace(reader);
  command->options.want_map = command->given[TL_OPT_MAP].given;
}

/* E10, in nvlink's order: two options that exclude each other, or one that needs another. */
static void command_check_conflicts(const tl_command *command, tl_diagnostics *diagnostics) {
  const tl_given *const given = command->given;
  const bool lto = given[TL_OPT_LTO].given || given[TL_OPT_DLTO].given;
  if (given[TL_OPT_NO_DEBUG_INFO].given && !given[TL_OPT_DEBUG].given)
    command_say(diagnostics, TL_MESSAGE_CONFLICT, "-suppress-debug-info", "no -g");
  if (given[TL_OPT_DUMP_CALLGRAPH].given && given[TL_OPT_DUMP_MANGLED].given)
    command_say(diagnostics, TL_MESSAGE_CONFLICT, "-dump-callgraph", "-dump-callgraph-no-demangle");
  if (given[TL_OPT_USE_HOST_INFO].given && given[TL_OPT_IGNORE_HOST_INFO].given)
    command_say(diagnostics, TL_MESSAGE_CONFLICT, "-use-host-info", "-ignore-host-info");
  if (given[TL_OPT_USE_HOST_INFO].given &&
      (command->options.kernels_used.count || command->options.variables_used.count))
    command_say(diagnostics, TL_MESSAGE_HOST_INFO_UNUSED, NULL, NULL);
  if (given[TL_OPT_EMIT_PTX].given && !lto)
    command_say(diagnostics, TL_MESSAGE_CONFLICT, "-emit-ptx", "no -dlto");
  if (given[TL_OPT_FAST_COMPILE].given && !lto)
    command_say(diagnostics, TL_MESSAGE_CONFLICT, "--Ofast-compile", "no -dlto");
}

static tl_action command_check_host_script(const tl_command *command, tl_diagnostics *diagnostics) {
  if (command->inputs.count)
    command_say(diagnostics, TL_MESSAGE_SCRIPT_INPUTS, NULL, NULL);
  if (strcmp(command->given[TL_OPT_HOST_SCRIPT].text, "lcs-aug") != 0)
    command_say(diagnostics, TL_MESSAGE_UNSUPPORTED_OPTION, "-ghls=lcs-abs", NULL);
  return TL_ACTION_HOST_SCRIPT;
}

tl_action tl_command_check(const tl_command *command, tl_diagnostics *diagnostics) {
  const tl_given *const given = command->given;
  if (given[TL_OPT_HELP].given)
    return TL_ACTION_HELP;
  if (given[TL_OPT_VERSION].given)
    return TL_ACTION_VERSION;
  if (given[TL_OPT_HOST_SCRIPT].given)
    return command_check_host_script(command, diagnostics);
  const char *const arch = command->options.arch;
  const tl_architecture *const target = arch ? tl_architecture_find(arch) : NULL;
  if (!target) {
    command_say(diagnostics, TL_MESSAGE_UNKNOWN_ARCH, "(null)", NULL);
    return TL_ACTION_LINK;
  }
  const tl_arch_family family = target->family;
  if (!given[TL_OPT_OUTPUT].given && family == TL_ARCH_SM)
    command_say(diagnostics, TL_MESSAGE_NO_OUTPUT, NULL, NULL);
  if (!command->inputs.count)
    command_say(diagnostics, TL_MESSAGE_NO_INPUTS, NULL, NULL);
  command_check_conflicts(command, diagnostics);
  if (family == TL_ARCH_LTO)
    command_say(diagnostics, TL_MESSAGE_VIRTUAL_TARGET, arch, NULL);
  const bool lto = given[TL_OPT_LTO].given || given[TL_OPT_DLTO].given;
  if (lto && !given[TL_OPT_NVVMPATH].given)
    command_say(diagnostics, TL_MESSAGE_NO_NVVMPATH, NULL, NULL);
  if (lto)
    command_say(diagnostics, TL_MESSAGE_UNSUPPORTED_OPTION, given[TL_OPT_LTO].given ? "-lto" : "-dlto", NULL);
  return TL_ACTION_LINK;
}

/* The value that the note shows; NULL for a flag. */
static const char *command_note_value(const tl_command *command, tl_arena *arena, tl_option_id id) {
  const tl_option_row *const row = tl_option_row_of(id);
  const tl_given *const given = &command->given[id];
  switch (row->kind) {
  case TL_OPTION_FLAG:
  case TL_OPTION_OPTIONS_FILES: /* its files are expanded, and its name stands alone (C61) */
    return NULL;
  case TL_OPTION_LIST:
    return tl_texts_join(arena, &given->list, ",");
  case TL_OPTION_NUMBER: {
    const int64_t number = given->number;
    return tl_arena_format(arena, number < 0 ? "-%u" : "%u", (uint64_t)(number < 0 ? -number : number));
  }
  default:
    return row->note == TL_NOTE_FULL ? command_base_name(given->text) : given->text;
  }
}

void tl_command_note(tl_command *command, tl_arena *arena) {
  const tl_given *const given = command->given;
  const tl_given *const tkinfo = &given[TL_OPT_VERBOSE_TKINFO];
  const bool full = tkinfo->given ? strcmp(tkinfo->text, "true") == 0 : given[TL_OPT_DEBUG].given;
  tl_texts pieces = {0}, names = {0};
  for (size_t i = 0; full && i < command->inputs.count; i++)
    *tl_vector_push(arena, &names) = command_base_name(command->inputs.items[i]);
  if (full)
    *tl_vector_push(arena, &pieces) = tl_arena_format(arena, "%s ", tl_texts_join(arena, &names, ","));
  for (tl_option_id id = 0; id < TL_OPT_COUNT; id++) {
    if (!given[id].given)
      continue;
    const tl_option_row *const row = tl_option_row_of(id);
    if (row->note == TL_NOTE_NEVER || (row->note == TL_NOTE_FULL && !full))
      continue;
    const char *const name = row->short_name ? row->short_name : "";
    const char *const value = command_note_value(command, arena, id);
    *tl_vector_push(arena, &pieces) =
        value ? tl_arena_format(arena, "-%s %s ", name, value) : tl_arena_format(arena, "-%s  ", name);
  }
  const char *const output = given[TL_OPT_OUTPUT].text;
  command->options.note_arguments = tl_texts_join(arena, &pieces, "");
  command->options.output_name = output;
  command->options.note_object = full ? command_base_name(output) : "";
}

/* The value of an option as one word; a list's items keep their commas inside quotes. */
/* In quotes, because of its commas; backslashes at its end stand behind them, where they do not keep the quote. */
static const char *command_quoted_item(const char *item, tl_arena *arena) {
  size_t length = strlen(item);
  while (length && item[length - 1] == '\\')
    length--;
  return tl_arena_format(arena, "\"%s\"%s", tl_arena_text(arena, item, length), item + length);
}

static const char *command_word_value(const tl_given *given, tl_option_kind kind, tl_arena *arena) {
  if (kind != TL_OPTION_LIST)
    return given->text;
  tl_texts items = {0};
  for (size_t i = 0; i < given->list.count; i++)
    *tl_vector_push(arena, &items) = command_quoted_item(given->list.items[i], arena);
  return tl_texts_join(arena, &items, ",");
}

tl_texts tl_command_words(const tl_command *command, tl_arena *arena) {
  tl_texts words = {0};
  *tl_vector_push(arena, &words) = command->options.identity_nvlink ? "--identity=nvlink" : "--identity=twinlink";
  if (command->options.bug_compatible)
    *tl_vector_push(arena, &words) = "--bug-compatible";
  for (tl_option_id id = 0; id < TL_OPT_COUNT; id++) {
    const tl_option_row *const row = tl_option_row_of(id);
    const tl_given *const given = &command->given[id];
    if (!given->given || id == TL_OPT_IDENTITY || id == TL_OPT_BUG_COMPATIBLE || id == TL_OPT_REPRODUCE)
      continue;
    const bool is_output = id == TL_OPT_OUTPUT || id == TL_OPT_REGISTER || id == TL_OPT_MAP || id == TL_OPT_TIME;
    if (row->kind == TL_OPTION_FLAG)
      *tl_vector_push(arena, &words) = tl_arena_format(arena, "--%s", row->long_name);
    else if (row->kind == TL_OPTION_OPTIONS_FILES) /* its words are already here, but the note may name it */
      *tl_vector_push(arena, &words) = tl_arena_format(arena, "--%s=", row->long_name);
    else if (is_output)
      *tl_vector_push(arena, &words) =
          tl_arena_format(arena, "--%s=out/%s", row->long_name, command_base_name(given->text));
    else
      *tl_vector_push(arena, &words) =
          tl_arena_format(arena, "--%s=%s", row->long_name, command_word_value(given, row->kind, arena));
  }
  return words;
}
