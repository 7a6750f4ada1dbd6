/* Where the Mercury instructions of a text lie in its SASS text (L127): what cubin/code.h promises.
 *
 * The capsule says how many SASS instructions each Mercury instruction makes. How long a decoded one is its record says; of
 * an instruction without a record the SASS instruction's form does. The sum is the function's size in the Mercury view.
 *
 * The tables were measured: places in decoded code were put into a kernel's list of exits, and nvlink carried them over to
 * the SASS text, for all 4,096 opcodes and for all bits of those that it decodes. A word of another opcode it leaves out, so
 * that everything behind it is another instruction's (L621). */
#include "cubin/code.h"

#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/capsule.h"

enum { INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE_MASK = 0xfff, DEPBAR = 0x91a };

/* Opcodes of instructions that take 16 bytes whatever stands in the second word, and of those that take 32. No other one,
 * but for those of the rows below, is an instruction that a Mercury instruction is derived from. */
static const uint16_t code_short[] = {
    0x202, 0x207, 0x208, 0x209, 0x20a, 0x20f, 0x213, 0x216, 0x219, 0x21a, 0x220, 0x221, 0x226, 0x228, 0x229, 0x230,
    0x232, 0x236, 0x238, 0x23a, 0x23e, 0x240, 0x245, 0x246, 0x248, 0x287, 0x28c, 0x296, 0x299, 0x2a4, 0x2bd, 0x2bf,
    0x2ca, 0x300, 0x301, 0x302, 0x304, 0x305, 0x306, 0x307, 0x308, 0x309, 0x310, 0x311, 0x312, 0x313, 0x3a1, 0x3c4,
    0x802, 0x806, 0x882, 0x886, 0x906, 0x908, 0x918, 0x941, 0x942, 0x946, 0x94d, 0x95c, 0x95d, 0x9af, 0xc02, 0xc07,
    0xc08, 0xc09, 0xc0a, 0xc0f, 0xc13, 0xc16, 0xc19, 0xc20, 0xc24, 0xc26, 0xc28, 0xc32, 0xc36, 0xc3e, 0xc45, 0xc46,
    0xc48, 0xc82, 0xd00, 0xd05, 0xd06, 0xd08, 0xd09, 0xd10, 0xd12, 0xe19, 0xe21, 0xe29, 0xe46};

static const uint16_t code_long[] = {
    0x211, 0x215, 0x21f, 0x223, 0x225, 0x227, 0x22b, 0x231, 0x233, 0x234, 0x243, 0x276, 0x292, 0x2a5, 0x343,
    0x344, 0x348, 0x381, 0x388, 0x3aa, 0x416, 0x419, 0x421, 0x423, 0x424, 0x430, 0x431, 0x433, 0x434, 0x446,
    0x4a4, 0x547, 0x548, 0x589, 0x803, 0x804, 0x807, 0x808, 0x809, 0x80b, 0x80c, 0x80f, 0x810, 0x811, 0x812,
    0x816, 0x819, 0x81a, 0x81c, 0x820, 0x823, 0x824, 0x825, 0x827, 0x831, 0x832, 0x836, 0x83b, 0x840, 0x846,
    0x848, 0x883, 0x887, 0x88c, 0x890, 0x891, 0x892, 0x896, 0x899, 0x8a4, 0x8a5, 0x902, 0x904, 0x944, 0x947,
    0x949, 0x94e, 0x950, 0x958, 0x981, 0x983, 0x984, 0x987, 0x988, 0x989, 0xb47, 0xc11, 0xc23, 0xc25, 0xc27,
    0xc2b, 0xc31, 0xc76, 0xe23, 0xe25, 0xe27, 0xe2b, 0xe34, 0xf89};

/* Opcodes of instructions that take 16 bytes where the masked bits of the second word are so, 32 otherwise. */
typedef struct code_form {
  uint16_t opcode;
  uint64_t mask, value; /* of bits 64 to 127 */
} code_form;

enum { THIRD_REGISTER = 0xff, THIRD_UNIFORM = 0x3f, CARRY = 1 << 10 };
#define CODE_TEST_BITS (UINT64_C(7) << 20 | UINT64_C(7) << 23)
#define CODE_COMPARE_BITS                                                                                              \
  (UINT64_C(7) << 4 | UINT64_C(1) << 8 | UINT64_C(1) << 10 | UINT64_C(7) << 20 | UINT64_C(0xf) << 23)
#define CODE_COMPARE_PLAIN (UINT64_C(7) << 4 | UINT64_C(7) << 20 | UINT64_C(7) << 23)

static const code_form code_forms[] = {
    {0x20b, CODE_TEST_BITS, CODE_TEST_BITS},         /* no second result, no other condition */
    {0x20c, CODE_COMPARE_BITS, CODE_COMPARE_PLAIN},  /* no second result, nor a carry in */
    {0x210, THIRD_REGISTER | CARRY, THIRD_REGISTER}, /* two addends, no carry in */
    {0x224, CARRY, 0},
    {0x22a, CODE_TEST_BITS, CODE_TEST_BITS},
    {0x290, THIRD_UNIFORM | CARRY, THIRD_UNIFORM},
    {0x291, 1 << 16, 0},
    {0x945, 1 << 8, 1 << 8},
    {0x945, 1 << 9, 1 << 9},
    {0xc0b, CODE_TEST_BITS, CODE_TEST_BITS},
    {0xc0c, CODE_COMPARE_BITS, CODE_COMPARE_PLAIN},
    {0xc10, THIRD_REGISTER | CARRY, THIRD_REGISTER},
    {0xe24, CARRY, 0},
    {0xe2a, CODE_TEST_BITS, CODE_TEST_BITS},
};

/* Logic of three operands is short where its table of truth is that of "and" or "or" of the first two, or of their
 * opposites, whatever the third is. */
enum { LOGIC = 0x212, LOGIC_UNIFORM = 0xc12, LOGIC_TABLE_SHIFT = 8 };
static const uint16_t code_logic_of_two[] = {0x03, 0x0c, 0x30, 0x3f, 0xc0, 0xcf, 0xf3, 0xfc};

/* Opcodes of sm_100 that other architectures do not have: sm_110; sm_120 and sm_121. */
static const uint16_t code_not_110[] = {0x20f, 0x236, 0x246, 0x248, 0x446, 0x80f,
                                        0x846, 0x848, 0xc0f, 0xc46, 0xc48, 0xe46};
static const uint16_t code_not_120[] = {0x20f, 0x215, 0x236, 0x246, 0x276, 0x446, 0x80f,
                                        0x836, 0x846, 0xc0f, 0xc36, 0xc46, 0xc76, 0xe46};

typedef struct code_list {
  const uint16_t *opcodes; /* ascending */
  size_t count;
} code_list;

#define CODE_LIST(table) ((code_list){(table), sizeof(table) / sizeof *(table)})

static bool code_has(code_list list, uint16_t opcode) {
  size_t low = 0, high = list.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list.opcodes[middle] < opcode)
      low = middle + 1;
    else
      high = middle;
  }
  return low < list.count && list.opcodes[low] == opcode;
}

static bool code_is_logic(uint16_t opcode) {
  return opcode == LOGIC || opcode == LOGIC_UNIFORM;
}

static bool code_logic_is_short(uint64_t second) {
  return TL_AMONG16(code_logic_of_two, second >> LOGIC_TABLE_SHIFT & 0xff);
}

/* The size of a derived Mercury instruction when decoded. */
static uint64_t code_derived_size(const uint8_t *sass) {
  const uint16_t opcode = tl_get16(sass) & OPCODE_MASK;
  const uint64_t second = tl_get64(sass + 8);
  if (code_has(CODE_LIST(code_short), opcode) || (code_is_logic(opcode) && code_logic_is_short(second)))
    return INSTRUCTION;
  for (size_t i = 0; i < sizeof code_forms / sizeof *code_forms; i++)
    if (code_forms[i].opcode == opcode && (second & code_forms[i].mask) == code_forms[i].value)
      return INSTRUCTION;
  return 2 * INSTRUCTION;
}

bool tl_code_is_instruction(const uint8_t *sass, uint32_t sm) {
  const uint16_t opcode = tl_get16(sass) & OPCODE_MASK;
  if ((sm == 110 && code_has(CODE_LIST(code_not_110), opcode)) ||
      ((sm == 120 || sm == 121) && code_has(CODE_LIST(code_not_120), opcode)))
    return false;
  if (code_is_logic(opcode) || code_has(CODE_LIST(code_short), opcode) || code_has(CODE_LIST(code_long), opcode))
    return true;
  for (size_t i = 0; i < sizeof code_forms / sizeof *code_forms; i++)
    if (code_forms[i].opcode == opcode)
      return true;
  return false;
}

bool tl_code_read(tl_code *code, const uint8_t *bytes, uint64_t size, const uint8_t *sass, uint64_t sass_size,
                  tl_arena *arena) {
  tl_capsule capsule;
  *code = (tl_code){.items = code->items, .room = code->room};
  static const uint8_t nothing[1];
  const uint8_t *const text = sass ? sass : nothing;
  const bool is_without_bytes = !sass && sass_size; /* a text of SHT_NOBITS */
  if (is_without_bytes || !tl_capsule_read(&capsule, bytes, size) || capsule.count > sass_size / INSTRUCTION)
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
    const bool waits = !real && item.count && (tl_get16(text + to) & OPCODE_MASK) == DEPBAR;
    code->items[code->count++] = (tl_code_place){from, to, cursor.record.offset, item.count, real, item.derived, waits};
    from += item.derived ? code_derived_size(text + to) : (uint64_t)item.units * INSTRUCTION;
    to += (uint64_t)item.count * INSTRUCTION;
  }
  code->mercury_size = from;
  tl_capsule_record record;
  while (tl_capsule_next(&capsule, &cursor.offset, &record)) /* L123 */
    ;
  return code->count == capsule.count && to == sass_size && (cursor.offset ? cursor.offset : capsule.first) == size;
}

uint16_t tl_code_opcode(const tl_code_place *place, const tl_cubin_section *sass) {
  return place->sass < sass->size ? tl_get16(sass->data + place->sass) & OPCODE_MASK : 0;
}

uint64_t tl_code_whole(uint64_t addend) {
  const uint64_t size = addend >> 63 ? 0 - addend : addend, whole = size - size % TL_CODE_INSTRUCTION;
  return addend >> 63 ? 0 - whole : whole;
}

bool tl_code_is_half_place(uint32_t type) {
  return type == TL_R_MERCURY + 0x28 || type == TL_R_MERCURY + 0x29;
}

bool tl_code_needs_place(uint32_t type) {
  static const uint8_t ranges[][2] = {{1, 1}, {5, 13}, {24, 49}, {60, 63}};
  bool among = false;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    among |= type >= TL_R_MERCURY + ranges[i][0] && type <= TL_R_MERCURY + ranges[i][1];
  return among;
}

uint64_t tl_code_translate(const tl_code *map, uint64_t at, uint64_t text_size) {
  const uint64_t mercury = at / TL_CODE_INSTRUCTION * TL_CODE_INSTRUCTION;
  size_t low = 0, high = map->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (map->items[middle].mercury < mercury)
      low = middle + 1;
    else
      high = middle;
  }
  while (low < map->count && !map->items[low].code)
    low++;
  const uint64_t missing = mercury < map->mercury_size ? 0 : text_size;
  return low < map->count ? map->items[low].sass : missing;
}

const tl_code_place *tl_code_find(const tl_code *code, uint64_t mercury) {
  size_t low = 0, high = code->count; /* the last one that begins at the place or before it; the first begins at 0 */
  if (mercury >= code->mercury_size)
    return NULL;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (code->items[middle].mercury <= mercury)
      low = middle + 1;
    else
      high = middle;
  }
  return &code->items[low - 1];
}
