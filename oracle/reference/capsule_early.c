/* RF1230: who waits too early, in a text that is damaged otherwise. In almost no undamaged text does an instruction of certain kinds wait for a load of its block that it has nothing to do with,
 * while another one behind it there uses what is loaded: that one waits. */
#include "bits.h"
#include "capsule.h"

enum {
  INSTRUCTION = 16,
  OPCODE_WIDTH = 12,
  BOARDS = 6,
  EVERY_WAIT = 0x3f,
  WRITE_BIT = 110,
  READ_BIT = 113,
  WAIT_BIT = 116,
  RESULT = 16,
  FIRST = 24,
  SECOND = 32,
  THIRD = 64,
  SIZE = 73,
  UNIFORM_BIT = 91,
  NO_REGISTER = 0xff,
  NEAR = 3, /* an operand may have as many registers more as its field says */
  MOST = 64 /* instructions between the load and who uses it */
};

typedef struct ref_early {
  uint8_t *text;
  const bool *starts; /* of instructions: does a block begin there? */
  size_t count;
} ref_early;

static uint8_t *ref_early_at(const ref_early *early, size_t number) {
  return early->text + number * INSTRUCTION;
}

static unsigned ref_early_opcode(const uint8_t *at) {
  return ref_bits_get(at, 0, OPCODE_WIDTH);
}

static bool ref_early_is_among(const uint16_t *opcodes, size_t count, unsigned opcode) {
  bool is_among = false;
  for (size_t i = 0; i < count; i++) {
    is_among = is_among || opcodes[i] == opcode;
  }
  return is_among;
}

/* LDCU, S2R, LD, LDG, LDL, LDS, S2UR, LDC */
static bool ref_early_is_load(const uint8_t *at) {
  static const uint16_t loads[] = {0x7ac, 0x919, 0x980, 0x981, 0x983, 0x984, 0x9c3, 0xb82};
  return ref_early_is_among(loads, sizeof loads / sizeof *loads, ref_early_opcode(at));
}

/* What never waits early; moves of constants in front of calls, textures, and what synchronises, do. */
static bool ref_early_is_punctual(const uint8_t *at) {
  static const uint16_t kinds[] = {0x20c, 0x210, 0x212, 0x290, 0x291, 0x387, 0x388, 0x431, 0x7ac,
                                   0x80c, 0x819, 0x824, 0x825, 0x882, 0x890, 0x919, 0x980, 0x981,
                                   0x985, 0x988, 0x9c3, 0xb82, 0xc02, 0xc0c, 0xc10, 0xc24, 0xc82};
  return ref_early_is_among(kinds, sizeof kinds / sizeof *kinds, ref_early_opcode(at));
}

static bool ref_early_is_control(const uint8_t *at) {
  enum { FIRST_CONTROL = 0x141, LAST_CONTROL = 0x15b };
  const unsigned base = ref_bits_get(at, 0, 9);
  return base >= FIRST_CONTROL && base <= LAST_CONTROL;
}

static unsigned ref_early_width(const uint8_t *load) {
  enum { S2R = 0x919, S2UR = 0x9c3 };
  const unsigned size = ref_bits_get(load, SIZE, 3), opcode = ref_early_opcode(load);
  const bool one = opcode == S2R || opcode == S2UR;
  return one ? 1 : size == 5 ? 2 : size == 6 ? 4 : size == 7 ? 8 : 1;
}

/* May an instruction have to do with what a load loads? Its fields are taken for registers of either kind, with those behind them; of another load
 * it is known how many there are. */
static bool ref_early_touches(const uint8_t *at, const uint8_t *load) {
  static const unsigned fields[] = {RESULT, FIRST, SECOND, THIRD};
  const unsigned first = ref_bits_get(load, RESULT, 8), behind = first + ref_early_width(load);
  const bool is_load = ref_early_is_load(at), is_uniform = ref_bits_get(at, UNIFORM_BIT, 1) != 0;
  const size_t known = is_uniform ? 3 : 2;
  bool touches = false;
  for (size_t i = 0; i < (is_load ? known : sizeof fields / sizeof *fields); i++) {
    const unsigned field = ref_bits_get(at, fields[i], 8);
    const unsigned more = !is_load ? NEAR : fields[i] == RESULT ? ref_early_width(at) - 1 : 1;
    touches = touches || (field != NO_REGISTER && field + more >= first && field < behind);
  }
  return touches;
}

/* Does it have one of its registers as an operand? */
static bool ref_early_uses(const uint8_t *at, const uint8_t *load) {
  const unsigned first = ref_bits_get(load, RESULT, 8), behind = first + ref_early_width(load);
  const unsigned form = ref_early_opcode(at) >> 9;
  const unsigned left = ref_bits_get(at, FIRST, 8), right = ref_bits_get(at, THIRD, 8);
  const unsigned second = ref_bits_get(at, SECOND, 8);
  const bool has_second = form == 1 || form == 4 || form == 6;
  return first != NO_REGISTER && ((left >= first && left < behind) || (right >= first && right < behind) ||
                                  (has_second && second >= first && second < behind));
}

/* The first instruction of a block that sets a number since it was last waited for; `load`: an instruction that waits for it now. False: not all that
 * set it are loads, or the instruction may have to do with one. */
static bool ref_early_is_idle(const ref_early *early, size_t number, unsigned board, size_t *first) {
  const uint8_t *own = ref_early_at(early, number);
  *first = number;
  for (size_t i = number, k = 0; !early->starts[i] && k < MOST; k++) {
    const uint8_t *at = ref_early_at(early, --i);
    const unsigned waits = ref_bits_get(at, WAIT_BIT, BOARDS);
    if (ref_bits_get(at, READ_BIT, 3) == board) {
      return false;
    }
    if (ref_bits_get(at, WRITE_BIT, 3) == board) {
      if (!ref_early_is_load(at) || ref_early_touches(own, at)) {
        return false;
      }
      *first = i;
    }
    if ((waits >> board & 1) != 0) {
      break;
    }
  }
  return *first != number;
}

static bool ref_early_any(const ref_early *early, const uint8_t *at, size_t first, size_t number, unsigned board,
                          bool (*relates)(const uint8_t *, const uint8_t *)) {
  bool any = false;
  for (size_t i = first; i < number; i++) {
    const uint8_t *load = ref_early_at(early, i);
    any = any || (ref_bits_get(load, WRITE_BIT, 3) == board && relates(at, load));
  }
  return any;
}

/* Who uses one of the loads behind the instruction, in its block, or REF_NONE; `waits`: does somebody up to him wait for the number? */
static size_t ref_early_find_user(const ref_early *early, size_t first, size_t number, unsigned board, bool *waits) {
  *waits = false;
  for (size_t i = number + 1; i < early->count && !early->starts[i] && i < number + MOST; i++) {
    const uint8_t *at = ref_early_at(early, i);
    *waits = *waits || (ref_bits_get(at, WAIT_BIT, BOARDS) >> board & 1) != 0;
    if (ref_early_is_control(at)) {
      break;
    }
    if (ref_early_any(early, at, first, number, board, ref_early_touches)) {
      return ref_early_any(early, at, first, number, board, ref_early_uses) ? i : REF_NONE;
    }
  }
  return REF_NONE;
}

static void ref_early_mend(const ref_early *early, size_t number, unsigned board) {
  size_t first = number;
  bool waits = false;
  uint8_t *at = ref_early_at(early, number);
  if (!ref_early_is_idle(early, number, board, &first)) {
    return;
  }
  const size_t user = ref_early_find_user(early, first, number, board, &waits);
  if (user == REF_NONE) {
    return;
  }
  ref_bits_put(at, WAIT_BIT + board, 1, 0);
  if (!waits) {
    ref_bits_put(ref_early_at(early, user), WAIT_BIT + board, 1, 1);
  }
}

/* Texts with jumps through registers are left, as those may lead anywhere. */
void ref_early_settle(ref_link *link, uint8_t *text, size_t count) {
  enum { BRX = 0x149, BRX_UNIFORM = 0x158 };
  bool *starts = REF_TAKE(link, bool, count + 1);
  const ref_early early = {.text = text, .starts = starts, .count = count};
  starts[0] = true;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *at = ref_early_at(&early, i);
    const unsigned base = ref_bits_get(at, 0, 9);
    const size_t target = ref_times_target(at, i, count);
    if (base == BRX || base == BRX_UNIFORM) {
      return;
    }
    starts[i + 1] = starts[i + 1] || ref_early_is_control(at);
    starts[target == REF_NONE ? 0 : target] = true;
  }
  for (size_t i = 0; i < count; i++) {
    const uint8_t *at = ref_early_at(&early, i);
    const unsigned waits = ref_bits_get(at, WAIT_BIT, BOARDS);
    for (unsigned board = 0; board < BOARDS && waits != EVERY_WAIT && ref_early_is_punctual(at); board++) {
      if ((waits >> board & 1) != 0) {
        ref_early_mend(&early, i, board);
      }
    }
  }
}
