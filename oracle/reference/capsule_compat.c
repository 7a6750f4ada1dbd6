/* Attribute 11 of `.nv.compat`, CAN_FASTPATH_FINALIZE: M18, M63, I66, L990. For sm_100 the code of the output decides it, and two of the
 * merged attributes; what the inputs say in it is not read. L991: what has other times on sm_103 though the attribute allows it. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum {
  CODE_FASTPATH = 11,
  FAMILY_100 = 100,
  OTHER_OF_FAMILY = 103,
  FAMILY_120 = 120,
  KEEPS_TEXT = 9,
  HAS_CODE = 1,
  VALUE_120 = 0x50,
  INSTRUCTION = 16,
  OPCODE = 0xfff,
  BASE = 0x1ff,
  RECORD_KINDS = 3, /* bytes of a record that say what it holds, behind its first */
  ISA_CLASS = 2,
  TCGEN05 = 5,
  CLASS_FORBIDS = 4,
  TENSOR_FORBIDS = 2,
  NO_PREDICATE = 7, /* PT, not negated */
  FSETP_IMMEDIATE = 0x80b,
  DSETP = 0x22a,
  DSETP_UNIFORM = 0xe2a,
  POPC = 0x109,
  MUFU = 0x108,
  EXPONENT = 2,
  CONVERT_64_FIRST = 0x110,
  CONVERT_64_LAST = 0x113
};

/* --- the code --- */

static unsigned ref_compat_bits(const uint8_t *instruction, uint8_t first, uint8_t width) {
  const ref_field field = {first, width, REF_FROM_ABS};
  return (unsigned)ref_field_read(&field, instruction, INSTRUCTION, 0);
}

/* A comparison with one result and one condition. */
static bool ref_compat_is_alone(const uint8_t *instruction) {
  return ref_compat_bits(instruction, 84, 3) == NO_PREDICATE && ref_compat_bits(instruction, 87, 4) == NO_PREDICATE;
}

static bool ref_compat_word_forbids(const uint8_t *instruction) {
  const bool joins = ref_compat_bits(instruction, 74, 2) != 0;
  switch (ref_u16(instruction) & OPCODE) {
  case 0x228: /* DMUL */
  case 0xc28:
  case 0x229: /* DADD */
  case 0xe29:
  case 0x22b: /* DFMA */
  case 0xc2b:
  case 0xe2b:
    return true;
  case DSETP:
  case DSETP_UNIFORM:
    return !ref_compat_is_alone(instruction) || !joins;
  case FSETP_IMMEDIATE:
    return ref_compat_is_alone(instruction) && !joins;
  default:
    return false;
  }
}

/* Doubles with an immediate, and products of matrices of doubles. */
static bool ref_compat_record_forbids(const uint8_t *record) {
  static const uint8_t kinds[][RECORD_KINDS] = {{0x0c, 0x1e, 0x0e}, {0x0d, 0x1a, 0x0e}, {0x0d, 0x1c, 0x0e},
                                                {0x0f, 0x12, 0x0e}, {0x10, 0x0a, 0x0e}, {0x5a, 0x04, 0x26},
                                                {0x5a, 0x08, 0x26}, {0x5a, 0x10, 0x26}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (memcmp(record + 1, kinds[i], RECORD_KINDS) == 0) {
      return true;
    }
  }
  return false;
}

/* The Mercury instructions of a body. */
static bool ref_compat_code_forbids(const ref_bytes *body, const ref_bytes *text) {
  ref_capsule_step step;
  if (!ref_capsule_body_begin(body->data, body->size, &step)) {
    return false;
  }
  while (ref_capsule_body_next(&step)) {
    const bool has_word = step.derived && step.sass < text->size / INSTRUCTION;
    const bool has_record = !step.derived && step.end - step.record > RECORD_KINDS;
    if ((has_word && ref_compat_word_forbids(text->data + step.sass * INSTRUCTION)) ||
        (has_record && ref_compat_record_forbids(body->data + step.record))) {
      return true;
    }
  }
  return false;
}

/* L991 */
static bool ref_compat_text_waits(const ref_bytes *text) {
  for (size_t at = 0; at + INSTRUCTION <= text->size; at += INSTRUCTION) {
    const unsigned base = ref_u16(text->data + at) & BASE;
    if (base == POPC || (base == MUFU && ref_compat_bits(text->data + at, 74, 4) == EXPONENT) ||
        (base >= CONVERT_64_FIRST && base <= CONVERT_64_LAST)) {
      return true;
    }
  }
  return false;
}

/* --- the functions of the output --- */

/* Dead functions have no body here, and those that lost or were replaced are nobody's. */
static bool ref_compat_has_body(const ref_capsule *capsule, size_t function) {
  return capsule->sass->functions[function].live && capsule->mercury->functions[function].text != REF_NONE &&
         capsule->sass->functions[function].text != REF_NONE;
}

static bool ref_compat_function_forbids(const ref_capsule *capsule, size_t function) {
  const ref_link *mercury = capsule->mercury, *sass = capsule->sass;
  return ref_compat_code_forbids(&mercury->sections[mercury->functions[function].text].data,
                                 &sass->sections[sass->functions[function].text].data);
}

static bool ref_compat_function_waits(const ref_capsule *capsule, size_t function) {
  const ref_link *sass = capsule->sass;
  return ref_compat_text_waits(&sass->sections[sass->functions[function].text].data);
}

/* The first file of sm_100 with live code whose text nvlink would schedule anew for sm_103, or REF_NONE. */
static size_t ref_compat_find_scheduled(const ref_capsule *capsule) {
  const ref_link *link = capsule->mercury;
  size_t found = REF_NONE;
  for (size_t i = 0; i < link->function_count; i++) {
    const size_t file = capsule->sass->functions[i].definition_file;
    if (ref_compat_has_body(capsule, i) && file < found &&
        (link->files[file].cubin.flags >> 8 & 0xffff) == FAMILY_100 &&
        (ref_compat_function_forbids(capsule, i) || ref_compat_function_waits(capsule, i))) {
      found = file;
    }
  }
  return found;
}

/* L125, M63 */
void ref_capsule_check_schedule(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  const size_t file = link->sm == OTHER_OF_FAMILY ? ref_compat_find_scheduled(capsule) : REF_NONE;
  if (file != REF_NONE) {
    ref_message_fatal(link, "M63",
                      "Input file '%s' cannot be linked: its code is scheduled for sm_%u, and sm_%u needs another "
                      "schedule; compile it for sm_%u",
                      link->files[file].name, (unsigned)FAMILY_100, link->sm, link->sm);
  }
}

/* L990 */
static bool ref_compat_attributes_forbid(const ref_link *link) {
  const unsigned tensor = link->compat_value[TCGEN05];
  return link->compat_value[ISA_CLASS] == CLASS_FORBIDS || (tensor & 3) == TENSOR_FORBIDS ||
         (tensor >> 2 & 3) == TENSOR_FORBIDS;
}

static uint64_t ref_compat_value_of(const ref_capsule *capsule) {
  const ref_link *link = capsule->mercury;
  bool any = false, forbids = ref_compat_attributes_forbid(link);
  for (size_t i = 0; i < link->function_count; i++) {
    const bool has_body = ref_compat_has_body(capsule, i);
    any = any || has_body;
    forbids = forbids || (has_body && link->sm == FAMILY_100 && ref_compat_function_forbids(capsule, i));
  }
  if (!any) {
    return 0;
  }
  return link->sm == FAMILY_120 ? VALUE_120 : link->sm != FAMILY_100 ? 0 : forbids ? HAS_CODE : KEEPS_TEXT;
}

void ref_capsule_add_compat(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  const uint8_t head[4] = {4, CODE_FASTPATH, 8, 0};
  ref_out_section *section = &link->sections[link->compat_section];
  capsule->compat_size = section->data.size;
  ref_bytes_add(link, &section->data, head, sizeof head);
  ref_bytes_add_u64(link, &section->data, ref_compat_value_of(capsule));
}
