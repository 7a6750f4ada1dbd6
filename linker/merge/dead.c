/* --trace of dead code. nvlink merges it as it does live code and takes it out behind the merge, so a dead body's definition
 * is replaced, or loses, with the lines that a live one's has. Here it is never created; what the lines need is kept where
 * lines are wanted, and only there. */
#include "base/bytes.h"
#include "catalog/trace.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

static bool dead_is_wanted(const tl_module *module) {
  return tl_trace_wants(module->diagnostics, TL_TRACE_MERGE) || tl_trace_wants(module->diagnostics, TL_TRACE_RELOC);
}

bool tl_merge_removes_record(uint8_t code) {
  return code != EIATTR_SAM_REGION_STACK_SIZE && tl_attribute_is_of_body(code);
}

void tl_merge_note_dead_entry(const tl_merging *m, const tl_dead_entry *entry) {
  if (dead_is_wanted(m->module))
    *tl_vector_push(m->module->arena, &m->module->dead_entries) = *entry;
}

void tl_merge_trace_dead_entries(tl_module *module, uint32_t text) {
  size_t kept = 0;
  for (size_t i = 0; i < module->dead_entries.count; i++) {
    const tl_dead_entry entry = module->dead_entries.items[i];
    if (entry.target == text)
      tl_trace(module->diagnostics, TL_TRACE_WEAK_RELOC);
    else
      module->dead_entries.items[kept++] = entry;
  }
  module->dead_entries.count = kept;
}

/* W8.2, as of a live body: an entry of a debug section's relocation section that was made last, of two. */
static bool dead_frame_goes(const tl_module *module, const tl_dead_entry *entry) {
  const tl_section *const debug = &module->sections.items[entry->target];
  const uint32_t rel = debug->relocations[0], rela = debug->relocations[1];
  return tl_merge_has_frames(module, debug->name) && rela != TL_NONE &&
         entry->container == (rel != TL_NONE && rel > rela ? rel : rela);
}

static void dead_remove_frames(tl_module *module, uint32_t function) {
  size_t kept = 0;
  for (size_t i = 0; i < module->dead_entries.count; i++) {
    const tl_dead_entry entry = module->dead_entries.items[i];
    if (entry.function == function && dead_frame_goes(module, &entry))
      tl_trace(module->diagnostics, TL_TRACE_WEAK_DEBUG_RELOC);
    else
      module->dead_entries.items[kept++] = entry;
  }
  module->dead_entries.count = kept;
}

static bool dead_has_entries(const tl_cubin *cubin, uint32_t text) {
  bool any = false;
  for (uint32_t s = 1; s < cubin->section_count; s++)
    any |= tl_section_type_is_relocations(cubin->sections[s].type) && cubin->sections[s].size &&
           cubin->sections[s].info == text;
  return any;
}

/* The attributes of a text, or the records about its function among those of the file. */
static void dead_trace_records(const tl_module *module, const tl_cubin_section *section, bool own, uint32_t symbol) {
  uint64_t position = 0;
  tl_record record;
  while (tl_record_next_whole(section, &position, &record)) {
    const bool removed = !own && tl_merge_removes_record(record.code) && record.format == TL_RECORD_WHOLE &&
                         record.size >= sizeof(uint32_t) && tl_get32(record.data) == symbol;
    if (own)
      tl_trace(module->diagnostics, TL_TRACE_WEAK_INFO);
    else if (removed)
      tl_trace(module->diagnostics, TL_TRACE_WEAK_FRAME_SIZE);
  }
}

static void dead_trace_replaced(const tl_module *module, const tl_dead_body *body) {
  const tl_cubin *const cubin = &module->files[body->file];
  const uint32_t text = cubin->symbols[body->symbol].section;
  for (uint32_t s = 1; s < cubin->section_count; s++) {
    const tl_cubin_section *const section = &cubin->sections[s];
    const bool entries = tl_section_type_is_relocations(section->type) && section->info == text;
    for (uint64_t i = entries ? tl_cubin_relocation_count(section) : 0; i > 0; i--)
      tl_trace(module->diagnostics, TL_TRACE_WEAK_RELOC);
    const bool own = section->info == text;
    if (section->type == SHT_CUDA_INFO && (own || section->info == 0))
      dead_trace_records(module, section, own, body->symbol);
  }
}

static bool dead_has_bank(const tl_cubin *cubin, uint32_t text) {
  bool any = false;
  for (uint32_t s = 1; s < cubin->section_count; s++)
    any |= cubin->sections[s].type == SHT_CUDA_CONSTANT0 && cubin->sections[s].info == text;
  return any;
}

/* V8: the banks of two weak kernels are compared. */
static void dead_trace_banks(const tl_merging *m, const tl_cubin_symbol *s, const tl_dead_body *body) {
  const tl_cubin *const cubin = &m->module->files[body->file];
  const tl_cubin_symbol *const other = &cubin->symbols[body->symbol];
  if (s->other & STO_ENTRY && tl_symbol_binding(s) == STB_WEAK && tl_symbol_binding(other) == STB_WEAK &&
      dead_has_bank(m->cubin, s->section) && dead_has_bank(cubin, other->section))
    tl_trace(m->module->diagnostics, TL_TRACE_PARAMETER_BANK, tl_merging_text(m, s->name));
}

/* The body of a function that stands so far, NULL for none. */
static tl_dead_body *dead_find_body(tl_module *module, uint32_t function) {
  if (!module->dead_body_of.arena)
    tl_map_init(&module->dead_body_of, module->arena);
  const uint32_t known = tl_map_get(&module->dead_body_of, function);
  return known == TL_NONE ? NULL : &module->dead_bodies.items[known];
}

void tl_merge_trace_dead(tl_merging *m, uint32_t symbol) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  const uint32_t function = m->bodies[symbol].function;
  if (s->section == SHN_UNDEF || !dead_is_wanted(module))
    return;
  const bool replaces = m->bodies[symbol].role == TL_BODY_REPLACES;
  tl_dead_body *const body = dead_find_body(module, function);
  if (!body) {
    tl_map_set(&module->dead_body_of, function, (uint32_t)module->dead_bodies.count);
    *tl_vector_push(module->arena, &module->dead_bodies) =
        (tl_dead_body){m->file, symbol, dead_has_entries(m->cubin, s->section)};
    return;
  }
  dead_trace_banks(m, s, body);
  if (!replaces && tl_symbol_binding(s) == STB_WEAK)
    tl_trace(module->diagnostics, TL_TRACE_WEAK_PROCESSED, tl_merging_text(m, s->name));
  if (!replaces)
    return;
  dead_trace_replaced(module, body);
  if (body->relocated)
    dead_remove_frames(module, function);
  *body = (tl_dead_body){m->file, symbol, body->relocated || dead_has_entries(m->cubin, s->section)};
}
