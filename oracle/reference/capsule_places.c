/* Where the instructions of a capsule begin among its decoded bytes: RF90. A record says how long its instruction is (RF71), a
 * derived instruction has 16 bytes or 32. Which of the two shows where the rest between two known places leaves no choice; other
 * places stay unknown. */
#include "capsule.h"

#include <string.h>

enum { SHORT = 16, LONG = 32, LENGTH_DIGIT = 0x0f };

/* The decoded length of each SASS instruction's Mercury instruction, 0 while it is not known, at the first SASS instruction it
 * makes; the others have no place of their own. */
static void ref_places_read_lengths(ref_places *places, const ref_bytes *body, bool *begins, uint64_t *lengths) {
  ref_capsule_step step;
  bool good = ref_capsule_body_begin(body->data, body->size, &step);
  while (good && ref_capsule_body_next(&step) && step.sass < places->count) {
    begins[step.sass] = step.derived || step.record != step.end; /* NOPs at the end have no place */
    lengths[step.sass] =
        step.derived || step.record == step.end ? 0 : (uint64_t)(body->data[step.record] & LENGTH_DIGIT) * SHORT;
  }
}

/* Between two known places all derived instructions are short, or all long, or there is no telling. */
static void ref_places_settle(const ref_places *places, const bool *begins, uint64_t *lengths, size_t first,
                              size_t last) {
  uint64_t unknown = 0, known = 0;
  for (size_t i = first; i < last; i++) {
    unknown += begins[i] && lengths[i] == 0;
    known += lengths[i];
  }
  const uint64_t distance = places->at[last] - places->at[first];
  const uint64_t rest = distance < known ? 0 : distance - known;
  const uint64_t each = rest == unknown * SHORT ? SHORT : rest == unknown * LONG ? LONG : 0;
  for (size_t i = first; i < last && each != 0; i++) {
    lengths[i] = begins[i] && lengths[i] == 0 ? each : lengths[i];
  }
}

/* Walks from each known place in both directions as far as lengths are known. */
static void ref_places_walk(const ref_places *places, const bool *begins, const uint64_t *lengths) {
  uint64_t at = 0;
  for (size_t i = 0; i < places->count; i++) {
    if (places->at[i] == REF_PLACE_UNKNOWN && begins[i]) {
      places->at[i] = at;
    }
    at = begins[i] ? places->at[i] : at;
    if (begins[i]) {
      at = at == REF_PLACE_UNKNOWN || lengths[i] == 0 ? REF_PLACE_UNKNOWN : at + lengths[i];
    }
  }
  size_t next = places->count;
  for (size_t i = places->count; i-- > 0;) {
    if (!begins[i]) {
      continue;
    }
    if (places->at[i] == REF_PLACE_UNKNOWN && lengths[i] != 0 && places->at[next] != REF_PLACE_UNKNOWN) {
      places->at[i] = places->at[next] - lengths[i];
    }
    next = i;
  }
}

void ref_places_fill(ref_link *link, ref_places *places, const ref_bytes *body) {
  bool *begins = ref_memory_take(link, places->count + 1, sizeof *begins);
  uint64_t *lengths = ref_memory_take(link, places->count + 1, sizeof *lengths);
  ref_places_read_lengths(places, body, begins, lengths);
  size_t last = 0;
  for (size_t i = 1; i <= places->count; i++) {
    if (places->at[i] != REF_PLACE_UNKNOWN) {
      ref_places_settle(places, begins, lengths, last, i);
      last = i;
    }
  }
  ref_places_walk(places, begins, lengths);
}

ref_places ref_places_begin(ref_link *link, size_t count, uint64_t decoded_size) {
  ref_places places = {count, ref_memory_take(link, count + 1, sizeof *places.at)};
  for (size_t i = 0; i <= count; i++) {
    places.at[i] = REF_PLACE_UNKNOWN;
  }
  places.at[0] = 0;
  places.at[count] = decoded_size;
  return places;
}

size_t ref_places_find(const ref_places *places, uint64_t place) {
  for (size_t i = 0; i < places->count; i++) {
    if (places->at[i] == place) {
      return i;
    }
  }
  return REF_NONE;
}
