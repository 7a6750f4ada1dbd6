/* Inputs without end, cheaper than compiling: cubins of the corpus linked in other ways, and damaged ones. */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include "tools/damage.h"
#include "tools/gen_random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two change nothing; then a field by its name, code, records, headers; code and records of capsules, whose finalizer reads
 * both; names; and two kinds of change in one file. */
enum { RELINK_FORMS = 11 };

/* The cubins of one program for one architecture. */
typedef struct relink_place {
  char *path;         /* below the root: "cuda/calls/sm_90" */
  const char *target; /* "sm_90"; of a generated program "sm_90-plain" */
  string_list cubins; /* their names */
  char *index;        /* the name of its index file of unified functions, or NULL */
  bool has_lines;     /* one of them has line programs */
} relink_place;

struct hunt_relinks {
  const char *root;
  uint64_t seed;
  relink_place *places;
  size_t place_count;
  damage_bases bases;
};

/* Names are those of the corpus; symbols are what kernels and variables there are often called. */
static const char *const relink_options[] = {"-g",
                                             "-v",
                                             "-Werror",
                                             "-disable-infos",
                                             "-extrawarn",
                                             "-dump-callgraph",
                                             "-w",
                                             "-suppress-debug-info",
                                             "-report-arch",
                                             "-suppress-stack-size-warning",
                                             "-ignore-host-info",
                                             "-suppress-arch-warning",
                                             "-use-host-info",
                                             "-keep-system-libraries",
                                             "-r",
                                             "-preserve-relocs",
                                             "-dump-callgraph-no-demangle",
                                             "-kernels-used=k",
                                             "-kernels-used=main,one",
                                             "-variables-used=a",
                                             "-variables-used=table,state",
                                             "-kernels-used=k0",
                                             "-kernels-used=k1,f0",
                                             "-variables-used=d0,c0",
                                             "-variables-used=s0",
                                             "-register-link-binaries=registered",
                                             "-maxrregcount=32",
                                             "-cpu-arch=X86_64",
                                             "-m64",
                                             "-device-stack-protector=true",
                                             "-verbose-tkinfo=true",
                                             "-Xptxas=-v",
                                             "-Xptxas=it's '' quoted",
                                             "-lstray",
                                             "-L."};

static char *relinks_copy(const char *text) {
  char *const copy = strdup(text);
  if (!copy)
    harness_stop("no memory");
  return copy;
}

/* `path` lies below the root and ends with the target's name. */
static void relinks_add_place(hunt_relinks *r, const char *path) {
  relink_place place = {0};
  text_buffer whole = {0};
  text_add(&whole, "%s/%s", r->root, path);
  const string_list names = directory_list(whole.bytes, false);
  for (size_t i = 0; i < names.count; i++) {
    const char *const end = strrchr(names.items[i], '.');
    if (end && strcmp(end, ".cubin") == 0)
      string_list_add(&place.cubins, "%s", names.items[i]);
    else if (end && strcmp(end, ".uidx") == 0 && !place.index)
      place.index = relinks_copy(names.items[i]);
  }
  string_list all = names;
  string_list_free(&all);
  text_free(&whole);
  if (place.cubins.count == 0) {
    free(place.index);
    return;
  }
  place.path = relinks_copy(path);
  if (!strstr(place.path, "sm_"))
    harness_stop("no architecture in %s", path);
  for (const char *at = place.path; (at = strstr(at, "sm_")); at++)
    place.target = at;
  r->places = harness_grow(r->places, (r->place_count + 1) * sizeof *r->places);
  r->places[r->place_count++] = place;
}

/* Calls itself once: the sets of the corpus have a directory for each program, and one in it for each architecture. */
static void relinks_add_places(hunt_relinks *r, const char *set, bool programs) {
  text_buffer whole = {0};
  text_add(&whole, "%s/%s", r->root, set);
  string_list names = directory_list(whole.bytes, true);
  for (size_t i = 0; i < names.count; i++) {
    char path[HARNESS_PATH];
    harness_path(path, "%s/%s", set, names.items[i]);
    if (programs)
      relinks_add_places(r, path, false);
    else
      relinks_add_place(r, path);
  }
  string_list_free(&names);
  text_free(&whole);
}

/* What the changes take from other files. */
static void relinks_learn(const hunt_relinks *r) {
  for (size_t i = 0; i < r->place_count; i++)
    for (size_t j = 0; j < r->places[i].cubins.count; j++) {
      char path[HARNESS_PATH];
      harness_path(path, "%s/%s/%s", r->root, r->places[i].path, r->places[i].cubins.items[j]);
      hunt_code_learn(path);
      r->places[i].has_lines = r->places[i].has_lines || hunt_lines_has(path);
      hunt_words_learn(path);
    }
}

hunt_relinks *hunt_relinks_open(const char *corpus, const char *root, uint64_t seed) {
  static const char *const sets[] = {"cuda", "messages", "synthetic", "vendor-defects"};
  hunt_relinks *const r = harness_grow(NULL, sizeof *r);
  char programs[HARNESS_PATH];
  *r = (hunt_relinks){.root = root, .seed = seed};
  for (size_t set = 0; set < sizeof sets / sizeof *sets; set++)
    relinks_add_places(r, sets[set], true);
  harness_path(programs, "%s/programs", root);
  if (harness_exists(programs))
    relinks_add_places(r, "programs", false);
  relinks_learn(r);
  if (r->place_count == 0 || !damage_bases_load(&r->bases, corpus, NULL))
    harness_stop("the corpus has no cubins to link again");
  return r;
}

void hunt_relinks_close(hunt_relinks *relinks) {
  for (size_t i = 0; i < relinks->place_count; i++) {
    free(relinks->places[i].path);
    free(relinks->places[i].index);
    string_list_free(&relinks->places[i].cubins);
  }
  free(relinks->places);
  damage_bases_free(&relinks->bases);
  free(relinks);
}

/* Some of a program's cubins in some order; each may come twice, which is a link with an error. */
static void relinks_take_files(const relink_place *place, gen_random *random, const char *up, string_list *words) {
  size_t *const order = harness_grow(NULL, place->cubins.count * sizeof *order);
  for (size_t i = 0; i < place->cubins.count; i++) {
    const size_t at = gen_random_below(random, (uint32_t)i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  const size_t all = place->cubins.count;
  size_t count = gen_random_percent(random, 40) ? all : 1 + gen_random_below(random, (uint32_t)all);
  count = count > 8 ? 8 : count;
  for (size_t i = 0; i < count; i++)
    string_list_add(words, "%s%s/%s", up, place->path, place->cubins.items[order[i]]);
  if (gen_random_percent(random, 3))
    string_list_add(words, "%s%s/%s", up, place->path, place->cubins.items[order[0]]);
  free(order);
}

static size_t relinks_target_length(const char *target) {
  return strcspn(target, "-");
}

/* The architecture's number: code of one is linked with code of another of its family, too. */
static unsigned long relinks_number(const char *target) {
  return strtoul(target + strlen("sm_"), NULL, 10);
}

/* The word for the target: at times any name of a target, of its family or of none, or nearly such a name; code for sm_100 goes
 * to sm_103 oftener. */
static void relinks_add_target(const relink_place *place, gen_random *random, string_list *words) {
  static const char *const kinds[] = {"sm", "sm", "compute", "lto"}, *const variants[] = {"", "", "a", "f"};
  static const unsigned numbers[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  enum { FIRST_OF_FAMILY = 100 };
  const char *const kind = kinds[gen_random_below(random, sizeof kinds / sizeof *kinds)];
  const char *const variant = variants[gen_random_below(random, sizeof variants / sizeof *variants)];
  const unsigned number = numbers[gen_random_below(random, sizeof numbers / sizeof *numbers)];
  if (relinks_number(place->target) == FIRST_OF_FAMILY && gen_random_percent(random, 15))
    string_list_add(words, "-arch=sm_103");
  else if (gen_random_percent(random, 8))
    string_list_add(words, "-arch=%s_%u%s", kind, number, variant);
  else
    string_list_add(words, "-arch=%.*s", (int)relinks_target_length(place->target), place->target);
}

static const relink_place *relinks_other_place(const hunt_relinks *r, const relink_place *place, gen_random *random) {
  enum { ATTEMPTS = 50 };
  for (int i = 0; i < ATTEMPTS; i++) {
    const relink_place *const other = &r->places[gen_random_below(random, (uint32_t)r->place_count)];
    if (other != place && relinks_number(other->target) == relinks_number(place->target))
      return other;
  }
  return NULL;
}

/* One more option, or NULL: most links have none. */
static const char *relinks_option(gen_random *random) {
  const uint32_t all = sizeof relink_options / sizeof *relink_options;
  return gen_random_percent(random, 40) ? relink_options[gen_random_below(random, all)] : NULL;
}

void hunt_options_add(harness_words *words, gen_random *random) {
  if (gen_random_percent(random, 12))
    hunt_words_add(words, "-r");
  if (gen_random_percent(random, 8))
    hunt_words_add(words, "-preserve-relocs");
  for (const char *option = NULL; (option = relinks_option(random));)
    hunt_words_add(words, "%s", option);
}

/* A mode of the whole link more often than that, then any options. */
static void relinks_add_options(const relink_place *place, gen_random *random, const char *up, string_list *words) {
  if (gen_random_percent(random, 15))
    string_list_add(words, "-r");
  if (gen_random_percent(random, 10))
    string_list_add(words, "-preserve-relocs");
  if (place->index && gen_random_percent(random, 50)) {
    string_list_add(words, "-uidx");
    string_list_add(words, "%s%s/%s", up, place->path, place->index);
  }
  for (const char *option = NULL; (option = relinks_option(random));)
    string_list_add(words, "%s", option);
}

static void relinks_add_output(string_list *words) {
  string_list_add(words, "-o");
  string_list_add(words, "out.cubin");
}

/* At times none is named. */
static void relinks_try_output(gen_random *random, string_list *words) {
  if (!gen_random_percent(random, 3))
    relinks_add_output(words);
}

static const relink_place *relinks_choose(const hunt_relinks *r, gen_random *random) {
  return &r->places[gen_random_below(random, (uint32_t)r->place_count)];
}

static void relinks_make_words(const hunt_relinks *r, gen_random *random, const char *up, string_list *words) {
  const relink_place *const place = relinks_choose(r, random);
  relinks_add_target(place, random, words);
  relinks_add_options(place, random, up, words);
  relinks_take_files(place, random, up, words);
  const relink_place *const other = gen_random_percent(random, 35) ? relinks_other_place(r, place, random) : NULL;
  if (other)
    relinks_take_files(other, random, up, words);
  relinks_try_output(random, words);
}

/* What is done to one of a program's cubins: writes `from` with the change into `to`. */
typedef void relink_change(gen_random *random, const char *from, const char *to);

/* Two kinds of change, one after the other. */
static void relinks_change_twice(gen_random *random, const char *from, const char *to) {
  relink_change *const kinds[] = {hunt_code_change, hunt_records_change, hunt_headers_change, hunt_words_change,
                                  hunt_pairs_change};
  const uint32_t count = sizeof kinds / sizeof *kinds, first = gen_random_below(random, count);
  kinds[first](random, from, to);
  kinds[(first + 1 + gen_random_below(random, count - 1)) % count](random, to, to);
}

/* What becomes of every RELINK_FORMS relinks: the first two are of undamaged cubins, the third is a case of `twin damage`,
 * the others have one cubin with other code, records, headers or names, or one whose two views are changed alike; `capsules` percent of them are capsules, whose code
 * the linker reads, most of it where barriers are added (-g). */
enum { RELINK_DAMAGE = 2, CAPSULES_AT_TIMES = 25, CAPSULES_OFTEN = 60, CAPSULES_ALWAYS = 100 };
typedef struct relink_form {
  relink_change *change; /* NULL: none */
  uint32_t capsules;     /* percent */
} relink_form;
static const relink_form relink_forms[RELINK_FORMS] = {
    [3] = {hunt_code_change, CAPSULES_OFTEN},     [4] = {hunt_records_change, CAPSULES_OFTEN},
    [5] = {hunt_headers_change, CAPSULES_OFTEN},  [6] = {hunt_code_change, CAPSULES_ALWAYS},
    [7] = {hunt_records_change, CAPSULES_ALWAYS}, [8] = {hunt_words_change, CAPSULES_AT_TIMES},
    [9] = {relinks_change_twice, CAPSULES_OFTEN}, [10] = {hunt_pairs_change, CAPSULES_ALWAYS},
};

/* The links of a program, one of whose cubins is changed; `barriers`: how often with -g. */
static void relinks_change_place(const hunt_relinks *r, gen_random *random, const relink_place *place,
                                 relink_change *change, uint32_t barriers, const char *damaged, const char *up,
                                 string_list *words) {
  const size_t changed = gen_random_below(random, (uint32_t)place->cubins.count);
  relinks_add_target(place, random, words);
  relinks_add_options(place, random, up, words);
  if (gen_random_percent(random, barriers))
    string_list_add(words, "-g");
  for (size_t i = 0; i < place->cubins.count; i++)
    if (i != changed)
      string_list_add(words, "%s%s/%s", up, place->path, place->cubins.items[i]);
  char path[HARNESS_PATH];
  harness_path(path, "%s/%s/%s", r->root, place->path, place->cubins.items[changed]);
  change(random, path, damaged);
  string_list_add(words, "%s", strrchr(damaged, '/') + 1);
  relinks_try_output(random, words);
}

static void relinks_make_changed(const hunt_relinks *r, gen_random *random, const relink_form *form,
                                 const char *damaged, const char *up, string_list *words) {
  enum { CAPSULES = 100, ATTEMPTS = 50, BARRIERS = 35 };
  const relink_place *place = relinks_choose(r, random);
  const bool capsule = gen_random_percent(random, form->capsules);
  for (int i = 0; capsule && relinks_number(place->target) < CAPSULES && i < ATTEMPTS; i++)
    place = relinks_choose(r, random);
  relinks_change_place(r, random, place, form->change, capsule ? BARRIERS : 0, damaged, up, words);
}

/* The words of a case of `twin damage`, whose damaged file is written to `damaged`; `up` leads from where the link runs to
 * the root. */
static void relinks_write_damage(const damage_case *one, const char *damaged, const char *up, string_list *words) {
  size_t size = 0;
  uint8_t *const bytes = damage_case_bytes(one, &size);
  hunt_input_write(damaged, bytes, size);
  const string_list *const arguments = &one->base->arguments;
  const char *const place = one->base->job;
  const int place_length = (int)(strrchr(place, '/') - place);
  for (size_t i = 0; i < arguments->count; i++) {
    const char *const word = arguments->items[i];
    const bool input = string_list_holds(&one->base->files, word);
    if (input && strcmp(word, one->base->files.items[one->file]) == 0)
      string_list_add(words, "%s", strrchr(damaged, '/') + 1);
    else if (input && !one->alone)
      string_list_add(words, "%s%.*s/%s", up, place_length, place, word);
    else if (!input && strcmp(word, "-o") != 0 && strcmp(word, "out.cubin") != 0)
      string_list_add(words, "%s", word);
  }
  relinks_add_output(words);
  free(bytes);
}

static void relinks_make_damage(const hunt_relinks *r, uint64_t seed, const char *path, const char *up,
                                string_list *words) {
  damage_case one;
  damage_case_make(&one, &r->bases, seed);
  relinks_write_damage(&one, path, up, words);
  damage_case_free(&one);
}

/* A directory for an input with a cubin that is made: `directory` as the format says, `damaged` in it. */
__attribute__((format(printf, 3, 4))) static void
relinks_make_place(char directory[HARNESS_PATH], char damaged[HARNESS_PATH], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(directory, HARNESS_PATH, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= HARNESS_PATH)
    harness_stop("a path is too long: %s", format);
  harness_make_directories(directory);
  harness_path(damaged, "%s/damaged.cubin", directory);
}

void hunt_relinks_add_damage(hunt_relinks *relinks, hunt_inputs *inputs, const char *path) {
  char directory[HARNESS_PATH], damaged[HARNESS_PATH], name[HARNESS_PATH];
  harness_words lines;
  harness_read_lines(path, &lines);
  for (size_t i = 0; i < lines.count; i++) {
    damage_case one;
    string_list words = {0};
    lines.items[i][strcspn(lines.items[i], "\t")] = '\0';
    if (!*lines.items[i] || !damage_case_parse(&one, &relinks->bases, lines.items[i]))
      continue;
    relinks_make_place(directory, damaged, "%s/damage/%zu", relinks->root, i);
    harness_path(name, "damage %s", lines.items[i]);
    relinks_write_damage(&one, damaged, "../../", &words);
    hunt_inputs_add(inputs, name, directory, NULL)->arguments = (harness_words){words.items, words.count};
    damage_case_free(&one);
  }
  harness_free_words(&lines);
}

/* The words of a relink; `damaged` is the file that a damaged cubin is written to, `up` leads from its directory to the
 * root. */
static string_list relinks_words(const hunt_relinks *relinks, size_t number, const char *damaged, const char *up) {
  gen_random random = {.state = relinks->seed * 1000003u + number};
  string_list words = {0};
  gen_random_next(&random);
  const size_t form = number % RELINK_FORMS;
  if (form == RELINK_DAMAGE)
    relinks_make_damage(relinks, gen_random_next(&random), damaged, up, &words);
  else if (relink_forms[form].change)
    relinks_make_changed(relinks, &random, &relink_forms[form], damaged, up, &words);
  else
    relinks_make_words(relinks, &random, up, &words);
  return words;
}

/* A cubin that is made has a directory of its own; the others share one that stays empty. */
void hunt_relinks_add(hunt_relinks *relinks, hunt_inputs *inputs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char directory[HARNESS_PATH], damaged[HARNESS_PATH], name[HARNESS_PATH];
    relinks_make_place(directory, damaged, "%s/relinks-%u/%zu", relinks->root, (unsigned)relinks->seed,
                       i % RELINK_FORMS >= RELINK_DAMAGE ? i : 0);
    harness_path(name, "relink %u/%zu", (unsigned)relinks->seed, i);
    const string_list words = relinks_words(relinks, i, damaged, "../../");
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    input->arguments = (harness_words){words.items, words.count};
    input->modes = 1u << (i / RELINK_FORMS % HUNT_MODES);
  }
}

/* What few programs of the corpus have; each kind as often as the others. */
typedef struct relink_rarity {
  bool (*has)(const relink_place *place);
  relink_change *change;
  uint32_t barriers; /* percent of the links with -g */
} relink_rarity;

static bool relinks_has_capsules(const relink_place *place) {
  enum { CAPSULES = 100 };
  return relinks_number(place->target) >= CAPSULES;
}

static bool relinks_has_lines(const relink_place *place) {
  return place->has_lines && relinks_has_capsules(place);
}

static bool relinks_has_index(const relink_place *place) {
  return place->index != NULL;
}

static const relink_rarity relink_rarities[] = {{relinks_has_lines, hunt_lines_change, 60},
                                                {relinks_has_lines, hunt_lines_change, 20},
                                                {relinks_has_capsules, hunt_boards_change, 5},
                                                {relinks_has_capsules, hunt_boards_change, 30},
                                                {relinks_has_index, hunt_records_change, 0}};

void hunt_relinks_add_rare(hunt_relinks *relinks, hunt_inputs *inputs, size_t count) {
  enum { ATTEMPTS = 5000, RARITIES = sizeof relink_rarities / sizeof *relink_rarities };
  for (size_t i = 0; i < count; i++) {
    char directory[HARNESS_PATH], damaged[HARNESS_PATH], name[HARNESS_PATH];
    gen_random random = {.state = relinks->seed * 0x72617265u + i};
    const relink_rarity *const rarity = &relink_rarities[i % RARITIES];
    const relink_place *place = relinks_choose(relinks, &random);
    string_list words = {0};
    for (int j = 0; !rarity->has(place) && j < ATTEMPTS; j++)
      place = relinks_choose(relinks, &random);
    relinks_make_place(directory, damaged, "%s/rare-%u/%zu", relinks->root, (unsigned)relinks->seed, i);
    harness_path(name, "rare %u/%zu", (unsigned)relinks->seed, i);
    relinks_change_place(relinks, &random, place, rarity->change, rarity->barriers, damaged, "../../", &words);
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    input->arguments = (harness_words){words.items, words.count};
    input->modes = 1u << i / RARITIES % HUNT_MODES;
  }
}
