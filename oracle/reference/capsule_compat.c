/* Attribute 11 of `.nv.compat`, CAN_FASTPATH_FINALIZE: M18, M63, I66. */
#include "capsule.h"

enum {
  CODE_FASTPATH = 11,
  FAMILY_100 = 100,
  OTHER_OF_FAMILY = 103,
  FAMILY_120 = 120,
  KEEPS_TEXT = 9,
  HAS_CODE = 1,
  VALUE_120 = 0x50,
  INSTRUCTION = 16,
  OPCODE_MASK = 0x1ff
};

static uint64_t ref_compat_input_value(const ref_file *file) {
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *section = &file->cubin.sections[i];
    ref_attribute attribute;
    uint64_t position = 0;
    while (section->type == REF_TYPE_COMPAT && ref_cubin_next_attribute(section, &position, &attribute)) {
      if (attribute.code == CODE_FASTPATH && attribute.format == 4 && attribute.size >= 8) {
        return ref_u64(attribute.data);
      }
    }
  }
  return 0;
}

/* FADD, FSETP and the FP64 operations. */
static bool ref_compat_has_floats(const ref_section *text) {
  if (text->data == NULL) {
    return false;
  }
  for (uint64_t at = 0; at + INSTRUCTION <= text->size; at += INSTRUCTION) {
    const unsigned opcode = ref_u16(text->data + at) & OPCODE_MASK;
    if (opcode == 0x21 || opcode == 0x0b || opcode == 0x28 || opcode == 0x29 || opcode == 0x2a || opcode == 0x2b) {
      return true;
    }
  }
  return false;
}

/* An input with 1 counts as 9 if only bodies that are not in the output made it 1: dead ones, and those that lost or were replaced
 * (RF147). False: none of its bodies is there. */
static bool ref_compat_file_value(const ref_capsule *capsule, size_t number, uint64_t *value) {
  const ref_file *file = &capsule->sass->files[number];
  bool live = false, live_floats = false, dead_floats = false;
  for (uint32_t i = 1; i < file->cubin.symbol_count; i++) {
    const size_t function = file->function_of[i];
    const uint32_t section = file->cubin.symbols[i].section;
    if (function == REF_NONE || section == 0 || section >= file->cubin.section_count) {
      continue;
    }
    const bool floats = ref_compat_has_floats(&file->cubin.sections[section]);
    if (capsule->sass->functions[function].live && capsule->sass->functions[function].definition_file == number) {
      live = true;
      live_floats = live_floats || floats;
    } else {
      dead_floats = dead_floats || floats;
    }
  }
  *value = ref_compat_input_value(file);
  if (*value == HAS_CODE && !live_floats && dead_floats) {
    *value = KEEPS_TEXT;
  }
  return live;
}

/* M63: live code for sm_100 whose text nvlink would schedule anew for sm_103. */
void ref_capsule_check_schedule(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  if (link->sm != OTHER_OF_FAMILY) {
    return;
  }
  for (size_t i = 0; i < link->file_count; i++) {
    const uint32_t sm = link->files[i].cubin.flags >> 8 & 0xffff;
    uint64_t value;
    if (sm == FAMILY_100 && ref_compat_file_value(capsule, i, &value) && (value & KEEPS_TEXT) == HAS_CODE) {
      ref_message_fatal(link, "M63",
                        "Input file '%s' cannot be linked: its code is scheduled for sm_%u, and sm_%u needs another "
                        "schedule; compile it for sm_%u",
                        link->files[i].name, sm, link->sm, link->sm);
    }
  }
}

void ref_capsule_add_compat(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  const uint32_t sm = link->sm;
  bool any = false;
  uint64_t value = sm == FAMILY_100 ? KEEPS_TEXT : sm == FAMILY_120 ? VALUE_120 : 0;
  for (size_t i = 0; i < link->file_count; i++) {
    uint64_t own;
    if (ref_compat_file_value(capsule, i, &own)) {
      any = true;
      value = sm == FAMILY_100 ? value & own : value;
    }
  }
  const uint8_t head[4] = {4, CODE_FASTPATH, 8, 0};
  ref_out_section *section = &link->sections[link->compat_section];
  capsule->compat_size = section->data.size;
  ref_bytes_add(link, &section->data, head, sizeof head);
  ref_bytes_add_u64(link, &section->data, any ? value : 0);
}
