/* SASS `.nv_debug_info_reg_sass` of a capsule link: RF79. For each function its name, a count, and that many records: a word, a
 * variable's name, its register, and the range of SASS offsets in which it holds the variable. */
#include "capsule.h"

#include <string.h>

enum { WORD = 4, BEFORE_NAME = 4, REGISTER = 4, RANGE = 8 };

typedef struct ref_registers {
  uint8_t *data;
  uint64_t at, end;
} ref_registers;

/* Past a string; NULL when it has no end. */
static const char *ref_registers_string(ref_registers *registers) {
  const char *text = (const char *)registers->data + registers->at;
  const void *end = memchr(text, 0, (size_t)(registers->end - registers->at));
  if (end == NULL) {
    return NULL;
  }
  registers->at += (uint64_t)((const char *)end - text) + 1;
  return text;
}

/* The function that a file calls so; its body there is not in the output when it is dead, lost or was replaced. */
static bool ref_registers_is_gone(const ref_link *sass, size_t number, const char *name) {
  const ref_file *file = &sass->files[number];
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    const size_t function = file->function_of[i];
    if (function != REF_NONE && file->cubin.symbols[i].section != 0 && strcmp(file->cubin.symbols[i].name, name) == 0) {
      return !sass->functions[function].live || file->body_of[i] == REF_BODY_LOSES ||
             sass->functions[function].definition_file != number;
    }
  }
  return false;
}

/* False where the section ends in the middle of a record. */
static bool ref_registers_record(ref_registers *registers, bool clear) {
  if (registers->end - registers->at < BEFORE_NAME) {
    return false;
  }
  registers->at += BEFORE_NAME;
  if (ref_registers_string(registers) == NULL || registers->end - registers->at < REGISTER + RANGE) {
    return false;
  }
  registers->at += REGISTER;
  if (clear) {
    ref_put_u64(registers->data + registers->at, 0);
  }
  registers->at += RANGE;
  return true;
}

static void ref_registers_file(const ref_link *sass, size_t number, ref_registers registers) {
  while (registers.at < registers.end) {
    const char *name = ref_registers_string(&registers);
    if (name == NULL || registers.end - registers.at < WORD) {
      return;
    }
    const bool gone = ref_registers_is_gone(sass, number, name);
    const uint32_t count = ref_u32(registers.data + registers.at);
    registers.at += WORD;
    for (uint32_t i = 0; i < count; i++) {
      if (!ref_registers_record(&registers, gone)) {
        return;
      }
    }
  }
}

/* RF79: 0 for the ranges of bodies that are not in the output. `section` is the SASS module's. */
ref_bytes ref_capsule_registers(ref_capsule *capsule, size_t section) {
  const ref_link *sass = capsule->sass;
  const ref_bytes *input = &sass->sections[section].data;
  ref_bytes output = {0};
  ref_bytes_add(capsule->mercury, &output, input->data, input->size);
  for (size_t i = 0; i < sass->file_count; i++) {
    const ref_file *file = &sass->files[i];
    for (uint32_t k = 1; k < file->cubin.section_count; k++) {
      const uint64_t start = file->offset_in[k];
      if (file->section_of[k] == section && start <= output.size &&
          file->cubin.sections[k].size <= output.size - start) {
        ref_registers_file(sass, i, (ref_registers){output.data, start, start + file->cubin.sections[k].size});
      }
    }
  }
  return output;
}
