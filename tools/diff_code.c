/* The instruction's side of a difference: which fields of it have other values, and what they mean. */
#include "diff_code.h"

#include "ref_names.h"
#include "ref_rules.h"
#include "ref_sass.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *code_name(const ref_sass_instruction *instruction) {
  return instruction->row ? instruction->row->name : "an unknown instruction";
}

/* The fields with other values; false when the bits that differ belong to no field. */
static bool code_add_fields(text_buffer *text, const ref_sass_instruction *left, const ref_sass_instruction *right,
                            const char *a, const char *b) {
  bool any = false;
  for (size_t i = 0; i < left->field_count && i < right->field_count; i++) {
    if (left->values[i] == right->values[i])
      continue;
    text_add(text, "%s %s is 0x%" PRIx64 " in %s, 0x%" PRIx64 " in %s", any ? ";" : "", left->fields[i].name,
             left->values[i], a, right->values[i], b);
    any = true;
  }
  return any;
}

static void code_add_instruction(text_buffer *text, const ref_code_pair *code, const char *a, const char *b) {
  const ref_cubin cubin = {.flags = code->flags};
  ref_sass_instruction left, right;
  ref_sass_decode(&left, ref_sass_read(code->a), ref_sass_sm(&cubin));
  ref_sass_decode(&right, ref_sass_read(code->b), ref_sass_sm(&cubin));
  if (left.row != right.row) {
    text_add(text, "%s in %s, %s in %s", code_name(&left), a, code_name(&right), b);
    return;
  }
  text_add(text, "%s:", code_name(&left));
  if (!code_add_fields(text, &left, &right, a, b))
    text_add(text, " bits of no field that is known");
}

/* The relocation's rules say what the field gets, those of the key where things come to lie. */
static void code_add_relocation(text_buffer *text, uint32_t type) {
  const ref_relocation_row *const row = type == REF_NO_TYPE ? NULL : ref_find_relocation_row(type);
  if (row)
    text_add(text, "; written by %s [%s]", row->name, ref_rules_of_type(type));
}

void diff_add_difference(text_buffer *text, const ref_difference *difference, const char *a, const char *b,
                         const char *indent) {
  char *const line = ref_difference_text(difference, a, b);
  const char *const rules = ref_rules_of_key(difference->key);
  text_add(text, "%s%s", indent, line);
  free(line);
  if (*rules)
    text_add(text, " [%s]", rules);
  text_add(text, "\n");
  if (difference->code.size < REF_CODE_BYTES)
    return;
  text_add(text, "%s    ", indent);
  code_add_instruction(text, &difference->code, a, b);
  code_add_relocation(text, difference->code.relocation);
  text_add(text, "\n");
}
