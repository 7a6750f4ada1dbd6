/* Where in a SASS text a range of registers begins and ends whose places in the decoded code are known (L765). A place is that
 * of a Mercury instruction, and one Mercury instruction makes several SASS instructions: fences before the access that they
 * are for, NOPs, what -O0 code wraps around instructions of a whole warp. nvlink knows one or two of them by the place: a range
 * ends at the first of those, and begins directly in front of the next instruction that it knows by any place, or, at the end
 * of a basic block, directly in front of the end of what the place's instruction makes (L870, L871). */
#include "finalize/register_places.h"

#include "base/bytes.h"
#include "cubin/known.h"

enum { INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE = 0xfff };
enum { OP_BRANCH = 0x947, OP_BSSY = 0x945, OP_COLLECTIVE_END = 0x91b, OP_EXIT = 0x94d };

/* --- basic blocks --- */

/* Whether a block ends behind an instruction: calls, returns, branches, EXIT, BSYNC, BPT, PMTRIG and the end of a collective. */
static bool places_ends_block(uint16_t opcode) {
  static const uint16_t list[] = {0x343, 0x344,   0x547, 0x801, 0x941, 0x943, 0x944, OP_BRANCH,         0x949, 0x94a,
                                  0x94c, OP_EXIT, 0x950, 0x958, 0x959, 0x95b, 0x95c, OP_COLLECTIVE_END, 0xb47};
  return TL_AMONG16(list, opcode);
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
  places.text = final_code_text(f, text);
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
  return place ? places_at(place, tl_code_known_of(places->text, place).own) : 0;
}

uint32_t final_register_start(const final_register_places *places, uint64_t mercury) {
  const tl_code_place *const place = places_find(places, mercury);
  if (!place)
    return 0;
  const tl_code_known parts = tl_code_known_of(places->text, place);
  if (parts.next < place->count)
    return places_at(place, parts.next) - INSTRUCTION;
  if (place + 1 == places->map->items + places->map->count)
    return places_at(place, parts.own);
  if (places->begins[place[1].sass / INSTRUCTION])
    return places_at(place + 1, 0) - INSTRUCTION;
  const tl_code_place *const next = tl_code_find(places->map, place[1].mercury); /* behind NOPs of its place (L870) */
  return next ? places_at(next, tl_code_known_of(places->text, next).entry) - INSTRUCTION : 0;
}
