/* RF1222: an instruction of a capsule without a record of its own, or with one of four bytes, has its operands in the SASS text alone. nvlink reads
 * the fields that the instruction has and writes it anew, so that all other bits are as they always are. Which they are was measured of each opcode;
 * RF1261: of some they depend on other fields; RF1217: of 135 opcodes. RF1320: bit 74 of I2F and VIMNMX with a
 * number is a field. */
#include "bits.h"
#include "capsule.h"

enum {
  INSTRUCTION = 16,
  WORD = 8,
  OPCODE_BITS = 0xfff,
  BASE = 0x1ff,
  NO_REGISTER = 0xff,
  TRUE_PREDICATE = 7,
  NO_CARRY = 15, /* the predicate that is always false */
  FIRST = 24,
  SECOND = 32,
  THIRD = 64,
  REGISTER_WIDTH = 8,
  PREDICATE_WIDTH = 3,
  CARRY_WIDTH = 4,
  CARRY = 87,         /* what a sum or product carries in */
  SECOND_CARRY = 77,  /* and the other one of three numbers */
  SECOND_RESULT = 84, /* that it carries out */
  EXTENDED = 74,      /* .X */
  HIGH = 80           /* .HI */
};

/* Bits of no field, and what they are, of both words. */
typedef struct ref_unused_row {
  uint16_t opcode;
  uint64_t low, low_value, high, high_value;
} ref_unused_row;

/* clang-format off */
static const ref_unused_row rows[] = {
    {0x202, 0xffffff00ff000000, 0x0, 0x1ffffffffff, 0xf00},
    {0x207, 0xffffff0000000000, 0x0, 0x1fff87fffff, 0x0},
    {0x208, 0x3fffff0000000000, 0x0, 0x1fff87efcff, 0x0},
    {0x209, 0x3fffff0000000000, 0x0, 0x1fffbf8fcff, 0x3800000},
    {0x20b, 0x3fffff0000ff0000, 0x0, 0x1fff80000ff, 0x0},
    {0x20c, 0xffffff0000ff0000, 0x0, 0x1fff800800f, 0x0},
    {0x210, 0x7fffff0000000000, 0x0, 0x1fff8001200, 0x0},
    {0x211, 0x7fffff0000000000, 0x0, 0x1fff8700000, 0x0},
    {0x212, 0xffffff0000000000, 0x0, 0x1fff8700000, 0x0},
    {0x213, 0xffffff00ff000000, 0x0, 0x1ffffffffff, 0x0},
    {0x216, 0xffffff0000000000, 0x0, 0x1fffffff800, 0x0},
    {0x219, 0xffffff0000000000, 0x0, 0x1fffffee100, 0x0},
    {0x220, 0x3fffff0000000000, 0x0, 0x1ffff8e0cff, 0x0},
    {0x221, 0x3fffff0000000000, 0x0, 0x1fffffe1cff, 0x0},
    {0x223, 0x3fffff0000000000, 0x0, 0x1fffffe0000, 0x0},
    {0x224, 0xffffff0000000000, 0x0, 0x1fff87ff100, 0xe0000},
    {0x225, 0xffffff0000000000, 0x0, 0x1fffff1f500, 0x7800000},
    {0x226, 0xffffff0000000000, 0x0, 0x1fffffff100, 0x0},
    {0x227, 0xffffff0000000000, 0x0, 0x1fffff1f500, 0x7800000},
    {0x228, 0x3fffff0000000000, 0x0, 0x1ffffff3cff, 0x0},
    {0x229, 0xffffffff00000000, 0x0, 0x1ffffff3000, 0x0},
    {0x22a, 0x3fffff0000ff0000, 0x0, 0x1fff80100ff, 0x0},
    {0x22b, 0x3fffff0000000000, 0x0, 0x1ffffff3000, 0x0},
    {0x230, 0x2fffff00ff000000, 0x20000000ff000000, 0x1fffffedfff, 0x4100},
    {0x231, 0xfffff0000000000, 0x0, 0x1ffff804000, 0x0},
    {0x232, 0xfffff0000000000, 0x0, 0x1ffffdec0ff, 0x0},
    {0x233, 0xfffff0000000000, 0x0, 0x1fff800001d, 0x0},
    {0x23e, 0xffffff0000000000, 0x0, 0x1fffffc47ff, 0xff},
    {0x245, 0xffffff00ff000000, 0x0, 0x1ffffcf3bff, 0x1000},
    {0x246, 0x7ffffe0000000000, 0x0, 0x1fffbffec00, 0x3800000},
    {0x248, 0xffffff0000000000, 0x0, 0x1fffbffe8ff, 0x3fe0000},
    {0x287, 0xffffff0000000000, 0x0, 0x1fff87fffff, 0x8000000},
    {0x28c, 0xffffff0000ff0000, 0x0, 0x1fff80000ff, 0x8000070},
    {0x290, 0x7fffff0000000000, 0x0, 0x1fff8001200, 0x8000000},
    {0x291, 0x7fffff0000000000, 0x0, 0x1fff8000000, 0x8000000},
    {0x292, 0xffffff0000000000, 0x0, 0x1fffff10000, 0xf800000},
    {0x2a4, 0xffffff0000000000, 0x0, 0x1fffffff500, 0xf8e0000},
    {0x2bd, 0x7fffff00ff000000, 0x0, 0x1fffff1f9ff, 0x8000000},
    {0x2bf, 0x7fffff00ff000000, 0x0, 0x1ffffffffff, 0x8000000},
    {0x2ca, 0xffffffff00000000, 0x0, 0x1fffff1ffff, 0x0},
    {0x300, 0x7fffff00ff000000, 0x0, 0x1fffff1f9ff, 0x0},
    {0x301, 0xffffff00ff000000, 0x0, 0x1ffffffffff, 0x0},
    {0x302, 0x3fffff0000ff0000, 0x0, 0x1fffff1fcff, 0x0},
    {0x304, 0x3fffff00ff000000, 0x0, 0x1fffffe3fff, 0x200800},
    {0x305, 0x3fffff00ff000000, 0x0, 0x1fffffe06ff, 0x200000},
    {0x306, 0xcfffff00ff000000, 0x0, 0x1ffff8e03ff, 0x0},
    {0x307, 0x3fffff00ff000000, 0x0, 0x1fffffe3fff, 0x201000},
    {0x308, 0x3fffff00ff000000, 0x0, 0x1ffffffc3ff, 0x0},
    {0x309, 0x7fffff00ff000000, 0x0, 0x1ffffffffff, 0x0},
    {0x310, 0x3fffff00ff000000, 0x0, 0x1ffffce33ff, 0x1000},
    {0x311, 0x3fffff00ff000000, 0x0, 0x1fffffe06ff, 0x300000},
    {0x312, 0xcfffff00ff000000, 0x0, 0x1ffff8e03ff, 0x0},
    {0x313, 0x3fffff00ff000000, 0x0, 0x1fffffe3fff, 0x301800},
    {0x381, 0xff00000000, 0x0, 0x1ffff8e11c0, 0xe0100},
    {0x388, 0xff0000, 0x0, 0x1fffffff1ff, 0x0},
    {0x3a1, 0xffffffff00000000, 0x0, 0x1fffffffdff, 0xe8000},
    {0x3aa, 0xff00ff0000, 0xff0000, 0x1fffff1f9ff, 0x100},
    {0x3c4, 0xffffffff00000000, 0x0, 0x1fffffe3fff, 0x0},
    {0x419, 0x0, 0x0, 0x1fffffee100, 0x0},
    {0x421, 0x0, 0x0, 0x1fffffe1cff, 0x0},
    {0x423, 0x0, 0x0, 0x1fffffe0000, 0x0},
    {0x424, 0x0, 0x0, 0x1fff87ff900, 0xe0000},
    {0x431, 0x0, 0x0, 0x1ffffc64c00, 0x0},
    {0x433, 0x0, 0x0, 0x1fff87e001d, 0x0},
    {0x434, 0xd50000, 0x0, 0x1ffff80007d, 0x3800000},
    {0x446, 0x0, 0x0, 0x1fffbffe400, 0x3800000},
    {0x4a4, 0x0, 0x0, 0x1fffffffd00, 0xf8e0000},
    {0x547, 0xf0000000, 0x0, 0x1fff06c0000, 0x0},
    {0x589, 0xf3e0000000000000, 0x0, 0x1fffff1ffff, 0x0},
    {0x802, 0xff000000, 0x0, 0x1ffffffffff, 0xf00},
    {0x803, 0x0, 0x0, 0x1ffffffcfff, 0x0},
    {0x804, 0xff0000, 0x0, 0x1ffffffcfff, 0x0},
    {0x806, 0xffffffffff000000, 0x0, 0x1fff871fcff, 0x0},
    {0x807, 0x0, 0x0, 0x1fff87fffff, 0x0},
    {0x808, 0x0, 0x0, 0x1fff87efcff, 0x0},
    {0x80b, 0xff0000, 0x0, 0x1fff80000ff, 0x0},
    {0x80c, 0xff0000, 0x0, 0x1fff000000f, 0x0},
    {0x810, 0x0, 0x0, 0x1fff8001200, 0x0},
    {0x811, 0x0, 0x0, 0x1ff00000000, 0x0},
    {0x812, 0x0, 0x0, 0x1fff8700000, 0x0},
    {0x816, 0x0, 0x0, 0x1fffffff800, 0x0},
    {0x819, 0x0, 0x0, 0x1fffffee100, 0x0},
    {0x81a, 0x0, 0x0, 0x1fffffff5ff, 0x0},
    {0x81c, 0xffffffffff000000, 0x0, 0x1fff8000008, 0x0},
    {0x820, 0x0, 0x0, 0x1ffff8e0cff, 0x0},
    {0x823, 0x0, 0x0, 0x1fffffe0000, 0x0},
    {0x824, 0x0, 0x0, 0x1fff87ff100, 0xe0000},
    {0x825, 0x0, 0x0, 0x1fffff1f500, 0x7800000},
    {0x827, 0x0, 0x0, 0x1fffff1f500, 0x7800000},
    {0x82f, 0xffffffffff000000, 0x0, 0x1fff871ffff, 0x0},
    {0x831, 0x0, 0x0, 0x1ffffc64c00, 0x0},
    {0x836, 0x0, 0x0, 0x1ffffffffff, 0x0},
    {0x83b, 0xff00000000, 0x0, 0x1fffffe04ff, 0x0},
    {0x848, 0x0, 0x0, 0x1fffbffe8ff, 0x3fe0000},
    {0x84c, 0xffff0000, 0x0, 0x1ffffffffff, 0x0},
    {0x882, 0xff000000, 0x0, 0x1ffffffffff, 0x0},
    {0x883, 0x0, 0x0, 0x1ffffffcfff, 0x8000000},
    {0x886, 0xffffffffff000000, 0x0, 0x1ffffffffff, 0x38e0100},
    {0x887, 0x0, 0x0, 0x1fff87fffff, 0x8000000},
    {0x88c, 0xff0000, 0x0, 0x1fffff18dff, 0xbf00070},
    {0x890, 0x0, 0x0, 0x1fff801f200, 0x801e000},
    {0x892, 0x0, 0x0, 0x1fffff1ffff, 0xf80c0ff},
    {0x896, 0x0, 0x0, 0x1ffffffff00, 0x8000000},
    {0x899, 0x0, 0x0, 0x1fffffee100, 0x8000000},
    {0x8a4, 0x0, 0x0, 0x1fffffff500, 0xf8e0000},
    {0x8a5, 0x0, 0x0, 0x1fffff1f500, 0xf800000},
    {0x906, 0xff000000, 0x0, 0x1fffffe03ff, 0x200000},
    {0x908, 0xfe000000, 0x0, 0x1ffffffc3ff, 0x0},
    {0x918, 0xffffffffffff0000, 0x0, 0x1ffffffffff, 0x0},
    {0x941, 0xfffffffffff00000, 0x0, 0x1fff87ffcff, 0x0},
    {0x942, 0xffffffffffd00000, 0x0, 0x1fff87fffff, 0x100},
    {0x943, 0x3ff000000, 0x0, 0x1fff87e0000, 0x400000},
    {0x944, 0x3ff000000, 0x0, 0x1fff87c0000, 0x400000},
    {0x945, 0x3fff00000, 0x0, 0x1fff87ffcff, 0x0},
    {0x946, 0xffffffffffff0000, 0x0, 0x1fff87fffff, 0x0},
    {0x947, 0xf0000000, 0x0, 0x1fff0640000, 0x0},
    {0x948, 0xffffffffffff0000, 0x0, 0x1fff87fffff, 0x0},
    {0x94d, 0xffffffffffff0000, 0x0, 0x1fff87fffff, 0x0},
    {0x950, 0x300000000, 0x0, 0x1fff85c0000, 0x400000},
    {0x95c, 0xfffffffffd2e0000, 0x400000000, 0x1ffffffffff, 0x300000},
    {0x95d, 0xffff0000, 0x0, 0x1fff83fffff, 0x0},
    {0x981, 0x0, 0x0, 0x1ffff8e11c0, 0xc0e1100},
    {0x984, 0x0, 0x0, 0x1fff7fe31ff, 0x0},
    {0x988, 0xff0000, 0x0, 0x1ffffff3100, 0x8000000},
    {0x989, 0xf01fffff00000000, 0x0, 0x1fffff1ff00, 0x0},
    {0x9af, 0xffffffffe89b0000, 0x0, 0x1ffffffffff, 0x0},
    {0xc02, 0xffffff00ff000000, 0x0, 0x1ffffffffff, 0x8000f00},
    {0xc07, 0xffffff0000000000, 0x0, 0x1fff87fffff, 0x8000000},
    {0xc0c, 0xffffff0000ff0000, 0x0, 0x1fff800800f, 0x8000000},
    {0xc10, 0x7fffff0000000000, 0x0, 0x1fff8001200, 0x8000000},
    {0xc11, 0x7fffff0000000000, 0x0, 0x1fff8700000, 0x8000000},
    {0xc12, 0xffffff0000000000, 0x0, 0x1fff8700000, 0x8000000},
    {0xc19, 0xffffff0000000000, 0x0, 0x1fffffee100, 0x8000000},
    {0xc20, 0x3fffff0000000000, 0x0, 0x1ffff8e0cff, 0x8000000},
    {0xc23, 0x3fffff0000000000, 0x0, 0x1fffffe0000, 0x8000000},
    {0xc24, 0xffffff0000000000, 0x0, 0x1fffffff100, 0xf8e0000},
    {0xc27, 0xffffff0000000000, 0x0, 0x1fffff1f500, 0xf800000},
    {0xc28, 0x3fffff0000000000, 0x0, 0x1ffffff3cff, 0x8000000},
    {0xc2b, 0x3fffff0000000000, 0x0, 0x1ffffff3000, 0x8000000},
    {0xc36, 0x7fffff0000000000, 0x0, 0x1ffffffffff, 0x8000000},
    {0xc3e, 0xffffff0000000000, 0x0, 0x1fffffc47ff, 0x80000ff},
    {0xc45, 0xffffff00ff000000, 0x0, 0x1ffffcf3bff, 0x8001000},
    {0xc48, 0xffffff0000000000, 0x0, 0x1fffbffe8ff, 0xbfe0000},
    {0xc82, 0xffffff00ff000000, 0x0, 0x1ffffffffff, 0x8000000},
    {0xd00, 0x7fffff00ff000000, 0x0, 0x1fffff1f9ff, 0x8000000},
    {0xd08, 0x3fffff00fe000000, 0x0, 0x1ffffffc3ff, 0x8000000},
    {0xd09, 0x7fffff00ff000000, 0x0, 0x1ffffffffff, 0x8000000},
    {0xd12, 0xcfffff00ff000000, 0x0, 0x1ffff8e03ff, 0x8000000},
    {0xe23, 0x3fffff0000000000, 0x0, 0x1fffffe0000, 0x8000000},
    {0xe24, 0x7fffff0000000000, 0x0, 0x1fff87ff900, 0x80e0000},
    {0xe29, 0x3fffff0000000000, 0x0, 0x1ffffff3cff, 0x8000000},
    {0xe2a, 0x3fffff0000ff0000, 0x0, 0x1fff80100ff, 0x8000000},
    {0xe2b, 0x3fffff0000000000, 0x0, 0x1ffffff3000, 0x8000000},
    {0xf89, 0xf00000ff00000000, 0x0, 0x1fffff1ffff, 0x0},
};
/* clang-format on */

static const ref_unused_row *ref_unused_find(unsigned opcode) {
  size_t first = 0, behind = sizeof rows / sizeof *rows; /* in their order */
  while (first + 1 < behind) {
    const size_t middle = (first + behind) / 2;
    *(rows[middle].opcode <= opcode ? &first : &behind) = middle;
  }
  return rows[first].opcode == opcode ? &rows[first] : NULL;
}

/* RF1218: fields of which some values are none: `known` has a bit for each that is one, the others become `other`. */
typedef struct ref_unused_field {
  uint16_t opcode;
  uint8_t bit, width, other;
  uint16_t known;
} ref_unused_field;

static const ref_unused_field fields[] = {
    {0x220, 84, 3, 7, 0xfe},  {0x246, 87, 4, 7, 0x8080}, {0x248, 87, 4, 7, 0x8080}, {0x381, 73, 3, 0, 0x7f},
    {0x381, 77, 4, 4, 0x4b1}, {0x381, 84, 3, 0, 0x3f},   {0x388, 73, 3, 0, 0x7f},   {0x446, 87, 4, 7, 0x8080},
    {0x820, 84, 3, 7, 0xfe},  {0x848, 87, 4, 7, 0x8080}, {0x981, 73, 3, 0, 0x7f},   {0x981, 77, 4, 4, 0x4b1},
    {0x981, 84, 3, 0, 0x3f},  {0x983, 73, 3, 0, 0x7f},   {0x983, 84, 3, 0, 0x3f},   {0x984, 73, 3, 0, 0x7f},
    {0x988, 73, 3, 0, 0x7f},  {0xc20, 84, 3, 7, 0xfe},   {0xc48, 87, 4, 7, 0x8080}};

static void ref_unused_mend_values(uint8_t *at) {
  const unsigned opcode = ref_u16(at) & OPCODE_BITS;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    const ref_unused_field *field = &fields[i];
    if (field->opcode > opcode) {
      return; /* they are in their order */
    }
    if (field->opcode == opcode && (field->known >> ref_bits_get(at, field->bit, field->width) & 1) == 0) {
      ref_bits_put(at, field->bit, field->width, field->other);
    }
  }
}

/* RF1261: one that has no third number carries one thing at most. */
static void ref_unused_mend_sum(uint8_t *at) {
  enum { NEGATIVE = 75, UNIFORM = 0x90, URZ_WIDTH = 6, URZ = 0x3f };
  const bool is_uniform = ref_bits_get(at, 0, 9) == UNIFORM;
  const bool is_zero =
      is_uniform ? ref_bits_get(at, THIRD, URZ_WIDTH) == URZ : ref_bits_get(at, THIRD, REGISTER_WIDTH) == NO_REGISTER;
  const bool is_extended = ref_bits_get(at, EXTENDED, 1) != 0;
  if (is_zero) {
    ref_bits_put(at, THIRD, REGISTER_WIDTH, NO_REGISTER);
    ref_bits_put(at, NEGATIVE, 1, 0);
    ref_bits_put(at, SECOND_RESULT, PREDICATE_WIDTH, TRUE_PREDICATE);
  }
  if (is_zero || !is_extended) {
    ref_bits_put(at, SECOND_CARRY, CARRY_WIDTH, NO_CARRY);
  }
  if (!is_extended) {
    ref_bits_put(at, CARRY, CARRY_WIDTH, NO_CARRY);
  }
}

/* A sum of a shifted number: of 64 bits where its upper half is asked for, and its sign is not taken instead. */
static void ref_unused_mend_address(uint8_t *at) {
  enum { SIGNED = 73 };
  if (ref_bits_get(at, EXTENDED, 1) == 0) {
    ref_bits_put(at, CARRY, CARRY_WIDTH, NO_CARRY);
  }
  if (ref_bits_get(at, HIGH, 1) == 0 || ref_bits_get(at, SIGNED, 1) != 0) {
    ref_bits_put(at, THIRD, REGISTER_WIDTH, NO_REGISTER);
  }
}

/* A shift of 64 bits: the lower half to the left and the upper half to the right need one register. */
static void ref_unused_mend_shift(uint8_t *at) {
  enum { TYPE = 73, TYPE_WIDTH = 2, WORDS = 3, TO_THE_RIGHT = 76 };
  const bool is_right = ref_bits_get(at, TO_THE_RIGHT, 1) != 0, is_high = ref_bits_get(at, HIGH, 1) != 0;
  if (!is_right && !is_high) {
    ref_bits_put(at, THIRD, REGISTER_WIDTH, NO_REGISTER);
    ref_bits_put(at, TYPE, TYPE_WIDTH, WORDS);
  } else if (is_right && is_high) {
    ref_bits_put(at, FIRST, REGISTER_WIDTH, NO_REGISTER);
  }
}

/* RF1360: a table of truth of two of three words, the first and the second, has no third one. One that depends on a single word or on none is not known as
 * such and keeps what is written there. */
bool ref_unused_is_logic_of_two(unsigned table) {
  enum { OF_FIRST = 0x0f, OF_SECOND = 0x33, OF_THIRD = 0x55 };
  const bool needs_first = ((table >> 4 ^ table) & OF_FIRST) != 0,
             needs_second = ((table >> 2 ^ table) & OF_SECOND) != 0;
  return needs_first && needs_second && ((table >> 1 ^ table) & OF_THIRD) == 0;
}

/* Any function of three words, some of which do not depend on the third, and a predicate that may be joined to its result. */
static void ref_unused_mend_logic(uint8_t *at) {
  enum { TABLE = 72, TABLE_WIDTH = 8, JOINS = 80 };
  if (ref_unused_is_logic_of_two((unsigned)ref_bits_get(at, TABLE, TABLE_WIDTH))) {
    ref_bits_put(at, THIRD, REGISTER_WIDTH, NO_REGISTER);
  }
  if (ref_bits_get(at, JOINS, 1) == 0) {
    ref_bits_put(at, CARRY, CARRY_WIDTH, NO_CARRY);
  } else if (ref_bits_get(at, CARRY, CARRY_WIDTH) == NO_CARRY) {
    ref_bits_put(at, JOINS, 1, 0);
  }
}

/* RF1355 (L1976): logic of all lanes beside a number is AND, of the first operand or of its complement. */
static void ref_unused_mend_uniform_logic(uint8_t *at, unsigned table) {
  enum { UNIFORM_LOGIC = 0x892, TABLE = 72, TABLE_WIDTH = 8, AND_OF_COMPLEMENT = 0x0c };
  if ((ref_u16(at) & OPCODE_BITS) == UNIFORM_LOGIC && table == AND_OF_COMPLEMENT) {
    ref_bits_put(at, TABLE, TABLE_WIDTH, table);
  }
}

/* RF1322: a number of 8 or 16 bits may be any byte or half of its register; a wider one is all of it. */
static void ref_unused_mend_conversion(uint8_t *at) {
  enum { PART = 60, PART_WIDTH = 2, SOURCE = 84, SOURCE_WIDTH = 2, WORDS = 2 };
  if (ref_bits_get(at, SOURCE, SOURCE_WIDTH) >= WORDS) {
    ref_bits_put(at, PART, PART_WIDTH, 0);
  }
}

/* RF1261 (L1674): fields that an instruction has or lacks by what its other fields say. */
static void ref_unused_mend_lacking(uint8_t *at) {
  enum {
    SUM = 0x10,
    ADDRESS = 0x11,
    LOGIC = 0x12,
    SHIFT = 0x19,
    PRODUCT = 0x24,
    UNIFORM = 0x80,
    TO_FLOAT = 0x306,
    TO_DOUBLE = 0x312,
    UNIFORM_TO_DOUBLE = 0xd12,
    ADDRESS_OF_NUMBER = 0x891,
    LOAD = 0x984,
    BRANCH = 0x947
  };
  enum { UNIFORM_BIT = 91, LOAD_SCALE = 78 };
  const unsigned opcode = ref_u16(at) & OPCODE_BITS, base = opcode & BASE;
  if (base == SUM || base == (SUM | UNIFORM)) {
    ref_unused_mend_sum(at);
  } else if (base == ADDRESS) {
    ref_unused_mend_address(at);
  } else if (base == (ADDRESS | UNIFORM) && ref_bits_get(at, HIGH, 1) == 0) {
    const unsigned negates = opcode == ADDRESS_OF_NUMBER ? 0 : 1; /* RF1359: else the number's sign */
    ref_bits_put(at, THIRD - negates, REGISTER_WIDTH + negates, (unsigned)NO_REGISTER << negates);
  } else if (base == SHIFT || base == (SHIFT | UNIFORM)) {
    ref_unused_mend_shift(at);
  } else if (base == LOGIC || base == (LOGIC | UNIFORM)) {
    ref_unused_mend_logic(at);
  } else if (base == PRODUCT && ref_bits_get(at, EXTENDED, 1) == 0) {
    ref_bits_put(at, CARRY, CARRY_WIDTH, NO_CARRY);
  } else if (opcode == TO_FLOAT || opcode == TO_DOUBLE || opcode == UNIFORM_TO_DOUBLE) {
    ref_unused_mend_conversion(at);
  } else if (opcode == BRANCH && ref_bits_get(at, UNIFORM_BIT, 1) == 0) {
    ref_bits_put(at, FIRST, CARRY_WIDTH, 0); /* a uniform condition */
  } else if (opcode == LOAD && ref_bits_get(at, UNIFORM_BIT, 1) == 0) {
    ref_bits_put(at, SECOND, REGISTER_WIDTH, 0);
    ref_bits_put(at, LOAD_SCALE, 2, 0);
  }
}

void ref_unused_clear(uint8_t *instruction) {
  enum { TABLE_BYTE = 9 };
  const ref_unused_row *row = ref_unused_find(ref_u16(instruction) & OPCODE_BITS);
  const unsigned table = instruction[TABLE_BYTE];
  if (row != NULL) {
    ref_put_u64(instruction, (ref_u64(instruction) & ~row->low) | row->low_value);
    ref_put_u64(instruction + WORD, (ref_u64(instruction + WORD) & ~row->high) | row->high_value);
  }
  ref_unused_mend_values(instruction);
  ref_unused_mend_uniform_logic(instruction, table);
  ref_unused_mend_lacking(instruction);
}
