/* What a relocatable output has to say of the bodies that met in it, so that a later link decides as one link of all files
 * would (L646, D120).
 *
 * A contest of weak bodies asks for the virtual architecture of each body's file (V2, V3), and whether a function's address
 * is taken hangs on whether the file that says so defines it (W7.7). An output of -r is one file with one virtual
 * architecture, so nvlink forgets both. By default the output has a section of the kind that every link ignores (L296),
 * which looks like relocation entries of no type: symbol, place = virtual architecture of the body that stands and flags,
 * addend = virtual architecture of the first definition. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "merge/merging.h"

#include <string.h>

static const char bodies_name[] = ".nv.resolvedrela.bodies";

enum { BODY_SM_MASK = 0xffff, BODY_TAKEN_ELSEWHERE = 0x10000 };

static const tl_cubin_section *bodies_section(const tl_cubin *cubin, const tl_names *names) {
  for (uint32_t s = 1; s < cubin->section_count; s++)
    if (cubin->sections[s].type == SHT_CUDA_RESOLVEDRELA &&
        strcmp(tl_names_text(names, cubin->sections[s].name), bodies_name) == 0)
      return &cubin->sections[s];
  return NULL;
}

void tl_bodies_read(tl_body *bodies, const tl_cubin *cubin, const tl_names *names, const tl_options *options) {
  for (uint32_t i = 0; i < cubin->symbol_count; i++)
    bodies[i].own_sm = bodies[i].first_sm = cubin->virtual_sm;
  const tl_cubin_section *const record = options->bug_compatible ? NULL : bodies_section(cubin, names);
  const uint64_t count = record ? record->size / ELF_RELA_SIZE : 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint8_t *const at = record->data + i * ELF_RELA_SIZE;
    const uint32_t symbol = tl_get32(at + 12), place = tl_get32(at);
    if (symbol >= cubin->symbol_count)
      continue;
    bodies[symbol].own_sm = place & BODY_SM_MASK;
    bodies[symbol].first_sm = tl_get32(at + 16) & BODY_SM_MASK;
    bodies[symbol].taken_elsewhere = place & BODY_TAKEN_ELSEWHERE;
  }
}

unsigned tl_module_virtual_sm(const tl_module *module) {
  unsigned lowest = module->arch;
  for (uint32_t i = 0; i < module->file_count; i++)
    if (i == 0 || module->files[i].virtual_sm < lowest)
      lowest = module->files[i].virtual_sm;
  return lowest;
}

static tl_body_note bodies_note(const tl_module *module, const tl_function *function, uint32_t index) {
  const bool taken = module->taken_elsewhere[index];
  return (tl_body_note){.symbol = module->symbol_of_function[index],
                        .place = function->own_sm | (taken ? BODY_TAKEN_ELSEWHERE : 0),
                        .first_sm = function->first_sm};
}

void tl_merge_note_bodies(tl_module *module) {
  module->bodies_section = TL_NONE;
  if (module->mode->final || module->capsule || tl_defect_matched(module->options, TL_DEFECT_D120))
    return;
  const unsigned lowest = tl_module_virtual_sm(module);
  for (size_t i = 0; i < module->functions.count; i++) {
    const uint32_t index = module->functions.items[i];
    const tl_function *const function = &module->resolution->functions.items[index];
    const bool plain = function->own_sm == lowest && function->first_sm == lowest && !module->taken_elsewhere[index];
    if (!function->defined || function->local || function->binding != STB_WEAK || plain)
      continue;
    *tl_vector_push(module->arena, &module->body_notes) = bodies_note(module, function, index);
    tl_defect_note(module->diagnostics, TL_DEFECT_D120, tl_module_text(module, function->name));
  }
  if (!module->body_notes.count)
    return;
  const uint32_t name = tl_names_intern(module->names, bodies_name, sizeof bodies_name - 1);
  module->bodies_section = tl_module_add_section(module, name, SHT_CUDA_RESOLVEDRELA, 0, 8, ELF_RELA_SIZE);
}
