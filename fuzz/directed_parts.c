/* The parts of an answer: linkers that differ in one section, or of which one complains of what the other passes, still agree on
 * much else, and what a change does to that is wrong whichever of them is right about the rest. A section's header and each sixteen
 * of its bytes (an instruction) are parts, too, beside the section: two that give one instruction another number agree on the rest
 * of the text. Bytes are compared where the section's sizes are the same, so that what has moved is not laid beside what has not. */
#include "fuzz/directed.h"

#include "oracle/cubin/ref_cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_COUNT = 1 << 14, PIECE = 16 };

typedef struct part {
  uint64_t hash;
  char name[64];
} part;

typedef struct parts {
  size_t count;
  part items[PART_COUNT];
} parts;

uint64_t directed_hash(const void *bytes, size_t size, uint64_t seed) {
  const uint8_t *const from = bytes;
  uint64_t hash = seed ^ size * 0x9e3779b97f4a7c15u, word;
  size_t i = 0;
  for (; i + sizeof word <= size; i += sizeof word) {
    memcpy(&word, from + i, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (; i < size; i++)
    hash = (hash ^ from[i]) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

static void parts_add(parts *all, uint64_t hash, const char *what, const char *name, size_t length) {
  if (all->count == PART_COUNT)
    return;
  part *const new = &all->items[all->count++];
  new->hash = hash;
  (void)snprintf(new->name, sizeof new->name, "%s%.*s", what, length < 40 ? (int)length : 40, name);
}

static void parts_add_text(parts *all, const fuzz_answer *answer) {
  for (size_t at = 0; at < answer->text_size;) {
    const char *const end = memchr(answer->text + at, '\n', answer->text_size - at);
    const size_t length = end ? (size_t)(end - answer->text) - at : answer->text_size - at;
    parts_add(all, directed_hash(answer->text + at, length, 1), "message ", answer->text + at, length);
    at += length + 1;
  }
}

static void parts_add_pieces(parts *all, const ref_section *section) {
  const char *const name = section->name;
  const uint64_t place[] = {section->type, section->size};
  const uint64_t named = directed_hash(name, strlen(name), directed_hash(place, sizeof place, 6));
  for (size_t at = 0; at < section->size; at += PIECE) {
    const size_t size = section->size - at < PIECE ? (size_t)section->size - at : PIECE;
    parts_add(all, directed_hash(section->data + at, size, named + at), "bytes of ", name, strlen(name));
  }
}

/* A section with what its header says but where it stands. */
static void parts_add_sections(parts *all, const ref_cubin *cubin) {
  const uint64_t head[] = {cubin->type, cubin->machine, cubin->flags, cubin->version, cubin->section_count};
  parts_add(all, directed_hash(head, sizeof head, 2), "header", "", 0);
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *const section = &cubin->sections[i];
    const uint64_t fields[] = {section->type, section->link,  section->info,       section->flags,
                               section->size, section->align, section->entry_size, section->address};
    const uint64_t named = directed_hash(section->name, strlen(section->name), directed_hash(fields, sizeof fields, 3));
    const uint64_t hash = directed_hash(section->data, section->data ? (size_t)section->size : 0, named);
    parts_add(all, hash, "section ", section->name, strlen(section->name));
    parts_add(all, named, "header of ", section->name, strlen(section->name));
    if (section->data)
      parts_add_pieces(all, section);
  }
}

static void parts_take(parts *all, const fuzz_answer *answer) {
  char error[160];
  ref_cubin cubin;
  const uint64_t code = (uint64_t)answer->code;
  all->count = 0;
  parts_add(all, directed_hash(&code, sizeof code, 4), "exit code", "", 0);
  parts_add_text(all, answer);
  if (!answer->image)
    return;
  if (!ref_cubin_read(&cubin, answer->image, answer->size, error, sizeof error)) {
    parts_add(all, directed_hash(answer->image, answer->size, 5), "image", "", 0);
    return;
  }
  parts_add_sections(all, &cubin);
  ref_cubin_free(&cubin);
}

static int parts_compare(const void *left, const void *right) {
  const uint64_t a = ((const part *)left)->hash, b = ((const part *)right)->hash;
  return a < b ? -1 : a > b;
}

bool directed_parts_differ(const fuzz_answer *changed, const fuzz_answer *before, const fuzz_answer *reference,
                           char cause[FUZZ_CAUSE]) {
  static parts all[3];
  const fuzz_answer *const answers[] = {changed, before, reference};
  for (size_t i = 0; i < 3; i++) {
    parts_take(&all[i], answers[i]);
    qsort(all[i].items, all[i].count, sizeof *all[i].items, parts_compare);
  }
  size_t c = 0, r = 0;
  for (size_t i = 0; i < all[1].count; i++) {
    const uint64_t hash = all[1].items[i].hash;
    while (r < all[2].count && all[2].items[r].hash < hash)
      r++;
    if (r == all[2].count || all[2].items[r].hash != hash)
      continue;
    r++;
    while (c < all[0].count && all[0].items[c].hash < hash)
      c++;
    if (c == all[0].count || all[0].items[c].hash != hash) {
      (void)snprintf(cause, FUZZ_CAUSE, "in part: %s", all[1].items[i].name);
      return true;
    }
    c++;
  }
  return false;
}
