/* RF1220: what a load or store of constant, local, global or generic memory, and a read of a special register, is in the SASS text: all of it but its
 * times is in its record. First, second, third and fourth byte say which instruction; where a number in the record is beyond those that it can
 * have, one stands for all others (`most`, `beyond`), and of a register of a kind that the instruction cannot have nvlink makes a word of zeros. */
#include "bits.h"
#include "capsule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  WORD = 8,
  LEAST_RECORD = 4,
  TIMES_BIT = 105 - 64, /* of the upper word */
  OPCODE_WIDTH = 12,
  NO_BIT = 0,
  FIELDS = 10,
  OPERANDS = 2,
  KIND_WIDTH = 5, /* of a register's kind, whose sixth bit does not count */
  VECTOR = 0x0f,  /* kinds of one register or two */
  UNIFORM = 0xcf,
  SINGLE = 0x03,
  ZEROS = 0xff /* instead of a number beyond */
};

/* `most`: the largest number that counts, 0: all do. */
typedef struct ref_form_field {
  uint8_t sass, record, width, most, beyond;
} ref_form_field;

/* The kind of a register, at a bit of the record, and a mask of those allowed; NO_BIT: any. */
typedef struct ref_form_operand {
  uint8_t record, allowed;
} ref_form_operand;

typedef enum ref_form_place {
  REF_FORM_NOWHERE,
  REF_FORM_CONSTANTS, /* bank and offset */
  REF_FORM_SPECIAL    /* one of what the driver keeps in bank 0, or a special register */
} ref_form_place;

typedef struct ref_form {
  uint8_t record[LEAST_RECORD];
  uint16_t opcode;
  uint64_t low, high; /* what all such instructions have beside the opcode */
  uint8_t offset;     /* first bit of a load's offset in its bank, which counts bytes */
  ref_form_place place;
  uint8_t order, lanes; /* first bits of the record's numbers for order and scope, and for a predicate; NO_BIT */
  ref_form_operand operands[OPERANDS];
  ref_form_field fields[FIELDS];
} ref_form;

#define REF_GUARD {12, 35, 3, 0, 0}, {15, 32, 1, 0, 0}
#define REF_RESULT(bit) {16, bit, 8, 0, 0}
#define REF_ADDRESS(bit) {24, bit, 8, 0, 0}
#define REF_SOURCE(bit) {32, bit, 8, 0, 0}
#define REF_DESCRIPTOR(bit) {64, bit, 8, 0, 0}
#define REF_OFFSET {40, 224, 24, 0, 0}
#define REF_SIZE_OF_CONSTANT {73, 52, 4, 5, ZEROS}
#define REF_SIZE_OF_UNIFORM {73, 52, 4, 6, ZEROS}
#define REF_SIZE_OF_LOCAL {73, 52, 4, 6, 4}
#define REF_SIZE(bit) {73, bit, 4, 6, 7}
#define REF_CACHING_OF_LOCAL {84, 56, 4, 5, ZEROS}
#define REF_CACHING(bit) {84, bit, 4, 5, 7}
#define REF_PREFETCH(bit) {68, bit, 3, 3, 3}, {67, 68, 1, 0, 0}
#define REF_NO_ADDRESS 0xff000000u
#define REF_UNIFORM_LOAD (UINT64_C(1) << (91 - 64))
#define REF_WIDE_ADDRESS (UINT64_C(1) << (72 - 64))
#define REF_DESCRIBED (REF_WIDE_ADDRESS | UINT64_C(1) << (76 - 64) | UINT64_C(3) << (90 - 64))

/* clang-format off */
static const ref_form forms[] = {
    /* LDC and LDCU */
    {{0x02, 0x22, 0x0e, 0x06}, 0xb82, REF_NO_ADDRESS, 0, 38, REF_FORM_CONSTANTS, NO_BIT, NO_BIT, {{80, VECTOR}},
     {REF_GUARD, REF_RESULT(86), REF_SIZE_OF_CONSTANT}},
    {{0x02, 0x22, 0x0c, 0x06}, 0xb82, 0, 0, 38, REF_FORM_CONSTANTS, NO_BIT, NO_BIT, {{80, VECTOR}, {112, SINGLE}},
     {REF_GUARD, REF_RESULT(86), REF_ADDRESS(118), REF_SIZE_OF_CONSTANT}},
    {{0x02, 0x22, 0x08, 0x06}, 0x7ac, REF_NO_ADDRESS, REF_UNIFORM_LOAD, 37, REF_FORM_CONSTANTS, NO_BIT, NO_BIT, {{80, UNIFORM}},
     {REF_GUARD, REF_RESULT(86), REF_SIZE_OF_UNIFORM}},
    {{0x02, 0x22, 0x0a, 0x06}, 0x7ac, 0, REF_UNIFORM_LOAD, 37, REF_FORM_CONSTANTS, NO_BIT, NO_BIT, {{80, UNIFORM}},
     {REF_GUARD, REF_RESULT(86), REF_ADDRESS(118), REF_SIZE_OF_UNIFORM}},
    /* those of what the driver keeps in bank 0, S2R and S2UR */
    {{0x01, 0x0b, 0x04, 0x0a}, 0xb82, REF_NO_ADDRESS, 0, 38, REF_FORM_SPECIAL, NO_BIT, NO_BIT, {{80, VECTOR}},
     {REF_GUARD, REF_RESULT(86)}},
    {{0x01, 0x0b, 0x0c, 0x0a}, 0xb82, REF_NO_ADDRESS, 0, 38, REF_FORM_SPECIAL, NO_BIT, NO_BIT, {{80, VECTOR}},
     {REF_GUARD, REF_RESULT(86)}},
    {{0x01, 0x0b, 0x06, 0x0a}, 0x7ac, REF_NO_ADDRESS, REF_UNIFORM_LOAD, 37, REF_FORM_SPECIAL, NO_BIT, NO_BIT, {{80, UNIFORM}},
     {REF_GUARD, REF_RESULT(86)}},
    {{0x01, 0x0b, 0x0e, 0x0a}, 0x7ac, REF_NO_ADDRESS, REF_UNIFORM_LOAD, 37, REF_FORM_SPECIAL, NO_BIT, NO_BIT, {{80, UNIFORM}},
     {REF_GUARD, REF_RESULT(86)}},
    /* LDL and STL */
    {{0x02, 0x22, 0x28, 0x06}, 0x983, 0, 0, 0, REF_FORM_NOWHERE, NO_BIT, NO_BIT, {{80, UNIFORM}, {96, SINGLE}},
     {REF_GUARD, REF_RESULT(86), REF_ADDRESS(102), REF_OFFSET, REF_SIZE_OF_LOCAL, REF_CACHING_OF_LOCAL}},
    {{0x02, 0x38, 0x20, 0x06}, 0x387, 0, 0, 0, REF_FORM_NOWHERE, NO_BIT, NO_BIT, {{80, SINGLE}, {112, UNIFORM}},
     {REF_GUARD, REF_ADDRESS(86), REF_SOURCE(118), REF_OFFSET, REF_SIZE_OF_LOCAL, REF_CACHING_OF_LOCAL}},
    /* STG, ST, LD, and an LD without a descriptor */
    {{0x02, 0x38, 0x0e, 0x32}, 0x986, 0, REF_DESCRIBED, 0, REF_FORM_NOWHERE, 60, NO_BIT, {{NO_BIT, 0}},
     {REF_GUARD, REF_ADDRESS(102), REF_SOURCE(158), REF_DESCRIPTOR(142), REF_OFFSET, REF_SIZE(52), REF_CACHING(56)}},
    {{0x02, 0x38, 0x2a, 0x32}, 0x985, 0, REF_DESCRIBED, 0, REF_FORM_NOWHERE, 56, NO_BIT, {{NO_BIT, 0}},
     {REF_GUARD, REF_ADDRESS(102), REF_SOURCE(158), REF_DESCRIPTOR(142), REF_OFFSET, REF_SIZE(48), REF_CACHING(52)}},
    {{0x02, 0x22, 0x32, 0x32}, 0x980, 0, REF_DESCRIBED, 0, REF_FORM_NOWHERE, 59, 179, {{NO_BIT, 0}},
     {REF_GUARD, REF_RESULT(102), REF_ADDRESS(118), REF_SOURCE(158), REF_OFFSET, REF_PREFETCH(56), REF_SIZE(48), REF_CACHING(52)}},
    {{0x02, 0x22, 0x3c, 0x32}, 0x980, 0, REF_WIDE_ADDRESS, 0, REF_FORM_NOWHERE, 59, NO_BIT, {{NO_BIT, 0}},
     {REF_GUARD, REF_RESULT(102), REF_ADDRESS(118), REF_OFFSET, REF_PREFETCH(56), REF_SIZE(48), REF_CACHING(52)}},
};
/* clang-format on */

/* By the low byte of the record's number. */
typedef struct ref_form_number {
  uint16_t number, meaning;
} ref_form_number;

/* 0x400 and on: offsets in bank 0; from sm_100 on all are alike. */
static const ref_form_number kept[] = {
    {0x00, 0x37c}, {0x01, 0x360}, {0x02, 0x364}, {0x03, 0x368}, {0x04, 0x370}, {0x05, 0x374}, {0x06, 0x378},
    {0x07, 0x36c}, {0x0f, 0x140}, {0x22, 0x0d0}, {0x23, 0x0d4}, {0x24, 0x0d8}, {0x25, 0x0dc}, {0x26, 0x0e0},
    {0x27, 0x0e4}, {0x28, 0x0e8}, {0x29, 0x0ec}, {0x2a, 0x0f0}, {0x2b, 0x0f4}, {0x2c, 0x0f8}, {0x2d, 0x0fc},
    {0x2e, 0x100}, {0x2f, 0x104}, {0x30, 0x108}, {0x31, 0x10c}, {0x32, 0x2d0}, {0x33, 0x16c}, {0x34, 0x150},
    {0x35, 0x158}, {0x36, 0x160}, {0x39, 0x358}, {0x3a, 0x348}, {0x3b, 0x350}, {0x3d, 0x120}, {0x3e, 0x128},
    {0x44, 0x2f8}, {0x45, 0x2fc}, {0x46, 0x2e8}};

/* 0x200 and on: numbers of special registers; of those not here some are read by another instruction. */
static const ref_form_number special[] = {{0x00, 0x00}, {0x01, 0x21}, {0x02, 0x22}, {0x03, 0x23}, {0x04, 0x25},
                                          {0x05, 0x26}, {0x06, 0x27}, {0x07, 0x38}, {0x08, 0x39}, {0x09, 0x3a},
                                          {0x0a, 0x3b}, {0x0b, 0x3c}, {0x2a, 0x32}, {0x2b, 0x43}, {0x2c, 0x88},
                                          {0x2d, 0x2f}, {0x2e, 0x30}, {0x2f, 0x02}, {0x30, 0x03}, {0x31, 0x37}};

#define REF_COUNT(items) (sizeof(items) / sizeof *(items))

static bool ref_forms_mean(const ref_form_number *numbers, size_t count, unsigned number, unsigned *meaning) {
  for (size_t i = 0; i < count; i++) {
    if (numbers[i].number == number) {
      *meaning = numbers[i].meaning;
      return true;
    }
  }
  return false;
}

static const ref_form *ref_forms_find(const uint8_t *record, size_t size) {
  for (size_t i = 0; size >= LEAST_RECORD && i < REF_COUNT(forms); i++) {
    if (memcmp(record, forms[i].record, LEAST_RECORD) == 0 && size == (size_t)record[0] * INSTRUCTION) {
      return &forms[i];
    }
  }
  return NULL;
}

/* The bank of a load, and what its offset counts from; of tables of textures, and of spaces that no compiler writes, both are as they were. */
static void ref_forms_put_constants(const ref_form *form, const uint8_t *record, const uint8_t *old, uint8_t *made) {
  enum { SPACE = 12, BANK = 54, BANK_WIDTH = 5, OFFSET = 28, PARAMETERS = 0x40, SPACES = 9 };
  enum { PARAMETERS_BASE = 0x380, DESCRIPTORS_BASE = 0x170 };
  static const struct {
    uint8_t is_known, bank;
    uint16_t base;
  } spaces[SPACES] = {{1, 0, PARAMETERS_BASE}, {1, 2, 0}, {1, 3, 0}, {0}, {0}, {0}, {0}, {1, 4, 0},
                      {1, 0, DESCRIPTORS_BASE}};
  const unsigned space = ref_u16(record + SPACE) - PARAMETERS, width = BANK - form->offset;
  if (space < SPACES && spaces[space].is_known != 0) {
    ref_bits_put(made, form->offset, width, (spaces[space].base + ref_u32(record + OFFSET)) & ((1u << width) - 1));
    ref_bits_put(made, BANK, BANK_WIDTH, spaces[space].bank);
  } else if (ref_bits_get(old, 0, OPCODE_WIDTH) == form->opcode) {
    ref_bits_put(made, form->offset, width, ref_bits_get(old, form->offset, width));
    ref_bits_put(made, BANK, BANK_WIDTH, ref_bits_get(old, BANK, BANK_WIDTH));
  }
}

/* False: which one it is, is not known. */
static bool ref_forms_put_special(const ref_form *form, const uint8_t *record, uint8_t *made) {
  enum { NUMBER = 12, KEPT = 4, SPECIAL = 2, WIDE_BIT = 19, SIZE = 73, SIZE_WIDTH = 3, SIZE_32 = 4, REGISTER = 72 };
  const bool is_wide = ref_bits_get(record, WIDE_BIT, 1) != 0, is_uniform = form->high == REF_UNIFORM_LOAD;
  const unsigned number = record[NUMBER], group = record[NUMBER + 1];
  unsigned meaning = 0;
  if (group == KEPT && ref_forms_mean(kept, REF_COUNT(kept), number, &meaning)) {
    ref_bits_put(made, form->offset, 16, meaning);
    ref_bits_put(made, SIZE, SIZE_WIDTH, SIZE_32 + is_wide);
    return true;
  }
  if (group != SPECIAL || is_wide || !ref_forms_mean(special, REF_COUNT(special), number, &meaning)) {
    return false;
  }
  ref_bits_put(made, 0, OPCODE_WIDTH, is_uniform ? 0x9c3 : 0x919);
  ref_bits_put(made, 24, 8, 0);
  ref_put_u64(made + WORD, 0);
  ref_bits_put(made, REGISTER, 8, meaning);
  return true;
}

/* False: the instruction has a register, or a number, that it cannot have. */
static bool ref_forms_put_fields(const ref_form *form, const uint8_t *record, uint8_t *made) {
  bool is_right = true;
  for (size_t i = 0; i < OPERANDS && form->operands[i].record != NO_BIT; i++) {
    const unsigned kind = ref_bits_get(record, form->operands[i].record, KIND_WIDTH);
    is_right = is_right && kind < 8 && (form->operands[i].allowed >> kind & 1) != 0;
  }
  for (size_t i = 0; i < FIELDS && form->fields[i].width != 0; i++) {
    const ref_form_field *field = &form->fields[i];
    unsigned value = ref_bits_get(record, field->record, field->width);
    if (field->most != 0 && value > field->most) {
      is_right = is_right && field->beyond != ZEROS;
      value = field->beyond;
    }
    ref_bits_put(made, field->sass, field->most == 0 ? field->width : field->width - 1u, value);
  }
  return is_right;
}

static void ref_forms_put_order(const ref_form *form, const uint8_t *record, uint8_t *made) {
  enum { ORDER_WIDTH = 7, ORDER = 77, LANES_WIDTH = 5, NO_LANES = 7, LANES = 64 };
  static const ref_form_number orders[] = {{10, 5}, {18, 7}, {26, 7}, {34, 10}};
  if (form->order != NO_BIT) {
    const unsigned number = ref_bits_get(record, form->order, ORDER_WIDTH);
    unsigned order = 0;
    if (!ref_forms_mean(orders, REF_COUNT(orders), number, &order) && form->opcode == 0x980 && number == 0) {
      order = 4;
    }
    ref_bits_put(made, ORDER, 4, order);
  }
  if (form->lanes != NO_BIT) {
    const unsigned lanes = ref_bits_get(record, form->lanes, LANES_WIDTH);
    ref_bits_put(made, LANES, 3, lanes < NO_LANES ? NO_LANES - lanes : 0);
  }
}

bool ref_forms_write(const uint8_t *record, size_t size, uint8_t *instruction) {
  const ref_form *form = ref_forms_find(record, size);
  uint8_t made[INSTRUCTION];
  if (form == NULL) {
    return false;
  }
  ref_put_u64(made, form->low | form->opcode);
  ref_put_u64(made + WORD, form->high);
  if (form->place == REF_FORM_SPECIAL && !ref_forms_put_special(form, record, made)) {
    return false;
  }
  if (form->place == REF_FORM_CONSTANTS) {
    ref_forms_put_constants(form, record, instruction, made);
  }
  ref_forms_put_order(form, record, made);
  if (!ref_forms_put_fields(form, record, made)) {
    memset(made, 0, sizeof made);
  }
  const uint64_t times = UINT64_MAX << TIMES_BIT;
  ref_put_u64(made + WORD, (ref_u64(made + WORD) & ~times) | (ref_u64(instruction + WORD) & times));
  memcpy(instruction, made, sizeof made);
  return true;
}
