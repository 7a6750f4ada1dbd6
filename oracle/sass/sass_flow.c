/* Where control goes: PC-relative targets (T12, T13). The number in the instruction counts 4-byte words from the next
 * instruction's start, as a signed number of the field's width. */
#include "ref_sass.h"

enum { FLAG_EXECUTABLE = 4, TYPE_PROGBITS = 1 };

static bool ref_sass_flow_is_relative(ref_sass_flow flow) {
  return flow == REF_SASS_BRANCH || flow == REF_SASS_CALL_RELATIVE || flow == REF_SASS_INDEXED ||
         flow == REF_SASS_LABEL;
}

bool ref_sass_target(const ref_sass_instruction *instruction, uint64_t offset, int64_t *target) {
  uint64_t value = 0;
  if (instruction->row == NULL || !ref_sass_flow_is_relative(instruction->row->flow)) {
    return false;
  }
  const ref_sass_field *field = ref_sass_find(instruction, REF_SASS_TARGET, &value);
  if (field == NULL) {
    return false;
  }
  const unsigned width = (unsigned)field->pieces[0].width + field->pieces[1].width;
  const uint64_t sign = UINT64_C(1) << (width - 1);
  const uint64_t words = (value ^ sign) - sign;
  *target = (int64_t)(offset + REF_SASS_BYTES + 4 * words);
  return true;
}

/* Bit 91 of BRA is its uniform or divergence form (L306): what it tests is not a predicate, so it may always go on. */
bool ref_sass_is_conditional(const ref_sass_instruction *instruction) {
  enum { ALWAYS = 7, PAGE = 1 << 12 };
  bool guarded = false;
  for (size_t i = 0; i < instruction->field_count; i++) {
    const ref_sass_field *field = &instruction->fields[i];
    const uint64_t always = field->pieces[0].width == 1 ? 0 : ALWAYS;
    guarded |= field->role == REF_SASS_GUARD && instruction->values[i] != always;
  }
  return guarded ||
         (instruction->row != NULL && instruction->row->flow == REF_SASS_BRANCH && (instruction->opcode & PAGE) != 0);
}

unsigned ref_sass_sm(const ref_cubin *cubin) {
  return cubin->flags >> 8 & 0xff;
}

bool ref_sass_is_code(const ref_section *section) {
  return section->type == TYPE_PROGBITS && (section->flags & FLAG_EXECUTABLE) != 0 && section->data != NULL;
}
