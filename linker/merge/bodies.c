/* What a relocatable output has to say of the bodies that met in it, so that a later link decides as one link of all files
 * would (L646, L791, D120).
 *
 * A contest of weak bodies asks for the virtual architecture of each body's file (V2, V3), and whether a function's address
 * is taken hangs on whether the file that says so defines it (W7.7). An output of -r is one file with one virtual
 * architecture, so nvlink forgets both. By default the output has a section of the kind that every link ignores (L296),
 * which looks like relocation entries of no type: symbol, place = virtual architecture of the body that stands and flags,
 * addend = virtual architecture of the first definition.
 *
 * The calls of a body that was replaced stay, those of one that loses go (D8). So a body that is replaced in its group, and
 * would have lost to a file before the group, leaves calls behind that one link of all files does not have. An entry of
 * type 1 therefore names each record that such a body alone has: symbol of the function, place of the record in the call
 * graph, addend = what the contest compares of the body. The next link asks whether it would have won.
 *
 * ptxas lays out the shared memory of a kernel of an -ewp object: e_type says so, and an output of -r has another one. An
 * entry of type 2 names such a kernel, so that the next link refuses, too, what the kernel has no place for (L832). Objects
 * that have symbols have places there and no alignments: an entry of type 3 says an object's place, of the object that
 * stands for the whole section where such objects end (L1031, L1060, D143). */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "merge/merging.h"

#include <string.h>

static const char bodies_name[] = ".nv.resolvedrela.bodies";

enum { BODY_SM_MASK = 0xffff, BODY_SM_BITS = 16, BODY_TAKEN_ELSEWHERE = 0x10000 };
enum { BODY_ENTRY = 0, BODY_RECORD = 1, BODY_PARTIAL = 2, BODY_LAID = 3, BODY_ALONE = 4, BODY_LOST = 5, BODY_POOL = 6 };
enum { POOL_APART = 1 }; /* in the addend, whose higher bits are the size */

static uint64_t bodies_key(uint32_t file, uint64_t symbol_or_place) {
  return (uint64_t)file << 32 | (uint32_t)symbol_or_place;
}

static void bodies_remember(tl_resolution *resolution, tl_map *map, uint64_t key, tl_contestant who, tl_arena *arena) {
  tl_map_set(map, key, (uint32_t)resolution->contestants.count);
  *tl_vector_push(arena, &resolution->contestants) = who;
}

static const tl_cubin_section *bodies_section(const tl_cubin *cubin, const tl_names *names) {
  for (uint32_t s = 1; s < cubin->section_count; s++)
    if (cubin->sections[s].type == SHT_CUDA_RESOLVEDRELA &&
        strcmp(tl_names_text(names, cubin->sections[s].name), bodies_name) == 0)
      return &cubin->sections[s];
  return NULL;
}

void tl_bodies_read(tl_resolution *resolution, uint32_t file, const tl_cubin *cubin, const tl_names *names,
                    const tl_options *options, tl_arena *arena) {
  tl_body *const bodies = resolution->bodies[file];
  for (uint32_t i = 0; i < cubin->symbol_count; i++)
    bodies[i].own_sm = bodies[i].first_sm = cubin->virtual_sm;
  const tl_cubin_section *const record = options->bug_compatible ? NULL : bodies_section(cubin, names);
  const uint64_t count = record ? record->size / ELF_RELA_SIZE : 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint8_t *const at = record->data + i * ELF_RELA_SIZE;
    const uint32_t symbol = tl_get32(at + 12), place = tl_get32(at);
    if (symbol >= cubin->symbol_count)
      continue;
    if (tl_get32(at + 8) == BODY_PARTIAL) {
      bodies[symbol].partial = resolution->any_partial = true;
      continue;
    }
    if (tl_get32(at + 8) == BODY_POOL) {
      const uint64_t addend = tl_get64(at + 16);
      *tl_vector_push(arena, &resolution->noted_pools) =
          (tl_noted_pool){file, addend & POOL_APART, addend >> POOL_APART, tl_get64(at), 0};
      continue;
    }
    if (tl_get32(at + 8) == BODY_LOST) {
      bodies[symbol].lost_inner = true;
      continue;
    }
    if (tl_get32(at + 8) == BODY_ALONE) {
      bodies[symbol].alone_align = place > bodies[symbol].alone_align ? place : bodies[symbol].alone_align;
      continue;
    }
    if (tl_get32(at + 8) == BODY_LAID) {
      bodies[symbol].laid = true;
      bodies[symbol].laid_place = place;
      continue;
    }
    if (tl_get32(at + 8) == BODY_RECORD) {
      const uint64_t addend = tl_get64(at + 16);
      const tl_contestant who = {(uint32_t)(addend >> BODY_SM_BITS), (uint16_t)(addend & BODY_SM_MASK)};
      bodies_remember(resolution, &resolution->record_of, bodies_key(file, place), who, arena);
      continue;
    }
    bodies[symbol].own_sm = place & BODY_SM_MASK;
    bodies[symbol].first_sm = tl_get32(at + 16) & BODY_SM_MASK;
    bodies[symbol].taken_elsewhere = place & BODY_TAKEN_ELSEWHERE;
  }
}

void tl_bodies_replace(tl_resolution *resolution, const tl_function *standing, uint32_t file, uint32_t symbol,
                       tl_arena *arena) {
  const tl_contestant who = {(uint32_t)standing->registers, standing->own_sm};
  bodies_remember(resolution, &resolution->replaced_as, bodies_key(standing->file, standing->symbol), who, arena);
  bodies_remember(resolution, &resolution->has_beaten, bodies_key(file, symbol), who, arena);
}

bool tl_bodies_record_counts(const tl_resolution *resolution, uint32_t file, uint32_t symbol, uint64_t place) {
  const uint32_t record = tl_map_get(&resolution->record_of, bodies_key(file, place));
  const uint32_t beaten = record == TL_NONE ? TL_NONE : tl_map_get(&resolution->has_beaten, bodies_key(file, symbol));
  if (beaten == TL_NONE)
    return true;
  const tl_contestant *const old = &resolution->contestants.items[beaten];
  const tl_contestant *const it = &resolution->contestants.items[record];
  return it->registers != old->registers ? it->registers < old->registers : it->sm > old->sm;
}

uint64_t tl_bodies_record_key(uint32_t part, uint32_t from, uint32_t to) {
  enum { PART_SHIFT = 62, FROM_SHIFT = 31 }; /* of a part's number its last two bits */
  return (uint64_t)part << PART_SHIFT | (uint64_t)from << FROM_SHIFT | to;
}

bool tl_bodies_are_noted(const tl_module *module) {
  return !module->mode->final && !tl_defect_matched(module->options, TL_DEFECT_D120);
}

/* The last file that has a record decides; of a body that stands, or of a file without one, nothing is said. */
void tl_bodies_note_record(tl_module *module, uint32_t file, uint32_t symbol, uint64_t place, uint64_t key) {
  const tl_resolution *const resolution = module->resolution;
  if (!tl_bodies_are_noted(module))
    return;
  uint32_t whose = tl_map_get(&resolution->record_of, bodies_key(file, place));
  if (whose == TL_NONE)
    whose = tl_map_get(&resolution->replaced_as, bodies_key(file, symbol));
  tl_map_set(&module->replaced_records, key, whose);
}

unsigned tl_module_virtual_sm(const tl_module *module) {
  unsigned lowest = module->arch;
  for (uint32_t i = 0; i < module->file_count; i++)
    if (module->files[i].virtual_sm < lowest)
      lowest = module->files[i].virtual_sm;
  return lowest;
}

static tl_body_note bodies_note(const tl_module *module, const tl_function *function, uint32_t index) {
  const bool taken = module->taken_elsewhere[index];
  return (tl_body_note){.symbol = module->symbol_of_function[index],
                        .place = function->own_sm | (taken ? BODY_TAKEN_ELSEWHERE : 0u),
                        .addend = function->first_sm};
}

bool tl_body_is_partial(const tl_module *module, const tl_function *function) {
  return module->files[function->file].type == ET_EWP ||
         module->resolution->bodies[function->file][function->symbol].partial;
}

static void bodies_note_partial(tl_module *module) {
  for (size_t i = 0; i < module->functions.count; i++) {
    const uint32_t index = module->functions.items[i];
    const tl_function *const function = &module->resolution->functions.items[index];
    if (!function->kernel || !function->defined || !tl_body_is_partial(module, function))
      continue;
    *tl_vector_push(module->arena, &module->body_notes) =
        (tl_body_note){.symbol = module->symbol_of_function[index], .type = BODY_PARTIAL};
    tl_defect_note(module->diagnostics, TL_DEFECT_D141, tl_module_text(module, function->name));
  }
}

/* L1031, L1060 */
static void bodies_note_places(tl_module *module) {
  if (tl_defect_matched(module->options, TL_DEFECT_D143))
    return;
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (!symbol->laid_shared && !symbol->whole_shared)
      continue;
    const uint32_t place = symbol->laid_shared ? (uint32_t)symbol->input_value : symbol->whole_laid;
    *tl_vector_push(module->arena, &module->body_notes) =
        (tl_body_note){.symbol = i, .type = BODY_LAID, .place = place};
    if (symbol->laid_shared || symbol->whole_laid)
      tl_defect_note(module->diagnostics, TL_DEFECT_D143, tl_module_text(module, symbol->name));
  }
}

/* L1061: of the kernel's objects the one in front, or the kernel. */
static void bodies_note_alone(tl_module *module) {
  uint32_t *const last = tl_arena_new(module->arena, uint32_t, module->sections.count);
  uint32_t next = 1;
  for (size_t i = 0; i < module->partial_objects.count; i++) {
    const tl_partial_object *const object = &module->partial_objects.items[i];
    for (; next < object->symbols; next++)
      if (module->symbols.items[next].shared && module->symbols.items[next].section != TL_NONE)
        last[module->symbols.items[next].section] = next;
    const tl_section *const text = &module->sections.items[object->text];
    if (object->size || text->shared == TL_NONE)
      continue;
    *tl_vector_push(module->arena, &module->body_notes) =
        (tl_body_note){.symbol = last[text->shared] ? last[text->shared] : text->owner,
                       .type = BODY_ALONE,
                       .place = (uint32_t)object->align};
    tl_defect_note(module->diagnostics, TL_DEFECT_D147, tl_module_text(module, text->name));
  }
}

/* L1065 */
static void bodies_note_lost(tl_module *module) {
  for (uint32_t i = 1; module->capsule && i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (tl_type_of(symbol) != STT_FUNC || symbol->section == TL_NONE || symbol->function == TL_NONE)
      continue;
    const tl_section *const text = &module->sections.items[symbol->section];
    const tl_function *const function = &module->resolution->functions.items[symbol->function];
    if (!module->resolution->bodies[function->file][function->symbol].in_kernel || !text->pieces.count)
      continue;
    if (!symbol->lost_inner && symbol->mention == text->pieces.items[0].file)
      continue;
    *tl_vector_push(module->arena, &module->body_notes) = (tl_body_note){.symbol = i, .type = BODY_LOST};
    tl_defect_note(module->diagnostics, TL_DEFECT_D146, tl_module_text(module, symbol->name));
  }
}

/* L1066 */
static void bodies_note_pools(tl_module *module) {
  for (size_t i = 0; i < module->noted_pools.count; i++) {
    const tl_noted_pool *const pool = &module->noted_pools.items[i];
    *tl_vector_push(module->arena, &module->body_notes) =
        (tl_body_note){.type = BODY_POOL,
                       .place = (uint32_t)pool->align,
                       .addend = pool->size << POOL_APART | (pool->apart ? POOL_APART : 0)};
    tl_defect_note(module->diagnostics, TL_DEFECT_D147, NULL);
  }
}

void tl_merge_mark_lost(tl_merging *m) {
  for (uint32_t i = 1; i < m->cubin->symbol_count; i++)
    if (m->bodies[i].lost_inner && m->symbol_map[i] != TL_NONE)
      m->module->symbols.items[m->symbol_map[i]].lost_inner = true;
}

void tl_merge_note_bodies(tl_module *module) {
  module->bodies_section = TL_NONE;
  if (!tl_bodies_are_noted(module))
    return;
  const unsigned lowest = tl_module_virtual_sm(module);
  for (size_t i = 0; i < module->functions.count; i++) {
    const uint32_t index = module->functions.items[i];
    const tl_function *const function = &module->resolution->functions.items[index];
    const bool plain = function->own_sm == lowest && function->first_sm == lowest && !module->taken_elsewhere[index];
    if (function->binding != STB_WEAK || plain)
      continue;
    *tl_vector_push(module->arena, &module->body_notes) = bodies_note(module, function, index);
    tl_defect_note(module->diagnostics, TL_DEFECT_D120, tl_module_text(module, function->name));
  }
  bodies_note_partial(module);
  bodies_note_places(module);
  bodies_note_alone(module);
  bodies_note_lost(module);
  bodies_note_pools(module);
  if (!module->body_notes.count && !module->replaced_records.count)
    return;
  if (module->replaced_records.count)
    tl_defect_note(module->diagnostics, TL_DEFECT_D120, NULL);
  const uint32_t name = tl_names_intern(module->names, bodies_name, sizeof bodies_name - 1);
  module->bodies_section = tl_module_add_section(module, name, SHT_CUDA_RESOLVEDRELA, 0, 8, ELF_RELA_SIZE);
}
