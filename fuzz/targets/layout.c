/* The layout alone: shared memory, compiler constants and bindless slots lie inside what is set aside for them, where their
 * alignment asks, and two objects of one kernel do not share a byte. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/stages.h"

/* UINT64_MAX is no place: objects of a function that counts as dead code (L540), which -preserve-relocs keeps. Places in the
 * kernels and in the pool of -ewp objects are the file's (L1011, L746), as they may be. */
static bool layout_is_placed(const tl_module *module, const tl_layout *layout, size_t symbol) {
  return module->symbols.items[symbol].shared && !layout->symbol_gone[symbol] && !layout->symbol_unallocated[symbol] &&
         layout->symbol_section[symbol] != TL_NONE && layout->symbol_section[symbol] != module->debug_shared &&
         !module->symbols.items[symbol].external_shared && !module->symbols.items[symbol].misplaced &&
         !module->symbols.items[symbol].laid_shared && !module->symbols.items[symbol].bare_shared &&
         layout->symbol_value[symbol] != UINT64_MAX;
}

static bool layout_is_aligned(uint64_t offset, uint64_t align) {
  return !align || offset % align == 0;
}

/* Whether a section has more than 4 GB of shared memory, of which nvlink counts the low 32 bits: the link ends by E30, or in
 * compatible mode has nvlink's size. */
static bool layout_is_cut(const tl_module *module, const tl_layout *layout, size_t section) {
  bool cut = false;
  for (size_t i = 1; !cut && i < module->symbols.count; i++)
    cut = layout_is_placed(module, layout, i) && layout->symbol_section[i] == section &&
          (layout->symbol_value[i] >> 32 || (layout->symbol_value[i] + module->symbols.items[i].size) >> 32);
  return cut;
}

static const char *layout_check_shared(const tl_module *module, const tl_layout *layout) {
  for (size_t i = 1; i < module->symbols.count; i++) {
    if (!layout_is_placed(module, layout, i) || layout_is_cut(module, layout, layout->symbol_section[i]))
      continue;
    const tl_symbol *const one = &module->symbols.items[i];
    const uint64_t from = layout->symbol_value[i], size = layout->section_size[layout->symbol_section[i]];
    if (layout->symbol_section[i] >= module->sections.count)
      return "a shared object's section is none";
    if (from > size || one->size > size - from)
      return "a shared object lies outside its section";
    const bool first = one->first_align && layout_is_aligned(from, one->first_align); /* a weak one's place (L264) */
    if (!first && !layout_is_aligned(from, one->align))
      return "a shared object is not aligned";
    for (size_t k = 1; k < i; k++)
      if (layout_is_placed(module, layout, k) && layout->symbol_section[k] == layout->symbol_section[i] && one->size &&
          layout->symbol_value[k] < from + one->size && from < layout->symbol_value[k] + module->symbols.items[k].size)
        return "two shared objects share a byte";
  }
  return NULL;
}

/* In a kernel's image the largest alignment counts (W10.4), which is a multiple of a block's own but where one of the two is
 * none that a compiler writes. */
static bool layout_is_block_aligned(const tl_module *module, uint64_t offset, const tl_constant_block *block) {
  bool aligned = layout_is_aligned(offset, block->align);
  for (size_t i = 1; !aligned && i < module->sections.count; i++) {
    const tl_section *const image = &module->sections.items[i];
    aligned = image->type == block->type && image->align > block->align && image->align % block->align != 0 &&
              layout_is_aligned(offset, image->align);
  }
  return aligned;
}

static const char *layout_check_blocks(const tl_module *module, const tl_layout *layout) {
  for (size_t i = 0; i < module->constant_blocks.count; i++) {
    const tl_constant_block *const block = &module->constant_blocks.items[i];
    if (!block->deleted && !layout_is_block_aligned(module, layout->block_offset[i], block))
      return "a block of compiler constants is not aligned";
  }
  return NULL;
}

static const char *layout_check_slots(const tl_module *module, const tl_layout *layout) {
  enum { SLOT = 4 };
  for (size_t i = 1; i < module->symbols.count; i++)
    for (size_t k = 1; k <= i; k++) {
      if (layout->slot[i] == TL_NO_OFFSET || layout->slot[k] == TL_NO_OFFSET)
        continue;
      if (layout->slot[i] < layout->bindless_base)
        return "a bindless slot lies before the table";
      if (i != k && layout->slot[i] < layout->slot[k] + SLOT && layout->slot[k] < layout->slot[i] + SLOT)
        return "two bindless slots share a byte";
    }
  return NULL;
}

static const char *layout_look(tl_link_common *c, tl_link_stages *s) {
  (void)c;
  if (s->diagnostics->errors || !s->module.mode->final)
    return NULL;
  const char *wrong = layout_check_shared(&s->module, &s->layout);
  if (!wrong)
    wrong = layout_check_blocks(&s->module, &s->layout);
  return wrong ? wrong : layout_check_slots(&s->module, &s->layout);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_stages_target("layout", FUZZ_LAID_OUT, layout_look, bytes, size);
  return 0;
}
