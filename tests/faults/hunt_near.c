/* Inputs beside given ones: the files of one of them with one to four changes of the fuzzers' mutator (fuzz/mutate.h), or
 * with other code, records, headers or names, and its words. Made for one fault of those links that execute its line. */
#include "tests/faults/hunt.h"

#include "fuzz/mutate.h"
#include "fuzz/words.h"

#include <stdlib.h>
#include <string.h>

/* A link taken apart: what the mutator changes, and the words that it does not know, with the files that those name. */
typedef struct near_link {
  fuzz_envelope envelope;
  harness_words kept;
} near_link;

static const char *near_base_name(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool near_has_file(const fuzz_envelope *envelope, const char *name) {
  for (size_t i = 0; i < envelope->file_count; i++)
    if (strcmp(envelope->files[i].name, name) == 0)
      return true;
  return false;
}

/* A word that is no option: a cubin is the mutator's; any other file goes to `directory` as it is. False when a cubin finds
 * no room. */
static bool near_take_file(near_link *link, const hunt_input *input, const char *word, const char *directory) {
  char from[HARNESS_PATH], to[HARNESS_PATH], name[HARNESS_PATH];
  harness_bytes bytes;
  const char *const base = near_base_name(word), *const end = strrchr(base, '.');
  harness_path(from, "%s/%s", input->directory, word);
  const bool cubin = end && strcmp(end, ".cubin") == 0;
  if (!harness_exists(from) || !harness_read_file(from, &bytes)) {
    hunt_words_add(&link->kept, "%s", word);
    return true;
  }
  bool taken = true;
  if (cubin) {
    if (near_has_file(&link->envelope, base))
      harness_path(name, "%zu-%s", link->envelope.file_count, base);
    else
      harness_path(name, "%s", base);
    taken = strlen(name) < FUZZ_NAME && fuzz_envelope_add_file(&link->envelope, name, bytes.data, bytes.size);
  } else {
    harness_path(to, "%s/%s", directory, base);
    hunt_input_write(to, bytes.data, bytes.size);
    hunt_words_add(&link->kept, "%s", base);
  }
  free(bytes.data);
  return taken;
}

static bool near_take(near_link *link, const hunt_input *input, const char *directory) {
  const harness_words *const words = &input->arguments;
  for (size_t i = 0; i < words->count; i++) {
    const char *const word = words->items[i];
    if (strcmp(word, "-o") == 0)
      i++; /* every link here has one output */
    else if (*word != '-' && !near_take_file(link, input, word, directory))
      return false;
    else if (*word == '-' && !(fuzz_word_is_known(word) && fuzz_envelope_add_word(&link->envelope, word)))
      hunt_words_add(&link->kept, "%s", word);
  }
  return link->envelope.file_count > 0;
}

static void near_free(near_link *link) {
  fuzz_envelope_free(&link->envelope);
  harness_free_words(&link->kept);
}

/* The words of the link, and its files, one of which may be changed once more in the hunt's own way. */
static void near_write(const near_link *link, gen_random *random, const char *directory, bool own, hunt_input *input) {
  static void (*const kinds[])(gen_random *random, const char *from, const char *to) = {
      hunt_code_change,  hunt_records_change, hunt_headers_change, hunt_words_change,
      hunt_lines_change, hunt_boards_change,  hunt_pairs_change};
  const uint32_t changed = gen_random_below(random, (uint32_t)link->envelope.file_count);
  for (size_t i = 0; i < link->envelope.word_count; i++)
    if (fuzz_word_is_known(link->envelope.words[i]))
      hunt_words_add(&input->arguments, "%s", link->envelope.words[i]);
  for (size_t i = 0; i < link->kept.count; i++)
    hunt_words_add(&input->arguments, "%s", link->kept.items[i]);
  for (size_t i = 0; i < link->envelope.file_count; i++) {
    char path[HARNESS_PATH];
    const fuzz_file *const file = &link->envelope.files[i];
    harness_path(path, "%s/%s", directory, file->name);
    hunt_input_write(path, file->bytes, file->size);
    if (own && i == changed)
      kinds[gen_random_below(random, sizeof kinds / sizeof *kinds)](random, path, path);
    hunt_words_add(&input->arguments, "%s", file->name);
  }
  hunt_words_add(&input->arguments, "-o");
  hunt_words_add(&input->arguments, "out.cubin");
}

static void near_add(hunt_inputs *inputs, const char *directory, size_t number, const hunt_task *base,
                     const hunt_task *other, gen_random *random) {
  enum { CHANGES = 4, MORE = 40, OWN = 40, CROSSED = 25 };
  const built_choices choices = built_choices_random(random);
  near_link link = {0}, second = {0};
  char name[HARNESS_PATH];
  const bool own = gen_random_percent(random, OWN);
  const bool crossed = gen_random_percent(random, CROSSED) && near_take(&second, other->input, directory);
  if (near_take(&link, base->input, directory)) {
    for (uint32_t i = 0; i < CHANGES && (i == (own ? 1 : 0) || gen_random_percent(random, MORE)); i++)
      (void)fuzz_mutate(&choices, &link.envelope, crossed ? &second.envelope : NULL);
    harness_path(name, "near %zu of %s", number, base->input->name);
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    input->modes = 1u << base->mode;
    near_write(&link, random, directory, own, input);
  }
  near_free(&link);
  near_free(&second);
}

void hunt_near_add(hunt_inputs *inputs, const char *root, const hunt_task *const *bases, size_t base_count,
                   uint64_t seed, size_t count) {
  char directory[HARNESS_PATH];
  gen_random random = {.state = seed};
  for (size_t i = 0; i < count && base_count; i++) {
    const hunt_task *const base = bases[gen_random_below(&random, (uint32_t)base_count)];
    const hunt_task *const other = bases[gen_random_below(&random, (uint32_t)base_count)];
    harness_path(directory, "%s/%zu", root, i);
    harness_make_directories(directory);
    near_add(inputs, directory, i, base, other, &random);
  }
}
