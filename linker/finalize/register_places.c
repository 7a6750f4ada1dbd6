/* Where in a SASS text a range of registers begins and ends whose places in the decoded code are known (L765). A place is that
 * of a Mercury instruction, and one Mercury instruction makes several SASS instructions: fences before the access that they
 * are for, NOPs, what -O0 code wraps around instructions of a whole warp. nvlink knows one or two of them by the place: a range
 * ends at the first of those, and begins directly in front of the next instruction that it knows by any place, or, at the end
 * of a basic block, directly in front of the end of what the place's instruction makes (L870, L871). */
#include "finalize/register_places.h"

#include "base/bytes.h"

enum { INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE = 0xfff };
enum {
  OP_ARRIVE = 0x9c7,
  OP_BRANCH = 0x947,
  OP_BSSY = 0x945,
  OP_CACHE = 0x98f,
  OP_COLLECTIVE = 0x348,
  OP_COLLECTIVE_END = 0x91b,
  OP_ERRBAR = 0x9ab,
  OP_EXIT = 0x94d,
  OP_FENCE = 0x3c6, /* before SYNCS */
  OP_GROUP_ERRBAR = 0x5ab,
  OP_LANES = 0x31d,
  OP_LDS = 0x984,
  OP_MEMBAR = 0x992,
  OP_NOP = 0x918,
  OP_WARPSYNC = 0x948
};

/* Of the instructions that a Mercury instruction makes, by number: the one that is known from the place before, the one that
 * has the place, and the next one that is known, or their count. */
typedef struct place_parts {
  uint32_t entry, own, next;
} place_parts;

static bool places_among(const uint16_t *list, size_t count, uint16_t opcode) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == opcode)
      return true;
  return false;
}
#define AMONG(list, opcode) places_among(list, sizeof(list) / sizeof *(list), opcode)

static uint16_t places_opcode(const final_register_places *places, const tl_code_place *place, uint32_t index) {
  return tl_get16(places->text + place->sass + (uint64_t)index * INSTRUCTION) & OPCODE;
}

/* The instruction that is known of a fence and what it is for: the access, or the last MEMBAR where none follows. */
static uint32_t places_behind_fence(const final_register_places *places, const tl_code_place *place, uint32_t from) {
  static const uint16_t fences[] = {OP_LDS, OP_MEMBAR, OP_ERRBAR, OP_GROUP_ERRBAR};
  static const uint16_t no_access[] = {OP_ARRIVE, OP_CACHE, OP_FENCE, OP_NOP, OP_COLLECTIVE_END};
  uint32_t at = from, last = from;
  for (; at < place->count && AMONG(fences, places_opcode(places, place, at)); at++)
    if (places_opcode(places, place, at) == OP_MEMBAR)
      last = at;
  const bool fenced = places_opcode(places, place, last) == OP_MEMBAR;
  return fenced && at < place->count && !AMONG(no_access, places_opcode(places, place, at)) ? at : last;
}

/* What -O0 code wraps around an instruction of a whole warp. */
static place_parts places_read_collective(const final_register_places *places, const tl_code_place *place) {
  if (places_opcode(places, place, 0) == OP_COLLECTIVE)
    return (place_parts){0, 1, place->count};
  for (uint32_t i = 1; i < place->count; i++)
    if (places_opcode(places, place, i) == OP_LANES)
      return (place_parts){0, i, place->count};
  return (place_parts){0, 0, places_behind_fence(places, place, 1)};
}

static place_parts places_read(const final_register_places *places, const tl_code_place *place) {
  const uint32_t last = place->count ? place->count - 1 : 0;
  if (!last)
    return (place_parts){0, 0, place->count};
  const uint16_t begins = places_opcode(places, place, 0), ends = places_opcode(places, place, last);
  if ((begins == OP_COLLECTIVE || begins == OP_WARPSYNC) && ends == OP_COLLECTIVE_END)
    return places_read_collective(places, place);
  if (ends == OP_EXIT || ends == OP_LANES)
    return (place_parts){last, last, place->count};
  if (begins == OP_FENCE)
    return (place_parts){0, 1, place->count};
  const uint32_t known = places_behind_fence(places, place, 0);
  return (place_parts){known, known, place->count};
}

/* --- basic blocks --- */

/* Whether a block ends behind an instruction: calls, returns, branches, EXIT, BSYNC, BPT, PMTRIG and the end of a collective. */
static bool places_ends_block(uint16_t opcode) {
  static const uint16_t list[] = {0x343, 0x344,   0x547, 0x801, 0x941, 0x943, 0x944, OP_BRANCH,         0x949, 0x94a,
                                  0x94c, OP_EXIT, 0x950, 0x958, 0x959, 0x95b, 0x95c, OP_COLLECTIVE_END, 0xb47};
  return AMONG(list, opcode);
}

/* Where a branch goes (56 bits in words, T13), or a BSSY (30, T20); 0: nowhere. */
static uint64_t places_target(const final_register_places *places, uint64_t at) {
  const uint64_t low = tl_get64(places->text + at), high = tl_get64(places->text + at + 8);
  const uint16_t opcode = low & OPCODE;
  const uint64_t words = (low >> 16 & 0xff) | (low >> 34) << 8 | (high & 0x3ffff) << 38;
  int64_t offset = 0;
  if (opcode == OP_BRANCH || opcode == 0x547 || opcode == 0xb47)
    offset = (int64_t)(words << 8) >> 6;
  else if (opcode == OP_BSSY)
    offset = (int64_t)(low & ~(uint64_t)0x3ffffffff) >> 32;
  return at + INSTRUCTION + (uint64_t)offset;
}

final_register_places final_register_places_of(finalizer *f, uint32_t text) {
  final_register_places places = {.map = final_code_map_of(f, text)};
  if (!places.map)
    return places;
  places.text = final_view_bytes(f->sass, f->sass_section[text]);
  const uint64_t size = final_view_size(f->sass, f->sass_section[text]);
  places.begins = tl_arena_new(f->arena, bool, size / INSTRUCTION + 1);
  for (uint64_t at = 0; at + INSTRUCTION <= size; at += INSTRUCTION) {
    const uint16_t opcode = tl_get16(places.text + at) & OPCODE;
    const uint64_t target = places_target(&places, at);
    if (places_ends_block(opcode))
      places.begins[at / INSTRUCTION + 1] = true;
    if (target != at + INSTRUCTION && target < size)
      places.begins[target / INSTRUCTION] = true;
  }
  return places;
}

/* --- ranges --- */

static const tl_code_place *places_find(const final_register_places *places, uint64_t mercury) {
  const tl_code_place *const place = tl_code_find(places->map, mercury);
  return place && place->mercury == mercury ? place : NULL;
}

static uint32_t places_at(const tl_code_place *place, uint32_t index) {
  return (uint32_t)(place->sass + (uint64_t)index * INSTRUCTION);
}

uint32_t final_register_end(const final_register_places *places, uint64_t mercury) {
  const tl_code_place *const place = places_find(places, mercury);
  return place ? places_at(place, places_read(places, place).own) : 0;
}

uint32_t final_register_start(const final_register_places *places, uint64_t mercury) {
  const tl_code_place *const place = places_find(places, mercury);
  if (!place)
    return 0;
  const place_parts parts = places_read(places, place);
  if (parts.next < place->count)
    return places_at(place, parts.next) - INSTRUCTION;
  if (place + 1 == places->map->items + places->map->count)
    return places_at(place, parts.own);
  if (places->begins[place[1].sass / INSTRUCTION])
    return places_at(place + 1, 0) - INSTRUCTION;
  const tl_code_place *const next = tl_code_find(places->map, place[1].mercury); /* behind NOPs of its place (L870) */
  return next ? places_at(next, places_read(places, next).entry) - INSTRUCTION : 0;
}
