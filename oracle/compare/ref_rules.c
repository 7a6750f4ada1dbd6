/* The two tables behind ref_rules.h; tests/compare checks that every rule stands in docs/specification. */
#include "ref_rules.h"

#include "ref_names.h"

#include <string.h>

const ref_rules_row ref_key_rules[] = {
    {"header.", "W1.1, F7"},
    {"section.order", "W1.4, W3.3"},
    {"section.missing", "W1.4, W3.10"},
    {"section.extra", "W1.4, W3.10"},
    {"section.type", "W1.5, F20"},
    {"section.link", "W1.6"},
    {"section.info", "W1.6, W6.4"},
    {"section.offset", "W1.3"},
    {"section.align", "W9.8, W10.2"},
    {"section.", "W1.3"},
    {"segment.", "W1.7"},
    {"shstrtab.", "W2.1, W2.4"},
    {"strtab.", "W2.1, W2.3"},
    {"symtab.order", "W4.1"},
    {"symtab.missing", "W4.1, W7.3"},
    {"symtab.extra", "W4.1, W7.3"},
    {"symtab.other", "W4.6, F51"},
    {"symtab.value", "S1, W9.2, K1"},
    {"symtab.", "W4.1"},
    {"reloc.order", "R33"},
    {"reloc.type", "R11"},
    {"reloc.symbol", "R36"},
    {"reloc.addend", "R36, R37"},
    {"reloc.", "R13a, R14, R26, R29, R33"},
    {"nvinfo.EIATTR_REGCOUNT", "W6.4"},
    {"nvinfo.EIATTR_FRAME_SIZE", "G3"},
    {"nvinfo.EIATTR_MIN_STACK_SIZE", "G3"},
    {"nvinfo.EIATTR_MAX_STACK_SIZE", "G3"},
    {"nvinfo.EIATTR_CRS_STACK_SIZE", "G3"},
    {"nvinfo.order", "W6.1, W6.6"},
    {"nvinfo.", "W6.1, W6.6, W6.7"},
    {"compat.", "W5.3"},
    {"callgraph.", "W7.1"},
    {"prototype.", "W7.2"},
    {"note.tkinfo.", "W5.1"},
    {"note.cuinfo.", "W5.2"},
    {"text.", "R1, R10"},
    {"constant.bytes", "K1, W10.2"},
    {"global.bytes", "W3.6, V9"},
    {"relaction.bytes", "R55"},
    {"file.", "W1.3"},
    {NULL, ""},
};

const ref_rules_row ref_type_rules[] = {
    {"R_CUDA_NONE_LAST", "R29"},
    {"R_CUDA_FUNC_DESC_8", "R26"},
    {"R_CUDA_FUNC_DESC", "R15, R28a"},
    {"R_CUDA_CONST_FIELD", "R5, R6"},
    {"R_CUDA_QUERY_DESC", "R5, R6"},
    {"R_CUDA_BINDLESSOFF", "R8, R18"},
    {"R_CUDA_TEX_BINDLESSOFF", "R8, R18"},
    {"R_CUDA_TEX_SLOT", "R7"},
    {"R_CUDA_SAMP_SLOT", "R7"},
    {"R_CUDA_SURF_SLOT", "R7"},
    {"R_CUDA_PCREL", "R25"},
    {"R_CUDA_YIELD", "R27"},
    {"R_CUDA_UNUSED_CLEAR", "R28"},
    {"R_CUDA_UNIFIED", "R11"},
    {"R_CUDA_TEX_HEADER", "R26"},
    {"R_CUDA_SAMP_HEADER", "R26"},
    {"R_CUDA_SURF_", "R26"},
    {"R_CUDA_INSTRUCTION", "R26"},
    {"R_CUDA_G", "R26"},
    {"R_CUDA_ABS47", "R26"},
    {"R_CUDA_ABS55", "R26"},
    {"R_CUDA_ABS56", "R26"},
    {"R_CUDA_", "R1, R2, R4"},
    {NULL, ""},
};

static const char *rules_find(const ref_rules_row *row, const char *name) {
  while (row->prefix && strncmp(name, row->prefix, strlen(row->prefix)) != 0)
    row++;
  return row->rules;
}

const char *ref_rules_of_key(const char *key) {
  return rules_find(ref_key_rules, key);
}

const char *ref_rules_of_type(uint32_t type) {
  const ref_relocation_row *const row = ref_find_relocation_row(type);
  return row ? rules_find(ref_type_rules, row->name) : "";
}
