/* The programs of line tables, as nvlink's finalizer reads them: their units, their opcodes, and whether two sequences of a
 * unit are about one symbol (L1491, L1780). */
#ifndef TL_CUBIN_LINE_PROGRAM_H
#define TL_CUBIN_LINE_PROGRAM_H

#include "base/arena.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF 2: unit_length, version, header_length; the shape of what opcodes say follows. */
enum { TL_LINE_UNIT_LEAST = 10 };

typedef struct tl_line_unit {
  uint64_t start, program, end; /* in the table */
} tl_line_unit;

typedef enum tl_line_found { TL_LINE_UNIT, TL_LINE_END, TL_LINE_SHORT, TL_LINE_PAST } tl_line_found;

/* The unit at *position, which moves behind it; SHORT: there is no whole header, PAST: it does not fit the table. */
tl_line_found tl_line_next_unit(const uint8_t *bytes, uint64_t size, uint64_t *position, tl_line_unit *unit);
/* Whether its header says the shape; a unit without has no sequences. */
bool tl_line_has_shape(const tl_line_unit *unit);
/* Its first special opcode; of a unit with a shape. */
uint8_t tl_line_opcode_base(const uint8_t *bytes, const tl_line_unit *unit);

/* An opcode of a line program. */
typedef struct tl_line_opcode {
  uint64_t start, operand; /* operand: of an extended one, behind its number */
  bool sets_address, adds_row;
} tl_line_opcode;

/* The opcode at *at, which moves behind it; false at the end. `base`: the first special one. An extended one of no size is what the
 * byte behind it says, which is read again (L1789). */
bool tl_line_next_opcode(const uint8_t *bytes, uint64_t end, uint8_t base, uint64_t *at, tl_line_opcode *opcode);

/* An entry of a line table. */
typedef struct tl_line_entry {
  uint64_t offset, order;
  uint32_t symbol;
} tl_line_entry;
typedef TL_VECTOR(tl_line_entry) tl_line_entries;

/* Puts entries in the order of their places, of several at one the first alone. */
void tl_line_sort_entries(tl_line_entries *entries);
/* The one at a place; NULL. */
const tl_line_entry *tl_line_find_entry(const tl_line_entries *entries, uint64_t offset);
/* Whether two addresses in one unit of a table have sorted entries about one symbol. */
bool tl_line_repeats(const uint8_t *bytes, uint64_t size, const tl_line_entries *entries, tl_arena *arena);

#endif
