/* nvlink's finalizer decodes an instruction that has no record in the capsule, or one of four bytes, from the SASS text and
 * encodes it anew (L1670). Bits of the text that are no field of the instruction have no part in that: the encoder writes the
 * same there whatever the input has. Control bits are not among them. Fields that only some forms of an instruction have stand in
 * a second table (L1848).
 *
 * Both were measured: 4,000 words of each opcode, in which bits and fields of compiled ones were changed at random. */
#include "cubin/encoded.h"

#include "base/bytes.h"

#include <string.h>

typedef struct encoded_row {
  uint16_t opcode;
  bool recorded;
  uint64_t bits[2], values[2];
} encoded_row;

static const encoded_row encoded_rows[] = {
#include "cubin/encoded_rows.h"
};

/* Conversions of every type have one opcode for each width and operand; which types it converts the record says alone (L1940). */
typedef struct encoded_conversion {
  uint8_t record[4];
  uint16_t opcode;
  uint64_t bits[2], values[2];
} encoded_conversion;

static const encoded_conversion encoded_conversions[] = {
#include "cubin/encoded_conversions.h"
};

/* Bits that an instruction without a record has only where others are so, and that are as the row says otherwise (L1674, L1848): operands
 * that are carried in and their conditions, the upper half of an address, third operands, numbers of sizes that there are not. */
typedef struct encoded_condition {
  uint16_t opcode;
  bool other;          /* where the tested bits are not so */
  uint64_t test[2];    /* of the upper word: which bits, and what they are */
  uint64_t bits[2][2]; /* of both words: which bits, and what they become */
} encoded_condition;

/* In the order of their opcodes, by which they are searched. */
static const encoded_condition encoded_conditions[] = {
#include "cubin/encoded_conditions.h"
};

/* Logic of two operands has no third one (L1848): by its table of truth what nvlink makes of it beside a number. */
typedef struct encoded_logic {
  uint8_t table, of_number;
} encoded_logic;
static const encoded_logic encoded_logics[] = {{0x03, 0xc0}, {0x0c, 0x0c}, {0x30, 0xc0}, {0x3f, 0xfc},
                                               {0xc0, 0xc0}, {0xcf, 0xcf}, {0xf3, 0xfc}, {0xfc, 0xfc}};

/* The row of an opcode with a record or without, NULL. They stand in the order of both. */
static const encoded_row *encoded_find(uint16_t opcode, bool recorded) {
  const unsigned key = 2U * opcode + recorded;
  size_t low = 0, high = sizeof encoded_rows / sizeof *encoded_rows;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const unsigned other = 2U * encoded_rows[middle].opcode + encoded_rows[middle].recorded;
    if (other == key)
      return &encoded_rows[middle];
    if (other < key)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static void encoded_put(uint8_t *instruction, const uint64_t *bits, const uint64_t *values) {
  enum { HALF = 8 };
  for (unsigned i = 0; i < 2; i++)
    tl_put64(instruction + i * HALF, (tl_get64(instruction + i * HALF) & ~bits[i]) | values[i]);
}

/* The first row that is not of an opcode before this one. */
static const encoded_condition *encoded_first_condition(uint16_t opcode) {
  size_t low = 0, high = sizeof encoded_conditions / sizeof *encoded_conditions;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (encoded_conditions[middle].opcode < opcode)
      low = middle + 1;
    else
      high = middle;
  }
  return &encoded_conditions[low];
}

static void encoded_mend_conditions(uint8_t *instruction, uint16_t opcode) {
  enum { HALF = 8 };
  const encoded_condition *const end = encoded_conditions + sizeof encoded_conditions / sizeof *encoded_conditions;
  for (const encoded_condition *row = encoded_first_condition(opcode); row < end && row->opcode == opcode; row++)
    if (((tl_get64(instruction + HALF) & row->test[0]) == row->test[1]) != row->other)
      encoded_put(instruction, row->bits[0], row->bits[1]);
}

/* Without a record logic of all lanes beside a number is AND, or AND of the first operand's complement (L1976). */
static void encoded_mend_logic(uint8_t *instruction, uint16_t opcode) {
  enum { THIRD = 8, TABLE = 9, NO_REGISTER = 0xff, LOGIC_OF_NUMBER = 0x812, UNIFORM_OF_NUMBER = 0x892 };
  enum { TABLE_AND = 0xc0, TABLE_AND_NOT = 0x0c };
  static const uint16_t opcodes[] = {0x212, LOGIC_OF_NUMBER, 0xc12};
  if (opcode == UNIFORM_OF_NUMBER)
    instruction[TABLE] = instruction[TABLE] == TABLE_AND_NOT ? TABLE_AND_NOT : TABLE_AND;
  if (!TL_AMONG16(opcodes, opcode))
    return;
  for (size_t i = 0; i < sizeof encoded_logics / sizeof *encoded_logics; i++) {
    if (encoded_logics[i].table != instruction[TABLE])
      continue;
    instruction[THIRD] = NO_REGISTER;
    if (opcode == LOGIC_OF_NUMBER)
      instruction[TABLE] = encoded_logics[i].of_number;
    return;
  }
}

static void encoded_mend_conversion(uint8_t *instruction, uint16_t opcode, const uint8_t *record) {
  for (size_t i = 0; i < sizeof encoded_conversions / sizeof *encoded_conversions; i++) {
    const encoded_conversion *const conversion = &encoded_conversions[i];
    if (conversion->opcode == opcode && memcmp(conversion->record, record, sizeof conversion->record) == 0)
      encoded_put(instruction, conversion->bits, conversion->values);
  }
}

void tl_encoded_mend(uint8_t *instruction, const uint8_t *record) {
  enum { OPCODE = 0xfff };
  const uint16_t opcode = tl_get16(instruction) & OPCODE;
  const encoded_row *const row = encoded_find(opcode, record != NULL);
  if (row)
    encoded_put(instruction, row->bits, row->values);
  if (record) {
    encoded_mend_conversion(instruction, opcode, record);
    return;
  }
  encoded_mend_conditions(instruction, opcode);
  encoded_mend_logic(instruction, opcode);
}
