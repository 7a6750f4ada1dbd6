/* The inputs that are kept, by how near they come to the change, and what is made of them. Most of what is tried begins with one that
 * executes a changed line; a part begins with those that come near, and a part is new from the generator, as all is at first
 * where nothing is given. Inputs that did something new in a changed function have a list of their own beside those that only gave
 * another answer. Kinds of change that keep an input there and give another answer are taken more often, and so are those of the
 * generator's sources whose programs come there; what a changed function compared with another value is given that value in the
 * input's bytes. */
#include "fuzz/directed.h"

#include "fuzz/generate.h"
#include "fuzz/mutate.h"
#include "fuzz/words.h"

#include <stdlib.h>
#include <string.h>

enum {
  CORPUS_LEVELS = 2 * (DIRECTED_OTHERWISE + 1), /* of each: what did something new, and the others */
  CORPUS_MOST = 1500,                           /* inputs a level */
  CORPUS_FEW = 100,                             /* as many are kept of those that bring nothing new */
  CORPUS_KINDS = 128,
  CORPUS_ANSWERS = 1 << 22,
  CORPUS_LARGEST = 65536
};

typedef struct corpus_entry {
  uint8_t *bytes;
  size_t size;
  uint32_t picked;
  bool links;
  uint8_t pair_count;
  directed_pair pairs[DIRECTED_PAIRS];
} corpus_entry;

typedef struct corpus_level {
  size_t count;
  corpus_entry entries[CORPUS_MOST];
} corpus_level;

typedef struct corpus_engine {
  corpus_level levels[CORPUS_LEVELS];
  uint8_t answers[CORPUS_ANSWERS / 8];
  uint32_t kind_tried[CORPUS_KINDS], kind_good[CORPUS_KINDS];
  uint32_t source_tried[FUZZ_SOURCES], source_good[FUZZ_SOURCES];
} corpus_engine;

static corpus_engine corpus_engines[DIRECTED_ENGINES], *corpus = corpus_engines;

void directed_corpus_choose(unsigned engine) {
  corpus = &corpus_engines[engine];
}

size_t directed_corpus_count(directed_level level) {
  return corpus->levels[2 * level].count + corpus->levels[2 * level + 1].count;
}

bool directed_corpus_is_near(void) {
  return directed_corpus_count(DIRECTED_BEFORE) || directed_corpus_count(DIRECTED_LINE) ||
         directed_corpus_count(DIRECTED_OTHERWISE);
}

/* ---- kinds of change ---- */

/* What a table says, less or more by how often it led to something new at the changed place. */
static uint32_t worth_weight(uint32_t share, uint32_t tried, uint32_t good) {
  enum { LEAST = 8, SCALE = 16, GOOD = 4 };
  const uint32_t own = share * SCALE;
  if (tried < LEAST)
    return own;
  const uint32_t worth = (uint32_t)((uint64_t)own * GOOD * (good + 1) / (tried + 1));
  return worth < own / 4 ? own / 4 : worth;
}

static uint32_t kind_weight(size_t kind) {
  return worth_weight(fuzz_kind_weight(kind), corpus->kind_tried[kind], corpus->kind_good[kind]);
}

static uint32_t source_weight(size_t source) {
  return worth_weight(fuzz_source_share((fuzz_source)source), corpus->source_tried[source],
                      corpus->source_good[source]);
}

static fuzz_source source_choose(gen_random *random) {
  uint32_t all = 0, source = 0;
  for (size_t i = 0; i < FUZZ_SOURCES; i++)
    all += source_weight(i);
  uint32_t at = gen_random_below(random, all);
  while (at >= source_weight(source))
    at -= source_weight(source++);
  return (fuzz_source)source;
}

static size_t kind_choose(gen_random *random) {
  enum { ANY = 20 };
  uint32_t all = 0;
  size_t kind = 0;
  if (gen_random_percent(random, ANY))
    return gen_random_below(random, (uint32_t)fuzz_kind_count());
  for (size_t i = 0; i < fuzz_kind_count(); i++)
    all += kind_weight(i);
  uint32_t at = gen_random_below(random, all);
  while (at >= kind_weight(kind))
    at -= kind_weight(kind++);
  return kind;
}

static void kind_change(gen_random *random, fuzz_envelope *envelope, const fuzz_envelope *other,
                        directed_input *input) {
  enum { TRIES = 20 };
  const built_choices choices = built_choices_random(random);
  for (int tries = 0; tries < TRIES; tries++) {
    const size_t kind = kind_choose(random);
    if (!fuzz_mutate_as(kind, &choices, envelope, other))
      continue;
    if (input->kind_count < sizeof input->kinds / sizeof *input->kinds)
      input->kinds[input->kind_count++] = (uint32_t)kind;
    return;
  }
}

/* ---- what was compared ---- */

/* The places of a value in some bytes, little-endian, of that width: one of them, or SIZE_MAX. */
static size_t pair_find(gen_random *random, const fuzz_file *file, const uint8_t *value, size_t width) {
  const size_t places = file->size >= width ? file->size - width + 1 : 0;
  const size_t from = places ? gen_random_below(random, (uint32_t)places) : 0;
  for (size_t i = 0; i < places; i++) {
    const size_t at = (from + i) % places;
    if (file->bytes[at] == value[0] && memcmp(file->bytes + at, value, width) == 0)
      return at;
  }
  return SIZE_MAX;
}

/* One side of a comparison, wherever it stands, becomes the other side, or what is next to it. */
static void pair_change(gen_random *random, const corpus_entry *entry, fuzz_envelope *envelope) {
  enum { BYTE = 256, TWO_BYTES = 65536 };
  if (!entry->pair_count || !envelope->file_count)
    return;
  const directed_pair pair = entry->pairs[gen_random_below(random, entry->pair_count)];
  fuzz_file *const file = &envelope->files[gen_random_below(random, (uint32_t)envelope->file_count)];
  const bool turned = gen_random_percent(random, 50);
  const uint64_t from = turned ? pair.b : pair.a;
  const uint64_t to = (turned ? pair.a : pair.b) + gen_random_below(random, 3) - 1;
  const uint64_t larger = from > to + 1 ? from : to;
  static const size_t widths[] = {1, 2, 4, 8};
  const uint32_t least = larger < BYTE ? 0 : larger < TWO_BYTES ? 1 : larger >> 32 ? 3 : 2;
  const size_t width = widths[least + gen_random_below(random, 4 - least)];
  const size_t at = pair_find(random, file, (const uint8_t *)&from, width);
  if (at != SIZE_MAX)
    memcpy(file->bytes + at, &to, width);
}

/* ---- making ---- */

static void make_generate(gen_random *random, fuzz_envelope *envelope, directed_input *input) {
  const built_choices choices = built_choices_random(random);
  const fuzz_source source = source_choose(random);
  fuzz_generate_by(source, &choices, envelope);
  input->source = (uint32_t)source + 1;
}

/* The level that an input is taken from: mostly the highest that there is. */
static const corpus_level *make_level(gen_random *random) {
  enum { NEARER = 65 };
  size_t level = CORPUS_LEVELS;
  while (level > 0) {
    level--;
    if (corpus->levels[level].count && gen_random_percent(random, NEARER))
      return &corpus->levels[level];
  }
  for (level = CORPUS_LEVELS; level > 0 && !corpus->levels[level - 1].count;)
    level--;
  return level ? &corpus->levels[level - 1] : NULL;
}

/* Of some: one that links, was taken less often, and is smaller. */
static corpus_entry *make_choose(gen_random *random, const corpus_level *level) {
  enum { SOME = 3, LINKS = 4 };
  corpus_entry *best = NULL;
  uint64_t least = 0;
  for (int i = 0; i < SOME; i++) {
    corpus_entry *const entry = (corpus_entry *)&level->entries[gen_random_below(random, (uint32_t)level->count)];
    const uint64_t cost =
        ((uint64_t)entry->picked + 4) * (entry->size + CORPUS_LARGEST / 8) * (entry->links ? 1 : LINKS);
    if (!best || cost < least) {
      best = entry;
      least = cost;
    }
  }
  best->picked++;
  return best;
}

static void make_drop_own_words(fuzz_envelope *envelope) {
  size_t kept = 0;
  for (size_t i = 0; i < envelope->word_count; i++)
    if (!fuzz_word_is_own(envelope->words[i]))
      memmove(envelope->words[kept++], envelope->words[i], sizeof *envelope->words);
  envelope->word_count = kept;
}

/* The mode of the link, which a change of the files alone would leave as it is. */
static void make_mode(gen_random *random, fuzz_envelope *envelope) {
  enum { MORE = 15, MODE = 15, OWN = 12, OWN_GOES = 50, MAP = 60, TRACE = 40 };
  const built_choices choices = built_choices_random(random);
  if (gen_random_percent(random, OWN_GOES))
    make_drop_own_words(envelope);
  if (gen_random_percent(random, MORE))
    fuzz_words_say_more(envelope);
  if (gen_random_percent(random, MODE))
    (void)fuzz_mutate_as(fuzz_kind_find("word mode"), &choices, envelope, NULL);
  if (gen_random_percent(random, OWN)) {
    (void)fuzz_envelope_add_word(envelope, FUZZ_OWN_NAME);
    if (gen_random_percent(random, MAP))
      (void)fuzz_envelope_add_word(envelope, FUZZ_OWN_MAP);
    if (gen_random_percent(random, TRACE))
      (void)fuzz_envelope_add_word(envelope, FUZZ_OWN_TRACE "merge,layout,bindless,reloc,maps");
  }
}

static void make_changed(gen_random *random, const corpus_level *level, fuzz_envelope *envelope,
                         directed_input *input) {
  enum { OTHER = 35, CROSSED = 15, MORE = 40, MOST = 6, PAIR = 15 };
  fuzz_envelope second = {.file_count = 0};
  const corpus_entry *const entry = make_choose(random, level);
  const bool other = gen_random_percent(random, OTHER);
  (void)fuzz_envelope_read(envelope, entry->bytes, entry->size);
  if (other) {
    const corpus_level *const from = make_level(random);
    const corpus_entry *const beside = make_choose(random, from);
    (void)fuzz_envelope_read(&second, beside->bytes, beside->size);
    if (gen_random_percent(random, CROSSED))
      fuzz_mutate_cross(random, envelope, &second);
  }
  const bool paired = gen_random_percent(random, PAIR);
  if (paired)
    pair_change(random, entry, envelope);
  if (!paired || gen_random_percent(random, 50))
    kind_change(random, envelope, other ? &second : NULL, input);
  for (uint32_t i = 1; i < MOST && gen_random_percent(random, MORE); i++)
    kind_change(random, envelope, other ? &second : NULL, input);
  fuzz_envelope_free(&second);
}

void directed_corpus_make(gen_random *random, directed_input *input) {
  enum { NEW = 15, NEW_FAR = 60 };
  fuzz_envelope envelope;
  const corpus_level *const level = make_level(random);
  const bool near = directed_corpus_count(DIRECTED_LINE) || directed_corpus_count(DIRECTED_OTHERWISE) ||
                    directed_corpus_count(DIRECTED_BEFORE) > CORPUS_FEW;
  memset(&envelope, 0, sizeof envelope);
  *input = (directed_input){.bytes = NULL};
  if (!level || gen_random_percent(random, near ? NEW : NEW_FAR))
    make_generate(random, &envelope, input);
  else
    make_changed(random, level, &envelope, input);
  make_mode(random, &envelope);
  fuzz_envelope_tell_apart(&envelope);
  if (fuzz_envelope_size(&envelope) <= CORPUS_LARGEST)
    input->bytes = fuzz_envelope_write(&envelope, &input->size);
  fuzz_envelope_free(&envelope);
}

/* ---- keeping ---- */

static bool note_answer(uint64_t answer) {
  const size_t bit = (size_t)(answer % CORPUS_ANSWERS);
  const bool fresh = !(corpus->answers[bit / 8] >> bit % 8 & 1);
  corpus->answers[bit / 8] |= (uint8_t)(1u << bit % 8);
  return fresh;
}

/* Where there is no room, one that was taken often gives its place. */
static void note_keep(gen_random *random, corpus_level *level, const directed_input *input, bool links) {
  size_t at = level->count;
  if (at == CORPUS_MOST) {
    at = gen_random_below(random, CORPUS_MOST);
    for (int i = 0; i < 3; i++) {
      const size_t other = gen_random_below(random, CORPUS_MOST);
      if (level->entries[other].picked > level->entries[at].picked)
        at = other;
    }
    free(level->entries[at].bytes);
  } else {
    level->count++;
  }
  uint8_t *const bytes = fuzz_memory(input->size);
  memcpy(bytes, input->bytes, input->size);
  corpus_entry *const entry = &level->entries[at];
  *entry = (corpus_entry){.bytes = bytes, .size = input->size, .links = links};
  entry->pair_count = (uint8_t)directed_places_pairs(random, entry->pairs);
}

void directed_corpus_note(gen_random *random, const directed_input *input, const directed_verdict *verdict, bool seed) {
  enum { WALK = 3 };
  const directed_reach *const reach = &verdict->reach;
  corpus_level *const level = &corpus->levels[2 * reach->level + (reach->near != 0)];
  const bool aimed = reach->level >= DIRECTED_BEFORE;
  const bool fresh_answer = aimed && note_answer(verdict->answer);
  for (size_t i = 0; i < input->kind_count; i++) {
    corpus->kind_tried[input->kinds[i]]++;
    corpus->kind_good[input->kinds[i]] += fresh_answer;
  }
  if (input->source) {
    corpus->source_tried[input->source - 1]++;
    corpus->source_good[input->source - 1] += fresh_answer || reach->near;
  }
  if (!reach->any)
    return;
  const bool walks =
      fresh_answer && (level->count < CORPUS_FEW || (verdict->links && gen_random_percent(random, WALK)));
  if (reach->near || (seed && aimed) || walks || (reach->far && reach->level == DIRECTED_FILE))
    note_keep(random, level, input, verdict->links);
}
