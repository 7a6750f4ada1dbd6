/* The parts of an answer: so that two voters that disagree on one section still vote on all the others. */
#include "tests/faults/hunt.h"

#include "oracle/cubin/ref_cubin.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

static void parts_add(hunt_answer *answer, uint64_t part) {
  if (answer->part_count % 32 == 0)
    answer->parts = harness_grow(answer->parts, (answer->part_count + 32) * sizeof *answer->parts);
  answer->parts[answer->part_count++] = part;
}

void hunt_parts_add_text(hunt_answer *answer, const char *what, const char *text, size_t size) {
  const uint64_t seed = XXH3_64bits(what, strlen(what));
  for (size_t at = 0; at < size;) {
    const char *const end = memchr(text + at, '\n', size - at);
    const size_t length = end ? (size_t)(end - text) - at + 1 : size - at;
    parts_add(answer, XXH3_64bits_withSeed(text + at, length, seed));
    at += length;
  }
}

/* A section with everything that its header says but where it stands. */
static uint64_t parts_of_section(const ref_cubin *cubin, size_t index) {
  const ref_section *const section = &cubin->sections[index];
  const uint64_t fields[] = {section->type, section->link,  section->info,       section->flags,
                             section->size, section->align, section->entry_size, section->address};
  const uint64_t hash = XXH3_64bits_withSeed(section->name, strlen(section->name), XXH3_64bits(fields, sizeof fields));
  return XXH3_64bits_withSeed(section->data, section->data ? (size_t)section->size : 0, hash);
}

void hunt_parts_add_file(hunt_answer *answer, const char *name, const void *bytes, size_t size) {
  ref_cubin cubin;
  char error[256];
  const uint64_t seed = XXH3_64bits(name, strlen(name));
  if (!ref_cubin_read(&cubin, bytes, size, error, sizeof error)) {
    parts_add(answer, XXH3_64bits_withSeed(bytes, size, seed));
    return;
  }
  const uint64_t header[] = {cubin.type, cubin.machine, cubin.flags, cubin.version, cubin.section_count};
  parts_add(answer, XXH3_64bits_withSeed(header, sizeof header, seed));
  for (size_t i = 1; i < cubin.section_count; i++)
    parts_add(answer, seed ^ parts_of_section(&cubin, i));
  ref_cubin_free(&cubin);
}

static int parts_compare(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

void hunt_parts_finish(hunt_answer *answer) {
  if (answer->part_count)
    qsort(answer->parts, answer->part_count, sizeof *answer->parts, parts_compare);
}

void hunt_answer_intersect(hunt_answer *answer, const hunt_answer *other) {
  size_t kept = 0;
  for (size_t i = 0, j = 0; i < answer->part_count; i++) {
    while (j < other->part_count && other->parts[j] < answer->parts[i])
      j++;
    if (j < other->part_count && other->parts[j] == answer->parts[i]) {
      answer->parts[kept++] = answer->parts[i];
      j++;
    }
  }
  answer->part_count = kept;
}

bool hunt_answer_holds(const hunt_answer *answer, const hunt_answer *agreed) {
  size_t j = 0;
  for (size_t i = 0; i < agreed->part_count; i++, j++) {
    while (j < answer->part_count && answer->parts[j] < agreed->parts[i])
      j++;
    if (j == answer->part_count || answer->parts[j] != agreed->parts[i])
      return false;
  }
  return true;
}

void hunt_answer_free(hunt_answer *answer) {
  free(answer->parts);
  answer->parts = NULL;
  answer->part_count = 0;
}
