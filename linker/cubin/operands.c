/* Which registers instructions write and read (L1676). Loads, stores, conversions and the like stand in a table; arithmetic has
 * its operands where the three upper bits of its opcode say. Of opcodes that are neither nothing is known. Waits of 3,500 texts
 * of compilers, 43,000 in all, are as these operands ask. */
#include "cubin/operands.h"

#include "base/bytes.h"

enum { LANES = TL_FILE_LANES, UNIFORM = TL_FILE_UNIFORM, OPCODE = 0xfff, KIND = 0x1ff, NONE = 0xff };
/* How many registers: a number, or what a field of the instruction says. */
enum { SIZED = 0x80, ADDRESS = 0x81, WIDE = 0x82, IF_UNIFORM = 0x40 /* where bit 91 is set, beside a number */ };

typedef struct operand_part {
  uint8_t at, file, count;
} operand_part;

typedef struct operand_row {
  uint16_t opcode;
  operand_part result, sources[3];
} operand_row;

static const operand_row operand_rows[] = {
    {0x980, {16, LANES, SIZED}, {{24, LANES, ADDRESS}, {32, UNIFORM, IF_UNIFORM | 2}}},
    {0x981, {16, LANES, SIZED}, {{24, LANES, ADDRESS}, {32, UNIFORM, IF_UNIFORM | 2}}},
    {0x983, {16, LANES, SIZED}, {{24, LANES, 1}, {32, UNIFORM, IF_UNIFORM | 1}}},
    {0x984, {16, LANES, SIZED}, {{24, LANES, 1}, {32, UNIFORM, IF_UNIFORM | 1}}},
    {0x98a, {16, LANES, SIZED}, {{24, LANES, 1}, {32, UNIFORM, IF_UNIFORM | 2}}},
    {0x985, {0, 0, 0}, {{24, LANES, ADDRESS}, {32, LANES, SIZED}, {64, UNIFORM, IF_UNIFORM | 2}}},
    {0x986, {0, 0, 0}, {{24, LANES, ADDRESS}, {32, LANES, SIZED}, {64, UNIFORM, IF_UNIFORM | 2}}},
    {0x387, {0, 0, 0}, {{24, LANES, 1}, {32, LANES, SIZED}, {64, UNIFORM, IF_UNIFORM | 1}}},
    {0x388, {0, 0, 0}, {{24, LANES, 1}, {32, LANES, SIZED}, {64, UNIFORM, IF_UNIFORM | 1}}},
    {0x988, {0, 0, 0}, {{24, LANES, 1}, {32, LANES, SIZED}, {64, UNIFORM, IF_UNIFORM | 1}}},
    {0xb82, {16, LANES, SIZED}, {{24, LANES, 1}}},
    {0x7ac, {16, UNIFORM, SIZED}, {{24, UNIFORM, 1}}},
    {0x919, {16, LANES, 1}, {{0, 0, 0}}},
    {0x805, {16, LANES, WIDE}, {{0, 0, 0}}},
    {0x9c3, {16, UNIFORM, 1}, {{0, 0, 0}}},
    {0x8cb, {16, UNIFORM, WIDE}, {{0, 0, 0}}},
    {0x2ca, {16, UNIFORM, 1}, {{24, LANES, 1}}},
    {0x3c4, {16, UNIFORM, 1}, {{24, LANES, 1}}},
    {0x308, {16, LANES, 1}, {{32, LANES, 1}}},
    {0xd08, {16, LANES, 1}, {{32, UNIFORM, 1}}},
    {0x300, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x301, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x304, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x305, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x306, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x307, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x309, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x312, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x313, {16, LANES, 1}, {{32, LANES, 1}}},
    {0x311, {16, LANES, 1}, {{32, LANES, 2}}},
    {0x245, {16, LANES, 1}, {{32, LANES, 1}}},
    {0xc45, {16, LANES, 1}, {{32, UNIFORM, 1}}},
    {0xd00, {16, LANES, 1}, {{32, UNIFORM, 1}}},
    {0xd05, {16, LANES, 1}, {{32, UNIFORM, 1}}},
    {0xd09, {16, LANES, 1}, {{32, UNIFORM, 1}}},
    {0xd11, {16, LANES, 1}, {{32, UNIFORM, 2}}},
    {0xd12, {16, LANES, 1}, {{32, UNIFORM, 1}}},
    {0x906, {16, LANES, 1}, {{0, 0, 0}}},
    {0x343, {0, 0, 0}, {{24, LANES, 2}}},
    {0x949, {0, 0, 0}, {{24, LANES, 2}}},
    {0x950, {0, 0, 0}, {{24, LANES, 2}}},
    {0x94e, {16, LANES, 2}, {{0, 0, 0}}},
    {0x355, {16, LANES, 1}, {{0, 0, 0}}},
    {0x356, {0, 0, 0}, {{32, LANES, 1}}},
    {0x38a, {16, LANES, SIZED}, {{24, LANES, 2}, {32, LANES, SIZED}}},
    {0x3a8, {16, LANES, SIZED}, {{24, LANES, 2}, {32, LANES, SIZED}}},
    {0x3a9, {16, LANES, SIZED}, {{24, LANES, 2}, {32, LANES, SIZED}}},
    {0x9a8, {16, LANES, SIZED}, {{24, LANES, 2}, {32, LANES, SIZED}}},
    {0x235, {16, LANES, 2}, {{24, LANES, 2}, {32, LANES, 2}}},
    {0x835, {16, LANES, 2}, {{24, LANES, 2}}},
    {0xc35, {16, LANES, 2}, {{24, LANES, 2}, {32, UNIFORM, 2}}},
    {0x402, {16, LANES, 2}, {{0, 0, 0}}},
    {0x482, {16, UNIFORM, 2}, {{0, 0, 0}}},
};

static uint8_t operands_field(const uint8_t *at, unsigned first, unsigned width) {
  const uint64_t word = first < 64 ? tl_get64(at) >> first : tl_get64(at + 8) >> (first - 64);
  return (uint8_t)(word & ((1U << width) - 1));
}

static void operands_add(tl_operands *o, bool write, tl_register_range range) {
  uint8_t *const count = write ? &o->write_count : &o->read_count;
  const uint8_t none = range.file <= UNIFORM ? NONE : 7;
  if (range.first != none && range.count && *count < TL_OPERANDS_MOST)
    (write ? o->writes : o->reads)[(*count)++] = range;
}

static uint8_t operands_count(const uint8_t *at, uint8_t count) {
  enum { SIZE = 73, BIT_ADDRESS = 72, BIT_WIDE = 80, BIT_UNIFORM = 91 };
  static const uint8_t sizes[] = {1, 1, 1, 1, 1, 2, 4, 4};
  if (count == SIZED)
    return sizes[operands_field(at, SIZE, 3)];
  if (count == ADDRESS || count == WIDE)
    return operands_field(at, count == ADDRESS ? BIT_ADDRESS : BIT_WIDE, 1) ? 2 : 1;
  if (count & IF_UNIFORM)
    return operands_field(at, BIT_UNIFORM, 1) ? count & ~IF_UNIFORM & 7 : 0;
  return count;
}

static void operands_part(tl_operands *o, bool write, const uint8_t *at, operand_part part) {
  const uint8_t count = part.count ? operands_count(at, part.count) : 0;
  if (count)
    operands_add(o, write, (tl_register_range){part.file, operands_field(at, part.at, 8), count, false});
}

static void operands_condition(tl_operands *o, bool write, const uint8_t *at, unsigned first, bool uniform) {
  const uint8_t file = uniform ? TL_FILE_UNIFORM_CONDITION : TL_FILE_CONDITION;
  operands_add(o, write, (tl_register_range){file, operands_field(at, first, 3), 1, false});
}

/* What a branch, a return and the like hangs on, beside its guard. False for another opcode. */
static bool operands_read_control(tl_operands *o, const uint8_t *at, uint16_t opcode) {
  enum { CONDITION = 87, UNIFORM_CONDITION = 24, BRANCH_UNIFORM = 0x547 };
  static const uint16_t plain[] = {0x918, 0x91b, 0x941, 0x944, 0x945, 0x95c, 0x95d, 0x992,
                                   0x9ab, 0x5ab, 0x348, 0xb1d, 0x98f, 0x343, 0x949};
  static const uint16_t conditional[] = {0x942, 0x943, 0x946, 0x947, 0x948, 0x94d, 0x950, BRANCH_UNIFORM};
  if (opcode == BRANCH_UNIFORM)
    operands_condition(o, false, at, UNIFORM_CONDITION, true);
  if (TL_AMONG16(conditional, opcode))
    operands_condition(o, false, at, CONDITION, false);
  return TL_AMONG16(plain, opcode) || TL_AMONG16(conditional, opcode);
}

static bool operands_read_row(tl_operands *o, const uint8_t *at, uint16_t opcode) {
  for (size_t i = 0; i < sizeof operand_rows / sizeof *operand_rows; i++) {
    const operand_row *const row = &operand_rows[i];
    if (row->opcode != opcode)
      continue;
    operands_part(o, true, at, row->result);
    for (size_t k = 0; k < sizeof row->sources / sizeof *row->sources; k++)
      operands_part(o, false, at, row->sources[k]);
    return true;
  }
  return false;
}

/* --- arithmetic --- */

static bool operands_is_uniform(uint16_t opcode) {
  enum { FIRST = 0x80, LAST = 0xbf };
  const unsigned kind = opcode & KIND;
  return opcode == 0x9c3 || opcode == 0x7ac || opcode == 0x8cb ||
         (kind >= FIRST && kind <= LAST && kind != 0x83 && kind != 0x84);
}

static void operands_conditions(tl_operands *o, const uint8_t *at, unsigned kind, bool uniform) {
  static const struct {
    uint8_t kind, writes[2], reads[3];
  } rows[] = {
      {0x0c, {81, 84}, {87, 68}},
      {0x8c, {81, 84}, {87, 68}},
      {0x0b, {81, 84}, {87}},
      {0x1c, {81, 84}, {87, 77, 68}},
      {0x9c, {81, 84}, {87, 77, 68}},
      {0x10, {81, 84}, {87, 77}},
      {0x11, {81, 84}, {87, 77}},
      {0x90, {81, 84}, {87, 77}},
      {0x91, {81, 84}, {87, 77}},
      {0x12, {81}, {87}},
      {0x92, {81}, {87}},
      {0x24, {81}, {87}},
      {0x25, {81}, {87}},
      {0x27, {81}, {87}},
      {0xa4, {81}, {87}},
      {0xa5, {81}, {87}},
      {0x07, {0}, {87}},
      {0x09, {0}, {87}},
      {0x87, {0}, {87}},
      {0x88, {0}, {87}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].kind != kind)
      continue;
    for (unsigned k = 0; k < 2 && rows[i].writes[k]; k++)
      operands_condition(o, true, at, rows[i].writes[k], uniform);
    for (unsigned k = 0; k < 3 && rows[i].reads[k]; k++)
      operands_condition(o, false, at, rows[i].reads[k], uniform);
  }
}

/* How wide the operands of arithmetic are, and which it has: of its result, and its first, second and third source. */
typedef struct operand_shape {
  uint8_t kind, result, sources[3];
} operand_shape;

static operand_shape operands_shape(unsigned kind, unsigned form) {
  static const operand_shape shapes[] = {
      {0x02, 1, {0, 1, 0}}, {0x82, 1, {0, 1, 0}}, {0x0c, 0, {1, 1, 0}}, {0x8c, 0, {1, 1, 0}}, {0x0b, 0, {1, 1, 0}},
      {0x1c, 0, {0, 0, 0}}, {0x9c, 0, {0, 0, 0}}, {0x2b, 2, {2, 2, 2}}, {0x28, 2, {2, 2, 0}}, {0x29, 2, {2, 0, 2}},
      {0x25, 2, {1, 1, 2}}, {0xa5, 2, {1, 1, 2}}, {0x20, 1, {1, 1, 0}}, {0x21, 1, {1, 1, 0}}, {0x36, 1, {1, 1, 0}},
      {0x07, 1, {1, 1, 0}}, {0x09, 1, {1, 1, 0}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (shapes[i].kind == kind) {
      operand_shape shape = shapes[i];
      if (kind == 0x29 && form == 6) /* a sum's second source is the one of all lanes */
        shape.sources[1] = 2;
      if (kind == 0x21 && form == 2) /* a number, and nothing in the third's place */
        shape.sources[1] = 0;
      if (kind == 0x21 && form == 7) /* L1838: the one of all lanes is the sum's second */
        shape.sources[2] = 1;
      return shape;
    }
  return (operand_shape){(uint8_t)kind, 1, {1, 1, 1}};
}

/* The forms: which of the last two sources is a register, where it stands, and whether of all lanes. */
static void operands_read_sources(tl_operands *o, const uint8_t *at, uint16_t opcode, operand_shape shape) {
  enum { RESULT = 16, FIRST = 24, SECOND = 32, THIRD = 64, FORM = 9, FORMS = 8 };
  static const struct {
    uint8_t second, third;
    bool second_uniform, third_uniform;
  } forms[FORMS] = {
      [1] = {SECOND, THIRD, false, false}, [2] = {THIRD, 0, false, false}, [3] = {THIRD, 0, false, false},
      [4] = {0, THIRD, false, false},      [5] = {0, THIRD, false, false}, [6] = {SECOND, THIRD, true, false},
      [7] = {THIRD, SECOND, false, true}};
  const unsigned form = opcode >> FORM;
  const uint8_t file = operands_is_uniform(opcode) ? UNIFORM : LANES;
  operands_part(o, true, at, (operand_part){RESULT, file, shape.result});
  operands_part(o, false, at, (operand_part){FIRST, file, shape.sources[0]});
  if (forms[form].second)
    operands_part(o, false, at,
                  (operand_part){forms[form].second, forms[form].second_uniform ? UNIFORM : file, shape.sources[1]});
  if (forms[form].third)
    operands_part(o, false, at,
                  (operand_part){forms[form].third, forms[form].third_uniform ? UNIFORM : file, shape.sources[2]});
}

static void operands_read_arithmetic(tl_operands *o, const uint8_t *at, uint16_t opcode) {
  const unsigned kind = opcode & KIND;
  operands_read_sources(o, at, opcode, operands_shape(kind, opcode >> 9));
  operands_conditions(o, at, kind, operands_is_uniform(opcode));
}

void tl_operands_read(tl_operands *operands, const uint8_t *instruction) {
  enum { NOP = 0x918, GUARD = 12 };
  static const uint16_t known[] = {0x02, 0x07, 0x09, 0x0b, 0x0c, 0x10, 0x11, 0x12, 0x16, 0x19, 0x1c,
                                   0x20, 0x21, 0x23, 0x24, 0x25, 0x27, 0x28, 0x29, 0x2b, 0x31, 0x36,
                                   0x82, 0x8c, 0x90, 0x91, 0x92, 0x99, 0x9c, 0xa4, 0xa5};
  const uint16_t opcode = tl_get16(instruction) & OPCODE;
  const bool uniform = operands_is_uniform(opcode);
  const uint8_t file = uniform ? TL_FILE_UNIFORM_CONDITION : TL_FILE_CONDITION;
  *operands = (tl_operands){.known = true};
  if (opcode == NOP)
    return;
  operands_add(operands, false, (tl_register_range){file, operands_field(instruction, GUARD, 3), 1, true});
  const bool controls = operands_read_control(operands, instruction, opcode);
  if (operands_read_row(operands, instruction, opcode) || controls)
    return;
  operands->known = TL_AMONG16(known, opcode & KIND);
  if (operands->known)
    operands_read_arithmetic(operands, instruction, opcode);
}

/* L1856: arithmetic of which the cycles' rules know nothing: each with its result, its three sources and where its conditions stand. */
typedef struct operand_more {
  uint8_t kind, result, sources[3], writes[2], reads;
} operand_more;

void tl_operands_read_more(tl_operands *operands, const uint8_t *instruction) {
  static const operand_more rows[] = {
      {0x08, 1, {1, 1, 0}, {0, 0}, 87}, {0x13, 1, {0, 1, 0}, {0, 0}, 0},    {0x1a, 1, {1, 1, 0}, {0, 0}, 0},
      {0x26, 1, {1, 1, 1}, {0, 0}, 0},  {0x2a, 0, {2, 2, 0}, {81, 84}, 87}, {0x30, 1, {1, 1, 0}, {0, 0}, 0},
      {0x32, 1, {1, 1, 0}, {0, 0}, 0},  {0x34, 0, {1, 1, 0}, {81, 84}, 87}, {0x3e, 1, {1, 1, 1}, {0, 0}, 0},
      {0x40, 1, {1, 1, 0}, {0, 0}, 87}, {0x48, 1, {1, 1, 0}, {0, 0}, 87},   {0x76, 1, {1, 1, 1}, {0, 0}, 87},
  };
  tl_operands_read(operands, instruction);
  const uint16_t opcode = tl_get16(instruction) & OPCODE;
  if (opcode == 0x312 || opcode == 0xd12) /* a double number */
    operands->writes[0].count = 2;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !operands->known; i++) {
    if (rows[i].kind != (opcode & KIND))
      continue;
    operands_read_sources(
        operands, instruction, opcode,
        (operand_shape){rows[i].kind, rows[i].result, {rows[i].sources[0], rows[i].sources[1], rows[i].sources[2]}});
    for (unsigned k = 0; k < 2 && rows[i].writes[k]; k++)
      operands_condition(operands, true, instruction, rows[i].writes[k], false);
    if (rows[i].reads)
      operands_condition(operands, false, instruction, rows[i].reads, false);
    operands->known = true;
  }
}

bool tl_operands_meet(const tl_register_range *a, unsigned a_count, const tl_register_range *b, unsigned b_count,
                      bool lanes) {
  for (unsigned i = 0; i < a_count; i++)
    for (unsigned k = 0; k < b_count; k++)
      if (a[i].file == b[k].file && a[i].first < b[k].first + b[k].count && b[k].first < a[i].first + a[i].count &&
          (!lanes || a[i].file == LANES))
        return true;
  return false;
}
