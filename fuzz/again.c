/* The same program once more (again.h). */
#include "fuzz/again.h"

#include "fuzz/edit.h"

#include "tests/support/cubin_builder.h"

#include <stdlib.h>
#include <string.h>

static void add_files(fuzz_envelope *to, const fuzz_envelope *from, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    (void)fuzz_envelope_add_file(to, from->files[i].name, from->files[i].bytes, from->files[i].size);
}

static bool again_order(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link) {
  (void)link;
  for (size_t i = from->file_count; i-- > 0;)
    add_files(to, from, i, i + 1);
  return from->file_count > 1;
}

/* All files but the last one become one. */
static bool again_grouping(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link) {
  fuzz_envelope group = {.file_count = 0};
  fuzz_answer answer;
  (void)fuzz_envelope_add_word(&group, from->words[0]);
  (void)fuzz_envelope_add_word(&group, "-r");
  const size_t last = from->file_count > 1 ? from->file_count - 1 : 1;
  add_files(&group, from, 0, last);
  link(&group, &answer);
  const bool good = answer.image && fuzz_envelope_add_file(to, "group.cubin", answer.image, answer.size);
  fuzz_answer_free(&answer);
  fuzz_envelope_free(&group);
  add_files(to, from, last, from->file_count);
  return good;
}

static bool again_dead_code(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link) {
  (void)link;
  size_t size = 0;
  add_files(to, from, 0, from->file_count);
  const unsigned long sm = strtoul(from->words[0] + strlen("-arch=sm_"), NULL, 10);
  if (sm < 75 || sm > 90)
    return false;
  tb_cubin *const cubin = tb_new((unsigned)sm);
  (void)tb_function(cubin, "canonical_dead", TB_GLOBAL, NULL, 0, 24);
  uint8_t *const bytes = tb_finish(cubin, &size);
  const bool good = fuzz_envelope_add_file(to, "dead.cubin", bytes, size);
  free(bytes);
  tb_free(cubin);
  return good;
}

/* ---- other names for what is local ---- */

enum {
  RENAMED_MOST = 32,
  RENAMED_TEXT = 64,
  RENAMED_CHANGE = 0x20,
  ELF_HEAD = 64,
  ELF_SECTION = 64,
  ELF_SYMBOL = 24,
  TABLE_SYMBOLS = 2,
  TABLE_STRINGS = 3,
  TYPE_SECTION = 3
};

typedef struct renamed_names {
  char texts[RENAMED_MOST][RENAMED_TEXT];
  size_t count;
} renamed_names;

/* A section's bytes, of a file that somebody else found sound; NULL where they do not lie in it. */
static uint8_t *elf_section(uint8_t *bytes, size_t size, uint64_t number, uint32_t type, uint64_t *length) {
  const uint64_t headers = size < ELF_HEAD ? size : edit_get(bytes + 40, 8), count = edit_get(bytes + 60, 2);
  if (size < ELF_HEAD || number >= count || headers > size || (number + 1) * ELF_SECTION > size - headers)
    return NULL;
  const uint8_t *const head = bytes + headers + number * ELF_SECTION;
  const uint64_t at = edit_get(head + 24, 8);
  *length = edit_get(head + 32, 8);
  return edit_get(head + 4, 4) != type || at > size || *length > size - at ? NULL : bytes + at;
}

static size_t elf_sections(const uint8_t *bytes, size_t size) {
  return size < ELF_HEAD ? 0 : (size_t)edit_get(bytes + 60, 2);
}

static bool renamed_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The letter that becomes a capital one, or the other way round: the first one, or the last one of a mangled name. */
static size_t renamed_place(const char *name, size_t length) {
  return renamed_is_letter(name[0]) ? 0 : length - 1;
}

/* Every string of the file's tables that is the name, or a section's that ends with it, gets another letter. */
static void renamed_change(uint8_t *bytes, size_t size, const char *name) {
  const size_t length = strlen(name), place = renamed_place(name, length);
  for (size_t i = 1; i < elf_sections(bytes, size); i++) {
    uint64_t all = 0;
    uint8_t *const strings = elf_section(bytes, size, i, TABLE_STRINGS, &all);
    for (uint64_t at = 0, end; strings && at < all; at = end + 1) {
      for (end = at; end < all && strings[end];)
        end++;
      uint8_t *const last = strings + end - length;
      const bool whole = end - at == length, section = end - at > length && strings[at] == '.' && last[-1] == '.';
      if ((whole || section) && memcmp(last, name, length) == 0)
        last[place] ^= RENAMED_CHANGE;
    }
  }
}

typedef void renamed_visit(renamed_names *names, const char *name, bool local, bool named);

/* All symbols of all files that have a name. */
static void renamed_each(const fuzz_envelope *envelope, renamed_names *names, renamed_visit *visit) {
  for (size_t file = 0; file < envelope->file_count; file++) {
    uint8_t *const bytes = envelope->files[file].bytes;
    const size_t size = envelope->files[file].size;
    for (size_t i = 1; i < elf_sections(bytes, size); i++) {
      uint64_t all = 0, texts = 0;
      const uint8_t *const symbols = elf_section(bytes, size, i, TABLE_SYMBOLS, &all);
      const uint8_t *const head = symbols ? bytes + edit_get(bytes + 40, 8) + i * ELF_SECTION : NULL;
      const uint8_t *const strings =
          head ? elf_section(bytes, size, edit_get(head + 40, 4), TABLE_STRINGS, &texts) : NULL;
      for (uint64_t at = 0; strings && at + ELF_SYMBOL <= all; at += ELF_SYMBOL) {
        const uint64_t name = edit_get(symbols + at, 4);
        if (name < texts && memchr(strings + name, 0, texts - name))
          visit(names, (const char *)strings + name, symbols[at + 4] >> 4 == 0, (symbols[at + 4] & 15) != TYPE_SECTION);
      }
    }
  }
}

static void renamed_collect(renamed_names *names, const char *name, bool local, bool named) {
  const size_t length = strlen(name);
  if (!local || !named || length < 2 || length >= RENAMED_TEXT || names->count == RENAMED_MOST)
    return;
  if (!renamed_is_letter(name[0]) && (strncmp(name, "_Z", 2) != 0 || !renamed_is_letter(name[length - 1])))
    return;
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->texts[i], name) == 0)
      return;
  memcpy(names->texts[names->count++], name, length + 1);
}

/* What somebody else has too, or what a name would become, stays. */
static void renamed_exclude(renamed_names *names, const char *name, bool local, bool named) {
  for (size_t i = names->count; i-- > 0;) {
    char *const text = names->texts[i], *const letter = text + renamed_place(text, strlen(text));
    *letter ^= RENAMED_CHANGE;
    const bool becomes = strcmp(text, name) == 0;
    *letter ^= RENAMED_CHANGE;
    if (becomes || (strcmp(text, name) == 0 && !(local && named)))
      memmove(text, names->texts[--names->count], RENAMED_TEXT);
  }
}

static void renamed_find(const fuzz_envelope *from, renamed_names *names) {
  names->count = 0;
  renamed_each(from, names, renamed_collect);
  renamed_each(from, names, renamed_exclude);
}

static bool again_renamed(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link) {
  (void)link;
  renamed_names names;
  renamed_find(from, &names);
  add_files(to, from, 0, from->file_count);
  for (size_t i = 0; i < names.count; i++)
    for (size_t file = 0; file < to->file_count; file++)
      renamed_change(to->files[file].bytes, to->files[file].size, names.texts[i]);
  return names.count > 0;
}

static void again_restore_names(const fuzz_envelope *from, uint8_t *image, size_t size) {
  renamed_names names;
  renamed_find(from, &names);
  for (size_t i = 0; i < names.count; i++) {
    names.texts[i][renamed_place(names.texts[i], strlen(names.texts[i]))] ^= RENAMED_CHANGE;
    renamed_change(image, size, names.texts[i]);
  }
}

const fuzz_again_row fuzz_again_rows[] = {
    {"another order of files", again_order, true, false, NULL},
    {"a grouping through -r", again_grouping, false, true, NULL},
    {"code that nobody calls", again_dead_code, true, false, NULL},
    {"other names for what is local", again_renamed, false, false, again_restore_names}};
const size_t fuzz_again_count = sizeof fuzz_again_rows / sizeof *fuzz_again_rows;
