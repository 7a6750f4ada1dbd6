/* Control fields around moves whose register an entry of Mercury's wrote over (L1422): what cubin/moves.c changes in a text of the
 * input is written into the output's as patches. */
#include "relocate/relocate.h"

#include "base/bytes.h"
#include "catalog/sass_type.h"
#include "cubin/code.h"
#include "cubin/moves.h"

#include <string.h>

enum { INSTRUCTION = TL_CODE_INSTRUCTION, TIME_SHIFT = 41, TIME_MASK = 0x7ff, WAIT_SHIFT = 52, WAIT_MASK = 63 };

/* Cycles, yield bit and the barriers that are set (L1642), and those that are waited for. */
static const tl_relocation_row times_row = {
    TL_R_MERCURY + 2, NULL, TL_RELOC_APPLY, {{105, 11, TL_PART_ALL, 0}, {116, 6, TL_PART_AUX, 0}}, TL_TEX_KEEP,
    TL_R_MERCURY + 2,
};

typedef struct times_move {
  const tl_piece *piece;
  tl_patch patch;
  size_t index;
} times_move;

/* By place, and the last that is written there behind the others. */
static int times_compare(const void *a, const void *b) {
  const times_move *const x = a, *const y = b;
  const uint64_t pairs[][2] = {
      {x->patch.section, y->patch.section}, {x->patch.offset, y->patch.offset}, {x->index, y->index}};
  return tl_compare_pairs(pairs, sizeof pairs / sizeof *pairs);
}

static void times_put(tl_relocated *relocated, tl_arena *arena, const times_move *move, const uint8_t *text) {
  const tl_piece *const piece = move->piece;
  for (uint64_t at = 0; at + INSTRUCTION <= piece->size; at += INSTRUCTION) {
    if (memcmp(text + at, piece->data + at, INSTRUCTION) == 0)
      continue;
    const uint64_t high = tl_get64(text + at + 8);
    *tl_vector_push(arena, &relocated->patches) = (tl_patch){.section = move->patch.section,
                                                             .offset = piece->offset + at,
                                                             .row = &times_row,
                                                             .value = high >> TIME_SHIFT & TIME_MASK,
                                                             .auxiliary = high >> WAIT_SHIFT & WAIT_MASK,
                                                             .entry = move->patch.entry};
  }
}

/* The moves of one text. */
static void times_change(tl_relocated *relocated, const tl_module *module, tl_arena *arena, const times_move *moves,
                         size_t count) {
  enum { OPERAND = 0xffff, NOTHING = 0x3fff };
  const tl_piece *const piece = moves->piece;
  const uint64_t instructions = piece->size / INSTRUCTION;
  uint16_t *const operands = tl_arena_new(arena, uint16_t, instructions);
  memset(operands, 0xff, instructions * sizeof *operands);
  for (size_t i = 0; i < count; i++) {
    const uint64_t at = (moves[i].patch.offset - piece->offset) / INSTRUCTION;
    const uint16_t operand = moves[i].patch.value & OPERAND;
    if (at < instructions)
      operands[at] = operand == TL_MOVE_STAYS ? NOTHING : operand; /* either has no result and reads nothing */
  }
  uint8_t *const text = tl_arena_copy(arena, piece->data, piece->size);
  tl_moves_change(text, piece->data, piece->size, operands, module->arch);
  times_put(relocated, arena, moves, text);
}

void tl_relocate_time_moves(tl_relocated *relocated, const tl_module *module, tl_arena *arena) {
  TL_VECTOR(times_move) moves = {0};
  for (size_t i = 0; i < relocated->patches.count; i++) {
    const tl_patch *const patch = &relocated->patches.items[i];
    if (!tl_sass_row_has_register(patch->row))
      continue;
    const tl_piece *const piece = tl_layout_piece(&module->sections.items[patch->section], patch->offset);
    if (piece && piece->data)
      *tl_vector_push(arena, &moves) = (times_move){piece, *patch, i};
  }
  tl_vector_sort(&moves, times_compare);
  for (size_t i = 0, end; i < moves.count; i = end) {
    for (end = i + 1; end < moves.count && moves.items[end].piece == moves.items[i].piece;)
      end++;
    times_change(relocated, module, arena, &moves.items[i], end - i);
  }
}
