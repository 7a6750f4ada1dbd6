/* nvlink's finalizer makes a SASS instruction of its record where it has one, whatever stands in the input's SASS text, so
 * that damage there does not reach the output (L1824). The first four bytes of a record say which instruction it is. Of
 * frequent ones this file knows the opcode, and of loads and stores the predicate, the registers, the size, the offset (in
 * loads of constants entries write it), and what is the same in all of them (L1825). Control bits are not among them, nor is
 * an instruction whose record begins otherwise.
 *
 * The tables were made of 185,000 records of capsules of compilers, in all of which they hold. */
#include "cubin/recorded.h"

#include "base/bytes.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  OPCODE = 0xfff,
  BYTE_BITS = 8,
  BEGINS = 4,   /* bytes of a record that say its instruction */
  ZEROS = 0xfe, /* instead of a place in the record: no bit of the field is set */
  ONES = 0xff,  /* or each */
  READS = 13,   /* byte of a short record that says what its instruction reads */
  CONSTANT = 4
};

/* Some bits of an instruction, and where in the record they stand. A width of 0 ends a list. */
typedef struct recorded_field {
  uint8_t sass, width, record;
} recorded_field;

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

static unsigned recorded_bit(const uint8_t *bytes, unsigned bit) {
  return bytes[bit / BYTE_BITS] >> bit % BYTE_BITS & 1;
}

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

static void recorded_put(const recorded_field *field, const uint8_t *record, uint8_t *instruction) {
  for (unsigned i = 0; i < field->width; i++) {
    const unsigned at = field->sass + i;
    const bool constant = field->record >= ZEROS;
    const unsigned value = constant ? field->record == ONES : recorded_bit(record, field->record + i);
    const unsigned bit = 1U << at % BYTE_BITS;
    instruction[at / BYTE_BITS] = (uint8_t)((instruction[at / BYTE_BITS] & ~bit) | (value ? bit : 0));
  }
}

static void recorded_make(const recorded_row *row, const uint8_t *record, uint8_t *instruction) {
  tl_put16(instruction, (uint16_t)((tl_get16(instruction) & ~(unsigned)OPCODE) | row->opcode));
  if (!row->fields)
    return;
  for (const recorded_field *field = recorded_common; field->width; field++)
    recorded_put(field, record, instruction);
  for (const recorded_field *field = row->fields; field->width; field++)
    recorded_put(field, record, instruction);
}

/* Mends the instructions of one capsule that have records. A text that is as they say stays where it is; of others *copy is
 * the one copy, however many capsules name the text. */
static void recorded_mend_text(const tl_capsule *capsule, tl_cubin_section *sass, uint8_t **copy, tl_arena *arena) {
  uint64_t at = 0;
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item;
  while (tl_capsule_next_item(capsule, &cursor, &item)) {
    const uint64_t size = (uint64_t)item.count * INSTRUCTION;
    if (sass->size - at < size)
      return;
    const uint8_t *const record = capsule->bytes + cursor.record.offset;
    const recorded_row *const row = item.count == 1 && item.units && !item.derived ? recorded_find(record) : NULL;
    uint8_t made[INSTRUCTION];
    if (row) {
      memcpy(made, sass->data + at, INSTRUCTION);
      recorded_make(row, record, made);
    }
    if (row && memcmp(made, sass->data + at, INSTRUCTION) != 0) {
      *copy = *copy ? *copy : tl_arena_copy(arena, sass->data, sass->size);
      memcpy(*copy + at, made, INSTRUCTION);
      sass->data = *copy;
    }
    at += size;
  }
}

void tl_recorded_mend(tl_cubin *cubin, tl_arena *arena) {
  uint8_t **const copies = tl_arena_new(arena, uint8_t *, cubin->section_count);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const body = &cubin->sections[i];
    tl_capsule capsule;
    if (body->type != SHT_CUDA_CAPSULE || !tl_capsule_read(&capsule, body->data, body->size) ||
        capsule.sass >= cubin->section_count || !cubin->sections[capsule.sass].data)
      continue;
    recorded_mend_text(&capsule, &cubin->sections[capsule.sass], &copies[capsule.sass], arena);
  }
}
