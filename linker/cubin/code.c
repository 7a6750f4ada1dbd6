/* Where the Mercury instructions of a text lie in its SASS text (L127): what cubin/code.h promises.
 *
 * The capsule says how many SASS instructions each Mercury instruction makes. How long a decoded one is its record says; of
 * an instruction without a record the SASS instruction's form does: those that fit 16 bytes are the rows below, all others
 * take 32. The sum is the function's size in the Mercury view, but for rare forms that are not among the rows. */
#include "cubin/code.h"

#include "base/bytes.h"
#include "cubin/capsule.h"

enum { INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE_MASK = 0xfff };

/* Forms of derived instructions that take 16 bytes where the masked bits of the second word are so. */
typedef struct code_short {
  uint16_t opcode;
  uint64_t mask, value; /* of bits 64 to 127 */
} code_short;

enum { THIRD_REGISTER = 0xff };
#define CODE_SUM_BITS (THIRD_REGISTER | UINT64_C(1) << 10 | UINT64_C(0xf) << 23)
#define CODE_SUM_PLAIN (THIRD_REGISTER | UINT64_C(0xf) << 23)
#define CODE_TEST_BITS (UINT64_C(7) << 20 | UINT64_C(7) << 23)
#define CODE_COMPARE_BITS                                                                                              \
  (UINT64_C(7) << 4 | UINT64_C(1) << 8 | UINT64_C(1) << 10 | UINT64_C(7) << 20 | UINT64_C(7) << 23)
#define CODE_COMPARE_PLAIN (UINT64_C(7) << 4 | UINT64_C(7) << 20 | UINT64_C(7) << 23)

/* Those that take 16 bytes whatever stands in the second word. */
static const uint16_t code_always_short[] = {
    0x202, 0x207, 0x208, 0x209, 0x20a, 0x20f, 0x213, 0x216, 0x219, 0x21a, 0x220, 0x221, 0x226, 0x228,
    0x229, 0x230, 0x232, 0x236, 0x238, 0x23a, 0x23e, 0x240, 0x245, 0x246, 0x248, 0x287, 0x28c, 0x291,
    0x299, 0x2a4, 0x2bd, 0x2bf, 0x2ca, 0x300, 0x301, 0x302, 0x304, 0x305, 0x306, 0x307, 0x308, 0x309,
    0x310, 0x311, 0x312, 0x313, 0x3a1, 0x3c4, 0x802, 0x806, 0x882, 0x886, 0x908, 0x918, 0x941, 0x942,
    0x946, 0x94d, 0x95c, 0x95d, 0x9af, 0xc02, 0xc07, 0xc08, 0xc09, 0xc19, 0xc20, 0xc24, 0xc28, 0xc32,
    0xc36, 0xc45, 0xc48, 0xc82, 0xd00, 0xd05, 0xd08, 0xd09, 0xd12, 0xe21, 0xe29};

static const code_short code_shorts[] = {
    {0x20b, CODE_TEST_BITS, CODE_TEST_BITS},        /* no second result, no other condition */
    {0x20c, CODE_COMPARE_BITS, CODE_COMPARE_PLAIN}, /* no second result, nor a carry in */
    {0x210, CODE_SUM_BITS, CODE_SUM_PLAIN},         /* two addends, no carry in */
    {0x212, THIRD_REGISTER, THIRD_REGISTER},        /* two operands */
    {0x224, 1 << 10, 0},                            /* no carry in */
    {0x22a, CODE_TEST_BITS, CODE_TEST_BITS},
    {0x290, CODE_SUM_BITS, CODE_SUM_PLAIN},
    {0x945, 1 << 8, 1 << 8},
    {0x945, 1 << 9, 1 << 9},
    {0xc0b, CODE_TEST_BITS, CODE_TEST_BITS},
    {0xc0c, CODE_COMPARE_BITS, CODE_COMPARE_PLAIN},
    {0xc10, CODE_SUM_BITS, CODE_SUM_PLAIN},
    {0xc12, THIRD_REGISTER, THIRD_REGISTER},
    {0xe24, 1 << 10, 0},
    {0xe2a, CODE_TEST_BITS, CODE_TEST_BITS},
};

/* The size of a derived Mercury instruction when decoded. */
static uint64_t code_derived_size(const uint8_t *sass) {
  const uint16_t opcode = tl_get16(sass) & OPCODE_MASK;
  const uint64_t second = tl_get64(sass + 8);
  for (size_t i = 0; i < sizeof code_always_short / sizeof *code_always_short; i++)
    if (code_always_short[i] == opcode)
      return INSTRUCTION;
  for (size_t i = 0; i < sizeof code_shorts / sizeof *code_shorts; i++)
    if (code_shorts[i].opcode == opcode && (second & code_shorts[i].mask) == code_shorts[i].value)
      return INSTRUCTION;
  return 2 * INSTRUCTION;
}

bool tl_code_read(tl_code *code, const uint8_t *bytes, uint64_t size, const uint8_t *sass, uint64_t sass_size,
                  tl_arena *arena) {
  tl_capsule capsule;
  code->count = 0;
  if (!tl_capsule_read(&capsule, bytes, size) || capsule.count > sass_size / INSTRUCTION)
    return false;
  if (capsule.count > code->room) {
    code->room = capsule.count;
    code->items = tl_arena_new(arena, tl_code_place, code->room);
  }
  uint64_t from = 0, to = 0;
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item;
  while (tl_capsule_next_item(&capsule, &cursor, &item)) {
    if (sass_size - to < (uint64_t)item.count * INSTRUCTION)
      return false;
    const bool real = item.derived || item.units;
    code->items[code->count++] =
        (tl_code_place){from, to, cursor.record.size ? cursor.record.offset : 0, item.count, real, item.derived};
    from += item.derived ? code_derived_size(sass + to) : (uint64_t)item.units * INSTRUCTION;
    to += (uint64_t)item.count * INSTRUCTION;
  }
  code->mercury_size = from;
  tl_capsule_record record;
  while (tl_capsule_next(&capsule, &cursor.offset, &record)) /* L123 */
    ;
  return code->count == capsule.count && to == sass_size && (cursor.offset ? cursor.offset : capsule.first) == size;
}

const tl_code_place *tl_code_find(const tl_code *code, uint64_t mercury) {
  size_t low = 0, high = code->count; /* the last one that begins at the place or before it */
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (code->items[middle].mercury <= mercury)
      low = middle + 1;
    else
      high = middle;
  }
  return low && mercury < code->mercury_size ? &code->items[low - 1] : NULL;
}
