/* Relocation alone: every entry classified, every patch carried out on a buffer that is exactly as large as its field. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/stages.h"

#include "cubin/elf.h"
#include "relocate/relocate.h"

#include <stdlib.h>
#include <string.h>

/* Carries one patch out twice: on zeros and on ones; the bits that differ afterwards are not the field's, and those must
 * be the buffer's own. A field that adds its old content (REL) is left out of that. */
static const char *relocations_check_patch(const tl_patch *patch) {
  const size_t bytes = (size_t)tl_relocation_row_bytes(patch->row);
  uint8_t *const zeros = fuzz_memory(bytes + !bytes), *const ones = fuzz_memory(bytes + !bytes);
  const char *wrong = NULL;
  memset(zeros, 0, bytes);
  memset(ones, 0xff, bytes);
  tl_patch_apply(patch, zeros);
  tl_patch_apply(patch, ones);
  for (size_t i = 0; i < bytes && !patch->rel && !wrong; i++)
    if (zeros[i] & ~ones[i])
      wrong = "a bit of a field depends on what was there, upside down";
  free(zeros);
  free(ones);
  return wrong;
}

/* Mercury's entries of code stand at places of the decoded instructions; which bytes of the capsule those are is found where
 * the views are joined, later. */
static bool relocations_in_decoded_code(const tl_module *module, const tl_patch *patch) {
  return patch->row->type >= TL_R_MERCURY && module->sections.items[patch->section].flags & SHF_EXECINSTR;
}

static const char *relocations_look(tl_link_common *c, tl_link_stages *s) {
  (void)c;
  if (s->diagnostics->errors)
    return NULL;
  const tl_module *const module = &s->module;
  for (size_t i = 0; i < s->relocated.patches.count; i++) {
    const tl_patch *const patch = &s->relocated.patches.items[i];
    if (patch->section >= module->sections.count)
      return "a patch of no section";
    const uint64_t size = s->layout.section_size[patch->section], bytes = tl_relocation_row_bytes(patch->row);
    if (!relocations_in_decoded_code(module, patch) && (patch->offset > size || bytes > size - patch->offset))
      return "a patch reaches outside its section";
    const char *const wrong = relocations_check_patch(patch);
    if (wrong)
      return wrong;
  }
  for (size_t i = 0; i < s->relocated.kept.count; i++) {
    const tl_kept *const kept = &s->relocated.kept.items[i];
    if (kept->container >= module->sections.count || kept->symbol >= module->symbols.count)
      return "an entry that stays names what there is not";
    if (!s->relocated.container_used[kept->container])
      return "an entry stays in a section that does not";
  }
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_stages_target("relocations", FUZZ_RELOCATED, relocations_look, bytes, size);
  return 0;
}
