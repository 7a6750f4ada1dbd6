/* The body of a capsule, `.nv.capmerc.text.F`: M9, RF71. Index of the SASS text, a constant, the number of instructions, a mask,
 * and a record for each instruction that the mask does not call derived. */
#include "capsule.h"

enum {
  COUNT_AT = 8,
  MASK_AT = 12,
  BITS_IN_WORD = 32,
  INSTRUCTION = 16,
  TWO_BYTES = 0x10, /* bits of a record's first byte */
  FOUR_BYTES = 0x40,
  LENGTH_DIGIT = 0x0f,
  SASS_COUNT_BIT = 7
};

bool ref_capsule_body_begin(const uint8_t *data, size_t size, ref_capsule_step *step) {
  *step = (ref_capsule_step){.data = data, .data_size = size};
  if (size < MASK_AT) {
    return false;
  }
  step->count = ref_u32(data + COUNT_AT);
  const uint64_t mask_bytes = (step->count + BITS_IN_WORD - 1) / BITS_IN_WORD * 4;
  step->end = MASK_AT + (size_t)mask_bytes;
  return mask_bytes <= size - MASK_AT;
}

static bool ref_capsule_body_is_derived(const ref_capsule_step *step) {
  return (step->data[MASK_AT + step->number / 8] >> step->number % 8 & 1) != 0;
}

/* RF71: a number of SASS instructions other than one stands in two bytes, the upper nine bits of them. With a length digit of 0
 * they are the record of so many NOPs, else the record of the instruction follows. */
static bool ref_capsule_body_read(ref_capsule_step *step) {
  const uint8_t first = step->data[step->at];
  step->record = step->at;
  if ((first & TWO_BYTES) != 0) {
    if (step->data_size - step->at < 2) {
      return false;
    }
    step->sass_count = ref_u16(step->data + step->at) >> SASS_COUNT_BIT;
    step->end = step->at + 2;
    if ((first & LENGTH_DIGIT) == 0) {
      return true;
    }
    step->record = step->end;
  }
  if (step->record >= step->data_size) {
    return false;
  }
  const uint8_t kind = step->data[step->record];
  step->end = step->record + ((kind & FOUR_BYTES) != 0 ? 4 : (size_t)(kind & LENGTH_DIGIT) * INSTRUCTION);
  return step->end <= step->data_size;
}

/* M9: Mercury instruction i is SASS instruction i, but for the counts of RF71. */
bool ref_capsule_body_next(ref_capsule_step *step) {
  if (step->begun) {
    step->number++;
    step->sass += step->sass_count;
  }
  step->begun = true;
  if (step->number >= step->count) {
    return false;
  }
  step->at = step->end;
  step->record = step->end;
  step->sass_count = 1;
  step->derived = ref_capsule_body_is_derived(step);
  return step->derived || (step->at < step->data_size && ref_capsule_body_read(step));
}
