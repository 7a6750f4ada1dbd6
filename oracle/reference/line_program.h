/* What a DWARF 2 line program is made of: places in a unit's header, opcodes by number. For who reads line tables of capsules
 * again (RF129, RF131, RF142, M43). */
#ifndef REF_LINE_PROGRAM_H
#define REF_LINE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* How many numbers a standard operation below the fixed advance has, whatever a header says (RF994). */
uint8_t ref_line_program_operands(uint8_t code);
/* False when it runs past the end. */
bool ref_line_program_number(const uint8_t *data, uint64_t size, uint64_t *at, uint64_t *value);

enum {
  UNIT_AT = 10, /* smallest instruction */
  LINE_BASE_AT = 12,
  LINE_RANGE_AT = 13,
  FIRST_SPECIAL_AT = 14,
  OPERAND_COUNTS_AT = 15,
  EXTENDED = 0,
  COPY = 1,
  ADVANCE_ADDRESS = 2,
  ADVANCE_LINE = 3,
  SET_FILE = 4,
  SET_COLUMN = 5,
  CONSTANT_ADVANCE = 8,
  FIXED_ADVANCE = 9,
  END_SEQUENCE = 1, /* the extended ones */
  SET_ADDRESS = 2,
  LARGEST_SPECIAL = 255
};

#endif
