/* `.nv.compat`: I60-I69, F56, F72. */
#include "link.h"

#include <string.h>

enum {
  ISA_CLASS = 2,
  TENSORMAP = 3,
  TCGEN05 = 5,
  OPPORTUNISTIC = 6,
  MERCURY_ISA = 7,
  MERCURY_PATCH = 8,
  ACCELERATOR = 9,
  LARGEST_MERCURY = 0x101
};

static uint16_t ref_compat_larger(uint16_t a, uint16_t b) {
  return (uint16_t)ref_larger(a, b);
}

static uint16_t ref_compat_larger_or_zero(uint16_t a, uint16_t b) {
  return a == 0 || b == 0 ? 0 : ref_compat_larger(a, b);
}

/* I60-I64 */
static uint16_t ref_compat_merge_value(uint8_t code, uint16_t a, uint16_t b) {
  switch (code) {
  case ISA_CLASS:
    return ref_compat_larger_or_zero(a, b);
  case TENSORMAP:
    return a | b;
  case TCGEN05:
    return (uint16_t)((a & 0xf0) | ref_compat_larger_or_zero(a & 3, b & 3) | ref_compat_larger_or_zero(a & 12, b & 12));
  case OPPORTUNISTIC:
    return a == b ? a : 1;
  default:
    return ref_compat_larger(a, b);
  }
}

static bool ref_compat_knows(uint8_t code) {
  return code == ISA_CLASS || code == TENSORMAP || code == TCGEN05 || code == OPPORTUNISTIC || code == MERCURY_ISA ||
         code == MERCURY_PATCH;
}

static void ref_compat_set(ref_link *link, uint8_t code, uint16_t value) {
  if (link->compat_has[code]) {
    link->compat_value[code] = ref_compat_merge_value(code, link->compat_value[code], value);
    return;
  }
  link->compat_has[code] = true;
  link->compat_value[code] = value;
  link->compat_order[link->compat_count++] = code;
}

/* I69, F72: what the section lacks counts as its default, in ascending order of codes. */
static void ref_compat_end_section(ref_link *link, const ref_file *file, const bool *seen) {
  static const uint8_t codes[] = {ISA_CLASS, TENSORMAP, TCGEN05, OPPORTUNISTIC, MERCURY_ISA};
  static const uint16_t defaults[] = {0, 3, 0, 1, 0x0100};
  for (size_t i = 0; i < sizeof codes; i++) {
    if (!seen[codes[i]]) {
      ref_compat_set(link, codes[i], defaults[i]);
    }
  }
  if (!seen[ISA_CLASS]) {
    ref_message_warn(link, "E43",
                     "Output is limited to run on SM Arch '%u' only, due to missing attribute 'ISA_CLASS' in input "
                     "file '%s'",
                     link->sm, file->name);
  }
}

/* I68: the value is the third byte, or the u16 there. RF481: each section by itself; a file without one says nothing. RF549:
 * so before sm_90, too, where the output has none. */
void ref_compat_merge(ref_link *link, size_t file_number, uint32_t section) {
  const ref_file *file = &link->files[file_number];
  const ref_section *input = &file->cubin.sections[section];
  bool seen[UINT8_MAX + 1] = {false};
  ref_attribute attribute;
  uint64_t position = 0;
  while (ref_cubin_next_attribute(input, &position, &attribute)) {
    if (!ref_compat_knows(attribute.code)) {
      if (attribute.code != ACCELERATOR) { /* known, but that of -arch counts: I65 */
        ref_trace_tell(link, REF_TRACE_MERGE, "unknown .nv.compat attribute (%x) encoutered.", attribute.code);
      }
      continue;
    }
    const uint8_t *at = input->data + attribute.offset + 2;
    const bool wide = attribute.code == MERCURY_ISA || attribute.code == MERCURY_PATCH;
    ref_compat_set(link, attribute.code, wide ? ref_u16(at) : at[0]);
    seen[attribute.code] = true;
  }
  ref_compat_end_section(link, file, seen);
}

/* RF526: the finalizer reads the whole file that it made, behind all else that is said of the link. */
void ref_compat_check_output(ref_link *link) {
  const bool is_newer = link->compat_has[MERCURY_ISA] && link->compat_value[MERCURY_ISA] > LARGEST_MERCURY;
  if (link->is_capsule && (is_newer || link->fails_finalizer)) {
    ref_message_fatal(link, "E91", "Internal FNLZR error '%s'", link->job->options.values[REF_OPTION_OUTPUT]);
  }
}

/* F56, F67: 9 first; the u16 codes in format 3. F74: alone in an empty link. */
void ref_compat_write(ref_link *link) {
  ref_bytes output = {0};
  const uint8_t first[4] = {2, ACCELERATOR, link->sm_accelerated ? 1 : 0, 0};
  ref_bytes_add(link, &output, first, sizeof first);
  for (size_t i = 0; i < link->compat_count; i++) {
    const uint8_t code = link->compat_order[i];
    const bool wide = code == MERCURY_ISA || code == MERCURY_PATCH;
    uint8_t record[4] = {wide ? 3 : 2, code, 0, 0};
    ref_put_u16(record + 2, link->compat_value[code]);
    ref_bytes_add(link, &output, record, sizeof record);
  }
  ref_section_set_own(link, link->compat_section, output);
}
