/* Which programs: seeds, architectures, kinds and objects, as `twin conformance` and `twin diff` take them. */
#include "conformance.h"
#include "gen_random.h"
#include "head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFORMANCE_MAX_SEEDS = 1000000 };

const char *const conformance_objects_words[3] = {"capsule", "mixed", "sass"};

static bool conformance_parse_architectures(conformance_choice *choice, const char *text) {
  snprintf(choice->architecture_text, sizeof choice->architecture_text, "%s", text);
  char *rest = choice->architecture_text;
  choice->architecture_count = 0;
  while (rest && choice->architecture_count < CONFORMANCE_MAX_ARCHITECTURES) {
    char *next = strchr(rest, ',');
    if (next)
      *next++ = 0;
    gen_program *program = gen_program_build(0, rest, GEN_PLAIN, NULL);
    if (!program)
      return false;
    free(program);
    choice->architectures[choice->architecture_count++] = rest;
    rest = next;
  }
  return true;
}

static bool conformance_parse_kind(conformance_choice *choice, const char *value) {
  choice->kind = GEN_KIND_COUNT;
  return strcmp(value, "mixed") == 0 || gen_kind_find(value, &choice->kind);
}

static bool conformance_parse_objects(conformance_choice *choice, const char *value) {
  for (size_t i = 0; i < sizeof conformance_objects_words / sizeof *conformance_objects_words; i++)
    if (strcmp(value, conformance_objects_words[i]) == 0) {
      choice->objects = (conformance_objects)i;
      return true;
    }
  return false;
}

static bool conformance_parse_drops(conformance_choice *choice, const char *value) {
  return gen_parse_drops(value, choice->dropped);
}

static bool conformance_parse_seeds(conformance_choice *choice, const char *value) {
  choice->seeds = value;
  return true;
}

void conformance_choice_init(conformance_choice *choice) {
  *choice = (conformance_choice){.seeds = "fresh", .kind = GEN_KIND_COUNT};
  conformance_parse_architectures(choice, "sm_80,sm_90");
}

bool conformance_choice_parse(conformance_choice *choice, const char *word, const char *value) {
  static const struct {
    const char *name;
    bool (*parse)(conformance_choice *choice, const char *value);
  } rows[] = {{"--seeds", conformance_parse_seeds},
              {"--arch", conformance_parse_architectures},
              {"--kind", conformance_parse_kind},
              {"--objects", conformance_parse_objects},
              {"--drop", conformance_parse_drops}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(word, rows[i].name) == 0)
      return rows[i].parse(choice, value);
  return false;
}

static bool conformance_seed_range(const conformance_choice *choice, const char *scratch, uint64_t *first,
                                   uint64_t *count, bool *fresh) {
  const char *text = choice->seeds;
  *fresh = strncmp(text, "fresh", 5) == 0;
  if (*fresh) {
    *count = text[5] == ':' ? strtoull(text + 6, NULL, 10) : 100;
    uint64_t base = 0;
    if (!head_number(scratch, &base)) {
      fprintf(stderr, "twin: fresh seeds come from the repository's HEAD; git does not give one here\n");
      return false;
    }
    *first = base * 10000;
    return (!text[5] || text[5] == ':') && *count > 0 && *count <= CONFORMANCE_MAX_SEEDS;
  }
  char *end;
  *first = strtoull(text, &end, 10);
  uint64_t last = *first;
  if (strncmp(end, "..", 2) == 0)
    last = strtoull(end + 2, &end, 10);
  *count = last - *first + 1;
  return !*end && last >= *first && *count <= CONFORMANCE_MAX_SEEDS;
}

/* Most programs are plain; those with the toolkit's headers take a compiler the longest. */
static gen_kind conformance_draw_kind(uint64_t seed) {
  static const uint32_t shares[] = {70, 18, 9, 3};
  gen_random random = {.state = seed ^ 0x6b696e64u};
  uint32_t at = gen_random_below(&random, 100);
  int kind = 0;
  while (at >= shares[kind])
    at -= shares[kind++];
  return (gen_kind)kind;
}

/* A..B means the same seeds for every architecture, fresh means other ones: more different programs. */
conformance_case *conformance_choice_cases(const conformance_choice *choice, const char *scratch, size_t *count) {
  uint64_t first, each;
  bool fresh;
  if (!conformance_seed_range(choice, scratch, &first, &each, &fresh))
    return NULL;
  *count = (size_t)each * choice->architecture_count;
  conformance_case *cases = calloc(*count, sizeof *cases);
  for (size_t i = 0; cases && i < *count; i++) {
    uint64_t number = fresh ? i : i % each;
    cases[i].seed = first + number;
    cases[i].architecture = choice->architectures[i / each];
    cases[i].kind = choice->kind < GEN_KIND_COUNT ? choice->kind : conformance_draw_kind(cases[i].seed);
    cases[i].objects = choice->objects;
    cases[i].dropped = choice->dropped;
  }
  return cases;
}

void conformance_case_name(const conformance_case *one, char *name, size_t size) {
  snprintf(name, size, "seed-%llu-%s-%s", (unsigned long long)one->seed, one->architecture, gen_kind_names[one->kind]);
}
