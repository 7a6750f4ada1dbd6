/* Other names in a cubin: a symbol or a section gets one that stands in any other file, so that what the linker does for
 * names it knows (system calls, tables, sections of one kind) meets functions and variables of all kinds. The name table moves
 * to the end of the file, with the new names behind the old ones. */
#include "tests/faults/hunt.h"

#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { WORDS_NAMES = 8192, WORDS_LONGEST = 200, WORDS_CHANGES = 3, ELF_SECTION = 64, ELF_SYMBOL = 24 };

/* Of symbols, then of sections; each once. */
typedef struct words_list {
  char *names[WORDS_NAMES];
  uint64_t hashes[WORDS_NAMES];
  uint32_t count;
} words_list;
static words_list words_of[2];

static void words_add(words_list *list, const char *name) {
  const uint64_t hash = XXH3_64bits(name, strlen(name));
  if (!*name || strlen(name) >= WORDS_LONGEST || list->count == WORDS_NAMES)
    return;
  for (uint32_t i = 0; i < list->count; i++)
    if (list->hashes[i] == hash)
      return;
  list->hashes[list->count] = hash;
  list->names[list->count] = strdup(name);
  if (!list->names[list->count++])
    harness_stop("no memory");
}

static void words_learn_cubin(const ref_cubin *cubin, harness_bytes bytes, void *context) {
  (void)bytes, (void)context;
  for (size_t i = 0; i < cubin->symbol_count; i++)
    words_add(&words_of[0], cubin->symbols[i].name);
  for (size_t i = 0; i < cubin->section_count; i++)
    words_add(&words_of[1], cubin->sections[i].name);
}

void hunt_words_learn(const char *path) {
  free(hunt_cubin_visit(path, words_learn_cubin, NULL).data);
}

static void words_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

uint32_t hunt_words_append(harness_bytes *bytes, const ref_cubin *cubin, uint32_t table, const char *name) {
  const uint64_t header = cubin->section_offset + (uint64_t)ELF_SECTION * table,
                 old = ref_u64(bytes->data + header + 24);
  const uint64_t size = ref_u64(bytes->data + header + 32), place = (bytes->size + 7) & ~(uint64_t)7;
  const size_t length = strlen(name) + 1;
  bytes->data = harness_grow(bytes->data, place + size + length);
  memset(bytes->data + bytes->size, 0, place - bytes->size);
  memcpy(bytes->data + place, bytes->data + old, size);
  memcpy(bytes->data + place + size, name, length);
  bytes->size = place + size + length;
  words_put(bytes->data + header + 24, 8, place);
  words_put(bytes->data + header + 32, 8, size + length);
  return (uint32_t)size;
}

/* A name of the same kind from elsewhere, or one of this file's with an ending of its own. */
static void words_choose(gen_random *random, const words_list *list, const char *own, char name[WORDS_LONGEST]) {
  static const char *const endings[] = {"x", "$", ".1", "_", ".x", "0"};
  const uint32_t count = sizeof endings / sizeof *endings;
  if (list->count && gen_random_percent(random, 85))
    snprintf(name, WORDS_LONGEST, "%s", list->names[gen_random_below(random, list->count)]);
  else
    snprintf(name, WORDS_LONGEST, "%.100s%s", own, endings[gen_random_below(random, count)]);
}

static void words_change_one(gen_random *random, const ref_cubin *cubin, harness_bytes *bytes) {
  char name[WORDS_LONGEST];
  if (gen_random_percent(random, 65) && cubin->symbol_count > 1 && cubin->string_section) {
    const uint32_t symbol = 1 + gen_random_below(random, (uint32_t)cubin->symbol_count - 1);
    const uint64_t at = cubin->sections[cubin->symbol_section].offset + (uint64_t)ELF_SYMBOL * symbol;
    words_choose(random, &words_of[0], cubin->symbols[symbol].name, name);
    const uint32_t offset = hunt_words_append(bytes, cubin, cubin->string_section, name);
    words_put(bytes->data + at, 4, offset);
  } else if (cubin->section_count > 1 && cubin->section_name_index < cubin->section_count) {
    const uint32_t section = 1 + gen_random_below(random, (uint32_t)cubin->section_count - 1);
    words_choose(random, &words_of[1], cubin->sections[section].name, name);
    const uint32_t offset = hunt_words_append(bytes, cubin, cubin->section_name_index, name);
    words_put(bytes->data + cubin->section_offset + (uint64_t)ELF_SECTION * section, 4, offset);
  }
}

/* The headers stay where they are. */
static void words_rewrite(const ref_cubin *cubin, gen_random *random, harness_bytes *bytes) {
  for (uint32_t i = 1 + gen_random_below(random, WORDS_CHANGES); i-- > 0;)
    words_change_one(random, cubin, bytes);
}

void hunt_words_change(gen_random *random, const char *from, const char *to) {
  hunt_input_rewrite(random, from, to, words_rewrite);
}
