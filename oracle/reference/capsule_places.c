/* Where the instructions of a capsule begin among its decoded bytes: RF90. A record says how long its instruction is (RF71), the
 * form of a derived one says it (RF141). */
#include "capsule.h"

enum { UNIT = 16, LENGTH_DIGIT = 0x0f, OPCODE_DEPBAR = 0x91a };

/* L871: what nvlink knows behind each place; asked about tables of registers alone. */
size_t *ref_places_list_behind(ref_link *link, const ref_places *places) {
  const bool *begins = ref_known_block_begins(link, &places->text);
  size_t *behind = REF_TAKE(link, size_t, places->count + 1);
  for (size_t i = 0; i < places->known_count; i++) {
    const ref_known_place *known = &places->known[i];
    const ref_known_place end = {known->first + known->count, 0};
    behind[known->first] =
        ref_known_behind(&places->text, begins, known, i + 1 < places->known_count ? known + 1 : &end);
  }
  return behind;
}

static ref_places ref_places_of(ref_link *link, const uint8_t *body, size_t body_size, const ref_bytes *text) {
  const size_t count = text->size / UNIT, room = count + 1; /* the end is one, too */
  ref_places places = {.count = count,
                       .at = REF_TAKE(link, uint64_t, room),
                       .self = REF_TAKE(link, size_t, room),
                       .is_padding = REF_TAKE(link, bool, count),
                       .is_waiting = REF_TAKE(link, bool, count),
                       .text = *text,
                       .known = REF_TAKE_ROOM(link, ref_known_place, count)};
  for (size_t i = 0; i < room; i++) {
    places.at[i] = REF_PLACE_UNKNOWN;
    places.self[i] = i;
  }
  ref_capsule_step step;
  uint64_t at = 0;
  if (!ref_capsule_body_begin(body, body_size, &step)) {
    return places;
  }
  while (ref_capsule_body_next(&step) && step.sass < count) {
    const uint64_t length = step.derived ? ref_capsule_derived_length(text->data + step.sass * UNIT)
                                         : (uint64_t)(body[step.record] & LENGTH_DIGIT) * UNIT;
    places.at[step.sass] = at;
    places.is_padding[step.sass] = length == 0;
    places.is_waiting[step.sass] = length == 0 && ref_derived_opcode(text, step.sass * UNIT) == OPCODE_DEPBAR;
    if (length != 0 && step.sass_count != 0) {
      const size_t first = (size_t)step.sass;
      const ref_known_place known = {first, (size_t)ref_smaller(step.sass_count, count - first)};
      places.self[first] = ref_known_of(text, first, known.count); /* L871 */
      places.known[places.known_count++] = known;
    }
    at += length;
  }
  places.end = at;
  return places;
}

struct ref_kept_places {
  const uint8_t *capsule, *text;
  uint64_t capsule_size, text_size;
  ref_places places;
};

/* What is about a text stands in several sections, which ask for its places one after the other: those of the last few texts are kept.
 * Who changes a section's bytes gives it others, so that they are known by where they are. */
ref_places ref_places_of_sections(ref_link *link, const ref_section *capsule, const ref_section *text) {
  enum { KEPT = 16 };
  if (link->kept_places == NULL) {
    link->kept_places = REF_TAKE(link, ref_kept_places, KEPT);
  }
  for (size_t i = 0; i < KEPT; i++) {
    const ref_kept_places *kept = &link->kept_places[i];
    if (kept->capsule == capsule->data && kept->text == text->data && kept->capsule_size == capsule->size &&
        kept->text_size == text->size && kept->places.at != NULL) {
      return kept->places;
    }
  }
  ref_bytes code = {0};
  ref_bytes_add(link, &code, text->data, (size_t)text->size);
  ref_kept_places *kept = &link->kept_places[link->next_kept_places++ % KEPT];
  *kept = (ref_kept_places){capsule->data, text->data, capsule->size, text->size,
                            ref_places_of(link, capsule->data, (size_t)capsule->size, &code)};
  return kept->places;
}

const ref_bytes *ref_places_text(const ref_capsule *capsule, size_t text) {
  const ref_out_section *section = &capsule->sass->sections[text];
  return section->unpatched.data == NULL ? &section->data : &section->unpatched; /* RF904 */
}

ref_places ref_places_of_function(const ref_capsule *capsule, size_t function) {
  ref_link *mercury = capsule->mercury;
  const ref_link *sass = capsule->sass;
  const size_t body = mercury->functions[function].text;
  const size_t text = sass->functions[function].text;
  if (body == REF_NONE || text == REF_NONE) { /* a function that no file defines has no instructions */
    const ref_bytes none = {0};
    return ref_places_of(mercury, NULL, 0, &none);
  }
  const ref_bytes *code = &mercury->sections[body].data, *own = ref_places_text(capsule, text);
  ref_places *places = &capsule->places[function];
  if (places->at == NULL || places->text.data != own->data) {
    *places = ref_places_of(mercury, code->data, code->size, own);
  }
  return *places;
}

size_t ref_places_find(const ref_places *places, uint64_t place) {
  for (size_t i = 0; i < places->count; i++) {
    if (places->at[i] == place) {
      return i;
    }
  }
  return REF_NONE;
}

/* The instruction that begins at a place, or REF_NONE. */
static size_t ref_places_find_instruction(const ref_places *places, uint64_t place) {
  for (size_t i = 0; i < places->count; i++) {
    if (places->at[i] == place && !places->is_padding[i]) {
      return i;
    }
  }
  return REF_NONE;
}

bool ref_places_begin(const ref_places *places, uint64_t place) {
  return ref_places_find_instruction(places, place) != REF_NONE;
}

/* The instruction that holds a decoded byte; of none the first. */
static size_t ref_places_find_around(const ref_places *places, uint64_t decoded) {
  size_t found = 0;
  for (size_t i = 0; i < places->count; i++) {
    found = places->at[i] <= decoded && !places->is_padding[i] ? i : found;
  }
  return found;
}

uint64_t ref_places_around(const ref_places *places, uint64_t decoded) {
  return (uint64_t)ref_places_find_around(places, decoded) * UNIT;
}

uint64_t ref_places_self_around(const ref_places *places, uint64_t decoded) {
  return places->count == 0 ? 0 : (uint64_t)places->self[ref_places_find_around(places, decoded)] * UNIT;
}

uint64_t ref_places_self(const ref_places *places, uint64_t place) {
  const size_t found = ref_places_find_instruction(places, place);
  return found == REF_NONE ? 0 : (uint64_t)places->self[found] * UNIT;
}

uint64_t ref_places_behind(const ref_places *places, const size_t *behind, uint64_t place) {
  const size_t found = ref_places_find_instruction(places, place);
  return found == REF_NONE ? 0 : (uint64_t)behind[found] * UNIT;
}

uint64_t ref_places_from(const ref_places *places, uint64_t place) {
  size_t i = 0;
  while (i < places->count && (places->at[i] == REF_PLACE_UNKNOWN || places->at[i] < place || places->is_padding[i])) {
    i++;
  }
  return (uint64_t)i * UNIT;
}

ref_units ref_places_units(ref_link *link, const ref_places *places) {
  const size_t count = (size_t)(places->end / UNIT);
  const ref_units units = {places->self, ref_memory_take_numbers(link, count + 1), count};
  for (size_t i = 0; i < places->count; i++) {
    const size_t unit = places->at[i] == REF_PLACE_UNKNOWN ? count : (size_t)(places->at[i] / UNIT);
    if (unit < count && !places->is_padding[i]) {
      units.items[unit] = i;
    }
  }
  for (size_t i = 1; i < count; i++) {
    units.items[i] = units.items[i] == REF_NONE ? units.items[i - 1] : units.items[i];
  }
  return units;
}

size_t ref_units_find(const ref_units *units, uint64_t decoded, bool self) {
  const uint64_t unit = decoded / UNIT;
  const size_t found = unit < units->count ? units->items[unit] : REF_NONE;
  return found == REF_NONE ? REF_NONE : (self ? units->self[found] : found) * UNIT;
}

const ref_units *ref_places_units_of_function(ref_capsule *capsule, size_t function) {
  ref_link *mercury = capsule->mercury;
  if (capsule->units == NULL) {
    capsule->units = REF_TAKE(mercury, ref_units, mercury->function_count);
  }
  ref_units *units = &capsule->units[function];
  if (units->items == NULL) {
    const ref_places places = ref_places_of_function(capsule, function);
    *units = ref_places_units(mercury, &places);
  }
  return units;
}

uint64_t ref_units_around(const ref_units *units, uint64_t decoded) {
  if (units->count == 0) {
    return 0;
  }
  const size_t found = units->items[ref_smaller(decoded / UNIT, units->count - 1)];
  return found == REF_NONE ? 0 : (uint64_t)found * UNIT;
}

/* RF850: a row of a frame begins directly behind what nvlink knows of the place before its own. */
ref_units ref_places_rows(ref_link *link, const ref_places *places) {
  const size_t count = (size_t)(places->end / UNIT) + 1; /* the end is one, too */
  const ref_units rows = {places->self, ref_memory_take_numbers(link, count), count};
  size_t before = REF_NONE;
  for (size_t i = 0; i < places->count; i++) {
    const size_t unit = places->at[i] == REF_PLACE_UNKNOWN ? count : (size_t)(places->at[i] / UNIT);
    if (unit < count && rows.items[unit] == REF_NONE) {
      rows.items[unit] = before == REF_NONE ? i : places->self[before] + 1;
    }
    before = unit < count && !places->is_padding[i] ? i : before;
  }
  return rows;
}

size_t ref_rows_instruction(const ref_units *rows, uint64_t place) {
  return place % UNIT == 0 && place / UNIT < rows->count ? rows->items[place / UNIT] : REF_NONE;
}
