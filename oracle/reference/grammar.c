/* The words of a command line, in their order: C48, C49, E1 to E6. What is said of them is said before anything else, and without the
 * target; a word that cannot be used ends the link. Options files are read where they stand. */
#include "grammar.h"

#include "link.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_DEEP = 15 };

typedef enum ref_word_kind {
  REF_WORD_TEXT,
  REF_WORD_FLAG,
  REF_WORD_LIST,
  REF_WORD_NUMBER,
  REF_WORD_TRUTH,
  REF_WORD_CHOICE,
  REF_WORD_MACHINE, /* a number of which one alone will do */
  REF_WORD_PROGRAM, /* what only the program prints */
  REF_WORD_SCRIPT,  /* the same, with a value or without */
  REF_WORD_FILES
} ref_word_kind;

/* An option of the job, or a word that stands for none. */
typedef struct ref_word_row {
  const char *short_name, *long_name;
  ref_word_kind kind;
  const char **value;
} ref_word_row;

static const char *const ref_scripts[] = {"lcs-abs", "lcs-aug", NULL};
static const char *const ref_processors[] = {"AARCH64", "ARMv7", "PPC64LE", "X86", "X86_64", "unknown", NULL};

static void ref_grammar_say(ref_grammar *grammar, ref_severity severity, const char *id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What has to stay as long as the job does. */
static char *ref_grammar_own(ref_grammar *grammar, char *text) {
  char **more = realloc(grammar->owned, (grammar->owned_count + 1) * sizeof *more);
  if (more == NULL || text == NULL) {
    grammar->owned = more == NULL ? grammar->owned : more;
    free(text);
    grammar->failed = true;
    return NULL;
  }
  grammar->owned = more;
  grammar->owned[grammar->owned_count++] = text;
  return text;
}

static void ref_grammar_say(ref_grammar *grammar, ref_severity severity, const char *id, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  char *text = ref_grammar_own(grammar, malloc((size_t)length + 1));
  ref_message *more = realloc(grammar->said, (grammar->said_count + 1) * sizeof *more);
  grammar->said = more == NULL ? grammar->said : more;
  grammar->failed = grammar->failed || more == NULL;
  if (text != NULL && more != NULL) {
    (void)vsnprintf(text, (size_t)length + 1, format, again);
    grammar->said[grammar->said_count++] = (ref_message){severity, id, text, true};
  }
  grammar->ended = grammar->ended || severity == REF_FATAL;
  va_end(again);
  va_end(arguments);
}

static ref_word_kind ref_grammar_kind(const ref_option_row *row) {
  switch (row->option) {
  case REF_OPTION_SPLIT_COMPILE:
  case REF_OPTION_SPLIT_COMPILE_EXTENDED:
  case REF_OPTION_MAXRREGCOUNT:
    return REF_WORD_NUMBER;
  case REF_OPTION_DEVICE_STACK_PROTECTOR:
  case REF_OPTION_VERBOSE_TKINFO:
    return REF_WORD_TRUTH;
  case REF_OPTION_MACHINE:
    return REF_WORD_MACHINE;
  case REF_OPTION_ARCH:
  case REF_OPTION_CPU_ARCH:
    return REF_WORD_CHOICE;
  default:
    return row->kind == REF_OPTION_FLAG ? REF_WORD_FLAG : row->kind == REF_OPTION_LIST ? REF_WORD_LIST : REF_WORD_TEXT;
  }
}

static bool ref_grammar_is(const char *word, size_t length, const char *name) {
  return name != NULL && *name != 0 && *name == *word && strlen(name) == length && strncmp(word, name, length) == 0;
}

/* C48: one dash and the short name, two dashes and the long one; no part of a name will do. */
static bool ref_grammar_find(ref_grammar *grammar, const char *word, size_t length, ref_word_row *found) {
  ref_job_words *other = &grammar->other;
  const ref_word_row others[] = {{"lto", "link-time-opt", REF_WORD_FLAG, &other->optimizes},
                                 {"dlto", "dlto", REF_WORD_FLAG, &other->optimizes},
                                 {"emit-ptx", "emit-ptx", REF_WORD_FLAG, &other->emits_ptx},
                                 {"Ofc", "Ofast-compile", REF_WORD_TEXT, &other->compiles_fast},
                                 {"optf", "options-file", REF_WORD_FILES, NULL},
                                 {"h", "help", REF_WORD_PROGRAM, &other->prints},
                                 {"V", "version", REF_WORD_PROGRAM, &other->prints},
                                 {"ghls", "gen-host-linker-script", REF_WORD_SCRIPT, &other->host_script}};
  const ref_option_row *rows = ref_option_rows();
  const bool is_long = length > 1 && word[1] == '-';
  const char *name = word + (is_long ? 2 : 1);
  const size_t rest = length - (is_long ? 2 : 1);
  for (size_t i = 0; i < REF_OPTION_COUNT; i++) {
    if (ref_grammar_is(name, rest, is_long ? rows[i].long_name : rows[i].short_name)) {
      const char **value = &grammar->options.values[rows[i].option];
      *found = (ref_word_row){rows[i].short_name, rows[i].long_name, ref_grammar_kind(&rows[i]), value};
      return true;
    }
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (ref_grammar_is(name, rest, is_long ? others[i].long_name : others[i].short_name)) {
      *found = others[i];
      return true;
    }
  }
  return false;
}

/* E5 */
static bool ref_grammar_check_number(ref_grammar *grammar, const char *value) {
  char *end;
  errno = 0;
  const long long number = strtoll(value, &end, 0);
  if (*end != 0) {
    ref_grammar_say(grammar, REF_FATAL, "E5", "'%s': expected a number", value);
  } else if (errno == ERANGE || number > INT32_MAX || number < INT32_MIN) {
    ref_grammar_say(grammar, REF_FATAL, "E5", "32-bit integer value (%s) out of range", value);
  }
  return !grammar->ended;
}

static bool ref_grammar_is_one_of(const char *value, const char *const *choices) {
  for (; *choices != NULL; choices++) {
    if (strcmp(value, *choices) == 0) {
      return true;
    }
  }
  return false;
}

static bool ref_grammar_is_target(const char *value) {
  static const char *const targets[] = {"sm_", "compute_", "lto_"};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    const size_t length = strlen(targets[i]);
    if (strncmp(value, targets[i], length) == 0 && ref_target_find(value + length) != NULL) {
      return true;
    }
  }
  return false;
}

/* E4. RF1374: the machine is a number, 64 however it is written. */
static bool ref_grammar_check_choice(ref_grammar *grammar, const ref_word_row *row, const char *value) {
  const bool known = REF_IS(row->long_name, "arch")  ? ref_grammar_is_target(value)
                     : row->kind == REF_WORD_MACHINE ? strtoll(value, NULL, 0) == 64
                     : row->kind == REF_WORD_SCRIPT  ? ref_grammar_is_one_of(value, ref_scripts)
                                                     : ref_grammar_is_one_of(value, ref_processors);
  if (!known) {
    ref_grammar_say(grammar, REF_FATAL, "E4", "Value '%s' is not defined for option '%s'", value, row->long_name);
  }
  return known;
}

/* RF1377: in a list a quote begins a quoted part whatever stands before it, and only within one a backslash keeps it from ending
 * it. */
static bool ref_grammar_list_opens(const char *list, size_t at, bool open) {
  const bool quote = list[at] == '"' && !(open && list[at - 1] == '\\');
  return open != quote;
}

static bool ref_grammar_check_list(ref_grammar *grammar, const char *list) {
  bool open = false;
  for (size_t i = 0; list[i] != 0; i++) {
    open = ref_grammar_list_opens(list, i, open);
  }
  if (open) {
    ref_grammar_say(grammar, REF_FATAL, "E5", "Stray '\"' character");
  }
  return !open;
}

/* C49: files are split outside quotes. */
static bool ref_grammar_check_quotes(ref_grammar *grammar, const char *text) {
  bool open = false;
  for (size_t i = 0; text[i] != 0; i++) {
    i += text[i] == '\\' && text[i + 1] != 0;
    open = open != (text[i] == '"' && (i == 0 || text[i - 1] != '\\'));
  }
  if (open) {
    ref_grammar_say(grammar, REF_FATAL, "E5", "Stray '\"' character");
  }
  return !open;
}

static bool ref_grammar_check(ref_grammar *grammar, const ref_word_row *row, const char *value) {
  switch (row->kind) {
  case REF_WORD_NUMBER:
    return ref_grammar_check_number(grammar, value);
  case REF_WORD_TRUTH:
    if (!REF_IS(value, "true") && !REF_IS(value, "false")) {
      ref_grammar_say(grammar, REF_FATAL, "E5", "'%s': expected true or false", value);
    }
    return !grammar->ended;
  case REF_WORD_MACHINE:
    return ref_grammar_check_number(grammar, value) && ref_grammar_check_choice(grammar, row, value);
  case REF_WORD_CHOICE:
  case REF_WORD_SCRIPT:
    return ref_grammar_check_choice(grammar, row, value);
  case REF_WORD_LIST:
  case REF_WORD_FILES:
    return ref_grammar_check_list(grammar, value);
  default:
    return true;
  }
}

/* The first element's length: a comma in quotes ends none. */
static size_t ref_grammar_element_length(const char *list) {
  bool open = false;
  size_t i = 0;
  for (; list[i] != 0 && (open || list[i] != ','); i++) {
    open = ref_grammar_list_opens(list, i, open);
  }
  return i;
}

/* RF402: elements of no characters, or of quotes alone, are none. */
static void ref_grammar_add_elements(char *joined, const char *list) {
  while (*list != 0) {
    const size_t length = ref_grammar_element_length(list);
    if (strspn(list, "\"") < length) {
      const size_t known = strlen(joined);
      joined[known] = ',';
      memcpy(joined + known + (known != 0), list, length);
      joined[known + (known != 0) + length] = 0;
    }
    list += length + (list[length] == ',');
  }
}

/* E6; C61: the elements of a list that is given again are appended. */
static void ref_grammar_set(ref_grammar *grammar, const ref_word_row *row, const char *value) {
  const char *old = *row->value;
  if (!ref_grammar_check(grammar, row, value)) {
    return;
  }
  if (row->kind == REF_WORD_LIST) {
    char *joined = ref_grammar_own(grammar, calloc((old == NULL ? 0 : strlen(old)) + strlen(value) + 2, 1));
    if (joined != NULL) {
      ref_grammar_add_elements(joined, old == NULL ? "" : old);
      ref_grammar_add_elements(joined, value);
      *row->value = joined;
    }
    return;
  }
  const bool same = old == NULL || strcmp(old, value) == 0 ||
                    ((row->kind == REF_WORD_NUMBER || row->kind == REF_WORD_MACHINE) &&
                     strtoll(old, NULL, 0) == strtoll(value, NULL, 0)); /* RF84: 0x10 is 16 */
  if (!same) {
    ref_grammar_say(grammar, REF_WARNING, "E6",
                    "incompatible redefinition for option '%s', the last value of this option was used",
                    row->long_name);
  }
  *row->value = value;
}

static void ref_grammar_add_input(ref_grammar *grammar, const char *name) {
  const char **more = realloc(grammar->inputs, (grammar->input_count + 1) * sizeof *more);
  grammar->failed = grammar->failed || more == NULL;
  if (more != NULL) {
    grammar->inputs = more;
    grammar->inputs[grammar->input_count++] = name;
  }
}

/* C48: values glued to -l, -L and -m. */
static bool ref_grammar_take_glued(ref_grammar *grammar, const char *word) {
  static const char *const glued[] = {"-l", "-L", "-m"};
  for (size_t i = 0; i < sizeof glued / sizeof *glued; i++) {
    ref_word_row row;
    if (strncmp(word, glued[i], 2) == 0 && word[2] != 0 && ref_grammar_find(grammar, glued[i], 2, &row)) {
      ref_grammar_set(grammar, &row, word + 2);
      return true;
    }
  }
  return false;
}

/* --trace: parts, divided by commas; maps and time have numbers of the linker's own alone, and no lines here. */
static void ref_grammar_take_trace(ref_grammar *grammar, const char *list) {
  while (*list != 0) {
    const size_t length = strcspn(list, ",");
    if (length != 0 && !ref_trace_find_part(list, length, &grammar->traced)) {
      ref_grammar_say(grammar, REF_FATAL, "E4", "Value '%.*s' is not defined for option 'trace'", (int)length, list);
      return;
    }
    list += length + (list[length] == ',');
  }
}

/* The value of an own option, behind `=` or in the next word; NULL: it is another option, or there is none. */
static const char *ref_grammar_own_value(const char *word, const char *name, const char *next, int *used) {
  const size_t length = strlen(name);
  if (strncmp(word, name, length) != 0 || (word[length] != 0 && word[length] != '=')) {
    return NULL;
  }
  *used += word[length] == 0 && next != NULL;
  return word[length] == 0 ? next : word + length + 1;
}

static bool ref_grammar_take_own(ref_grammar *grammar, const char *word, const char *next, int *used) {
  if (REF_IS(word, "--bug-compatible")) {
    grammar->bug_compatible = true;
    return true;
  }
  if (ref_text_begins(word, "--map=")) {
    return true; /* the linker's own option, which twin conformance gives; the reference makes no map */
  }
  const char *traced = ref_grammar_own_value(word, "--trace", next, used);
  if (traced != NULL) {
    ref_grammar_take_trace(grammar, traced);
    return true;
  }
  const char *identity = ref_grammar_own_value(word, "--identity", next, used);
  grammar->identity_nvlink = identity == NULL ? grammar->identity_nvlink : REF_IS(identity, "nvlink");
  return identity != NULL && (grammar->identity_nvlink || REF_IS(identity, "twinlink"));
}

/* The next word of an options file, unquoted where it stands; NULL: none. */
static char *ref_grammar_next_word(char **at) {
  static const char blanks[] = " \t\r\n\v\f";
  char *from = *at + strspn(*at, blanks), *word = from, *to = from;
  bool quoted = false;
  if (*from == 0) {
    return NULL;
  }
  for (; *from != 0 && (quoted || strchr(blanks, *from) == NULL); from++) {
    if (*from == '"') {
      quoted = !quoted;
      continue;
    }
    from += *from == '\\' && from[1] != 0;
    *to++ = *from;
  }
  *at = from + (*from != 0);
  *to = 0;
  return word;
}

static void ref_grammar_take_text(ref_grammar *grammar, char *text) {
  const char **words = NULL;
  int count = 0;
  if (!ref_grammar_check_quotes(grammar, text)) {
    return;
  }
  for (char *word; (word = ref_grammar_next_word(&text)) != NULL;) {
    const char **more = realloc(words, ((size_t)count + 1) * sizeof *more);
    if (more == NULL) {
      grammar->failed = true;
      break;
    }
    words = more;
    words[count++] = word;
  }
  ref_grammar_take(grammar, count, words);
  free(words);
}

static void ref_grammar_take_file(ref_grammar *grammar, const char *name) {
  ref_input file = {0};
  if (grammar->files_open == FILES_DEEP) {
    ref_grammar_say(grammar, REF_FATAL, "C49", "Too many options file opened '%s'", name);
    return;
  }
  if (!ref_grammar_read_file(name, &file)) {
    ref_grammar_say(grammar, REF_FATAL, "C49", "Could not open options file '%s'", name);
    return;
  }
  char *text = ref_grammar_own(grammar, calloc(file.size + 1, 1));
  if (text != NULL && file.size != 0) {
    memcpy(text, file.bytes, file.size);
  }
  free((void *)(uintptr_t)file.bytes);
  if (text != NULL) {
    grammar->files_open++;
    ref_grammar_take_text(grammar, text);
    grammar->files_open--;
  }
}

/* C49 */
static void ref_grammar_take_files(ref_grammar *grammar, const char *list) {
  char *names = ref_grammar_own(grammar, strdup(list));
  if (names == NULL) {
    return;
  }
  while (!grammar->ended && !grammar->failed && *names != 0) {
    char *name = names;
    names += strcspn(names, ",");
    names += *names != 0;
    name[strcspn(name, ",")] = 0;
    ref_grammar_take_file(grammar, name);
  }
}

/* Returns the number of words taken. */
static int ref_grammar_take_option(ref_grammar *grammar, const char *word, const char *next) {
  int used = 1;
  ref_word_row row;
  if (ref_grammar_take_own(grammar, word, next, &used)) {
    return used;
  }
  const size_t length = strcspn(word, "=");
  const bool equals = word[length] == '=';
  if (!ref_grammar_find(grammar, word, length, &row)) {
    if (!ref_grammar_take_glued(grammar, word)) {
      ref_grammar_say(grammar, REF_FATAL, "E1", "Unknown option '%.*s'", (int)length - 1, word + 1);
    }
    return 1;
  }
  if (row.kind == REF_WORD_PROGRAM) {
    if (equals) { /* RF1375 */
      ref_grammar_say(grammar, REF_FATAL, "E3", "no argument expected after '%.*s'", (int)length, word);
    } else {
      *row.value = row.long_name;
    }
    return 1;
  }
  if (row.kind == REF_WORD_SCRIPT && !equals && (next == NULL || (next[0] == '-' && next[1] != 0))) { /* RF1376 */
    ref_grammar_set(grammar, &row, ref_scripts[0]);
    return 1;
  }
  if (row.kind == REF_WORD_FLAG && equals) {
    ref_grammar_say(grammar, REF_FATAL, "E3", "no argument expected after '%.*s'", (int)length, word);
  } else if (row.kind == REF_WORD_FLAG) {
    *row.value = "";
  } else if (!equals && next == NULL) {
    ref_grammar_say(grammar, REF_FATAL, "E2", "argument expected after '%s'", word);
  } else {
    const char *value = equals ? word + length + 1 : next;
    used += !equals;
    if (row.kind != REF_WORD_FILES) {
      ref_grammar_set(grammar, &row, value);
    } else if (ref_grammar_check_list(grammar, value)) {
      ref_grammar_take_files(grammar, value);
    }
  }
  return used;
}

void ref_grammar_take(ref_grammar *grammar, int count, const char *const *words) {
  for (int i = 0; i < count && !grammar->ended && !grammar->failed;) {
    if (words[i][0] != '-' || words[i][1] == 0) {
      ref_grammar_add_input(grammar, words[i++]);
      continue;
    }
    i += ref_grammar_take_option(grammar, words[i], i + 1 < count ? words[i + 1] : NULL);
  }
}

void ref_grammar_free(ref_grammar *grammar) {
  for (size_t i = 0; i < grammar->owned_count; i++) {
    free(grammar->owned[i]);
  }
  free(grammar->owned);
  free(grammar->said);
  free(grammar->inputs);
  *grammar = (ref_grammar){0};
}
