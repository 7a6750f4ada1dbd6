/* Programs linked in steps: some files of a link that is there go through a link with -r, whose output stands in their place,
 * at times with one of its records or symbols changed. The program without a fault makes it, mostly in default mode, in which
 * a relocatable output says more of what met in it (L646, L791) than nvlink's does. */
#include "tests/faults/hunt.h"

#include <stdlib.h>
#include <string.h>

/* A link taken apart; the words are those of the base. */
typedef struct steps_parts {
  const hunt_input *base;
  harness_words options, files;
} steps_parts;

static bool steps_ends_with(const char *word, const char *end) {
  const size_t length = strlen(word), size = strlen(end);
  return length > size && strcmp(word + length - size, end) == 0;
}

/* False where the link has other files than cubins, or none. */
static bool steps_take(steps_parts *parts, const hunt_input *base) {
  for (size_t i = 0; i < base->arguments.count; i++) {
    const char *const word = base->arguments.items[i];
    if (strcmp(word, "-o") == 0)
      i++; /* every link here has one output */
    else if (*word != '-' && !steps_ends_with(word, ".cubin"))
      return false;
    else
      hunt_words_add(*word == '-' ? &parts->options : &parts->files, "%s", word);
  }
  return !base->plain.count && parts->files.count > 0;
}

static void steps_add_options(const steps_parts *parts, bool all, harness_words *words) {
  for (size_t i = 0; i < parts->options.count; i++) {
    const char *const word = parts->options.items[i];
    if (all || strncmp(word, "-arch", 5) == 0 || strcmp(word, "-g") == 0)
      hunt_words_add(words, "%s", word);
  }
}

static void steps_add_output(harness_words *words) {
  hunt_words_add(words, "-o");
  hunt_words_add(words, "out.cubin");
}

/* Links the files FIRST..END with -r; false when they do not link. */
static bool steps_make(const hunt_runner *runner, const steps_parts *parts, size_t first, size_t end, bool all,
                       hunt_mode mode, const char *path) {
  hunt_input step = {.name = "step", .directory = parts->base->directory};
  char made[HARNESS_PATH];
  hunt_answer answer;
  harness_bytes bytes;
  steps_add_options(parts, all, &step.arguments);
  hunt_words_add(&step.arguments, "-r");
  for (size_t i = first; i < end; i++)
    hunt_words_add(&step.arguments, "%s", parts->files.items[i]);
  steps_add_output(&step.arguments);
  hunt_run(runner, &step, mode, &answer);
  harness_free_words(&step.arguments);
  hunt_answer_free(&answer);
  harness_path(made, "%s/out.cubin", runner->keep);
  if (!answer.made || !harness_read_file(made, &bytes))
    return false;
  hunt_input_write(path, bytes.data, bytes.size);
  free(bytes.data);
  return true;
}

/* A file of the base that no step took. */
static void steps_add_file(const steps_parts *parts, size_t number, const char *directory, harness_words *words) {
  char from[HARNESS_PATH], to[HARNESS_PATH];
  harness_bytes bytes;
  harness_path(from, "%s/%s", parts->base->directory, parts->files.items[number]);
  if (!harness_read_file(from, &bytes))
    return; /* a name that stands for no file */
  harness_path(to, "%s/%zu.cubin", directory, number);
  hunt_input_write(to, bytes.data, bytes.size);
  free(bytes.data);
  hunt_words_add(words, "%s", strrchr(to, '/') + 1);
}

/* The words of the last link, whose files are written to `directory`; none when nothing of it could be linked. */
static harness_words steps_write(const hunt_runner *runner, const steps_parts *parts, gen_random *random,
                                 const char *directory) {
  enum { COMPATIBLE = 15, ALL_OPTIONS = 15, SECOND = 30, CHANGED = 25 };
  static void (*const kinds[])(gen_random *, const char *, const char *) = {hunt_records_change, hunt_words_change};
  const hunt_mode mode = gen_random_percent(random, COMPATIBLE) ? HUNT_COMPATIBLE : HUNT_DEFAULT;
  const bool all = gen_random_percent(random, ALL_OPTIONS), second = gen_random_percent(random, SECOND);
  const size_t count = parts->files.count, split = 1 + gen_random_below(random, (uint32_t)count);
  char path[HARNESS_PATH];
  harness_words words = {0};
  harness_path(path, "%s/step.cubin", directory);
  if (!steps_make(runner, parts, 0, split, all, mode, path))
    return words;
  if (gen_random_percent(random, CHANGED))
    kinds[gen_random_below(random, 2)](random, path, path);
  steps_add_options(parts, true, &words);
  hunt_words_add(&words, "step.cubin");
  harness_path(path, "%s/second.cubin", directory);
  if (second && split < count && steps_make(runner, parts, split, count, all, mode, path))
    hunt_words_add(&words, "second.cubin");
  else
    for (size_t i = split; i < count; i++)
      steps_add_file(parts, i, directory, &words);
  steps_add_output(&words);
  return words;
}

/* Half of them are small programs of the builder, in which weak bodies meet. */
static const hunt_input *steps_choose(const hunt_inputs *inputs, size_t bases, gen_random *random) {
  enum { BUILT = 50, ATTEMPTS = 20 };
  const bool built = gen_random_percent(random, BUILT);
  const hunt_input *base = &inputs->items[gen_random_below(random, (uint32_t)bases)];
  for (int i = 0; built && i < ATTEMPTS && strncmp(base->name, "built ", 6) != 0; i++)
    base = &inputs->items[gen_random_below(random, (uint32_t)bases)];
  return base;
}

void hunt_steps_add(hunt_inputs *inputs, const hunt_runner *own, const char *root, size_t count) {
  const size_t bases = inputs->count;
  char directory[HARNESS_PATH], kept[HARNESS_PATH], name[HARNESS_PATH];
  hunt_runner runner = *own;
  harness_path(kept, "%s/steps-made", root);
  harness_make_directories(kept);
  runner.keep = kept;
  for (size_t i = 0; i < count && bases; i++) {
    gen_random random = {.state = 0x7374657073u + i};
    const hunt_input *const base = steps_choose(inputs, bases, &random);
    steps_parts parts = {.base = base};
    harness_path(directory, "%s/steps/%zu", root, i);
    harness_path(name, "step %zu of %s", i, base->name);
    harness_make_directories(directory);
    harness_words words = {0};
    if (steps_take(&parts, base))
      words = steps_write(&runner, &parts, &random, directory);
    harness_free_words(&parts.options);
    harness_free_words(&parts.files);
    if (!words.count)
      continue;
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    input->arguments = words;
    input->modes = 1u << i % HUNT_MODES;
  }
}
