/* nvlink's finalizer makes a SASS instruction of its record where it has one, whatever stands in the input's SASS text, so
 * that damage there does not reach the output (L1824). The first four bytes of a record say which instruction it is. Of
 * frequent ones this file knows the opcode, and of loads and stores the predicate, the registers, the size, the offset, and
 * what is the same in all of them (L1825); of others all but control bits (L1671), places of constants (L1672) and special
 * registers (L1673) among them. An instruction whose record begins otherwise keeps what the SASS text has.
 *
 * The tables were made of 185,000 records of capsules of compilers, in all of which they hold. */
#include "cubin/recorded.h"

#include "base/bytes.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"
#include "cubin/encoded.h"
#include "cubin/schedule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  OPCODE = 0xfff,
  BYTE_BITS = 8,
  LONG = 8,
  LONG_BITS = 64,
  BEGINS = 4,   /* bytes of a record that say its instruction */
  ZEROS = 0xfe, /* instead of a place in the record: no bit of the field is set */
  ONES = 0xff,  /* or each */
  READS = 13,   /* byte of a short record that says what its instruction reads */
  CONSTANT = 4,
  SHORT_RECORD = 0x40, /* of four bytes */
  COMMON = 105         /* bits in front of the control bits */
};

/* Some bits of an instruction, and where in the record they stand. A width of 0 ends a list. */
typedef struct recorded_field {
  uint8_t sass, width, record;
} recorded_field;

/* Bits of a record, and what they are. A width of 0 ends a list. */
typedef struct recorded_guard {
  uint8_t record, width;
  uint32_t value;
} recorded_guard;

/* An instruction of which all is known: what else its record has, its fields, and its other bits. */
typedef struct recorded_whole {
  uint8_t begins[BEGINS];
  const recorded_guard *guards;
  const recorded_field *fields;
  uint64_t bits[2];
} recorded_whole;

/* One of several instructions that are made of a record. */
typedef struct recorded_part {
  uint8_t begins[BEGINS];
  uint8_t count, index;
  uint64_t bits[2];
} recorded_part;

#include "cubin/recorded_parts.h"
#include "cubin/recorded_rows.h"

/* How a record begins, and what is made of it: fields NULL where only the opcode is known. Loads of constants and
 * moves of special registers begin alike, so that what they read counts there; 0 elsewhere. */
typedef struct recorded_row {
  uint8_t begins[BEGINS];
  uint16_t opcode;
  const recorded_field *fields;
  uint8_t reads;
} recorded_row;

/* The predicate, and what lies in front of the control bits, are alike in all lists. */
static const recorded_field recorded_common[] = {{12, 3, 35}, {15, 1, 32}, {92, 13, ZEROS}, {0, 0, 0}};

static const recorded_field recorded_load[] = {{16, 8, 102}, {24, 8, 118},   {32, 5, 158}, {40, 24, 224},
                                               {73, 3, 48},  {81, 3, ZEROS}, {0, 0, 0}};
static const recorded_field recorded_store[] = {{16, 8, ZEROS}, {24, 8, 102}, {32, 8, 158},   {40, 24, 224},
                                                {64, 8, 142},   {73, 3, 48},  {81, 3, ZEROS}, {0, 0, 0}};
static const recorded_field recorded_store_global[] = {{16, 8, ZEROS}, {24, 8, 102}, {32, 8, 158},   {40, 24, 224},
                                                       {64, 8, 142},   {73, 3, 52},  {81, 3, ZEROS}, {0, 0, 0}};
static const recorded_field recorded_store_local[] = {{16, 8, ZEROS}, {24, 8, 86},    {32, 8, 118},
                                                      {40, 24, 224},  {64, 9, ZEROS}, {73, 3, 52},
                                                      {76, 8, ZEROS}, {84, 1, ONES},  {0, 0, 0}};
static const recorded_field recorded_load_local[] = {{16, 8, 86},    {24, 8, 102},   {32, 8, ZEROS},
                                                     {40, 24, 224},  {64, 9, ZEROS}, {73, 3, 52},
                                                     {76, 8, ZEROS}, {84, 1, ONES},  {0, 0, 0}};
/* Loads of constants: with a register, without, uniform ones, and those that have short records. */
static const recorded_field recorded_constant_at[] = {{16, 8, 86}, {24, 8, 118},    {32, 5, ZEROS}, {59, 14, ZEROS},
                                                      {73, 3, 52}, {76, 15, ZEROS}, {0, 0, 0}};
static const recorded_field recorded_constant[] = {{16, 8, 86}, {24, 8, ONES},   {32, 5, ZEROS}, {59, 14, ZEROS},
                                                   {73, 3, 52}, {76, 15, ZEROS}, {0, 0, 0}};
static const recorded_field recorded_uniform_at[] = {{16, 8, 86}, {32, 5, ZEROS},  {59, 14, ZEROS},
                                                     {73, 3, 52}, {76, 15, ZEROS}, {0, 0, 0}};
static const recorded_field recorded_constant_short[] = {{16, 8, 86}, {24, 8, ONES}, {32, 5, ZEROS},  {59, 14, ZEROS},
                                                         {73, 1, 81}, {75, 1, ONES}, {76, 15, ZEROS}, {0, 0, 0}};

static const recorded_row recorded_rows[] = {
    {{0x02, 0x22, 0x32, 0x32}, 0x980, recorded_load, 0},
    {{0x02, 0x38, 0x2a, 0x32}, 0x985, recorded_store, 0},
    {{0x02, 0x38, 0x0e, 0x32}, 0x986, recorded_store_global, 0},
    {{0x02, 0x38, 0x20, 0x06}, 0x387, recorded_store_local, 0},
    {{0x02, 0x22, 0x28, 0x06}, 0x983, recorded_load_local, 0},
    {{0x02, 0x22, 0x0c, 0x06}, 0xb82, recorded_constant_at, 0},
    {{0x02, 0x22, 0x0e, 0x06}, 0xb82, recorded_constant, 0},
    {{0x02, 0x22, 0x08, 0x06}, 0x7ac, recorded_constant, 0},
    {{0x02, 0x22, 0x0a, 0x06}, 0x7ac, recorded_uniform_at, 0},
    {{0x01, 0x0b, 0x04, 0x0a}, 0xb82, recorded_constant_short, CONSTANT},
    {{0x01, 0x0b, 0x0c, 0x0a}, 0xb82, recorded_constant_short, CONSTANT},
    {{0x01, 0x0b, 0x06, 0x0a}, 0x7ac, recorded_constant_short, CONSTANT},
    {{0x01, 0x0b, 0x0e, 0x0a}, 0x7ac, recorded_constant_short, CONSTANT},
    {{0x42, 0x0a, 0x02, 0x0e}, 0x943, NULL, 0},
    {{0x42, 0x33, 0x00, 0x0e}, 0x950, NULL, 0},
    {{0x41, 0x0b, 0x20, 0x0a}, 0x202, NULL, 0},
    {{0x41, 0x0b, 0x24, 0x0a}, 0xc02, NULL, 0},
    {{0x42, 0x0b, 0x22, 0x0e}, 0x402, NULL, 0},
    {{0x42, 0x0b, 0x26, 0x0e}, 0x482, NULL, 0},
    {{0x01, 0x10, 0x06, 0x0a}, 0x81c, NULL, 0},
    {{0x01, 0x58, 0x02, 0x0a}, 0x355, NULL, 0},
    {{0x01, 0x58, 0x00, 0x0a}, 0x356, NULL, 0},
    {{0x02, 0x29, 0x04, 0x06}, 0x812, NULL, 0},
    {{0x01, 0x29, 0x00, 0x04}, 0x212, NULL, 0},
    {{0x01, 0x29, 0x08, 0x04}, 0xc12, NULL, 0},
    {{0x41, 0x12, 0x50, 0x0c}, 0x906, NULL, 0},
    {{0x41, 0x12, 0x94, 0x0d}, 0x85a, NULL, 0},
    {{0x41, 0x47, 0x6e, 0x0a}, 0x948, NULL, 0},
    {{0x41, 0x47, 0x76, 0x0a}, 0x948, NULL, 0},
};

static bool recorded_fits(const recorded_row *row, const uint8_t *record) {
  return memcmp(record, row->begins, BEGINS) == 0 && (!row->reads || record[READS] == row->reads);
}

/* The row of a record, NULL. Its size follows from its first byte, so that the bits of a row lie in it. */
static const recorded_row *recorded_find(const uint8_t *record) {
  for (size_t i = 0; i < sizeof recorded_rows / sizeof *recorded_rows; i++)
    if (recorded_fits(&recorded_rows[i], record))
      return &recorded_rows[i];
  return NULL;
}

/* A field as a number. Records that have fields are whole words of eight bytes, as instructions are; a field may lie in two. */
static uint64_t recorded_bits(const uint8_t *record, unsigned first, unsigned width) {
  const uint8_t *const word = record + first / LONG_BITS * LONG;
  const unsigned shift = first % LONG_BITS;
  uint64_t value = tl_get64(word) >> shift;
  if (shift + width > LONG_BITS)
    value |= tl_get64(word + LONG) << (LONG_BITS - shift);
  return value & ((UINT64_C(1) << width) - 1);
}

static void recorded_put(const recorded_field *field, const uint8_t *record, uint8_t *instruction) {
  const uint64_t all = (UINT64_C(1) << field->width) - 1, constant = field->record == ONES ? all : 0;
  const uint64_t value = field->record >= ZEROS ? constant : recorded_bits(record, field->record, field->width);
  uint8_t *const word = instruction + field->sass / LONG_BITS * LONG;
  const unsigned shift = field->sass % LONG_BITS;
  tl_put64(word, (tl_get64(word) & ~(all << shift)) | value << shift);
  if (shift + field->width > LONG_BITS) {
    const unsigned below = LONG_BITS - shift;
    tl_put64(word + LONG, (tl_get64(word + LONG) & ~(all >> below)) | value >> below);
  }
}

static void recorded_make_known(const recorded_row *row, const uint8_t *record, uint8_t *instruction) {
  tl_put16(instruction, (uint16_t)((tl_get16(instruction) & ~(unsigned)OPCODE) | row->opcode));
  if (!row->fields)
    return;
  for (const recorded_field *field = recorded_common; field->width; field++)
    recorded_put(field, record, instruction);
  for (const recorded_field *field = row->fields; field->width; field++)
    recorded_put(field, record, instruction);
}

static bool recorded_is_whole(const recorded_whole *row, const uint8_t *record) {
  bool fits = memcmp(record, row->begins, BEGINS) == 0;
  for (const recorded_guard *guard = row->guards; fits && guard->width; guard++)
    fits = recorded_bits(record, guard->record, guard->width) == guard->value;
  return fits;
}

/* All but control bits. */
static void recorded_put_all(uint8_t *instruction, uint64_t low, uint64_t high) {
  enum { HALF = 8 };
  const uint64_t upper = (UINT64_C(1) << (COMMON - HALF * BYTE_BITS)) - 1;
  tl_put64(instruction, low);
  tl_put64(instruction + HALF, (tl_get64(instruction + HALF) & ~upper) | high);
}

/* L1831: what a texture that is read is: of layers of cubes its record has 6 and the instruction 7. */
static void recorded_make_shape(const uint8_t *record, uint8_t *instruction) {
  enum { TEX = 0xf60, SHAPE_IN_RECORD = 51, SHAPE_BITS = 3, CUBES = 6, SHAPE = 61 };
  const uint16_t opcode = tl_get16(instruction) & OPCODE;
  if (opcode == TEX && recorded_bits(record, SHAPE_IN_RECORD, SHAPE_BITS) == CUBES)
    tl_put64(instruction, tl_get64(instruction) | UINT64_C(1) << SHAPE);
}

/* L1671 */
static void recorded_make_whole(const uint8_t *record, uint8_t *instruction) {
  const recorded_whole *row = NULL;
  for (size_t i = 0; !row && i < sizeof recorded_wholes / sizeof *recorded_wholes; i++)
    row = recorded_is_whole(&recorded_wholes[i], record) ? &recorded_wholes[i] : NULL;
  if (!row)
    return;
  recorded_put_all(instruction, row->bits[0], row->bits[1]);
  for (const recorded_field *field = row->fields; field->width; field++)
    recorded_put(field, record, instruction);
  recorded_make_shape(record, instruction);
}

/* L1672: where a load of constants reads. The low six bits of byte 12 say of what (L103), the others that there is no other
 * place; the link's tables of textures (9) lie where the link says, in bank 0. */
static void recorded_make_place(const uint8_t *record, uint8_t *instruction) {
  enum {
    WHAT = 12,
    PLACE = 28,
    BANK = 54,
    BEGIN = 37,
    PLAIN = 1,
    SHIFT = 6,
    LAST = 8,
    LOAD = 0xb82,
    UNIFORM = 0x7ac,
    TABLE = 9,
    UNIFORM_AT = 11,
    UNIFORM_BIT = 8
  };
  static const struct {
    bool known;
    uint8_t bank;
    uint16_t base;
  } places[LAST + 1] = {{true, 0, 0x380}, {true, 2, 0},    {true, 3, 0}, {0}, {0}, {0}, {0},
                        {true, 4, 0},     {true, 0, 0x170}};
  const uint16_t opcode = tl_get16(instruction) & OPCODE;
  const uint32_t what = tl_get16(record + WHAT) & ((1U << SHIFT) - 1);
  const bool plain = (tl_get16(record + WHAT) >> SHIFT & 0x3ff) == PLAIN;
  const uint64_t banks = UINT64_C(31) << BANK;
  if (!plain || (opcode != LOAD && opcode != UNIFORM))
    return;
  instruction[UNIFORM_AT] =
      (uint8_t)((instruction[UNIFORM_AT] & ~(unsigned)UNIFORM_BIT) |
                (opcode == UNIFORM ? UNIFORM_BIT : 0)); /* among registers of all lanes or its own */
  if (what == TABLE)
    tl_put64(instruction, tl_get64(instruction) & ~banks);
  if (what > LAST || !places[what].known)
    return;
  const unsigned begin = opcode == LOAD ? BEGIN + 1 : BEGIN;
  const uint64_t room = (UINT64_C(1) << BANK) - (UINT64_C(1) << begin);
  const uint64_t place = ((uint64_t)tl_get32(record + PLACE) + places[what].base) << begin & room;
  tl_put64(instruction, (tl_get64(instruction) & ~(banks | room | UINT64_C(1) << BEGIN)) | place |
                            (uint64_t)places[what].bank << BANK);
}

/* What the numbers of special registers stand for that are read from constants: where, and whether it is a pair. */
typedef struct recorded_special {
  uint16_t number, place;
  bool pair;
} recorded_special;

static const recorded_special recorded_specials[] = {
    {0x400, 0x37c, false}, {0x401, 0x360, false}, {0x402, 0x364, false}, {0x403, 0x368, false}, {0x404, 0x370, false},
    {0x405, 0x374, false}, {0x406, 0x378, false}, {0x407, 0x36c, false}, {0x40f, 0x140, true},  {0x422, 0x0d0, false},
    {0x423, 0x0d4, false}, {0x424, 0x0d8, false}, {0x425, 0x0dc, false}, {0x426, 0x0e0, false}, {0x427, 0x0e4, false},
    {0x428, 0x0e8, false}, {0x429, 0x0ec, false}, {0x42a, 0x0f0, false}, {0x42b, 0x0f4, false}, {0x42c, 0x0f8, false},
    {0x42d, 0x0fc, false}, {0x42e, 0x100, false}, {0x42f, 0x104, false}, {0x430, 0x108, false}, {0x431, 0x10c, false},
    {0x432, 0x2d0, false}, {0x433, 0x16c, false}, {0x434, 0x150, true},  {0x435, 0x158, true},  {0x436, 0x160, true},
    {0x439, 0x358, true},  {0x43a, 0x348, true},  {0x43b, 0x350, true},  {0x43d, 0x120, true},  {0x43e, 0x128, true},
    {0x444, 0x2f8, false}, {0x445, 0x2fc, false}, {0x446, 0x2e8, true},
};

/* And that are registers, from 0x200 on, 0 for those that are read otherwise. */
enum { FIRST_REGISTER = 0x200 };
static const uint8_t recorded_registers[] = {0, 0x21, 0x22, 0x23, 0x25, 0x26, 0x27, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0,
                                             0, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
                                             0, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
                                             0, 0,    0,    0x32, 0x43, 0x88, 0x2f, 0x30, 0x02, 0x03, 0x37};

static void recorded_put_special(uint8_t *instruction, const uint8_t *record, uint16_t opcode, uint64_t low,
                                 uint64_t high) {
  enum { RESULT = 16 };
  static const recorded_field result[] = {{RESULT, BYTE_BITS, 86}, {0, 0, 0}};
  recorded_put_all(instruction, low | opcode, high);
  recorded_put(result, record, instruction);
  recorded_put(&recorded_common[0], record, instruction);
  recorded_put(&recorded_common[1], record, instruction);
}

/* L1673: what reads a special register, of which the record has a number of its own. */
static void recorded_make_special(const uint8_t *record, uint8_t *instruction) {
  enum { NUMBER = 12, MASK = 0xfff, FORM = 2, TO_UNIFORM = 2, PLACE = 38, NO_REGISTER = 24, UPPER_UNIFORM = 27 };
  enum {
    SIZE = 9,
    WORD = 4,
    PAIR = 5,
    KIND = 8,
    LOAD = 0xb82,
    LOAD_UNIFORM = 0x7ac,
    READ = 0x919,
    READ_UNIFORM = 0x9c3
  };
  const uint8_t *const at = record;
  if (at[0] != 0x01 || at[1] != 0x0b || at[3] != 0x0a || (at[FORM] & ~(unsigned)0xa) != 4)
    return;
  const uint32_t number = tl_get16(record + NUMBER) & MASK, index = number - FIRST_REGISTER;
  const bool uniform = at[FORM] & TO_UNIFORM, wide = at[FORM] & KIND;
  for (size_t i = 0; i < sizeof recorded_specials / sizeof *recorded_specials; i++) {
    const recorded_special *const special = &recorded_specials[i];
    const uint64_t place = (uint64_t)special->place << (uniform ? PLACE - 1 : PLACE) | UINT64_C(0xff) << NO_REGISTER;
    const uint64_t high = (uint64_t)(special->pair ? PAIR : WORD) << SIZE | (uint64_t)uniform << UPPER_UNIFORM;
    if (special->number == number)
      recorded_put_special(instruction, record, uniform ? LOAD_UNIFORM : LOAD, place, high);
  }
  const bool reads = number >= FIRST_REGISTER && index < sizeof recorded_registers && !wide;
  if (reads && (number == FIRST_REGISTER || recorded_registers[index]))
    recorded_put_special(instruction, record, uniform ? READ_UNIFORM : READ, 0,
                         (uint64_t)recorded_registers[index] << BYTE_BITS);
}

static void recorded_make(const uint8_t *record, uint8_t *instruction) {
  const recorded_row *const row = recorded_find(record);
  if (row)
    recorded_make_known(row, record, instruction);
  if (record[0] & SHORT_RECORD) {
    tl_encoded_mend(instruction, record);
    return;
  }
  recorded_make_whole(record, instruction);
  if (record[0] == 0x02 && record[1] == 0x22)
    recorded_make_place(record, instruction);
  recorded_make_special(record, instruction);
}

/* L1830: the MEMBAR of a RED that releases to a cluster or a GPU reaches not as far as one to the system. */
static bool recorded_reaches_less(const uint8_t *record, const uint8_t *instruction) {
  enum { SCOPE = 8, CLUSTER = 2, GPU = 3, OP_MEMBAR = 0x992, REDUCES = 0x4d };
  const bool fence = record[1] == REDUCES && (tl_get16(instruction) & OPCODE) == OP_MEMBAR;
  return fence && (record[SCOPE] == CLUSTER || record[SCOPE] == GPU);
}

/* L1675: one of several that are made of a record. EXIT and what is made in front of it has the guard of the record. */
static void recorded_make_part(const uint8_t *record, const tl_capsule_item *item, uint32_t index,
                               uint8_t *instruction) {
  enum { GUARDED = 0x11, TO_SYSTEM = 0xb000, TO_GPU = 0xa000 };
  for (size_t i = 0; i < sizeof recorded_parts / sizeof *recorded_parts; i++) {
    const recorded_part *const part = &recorded_parts[i];
    if (memcmp(record, part->begins, BEGINS) != 0 || part->count != item->count || part->index != index)
      continue;
    recorded_put_all(instruction, part->bits[0], part->bits[1]);
    if (part->bits[1] == TO_SYSTEM && recorded_reaches_less(record, instruction))
      recorded_put_all(instruction, part->bits[0], TO_GPU);
    for (const recorded_field *field = recorded_common; record[1] == GUARDED && field->sass < BYTE_BITS * 2; field++)
      recorded_put(field, record, instruction);
    return;
  }
}

/* NOPs that are put in have no record (L1675); other instructions of that kind are rare. */
static void recorded_make_filler(uint8_t *instruction) {
  enum { NOP = 0x7918, OTHER = 0x91a };
  if ((tl_get16(instruction) & OPCODE) != OTHER)
    recorded_put_all(instruction, NOP, 0);
}

static void recorded_make_item(const tl_capsule *capsule, const tl_capsule_item *item, uint64_t offset, uint32_t index,
                               uint8_t *instruction) {
  const uint8_t *const record = capsule->bytes + offset;
  if (item->derived)
    tl_encoded_mend(instruction, NULL);
  else if (item->count == 1 && item->units)
    recorded_make(record, instruction);
  else if (item->units && !(record[0] & SHORT_RECORD))
    recorded_make_part(record, item, index, instruction);
  else if (item->count == 1 && !item->units)
    recorded_make_filler(instruction);
}

/* What the instructions of a file's texts are mended with. */
typedef struct recorded_mender {
  tl_cubin *cubin;
  tl_arena *arena;
  uint8_t **copies; /* by text, the one copy, however many capsules name it; NULL where it stays as it is */
  bool *
      *made; /* by text and instruction: its opcode or its upper word was another one; NULL where no capsule names it */
} recorded_mender;

static uint8_t *recorded_own(const recorded_mender *m, uint32_t index) {
  tl_cubin_section *const sass = &m->cubin->sections[index];
  if (!m->copies[index])
    m->copies[index] = tl_arena_copy(m->arena, sass->data, sass->size);
  sass->data = m->copies[index];
  return m->copies[index];
}

/* One instruction; the result says whether more of it changed than what it is about. */
static bool recorded_mend_at(const recorded_mender *m, const tl_capsule *capsule, const tl_capsule_item *item,
                             uint64_t offset, uint32_t index, uint64_t at) {
  enum { HALF = 8 };
  const uint8_t *const old = m->cubin->sections[capsule->sass].data + at;
  uint8_t made[INSTRUCTION];
  memcpy(made, old, INSTRUCTION);
  recorded_make_item(capsule, item, offset, index, made);
  if (memcmp(made, old, INSTRUCTION) == 0)
    return false;
  const bool other = ((tl_get16(made) ^ tl_get16(old)) & OPCODE) || memcmp(made + HALF, old + HALF, HALF) != 0;
  memcpy(recorded_own(m, capsule->sass) + at, made, INSTRUCTION);
  return other;
}

/* Mends the instructions of one capsule. False where it has more than the text. */
static bool recorded_mend_text(const recorded_mender *m, const tl_capsule *capsule) {
  const uint64_t size = m->cubin->sections[capsule->sass].size;
  bool *const made = m->made[capsule->sass];
  uint64_t at = 0;
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item;
  while (tl_capsule_next_item(capsule, &cursor, &item)) {
    if (size - at < (uint64_t)item.count * INSTRUCTION)
      return false;
    for (uint32_t i = 0; i < item.count; i++, at += INSTRUCTION)
      made[at / INSTRUCTION] |= recorded_mend_at(m, capsule, &item, cursor.record.offset, i, at);
  }
  return true;
}

/* The SASS text of a capsule, NULL. */
static const tl_cubin_section *recorded_text(const tl_cubin *cubin, uint32_t index, tl_capsule *capsule) {
  const tl_cubin_section *const body = &cubin->sections[index];
  const bool is = body->type == SHT_CUDA_CAPSULE && tl_capsule_read(capsule, body->data, body->size) &&
                  capsule->sass < cubin->section_count && cubin->sections[capsule->sass].data;
  return is ? &cubin->sections[capsule->sass] : NULL;
}

/* How the texts are scheduled, each once, whatever number of capsules names it. */
static void recorded_schedule(const recorded_mender *m, const bool *fits, uint64_t largest) {
  tl_schedule *const schedule = tl_schedule_new(largest, m->arena);
  for (uint32_t i = 1; i < m->cubin->section_count; i++) {
    const tl_cubin_section *const text = &m->cubin->sections[i];
    const uint8_t *const scheduled =
        fits[i] ? tl_schedule_mend(schedule, text->data, text->size, m->made[i], m->cubin->flags >> 8 & 0xffff) : NULL;
    if (scheduled)
      memcpy(recorded_own(m, i), scheduled, text->size / INSTRUCTION * INSTRUCTION);
  }
}

void tl_recorded_mend(tl_cubin *cubin, tl_arena *arena) {
  const uint32_t count = cubin->section_count;
  const recorded_mender m = {cubin, arena, tl_arena_new(arena, uint8_t *, count), tl_arena_new(arena, bool *, count)};
  bool *const fits = tl_arena_new(arena, bool, count);
  uint64_t largest = 0;
  for (uint32_t i = 1; i < count; i++) {
    tl_capsule capsule;
    const tl_cubin_section *const text = recorded_text(cubin, i, &capsule);
    if (!text)
      continue;
    largest = tl_larger(largest, text->size);
    if (!m.made[capsule.sass])
      m.made[capsule.sass] = tl_arena_new(arena, bool, text->size / INSTRUCTION + 1);
    fits[capsule.sass] |= recorded_mend_text(&m, &capsule);
  }
  if (largest && cubin->view == TL_VIEW_SASS) /* nothing reads control bits of the texts beside Mercury's view */
    recorded_schedule(&m, fits, largest);
}
