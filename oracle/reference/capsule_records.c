/* RF1156: of an instruction that has a record of its own in the capsule nvlink makes the SASS instruction of the record, whatever the input's text
 * has there. Loads, stores and reads of special registers are made whole (RF1220); of some others the opcode is known. Done to the objects
 * before they are linked, and before what else goes by opcodes or writes over them. */
#include "bits.h"
#include "capsule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  SHORT = 0x40, /* of the first byte: such a record has four bytes */
  SHORT_RECORD = 4,
  OPCODE_WIDTH = 12,
  OPCODE_RET = 0x950,
  OPCODE_CALL = 0x943,
  UNIFORM_BIT = 18,
  BASE = 0x1ff,
  BASE_VIADD = 0x036,
  BASE_ERROR_BARRIER = 0x1ab,
  THIRD = 64,
  REGISTER_WIDTH = 8,
  NO_OPERATION = 0x918
};

typedef enum ref_record_bit { REF_RECORD_CLEAR, REF_RECORD_SET, REF_RECORD_ANY } ref_record_bit;

/* By the first, second and fourth byte of a record, and by a bit of it. */
typedef struct ref_record_row {
  uint8_t first, second, fourth;
  ref_record_bit uniform;
  uint16_t opcode;
} ref_record_row;

static const ref_record_row rows[] = {
    {0x41, 0x0b, 0x0a, REF_RECORD_SET, 0xc02},   /* MOV of a uniform register */
    {0x41, 0x0b, 0x0a, REF_RECORD_CLEAR, 0x202}, /* MOV */
    {0x42, 0x0b, 0x0e, REF_RECORD_SET, 0x482},   /* UMOV of 32 bits, -O0 */
    {0x42, 0x0b, 0x0e, REF_RECORD_CLEAR, 0x402}, /* MOV of 32 bits, -O0 */
    {0x01, 0x10, 0x0a, REF_RECORD_ANY, 0x81c},   /* PLOP3 */
};

/* Bits that are no field of an instruction whose record has four bytes, and what they are, of both words. */
typedef struct ref_record_short {
  uint8_t record[SHORT_RECORD];
  uint16_t opcode;
  uint64_t low, low_value, high, high_value;
} ref_record_short;

/* clang-format off */
static const ref_record_short shorts[] = {
    {{0x41, 0x00, 0x00, 0x0a}, 0x211, 0xffffff0000000000, 0x0, 0x1ffffffffff, 0x78ec0ff}, /* LEA */
    {{0x41, 0x00, 0x0e, 0x0a}, 0x202, 0xffffff00ff000000, 0x0, 0x1ffffffffff, 0xf00},     /* MOV */
    {{0x41, 0x0b, 0x24, 0x0a}, 0xc02, 0xffffff00ff000000, 0x0, 0x1ffffffffff, 0x8010f00}, /* MOV */
    {{0x41, 0x12, 0x50, 0x0c}, 0x906, 0xff000000, 0x0, 0x1ffffff03ff, 0x200000},          /* VOTE */
    {{0x41, 0x44, 0x00, 0x3c}, 0x84c, 0xffff0000, 0x0, 0x1ffffffffff, 0x0},
    {{0x41, 0x47, 0x6e, 0x0a}, 0x948, 0xffffffffffff0000, 0x0, 0x1fff87fffff, 0x0},       /* WARPSYNC */
    {{0x41, 0x4c, 0x02, 0x0a}, 0x886, 0xffffffffff000000, 0x0, 0x1fff871fcff, 0x0},       /* VOTEU */
    {{0x41, 0x64, 0x00, 0x0a}, 0x82f, 0xffffffffff000000, 0x0, 0x1fff871ffff, 0x0},       /* ELECT */
    {{0x42, 0x0a, 0x02, 0x0e}, 0x943, 0x3ff000000, 0x0, 0x1fff87e0000, 0x400000},         /* CALL.ABS */
    {{0x42, 0x10, 0x32, 0x14}, 0xc0c, 0x0, 0x0, 0x1fff8000000, 0x8000000},                /* ISETP */
    {{0x42, 0x2a, 0x02, 0x06}, 0x812, 0x0, 0x0, 0x1fff8000000, 0x0},                      /* LOP3 */
    {{0x42, 0x33, 0x00, 0x0e}, 0x950, 0x300000000, 0x0, 0x1fff87c0000, 0x600000},         /* RET */
};
/* clang-format on */

/* RF1262: of an instruction whose record has four bytes the record says the opcode, and the SASS text its operands. */
static bool ref_records_write_short(const uint8_t *record, size_t size, uint8_t *instruction) {
  enum { WORD = 8 };
  for (size_t i = 0; size == SHORT_RECORD && i < sizeof shorts / sizeof *shorts; i++) {
    const ref_record_short *row = &shorts[i];
    if (memcmp(record, row->record, SHORT_RECORD) == 0) {
      ref_put_u64(instruction, (ref_u64(instruction) & ~row->low) | row->low_value);
      ref_put_u64(instruction + WORD, (ref_u64(instruction + WORD) & ~row->high) | row->high_value);
      ref_bits_put(instruction, 0, OPCODE_WIDTH, row->opcode);
      return true;
    }
  }
  return false;
}

static const ref_record_row *ref_records_find_row(const uint8_t *record, size_t size) {
  for (size_t i = 0; size >= SHORT_RECORD && i < sizeof rows / sizeof *rows; i++) {
    const ref_record_row *row = &rows[i];
    const bool is_whole = size == ((row->first & SHORT) != 0 ? SHORT_RECORD : (size_t)row->first * INSTRUCTION);
    if (is_whole && record[0] == row->first && record[1] == row->second && record[3] == row->fourth &&
        (row->uniform == REF_RECORD_ANY || row->uniform == ref_bits_get(record, UNIFORM_BIT, 1))) {
      return row;
    }
  }
  return NULL;
}

/* RF1158: VIADD has no third source. RF1222: ERRBAR and CGAERRBAR, which stand in the records of others, have no operands. */
static void ref_records_mend_fields(ref_bytes *text) {
  for (size_t i = 0; i + INSTRUCTION <= text->size; i += INSTRUCTION) {
    uint8_t *instruction = text->data + i;
    if ((ref_bits_get(instruction, 0, OPCODE_WIDTH) & BASE) == BASE_VIADD) {
      ref_bits_put(instruction, THIRD, REGISTER_WIDTH, 0);
    } else if ((ref_bits_get(instruction, 0, OPCODE_WIDTH) & BASE) == BASE_ERROR_BARRIER) {
      ref_put_u32(instruction, ref_u32(instruction) & 0xffff);
      ref_put_u32(instruction + 4, 0);
      ref_put_u64(instruction + 8, ref_u64(instruction + 8) & UINT64_MAX << (105 - 64));
    }
  }
}

/* Is it code without optimisation, of which a quarter at least waits as long as can be (RF1149)? */
static bool ref_records_is_plain(const ref_bytes *text) {
  enum { STALL = 105, STALL_WIDTH = 4, LONGEST = 15 };
  size_t longest = 0, all = 0;
  for (size_t i = 0; i + INSTRUCTION <= text->size; i += INSTRUCTION) {
    const bool counts = ref_bits_get(text->data + i, 0, OPCODE_WIDTH) != NO_OPERATION;
    all += counts ? 1 : 0;
    longest += counts && ref_bits_get(text->data + i, STALL, STALL_WIDTH) == LONGEST ? 1 : 0;
  }
  return longest * 4 >= all;
}

/* One of the instructions that a record makes. True: another one than in the text, whose times are its own, too; where the whole
 * upper word is the record's, so are the times. */
static bool ref_records_mend_one(const ref_capsule_step *step, uint64_t part, uint8_t *instruction) {
  const uint8_t *record = step->data + step->record;
  const size_t size = step->end - step->record;
  const unsigned old = ref_bits_get(instruction, 0, OPCODE_WIDTH);
  const uint64_t upper = ref_u64(instruction + INSTRUCTION / 2);
  const ref_record_row *row = step->sass_count == 1 ? ref_records_find_row(record, size) : NULL;
  bool is_whole = ref_wholes_write(record, size, step->sass_count, part, instruction);
  if (!is_whole && step->sass_count == 1) {
    is_whole = ref_forms_write(record, size, instruction);
  }
  if (!is_whole && row != NULL) {
    ref_bits_put(instruction, 0, OPCODE_WIDTH, row->opcode);
  } else if (!is_whole && step->sass_count == 1 && ref_records_write_short(record, size, instruction)) {
    const unsigned opcode = ref_bits_get(instruction, 0, OPCODE_WIDTH);
    is_whole = opcode == OPCODE_RET || opcode == OPCODE_CALL;
  }
  return is_whole && old != ref_bits_get(instruction, 0, OPCODE_WIDTH) &&
         (old == NO_OPERATION || upper != ref_u64(instruction + INSTRUCTION / 2));
}

/* Instructions that were others, and those of records that have no stall. */
typedef struct ref_records_found {
  ref_indices others, hasty;
} ref_records_found;

static void ref_records_mend_code(ref_link *link, ref_capsule_step *step, ref_bytes *text, ref_records_found *found) {
  const uint64_t count = text->size / INSTRUCTION;
  while (ref_capsule_body_next(step)) {
    if (step->derived && step->sass < count) {
      uint8_t *instruction = text->data + step->sass * INSTRUCTION;
      ref_unused_clear(instruction);
      if (ref_times_are_impossible(instruction)) {
        ref_indices_add(link, &found->others, (size_t)step->sass);
      }
      continue;
    }
    for (uint64_t part = 0; part < step->sass_count && step->sass + part < count; part++) {
      uint8_t *instruction = text->data + (step->sass + part) * INSTRUCTION;
      if (ref_records_mend_one(step, part, instruction)) {
        ref_indices_add(link, &found->others, (size_t)(step->sass + part));
      } else if (step->sass_count == 1 && ref_times_are_impossible(instruction)) {
        ref_indices_add(link, &found->hasty, (size_t)step->sass);
      }
    }
  }
}

static void ref_records_mend_text(ref_link *link, const ref_section *capsule, ref_section *text) {
  ref_capsule_step step;
  ref_bytes made = {0};
  ref_records_found found = {0};
  if (text->data == NULL || !ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return;
  }
  ref_bytes_add(link, &made, text->data, (size_t)text->size);
  ref_records_mend_fields(&made);
  ref_records_mend_code(link, &step, &made, &found);
  const bool is_damaged =
      made.size != 0 && (found.others.count != 0 || memcmp(made.data, text->data, made.size) != 0); /* RF1315 */
  if (!ref_records_is_plain(&made)) {
    for (size_t i = 0; i < found.others.count; i++) {
      ref_times_give(made.data, made.size / INSTRUCTION, found.others.items[i]);
    }
    for (size_t i = 0; is_damaged && i < found.hasty.count; i++) {
      ref_times_give_stall(made.data, made.size / INSTRUCTION, found.hasty.items[i]);
    }
    ref_times_settle(link, made.data, made.size / INSTRUCTION, is_damaged);
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
