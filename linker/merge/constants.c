/* Compiler constants of device functions while files are merged (W8.8, W10.2, L64, L73, L79, L82, L95, D7).
 *
 * Each .nv.constant2.F becomes a block that layout copies into the kernels that reach F. nvlink looks for such sections by
 * NAME when a body is replaced and when the constants of a losing body are kept, so a block of another function of that
 * name can be hit, and the blocks of dead functions, which no kernel reaches, take part in it as those of live ones do. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

/* L1057: of a capsule Mercury's view alone is compared, in which tables of jumps have no bytes. */
void tl_merge_check_overlap(const tl_merging *m, const tl_pieces *pieces, uint32_t section) {
  if (m->module->capsule && m->module->view == TL_VIEW_SASS)
    return;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  for (size_t i = 0; i < pieces->count; i++) {
    const tl_piece *const piece = &pieces->items[i];
    const uint64_t end = tl_smaller(input->size, piece->offset + piece->size);
    if (end <= piece->offset || memcmp(piece->data, input->data + piece->offset, (size_t)(end - piece->offset)) == 0)
      continue;
    const tl_site site = {m->cubin->path, tl_merging_text(m, input->name), NULL, TL_NO_OFFSET};
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_OVERLAP), site, NULL);
  }
}

/* The end of the last symbol of every section, and of the last that is said to be shared (L1090), 0 where there is none; and
 * which have objects, of no size too (L861). */
static void constants_find_ends(tl_merging *m) {
  const tl_cubin *const cubin = m->cubin;
  m->covered = tl_arena_new(m->module->arena, uint64_t, cubin->section_count);
  m->laid = tl_arena_new(m->module->arena, uint64_t, cubin->section_count);
  m->holds_objects = tl_arena_new(m->module->arena, bool, cubin->section_count);
  for (uint32_t i = 1; i < cubin->symbol_count; i++) {
    const tl_cubin_symbol *const s = &cubin->symbols[i];
    if (!tl_merging_lies(s) || tl_symbol_type(s) == STT_SECTION || s->size > UINT64_MAX - s->value)
      continue;
    const unsigned type = tl_symbol_type(s);
    const uint32_t kind = cubin->sections[s->section].type;
    const bool texture = tl_type_is_texture(type) && kind != SHT_CUDA_CONSTANT0 + 2; /* L1678 */
    const bool object = type == STT_OBJECT || type == STT_CUDA_OBJECT || texture;
    if (!object && (kind == SHT_CUDA_SHARED || kind == SHT_CUDA_CONSTANT0 + 2)) /* L1597, L1716 */
      continue;
    const uint64_t end = s->value + s->size;
    m->holds_objects[s->section] |= tl_symbol_type(s) == STT_CUDA_OBJECT;
    m->covered[s->section] = tl_larger(end, m->covered[s->section]);
    if ((s->other & STO_SPACE_MASK) == STO_SHARED)
      m->laid[s->section] = tl_larger(end, m->laid[s->section]);
  }
}

/* Where its last symbol ends, 0 without one. */
static uint64_t constants_symbols_end(tl_merging *m, uint32_t section) {
  if (!m->covered)
    constants_find_ends(m);
  return m->covered[section];
}

uint64_t tl_merge_laid_end(tl_merging *m, uint32_t section) {
  if (!tl_merge_has_symbols(m, section))
    return 0;
  return m->laid[section] ? m->laid[section] : m->cubin->sections[section].size;
}

bool tl_merge_has_symbols(tl_merging *m, uint32_t section) {
  return constants_symbols_end(m, section) != 0;
}

uint64_t tl_merge_covered(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint64_t last = constants_symbols_end(m, section);
  const bool nothing = m->module->mode->final && m->holds_objects[section]; /* of objects without a size (L1131) */
  const uint64_t end = last || nothing ? last : input->size;
  if (end <= input->size)
    return end;
  const uint64_t room = tl_cubin_room(m->cubin, input);
  if (tl_defect_matched(m->module->options, TL_DEFECT_D88))
    return tl_smaller(end, room);
  tl_defect_note(m->module->diagnostics, TL_DEFECT_D88, tl_merging_text(m, input->name));
  return input->size;
}

uint64_t tl_merge_covered_of_bank(tl_merging *m, uint32_t section) {
  enum { LARGEST_BANK = 0x10000 };
  const uint64_t size = tl_merge_covered(m, section);
  if (constants_symbols_end(m, section) > LARGEST_BANK && tl_defect_matched(m->module->options, TL_DEFECT_D88))
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, TL_NO_OFFSET,
                     "its compiler constants end behind the largest bank (L484)");
  return size;
}

/* With D7 a body that is replaced can keep its block. What both have is the same; the longer counts. */
static void constants_join(tl_merging *m, tl_constant_block *block, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint64_t size = tl_merge_covered(m, section);
  tl_merge_check_overlap(m, &block->pieces, section);
  block->align = tl_larger(input->align, block->align);
  if (size <= block->size)
    return;
  block->pieces.count = 0;
  block->size = size;
  *tl_vector_push(m->module->arena, &block->pieces) = (tl_piece){0, size, input->data, m->file, section, false};
}

/* L1574: a block is called after the function, whatever the input's section is called. */
static uint32_t constants_block_name(const tl_merging *m, uint32_t section) {
  const uint32_t primary = tl_cubin_primary(m->cubin, m->cubin->sections[section].info);
  if (primary >= m->cubin->symbol_count)
    return m->cubin->sections[section].name;
  return tl_module_name(m->module, tl_module_compiler_constants(m->module), m->cubin->symbols[primary].name);
}

void tl_merge_define_constants(tl_merging *m, uint32_t section, uint32_t function) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[section];
  uint32_t block = module->block_of_function[function];
  if (block != TL_NONE && !module->constant_blocks.items[block].deleted) {
    constants_join(m, &module->constant_blocks.items[block], section);
    return;
  }
  if (block == TL_NONE) {
    block = module->block_of_function[function] = (uint32_t)module->constant_blocks.count;
    *tl_vector_push(module->arena, &module->constant_blocks) =
        (tl_constant_block){.made = (uint32_t)module->sections.count};
  }
  tl_constant_block *const b = &module->constant_blocks.items[block];
  const uint64_t align = tl_larger(input->align, b->align); /* a replaced body's counts on (L73) */
  const uint64_t size = tl_merge_covered(m, section);
  *b = (tl_constant_block){.function = function,
                           .name = constants_block_name(m, section),
                           .type = input->type,
                           .align = align,
                           .size = size,
                           .entries = b->entries,
                           .made = b->made,
                           .unsorted = b->unsorted};
  tl_merge_inherit_entries(m, b, section);
  tl_merge_enlist_block(module, block);
  *tl_vector_push(module->arena, &b->pieces) = (tl_piece){0, size, input->data, m->file, section, false};
}

bool tl_merge_drop_constants(tl_merging *m, uint32_t function, uint32_t name) {
  tl_module *const module = m->module;
  const uint32_t own = module->block_of_function[function];
  const uint32_t vendor =
      tl_merge_first_standing_block(module, tl_module_name(module, tl_module_compiler_constants(module), name));
  const bool matched = tl_defect_matched(module->options, TL_DEFECT_D7);
  const uint32_t block = matched ? vendor : own;
  if (vendor != own && !matched)
    tl_defect_note(module->diagnostics, TL_DEFECT_D7, tl_merging_text(m, name));
  if (block == TL_NONE)
    return false;
  tl_constant_block *const emptied = &module->constant_blocks.items[block];
  emptied->deleted = emptied->orphan = true; /* it keeps its place and alignment, without bytes (L73) */
  emptied->size = 0;
  emptied->has_losing_part = false;
  emptied->overlap = NULL;   /* L1892 */
  emptied->pieces.count = 0; /* its jump tables' entries stay (L122) */
  return true;
}

/* L1042: of an emptied block that fills again nvlink keeps the entries of the old constants. */
static void constants_forget_entries(tl_merging *m, tl_constant_block *block) {
  if (!block->entries.count || tl_defect_matched(m->module->options, TL_DEFECT_D86))
    return;
  tl_defect_note(m->module->diagnostics, TL_DEFECT_D86, tl_merging_text(m, block->name));
  block->entries.count = 0;
}

/* Behind the first block of their name; false when there is none. */
static bool constants_append_losing(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  tl_merge_check_shape(m, index);
  const uint32_t known = tl_merge_first_block(module, input->name);
  if (known == TL_NONE)
    return false;
  tl_constant_block *const block = &module->constant_blocks.items[known];
  if (block->deleted) { /* an emptied block of the name takes them too (L73) */
    block->deleted = false;
    constants_forget_entries(m, block);
    tl_merge_enlist_block(module, known);
  }
  const uint64_t offset = tl_align(block->size, input->align);
  m->section_offset[index] = offset; /* of entries about its symbol (L1094) */
  *tl_vector_push(module->arena, &block->pieces) = (tl_piece){offset, input->size, input->data, m->file, index, false};
  block->size = offset + input->size;
  block->align = tl_larger(input->align, block->align);
  block->has_losing_part = true; /* W8.9, L64 */
  block->losing_offset = offset;
  return true;
}

void tl_merge_keep_losing_constants(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  if (constants_append_losing(m, index))
    return;
  const uint32_t about = tl_merging_winner_text(m, input->info);
  if (about == TL_NONE)
    return;
  const tl_section *const winner_text = &module->sections.items[about];
  const bool kernel = winner_text->owner != TL_NONE && module->symbols.items[winner_text->owner].other & STO_ENTRY;
  const uint32_t own = kernel ? winner_text->constant2 : TL_NONE;
  uint32_t out = own == TL_NONE ? tl_module_find_section(module, input->name) : own; /* a kernel's own (L82) */
  if (out == TL_NONE) {
    out = tl_module_add_section(module, input->name, input->type, input->flags, input->align, input->entry_size);
    tl_module_add_section_symbol(module, out);
    module->sections.items[out].about = about;
    tl_section *const text = &module->sections.items[about];
    const uint32_t winner = tl_merging_symbol(m, tl_cubin_primary(m->cubin, input->info));
    if (module->symbols.items[winner].other & STO_ENTRY)
      text->constant2 = out; /* L82 */
    else
      text->stray = out;
  }
  m->section_offset[index] = tl_module_append(module, out, input->data, input->size, input->align, m->file, index);
  m->section_map[index] = module->view == TL_VIEW_MERCURY ? out : TL_NONE; /* its jump tables stay (L122) */
}

/* The body that a section of compiler constants belongs to, TL_NONE when it has none. */
static uint32_t constants_primary(const tl_merging *m, uint32_t section) {
  const uint32_t primary = tl_cubin_primary(m->cubin, m->cubin->sections[section].info);
  return tl_merging_function(m, primary) != TL_NONE ? primary : TL_NONE;
}

bool tl_merge_is_compiler_constant(const tl_cubin *cubin, const tl_cubin_symbol *symbol) {
  const unsigned type = tl_symbol_type(symbol);
  return (type == STT_OBJECT || type == STT_CUDA_OBJECT) &&
         tl_cubin_section_at(cubin, symbol->section)->type == SHT_CUDA_CONSTANT0 + 2;
}

uint64_t tl_merge_constant_align(const tl_cubin *cubin, const tl_cubin_symbol *symbol) {
  const bool constant =
      tl_merge_is_compiler_constant(cubin, symbol) && (symbol->other & STO_SPACE_MASK) == STO_CONSTANT;
  return constant ? cubin->sections[symbol->section].align : 0;
}

/* The function and the name of a compiler constant, TL_NONE for the function where it is nobody's. */
static uint64_t constants_key(const tl_resolution *resolution, const tl_cubin *files, uint32_t file,
                              const tl_cubin_symbol *symbol) {
  const uint32_t primary = tl_cubin_primary(&files[file], files[file].sections[symbol->section].info);
  return (uint64_t)tl_resolution_function(resolution, files, file, primary) << 32 | symbol->name;
}

void tl_merge_remember_constant(const tl_merging *m, uint32_t symbol) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  if (!tl_merge_is_compiler_constant(m->cubin, s) || m->section_state[s->section] & TL_SECTION_LOST ||
      constants_primary(m, s->section) == TL_NONE)
    return;
  const uint64_t key = constants_key(module->resolution, module->files, m->file, s);
  if (tl_map_get(&module->standing_constant_of, key) != TL_NONE)
    return;
  tl_map_set(&module->standing_constant_of, key, (uint32_t)module->standing_constants.count);
  *tl_vector_push(module->arena, &module->standing_constants) =
      (tl_standing_constant){m->file, symbol, m->symbol_map[symbol]};
}

const tl_standing_constant *tl_merge_standing_constant(const tl_module *module, uint32_t file, uint32_t symbol) {
  const tl_cubin_symbol *const s = &module->files[file].symbols[symbol];
  const uint64_t key = constants_key(module->resolution, module->files, file, s);
  const uint32_t known = tl_map_get(&module->standing_constant_of, key);
  const tl_standing_constant *const found = known == TL_NONE ? NULL : &module->standing_constants.items[known];
  return found && found->file < file ? found : NULL;
}

/* What a second strong body's constants meet: those of the first one, be the function dead or a kernel. */
static tl_pieces constants_of_standing(const tl_merging *m, uint32_t function) {
  const tl_function *const standing = &m->module->resolution->functions.items[function];
  const tl_cubin *const cubin = &m->module->files[standing->file];
  const uint32_t text = cubin->symbols[standing->symbol].section;
  tl_pieces found = {0};
  for (uint32_t s = 1; s < cubin->section_count; s++)
    if (cubin->sections[s].type == SHT_CUDA_CONSTANT0 + 2 && cubin->sections[s].info == text)
      *tl_vector_push(m->module->arena, &found) =
          (tl_piece){0, cubin->sections[s].size, cubin->sections[s].data, standing->file, s, false};
  return found;
}

void tl_merge_meet_constants(tl_merging *m, uint32_t section) {
  const uint32_t primary = constants_primary(m, section);
  if (m->cubin->sections[section].type != SHT_CUDA_CONSTANT0 + 2 || m->section_state[section] & TL_SECTION_DONE ||
      primary == TL_NONE)
    return;
  m->section_state[section] |= TL_SECTION_DONE;
  const tl_body *const body = &m->bodies[primary];
  const bool kernel = m->cubin->symbols[primary].other & STO_ENTRY;
  if (body->role == TL_BODY_DUPLICATE) {
    const tl_pieces first = constants_of_standing(m, body->function);
    tl_merge_check_overlap(m, &first, section);
  } else if (m->module->mode->final && m->symbol_dead[primary] && !kernel && body->role != TL_BODY_LOSES &&
             body->role != TL_BODY_MISMATCH) {
    tl_merge_check_shape(m, section);
    tl_merge_define_constants(m, section, body->function);
  }
}

void tl_merge_keep_dead_losing_constants(tl_merging *m, uint32_t section) {
  const uint32_t primary = m->section_state[section] & TL_SECTION_DEAD ? constants_primary(m, section) : TL_NONE;
  if (primary != TL_NONE && m->bodies[primary].role == TL_BODY_LOSES && !(m->cubin->symbols[primary].other & STO_ENTRY))
    (void)constants_append_losing(m, section);
}
