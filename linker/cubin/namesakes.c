/* nvlink finds the attributes and entries of a capsule's function by the function's name, so of several functions of one name,
 * as an output of -r has them, all have the first one's (L656, D113). Its finalizer then reads them against a text that they
 * were not made for. This file has what comes of a place in an attribute (L762) and of an entry (L763) there; in what order
 * and beside what else is derive.c's. */
#include "cubin/namesakes.h"

#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/blocks.h"
#include "cubin/elf.h"
#include "cubin/known.h"

#include <string.h>

enum { WORD = 4, OPCODE = 0xfff };

/* --- entries --- */

/* Of any instruction: the types that Mercury's have where a namesake's entries stand; 0. */
static uint32_t namesakes_type(uint32_t type) {
  static const uint32_t rows[][2] = {
      {TL_R_MERCURY + 0x02, 75}, {TL_R_MERCURY + 0x05, 56},  {TL_R_MERCURY + 0x06, 57},  {TL_R_MERCURY + 0x28, 56},
      {TL_R_MERCURY + 0x29, 57}, {TL_R_MERCURY + 0x3e, 112}, {TL_R_MERCURY + 0x3f, 113},
  };
  return TL_PAIRED32(rows, type, 0);
}

static bool namesakes_is_half(const uint8_t *entry) {
  return tl_code_is_half_place(tl_get32(entry + 8));
}

/* What becomes of half a place in code: the place in the SASS text, 0 beside a branch, or the one in decoded code. */
typedef enum namesakes_half { HALF_MOVED, HALF_ZERO, HALF_KEPT } namesakes_half;

/* By the beginning of the record of the instruction that it stands at, but for the third byte. */
typedef struct namesakes_row {
  uint8_t first, second, fourth;
  namesakes_half half;
} namesakes_row;

static const namesakes_row namesakes_rows[] = {
    {0x42, 0x0a, 0x0e, HALF_ZERO}, {0x01, 0x0b, 0x0a, HALF_KEPT}, {0x01, 0x47, 0x16, HALF_KEPT},
    {0x02, 0x22, 0x06, HALF_KEPT}, {0x02, 0x38, 0x06, HALF_KEPT},
};

/* A branch without a record; one that a uniform predicate decides is none here. */
static bool namesakes_is_branch(const uint8_t *instruction) {
  enum { CALL = 0x944, CONVERGE = 0x945, BRANCH = 0x947, UNIFORM_BIT = 1 << 27 };
  const uint16_t opcode = tl_get16(instruction) & OPCODE;
  return opcode == CALL || opcode == CONVERGE || (opcode == BRANCH && !(tl_get32(instruction + 8) & UNIFORM_BIT));
}

static namesakes_half namesakes_half_at(const tl_code_place *place, const uint8_t *records,
                                        const tl_cubin_section *sass) {
  if (!place->record)
    return namesakes_is_branch(sass->data + place->sass) ? HALF_ZERO : HALF_MOVED;
  const uint8_t *const record = records + place->record;
  for (size_t i = 0; i < sizeof namesakes_rows / sizeof *namesakes_rows; i++) {
    const namesakes_row *const row = &namesakes_rows[i];
    if (row->first == record[0] && row->second == record[1] && row->fourth == record[3])
      return row->half;
  }
  return HALF_MOVED;
}

/* With the last one that was seen by instruction: a section may hold as many entries as the text instructions. The last is
 * that of the highest place, whatever the order of the entries, which every link turns round (L904). */
const bool *tl_namesakes_find_later(const tl_code *code, const tl_cubin_section *entries, tl_arena *arena) {
  const uint64_t count = entries->size / ELF_RELA_SIZE;
  bool *const later = tl_arena_new(arena, bool, count);
  uint64_t *const last = tl_arena_new(arena, uint64_t, code->count); /* an entry's number and one */
  for (uint64_t i = 0; i < count; i++) {
    const uint8_t *const entry = entries->data + i * ELF_RELA_SIZE;
    const tl_code_place *const place = namesakes_is_half(entry) ? tl_code_find(code, tl_get64(entry)) : NULL;
    if (!place)
      continue;
    uint64_t *const known = &last[place - code->items];
    const bool behind = *known && tl_get64(entries->data + (*known - 1) * ELF_RELA_SIZE) > tl_get64(entry);
    later[behind ? i : *known ? *known - 1 : i] = behind || *known;
    if (!behind)
      *known = i + 1;
  }
  return later;
}

/* Of several halves at one instruction the last one's place is moved. */
bool tl_namesakes_entry(const tl_code *code, const uint8_t *records, const tl_cubin_section *sass, const uint8_t *from,
                        bool later, uint8_t *to) {
  const uint32_t type = namesakes_type(tl_get32(from + 8));
  const tl_code_place *const place = tl_code_find(code, tl_get64(from));
  if (!place || !type || place->sass >= sass->size)
    return false;
  memcpy(to, from, ELF_RELA_SIZE);
  tl_put64(to, place->sass + (uint64_t)tl_code_known_of(sass->data, place).own * TL_CODE_INSTRUCTION);
  tl_put32(to + 8, type);
  if (!namesakes_is_half(from))
    return true;
  const namesakes_half half = namesakes_half_at(place, records, sass);
  if (half == HALF_KEPT || later)
    return true;
  const uint64_t at = tl_get64(from + 16);
  const tl_code_place *const target = tl_code_find(code, at);
  if (half == HALF_MOVED && !target && at != code->mercury_size)
    return false;
  tl_put64(to + 16, half == HALF_MOVED && target ? target->sass : 0); /* the end of the code has no place (L1040) */
  return true;
}

/* --- the text --- */

bool tl_namesakes_change_text(const tl_code *code, const uint8_t *records, const tl_cubin_section *sass,
                              const tl_cubin_section *entries, uint8_t *text, tl_arena *arena) {
  const bool *const later = tl_namesakes_find_later(code, entries, arena);
  bool *const places = tl_arena_new(arena, bool, sass->size / TL_CODE_INSTRUCTION + 1);
  bool torn = false;
  for (uint64_t i = 0; i < entries->size / ELF_RELA_SIZE; i++) {
    const uint8_t *const entry = entries->data + i * ELF_RELA_SIZE;
    const tl_code_place *const place = namesakes_is_half(entry) ? tl_code_find(code, tl_get64(entry)) : NULL;
    if (!place || !place->count || place->sass >= sass->size)
      continue;
    const uint64_t own = (uint64_t)tl_code_known_of(sass->data, place).own * TL_CODE_INSTRUCTION;
    tl_blocks_clear_field(text + place->sass + own, namesakes_half_at(place, records, sass) == HALF_ZERO);
    const uint64_t at = tl_get64(entry + 16);
    const tl_code_place *const target = tl_code_find(code, at);
    const bool begins = target && target->mercury == at;
    torn |= !begins && at != code->mercury_size; /* nor does nvlink mind the end of the code (L1040) */
    if (!later[i] && begins && target->sass < sass->size)
      places[target->sass / TL_CODE_INSTRUCTION] = true;
  }
  tl_blocks_begin(text, sass->size, places, arena);
  return torn;
}
