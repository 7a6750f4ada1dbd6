/* Changes single fields of a cubin, as program.json describes damaged inputs: {"patch": "good.cubin", "changes": [...]}.
 *
 * A change is a line of words, the last one the new value:
 *   header FIELD VALUE              a field of the ELF header
 *   section NAME FIELD VALUE        a field of a section's header
 *   symbol NAME FIELD VALUE         a field of a symbol in .symtab
 *   section-symbol NAME FIELD VALUE the same for the section symbol of that section
 *   data NAME OFFSET u8|u16|u32|u64 VALUE   bytes of a section's contents, OFFSET from its start
 * A VALUE is a number, or section:NAME or symbol:NAME for an index. A name or field that does not exist is an error, so
 * that no description means nothing. */
#include "corpus.h"

#include "oracle/cubin/ref_cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct patch_field {
  const char *name;
  size_t offset, width;
} patch_field;

static const patch_field header_fields[] = {
    {"magic", 0, 4},        {"class", 4, 1},    {"data", 5, 1},        {"osabi", 7, 1},
    {"abiversion", 8, 1},   {"e_type", 16, 2},  {"e_machine", 18, 2},  {"e_version", 20, 4},
    {"e_phoff", 32, 8},     {"e_shoff", 40, 8}, {"e_flags", 48, 4},    {"e_phnum", 56, 2},
    {"e_shentsize", 58, 2}, {"e_shnum", 60, 2}, {"e_shstrndx", 62, 2}, {NULL, 0, 0},
};
static const patch_field section_fields[] = {
    {"sh_name", 0, 4},  {"sh_type", 4, 4},  {"sh_flags", 8, 8},      {"sh_offset", 24, 8},  {"sh_size", 32, 8},
    {"sh_link", 40, 4}, {"sh_info", 44, 4}, {"sh_addralign", 48, 8}, {"sh_entsize", 56, 8}, {NULL, 0, 0},
};
static const patch_field symbol_fields[] = {
    {"st_name", 0, 4},  {"st_info", 4, 1},  {"st_other", 5, 1}, {"st_shndx", 6, 2},
    {"st_value", 8, 8}, {"st_size", 16, 8}, {NULL, 0, 0},
};
static const patch_field data_fields[] = {{"u8", 0, 1}, {"u16", 0, 2}, {"u32", 0, 4}, {"u64", 0, 8}, {NULL, 0, 0}};

enum { SECTION_HEADER_SIZE = 64, SYMBOL_SIZE = 24, SYMBOL_TYPE_SECTION = 3, NO_INDEX = -1, WORDS_MAX = 6 };

typedef struct patch_words {
  char text[512];
  char *items[WORDS_MAX];
  size_t count;
} patch_words;

static void patch_split(patch_words *words, const char *change) {
  snprintf(words->text, sizeof words->text, "%s", change);
  words->count = 0;
  for (char *word = strtok(words->text, " "); word && words->count < WORDS_MAX; word = strtok(NULL, " "))
    words->items[words->count++] = word;
}

static long patch_find_section(const ref_cubin *cubin, const char *name) {
  const uint32_t index = ref_cubin_find_section(cubin, name);
  return index || strcmp(name, "") == 0 ? (long)index : NO_INDEX;
}

static long patch_find_symbol(const ref_cubin *cubin, const char *name, bool of_section) {
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    const ref_symbol *symbol = &cubin->symbols[i];
    const bool is_section = (symbol->info & 15) == SYMBOL_TYPE_SECTION && symbol->section < cubin->section_count;
    if (of_section ? is_section && strcmp(cubin->sections[symbol->section].name, name) == 0
                   : !is_section && strcmp(symbol->name, name) == 0)
      return (long)i;
  }
  return NO_INDEX;
}

static bool patch_value(const ref_cubin *cubin, const char *word, uint64_t *value) {
  static const char section[] = "section:", symbol[] = "symbol:";
  long index = 0;
  char *end = NULL;
  if (strncmp(word, section, sizeof section - 1) == 0)
    index = patch_find_section(cubin, word + sizeof section - 1);
  else if (strncmp(word, symbol, sizeof symbol - 1) == 0)
    index = patch_find_symbol(cubin, word + sizeof symbol - 1, false);
  else {
    *value = strtoull(word, &end, 0);
    return end != word && *end == 0;
  }
  *value = (uint64_t)index;
  return index != NO_INDEX;
}

static const patch_field *patch_find_field(const patch_field *fields, const char *name) {
  while (fields->name && strcmp(fields->name, name) != 0)
    fields++;
  return fields->name ? fields : NULL;
}

/* Where the record that the words name begins, and its table of fields; false when there is no such record. */
static bool patch_find_record(const ref_cubin *cubin, const patch_words *words, uint64_t *at,
                              const patch_field **fields) {
  const char *const kind = words->items[0];
  if (strcmp(kind, "header") == 0 && words->count == 3) {
    *at = 0;
    *fields = header_fields;
    return true;
  }
  if (words->count < 4)
    return false;
  if (strcmp(kind, "section") == 0 || strcmp(kind, "data") == 0) {
    const long index = patch_find_section(cubin, words->items[1]);
    const bool data = *kind == 'd';
    if (index == NO_INDEX || (data && words->count != 5))
      return false;
    *fields = data ? data_fields : section_fields;
    *at = data ? cubin->sections[index].offset + strtoull(words->items[2], NULL, 0)
               : cubin->section_offset + (uint64_t)index * SECTION_HEADER_SIZE;
    return true;
  }
  const bool of_section = strcmp(kind, "section-symbol") == 0;
  const long index = patch_find_symbol(cubin, words->items[1], of_section);
  if ((!of_section && strcmp(kind, "symbol") != 0) || index == NO_INDEX)
    return false;
  *fields = symbol_fields;
  *at = cubin->sections[cubin->symbol_section].offset + (uint64_t)index * SYMBOL_SIZE;
  return true;
}

static bool patch_apply(const ref_cubin *cubin, char *bytes, size_t size, const char *change) {
  patch_words words;
  const patch_field *fields = NULL;
  uint64_t at = 0, value = 0;
  patch_split(&words, change);
  if (!words.count || !patch_find_record(cubin, &words, &at, &fields))
    return false;
  const patch_field *const field = patch_find_field(fields, words.items[words.count - 2]);
  if (!field || !patch_value(cubin, words.items[words.count - 1], &value))
    return false;
  if (at > size || field->offset + field->width > size - at)
    return false;
  for (size_t i = 0; i < field->width; i++)
    bytes[at + field->offset + i] = (char)(value >> 8 * i);
  return true;
}

bool corpus_patch(char *bytes, size_t size, const cJSON *changes) {
  /* All names mean the cubin before its changes: they are looked up in a copy. */
  char error[256], *const copy = malloc(size ? size : 1);
  ref_cubin cubin;
  bool good = copy != NULL;
  if (good)
    memcpy(copy, bytes, size);
  if (good && !ref_cubin_read(&cubin, copy, size, error, sizeof error)) {
    fprintf(stderr, "cannot be changed: %s\n", error);
    good = false;
  }
  if (!good) {
    free(copy);
    return false;
  }
  const cJSON *change;
  cJSON_ArrayForEach(change, changes) {
    const bool applied = patch_apply(&cubin, bytes, size, change->valuestring);
    if (!applied)
      fprintf(stderr, "no such change: %s\n", change->valuestring);
    good = good && applied;
  }
  ref_cubin_free(&cubin);
  free(copy);
  return good;
}
