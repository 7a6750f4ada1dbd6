/* Where the instructions of a capsule begin among its decoded bytes: RF90. A record says how long its instruction is (RF71), the
 * form of a derived one says it (RF141). */
#include "capsule.h"

enum { UNIT = 16, LENGTH_DIGIT = 0x0f };

static ref_places ref_places_of(ref_link *link, const ref_bytes *body, const ref_bytes *text) {
  const size_t count = text->size / UNIT;
  ref_places places = {count, ref_memory_take(link, count + 1, sizeof *places.at)};
  for (size_t i = 0; i <= count; i++) {
    places.at[i] = REF_PLACE_UNKNOWN;
  }
  ref_capsule_step step;
  uint64_t at = 0;
  bool good = ref_capsule_body_begin(body->data, body->size, &step);
  while (good && ref_capsule_body_next(&step) && step.sass < count) {
    const uint64_t length = step.derived ? ref_capsule_derived_length(text->data + step.sass * UNIT)
                                         : (uint64_t)(body->data[step.record] & LENGTH_DIGIT) * UNIT;
    if (length > 0) { /* NOPs have no place */
      places.at[step.sass] = at;
    }
    at += length;
  }
  return places;
}

ref_places ref_places_of_function(const ref_capsule *capsule, size_t function) {
  ref_link *mercury = capsule->mercury;
  const ref_link *sass = capsule->sass;
  return ref_places_of(mercury, &mercury->sections[mercury->functions[function].text].data,
                       &sass->sections[sass->functions[function].text].data);
}

size_t ref_places_find(const ref_places *places, uint64_t place) {
  for (size_t i = 0; i < places->count; i++) {
    if (places->at[i] == place) {
      return i;
    }
  }
  return REF_NONE;
}
