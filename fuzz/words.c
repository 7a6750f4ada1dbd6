/* The table of words, and an envelope as an argv. */
#include "fuzz/words.h"

#include <stdio.h>
#include <string.h>

typedef struct word_row {
  const char *name; /* ends with '=' where a value follows */
  const char *values[8];
} word_row;

static const word_row word_rows[] = {
    {"-r", {NULL}},
    {"-g", {NULL}},
    {"-v", {NULL}},
    {"-w", {NULL}},
    {"-preserve-relocs", {NULL}},
    {"-suppress-debug-info", {NULL}},
    {"-dump-callgraph", {NULL}},
    {"-dump-callgraph-no-demangle", {NULL}},
    {"-extrawarn", {NULL}},
    {"-Werror", {NULL}},
    {"-disable-infos", {NULL}},
    {"-suppress-arch-warning", {NULL}},
    {"-suppress-stack-size-warning", {NULL}},
    {"-keep-system-libraries", {NULL}},
    {"-use-host-info", {NULL}},
    {"-ignore-host-info", {NULL}},
    {"--bug-compatible", {NULL}},
    {"-kernels-used=", {"k0", "k1", "k0,k1", "nothing", "_Z2k2PfS_", "k", ","}},
    {"-variables-used=", {"d0", "d1,c0", "c1", "nothing", "d", "s0"}},
    {"-verbose-tkinfo=", {"true", "false"}},
    {"-cpu-arch=", {"X86_64", "AARCH64"}},
};
/* Words that end most links before a file is read, or that are refused: for their messages, and drawn seldom. */
static const word_row rare_rows[] = {
    {"-lto", {NULL}},
    {"-dlto", {NULL}},
    {"-emit-ptx", {NULL}},
    {"-report-arch", {NULL}},
    {"-Ofc=", {"max", "min"}},
    {"-nvvmpath=", {"nvvm"}},
    {"-ghls=", {"lcs-abs", "lcs-aug"}},
    {"-maxrregcount=", {"32", "0x10", "99999999999", "many"}},
    {"-split-compile=", {"1", "4"}},
    {"-device-stack-protector=", {"true", "false", "maybe"}},
    {"-verbose-tkinfo=", {"maybe"}},
    {"-m=", {"64", "32"}},
    {"-Xptxas=", {"O3"}},
};
/* Words of twinlink's own, with which a link tells more: known, but never drawn, since only its voter has them (directed_links.c). */
static const word_row own_rows[] = {
    {FUZZ_OWN_NAME, {NULL}}, {FUZZ_OWN_MAP, {NULL}}, {FUZZ_OWN_TRACE, {"merge,layout,bindless,reloc,maps"}}};
enum {
  OWN_ROWS = sizeof own_rows / sizeof *own_rows,
  WORD_ROWS = sizeof word_rows / sizeof *word_rows,
  RARE_ROWS = sizeof rare_rows / sizeof *rare_rows,
  RARE_ONE_IN = 24
};

static const char *const target_names[] = {"sm_75",  "sm_80",      "sm_86",  "sm_87",  "sm_89",  "sm_90",
                                           "sm_90a", "sm_88",      "sm_100", "sm_103", "sm_120", "sm_100a",
                                           "sm_121", "compute_90", "sm_70",  "lto_90"};

/* Quotes and blanks are the option grammar's business, which is fuzzed elsewhere (targets/options_file.c). */
static bool value_is_plain(const char *value) {
  return *value && strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_,.$") == strlen(value);
}

/* Most words differ in the first two bytes, and are not worth a call. */
static bool word_is(const char *word, const char *other) {
  return *word == *other && (!*word || (word[1] == other[1] && strcmp(word, other) == 0));
}

static bool word_fits(const word_row *row, const char *word) {
  if (*word != *row->name || (*word && word[1] != row->name[1]))
    return false; /* most of them */
  const size_t length = strlen(row->name);
  return row->values[0] ? strncmp(word, row->name, length) == 0 && value_is_plain(word + length)
                        : strcmp(word, row->name) == 0;
}

size_t fuzz_index_of(const fuzz_envelope *envelope) {
  bool named = false;
  for (size_t i = 0; i < envelope->word_count; i++)
    named = named || word_is(envelope->words[i], FUZZ_INDEX_WORD);
  for (size_t i = 0; named && i < envelope->file_count; i++)
    if (envelope->files[i].size && strcmp(envelope->files[i].name, FUZZ_INDEX_NAME) == 0)
      return i;
  return envelope->file_count;
}

bool fuzz_word_is_own(const char *word) {
  for (size_t i = 0; i < OWN_ROWS; i++)
    if (word_fits(&own_rows[i], word))
      return true;
  return false;
}

bool fuzz_word_is_known(const char *word) {
  if (fuzz_word_is_own(word))
    return true;
  if (strncmp(word, "-arch=", 6) == 0)
    return value_is_plain(word + 6);
  if (word_is(word, FUZZ_INDEX_WORD))
    return true;
  for (size_t i = 0; i < WORD_ROWS + RARE_ROWS; i++)
    if (word_fits(i < WORD_ROWS ? &word_rows[i] : &rare_rows[i - WORD_ROWS], word))
      return true;
  return false;
}

const char *fuzz_word_choose(const built_choices *choices, char word[FUZZ_WORD]) {
  const bool rare = built_choose(choices, RARE_ONE_IN) == RARE_ONE_IN - 1;
  const word_row *const row =
      rare ? &rare_rows[built_choose(choices, RARE_ROWS)] : &word_rows[built_choose(choices, WORD_ROWS)];
  uint32_t count = 0;
  while (count < sizeof row->values / sizeof *row->values && row->values[count])
    count++;
  (void)snprintf(word, FUZZ_WORD, "%s%s", row->name, count ? row->values[built_choose(choices, count)] : "");
  return word;
}

bool fuzz_word_at(size_t number, char word[FUZZ_WORD]) {
  for (size_t i = 0; i < WORD_ROWS; i++) {
    const word_row *const row = &word_rows[i];
    size_t count = 0;
    while (count < sizeof row->values / sizeof *row->values && row->values[count])
      count++;
    if (number < (count ? count : 1)) {
      (void)snprintf(word, FUZZ_WORD, "%s%s", row->name, count ? row->values[number] : "");
      return true;
    }
    number -= count ? count : 1;
  }
  return false;
}

void fuzz_words_say_more(fuzz_envelope *envelope) {
  static const char *const words[] = {"-v", "-dump-callgraph", "-extrawarn"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    (void)fuzz_envelope_add_word(envelope, words[i]);
}

void fuzz_target_choose(const built_choices *choices, char target[FUZZ_TARGET]) {
  (void)snprintf(target, FUZZ_TARGET, "%s",
                 target_names[built_choose(choices, sizeof target_names / sizeof *target_names)]);
}

void fuzz_target_of_any_kind(const built_choices *choices, char target[FUZZ_TARGET]) {
  static const char *const kinds[] = {"sm_", "compute_", "lto_"};
  static const char *const numbers[] = {"70", "75",  "80",  "86",  "87",  "88",  "89",
                                        "90", "100", "101", "103", "110", "120", "121"};
  static const char *const suffixes[] = {"", "a", "f"};
  const uint32_t kind = built_choose(choices, sizeof kinds / sizeof *kinds);
  const uint32_t number = built_choose(choices, sizeof numbers / sizeof *numbers);
  const uint32_t suffix = built_choose(choices, sizeof suffixes / sizeof *suffixes);
  (void)snprintf(target, FUZZ_TARGET, "%s%s%s", kinds[kind], numbers[number], suffixes[suffix]);
}

int fuzz_arguments(const fuzz_envelope *envelope, const char *argv[FUZZ_ARGUMENTS]) {
  const size_t index = fuzz_index_of(envelope);
  bool named = index == envelope->file_count; /* once, and where there is one */
  int count = 0;
  argv[count++] = "nvlink";
  argv[count++] = fuzz_envelope_option(envelope, FUZZ_OWN_NAME) ? FUZZ_OWN_NAME : "--identity=nvlink";
  for (size_t i = 0; i < envelope->word_count; i++) {
    const bool names = word_is(envelope->words[i], FUZZ_INDEX_WORD);
    if (fuzz_word_is_known(envelope->words[i]) && !(names && named) && !word_is(envelope->words[i], FUZZ_OWN_NAME))
      argv[count++] = envelope->words[i];
    named = named || names;
  }
  argv[count++] = "-o";
  argv[count++] = "out.cubin";
  const int options = count;
  for (size_t i = 0; i < envelope->file_count; i++)
    if (i != index)
      argv[count++] = envelope->files[i].name;
  argv[count] = NULL;
  return options;
}
