/* What speaks for itself where the reference does not vote: the invariants of an output, its link map against it, the words of
 * messages and of the notes of an output, and that damage is refused. Only what is wrong with the changed linker's answer and not
 * with the one from before counts. */
#define _DEFAULT_SOURCE
#include "fuzz/directed.h"

#include "oracle/check/ref_check.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORD_SLOTS = 1 << 16, WORD_LONGEST = 40, DOUBT_PATH = 4096 };

/* ---- words ---- */

typedef struct word_set {
  uint64_t slots[WORD_SLOTS]; /* hashes; 0: free */
  size_t count;
} word_set;

static word_set words_documented, words_of_input;

static uint64_t *word_slot(word_set *set, uint64_t hash) {
  size_t at = (size_t)(hash >> 40);
  while (set->slots[at % WORD_SLOTS] && set->slots[at % WORD_SLOTS] != hash)
    at++;
  return &set->slots[at % WORD_SLOTS];
}

static bool word_has(char letter) {
  return isalnum((unsigned char)letter) || letter == '_';
}

/* The next word of letters alone, in small ones: its hash, or 0 behind the last one. Names and numbers have digits. */
static uint64_t word_next(const char *text, size_t size, size_t *at, char word[WORD_LONGEST]) {
  while (*at < size) {
    size_t length = 0;
    bool letters = true;
    while (*at < size && !word_has(text[*at]))
      ++*at;
    for (; *at < size && word_has(text[*at]); ++*at) {
      letters = letters && isalpha((unsigned char)text[*at]);
      if (length + 1 < WORD_LONGEST)
        word[length++] = (char)tolower((unsigned char)text[*at]);
    }
    word[length] = '\0';
    if (length && letters)
      return directed_hash(word, length, 6) | 1;
  }
  return 0;
}

static void words_add(word_set *set, const char *text, size_t size) {
  char word[WORD_LONGEST];
  uint64_t hash;
  for (size_t at = 0; (hash = word_next(text, size, &at, word)) != 0;) {
    uint64_t *const slot = word_slot(set, hash);
    if (*slot || set->count >= WORD_SLOTS / 2)
      continue;
    *slot = hash;
    set->count++;
  }
}

static void words_add_file(const char *path, size_t size) {
  char *const text = fuzz_memory(size + 1);
  FILE *const file = fopen(path, "rb");
  if (file) {
    words_add(&words_documented, text, fread(text, 1, size, file));
    (void)fclose(file);
  }
  free(text);
}

void directed_doubts_read(const char *path) {
  struct stat status;
  const char *const ending = strrchr(path, '.');
  if (stat(path, &status) != 0)
    return;
  if (!S_ISDIR(status.st_mode)) {
    if (ending && strcmp(ending, ".md") == 0)
      words_add_file(path, (size_t)status.st_size);
    return;
  }
  DIR *const directory = opendir(path);
  for (const struct dirent *entry = NULL; directory && (entry = readdir(directory));) {
    char inner[DOUBT_PATH];
    (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.')
      directed_doubts_read(inner);
  }
  if (directory)
    (void)closedir(directory);
}

/* How many words of a text nobody has; `first` is the first of them. */
static size_t words_unknown(const char *text, size_t size, char first[WORD_LONGEST]) {
  char word[WORD_LONGEST];
  uint64_t hash;
  size_t unknown = 0;
  for (size_t at = 0; text && (hash = word_next(text, size, &at, word)) != 0;)
    if (word[1] && !*word_slot(&words_documented, hash) && !*word_slot(&words_of_input, hash) && unknown++ == 0)
      memcpy(first, word, WORD_LONGEST);
  return unknown;
}

static void words_read_input(const fuzz_envelope *envelope) {
  memset(&words_of_input, 0, sizeof words_of_input);
  for (size_t i = 0; i < envelope->word_count; i++)
    words_add(&words_of_input, envelope->words[i], strlen(envelope->words[i]));
  for (size_t i = 0; i < envelope->file_count; i++) {
    words_add(&words_of_input, envelope->files[i].name, strlen(envelope->files[i].name));
    words_add(&words_of_input, (const char *)envelope->files[i].bytes, envelope->files[i].size);
  }
}

static bool doubt_words(const fuzz_answer *changed, const fuzz_answer *before, char cause[FUZZ_CAUSE]) {
  char first[WORD_LONGEST], ignored[WORD_LONGEST];
  if (!words_documented.count || !changed->text_size)
    return false;
  if (words_unknown(changed->text, changed->text_size, first) <=
      words_unknown(before->text, before->text_size, ignored))
    return false;
  (void)snprintf(cause, FUZZ_CAUSE, "an unknown word: %s", first);
  return true;
}

/* What stands in the notes of an output comes from the inputs or is the linker's own. */
static size_t words_unknown_in_notes(const ref_cubin *output, char first[WORD_LONGEST]) {
  enum { NOTE = 7 };
  char ignored[WORD_LONGEST];
  size_t unknown = 0;
  for (size_t i = 1; i < output->section_count; i++)
    if (output->sections[i].type == NOTE && output->sections[i].data)
      unknown +=
          words_unknown((const char *)output->sections[i].data, output->sections[i].size, unknown ? ignored : first);
  return unknown;
}

static bool doubt_notes(const ref_cubin *changed, const ref_cubin *before, char cause[FUZZ_CAUSE]) {
  char first[WORD_LONGEST], ignored[WORD_LONGEST];
  if (!words_documented.count || words_unknown_in_notes(changed, first) <= words_unknown_in_notes(before, ignored))
    return false;
  (void)snprintf(cause, FUZZ_CAUSE, "an unknown word in a note: %s", first);
  return true;
}

/* What the linker says of damage that it refuses, which ends the link: the last message, with its site. */
static const char *damage_told(const char *text) {
  static const char *const marks[] = {"' is damaged: ", "' cannot be linked: "};
  const char *told = NULL;
  for (size_t i = 0; text && i < sizeof marks / sizeof *marks; i++)
    for (const char *at = text; (at = strstr(at, marks[i])) != NULL; at++)
      told = !told || at > told ? at : told;
  while (told && told > text && told[-1] != '\n')
    told--;
  return told ? told : "";
}

/* Damage that the linker alone refuses, since nvlink crashes over it or the output would break an invariant, has no other voter.
 * What is said before it has: the reference goes on and says it, too. */
static bool doubt_damage(const fuzz_answer *changed, const fuzz_answer *before, char cause[FUZZ_CAUSE]) {
  const bool refused = strcmp(before->codes, "T1") == 0 || strcmp(before->codes, "T9") == 0;
  const bool alike = strcmp(damage_told(before->text), damage_told(changed->text)) == 0;
  const char *what = NULL;
  if (refused && changed->image && !changed->code)
    what = "links what was refused as damaged";
  else if (refused && strcmp(before->codes, changed->codes) == 0 && !alike)
    what = "tells otherwise what damage it refuses";
  if (what)
    (void)snprintf(cause, FUZZ_CAUSE, "%s", what);
  return what != NULL;
}

/* ---- invariants ---- */

typedef struct doubt_link {
  ref_cubin inputs[FUZZ_FILES], changed, before;
  ref_check_file files[FUZZ_FILES];
  size_t count;
  bool read;
} doubt_link;

static void link_free(doubt_link *link) {
  for (size_t i = 0; i < link->count; i++)
    ref_cubin_free(&link->inputs[i]);
  if (link->read) {
    ref_cubin_free(&link->changed);
    ref_cubin_free(&link->before);
  }
}

/* False where some file is no cubin; to be freed in either case. */
static bool link_read(doubt_link *link, const fuzz_envelope *envelope, const fuzz_answer *changed,
                      const fuzz_answer *before) {
  char error[160];
  for (size_t i = 0; i < envelope->file_count; i++) {
    const fuzz_file *const file = &envelope->files[i];
    if (!ref_cubin_read(&link->inputs[i], file->bytes, file->size, error, sizeof error))
      return false;
    link->files[i] = (ref_check_file){file->name, &link->inputs[i]};
    link->count = i + 1;
  }
  if (!ref_cubin_read(&link->before, before->image, before->size, error, sizeof error))
    return false;
  link->read = ref_cubin_read(&link->changed, changed->image, changed->size, error, sizeof error);
  if (!link->read)
    ref_cubin_free(&link->before);
  return link->read;
}

static bool report_breaks(const ref_check_report *report, const ref_check_row *row) {
  for (size_t i = 0; i < report->count; i++)
    if (report->findings[i].row == row && !report->findings[i].in_input)
      return true;
  return false;
}

static bool doubt_invariants(const doubt_link *link, char cause[FUZZ_CAUSE]) {
  ref_check_report changed, before;
  const ref_check_row *row = NULL;
  ref_check(&changed, &(ref_check_link){{"output", &link->changed}, link->files, link->count});
  ref_check(&before, &(ref_check_link){{"output", &link->before}, link->files, link->count});
  for (size_t i = 0; changed.broken > before.broken && !row && i < changed.count; i++)
    if (!changed.findings[i].in_input && !report_breaks(&before, changed.findings[i].row))
      row = changed.findings[i].row;
  if (row)
    (void)snprintf(cause, FUZZ_CAUSE, "invariant broken: %s", row->name);
  ref_check_free(&changed);
  ref_check_free(&before);
  return row != NULL;
}

static bool doubt_map(const doubt_link *link, const fuzz_answer *changed, const fuzz_answer *before,
                      char cause[FUZZ_CAUSE]) {
  char text[FUZZ_CAUSE - 40] = "";
  if (!changed->map || !before->map || strcmp(changed->map, before->map) == 0)
    return false;
  FILE *const to = fmemopen(text, sizeof text, "w");
  if (!to)
    return false;
  const size_t wrong =
      ref_check_map(&(ref_check_link){{"output", &link->changed}, link->files, link->count}, changed->map, to);
  (void)fclose(to);
  text[sizeof text - 1] = '\0';
  text[strcspn(text, "\n")] = '\0';
  FILE *const nowhere = fopen("/dev/null", "w");
  const bool found =
      nowhere && wrong &&
      !ref_check_map(&(ref_check_link){{"output", &link->before}, link->files, link->count}, before->map, nowhere);
  if (nowhere)
    (void)fclose(nowhere);
  if (found)
    (void)snprintf(cause, FUZZ_CAUSE, "the map: %s", text);
  return found;
}

bool directed_doubts_find(const fuzz_envelope *envelope, const fuzz_answer *changed, const fuzz_answer *before,
                          char cause[FUZZ_CAUSE]) {
  words_read_input(envelope);
  if (doubt_damage(changed, before, cause) || doubt_words(changed, before, cause))
    return true;
  if (before->image && !changed->image && changed->code && !before->code) {
    (void)snprintf(cause, FUZZ_CAUSE, "refuses what was linked");
    return true;
  }
  if (!changed->image || !before->image)
    return false;
  doubt_link link = {.count = 0};
  const bool found = link_read(&link, envelope, changed, before) &&
                     (doubt_invariants(&link, cause) || doubt_map(&link, changed, before, cause) ||
                      doubt_notes(&link.changed, &link.before, cause));
  link_free(&link);
  return found;
}
