/* RF1221: the times of a load or store whose SASS instruction is another one than its record says: they are that one's, and nvlink, which reads none
 * of them, gives those that the code had. Told by what is around it: the number of its barrier is the one that an instruction behind it waits for
 * though nobody else has set it; it waits for what its registers come from; and what is behind it comes as soon as the units allow. */
#include "bits.h"
#include "capsule.h"

enum {
  INSTRUCTION = 16,
  NEAR = 60, /* instructions looked at on either side */
  BOARDS = 6,
  NO_BOARD = 7,
  EVERY_WAIT = 0x3f,
  TIMES_BIT = 105,
  YIELD_BIT = 109,
  WRITE_BIT = 110,
  READ_BIT = 113,
  WAIT_BIT = 116,
  NO_REGISTER = 0xff,
  UNIFORM_BIT = 91,
  RESULT = 16,
  FIRST = 24,
  SECOND = 32,
  THIRD = 64,
  SIZE = 73,
  SPANS = 5,
  LDC = 0xb82,
  LDCU = 0x7ac,
  S2R = 0x919,
  S2UR = 0x9c3,
  LD = 0x980,
  LDG = 0x981,
  LDL = 0x983,
  STL = 0x387,
  ST = 0x985,
  STG = 0x986,
  CALL_REGISTER = 0x344,
  BSYNC = 0x141,
  CALL_ABSOLUTE = 0x143,
  CALL_RELATIVE = 0x144,
  BRA = 0x147,
  BRX = 0x149,
  EXIT = 0x14d,
  RET = 0x150,
  BRX_UNIFORM = 0x158,
  LAST_CONTROL = 0x15b,
  BETWEEN_CONSTANTS = 8, /* cycles from one LDC to the next */
  BETWEEN_MEMORY = 4,
  FENCE = 0x992,
  ERROR_BARRIER = 0x1ab, /* ERRBAR and CGAERRBAR */
  NO_OPERATION = 0x118,
  LONG_STALL = 12,
  BASES = 0x200,
  OPCODES = 0x1000
};

/* Registers one behind the other. */
typedef struct ref_times_span {
  bool is_uniform;
  unsigned first, count;
} ref_times_span;

typedef struct ref_times_spans {
  ref_times_span items[SPANS];
  size_t count;
} ref_times_spans;

static unsigned ref_times_opcode(const uint8_t *at) {
  return ref_bits_get(at, 0, 12);
}

static unsigned ref_times_base(const uint8_t *at) {
  return ref_bits_get(at, 0, 9);
}

static bool ref_times_is_store(unsigned opcode) {
  return opcode == STL || opcode == ST || opcode == STG;
}

static bool ref_times_is_load(unsigned opcode) {
  return opcode == LDC || opcode == LDCU || opcode == S2R || opcode == S2UR || opcode == LD || opcode == LDL;
}

static bool ref_times_is_memory(unsigned opcode) {
  enum { LDS = 0x984, STS = 0x988, STS_REGISTER = 0x388 };
  return ref_times_is_store(opcode) || opcode == LD || opcode == LDG || opcode == LDL || opcode == LDS ||
         opcode == STS || opcode == STS_REGISTER;
}

static bool ref_times_is_control(unsigned base) {
  return base == BSYNC || base == CALL_ABSOLUTE || base == CALL_RELATIVE || base == BRA || base == BRX ||
         base == EXIT || base == RET || base == BRX_UNIFORM;
}

/* Nothing falls through it. */
static bool ref_times_is_end(const uint8_t *at) {
  const unsigned base = ref_times_base(at);
  const bool is_guarded = ref_bits_get(at, 12, 4) != 7;
  return !is_guarded && (base == EXIT || base == RET || base == BRX || base == BRX_UNIFORM ||
                         (base == BRA && ref_bits_get(at, 87, 4) == 7));
}

static unsigned ref_times_width(const uint8_t *at) {
  const unsigned size = ref_bits_get(at, SIZE, 3), opcode = ref_times_opcode(at);
  const bool has_size = opcode == LDC || opcode == LDCU || ref_times_is_memory(opcode);
  return !has_size ? 1 : size == 5 ? 2 : size == 6 ? 4 : 1;
}

static void ref_times_add(ref_times_spans *spans, const uint8_t *at, bool is_uniform, unsigned bit, unsigned count) {
  spans->items[spans->count++] =
      (ref_times_span){.is_uniform = is_uniform, .first = ref_bits_get(at, bit, 8), .count = count};
}

/* What any instruction may read; too much of some. */
static ref_times_spans ref_times_sources(const uint8_t *at) {
  const unsigned opcode = ref_times_opcode(at), form = opcode >> 9, base = opcode & 0x1ff;
  const bool is_uniform = ref_bits_get(at, UNIFORM_BIT, 1) != 0;
  ref_times_spans spans = {.count = 0};
  if (opcode == S2R || opcode == S2UR) {
    return spans;
  }
  if (base >= BSYNC && base <= LAST_CONTROL) {
    if (base == BRX || base == RET || opcode == CALL_REGISTER) {
      ref_times_add(&spans, at, false, FIRST, 2);
    }
  } else if (opcode == LDC || opcode == LDCU || opcode == LDL) {
    ref_times_add(&spans, at, opcode == LDCU, FIRST, 1);
  } else if (ref_times_is_store(opcode)) {
    ref_times_add(&spans, at, false, FIRST, opcode == STL ? 1 : 2);
    ref_times_add(&spans, at, false, SECOND, ref_times_width(at));
    if (opcode != STL) {
      ref_times_add(&spans, at, true, THIRD, 2);
    }
  } else if (opcode == LD || opcode == LDG) {
    ref_times_add(&spans, at, false, FIRST, 2);
    if (is_uniform) {
      ref_times_add(&spans, at, true, SECOND, 2);
    }
  } else {
    ref_times_add(&spans, at, false, FIRST, 2);
    ref_times_add(&spans, at, false, THIRD, 2);
    if (is_uniform) {
      ref_times_add(&spans, at, true, FIRST, 2);
      ref_times_add(&spans, at, true, SECOND, 2);
      ref_times_add(&spans, at, true, THIRD, 2);
    } else if (form == 1 || form == 4) {
      ref_times_add(&spans, at, false, SECOND, 2);
    } else if (form == 6) {
      ref_times_add(&spans, at, true, SECOND, 2);
    }
  }
  return spans;
}

static bool ref_times_is_uniform(unsigned opcode) {
  static const uint16_t others[] = {LDCU, S2UR, 0x2ca, 0x3c4, 0x8cb};
  enum { FIRST_UNIFORM = 0x080, LAST_UNIFORM = 0x0bf };
  const unsigned base = opcode & 0x1ff;
  bool is_uniform = base >= FIRST_UNIFORM && base <= LAST_UNIFORM;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    is_uniform = is_uniform || opcode == others[i];
  }
  return is_uniform;
}

static bool ref_times_result(const uint8_t *at, ref_times_span *span) {
  const unsigned opcode = ref_times_opcode(at);
  *span = (ref_times_span){
      .is_uniform = ref_times_is_uniform(opcode), .first = ref_bits_get(at, RESULT, 8), .count = ref_times_width(at)};
  return !ref_times_is_store(opcode);
}

static bool ref_times_meet(const ref_times_span *left, const ref_times_span *right) {
  return left->is_uniform == right->is_uniform && left->first != NO_REGISTER && right->first != NO_REGISTER &&
         left->first < right->first + right->count && right->first < left->first + left->count;
}

static bool ref_times_reads(const uint8_t *at, const ref_times_span *span) {
  const ref_times_spans spans = ref_times_sources(at);
  bool reads = false;
  for (size_t i = 0; i < spans.count; i++) {
    reads = reads || ref_times_meet(&spans.items[i], span);
  }
  return reads;
}

static bool ref_times_writes(const uint8_t *at, const ref_times_span *span) {
  ref_times_span result;
  return ref_times_result(at, &result) && ref_times_meet(&result, span);
}

static unsigned ref_times_waits(const uint8_t *at) {
  return ref_bits_get(at, WAIT_BIT, BOARDS);
}

static unsigned ref_times_mask(const uint8_t *at, unsigned bit) {
  const unsigned number = ref_bits_get(at, bit, 3);
  return number < BOARDS ? 1u << number : 0;
}

static unsigned ref_times_lowest(unsigned mask) {
  unsigned number = 0;
  while (number < BOARDS && (mask >> number & 1) == 0) {
    number++;
  }
  return number < BOARDS ? number : NO_BOARD;
}

/* --- one instruction --- */

typedef struct ref_times {
  const uint8_t *text;
  size_t count, number;
} ref_times;

static const uint8_t *ref_times_at(const ref_times *times, size_t number) {
  return times->text + number * INSTRUCTION;
}

static size_t ref_times_first(const ref_times *times) {
  return times->number < NEAR ? 0 : times->number - NEAR;
}

static size_t ref_times_behind(const ref_times *times) {
  return times->count - times->number < NEAR ? times->count : times->number + NEAR;
}

/* The numbers that are set in front of an instruction and not waited for. */
static unsigned ref_times_pending(const ref_times *times, unsigned pending, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    if (i != times->number) {
      const uint8_t *at = ref_times_at(times, i);
      pending = (pending & ~ref_times_waits(at)) | ref_times_mask(at, WRITE_BIT) | ref_times_mask(at, READ_BIT);
    }
  }
  return pending;
}

/* A number that is waited for behind it and set by nobody. */
static unsigned ref_times_orphan(const ref_times *times) {
  unsigned pending = ref_times_pending(times, 0, ref_times_first(times), times->number);
  for (size_t i = times->number + 1; i < ref_times_behind(times); i++) {
    const uint8_t *at = ref_times_at(times, i);
    const unsigned waits = ref_times_waits(at);
    if (waits != EVERY_WAIT && (waits & ~pending) != 0) {
      return ref_times_lowest(waits & ~pending);
    }
    if (ref_times_is_end(at)) {
      break;
    }
    pending = ref_times_pending(times, pending, i, i + 1);
  }
  return NO_BOARD;
}

/* Where what it loads is used. */
static unsigned ref_times_used(const ref_times *times, const ref_times_span *result) {
  unsigned pending = ref_times_pending(times, 0, ref_times_first(times), times->number);
  for (size_t i = times->number + 1; i < ref_times_behind(times); i++) {
    const uint8_t *at = ref_times_at(times, i);
    const unsigned waits = ref_times_waits(at), base = ref_times_base(at);
    const bool leaves = base == CALL_ABSOLUTE || base == CALL_RELATIVE || base == RET;
    if (waits != 0 && (leaves || ref_times_reads(at, result) || ref_times_writes(at, result))) {
      return ref_times_lowest((waits & ~pending) != 0 ? waits & ~pending : waits);
    }
    if (ref_times_is_end(at)) {
      break;
    }
    pending = ref_times_pending(times, pending, i, i + 1);
  }
  return NO_BOARD;
}

static unsigned ref_times_board(const ref_times *times, const ref_times_span *result) {
  const unsigned opcode = ref_times_opcode(ref_times_at(times, times->number));
  const bool is_stack = opcode == LDC && result->first == 1; /* which often nobody reads */
  if (is_stack && times->number == 0) {
    return NO_BOARD; /* RF1216 */
  }
  const bool shares = opcode == LD || opcode == LDL || is_stack; /* several LD and LDL in a row have one number */
  const unsigned first = shares ? ref_times_used(times, result) : ref_times_orphan(times);
  if (first != NO_BOARD) {
    return first;
  }
  return is_stack ? NO_BOARD : shares ? ref_times_orphan(times) : ref_times_used(times, result);
}

/* What the instruction has to wait for. */
static unsigned ref_times_needs(const ref_times *times) {
  const uint8_t *own = ref_times_at(times, times->number);
  const ref_times_spans sources = ref_times_sources(own);
  ref_times_span result;
  const bool has_result = ref_times_result(own, &result);
  unsigned waited = 0, needs = 0;
  for (size_t i = times->number; i-- > ref_times_first(times);) {
    const uint8_t *at = ref_times_at(times, i);
    const unsigned write = ref_times_mask(at, WRITE_BIT), read = ref_times_mask(at, READ_BIT);
    bool uses = has_result && ref_times_writes(at, &result);
    for (size_t k = 0; k < sources.count; k++) {
      uses = uses || ref_times_writes(at, &sources.items[k]);
    }
    needs |= uses ? write & ~waited : 0;
    needs |= has_result && ref_times_reads(at, &result) ? read & ~waited : 0;
    const unsigned base = ref_times_base(at);
    if (ref_times_is_control(base) && base != BSYNC) {
      break;
    }
    waited |= ref_times_waits(at);
  }
  return needs;
}

static unsigned ref_times_larger(unsigned left, unsigned right) {
  return left > right ? left : right;
}

static bool ref_times_is_among(const uint16_t *bases, size_t count, unsigned base) {
  size_t first = 0, behind = count;
  while (first + 1 < behind) {
    const size_t middle = (first + behind) / 2;
    *(bases[middle] <= base ? &first : &behind) = middle;
  }
  return bases[first] == base;
}

/* Which registers an instruction reads, by its fields. */
typedef struct ref_times_reader {
  uint16_t opcode;
  bool first, second, third, is_uniform, second_is_uniform;
} ref_times_reader;

/* RF1267 */
static const ref_times_reader sure_readers[] = {
    {0x202, false, true, false, false, false}, {0x20c, true, true, false, false, false},
    {0x210, true, true, true, false, false},   {0x212, true, true, true, false, false},
    {0x221, true, true, false, false, false},  {0x223, true, true, true, false, false},
    {0x224, true, true, false, false, false},  {0x290, true, true, true, true, true},
    {0x2ca, true, false, false, false, false}, {0x305, false, true, false, false, false},
    {0x308, false, true, false, false, false}, {0x311, false, true, false, false, false},
    {0x312, false, true, false, false, false}, {0x421, true, false, false, false, false},
    {0x424, true, false, true, false, false},  {0x80c, true, false, false, false, false},
    {0x810, true, false, true, false, false},  {0x812, true, false, true, false, false},
    {0x819, true, false, true, false, false},  {0x824, true, false, true, false, false},
    {0x825, true, false, false, false, false}, {0x836, true, false, false, false, false},
    {0x890, true, false, true, true, false},   {0xc02, false, true, false, false, true},
    {0xc0c, true, true, false, false, true},   {0xc10, true, true, true, false, true},
    {0xc24, true, true, true, false, true},    {0xe24, true, true, true, false, true}};

/* The sources of some instructions, of which nothing is too much. */
static ref_times_spans ref_times_sure_sources(const uint8_t *at) {
  const unsigned opcode = ref_times_opcode(at);
  ref_times_spans spans = {.count = 0};
  if (opcode == LD || opcode == LDG || opcode == LDL || ref_times_is_store(opcode)) {
    return ref_times_sources(at);
  }
  for (size_t i = 0; i < sizeof sure_readers / sizeof *sure_readers; i++) {
    const ref_times_reader *reader = &sure_readers[i];
    if (reader->opcode != opcode) {
      continue;
    }
    if (reader->first) {
      ref_times_add(&spans, at, reader->is_uniform, FIRST, 1);
    }
    if (reader->second) {
      ref_times_add(&spans, at, reader->second_is_uniform, SECOND, 1);
    }
    if (reader->third) {
      ref_times_add(&spans, at, reader->is_uniform, THIRD, 1);
    }
  }
  return spans;
}

typedef enum ref_times_unit {
  REF_TIMES_OTHER,
  REF_TIMES_INTEGER,
  REF_TIMES_FLOAT,
  REF_TIMES_UNIFORM,
  REF_TIMES_UNIFORM_MOVE
} ref_times_unit;

/* What has a result after a number of cycles that is known, by opcode. */
static const uint8_t units[OPCODES] = {
    [0x202] = REF_TIMES_INTEGER, [0x207] = REF_TIMES_INTEGER, [0x208] = REF_TIMES_INTEGER,
    [0x210] = REF_TIMES_INTEGER, [0x211] = REF_TIMES_INTEGER, [0x212] = REF_TIMES_INTEGER,
    [0x219] = REF_TIMES_INTEGER, [0x221] = REF_TIMES_FLOAT,   [0x223] = REF_TIMES_FLOAT,
    [0x224] = REF_TIMES_INTEGER, [0x227] = REF_TIMES_INTEGER, [0x245] = REF_TIMES_INTEGER,
    [0x290] = REF_TIMES_UNIFORM, [0x291] = REF_TIMES_UNIFORM, [0x421] = REF_TIMES_FLOAT,
    [0x423] = REF_TIMES_FLOAT,   [0x424] = REF_TIMES_INTEGER, [0x431] = REF_TIMES_FLOAT,
    [0x446] = REF_TIMES_INTEGER, [0x802] = REF_TIMES_INTEGER, [0x807] = REF_TIMES_INTEGER,
    [0x810] = REF_TIMES_INTEGER, [0x811] = REF_TIMES_INTEGER, [0x812] = REF_TIMES_INTEGER,
    [0x819] = REF_TIMES_INTEGER, [0x824] = REF_TIMES_INTEGER, [0x827] = REF_TIMES_INTEGER,
    [0x836] = REF_TIMES_INTEGER, [0x848] = REF_TIMES_INTEGER, [0x882] = REF_TIMES_UNIFORM_MOVE,
    [0x890] = REF_TIMES_UNIFORM, [0x892] = REF_TIMES_UNIFORM, [0x899] = REF_TIMES_UNIFORM,
    [0x8a4] = REF_TIMES_UNIFORM, [0xc02] = REF_TIMES_INTEGER, [0xc10] = REF_TIMES_INTEGER,
    [0xc11] = REF_TIMES_INTEGER, [0xc24] = REF_TIMES_INTEGER, [0xc82] = REF_TIMES_UNIFORM_MOVE,
    [0xe24] = REF_TIMES_INTEGER};

static ref_times_unit ref_times_find_unit(const uint8_t *at) {
  const bool has_result = ref_bits_get(at, WRITE_BIT, 3) == NO_BOARD && ref_bits_get(at, RESULT, 8) != NO_REGISTER;
  return has_result ? (ref_times_unit)units[ref_times_opcode(at)] : REF_TIMES_OTHER;
}

/* The cycles from one instruction to another one that surely reads its result; 0: it does not. */
static unsigned ref_times_distance(const uint8_t *at, ref_times_unit unit, const uint8_t *user) {
  enum { OF_MOVE = 2, OF_UNIT = 4, TO_MEMORY = 5, TO_VECTOR = 6 };
  const unsigned opcode = ref_times_opcode(user);
  const bool is_uniform = unit == REF_TIMES_UNIFORM || unit == REF_TIMES_UNIFORM_MOVE;
  const ref_times_span result = {.is_uniform = is_uniform, .first = ref_bits_get(at, RESULT, 8), .count = 1};
  const ref_times_spans sources = ref_times_sure_sources(user);
  bool reads = false;
  for (size_t i = 0; i < sources.count && unit != REF_TIMES_OTHER; i++) {
    reads = reads || (sources.items[i].first == result.first && ref_times_meet(&sources.items[i], &result));
  }
  if (!reads) {
    return 0;
  }
  if (unit == REF_TIMES_UNIFORM_MOVE) {
    return OF_MOVE;
  }
  if (unit == REF_TIMES_UNIFORM) {
    return ref_times_is_uniform(opcode) ? OF_UNIT : TO_VECTOR;
  }
  return ref_times_is_memory(opcode) ? TO_MEMORY : OF_UNIT;
}

/* Do two instructions of a unit need some cycles between them? RF1219: local memory and any other but shared memory. */
static unsigned ref_times_pace(unsigned opcode, unsigned next) {
  enum { LDS = 0x984, STS = 0x988 };
  const bool first = opcode == LDC || opcode == S2UR, second = next == LDC || next == S2UR;
  if (first || second) {
    return first && second ? BETWEEN_CONSTANTS : 0;
  }
  const bool is_shared = opcode == LDS || opcode == STS || next == LDS || next == STS;
  const bool is_local = opcode == STL || opcode == LDL || next == STL || next == LDL;
  const bool is_paced =
      ref_times_is_memory(opcode) && ref_times_is_memory(next) && !is_shared && (is_local || opcode == next);
  return is_paced ? BETWEEN_MEMORY : 0;
}

/* What leaves the block finds all results there: so many cycles before CALL, BSYNC and EXIT. */
static unsigned ref_times_before_leaving(ref_times_unit unit, unsigned next) {
  static const uint16_t leaves[] = {0x343, 0x344, 0x941, 0x943, 0x944};
  enum { ALL = 7, TO_EXIT = 6, FROM_MOVE = 3, EXIT_CODE = 0x94d, BRA_CODE = 0x947, RET_CODE = 0x950 };
  const bool is_vector = unit == REF_TIMES_INTEGER || unit == REF_TIMES_FLOAT;
  if (is_vector && (next == EXIT_CODE || ref_times_is_among(leaves, sizeof leaves / sizeof *leaves, next))) {
    return next == EXIT_CODE ? TO_EXIT : ALL;
  }
  return unit == REF_TIMES_UNIFORM_MOVE && (next == BRA_CODE || next == RET_CODE) ? FROM_MOVE : 0;
}

/* The least cycles that the next instruction allows, by what is in front of it in its block; `boards`: the numbers that this one sets. */
static unsigned ref_times_least(const ref_times *times, unsigned boards) {
  enum { FEW = 8 };
  const uint8_t *next = ref_times_at(times, times->number + 1);
  unsigned least = (ref_times_waits(next) & boards) != 0 ? 2 : 1, cycles = 0;
  for (size_t i = times->number, k = 0; k < FEW; k++, i--) {
    const uint8_t *at = ref_times_at(times, i);
    if (ref_times_is_control(ref_times_base(at))) {
      break;
    }
    cycles += i == times->number ? 0 : ref_bits_get(at, TIMES_BIT, 4);
    const ref_times_unit unit = ref_times_find_unit(at);
    const unsigned leaving = ref_times_before_leaving(unit, ref_times_opcode(next));
    const unsigned paced = ref_times_pace(ref_times_opcode(at), ref_times_opcode(next));
    const unsigned needed = ref_times_larger(ref_times_distance(at, unit, next), ref_times_larger(leaving, paced));
    least = needed > cycles ? ref_times_larger(least, needed - cycles) : least;
    if (i == 0) {
      break;
    }
  }
  return least;
}

static unsigned ref_times_stall(const ref_times *times, unsigned boards) {
  enum { BSYNC_CODE = 0x941 };
  if (times->number + 1 >= times->count) {
    return 1;
  }
  const unsigned next = ref_times_opcode(ref_times_at(times, times->number + 1));
  const bool is_memory = ref_times_is_memory(ref_times_opcode(ref_times_at(times, times->number)));
  return ref_times_larger(is_memory && (next == LDC || next == BSYNC_CODE) ? 2 : 1, ref_times_least(times, boards));
}

/* Fences and matrix operations alone have a stall of 0, and the branch behind a text, which has a record. */
bool ref_times_are_impossible(const uint8_t *instruction) {
  enum { MATRIX = 0x3c, MATRIX_OTHER = 0x37 };
  const unsigned opcode = ref_times_opcode(instruction), base = opcode & 0x1ff;
  return ref_bits_get(instruction, TIMES_BIT, 4) == 0 && base != ERROR_BARRIER && opcode != FENCE && base != MATRIX &&
         base != MATRIX_OTHER;
}

/* RF1266: one that has all but a stall. */
void ref_times_give_stall(uint8_t *text, size_t count, size_t number) {
  const ref_times times = {.text = text, .count = count, .number = number};
  uint8_t *own = text + number * INSTRUCTION;
  const unsigned stall = ref_times_stall(&times, ref_times_mask(own, WRITE_BIT) | ref_times_mask(own, READ_BIT));
  ref_bits_put(own, TIMES_BIT, 4, stall);
  ref_bits_put(own, YIELD_BIT, 1, stall < LONG_STALL);
}

/* RF1219: BAR and the parts of fences, which have no number: what follows comes late, but arithmetic behind BAR, and the parts that belong together at once.
 * False: it is another one. */
static bool ref_times_give_fence(uint8_t *own, const uint8_t *next) {
  enum { BAR = 0xb1d, ERRBAR = 0x9ab, CGAERRBAR = 0x5ab, CCTL_ALL = 0x9c7, NARROW = 0x8000, OF_EXIT = 0x5000 };
  enum { UPPER = 64, UPPER_WIDTH = 32, LATE = 6, LATER = 8, ARITHMETIC_BELOW = 0x100, UNIFORM_MOVE = 0x082 };
  const unsigned opcode = ref_times_opcode(own), base = ref_times_base(next);
  const uint64_t upper = ref_bits_get(own, UPPER, UPPER_WIDTH);
  unsigned stall = LATE;
  if (opcode == BAR) {
    stall = base >= ARITHMETIC_BELOW || base == UNIFORM_MOVE ? LATE : 1;
  } else if (opcode == ERRBAR || (opcode == FENCE && (upper == NARROW || upper == OF_EXIT))) {
    stall = 0;
  } else if (opcode == CGAERRBAR && ref_times_opcode(next) == CCTL_ALL) {
    stall = LATER;
  } else if (opcode != CGAERRBAR && opcode != FENCE) {
    return false;
  }
  ref_bits_put(own, TIMES_BIT, 4, stall);
  ref_bits_put(own, YIELD_BIT, 1, stall != 0);
  return true;
}

void ref_times_give(uint8_t *text, size_t count, size_t number) {
  const ref_times times = {.text = text, .count = count, .number = number};
  uint8_t *own = text + number * INSTRUCTION;
  const unsigned opcode = ref_times_opcode(own);
  ref_times_span result;
  if (number + 1 < count && ref_times_give_fence(own, own + INSTRUCTION)) {
    return;
  }
  if (!ref_times_is_load(opcode) && !ref_times_is_store(opcode)) {
    enum { OF_CONTROL = 5, OF_RETURN = 6 };
    const unsigned base = opcode & 0x1ff;
    const unsigned control = base == RET ? OF_RETURN : OF_CONTROL;
    ref_bits_put(own, TIMES_BIT, 4, ref_times_is_control(base) ? control : ref_times_stall(&times, 0));
    ref_bits_put(own, YIELD_BIT, 1, 1);
    return;
  }
  const bool has_result = ref_times_result(own, &result);
  const unsigned write = has_result ? ref_times_board(&times, &result) : NO_BOARD;
  const unsigned read = has_result ? NO_BOARD : ref_times_orphan(&times);
  const unsigned waits = ref_times_needs(&times);
  const unsigned stall = ref_times_stall(&times, (write < BOARDS ? 1u << write : 0) | (read < BOARDS ? 1u << read : 0));
  ref_bits_put(own, TIMES_BIT, 4, stall);
  ref_bits_put(own, YIELD_BIT, 1, stall < LONG_STALL);
  ref_bits_put(own, WRITE_BIT, 3, write);
  ref_bits_put(own, READ_BIT, 3, read);
  ref_bits_put(own, WAIT_BIT, BOARDS, waits);
  ref_bits_put(own, WAIT_BIT + BOARDS, 4, 0);
}

/* --- numbers that do not fit together --- */

/* The first instruction behind a load, in its block, that surely reads what it loads and has not waited for it. */
static size_t ref_times_find_hasty(const ref_times *times, const ref_times_span *result, unsigned board) {
  for (size_t i = times->number + 1; i < ref_times_behind(times); i++) {
    const uint8_t *at = ref_times_at(times, i);
    const ref_times_spans spans = ref_times_sure_sources(at);
    if (board < BOARDS && (ref_times_waits(at) >> board & 1) != 0) {
      break;
    }
    for (size_t k = 0; k < spans.count; k++) {
      if (ref_times_meet(&spans.items[k], result)) {
        return i;
      }
    }
    const unsigned base = ref_times_base(at);
    if (ref_times_is_control(base) || ref_times_writes(at, result)) {
      break;
    }
  }
  return REF_NONE;
}

/* RF1224: who reads what a load loads has waited for its number. Where he waits for one that nobody has set instead, it is the load's; else he waits for the load's,
 * too. */
static void ref_times_mend_number(uint8_t *text, const ref_times *times) {
  uint8_t *own = text + times->number * INSTRUCTION;
  const unsigned opcode = ref_times_opcode(own), board = ref_bits_get(own, WRITE_BIT, 3);
  ref_times_span result;
  const bool is_load = (ref_times_is_load(opcode) && opcode != S2UR) || opcode == LDG;
  if (!is_load || (opcode == LDC && board >= BOARDS) || !ref_times_result(own, &result)) {
    return; /* LDC and S2UR may have none */
  }
  const size_t hasty = ref_times_find_hasty(times, &result, board);
  if (hasty == REF_NONE) {
    return;
  }
  uint8_t *user = text + hasty * INSTRUCTION;
  const unsigned before = ref_times_pending(times, 0, ref_times_first(times), times->number);
  const unsigned pending = ref_times_pending(times, before, times->number + 1, hasty);
  const unsigned orphan = ref_times_lowest(ref_times_waits(user) & ~pending);
  if (orphan != NO_BOARD) {
    ref_bits_put(own, WRITE_BIT, 3, orphan);
  } else if (board < BOARDS) {
    ref_bits_put(user, WAIT_BIT, BOARDS, ref_times_waits(user) | 1u << board);
  }
}

/* --- what no instruction has --- */

/* By their low nine bits: what sets no number for its result, what sets none for its operands, and (RF1214) of which whether they yield follows
 * from the stall: not matrices, doubles, DEPBAR, LEPC and NOP. */
enum { NO_WRITE = 1, NO_READ = 2, NO_NUMBERS = NO_WRITE | NO_READ, YIELDS = 4, PLAIN = NO_NUMBERS | YIELDS };
/* clang-format off */
static const uint8_t habits[BASES] = {
    [0x002] = PLAIN, [0x004] = YIELDS, [0x005] = PLAIN, [0x006] = PLAIN, [0x007] = PLAIN, [0x008] = PLAIN,
    [0x00b] = PLAIN, [0x00c] = PLAIN, [0x010] = PLAIN, [0x011] = PLAIN, [0x012] = PLAIN, [0x016] = PLAIN,
    [0x017] = YIELDS, [0x019] = PLAIN, [0x01b] = YIELDS, [0x01c] = PLAIN, [0x020] = PLAIN, [0x021] = PLAIN,
    [0x023] = PLAIN, [0x024] = PLAIN, [0x025] = PLAIN, [0x027] = PLAIN, [0x02f] = YIELDS, [0x031] = PLAIN,
    [0x035] = PLAIN, [0x036] = PLAIN, [0x045] = PLAIN, [0x046] = YIELDS, [0x048] = PLAIN, [0x055] = YIELDS,
    [0x05a] = PLAIN, [0x082] = PLAIN, [0x086] = PLAIN, [0x087] = YIELDS, [0x08c] = PLAIN, [0x090] = PLAIN,
    [0x091] = PLAIN, [0x092] = YIELDS, [0x097] = YIELDS, [0x099] = PLAIN, [0x0a4] = YIELDS, [0x0a5] = YIELDS,
    [0x0bd] = YIELDS, [0x0bf] = YIELDS, [0x0ca] = PLAIN, [0x100] = YIELDS, [0x102] = YIELDS, [0x104] = YIELDS,
    [0x105] = YIELDS, [0x106] = YIELDS, [0x107] = YIELDS, [0x108] = YIELDS, [0x109] = YIELDS, [0x110] = YIELDS,
    [0x111] = YIELDS, [0x112] = YIELDS, [0x113] = YIELDS, [0x118] = NO_NUMBERS, [0x119] = YIELDS, [0x11b] = PLAIN,
    [0x11c] = YIELDS, [0x11d] = NO_WRITE | YIELDS, [0x141] = PLAIN, [0x142] = PLAIN, [0x143] = PLAIN, [0x144] = PLAIN,
    [0x145] = PLAIN, [0x146] = PLAIN, [0x147] = PLAIN, [0x148] = PLAIN, [0x149] = PLAIN, [0x14d] = PLAIN,
    [0x14e] = NO_NUMBERS, [0x150] = PLAIN, [0x155] = NO_READ | YIELDS, [0x156] = NO_WRITE | YIELDS,
    [0x158] = NO_NUMBERS, [0x15c] = PLAIN, [0x15d] = PLAIN, [0x160] = YIELDS, [0x166] = YIELDS, [0x16f] = YIELDS,
    [0x180] = YIELDS, [0x181] = YIELDS, [0x182] = YIELDS, [0x183] = YIELDS, [0x184] = YIELDS,
    [0x185] = NO_WRITE | YIELDS, [0x186] = NO_WRITE | YIELDS, [0x187] = NO_WRITE | YIELDS,
    [0x188] = NO_WRITE | YIELDS, [0x189] = YIELDS, [0x18a] = YIELDS, [0x18c] = YIELDS, [0x18e] = YIELDS,
    [0x18f] = NO_WRITE | YIELDS, [0x192] = NO_WRITE | YIELDS, [0x199] = YIELDS, [0x19d] = YIELDS, [0x1a1] = YIELDS,
    [0x1a7] = YIELDS, [0x1a8] = YIELDS, [0x1a9] = YIELDS, [0x1aa] = YIELDS, [0x1ab] = PLAIN,
    [0x1ac] = NO_READ | YIELDS, [0x1ae] = YIELDS, [0x1af] = YIELDS, [0x1b2] = YIELDS, [0x1c3] = YIELDS,
    [0x1c4] = YIELDS, [0x1c6] = YIELDS, [0x1c7] = PLAIN,
};
/* clang-format on */

static void ref_times_settle_barriers(uint8_t *at) {
  const unsigned base = ref_times_base(at);
  if ((habits[base] & NO_WRITE) != 0) {
    ref_bits_put(at, WRITE_BIT, 3, NO_BOARD);
  }
  if ((habits[base] & NO_READ) != 0 || ref_bits_get(at, READ_BIT, 3) == BOARDS) {
    ref_bits_put(at, READ_BIT, 3, NO_BOARD);
  }
}

/* RF372, RF1214: whether an instruction yields follows from its stall, but where that is two cycles and its own time is fixed, from the cycles before it in its
 * block, too; of those there are ten at least, or one behind a jump. `is_sure`: not there. */
static void ref_times_settle_yield(uint8_t *at, unsigned cycles, bool is_sure) {
  enum { FIXED_BELOW = 0x100, FIXED_STALL = 3, YIELD_CYCLES = 10 };
  const unsigned stall = ref_bits_get(at, TIMES_BIT, 4), base = ref_times_base(at);
  const bool is_fixed = base < FIXED_BELOW;
  if ((habits[base] & YIELDS) == 0 || stall == 0) {
    return;
  }
  if (is_fixed && stall == 2) {
    if (!is_sure && cycles < YIELD_CYCLES && cycles != 1) {
      ref_bits_put(at, YIELD_BIT, 1, 1);
    }
    return;
  }
  ref_bits_put(at, YIELD_BIT, 1, stall < LONG_STALL && (!is_fixed || stall < FIXED_STALL));
}

/* A vector instruction without anything uniform. */
static bool ref_times_is_plain_vector(const uint8_t *at) {
  enum { CONTROL = 0x140 };
  const unsigned opcode = ref_times_opcode(at), form = opcode >> 9, base = opcode & 0x1ff;
  return (form == 1 || form == 4) && base < CONTROL && ref_bits_get(at, UNIFORM_BIT, 1) == 0 &&
         !ref_times_is_uniform(opcode);
}

/* RF1225: for a number that LDCU alone has set nobody waits who reads nothing uniform, but in front of a call or branch. */
static void ref_times_drop_waits(uint8_t *text, size_t count) {
  unsigned uniform = 0, other = 0; /* numbers that LDCU alone has set in this block, and others */
  for (size_t i = 0; i + 1 < count; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    unsigned waits = ref_times_waits(at);
    if (waits != EVERY_WAIT && (waits & uniform) != 0 && ref_times_is_plain_vector(at) &&
        !ref_times_is_control(ref_times_base(at + INSTRUCTION))) {
      waits &= ~uniform;
      ref_bits_put(at, WAIT_BIT, BOARDS, waits);
    }
    uniform &= ~waits;
    other &= ~waits;
    if (ref_times_is_control(ref_times_base(at))) {
      uniform = 0;
    }
    const unsigned write = ref_times_mask(at, WRITE_BIT), read = ref_times_mask(at, READ_BIT);
    other |= read | (ref_times_opcode(at) == LDCU ? 0 : write);
    uniform = (uniform | (ref_times_opcode(at) == LDCU ? write : 0)) & ~other;
  }
}

/* The instruction that a branch or a convergence barrier names, or REF_NONE. */
size_t ref_times_target(const uint8_t *at, size_t number, size_t count) {
  enum { BSSY = 0x145, LOW = 16, LOW_WIDTH = 8, HIGH = 34, UNIT = 4 };
  const unsigned base = ref_times_base(at);
  if (base != BRA && base != BSSY) {
    return REF_NONE;
  }
  const uint64_t high = (uint64_t)ref_bits_get(at, HIGH, 30);
  const uint64_t words = base == BSSY ? high : high << LOW_WIDTH | ref_bits_get(at, LOW, LOW_WIDTH);
  const uint64_t width = base == BSSY ? 30 : 30 + LOW_WIDTH;
  const uint64_t sign = UINT64_C(1) << (width - 1);
  const int64_t step = (int64_t)((words ^ sign) - sign) * UNIT / INSTRUCTION;
  const int64_t target = (int64_t)number + 1 + step;
  return target >= 0 && (uint64_t)target < count ? (size_t)target : REF_NONE;
}

/* How many instructions from the beginning on nobody comes to but by those in front of them: up to where a branch leads, a call or the end. */
size_t ref_times_count_first(const uint8_t *text, size_t count) {
  enum { BSSY = 0x145, YIELD = 0x146, WARPSYNC = 0x148, FIRST_CONTROL = 0x141 };
  size_t first = count;
  for (size_t i = 0; i < count; i++) {
    const size_t target = ref_times_target(text + i * INSTRUCTION, i, count);
    first = target < first ? target : first;
  }
  for (size_t i = 0; i < first; i++) {
    const uint8_t *at = text + i * INSTRUCTION;
    const unsigned base = ref_times_base(at);
    const bool is_control = base >= FIRST_CONTROL && base <= LAST_CONTROL;
    const bool goes_on =
        base == BSSY || base == YIELD || base == WARPSYNC || base == EXIT || base == RET || base == BRA;
    if (ref_times_is_end(at) || (is_control && !goes_on)) {
      return i + 1;
    }
  }
  return first;
}

/* Does an instruction depend on one that sets a number? */
static bool ref_times_depends(const uint8_t *at, const uint8_t *setter, unsigned board) {
  ref_times_span result;
  if (ref_bits_get(setter, WRITE_BIT, 3) == board && ref_times_result(setter, &result) &&
      (ref_times_reads(at, &result) || ref_times_writes(at, &result))) {
    return true;
  }
  return ref_bits_get(setter, READ_BIT, 3) == board && ref_times_result(at, &result) &&
         ref_times_reads(setter, &result);
}

/* Or on one of those that do, from one instruction up to another. */
static bool ref_times_depends_on_any(const uint8_t *text, size_t number, size_t from, size_t behind, unsigned board) {
  bool depends = false;
  for (size_t i = from; i < behind && !depends; i++) {
    depends = ref_times_depends(text + number * INSTRUCTION, text + i * INSTRUCTION, board);
  }
  return depends;
}

/* RF1268: where a number is waited for twice, and the first to wait depends on nothing that set it, while the second one does, or
 * leaves the block, the first wait goes. */
static void ref_times_drop_early_wait(uint8_t *text, size_t first, unsigned board) {
  enum { FAR = 512 };
  size_t from = 0, early = REF_NONE;
  for (size_t i = 0; i < first; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    const unsigned waits = ref_times_waits(at);
    if (waits == EVERY_WAIT) {
      from = i;
      early = REF_NONE;
    } else if ((waits >> board & 1) != 0) {
      const bool is_near = early != REF_NONE && early - from < FAR;
      const bool leaves = is_near && ref_times_is_control(ref_times_base(at)) && early + 1 < i; /* RF274 */
      const bool is_due = leaves || (is_near && ref_times_depends_on_any(text, i, from, early, board));
      if (is_due && !ref_times_depends_on_any(text, early, from, early, board)) {
        ref_bits_put(text + early * INSTRUCTION, WAIT_BIT + board, 1, 0);
      }
      early = i;
    }
    if (ref_bits_get(at, WRITE_BIT, 3) == board || ref_bits_get(at, READ_BIT, 3) == board) {
      from = early != REF_NONE ? i : from;
      early = REF_NONE;
    }
  }
}

static void ref_times_drop_early_waits(uint8_t *text, size_t count) {
  const size_t first = ref_times_count_first(text, count);
  for (unsigned n = 0; n < BOARDS; n++) {
    ref_times_drop_early_wait(text, first, n);
  }
}

/* Is nobody known to wait for what an instruction loads? */
static bool ref_times_is_unwaited(const uint8_t *text, size_t behind, size_t number) {
  const uint8_t *own = text + number * INSTRUCTION;
  const unsigned opcode = ref_times_opcode(own), board = ref_bits_get(own, WRITE_BIT, 3);
  if (board >= BOARDS) {
    return opcode != LDC || ref_bits_get(own, RESULT, 8) == 1; /* which often has none */
  }
  for (size_t i = number + 1; i < behind; i++) {
    if ((ref_times_waits(text + i * INSTRUCTION) >> board & 1) != 0) {
      return false;
    }
  }
  return true;
}

/* Instructions that nobody comes to but by those in front of them, and where nothing is pending at first. */
typedef struct ref_times_range {
  size_t from, behind;
} ref_times_range;

typedef struct ref_times_ranges {
  ref_times_range *items;
  size_t count;
} ref_times_ranges;

/* RF1269: who waits for a number that is not set waits for the one load in front of him for which nobody waits. */
static bool ref_times_find_awaited(uint8_t *text, const ref_times_range *range, size_t number, unsigned board) {
  size_t found = REF_NONE, count = 0;
  for (size_t i = range->from; i < number; i++) {
    const unsigned opcode = ref_times_opcode(text + i * INSTRUCTION);
    if ((ref_times_is_load(opcode) || opcode == LDG) && ref_times_is_unwaited(text, range->behind, i)) {
      found = i;
      count++;
    }
  }
  if (count == 1) {
    ref_bits_put(text + found * INSTRUCTION, WRITE_BIT, 3, board);
  }
  return count == 1;
}

/* RF1265: there nobody waits for a number that is not set. */
static void ref_times_drop_lost_waits(uint8_t *text, const ref_times_range *range) {
  enum { BRA_DIVERGENT = 0x547, SHORT_TEXT = 512 };
  const bool is_short = range->behind - range->from <= SHORT_TEXT; /* what follows grows with its third power */
  unsigned pending = 0;
  for (size_t i = range->from; i < range->behind; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    const unsigned waits = ref_times_waits(at);
    unsigned kept = waits;
    for (unsigned n = 0; n < BOARDS && waits != EVERY_WAIT && ref_times_opcode(at) != BRA_DIVERGENT; n++) {
      if ((waits >> n & 1) != 0 && (pending >> n & 1) == 0 &&
          !(is_short && ref_times_find_awaited(text, range, i, n))) {
        kept &= ~(1u << n);
      }
    }
    ref_bits_put(at, WAIT_BIT, BOARDS, kept);
    pending = (pending & ~waits) | ref_times_mask(at, WRITE_BIT) | ref_times_mask(at, READ_BIT);
  }
}

/* Does somebody wait there for a number that is not set? */
static bool ref_times_has_lost_wait(const uint8_t *text, const ref_times_range *range) {
  unsigned pending = 0;
  bool has = false;
  for (size_t i = range->from; i < range->behind; i++) {
    const uint8_t *at = text + i * INSTRUCTION;
    const unsigned waits = ref_times_waits(at);
    has = has || (waits != EVERY_WAIT && (waits & ~pending) != 0);
    pending |= ref_times_mask(at, WRITE_BIT) | ref_times_mask(at, READ_BIT);
  }
  return has;
}

static bool ref_times_is_call(const uint8_t *at) {
  const unsigned base = ref_times_base(at);
  return base == CALL_ABSOLUTE || base == CALL_RELATIVE;
}

/* RF1229: a call leaves nothing pending. Up to where a branch leads or the next control instruction; nothing where a jump through a register may
 * lead anywhere. */
static void ref_times_find_ranges(ref_link *link, const uint8_t *text, size_t count, ref_times_ranges *ranges) {
  bool *is_target = REF_TAKE(link, bool, count + 1);
  bool jumps = false;
  ranges->items = REF_TAKE(link, ref_times_range, count + 1);
  ranges->items[ranges->count++] = (ref_times_range){.from = 0, .behind = ref_times_count_first(text, count)};
  for (size_t i = 0; i < count; i++) {
    const size_t target = ref_times_target(text + i * INSTRUCTION, i, count);
    const unsigned base = ref_times_base(text + i * INSTRUCTION);
    is_target[target == REF_NONE ? count : target] = true;
    jumps = jumps || base == BRX || base == BRX_UNIFORM;
  }
  for (size_t i = 0; i < count && !jumps; i++) {
    if (ref_times_is_call(text + i * INSTRUCTION)) {
      size_t behind = i + 1;
      while (behind < count && !is_target[behind] &&
             !ref_times_is_control(ref_times_base(text + behind * INSTRUCTION))) {
        behind++;
      }
      ranges->items[ranges->count++] = (ref_times_range){.from = i + 1, .behind = behind};
    }
  }
}

/* RF1270: control instructions that always stall as long. RF1215: BSYNC and CALL in texts that are not damaged otherwise, too; an indirect branch
 * rarely for six, and EXIT for as long as a result on its way needs. */
static void ref_times_settle_control(uint8_t *at, bool is_damaged) {
  static const uint16_t fives[] = {0x343, 0x348, 0x355, 0x941, 0x942, 0x943, 0x944, 0x949, 0x94d};
  enum { FIVE = 5, BSYNC_CODE = 0x941, CALL_CODE = 0x943 };
  const unsigned opcode = ref_times_opcode(at);
  if (opcode == BSYNC_CODE || opcode == CALL_CODE ||
      (is_damaged && ref_times_is_among(fives, sizeof fives / sizeof *fives, opcode))) {
    ref_bits_put(at, TIMES_BIT, 4, FIVE);
  }
}

/* --- cycles that are too few --- */

/* RF1271: what comes too early for a result, a unit or a number gets the cycles that it needs. */
static void ref_times_raise(uint8_t *text, size_t count) {
  for (size_t i = 0; i + 1 < count; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    const unsigned stall = ref_bits_get(at, TIMES_BIT, 4);
    const unsigned boards = ref_times_mask(at, WRITE_BIT) | ref_times_mask(at, READ_BIT);
    const unsigned least = ref_times_least(&(ref_times){.text = text, .count = count, .number = i}, boards);
    if (stall != 0 && stall < least) {
      ref_bits_put(at, TIMES_BIT, 4, least);
    }
  }
}

/* The stall of a branch or RET: all results of arithmetic are there 7 cycles after they were begun. False: something else is on its way. */
static bool ref_times_find_end(const ref_times *times, unsigned *stall) {
  static const uint16_t
      others[] = {0x305, 0x306, 0x308, 0x309, 0x310, 0x311, 0x312, 0x387, 0x388, 0x5ab,
                  0x7ac, 0x918, 0x919, 0x945, 0x980, 0x981, 0x983, 0x984, 0x985, 0x986,
                  0x988, 0x98f, 0x992, 0x9ab, 0x9c3, 0x9c7, 0xb1d, 0xb82}; /* what has a number, or no result */
  static const uint16_t further[] = {0x202, 0x207, 0x208, 0x210, 0x211, 0x212, 0x216, 0x219, 0x221, 0x223,
                                     0x224, 0x227, 0x245, 0x248, 0x421, 0x423, 0x424, 0x431, 0x446, 0x802,
                                     0x807, 0x808, 0x810, 0x811, 0x812, 0x816, 0x819, 0x824, 0x825, 0x827,
                                     0x836, 0x848, 0xc02, 0xc10, 0xc11, 0xc24, 0xe24};
  enum { LEAST = 5, ARITHMETIC = 7, LONG = 14, BSSY = 0x945 };
  unsigned cycles = 0;
  *stall = LEAST;
  for (size_t i = times->number; i-- > 0 && cycles < LONG;) {
    const uint8_t *at = ref_times_at(times, i);
    const unsigned opcode = ref_times_opcode(at), base = ref_times_base(at);
    if (base >= BSYNC && base <= LAST_CONTROL && opcode != BSSY) {
      return true;
    }
    cycles += ref_bits_get(at, TIMES_BIT, 4);
    if (ref_times_is_among(further, sizeof further / sizeof *further, opcode)) {
      *stall = cycles < ARITHMETIC ? ref_times_larger(*stall, ARITHMETIC - cycles) : *stall;
    } else if (!ref_times_is_among(others, sizeof others / sizeof *others, opcode) && cycles < LONG) {
      return false;
    }
  }
  return true;
}

/* RF1272, RF1215: a branch may stall longer than that, but never much, and RET never does; in damaged texts no branch of all lanes, either. */
static void ref_times_settle_ends(uint8_t *text, size_t count, bool is_damaged) {
  enum { BRA_CODE = 0x947, BRA_UNIFORM = 0x547, RET_CODE = 0x950, MOST = 8 };
  for (size_t i = 0; i < count; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    const unsigned opcode = ref_times_opcode(at), old = ref_bits_get(at, TIMES_BIT, 4);
    unsigned stall = 0;
    if ((opcode != BRA_CODE && opcode != BRA_UNIFORM && opcode != RET_CODE) || old == 0 ||
        !ref_times_find_end(&(ref_times){.text = text, .count = count, .number = i}, &stall)) {
      continue;
    }
    const bool exact = opcode == RET_CODE || (is_damaged && (opcode == BRA_UNIFORM || old > MOST));
    if (old < stall || exact) {
      ref_bits_put(at, TIMES_BIT, 4, stall);
    }
  }
}

/* Does an instruction of arithmetic set a predicate? */
static bool ref_times_sets_predicate(const uint8_t *at) {
  static const uint16_t setters[] = {0x00b, 0x00c, 0x010, 0x012, 0x01c}; /* FSETP, ISETP, IADD3, LOP3, PLOP3 */
  enum { PREDICATE = 81, PREDICATE_WIDTH = 3, NO_PREDICATE = 7 };
  return ref_times_is_among(setters, sizeof setters / sizeof *setters, ref_times_base(at)) &&
         ref_bits_get(at, PREDICATE, PREDICATE_WIDTH) != NO_PREDICATE;
}

/* RF1316: a function returns 13 cycles at least behind what sets a predicate. */
static void ref_times_settle_return(uint8_t *text, size_t number) {
  enum { RET_CODE = 0x950, PREDICATES = 13 };
  uint8_t *own = text + number * INSTRUCTION;
  unsigned cycles = 0;
  for (size_t i = number; ref_times_opcode(own) == RET_CODE && i-- > 0;) {
    const uint8_t *at = text + i * INSTRUCTION;
    cycles += ref_bits_get(at, TIMES_BIT, 4);
    if (cycles >= PREDICATES || ref_times_is_control(ref_times_base(at))) {
      return;
    }
    if (ref_times_sets_predicate(at)) {
      const unsigned least = PREDICATES - cycles;
      if (ref_bits_get(own, TIMES_BIT, 4) < least) {
        ref_bits_put(own, TIMES_BIT, 4, least);
        ref_bits_put(own, YIELD_BIT, 1, least < LONG_STALL);
      }
      return;
    }
  }
}

/* The end of the first block, up to where a branch leads. */
static size_t ref_times_end_first_block(const uint8_t *text, size_t count) {
  const size_t first = ref_times_count_first(text, count);
  size_t end = 0;
  while (end < first && !ref_times_is_control(ref_times_base(text + end * INSTRUCTION))) {
    end++;
  }
  return end < first ? end + 1 : first;
}

/* RF1216: where somebody in the first block waits for a number that nobody has set, and the first instruction, R1's load, has none, it is that one's,
 * which then has its own stall (RF1157). */
static void ref_times_settle_stack_load(uint8_t *text, size_t count) {
  enum { LONG_LOAD = 8 };
  if (count < 2 || ref_times_opcode(text) != LDC || ref_bits_get(text, RESULT, 8) != 1 ||
      ref_bits_get(text, WRITE_BIT, 3) < BOARDS) {
    return;
  }
  const size_t end = ref_times_end_first_block(text, count);
  unsigned pending = 0;
  for (size_t i = 0; i < end; i++) {
    const uint8_t *at = text + i * INSTRUCTION;
    const unsigned waits = ref_times_waits(at), orphans = waits & ~pending;
    if (waits == EVERY_WAIT || (orphans & (orphans - 1)) != 0) {
      return;
    }
    if (orphans != 0) {
      const unsigned next = ref_times_opcode(text + INSTRUCTION);
      ref_bits_put(text, WRITE_BIT, 3, ref_times_lowest(orphans));
      ref_bits_put(text, TIMES_BIT, 4, next == LDC || next == S2UR ? LONG_LOAD : 1);
      return;
    }
    pending |= ref_times_mask(at, WRITE_BIT) | ref_times_mask(at, READ_BIT);
  }
}

/* RF1227: NOPs that ptxas puts between a long instruction and one of doubles wait for 15 cycles each, but the last one, which has what is left. */
static void ref_times_settle_filler(uint8_t *text, size_t count, size_t number) {
  enum { NO_OPERATION_CODE = 0x918, LONGEST = 15 };
  uint8_t *own = text + number * INSTRUCTION;
  if (number == 0 || number + 1 >= count || ref_times_opcode(own) != NO_OPERATION_CODE ||
      ref_times_opcode(own + INSTRUCTION) != NO_OPERATION_CODE) {
    return;
  }
  if (ref_bits_get(own - INSTRUCTION, TIMES_BIT, 4) == LONGEST && ref_bits_get(own + INSTRUCTION, TIMES_BIT, 4) != 0) {
    ref_bits_put(own, TIMES_BIT, 4, LONGEST);
    ref_bits_put(own, YIELD_BIT, 1, 0);
  }
}

/* RF1223; the rules that are less than sure, and RF1224, RF1225 and RF1264 to RF1272, only in a text that is damaged otherwise. */
void ref_times_settle(ref_link *link, uint8_t *text, size_t count, bool is_damaged) {
  unsigned cycles = 0;
  ref_times_ranges ranges = {.count = 0};
  ref_times_settle_stack_load(text, count);
  ref_stack_settle_number(text, count);
  ref_times_find_ranges(link, text, count, &ranges);
  for (size_t i = 0; i < ranges.count; i++) {
    is_damaged = is_damaged || ref_times_has_lost_wait(text, &ranges.items[i]);
  }
  if (is_damaged) {
    ref_early_settle(link, text, count);
    ref_times_drop_waits(text, count);
    ref_times_drop_early_waits(text, count);
    for (size_t i = 0; i < count; i++) {
      ref_times_mend_number(text, &(ref_times){.text = text, .count = count, .number = i});
    }
    for (size_t i = 0; i < ranges.count; i++) {
      ref_times_drop_lost_waits(text, &ranges.items[i]);
    }
    ref_times_raise(text, count);
  }
  ref_times_settle_ends(text, count, is_damaged);
  ref_stack_settle_stall(text, count);
  for (size_t i = 0; i < count; i++) {
    uint8_t *at = text + i * INSTRUCTION;
    const unsigned stall = ref_bits_get(at, TIMES_BIT, 4);
    ref_times_settle_barriers(at);
    ref_times_settle_control(at, is_damaged);
    ref_times_settle_yield(at, cycles, !is_damaged);
    ref_times_settle_return(text, i);
    ref_times_settle_filler(text, count, i);
    cycles = stall > 1 && ref_bits_get(at, YIELD_BIT, 1) == 0 ? 0 : cycles + stall;
  }
}
