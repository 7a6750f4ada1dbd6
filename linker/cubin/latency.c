/* Cycles between instructions of sm_100 to sm_110 (L1677): the next one goes on when the results that it reads are there, when
 * its unit has taken what came before, and behind the last of a block all results. Results of variable length have a barrier. The
 * numbers were measured on 130,000 instructions of compilers, of which 98.3 % are as this file says. */
#include "cubin/latency.h"

#include "base/bytes.h"
#include "cubin/blocks.h"
#include "cubin/code.h"
#include "cubin/control.h"
#include "cubin/pending.h"

enum { OPCODE = 0xfff, KIND = TL_CONTROL_KIND, VARIABLE = 0x100, REACH = 16, LONGEST = TL_CONTROL_STALL_MAX };

/* What computes: integers and moves, products and sums of floats, the upper half of a product, products of two words, pairs of halves,
 * doubles, pairs of words, moves of immediates to uniform registers and other arithmetic of these, moves to them; what loads and
 * stores, loads of constants by both, conversions; what ends a block by a call or for all lanes, and by a branch. */
typedef enum latency_class {
  CLASS_NONE,
  CLASS_INTEGER,
  CLASS_FLOAT,
  CLASS_UPPER,
  CLASS_WIDE,
  CLASS_HALVES,
  CLASS_DOUBLE,
  CLASS_PAIR,
  CLASS_UNIFORM_MOVE,
  CLASS_UNIFORM,
  CLASS_TO_UNIFORM,
  CLASS_MEMORY,
  CLASS_CONSTANT,
  CLASS_UNIFORM_CONSTANT,
  CLASS_CONVERT,
  CLASS_CALL,
  CLASS_BRANCH
} latency_class;

typedef struct latency_row {
  uint16_t number; /* an opcode, or a kind */
  uint8_t class;
} latency_row;

static const latency_row latency_opcodes[] = {
    {0x387, CLASS_MEMORY},       {0x388, CLASS_MEMORY},     {0x983, CLASS_MEMORY},
    {0x984, CLASS_MEMORY},       {0x980, CLASS_MEMORY},     {0x981, CLASS_MEMORY},
    {0x985, CLASS_MEMORY},       {0x986, CLASS_MEMORY},     {0x988, CLASS_MEMORY},
    {0x9a8, CLASS_MEMORY},       {0x98a, CLASS_MEMORY},     {0x3a9, CLASS_MEMORY},
    {0x98e, CLASS_MEMORY},       {0x38a, CLASS_MEMORY},     {0xb82, CLASS_CONSTANT},
    {0x9c3, CLASS_CONSTANT},     {0x2ca, CLASS_TO_UNIFORM}, {0x7ac, CLASS_UNIFORM_CONSTANT},
    {0x882, CLASS_UNIFORM_MOVE}, {0x235, CLASS_PAIR},       {0x835, CLASS_PAIR},
    {0xc35, CLASS_PAIR}};

static const latency_row latency_kinds[] = {
    {0x002, CLASS_INTEGER}, {0x010, CLASS_INTEGER}, {0x00c, CLASS_INTEGER}, {0x012, CLASS_INTEGER},
    {0x019, CLASS_INTEGER}, {0x007, CLASS_INTEGER}, {0x011, CLASS_INTEGER}, {0x016, CLASS_INTEGER},
    {0x01c, CLASS_INTEGER}, {0x00b, CLASS_INTEGER}, {0x009, CLASS_INTEGER}, {0x01a, CLASS_INTEGER},
    {0x045, CLASS_INTEGER}, {0x036, CLASS_FLOAT},   {0x020, CLASS_FLOAT},   {0x023, CLASS_FLOAT},
    {0x024, CLASS_FLOAT},   {0x027, CLASS_UPPER},   {0x025, CLASS_WIDE},    {0x031, CLASS_HALVES},
    {0x028, CLASS_DOUBLE},  {0x029, CLASS_DOUBLE},  {0x02a, CLASS_DOUBLE},  {0x02b, CLASS_DOUBLE},
    {0x105, CLASS_CONVERT}, {0x106, CLASS_CONVERT}, {0x108, CLASS_CONVERT}, {0x110, CLASS_CONVERT},
    {0x111, CLASS_CONVERT}, {0x112, CLASS_CONVERT}, {0x141, CLASS_CALL},    {0x142, CLASS_CALL},
    {0x143, CLASS_CALL},    {0x144, CLASS_CALL},    {0x14a, CLASS_CALL},    {0x14c, CLASS_CALL},
    {0x147, CLASS_BRANCH},  {0x149, CLASS_BRANCH},  {0x14d, CLASS_BRANCH},  {0x150, CLASS_BRANCH}};

/* Cycles from a class to another, by the file of the register. */
typedef struct latency_pair {
  uint8_t from, to, cycles;
} latency_pair;

static const latency_pair latency_lanes[] = {
    {CLASS_INTEGER, CLASS_INTEGER, 4}, {CLASS_FLOAT, CLASS_FLOAT, 4},        {CLASS_INTEGER, CLASS_FLOAT, 5},
    {CLASS_FLOAT, CLASS_INTEGER, 5},   {CLASS_INTEGER, CLASS_MEMORY, 5},     {CLASS_FLOAT, CLASS_MEMORY, 5},
    {CLASS_INTEGER, CLASS_CONVERT, 4}, {CLASS_FLOAT, CLASS_CONVERT, 4},      {CLASS_INTEGER, CLASS_CONSTANT, 4},
    {CLASS_FLOAT, CLASS_CONSTANT, 4},  {CLASS_INTEGER, CLASS_TO_UNIFORM, 5}, {CLASS_FLOAT, CLASS_TO_UNIFORM, 5},
    {CLASS_INTEGER, CLASS_DOUBLE, 6},  {CLASS_FLOAT, CLASS_DOUBLE, 6},       {CLASS_HALVES, CLASS_MEMORY, 5},
    {CLASS_HALVES, CLASS_BRANCH, 4},   {CLASS_HALVES, CLASS_FLOAT, 6},       {CLASS_HALVES, CLASS_DOUBLE, 6},
    {CLASS_HALVES, CLASS_INTEGER, 6},  {CLASS_DOUBLE, CLASS_DOUBLE, 8},      {CLASS_DOUBLE, CLASS_INTEGER, 10},
    {CLASS_DOUBLE, CLASS_FLOAT, 11},   {CLASS_DOUBLE, CLASS_MEMORY, 7},      {CLASS_DOUBLE, CLASS_CONVERT, 6},
    {CLASS_INTEGER, CLASS_BRANCH, 4},  {CLASS_FLOAT, CLASS_BRANCH, 5},       {CLASS_UPPER, CLASS_UPPER, 6},
    {CLASS_UPPER, CLASS_FLOAT, 4},     {CLASS_FLOAT, CLASS_UPPER, 4},        {CLASS_INTEGER, CLASS_UPPER, 5},
    {CLASS_UPPER, CLASS_INTEGER, 5},   {CLASS_FLOAT, CLASS_WIDE, 4},         {CLASS_UPPER, CLASS_WIDE, 4},
    {CLASS_INTEGER, CLASS_WIDE, 5},    {CLASS_UPPER, CLASS_MEMORY, 5},       {CLASS_INTEGER, CLASS_HALVES, 5},
    {CLASS_FLOAT, CLASS_HALVES, 5},    {CLASS_INTEGER, CLASS_PAIR, 6},       {CLASS_FLOAT, CLASS_PAIR, 6},
    {CLASS_WIDE, CLASS_MEMORY, 6},     {CLASS_WIDE, CLASS_FLOAT, 4},         {CLASS_WIDE, CLASS_INTEGER, 5},
    {CLASS_WIDE, CLASS_WIDE, 4}};

static const latency_pair latency_uniform[] = {
    {CLASS_UNIFORM_MOVE, CLASS_INTEGER, 2}, {CLASS_UNIFORM_MOVE, CLASS_FLOAT, 2}, {CLASS_UNIFORM_MOVE, CLASS_DOUBLE, 2},
    {CLASS_UNIFORM_MOVE, CLASS_UNIFORM, 2}, {CLASS_UNIFORM, CLASS_UNIFORM, 4},    {CLASS_UNIFORM, CLASS_INTEGER, 6},
    {CLASS_UNIFORM, CLASS_FLOAT, 6},        {CLASS_UNIFORM, CLASS_MEMORY, 9},     {CLASS_TO_UNIFORM, CLASS_MEMORY, 13}};

static const uint8_t *latency_at(const tl_latency_text *t, uint32_t index) {
  return t->text + (uint64_t)index * TL_CODE_INSTRUCTION;
}

static uint32_t latency_field(const tl_latency_text *t, uint32_t index, unsigned shift, uint32_t mask) {
  return (uint32_t)(tl_get64(latency_at(t, index) + 8) >> shift) & mask;
}

static latency_class latency_lookup(const latency_row *rows, size_t count, unsigned number) {
  for (size_t i = 0; i < count; i++)
    if (rows[i].number == number)
      return (latency_class)rows[i].class;
  return CLASS_NONE;
}

static latency_class latency_class_of(const tl_latency_text *t, uint32_t index) {
  enum { LOAD_SHARED = 0x984, NOWHERE = 0xffff, FIRST_UNIFORM = 0x80, LAST_UNIFORM = 0xbf };
  const uint8_t *const at = latency_at(t, index);
  const unsigned opcode = tl_get16(at) & OPCODE, kind = opcode & KIND;
  if (opcode == LOAD_SHARED && tl_get16(at + 2) == NOWHERE) /* a fence's */
    return CLASS_NONE;
  const latency_class class = latency_lookup(latency_opcodes, sizeof latency_opcodes / sizeof *latency_opcodes, opcode);
  if (class != CLASS_NONE)
    return class;
  return kind >= FIRST_UNIFORM && kind <= LAST_UNIFORM
             ? CLASS_UNIFORM
             : latency_lookup(latency_kinds, sizeof latency_kinds / sizeof *latency_kinds, kind);
}

static uint32_t latency_between(const latency_pair *pairs, size_t count, latency_class from, latency_class to) {
  for (size_t i = 0; i < count; i++)
    if (pairs[i].from == from && pairs[i].to == to)
      return pairs[i].cycles;
  return 0;
}

/* Conditions: a compare's is there for a sum after 4 cycles, for floats after 5, for what hangs on it after 13. */
static uint32_t latency_of_register(const tl_register_range *reads, latency_class from, latency_class to) {
  enum { GUARDS = 13, CARRIES = 4, CARRIES_TO_FLOAT = 5 };
  if (reads->file == TL_FILE_LANES)
    return latency_between(latency_lanes, sizeof latency_lanes / sizeof *latency_lanes, from, to);
  if (reads->file == TL_FILE_UNIFORM)
    return latency_between(latency_uniform, sizeof latency_uniform / sizeof *latency_uniform, from, to);
  if (reads->file != TL_FILE_CONDITION || from != CLASS_INTEGER)
    return 0;
  return reads->guard ? GUARDS : to == CLASS_INTEGER ? CARRIES : to == CLASS_FLOAT ? CARRIES_TO_FLOAT : GUARDS;
}

/* From one instruction to another that reads its results, 0. */
static uint32_t latency_of_results(const tl_latency_text *t, uint32_t from, uint32_t to) {
  const tl_operands *const a = &t->operands[from], *const b = &t->operands[to];
  const bool waits = latency_field(t, from, TL_CONTROL_BARRIER, TL_CONTROL_NO_BARRIER) != TL_CONTROL_NO_BARRIER;
  uint32_t most = 0;
  for (unsigned i = 0; i < b->read_count && !waits; i++)
    if (tl_operands_meet(a->writes, a->write_count, &b->reads[i], 1, false))
      most = (uint32_t)tl_larger(most,
                                 latency_of_register(&b->reads[i], latency_class_of(t, from), latency_class_of(t, to)));
  return most;
}

/* Units that take an instruction of theirs every few cycles. */
typedef enum latency_unit {
  UNIT_NONE,
  UNIT_INTEGERS,
  UNIT_FLOATS,
  UNIT_DOUBLES,
  UNIT_MEMORY,
  UNIT_CONSTANTS
} latency_unit;

static latency_unit latency_unit_of(latency_class class) {
  static const uint8_t units[][2] = {
      {CLASS_INTEGER, UNIT_INTEGERS}, {CLASS_TO_UNIFORM, UNIT_INTEGERS}, {CLASS_FLOAT, UNIT_FLOATS},
      {CLASS_UPPER, UNIT_FLOATS},     {CLASS_WIDE, UNIT_FLOATS},         {CLASS_HALVES, UNIT_FLOATS},
      {CLASS_DOUBLE, UNIT_DOUBLES},   {CLASS_MEMORY, UNIT_MEMORY},       {CLASS_CONSTANT, UNIT_CONSTANTS}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (units[i][0] == class)
      return (latency_unit)units[i][1];
  return UNIT_NONE;
}

static uint32_t latency_of_unit(const tl_latency_text *t, uint32_t from, uint32_t to) {
  static const uint8_t cycles[] = {0, 2, 2, 2, 4, 8};
  const latency_unit unit = latency_unit_of(latency_class_of(t, from));
  return unit == latency_unit_of(latency_class_of(t, to)) ? cycles[unit] : 0;
}

static uint32_t latency_of_itself(const tl_latency_text *t, uint32_t index) {
  enum { BRANCHES = 5, RETURNS = 6, RETURN = 0x950 };
  static const uint16_t ends[] = {0x943, 0x941, 0x94d, 0x343, 0x948, 0x344, 0x944, 0x949, 0x942,
                                  0x946, 0x95c, 0x95d, 0x947, 0x547, 0x348, 0x355, 0x356};
  const unsigned opcode = tl_get16(latency_at(t, index)) & OPCODE;
  return opcode == RETURN ? RETURNS : TL_AMONG16(ends, opcode) ? BRANCHES : 1;
}

/* The barriers of an instruction that the next one waits for (M45h). */
static bool latency_has_waiter(const tl_latency_text *t, uint32_t index) {
  enum { NUMBERS = 0x3f };
  const uint32_t waits = latency_field(t, index + 1, TL_CONTROL_WAIT, NUMBERS);
  const uint32_t write = latency_field(t, index, TL_CONTROL_BARRIER, TL_CONTROL_NO_BARRIER);
  const uint32_t read = latency_field(t, index, TL_CONTROL_BARRIER + 3, TL_CONTROL_NO_BARRIER);
  return (waits >> write | waits >> read) & 1;
}

/* L1807: the loads of nothing that a fence begins with, its parts, and what all lanes wait at. The last part of one is followed by
 * the program, which no table says. */
uint32_t tl_latency_of_fence(const tl_latency_text *t, uint32_t index) {
  enum { LOAD_SHARED = 0x984, NOWHERE = 0xffff, MEMBAR = 0x992, ERROR_BARRIER = 0x9ab, GRID_BARRIER = 0x5ab };
  enum { PROXY = 0x9c7, BRANCH = 0x947, FORM = 12, FORMS = 15, SMALL = 8, OF_ERRORS = 5, PART = 6, BEFORE_PROXY = 8 };
  const uint8_t *const at = latency_at(t, index);
  const unsigned opcode = tl_get16(at) & OPCODE;
  if (index + 1 >= t->count)
    return TL_LATENCY_UNKNOWN;
  const unsigned next = tl_get16(latency_at(t, index + 1)) & OPCODE, form = latency_field(t, index, FORM, FORMS);
  if (opcode == LOAD_SHARED && tl_get16(at + 2) == NOWHERE)
    return 1;
  if (opcode == ERROR_BARRIER && next == GRID_BARRIER)
    return 0;
  if (opcode == GRID_BARRIER)
    return next == PROXY ? BEFORE_PROXY : PART;
  if (opcode != MEMBAR || next == BRANCH)
    return TL_LATENCY_UNKNOWN;
  return (next == MEMBAR && form == SMALL) || (next == ERROR_BARRIER && form == OF_ERRORS) ? 0 : PART;
}

/* L1807: what does not compute waits six cycles behind a barrier of all lanes; others and what writes uniform registers may go on. */
static uint32_t latency_of_barrier(const tl_latency_text *t, uint32_t index, uint32_t to) {
  enum { BARRIER = 0xb1d, CYCLES = 6, NOP = 0x918 };
  const unsigned opcode = tl_get16(latency_at(t, index)) & OPCODE, next = tl_get16(latency_at(t, to)) & OPCODE;
  return opcode == BARRIER && (next & KIND) >= VARIABLE && next != NOP ? CYCLES : 0;
}

uint32_t tl_latency_find(const tl_latency_text *t, uint32_t index) {
  enum { WITH_WAITER = 2 };
  const uint32_t next = index + 1;
  if (next >= t->count)
    return latency_of_itself(t, index);
  const bool ends = latency_class_of(t, next) == CLASS_CALL || t->starts[next];
  uint32_t most = latency_of_itself(t, index);
  most = (uint32_t)tl_larger(most, latency_has_waiter(t, index) ? WITH_WAITER : 1);
  uint32_t passed = 0;
  for (uint32_t i = next; i-- > 0;) {
    passed += i < index ? (uint32_t)tl_larger(1, latency_field(t, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX)) : 0;
    if (passed >= REACH || (i < index && tl_pending_ends(tl_get16(latency_at(t, i)) & OPCODE)))
      break;
    uint32_t need = (uint32_t)tl_larger(latency_of_results(t, i, next), latency_of_unit(t, i, next));
    need = (uint32_t)tl_larger(need, latency_of_barrier(t, i, next));
    need = ends ? (uint32_t)tl_larger(need, tl_blocks_need(latency_at(t, i))) : need;
    if (need > passed)
      most = (uint32_t)tl_larger(most, need - passed);
  }
  return (uint32_t)tl_smaller(most, LONGEST);
}

/* L1814: NOPs that are put in where a unit of doubles takes one every 64 cycles. All but the last have 15 cycles. */
static uint32_t latency_of_filler(const tl_latency_text *t, uint32_t index) {
  enum { NOP = 0x918, FILLERS = 4, LAST = 4, DOUBLES = 0x28, DOUBLES_END = 0x2b };
  uint32_t fillers = 1;
  while (fillers < index && (tl_get16(latency_at(t, index - fillers)) & OPCODE) == NOP)
    fillers++;
  const uint32_t first = index >= fillers ? index - fillers : 0;
  for (uint32_t i = first; i < index; i++)
    if (latency_field(t, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX) != LONGEST)
      return TL_LATENCY_UNKNOWN;
  if ((tl_get16(latency_at(t, index + 1)) & OPCODE) == NOP)
    return first < index ? LONGEST : TL_LATENCY_UNKNOWN;
  const unsigned kind = tl_get16(latency_at(t, first)) & KIND;
  const bool doubles = (kind >= DOUBLES && kind <= DOUBLES_END) || latency_class_of(t, first) == CLASS_CONVERT;
  const bool before = latency_class_of(t, index + 1) == CLASS_DOUBLE;
  const bool none = !latency_field(t, index, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX); /* a few have 2 */
  return none && fillers == FILLERS && doubles && before ? LAST : TL_LATENCY_UNKNOWN;
}

/* L1829: what a compare of the block leaves of its time until the next instruction, which hangs on it. */
static uint32_t latency_of_guards(const tl_latency_text *t, uint32_t index) {
  enum { GUARDS = 13, COMPARE = 0x00c };
  uint32_t passed = 0, most = 0;
  const tl_operands *const next = &t->operands[index + 1];
  for (uint32_t i = index + 1; i-- > 0;) {
    passed += i < index ? latency_field(t, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX) : 0;
    if (passed >= GUARDS || t->starts[i + 1] || tl_pending_ends(tl_get16(latency_at(t, i)) & OPCODE))
      break;
    for (unsigned r = 0; r < next->read_count && (tl_get16(latency_at(t, i)) & KIND) == COMPARE; r++)
      if (next->reads[r].guard && next->reads[r].file == TL_FILE_CONDITION &&
          tl_operands_meet(t->operands[i].writes, t->operands[i].write_count, &next->reads[r], 1, false))
        most = (uint32_t)tl_larger(most, GUARDS - passed);
  }
  return most;
}

/* L1812, L1813 */
uint32_t tl_latency_of_certain(const tl_latency_text *t, uint32_t index) {
  enum { NOP = 0x918, WITH_WAITER = 2 };
  static const uint16_t always[] = {0x343, 0x942, 0x943, 0x944}; /* not EXIT (L1944) nor BRX */
  const unsigned opcode = tl_get16(latency_at(t, index)) & OPCODE;
  const uint32_t stall = latency_field(t, index, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
  if (index + 1 >= t->count)
    return TL_LATENCY_UNKNOWN;
  if (opcode == NOP)
    return latency_of_filler(t, index);
  if (TL_AMONG16(always, opcode))
    return tl_latency_find(t, index);
  const uint32_t guards = latency_of_guards(t, index);
  if (stall < guards)
    return guards;
  return stall < WITH_WAITER && latency_has_waiter(t, index)
             ? (uint32_t)tl_larger(WITH_WAITER, tl_latency_find(t, index))
             : TL_LATENCY_UNKNOWN;
}

/* Loads and stores of generic and of local memory, of words and more: the unit takes one every four cycles. */
static bool latency_is_slow(const tl_latency_text *t, uint32_t index) {
  enum { SIZE = 9, SIZES = 7, WORD = 4 };
  static const uint16_t opcodes[] = {0x387, 0x983, 0x980, 0x985};
  return TL_AMONG16(opcodes, tl_get16(latency_at(t, index)) & OPCODE) && latency_field(t, index, SIZE, SIZES) >= WORD;
}

uint32_t tl_latency_least(const tl_latency_text *t, uint32_t index) {
  const latency_class own = latency_class_of(t, index), next = latency_class_of(t, index + 1);
  const bool plain = (own == CLASS_INTEGER || own == CLASS_FLOAT) &&
                     (next == CLASS_INTEGER || next == CLASS_FLOAT || next == CLASS_MEMORY);
  const bool constants = own == CLASS_CONSTANT && next == CLASS_CONSTANT;
  const bool unit =
      constants || (latency_is_slow(t, index) && latency_is_slow(t, index + 1) &&
                    ((tl_get16(latency_at(t, index)) ^ tl_get16(latency_at(t, index + 1))) & OPCODE) == 0);
  uint32_t most = unit ? latency_of_unit(t, index, index + 1) : latency_of_barrier(t, index, index + 1);
  for (unsigned i = 0; plain && i < t->operands[index + 1].read_count; i++) {
    const tl_register_range *const reads = &t->operands[index + 1].reads[i];
    if (reads->file == TL_FILE_LANES &&
        tl_operands_meet(t->operands[index].writes, t->operands[index].write_count, reads, 1, true))
      most = (uint32_t)tl_larger(most, latency_of_register(reads, own, next));
  }
  return most;
}
