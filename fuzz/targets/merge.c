/* The merge alone (weak, common, alias): which body of a name stands, and that everything in the merged module names
 * something that there is. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/stages.h"

static const char *merge_check_sections(const tl_module *module) {
  for (size_t i = 1; i < module->sections.count; i++) {
    const tl_section *const section = &module->sections.items[i];
    for (size_t k = 0; k < section->pieces.count; k++) {
      const tl_piece *const piece = &section->pieces.items[k];
      if (piece->size > section->size || piece->offset > section->size - piece->size)
        return "a piece lies outside its section";
      const tl_cubin *const file = piece->data && piece->file < module->file_count ? &module->files[piece->file] : NULL;
      if (file && piece->data >= file->bytes && piece->data < file->bytes + file->size &&
          piece->size > (size_t)(file->bytes + file->size - piece->data))
        return "a piece reaches past its file";
    }
  }
  return NULL;
}

static const char *merge_check_symbols(const tl_module *module) {
  for (size_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (symbol->section != TL_NONE && symbol->section >= module->sections.count)
      return "a symbol's section is none";
  }
  for (size_t i = 0; i < module->locals.count; i++)
    if (module->locals.items[i] >= module->symbols.count)
      return "a symbol among the local ones is none";
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    if (entry->target >= module->sections.count || entry->container >= module->sections.count ||
        (entry->symbol != TL_NONE && entry->symbol >= module->symbols.count))
      return "a relocation names what there is not";
  }
  return NULL;
}

/* V1-V4: of one name the first definition is one, and a strong one stands wherever there is one. */
static const char *merge_check_function(const tl_module *module, uint32_t function) {
  const tl_resolution *const resolution = module->resolution;
  const tl_function *const stands = &resolution->functions.items[function];
  unsigned first = 0, strong = 0, definitions = 0;
  for (uint32_t file = 0; file < module->file_count; file++)
    for (uint32_t i = 0; i < module->files[file].symbol_count; i++) {
      const tl_body *const body = &resolution->bodies[file][i];
      if (body->function != function || body->role == TL_BODY_NONE || body->role == TL_BODY_MENTION)
        continue;
      definitions++;
      first += body->role == TL_BODY_FIRST;
      strong += tl_symbol_binding(&module->files[file].symbols[i]) == STB_GLOBAL && body->role != TL_BODY_MISMATCH;
    }
  if (stands->defined != (definitions != 0))
    return "a function counts as defined without a definition, or the other way round";
  if (definitions && first != 1)
    return "not one definition of a name is the first";
  if (strong && stands->binding != STB_GLOBAL)
    return "a weak body stands although there is a strong one";
  return NULL;
}

static const char *merge_look(tl_link_common *c, tl_link_stages *s) {
  (void)c;
  if (s->diagnostics->errors)
    return NULL;
  const char *wrong = merge_check_sections(&s->module);
  if (!wrong)
    wrong = merge_check_symbols(&s->module);
  for (uint32_t i = 0; i < s->resolution.functions.count && !wrong; i++)
    wrong = merge_check_function(&s->module, i);
  return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_stages_target("merge", FUZZ_MERGED, merge_look, bytes, size);
  return 0;
}
