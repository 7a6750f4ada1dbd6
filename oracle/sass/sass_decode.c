/* An instruction's bits to its list of fields and back (T1 to T16).
 *
 * The fields of a shape are a table; only arithmetic instructions choose among several lists, by operand form (T2). The
 * branch offset has a second, low piece on sm_90 and later (T13). */
#include "ref_sass.h"

#define PIECE(start, width) {{start, width}, {0, 0}}
#define PIECES(start, width, start2, width2)                                                                           \
  {                                                                                                                    \
    {start, width}, {                                                                                                  \
      start2, width2                                                                                                   \
    }                                                                                                                  \
  }

enum { PAGE_BIT = 91, FORMS = 8, LIST_FIELDS = 6, SPLIT_TARGET_FROM = 90 };

typedef struct field_list {
  ref_sass_field fields[LIST_FIELDS]; /* a field without a name ends the list */
} field_list;

/* T1, T3, T4 and T15: what every instruction has. */
static const ref_sass_field common_fields[] = {
    {"opcode", REF_SASS_OPCODE, PIECES(0, 12, PAGE_BIT, 1)},
    {"guard", REF_SASS_GUARD, PIECE(12, 3)},
    {"guard not", REF_SASS_GUARD, PIECE(15, 1)},
    {"stall", REF_SASS_CONTROL, PIECE(105, 4)},
    {"yield", REF_SASS_CONTROL, PIECE(109, 1)},
    {"write barrier", REF_SASS_CONTROL, PIECE(110, 3)},
    {"read barrier", REF_SASS_CONTROL, PIECE(113, 3)},
    {"wait mask", REF_SASS_CONTROL, PIECE(116, 6)},
    {"reuse", REF_SASS_CONTROL, PIECE(122, 4)},
};

#define RD {"Rd", REF_SASS_REGISTER, PIECE(16, 8)}
#define RA {"Ra", REF_SASS_REGISTER, PIECE(24, 8)}
#define RB {"Rb", REF_SASS_REGISTER, PIECE(32, 8)}
#define RC {"Rc", REF_SASS_REGISTER, PIECE(64, 8)}
#define BANK {"constant bank", REF_SASS_CONSTANT_BANK, PIECE(54, 5)}
#define OFFSET {"constant offset", REF_SASS_CONSTANT_OFFSET, PIECE(38, 16)}
#define IMMEDIATE {"immediate", REF_SASS_IMMEDIATE, PIECE(32, 32)}
#define MEMORY {"offset", REF_SASS_MEMORY_OFFSET, PIECE(40, 24)}
#define UNIFORM {"URb", REF_SASS_REGISTER, PIECE(32, 8)}
#define CONDITION                                                                                                      \
  {"condition", REF_SASS_GUARD, PIECE(87, 3)}, {                                                                       \
    "condition not", REF_SASS_GUARD, PIECE(90, 1)                                                                      \
  }
#define BARRIER {"barrier", REF_SASS_BARRIER, PIECE(16, 4)}

/* T2, T5, T6, T7. */
static const field_list arithmetic_fields[FORMS] = {
    [1] = {{RD, RA, RB, RC}},        [2] = {{RD, RA, IMMEDIATE, RC}},    [3] = {{RD, RA, OFFSET, BANK, RC}},
    [4] = {{RD, RA, IMMEDIATE, RC}}, [5] = {{RD, RA, OFFSET, BANK, RC}}, [6] = {{RD, RA, UNIFORM, RC}},
    [7] = {{RD, RA, UNIFORM, RC}},
};

static const field_list shape_fields[REF_SASS_SHAPES] = {
    [REF_SASS_DESTINATION] = {{RD}},
    [REF_SASS_PAIR] = {{RD, RA}},
    [REF_SASS_LOAD] = {{RD, RA, MEMORY}},
    [REF_SASS_STORE] = {{RA, RB, MEMORY}},
    [REF_SASS_ATOMIC] = {{RD, RA, RB, MEMORY}},
    [REF_SASS_CONSTANT] = {{RD, RA, OFFSET, BANK}},
    [REF_SASS_CONSTANT_17] = {{RD, RA, {"constant offset", REF_SASS_CONSTANT_OFFSET, PIECE(37, 17)}, BANK}},
    [REF_SASS_TEXTURE] = {{RD, RA, RB, {"slot", REF_SASS_SLOT, PIECE(40, 14)}, BANK}},
    [REF_SASS_BRANCHING] = {{RA, {"target", REF_SASS_TARGET, PIECE(34, 48)}, CONDITION}},
    [REF_SASS_MEETING] = {{BARRIER, {"target", REF_SASS_TARGET, PIECE(34, 30)}}},
    [REF_SASS_BARRIERED] = {{BARRIER}},
    [REF_SASS_LEAVING] = {{CONDITION}},
    [REF_SASS_COPYING] = {{{"shared offset", REF_SASS_MEMORY_OFFSET, PIECE(44, 20)}}},
    [REF_SASS_ARRIVING] = {{MEMORY}},
    [REF_SASS_YIELDING] = {{{"predicate", REF_SASS_SWITCH, PIECE(87, 4)}}},
    [REF_SASS_CALLING] = {{RA, {"target", REF_SASS_TARGET, PIECE(34, 48)}}},
};

/* T13: from sm_90 on the low byte of a 56-bit target lies where other instructions have Rd. */
static const ref_sass_field split_target = {"target", REF_SASS_TARGET, PIECES(16, 8, 34, 48)};

static uint64_t ref_sass_get(ref_sass_word word, unsigned start, unsigned width) {
  uint64_t value = 0;
  for (unsigned bit = 0; bit < width; bit++) {
    const unsigned at = start + bit;
    value |= ((at < 64 ? word.low >> at : word.high >> (at - 64)) & 1) << bit;
  }
  return value;
}

static void ref_sass_put(ref_sass_word *word, unsigned start, unsigned width, uint64_t value) {
  for (unsigned bit = 0; bit < width; bit++) {
    const unsigned at = start + bit;
    uint64_t *half = at < 64 ? &word->low : &word->high;
    const uint64_t mask = UINT64_C(1) << (at % 64);
    *half = (value >> bit & 1) != 0 ? *half | mask : *half & ~mask;
  }
}

ref_sass_word ref_sass_read(const uint8_t *at) {
  return (ref_sass_word){ref_u64(at), ref_u64(at + 8)};
}

static const ref_sass_row *ref_sass_find_row(ref_sass_word word, unsigned sm) {
  const unsigned base = (unsigned)ref_sass_get(word, 0, 9), form = (unsigned)ref_sass_get(word, 9, 3);
  const unsigned page = 1U << ref_sass_get(word, PAGE_BIT, 1);
  for (size_t i = 0; i < ref_sass_row_count; i++) {
    const ref_sass_row *row = &ref_sass_rows[i];
    if (row->base == base && (row->forms >> form & 1) != 0 && (row->pages & page) != 0 && sm >= row->from &&
        sm <= row->to) {
      return row;
    }
  }
  return NULL;
}

static void ref_sass_take(ref_sass_instruction *instruction, const ref_sass_field *field, ref_sass_word word) {
  uint64_t value = 0;
  unsigned below = 0;
  for (size_t i = 0; i < REF_SASS_PIECES_MAX; i++) {
    value |= ref_sass_get(word, field->pieces[i].start, field->pieces[i].width) << below;
    below += field->pieces[i].width;
  }
  instruction->fields[instruction->field_count] = *field;
  instruction->values[instruction->field_count++] = value;
}

void ref_sass_decode(ref_sass_instruction *instruction, ref_sass_word word, unsigned sm) {
  *instruction = (ref_sass_instruction){.row = ref_sass_find_row(word, sm), .sm = sm};
  instruction->opcode = (uint16_t)(ref_sass_get(word, 0, 12) | ref_sass_get(word, PAGE_BIT, 1) << 12);
  for (size_t i = 0; i < sizeof common_fields / sizeof *common_fields; i++) {
    ref_sass_take(instruction, &common_fields[i], word);
  }
  if (instruction->row == NULL) {
    return;
  }
  const ref_sass_shape shape = instruction->row->shape;
  const field_list *list =
      shape == REF_SASS_ARITHMETIC ? &arithmetic_fields[ref_sass_get(word, 9, 3)] : &shape_fields[shape];
  for (size_t i = 0; i < LIST_FIELDS && list->fields[i].name != NULL; i++) {
    const bool split = sm >= SPLIT_TARGET_FROM && shape != REF_SASS_MEETING && list->fields[i].role == REF_SASS_TARGET;
    ref_sass_take(instruction, split ? &split_target : &list->fields[i], word);
  }
}

ref_sass_word ref_sass_encode(const ref_sass_instruction *instruction) {
  ref_sass_word word = {0, 0};
  for (size_t i = 0; i < instruction->field_count; i++) {
    unsigned below = 0;
    for (size_t k = 0; k < REF_SASS_PIECES_MAX; k++) {
      const uint8_t width = instruction->fields[i].pieces[k].width;
      ref_sass_put(&word, instruction->fields[i].pieces[k].start, width, instruction->values[i] >> below);
      below += width;
    }
  }
  return word;
}

ref_sass_word ref_sass_mask(const ref_sass_instruction *instruction) {
  ref_sass_instruction ones = *instruction;
  for (size_t i = 0; i < ones.field_count; i++) {
    ones.values[i] = UINT64_MAX;
  }
  return ref_sass_encode(&ones);
}

const ref_sass_field *ref_sass_find(const ref_sass_instruction *instruction, ref_sass_role role, uint64_t *value) {
  for (size_t i = 0; i < instruction->field_count; i++) {
    if (instruction->fields[i].role == role) {
      if (value != NULL) {
        *value = instruction->values[i];
      }
      return &instruction->fields[i];
    }
  }
  return NULL;
}

const ref_sass_field *ref_sass_find_bits(const ref_sass_instruction *instruction, unsigned start, unsigned width) {
  for (size_t i = 0; i < instruction->field_count; i++) {
    for (size_t k = 0; k < REF_SASS_PIECES_MAX; k++) {
      const unsigned from = instruction->fields[i].pieces[k].start;
      const unsigned end = from + instruction->fields[i].pieces[k].width;
      if (width > 0 && start >= from && start + width <= end) {
        return &instruction->fields[i];
      }
    }
  }
  return NULL;
}
