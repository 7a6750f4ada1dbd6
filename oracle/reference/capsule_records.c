/* RF1156: of an instruction that has a record of its own in the capsule nvlink makes the SASS instruction of the record, whatever the input's text
 * has there. Known here is what loads and stores of local, generic and constant memory are, by their opcodes and registers, and some others
 * by their opcode alone. Done to the objects before they are linked, and before what else goes by opcodes or writes over them. */
#include "bits.h"
#include "capsule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  SHORT = 0x40, /* of the first byte: such a record has four bytes */
  SHORT_RECORD = 4,
  LEAST_RECORD = 4,
  OPCODE_WIDTH = 12,
  REGISTER_WIDTH = 8,
  FIELDS = 3,
  NO_BIT = 0,
  RESULT = 16,
  ADDRESS = 24,
  SIZE = 73,
  SIZE_WIDTH = 3,
  BASE = 0x1ff,
  BASE_VIADD = 0x036,
  THIRD = 64,
  NO_REGISTER = 0xff
};

typedef struct ref_record_field {
  uint8_t sass, record; /* first bits */
} ref_record_field;

/* How the instruction's register of an address, and of a result, are told. */
typedef enum ref_record_kind {
  REF_RECORD_LOADS,
  REF_RECORD_LOADS_PLAINLY, /* without a register for the address, which is 0xff */
  REF_RECORD_STORES,        /* without a result, whose field is 0 */
  REF_RECORD_OTHER          /* of which the opcode alone is known */
} ref_record_kind;

/* By the first, second and fourth byte of a record, and by bits of it. */
typedef struct ref_record_row {
  uint8_t first, second, fourth;
  uint8_t set[2], clear[2]; /* NO_BIT: none */
  uint16_t opcode;
  ref_record_kind kind;
  ref_record_field fields[FIELDS];
  uint8_t size; /* the first of three bits, or NO_BIT */
} ref_record_row;

static const ref_record_row rows[] = {
    {0x02, 0x22, 0x06, {18, 17}, {NO_BIT}, 0xb82, REF_RECORD_LOADS_PLAINLY, {{16, 86}}, 52},                 /* LDC */
    {0x02, 0x22, 0x06, {18}, {17}, 0xb82, REF_RECORD_LOADS, {{16, 86}, {24, 118}}, 52},                      /* LDC */
    {0x02, 0x22, 0x06, {33}, {18}, 0x7ac, REF_RECORD_LOADS, {{16, 86}}, NO_BIT},                             /* LDCU */
    {0x02, 0x22, 0x06, {NO_BIT}, {18, 33}, 0x983, REF_RECORD_LOADS, {{16, 86}, {24, 102}}, NO_BIT},          /* LDL */
    {0x01, 0x0b, 0x0a, {NO_BIT}, {17, 105}, 0xb82, REF_RECORD_LOADS_PLAINLY, {{16, 86}}, NO_BIT},            /* LDC */
    {0x02, 0x38, 0x06, {NO_BIT}, {NO_BIT}, 0x387, REF_RECORD_STORES, {{24, 86}, {32, 118}}, NO_BIT},         /* STL */
    {0x02, 0x38, 0x32, {18}, {NO_BIT}, 0x986, REF_RECORD_STORES, {{24, 102}, {32, 158}, {64, 142}}, NO_BIT}, /* STG */
    {0x02, 0x38, 0x32, {NO_BIT}, {18}, 0x985, REF_RECORD_STORES, {{24, 102}, {32, 158}, {64, 142}}, NO_BIT}, /* ST */
    {0x02, 0x22, 0x32, {NO_BIT}, {NO_BIT}, 0x980, REF_RECORD_LOADS, {{16, 102}, {24, 118}}, NO_BIT},         /* LD */
    {0x42, 0x0a, 0x0e, {NO_BIT}, {NO_BIT}, 0x943, REF_RECORD_OTHER, {{0, 0}}, NO_BIT}, /* CALL.ABS */
    {0x42, 0x33, 0x0e, {NO_BIT}, {NO_BIT}, 0x950, REF_RECORD_OTHER, {{0, 0}}, NO_BIT}, /* RET */
    {0x41, 0x0b, 0x0a, {18}, {NO_BIT}, 0xc02, REF_RECORD_OTHER, {{0, 0}}, NO_BIT},     /* MOV of a uniform register */
    {0x41, 0x0b, 0x0a, {NO_BIT}, {18}, 0x202, REF_RECORD_OTHER, {{0, 0}}, NO_BIT},     /* MOV */
    {0x42, 0x0b, 0x0e, {18}, {NO_BIT}, 0x482, REF_RECORD_OTHER, {{0, 0}}, NO_BIT},     /* UMOV of 32 bits, -O0 */
    {0x42, 0x0b, 0x0e, {NO_BIT}, {18}, 0x402, REF_RECORD_OTHER, {{0, 0}}, NO_BIT},     /* MOV of 32 bits, -O0 */
    {0x01, 0x10, 0x0a, {NO_BIT}, {NO_BIT}, 0x81c, REF_RECORD_OTHER, {{0, 0}}, NO_BIT}, /* PLOP3 */
    {0x02, 0x29, 0x06, {NO_BIT}, {NO_BIT}, 0x812, REF_RECORD_OTHER, {{0, 0}}, NO_BIT}, /* LOP3 of 32 bits */
};

static bool ref_records_fits(const ref_record_row *row, const uint8_t *record) {
  bool fits = true;
  for (size_t i = 0; i < sizeof row->set; i++) {
    fits = fits && (row->set[i] == NO_BIT || ref_bits_get(record, row->set[i], 1) != 0) &&
           (row->clear[i] == NO_BIT || ref_bits_get(record, row->clear[i], 1) == 0);
  }
  return fits;
}

static const ref_record_row *ref_records_find_row(const uint8_t *record, size_t size) {
  for (size_t i = 0; size >= LEAST_RECORD && i < sizeof rows / sizeof *rows; i++) {
    const ref_record_row *row = &rows[i];
    if (record[0] != row->first || record[1] != row->second || record[3] != row->fourth ||
        size != ((row->first & SHORT) != 0 ? SHORT_RECORD : (size_t)row->first * INSTRUCTION)) {
      continue;
    }
    if (ref_records_fits(row, record)) {
      return row;
    }
  }
  return NULL;
}

static void ref_records_write(const ref_record_row *row, const uint8_t *record, uint8_t *instruction) {
  ref_bits_put(instruction, 0, OPCODE_WIDTH, row->opcode);
  if (row->kind == REF_RECORD_STORES) {
    ref_bits_put(instruction, RESULT, REGISTER_WIDTH, 0);
  } else if (row->kind == REF_RECORD_LOADS_PLAINLY) {
    ref_bits_put(instruction, ADDRESS, REGISTER_WIDTH, NO_REGISTER);
  }
  if (row->size != NO_BIT) {
    ref_bits_put(instruction, SIZE, SIZE_WIDTH, ref_bits_get(record, row->size, SIZE_WIDTH));
  }
  for (size_t i = 0; i < FIELDS && row->fields[i].sass != 0; i++) {
    ref_bits_put(instruction, row->fields[i].sass, REGISTER_WIDTH,
                 ref_bits_get(record, row->fields[i].record, REGISTER_WIDTH));
  }
}

static void ref_records_mend_text(ref_link *link, const ref_section *capsule, ref_section *text) {
  ref_capsule_step step;
  ref_bytes made = {0};
  if (text->data == NULL || !ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return;
  }
  ref_bytes_add(link, &made, text->data, (size_t)text->size);
  const uint64_t count = text->size / INSTRUCTION;
  for (uint64_t i = 0; i < count; i++) { /* RF1158: VIADD has no third source */
    uint8_t *instruction = made.data + i * INSTRUCTION;
    if ((ref_bits_get(instruction, 0, OPCODE_WIDTH) & BASE) == BASE_VIADD) {
      ref_bits_put(instruction, THIRD, REGISTER_WIDTH, 0);
    }
  }
  while (ref_capsule_body_next(&step)) {
    const ref_record_row *row = step.derived || step.sass_count != 1 || step.sass >= count
                                    ? NULL
                                    : ref_records_find_row(step.data + step.record, step.end - step.record);
    if (row != NULL) {
      ref_records_write(row, step.data + step.record, made.data + step.sass * INSTRUCTION);
    }
  }
  if (made.size != 0 && memcmp(made.data, text->data, made.size) != 0) {
    text->data = made.data;
  }
}

/* Each text once. */
void ref_records_mend(ref_link *link, ref_file *file) {
  ref_cubin *whole = &file->whole;
  bool *is_done = REF_TAKE(link, bool, whole->section_count + 1);
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *capsule = &whole->sections[i];
    const bool is_body =
        capsule->type == REF_TYPE_CAPSULE_TEXT && capsule->data != NULL && capsule->size >= SHORT_RECORD;
    const uint32_t text = is_body ? ref_u32(capsule->data) : 0;
    if (text != 0 && text < whole->section_count && !is_done[text] &&
        (whole->sections[text].flags & REF_FLAG_EXEC) != 0) {
      is_done[text] = true;
      ref_records_mend_text(link, capsule, &whole->sections[text]);
    }
  }
}
