/* nvlink does not read the control bits of a capsule's SASS text (M40): its finalizer gives them anew, and comes to those of the
 * compiler, which took the same rules. Where they are not what these rules allow the input is damaged, and what they should be
 * is found from what stands around (L1676, L1677): instructions that set no barrier, or set one always; waits for what is
 * pending on no way, or that what is read asks for; cycles that are too few; whether an instruction yields. Control bits that are
 * allowed stay, though others might be right.
 *
 * Rules of which a compiler might have exceptions count only in texts in which something that it never writes shows the damage. */
#include "cubin/schedule.h"

#include "base/bytes.h"
#include "cubin/blocks.h"
#include "cubin/code.h"
#include "cubin/control.h"
#include "cubin/latency.h"
#include "cubin/operands.h"
#include "cubin/pending.h"

#include <string.h>

enum {
  INSTRUCTION = TL_CODE_INSTRUCTION,
  OPCODE = 0xfff,
  NO_BARRIER = TL_CONTROL_NO_BARRIER,
  NUMBERS = TL_PENDING_NUMBERS,
  READS = TL_CONTROL_BARRIER + 3,
  EVERY_NUMBER = 0x3f,
  VARIABLE = 0x100,
  REACH = 200 /* instructions behind one in which its result is looked for */
};

struct tl_schedule {
  uint8_t *text;
  tl_operands *operands;
  tl_pending_room room;
  bool *wrong;      /* the instruction's control bits are not allowed */
  uint8_t *claimed; /* numbers that it waits for and that were given to what it uses */
  const bool *made;
  uint32_t count, sm;
  bool calls;
  bool damaged; /* an instruction of the text, or control bits that no compiler writes */
};

static uint8_t *schedule_at(const tl_schedule *s, uint32_t index) {
  return s->text + (uint64_t)index * INSTRUCTION;
}

static uint16_t schedule_opcode(const tl_schedule *s, uint32_t index) {
  return tl_get16(schedule_at(s, index)) & OPCODE;
}

static uint32_t schedule_get(const tl_schedule *s, uint32_t index, unsigned shift, uint32_t mask) {
  return (uint32_t)(tl_get64(schedule_at(s, index) + 8) >> shift) & mask;
}

static void schedule_put(const tl_schedule *s, uint32_t index, unsigned shift, uint64_t mask, uint64_t value) {
  uint8_t *const high = schedule_at(s, index) + 8;
  tl_put64(high, (tl_get64(high) & ~(mask << shift)) | value << shift);
}

static uint32_t schedule_write(const tl_schedule *s, uint32_t index) {
  return schedule_get(s, index, TL_CONTROL_BARRIER, NO_BARRIER);
}

static uint32_t schedule_read(const tl_schedule *s, uint32_t index) {
  return schedule_get(s, index, READS, NO_BARRIER);
}

static uint32_t schedule_waits(const tl_schedule *s, uint32_t index) {
  return schedule_get(s, index, TL_CONTROL_WAIT, EVERY_NUMBER);
}

/* --- barriers --- */

/* Arithmetic of doubles and of matrices, which has a barrier on some machines. */
static bool schedule_is_long(unsigned kind) {
  static const uint16_t kinds[] = {0x028, 0x029, 0x02a, 0x02b, 0x037, 0x03a, 0x03b, 0x03c, 0x03f, 0x044};
  return TL_AMONG16(kinds, kind);
}

/* What sets no barrier: other arithmetic, and what moves on. */
static bool schedule_sets_none(uint16_t opcode) {
  static const uint16_t others[] = {0x343, 0x348, 0x547, 0x5ab, 0x91b, 0x941, 0x942, 0x943, 0x944, 0x945,
                                    0x946, 0x947, 0x948, 0x949, 0x94d, 0x94e, 0x950, 0x95c, 0x95d, 0x9ab};
  const unsigned kind = opcode & TL_CONTROL_KIND;
  return kind < VARIABLE ? !schedule_is_long(kind) : TL_AMONG16(others, opcode);
}

/* What has no result that a barrier could be for. */
static bool schedule_writes_none(uint16_t opcode) {
  static const uint16_t opcodes[] = {0x31d, 0x356, 0x387, 0x388, 0x985, 0x986, 0x988, 0x98e, 0x98f, 0x992, 0xf9d};
  return schedule_sets_none(opcode) || TL_AMONG16(opcodes, opcode);
}

/* And what has no source that one could be for. */
static bool schedule_reads_none(uint16_t opcode) {
  static const uint16_t opcodes[] = {0x355, 0x7ac, 0x906, 0x919, 0x9c3, 0xd08, 0xd12};
  return schedule_sets_none(opcode) || TL_AMONG16(opcodes, opcode);
}

/* What has a barrier for its result wherever it has one. */
static bool schedule_writes_always(const tl_schedule *s, uint32_t index) {
  static const uint16_t opcodes[] = {0x300, 0x305, 0x306, 0x307, 0x308, 0x310, 0x311, 0x312, 0x355, 0x389, 0x3a9, 0x7ac,
                                     0x906, 0x908, 0x919, 0x980, 0x981, 0x983, 0x98a, 0x9c3, 0xb82, 0xd08, 0xd12};
  return TL_AMONG16(opcodes, schedule_opcode(s, index)) && s->operands[index].write_count;
}

static bool schedule_drop_barriers(const tl_schedule *s, uint32_t index) {
  const uint16_t opcode = schedule_opcode(s, index);
  const uint32_t write = schedule_write(s, index), read = schedule_read(s, index);
  const bool drops_write = write != NO_BARRIER && schedule_writes_none(opcode);
  const bool drops_read = read != NO_BARRIER && (schedule_reads_none(opcode) || read >= NUMBERS);
  if (drops_write)
    schedule_put(s, index, TL_CONTROL_BARRIER, NO_BARRIER, NO_BARRIER);
  if (drops_read)
    schedule_put(s, index, READS, NO_BARRIER, NO_BARRIER);
  s->wrong[index] |= drops_write || drops_read;
  return drops_write || drops_read;
}

/* The number among those that an instruction waits for that nothing has set; NO_BARRIER. */
static uint32_t schedule_orphan(const tl_schedule *s, uint32_t index) {
  const uint32_t waits = schedule_waits(s, index) & ~(uint32_t)s->claimed[index];
  const tl_pending *const pending = &s->room.pending[index];
  for (uint32_t b = 0; b < NUMBERS && waits != EVERY_NUMBER; b++)
    if (waits >> b & 1 && pending->reached && !pending->numbers[b].count && !pending->numbers[b].more)
      return b;
  return NO_BARRIER;
}

/* Or else one that is shared with what the same opcode loads, or with anything. */
static uint32_t schedule_shared(const tl_schedule *s, uint32_t index, uint16_t opcode) {
  const uint32_t waits = schedule_waits(s, index);
  uint32_t any = NO_BARRIER;
  for (uint32_t b = 0; b < NUMBERS && waits != EVERY_NUMBER; b++) {
    const tl_pending_number *const number = &s->room.pending[index].numbers[b];
    if (!(waits >> b & 1))
      continue;
    any = any == NO_BARRIER ? b : any;
    for (unsigned i = 0; i < number->count; i++)
      if (schedule_opcode(s, number->setters[i]) == opcode)
        return b;
  }
  return any;
}

/* Whether an instruction waits for what the same opcode loads. */
static bool schedule_shares(const tl_schedule *s, uint32_t index, uint16_t opcode) {
  const uint32_t waits = schedule_waits(s, index);
  bool shares = false;
  for (uint32_t b = 0; b < NUMBERS && waits != EVERY_NUMBER; b++)
    for (unsigned i = 0; i < s->room.pending[index].numbers[b].count; i++)
      shares |= waits >> b & 1 && schedule_opcode(s, s->room.pending[index].numbers[b].setters[i]) == opcode;
  return shares;
}

/* The first instruction that uses a result, or that leaves the text, or, not knowing its operands, waits for what nothing has set;
 * s->count. The last one before a call waits for it, too. */
static uint32_t schedule_find_user(const tl_schedule *s, uint32_t index, bool *uses) {
  static const uint16_t leaves[] = {0x943, 0x944, 0x343, 0x344, 0x94d, 0x950};
  const tl_operands *const own = &s->operands[index];
  for (uint32_t i = index + 1; i < s->count && i - index < REACH; i++) {
    const tl_operands *const other = &s->operands[i];
    *uses = tl_operands_meet(own->writes, own->write_count, other->reads, other->read_count, false) ||
            tl_operands_meet(own->writes, own->write_count, other->writes, other->write_count, false);
    *uses |= !other->known && schedule_shares(s, i, schedule_opcode(s, index));
    if (*uses || (!other->known && schedule_orphan(s, i) != NO_BARRIER))
      return i;
    if (TL_AMONG16(leaves, schedule_opcode(s, i)))
      return i > index + 1 && schedule_orphan(s, i) == NO_BARRIER && !schedule_shares(s, i, schedule_opcode(s, index))
                 ? i - 1
                 : i;
  }
  return s->count;
}

/* The number of a result's barrier, NO_BARRIER: what uses it waits for it. Some results may go unused, so that one that is shared
 * tells nothing. */
static uint32_t schedule_find_write(const tl_schedule *s, uint32_t index, uint32_t *user) {
  static const uint16_t alone[] = {0x305, 0x308, 0x311, 0x312, 0x906, 0xd08, 0xd12};
  enum { STACK_POINTER = 1, RESULT = 2, LOAD = 0xb82 };
  const uint16_t opcode = schedule_opcode(s, index);
  const bool pointer = opcode == LOAD && schedule_at(s, index)[RESULT] == STACK_POINTER; /* M45 */
  bool uses = false;
  *user = schedule_find_user(s, index, &uses);
  if (*user >= s->count || (pointer && !s->calls))
    return NO_BARRIER;
  const uint32_t orphan = schedule_orphan(s, *user);
  const bool shares = uses || schedule_shares(s, *user, opcode);
  return orphan != NO_BARRIER || !shares || pointer || TL_AMONG16(alone, opcode) ? orphan
                                                                                 : schedule_shared(s, *user, opcode);
}

/* And of a source's: what writes the register waits for it, or the branch at the end of the block. */
static uint32_t schedule_find_read(const tl_schedule *s, uint32_t index, uint32_t *user) {
  const tl_operands *const own = &s->operands[index];
  for (uint32_t i = index + 1; i < s->count && i - index < REACH; i++) {
    const tl_operands *const other = &s->operands[i];
    if (tl_operands_meet(own->reads, own->read_count, other->writes, other->write_count, true) ||
        tl_pending_ends(schedule_opcode(s, i))) {
      *user = i;
      return schedule_orphan(s, i);
    }
  }
  return NO_BARRIER;
}

/* L1827: the read barrier of an instruction whose text was another one: its own where that is waited for, or what nobody has set. */
static bool schedule_add_read(const tl_schedule *s, uint32_t index) {
  if (!s->wrong[index] || !s->made[index] || !s->operands[index].known ||
      schedule_reads_none(schedule_opcode(s, index)))
    return false;
  uint32_t user = 0;
  const uint32_t own = schedule_read(s, index), number = schedule_find_read(s, index, &user);
  if (own < NUMBERS && user && schedule_waits(s, user) >> own & 1)
    return false;
  schedule_put(s, index, READS, NO_BARRIER, number);
  s->claimed[user] |= number < NUMBERS ? (uint8_t)(1U << number) : 0;
  return number != own;
}

/* M45b: reads of textures have number 5; one without it has lost it where somebody waits for it behind it and nobody has set it. */
static bool schedule_add_texture(const tl_schedule *s, uint32_t index) {
  static const uint16_t opcodes[] = {0xf60, 0xf61, 0xf63, 0xf64, 0xf66, 0xf69, 0xf99};
  enum { TEXTURE = 5 };
  if (!TL_AMONG16(opcodes, schedule_opcode(s, index)) || schedule_write(s, index) != NO_BARRIER)
    return false;
  for (uint32_t i = index + 1; i < s->count && i - index < REACH; i++) {
    if (schedule_orphan(s, i) == TEXTURE) {
      schedule_put(s, index, TL_CONTROL_BARRIER, NO_BARRIER, TEXTURE);
      s->claimed[i] |= (uint8_t)(1U << TEXTURE);
      return true;
    }
    if (tl_pending_ends(schedule_opcode(s, i)))
      return false;
  }
  return false;
}

/* A number that is missing, or that what uses the result does not wait for, but for another one that nothing has set. */
static bool schedule_add_barriers(const tl_schedule *s, uint32_t index) {
  const uint32_t own = schedule_write(s, index);
  uint32_t user = 0;
  if (!schedule_writes_always(s, index))
    return false;
  const uint32_t number = schedule_find_write(s, index, &user);
  if (number == NO_BARRIER || number == own)
    return false;
  if (own < NUMBERS && ((schedule_waits(s, user) >> own & 1) || schedule_orphan(s, user) != number))
    return false;
  schedule_put(s, index, TL_CONTROL_BARRIER, NO_BARRIER, number);
  s->claimed[user] |= (uint8_t)(1U << number);
  s->wrong[index] = true;
  return true;
}

/* L1806: the numbers that somebody waits for and that nothing in front of him sets but the first instruction; in the order of the
 * text. */
static uint32_t schedule_first_orphans(const tl_schedule *s) {
  uint32_t set = 0, orphans = 0;
  for (uint32_t i = 1; i < s->count; i++) {
    const uint32_t waits = schedule_waits(s, i), write = schedule_write(s, i), read = schedule_read(s, i);
    orphans |= waits == EVERY_NUMBER ? 0 : waits & ~set;
    set |= waits | (write < NUMBERS ? 1U << write : 0) | (read < NUMBERS ? 1U << read : 0);
  }
  return orphans;
}

/* L1806: whether the first load behind it leaves number 0 out, which then is its own. */
static bool schedule_first_is_behind(const tl_schedule *s) {
  static const uint16_t loads[] = {0xb82, 0x7ac, 0x9c3};
  for (uint32_t i = 1; i < s->count; i++)
    if (schedule_write(s, i) < NUMBERS || schedule_read(s, i) < NUMBERS)
      return schedule_write(s, i) == 1 && TL_AMONG16(loads, schedule_opcode(s, i));
  return false;
}

/* L1806: which number the load of R1 has that a kernel begins with: what somebody waits for who cannot mean another one, the first
 * or, where another way has that, the second. */
static uint32_t schedule_pointer_number(const tl_schedule *s) {
  enum { LAST = 1 };
  const uint32_t own = schedule_write(s, 0), orphans = schedule_first_orphans(s);
  if (own <= LAST && orphans >> own & 1)
    return own;
  if (own < NUMBERS && orphans >> own & 1 && !(orphans & 3)) /* L1828 */
    return 0;
  if (orphans & 3)
    return orphans & 1 ? 0 : 1;
  if (own == NO_BARRIER)
    return !s->calls && !orphans && schedule_first_is_behind(s) ? 0 : own;
  return orphans || own == LAST ? own : 0;
}

static bool schedule_is_call_next(const tl_schedule *s, uint32_t index) {
  static const uint16_t calls[] = {0x943, 0x944, 0x343, 0x344};
  return index + 1 < s->count && TL_AMONG16(calls, schedule_opcode(s, index + 1));
}

/* L1693: in front of a call what waits for a number that the load shared waits for its own one, too. */
static void schedule_add_pointer(const tl_schedule *s, uint32_t index, uint32_t from, uint32_t to) {
  for (uint32_t i = index; i < s->count && !tl_pending_ends(schedule_opcode(s, i)); i++) {
    const uint32_t waits = schedule_waits(s, i);
    if (waits != EVERY_NUMBER && waits >> to & 1)
      return;
    if (schedule_is_call_next(s, i) && waits >> from & 1) {
      schedule_put(s, i, TL_CONTROL_WAIT, EVERY_NUMBER, waits | 1U << to);
      return;
    }
  }
}

/* L1828: who waits for a number that the load never has means the one that it gets. */
static void schedule_move_pointer(const tl_schedule *s, uint32_t from, uint32_t to) {
  enum { LAST = 1 };
  bool set = from <= LAST || from >= NUMBERS;
  for (uint32_t i = 1; i < s->count && !set; i++) {
    const uint32_t waits = schedule_waits(s, i);
    if (waits != EVERY_NUMBER && waits >> from & 1)
      schedule_put(s, i, TL_CONTROL_WAIT, EVERY_NUMBER, (waits & ~(1U << from)) | 1U << to);
    set = schedule_write(s, i) == from || schedule_read(s, i) == from;
    if (set)
      schedule_add_pointer(s, i, from, to);
  }
}

/* L1806, RF1157: and how long what follows waits: for its own load of constants 8 cycles, for the number 2. Barriers of undamaged
 * kernels and what launches dependent grids have 8, too (L1944). */
static void schedule_mend_pointer(const tl_schedule *s) {
  enum { LOAD = 0xb82, READ = 0x9c3, STACK_POINTER = 1, RESULT = 2, OTHER_PLACE = 4, PLACE = 0xdf00, LOADS = 8 };
  const uint8_t *const at = schedule_at(s, 0);
  if (s->count < 2 || schedule_opcode(s, 0) != LOAD || at[RESULT] != STACK_POINTER ||
      tl_get32(at + OTHER_PLACE) != PLACE)
    return;
  const uint32_t number = schedule_pointer_number(s);
  if (number < NUMBERS)
    schedule_move_pointer(s, schedule_write(s, 0), number);
  const uint32_t waits = schedule_waits(s, 1);
  const uint16_t next = schedule_opcode(s, 1);
  const bool waited = number < NUMBERS && waits != EVERY_NUMBER && waits >> number & 1;
  const uint32_t stall = schedule_get(s, 0, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
  const uint32_t cycles = next == LOAD || next == READ || stall == LOADS ? LOADS : waited ? 2 : 1;
  s->wrong[0] |= number != schedule_write(s, 0) || cycles != stall;
  schedule_put(s, 0, TL_CONTROL_BARRIER, NO_BARRIER, number);
  schedule_put(s, 0, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX, cycles);
}

/* --- waits --- */

static bool schedule_is_memory(uint16_t opcode) {
  static const uint16_t opcodes[] = {0x387, 0x388, 0x983, 0x984, 0x980, 0x981, 0x985,
                                     0x986, 0x988, 0x9a8, 0x98a, 0x3a9, 0x98e, 0x38a};
  return TL_AMONG16(opcodes, opcode);
}

/* Whether an instruction must wait for what another one has set a number for: its result, which it uses, or its sources, which it
 * writes; loads and stores come in turn. */
static bool schedule_depends(const tl_schedule *s, uint32_t index, uint32_t setter, uint32_t number) {
  const tl_operands *const own = &s->operands[index], *const other = &s->operands[setter];
  if (!own->known || !other->known)
    return false;
  const bool memory = schedule_is_memory(schedule_opcode(s, index)) && schedule_is_memory(schedule_opcode(s, setter));
  const bool result =
      schedule_write(s, setter) == number &&
      (tl_operands_meet(other->writes, other->write_count, own->reads, own->read_count, false) ||
       (!memory && tl_operands_meet(other->writes, other->write_count, own->writes, own->write_count, false)));
  const bool sources = schedule_read(s, setter) == number && !memory &&
                       tl_operands_meet(other->reads, other->read_count, own->writes, own->write_count, true);
  return result || sources;
}

/* Whether an instruction stands behind another one in its block. */
static bool schedule_is_behind(const tl_schedule *s, uint32_t index, uint32_t setter) {
  bool behind = setter < index && index - setter < REACH;
  for (uint32_t i = setter; i < index && behind; i++)
    behind = !tl_pending_ends(schedule_opcode(s, i)) && !s->room.starts[i + 1];
  return behind;
}

/* `own`: for what stands in its block alone; over several ways the compiler knows more. */
static bool schedule_must_wait(const tl_schedule *s, uint32_t index, uint32_t number, bool own) {
  const tl_pending_number *const pending = &s->room.pending[index].numbers[number];
  bool must = false;
  for (unsigned i = 0; i < pending->count && !pending->more; i++)
    must |= schedule_depends(s, index, pending->setters[i], number) &&
            (!own || schedule_is_behind(s, index, pending->setters[i]));
  return must;
}

/* A wait for what is pending on no way stays where the instruction would have to wait for what had the number near it (L774). */
static bool schedule_may_wait(const tl_schedule *s, uint32_t index, uint32_t number) {
  enum { NEAR = 128 };
  const uint32_t from = index > NEAR ? index - NEAR : 0, to = (uint32_t)tl_smaller((uint64_t)index + NEAR, s->count);
  bool may = false;
  for (uint32_t i = from; i < to && !may; i++)
    may = (schedule_write(s, i) == number || schedule_read(s, i) == number) && schedule_depends(s, index, i, number);
  return may;
}

/* Whether an instruction uses another one's result, or writes what that one writes or reads. */
static bool schedule_uses(const tl_schedule *s, uint32_t index, uint32_t setter) {
  const tl_operands *const own = &s->operands[index], *const other = &s->operands[setter];
  return tl_operands_meet(other->writes, other->write_count, own->reads, own->read_count, false) ||
         tl_operands_meet(other->writes, other->write_count, own->writes, own->write_count, false) ||
         tl_operands_meet(other->reads, other->read_count, own->writes, own->write_count, false);
}

/* L1809: what waits no earlier than it has to, with all its operands known: arithmetic and loads; and of which loads that is said. */
static bool schedule_waits_late(uint16_t opcode) {
  static const uint16_t loads[] = {0x7ac, 0xb82, 0x981, 0x986, 0x919, 0x9c3};
  return (opcode & TL_CONTROL_KIND) < VARIABLE || TL_AMONG16(loads, opcode);
}

static bool schedule_is_awaited_late(uint16_t opcode) {
  static const uint16_t loads[] = {0x7ac, 0xb82, 0x919, 0x9c3, 0x980, 0x981, 0x983, 0x984, 0x906};
  return TL_AMONG16(loads, opcode);
}

/* L1809: whether a call is near, before which all is waited for. */
static bool schedule_is_before_call(const tl_schedule *s, uint32_t index) {
  enum { CALL_PLACE = 0x94e, NEAR = 3 };
  static const uint16_t calls[] = {0x943, 0x944, 0x343, 0x344, CALL_PLACE};
  bool before = false;
  for (uint32_t i = index + 1; i < s->count && i <= index + NEAR; i++)
    before |= TL_AMONG16(calls, schedule_opcode(s, i));
  return before;
}

/* L1809: the first one behind an instruction in its block that uses a result; s->count where there is none, or where that is not
 * known. */
static uint32_t schedule_find_late(const tl_schedule *s, uint32_t index, uint32_t setter, uint32_t number) {
  const tl_operands *const own = &s->operands[setter];
  for (uint32_t i = index + 1; i < s->count; i++) {
    const tl_operands *const other = &s->operands[i];
    if (tl_pending_ends(schedule_opcode(s, i - 1)) || s->room.starts[i])
      return s->count;
    if (tl_operands_meet(own->writes, own->write_count, other->reads, other->read_count, false) ||
        (!other->known && schedule_waits(s, i) >> number & 1))
      return i;
    if (tl_operands_meet(own->writes, own->write_count, other->writes, other->write_count, false))
      return s->count;
  }
  return s->count;
}

/* L1809: who waits instead of an instruction for a number that it waits for too early; s->count. */
static uint32_t schedule_find_later(const tl_schedule *s, uint32_t index, uint32_t number) {
  const tl_pending_number *const pending = &s->room.pending[index].numbers[number];
  uint32_t first = s->count;
  for (unsigned i = 0; i < pending->count; i++) {
    const uint32_t setter = pending->setters[i];
    if (schedule_write(s, setter) != number || !schedule_is_awaited_late(schedule_opcode(s, setter)) ||
        !schedule_is_behind(s, index, setter) || schedule_uses(s, index, setter))
      return s->count;
    first = (uint32_t)tl_smaller(first, schedule_find_late(s, index, setter, number));
  }
  return pending->more ? s->count : first;
}

/* L1809: a wait for a result that a later instruction of the block uses first is that one's; of undamaged texts some have such waits
 * (CUB's histograms). */
static bool schedule_mend_early(const tl_schedule *s, uint32_t index) {
  const uint32_t waits = schedule_waits(s, index);
  if (!s->room.pending[index].reached || waits == EVERY_NUMBER || !s->operands[index].known ||
      !schedule_waits_late(schedule_opcode(s, index)) || schedule_is_before_call(s, index))
    return false;
  bool moved = false;
  for (uint32_t b = 0; b < NUMBERS; b++) {
    const uint32_t later = waits >> b & 1 ? schedule_find_later(s, index, b) : s->count;
    if (later == s->count)
      continue;
    schedule_put(s, index, TL_CONTROL_WAIT, EVERY_NUMBER, schedule_waits(s, index) & ~(1U << b));
    schedule_put(s, later, TL_CONTROL_WAIT, EVERY_NUMBER, schedule_waits(s, later) | 1U << b);
    s->wrong[index] = moved = true;
  }
  return moved;
}

/* Whether an instruction has no need of its own of a number that is pending for what stands in its block. */
static bool schedule_waits_for_none(const tl_schedule *s, uint32_t index, uint32_t number) {
  const tl_pending_number *const pending = &s->room.pending[index].numbers[number];
  bool none = pending->count && !pending->more && !schedule_must_wait(s, index, number, false);
  for (unsigned i = 0; i < pending->count && none; i++)
    none = s->operands[pending->setters[i]].known && schedule_is_behind(s, index, pending->setters[i]);
  return none;
}

/* Whether a later instruction of the block, in front of a call or with need of it, waits for a number that nothing sets in between. */
static bool schedule_is_waited_again(const tl_schedule *s, uint32_t index, uint32_t number) {
  const tl_pending_number *const pending = &s->room.pending[index].numbers[number];
  for (uint32_t i = index; i < s->count; i++) {
    const uint32_t waits = schedule_waits(s, i);
    bool needs = schedule_is_call_next(s, i);
    if (i > index && (s->room.starts[i] || waits == EVERY_NUMBER))
      return false;
    for (unsigned k = 0; k < pending->count && !needs; k++)
      needs = schedule_depends(s, i, pending->setters[k], number);
    if (i > index && waits >> number & 1)
      return needs;
    const bool sets = schedule_write(s, i) == number || schedule_read(s, i) == number;
    if ((sets && i > index) || tl_pending_ends(schedule_opcode(s, i)))
      return false;
  }
  return false;
}

/* L1694: a wait that has no need goes where the one that has it comes later. */
static bool schedule_drop_needless(const tl_schedule *s, uint32_t index) {
  static const uint16_t others[] = {0x91b, 0x98f, 0x918, 0x5ab, 0x9ab, 0x992, 0x24a};
  const uint32_t waits = schedule_waits(s, index);
  uint32_t kept = waits;
  if (!s->room.pending[index].reached || waits == EVERY_NUMBER || !s->operands[index].known ||
      TL_AMONG16(others, schedule_opcode(s, index)) || schedule_is_call_next(s, index))
    return false;
  for (uint32_t b = 0; b < NUMBERS; b++)
    if (waits >> b & 1 && schedule_waits_for_none(s, index, b) && schedule_is_waited_again(s, index, b))
      kept &= ~(1U << b);
  schedule_put(s, index, TL_CONTROL_WAIT, EVERY_NUMBER, kept);
  s->wrong[index] |= kept != waits;
  return kept != waits;
}

/* Waits for what is pending on no way there go: in texts that are damaged otherwise, and those of branches and calls. Others undamaged
 * texts have, too (CUB's histograms). */
static void schedule_mend_waits(const tl_schedule *s, uint32_t index) {
  static const uint16_t others[] = {0x91b, 0x98f, 0x918, 0x5ab, 0x9ab, 0x992, 0x24a};
  static const uint16_t jumps[] = {0x344, 0x943, 0x944, 0x947};
  const uint32_t waits = schedule_waits(s, index);
  if (!s->room.pending[index].reached || waits == EVERY_NUMBER || TL_AMONG16(others, schedule_opcode(s, index)) ||
      (!s->damaged && !TL_AMONG16(jumps, schedule_opcode(s, index))))
    return;
  const bool indirect = tl_pending_is_indirect(schedule_opcode(s, index));
  uint32_t mended = waits;
  for (uint32_t b = 0; b < NUMBERS; b++)
    if (!s->room.pending[index].numbers[b].count && !s->room.pending[index].numbers[b].more)
      mended &= waits >> b & 1 && !indirect && index && schedule_may_wait(s, index, b) ? EVERY_NUMBER : ~(1U << b);
    else if (s->damaged && schedule_must_wait(s, index, b, true))
      mended |= 1U << b;
  schedule_put(s, index, TL_CONTROL_WAIT, EVERY_NUMBER, mended);
  s->wrong[index] |= mended != waits;
}

/* --- cycles --- */

static tl_latency_text schedule_latency(const tl_schedule *s) {
  return (tl_latency_text){s->text, s->operands, s->room.starts, s->count};
}

/* Which instructions yield, where that is known: whatever waits long, and of arithmetic, NOP (L1816) and R2UR (L1811) also what waits a little. False where it
 * is as it should be. */
static bool schedule_yields_wrongly(const tl_schedule *s, uint32_t index) {
  enum { SHORT = 3, LONG = 12, NOP = 0x918 };
  static const uint16_t others[] = {0x91a, 0x23c, 0x237, 0x94e, 0x352, 0x353, 0x84c};
  const uint32_t stall = schedule_get(s, index, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
  const unsigned opcode = schedule_opcode(s, index), kind = opcode & TL_CONTROL_KIND;
  if (TL_AMONG16(others, opcode) || schedule_is_long(kind) || (opcode == NOP && !s->wrong[index]) ||
      (stall == SHORT - 1 && !s->wrong[index]))
    return false;
  const bool stays = stall && stall < LONG && (stall < SHORT || (kind >= VARIABLE && opcode != NOP));
  return schedule_get(s, index, TL_CONTROL_YIELD, 1) != stays;
}

/* Branches to themselves at the end (L1815), NOPs behind them, and parts of fences. */
static bool schedule_may_go_on(const tl_schedule *s, uint32_t index) {
  enum { NOP = 0x918, BRANCH = 0x947 };
  static const uint16_t opcodes[] = {NOP, BRANCH, 0x992, 0x9ab};
  const uint16_t opcode = schedule_opcode(s, index);
  return TL_AMONG16(opcodes, opcode) &&
         ((opcode != NOP && opcode != BRANCH) || index + 1 == s->count || schedule_opcode(s, index + 1) == NOP);
}

/* L1816: whether a NOP of no cycles stands behind it, which was something else. */
static bool schedule_is_before_gap(const tl_schedule *s, uint32_t index) {
  enum { NOP = 0x918 };
  return index + 2 < s->count && schedule_opcode(s, index) != NOP && schedule_opcode(s, index + 1) == NOP &&
         schedule_opcode(s, index + 2) != NOP && !schedule_get(s, index + 1, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
}

static void schedule_mend_stall(const tl_schedule *s, uint32_t index) {
  enum { SM_120 = 120, RETURN = 0x950 };
  const tl_latency_text text = schedule_latency(s);
  const uint32_t stall = schedule_get(s, index, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
  if (tl_latency_of_fence(&text, index) != TL_LATENCY_UNKNOWN)
    return;
  const bool short_of = s->damaged && index + 1 < s->count && s->sm < SM_120 && stall < tl_latency_least(&text, index);
  const bool none = !stall && !schedule_may_go_on(s, index);
  const uint32_t certain = tl_latency_of_certain(&text, index);
  const bool other = certain != TL_LATENCY_UNKNOWN && certain != stall;
  s->wrong[index] |= none || other;
  /* L1819 */
  const bool before_return = s->damaged && index + 1 < s->count && schedule_opcode(s, index + 1) == RETURN;
  if (!none && !short_of && !other && !(s->wrong[index] && s->made[index]) && !schedule_is_before_gap(s, index) &&
      !before_return)
    return;
  const uint32_t cycles = other ? certain : tl_latency_find(&text, index);
  schedule_put(s, index, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX, cycles);
}

/* Whether it is known how long its results take, by what undamaged texts have: not of doubles and matrices, of products of uniform
 * registers, and of choices by a number. */
static bool schedule_has_known_length(uint16_t opcode) {
  static const uint16_t kinds[] = {0x002, 0x005, 0x006, 0x007, 0x008, 0x00c, 0x010, 0x011, 0x012,
                                   0x016, 0x019, 0x01c, 0x020, 0x021, 0x023, 0x024, 0x025, 0x027,
                                   0x031, 0x036, 0x082, 0x08c, 0x090, 0x091, 0x099};
  static const uint16_t others[] = {0x407, 0x408};
  const unsigned kind = opcode & TL_CONTROL_KIND;
  return (kind >= VARIABLE || TL_AMONG16(kinds, kind)) && !TL_AMONG16(others, opcode);
}

/* How long an instruction of a block waits for what stands before it there, or with `front` 1 the one in front of it; 0 where that is
 * not known. */
static uint32_t schedule_block_cycles(const tl_schedule *s, uint32_t index, uint32_t least, uint32_t front) {
  enum { WARPSYNC = 0x148 };
  uint32_t most = least, passed = 0;
  for (uint32_t behind = index; behind > 0 && !s->room.starts[behind]; behind--) {
    const uint32_t i = behind - 1;
    const uint32_t kind = schedule_opcode(s, i) & TL_CONTROL_KIND, need = tl_blocks_need(schedule_at(s, i));
    if (!schedule_has_known_length(schedule_opcode(s, i)))
      return 0;
    if (passed >= TL_CONTROL_STALL_MAX || (tl_blocks_ends(kind) && kind != WARPSYNC))
      break;
    passed += i + front < index ? schedule_get(s, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX) : 0;
    most = need > passed ? (uint32_t)tl_larger(most, need - passed) : most;
  }
  return most;
}

/* L1854: what stands in front of a call waits until the results of the block are there. */
static void schedule_mend_call(const tl_schedule *s, uint32_t index) {
  enum { CALL = 0x943, CALL_NEAR = 0x944, BARRIER = 0x11d, COLLECTIVE_END = 0x11b };
  const uint16_t opcode = schedule_opcode(s, index);
  if (!s->damaged || (opcode != CALL && opcode != CALL_NEAR) || !index || s->room.starts[index])
    return;
  const uint32_t stall = schedule_get(s, index - 1, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
  const uint32_t kind = schedule_opcode(s, index - 1) & TL_CONTROL_KIND;
  if (kind == BARRIER || kind == COLLECTIVE_END || tl_blocks_ends(kind) || stall == TL_CONTROL_STALL_MAX)
    return;
  const uint32_t cycles = schedule_block_cycles(s, index, 1, 1);
  if (!cycles || cycles == stall || cycles + 1 == stall)
    return;
  schedule_put(s, index - 1, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX, cycles);
  s->wrong[index - 1] = true;
}

/* L1853: what ends a block waits until the results of the block are there, five cycles at least; in texts that are not
 * damaged otherwise a return and an EXIT alone, since branches of undamaged ones may wait longer. */
static void schedule_mend_end(const tl_schedule *s, uint32_t index) {
  static const uint16_t ends[] = {0x941, 0x943, 0x944, 0x947, 0x94d, 0x950, 0x547};
  enum { BRANCH = 0x947, EXIT = 0x94d, RETURN = 0x950, LEAST = 5, MORE = 6, PLACE = 2, TO_ITSELF = 0xfc };
  const uint16_t opcode = schedule_opcode(s, index);
  const uint32_t stall = schedule_get(s, index, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
  if (!TL_AMONG16(ends, opcode) || stall == TL_CONTROL_STALL_MAX ||
      (!s->damaged && opcode != EXIT && opcode != RETURN) ||
      (opcode == BRANCH &&
       (stall == MORE || (schedule_at(s, index)[PLACE] == TO_ITSELF && schedule_may_go_on(s, index)))))
    return;
  const uint32_t cycles = schedule_block_cycles(s, index, LEAST, 0);
  if (!cycles || cycles == stall)
    return;
  schedule_put(s, index, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX, cycles);
  s->wrong[index] = true;
}

/* A number that something else of unknown sources has must be free for the instruction's own barrier. */
static bool schedule_frees(const tl_schedule *s, uint32_t index, uint32_t number) {
  const tl_pending_number *const pending = &s->room.pending[index].numbers[number];
  bool frees = false;
  for (unsigned i = 0; i < pending->count && schedule_write(s, index) == number; i++)
    frees |= !s->operands[pending->setters[i]].known;
  return frees;
}

/* Where the instruction itself was damaged and its control bits are not allowed, none of them counts. */
static void schedule_remake(const tl_schedule *s, uint32_t index) {
  enum { REUSE = 58, REUSES = 15 };
  uint32_t waits = 0;
  if (!s->wrong[index] || !s->made[index] || !s->room.pending[index].reached || !s->operands[index].known)
    return;
  for (uint32_t b = 0; b < NUMBERS; b++)
    waits |= (uint32_t)(schedule_must_wait(s, index, b, false) || schedule_frees(s, index, b)) << b;
  schedule_put(s, index, TL_CONTROL_WAIT, EVERY_NUMBER, waits);
  schedule_put(s, index, REUSE, REUSES, 0);
}

/* --- texts --- */

/* Code without optimisation waits for everything, and its control bits follow from less (L996). */
static bool schedule_is_slow(const tl_schedule *s) {
  enum { BOTH = 3, PART = 4, NOP = 0x918, FENCE = 0x91b };
  uint32_t slow = 0, all = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint16_t opcode = schedule_opcode(s, i);
    const bool waits = schedule_get(s, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX) == TL_CONTROL_STALL_MAX ||
                       (schedule_waits(s, i) == BOTH && opcode != FENCE);
    all += opcode != NOP;
    slow += opcode != NOP && waits;
  }
  return slow * PART > all;
}

tl_schedule *tl_schedule_new(uint64_t largest, tl_arena *arena) {
  const uint32_t count = (uint32_t)tl_smaller(largest / INSTRUCTION, TL_PENDING_MOST);
  tl_schedule *const s = tl_arena_new(arena, tl_schedule, 1);
  *s =
      (tl_schedule){.text = tl_arena_take_bare(arena, count, INSTRUCTION), /* schedule_begin fills them for each text */
                    .operands = tl_arena_take_bare(arena, count, sizeof(tl_operands)),
                    .room = tl_pending_make_room(count, arena),
                    .wrong = tl_arena_take_bare(arena, count, sizeof(bool)),
                    .claimed = tl_arena_take_bare(arena, count, sizeof(uint8_t))};
  return s;
}

/* Calls, as leaf.c knows them: only beside them the load of R1 has a barrier. */
static bool schedule_has_call(const tl_schedule *s) {
  static const uint16_t calls[] = {0x943, 0x944, 0x343};
  bool has = false;
  for (uint32_t i = 0; i < s->count; i++)
    has |= TL_AMONG16(calls, schedule_opcode(s, i));
  return has;
}

/* L1826: what is kept of an instruction's operands for the next one is a register: of the first, of the second and the third where those
 * are ones, and never RZ. Beside what is neither a register nor a number the second's bit is sometimes the third's. */
static void schedule_mend_reuse(const tl_schedule *s) {
  enum { REUSE = 58, REUSES = 15, FORM = 9, FIRST = 3, SECOND = 4, THIRD = 8, NO_REGISTER = 0xff };
  enum { OF_REGISTERS = 1, OF_NUMBER = 4 };
  for (uint32_t i = 0; i < s->count; i++) {
    const uint8_t *const at = schedule_at(s, i);
    const uint32_t reuse = schedule_get(s, i, REUSE, REUSES), form = (uint32_t)schedule_opcode(s, i) >> FORM;
    const uint32_t may = (at[FIRST] != NO_REGISTER) |
                         (uint32_t)(form == OF_REGISTERS && at[SECOND] != NO_REGISTER) << 1 |
                         (uint32_t)(at[THIRD] != NO_REGISTER) << 2;
    if (!(reuse & ~may) || (form != OF_REGISTERS && form != OF_NUMBER))
      continue;
    schedule_put(s, i, REUSE, REUSES, reuse & may);
    s->wrong[i] = true;
  }
}

/* L1807. A fence alone, of an atomic operation, has as many cycles more as it waits for. */
static void schedule_mend_fences(const tl_schedule *s) {
  enum { PART = 6, ALONE = 8 };
  const tl_latency_text text = schedule_latency(s);
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t cycles = tl_latency_of_fence(&text, i);
    const uint32_t stall = schedule_get(s, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX);
    if (cycles == TL_LATENCY_UNKNOWN || cycles == stall || (cycles == PART && stall == ALONE))
      continue;
    schedule_put(s, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX, cycles);
    s->wrong[i] = true;
  }
}

/* False where nothing is known of the text. */
static bool schedule_begin(tl_schedule *s, const uint8_t *text, uint64_t size, const bool *made, uint32_t sm) {
  s->count = (uint32_t)(size / INSTRUCTION);
  s->made = made;
  s->sm = sm;
  memcpy(s->text, text, (size_t)s->count * INSTRUCTION);
  memset(s->wrong, 0, s->count);
  memset(s->claimed, 0, s->count);
  if (schedule_is_slow(s))
    return false;
  for (uint32_t i = 0; i < s->count; i++)
    tl_operands_read(&s->operands[i], schedule_at(s, i));
  s->calls = schedule_has_call(s);
  schedule_mend_pointer(s);
  schedule_mend_fences(s);
  schedule_mend_reuse(s);
  s->damaged = false;
  for (uint32_t i = 0; i < s->count; i++) {
    const bool none = !schedule_get(s, i, TL_CONTROL_STALL, TL_CONTROL_STALL_MAX) && !schedule_may_go_on(s, i);
    const bool begins = !i && schedule_waits(s, i); /* L1695: what a text begins with waits for nothing */
    const bool other = made[i] || none || begins || s->wrong[i] || schedule_yields_wrongly(s, i);
    /* L1818 */
    s->wrong[i] |= (made[i] && schedule_yields_wrongly(s, i)) || none;
    s->damaged |= schedule_drop_barriers(s, i) || other;
  }
  return true;
}

/* L1808: a jump through a register waits for all that is pending (L908); so in a damaged text those do that are looked at last. */
static bool schedule_find_pending(const tl_schedule *s, tl_pending_room *room) {
  enum { TIMES = 8 };
  for (unsigned time = 0; time < TIMES; time++) {
    if (tl_pending_find(room, s->text, s->count))
      return true;
    for (uint32_t i = 0; s->damaged && i < s->count; i++)
      for (uint32_t b = 0; b < NUMBERS && tl_pending_is_indirect(schedule_opcode(s, i)); b++)
        if (room->pending[i].numbers[b].count)
          schedule_put(s, i, TL_CONTROL_WAIT, EVERY_NUMBER, schedule_waits(s, i) | 1U << b);
    if (!s->damaged)
      break;
  }
  return false;
}

/* What depends on the ways through the text. */
static bool schedule_mend_flow(const tl_schedule *s, tl_pending_room *room) {
  bool added = false;
  if (!schedule_find_pending(s, room))
    return false;
  for (uint32_t i = 0; i < s->count && s->damaged; i++)
    added |= schedule_add_read(s, i);
  for (uint32_t i = 0; i < s->count && s->damaged; i++)
    added |= schedule_add_barriers(s, i) || schedule_add_texture(s, i);
  if (added && !schedule_find_pending(s, room))
    return false;
  bool moved = false;
  for (uint32_t i = 0; i < s->count && s->damaged; i++)
    moved |= schedule_drop_needless(s, i);
  if (moved && !schedule_find_pending(s, room))
    return false;
  moved = false;
  for (uint32_t i = 0; i < s->count && s->damaged; i++)
    moved |= schedule_mend_early(s, i);
  if (moved && !schedule_find_pending(s, room))
    return false;
  for (uint32_t i = 0; i < s->count; i++)
    schedule_mend_waits(s, i);
  for (uint32_t i = 0; i < s->count; i++)
    schedule_remake(s, i);
  for (uint32_t i = 0; i < s->count; i++)
    schedule_mend_stall(s, i);
  return true;
}

const uint8_t *tl_schedule_mend(tl_schedule *schedule, const uint8_t *text, uint64_t size, const bool *made,
                                uint32_t sm) {
  tl_schedule *const s = schedule;
  if (!size || size / INSTRUCTION > TL_PENDING_MOST || !schedule_begin(s, text, size, made, sm))
    return NULL;
  if (s->damaged || !s->calls)
    schedule_mend_flow(s, &s->room);
  tl_pending_find_starts(&s->room, s->text, s->count);
  for (uint32_t i = 0; i < s->count; i++) {
    schedule_mend_call(s, i);
    schedule_mend_end(s, i);
  }
  for (uint32_t i = 0; i < s->count; i++)
    if (schedule_yields_wrongly(s, i))
      schedule_put(s, i, TL_CONTROL_YIELD, 1, !schedule_get(s, i, TL_CONTROL_YIELD, 1));
  return memcmp(s->text, text, (size_t)s->count * INSTRUCTION) != 0 ? s->text : NULL;
}
