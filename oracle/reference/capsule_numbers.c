/* RF986: numbers of scoreboards in the first block of a text in which moves wait for other instructions than the input's (RF985). nvlink gives the
 * lowest number that nobody has, and one to several that are waited for at once. It is done where that gives the input its own numbers. */
#include "bits.h"
#include "capsule.h"

enum { UNIT = 16, WRITE_BIT = 110, READ_BIT = 113, WAIT_BIT = 116, BOARDS = 6, NUMBER_WIDTH = 3 };

typedef struct ref_numbers {
  size_t end;            /* of the block */
  size_t *groups;        /* by instruction, twice: what it writes and reads; 0: nothing */
  size_t count;          /* of groups, and 1 */
  unsigned *given;       /* by group its number */
  size_t latest[BOARDS]; /* while the text is read: the group that each number stands for, or 0 */
  unsigned pending;      /* numbers that are given */
} ref_numbers;

static unsigned ref_numbers_lowest(unsigned taken) {
  unsigned number = 0;
  while ((taken >> number & 1) != 0) {
    number++;
  }
  return number;
}

/* What sets a number in the input while another one that has it is pending is of its group. False where the rule does not give the number. */
static bool ref_numbers_read_set(ref_numbers *numbers, size_t at, unsigned number) {
  if (number >= BOARDS) {
    return true;
  }
  if ((numbers->pending >> number & 1) == 0) {
    if (ref_numbers_lowest(numbers->pending) != number) {
      return false;
    }
    numbers->latest[number] = numbers->count++;
  }
  numbers->pending |= 1u << number;
  numbers->groups[at] = numbers->latest[number];
  return true;
}

static bool ref_numbers_read(ref_numbers *numbers, const uint8_t *before) {
  for (size_t i = 0; i < numbers->end; i++) {
    const uint8_t *at = before + i * UNIT;
    numbers->pending &= ~ref_bits_get(at, WAIT_BIT, BOARDS);
    if (!ref_numbers_read_set(numbers, 2 * i, ref_bits_get(at, WRITE_BIT, NUMBER_WIDTH)) ||
        !ref_numbers_read_set(numbers, 2 * i + 1, ref_bits_get(at, READ_BIT, NUMBER_WIDTH))) {
      return false;
    }
  }
  return true;
}

/* The new wait mask of what stands for groups in the old numbers. */
static unsigned ref_numbers_translate(const ref_numbers *numbers, unsigned waits) {
  unsigned result = 0;
  for (unsigned i = 0; i < BOARDS; i++) {
    if ((waits >> i & 1) != 0) {
      const size_t group = numbers->latest[i];
      result |= 1u << (group == 0 ? i : numbers->given[group]);
    }
  }
  return result;
}

/* `is_open`: by group, pending. The number of a group that begins, or goes on. */
static unsigned ref_numbers_give(ref_numbers *numbers, bool *is_open, size_t group, unsigned old) {
  if (!is_open[group]) {
    numbers->given[group] = ref_numbers_lowest(numbers->pending);
  }
  is_open[group] = true;
  numbers->latest[old] = group;
  numbers->pending |= 1u << numbers->given[group];
  return numbers->given[group];
}

static void ref_numbers_close(const ref_numbers *numbers, bool *is_open, unsigned waits) {
  for (unsigned i = 0; i < BOARDS; i++) {
    if ((waits >> i & 1) != 0) {
      is_open[numbers->latest[i]] = false;
    }
  }
}

/* False where more are pending than there are numbers, or one that is pending at the end has another one. */
static bool ref_numbers_write(ref_link *link, ref_numbers *numbers, uint8_t *text) {
  bool *is_open = REF_TAKE(link, bool, numbers->count + 1);
  for (size_t i = 0; i < numbers->end; i++) {
    uint8_t *at = text + i * UNIT;
    const unsigned old = ref_bits_get(at, WAIT_BIT, BOARDS), waits = ref_numbers_translate(numbers, old);
    ref_numbers_close(numbers, is_open, old);
    ref_bits_put(at, WAIT_BIT, BOARDS, waits);
    numbers->pending &= ~waits;
    for (unsigned k = 0; k < 2; k++) {
      const unsigned bit = k == 0 ? WRITE_BIT : READ_BIT;
      if (numbers->groups[2 * i + k] != 0) {
        const unsigned given =
            ref_numbers_give(numbers, is_open, numbers->groups[2 * i + k], ref_bits_get(at, bit, NUMBER_WIDTH));
        if (given >= BOARDS) {
          return false;
        }
        ref_bits_put(at, bit, NUMBER_WIDTH, given);
      }
    }
  }
  for (unsigned i = 0; i < BOARDS; i++) {
    if (is_open[numbers->latest[i]] && numbers->given[numbers->latest[i]] != i) {
      return false;
    }
  }
  return true;
}

void ref_numbers_give_again(ref_link *link, ref_bytes *text, const uint8_t *before, size_t end) {
  if (end > text->size / UNIT) {
    return;
  }
  ref_numbers numbers = {.end = end, .count = 1};
  numbers.groups = REF_TAKE(link, size_t, 2 * end + 1);
  if (!ref_numbers_read(&numbers, before)) {
    return;
  }
  numbers.given = REF_TAKE(link, unsigned, numbers.count + 1);
  numbers.pending = 0;
  for (unsigned i = 0; i < BOARDS; i++) {
    numbers.latest[i] = 0;
  }
  ref_bytes changed = {0};
  ref_bytes_add(link, &changed, text->data, end * UNIT);
  if (end != 0 && ref_numbers_write(link, &numbers, changed.data)) {
    for (size_t i = 0; i < changed.size; i++) {
      text->data[i] = changed.data[i];
    }
  }
}

static bool ref_numbers_ends_block(const uint8_t *at) {
  enum { BASE_BITS = 9, BRANCHES_FIRST = 0x141, BRANCHES_LAST = 0x15c, COLLECTIVE = 0x11b };
  const unsigned base = ref_bits_get(at, 0, BASE_BITS);
  return base == COLLECTIVE || (base >= BRANCHES_FIRST && base <= BRANCHES_LAST);
}

/* RF997: the first block of a kernel that calls, in whose input R1's load has no number; 0: it is none. Nothing may be pending behind it. */
static size_t ref_numbers_closed_block(ref_link *link, const ref_bytes *text) {
  enum { LOAD = 0xb82, REGISTER_BIT = 16, STACK = 1 };
  const size_t count = text->size / UNIT;
  if (count < 2 || ref_bits_get(text->data, 0, 12) != LOAD || ref_bits_get(text->data, REGISTER_BIT, 8) != STACK ||
      ref_bits_get(text->data, WRITE_BIT, NUMBER_WIDTH) < BOARDS) {
    return 0;
  }
  const bool *begins = ref_known_block_begins(link, text);
  size_t end = 1;
  while (end < count && !begins[end] && !ref_numbers_ends_block(text->data + (end - 1) * UNIT)) {
    end++;
  }
  unsigned pending = 0, used = 0;
  for (size_t i = 0; i < end; i++) {
    const uint8_t *at = text->data + i * UNIT;
    const unsigned write = ref_bits_get(at, WRITE_BIT, NUMBER_WIDTH), read = ref_bits_get(at, READ_BIT, NUMBER_WIDTH);
    used |= ref_bits_get(at, WAIT_BIT, BOARDS);
    pending &= ~ref_bits_get(at, WAIT_BIT, BOARDS);
    pending |= (write < BOARDS ? 1u << write : 0) | (read < BOARDS ? 1u << read : 0);
    used |= pending;
  }
  const bool calls = ref_leaf_is_call(ref_bits_get(text->data + (end - 1) * UNIT, 0, 12));
  return calls && pending == 0 && (used >> (BOARDS - 1)) == 0 ? end : 0;
}

/* L723: with -g such a text is made as for a link that goes on: R1's load has the first number, which the call waits for. */
void ref_numbers_open(ref_link *link, ref_bytes *text) {
  const size_t end = ref_numbers_closed_block(link, text);
  for (size_t i = 0; i < end; i++) {
    uint8_t *at = text->data + i * UNIT;
    const unsigned write = ref_bits_get(at, WRITE_BIT, NUMBER_WIDTH), read = ref_bits_get(at, READ_BIT, NUMBER_WIDTH);
    ref_bits_put(at, WRITE_BIT, NUMBER_WIDTH, i == 0 ? 0 : write < BOARDS ? write + 1 : write);
    ref_bits_put(at, READ_BIT, NUMBER_WIDTH, read < BOARDS ? read + 1 : read);
    ref_bits_put(at, WAIT_BIT, BOARDS, ref_bits_get(at, WAIT_BIT, BOARDS) << 1 | (i + 1 == end));
  }
}
