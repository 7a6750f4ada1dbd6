/* From a number to a damaged cubin. Half of the cases take a field by its name first, so that what is rare in the corpus
 * is damaged as often as what is frequent; the values are those at which readers go wrong: nothing, one, all bits, the
 * sign, one more and one less, what stands in the same field elsewhere, and the numbers of sections, symbols and bytes. */
#include "damage.h"
#include "damage_format.h"
#include "gen_random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MUTATE_NAMES = 512, BASE_BYTES = 400000 };

/* --- the jobs --- */

typedef struct bases_walk {
  damage_bases *bases;
  const char *set, *word;
} bases_walk;

static bool bases_take(const corpus_stored_job *job, void *context) {
  const bases_walk *const walk = context;
  damage_bases *const bases = walk->bases;
  if (job->answer.exit_code != 0 || !job->answer.output || job->answer.output_size > BASE_BYTES ||
      (walk->word && !string_list_holds(&job->arguments, walk->word)))
    return true;
  string_list inputs = corpus_job_inputs(job);
  damage_base base = {0};
  for (size_t i = 0; i < inputs.count; i++)
    string_list_add(&base.files, "%s", strrchr(inputs.items[i], '/') + 1);
  string_list_free(&inputs);
  if (base.files.count == 0)
    return true;
  text_buffer name = {0}, directory = {0};
  text_add(&name, "%s/%s/sm_%s/%s", walk->set, job->program, job->architecture, job->name);
  text_add(&directory, "%s/%s/sm_%s", job->corpus, job->program, job->architecture);
  base.job = name.bytes;
  base.directory = directory.bytes;
  for (size_t i = 0; i < job->arguments.count; i++)
    string_list_add(&base.arguments, "%s", job->arguments.items[i]);
  if (bases->count == bases->room) {
    bases->room = bases->room ? 2 * bases->room : 256;
    void *const larger = realloc(bases->items, bases->room * sizeof *bases->items);
    if (!larger)
      abort();
    bases->items = larger;
  }
  bases->items[bases->count++] = base;
  return true;
}

bool damage_bases_load(damage_bases *bases, const char *corpus, const char *word) {
  static const char *const sets[] = {"cuda", "synthetic", "vendor-defects"};
  *bases = (damage_bases){0};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    text_buffer path = {0};
    text_add(&path, "%s/%s", corpus, sets[i]);
    const bool good = corpus_visit_jobs(path.bytes, bases_take, &(bases_walk){bases, sets[i], word});
    text_free(&path);
    if (!good)
      return false;
  }
  return bases->count != 0;
}

void damage_bases_free(damage_bases *bases) {
  for (size_t i = 0; i < bases->count; i++) {
    free(bases->items[i].job);
    free(bases->items[i].directory);
    string_list_free(&bases->items[i].arguments);
    string_list_free(&bases->items[i].files);
  }
  free(bases->items);
  *bases = (damage_bases){0};
}

/* --- choosing --- */

static bool case_load(damage_case *one) {
  text_buffer path = {0};
  text_add(&path, "%s/%s", one->base->directory, one->base->files.items[one->file]);
  one->bytes = (uint8_t *)file_read(path.bytes, &one->size);
  text_free(&path);
  return one->bytes && damage_map_make(&one->map, one->bytes, one->size) && one->map.count;
}

static const damage_field *mutate_by_name(const damage_map *map, size_t first, size_t last, gen_random *random) {
  const char *names[MUTATE_NAMES] = {map->fields[first].name};
  size_t count = 0, matches = 0;
  for (size_t i = first; i < last && count < MUTATE_NAMES; i++) {
    size_t known = 0;
    while (known < count && strcmp(names[known], map->fields[i].name) != 0)
      known++;
    if (known == count)
      names[count++] = map->fields[i].name;
  }
  const char *const name = names[gen_random_below(random, (uint32_t)count)];
  const damage_field *chosen = NULL;
  for (size_t i = first; i < last; i++)
    if (strcmp(name, map->fields[i].name) == 0 && gen_random_below(random, (uint32_t)++matches) == 0)
      chosen = &map->fields[i];
  return chosen;
}

static const damage_field *mutate_choose(const damage_map *map, gen_random *random) {
  size_t first, last;
  do {
    const uint32_t group = gen_random_below(random, DAMAGE_GROUPS);
    first = map->first[group];
    last = map->first[group + 1];
  } while (first == last);
  if (gen_random_percent(random, 50))
    return mutate_by_name(map, first, last, random);
  return &map->fields[first + gen_random_below(random, (uint32_t)(last - first))];
}

static uint64_t mutate_read(const damage_case *one, uint64_t offset, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = width; i-- > 0;)
    value = value << 8 | one->bytes[offset + i];
  return value;
}

/* What stands in a field of the same name elsewhere in the file. */
static uint64_t mutate_elsewhere(const damage_case *one, const damage_field *field, gen_random *random) {
  uint64_t value = 0;
  size_t matches = 0;
  for (size_t i = one->map.first[field->group]; i < one->map.first[field->group + 1]; i++) {
    const damage_field *const other = &one->map.fields[i];
    const char *const a = strrchr(field->name, ' '), *const b = strrchr(other->name, ' ');
    if (other->width == field->width && a && b && strcmp(a, b) == 0 &&
        gen_random_below(random, (uint32_t)++matches) == 0)
      value = mutate_read(one, other->offset, other->width);
  }
  return value;
}

static uint64_t mutate_value(const damage_case *one, const damage_field *field, gen_random *random) {
  const damage_scale scale = {.old = mutate_read(one, field->offset, field->width),
                              .width = field->width,
                              .sections = mutate_read(one, 60, 2),
                              .symbols = (uint64_t)one->map.first[DAMAGE_SYMBOL + 1] - one->map.first[DAMAGE_SYMBOL],
                              .size = one->size};
  uint64_t value = 0;
  return damage_value(&scale, random, &value) ? value : mutate_elsewhere(one, field, random);
}

static void mutate_add(damage_case *one, gen_random *random) {
  damage_change *const change = &one->changes[one->change_count++];
  if (gen_random_percent(random, 15)) {
    const uint64_t at = gen_random_next(random) % one->size;
    *change = (damage_change){at, one->bytes[at] ^ (1 + gen_random_below(random, 255)), 1};
    return;
  }
  for (int tries = 0; tries < 8; tries++) {
    const damage_field *const field = mutate_choose(&one->map, random);
    const uint64_t mask = field->width == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * field->width)) - 1;
    *change = (damage_change){field->offset, mutate_value(one, field, random) & mask, field->width};
    if (change->value != mutate_read(one, field->offset, field->width))
      return;
  }
  change->value ^= 1;
}

void damage_case_make(damage_case *one, const damage_bases *bases, uint64_t seed) {
  gen_random random = {seed * UINT64_C(0xd1342543de82ef95) + 1};
  do {
    *one = (damage_case){.base = &bases->items[gen_random_below(&random, (uint32_t)bases->count)]};
    one->file = gen_random_below(&random, (uint32_t)one->base->files.count);
    if (case_load(one))
      break;
    damage_case_free(one);
  } while (true);
  one->alone = one->base->files.count > 1 && gen_random_percent(&random, 35);
  if (gen_random_percent(&random, 3)) {
    one->changes[one->change_count++] = (damage_change){gen_random_next(&random) % one->size, 0, 0};
    return;
  }
  const uint32_t more = gen_random_below(&random, 100);
  const size_t count = more < 85 ? 1 : more < 95 ? 2 : 3;
  while (one->change_count < count)
    mutate_add(one, &random);
}

void damage_case_free(damage_case *one) {
  free(one->bytes);
  damage_map_free(&one->map);
  *one = (damage_case){0};
}

uint8_t *damage_case_bytes(const damage_case *one, size_t *size) {
  uint8_t *const bytes = malloc(one->size + 1);
  if (!bytes)
    abort();
  memcpy(bytes, one->bytes, one->size);
  *size = one->size;
  for (size_t i = 0; i < one->change_count; i++) {
    const damage_change *const change = &one->changes[i];
    if (change->width == 0)
      *size = (size_t)change->offset;
    for (unsigned at = 0; at < change->width; at++)
      bytes[change->offset + at] = (uint8_t)(change->value >> (8 * at));
  }
  return bytes;
}

void damage_case_fields(const damage_case *one, char *name, size_t size) {
  size_t used = 0;
  name[0] = '\0';
  for (size_t i = 0; i < one->change_count && used < size; i++) {
    const damage_field *const field = damage_map_find(&one->map, one->changes[i].offset);
    const char *const text = one->changes[i].width == 0 ? "cut" : field ? field->name : "padding";
    used += (size_t)snprintf(name + used, size - used, "%s%s", i ? " + " : "", text);
  }
}

/* --- as text --- */

void damage_case_print(const damage_case *one, text_buffer *text) {
  text_add(text, "%s %s %s ", one->base->job, one->base->files.items[one->file], one->alone ? "alone" : "beside");
  for (size_t i = 0; i < one->change_count; i++) {
    const damage_change *const change = &one->changes[i];
    if (change->width == 0)
      text_add(text, "%scut=%" PRIx64, i ? "," : "", change->offset);
    else
      text_add(text, "%s%" PRIx64 ":%u=%" PRIx64, i ? "," : "", change->offset, change->width, change->value);
  }
}

static bool case_parse_changes(damage_case *one, const char *text) {
  while (*text && *text != ' ' && *text != '\t' && one->change_count < DAMAGE_CHANGES) {
    damage_change *const change = &one->changes[one->change_count++];
    int used = 0;
    if (sscanf(text, "cut=%" SCNx64 "%n", &change->offset, &used) != 1 &&
        sscanf(text, "%" SCNx64 ":%u=%" SCNx64 "%n", &change->offset, &change->width, &change->value, &used) != 3)
      return false;
    if (change->width > 8 || change->offset > one->size || change->width > one->size - change->offset)
      return false;
    text += used;
    text += *text == ',';
  }
  return one->change_count != 0 && (*text == '\0' || *text == ' ' || *text == '\t' || *text == '\n');
}

bool damage_case_parse(damage_case *one, const damage_bases *bases, const char *line) {
  char job[256], file[128], place[16];
  int used = 0;
  *one = (damage_case){0};
  if (sscanf(line, "%255s %127s %15s %n", job, file, place, &used) != 3)
    return false;
  for (size_t i = 0; i < bases->count && !one->base; i++)
    if (strcmp(bases->items[i].job, job) == 0)
      one->base = &bases->items[i];
  if (!one->base)
    return false;
  while (one->file < one->base->files.count && strcmp(one->base->files.items[one->file], file) != 0)
    one->file++;
  one->alone = strcmp(place, "alone") == 0;
  if (one->file < one->base->files.count && case_load(one) && case_parse_changes(one, line + used))
    return true;
  damage_case_free(one);
  return false;
}
