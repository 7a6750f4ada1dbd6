/* Which code nvlink deletes by mistake with a dead function (L830, D139).
 *
 * nvlink looks for a dead function's compiler constants by their name. What it finds may be those of another function, as
 * static functions of one name have them: then it deletes instead the first section whose sh_info is the number of the dead
 * function's text, and a text's sh_info is the number of its function's symbol. Numbers are those of making, of dead code
 * too, which the merge does not make; so where such names are, it is done once more with everything alive, for the numbers
 * alone. */
#include "merge/merging.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"

#include <setjmp.h>
#include <string.h>

/* Several functions of one name have compiler constants. */
static const uint32_t several = TL_NONE - 1;

/* Names of sections of compiler constants, to the function that they are about. */
static tl_map statics_find_constants(const tl_module *module) {
  tl_map owners;
  tl_map_init(&owners, module->arena);
  for (uint32_t f = 0; f < module->file_count; f++) {
    const tl_cubin *const cubin = &module->files[f];
    for (uint32_t s = 1; s < cubin->section_count; s++) {
      if (cubin->sections[s].type != SHT_CUDA_CONSTANT0 + 2)
        continue;
      const uint32_t primary = tl_cubin_primary(cubin, cubin->sections[s].info);
      const uint32_t function = tl_resolution_function(module->resolution, module->files, f, primary);
      const uint32_t known = tl_map_get(&owners, cubin->sections[s].name);
      if (function != TL_NONE)
        tl_map_set(&owners, cubin->sections[s].name, known == TL_NONE || known == function ? function : several);
    }
  }
  return owners;
}

static bool statics_is_dead(const tl_function *function) {
  return function->defined && !function->live && !function->kernel;
}

/* Dead functions whose name another function's constants have. */
static tl_u32_vector statics_find_namesakes(tl_module *module) {
  const tl_map owners = statics_find_constants(module);
  const char *const prefix = tl_module_compiler_constants(module);
  tl_u32_vector found = {0};
  for (uint32_t i = 0; i < module->resolution->functions.count; i++) {
    const tl_function *const function = &module->resolution->functions.items[i];
    if (!statics_is_dead(function))
      continue;
    const uint32_t owner = tl_map_get(&owners, tl_module_name(module, prefix, function->name));
    if (owner != TL_NONE && owner != i)
      tl_u32_push(module->arena, &found, i);
  }
  return found;
}

/* The merge of the same files with dead code in it, where it comes to its end. */
static bool statics_merge_all(const tl_module *module, tl_resolution *all, tl_module *whole) {
  jmp_buf fatal;
  tl_diagnostics quiet;
  tl_diagnostics_init(&quiet, module->arena, module->options, &fatal);
  *all = *module->resolution;
  all->functions.items = tl_arena_new(module->arena, tl_function, all->functions.count);
  for (size_t i = 0; i < all->functions.count; i++) {
    all->functions.items[i] = module->resolution->functions.items[i];
    all->functions.items[i].live = all->functions.items[i].reached = true;
  }
  *whole = (tl_module){.arena = module->arena,
                       .diagnostics = &quiet,
                       .options = module->options,
                       .names = module->names,
                       .files = module->files,
                       .view = module->view,
                       .capsule = module->capsule,
                       .admitted_count = module->admitted_count,
                       .file_count = module->file_count,
                       .arch = module->arch,
                       .accelerated = module->accelerated,
                       .mode = module->mode,
                       .index = module->index,
                       .keeps_shared = module->keeps_shared,
                       .extern_by_name = module->extern_by_name,
                       .resolution = all};
  if (setjmp(fatal))
    return false;
  tl_merge(whole);
  return true;
}

/* Numbers of sections, counted from any beginning: device functions' constants, which stand beside them here, are
 * sections too, and so are those that have only a name (W2.5). */
static uint32_t *statics_number_sections(const tl_module *whole) {
  uint32_t *const numbers = tl_arena_new(whole->arena, uint32_t, whole->sections.count + 1);
  for (size_t i = 0; i < whole->constant_blocks.count; i++)
    numbers[whole->constant_blocks.items[i].made]++;
  for (size_t i = 0; i < whole->left_out.count; i++)
    numbers[whole->left_out.items[i]]++;
  for (size_t i = 1; i <= whole->sections.count; i++)
    numbers[i] += numbers[i - 1] + 1;
  return numbers;
}

/* What the first section of that name is about; constants of a body that lost may be it (L79). */
static uint32_t statics_owner_of(tl_module *whole, uint32_t name) {
  const uint32_t block = tl_merge_first_block(whole, name), section = tl_module_find_section(whole, name);
  const tl_constant_block *const first = block == TL_NONE ? NULL : &whole->constant_blocks.items[block];
  if (first && first->made <= section)
    return tl_module_text_of(whole, first->function);
  return section == TL_NONE ? TL_NONE : whole->sections.items[section].about;
}

/* The functions with a number, which local and weak ones have, by the text that has the same: every section has a symbol,
 * too. A count of registers above it hides it (F45). */
static tl_map statics_number_texts(const tl_module *whole, const uint32_t *numbers) {
  tl_map texts;
  tl_map_init(&texts, whole->arena);
  uint32_t before = 0;
  for (uint32_t i = 1; i < whole->symbols.count; i++) {
    const tl_symbol *const symbol = &whole->symbols.items[i];
    const bool function = tl_type_of(symbol) == STT_FUNC && symbol->section != TL_NONE;
    if (tl_type_of(symbol) == STT_SECTION || tl_binding_of(symbol) == STB_GLOBAL)
      continue;
    if (function && whole->sections.items[symbol->section].owner == i &&
        !whole->sections.items[symbol->section].registers)
      tl_map_set(&texts, numbers[symbol->section] + before, symbol->function);
    before++;
  }
  return texts;
}

static void statics_meet(tl_module *module, uint32_t function) {
  const char *const name = tl_module_text(module, module->resolution->functions.items[function].name);
  if (tl_defect_matched(module->options, TL_DEFECT_D139))
    module->deleted_section = true;
  else
    tl_defect_note(module->diagnostics, TL_DEFECT_D139, name);
}

void tl_merge_check_statics(tl_module *module) {
  if (!module->eliminates || module->view != TL_VIEW_SASS || module->diagnostics->errors)
    return;
  const tl_function *const functions = module->resolution->functions.items;
  const char *const prefix = tl_module_compiler_constants(module);
  const tl_u32_vector namesakes = statics_find_namesakes(module);
  tl_resolution all;
  tl_module whole;
  if (!namesakes.count || !statics_merge_all(module, &all, &whole))
    return;
  const uint32_t *const numbers = statics_number_sections(&whole);
  const tl_map texts = statics_number_texts(&whole, numbers);
  for (size_t i = 0; i < namesakes.count; i++) {
    const uint32_t dead = namesakes.items[i], text = tl_module_text_of(&whole, dead);
    const uint32_t about = statics_owner_of(&whole, tl_module_name(module, prefix, functions[dead].name));
    const bool misses = text != TL_NONE && about != TL_NONE && about != text;
    const uint32_t met = misses ? tl_map_get(&texts, numbers[text]) : TL_NONE;
    if (met != TL_NONE && functions[met].live)
      statics_meet(module, met);
  }
}
