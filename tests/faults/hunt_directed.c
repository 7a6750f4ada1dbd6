/* Inputs for one fault: what executes its line is changed a little, so that the line meets other values. A file is damaged
 * at a field or gets other code, a file of another such input comes beside or one goes, options are added. Each base may be
 * a changed file already. The same fault and bases give the same inputs. */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include "tools/damage.h"
#include "tools/gen_random.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIRECTED_FILES = 64, DIRECTED_BYTES = 2000000 };

static bool directed_is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool directed_is_cubin(const char *word) {
  const size_t length = strlen(word);
  return length > 6 && strcmp(word + length - 6, ".cubin") == 0 && word[0] == '/';
}

/* The words of an input, whose files are named by whole paths: they are used in another directory. */
static void directed_take_words(const hunt_input *input, harness_words *words) {
  for (size_t i = 0; i < input->arguments.count; i++) {
    const char *const word = input->arguments.items[i];
    const char *const value = word[0] == '-' && strchr(word, '=') ? strchr(word, '=') + 1 : word;
    char path[HARNESS_PATH];
    harness_path(path, "%s/%s", input->directory, value);
    if (*value && *value != '/' && directed_is_file(path))
      hunt_words_add(words, "%.*s%s", (int)(value - word), word, path);
    else
      hunt_words_add(words, "%s", word);
  }
}

/* The number of a cubin among the words, or `count` where there is none. */
static size_t directed_choose_file(const harness_words *words, gen_random *random) {
  size_t chosen = words->count;
  uint32_t seen = 0;
  for (size_t i = 0; words->items && i < words->count; i++)
    if (directed_is_cubin(words->items[i]) && gen_random_below(random, ++seen) == 0)
      chosen = i;
  return chosen;
}

/* Damages the file at `from` at up to three fields; false when it is no cubin any more. */
static bool directed_damage(const char *from, const char *to, gen_random *random) {
  harness_bytes bytes;
  damage_map map = {0};
  if (!harness_read_file(from, &bytes))
    return false;
  const bool readable =
      bytes.size && bytes.size < DIRECTED_BYTES && damage_map_make(&map, bytes.data, bytes.size) && map.count;
  damage_map_free(&map);
  free(bytes.data);
  if (!readable)
    return false;
  char *file = strdup(from + 1), slash[] = "";
  if (!file)
    harness_stop("no memory");
  damage_base base = {.directory = slash, .files = {.items = &file, .count = 1}};
  const damage_bases bases = {.items = &base, .count = 1};
  damage_case one;
  size_t size = 0;
  damage_case_make(&one, &bases, gen_random_next(random));
  uint8_t *const damaged = damage_case_bytes(&one, &size);
  hunt_input_write(to, damaged, size);
  free(damaged);
  damage_case_free(&one);
  free(file);
  return true;
}

static void directed_set_word(harness_words *words, size_t at, const char *text) {
  free(words->items[at]);
  words->items[at] = strdup(text);
  if (!words->items[at])
    harness_stop("no memory");
}

static void directed_change_file(harness_words *words, const char *directory, unsigned number, gen_random *random) {
  const size_t file = directed_choose_file(words, random);
  char path[HARNESS_PATH];
  if (!words->items || file == words->count)
    return;
  harness_path(path, "%s/changed-%u.cubin", directory, number);
  if (gen_random_percent(random, 70)) {
    if (!directed_damage(words->items[file], path, random))
      return;
  } else {
    hunt_code_change(random, words->items[file], path);
  }
  directed_set_word(words, file, path);
}

static void directed_remove(harness_words *words, size_t at) {
  if (!words->items)
    return;
  free(words->items[at]);
  memmove(words->items + at, words->items + at + 1, (words->count - at) * sizeof *words->items);
  words->count--;
}

static void directed_insert(harness_words *words, size_t at, const char *text) {
  hunt_words_add(words, "%s", text);
  if (!words->items)
    harness_stop("no memory");
  char *const added = words->items[words->count - 1];
  memmove(words->items + at + 1, words->items + at, (words->count - 1 - at) * sizeof *words->items);
  words->items[at] = added;
}

static void directed_swap_files(harness_words *words, gen_random *random) {
  const size_t a = directed_choose_file(words, random), b = directed_choose_file(words, random);
  if (!words->items || a == words->count || b == words->count)
    return;
  char *const text = words->items[a];
  words->items[a] = words->items[b];
  words->items[b] = text;
}

static void directed_change_words(harness_words *words, const hunt_input *other, gen_random *random) {
  harness_words others = {0};
  directed_take_words(other, &others);
  const size_t file = directed_choose_file(words, random), more = directed_choose_file(&others, random);
  switch (gen_random_below(random, 3)) {
  case 0:
    if (others.items && more < others.count && words->count < DIRECTED_FILES)
      directed_insert(words, file < words->count ? file : 0, others.items[more]);
    break;
  case 1:
    directed_swap_files(words, random);
    break;
  default:
    if (file < words->count)
      directed_remove(words, file);
  }
  harness_free_words(&others);
}

void hunt_directed_add(hunt_inputs *inputs, const char *root, const hunt_task *const *bases, size_t base_count,
                       gen_random *random, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char directory[HARNESS_PATH], name[HARNESS_PATH];
    const hunt_task *const base = bases[gen_random_below(random, (uint32_t)base_count)];
    const hunt_task *const other = bases[gen_random_below(random, (uint32_t)base_count)];
    harness_path(directory, "%s/directed/%zu", root, i);
    harness_make_directories(directory);
    harness_path(name, "changed %s", base->input->name);
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    harness_words words = {0}, options = {0};
    directed_take_words(base->input, &words);
    const uint32_t what = gen_random_below(random, 100);
    if (what < 25)
      directed_change_words(&words, other->input, random);
    if (what >= 15)
      directed_change_file(&words, directory, 0, random);
    if (what >= 85)
      directed_change_file(&words, directory, 1, random);
    if (gen_random_percent(random, 25))
      hunt_options_add(&options, random);
    for (size_t j = 0; j < options.count; j++)
      directed_insert(&words, 0, options.items[j]);
    harness_free_words(&options);
    input->arguments = words;
    input->modes = 1u << (gen_random_percent(random, 60) ? (uint32_t)base->mode : gen_random_below(random, HUNT_MODES));
  }
}
