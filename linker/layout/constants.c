/* Compiler constants (W10.2-W10.4, K2): a kernel's own stay at offset 0 of its .nv.constant2.K. The block of a device
 * function gets one offset for the whole module, behind the images of all kernels that reach it, and is copied there in
 * each; blocks are taken in reverse creation order. Where that gives more than 64 KB, compiler_pool.c lays out again. */
#include "base/bytes.h"
#include "catalog/message.h"
#include "cubin/elf.h"
#include "layout/compiler_constants.h"

#include <assert.h>
#include <string.h>

typedef struct constants_state {
  tl_module *module;
  tl_u32_vector entries; /* symbols of kernels, and of jump slots where these count as such (L538), as they were made */
  uint32_t *slot_image;  /* by entry: the section of a jump slot, TL_NONE */
} constants_state;

static void constants_find_entries(constants_state *s, tl_arena *arena) {
  const tl_module *const module = s->module;
  const size_t stubs = tl_layout_kernel_stubs(module);
  for (size_t k = 0, i = 0; k < module->kernels.count || i < stubs;) {
    const bool stub = i < stubs && (k == module->kernels.count || module->kernels_before_stub.items[i] <= k);
    tl_u32_push(arena, &s->entries, stub ? module->stubs.items[i++] : module->kernels.items[k++]);
  }
  s->slot_image = tl_arena_new(arena, uint32_t, s->entries.count);
  for (size_t i = 0; i < s->entries.count; i++)
    s->slot_image[i] = TL_NONE;
}

/* Entries (positions) that reach each block's function. */
static tl_u32_vector *constants_users(const constants_state *s, const tl_graph *graph, tl_arena *arena) {
  const tl_module *const module = s->module;
  tl_u32_vector *const users = tl_arena_new(arena, tl_u32_vector, module->constant_blocks.count);
  if (!module->constant_blocks.count)
    return users;
  tl_reach reach;
  tl_reach_init(&reach, graph, arena);
  uint32_t *const has_block = tl_arena_new(arena, uint32_t, graph->function_count);
  for (uint32_t f = 0; f < graph->function_count; f++)
    has_block[f] = module->block_of_function[f] != TL_NONE;
  const tl_leads leads = tl_graph_leads(graph, has_block, arena);
  for (uint32_t k = 0; k < s->entries.count; k++) {
    tl_graph_reach_along(graph, module->symbols.items[s->entries.items[k]].function, &leads, &reach);
    for (uint32_t i = 0; i < reach.count; i++) {
      const uint32_t block = module->block_of_function[reach.list[i]];
      tl_u32_push(arena, &users[block], k); /* an emptied block still takes its place (L73) */
    }
  }
  return users;
}

static const tl_symbol *constants_entry(const constants_state *s, uint32_t entry) {
  return &s->module->symbols.items[s->entries.items[entry]];
}

static uint32_t *constants_image(const constants_state *s, uint32_t entry) {
  assert(entry < s->entries.count && s->entries.items);
  if (tl_module_is_stub(s->module, s->entries.items[entry]))
    return &s->slot_image[entry];
  return &s->module->sections.items[constants_entry(s, entry)->section].constant2;
}

static uint32_t constants_create_image(const constants_state *s, uint32_t entry, uint32_t type, uint64_t align) {
  tl_module *const module = s->module;
  const tl_symbol symbol = *constants_entry(s, entry);
  const uint32_t name = tl_module_name(module, tl_module_compiler_constants(module), symbol.name);
  const uint32_t image = tl_module_add_section(module, name, type, 0x42, align, 0);
  tl_module_add_section_symbol(module, image);
  module->sections.items[image].about = symbol.section;
  *constants_image(s, entry) = image;
  return image;
}

/* M20: the entries of a block, where each kernel has its copy. */
static void constants_copy_entries(tl_module *module, const tl_constant_block *block, uint32_t image, uint64_t offset,
                                   tl_arena *arena) {
  if (!block->entries.count || !block->size)
    return;
  uint32_t container = module->sections.items[image].relocations[1];
  if (container == TL_NONE) {
    const uint32_t name = tl_module_name(module, ".rela", module->sections.items[image].name);
    container = tl_module_add_section(module, name, SHT_RELA, SHF_INFO_LINK, 8, ELF_RELA_SIZE);
    module->sections.items[container].about = image;
    module->sections.items[image].relocations[1] = container;
    tl_module_name_record(module, module->sections.items[image].name);
  }
  for (size_t i = 0; i < block->entries.count; i++) {
    if (block->entries.items[i].offset >= block->size)
      continue; /* a replaced body's (L122) */
    tl_copied_entry *const copied = tl_vector_push(arena, &module->copied_entries);
    *copied = (tl_copied_entry){container, block->entries.items[i]};
    copied->entry.offset += offset;
  }
}

static uint64_t constants_place(const constants_state *s, uint32_t block_index, const tl_u32_vector *users,
                                tl_arena *arena) {
  tl_module *const module = s->module;
  const tl_constant_block block = module->constant_blocks.items[block_index];
  if (block.overlap)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_OVERLAP_PART), *block.overlap, NULL);
  uint64_t end = 0, align = block.align;
  for (size_t i = 0; i < users->count; i++) {
    const uint32_t image = *constants_image(s, users->items[i]);
    if (image == TL_NONE)
      continue;
    const tl_section *const section = &module->sections.items[image];
    end = tl_larger(section->size, end);
    align = tl_larger(section->align, align); /* W10.4 */
  }
  const uint64_t offset = tl_align(end, align); /* all images take the largest alignment, and are padded to it (L76) */
  for (size_t i = users->count; i-- > 0;) {
    uint32_t image = *constants_image(s, users->items[i]);
    if (image == TL_NONE)
      image = constants_create_image(s, users->items[i], block.type, align);
    tl_section *const section = &module->sections.items[image];
    for (size_t p = 0; p < block.pieces.count; p++) {
      tl_piece *const piece = tl_vector_push(arena, &section->pieces);
      *piece = block.pieces.items[p];
      piece->offset += offset;
    }
    section->size = tl_align(offset + block.size, align);
    section->align = align;
  }
  for (size_t i = users->count; i-- > 0;)
    constants_copy_entries(module, &block, *constants_image(s, users->items[i]), offset, arena);
  return offset;
}

static void constants_forget_if_empty(tl_module *module, uint32_t *section) {
  if (*section == TL_NONE || module->sections.items[*section].size)
    return;
  tl_module_forget_relocations(module, *section);       /* its jump tables' entries (L130) */
  tl_module_forget_section(module, *section, *section); /* not those of another one of its name (L1506) */
  *section = TL_NONE;
}

/* What a replaced kernel's own constants, or those of a body that lost to a replaced one, leave when nothing comes in:
 * nothing, no name either (L79, L158). */
static void constants_forget_empty(tl_module *module) {
  for (size_t k = 0; k < module->all_kernels.count; k++)
    constants_forget_if_empty(
        module, &module->sections.items[module->symbols.items[module->all_kernels.items[k]].section].constant2);
  for (size_t i = 1; i < module->sections.count; i++)
    constants_forget_if_empty(module, &module->sections.items[i].stray);
}

static tl_own_constants *constants_own(const tl_module *module, tl_arena *arena) {
  tl_own_constants *const own = tl_arena_new(arena, tl_own_constants, module->kernels.count);
  for (uint32_t k = 0; k < module->kernels.count; k++)
    if (tl_kernel_image(module, k) != TL_NONE)
      own[k].pieces = module->sections.items[tl_kernel_image(module, k)].pieces.count;
  return own;
}

/* Users as positions in module->kernels, for the second layout; slots keep the first one's images. */
static tl_u32_vector *constants_users_of_kernels(const constants_state *s, const tl_u32_vector *users,
                                                 tl_arena *arena) {
  const size_t blocks = s->module->constant_blocks.count;
  tl_u32_vector *const kernels = tl_arena_new(arena, tl_u32_vector, blocks);
  uint32_t *const kernel_of = tl_arena_new(arena, uint32_t, s->entries.count);
  for (uint32_t i = 0, k = 0; i < s->entries.count; i++)
    kernel_of[i] = tl_module_is_stub(s->module, s->entries.items[i]) ? TL_NONE : k++;
  for (size_t b = 0; b < blocks; b++)
    for (size_t i = 0; i < users[b].count; i++)
      if (kernel_of[users[b].items[i]] != TL_NONE)
        tl_u32_push(arena, &kernels[b], kernel_of[users[b].items[i]]);
  return kernels;
}

tl_constant_offsets tl_layout_constants(tl_module *module, const tl_graph *graph, tl_arena *arena) {
  tl_constant_offsets offsets = {tl_arena_new(arena, uint64_t, module->constant_blocks.count), 0};
  constants_state state = {.module = module};
  constants_find_entries(&state, arena);
  const tl_u32_vector *const users = constants_users(&state, graph, arena);
  const tl_own_constants *const own = constants_own(module, arena);
  for (size_t i = module->constant_blocks.count; i-- > 0;) {
    if (!users[i].count)
      continue;
    offsets.blocks[i] = constants_place(&state, (uint32_t)i, &users[i], arena);
    const tl_constant_block *const block = &module->constant_blocks.items[i];
    if (block->has_losing_part)
      offsets.null_value = offsets.blocks[i] + block->losing_offset;
  }
  constants_forget_empty(module);
  if (tl_compiler_constants_overflow(module))
    tl_compiler_constants_pool(module, constants_users_of_kernels(&state, users, arena), own, &offsets, arena);
  return offsets;
}
