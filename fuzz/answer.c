/* Two answers compared, and the cause in one line. Numbers and what stands in quotes are left out of messages, names of
 * symbols out of differences in bytes: what is left says which rule went wrong, and is the same for every input that meets
 * the same mistake. */
#include "fuzz/answer.h"

#include "fuzz/words.h"

#include "oracle/compare/ref_compare.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_answer_free(fuzz_answer *answer) {
  if (answer->memory)
    answer->release(answer->memory);
  free(answer->text);
  *answer = (fuzz_answer){0};
}

void fuzz_codes_add(char codes[FUZZ_CODES], const char *code) {
  const size_t used = strlen(codes), length = strlen(code);
  const char *const there = strstr(codes, code);
  if (there && (there[length] == ' ' || !there[length]))
    return;
  if (used + length + 2 <= FUZZ_CODES)
    (void)snprintf(codes + used, FUZZ_CODES - used, "%s%s", used ? " " : "", code);
}

/* A message without what differs from input to input: what is quoted, and numbers. */
static void cause_tame(const char *line, char *tame, size_t size) {
  size_t used = 0;
  bool quoted = false, number = false;
  for (size_t i = 0; line[i] && line[i] != '\n' && used + 1 < size; i++) {
    const bool quote = line[i] == '\'' && (quoted || i == 0 || line[i - 1] == ' '); /* no apostrophe */
    const bool digit =
        isdigit((unsigned char)line[i]) || (number && isxdigit((unsigned char)line[i])) || (number && line[i] == 'x');
    if ((!quoted || quote) && !(digit && number))
      tame[used++] = digit ? '0' : line[i];
    quoted = quoted != quote;
    number = digit;
  }
  tame[used] = '\0';
}

/* The first line that the other text does not have at the same place. */
static const char *cause_line(const char *text, const char *other) {
  if (!text)
    return "nothing";
  const char *start = text;
  for (size_t i = 0; other && text[i] && text[i] == other[i]; i++)
    if (text[i] == '\n')
      start = text + i + 1;
  return *start ? start : "nothing";
}

/* The last line: what ended the link. */
static const char *cause_last_line(const fuzz_answer *answer) {
  if (!answer->text_size)
    return "nothing";
  size_t at = answer->text_size - 1;
  while (at && answer->text[at - 1] != '\n')
    at--;
  return answer->text + at;
}

/* Two lists of codes, from the first that differs; "-" stands for the end. */
static void cause_of_codes(const char *ours, const char *theirs, char cause[FUZZ_CAUSE]) {
  while (*ours && *theirs && strcspn(ours, " ") == strcspn(theirs, " ") &&
         strncmp(ours, theirs, strcspn(ours, " ")) == 0) {
    ours += strcspn(ours, " ");
    theirs += strcspn(theirs, " ");
    ours += *ours == ' ';
    theirs += *theirs == ' ';
  }
  (void)snprintf(cause, FUZZ_CAUSE, "errors: %.*s / %.*s", *ours ? (int)strcspn(ours, " ") : 1, *ours ? ours : "-",
                 *theirs ? (int)strcspn(theirs, " ") : 1, *theirs ? theirs : "-");
}

/* Refusals with other messages are named by the first codes that differ: whole texts would be a cause for every pair of
 * mistakes that one input can have. */
static void cause_of_messages(const fuzz_answer *linker, const fuzz_answer *reference, char cause[FUZZ_CAUSE]) {
  if (strcmp(linker->codes, reference->codes) != 0) {
    cause_of_codes(linker->codes, reference->codes, cause);
    return;
  }
  char ours[FUZZ_CAUSE / 2 - 8], theirs[FUZZ_CAUSE / 2 - 8];
  cause_tame(cause_line(linker->text, reference->text), ours, sizeof ours);
  cause_tame(cause_line(reference->text, linker->text), theirs, sizeof theirs);
  (void)snprintf(cause, FUZZ_CAUSE, "messages: %s / %s", ours, theirs);
}

static void cause_of_refusal(const fuzz_answer *linker, const fuzz_answer *reference, char cause[FUZZ_CAUSE]) {
  char line[FUZZ_CAUSE - 32];
  const bool ours = linker->code != 0;
  cause_tame(cause_last_line(ours ? linker : reference), line, sizeof line);
  (void)snprintf(cause, FUZZ_CAUSE, "refused by the %s alone: %s", ours ? "linker" : "reference", line);
}

/* A section's name without the function's, a symbol's kind without its name. */
static void cause_where(const char *where, char *kind, size_t size) {
  static const char *const prefixes[] = {".text",         ".rela.text",    ".rel.text",     ".nv.info",
                                         ".nv.constant0", ".nv.constant2", ".nv.constant4", ".nv.constant3",
                                         ".nv.shared",    ".nv.local"};
  const char *const dot = strstr(where, " .");
  for (size_t i = 0; dot && i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(dot + 1, prefixes[i], strlen(prefixes[i])) == 0) {
      (void)snprintf(kind, size, " %s", prefixes[i]);
      return;
    }
  (void)snprintf(kind, size, "%s", "");
}

/* L890: a relocatable capsule that says what met in it, as the linker's do by default. */
static bool cause_is_of_bodies(const fuzz_answer *linker) {
  static const char name[] = ".nv.merc.nv.resolvedrela.bodies";
  for (size_t i = 0; i + sizeof name <= linker->size; i++)
    if (memcmp(linker->image + i, name, sizeof name) == 0)
      return true;
  return false;
}

static void cause_of_bytes(const fuzz_envelope *envelope, const fuzz_answer *linker, const fuzz_answer *reference,
                           char cause[FUZZ_CAUSE]) {
  ref_compared_file inputs[FUZZ_FILES];
  size_t count = 0;
  for (size_t i = 0; i < envelope->file_count; i++)
    if (i != fuzz_index_of(envelope))
      inputs[count++] = (ref_compared_file){envelope->files[i].name, envelope->files[i].bytes, envelope->files[i].size};
  ref_comparison comparison;
  char error[160], where[40] = "";
  const ref_compared_file a = {"linker", linker->image, linker->size},
                          b = {"reference", reference->image, reference->size};
  (void)ref_compare_files(&comparison, &a, &b, inputs, count, error, sizeof error);
  const ref_difference *first = NULL;
  for (size_t i = 0; i < comparison.count && !(first && !first->follows); i++)
    if (!first || !comparison.differences[i].follows)
      first = &comparison.differences[i];
  if (first)
    cause_where(first->where, where, sizeof where);
  const char *const what = cause_is_of_bodies(linker) ? "bytes of a capsule's bodies" : "bytes";
  const bool typed = first && first->code.size && first->code.relocation != REF_NO_TYPE;
  if (typed)
    (void)snprintf(cause, FUZZ_CAUSE, "%s: %s%s type %u", what, first->key, where, first->code.relocation);
  else
    (void)snprintf(cause, FUZZ_CAUSE, "%s: %s%s", what, first ? first->key : "file.size", where);
  ref_comparison_free(&comparison);
}

/* Two refusals: where one is in words that nvlink does not have, nvlink has no orderly answer, and any words will do. */
static bool cause_own_words(const fuzz_answer *linker, const fuzz_answer *reference) {
  return linker->code && linker->code == reference->code &&
         (linker->codes[0] == 'T' || strchr(reference->codes, 'D') || strchr(reference->codes, 'X'));
}

void fuzz_answers_compare(const fuzz_envelope *envelope, const fuzz_answer *linker, const fuzz_answer *reference,
                          char cause[FUZZ_CAUSE]) {
  cause[0] = '\0';
  if (!linker->code != !reference->code)
    cause_of_refusal(linker, reference, cause);
  else if (!linker->image != !reference->image)
    (void)snprintf(cause, FUZZ_CAUSE, "an image of the %s alone", linker->image ? "linker" : "reference");
  else if (linker->image &&
           (linker->size != reference->size || memcmp(linker->image, reference->image, linker->size) != 0))
    cause_of_bytes(envelope, linker, reference, cause);
  else if (linker->code != reference->code)
    cause_of_codes(linker->codes, reference->codes, cause);
  else if ((linker->text_size != reference->text_size ||
            (linker->text_size && memcmp(linker->text, reference->text, linker->text_size) != 0)) &&
           !cause_own_words(linker, reference))
    cause_of_messages(linker, reference, cause);
}
