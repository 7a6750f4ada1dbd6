/* Compiler constants of device functions while files are merged (W8.8, W10.2, L64, L73, L79, L82, L95, D7).
 *
 * Each .nv.constant2.F becomes a block that layout copies into the kernels that reach F. nvlink looks for such sections by
 * NAME when a body is replaced and when the constants of a losing body are kept, so a block of another function of that
 * name can be hit, and the blocks of dead functions, which no kernel reaches, take part in it as those of live ones do. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

/* With D7 a body that is replaced can keep its block; equal bytes are then taken for one (E73). */
static bool constants_block_differs(const tl_module *module, uint32_t block, const tl_cubin_section *input) {
  const tl_constant_block *const b = &module->constant_blocks.items[block];
  return b->pieces.count != 1 || b->size != input->size || memcmp(b->pieces.items[0].data, input->data, b->size) != 0;
}

void tl_merge_define_constants(tl_merging *m, uint32_t section, uint32_t function) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  uint32_t block = module->block_of_function[function];
  module->overlap |= block != TL_NONE && !module->constant_blocks.items[block].deleted &&
                     constants_block_differs(module, block, input);
  if (block == TL_NONE || !module->constant_blocks.items[block].deleted) {
    block = (uint32_t)module->constant_blocks.count;
    (void)tl_vector_push(module->arena, &module->constant_blocks);
  }
  module->block_of_function[function] = block;
  tl_constant_block *const b = &module->constant_blocks.items[block];
  const uint64_t align = input->align > b->align ? input->align : b->align; /* a replaced body's counts on (L73) */
  const uint32_t old = b->type ? b->name : TL_NONE;
  *b = (tl_constant_block){.function = function,
                           .name = input->name,
                           .type = input->type,
                           .align = align,
                           .size = input->size,
                           .entries = b->entries,
                           .next_of_name = b->next_of_name,
                           .last_of_name = b->last_of_name};
  tl_merge_inherit_entries(m, b, section);
  tl_module_name_block(module, block, old);
  *tl_vector_push(module->arena, &b->pieces) = (tl_piece){0, input->size, input->data, m->file, section, false};
}

/* The first block of that name that stands, TL_NONE. */
static uint32_t constants_find_block(const tl_module *module, uint32_t section) {
  uint32_t block = tl_module_first_block(module, section);
  while (block != TL_NONE && module->constant_blocks.items[block].deleted)
    block = tl_module_next_block(module, block);
  return block;
}

void tl_merge_drop_constants(tl_merging *m, uint32_t function, uint32_t name) {
  tl_module *const module = m->module;
  const uint32_t own = module->block_of_function[function];
  const uint32_t vendor =
      constants_find_block(module, tl_module_name(module, tl_module_compiler_constants(module), name));
  const bool matched = tl_defect_matched(module->options, TL_DEFECT_D7);
  const uint32_t block = matched ? vendor : own;
  if (vendor != own && !matched)
    tl_defect_note(module->diagnostics, TL_DEFECT_D7, tl_merging_text(m, name));
  if (block == TL_NONE)
    return;
  tl_constant_block *const emptied = &module->constant_blocks.items[block];
  emptied->deleted = emptied->orphan = true; /* it keeps its place and alignment, without bytes (L73) */
  emptied->size = 0;
  emptied->has_losing_part = false;
  emptied->pieces.count = 0; /* its jump tables' entries stay (L122) */
}

/* Behind the first block of their name; false when there is none. */
static bool constants_append_losing(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  tl_merge_check_shape(m, index);
  const uint32_t known = tl_module_first_block(module, input->name);
  if (known == TL_NONE)
    return false;
  tl_constant_block *const block = &module->constant_blocks.items[known];
  block->deleted = false; /* an emptied block of the name takes them too (L73) */
  const uint64_t offset = tl_align(block->size, input->align);
  *tl_vector_push(module->arena, &block->pieces) = (tl_piece){offset, input->size, input->data, m->file, index, false};
  block->size = offset + input->size;
  block->align = input->align > block->align ? input->align : block->align;
  block->has_losing_part = true; /* W8.9, L64 */
  block->losing_offset = offset;
  return true;
}

void tl_merge_keep_losing_constants(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  if (constants_append_losing(m, index))
    return;
  const uint32_t primary = m->cubin->sections[input->info].info & 0xffffff;
  const uint32_t winner = primary < m->cubin->symbol_count ? m->symbol_map[primary] : TL_NONE;
  if (winner == TL_NONE || module->symbols.items[winner].section == TL_NONE)
    return;
  const uint32_t own = module->sections.items[module->symbols.items[winner].section].constant2;
  uint32_t out = own == TL_NONE ? tl_module_find_section(module, input->name) : own; /* a kernel's own (L82) */
  if (out == TL_NONE) {
    out = tl_module_add_section(module, input->name, input->type, input->flags, input->align, input->entry_size);
    tl_module_add_section_symbol(module, out);
    module->sections.items[out].about = module->symbols.items[winner].section;
    tl_section *const text = &module->sections.items[module->symbols.items[winner].section];
    if (module->symbols.items[winner].other & STO_ENTRY)
      text->constant2 = out; /* L82 */
    else
      text->stray = out;
  }
  m->section_offset[index] = tl_module_append(module, out, input->data, input->size, input->align, m->file, index);
  m->section_map[index] = module->view == TL_VIEW_MERCURY ? out : TL_NONE; /* its jump tables stay (L122) */
}

/* The body of a dead device function that a section of compiler constants belongs to, NULL. */
static const tl_body *constants_dead_body(const tl_merging *m, uint32_t section) {
  const tl_cubin *const cubin = m->cubin;
  const uint32_t text = cubin->sections[section].info;
  if (!(m->section_state[section] & TL_SECTION_DEAD) || text >= cubin->section_count)
    return NULL;
  const uint32_t primary = cubin->sections[text].info & 0xffffff;
  const bool device = primary < cubin->symbol_count && m->bodies[primary].function != TL_NONE &&
                      m->symbol_dead[primary] && !(cubin->symbols[primary].other & STO_ENTRY);
  return device ? &m->bodies[primary] : NULL;
}

void tl_merge_define_dead_constants(tl_merging *m, uint32_t section) {
  const tl_body *const body = constants_dead_body(m, section);
  if (m->cubin->sections[section].type != SHT_CUDA_CONSTANT0 + 2 || m->section_state[section] & TL_SECTION_DONE ||
      !body || (body->role != TL_BODY_FIRST && body->role != TL_BODY_REPLACES))
    return;
  m->section_state[section] |= TL_SECTION_DONE;
  tl_merge_check_shape(m, section);
  tl_merge_define_constants(m, section, body->function);
}

void tl_merge_keep_dead_losing_constants(tl_merging *m, uint32_t section) {
  const tl_body *const body = constants_dead_body(m, section);
  if (body && body->role == TL_BODY_LOSES)
    (void)constants_append_losing(m, section);
}
