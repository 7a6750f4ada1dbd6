/* nvlink's finalizer decodes an instruction that has no record in the capsule, or one of four bytes, from the SASS text and
 * encodes it anew (L1670). Bits of the text that are no field of the instruction have no part in that: the encoder writes the
 * same there whatever the input has. Control bits are not among them, nor fields that only some forms of an instruction have.
 *
 * The table was measured: every bit of two to eight instructions of each opcode, on four architectures. */
#include "cubin/encoded.h"

#include "base/bytes.h"
#include "base/vector.h"

typedef struct encoded_row {
  uint16_t opcode;
  bool recorded;
  uint64_t bits[2], values[2];
} encoded_row;

static const encoded_row encoded_rows[] = {
#include "cubin/encoded_rows.h"
};

/* Fields that an instruction without a record has only where a bit of it is set, and that are all ones otherwise (L1674): operands that are
 * carried in and their conditions, and the upper half of an address. All these bits are in the upper word. */
typedef struct encoded_condition {
  uint16_t opcode;
  uint8_t bit;
  uint64_t ones;
} encoded_condition;

#define CARRIED (UINT64_C(0xf) << 23)
#define CARRIED_TWICE (CARRIED | UINT64_C(0xf) << 13)
#define THIRD UINT64_C(0xff)
enum { CARRIES = 10, UPPER = 16 };

static const encoded_condition encoded_conditions[] = {
    {0x210, CARRIES, CARRIED_TWICE}, {0x810, CARRIES, CARRIED_TWICE}, {0xc10, CARRIES, CARRIED_TWICE},
    {0x290, CARRIES, CARRIED_TWICE}, {0x890, CARRIES, CARRIED_TWICE}, {0x224, CARRIES, CARRIED},
    {0x824, CARRIES, CARRIED},       {0xe24, CARRIES, CARRIED},       {0x211, CARRIES, CARRIED},
    {0x811, CARRIES, CARRIED},       {0xc11, CARRIES, CARRIED},       {0x211, UPPER, THIRD},
    {0x811, UPPER, THIRD},           {0xc11, UPPER, THIRD},
};

static int encoded_compare(const void *a, const void *b) {
  const encoded_row *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->opcode, y->opcode}, {x->recorded, y->recorded}};
  return tl_compare_pairs(pairs, sizeof pairs / sizeof *pairs);
}

/* A sum of two has no second carry, and no sign of a third (L1674). */
static void encoded_mend_sum(uint8_t *instruction, bool recorded, uint16_t opcode) {
  enum {
    HALF = 8,
    SECOND_CARRY = 20,
    CARRY = 7,
    NO_REGISTER = 0xff,
    NEGATIVE = 1 << 11,
    SUM = 0x210,
    SUM_OF_NUMBER = 0x810
  };
  static const uint16_t sums[] = {0x210, 0x810, 0xc10, 0x290, 0x890};
  const uint64_t high = tl_get64(instruction + HALF);
  if (!recorded && TL_AMONG16(sums, opcode) && (high & NO_REGISTER) == NO_REGISTER)
    tl_put64(instruction + HALF, (high & ~(uint64_t)(opcode == SUM || opcode == SUM_OF_NUMBER ? NEGATIVE : 0)) |
                                     (uint64_t)CARRY << SECOND_CARRY);
}

void tl_encoded_mend(uint8_t *instruction, bool recorded) {
  enum { OPCODE = 0xfff, HALF = 8 };
  const encoded_row key = {.opcode = tl_get16(instruction) & OPCODE, .recorded = recorded};
  const encoded_row *const row = tl_sorted_find(&key, encoded_rows, sizeof encoded_rows / sizeof *encoded_rows,
                                                sizeof *encoded_rows, encoded_compare);
  for (unsigned i = 0; row && i < 2; i++) {
    const uint64_t word = tl_get64(instruction + i * HALF);
    tl_put64(instruction + i * HALF, (word & ~row->bits[i]) | row->values[i]);
  }
  for (size_t i = 0; !recorded && i < sizeof encoded_conditions / sizeof *encoded_conditions; i++) {
    const encoded_condition *const condition = &encoded_conditions[i];
    const uint64_t high = tl_get64(instruction + HALF);
    if (condition->opcode == key.opcode && !(high >> condition->bit & 1))
      tl_put64(instruction + HALF, high | condition->ones);
  }
  encoded_mend_sum(instruction, recorded, key.opcode);
}
