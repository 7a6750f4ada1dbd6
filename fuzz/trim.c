/* What can be left out of an envelope, one part a step: its words, its files, and of each file the sections and the entries
 * of its lists, the last ones first. Every step is a smaller envelope that is otherwise the same: what refers to the part
 * is renumbered, as in the mutator. AFL++ trims with it, and `twin shrink` makes findings small. */
#include "fuzz/edit.h"
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

/* Takes `*step` down by what a part has; true when the step lies in it, as its number from the end. */
static bool trim_falls(size_t *step, size_t count) {
  if (*step < count) {
    *step = count - 1 - *step;
    return true;
  }
  *step -= count;
  return false;
}

/* Entries of a file's lists; contents of sections are no entries, the null symbol is none. */
static bool trim_entry(edit_cubin *cubin, size_t *step) {
  edit_list list;
  for (size_t i = 1; i < cubin->count; i++) {
    edit_section *const section = &cubin->sections[i];
    const edit_kind kind = edit_section_kind(section);
    if (kind == EDIT_CONTENTS)
      continue;
    edit_list_make(&list, section);
    const size_t first = kind == EDIT_SYMBOLS && list.count;
    if (!trim_falls(step, list.count - first))
      continue;
    if (kind == EDIT_SYMBOLS)
      edit_symbol_drop(cubin, *step + first);
    else
      edit_list_drop(&list, *step);
    return true;
  }
  return false;
}

static bool trim_file(fuzz_file *file, size_t *step) {
  edit_cubin cubin;
  if (!edit_cubin_read(&cubin, file->bytes, file->size))
    return false;
  bool found = trim_falls(step, cubin.count - 1);
  if (found)
    edit_section_drop(&cubin, *step + 1);
  else
    found = trim_entry(&cubin, step);
  if (found) {
    size_t size = 0;
    uint8_t *const bytes = edit_cubin_write(&cubin, &size);
    fuzz_file_set(file, bytes, size);
  }
  edit_cubin_free(&cubin);
  return found;
}

static bool trim_envelope(fuzz_envelope *envelope, size_t step) {
  if (envelope->word_count > 1 && trim_falls(&step, envelope->word_count - 1)) {
    memmove(envelope->words[step + 1], envelope->words[step + 2],
            (envelope->word_count - step - 2) * sizeof *envelope->words);
    envelope->word_count--;
    return true;
  }
  if (envelope->file_count > 1 && trim_falls(&step, envelope->file_count)) {
    free(envelope->files[step].bytes);
    memmove(&envelope->files[step], &envelope->files[step + 1],
            (envelope->file_count - step - 1) * sizeof *envelope->files);
    envelope->file_count--;
    return true;
  }
  for (size_t i = 0; i < envelope->file_count; i++)
    if (trim_file(&envelope->files[i], &step))
      return true;
  return false;
}

uint8_t *fuzz_trim(const uint8_t *bytes, size_t size, size_t step, size_t *new_size, bool *done) {
  fuzz_envelope envelope;
  uint8_t *made = NULL;
  *done = !fuzz_envelope_read(&envelope, bytes, size) || !trim_envelope(&envelope, step);
  if (!*done) {
    fuzz_envelope_tell_apart(&envelope);
    made = fuzz_envelope_write(&envelope, new_size);
  }
  fuzz_envelope_free(&envelope);
  if (made && *new_size >= size) { /* a file whose sections lay over each other grows when it is put together */
    free(made);
    made = NULL;
  }
  return made;
}
