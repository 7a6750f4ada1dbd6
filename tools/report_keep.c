/* Records that stay: the newest of every command, in a directory that is in the repository (./run report --keep).
 *
 * Figures belong to the machine that measured them, and the check before a release takes longer than one machine may be had:
 * what is kept lets whoever has a clone, and nothing measured, see a whole page, where each figure names its commit and age.
 * What a changed tree measured is not kept, since nobody can measure it again. */
#include "process.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The next word of a command, but for seeds and what stands for one: "" at the end. */
static const char *keep_next_word(const char **place, size_t *length) {
  for (;;) {
    const char *const word = *place + strspn(*place, " ");
    *length = strcspn(word, " ");
    *place = word + *length;
    if (strncmp(word, "--seed", 6) != 0)
      return word;
    if (!memchr(word, '=', *length)) {
      *place += strspn(*place, " ");
      *place += strcspn(*place, " ");
    }
  }
}

static bool keep_is_same_command(const char *left, const char *right) {
  size_t left_length, right_length;
  do {
    const char *const a = keep_next_word(&left, &left_length), *const b = keep_next_word(&right, &right_length);
    if (left_length != right_length || memcmp(a, b, left_length) != 0)
      return false;
  } while (left_length > 0);
  return true;
}

/* Records are newest first: whether one of the same command stands before this one. */
static bool keep_is_superseded(const report_input *input, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (!input->records[i].dirty && keep_is_same_command(input->records[i].command, input->records[index].command))
      return true;
  return false;
}

static bool keep_copy(const char *from, const char *to) {
  size_t size = 0;
  char *const text = file_read(from, &size);
  const bool good = text && process_write_file(to, text, size);
  free(text);
  return good;
}

static bool keep_record(const char *directory, const char *kept, const report_record *record, bool superseded) {
  text_buffer from = {0}, to = {0};
  text_add(&from, "%s/%s", directory, record->file);
  text_add(&to, "%s/%s", kept, record->file);
  bool good = true;
  if (superseded)
    good = unlink(to.bytes) == 0 || access(to.bytes, F_OK) != 0;
  else if (!record->dirty && access(to.bytes, F_OK) != 0)
    good = keep_copy(from.bytes, to.bytes);
  if (!good)
    fprintf(stderr, "twin report: cannot keep %s\n", to.bytes);
  text_free(&from);
  text_free(&to);
  return good;
}

bool report_keep(const report_input *input, const char *directory, const char *kept) {
  if (!process_ensure_directory(kept)) {
    fprintf(stderr, "twin report: cannot keep anything in %s\n", kept);
    return false;
  }
  for (size_t i = 0; i < input->count; i++)
    if (!keep_record(directory, kept, &input->records[i], keep_is_superseded(input, i)))
      return false;
  return true;
}
