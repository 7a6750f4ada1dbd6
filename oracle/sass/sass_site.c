/* What a relocation writes: the instruction at its place and the field of it (T30, R86 to R98). The bits of each type come
 * from the doubters' table of relocation types (ref_names.h). */
#include "ref_sass.h"

#include "ref_names.h"

/* YIELD is the one instruction whose opcode a relocation type names as its field (68). */
static bool ref_sass_may_write(const ref_sass_instruction *instruction, const ref_sass_field *field) {
  return field->role >= REF_SASS_VALUES ||
         (field->role == REF_SASS_OPCODE && instruction->row->shape == REF_SASS_YIELDING);
}

static bool ref_sass_find_written(ref_sass_site *site, uint32_t type) {
  const ref_relocation_row *row = ref_find_relocation_row(type);
  for (size_t i = 0; row != NULL && i < REF_FIELDS_MAX && row->fields[i].width != 0; i++) {
    const ref_sass_field *field = ref_sass_find_bits(&site->instruction, row->fields[i].start, row->fields[i].width);
    if (field == NULL || !ref_sass_may_write(&site->instruction, field)) {
      return false;
    }
    site->first = site->first == NULL ? field : site->first;
    site->last = field;
  }
  return true;
}

void ref_sass_judge(ref_sass_site *site, const ref_cubin *cubin, const ref_section *section, uint64_t offset,
                    uint32_t type) {
  *site = (ref_sass_site){.verdict = REF_SASS_SITE_OUTSIDE};
  if (section->data == NULL || section->size < REF_SASS_BYTES || offset > section->size - REF_SASS_BYTES) {
    return;
  }
  if (offset % REF_SASS_BYTES != 0) {
    site->verdict = REF_SASS_SITE_MISPLACED;
    return;
  }
  ref_sass_decode(&site->instruction, ref_sass_read(section->data + offset), ref_sass_sm(cubin));
  if (site->instruction.row == NULL) {
    site->verdict = REF_SASS_SITE_UNKNOWN;
  } else {
    site->verdict = ref_sass_find_written(site, type) ? REF_SASS_SITE_GOOD : REF_SASS_SITE_NOT_FIELD;
  }
}

const char *ref_sass_verdict_text(ref_sass_site_verdict verdict) {
  static const char *const texts[] = {
      [REF_SASS_SITE_GOOD] = "a field of the instruction",
      [REF_SASS_SITE_OUTSIDE] = "not inside the section",
      [REF_SASS_SITE_MISPLACED] = "not on an instruction start",
      [REF_SASS_SITE_NOT_FIELD] = "no field of that instruction",
      [REF_SASS_SITE_UNKNOWN] = "an unknown instruction",
  };
  return texts[verdict];
}
